// SPDX-License-Identifier: Apache-2.0
// Transposed convolutions over the dense kernel.
//
// An output pixel takes a tap only if the tap's position is a multiple of the stride. Which taps these are repeats along each axis with the stride,
// so the outputs of such a phase are a convolution of stride 1 with the taps of the phase, whose weights are packed for themselves.
#pragma once

#include <lpt/kernel/convolution_geometry.hpp>
#include <lpt/kernel/gemm.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// Outputs of one phase along an axis: `first`, `first` + stride ... Tap t of output j, that of the kernel at phase + t * tap_step, takes input
/// `input` + j + t * input_step.
struct phase_outputs {
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::int64_t phase = -1;
    std::int64_t taps = 0;
    std::int64_t tap_step = 0;
    std::int64_t input = 0;
    std::int64_t input_step = 0;
};

/// The taps of phases along an axis. A template on the instruction set only to keep one copy per instruction set.
template <class Isa>
struct transposed_axis {
    std::int64_t kernel;
    std::int64_t stride;
    std::int64_t dilation;
    std::int64_t step;  // from tap to tap of a phase

    transposed_axis(const convolution_shape& s, int axis) noexcept
        : kernel(s.kernel[axis]), stride(s.stride[axis]), dilation(s.dilation[axis]) {
        std::int64_t divisor = stride;
        for (std::int64_t rest = dilation % stride; rest != 0;) {
            const std::int64_t next = divisor % rest;
            divisor = rest;
            rest = next;
        }
        step = stride / divisor;
    }
    /// Phases that have taps; the taps of phase p are p, p + step, p + 2 step ...
    std::int64_t phases() const noexcept { return kernel < step ? kernel : step; }
    std::int64_t taps(std::int64_t phase) const noexcept { return (kernel - phase + step - 1) / step; }
    /// Outputs of the phase of output `first` (< stride).
    static phase_outputs outputs_from(const convolution_shape& s, int axis, std::int64_t first) noexcept {
        const transposed_axis a(s, axis);
        phase_outputs result;
        result.first = first;
        result.count = (s.out[axis] - first + a.stride - 1) / a.stride;
        result.phase = a.phase_of(first + s.pad_begin[axis]);
        if (result.phase < 0) return result;
        result.taps = a.taps(result.phase);
        result.tap_step = a.step;
        result.input = (first + s.pad_begin[axis] - result.phase * a.dilation) / a.stride;
        result.input_step = -(a.step * a.dilation / a.stride);
        return result;
    }
    /// The phase of a position of the output in front of which the padding has been put, or -1 if it has no taps.
    std::int64_t phase_of(std::int64_t position) const noexcept {
        const std::int64_t rest = (position % stride + stride) % stride;
        for (std::int64_t phase = 0; phase < phases(); ++phase) {
            if (phase * dilation % stride == rest) return phase;
        }
        return -1;
    }
};

/// Rows of an implicit matrix: the taps of output pixels of a phase that lie side by side.
template <class Isa>
struct phase_rows {
    static constexpr bool copies_rows = false;
    static constexpr bool per_group = false;
    static constexpr bool readable_ends = false;
    const convolution_shape* shape = nullptr;
    pixel_image image;
    std::int64_t copied_group = 0;
    const phase_outputs* axes = nullptr;  // three
    std::int64_t batch = 0;
    std::int64_t plane = 0;  // of the phase
    std::int64_t line = 0;
    std::int64_t base = 0;  // number of the row that is the line's first pixel

    const unsigned char* outside() const noexcept { return image.outside; }
    static constexpr std::int64_t readable_rows(std::int64_t) noexcept { return 0; }

