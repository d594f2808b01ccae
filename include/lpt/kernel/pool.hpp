// SPDX-License-Identifier: Apache-2.0
// Max and average pooling.
#pragma once

#include <lpt/kernel/epilogue.hpp>
#include <lpt/kernel/parallel.hpp>
#include <lpt/kernel/pool_bytes.hpp>

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
        const std::int64_t reach = limit - first - 1;
        const std::int64_t taps = (p.dilation[axis] == 1 ? reach : reach / p.dilation[axis]) + 1;  // divisions are slow
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

    /// How many pixels of a window are inside the image.
    static std::int64_t pixels_of(const span (&w)[3]) noexcept {
        return (w[0].end - w[0].begin) * (w[1].end - w[1].begin) * (w[2].end - w[2].begin);
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

    /// Largest element or sum of a window of bytes for `Vectors` vectors of channels from `channel` on, starting from `start`.
    template <bool Signed, bool Max, int Vectors>
    [[gnu::always_inline]] static void combine_vectors(const pool_problem& p, std::int64_t n, const span (&w)[3],
                                                       std::int64_t channel, std::int32_t start,
                                                       std::int32_t* result) noexcept {
        ints x[Vectors];
        for (int v = 0; v < Vectors; ++v)
            x[v] = simd::broadcast_int(start);
        for_each_pixel(p, n, w, [&](const unsigned char* at) {
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v) {
                const ints y = load_bytes<Signed>(at + channel + v * width);
                if constexpr (Max)
                    x[v] = simd::max_int(x[v], y);
                else
                    x[v] = simd::add_int(x[v], y);
            }
        });
        for (int v = 0; v < Vectors; ++v)
            simd::store_int(result + v * width, x[v]);
    }

    /// The same for `columns` elements; `result` has room up to a multiple of the width.
    template <bool Signed, bool Max>
    static void combine_bytes(const pool_problem& p, std::int64_t n, const span (&w)[3], std::int64_t channel,
                              std::int64_t columns, std::int32_t start, std::int32_t* result) noexcept {
        if constexpr (!Max) {
            using sums = byte_sums<Isa, std::conditional_t<Signed, std::int8_t, std::uint8_t>>;
            if (columns >= sums::least_bytes && pixels_of(w) <= sums::most_addends) {
                const unsigned char* at[sums::most_addends];
                std::int64_t count = 0;
                for_each_pixel(p, n, w, [&](const unsigned char* pixel) { at[count++] = pixel + channel; });
                sums::run(at, count, columns, start, result);
                for (std::int64_t rest = columns; rest % width != 0; ++rest)
                    result[rest] = 0;
                return;
            }
        }
        std::int64_t i = 0;
        for (; i + 4 * width <= columns; i += 4 * width)
            combine_vectors<Signed, Max, 4>(p, n, w, channel + i, start, result + i);
        for (; i + width <= columns; i += width)
            combine_vectors<Signed, Max, 1>(p, n, w, channel + i, start, result + i);
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

    /// The same for floats, which `load(pixel, column)` reads.
    template <bool Max, int Vectors, class Load>
    [[gnu::always_inline]] static void combine_float_vectors(const pool_problem& p, std::int64_t n, const span (&w)[3],
                                                             float* result, const Load& load) noexcept {
        floats x[Vectors];
        for (int v = 0; v < Vectors; ++v)
            x[v] = simd::broadcast(Max ? -__builtin_inff() : 0.0f);
        for_each_pixel(p, n, w, [&](const unsigned char* at) __attribute__((always_inline)) {
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v) {
                const floats y = load(at, v * width);
                if constexpr (Max)
                    x[v] = larger(x[v], y);
                else
                    x[v] = simd::add(x[v], y);
            }
        });
        for (int v = 0; v < Vectors; ++v)
            simd::store(result + v * width, x[v]);
    }
    template <bool Max>
    static void combine_floats(const pool_problem& p, std::int64_t n, const span (&w)[3], std::int64_t channel,
                               std::int64_t columns, float* v) noexcept {
        std::int64_t i = 0;
        const auto whole = [&](const unsigned char* at, std::int64_t column) __attribute__((always_inline)) {
            return simd::load(reinterpret_cast<const float*>(at) + channel + i + column);
        };
        for (; i + 4 * width <= columns; i += 4 * width)
            combine_float_vectors<Max, 4>(p, n, w, v + i, whole);
        for (; i + width <= columns; i += width)
            combine_float_vectors<Max, 1>(p, n, w, v + i, whole);
        if (i < columns)
            combine_float_vectors<Max, 1>(p, n, w, v + i, [&](const unsigned char* at, std::int64_t) {
                return finish<Isa>::load_elements(at, element_kind::f32, channel + i, columns - i);
            });
    }

    static void divide(float* v, std::int64_t columns, float divisor) noexcept {
        const floats by = simd::broadcast(divisor);
        for (std::int64_t i = 0; i < columns; i += width)
            simd::store(v + i, simd::divide(simd::load(v + i), by));
    }
    /// The same bits for whole numbers, without divisions, which take ten times as long: the remainder of x * (1 / divisor) is exact, and its share is
    /// added with one rounding (Markstein).
    static void divide_whole(float* v, std::int64_t columns, float divisor) noexcept {
        const floats negative = simd::broadcast(-divisor);
        const floats inverse = simd::broadcast(1.0f / divisor);
        for (std::int64_t i = 0; i < columns; i += width) {
            const floats x = simd::load(v + i);
            const floats near = simd::multiply(x, inverse);
            simd::store(v + i, simd::fma(simd::fma(near, negative, x), inverse, near));
        }
    }

    /// x of `columns` elements from `channel` of a pixel on, into the pixels behind it where these follow; v has room up to a multiple of the width.
    static void values(const pool_problem& p, std::int64_t n, const span (&w)[3], std::int64_t channel,
                       std::int64_t columns, float* v) noexcept {
        const std::int64_t inside = pixels_of(w);
        const std::int64_t padded = w[0].padded * w[1].padded * w[2].padded;
        const bool with_padding = p.kind == pool_kind::average_include_pad;
        if (p.input_type == element_kind::f32) {
            if (p.kind == pool_kind::max)
                combine_floats<true>(p, n, w, channel, columns, v);
            else
                combine_floats<false>(p, n, w, channel, columns, v);
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
        const float divisor = static_cast<float>(count > 0 ? count : 1);
        if (p.input_type == element_kind::f32)
            divide(v, columns, divisor);
        else
            divide_whole(v, columns, divisor);
    }

    /// True where the output is the largest byte itself.
    static bool gives_bytes(const pool_problem& p) noexcept {
        const epilogue& f = p.finish;
        const bool is_signed = p.input_type == element_kind::i8;
        return p.kind == pool_kind::max && p.input_type != element_kind::f32 && f.output_type == p.input_type &&
               f.scale == nullptr && f.bias == nullptr && f.scale_all == 1.0f && f.bias_all == 0.0f &&
               f.post_count == 0 && f.quant_low <= (is_signed ? -128.0f : 0.0f) &&
               f.quant_high >= (is_signed ? 127.0f : 255.0f);
    }

    /// Where the output pixel `r` of all lies.
    struct position {
        std::int64_t n;
        std::int64_t at[3];

        position(const pool_problem& p, std::int64_t r) noexcept {
            for (int axis = 2; axis >= 0; --axis) {
                at[axis] = r % p.out[axis];
                r /= p.out[axis];
            }
            n = r;
        }
        /// Goes `pixels` further, at most to the next line.
        void advance(const pool_problem& p, std::int64_t pixels) noexcept {
            at[2] += pixels;
            for (int axis = 2; axis > 0 && at[axis] == p.out[axis]; --axis) {
                at[axis] = 0;
                ++at[axis - 1];
            }
            if (at[0] == p.out[0]) {
                at[0] = 0;
                ++n;
            }
        }
    };

    static void run(const pool_problem& problem, const parallel_for& parallel) noexcept {
        const std::int64_t rows = problem.batch * problem.out[0] * problem.out[1] * problem.out[2];
        parallel_for some = parallel;
        some.threads = threads_for(problem, rows, parallel.threads);
        if (gives_bytes(problem)) {
            split<Isa>(some, rows, 1, [&](std::int64_t begin, std::int64_t end, int) {
                if (problem.input_type == element_kind::i8)
                    largest_bytes<std::int8_t>(problem, begin, end);
                else
                    largest_bytes<std::uint8_t>(problem, begin, end);
            });
            return;
        }
        if (some.threads > 1 && rows < 4 * some.threads) return run_parts(problem, rows, some);
        const bool join = is_uniform(problem.finish);
        split<Isa>(some, rows, 1, [&](std::int64_t begin, std::int64_t end, int) {
            for_each_run(problem, begin, end, join,
                         [&](std::int64_t r, const position& o, const span(&w)[3], std::int64_t pixels) {
                             run_pixels(problem, o, w, r, 0, pixels * problem.channels);
                         });
        });
    }

    /// With few pixels, threads share channels, too.
    static void run_parts(const pool_problem& problem, std::int64_t rows, const parallel_for& parallel) noexcept {
        const std::int64_t parts = (problem.channels + shared_channels - 1) / shared_channels;
        split<Isa>(parallel, rows * parts, 1, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i) {
                const position o(problem, i / parts);
                const span w[3] = {window(problem, 0, o.at[0]), window(problem, 1, o.at[1]),
                                   window(problem, 2, o.at[2])};
                const std::int64_t first = i % parts * shared_channels;
                const std::int64_t left = problem.channels - first;
                run_pixels(problem, o, w, i / parts, first,
                           left < shared_channels ? problem.channels : first + shared_channels);
            }
        });
    }

    /// True where an epilogue does the same to every element.
    static bool is_uniform(const epilogue& e) noexcept {
        bool uniform = e.scale == nullptr && e.bias == nullptr;
        for (int k = 0; k < e.post_count; ++k)
            uniform = uniform && e.post[k].per_channel_a == nullptr && e.post[k].per_channel_b == nullptr &&
                      e.post[k].residual == nullptr;
        return uniform;
    }

    /// Elements [first, past) from output pixel `r` on, which lies at `o` and has the window w.
    static void run_pixels(const pool_problem& p, const position& o, const span (&w)[3], std::int64_t r,
                           std::int64_t first, std::int64_t past) noexcept {
        alignas(64) float v[finish_columns];
        unsigned char* to =
            static_cast<unsigned char*>(p.output) + r * p.output_pixel_stride * bytes_of(p.finish.output_type);
        for (std::int64_t c = first; c < past; c += finish_columns) {
            const std::int64_t columns = past - c < finish_columns ? past - c : finish_columns;
            values(p, o.n, w, c, columns, v);
            finish<Isa>::row(p.finish, v, r, c, columns, to + c * bytes_of(p.finish.output_type));
        }
    }

    /// Calls f(r, o, w, pixels) for runs of output pixels in [begin, end): pixel r lies at `o` and has the window w; the windows of the others follow,
    /// one pixel further each. Only where pixels may `join` are there more than one in a run.
    template <class Function>
    [[gnu::always_inline]] static void for_each_run(const pool_problem& p, std::int64_t begin, std::int64_t end,
                                                    bool join, const Function& f) noexcept {
        const bool is_dense =
            p.stride[2] == 1 && p.input_pixel_stride == p.channels && p.output_pixel_stride == p.channels;
        position o(p, begin);
        span w[3] = {window(p, 0, o.at[0]), window(p, 1, o.at[1]), {}};
        for (std::int64_t r = begin; r < end;) {
            w[2] = window(p, 2, o.at[2]);
            std::int64_t pixels = 1;
            if (join && is_dense && w[2].begin == 0 && w[2].end == p.kernel[2]) {
                const std::int64_t whole = p.in[2] - (p.kernel[2] - 1) * p.dilation[2] - w[2].first;
                const std::int64_t line = p.out[2] - o.at[2];
                pixels = whole < line ? whole : line;
                pixels = pixels < end - r ? pixels : end - r;
            }
            f(r, o, w, pixels);
            r += pixels;
            o.advance(p, pixels);
            if (o.at[2] == 0) {
                w[0] = window(p, 0, o.at[0]);
                w[1] = window(p, 1, o.at[1]);
            }
        }
    }

    /// Output pixels [begin, end).
    template <class Byte>
    static void largest_bytes(const pool_problem& p, std::int64_t begin, std::int64_t end) noexcept {
        for_each_run(p, begin, end, true,
                     [&](std::int64_t r, const position& o, const span(&w)[3], std::int64_t pixels) {
                         byte_maximum<Isa, Byte>::run(
                             pixels * p.channels, static_cast<unsigned char*>(p.output) + r * p.output_pixel_stride,
                             [&](const auto& take) __attribute__((always_inline)) { for_each_pixel(p, o.n, w, take); });
                     });
    }

private:
    static constexpr std::int64_t shared_channels = 64;
    static constexpr std::int64_t least_elements = 16384;  // of a task: about a microsecond, as a round of threads

    static int threads_for(const pool_problem& p, std::int64_t rows, int threads) noexcept {
        std::int64_t elements = rows * p.channels;
        for (int axis = 0; axis < 3; ++axis)
            elements *= p.kernel[axis] < p.in[axis] ? p.kernel[axis] : p.in[axis];
        const std::int64_t most = elements / least_elements;
        return most < 1 ? 1 : most < threads ? static_cast<int>(most) : threads;
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
