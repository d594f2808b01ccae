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
[[gnu::cold]] constexpr verdict can_move_behind_reduction(const rewrite& r, node_id reduction) {
    const dequantization found = find_dequantization(r, reduction);
    if (const verdict dequantized = is_dequantized(found); !dequantized) {
        return dequantized;
    }
    if (!is_constant(r.model, r.model[reduction].input(1))) {
        return refuse(reason::axes_not_constant, 1);
    }
    const shape& data = r.model.shape(r.model[reduction].input(0));
    if (data.rank_is_dynamic()) {
        return refuse(reason::dynamic_rank, 0);
    }
    const seq<bool, 8> reduced = reduced_axes(r.model, reduction);
    for (std::size_t axis = 0; axis < reduced.size(); ++axis) {
        if (reduced[axis] && varies_over(r.model, found, axis, reduced.size())) {
            return refuse_axis(reason::varies_over_axis, 0, axis,
                               varying_constant(r.model, found, axis, reduced.size()));
        }
    }
    return yes;
}

/// Reports why a dequantization stays above a reduction; false. Constants of several values that were compared with the axes have one
/// axis for each of the data's from then on; the scale is compared only if the zero point does not vary over the axes.
[[gnu::cold]] constexpr bool refuse_reduction(rewrite& r, node_id reduction, text_view name, const verdict& why) {
    if (why.why == reason::varies_over_axis || why.why == reason::negative_scale) {
        const dequantization found = find_dequantization(r, reduction);
        bool zero_point_varies = false;
        const auto is_single = [&](node_id constant) { return constant_of(r.model, constant).elements() == 1; };
        if (found.has_subtract() && !is_single(found.zero_point)) {
            normalize_constant_shape(r, found.subtract);
            const seq<bool, 8> reduced = reduced_axes(r.model, reduction);
            const shape zero_point = aligned_shape(r.model, found.zero_point, reduced.size());
            for (std::size_t axis = 0; axis < reduced.size(); ++axis) {
                zero_point_varies = zero_point_varies || (reduced[axis] && zero_point[axis] != 1);
            }
        }
        if (found.has_multiply() && !zero_point_varies && !is_single(found.scale)) {
            normalize_constant_shape(r, found.multiply);
        }
    }
    return r.refused(reduction, name, why);
}

/// The constants of a dequantization as they are behind a reduction: of fewer axes, without those that it drops.
constexpr dequantization reduced_constants(rewrite& r, node_id reduction, const dequantization& found) {
    const std::size_t rank = r.model.shape(r.model[reduction].input(0)).rank();
    return with_constants(
        r, found, [&](node_id constant) { return through_operation(r, reduction, pad_left(r, constant, rank)); });
}

/// The rewrite of a reduction: a movement whose constants are reduced, too.
template <class Rule>
struct reduction : movement<Rule> {
    static constexpr dequantization moved(rewrite& r, node_id reduce, const dequantization& found) {
        return reduced_constants(r, reduce, found);
    }
    static constexpr bool refused(rewrite& r, node_id id, const verdict& why) {
        return refuse_reduction(r, id, Rule::name, why);
    }
};

}  // namespace lpt::inline LPT_ABI
