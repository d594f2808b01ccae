// SPDX-License-Identifier: Apache-2.0
// Convolution and transposed convolution of any dimension, with groups, over the dense kernel.
#pragma once

#include <lpt/kernel/convolution_geometry.hpp>
#include <lpt/kernel/depthwise.hpp>
#include <lpt/kernel/gemm.hpp>

namespace lpt::kernel {

/// Pixels of an image, and a row of zero points that stands for all pixels outside.
struct pixel_image {
    const unsigned char* input = nullptr;
    std::int64_t pixel_bytes = 0;
    const unsigned char* outside = nullptr;
};

/// Rows of an implicit matrix: one pointer per tap, to the input pixel or to a row of zero points.
template <class Isa>
struct pixel_rows {
    static constexpr bool per_group = false;
    static constexpr bool readable_ends = false;
    const convolution_shape* shape = nullptr;
    pixel_image raw;
    pixel_image image;  // the same, or copied into the form that the dot product reads
    std::int64_t copied_group = 0;

    void row(std::int64_t index, std::int64_t, std::int64_t, const unsigned char** pointers) const noexcept {
        find(image, index, pointers);
    }
    void raw_row(std::int64_t index, const unsigned char** pointers) const noexcept { find(raw, index, pointers); }

private:
    void find(const pixel_image& from, std::int64_t index, const unsigned char** pointers) const noexcept {
        convolution_geometry<Isa>::for_each_tap(*shape, index, [&](std::int64_t tap, std::int64_t pixel) {
            pointers[tap] = pixel < 0 ? from.outside : from.input + pixel * from.pixel_bytes;
        });
    }
};

/// Rows that are copied together from their taps, for few channels.
template <class Isa>
struct gathered_rows {
    static constexpr bool per_group = true;
    static constexpr bool readable_ends = true;
    static constexpr std::int64_t copied_group = 0;
    const convolution_shape* shape = nullptr;
    const unsigned char* input = nullptr;
    std::int64_t pixel_bytes = 0;
    std::int64_t tap_bytes = 0; // channels of a group
    int fill = 0;
    std::int64_t row_bytes = 0;
    unsigned char* buffer = nullptr;

    void row(std::int64_t index, std::int64_t place, std::int64_t group,
             const unsigned char** pointers) const noexcept {
        unsigned char* to = buffer + place * row_bytes;
        *pointers = to;
        const unsigned char* from = input + group * tap_bytes;
        const std::int64_t width = shape->kernel[2];
        const std::int64_t step = shape->dilation[2] * pixel_bytes;
        const auto copy_line = [&](std::int64_t, std::int64_t begin, std::int64_t end, std::int64_t pixel) {
            for (std::int64_t i = 0; i < begin * tap_bytes; ++i)
                to[i] = static_cast<unsigned char>(fill);
            const unsigned char* at = from + pixel * pixel_bytes;
            if (step == tap_bytes) {
                copy(to + begin * tap_bytes, at, (end - begin) * tap_bytes);
            } else {
                for (std::int64_t kw = begin; kw < end; ++kw, at += step)
                    copy(to + kw * tap_bytes, at, tap_bytes);
            }
            for (std::int64_t i = end * tap_bytes; i < width * tap_bytes; ++i)
                to[i] = static_cast<unsigned char>(fill);
            to += width * tap_bytes;
        };
        convolution_geometry<Isa>::for_each_line(*shape, index, copy_line);
    }
    void raw_row(std::int64_t, const unsigned char**) const noexcept {}

