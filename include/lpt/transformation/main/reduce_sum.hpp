// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/main/reduce_base.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind ReduceSum, whose output is then real: the sum of n elements s * (q - z) is
/// s * (sum of q - n * z).
struct reduce_sum_transformation : reduction<reduce_sum_transformation> {
    static constexpr text_view name = "ReduceSumTransformation";
    using pattern = lpt::pattern<op::reduce_sum, from<op::multiply>, from_constant>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        if (const verdict base = can_move_behind_reduction(r, id); !base) {
            return base;
        }
        const shape& data = r.model.shape(r.model[id].input(0));
        const seq<bool, 8> reduced = reduced_axes(r.model, id);
        for (std::size_t axis = 0; axis < reduced.size() && find_dequantization(r, id).has_subtract(); ++axis) {
            if (reduced[axis] && !data.is_static(axis)) {
                return refuse_axis(reason::dynamic_axis, 0, axis);
            }
        }
        return yes;
    }
    static constexpr move_settings settings(const auto&, node_id) { return {.update_output_type = false}; }
    static constexpr dequantization moved(rewrite& r, node_id reduce, const dequantization& found) {
        return multiplied_zero_point(r, reduce, reduced_constants(r, reduce, found));
    }

private:
    static constexpr dequantization multiplied_zero_point(rewrite& r, node_id reduce, dequantization found) {
        if (!found.has_subtract()) {
            return found;
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
        found.zero_point = fold_to_constant(r, op::multiply{}, {fold_convert(r.model, found.zero_point, type), factor});
        found.zero_point_convert = node_id::none;
        return found;
    }
};

}  // namespace lpt::inline LPT_ABI
