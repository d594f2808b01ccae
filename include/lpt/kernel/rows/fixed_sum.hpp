// SPDX-License-Identifier: Apache-2.0
// Sums and averages of i8 codes over windows, in the arithmetic that operations specify.
#pragma once

#include <lpt/kernel/rows/fixed_point.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// Windows over [batch, rows, columns, channels], dense; the parts of them that lie inside an image count. Axes are rows, columns; all sizes >= 1.
/// n is the number of positions of a window inside the image, s the sum of their codes less n * zero_point.
///   averages:  q = s / n, rounded half away from zero, 0 where n is 0;
///   else:      q = the code of `fixed_scale`, without its shift to the left, for x = s, or, where `real` is not 0, the integer next to s * real, ties away
///              from zero, + offset of `scale`.
/// The result is q limited to [low, high]. Preconditions: n * 256 < 2^31;  |offset| < 2^29.
struct fixed_sum_problem {
    std::int64_t batch = 1;
    std::int64_t in[2] = {1, 1};
    std::int64_t out[2] = {1, 1};
    std::int64_t kernel[2] = {1, 1};
    std::int64_t stride[2] = {1, 1};
    std::int64_t pad_begin[2] = {0, 0};
    std::int64_t channels = 1;
    bool averages = false;
    std::int32_t zero_point = 0;
    fixed_scale scale;
    double real = 0;
    std::int32_t low = -128;
    std::int32_t high = 127;
    const std::int8_t* input = nullptr;
    std::int8_t* output = nullptr;
};

}  // namespace lpt::inline LPT_ABI::kernel
