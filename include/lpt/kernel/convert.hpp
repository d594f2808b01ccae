// SPDX-License-Identifier: Apache-2.0
// Quantize, dequantize, requantize. Layouts may differ, but a step of its own that changes them (transpose.hpp) is faster, and what plans have.
#pragma once

#include <lpt/kernel/convert_lines.hpp>
#include <lpt/kernel/parallel.hpp>

#include <cstdint>
#include <cstring>

namespace lpt::inline LPT_ABI::kernel {

template <class Isa>
struct convert {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using lines = convert_lines<Isa>;
    static constexpr std::int64_t width = simd::width;

    /// A conversion whose elements may be whole steps: round_half_even(fma(x, factor[c], summand[c]) / divisor[c]) takes the place of x
    /// where it `divides`. A quotient of two numbers is known to the last bit, so ties stay ties.
    struct counted_problem : convert_problem {
        bool divides = false;
        const float* factor = nullptr;
        float factor_all = 1;
        const float* summand = nullptr;
        float summand_all = -0.0f;
        const float* divisor = nullptr;
        float divisor_all = 1;
    };

    /// The same problem with post operations that divide, round and add taken for what is done to x.
    static counted_problem counted(const convert_problem& problem) noexcept {
        counted_problem p;
        static_cast<convert_problem&>(p) = problem;
        epilogue& e = p.finish;
        const post_operation* const post = e.post;
        if (p.input_type != element_kind::f32 || e.output_type == element_kind::f32 || e.post_count < 2 ||
            post[0].kind != post_kind::divide || post[1].kind != post_kind::unary ||
            post[1].function != unary_function::round_even)
            return p;
        p.divides = true;
        p.factor = e.scale;
        p.factor_all = e.scale_all;
        p.summand = e.bias;
        p.summand_all = e.bias_all;
        e.scale = e.bias = nullptr;
        e.scale_all = 1;
        e.bias_all = -0.0f;
        p.divisor = post[0].per_channel_a;
        p.divisor_all = post[0].alpha;
        int taken = 2;
        if (e.post_count > 2 && post[2].kind == post_kind::scale_shift && post[2].per_channel_a == nullptr &&
            post[2].alpha == 1) {
            e.bias = post[2].per_channel_b;
            e.bias_all = post[2].beta;
            taken = 3;
        }
        e.post += taken;
        e.post_count -= taken;
        return p;
    }

    /// Whether all that follows a shift is a scaling: (q - zero point) * scale.
    static bool is_centred(const epilogue& e) noexcept {
        const post_operation* const post = e.post;
        return e.scale_all == 1 && e.post_count == 1 && post->kind == post_kind::scale_shift && post->beta == 0 &&
               __builtin_signbit(post->beta);
    }

    /// From so many bytes on, read and written, the output leaves the caches before anybody reads it: it goes past them, which saves
    /// reading it before it is overwritten.
    static constexpr std::int64_t streamed_bytes = std::int64_t{1} << 27;

    /// Whether what is rounded fits in 32 bits, where it is not clamped before.
    static bool rounds_directly(const convert_problem& p) noexcept {
        const epilogue& e = p.finish;
        if (p.input_type == element_kind::f32 || e.output_type == element_kind::f32) return true;
        const float most = p.input_type == element_kind::i32 ? 0.25f : 1048576.0f;
        return __builtin_fabsf(e.scale_all) <= most && __builtin_fabsf(e.bias_all) <= 536870912.0f;
    }

