// SPDX-License-Identifier: Apache-2.0
// Circular and hyperbolic functions but sine and cosine, and the inverses of all.
#pragma once

#include <lpt/op/activation.hpp>

namespace lpt::inline LPT_ABI::op {

/// y = tan x; x in radians
struct tan : detail::elementwise_function {
    static constexpr auto number = kind::tan;
    static constexpr text_view name = "Tan";
    static constexpr trait traits = trait::elementwise_unary;
};

/// y = the angle in [-pi/2, pi/2] whose sine is x; NaN outside [-1, 1]
struct asin : detail::elementwise_function {
    static constexpr auto number = kind::asin;
    static constexpr text_view name = "Asin";
    static constexpr trait traits = trait::elementwise_unary;
};

/// y = the angle in [0, pi] whose cosine is x; NaN outside [-1, 1]
struct acos : detail::elementwise_function {
    static constexpr auto number = kind::acos;
    static constexpr text_view name = "Acos";
    static constexpr trait traits = trait::elementwise_unary;
};

/// y = the angle in (-pi/2, pi/2) whose tangent is x
struct atan : detail::elementwise_function {
    static constexpr auto number = kind::atan;
    static constexpr text_view name = "Atan";
    static constexpr trait traits = trait::elementwise_unary;
};

/// y = (e^x - e^-x) / 2
struct sinh : detail::elementwise_function {
    static constexpr auto number = kind::sinh;
    static constexpr text_view name = "Sinh";
    static constexpr trait traits = trait::elementwise_unary;
};

/// y = (e^x + e^-x) / 2
struct cosh : detail::elementwise_function {
    static constexpr auto number = kind::cosh;
    static constexpr text_view name = "Cosh";
    static constexpr trait traits = trait::elementwise_unary;
};

/// y = ln(x + (x^2 + 1)^(1/2))
struct asinh : detail::elementwise_function {
    static constexpr auto number = kind::asinh;
    static constexpr text_view name = "Asinh";
    static constexpr versions opsets{3};
    static constexpr trait traits = trait::elementwise_unary;
};

/// y = ln(x + (x^2 - 1)^(1/2)); NaN below 1
struct acosh : detail::elementwise_function {
    static constexpr auto number = kind::acosh;
    static constexpr text_view name = "Acosh";
    static constexpr versions opsets{3};
    static constexpr trait traits = trait::elementwise_unary;
};

/// y = ln((1 + x) / (1 - x)) / 2; NaN outside [-1, 1]
struct atanh : detail::elementwise_function {
    static constexpr auto number = kind::atanh;
    static constexpr text_view name = "Atanh";
    static constexpr versions opsets{3};
    static constexpr trait traits = trait::elementwise_unary;
};

}  // namespace lpt::inline LPT_ABI::op
