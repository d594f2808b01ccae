// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/fake_quantize/compose.hpp>
#include <lpt/transformation/preparation/division.hpp>

namespace lpt::inline LPT_ABI {

/// Takes away FakeQuantize operations of 16 bits that change next to nothing: those with 65536 levels whose output range is their
/// input range, so that a network that was quantized to 16 bits runs in floating point.
///
/// Ranges count as equal where they differ by less than 1e-6, or, where they have different element types, by at most 1%.
/// With `weights_adjustment`, where a step of such a range, (high - low) / 65535, is larger than 1, the values above it are divided by
/// 10 times the step, so that they do not overflow f16: in scales of dequantizations, ranges and constants. This needs every path
/// below to end in MVN, which takes the factor out again, or Softmax, whose result does change, and only Add, Convert, Convolution,
/// FakeQuantize, MatMul, Multiply, Reshape and Transpose between; otherwise nothing is divided.
/// A FakeQuantize that feeds a Result stays there if its producer cannot take its name.
struct fq_stripping_transformation {
    static constexpr text_view name = "FQStrippingTransformation";

    static constexpr void run(rewrite& r) {
        const bool adjusts = r.options.arguments_of(name).weights_adjustment;
        for (const node_id id : topological_order(r.model)) {
            if (r.model[id].is<op::fake_quantize>()) {
                visit(r, id, adjusts);
            }
        }
        r.model.collect();
    }

private:
    static constexpr double levels = 65536;

    static constexpr void visit(rewrite& r, node_id id, bool adjusts) {
        const verdict why = can_strip(r, id);
        if (!why) {
            r.refused(id, name, why);
            return;
        }
        if (adjusts) {
            if (const double step = greatest_step(r.model, id); step > 1) {
                detail::division(r, 10 * step).apply(id);
            }
        }
        strip(r, id);
    }

    static constexpr verdict can_strip(const rewrite& r, node_id id) {
        const graph& model = r.model;
        if (r.skips(name, id)) {
            return refuse(reason::skipped_by_callback);
        }
        const double own = static_cast<double>(model[id].as<op::fake_quantize>().levels);
        if (own != levels) {
            return {.why = reason::unsupported_levels, .value = own};
        }
        if (!has_constant_ranges(model, id)) {
            return refuse(reason::ranges_not_constant);
        }
        if (model.type(model[id].input(0)) != model[id].type()) {
            return {reason::types_do_not_match, 0, model[id].type()};
        }
        if (!is_same_bound(model, id, 1) || !is_same_bound(model, id, 2)) {
            return refuse(reason::nothing_to_do);
        }
        return yes;
    }
    /// True if a bound of the input range is that of the output range, two inputs further on.
    static constexpr bool is_same_bound(const graph& model, node_id id, std::size_t port) {
        const tensor& first = *model.constant_value(model[id].input(port));
        const tensor& second = *model.constant_value(model[id].input(port + 2));
        shape dimensions;
        if (!broadcast_shapes(first.dimensions(), second.dimensions(), dimensions)) {
            return false;
        }
        const tensor left = broadcast_values(first, dimensions);
        const tensor right = broadcast_values(second, dimensions);
        for (std::size_t i = 0; i < left.elements(); ++i) {
            const double difference = math::absolute(left.real(i) - right.real(i));
            const double size = math::maximum(math::absolute(left.real(i)), math::absolute(right.real(i)));
            const bool close = first.type() != second.type() && difference <= 0.01 * size;
            if (!(difference < 1e-6 || close)) {
                return false;
            }
        }
        return true;
    }
    static constexpr double greatest_step(const graph& model, node_id id) {
        const tensor& low = *model.constant_value(model[id].input(1));
        const tensor& high = *model.constant_value(model[id].input(2));
        shape dimensions;
        double result = 0;
        if (broadcast_shapes(low.dimensions(), high.dimensions(), dimensions)) {
            const tensor lows = broadcast_values(low, dimensions);
            const tensor highs = broadcast_values(high, dimensions);
            for (std::size_t i = 0; i < lows.elements(); ++i) {
                result = math::maximum(result, (highs.real(i) - lows.real(i)) / (levels - 1));
            }
        }
        return result;
    }

    static constexpr void strip(rewrite& r, node_id id) {
        graph& model = r.model;
        const output_ref data = model[id].input(0);
        if (detail::can_hand_name_on(model, id, data)) {
            if (detail::feeds_result(model, id)) {
                model.rename(data.node, model[id].name());
            }
            model.replace_uses(id, data);
            return;
        }
        for (const input_ref user : model.uses(id)) {
            if (!model[user.node].is<op::result>()) {
                model.set_input(user.node, static_cast<std::size_t>(user.port), data);
            }
        }
        r.refused(id, name, refuse(reason::name_has_no_place, 0));
    }
};

}  // namespace lpt::inline LPT_ABI
