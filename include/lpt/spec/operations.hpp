// SPDX-License-Identifier: Apache-2.0
// The operations that the TensorFlow Lite 8-bit quantization specification has rows for, one type each. What several rows say alike is
// said once, by the type that they derive from.
#pragma once

#include <lpt/spec/requirement.hpp>

namespace lpt::inline LPT_ABI::spec {

namespace detail {

template <requirement... Tensors>
struct asks {
    static constexpr int count = sizeof...(Tensors);
    static constexpr requirement tensors[sizeof...(Tensors)] = {Tensors...};
    static constexpr bool same_quantization = false;
    static constexpr text_view note = "";
};

using enum operand;

/// Activations in, an activation out, each with a quantization of its own.
using of_one = asks<activation(input_0), activation(output_0)>;
using of_two = asks<activation(input_0), activation(input_1), activation(output_0)>;
/// The output is no activation, or none that the document constrains.
using reads_one = asks<activation(input_0)>;
using reads_two = asks<activation(input_0), activation(input_1)>;
/// Inputs and output share scale and zero point.
struct keeps_quantization : of_one {
    static constexpr bool same_quantization = true;
};
/// The same where a second input is copied to the output as well.
template <operand Second>
struct keeps_quantization_of_two : asks<activation(input_0), implied_activation(Second), activation(output_0)> {
    static constexpr bool same_quantization = true;
};
struct gathers_inputs : asks<activation(every_input), activation(output_0)> {
    static constexpr bool same_quantization = true;
};
/// A product with weights, whose scales lie along `Axis`.
template <int Axis, granularity Bias>
using weighted = asks<activation(input_0), symmetric_weight(Axis), product_bias(Bias), activation(output_0)>;
/// The range of the function fixes the output's scale, Numerator / Denominator, and zero point.
template <int Numerator, int Denominator, int ZeroPoint>
using with_fixed_output = asks<activation(input_0), fixed_output(Numerator, Denominator, ZeroPoint)>;

}  // namespace detail

namespace op {
// clang-format off
struct add : detail::of_two { static constexpr text_view name = "ADD"; };
struct average_pool_2d : detail::keeps_quantization { static constexpr text_view name = "AVERAGE_POOL_2D"; };
struct concatenation : detail::gathers_inputs { static constexpr text_view name = "CONCATENATION"; };
struct conv_2d : detail::weighted<0, granularity::per_axis> { static constexpr text_view name = "CONV_2D"; };
struct depthwise_conv_2d : detail::weighted<3, granularity::per_axis> { static constexpr text_view name = "DEPTHWISE_CONV_2D"; };
struct fully_connected : detail::weighted<0, granularity::per_tensor> { static constexpr text_view name = "FULLY_CONNECTED"; };
struct l2_normalization : detail::with_fixed_output<1, 128, 0> { static constexpr text_view name = "L2_NORMALIZATION"; };
struct logistic : detail::with_fixed_output<1, 256, -128> { static constexpr text_view name = "LOGISTIC"; };
struct max_pool_2d : detail::keeps_quantization { static constexpr text_view name = "MAX_POOL_2D"; };
struct mul : detail::of_two { static constexpr text_view name = "MUL"; };
struct reshape : detail::keeps_quantization { static constexpr text_view name = "RESHAPE"; };
struct resize_bilinear : detail::keeps_quantization { static constexpr text_view name = "RESIZE_BILINEAR"; };
struct softmax : detail::with_fixed_output<1, 256, -128> { static constexpr text_view name = "SOFTMAX"; };
struct space_to_depth : detail::keeps_quantization { static constexpr text_view name = "SPACE_TO_DEPTH"; };
struct tanh : detail::with_fixed_output<1, 128, 0> { static constexpr text_view name = "TANH"; };
struct pad : detail::keeps_quantization { static constexpr text_view name = "PAD"; };
struct gather : detail::keeps_quantization { static constexpr text_view name = "GATHER"; };
struct batch_to_space_nd : detail::keeps_quantization { static constexpr text_view name = "BATCH_TO_SPACE_ND"; };
struct space_to_batch_nd : detail::keeps_quantization { static constexpr text_view name = "SPACE_TO_BATCH_ND"; };
struct transpose : detail::keeps_quantization { static constexpr text_view name = "TRANSPOSE"; };
struct mean : detail::of_one { static constexpr text_view name = "MEAN"; };
struct sub : detail::of_two { static constexpr text_view name = "SUB"; };
struct sum : detail::of_one { static constexpr text_view name = "SUM"; };
struct squeeze : detail::keeps_quantization { static constexpr text_view name = "SQUEEZE"; };
struct log_softmax : detail::with_fixed_output<16, 256, 127> { static constexpr text_view name = "LOG_SOFTMAX"; };
struct maximum : detail::keeps_quantization_of_two<operand::input_1> { static constexpr text_view name = "MAXIMUM"; };
struct arg_max : detail::reads_one { static constexpr text_view name = "ARG_MAX"; };
struct minimum : detail::keeps_quantization_of_two<operand::input_1> { static constexpr text_view name = "MINIMUM"; };
struct less : detail::reads_two { static constexpr text_view name = "LESS"; };
struct padv2 : detail::keeps_quantization_of_two<operand::input_2> { static constexpr text_view name = "PADV2"; };
struct greater : detail::reads_two { static constexpr text_view name = "GREATER"; };
struct greater_equal : detail::reads_two { static constexpr text_view name = "GREATER_EQUAL"; };
struct less_equal : detail::reads_two { static constexpr text_view name = "LESS_EQUAL"; };
struct slice : detail::keeps_quantization { static constexpr text_view name = "SLICE"; };
struct equal : detail::reads_two { static constexpr text_view name = "EQUAL"; };
struct not_equal : detail::reads_two { static constexpr text_view name = "NOT_EQUAL"; };
struct shape : detail::reads_one { static constexpr text_view name = "SHAPE"; };
struct quantize : detail::of_one {
    static constexpr text_view name = "QUANTIZE";
    static constexpr text_view note = "(Requantization)";
};
// clang-format on
}  // namespace op

}  // namespace lpt::inline LPT_ABI::spec
