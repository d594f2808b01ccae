// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/plan/planner.hpp>

#include <limits>

namespace lpt::inline LPT_ABI::plan {

/// TopK of f32, and with it ArgMax and ArgMin.
inline bool planner::make_top_k(node_id id) {
    const node& each = model()[id];
    if (!each.is<op::top_k>() || model().type(each.input(0)) != f32) {
        return false;
    }
    const auto& self = each.as<op::top_k>();
    const shape& data = model().shape(each.input(0));
    const std::int64_t along = normalized_axis(self.axis, data.rank());
    const shape& given = model().shape(output_ref{id, 0});
    const auto axis_of = [&](std::size_t axis) { return static_cast<std::int64_t>(axis); };
    kernel::top_k_problem problem;
    problem.least = self.mode == op::top_k_mode::min;
    problem.by_place = self.sort == op::top_k_sort::index;
    problem.wide_indices = self.index_element_type == i64;
    problem.length = data[static_cast<std::size_t>(along)];
    problem.count = given[static_cast<std::size_t>(along)];
    if (problem.count < 1 || problem.length > std::numeric_limits<std::int32_t>::max()) {
        return false;
    }
    const layout order = layout_of(id);
    const bool last = order == layout::channels_last;
    for (std::size_t axis = 0; axis < data.rank(); ++axis) {
        if (axis_of(axis) != along) {
            (axis_of(axis) < along || last ? problem.outer : problem.inner) *= data[axis];
        }
    }
    const tensor_id from = tensor_of(each.input(0), order);
    const tensor_id values = add_tensor(f32, given, order);
    const tensor_id indices = add_tensor(self.index_element_type, given, order);
    define({id, 0}, values);
    define({id, 1}, indices);
    add_kernel({id}, problem, {from, values, indices});
    return true;
}

}  // namespace lpt::inline LPT_ABI::plan