    /// All of a problem that is one line; false if there is no kernel for it.
    static bool run_line(const counted_problem& p, const parallel_for& parallel) noexcept {
        if constexpr (width == 1) {
            return false;
        } else {
            constexpr std::int64_t step = 4 * width;
            const epilogue& e = p.finish;
            const bool bounded = p.input_low_all != -__builtin_inff() || p.input_high_all != __builtin_inff();
            const bool centred = !p.divides && is_centred(e);
            using arithmetic = typename lines::arithmetic;
            const arithmetic by = p.divides ? arithmetic::counted : centred ? arithmetic::centred : arithmetic::scaled;
            const typename lines::line_function function =
                e.post_count == 0 || centred ? lines::find_line(p.input_type, e.output_type, bounded, by) : nullptr;
            if (function == nullptr || !rounds_directly(p)) return false;
            const std::int64_t from_bytes = bytes_of(p.input_type);
            const std::int64_t to_bytes = bytes_of(e.output_type);
            typename lines::line all;
            all.input = static_cast<const unsigned char*>(p.input);
            all.output = static_cast<unsigned char*>(p.output);
            all.scale = centred ? e.post->alpha : e.scale_all;
            all.bias = e.bias_all;
            all.factor = p.factor_all;
            all.summand = p.summand_all;
            all.divisor = p.divisor_all;
            all.low = p.input_low_all;
            all.high = p.input_high_all;
            all.quant_low = e.quant_low;
            all.quant_high = e.quant_high;
            // Elements in front of the first aligned one, where streaming needs it.
            std::int64_t head = 0;
            const bool streams =
                simd::stream_alignment > 16 && p.channels * (from_bytes + to_bytes) >= streamed_bytes &&
                reinterpret_cast<std::uintptr_t>(all.output) % static_cast<std::uintptr_t>(to_bytes) == 0;
            if (streams) {
                const auto past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(all.output) %
                                                            static_cast<std::uintptr_t>(simd::stream_alignment));
                head = past == 0 ? 0 : (simd::stream_alignment - past) / to_bytes;
                run_channels(p, 0, 0, 0, head);
            }
            const std::int64_t whole = (p.channels - head) / step * step;
            share_out<Isa>(parallel, whole, 64 * step, [&](std::int64_t begin, std::int64_t end, int) {
                typename lines::line part = all;
                part.input += (head + begin) * from_bytes;
                part.output += (head + begin) * to_bytes;
                const bool reads_most = streams && from_bytes > to_bytes;
                const std::int64_t done =
                    reads_most ? lines::stream_pages(function, part, from_bytes, to_bytes, end - begin) : 0;
                part.input += done * from_bytes;
                part.output += done * to_bytes;
                function(part, end - begin - done, streams);
                if (streams) simd::end_stream();
            });
            const std::int64_t done = head + whole;
            if (done < p.channels) run_channels(p, 0, 0, done, p.channels - done);
            return true;
        }
    }

    /// One run of elements whose positions differ by a constant: channels of a pixel, or pixels of a channel plane.
    struct run_of_elements {
        std::int64_t count = 0;
        std::int64_t input_step = 1;
        std::int64_t output_step = 1;
    };

    static void load(const convert_problem& p, std::int64_t at, const run_of_elements& part, float* v) noexcept {
        const std::int64_t size = bytes_of(p.input_type);
        const unsigned char* data = static_cast<const unsigned char*>(p.input) + at * size;
        alignas(64) unsigned char gathered[finish_columns * 4];
        if (part.input_step != 1) {
            for (std::int64_t i = 0; i < part.count; ++i) {
                if (size == 1)
                    gathered[i] = data[i * part.input_step];
                else
                    std::memcpy(gathered + i * 4, data + i * part.input_step * 4, 4);
            }
            data = gathered;
        }
        std::int64_t i = 0;
        if (p.input_type == element_kind::f32) {
            for (; i + width <= part.count; i += width)
                simd::store(v + i, simd::load(reinterpret_cast<const float*>(data) + i));
        }
        for (; i < part.count; i += width)
            simd::store(v + i, finish<Isa>::load_elements(data, p.input_type, i, part.count - i));
    }

    /// Whether inputs have limits.
    static bool is_limited(const convert_problem& p) noexcept {
        return p.input_low != nullptr || p.input_high != nullptr || p.input_low_all != -__builtin_inff() ||
               p.input_high_all != __builtin_inff();
    }
    static void clamp(const float* low, float low_all, const float* high, float high_all, std::int64_t channel,
                      std::int64_t columns, float* v) noexcept {
        if (low == nullptr && high == nullptr && low_all == -__builtin_inff() && high_all == __builtin_inff()) return;
        for (std::int64_t i = 0; i < columns; i += width) {
            const floats a = finish<Isa>::load_or(low, low_all, channel + i, columns - i);
            const floats b = finish<Isa>::load_or(high, high_all, channel + i, columns - i);
            simd::store(v + i, simd::at_most(simd::at_least(simd::load(v + i), a), b));
        }
    }

