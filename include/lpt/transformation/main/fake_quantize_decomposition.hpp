// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/fake_quantize/compose.hpp>
#include <lpt/transformation/fake_quantize/decompose.hpp>
#include <lpt/transformation/fake_quantize/usable_maps.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// Turns a FakeQuantize on activations into a quantization to a low precision type and a dequantization.
///
/// The type is the first that its Precisions attribute allows. Where a reader asks for one scale and zero point for several FakeQuantize operations
/// (QuantizationAlignment) they follow from the interval of the whole group (IntervalsAlignment), else from the FakeQuantize's own output range. A
/// Convert to u8 or i8 that alone reads it is merged with it first. If it then gives another low precision type than the one that is wanted, the
/// dequantization below is composed back into it, and it is decomposed anew. FakeQuantize on constants is left to the operation that reads it. Refuses
/// ranges that are not constant or that no dequantization can stand for, other levels, no allowed type, and alignment that leaves one level or two.
struct fake_quantize_decomposition_transformation {
    static constexpr text_view name = "FakeQuantizeDecompositionTransformation";
    using reads = attribute::set<attribute::precisions>;
    using may_read = attribute::set<attribute::intervals_alignment, attribute::quantization_alignment>;
    using pattern = lpt::pattern<op::fake_quantize>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        if (const verdict supported = is_supported(r, id);
            !supported || quantizing_convert(r.model, id) != node_id::none) {
            return supported;
        }
        decision found;
        return can_decompose(r, id, found);
    }

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        if (const verdict why = is_supported(r, id); !why) {
            return r.refused(id, name, why);
        }
        bool changed = merge_quantizing_convert(r, id);
        if (changed) {
            r.register_new_node(id);
        }
        decision found;
        if (const verdict why = can_decompose(r, id, found); !why) {
            return changed || r.refused(id, name, why);
        }
        if (gives_quantized(r.model[id].type())) {
            compose_fake_quantize(r, id, find_dequantization_below(r.model, id));
            changed = true;
            found = decide(r, id);
        }
        if (found.too_few_levels()) {  // its readers are known only now if it was composed
            return changed || r.refused(id, name, refuse_few_levels(found));
        }
        const data_precision precision = found.precision;
        const fake_quantize_parts parts =
            found.alignment == nullptr
                ? decompose_fake_quantize(r, id, found.details, precision)
                : decompose_aligned(r, id, precision,
                                    attribute::align({precision.low, precision.high}, found.alignment->combined,
                                                     {found.details.lows[0], found.details.highs[0]}));
        if (!parts) {
            return changed || r.refused(id, name, refuse(reason::nothing_to_do));
        }
        if (parts.quantized.node == id) {
            r.register_new_node(id);
        }
        // Shared: all FakeQuantize operations of the group get this type.
        attributes_of<attribute::precisions>(r).find_output(id, 0)->types = {precision.type};
        return true;
    }

