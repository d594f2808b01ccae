// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/plan/planner.hpp>

namespace lpt::inline LPT_ABI::plan {

namespace detail {

/// The type of numbers that kernels cast; false for numbers that share bytes, and floats of 8 bits.
constexpr bool number_type_of(element type, kernel::number_type& result) {
    using kernel::number_type;
    switch (type) {
        case boolean: result = number_type::boolean; return true;
        case u8: result = number_type::u8; return true;
        case i8: result = number_type::i8; return true;
        case u16: result = number_type::u16; return true;
        case i16: result = number_type::i16; return true;
        case u32: result = number_type::u32; return true;
        case i32: result = number_type::i32; return true;
        case u64: result = number_type::u64; return true;
        case i64: result = number_type::i64; return true;
        case bf16: result = number_type::bf16; return true;
        case f16: result = number_type::f16; return true;
        case f32: result = number_type::f32; return true;
        case f64: result = number_type::f64; return true;
        default: return false;
    }
}

}  // namespace detail

/// Convert and ConvertLike that are no part of a quantization.
inline bool planner::make_cast(node_id id) {
    const node& each = model()[id];
    kernel::cast_problem problem;
    if ((!each.is<op::convert>() && !each.is<op::convert_like>()) || !each.shape().is_static() ||
        each.shape().elements() == 0 || !detail::number_type_of(model().type(each.input(0)), problem.input_type) ||
        !detail::number_type_of(each.type(), problem.output_type)) {
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
