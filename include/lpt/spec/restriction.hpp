// SPDX-License-Identifier: Apache-2.0
// The ways in which a quantized operation can break the specification: what each is called, where the document forbids it, what it does
// to results, and how to mend it.
#pragma once

#include <lpt/spec/requirement.hpp>

namespace lpt::inline LPT_ABI::spec {

/// A thing that the specification asks for. Checks are made in this order for each tensor.
enum class restriction : unsigned char {
    dtype,
    quant_missing,
    scale_positive,
    per_axis_dim,
    per_axis_count,
    weight_zero_point,
    weight_range,
    bias_zero_point,
    per_tensor,
    zero_point_range,
    bias_granularity,
    bias_scale,
    fixed_output,
    same_quant,
    zero_point_count,
    option_missing,
};
inline constexpr int restriction_count = 16;

/// What there is to know about a restriction.
struct restriction_facts {
    text_view id;  // as reports spell it
    section place;  // where the document says it
    text_view asks;  // what it asks for
    text_view effect;  // what breaking it does to results
    text_view mend;  // what to do about it
};

inline constexpr restriction_facts restriction_table[restriction_count] = {
    {"dtype", section::operator_specifications, "activations and weights are int8, biases int32",
     "kernels of 8-bit integers do not apply: the model is refused, or runs on slower ones",
     "quantize the whole network to int8, or leave the operation in float32 with all of its tensors"},
    {"quant-missing", section::summary, "real_value = (int8_value - zero_point) * scale: each tensor has both",
     "the codes have no meaning; runtimes refuse the model or take scale 0",
     "convert again with calibration data for this tensor"},
    {"scale-positive", section::summary, "scales are finite and above 0",
     "multipliers become 0, infinite or of the wrong sign, so that outputs are constant or inverted",
     "calibrate with data that is not constant, and give constants the range of their values"},
    {"per-axis-dim", section::operator_specifications, "weights have their scales along the axis of output channels",
     "each runtime reads the scales along its own axis: channels get scales of others",
     "quantize along dimension 0 (DEPTHWISE_CONV_2D: 3)"},
    {"per-axis-count", section::per_axis_per_tensor, "there is one scale for each slice of the quantized dimension",
     "scales are read past their end, or slices have none", "write as many scales as the dimension is long, or one"},
    {"weight-zero-point", section::symmetric_asymmetric, "weights are symmetric: zero_point = 0",
     "kernels leave the zero point out: each output is off by the sum of its inputs times it",
     "quantize weights symmetrically"},
    {"weight-range", section::summary, "weights are in [-127, 127]",
     "kernels that add products in pairs of 16 bits saturate at -128 * -128 * 2", "clamp the code -128 to -127"},
    {"bias-zero-point", section::operator_specifications, "biases are symmetric: zero_point = 0",
     "kernels leave the zero point out: outputs are shifted", "quantize biases with zero point 0"},
    {"per-tensor", section::per_axis_per_tensor, "activations have one scale",
     "kernels use the first scale for all slices", "quantize the activation with one scale and zero point"},
    {"zero-point-range", section::summary, "zero points of activations are in [-128, 127]",
     "real zero has no code, so padding and rectifiers change values; kernels that keep it in 8 bits wrap around",
     "widen the range so that it holds 0, and compute scale and zero point anew"},
    {"bias-granularity", section::operator_specifications, "a bias has as many scales as the weights",
     "the bias of a channel is added with the scale of another",
     "quantize the bias with input0_scale * input1_scale[i]"},
    {"bias-scale", section::operator_specifications, "(scale, zero_point) = (input0_scale * input1_scale[...], 0)",
     "kernels add the bias's codes to the sums as they are: it counts with the wrong factor",
     "quantize the bias with input0_scale * input1_scale[i]"},
    {"fixed-output", section::operator_specifications,
     "the output has the scale and zero point of the function's range",
     "kernels write the fixed quantization whatever the tensor says, or refuse the model",
     "give the output the scale and zero point of the row, and put a QUANTIZE behind it"},
    {"same-quant", section::operator_specifications, "Input and outputs must all have same scale/zero_point",
     "codes are copied or compared as they are: real values change by the ratio of the scales",
     "give all of its tensors one quantization, or put a QUANTIZE in front"},
    {"zero-point-count", section::per_axis_per_tensor, "a tensor has as many zero points as scales",
     "runtimes refuse the model, or read zero points past their end", "write a zero point for each scale"},
    {"option-missing", section::operator_specifications,
     "an operation has the options without which it computes nothing: strides, sizes of windows and blocks, beta",
     "runtimes refuse the model or divide by 0", "write the options of the operation with the model"},
};

constexpr const restriction_facts& facts(restriction which) { return restriction_table[static_cast<int>(which)]; }
constexpr text_view name(restriction which) { return facts(which).id; }

}  // namespace lpt::inline LPT_ABI::spec
