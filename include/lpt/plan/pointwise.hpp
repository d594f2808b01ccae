// SPDX-License-Identifier: Apache-2.0
// Arithmetic of numbers that no epilogue computes with, comparisons, logic, Select.
#pragma once

#include <lpt/plan/loops.hpp>
#include <lpt/plan/planner.hpp>

#include <algorithm>
#include <vector>

namespace lpt::inline LPT_ABI::plan {

namespace detail {

/// What the kernel computes for an operation; false where it has no function.
inline bool pointwise_function_of(const node& each, bool is_real, kernel::pointwise_function& result) {
    using kernel::pointwise_function;
    switch (each.kind()) {
        case op::kind::add: result = pointwise_function::add; return true;
        case op::kind::subtract: result = pointwise_function::subtract; return true;
        case op::kind::multiply: result = pointwise_function::multiply; return true;
        case op::kind::divide:
            result = !is_real && each.as<op::divide>().m_pythondiv ? pointwise_function::divide_downwards
                                                                   : pointwise_function::divide;
            return true;
        case op::kind::mod: result = pointwise_function::remainder; return !is_real;
        case op::kind::floor_mod: result = pointwise_function::remainder_downwards; return !is_real;
        case op::kind::power: result = pointwise_function::power; return !is_real;
        case op::kind::maximum: result = pointwise_function::maximum; return true;
        case op::kind::minimum: result = pointwise_function::minimum; return true;
        case op::kind::squared_difference: result = pointwise_function::squared_difference; return true;
        case op::kind::equal: result = pointwise_function::equal; return true;
        case op::kind::not_equal: result = pointwise_function::not_equal; return true;
        case op::kind::greater: result = pointwise_function::greater; return true;
        case op::kind::greater_equal: result = pointwise_function::greater_equal; return true;
        case op::kind::less: result = pointwise_function::less; return true;
        case op::kind::less_equal: result = pointwise_function::less_equal; return true;
        case op::kind::logical_and: result = pointwise_function::logical_and; return true;
        case op::kind::logical_or: result = pointwise_function::logical_or; return true;
        case op::kind::logical_xor: result = pointwise_function::logical_xor; return true;
        case op::kind::logical_not: result = pointwise_function::logical_not; return true;
        case op::kind::bitwise_and: result = pointwise_function::logical_and; return each.type() == boolean;
        case op::kind::bitwise_or: result = pointwise_function::logical_or; return each.type() == boolean;
        case op::kind::bitwise_xor: result = pointwise_function::logical_xor; return each.type() == boolean;
        case op::kind::bitwise_not: result = pointwise_function::logical_not; return each.type() == boolean;
        case op::kind::abs: result = pointwise_function::abs; return true;
        case op::kind::negative: result = pointwise_function::negative; return true;
        case op::kind::sign: result = pointwise_function::sign; return true;
        case op::kind::select: result = pointwise_function::select; return true;
        default: return false;
    }
}

/// Whole numbers as wide as a type: what is only moved keeps its bits.
inline kernel::number_type whole_numbers_like(element type) {
    using kernel::number_type;
    switch (bit_width(type)) {
        case 8: return number_type::u8;
        case 16: return number_type::u16;
        case 32: return number_type::i32;
        default: return number_type::i64;
    }
}

/// The types that the kernel computes in; false where it does not know them. `type`: of a and b.
inline bool set_types(const node& each, element type, kernel::pointwise_problem& problem) {
    if (!number_type_of(type, problem.input_type) || !number_type_of(each.type(), problem.output_type)) {
        return false;
    }
    if (each.is<op::select>()) {
        problem.input_type = problem.output_type = whole_numbers_like(type);
    }
    return true;
}

/// True if a and b have elements of one type, and no divisor can be zero. Numbers of u64 are left to the reference, which refuses those that it
/// cannot compute with.
inline bool can_be_pointwise(const graph& model, const node& each, std::size_t first) {
    const element type = model.type(each.input(first));
    bool result = each.own_types() == nullptr && (type != u64 || each.is<op::select>()) && has_elements(each.shape());
    for (std::size_t port = 0; port < each.inputs(); ++port) {
        result = result && has_elements(model.shape(each.input(port))) &&
                 (port < first || model.type(each.input(port)) == type);
    }
    const bool divides = each.is<op::divide>() || each.is<op::mod>() || each.is<op::floor_mod>();
    if (result && divides && !is_real(type)) {
        const tensor* divisor = model.constant_value(each.input(1));
        result = divisor != nullptr && !evaluation::detail::has_zero(*divisor);
    }
    return result;
}

/// The loops over an output, joined where the strides of all tensors allow it; false for more than the kernel has.
inline bool settle_axes(const shape& dimensions, std::vector<std::vector<std::int64_t>>& strides,
                        kernel::pointwise_problem& problem) {
    loops all;
    for (std::size_t axis = 0; axis < dimensions.rank(); ++axis) {
        all.sizes.push_back(dimensions[axis]);
    }
    for (std::vector<std::int64_t>& of : strides) {
        all.operands.push_back(&of);
    }
    all.merge();
    if (all.sizes.size() > kernel::pointwise_problem::most_axes) {
        return false;
    }
    problem.count = static_cast<std::int64_t>(all.sizes.size());
    std::copy(all.sizes.begin(), all.sizes.end(), problem.sizes);
    return true;
}

}  // namespace detail

/// Operations on each element that are part of no group: an integer division whose divisor is known, arithmetic of other types than f32.
inline bool planner::make_pointwise(node_id id) {
    const node& each = model()[id];
    kernel::pointwise_problem problem;
    const std::size_t first = each.is<op::select>() ? 1 : 0;
    if (each.inputs() <= first ||
        !detail::pointwise_function_of(each, is_real(model().type(each.input(0))), problem.function) ||
        !detail::set_types(each, model().type(each.input(first)), problem) ||
        !detail::can_be_pointwise(model(), each, first)) {
        return false;
    }
    const shape& dimensions = each.shape();
    std::vector<std::vector<std::int64_t>> strides;
    for (std::size_t port = 0; port < each.inputs(); ++port) {
        strides.push_back(detail::broadcast_strides(model().shape(each.input(port)), layout::plain, dimensions));
    }
    strides.push_back(strides_of(dimensions, layout::plain));
    if (!detail::settle_axes(dimensions, strides, problem)) {
        return false;
    }
    std::int64_t* const strides_of_slots[] = {problem.condition_strides, problem.a_strides, problem.b_strides};
    std::vector<tensor_id> operands(3, tensor_id::none);
    for (std::size_t port = 0; port < each.inputs(); ++port) {
        const std::size_t slot = port + 1 - first;
        std::copy(strides[port].begin(), strides[port].end(), strides_of_slots[slot]);
        operands[slot] = tensor_of(each.input(port), layout::plain);
    }
    operands.push_back(add_tensor(each.type(), dimensions, layout::plain));
    define(id, operands.back());
    add_kernel({id}, problem, operands, reference_type(model(), each));
    return true;
}

}  // namespace lpt::inline LPT_ABI::plan