    /// Copies a few bytes; a call of memcpy would cost more than they do. Blocks of 8 bytes, the last one overlapping.
    [[gnu::always_inline]] static void copy(unsigned char* to, const unsigned char* from, std::int64_t count) noexcept {
        if (count >= 8) {
            for (std::int64_t i = 0; i + 8 <= count; i += 8)
                std::memcpy(to + i, from + i, 8);
            std::memcpy(to + count - 8, from + count - 8, 8);
        } else if (count >= 4) {
            std::memcpy(to, from, 4);
            std::memcpy(to + count - 4, from + count - 4, 4);
        } else {
            for (std::int64_t i = 0; i < count; ++i)
                to[i] = from[i];
        }
    }
};

template <class Isa>
struct convolution {
    using geometry = convolution_geometry<Isa>;
    static constexpr std::int64_t alignment = 64;

    static constexpr std::int64_t aligned(std::int64_t bytes) noexcept {
        return (bytes + alignment - 1) / alignment * alignment;
    }

    template <class Arithmetic>
    static dense_layout<Arithmetic> dense_shape(const convolution_shape& s) noexcept {
        dense_layout<Arithmetic> shape;
        shape.groups = s.groups;
        shape.columns = geometry::group_out(s);
        const bool merged = geometry::method(s) == convolution_method::im2col;
        shape.taps = merged ? 1 : geometry::taps(s);
        shape.channels = merged ? geometry::taps(s) * geometry::group_in(s) : geometry::group_in(s);
        return shape;
    }

    static std::size_t packed_bytes(const convolution_shape& s, element_kind type) noexcept {
        if (geometry::method(s) == convolution_method::depthwise) return depthwise<Isa>::packed_bytes(s, type);
        const std::int64_t bytes = type == element_kind::f32 ? dense_shape<float_arithmetic<Isa>>(s).bytes()
                                                             : dense_shape<integer_arithmetic<Isa>>(s).bytes();
        return static_cast<std::size_t>(bytes);
    }

    template <class Arithmetic>
    static void pack_as(const convolution_shape& s, const convolution_weights& weights, void* packed) noexcept {
        dense_source from;
        from.data = weights.data;
        from.type = weights.type;
        from.group_stride = weights.group_stride;
        from.column_stride = weights.out_stride;
        from.tap_stride = weights.tap_stride;
        from.channel_stride = weights.in_stride;
        from.zero_points = weights.zero_points;
        from.zero_point_count = weights.zero_point_count;
        if (geometry::method(s) == convolution_method::im2col) {
            from.merged_channels = geometry::group_in(s);
        }
        dense<Isa, Arithmetic>::pack(dense_shape<Arithmetic>(s), from, packed);
    }

    static void pack(const convolution_shape& s, const convolution_weights& weights, void* packed) noexcept {
        if (geometry::method(s) == convolution_method::depthwise)
            depthwise<Isa>::pack(s, weights, packed);
        else if (weights.type == element_kind::f32)
            pack_as<float_arithmetic<Isa>>(s, weights, packed);
        else
            pack_as<integer_arithmetic<Isa>>(s, weights, packed);
    }

    // Scratch memory: a row of zero points and the copied image for all, the copied row of zero points in front of it; then per task
    // the pointers of a block, then the gathered rows of a block.

    static std::int64_t outside_bytes(const convolution_shape& s, element_kind type) noexcept {
        return aligned(s.in_channels * bytes_of(type));
    }
    template <class Arithmetic>
    static std::int64_t pointer_bytes(const convolution_shape& s) noexcept {
        const std::int64_t taps = dense_shape<Arithmetic>(s).taps;
        return aligned(dense<Isa, Arithmetic>::block_rows(taps) * taps * static_cast<std::int64_t>(sizeof(void*)));
    }
    template <class Arithmetic>
    static std::int64_t gathered_bytes(const convolution_shape& s, element_kind type) noexcept {
        if (geometry::method(s) != convolution_method::im2col) return 0;
        const std::int64_t row = geometry::taps(s) * geometry::group_in(s) * bytes_of(type);
        return dense<Isa, Arithmetic>::block_rows(1) * aligned(row);
    }
    /// Bytes from pixel to pixel of an image that is copied into the form of the dot product, or 0 when it stays as it is.
    template <class Arithmetic>
    static std::int64_t copied_pixel_bytes(const convolution_shape& s, element_kind type) noexcept {
        using engine = dense<Isa, Arithmetic>;
        if (geometry::method(s) != convolution_method::implicit_gemm) return 0;
        if (!engine::needs_copies(dense_shape<Arithmetic>(s), type == element_kind::i8)) return 0;
        return s.groups * engine::copied_bytes(geometry::group_in(s));
    }
    template <class Arithmetic>
    static std::int64_t copied_image_bytes(const convolution_shape& s, element_kind type) noexcept {
        return aligned((1 + input_pixels(s)) * copied_pixel_bytes<Arithmetic>(s, type) + 64);
    }
    static std::int64_t input_pixels(const convolution_shape& s) noexcept {
        return s.batch * s.in[0] * s.in[1] * s.in[2];
    }

