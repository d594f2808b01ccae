// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/rule/pieces.hpp>

/// Conditions on the constants of rules that recognise a function by its numbers.
namespace lpt::inline LPT_ABI {

namespace number {
struct zero {
    static constexpr double value = 0;
};
struct one {
    static constexpr double value = 1;
};
struct two {
    static constexpr double value = 2;
};
struct three {
    static constexpr double value = 3;
};
struct six {
    static constexpr double value = 6;
};
struct half {
    static constexpr double value = 0.5;
};
struct minus_half {
    static constexpr double value = -0.5;
};
struct sixth {
    static constexpr double value = 1.0 / 6;
};
struct root_of_two {
    static constexpr double value = 1.4142135623730951;
};
struct root_of_half {
    static constexpr double value = 0.70710678118654757;
};
/// sqrt(2 / pi)
struct tanh_scale {
    static constexpr double value = 0.79788456080286541;
};
/// Of the cube in the approximation of Gelu by tanh.
struct tanh_cubic {
    static constexpr double value = 0.044715;
};
}  // namespace number

namespace detail {
/// How far a number may lie from the one that a constant of this type was rounded from, as a share of it.
constexpr double rounding_of(element type) { return type == f16 ? 1e-3 : type == bf16 ? 8e-3 : 2e-6; }

constexpr bool is_number(const tensor& constant, double wanted) {
    return constant.elements() == 1 && is_real(constant.type()) &&
           math::absolute(constant.real(0) - wanted) <= rounding_of(constant.type()) * math::absolute(wanted);
}
}  // namespace detail

/// The constant, where the rule found one under this number, is one number: `Value::value`, but for the rounding to its type.
template <int Number, class Value>
struct is_number {
    static constexpr text_view name = "IsNumber";
    static constexpr bool holds(const match& found) {
        return !found[Number] || detail::is_number(found.constant(Number), Value::value);
    }
};

/// The tensor is f32: the kernels have these functions for nothing else.
template <int Number>
struct is_f32 {
    static constexpr text_view name = "IsF32";
    static constexpr bool holds(const match& found) { return found.type(Number) == f32; }
};

}  // namespace lpt::inline LPT_ABI
