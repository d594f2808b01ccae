// SPDX-License-Identifier: Apache-2.0
// Convolutions and matrix products of i8 codes that take less than a microsecond or two: all that does not depend on the input is done
// before, and one thread runs them.
#pragma once

#include <lpt/kernel/rows/fixed_point.hpp>

#include <cstddef>

namespace lpt::inline LPT_ABI::kernel {

/// A convolution over [batch, height, width, channels]; a matrix product is one of kernel 1 over a line of pixels. Axes are rows, columns.
/// All sizes, strides and dilations >= 1; 0 <= pad_begin < kernel * dilation. Depthwise: out_channels == in_channels.
struct fixed_product_shape {
    bool depthwise = false;
    std::int64_t batch = 1;
    std::int64_t in[2] = {1, 1};
    std::int64_t out[2] = {1, 1};
    std::int64_t kernel[2] = {1, 1};
    std::int64_t stride[2] = {1, 1};
    std::int64_t dilation[2] = {1, 1};
    std::int64_t pad_begin[2] = {0, 0};
    std::int64_t in_channels = 1;
    std::int64_t out_channels = 1;
};

/// Weights [out][kernel rows][kernel columns][in], or, depthwise, [kernel rows][kernel columns][channel]; positions outside an image hold
/// `zero_point`. `bias` has out_channels numbers.
struct fixed_product_weights {
    const std::int8_t* data = nullptr;
    const std::int32_t* bias = nullptr;
    std::int32_t zero_point = 0;
};

/// output[pixel][o] = the code of `fixed_point` for bias[o] + sum((q - zero_point) w), limited to [low, high]; the bias of `numbers` is
/// in the packed weights. Input and output are dense.
/// `packed` is what `pack_fixed_product` wrote for the shape; runs write to a part of it, so one at a time.
struct fixed_product_problem {
    fixed_product_shape shape;
    void* packed = nullptr;
    const fixed_point* numbers = nullptr;
    std::int32_t low = -128;
    std::int32_t high = 127;
    const std::int8_t* input = nullptr;
    std::int8_t* output = nullptr;
};

}  // namespace lpt::inline LPT_ABI::kernel