    /// Channels of a pixel.
    static void count_steps(const counted_problem& p, std::int64_t channel, std::int64_t columns, float* v) noexcept {
        if (!p.divides) return;
        for (std::int64_t i = 0; i < columns; i += width) {
            const auto number = [&](const float* array, float all) __attribute__((always_inline)) {
                return finish<Isa>::load_or(array, all, channel + i, columns - i);
            };
            simd::store(v + i, lines::whole_steps(simd::load(v + i), number(p.factor, p.factor_all),
                                                  number(p.summand, p.summand_all), number(p.divisor, p.divisor_all)));
        }
    }
    /// Pixels of a channel.
    static void count_steps_of(const counted_problem& p, std::int64_t channel, std::int64_t count, float* v) noexcept {
        if (!p.divides) return;
        const auto number = [channel](const float* array, float all) __attribute__((always_inline)) {
            return simd::broadcast(array != nullptr ? array[channel] : all);
        };
        const floats factor = number(p.factor, p.factor_all);
        const floats summand = number(p.summand, p.summand_all);
        const floats divisor = number(p.divisor, p.divisor_all);
        for (std::int64_t i = 0; i < count; i += width)
            simd::store(v + i, lines::whole_steps(simd::load(v + i), factor, summand, divisor));
    }

    static void scatter(const convert_problem& p, std::int64_t at, const run_of_elements& part,
                        const unsigned char* from) noexcept {
        const std::int64_t size = bytes_of(p.finish.output_type);
        unsigned char* to = static_cast<unsigned char*>(p.output) + at * size;
        for (std::int64_t i = 0; i < part.count; ++i) {
            if (size == 1)
                to[i * part.output_step] = from[i];
            else
                std::memcpy(to + i * part.output_step * 4, from + i * 4, 4);
        }
    }

    /// A row of the epilogue: `count` (<= finish_columns) channels of one pixel.
    static void run_channels(const counted_problem& p, std::int64_t n, std::int64_t pixel, std::int64_t channel,
                             std::int64_t count) noexcept {
        const element_layout& in = p.input_layout;
        const element_layout& out = p.output_layout;
        const run_of_elements part{count, in.channel_stride, out.channel_stride};
        const std::int64_t from = n * in.batch_stride + pixel * in.pixel_stride + channel * in.channel_stride;
        const std::int64_t to = n * out.batch_stride + pixel * out.pixel_stride + channel * out.channel_stride;
        alignas(64) float copy[finish_columns];
        const float* v = copy;
        if (p.input_type == element_kind::f32 && part.input_step == 1 && count % width == 0 && !is_limited(p) &&
            !p.divides) {
            v = static_cast<const float*>(p.input) + from;
        } else {
            load(p, from, part, copy);
            clamp(p.input_low, p.input_low_all, p.input_high, p.input_high_all, channel, count, copy);
            count_steps(p, channel, count, copy);
        }
        unsigned char* direct = static_cast<unsigned char*>(p.output) + to * bytes_of(p.finish.output_type);
        const std::int64_t row = n * p.pixels + pixel;
        if (part.output_step == 1) {
            finish<Isa>::row(p.finish, v, row, channel, count, direct);
        } else {
            alignas(64) unsigned char packed[finish_columns * 4];
            finish<Isa>::row(p.finish, v, row, channel, count, packed);
            scatter(p, to, part, packed);
        }
    }

    static constexpr int most_posts = 8;  // of a channel of pixels

    /// Whether an epilogue can go along the pixels of a channel: its numbers are those of the channel.
    static bool follows_pixels(const epilogue& e) noexcept {
        bool result = e.post_count <= most_posts;
        for (int k = 0; k < e.post_count; ++k)
            result = result && e.post[k].residual == nullptr;
        return result;
    }
    /// The numbers of one channel as numbers of all; `post` gets its post operations.
    static epilogue of_channel(const epilogue& e, std::int64_t channel, post_operation* post) noexcept {
        epilogue result = e;
        if (e.scale != nullptr) result.scale_all = e.scale[channel];
        if (e.bias != nullptr) result.bias_all = e.bias[channel];
        result.scale = result.bias = nullptr;
        for (int k = 0; k < e.post_count; ++k)
            post[k] = finish<Isa>::of_channel(e.post[k], channel);
        result.post = post;
        return result;
    }

