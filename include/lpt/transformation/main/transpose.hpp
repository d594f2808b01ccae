// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// The number of axes of a constant; 0 without one.
constexpr std::size_t rank_of_transposed_constant(const graph& model, node_id constant) {
    return constant == node_id::none ? 0 : model[constant].shape().rank();
}
/// Refuses constants of several values where batch or channels leave their places.
constexpr verdict order_keeps_channels(const rewrite& r, node_id id, const dequantization& found) {
    const tensor& order = *r.model.constant_value(r.model[id].input(1));
    const bool stay = order.elements() >= 2 && order.integer(0) == 0 && order.integer(1) == 1;
    return stay || is_scalar_like(r.model, found)
               ? yes
               : uniform_where(r.model, found, r.model[id].shape().rank(), [](std::size_t) { return true; });
}
/// Refuses constants that are neither vectors nor have all axes of the data, or all but the first.
constexpr verdict constants_have_rank(const rewrite& r, node_id id, const dequantization& found) {
    const std::size_t rank = r.model[id].shape().rank();
    const auto fits = [&](std::size_t own) { return own <= 1 || own == rank || own + 1 == rank; };
    return fits(rank_of_transposed_constant(r.model, found.zero_point)) &&
                   fits(rank_of_transposed_constant(r.model, found.scale))
               ? yes
               : refuse(reason::shapes_do_not_match, 0);
}

/// Moves a dequantization behind Transpose; constants per channel, transposed too, ask that batch and channels keep their places.
struct transpose_transformation
    : movement<transpose_transformation, can_move_behind, order_keeps_channels, constants_have_rank> {
    static constexpr text_view name = "TransposeTransformation";
    using pattern = lpt::pattern<op::transpose, from<op::multiply>, from_constant>;

    static constexpr auto constant_behind = through_operation_aligned;
    static constexpr dequantization moved(rewrite& r, node_id transpose, const dequantization& found) {
        const bool are_vectors = rank_of_transposed_constant(r.model, found.zero_point) <= 1 &&
                                 rank_of_transposed_constant(r.model, found.scale) <= 1;
        return are_vectors && uniform_over_window(r, transpose, found) ? found : movement::moved(r, transpose, found);
    }
};

}  // namespace lpt::inline LPT_ABI
