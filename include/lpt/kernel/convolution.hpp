// SPDX-License-Identifier: Apache-2.0
// Convolution and transposed convolution of any dimension, with groups: over the dense kernel, or one of those for few channels a group.
#pragma once

#include <lpt/kernel/convolution_rows.hpp>
#include <lpt/kernel/depthwise.hpp>
#include <lpt/kernel/gemm.hpp>
#include <lpt/kernel/grouped.hpp>
#include <lpt/kernel/transposed_depthwise.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// What packs and runs a convolution.
enum class convolution_form : std::uint8_t { transposed_depthwise, depthwise, grouped, floats, integers };

template <class Isa>
struct convolution {
    using geometry = convolution_geometry<Isa>;
    static constexpr std::int64_t alignment = 64;

    static constexpr std::int64_t aligned(std::int64_t bytes) noexcept {
        return (bytes + alignment - 1) / alignment * alignment;
    }

    /// Taps that are one run of channels to the dense kernel.
    static std::int64_t merged_taps(const convolution_shape& s) noexcept {
        switch (geometry::method(s)) {
            case convolution_method::im2col:
            case convolution_method::joined_lines: return geometry::taps(s);
            case convolution_method::merged_lines: return s.kernel[2];
            default: return 1;
        }
    }

    template <class Arithmetic>
    static dense_layout<Arithmetic> dense_shape(const convolution_shape& s) noexcept {
        dense_layout<Arithmetic> shape;
        shape.groups = s.groups;
        shape.columns = geometry::group_out(s);
        shape.taps = geometry::taps(s) / merged_taps(s);
        shape.channels = merged_taps(s) * geometry::group_in(s);
        return shape;
    }

    using grouped = grouped_convolution<Isa>;

    /// `type`: of the weights or the image.
    static constexpr convolution_form form_of(const convolution_shape& s, element_kind type) noexcept {
        if (transposed_depthwise<Isa>::fits(s, type)) return convolution_form::transposed_depthwise;
        if (geometry::method(s) == convolution_method::depthwise) return convolution_form::depthwise;
        if (grouped::has_header(s, type)) return convolution_form::grouped;
        return type == element_kind::f32 ? convolution_form::floats : convolution_form::integers;
    }

    static std::size_t packed_bytes(const convolution_shape& s, element_kind type) noexcept {
        switch (form_of(s, type)) {
            case convolution_form::transposed_depthwise: return transposed_depthwise<Isa>::packed_bytes(s);
            case convolution_form::depthwise: return depthwise<Isa>::packed_bytes(s, type);
            case convolution_form::grouped: return packed_groups(s, type);
            default: return packed_panels(s, type);
        }
    }
    static std::size_t packed_groups(const convolution_shape& s, element_kind type) noexcept {
        const std::size_t panels = grouped::header_bytes + packed_panels(s, type);
        const std::size_t most = static_cast<std::size_t>(grouped::packed_bytes(s));
        return panels < most ? most : panels;
    }
    static std::size_t packed_panels(const convolution_shape& s, element_kind type) noexcept {
        if (has_phases(s)) return packed_phases(s, type);
        if (type == element_kind::f32) return static_cast<std::size_t>(dense_shape<float_arithmetic<Isa>>(s).bytes());
        dense_layout<integer_arithmetic<Isa>> shape = dense_shape<integer_arithmetic<Isa>>(s);
        shape.four_bits = type == element_kind::i4;
        return static_cast<std::size_t>(shape.bytes());
    }

    /// Transposed convolutions are computed phase by phase.
    static bool has_phases(const convolution_shape& s) noexcept {
        return s.transposed && geometry::method(s) == convolution_method::implicit_gemm;
    }
    static std::size_t packed_phases(const convolution_shape& s, element_kind type) noexcept {
        const std::int64_t bytes = type == element_kind::f32
                                       ? transposed_convolution<Isa, float_arithmetic<Isa>>::packed_bytes(s, type)
                                       : transposed_convolution<Isa, integer_arithmetic<Isa>>::packed_bytes(s, type);
        return static_cast<std::size_t>(bytes);
    }

