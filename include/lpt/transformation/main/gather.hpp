// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind Gather; constants that vary over the axis are gathered with the same indices.
struct gather_transformation : movement<gather_transformation> {
    static constexpr text_view name = "GatherTransformation";
    using pattern = lpt::pattern<op::gather, from<op::multiply>, anything, anything>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        const dequantization found = find_dequantization(r, id);
        return first_refusal([&] { return can_move_behind(r, id, found); },
                             [&] { return is_scalar_like(r.model, found) ? yes : axis_is_known(r.model, id, found); });
    }
    static constexpr dequantization moved(rewrite& r, node_id gather, const dequantization& found) {
        return with_constants(r, found, [&](node_id each) { return gathered(r, gather, each); });
    }

private:
    static constexpr verdict axis_is_known(const graph& model, node_id id, const dequantization& found) {
        const shape& data = model.shape(model[id].input(0));
        if (data.rank_is_dynamic()) {
            return refuse(reason::dynamic_rank, 0);
        }
        if (!is_constant(model, model[id].input(2))) {
            return refuse(reason::axes_not_constant, 2);
        }
        const std::size_t axis = axis_of(model, id);
        const tensor* indices = model.constant_value(model[id].input(1));
        const bool is_vector = indices != nullptr && indices->dimensions().rank() <= 1;
        return is_vector || !varies_over(model, found, axis, data.rank())
                   ? yes
                   : refuse_axis(reason::varies_over_axis, 0, axis, varying_constant(model, found, axis, data.rank()));
    }
    static constexpr std::size_t axis_of(const graph& model, node_id gather) {
        const std::int64_t axis = model.constant_value(model[gather].input(2))->integer(0);
        return static_cast<std::size_t>(normalized_axis(axis, model.shape(model[gather].input(0)).rank()));
    }
    static constexpr node_id gathered(rewrite& r, node_id gather, node_id constant) {
        if (constant_of(r.model, constant).elements() == 1 || !is_constant(r.model, r.model[gather].input(2))) {
            return to_scalar_if_equal(r, constant);
        }
        const std::size_t axis = axis_of(r.model, gather);
        const node_id full = pad_left(r, constant, r.model.shape(r.model[gather].input(0)).rank());
        if (r.model[full].shape()[axis] != 1) {
            return to_scalar_if_equal(r, through_operation(r, gather, full));
        }
        return r.model.constant(with_indexed_axes(r.model, gather, constant_of(r.model, full), axis));
    }
    /// A constant that is the same all along the axis: the axes of the indices that take its place have size 1.
    static constexpr tensor with_indexed_axes(const graph& model, node_id gather, const tensor& value,
                                              std::size_t axis) {
        const shape& data = model.shape(model[gather].input(0));
        const std::size_t indexed = model[gather].shape().rank() + 1 - data.rank();
        shape dimensions;
        for (std::size_t each = 0; each < data.rank(); ++each) {
            for (std::size_t copy = 0; copy < (each == axis ? indexed : 1); ++copy) {
                dimensions.push_back(value.dimensions()[each]);
            }
        }
        return tensor(value, dimensions);
    }
};

}  // namespace lpt::inline LPT_ABI
