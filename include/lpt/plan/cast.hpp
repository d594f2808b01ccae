// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/plan/planner.hpp>

namespace lpt::inline LPT_ABI::plan {

/// Convert and ConvertLike that are no part of a quantization.
inline bool planner::make_cast(node_id id) {
    const node& each = model()[id];
    kernel::cast_problem problem;
    if ((!each.is<op::convert>() && !each.is<op::convert_like>()) || !each.shape().is_static() ||
        each.shape().elements() == 0 || !number_type_of(model().type(each.input(0)), problem.input_type) ||
        !number_type_of(each.type(), problem.output_type)) {
        return false;
    }
    problem.count = static_cast<std::int64_t>(each.shape().elements());
    const tensor_id from = tensor_of(each.input(0), layout::plain);
    const tensor_id to = add_tensor(each.type(), each.shape(), layout::plain);
    define(id, to);
    add_kernel({id}, problem, {from, to}, reference_type(model(), each));
    return true;
}

}  // namespace lpt::inline LPT_ABI::plan
