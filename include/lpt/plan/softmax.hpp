// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/plan/planner.hpp>

#include <utility>

namespace lpt::inline LPT_ABI::plan {

/// Softmax and LogSoftmax.
inline bool planner::make_softmax(node_id id) {
    const node& each = model()[id];
    const bool logarithm = each.is<op::log_softmax>();
    if ((!each.is<op::softmax>() && !logarithm) || !detail::maps_f32(model(), each)) {
        return false;
    }
    const shape& data = each.shape();
    const std::int64_t given = logarithm ? each.as<op::log_softmax>().axis : each.as<op::softmax>().axis;
    const std::int64_t along = data.rank() == 0 ? 0 : normalized_axis(given, data.rank());
    kernel::softmax_problem problem;
    problem.logarithm = logarithm;
    for (std::size_t axis = 0; axis < data.rank(); ++axis) {
        const auto at = static_cast<std::int64_t>(axis);
        (at < along ? problem.outer : at == along ? problem.length : problem.inner) *= data[axis];
    }
    const tensor_id from = make_f32(tensor_of(each.input(0), layout::plain));
    const tensor_id to = add_tensor(f32, data, layout::plain);
    define(id, to);
    add_kernel({id}, problem, {from, to}, f32, true);
    return true;
}

}  // namespace lpt::inline LPT_ABI::plan
