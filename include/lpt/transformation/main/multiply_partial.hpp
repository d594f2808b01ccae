// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/eltwise.hpp>
#include <lpt/transformation/fake_quantize/fold_fake_quantize.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// Lets one branch of a Multiply be read in low precision; its scale goes to the other branch, which stays in floating point.
///
/// before: y = s1 * (x1 - z1) * (s2 * x2)
/// after:  y = (s1 * s2 * (x1 - z1)) * x2
/// See `choose_full_path` for the branch that stays. In scaling mode the scale stands behind: (x1 - z1) * x2 * (s1 * s2).
/// With a constant branch: (x * a) * b = x * (a * b).
struct multiply_partial_transformation {
    static constexpr text_view name = "MultiplyPartialTransformation";
    using pattern = lpt::pattern<op::multiply>;

    [[gnu::cold]] static constexpr verdict can_transform(const auto& r, node_id id) {
        return can_transform(r, id, {find_dequantization(r, id, 0), find_dequantization(r, id, 1)});
    }
    [[gnu::cold]] static constexpr bool transform(auto& r, node_id id) {
        if (is_lone_scale(r, id)) {
            return false;
        }
        dequantization branches[2] = {find_dequantization(r, id, 0), find_dequantization(r, id, 1)};
        if (const verdict why = can_transform(r, id, branches); !why) {
            return r.refused(id, name, why);
        }
        node_id multiply = id;
        if (!stands_alone(r.model, branches[0]) || !stands_alone(r.model, branches[1])) {
            normalize_dequantization(r, branches[0]);
            normalize_dequantization(r, find_dequantization(r, id, 1));
            multiply = separate_in_standalone_branch(r, id);
        }
        fold_constant_fake_quantize(r, multiply, 0);
        fold_constant_fake_quantize(r, multiply, 1);
        for (const std::size_t port : {std::size_t{0}, std::size_t{1}}) {
            branches[port] = find_dequantization(r, multiply, port);
        }
        const full_path path = choose_full_path(r, branches[0], branches[1]);
        return path == full_path::constant ? transform_constant(r, multiply, branches)
                                           : transform_branches(r, multiply, branches, static_cast<int>(path));
    }

private:
    static constexpr verdict can_transform(const auto& r, node_id id, view<dequantization> branches) {
        const dequantization& first = branches[0];
        const dequantization& second = branches[1];
        for (const int port : {0, 1}) {
            if (!branches[static_cast<std::size_t>(port)].data) {
                return refuse(reason::no_dequantization, port);
            }
        }
        const bool constant = is_constant(r.model, first.data) || is_constant(r.model, second.data);
        if (!constant && (first.empty() || second.empty())) {
            return refuse(reason::no_dequantization, first.empty() ? 0 : 1);
        }
        return eltwise_precondition(r, id, branches);
    }
    /// A Multiply by a constant without dequantization above it: the end of one, nothing that it could be joined with.
    static constexpr bool is_lone_scale(const auto& r, node_id id) {
        const auto is_bare = [&](std::size_t port) {
            return !may_be_dequantized(r.model, r.model[id].input(port)) || find_dequantization(r, id, port).empty();
        };
        return (is_constant(r.model, r.model[id].input(0)) || is_constant(r.model, r.model[id].input(1))) &&
               is_bare(0) && is_bare(1);
    }
    static constexpr void fold_constant_fake_quantize(auto& r, node_id id, std::size_t port) {
        graph& model = r.model;
        const node_id above = model.producer(id, port);
        if (!model[above].is<op::fake_quantize>()) {
            return;
        }
        if (const tensor folded = fold_fake_quantize(model, above, model[above].type(), false)) {
            model.replace_uses(above, model.constant(folded));
        }
    }

    static constexpr bool finish(auto& r, node_id old, node_id made) {
        copy_information(r, old, made);
        r.model.rename(made, r.model[old].name());
        r.model.replace(old, made);
        return true;
    }