    void rows(std::int64_t first, std::int64_t count, std::int64_t, const unsigned char** pointers) const noexcept {
        const std::int64_t taps = axes[0].taps * axes[1].taps * axes[2].taps;
        const unsigned char** to = pointers;
        for (std::int64_t d = 0; d < axes[0].taps; ++d) {
            const std::int64_t z = axes[0].input + plane + d * axes[0].input_step;
            for (std::int64_t h = 0; h < axes[1].taps; ++h) {
                const std::int64_t y = axes[1].input + line + h * axes[1].input_step;
                const bool inside = z >= 0 && z < shape->in[0] && y >= 0 && y < shape->in[1];
                const std::int64_t at = inside ? ((batch * shape->in[0] + z) * shape->in[1] + y) * shape->in[2] : -1;
                for (std::int64_t w = 0; w < axes[2].taps; ++w, ++to)
                    find(at, axes[2].input + first - base + w * axes[2].input_step, count, taps, to);
            }
        }
    }

private:
    /// One tap of `count` pixels, from column `x` of the input on; `at`: the first pixel of its line, or -1.
    void find(std::int64_t at, std::int64_t x, std::int64_t count, std::int64_t taps,
              const unsigned char** to) const noexcept {
        std::int64_t begin = x < 0 ? -x : 0;
        std::int64_t end = shape->in[2] - x < count ? shape->in[2] - x : count;
        if (at < 0 || begin >= end) begin = end = count;
        for (std::int64_t i = 0; i < begin; ++i)
            to[i * taps] = image.outside;
        if (begin < end)
            evenly_spaced<Isa>(to + begin * taps, taps, end - begin, image.input + (at + x + begin) * image.pixel_bytes,
                               image.pixel_bytes);
        for (std::int64_t i = end; i < count; ++i)
            to[i * taps] = image.outside;
    }
};

template <class Isa, class Arithmetic>
struct transposed_convolution {
    using engine = dense<Isa, Arithmetic>;
    using layout = dense_layout<Arithmetic>;
    using geometry = convolution_geometry<Isa>;
    using axis_of = transposed_axis<Isa>;

    static constexpr std::int64_t aligned(std::int64_t bytes) noexcept { return (bytes + 63) / 64 * 64; }

    static layout layout_of(const convolution_shape& s, std::int64_t taps, bool four_bits) noexcept {
        layout shape;
        shape.groups = s.groups;
        shape.columns = geometry::group_out(s);
        shape.taps = taps;
        shape.channels = geometry::group_in(s);
        shape.four_bits = four_bits;
        return shape;
    }

    /// Calls f(phases of the axes, taps, bytes in front of its packed weights) for each phase with taps; gives all their bytes.
    template <class Function>
    static std::int64_t for_each_phase(const convolution_shape& s, bool four_bits, const Function& f) noexcept {
        const axis_of axes[3] = {{s, 0}, {s, 1}, {s, 2}};
        std::int64_t offset = 0;
        for (std::int64_t d = 0; d < axes[0].phases(); ++d) {
            for (std::int64_t h = 0; h < axes[1].phases(); ++h) {
                for (std::int64_t w = 0; w < axes[2].phases(); ++w) {
                    const std::int64_t phases[3] = {d, h, w};
                    const std::int64_t taps = axes[0].taps(d) * axes[1].taps(h) * axes[2].taps(w);
                    f(phases, taps, offset);
                    offset += aligned(layout_of(s, taps, four_bits).bytes());
                }
            }
        }
        return offset;
    }

    static std::int64_t most_taps(const convolution_shape& s) noexcept {
        return axis_of(s, 0).taps(0) * axis_of(s, 1).taps(0) * axis_of(s, 2).taps(0);
    }

    /// Behind the packed weights there is room for those of a phase, one after the other, from which they are packed.
    static std::int64_t packed_bytes(const convolution_shape& s, element_kind type) noexcept {
        const std::int64_t packed = for_each_phase(s, type == element_kind::i4, [](auto&&...) {});
        const std::int64_t taps = most_taps(s);
        return packed + (taps == 1 ? 0 : s.out_channels * geometry::group_in(s) * taps * bytes_of(type));
    }

    static void pack(const convolution_shape& s, const convolution_weights& weights, void* packed,
                     const parallel_for& parallel) noexcept {
        const bool four_bits = weights.type == element_kind::i4;
        unsigned char* const base = static_cast<unsigned char*>(packed);
        unsigned char* const together = base + for_each_phase(s, four_bits, [](auto&&...) {});
        for_each_phase(s, four_bits, [&](const std::int64_t(&phases)[3], std::int64_t taps, std::int64_t offset) {
            const std::int64_t size = bytes_of(weights.type);
            const std::int64_t tap = (phases[0] * s.kernel[1] + phases[1]) * s.kernel[2] + phases[2];
            dense_source from;
            from.data = static_cast<const unsigned char*>(weights.data) + tap * weights.tap_stride * size;
            from.type = weights.type;
            from.group_stride = weights.group_stride;
            from.column_stride = weights.out_stride;
            from.channel_stride = weights.in_stride;
            from.zero_points = weights.zero_points;
            from.zero_point_count = weights.zero_point_count;
            if (taps > 1) {
                put_together(s, weights, static_cast<const unsigned char*>(from.data), phases, together);
                from.data = together;
                from.tap_stride = 1;
                from.channel_stride = taps;
                from.column_stride = geometry::group_in(s) * taps;
                from.group_stride = geometry::group_out(s) * from.column_stride;
            }
            engine::pack(layout_of(s, taps, four_bits), from, base + offset, parallel);
        });
    }

