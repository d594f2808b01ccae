// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/kernel/rows/number_type.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// What a pointwise kernel computes of a and b. Whole numbers wrap around; they are divided by anything but 0.
enum class pointwise_function : std::uint8_t {
    add,  ///< a + b
    subtract,  ///< a - b
    multiply,  ///< a * b
    divide,  ///< a / b; whole numbers towards zero
    divide_downwards,  ///< a / b; whole numbers downwards
    remainder,  ///< of whole numbers, with the sign of a
    remainder_downwards,  ///< of whole numbers, with the sign of b
    power,  ///< a ^ b of whole numbers; of a negative b the whole part
    maximum,  ///< a < b ? b : a
    minimum,  ///< b < a ? b : a
    squared_difference,  ///< (a - b)^2
    equal,  ///< a == b
    not_equal,  ///< a != b
    greater,  ///< a > b
    greater_equal,  ///< a >= b
    less,  ///< a < b
    less_equal,  ///< a <= b
    logical_and,  ///< a and b
    logical_or,  ///< a or b
    logical_xor,  ///< a or b, not both
    logical_not,  ///< not a
    abs,  ///< |a|
    negative,  ///< -a
    sign,  ///< -1, 0 or 1, and NaN of NaN
    select,  ///< condition ? a : b
};

/// out = function(a, b), element by element, of any types of numbers and with any broadcasting.
/// `sizes`: `count` (1 to 8) axes of the output, the outermost first, whose innermost rows lie where `output_rows` says; strides of the
/// inputs along them in elements, along the last axis 0 or 1. `input_type`: of a and b, not u64. `output_type`: boolean of comparisons and logic, else that of the input.
/// Half precision is computed in f32, and the result rounded. Functions of one number leave b out; only select has a condition, a boolean.
/// The output does not overlap an input.
/// Source: OpenVINO operation set, Add-1 and the like, Equal-1 and the like, LogicalAnd-1 and the like, Select-1.
struct pointwise_problem {
    static constexpr int most_axes = 8;
    pointwise_function function = pointwise_function::add;
    number_type input_type = number_type::f32;
    number_type output_type = number_type::f32;
    std::int64_t count = 0;
    std::int64_t sizes[most_axes] = {};
    std::int64_t condition_strides[most_axes] = {};
    std::int64_t a_strides[most_axes] = {};
    std::int64_t b_strides[most_axes] = {};
    const void* condition = nullptr;
    const void* a = nullptr;
    const void* b = nullptr;
    void* output = nullptr;
    row_layout output_rows = {};

    static constexpr const char* name = "pointwise";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("function", self.function);
        visit("input_type", self.input_type);
        visit("output_type", self.output_type);
        visit("count", self.count);
        visit("sizes", self.sizes);
        visit("condition_strides", self.condition_strides);
        visit("a_strides", self.a_strides);
        visit("b_strides", self.b_strides);
        visit("condition", self.condition);
        visit("a", self.a);
        visit("b", self.b);
        visit("output", self.output);
        visit("output_rows", self.output_rows);
    }
    template <class Self, class Visit>
    static constexpr void spaced(Self& self, Visit visit) {
        visit(self.output, self.output_rows, self.count == 0 ? 1 : self.sizes[self.count - 1], 1);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