    /// `count` pixels of one channel, side by side in the output; the constants of the channel are the same for all.
    static void run_pixels(const counted_problem& p, std::int64_t n, std::int64_t channel, std::int64_t pixel,
                           std::int64_t count) noexcept {
        const element_layout& in = p.input_layout;
        const element_layout& out = p.output_layout;
        const run_of_elements part{count, in.pixel_stride, 1};
        post_operation post[most_posts];
        const epilogue e = of_channel(p.finish, channel, post);
        alignas(64) float v[finish_columns];
        load(p, n * in.batch_stride + pixel * in.pixel_stride + channel * in.channel_stride, part, v);
        clamp(nullptr, p.input_low != nullptr ? p.input_low[channel] : p.input_low_all, nullptr,
              p.input_high != nullptr ? p.input_high[channel] : p.input_high_all, 0, count, v);
        count_steps_of(p, channel, count, v);
        const std::int64_t to = n * out.batch_stride + pixel * out.pixel_stride + channel * out.channel_stride;
        finish<Isa>::row(e, v, 0, 0, count,
                         static_cast<unsigned char*>(p.output) + to * bytes_of(p.finish.output_type));
    }

    static void copy_integers(const convert_problem& p) noexcept {
        const element_layout& in = p.input_layout;
        const element_layout& out = p.output_layout;
        for (std::int64_t n = 0; n < p.batch; ++n) {
            for (std::int64_t i = 0; i < p.pixels; ++i) {
                for (std::int64_t c = 0; c < p.channels; ++c) {
                    const std::int64_t from = n * in.batch_stride + i * in.pixel_stride + c * in.channel_stride;
                    const std::int64_t to = n * out.batch_stride + i * out.pixel_stride + c * out.channel_stride;
                    std::memcpy(static_cast<unsigned char*>(p.output) + to * 4,
                                static_cast<const unsigned char*>(p.input) + from * 4, 4);
                }
            }
        }
    }

    /// Whether both sides have their elements side by side, in the same order.
    static bool is_one_line(const convert_problem& p) noexcept {
        const auto is_dense = [&](const element_layout& l, bool planes) {
            const std::int64_t pixel = planes ? 1 : p.channels;
            const std::int64_t channel = planes ? p.pixels : 1;
            return (p.channels == 1 || l.channel_stride == channel) && (p.pixels == 1 || l.pixel_stride == pixel) &&
                   (p.batch == 1 || l.batch_stride == p.channels * p.pixels);
        };
        return (is_dense(p.input_layout, false) && is_dense(p.output_layout, false)) ||
               (is_dense(p.input_layout, true) && is_dense(p.output_layout, true));
    }
    static void run(const convert_problem& problem, const parallel_for& parallel) noexcept {
        if (problem.finish.output_type == element_kind::i32) {
            copy_integers(problem);
            return;
        }
        counted_problem p = counted(problem);
        const bool one_step = p.factor == nullptr && p.summand == nullptr && p.divisor == nullptr;
        const bool uniform =
            one_step && p.input_low == nullptr && p.input_high == nullptr && binary<Isa>::is_flat(p.finish);
        if (uniform && is_one_line(p)) {
            p.channels = p.batch * p.pixels * p.channels;
            p.pixels = p.batch = 1;
            p.input_layout.channel_stride = p.output_layout.channel_stride = 1;
            if (run_line(p, parallel)) return;
        }
        // Long runs along the pixels beat short ones along the channels, unless a residual lies along these.
        const bool to_planes = p.output_layout.pixel_stride == 1 && p.output_layout.channel_stride != 1;
        const bool planes = p.pixels > 1 && to_planes && follows_pixels(p.finish);
        const std::int64_t inner = planes ? p.pixels : p.channels;
        const std::int64_t outer = planes ? p.channels : p.pixels;
        const std::int64_t parts = (inner + finish_columns - 1) / finish_columns;
        share_out<Isa>(parallel, p.batch * outer * parts, 8, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t first = i % parts * finish_columns;
                const std::int64_t count = inner - first < finish_columns ? inner - first : finish_columns;
                const std::int64_t o = i / parts % outer;
                const std::int64_t n = i / parts / outer;
                if (planes)
                    run_pixels(p, n, o, first, count);
                else
                    run_channels(p, n, o, first, count);
            }
        });
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
