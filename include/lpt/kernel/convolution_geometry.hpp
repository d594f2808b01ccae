// SPDX-License-Identifier: Apache-2.0
// Where the taps of an output pixel lie in the input.
#pragma once

#include <lpt/kernel/isa.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// Pixels of an image, and a row of zero points that stands for all pixels outside.
struct pixel_image {
    const unsigned char* input = nullptr;
    std::int64_t pixel_bytes = 0;
    const unsigned char* outside = nullptr;
};

/// A template on the instruction set only to keep one copy per instruction set.
template <class Isa>
struct convolution_geometry {
    static constexpr std::int64_t taps(const convolution_shape& s) noexcept {
        return s.kernel[0] * s.kernel[1] * s.kernel[2];
    }
    static std::int64_t pixels(const convolution_shape& s) noexcept { return s.batch * s.out[0] * s.out[1] * s.out[2]; }
    static constexpr std::int64_t group_in(const convolution_shape& s) noexcept { return s.in_channels / s.groups; }
    static constexpr std::int64_t group_out(const convolution_shape& s) noexcept { return s.out_channels / s.groups; }

    static constexpr bool is_pointwise(const convolution_shape& s) noexcept {
        for (int axis = 0; axis < 3; ++axis) {
            if (s.kernel[axis] != 1 || s.stride[axis] != 1 || s.pad_begin[axis] != 0 || s.in[axis] != s.out[axis])
                return false;
        }
        return true;
    }

    static constexpr convolution_method method(const convolution_shape& s) noexcept {
        if (s.groups > 1 && group_in(s) == 1 && group_out(s) == 1 && !s.transposed)
            return convolution_method::depthwise;
        if (is_pointwise(s)) return convolution_method::gemm;
        // With few channels most of a tap would be padding of the 4-byte groups and pointer loads: merge taps and channels. Lines of
        // 16 channels gain by having fewer pointers (6 %), wider ones lose more by the copy of the image.
        const bool is_narrow = group_in(s) < 16 || (group_in(s) == 16 && s.groups == 1 && s.dilation[2] == 1);
        if (is_narrow && taps(s) > 1 && !s.transposed) {
            if (s.dilation[2] != 1) return convolution_method::im2col;
            return joins_lines(s) ? convolution_method::joined_lines : convolution_method::merged_lines;
        }
        return convolution_method::implicit_gemm;
    }

    /// Whether lines are so short that filling each of them up to whole groups of 4 bytes costs more than copying them together.
    static constexpr bool joins_lines(const convolution_shape& s) noexcept {
        const std::int64_t lines = s.kernel[0] * s.kernel[1];
        const std::int64_t line = s.kernel[2] * group_in(s);
        const std::int64_t apart = lines * ((line + 3) / 4);
        const std::int64_t joined = (lines * line + 3) / 4;
        return s.groups == 1 && line <= 16 && joined * 100 <= apart * 85;
    }

    /// Whether tap `k` of a transposed convolution leads to output position `o` along an axis, and from which input position; -1: none
    /// that there is.
    struct origin {
        bool leads;
        std::int64_t input;
    };
    static origin origin_of(const convolution_shape& s, int axis, std::int64_t o, std::int64_t k) noexcept {
        const std::int64_t scaled = o + s.pad_begin[axis] - k * s.dilation[axis];
        if (scaled % s.stride[axis] != 0) return {false, -1};
        const std::int64_t i = scaled / s.stride[axis];
        return {true, i >= 0 && i < s.in[axis] ? i : -1};
    }

    /// Where a window starts along an axis and which of its taps [begin, end) are inside the image (forward convolution).
    struct span {
        std::int64_t first;
        std::int64_t begin;
        std::int64_t end;
    };

    [[gnu::always_inline]] static span window(const convolution_shape& s, int axis, std::int64_t o) noexcept {
        const std::int64_t dilation = s.dilation[axis];
        span w{o * s.stride[axis] - s.pad_begin[axis], 0, s.kernel[axis]};
        if (w.first < 0) w.begin = (-w.first + dilation - 1) / dilation;
        if (w.first + (w.end - 1) * dilation >= s.in[axis]) {
            w.end = w.first < s.in[axis] ? (s.in[axis] - w.first + dilation - 1) / dilation : 0;
        }
        if (w.begin > w.end) w.begin = w.end;
        return w;
    }

    /// How many output pixels at both ends of a line have taps outside the image (forward convolution); they may be the same ones.
    struct columns_outside {
        std::int64_t left;
        std::int64_t right;
    };
    static columns_outside outside_columns(const convolution_shape& s) noexcept {
        const std::int64_t stride = s.stride[2];
        const std::int64_t reach =
            (s.kernel[2] - 1) * s.dilation[2] - s.pad_begin[2];  // from a scaled position to its last tap
        const std::int64_t left = (s.pad_begin[2] + stride - 1) / stride;
        const std::int64_t inside =
            s.in[2] > reach ? (s.in[2] - reach - 1) / stride + 1 : 0;  // pixels whose last tap is
        return {left < s.out[2] ? left : s.out[2], inside < s.out[2] ? s.out[2] - inside : 0};
    }

    struct coordinates {
        std::int64_t n;
        std::int64_t at[3];
    };