    /// Copies pixels into the form of the dot product.
    template <class Arithmetic>
    static void copy_pixels(const convolution_shape& s, bool signed_input, const unsigned char* from,
                            std::int64_t pixel_bytes, std::int64_t count, unsigned char* to) noexcept {
        if constexpr (!Arithmetic::is_float) {
            const std::int64_t channels = geometry::group_in(s);
            const std::int64_t group_bytes = dense<Isa, Arithmetic>::copied_bytes(channels);
            const bool dense_groups = channels % Arithmetic::group == 0;
            if (dense_groups && pixel_bytes == s.in_channels) {
                Arithmetic::prepare_rows(to, from, count * s.in_channels, signed_input);
                return;
            }
            for (std::int64_t i = 0; i < count; ++i, from += pixel_bytes) {
                if (dense_groups) {
                    Arithmetic::prepare_rows(to, from, s.in_channels, signed_input);
                    to += s.groups * group_bytes;
                    continue;
                }
                for (std::int64_t g = 0; g < s.groups; ++g, to += group_bytes)
                    Arithmetic::prepare_rows(to, from + g * channels, channels, signed_input);
            }
        }
    }

    template <class Arithmetic>
    static std::int64_t scratch_as(const convolution_shape& s, element_kind type, int threads) noexcept {
        return alignment + outside_bytes(s, type) + copied_image_bytes<Arithmetic>(s, type) +
               threads * (pointer_bytes<Arithmetic>(s) + gathered_bytes<Arithmetic>(s, type));
    }

    static std::size_t scratch_bytes(const convolution_shape& s, element_kind type, int threads) noexcept {
        switch (geometry::method(s)) {
            case convolution_method::gemm: return 0;
            case convolution_method::depthwise: return depthwise<Isa>::scratch_bytes(s, type, threads);
            default: break;
        }
        const std::int64_t bytes = type == element_kind::f32 ? scratch_as<float_arithmetic<Isa>>(s, type, threads)
                                                             : scratch_as<integer_arithmetic<Isa>>(s, type, threads);
        return static_cast<std::size_t>(bytes);
    }

    static const char* algorithm(const convolution_shape& s) noexcept {
        switch (geometry::method(s)) {
            case convolution_method::gemm: return "gemm";
            case convolution_method::depthwise: return "depthwise";
            case convolution_method::implicit_gemm: return "implicit_gemm";
            case convolution_method::im2col: return "im2col";
        }
        return "";
    }