    template <class Arithmetic>
    static void pack_as(const convolution_shape& s, const convolution_weights& weights, void* packed,
                        const parallel_for& parallel) noexcept {
        if (has_phases(s)) return transposed_convolution<Isa, Arithmetic>::pack(s, weights, packed, parallel);
        dense_source from;
        from.data = weights.data;
        from.type = weights.type;
        from.group_stride = weights.group_stride;
        from.column_stride = weights.out_stride;
        from.tap_stride = weights.tap_stride;
        from.channel_stride = weights.in_stride;
        from.zero_points = weights.zero_points;
        from.zero_point_count = weights.zero_point_count;
        if (merged_taps(s) > 1) {
            from.merged_channels = geometry::group_in(s);
            from.merged_taps = merged_taps(s);
        }
        dense_layout<Arithmetic> shape = dense_shape<Arithmetic>(s);
        shape.four_bits = weights.type == element_kind::i4;
        dense<Isa, Arithmetic>::pack(shape, from, packed, parallel);
    }

    static void pack(const convolution_shape& s, const convolution_weights& weights, void* packed,
                     const parallel_for& parallel) noexcept {
        switch (form_of(s, weights.type)) {
            case convolution_form::transposed_depthwise: return transposed_depthwise<Isa>::pack(s, weights, packed);
            case convolution_form::depthwise: return depthwise<Isa>::pack(s, weights, packed);
            case convolution_form::grouped:
                return pack_groups(s, weights, static_cast<unsigned char*>(packed), parallel);
            case convolution_form::floats: return pack_as<float_arithmetic<Isa>>(s, weights, packed, parallel);
            case convolution_form::integers: return pack_as<integer_arithmetic<Isa>>(s, weights, packed, parallel);
        }
    }
    static void pack_groups(const convolution_shape& s, const convolution_weights& weights, unsigned char* packed,
                            const parallel_for& parallel) noexcept {
        if constexpr (grouped::exists) {
            if (grouped::pack(s, weights, packed)) return;
            std::memset(packed, 0, grouped::header_bytes);
            pack_as<integer_arithmetic<Isa>>(s, weights, packed + grouped::header_bytes, parallel);
        }
    }

    // Scratch memory: a row of zero points and the copied image for all, then per task the pointers of a block and its gathered rows.

    static std::int64_t outside_bytes(const convolution_shape& s, element_kind type) noexcept {
        return aligned(s.in_channels * bytes_of(type));
    }
    template <class Arithmetic>
    static std::int64_t pointer_bytes(const convolution_shape& s) noexcept {
        const std::int64_t taps = dense_shape<Arithmetic>(s).taps;
        return aligned(dense<Isa, Arithmetic>::pointer_count(taps) * static_cast<std::int64_t>(sizeof(void*)));
    }
    template <class Arithmetic>
    static std::int64_t joined_row_bytes(const convolution_shape& s) noexcept {
        return (joined_rows<Isa>::distance(s, geometry::group_in(s) * Arithmetic::row_value_bytes) + 15) / 16 * 16;
    }
    template <class Arithmetic>
    static std::int64_t gathered_bytes(const convolution_shape& s, element_kind type) noexcept {
        if (geometry::method(s) == convolution_method::joined_lines)
            return dense<Isa, Arithmetic>::copied_rows * joined_row_bytes<Arithmetic>(s);
        if (geometry::method(s) != convolution_method::im2col) return 0;
        const std::int64_t row = geometry::taps(s) * geometry::group_in(s) * bytes_of(type);
        return dense<Isa, Arithmetic>::copied_rows * aligned(row);
    }
    /// An image that is copied into the form of the dot product: `count` pieces, pixels or padded lines, after one that stands for all
    /// outside. A piece holds group after group.
    struct copied_image {
        std::int64_t group_bytes = 0;  // 0 when the image stays as it is
        std::int64_t piece_bytes = 0;
        std::int64_t count = 0;
        std::int64_t before = 0;  // pixels of padding in a line
        std::int64_t after = 0;

        std::int64_t bytes() const noexcept { return aligned((1 + count) * piece_bytes + (group_bytes > 0 ? 64 : 0)); }
    };

