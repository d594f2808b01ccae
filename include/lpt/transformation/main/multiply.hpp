// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/fake_quantize/decompose_weights.hpp>
#include <lpt/transformation/guarded.hpp>
#include <lpt/transformation/weightable.hpp>

namespace lpt::inline LPT_ABI {

/// Lets a Multiply read both operands in low precision, for engines with such a kernel; not part of the default pipeline.
///
/// before: y = s1 * (x1 - z1) * (s2 * (x2 - z2))
/// after:  y = s1 * s2 * ((x1 - z1) * (x2 - z2))
/// Zero points stay as Subtracts of low precision tensors; these and the inner Multiply are marked DisableCleanup. A zero
/// point is rounded, halves away from zero; one of 0 goes away.
struct multiply_transformation : guarded<multiply_transformation> {
    static constexpr text_view name = "MultiplyTransformation";
    using pattern = lpt::pattern<op::multiply>;

    /// A Multiply by a constant is a lone scale.
    static constexpr bool is_about(const rewrite& r, node_id id) { return !detail::operands_of(r.model, id); }
    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        const weights_source second = find_weights(r.model, id, r.options.default_precisions);
        return weightable_verdict(r, id, find_dequantization(r, id), second);
    }
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id id) {
        graph& model = r.model;
        const node_id multiply = unshare(r, id);
        decompose_second_operand(r, multiply);
        const dequantization first = normalize_dequantization(r, find_dequantization(r, multiply, 0));
        const dequantization second = normalize_dequantization(r, find_dequantization(r, multiply, 1));
        if (!first.has_multiply() || !second.has_multiply()) {
            return r.refused(multiply, name, refuse(reason::no_dequantization, first.has_multiply() ? 1 : 0));
        }
        const element computed = r.computed_type();
        const constant scale = constant(model, first.scale).as(computed) * constant(model, second.scale).as(computed);
        const output_ref left = low_precision_operand(r, first);
        const output_ref right = low_precision_operand(r, second);
        const node_id product = model.add_relaxed(model[multiply].attributes(), {left, right},
                                                  {{computed, computed}, {computed}}, {}, model[multiply].version());
        model.set_mark(product, mark::disable_cleanup);
        const node_id scaled = model.add_relaxed(op::multiply{}, {product, scale.in(model)},
                                                 {{computed, computed}, {model[multiply].type()}});
        return replace_and_name(r, multiply, scaled);
    }

private:
    static constexpr output_ref low_precision_operand(rewrite& r, const dequantization& found) {
        if (!found.has_subtract()) {
            return found.data;
        }
        const node_id subtract = optimize_subtract(r, found.subtract);
        if (subtract == node_id::none) {
            return found.data;
        }
        r.model.set_mark(subtract, mark::disable_cleanup);
        return subtract;
    }
};

}  // namespace lpt::inline LPT_ABI
