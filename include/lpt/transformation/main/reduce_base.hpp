// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

/// What the transformations of reductions have in common. The second input of a reduction are its axes.
namespace lpt::inline LPT_ABI {

/// Which axes of the data a reduction with constant axes reduces; the rank of the data is static.
constexpr seq<bool, 8> reduced_axes(const graph& model, node_id reduction) {
    const std::size_t rank = model.shape(model[reduction].input(0)).rank();
    seq<bool, 8> result(rank, false);
    for (const std::int64_t axis : integers_of(*model.constant_value(model[reduction].input(1)))) {
        if (const std::int64_t place = normalized_axis(axis, rank); place >= 0) {
            result[static_cast<std::size_t>(place)] = true;
        }
    }
    return result;
}

/// A dequantization can move behind a reduction over known axes if scale and zero point do not vary over these.
[[gnu::cold]] constexpr verdict can_move_behind_reduction(const rewrite& r, node_id reduction,
                                                          const dequantization& found) {
    const output_ref axes = r.model[reduction].input(1);
    const verdict is_known = found.empty()                 ? refuse(reason::no_dequantization, 0)
                             : !is_constant(r.model, axes) ? refuse(reason::axes_not_constant, 1)
                             : r.model.shape(r.model[reduction].input(0)).rank_is_dynamic()
                                 ? refuse(reason::dynamic_rank, 0)
                                 : yes;
    if (!is_known) {
        return is_known;
    }
    const seq<bool, 8> reduced = reduced_axes(r.model, reduction);
    return uniform_where(r.model, found, reduced.size(), [&](std::size_t axis) { return reduced[axis]; });
}

/// A movement whose constants are reduced, too: of fewer axes, without those that the reduction drops.
template <class Rule, rule_condition... Conditions>
struct reduction : movement<Rule, Conditions...> {
    static constexpr auto constant_behind = through_operation_aligned;

    /// Reports why the dequantization stays; false. Constants of several values that were compared with the axes have one axis for each of
    /// the data's from then on; the scale is compared only if the zero point does not vary over the axes.
    [[gnu::cold]] static constexpr bool refused(rewrite& r, node_id id, const verdict& why) {
        if (why.why == reason::varies_over_axis || why.why == reason::negative_scale) {
            const dequantization found = find_dequantization(r, id);
            const auto is_single = [&](node_id constant) { return constant_of(r.model, constant).elements() == 1; };
            bool zero_point_varies = false;
            if (found.has_subtract() && !is_single(found.zero_point)) {
                normalize_constant_shape(r, found.subtract);
                const seq<bool, 8> reduced = reduced_axes(r.model, id);
                zero_point_varies = !varies_only_where(aligned_shape(r.model, found.zero_point, reduced.size()),
                                                       [&](std::size_t axis) { return !reduced[axis]; });
            }
            if (found.has_multiply() && !zero_point_varies && !is_single(found.scale)) {
                normalize_constant_shape(r, found.multiply);
            }
        }
        return r.refused(id, Rule::name, why);
    }
};

}  // namespace lpt::inline LPT_ABI