    static constexpr bool transform_constant(auto& r, node_id multiply, view<dequantization> branches) {
        graph& model = r.model;
        const constant_branch branch = find_constant_branch(r, multiply, branches);
        if (branch.multiply < 0) {
            fold_dequantization(r, multiply, 0);
            fold_dequantization(r, multiply, 1);
            return r.refused(multiply, name, refuse(reason::nothing_to_do));
        }
        const auto port = static_cast<std::size_t>(branch.multiply);
        fold_dequantization(r, multiply, 1 - port);
        const output_ref factor = model[multiply].input(1 - port);
        if (!is_constant(model, factor)) {
            return r.refused(multiply, name,
                             refuse_type(reason::types_do_not_match, static_cast<int>(1 - port), model.type(factor)));
        }
        const node_id above = model.producer(multiply, port);
        const auto data_port = static_cast<std::size_t>(branch.data);
        const output_ref product = fold_operation(
            model, op::multiply{},
            {fold_convert(model, model[above].input(1 - data_port), f32), fold_convert(model, factor, f32)});
        if (overflows(constant_of(model, product.node), *model.constant_value(model[above].input(1 - data_port)),
                      *model.constant_value(factor))) {
            return r.refused(multiply, name, refuse(reason::infinite_constant, static_cast<int>(1 - port)));
        }
        const node_id made = model.add_relaxed(model[multiply].attributes(), {model[above].input(data_port), product},
                                               {{f32, f32}, {model[multiply].type()}}, {}, model[multiply].version());
        copy_information(r, above, made);
        return finish(r, multiply, made);
    }

    static constexpr bool has_finite_scale(const auto& model, const dequantization& found) {
        return !found.has_multiply() || is_finite(constant_of(model, found.scale));
    }
    /// In the type of both scales if they have one, so that none becomes infinite, else in that of computations; in that always with
    /// `quirk::overflowing_range`.
    static constexpr output_ref product_of_scales(auto& r, const dequantization& first, const dequantization& second) {
        graph& model = r.model;
        if (first.has_multiply() && second.has_multiply() && model[first.scale].type() == model[second.scale].type() &&
            !r.follows(quirk::overflowing_range)) {
            return fold_operation(model, op::multiply{}, {first.scale, second.scale});
        }
        return fold_operation(model, op::multiply{}, {values_of(r, first).scale, values_of(r, second).scale});
    }

    static constexpr bool transform_branches(auto& r, node_id multiply, view<dequantization> branches, int full) {
        graph& model = r.model;
        const auto full_port = static_cast<std::size_t>(full);
        const std::size_t empty_port = 1 - full_port;
        dequantization empty = branches[empty_port];
        if (empty.empty()) {
            return r.refused(multiply, name, refuse(reason::no_dequantization, static_cast<int>(empty_port)));
        }
        if (r.options.update_precisions && !is_low_precision(model, empty)) {
            return r.refused(
                multiply, name,
                refuse_type(reason::not_low_precision, static_cast<int>(empty_port), model.type(empty.data)));
        }
        empty = fold_dequantization(r, multiply, empty_port);
        const dequantization kept = fold_dequantization(r, multiply, full_port);
        if (empty.has_subtract() && !is_zero(constant_of(model, empty.zero_point))) {
            return r.refused(multiply, name, refuse_zero_point(model, empty, static_cast<int>(empty_port)));
        }
        const output_ref scale = product_of_scales(r, empty, kept);
        if (!is_finite(constant_of(model, scale.node)) && has_finite_scale(model, empty) &&
            has_finite_scale(model, kept)) {
            return r.refused(multiply, name, refuse(reason::infinite_constant, full));
        }
        output_ref data = floating_point_data(kept);
        if (kept.has_subtract()) {
            const element type = model[kept.subtract].type();
            data = model.add_relaxed(op::subtract{}, {data, fold_convert(model, kept.zero_point, type)},
                                     {{type, type}, {type}});
        }
        const bool scale_behind = r.options.scaling_mode;
        output_ref inputs[2];
        inputs[empty_port] = scale_behind ? scale : empty.data;
        const output_ref factor = scale_behind ? empty.data : scale;
        inputs[full_port] = model.type(data) == model.type(factor)
                                ? model.add(op::multiply{}, {data, factor})
                                : model.add_relaxed(op::multiply{}, {data, factor}, {{f32, f32}, {f32}});
        renew_relaxed(r, multiply, inputs, {{f32, f32}, {model[multiply].type()}});
        fold_dequantization(r, multiply, full_port);
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