    static std::int64_t pointer_count(const convolution_shape& s) noexcept {
        std::int64_t most = 0;
        for_each_phase(s, false, [&](const auto&, std::int64_t taps, std::int64_t) {
            const std::int64_t count = engine::pointer_count(taps);
            most = count > most ? count : most;
        });
        return most;
    }
    static std::int64_t pointer_bytes(const convolution_shape& s) noexcept {
        return aligned(pointer_count(s) * static_cast<std::int64_t>(sizeof(void*)));
    }
    /// Scratch memory of a task: pointers, and where there is one channel, a line of numbers and the whole vectors that it comes in.
    static std::int64_t line_bytes(const convolution_shape& s) noexcept { return aligned((s.out[2] + 16) * 4); }
    static std::int64_t task_bytes(const convolution_shape& s) noexcept {
        const std::int64_t vectors = aligned(axis_of::outputs_from(s, 2, 0).count * Arithmetic::lanes * 4);
        return pointer_bytes(s) + (s.out_channels == 1 ? line_bytes(s) + vectors : 0);
    }

    /// `call`: all but the weights. `scratch`: task_bytes for each task.
    static void run(const convolution_problem& problem, const typename engine::call& call, const pixel_image& image,
                    std::int64_t copied_group, unsigned char* scratch, const parallel_for& parallel) noexcept {
        const convolution_shape& s = problem.shape;
        const std::int64_t lines = s.batch * s.out[0] * s.out[1];
        const std::int64_t work = lines * s.out[2] * s.out_channels * geometry::group_in(s) * most_taps(s);
        parallel_for some = parallel;
        if (work / least_products < some.threads) some.threads = static_cast<int>(work / least_products);
        if (some.threads < 1) some.threads = 1;
        const bool joins = joins_pixels(problem);
        const std::int64_t own = task_bytes(s);
        const std::int64_t worth = 1 + lines * (8 * least_products) / (1 + work);
        share_out<Isa>(some, lines, 1, worth, [&](std::int64_t begin, std::int64_t end, int task) {
            phase_call of{problem, call, {}, {}, {}, scratch + task * own, {}};
            of.rows.shape = &s;
            of.rows.image = image;
            of.rows.copied_group = copied_group;
            of.rows.axes = of.axes;
            if (joins)
                run_joined(of, begin, end);
            else
                run_lines(of, begin, end);
        });
    }

private:
    static constexpr int most_posts = 16;  // that are copied
    static constexpr std::int64_t least_products = 262144;  // of a task: some microseconds

    /// One phase of a line of output pixels.
    struct phase_call {
        const convolution_problem& problem;
        typename engine::call call;
        phase_outputs axes[3];
        phase_rows<Isa> rows;
        post_operation posts[most_posts];
        unsigned char* scratch;
        epilogue finish;  // of the call
    };

    /// The weights of a phase as [group][out][in][tap].
    static void put_together(const convolution_shape& s, const convolution_weights& weights, const unsigned char* first,
                             const std::int64_t (&phases)[3], unsigned char* to) noexcept {
        const axis_of axes[3] = {{s, 0}, {s, 1}, {s, 2}};
        const std::int64_t size = bytes_of(weights.type);
        for (std::int64_t channel = 0; channel < s.out_channels; ++channel) {
            const std::int64_t g = channel / geometry::group_out(s);
            const std::int64_t o = channel % geometry::group_out(s);
            for (std::int64_t i = 0; i < geometry::group_in(s); ++i) {
                const std::int64_t at = g * weights.group_stride + o * weights.out_stride + i * weights.in_stride;
                for (std::int64_t d = 0; d < axes[0].taps(phases[0]); ++d) {
                    for (std::int64_t h = 0; h < axes[1].taps(phases[1]); ++h) {
                        for (std::int64_t w = 0; w < axes[2].taps(phases[2]); ++w, to += size) {
                            const std::int64_t tap =
                                (d * axes[0].step * s.kernel[1] + h * axes[1].step) * s.kernel[2] + w * axes[2].step;
                            std::memcpy(to, first + (at + tap * weights.tap_stride) * size,
                                        static_cast<std::size_t>(size));
                        }
                    }
                }
            }
        }
    }

