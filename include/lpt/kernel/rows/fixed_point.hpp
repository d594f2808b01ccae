// SPDX-License-Identifier: Apache-2.0
// Requantization in fixed point, and functions of codes that are specified in it.
#pragma once

#include <lpt/kernel/rows/fields.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// How sums become i8 codes where an operation specifies it to the bit. With x = sum + bias[c]:
///   rounded twice:  h = floor((x * multiplier[c] + 2^30) / 2^31);   t = floor((h + (h < 0 ? below[c] : 0)) / 2^right[c]);
///                   q = floor((t - below[c]) / 2^-below[c]) + offset[c];
///   rounded once (`real` is not null):  q = zero_point + the integer next to x * real[c], ties away from zero, the product in double precision.
/// The code is q limited to [quant_low, quant_high] of the epilogue.
/// Where `below` is -1, that is h / 2^(right + 1), rounded half away from zero; where it is 0, `right` is 0, and h stays as it is. `offset` is
/// the zero point. All arrays are readable `padding` elements past the last channel.
/// Rounded twice: x any, multiplier >= 0, 0 <= right <= 30. Rounded once: |zero_point| < 2^29.
struct fixed_point {
    static constexpr std::int64_t padding = 64;

    const std::int32_t* bias = nullptr;
    const std::int32_t* multiplier = nullptr;
    const std::int32_t* right = nullptr;
    const std::int32_t* offset = nullptr;
    const std::int32_t* below = nullptr;
    const double* real = nullptr;
    std::int32_t zero_point = 0;
    bool shifts = false;  ///< `below` is -1 and `offset` is `zero_point` for all channels, and `real` is null
};

/// A number that scales all elements, as `fixed_point` has one for each channel; the shift to the left comes first.
struct fixed_scale {
    std::int32_t left = 0;
    std::int32_t multiplier = 0;
    std::int32_t right = 0;
    std::int32_t offset = 0;
    std::int32_t below = 0;
};

/// Which function of two codes.
enum class fixed_function : std::uint8_t { add, subtract, multiply };

/// Sums, differences or products of i8 codes: element (r, c) of an operand is data[r * row_stride + c * step], step 0 or 1.
///   add, subtract: x_k = S_k(q_k - z_k);  S(x_a +- x_b);   multiply: S((q_a - z_a) (q_b - z_b)).
/// S(v) is the code of `fixed_point` for x = v * 2^left; that of the result has no shift to the left, and the zero point as its offset.
struct fixed_binary_problem {
    fixed_function function = fixed_function::add;
    std::int64_t rows = 1;
    std::int64_t columns = 0;
    std::int64_t a_row_stride = 0;
    std::int64_t b_row_stride = 0;
    std::int32_t a_step = 1;
    std::int32_t b_step = 1;
    std::int32_t a_zero_point = 0;
    std::int32_t b_zero_point = 0;
    fixed_scale of_a;
    fixed_scale of_b;
    fixed_scale of_result;
    std::int32_t low = -128;
    std::int32_t high = 127;
    const std::int8_t* a = nullptr;
    const std::int8_t* b = nullptr;
    std::int8_t* output = nullptr;
};

/// i8 codes to real numbers, PRELU of these with a slope for each channel, and back to codes; rows of `channels`, dense:
///   x = scale * float(q - zero_point);   y = x >= 0 ? x : x * slope[c];
///   the integer next to y / output_scale, ties away from zero, + output_zero_point, limited to [-128, 127]. All in single precision.
struct real_prelu_problem {
    std::int64_t rows = 1;
    std::int64_t channels = 0;
    std::int32_t zero_point = 0;
    float scale = 1;
    float output_scale = 1;
    std::int32_t output_zero_point = 0;
    const std::int8_t* input = nullptr;
    const float* slope = nullptr;
    /// Null, or lines that give the same codes: the integer next to fma(float(q), factor, offset), ties to even, limited, where the line is
    /// `positive` for q >= zero_point, else negative[c], with offsets from negative[channels] on.
    const float* negative = nullptr;
    float positive = 0;
    float positive_offset = 0;
    bool larger_is_code = false;  // the larger of both lines gives the code
    std::int8_t* output = nullptr;
};

}  // namespace lpt::inline LPT_ABI::kernel