    /// Whether the image is copied as padded lines.
    static bool pads_lines(const convolution_shape& s) noexcept {
        const convolution_method method = geometry::method(s);
        return method == convolution_method::merged_lines || method == convolution_method::joined_lines;
    }

    template <class Arithmetic>
    static copied_image copied(const convolution_shape& s, element_kind type) noexcept {
        using engine = dense<Isa, Arithmetic>;
        copied_image image;
        if (pads_lines(s)) {
            const std::int64_t last =
                (s.out[2] - 1) * s.stride[2] - s.pad_begin[2] + s.kernel[2];  // past the last column
            image.before = s.pad_begin[2];
            image.after = last > s.in[2] ? last - s.in[2] : 0;
            const std::int64_t pixels = image.before + s.in[2] + image.after;
            const std::int64_t line = pixels * geometry::group_in(s) * Arithmetic::row_value_bytes;
            image.group_bytes =
                (line + engine::row_group_bytes + 3) / 4 * 4;  // its last k group is readable as a whole
            image.count = s.batch * s.in[0] * s.in[1];
        } else if (geometry::method(s) == convolution_method::implicit_gemm &&
                   engine::needs_copies(dense_shape<Arithmetic>(s), type == element_kind::i8)) {
            image.group_bytes = engine::copied_bytes(geometry::group_in(s));
            image.count = s.batch * s.in[0] * s.in[1] * s.in[2];
        }
        image.piece_bytes = s.groups * image.group_bytes;
        return image;
    }

    /// `count` values of one sign, in the form that the dot product reads.
    template <class Arithmetic>
    [[gnu::always_inline]] static void copy_values(unsigned char* to, const unsigned char* from, std::int64_t count,
                                                   bool is_signed) noexcept {
        if constexpr (Arithmetic::is_float)
            std::memcpy(to, from, static_cast<std::size_t>(count) * 4);
        else
            Arithmetic::prepare_rows(to, from, count, is_signed);
    }

    /// Pixels [first, first + count) of an image.
    template <class Arithmetic>
    static void copy_pixels(const convolution_shape& s, const copied_image& image, bool is_signed,
                            const unsigned char* from, std::int64_t pixel_bytes, std::int64_t count,
                            unsigned char* to) noexcept {
        const std::int64_t channels = geometry::group_in(s);
        const bool whole_groups = channels % Arithmetic::group == 0;
        if (whole_groups && pixel_bytes == s.in_channels) {
            copy_values<Arithmetic>(to, from, count * s.in_channels, is_signed);
            return;
        }
        for (std::int64_t i = 0; i < count; ++i, from += pixel_bytes, to += image.piece_bytes) {
            const std::int64_t parts = whole_groups ? 1 : s.groups;
            for (std::int64_t g = 0; g < parts; ++g)
                copy_values<Arithmetic>(to + g * image.group_bytes, from + g * channels, s.in_channels / parts,
                                        is_signed);
        }
    }

    /// One padded line, or, without `from`, the line outside. `outside` is a row of zero points.
    template <class Arithmetic>
    static void copy_line(const convolution_shape& s, const copied_image& image, bool is_signed,
                          const unsigned char* from, std::int64_t pixel_bytes, const unsigned char* outside,
                          unsigned char* to) noexcept {
        const std::int64_t channels = geometry::group_in(s);
        const std::int64_t value_bytes = Arithmetic::is_float ? 4 : 1;
        const std::int64_t pixels = image.before + s.in[2] + image.after;
        for (std::int64_t g = 0; g < s.groups; ++g, to += image.group_bytes) {
            unsigned char* at = to;
            const auto copy = [&](const unsigned char* values, std::int64_t count) {
                copy_values<Arithmetic>(at, values, count, is_signed);
                at += count * Arithmetic::row_value_bytes;
            };
            const std::int64_t before = from == nullptr ? pixels : image.before;
            for (std::int64_t i = 0; i < before; ++i)
                copy(outside, channels);
            if (from == nullptr) continue;
            const unsigned char* line = from + g * channels * value_bytes;
            if (pixel_bytes == channels * value_bytes) {
                copy(line, s.in[2] * channels);
            } else {
                for (std::int64_t i = 0; i < s.in[2]; ++i, line += pixel_bytes)
                    copy(line, channels);
            }
            for (std::int64_t i = 0; i < image.after; ++i)
                copy(outside, channels);
        }
    }