    /// Whether one channel's pixels go through the epilogue side by side, as if they were channels.
    static bool joins_pixels(const convolution_problem& p) noexcept {
        const epilogue& e = p.finish;
        if (p.shape.out_channels != 1 || p.output_pixel_stride != 1 || e.output_type == element_kind::i32 ||
            e.fixed != nullptr || e.post_count > most_posts)
            return false;
        for (int i = 0; i < e.post_count; ++i) {
            if (e.post[i].residual != nullptr && e.post[i].residual_row_stride != 1) return false;
        }
        return true;
    }

    /// The output line `line` of all; sets what phases of it have in common.
    static void find_line(phase_call& of, std::int64_t line) noexcept {
        const convolution_shape& s = of.problem.shape;
        const std::int64_t y = line % s.out[1];
        const std::int64_t z = line / s.out[1] % s.out[0];
        of.axes[0] = axis_of::outputs_from(s, 0, z % s.stride[0]);
        of.axes[1] = axis_of::outputs_from(s, 1, y % s.stride[1]);
        of.rows.batch = line / (s.out[0] * s.out[1]);
        of.rows.plane = z / s.stride[0];
        of.rows.line = y / s.stride[1];
    }

    /// The phases of a line, one after the other: f(), with axes and weights set; without taps, `call.packed` is null.
    template <class Function>
    static void for_each_column_phase(phase_call& of, const Function& f) noexcept {
        const convolution_shape& s = of.problem.shape;
        const unsigned char* const packed = static_cast<const unsigned char*>(of.problem.packed_weights);
        bool four_bits = false;
        if constexpr (!Arithmetic::is_float) {
            dense_header header;
            std::memcpy(&header, packed, sizeof header);
            four_bits = header.four_bits != 0;
        }
        const std::int64_t phases = s.stride[2] < s.out[2] ? s.stride[2] : s.out[2];
        for (std::int64_t first = 0; first < phases; ++first) {
            of.axes[2] = axis_of::outputs_from(s, 2, first);
            of.call.packed = nullptr;
            for_each_phase(s, four_bits, [&](const std::int64_t(&each)[3], std::int64_t taps, std::int64_t offset) {
                if (each[0] != of.axes[0].phase || each[1] != of.axes[1].phase || each[2] != of.axes[2].phase) return;
                of.call.packed = packed + offset;
                of.call.shape = layout_of(s, taps, four_bits);
            });
            of.call.rows = of.axes[2].count;
            f();
        }
    }

    static void multiply(phase_call& of, std::int64_t begin, std::int64_t end) noexcept {
        of.rows.base = begin;
        engine::run(of.call, of.rows, begin, end, 0, of.call.shape.groups * of.call.shape.panels(),
                    reinterpret_cast<const unsigned char**>(of.scratch));
    }

    /// Pixels without taps: the epilogue of zero.
    static void finish_zeros(const epilogue& e, std::int64_t channels, std::int64_t row, unsigned char* to) noexcept {
        if (e.output_type == element_kind::i32) {
            std::memset(to, 0, static_cast<std::size_t>(channels * 4));
            return;
        }
        alignas(64) const float zeros[finish_columns] = {};
        for (std::int64_t c = 0; c < channels; c += finish_columns) {
            const std::int64_t columns = channels - c < finish_columns ? channels - c : finish_columns;
            unsigned char* const at = to + c * bytes_of(e.output_type);
            if (e.fixed != nullptr)
                finish_fixed_zeros(e, c, columns, at);
            else
                finish<Isa>::row(e, zeros, row, c, columns, at);
        }
    }
    static void finish_fixed_zeros(const epilogue& e, std::int64_t channel, std::int64_t columns,
                                   unsigned char* to) noexcept {
        alignas(64) const std::int32_t zeros[finish_columns] = {};
        finish<Isa>::tile(e, zeros, finish_columns, 1, 0, channel, columns, to, columns);
    }

