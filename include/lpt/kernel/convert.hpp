// SPDX-License-Identifier: Apache-2.0
// Quantize, dequantize, requantize, with or without a change of layout.
#pragma once

#include <lpt/kernel/binary.hpp>

namespace lpt::kernel {

template <class Isa>
struct convert {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    static constexpr std::int64_t width = simd::width;

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
        for (std::int64_t i = 0; i < part.count; i += width)
            simd::store(v + i, finish<Isa>::load_elements(data, p.input_type, i, part.count - i));
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
    static void run_channels(const convert_problem& p, std::int64_t n, std::int64_t pixel, std::int64_t channel,
                             std::int64_t count) noexcept {
        const element_layout& in = p.input_layout;
        const element_layout& out = p.output_layout;
        const run_of_elements part{count, in.channel_stride, out.channel_stride};
        const std::int64_t from = n * in.batch_stride + pixel * in.pixel_stride + channel * in.channel_stride;
        const std::int64_t to = n * out.batch_stride + pixel * out.pixel_stride + channel * out.channel_stride;
        alignas(64) float v[finish_columns];
        load(p, from, part, v);
        clamp(p.input_low, p.input_low_all, p.input_high, p.input_high_all, channel, count, v);
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

    /// `count` pixels of one channel; the constants of the channel are the same for all, and there are no post operations.
    static void run_pixels(const convert_problem& p, std::int64_t n, std::int64_t channel, std::int64_t pixel,
                           std::int64_t count) noexcept {
        const element_layout& in = p.input_layout;
        const element_layout& out = p.output_layout;
        const run_of_elements part{count, in.pixel_stride, out.pixel_stride};
        const std::int64_t from = n * in.batch_stride + pixel * in.pixel_stride + channel * in.channel_stride;
        const std::int64_t to = n * out.batch_stride + pixel * out.pixel_stride + channel * out.channel_stride;
        epilogue e = p.finish;
        e.scale_all = e.scale != nullptr ? e.scale[channel] : e.scale_all;
        e.bias_all = e.bias != nullptr ? e.bias[channel] : e.bias_all;
        e.scale = nullptr;
        e.bias = nullptr;
        alignas(64) float v[finish_columns];
        load(p, from, part, v);
        clamp(nullptr, p.input_low != nullptr ? p.input_low[channel] : p.input_low_all, nullptr,
              p.input_high != nullptr ? p.input_high[channel] : p.input_high_all, 0, count, v);
        if (part.output_step == 1) {
            finish<Isa>::row(e, v, 0, 0, count, static_cast<unsigned char*>(p.output) + to * bytes_of(e.output_type));
        } else {
            alignas(64) unsigned char packed[finish_columns * 4];
            finish<Isa>::row(e, v, 0, 0, count, packed);
            scatter(p, to, part, packed);
        }
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

    static bool is_dense(const convert_problem& p, const element_layout& l) noexcept {
        return l.channel_stride == 1 && l.pixel_stride == p.channels &&
               (p.batch == 1 || l.batch_stride == p.channels * p.pixels);
    }
    static void run(const convert_problem& problem, const parallel_for& parallel) noexcept {
        if (problem.finish.output_type == element_kind::i32) {
            copy_integers(problem);
            return;
        }
        convert_problem p = problem;
        const bool uniform = p.input_low == nullptr && p.input_high == nullptr && binary<Isa>::is_flat(p.finish);
        if (uniform && is_dense(p, p.input_layout) && is_dense(p, p.output_layout)) {
            p.channels = p.batch * p.pixels * p.channels;
            p.pixels = p.batch = 1;
        }
        // Long runs along the pixels beat short ones along the channels, unless post operations need whole rows.
        const bool planes = p.finish.post_count == 0 && p.pixels > 1 &&
                            (p.input_layout.pixel_stride == 1 || p.output_layout.pixel_stride == 1) &&
                            !(p.input_layout.channel_stride == 1 && p.output_layout.channel_stride == 1);
        const std::int64_t inner = planes ? p.pixels : p.channels;
        const std::int64_t outer = planes ? p.channels : p.pixels;
        const std::int64_t parts = (inner + finish_columns - 1) / finish_columns;
        split<Isa>(parallel, p.batch * outer * parts, 8, [&](std::int64_t begin, std::int64_t end, int) {
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

}  // namespace lpt::kernel
