// SPDX-License-Identifier: Apache-2.0
// Swapping the two inner axes: the change between planes and channel-innermost layouts.
#pragma once

#include <lpt/kernel/few_lines.hpp>
#include <lpt/kernel/interleave.hpp>
#include <lpt/kernel/parallel.hpp>

#include <cstring>
#include <utility>

namespace lpt::inline LPT_ABI::kernel {

/// Squares of elements as rows of 16 bytes each, in the compiler's vectors: every processor has such moves.
template <class Isa, class Element>
struct transposed_square {
    using row [[gnu::vector_size(16)]] = Element;
    static constexpr int size = 16 / static_cast<int>(sizeof(Element));

    /// Rows i and i + size / 2 are interleaved; after as many rounds as the size has bits, rows are columns.
    [[gnu::always_inline]] static void run(const Element* from, std::int64_t from_stride, Element* to,
                                           std::int64_t to_stride) noexcept {
        using indices = std::make_integer_sequence<int, size>;
        row rows[size];
#pragma GCC unroll 16
        for (int i = 0; i < size; ++i)
            std::memcpy(&rows[i], from + i * from_stride, sizeof(row));
#pragma GCC unroll 4
        for (int round = 1; round < size; round *= 2) {
            row mixed[size];
#pragma GCC unroll 8
            for (int i = 0; i < size / 2; ++i) {
                mixed[2 * i] = interleave<Isa, false>(rows[i], rows[i + size / 2], indices());
                mixed[2 * i + 1] = interleave<Isa, true>(rows[i], rows[i + size / 2], indices());
            }
#pragma GCC unroll 16
            for (int i = 0; i < size; ++i)
                rows[i] = mixed[i];
        }
#pragma GCC unroll 16
        for (int i = 0; i < size; ++i)
            std::memcpy(to + i * to_stride, &rows[i], sizeof(row));
    }
};

template <class Isa>
struct transpose {
    static constexpr std::int64_t block = 32;  // a block of 32 x 32 elements of both matrices fits in the L1 cache

    static constexpr std::int64_t few_part = 2048;  // lines of two to four elements that are worth a task

    /// A part of a matrix, whose lines are `from_stride` apart, to lines that are `to_stride` apart.
    template <class Element>
    static void run_part(const Element* from, std::int64_t from_stride, Element* to, std::int64_t to_stride,
                         std::int64_t rows, std::int64_t columns) noexcept {
        using square = transposed_square<Isa, Element>;
        std::int64_t c = 0;
        for (; c + square::size <= columns; c += square::size) {
            std::int64_t r = 0;
            for (; r + square::size <= rows; r += square::size)
                square::run(from + r * from_stride + c, from_stride, to + c * to_stride + r, to_stride);
            if (r < rows)
                run_elements(from + r * from_stride + c, from_stride, to + c * to_stride + r, to_stride, rows - r,
                             square::size);
        }
        if (c < columns) run_elements(from + c, from_stride, to + c * to_stride, to_stride, rows, columns - c);
    }
    template <class Element>
    static void run_elements(const Element* from, std::int64_t from_stride, Element* to, std::int64_t to_stride,
                             std::int64_t rows, std::int64_t columns) noexcept {
        for (std::int64_t c = 0; c < columns; ++c) {
            for (std::int64_t r = 0; r < rows; ++r)
                std::memcpy(to + c * to_stride + r, from + r * from_stride + c, sizeof(Element));
        }
    }

    template <class Element>
    static const Element* input_of(const transpose_problem& p, std::int64_t matrix) noexcept {
        return static_cast<const Element*>(p.input) + p.input_rows.begin(matrix * p.rows, p.columns);
    }
    template <class Element>
    static Element* output_of(const transpose_problem& p, std::int64_t matrix) noexcept {
        return static_cast<Element*>(p.output) + p.output_rows.begin(matrix * p.columns, p.rows);
    }

    /// Whether the matrix whose rows are the short ones, input or output, has no gaps.
    static bool has_dense_columns(const transpose_problem& p) noexcept {
        return p.rows <= p.columns ? p.output_rows.step(p.rows) == p.rows : p.input_rows.step(p.columns) == p.columns;
    }
    /// Matrices of `Few` rows, or columns. Long ones are shared by threads in parts.
    template <class Element, int Few>
    static void run_few(const transpose_problem& p, const parallel_for& parallel) noexcept {
        using lines = few_lines<Isa, Element, Few>;
        const std::int64_t length = p.rows * p.columns / Few;
        const std::int64_t from_step = p.input_rows.step(p.columns);
        const std::int64_t to_step = p.output_rows.step(p.rows);
        const std::int64_t parts = length < 2 * few_part ? 1 : length / few_part;
        share_out<Isa>(parallel, p.batch * parts, 1 + few_part / length,
                       [&](std::int64_t begin, std::int64_t end, int) {
                           for (std::int64_t i = begin; i < end; ++i) {
                               const Element* const from = input_of<Element>(p, i / parts);
                               Element* const to = output_of<Element>(p, i / parts);
                               const std::int64_t part = i % parts;
                               const std::int64_t last = part + 1 == parts ? length : (part + 1) * few_part;
                               if (p.rows == Few)
                                   lines::run_rows(from, from_step, part * few_part, last, to);
                               else
                                   lines::run_columns(from, to_step, part * few_part, last, to);
                           }
                       });
    }

    template <class Element>
    static void run_as(const transpose_problem& p, const parallel_for& parallel) noexcept {
        const std::int64_t few = p.rows < p.columns ? p.rows : p.columns;
        const std::int64_t length = p.rows < p.columns ? p.columns : p.rows;
        if (few_lines<Isa, Element, 2>::fits(length) && has_dense_columns(p)) {
            switch (few) {
                case 2: return run_few<Element, 2>(p, parallel);
                case 3: return run_few<Element, 3>(p, parallel);
                case 4: return run_few<Element, 4>(p, parallel);
                default: break;
            }
        }
        const std::int64_t from_step = p.input_rows.step(p.columns);
        const std::int64_t to_step = p.output_rows.step(p.rows);
        // One large matrix is shared by threads in blocks.
        const std::int64_t row_blocks = (p.rows + block - 1) / block;
        const std::int64_t column_blocks = (p.columns + block - 1) / block;
        const std::int64_t blocks = row_blocks * column_blocks;
        share_out<Isa>(parallel, p.batch * blocks, 4, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t n = i / blocks;
                const std::int64_t first_row = i % blocks / column_blocks * block;
                const std::int64_t first_column = i % column_blocks * block;
                const std::int64_t row_end = first_row + block < p.rows ? first_row + block : p.rows;
                const std::int64_t column_end = first_column + block < p.columns ? first_column + block : p.columns;
                run_part(input_of<Element>(p, n) + first_row * from_step + first_column, from_step,
                         output_of<Element>(p, n) + first_column * to_step + first_row, to_step, row_end - first_row,
                         column_end - first_column);
            }
        });
    }

    static void run(const transpose_problem& problem, const parallel_for& parallel) noexcept {
        if (problem.element_bytes == 1)
            run_as<std::uint8_t>(problem, parallel);
        else
            run_as<std::uint32_t>(problem, parallel);
    }
};

} // namespace lpt::inline LPT_ABI::kernel
