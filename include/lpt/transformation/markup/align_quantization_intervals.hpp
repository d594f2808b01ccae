// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/markup/bodies.hpp>
#include <lpt/transformation/markup/propagation.hpp>
#include <lpt/transformation/quantization_details.hpp>

namespace lpt::inline LPT_ABI {

/// Collects, for FakeQuantizes that meet behind precision preserved nodes, the interval that all of them cover.
struct align_quantization_intervals : step_over_operations<align_quantization_intervals> {
    static constexpr text_view name = "AlignQuantizationIntervals";
    using may_read = attribute::set<attribute::precision_preserved>;
    using writes = attribute::set<attribute::intervals_alignment>;

    static constexpr bool needed(const rewrite& r) { return has_operation(r.model, op::kind::concat, any_version); }

    static constexpr void visit(rewrite& r, node_id id) {
        if (r.model[id].is<op::fake_quantize>()) {
            create(r, id);
        }
        propagate_through_precision_preserved<attribute::intervals_alignment>(r, id);
    }

private:
    /// The output bounds, as they are after the dequantization below; false if they are not one finite interval.
    static constexpr bool output_interval(const rewrite& r, node_id id, attribute::interval& result) {
        const tensor& low = *r.model.constant_value(r.model[id].input(3));
        const tensor& high = *r.model.constant_value(r.model[id].input(4));
        if (!is_scalar_like(low) || !is_scalar_like(high)) {
            return false;
        }
        result = {static_cast<float>(low.real(0)), static_cast<float>(high.real(0))};
        const bool has_reader = only_reader(r.model, id) != node_id::none;
        const dequantization below = has_reader ? find_dequantization_below(r.model, id, true) : dequantization{};
        if (below.has_multiply()) {
            scale_interval(constant_of(r.model, below.scale), result);
        } else if (!r.follows(quirk::interval_of_pair) && !dequantize_interval(r, id, result)) {
            return false;
        }
        return !math::is_infinite(result.low) && !math::is_infinite(result.high);
    }
    static constexpr void scale_interval(const tensor& scales, attribute::interval& bounds) {
        const attribute::interval plain = bounds;
        for (std::size_t i = 0; i < scales.elements(); ++i) {
            const auto scale = static_cast<float>(scales.real(i));
            bounds.low = i == 0 ? plain.low * scale : math::minimum(bounds.low, plain.low * scale);
            bounds.high = i == 0 ? plain.high * scale : math::maximum(bounds.high, plain.high * scale);
        }
    }
    /// The interval of a pair of quantize and dequantize operations: FakeQuantize -> Convert to integers -> Convert ->
    /// [Subtract] -> [Multiply]; as it is where there is no such pair. False if a pair has an interval for each channel.
    static constexpr bool dequantize_interval(const rewrite& r, node_id id, attribute::interval& bounds) {
        const graph& model = r.model;
        const node_id narrow = only_reader(model, id);
        if (narrow == node_id::none || !model[narrow].is<op::convert>() ||
            only_reader(model, narrow) == node_id::none) {
            return true;
        }
        const dequantization below = find_dequantization_below(model, narrow, true);
        if (below.empty() || !is_scalar_like(model, below)) {
            return below.empty();
        }
        if (below.has_subtract()) {
            const auto zero_point = static_cast<float>(constant_of(model, below.zero_point).real(0));
            bounds = {bounds.low - zero_point, bounds.high - zero_point};
        }
        if (below.has_multiply()) {
            scale_interval(constant_of(model, below.scale), bounds);
        }
        return true;
    }
    static constexpr void create(rewrite& r, node_id id) {
        attribute::interval bounds;
        if (!is_quantize_supported(r.model, id) || !output_interval(r, id, bounds)) {
            return;
        }
        const quantization_details details = details_of(r.model, id);
        const auto levels = static_cast<std::size_t>(details.levels);
        attribute::intervals_alignment value{bounds, bounds, levels, {}};
        const element preferred = precision_details_of(details).preferred;
        if (preferred != dynamic) {
            attribute::insert_type(value.preferred_types, preferred);
        }
        attributes_of<attribute::intervals_alignment>(r).set_node(id, lpt::move(value), {levels});
    }
};

}  // namespace lpt::inline LPT_ABI