    [[gnu::always_inline]] static coordinates locate(const convolution_shape& s, std::int64_t row) noexcept {
        coordinates c{};
        c.at[2] = row % s.out[2];
        row /= s.out[2];
        c.at[1] = row % s.out[1];
        row /= s.out[1];
        c.at[0] = row % s.out[0];
        c.n = row / s.out[0];
        return c;
    }

    /// The part of one line of taps that lies inside the image: taps [line * kernel width + begin, ... + end), whose input pixels
    /// start at `pixel` and are dilation[2] apart. Calls f(line, begin, end, pixel) for each line of taps of output pixel `row`
    /// in order; begin == end when the whole line is outside. Forward convolution only.
    template <class Function>
    [[gnu::always_inline]] static void for_each_line(const convolution_shape& s, std::int64_t row,
                                                     const Function& f) noexcept {
        const coordinates c = locate(s, row);
        const span d = window(s, 0, c.at[0]);
        const span h = window(s, 1, c.at[1]);
        const span w = window(s, 2, c.at[2]);
        std::int64_t line = 0;
        for (std::int64_t kd = 0; kd < s.kernel[0]; ++kd) {
            const bool plane_inside = kd >= d.begin && kd < d.end;
            const std::int64_t plane = (c.n * s.in[0] + d.first + kd * s.dilation[0]) * s.in[1];
            for (std::int64_t kh = 0; kh < s.kernel[1]; ++kh, ++line) {
                if (!plane_inside || kh < h.begin || kh >= h.end) {
                    f(line, std::int64_t{0}, std::int64_t{0}, std::int64_t{0});
                    continue;
                }
                const std::int64_t start = (plane + h.first + kh * s.dilation[1]) * s.in[2] + w.first;
                f(line, w.begin, w.end, start + w.begin * s.dilation[2]);
            }
        }
    }

    /// Cuts output pixels [first, first + count) into parts of one line each; calls f(coordinates of the first, its place, count).
    template <class Function>
    [[gnu::always_inline]] static void for_each_part(const convolution_shape& s, std::int64_t first, std::int64_t count,
                                                     const Function& f) noexcept {
        for (std::int64_t done = 0; done < count;) {
            const coordinates c = locate(s, first + done);
            const std::int64_t left = count - done;
            const std::int64_t part = s.out[2] - c.at[2] < left ? s.out[2] - c.at[2] : left;
            f(c, done, part);
            done += part;
        }
    }

    /// Calls f(line, input line) for each line of taps of the output pixels in a line, in order; the index of the input line counts
    /// those of all planes and images and is -1 outside. Forward convolution only.
    template <class Function>
    [[gnu::always_inline]] static void for_each_input_line(const convolution_shape& s, const coordinates& c,
                                                           const Function& f) noexcept {
        const span d = window(s, 0, c.at[0]);
        const span h = window(s, 1, c.at[1]);
        std::int64_t line = 0;
        for (std::int64_t kd = 0; kd < s.kernel[0]; ++kd) {
            const bool inside = kd >= d.begin && kd < d.end;
            const std::int64_t plane = (c.n * s.in[0] + d.first + kd * s.dilation[0]) * s.in[1];
            for (std::int64_t kh = 0; kh < s.kernel[1]; ++kh, ++line)
                f(line, inside && kh >= h.begin && kh < h.end ? plane + h.first + kh * s.dilation[1] : -1);
        }
    }

    /// Calls f(tap, pixel) for every tap of output pixel `row` in order, in a transposed convolution for those that lead to it; pixel is the
    /// index of the input pixel or -1.
    template <class Function>
    [[gnu::always_inline]] static void for_each_tap(const convolution_shape& s, std::int64_t row,
                                                    const Function& f) noexcept {
        if (!s.transposed) {
            for_each_line(s, row, [&](std::int64_t line, std::int64_t begin, std::int64_t end, std::int64_t pixel) {
                const std::int64_t tap = line * s.kernel[2];
                std::int64_t kw = 0;
                for (; kw < begin; ++kw)
                    f(tap + kw, std::int64_t{-1});
                for (; kw < end; ++kw, pixel += s.dilation[2])
                    f(tap + kw, pixel);
                for (; kw < s.kernel[2]; ++kw)
                    f(tap + kw, std::int64_t{-1});
            });
            return;
        }
        const coordinates c = locate(s, row);
        std::int64_t tap = 0;
        for (std::int64_t kd = 0; kd < s.kernel[0]; ++kd) {
            const origin d = origin_of(s, 0, c.at[0], kd);
            for (std::int64_t kh = 0; kh < s.kernel[1]; ++kh) {
                const origin h = origin_of(s, 1, c.at[1], kh);
                const bool inside = d.input >= 0 && h.input >= 0;
                const std::int64_t line = ((c.n * s.in[0] + d.input) * s.in[1] + h.input) * s.in[2];
                for (std::int64_t kw = 0; kw < s.kernel[2]; ++kw, ++tap) {
                    const origin w = origin_of(s, 2, c.at[2], kw);
                    if (d.leads && h.leads && w.leads) f(tap, inside && w.input >= 0 ? line + w.input : -1);
                }
            }
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
