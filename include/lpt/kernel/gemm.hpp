// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication.
#pragma once

#include <lpt/kernel/dense.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// Writes `count` pointers, `step` bytes apart, to every `distance`-th place.
template <class Isa>
[[gnu::always_inline]] inline void evenly_spaced(const unsigned char** pointers, std::int64_t distance,
                                                 std::int64_t count, const unsigned char* at,
                                                 std::int64_t step) noexcept {
    // Four at a time: additions one after the other would wait for each other.
    for (; count >= 4; count -= 4, at += 4 * step, pointers += 4 * distance) {
        pointers[0] = at;
        pointers[distance] = at + step;
        pointers[2 * distance] = at + 2 * step;
        pointers[3 * distance] = at + 3 * step;
    }
    for (; count > 0; --count, at += step, pointers += distance)
        *pointers = at;
}

/// Rows of a matrix, or pixels of an image under a 1x1 convolution without padding or stride.
template <class Isa>
struct matrix_rows {
    static constexpr bool copies_rows = false;
    static constexpr bool per_group = false;
    static constexpr bool readable_ends = false;
    static constexpr std::int64_t copied_group = 0;
    static constexpr const unsigned char* outside() noexcept { return nullptr; }
    const unsigned char* data = nullptr;
    std::int64_t row_bytes = 0;
    std::int64_t row_count = 0;

    /// Behind the end of a row lie the rows that follow it.
    std::int64_t readable_rows(std::int64_t over) const noexcept {
        if (row_bytes <= 0) return 0;
        const std::int64_t last = (over + row_bytes - 1) / row_bytes;
        return last < row_count ? row_count - last : 0;
    }

    void rows(std::int64_t first, std::int64_t count, std::int64_t, const unsigned char** pointers) const noexcept {
        evenly_spaced<Isa>(pointers, 1, count, data + first * row_bytes, row_bytes);
    }
};

template <class Isa>
struct gemm {
    template <class Arithmetic>
    static dense_layout<Arithmetic> shape_of(std::int64_t k, std::int64_t n) noexcept {
        dense_layout<Arithmetic> shape;
        shape.columns = n;
        shape.channels = k;
        return shape;
    }

    static std::size_t packed_bytes(element_kind type, std::int64_t k, std::int64_t n) noexcept {
        if (type == element_kind::f32) return static_cast<std::size_t>(shape_of<float_arithmetic<Isa>>(k, n).bytes());
        dense_layout<integer_arithmetic<Isa>> shape = shape_of<integer_arithmetic<Isa>>(k, n);
        shape.four_bits = type == element_kind::i4;
        return static_cast<std::size_t>(shape.bytes());
    }

    template <class Arithmetic>
    static void pack_as(const gemm_weights& weights, void* packed, const parallel_for& parallel) noexcept {
        dense_source from;
        from.data = weights.data;
        from.type = weights.type;
        from.column_stride = weights.n_stride;
        from.channel_stride = weights.k_stride;
        from.zero_points = weights.zero_points;
        from.zero_point_count = weights.zero_point_count;
        dense_layout<Arithmetic> shape = shape_of<Arithmetic>(weights.k, weights.n);
        shape.four_bits = weights.type == element_kind::i4;
        dense<Isa, Arithmetic>::pack(shape, from, packed, parallel);
    }

    static void pack(const gemm_weights& weights, void* packed, const parallel_for& parallel) noexcept {
        if (weights.type == element_kind::f32)
            pack_as<float_arithmetic<Isa>>(weights, packed, parallel);
        else
            pack_as<integer_arithmetic<Isa>>(weights, packed, parallel);
    }

    /// Multiplies rows that need no more than one pointer each; also the core of 1x1 convolutions.
    template <class Arithmetic>
    static void multiply_rows(const typename dense<Isa, Arithmetic>::call& call, const matrix_rows<Isa>& rows,
                              const parallel_for& parallel) noexcept {
        using engine = dense<Isa, Arithmetic>;
        engine::share(
            call, parallel,
            [&](std::int64_t row_begin, std::int64_t row_end, std::int64_t unit_begin, std::int64_t unit_end, int) {
                const unsigned char* pointers[engine::block_tiles * engine::tile_rows];
                engine::run(call, rows, row_begin, row_end, unit_begin, unit_end, pointers);
            });
    }

    template <class Arithmetic>
    static void run_as(const gemm_problem& problem, const parallel_for& parallel) noexcept {
        typename dense<Isa, Arithmetic>::call call;
        call.shape = shape_of<Arithmetic>(problem.k, problem.n);
        call.packed = static_cast<const unsigned char*>(problem.packed_b);
        dense<Isa, Arithmetic>::read_layout(call);
        call.rows = problem.m;
        call.signed_rows = problem.a_type == element_kind::i8;
        call.zero_point = problem.a_zero_point;
        call.finish = &problem.finish;
        call.output = static_cast<unsigned char*>(problem.c);
        call.output_stride = problem.c_row_stride;
        const matrix_rows<Isa> rows{static_cast<const unsigned char*>(problem.a),
                                    problem.a_row_stride * bytes_of(problem.a_type), problem.m};
        multiply_rows<Arithmetic>(call, rows, parallel);
    }

    static void run(const gemm_problem& problem, const parallel_for& parallel) noexcept {
        if (problem.a_type == element_kind::f32)
            run_as<float_arithmetic<Isa>>(problem, parallel);
        else
            run_as<integer_arithmetic<Isa>>(problem, parallel);
    }
};

} // namespace lpt::inline LPT_ABI::kernel
