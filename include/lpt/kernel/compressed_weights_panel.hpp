// SPDX-License-Identifier: Apache-2.0
// A panel of weights of 4 or 8 bits, and the pieces in which products work on it.
#pragma once

#include <lpt/kernel/lanes.hpp>
#include <lpt/kernel/rows/compressed_product.hpp>

#include <type_traits>

namespace lpt::inline LPT_ABI::kernel {

/// Consecutive k of a block that are worked on together.
struct compressed_part {
    std::int64_t block;
    std::int64_t k;  // of the block's, a multiple of a word's codes
    std::int64_t size;
    bool is_first;
    bool is_last;
};

/// One panel of columns, and the first of the rows that are multiplied by it.
template <class Isa, int Bits>
struct compressed_weights_panel {
    using simd = lanes<Isa>;
    static constexpr std::int64_t columns = compressed_block::panel_columns;
    static constexpr std::int64_t codes_of_word = 32 / Bits;
    static constexpr int tile_rows = 4;
    static constexpr std::int64_t most_rows = 64;  // of a task at a time

    const compressed_product_problem& p;
    const compressed_block block;
    const unsigned char* const panel;
    const std::int64_t first_row;

    compressed_weights_panel(const compressed_product_problem& problem, std::int64_t number,
                             std::int64_t first) noexcept
        : p(problem),
          block(problem),
          panel(problem.packed + number * compressed_blocks(problem) * block.bytes),
          first_row(first) {}

    const unsigned char* block_at(std::int64_t b) const noexcept { return panel + b * block.bytes; }
    const float* scales(std::int64_t b) const noexcept { return reinterpret_cast<const float*>(block_at(b)); }
    const float* zero_points(std::int64_t b) const noexcept {
        return reinterpret_cast<const float*>(block_at(b) + block.zero_points_at);
    }
    const unsigned char* words(const compressed_part& at) const noexcept {
        return block_at(at.block) + block.words_at + at.k / codes_of_word * columns * compressed_block::word_bytes;
    }

    /// How many vectors of columns a tile has, so that its sums stay in registers.
    template <int Rows>
    static constexpr int vectors = simd::width == 8 && Rows > 2 ? 2 : 4;

    template <class Body>
    [[gnu::always_inline]] static void for_each_part(const compressed_product_problem& p, const Body& body) noexcept {
        constexpr std::int64_t most = compressed_block::most_part;
        const std::int64_t blocks = compressed_blocks(p);
        for (std::int64_t b = 0; b < blocks; ++b) {
            const std::int64_t left = p.inner - b * p.block;
            const std::int64_t count = left < p.block ? left : p.block;
            for (std::int64_t k = 0; k < count; k += most) {
                const bool is_last = count - k <= most;
                body(compressed_part{b, k, is_last ? count - k : most, k == 0, is_last});
            }
        }
    }
    /// Calls `body(rows, first)` for tiles of rows; `rows` is a constant.
    template <class Body>
    [[gnu::always_inline]] static void for_each_tile(std::int64_t rows, const Body& body) noexcept {
        std::int64_t r = 0;
        for (; r + tile_rows <= rows; r += tile_rows)
            body(std::integral_constant<int, tile_rows>(), r);
        switch (rows - r) {
            case 1: return body(std::integral_constant<int, 1>(), r);
            case 2: return body(std::integral_constant<int, 2>(), r);
            case 3: return body(std::integral_constant<int, 3>(), r);
            default: return;
        }
    }
    static void clear(float* sums, std::int64_t rows) noexcept {
        for (std::int64_t i = 0; i < rows * columns; ++i)
            sums[i] = 0;
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
