// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/eltwise.hpp>
#include <lpt/transformation/fake_quantize/fold_fake_quantize.hpp>
#include <lpt/transformation/guarded.hpp>
#include <lpt/transformation/quantization_details.hpp>

namespace lpt::inline LPT_ABI {

/// Lets one branch of a Multiply be read in low precision; its scale goes to the other branch, which stays in floating point.
///
///     s1 (q1 - z1) * s2 q2  =  (s1 s2 (q1 - z1)) * q2
///     s q * b               =  q * (s b)
/// See `choose_full_path` for the branch that stays. In scaling mode the scale stands behind: (q1 - z1) q2 (s1 s2).
struct multiply_partial_transformation : guarded<multiply_partial_transformation, dequantization[2]> {
    static constexpr text_view name = "MultiplyPartialTransformation";
    using pattern = lpt::pattern<op::multiply>;

    /// A Multiply by a constant without dequantization above it is the end of one, nothing that it could be joined with.
    static constexpr bool is_about(const rewrite& r, node_id id) {
        const auto has_dequantization = [&](std::size_t port) {
            return may_be_dequantized(r.model, r.model[id].input(port)) && !find_dequantization(r, id, port).empty();
        };
        return !detail::operands_of(r.model, id) || has_dequantization(0) || has_dequantization(1);
    }
    [[gnu::cold]] static constexpr verdict find(const rewrite& r, node_id id, dequantization (&branches)[2]) {
        find_branches(r, id, branches);
        const auto can_give_up_scale = [&](const dequantization& each) {  // or join it with a constant
            return !each.empty() || is_constant(r.model, branches[0].data) || is_constant(r.model, branches[1].data);
        };
        return !branches[0].data                 ? refuse(reason::no_dequantization, 0)
               : !branches[1].data               ? refuse(reason::no_dequantization, 1)
               : !can_give_up_scale(branches[0]) ? refuse(reason::no_dequantization, 0)
               : !can_give_up_scale(branches[1]) ? refuse(reason::no_dequantization, 1)
                                                 : eltwise_precondition(r, id, branches);
    }
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id id, dequantization (&branches)[2]) {
        node_id multiply = id;
        if (!is_unshared(r.model, branches[0]) || !is_unshared(r.model, branches[1])) {
            normalize_dequantization(r, branches[0]);
            normalize_dequantization(r, find_dequantization(r, id, 1));
            multiply = unshare(r, id);
        }
        fold_constant_fake_quantize(r, multiply, 0);
        fold_constant_fake_quantize(r, multiply, 1);
        find_branches(r, multiply, branches);
        const full_path kept = choose_full_path(r, branches[0], branches[1]);
        return kept == full_path::constant ? multiply_constants(r, multiply, branches)
                                           : move_scale(r, multiply, branches, static_cast<std::size_t>(kept));
    }

private:
    static constexpr void fold_constant_fake_quantize(rewrite& r, node_id id, std::size_t port) {
        if (const node_id above = r.model.producer(id, port); r.model[above].is<op::fake_quantize>()) {
            replace_by_value(r.model, above, above);
        }
    }

    static constexpr bool multiply_constants(rewrite& r, node_id multiply, view<dequantization> branches) {
        graph& model = r.model;
        const constant_branch found = fold_constant_branch(r, multiply, branches);
        if (!found.why) {
            return r.refused(multiply, name, found.why);
        }
        const constant scale(model, found.scale.node);
        const constant factor(model, found.operand.node);
        const constant product = scale.as(f32) * factor.as(f32);
        if (overflows(product, scale, factor)) {
            return r.refused(multiply, name, refuse(reason::infinite_constant, static_cast<int>(found.port)));
        }
        const node_id made = model.add_relaxed(model[multiply].attributes(), {found.data, product.in(model)},
                                               {{f32, f32}, {model[multiply].type()}}, {}, model[multiply].version());
        copy_information(r, found.multiply, made);
        return replace_and_name(r, multiply, made);
    }

    static constexpr bool has_finite_scale(const graph& model, const dequantization& found) {
        return !found.has_multiply() || is_finite(constant_of(model, found.scale));
    }
    /// In the type that both scales have, so that none becomes infinite; else, and with `quirk::overflowing_range`, as all is computed.
    static constexpr constant product_of_scales(const rewrite& r, const dequantization& first,
                                                const dequantization& second) {
        const graph& model = r.model;
        if (first.has_multiply() && second.has_multiply() && model[first.scale].type() == model[second.scale].type() &&
            !r.follows(quirk::overflowing_range)) {
            return constant(model, first.scale) * constant(model, second.scale);
        }
        return affine_of(r, first).scale * affine_of(r, second).scale;
    }

    static constexpr bool move_scale(rewrite& r, node_id multiply, view<dequantization> branches,
                                     std::size_t kept_port) {
        graph& model = r.model;
        const std::size_t port = 1 - kept_port;
        if (const verdict fits = first_refusal<is_dequantized, has_low_precision>(r, multiply, branches[port]); !fits) {
            return r.refused(multiply, name, fits);
        }
        const dequantization moved = fold_dequantization(r, multiply, port);
        const dequantization kept = fold_dequantization(r, multiply, kept_port);
        if (moved.has_subtract() && !is_zero(constant_of(model, moved.zero_point))) {
            return r.refused(multiply, name, refuse_zero_point(model, moved));
        }
        const constant scale = product_of_scales(r, moved, kept);
        if (is_finite(scale) ? !stays_finite(model, kept.data, affine_of(r, kept).zero_point, scale)
                             : has_finite_scale(model, moved) && has_finite_scale(model, kept)) {
            return r.refused(multiply, name, refuse(reason::infinite_constant, static_cast<int>(kept_port)));
        }
        output_ref data = floating_point_data(kept);
        if (kept.has_subtract()) {
            const element type = model[kept.subtract].type();
            data = model.add_relaxed(op::subtract{}, {data, fold_convert(model, kept.zero_point, type)},
                                     {{type, type}, {type}});
        }
        output_ref factor(scale.in(model));
        output_ref inputs[2];
        inputs[port] = moved.data;
        if (r.options.scaling_mode) {  // the scale stands behind
            detail::swap_values(factor, inputs[port]);
        }
        inputs[kept_port] = model.type(data) == model.type(factor)
                                ? model.add(op::multiply{}, {data, factor})
                                : model.add_relaxed(op::multiply{}, {data, factor}, {{f32, f32}, {f32}});
        renew_relaxed(r, multiply, inputs, {{f32, f32}, {model[multiply].type()}});
        fold_dequantization(r, multiply, kept_port);
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
