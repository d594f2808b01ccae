// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/optimization/numbers.hpp>

namespace lpt::inline LPT_ABI {

namespace fusion {

/// erf(x / sqrt(2)) + 1
using gelu_erf_gate = expression<op::add,
                                 expression<op::erf, either<expression<op::multiply, any<0>, literal<1>>,
                                                            expression<op::divide, any<0>, literal<2>>>>,
                                 literal<3>>;
using gelu_erf_numbers = when<is_f32<0>, is_number<1, number::root_of_half>, is_number<2, number::root_of_two>,
                              is_number<3, number::one>, is_number<4, number::half>>;

/// tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)) + 1
using cube = either<expression<op::power, any<0>, literal<5>>,
                    expression<op::multiply, expression<op::multiply, any<0>, any<0>>, any<0>>>;
using gelu_tanh_gate = expression<
    op::add,
    expression<
        op::tanh,
        expression<op::multiply, expression<op::add, any<0>, expression<op::multiply, cube, literal<1>>>, literal<2>>>,
    literal<3>>;
using gelu_tanh_numbers = when<is_f32<0>, is_number<1, number::tanh_cubic>, is_number<2, number::tanh_scale>,
                               is_number<3, number::one>, is_number<4, number::half>, is_number<5, number::three>>;

constexpr op::gelu gelu_by_erf(const match&) { return {{}, op::gelu_approximation::erf}; }
constexpr op::gelu gelu_by_tanh(const match&) { return {{}, op::gelu_approximation::tanh}; }

/// The three ways to multiply x, a gate and 0.5.
template <class Gate>
using half_of_x_first = expression<op::multiply, expression<op::multiply, any<0>, literal<4>>, Gate>;
template <class Gate>
using half_of_gate_first = expression<op::multiply, any<0>, expression<op::multiply, Gate, literal<4>>>;
template <class Gate>
using half_last = expression<op::multiply, expression<op::multiply, any<0>, Gate>, literal<4>>;

}  // namespace fusion

/// x * 0.5 * (1 + erf(x / sqrt(2))), multiplied in any order, becomes Gelu.
///
/// Results differ by the rounding of the intermediate values, which Gelu does not have.
struct gelu_fusion_half_of_x : rule<"GeluFusionHalfOfX", fusion::half_of_x_first<fusion::gelu_erf_gate>,
                                    made<&fusion::gelu_by_erf, any<0>>, fusion::gelu_erf_numbers> {};
struct gelu_fusion_half_of_gate : rule<"GeluFusionHalfOfGate", fusion::half_of_gate_first<fusion::gelu_erf_gate>,
                                       made<&fusion::gelu_by_erf, any<0>>, fusion::gelu_erf_numbers> {};
struct gelu_fusion_half_last : rule<"GeluFusionHalfLast", fusion::half_last<fusion::gelu_erf_gate>,
                                    made<&fusion::gelu_by_erf, any<0>>, fusion::gelu_erf_numbers> {};

/// x * 0.5 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))), multiplied in any order, becomes Gelu by tanh.
struct gelu_tanh_fusion_half_of_x : rule<"GeluTanhFusionHalfOfX", fusion::half_of_x_first<fusion::gelu_tanh_gate>,
                                         made<&fusion::gelu_by_tanh, any<0>>, fusion::gelu_tanh_numbers> {};
struct gelu_tanh_fusion_half_of_gate
    : rule<"GeluTanhFusionHalfOfGate", fusion::half_of_gate_first<fusion::gelu_tanh_gate>,
           made<&fusion::gelu_by_tanh, any<0>>, fusion::gelu_tanh_numbers> {};
struct gelu_tanh_fusion_half_last : rule<"GeluTanhFusionHalfLast", fusion::half_last<fusion::gelu_tanh_gate>,
                                         made<&fusion::gelu_by_tanh, any<0>>, fusion::gelu_tanh_numbers> {};

}  // namespace lpt::inline LPT_ABI