    /// Copies the image to scratch memory, piece 0 first.
    template <class Arithmetic>
    static void copy_image(const convolution_problem& problem, const copied_image& image, const unsigned char* outside,
                           unsigned char* to, const parallel_for& parallel) noexcept {
        const convolution_shape& s = problem.shape;
        const bool is_signed = problem.input_type == element_kind::i8;
        const std::int64_t pixel_bytes = problem.input_pixel_stride * bytes_of(problem.input_type);
        const unsigned char* const input = static_cast<const unsigned char*>(problem.input);
        if (!pads_lines(s)) {
            copy_pixels<Arithmetic>(s, image, is_signed, outside, 0, 1, to);
            split<Isa>(parallel, image.count, 16, [&](std::int64_t begin, std::int64_t end, int) {
                copy_pixels<Arithmetic>(s, image, is_signed, input + begin * pixel_bytes, pixel_bytes, end - begin,
                                        to + (1 + begin) * image.piece_bytes);
            });
            return;
        }
        copy_line<Arithmetic>(s, image, is_signed, nullptr, pixel_bytes, outside, to);
        split<Isa>(parallel, image.count, 4, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i)
                copy_line<Arithmetic>(s, image, is_signed, input + i * s.in[2] * pixel_bytes, pixel_bytes, outside,
                                      to + (1 + i) * image.piece_bytes);
        });
    }

    template <class Arithmetic>
    static std::int64_t scratch_as(const convolution_shape& s, element_kind type, int threads) noexcept {
        const std::int64_t task = has_phases(s) ? transposed_convolution<Isa, Arithmetic>::task_bytes(s)
                                                : pointer_bytes<Arithmetic>(s) + gathered_bytes<Arithmetic>(s, type);
        return alignment + outside_bytes(s, type) + copied<Arithmetic>(s, type).bytes() + threads * task;
    }

    static std::size_t scratch_bytes(const convolution_shape& s, element_kind type, int threads) noexcept {
        if (transposed_depthwise<Isa>::fits(s, type)) return 0;
        switch (geometry::method(s)) {
            case convolution_method::gemm: return 0;
            case convolution_method::depthwise: return depthwise<Isa>::scratch_bytes(s, type, threads);
            default: break;
        }
        const std::int64_t bytes = type == element_kind::f32 ? scratch_as<float_arithmetic<Isa>>(s, type, threads)
                                                             : scratch_as<integer_arithmetic<Isa>>(s, type, threads);
        return static_cast<std::size_t>(bytes);
    }

    static convolution_method method(const convolution_shape& s) noexcept { return geometry::method(s); }

    template <class Arithmetic>
    static void run_as(const convolution_problem& problem, const parallel_for& parallel) noexcept {
        using engine = dense<Isa, Arithmetic>;
        const convolution_shape& s = problem.shape;
        const std::int64_t element = bytes_of(problem.input_type);
        typename engine::call call;
        call.shape = dense_shape<Arithmetic>(s);
        call.packed = static_cast<const unsigned char*>(problem.packed_weights);
        if (!has_phases(s)) engine::read_layout(call);
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
        if (method == convolution_method::implicit_gemm && !s.transposed) {
            const typename geometry::columns_outside outside = geometry::outside_columns(s);
            call.lines = {s.out[2], outside.left, outside.right};
        }
        if (method == convolution_method::gemm) {
            gemm<Isa>::template multiply_rows<Arithmetic>(call, matrix_rows<Isa>{input, pixel_bytes, call.rows},
                                                          parallel);
            return;
        }

        unsigned char* const outside = outside_row(problem);
        const copied_image copy = copied<Arithmetic>(s, problem.input_type);
        unsigned char* const image = outside + outside_bytes(s, problem.input_type);
        unsigned char* const tasks = image + copy.bytes();
        if (copy.group_bytes != 0) copy_image<Arithmetic>(problem, copy, outside, image, parallel);
        pixel_image pixels{input, pixel_bytes, outside};
        if (copy.group_bytes != 0) pixels = {image + copy.piece_bytes, copy.piece_bytes, image};
        if (has_phases(s)) {
            transposed_convolution<Isa, Arithmetic>::run(problem, call, pixels, copy.group_bytes, tasks, parallel);
            return;
        }
        const std::int64_t for_pointers = pointer_bytes<Arithmetic>(s);
        const std::int64_t task_bytes = for_pointers + gathered_bytes<Arithmetic>(s, problem.input_type);
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
            } else if (method == convolution_method::joined_lines) {
                joined_rows<Isa> rows;
                rows.shape = &s;
                rows.image = image;
                rows.line_bytes = copy.piece_bytes;
                rows.pixel_bytes = geometry::group_in(s) * Arithmetic::row_value_bytes;
                rows.copied_group = copy.group_bytes;
                rows.row_bytes = joined_row_bytes<Arithmetic>(s);
                rows.buffer = own + for_pointers;
                engine::run(call, rows, row_begin, row_end, unit_begin, unit_end, pointers);
            } else if (method == convolution_method::merged_lines) {
                const std::int64_t pixel = geometry::group_in(s) * Arithmetic::row_value_bytes;
                const line_rows<Isa> rows{&s, image, copy.piece_bytes, pixel, copy.group_bytes};
                engine::run(call, rows, row_begin, row_end, unit_begin, unit_end, pointers);
            } else {
                const pixel_rows<Isa> rows{&s, pixels, copy.group_bytes};
                engine::run(call, rows, row_begin, row_end, unit_begin, unit_end, pointers);
            }
        };
        engine::share(call, parallel, work);
    }

    /// A row of zero points, at the begin of the scratch memory, which matrix products do not have.
    static unsigned char* outside_row(const convolution_problem& problem) noexcept {
        if (geometry::method(problem.shape) == convolution_method::gemm) return nullptr;
        unsigned char* const scratch = static_cast<unsigned char*>(problem.scratch);
        const std::int64_t past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(scratch) % alignment);
        unsigned char* const outside = scratch + (alignment - past) % alignment;
        std::memset(outside, problem.input_zero_point & 0xff,
                    static_cast<std::size_t>(problem.shape.in_channels * bytes_of(problem.input_type)));
        return outside;
    }

    static void run_groups(convolution_problem problem, const parallel_for& parallel) noexcept {
        if constexpr (grouped::exists) {
            if (grouped::is_packed(problem.packed_weights))
                return grouped::run(problem, outside_row(problem), parallel);
            problem.packed_weights = static_cast<const unsigned char*>(problem.packed_weights) + grouped::header_bytes;
            run_as<integer_arithmetic<Isa>>(problem, parallel);
        }
    }

    template <convolution_form Form>
    static void run_form(const convolution_problem& problem, const parallel_for& parallel) noexcept {
        if constexpr (Form == convolution_form::transposed_depthwise)
            transposed_depthwise<Isa>::run(problem, parallel);
        else if constexpr (Form == convolution_form::depthwise)
            depthwise<Isa>::run(problem, parallel);
        else if constexpr (Form == convolution_form::grouped)
            run_groups(problem, parallel);
        else if constexpr (Form == convolution_form::floats)
            run_as<float_arithmetic<Isa>>(problem, parallel);
        else
            run_as<integer_arithmetic<Isa>>(problem, parallel);
    }
    static void run(const convolution_problem& problem, const parallel_for& parallel) noexcept {
        switch (form_of(problem.shape, problem.input_type)) {
            case convolution_form::transposed_depthwise:
                return run_form<convolution_form::transposed_depthwise>(problem, parallel);
            case convolution_form::depthwise: return run_form<convolution_form::depthwise>(problem, parallel);
            case convolution_form::grouped: return run_form<convolution_form::grouped>(problem, parallel);
            case convolution_form::floats: return run_form<convolution_form::floats>(problem, parallel);
            case convolution_form::integers: return run_form<convolution_form::integers>(problem, parallel);
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