private:
    /// True for the types of a FakeQuantize that was decomposed, or that a quantizing Convert was merged with; also those of four bits.
    static constexpr bool gives_quantized(element type) {
        return is_low_precision(type) || (is_integral(type) && bit_width(type) == 4);
    }
    static constexpr verdict is_supported(const rewrite& r, node_id id) {
        const graph& model = r.model;
        return !has_constant_ranges(model, id) ? refuse(reason::ranges_not_constant)
               : model[id].type() == dynamic  // nobody could say what the dequantization has to give
                   ? refuse_type(reason::types_do_not_match, 0, dynamic)
                   : !is_quantize_supported(model, id) ? refuse_levels(model, id, reason::unsupported_levels) : yes;
    }

    /// How a FakeQuantize is to be decomposed.
    struct decision {
        quantization_details details;
        data_precision precision;
        const attribute::intervals_alignment* alignment = nullptr;

        /// True, too, where the number of levels is not known (0): members of the group have different ones.
        constexpr bool too_few_levels() const { return alignment != nullptr && alignment->least_levels <= 2; }
    };

    /// `found` is complete only where the answer is yes.
    static constexpr verdict can_decompose(const rewrite& r, node_id id, decision& found) {
        const attribute::precisions* allowed = attributes_of<attribute::precisions>(r).find_output(id, 0);
        const verdict has_types =
            is_constant_path(r.model, id) ? refuse(reason::constant_path)
            : allowed == nullptr          ? refuse(reason::no_precisions_attribute)
            : !allowed->types.empty()     ? yes
            : allowed->last_reader == id
                ? refuse_levels(r.model, id, reason::unsupported_levels)
                : refuse_because_of(reason::no_precision_left, allowed->last_port, allowed->last_reader);
        if (!has_types) {
            return has_types;
        }
        if (gives_quantized(r.model[id].type())) {
            // Its ranges as they are now decide whether it is decomposed anew; it then gets the first type that is allowed, as any other.
            const dequantization below = find_dequantization_below(r.model, id);
            const element expected = allowed->types.size() == 1
                                         ? allowed->types.front()
                                         : precision_of_activations(details_of(r.model, id), allowed->types);
            if (below.empty() || expected == dynamic || expected == r.model[id].type()) {
                return refuse(reason::nothing_to_do);
            }
            if (!can_compose(r.model, id, below)) {
                return refuse(reason::shared_producer);
            }
        }
        found = decide(r, id);
        if (!found.precision) {
            verdict why = refuse_levels(r.model, id, reason::unsupported_levels);
            why.type = allowed->types.front();
            return why;
        }
        return found.too_few_levels() ? refuse_few_levels(found)
                                      : maps_are_usable(r, id, found.details, found.precision);
    }
    static constexpr verdict refuse_few_levels(const decision& found) {
        return refuse_value(reason::too_few_levels, -1, static_cast<double>(found.alignment->least_levels));
    }

    static constexpr decision decide(const rewrite& r, node_id id) {
        decision result{details_of(r.model, id), {}, alignment_of(r, id)};
        result.precision = precision_of(r, id, result.details);
        return result;
    }

    /// The type to quantize to; no type (an empty result) where it has fewer values than there are levels (unless `quirk::uneven_levels` is
    /// followed), or the type of the bounds does not hold its limits (unless `quirk::overflowing_range` is). `has_zero_point`: true where the
    /// FakeQuantize's own range prefers another type.
    static constexpr data_precision precision_of(const rewrite& r, node_id id, const quantization_details& details) {
        const element type = attributes_of<attribute::precisions>(r).find_output(id, 0)->types.front();
        data_precision result = range_of_type(type, details.levels);
        if (bit_width(type) == 4) {  // the published implementation fails here, so there is no quirk to follow
            if (!levels_fit(type, details.levels)) {
                return {};
            }
            result = with_whole_steps(result, details.levels);
        }
        if (!r.follows(quirk::uneven_levels)) {
            result = with_whole_steps(result, details.levels);
            if (static_cast<double>(details.levels - 1) >
                static_cast<double>(result.high) - static_cast<double>(result.low)) {
                return {};
            }
        }
        if (!bounds_hold_limits(r, id, result)) {
            return {};
        }
        result.has_zero_point = precision_details_of(details).preferred != type;
        return result;
    }

    /// The alignment of intervals, if a reader needs it; null otherwise.
    static constexpr const attribute::intervals_alignment* alignment_of(const rewrite& r, node_id id) {
        const bool is_needed = any_reader(r.model, id, [&](node_id reader) {
            const auto* aligned = attributes_of<attribute::quantization_alignment>(r).find_node(reader);
            return aligned != nullptr && aligned->value;
        });
        return is_needed ? attributes_of<attribute::intervals_alignment>(r).find_node(id) : nullptr;
    }
};

}  // namespace lpt::inline LPT_ABI
