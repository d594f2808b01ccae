// SPDX-License-Identifier: Apache-2.0
// Max and average pooling.
#pragma once

#include <lpt/kernel/epilogue.hpp>
#include <lpt/kernel/parallel.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// Vectors run along the channels; the window's elements are taken in order d, h, w.
template <class Isa>
struct pool {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using ints = typename simd::ints;
    static constexpr std::int64_t width = simd::width;

    /// The window of an output position along one axis: taps [begin, end) are inside the image.
    struct span {
        std::int64_t first = 0;  // input position of tap 0
        std::int64_t begin = 0;
        std::int64_t end = 0;
        std::int64_t padded = 0; // taps inside the padded image
    };

    /// How many taps of a window whose first lies at `first` lie before `limit`: computed, as a window may be any size.
    static std::int64_t taps_before(const pool_problem& p, int axis, std::int64_t first, std::int64_t limit) noexcept {
        if (first >= limit) return 0;
        const std::int64_t taps = (limit - first - 1) / p.dilation[axis] + 1;
        return taps < p.kernel[axis] ? taps : p.kernel[axis];
    }
    static span window(const pool_problem& p, int axis, std::int64_t o) noexcept {
        span w;
        w.first = o * p.stride[axis] - p.pad_begin[axis];
        w.begin = taps_before(p, axis, w.first, 0);
        w.end = taps_before(p, axis, w.first, p.in[axis]);
        w.padded = taps_before(p, axis, w.first, p.in[axis] + p.pad_end[axis]);
        return w;
    }

    /// Calls f(address of the pixel's channel 0) for each pixel of a window.
    template <class Function>
    [[gnu::always_inline]] static void for_each_pixel(const pool_problem& p, std::int64_t n, const span (&w)[3],
                                                      const Function& f) noexcept {
        const unsigned char* input = static_cast<const unsigned char*>(p.input);
        const std::int64_t pixel_bytes = p.input_pixel_stride * bytes_of(p.input_type);
        for (std::int64_t kd = w[0].begin; kd < w[0].end; ++kd) {
            const std::int64_t plane = (n * p.in[0] + w[0].first + kd * p.dilation[0]) * p.in[1];
            for (std::int64_t kh = w[1].begin; kh < w[1].end; ++kh) {
                const std::int64_t line = (plane + w[1].first + kh * p.dilation[1]) * p.in[2];
                for (std::int64_t kw = w[2].begin; kw < w[2].end; ++kw)
                    f(input + (line + w[2].first + kw * p.dilation[2]) * pixel_bytes);
            }
        }
    }

    [[gnu::always_inline]] static floats larger(floats a, floats b) noexcept {
        return simd::select(simd::less(a, b), b, a);
    }

    template <bool Signed>
    [[gnu::always_inline]] static ints load_bytes(const unsigned char* from) noexcept {
        if constexpr (Signed)
            return simd::load_i8(reinterpret_cast<const std::int8_t*>(from));
        else
            return simd::load_u8(from);
    }

    /// Largest element or sum of a window of bytes, starting from `start`, for `columns` channels.
    template <bool Signed, bool Max>
    static void combine_bytes(const pool_problem& p, std::int64_t n, const span (&w)[3], std::int64_t channel,
                              std::int64_t columns, std::int32_t start, std::int32_t* result) noexcept {
        std::int64_t i = 0;
        for (; i + width <= columns; i += width) {
            ints x = simd::broadcast_int(start);
            for_each_pixel(p, n, w, [&](const unsigned char* at) {
                const ints y = load_bytes<Signed>(at + channel + i);
                if constexpr (Max)
                    x = simd::max_int(x, y);
                else
                    x = simd::add_int(x, y);
            });
            simd::store_int(result + i, x);
        }
        if (i < columns) {
            ints x = simd::broadcast_int(start);
            for_each_pixel(p, n, w, [&](const unsigned char* at) {
                const ints y = finish<Isa>::load_bytes(at, p.input_type, channel + i, columns - i);
                if constexpr (Max)
                    x = simd::max_int(x, y);
                else
                    x = simd::add_int(x, y);
            });
            simd::store_int(result + i, x);
        }
    }

