// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization_constants.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind Transpose. Constants per channel are transposed too; the order must then leave batch and
/// channels in their places.
struct transpose_transformation {
    static constexpr text_view name = "TransposeTransformation";
    using pattern = lpt::pattern<op::transpose, from<op::multiply>, from_constant>;

    [[gnu::cold]] static constexpr verdict can_transform(const auto& r, node_id id) {
        if (const verdict base = base_precondition(r, id); !base) {
            return base;
        }
        const dequantization found = find_dequantization(r, id);
        if (found.empty()) {
            return refuse(reason::no_dequantization, 0);
        }
        if (!is_scalar_like(r.model, found)) {
            const tensor& order = *r.model.constant_value(r.model[id].input(1));
            if (order.elements() < 2 || order.integer(0) != 0 || order.integer(1) != 1) {
                const std::size_t rank = r.model[id].shape().rank();
                const std::size_t axis = first_varying_axis(r.model, found, 0, rank);
                return refuse_axis(reason::varies_over_axis, 0, axis, varying_constant(r.model, found, axis, rank));
            }
        }
        const std::size_t rank = r.model[id].shape().rank();
        const auto fits = [&](node_id constant) {
            const std::size_t own = r.model[constant].shape().rank();
            return own <= 1 || own == rank || own + 1 == rank;
        };
        const bool all_fit =
            (!found.has_multiply() || fits(found.scale)) && (!found.has_subtract() || fits(found.zero_point));
        return all_fit ? yes : refuse(reason::shapes_do_not_match, 0);
    }
    [[gnu::cold]] static constexpr bool transform(auto& r, node_id id) {
        if (const verdict why = can_transform(r, id); !why) {
            return r.refused(id, name, why);
        }
        const node_id transpose = separate_in_standalone_branch(r, id);
        const dequantization found = normalize_dequantization(r, find_dequantization(r, transpose));
        move_dequantization_after(r, transpose, transposed(r, transpose, found));
        return true;
    }

private:
    static constexpr dequantization transposed(auto& r, node_id transpose, const dequantization& found) {
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
};

}  // namespace lpt::inline LPT_ABI
