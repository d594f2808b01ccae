// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/main/reduce_base.hpp>

namespace lpt::inline LPT_ABI {

/// Refuses a zero point where it is not known how many elements are summed.
constexpr verdict summed_count_is_known(const rewrite& r, node_id id, const dequantization& found) {
    const shape& data = r.model.shape(r.model[id].input(0));
    const seq<bool, 8> reduced = reduced_axes(r.model, id);
    for (std::size_t axis = 0; axis < reduced.size() && found.has_subtract(); ++axis) {
        if (reduced[axis] && !data.is_static(axis)) {
            return refuse_axis(reason::dynamic_axis, 0, axis);
        }
    }
    return yes;
}

/// Moves a dequantization behind ReduceSum, then real: the sum of n elements s * (q - z) is s * (sum of q - n * z).
struct reduce_sum_transformation
    : reduction<reduce_sum_transformation, can_move_behind_reduction, summed_count_is_known> {
    static constexpr text_view name = "ReduceSumTransformation";
    using pattern = lpt::pattern<op::reduce_sum, from<op::multiply>, from_constant>;

    static constexpr bool updates_type(const rewrite&, node_id) { return false; }
    static constexpr dequantization moved(rewrite& r, node_id reduce, const dequantization& found) {
        dequantization behind = reduction::moved(r, reduce, found);
        if (!found.has_subtract()) {
            return behind;
        }
        const shape& data = r.model.shape(r.model[reduce].input(0));
        const seq<bool, 8> reduced = reduced_axes(r.model, reduce);
        double count = 1;
        for (std::size_t axis = 0; axis < reduced.size(); ++axis) {
            count *= reduced[axis] ? static_cast<double>(data[axis]) : 1.0;
        }
        // In f16 the product may overflow.
        const element type = r.follows(quirk::overflowing_range) ? r.model[found.subtract].type() : r.computed_type();
        const output_ref factor = r.model.constant(make_scalar(type, count));
        behind.zero_point =
            fold_to_constant(r, op::multiply{}, {fold_convert(r.model, behind.zero_point, type), factor});
        behind.zero_point_convert = node_id::none;
        return behind;
    }
};

}  // namespace lpt::inline LPT_ABI
