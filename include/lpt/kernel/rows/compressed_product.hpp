// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/kernel/rows/fields.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// The product of rows of f32 with weights of 4 or 8 bits, of which each block of a column has its scale and zero point:
///   y[i][n] = sum over blocks b of scale[n][b] * (sum over k of block b of x[i][k] * (code[n][k] - zero_point[n][b])).
/// Both sums are chains of fused multiply-adds in the order of b and of k, the outer one from 0 on. With one zero point for all blocks the
/// inner one begins with 0 and multiplies by code - zero_point, rounded to single precision; with one for each it begins with
/// zero_point * -(sum of x over the block), added up as `sixteen` does, and multiplies by code.
/// With `rounds_rows` x is rounded to 8 bits first, in parts t of at most `most_part` consecutive k of a block:
///   unit[i][t] = max |x| / 127;  q = x * (127 / max |x|) to the nearest integer, ties to even;
///   y[i][n] = sum over t of scale[n][b] * unit[i][t] * (sum of q * code - zero_point[n][b] * sum of q),
/// with sums of integers; the quotients, products and the difference (a fused multiply-add) are each rounded, the outer sum is a chain of fused
/// multiply-adds. Parts of nothing but magnitudes below 1e-30 count as zeros; those that hold an infinity or NaN give NaN.
/// The same bits on every instruction set and for any number of rows.
///   rows, inner, columns: sizes of x[rows][inner] and y[rows][columns]; at least 1. `input_rows`, `output_rows`: where their rows lie,
///     equally far apart.
///   block: elements of a block, the last one may be shorter; bits: 4 or 8; codes are unsigned.
///   zero_point: of all blocks, unless `has_zero_points`: then the packed weights have one for each block.
///   packed: `compressed_bytes(problem)` bytes, as `compressed_block` says. scratch: `compressed_scratch_bytes(problem)` bytes. Outputs overlap
///   nothing.
struct compressed_product_problem {
    std::int64_t rows = 1;
    std::int64_t inner = 1;
    std::int64_t columns = 1;
    std::int64_t block = 1;
    std::int64_t bits = 4;
    bool has_zero_points = false;
    float zero_point = 0;
    bool rounds_rows = false;
    const float* input = nullptr;
    const unsigned char* packed = nullptr;
    float* output = nullptr;
    scratch_memory scratch = {};
    row_layout input_rows = {};
    row_layout output_rows = {};

    static constexpr const char* name = "compressed_product";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("rows", self.rows);
        visit("inner", self.inner);
        visit("columns", self.columns);
        visit("block", self.block);
        visit("bits", self.bits);
        visit("has_zero_points", self.has_zero_points);
        visit("zero_point", self.zero_point);
        visit("rounds_rows", self.rounds_rows);
        visit("input", self.input);
        visit("packed", self.packed);
        visit("output", self.output);
        visit("scratch", self.scratch);
        visit("input_rows", self.input_rows);
        visit("output_rows", self.output_rows);
    }
    template <class Self, class Visit>
    static constexpr void spaced(Self& self, Visit visit) {
        visit(self.input, self.input_rows, self.inner, self.rows);
        visit(self.output, self.output_rows, self.columns, self.rows);
    }
};

/// Where the parts of a packed block lie. Panels of `panel_columns` columns follow each other; a panel is its blocks one behind the other, and a
/// block has the scales of the panel's columns, their zero points if there are any, and words of 32 bits: [k / codes_of_word][column], the first
/// code in the lowest bits. What is behind the last k or column is 0.
struct compressed_block {
    static constexpr std::int64_t panel_columns = 64;
    static constexpr std::int64_t word_bytes = 4;
    static constexpr std::int64_t most_part = 128;  // k that are worked on together

    std::int64_t codes_of_word = 8;
    std::int64_t words = 1;  // of a column
    std::int64_t zero_points_at = 0;  // bytes from the block's beginning
    std::int64_t words_at = 0;
    std::int64_t bytes = 0;

    constexpr explicit compressed_block(const compressed_product_problem& p) noexcept
        : codes_of_word(32 / p.bits),
          words((p.block + codes_of_word - 1) / codes_of_word),
          zero_points_at(panel_columns * 4),
          words_at(panel_columns * (p.has_zero_points ? 8 : 4)),
          bytes(words_at + words * panel_columns * word_bytes) {}
};

constexpr std::int64_t compressed_blocks(const compressed_product_problem& p) noexcept {
    return (p.inner + p.block - 1) / p.block;
}
constexpr std::int64_t compressed_panels(const compressed_product_problem& p) noexcept {
    return (p.columns + compressed_block::panel_columns - 1) / compressed_block::panel_columns;
}
/// Bytes of packed weights.
constexpr std::size_t compressed_bytes(const compressed_product_problem& p) noexcept {
    return static_cast<std::size_t>(compressed_panels(p) * compressed_blocks(p) * compressed_block(p).bytes);
}
/// Rows that were rounded to bytes, and where they lie in scratch memory: the units of all parts, [row][part], the sums of their integers,
/// alike, and the integers, [row][k]. Each block begins a part, and has whole words. Of the integers that belong to a word of eight codes, those at
/// even k come before those at odd k: so a vector of words becomes two of bytes.
struct compressed_parts {
    std::int64_t of_block = 1;
    std::int64_t of_row = 1;
    std::int64_t row_bytes = 8;
    std::int64_t sums_at = 0;  // bytes from the beginning
    std::int64_t integers_at = 0;
    std::int64_t bytes = 0;

    constexpr explicit compressed_parts(const compressed_product_problem& p) noexcept
        : of_block((p.block + compressed_block::most_part - 1) / compressed_block::most_part),
          of_row(compressed_blocks(p) * of_block),
          row_bytes(compressed_blocks(p) * compressed_block(p).words * compressed_block(p).codes_of_word),
          sums_at(p.rows * of_row * 4),
          integers_at(2 * sums_at),
          bytes(integers_at + p.rows * row_bytes) {}
};
/// Scratch memory: rows as bytes, or, for zero points of their own, the sum of each block of each row of x.
constexpr std::size_t compressed_scratch_bytes(const compressed_product_problem& p) noexcept {
    if (p.rounds_rows) return static_cast<std::size_t>(compressed_parts(p).bytes);
    return p.has_zero_points ? static_cast<std::size_t>(p.rows * compressed_blocks(p)) * sizeof(float) : 0;
}

}  // namespace lpt::inline LPT_ABI::kernel
