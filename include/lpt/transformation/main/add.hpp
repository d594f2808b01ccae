// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/eltwise.hpp>
#include <lpt/transformation/guarded.hpp>
#include <lpt/transformation/quantization_details.hpp>

namespace lpt::inline LPT_ABI {

/// Moves the dequantization of one branch of an Add behind it; the other branch keeps what is left of its own.
///
///     s1 (q1 - z1) + s2 (q2 - z2)  =  s2 ((s1 / s2) (q1 - (z1 + z2 s2 / s1)) + q2)
///     s q + b                      =  s (q + b / s)
/// Branch 1 is the full one: it stays in floating point (`choose_full_path` says which of the two that is). The Add reads q2 itself; that it has no
/// low precision, or that a constant leaves the range of its type, is seen only during the rewrite: the rule then refuses, and what was folded until
/// then stays folded. Where one branch is a constant b, the data of the other is read, of whatever type: c = b / s joins a Subtract of z above it, as
/// z - c; without one q + c becomes q - (-c), or stays an Add where it is a bias.
struct add_transformation : guarded<add_transformation, dequantization[2]> {
    static constexpr text_view name = "AddTransformation";
    using may_read = attribute::set<attribute::bias>;
    using pattern = lpt::pattern<op::add>;

    [[gnu::cold]] static constexpr verdict find(const rewrite& r, node_id id, dequantization (&branches)[2]) {
        find_branches(r, id, branches);
        return first_refusal([&] { return scale_is_not_zero(r, id, branches[0]); },
                             [&] { return scale_is_not_zero(r, id, branches[1]); },
                             [&] { return eltwise_precondition(r, id, branches); });
    }
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id id, dequantization (&branches)[2]) {
        node_id add = id;
        if (!is_unshared(r.model, branches[0]) || !is_unshared(r.model, branches[1])) {
            add = unshare(r, id);
            find_branches(r, add, branches);
        }
        const full_path full = choose_full_path(r, branches[0], branches[1]);
        return full == full_path::constant ? add_constant(r, add, branches)
                                           : move_other(r, add, branches, static_cast<std::size_t>(full));
    }

private:
    static constexpr bool move_other(rewrite& r, node_id add, view<dequantization> branches, std::size_t full_port) {
        const std::size_t port = 1 - full_port;
        if (const verdict why = has_low_precision(r, add, branches[port]); !why && !branches[port].empty()) {
            return r.refused(add, name, why);
        }
        const dequantization moved = normalize_dequantization(r, fold_dequantization(r, add, port));
        const dequantization full = normalize_dequantization(r, fold_dequantization(r, add, full_port));
        const affine moved_map = affine_of(r, moved);
        const affine full_map = affine_of(r, full);
        // s1 / s2 (q1 - (z1 + z2 s2 / s1)), on the branch that stays in floating point.
        const affine remaining{full_map.zero_point + moved_map.zero_point * moved_map.scale / full_map.scale,
                               full_map.scale / moved_map.scale};
        if (!is_finite(remaining.zero_point) || !is_finite(remaining.scale) || !is_finite(moved_map.scale) ||
            !stays_finite(r.model, full.data, remaining.zero_point, remaining.scale)) {
            return r.refused(add, name, refuse(reason::infinite_constant, static_cast<int>(full_port)));
        }
        output_ref inputs[2];
        inputs[port] = moved.data;
        inputs[full_port] = append_affine(r, floating_point_data(full), remaining);
        const element computed = r.options.scaling_mode ? r.model[add].type() : f32;
        const element given = r.model[add].type();
        return rewriting(r, add)
            .reads(inputs, {{computed, computed}, {computed}})
            .times(moved_map.scale.in(r.model), {{computed, computed}, {given}})
            .finish();
    }
    static constexpr bool add_constant(rewrite& r, node_id add, view<dequantization> branches) {
        graph& model = r.model;
        const constant_branch found = fold_constant_branch(r, add, branches);
        if (!found.why) {
            return r.refused(add, name, found.why);
        }
        const tensor& summand = constant_of(model, found.operand.node);
        constant shift = quotient_or_zero(summand, constant_of(model, found.scale.node));
        const std::size_t rank = summand.dimensions().rank();  // the sum has all axes of the summand
        if (model.shape(found.data).rank_is_static() && rank > model.shape(found.data).rank()) {
            shift = tensor(shift, shift.dimensions().padded_left(rank));
        }
        const bool may_overflow = shift.type() != f32 && r.follows(quirk::overflowing_range);
        if (!may_overflow && !is_finite(shift) && is_finite(summand)) {
            return r.refused(add, name, refuse(reason::infinite_constant, static_cast<int>(found.port)));
        }
        rewriting scaled(r, add);
        become_sum(r, add, found.data, shift);
        const node& above = model[found.multiply];
        const node_id multiply =
            model.add_relaxed(op::multiply{}, {add, found.scale}, {{f32, f32}, {above.type()}}, above.name());
        copy_information(r, found.multiply, multiply);
        return scaled.then(multiply).finish_with_shapes();
    }
    /// Turns the Add into data + shift. If the data comes from a Subtract of a constant: one Subtract of both. Otherwise an Add if it is a bias,
    /// else a Subtract of -shift.
    static constexpr void become_sum(rewrite& r, node_id add, output_ref data, const constant& shift) {
        graph& model = r.model;
        const element type = is_real(model.type(data)) ? model.type(data) : f32;
        const node& above = model[data.node];
        if (above.is<op::subtract>() && is_constant(model, above.input(1))) {
            const constant zero_point = constant(model, above.input(1).node).as(shift.type());
            model.renew(add, {above.input(0), (zero_point - shift).in(model)});
        } else if (!model[add].has(mark::bias)) {
            model.renew(add, {data, (-shift).in(model)});
        } else {
            model.renew(add, {data, shift.in(model)});
            return model.relax(add, {{f32, f32}, {type}});
        }
        r.attributes.drop_ports(add);
        model.become(add, op::subtract{}, op::subtract::opsets.newest());
        model.relax(add, {{f32, f32}, {type}});
    }
};

}  // namespace lpt::inline LPT_ABI
