// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind Transpose; constants per channel, transposed too, ask that batch and channels keep their places.
struct transpose_transformation : movement<transpose_transformation> {
    static constexpr text_view name = "TransposeTransformation";
    using pattern = lpt::pattern<op::transpose, from<op::multiply>, from_constant>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        return first_refusal<can_move_behind, channels_stay, constants_have_rank>(r, id);
    }
    static constexpr auto constant_behind = through_operation_aligned;
    static constexpr dequantization moved(rewrite& r, node_id transpose, const dequantization& found) {
        const bool are_vectors = rank_of(r.model, found.zero_point) <= 1 && rank_of(r.model, found.scale) <= 1;
        return are_vectors && uniform_over_window(r, transpose, found) ? found : movement::moved(r, transpose, found);
    }

private:
    static constexpr std::size_t rank_of(const graph& model, node_id constant) {
        return constant == node_id::none ? 0 : model[constant].shape().rank();
    }
    static constexpr verdict channels_stay(const rewrite& r, node_id id, const dequantization& found) {
        const tensor& order = *r.model.constant_value(r.model[id].input(1));
        const bool stay = order.elements() >= 2 && order.integer(0) == 0 && order.integer(1) == 1;
        return stay || is_scalar_like(r.model, found)
                   ? yes
                   : uniform_where(r.model, found, r.model[id].shape().rank(), [](std::size_t) { return true; });
    }
    static constexpr verdict constants_have_rank(const rewrite& r, node_id id, const dequantization& found) {
        const std::size_t rank = r.model[id].shape().rank();
        const auto fits = [&](std::size_t own) { return own <= 1 || own == rank || own + 1 == rank; };
        return fits(rank_of(r.model, found.zero_point)) && fits(rank_of(r.model, found.scale))
                   ? yes
                   : refuse(reason::shapes_do_not_match, 0);
    }
};

}  // namespace lpt::inline LPT_ABI
