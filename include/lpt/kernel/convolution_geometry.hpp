// SPDX-License-Identifier: Apache-2.0
// Where the taps of an output pixel lie in the input.
#pragma once

#include <lpt/kernel/isa.hpp>

namespace lpt::kernel {

/// How a convolution is computed.
enum class convolution_method : std::uint8_t { gemm, depthwise, implicit_gemm, im2col };

/// A template on the instruction set only to keep one copy per instruction set.
template <class Isa>
struct convolution_geometry {
    static std::int64_t taps(const convolution_shape& s) noexcept { return s.kernel[0] * s.kernel[1] * s.kernel[2]; }
    static std::int64_t pixels(const convolution_shape& s) noexcept { return s.batch * s.out[0] * s.out[1] * s.out[2]; }
    static std::int64_t group_in(const convolution_shape& s) noexcept { return s.in_channels / s.groups; }
    static std::int64_t group_out(const convolution_shape& s) noexcept { return s.out_channels / s.groups; }

    static bool is_pointwise(const convolution_shape& s) noexcept {
        for (int axis = 0; axis < 3; ++axis) {
            if (s.kernel[axis] != 1 || s.stride[axis] != 1 || s.pad_begin[axis] != 0 || s.in[axis] != s.out[axis])
                return false;
        }
        return true;
    }

    static convolution_method method(const convolution_shape& s) noexcept {
        if (s.groups > 1 && group_in(s) == 1 && group_out(s) == 1 && !s.transposed)
            return convolution_method::depthwise;
        if (is_pointwise(s)) return convolution_method::gemm;
        // With few channels most of a tap would be padding of the 4-byte groups and pointer loads: merge taps and channels.
        if (group_in(s) < 16 && taps(s) > 1 && !s.transposed) return convolution_method::im2col;
        return convolution_method::implicit_gemm;
    }

    /// Input position of output position `o` at tap `k` along an axis, or -1 outside the image.
    [[gnu::always_inline]] static std::int64_t position(const convolution_shape& s, int axis, std::int64_t o,
                                                        std::int64_t k) noexcept {
        if (!s.transposed) {
            const std::int64_t i = o * s.stride[axis] + k * s.dilation[axis] - s.pad_begin[axis];
            return i >= 0 && i < s.in[axis] ? i : -1;
        }
        const std::int64_t scaled = o + s.pad_begin[axis] - k * s.dilation[axis];
        if (scaled < 0 || scaled % s.stride[axis] != 0) return -1;
        const std::int64_t i = scaled / s.stride[axis];
        return i < s.in[axis] ? i : -1;
    }

    /// Calls f(tap, pixel) for every tap of output pixel `row` in order; pixel is the index of the input pixel or -1.
    template <class Function>
    [[gnu::always_inline]] static void for_each_tap(const convolution_shape& s, std::int64_t row,
                                                    const Function& f) noexcept {
        std::int64_t rest = row;
        const std::int64_t ow = rest % s.out[2];
        rest /= s.out[2];
        const std::int64_t oh = rest % s.out[1];
        rest /= s.out[1];
        const std::int64_t od = rest % s.out[0];
        const std::int64_t n = rest / s.out[0];
        std::int64_t tap = 0;
        for (std::int64_t kd = 0; kd < s.kernel[0]; ++kd) {
            const std::int64_t id = position(s, 0, od, kd);
            for (std::int64_t kh = 0; kh < s.kernel[1]; ++kh) {
                const std::int64_t ih = position(s, 1, oh, kh);
                const std::int64_t line = id < 0 || ih < 0 ? -1 : ((n * s.in[0] + id) * s.in[1] + ih) * s.in[2];
                for (std::int64_t kw = 0; kw < s.kernel[2]; ++kw, ++tap) {
                    const std::int64_t iw = position(s, 2, ow, kw);
                    f(tap, line < 0 || iw < 0 ? -1 : line + iw);
                }
            }
        }
    }
};

}  // namespace lpt::kernel