    template <class Arithmetic>
    static void run_as(const convolution_problem& problem, const parallel_for& parallel) noexcept {
        using engine = dense<Isa, Arithmetic>;
        const convolution_shape& s = problem.shape;
        const std::int64_t element = bytes_of(problem.input_type);
        typename engine::call call;
        call.shape = dense_shape<Arithmetic>(s);
        call.packed = static_cast<const unsigned char*>(problem.packed_weights);
        call.rows = geometry::pixels(s);
        call.signed_rows = problem.input_type == element_kind::i8;
        call.zero_point = problem.input_zero_point;
        call.group_row_bytes = geometry::group_in(s) * element;
        call.finish = &problem.finish;
        call.output = static_cast<unsigned char*>(problem.output);
        call.output_stride = problem.output_pixel_stride;
        const unsigned char* input = static_cast<const unsigned char*>(problem.input);
        const std::int64_t pixel_bytes = problem.input_pixel_stride * element;
        const convolution_method method = geometry::method(s);
        if (method == convolution_method::gemm) {
            gemm<Isa>::template multiply_rows<Arithmetic>(call, matrix_rows<Isa>{input, pixel_bytes}, parallel);
            return;
        }

        unsigned char* scratch = static_cast<unsigned char*>(problem.scratch);
        scratch +=
            (alignment - static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(scratch) % alignment)) % alignment;
        unsigned char* const outside = scratch;
        std::memset(outside, problem.input_zero_point & 0xff, static_cast<std::size_t>(s.in_channels * element));
        unsigned char* const copied = scratch + outside_bytes(s, problem.input_type);
        unsigned char* const tasks = copied + copied_image_bytes<Arithmetic>(s, problem.input_type);
        const pixel_image raw{input, pixel_bytes, outside};
        pixel_image image = raw;
        const std::int64_t copied_pixel = copied_pixel_bytes<Arithmetic>(s, problem.input_type);
        if (copied_pixel != 0) {
            image = {copied + copied_pixel, copied_pixel, copied};
            copy_pixels<Arithmetic>(s, call.signed_rows, outside, 0, 1, copied);
            split<Isa>(parallel, input_pixels(s), 16, [&](std::int64_t begin, std::int64_t end, int) {
                copy_pixels<Arithmetic>(s, call.signed_rows, input + begin * pixel_bytes, pixel_bytes, end - begin,
                                        copied + (1 + begin) * copied_pixel);
            });
        }
        const std::int64_t for_pointers = pointer_bytes<Arithmetic>(s);
        const std::int64_t task_bytes = for_pointers + gathered_bytes<Arithmetic>(s, problem.input_type);
        const std::int64_t units = call.shape.groups * call.shape.panels();
        const auto work = [&](std::int64_t row_begin, std::int64_t row_end, std::int64_t unit_begin,
                              std::int64_t unit_end, int task) {
            unsigned char* const own = tasks + task * task_bytes;
            const unsigned char** const pointers = reinterpret_cast<const unsigned char**>(own);
            if (method == convolution_method::im2col) {
                gathered_rows<Isa> rows;
                rows.shape = &s;
                rows.input = input;
                rows.pixel_bytes = pixel_bytes;
                rows.tap_bytes = geometry::group_in(s) * element;
                rows.fill = problem.input_zero_point & 0xff;
                rows.row_bytes = aligned(geometry::taps(s) * rows.tap_bytes);
                rows.buffer = own + for_pointers;
                engine::run(call, rows, row_begin, row_end, unit_begin, unit_end, pointers);
            } else {
                const pixel_rows<Isa> rows{&s, raw, image, copied_pixel / s.groups};
                engine::run(call, rows, row_begin, row_end, unit_begin, unit_end, pointers);
            }
        };
        if (engine::splits_rows(call, parallel)) {
            split<Isa>(parallel, call.rows, engine::tile_rows,
                       [&](std::int64_t begin, std::int64_t end, int task) { work(begin, end, 0, units, task); });
        } else {
            split<Isa>(parallel, units, 1,
                       [&](std::int64_t begin, std::int64_t end, int task) { work(0, call.rows, begin, end, task); });
        }
    }

    static void run(const convolution_problem& problem, const parallel_for& parallel) noexcept {
        if (geometry::method(problem.shape) == convolution_method::depthwise)
            depthwise<Isa>::run(problem, parallel);
        else if (problem.input_type == element_kind::f32)
            run_as<float_arithmetic<Isa>>(problem, parallel);
        else
            run_as<integer_arithmetic<Isa>>(problem, parallel);
    }
};

}  // namespace lpt::kernel
