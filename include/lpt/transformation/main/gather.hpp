// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// The axis that a Gather with a constant axis takes elements of.
constexpr std::size_t gathered_axis(const graph& model, node_id gather) {
    const std::int64_t axis = model.constant_value(model[gather].input(2))->integer(0);
    return static_cast<std::size_t>(normalized_axis(axis, model.shape(model[gather].input(0)).rank()));
}
/// Refuses constants of several values over an axis that is not known, or of which a matrix of indices makes several.
constexpr verdict constants_can_be_gathered(const rewrite& r, node_id id, const dequantization& found) {
    const graph& model = r.model;
    const shape& data = model.shape(model[id].input(0));
    const tensor* indices = model.constant_value(model[id].input(1));
    const bool is_vector = indices != nullptr && indices->dimensions().rank() <= 1;
    const auto is_mixed = [&](std::size_t axis) { return !is_vector && axis == gathered_axis(model, id); };
    return is_scalar_like(model, found)              ? yes
           : data.rank_is_dynamic()                  ? refuse(reason::dynamic_rank, 0)
           : !is_constant(model, model[id].input(2)) ? refuse(reason::axes_not_constant, 2)
                                                     : uniform_where(model, found, data.rank(), is_mixed);
}

/// Moves a dequantization behind Gather; constants that vary over the axis are gathered with the same indices.
struct gather_transformation : movement<gather_transformation, can_move_behind, constants_can_be_gathered> {
    static constexpr text_view name = "GatherTransformation";
    using pattern = lpt::pattern<op::gather, from<op::multiply>, anything, anything>;

    static constexpr node_id constant_behind(rewrite& r, node_id gather, node_id constant) {
        if (constant_of(r.model, constant).elements() == 1 || !is_constant(r.model, r.model[gather].input(2))) {
            return to_scalar(r, constant);
        }
        const std::size_t axis = gathered_axis(r.model, gather);
        const node_id full = pad_left(r, constant, r.model.shape(r.model[gather].input(0)).rank());
        if (r.model[full].shape()[axis] != 1) {
            return to_scalar(r, through_operation(r, gather, full));
        }
        // The same all along the axis: the axes of the indices that take its place have size 1.
        const shape& own = r.model[full].shape();
        const std::size_t indexed = r.model[gather].shape().rank() + 1 - own.rank();
        shape dimensions;
        for (std::size_t each = 0; each < own.rank(); ++each) {
            for (std::size_t copy = 0; copy < (each == axis ? indexed : 1); ++copy) {
                dimensions.push_back(own[each]);
            }
        }
        return r.model.constant(tensor(constant_of(r.model, full), dimensions));
    }
};

}  // namespace lpt::inline LPT_ABI