    static void run_lines(phase_call& of, std::int64_t begin, std::int64_t end) noexcept {
        const convolution_problem& p = of.problem;
        const convolution_shape& s = p.shape;
        const std::int64_t element = bytes_of(p.finish.output_type);
        unsigned char* const output = static_cast<unsigned char*>(p.output);
        for (std::int64_t line = begin; line < end; ++line) {
            find_line(of, line);
            for_each_column_phase(of, [&] {
                const std::int64_t first = line * s.out[2] + of.axes[2].first;
                of.finish = p.finish;
                // Rows of residuals are those of the output; without any, all rows are alike.
                const bool by_line = move_residuals(of, first);
                of.call.finish = &of.finish;
                of.call.output = by_line ? output + first * p.output_pixel_stride * element : output;
                of.call.output_stride = p.output_pixel_stride * (by_line ? s.stride[2] : 1);
                const std::int64_t parts = by_line ? 1 : of.axes[2].count;
                for (std::int64_t i = 0; i < parts; ++i) {
                    const std::int64_t row = by_line ? 0 : first + i * s.stride[2];
                    const std::int64_t count = by_line ? of.axes[2].count : 1;
                    if (of.call.packed == nullptr) {
                        for (std::int64_t r = row; r < row + count; ++r)
                            finish_zeros(*of.call.finish, s.out_channels, r,
                                         of.call.output + r * of.call.output_stride * element);
                    } else {
                        multiply(of, row, row + count);
                        if (!by_line) ++of.axes[2].input;
                    }
                }
            });
        }
    }

    /// Lets the epilogue's row 0 be output row `first` and the next ones those of the phase; false if it has too many post operations.
    static bool move_residuals(phase_call& of, std::int64_t first) noexcept {
        epilogue& finish = of.finish;
        bool any = false;
        for (int i = 0; i < finish.post_count; ++i)
            any = any || finish.post[i].residual != nullptr;
        if (!any) return true;
        if (finish.post_count > most_posts) return false;
        for (int i = 0; i < finish.post_count; ++i) {
            post_operation& post = of.posts[i];
            post = finish.post[i];
            if (post.residual == nullptr) continue;
            post.residual = static_cast<const unsigned char*>(post.residual) +
                            first * post.residual_row_stride * bytes_of(post.residual_type);
            post.residual_row_stride *= of.problem.shape.stride[2];
        }
        finish.post = of.posts;
        return true;
    }

    /// One channel: all phases of a line give numbers, and their epilogue takes them side by side.
    static void run_joined(phase_call& of, std::int64_t begin, std::int64_t end) noexcept {
        const convolution_problem& p = of.problem;
        const convolution_shape& s = p.shape;
        const std::int64_t width = s.out[2];
        float* const numbers = reinterpret_cast<float*>(of.scratch + pointer_bytes(s));
        float* const vectors = numbers + line_bytes(s) / 4;
        std::memset(numbers, 0, static_cast<std::size_t>((width + 16) * 4));
        epilogue& sums = of.finish;
        sums = {};
        sums.scale_all = p.finish.scale != nullptr ? *p.finish.scale : p.finish.scale_all;
        sums.bias_all = p.finish.bias != nullptr ? *p.finish.bias : p.finish.bias_all;
        sums.output_type = element_kind::f32;
        epilogue rest = p.finish;
        rest.scale = rest.bias = nullptr;
        rest.scale_all = 1;
        rest.bias_all = -0.0f;
        rest.post = of.posts;
        of.call.finish = &sums;
        for (std::int64_t line = begin; line < end; ++line) {
            find_line(of, line);
            for_each_column_phase(of, [&] {
                float* const to = numbers + of.axes[2].first;
                if (of.call.packed == nullptr) {
                    for (std::int64_t i = 0; i < of.axes[2].count; ++i)
                        finish_zeros(sums, 1, 0, reinterpret_cast<unsigned char*>(to + i * s.stride[2]));
                    return;
                }
                // Packed columns fill a vector, which is stored without looking at single ones.
                of.call.shape.columns = Arithmetic::lanes;
                of.call.output = reinterpret_cast<unsigned char*>(vectors);
                of.call.output_stride = Arithmetic::lanes;
                multiply(of, 0, of.axes[2].count);
                for (std::int64_t i = 0; i < of.axes[2].count; ++i)
                    to[i * s.stride[2]] = vectors[i * Arithmetic::lanes];
            });
            for (int i = 0; i < rest.post_count; ++i) {
                post_operation& post = of.posts[i];
                post = finish<Isa>::of_channel(p.finish.post[i], 0);
                if (post.residual != nullptr)
                    post.residual =
                        static_cast<const unsigned char*>(post.residual) + line * width * bytes_of(post.residual_type);
            }
            const std::int64_t element = bytes_of(rest.output_type);
            unsigned char* const to = static_cast<unsigned char*>(p.output) + line * width * element;
            for (std::int64_t c = 0; c < width; c += finish_columns) {
                const std::int64_t columns = width - c < finish_columns ? width - c : finish_columns;
                finish<Isa>::row(rest, numbers + c, 0, c, columns, to + c * element);
            }
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
