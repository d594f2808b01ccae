// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind Transpose. Constants per channel are transposed too; the order must then leave batch and
/// channels in their places.
struct transpose_transformation : movement<transpose_transformation> {
    static constexpr text_view name = "TransposeTransformation";
    using pattern = lpt::pattern<op::transpose, from<op::multiply>, from_constant>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        const dequantization found = find_dequantization(r, id);
        return first_refusal([&] { return can_move_behind(r, id, found); },
                             [&] { return is_scalar_like(r.model, found) ? yes : channels_stay(r.model, id, found); },
                             [&] { return constants_have_rank(r.model, id, found); });
    }

    static constexpr dequantization moved(rewrite& r, node_id transpose, const dequantization& found) {
        const auto is_vector = [&](node_id constant) {
            return constant == node_id::none || r.model[constant].shape().rank() <= 1;
        };
        const std::size_t rank = r.model[transpose].shape().rank();
        const bool only_first_axes_vary = first_varying_axis(r.model, found, 2, rank) == rank;
        if (is_vector(found.zero_point) && is_vector(found.scale) && only_first_axes_vary) {
            return found;
        }
        return with_constants(
            r, found, [&](node_id constant) { return through_operation(r, transpose, pad_left(r, constant, rank)); });
    }

private:
    static constexpr verdict channels_stay(const graph& model, node_id id, const dequantization& found) {
        const tensor& order = *model.constant_value(model[id].input(1));
        if (order.elements() >= 2 && order.integer(0) == 0 && order.integer(1) == 1) {
            return yes;
        }
        const std::size_t rank = model[id].shape().rank();
        const std::size_t axis = first_varying_axis(model, found, 0, rank);
        return refuse_axis(reason::varies_over_axis, 0, axis, varying_constant(model, found, axis, rank));
    }
    static constexpr verdict constants_have_rank(const graph& model, node_id id, const dequantization& found) {
        const std::size_t rank = model[id].shape().rank();
        for (const node_id constant : {found.zero_point, found.scale}) {
            const std::size_t own = constant == node_id::none ? rank : model[constant].shape().rank();
            if (own > 1 && own != rank && own + 1 != rank) {
                return refuse(reason::shapes_do_not_match, 0);
            }
        }
        return yes;
    }
};

}  // namespace lpt::inline LPT_ABI