    static void combine_floats(const pool_problem& p, std::int64_t n, const span (&w)[3], std::int64_t channel,
                               std::int64_t columns, float* v) noexcept {
        const bool is_max = p.kind == pool_kind::max;
        for (std::int64_t i = 0; i < columns; i += width) {
            floats x = simd::broadcast(is_max ? -__builtin_inff() : 0.0f);
            for_each_pixel(p, n, w, [&](const unsigned char* at) {
                const floats y = finish<Isa>::load_elements(at, element_kind::f32, channel + i, columns - i);
                x = is_max ? larger(x, y) : simd::add(x, y);
            });
            simd::store(v + i, x);
        }
    }

    /// x of `columns` channels from `channel` on; v has room up to a multiple of the width.
    static void values(const pool_problem& p, std::int64_t n, const span (&w)[3], std::int64_t channel,
                       std::int64_t columns, float* v) noexcept {
        const std::int64_t inside = (w[0].end - w[0].begin) * (w[1].end - w[1].begin) * (w[2].end - w[2].begin);
        const std::int64_t padded = w[0].padded * w[1].padded * w[2].padded;
        const bool with_padding = p.kind == pool_kind::average_include_pad;
        if (p.input_type == element_kind::f32) {
            combine_floats(p, n, w, channel, columns, v);
        } else {
            const bool is_signed = p.input_type == element_kind::i8;
            alignas(64) std::int32_t x[finish_columns];
            if (p.kind == pool_kind::max) {
                if (is_signed)
                    combine_bytes<true, true>(p, n, w, channel, columns, -128, x);
                else
                    combine_bytes<false, true>(p, n, w, channel, columns, 0, x);
            } else {
                const std::int32_t start = with_padding && padded > inside
                                               ? static_cast<std::int32_t>(padded - inside) * p.input_zero_point
                                               : 0;
                if (is_signed)
                    combine_bytes<true, false>(p, n, w, channel, columns, start, x);
                else
                    combine_bytes<false, false>(p, n, w, channel, columns, start, x);
            }
            for (std::int64_t i = 0; i < columns; i += width)
                simd::store(v + i, simd::to_float(simd::load_int(x + i)));
        }
        if (p.kind == pool_kind::max) return;
        const std::int64_t count = with_padding ? padded : inside;
        const floats divisor = simd::broadcast(static_cast<float>(count > 0 ? count : 1));
        for (std::int64_t i = 0; i < columns; i += width)
            simd::store(v + i, simd::divide(simd::load(v + i), divisor));
    }

    static void run(const pool_problem& problem, const parallel_for& parallel) noexcept {
        const std::int64_t rows = problem.batch * problem.out[0] * problem.out[1] * problem.out[2];
        split<Isa>(parallel, rows, 1, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t r = begin; r < end; ++r)
                run_row(problem, r);
        });
    }

    static void run_row(const pool_problem& p, std::int64_t r) noexcept {
        alignas(64) float v[finish_columns];
        std::int64_t rest = r;
        const std::int64_t ow = rest % p.out[2];
        rest /= p.out[2];
        const std::int64_t oh = rest % p.out[1];
        rest /= p.out[1];
        const std::int64_t od = rest % p.out[0];
        const std::int64_t n = rest / p.out[0];
        const span w[3] = {window(p, 0, od), window(p, 1, oh), window(p, 2, ow)};
        unsigned char* to =
            static_cast<unsigned char*>(p.output) + r * p.output_pixel_stride * bytes_of(p.finish.output_type);
        for (std::int64_t c = 0; c < p.channels; c += finish_columns) {
            const std::int64_t columns = p.channels - c < finish_columns ? p.channels - c : finish_columns;
            values(p, n, w, c, columns, v);
            finish<Isa>::row(p.finish, v, r, c, columns, to + c * bytes_of(p.finish.output_type));
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
