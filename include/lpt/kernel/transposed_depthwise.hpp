// SPDX-License-Identifier: Apache-2.0
// Transposed depthwise convolutions of f32: one input channel per output channel, vectors run along the channels.
//
// The outputs of a phase (transposed_convolution.hpp) take the same taps; each is a sum over them in the order of the kernel.
#pragma once

#include <lpt/kernel/epilogue.hpp>
#include <lpt/kernel/transposed_convolution.hpp>

#include <cstring>

namespace lpt::inline LPT_ABI::kernel {

/// In memory: weights as [tap][channel], channels padded to whole vectors.
template <class Isa>
struct transposed_depthwise {
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using geometry = convolution_geometry<Isa>;
    using axis_of = transposed_axis<Isa>;
    static constexpr std::int64_t width = simd::width;
    static constexpr std::int64_t least_elements_of_task = 4096;

    static constexpr bool fits(const convolution_shape& s, element_kind type) noexcept {
        return s.transposed && s.groups > 1 && geometry::group_in(s) == 1 && geometry::group_out(s) == 1 &&
               type == element_kind::f32;
    }
    static std::int64_t padded(const convolution_shape& s) noexcept {
        return (s.out_channels + width - 1) / width * width;
    }
    static std::size_t packed_bytes(const convolution_shape& s) noexcept {
        return static_cast<std::size_t>(geometry::taps(s) * padded(s) * 4);
    }
    static void pack(const convolution_shape& s, const convolution_weights& weights, void* packed) noexcept {
        const auto* const from = static_cast<const float*>(weights.data);
        auto* const to = static_cast<float*>(packed);
        for (std::int64_t tap = 0; tap < geometry::taps(s); ++tap) {
            for (std::int64_t c = 0; c < padded(s); ++c)
                to[tap * padded(s) + c] =
                    c < s.out_channels ? from[c * weights.group_stride + tap * weights.tap_stride] : 0;
        }
    }

    static void run(const convolution_problem& p, const parallel_for& parallel) noexcept {
        const convolution_shape& s = p.shape;
        const std::int64_t line = s.out[2] * s.out_channels;
        const std::int64_t grain = line > 0 ? (least_elements_of_task + line - 1) / line : 1;
        split<Isa>(parallel, s.batch * s.out[0] * s.out[1], grain, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i)
                run_line(p, i);
        });
    }

private:
    static constexpr std::int64_t most_taps = 64;  // of a pixel, that are found before its channels

    /// The outputs of a phase, from the one that is `further` of them after the first on, without the taps that lead out of an input of `length`
    /// places.
    static phase_outputs inside(phase_outputs of, std::int64_t length, std::int64_t further) noexcept {
        of.input += further;
        for (; of.taps > 0 && of.input >= length; --of.taps, of.phase += of.tap_step)
            of.input += of.input_step;
        while (of.taps > 0 && of.input + (of.taps - 1) * of.input_step < 0)
            --of.taps;
        return of;
    }
    /// The taps of one output along an axis.
    static phase_outputs taps_of(const convolution_shape& s, int axis, std::int64_t position) noexcept {
        return inside(axis_of::outputs_from(s, axis, position % s.stride[axis]), s.in[axis], position / s.stride[axis]);
    }
    /// What an output pixel sums.
    struct window {
        const convolution_problem& problem;
        std::int64_t image;
        phase_outputs planes, lines, columns;
    };
    /// One tap of a pixel.
    struct tap_of_pixel {
        const float* input;
        const float* weights;
    };

    /// Adds taps to vectors of sums; of the last one `count` channels.
    template <int Vectors>
    [[gnu::always_inline]] static void add_vectors(const tap_of_pixel* taps, std::int64_t number, std::int64_t channel,
                                                   std::int64_t count, float* to) noexcept {
        floats sums[Vectors];
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v)
            sums[v] = simd::load(to + v * width);
        for (std::int64_t t = 0; t < number; ++t) {
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v) {
                const std::int64_t at = channel + v * width;
                const floats x = load_part<Isa>(taps[t].input + at, count);
                sums[v] = simd::fma(x, simd::load(taps[t].weights + at), sums[v]);
            }
        }
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v)
            simd::store(to + v * width, sums[v]);
    }
    static void add_taps(const tap_of_pixel* taps, std::int64_t number, std::int64_t channel, std::int64_t columns,
                         float* to) noexcept {
        std::int64_t c = 0;
        for (; c + 4 * width <= columns; c += 4 * width)
            add_vectors<4>(taps, number, channel + c, width, to + c);
        for (; c < columns; c += width)
            add_vectors<1>(taps, number, channel + c, columns - c, to + c);
    }

    static void run_line(const convolution_problem& p, std::int64_t line) noexcept {
        const convolution_shape& s = p.shape;
        window of{p,
                  line / (s.out[0] * s.out[1]),
                  taps_of(s, 0, line / s.out[1] % s.out[0]),
                  taps_of(s, 1, line % s.out[1]),
                  {}};
        for (std::int64_t first = 0; first < s.stride[2] && first < s.out[2]; ++first) {
            const phase_outputs phase = axis_of::outputs_from(s, 2, first);
            for (std::int64_t j = 0; j < phase.count; ++j) {
                of.columns = inside(phase, s.in[2], j);
                run_pixel(of, line * s.out[2] + first + j * s.stride[2]);
            }
        }
    }
    static void run_pixel(const window& of, std::int64_t row) noexcept {
        const convolution_problem& p = of.problem;
        const std::int64_t bytes = bytes_of(p.finish.output_type);
        const std::int64_t channels = p.shape.out_channels;
        unsigned char* const to = static_cast<unsigned char*>(p.output) + row * p.output_pixel_stride * bytes;
        for (std::int64_t c = 0; c < channels; c += finish_columns) {
            const std::int64_t count = channels - c < finish_columns ? channels - c : finish_columns;
            alignas(64) float sums[finish_columns];
            std::memset(sums, 0, static_cast<std::size_t>((count + width - 1) / width * width * 4));
            sum_window(of, c, count, sums);
            finish<Isa>::row(p.finish, sums, row, c, count, to + c * bytes);
        }
    }

    static void sum_window(const window& of, std::int64_t channel, std::int64_t count, float* sums) noexcept {
        const auto& [p, image, planes, lines, columns] = of;
        const convolution_shape& s = p.shape;
        const auto* const input = static_cast<const float*>(p.input);
        const auto* const weights = static_cast<const float*>(p.packed_weights);
        tap_of_pixel taps[most_taps];
        std::int64_t found = 0;
        for (std::int64_t d = 0; d < planes.taps; ++d) {
            const std::int64_t plane = image * s.in[0] + planes.input + d * planes.input_step;
            for (std::int64_t h = 0; h < lines.taps; ++h) {
                const std::int64_t line = plane * s.in[1] + lines.input + h * lines.input_step;
                const std::int64_t tap =
                    ((planes.phase + d * planes.tap_step) * s.kernel[1] + lines.phase + h * lines.tap_step) *
                    s.kernel[2];
                for (std::int64_t w = 0; w < columns.taps; ++w) {
                    const std::int64_t pixel = line * s.in[2] + columns.input + w * columns.input_step;
                    taps[found++] = {input + pixel * p.input_pixel_stride,
                                     weights + (tap + columns.phase + w * columns.tap_step) * padded(s)};
                    if (found < most_taps) continue;
                    add_taps(taps, found, channel, count, sums);
                    found = 0;
                }
            }
        }
        if (found != 0) add_taps(taps, found, channel, count, sums);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
