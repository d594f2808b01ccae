// SPDX-License-Identifier: Apache-2.0
// Swapping the two inner axes: the change between planes and channel-innermost layouts.
#pragma once

#include <lpt/kernel/parallel.hpp>

#include <cstring>

namespace lpt::inline LPT_ABI::kernel {

template <class Isa>
struct transpose {
    static constexpr std::int64_t block = 32; // a block of 32 x 32 elements of both matrices fits in the L1 cache

    template <class Element>
    static void run_block(const Element* from, Element* to, std::int64_t rows, std::int64_t columns,
                          std::int64_t row_end, std::int64_t column_end, std::int64_t first_row,
                          std::int64_t first_column) noexcept {
        for (std::int64_t c = first_column; c < column_end; ++c) {
            for (std::int64_t r = first_row; r < row_end; ++r)
                std::memcpy(to + c * rows + r, from + r * columns + c, sizeof(Element));
        }
    }

    template <class Element>
    static void run_as(const transpose_problem& p, const parallel_for& parallel) noexcept {
        const std::int64_t row_blocks = (p.rows + block - 1) / block;
        const std::int64_t column_blocks = (p.columns + block - 1) / block;
        const std::int64_t blocks = row_blocks * column_blocks;
        split<Isa>(parallel, p.batch * blocks, 4, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t n = i / blocks;
                const std::int64_t first_row = i % blocks / column_blocks * block;
                const std::int64_t first_column = i % column_blocks * block;
                const std::int64_t row_end = first_row + block < p.rows ? first_row + block : p.rows;
                const std::int64_t column_end = first_column + block < p.columns ? first_column + block : p.columns;
                const std::int64_t matrix = n * p.rows * p.columns;
                run_block(static_cast<const Element*>(p.input) + matrix, static_cast<Element*>(p.output) + matrix,
                          p.rows, p.columns, row_end, column_end, first_row, first_column);
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
