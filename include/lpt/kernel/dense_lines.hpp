// SPDX-License-Identifier: Apache-2.0
// Which rows of the dense kernel go through tiles together, where rows are the pixels of lines.
#pragma once

#include <lpt/kernel/isa.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// Rows that are the pixels of lines: at both ends of a line there are columns of pixels that have taps outside the image. A template on the
/// instruction set only to keep one copy per instruction set.
template <class Isa>
struct lines_with_ends {
    std::int64_t line = 0;  // rows of a line, or 0
    std::int64_t left = 0;  // columns
    std::int64_t right = 0;

    /// The most rows of a block of lines: as many lines as a tile has rows, or all of `rows`, if these are not many.
    std::int64_t most_rows(std::int64_t rows, std::int64_t tile_rows, std::int64_t many) const noexcept {
        return rows + line <= many ? rows + line : line * tile_rows;
    }

    /// Which columns at the ends of lines become strips, in blocks of so many lines: with those that have taps outside the image also what
    /// is left over from whole tiles in between, if that takes fewer tiles than one in each line.
    lines_with_ends with_leftovers(std::int64_t lines, std::int64_t tile_rows) const noexcept {
        lines_with_ends result = *this;
        const std::int64_t inside = line - left - right;
        const std::int64_t over = inside % tile_rows;
        if (inside > tile_rows && over * ((lines + tile_rows - 1) / tile_rows) < lines) result.right += over;
        return result;
    }

    /// Rows of a block that are equally far from each other: its `i`-th strip, first those between the ends of lines, then the columns
    /// at the ends. A block has `rows` rows from row `first` on.
    struct strip {
        std::int64_t begin = 0;
        std::int64_t count = 0;
        std::int64_t step = 1;
    };
    std::int64_t strips(std::int64_t first, std::int64_t rows) const noexcept {
        if (line == 0) return 1;
        return (first % line + rows + line - 1) / line + left + right;
    }
    strip strip_at(std::int64_t first, std::int64_t rows, std::int64_t i) const noexcept {
        if (line == 0) return {0, rows, 1};
        const std::int64_t before = first % line;  // rows of the first line that are not in the block
        const std::int64_t lines = (before + rows + line - 1) / line;
        if (i < lines) {
            const std::int64_t from = i * line + left - before;
            const std::int64_t to = (i + 1) * line - right - before;
            const std::int64_t begin = from < 0 ? 0 : from;
            const std::int64_t end = to < rows ? to : rows;
            return {begin, end > begin ? end - begin : 0, 1};
        }
        const std::int64_t column = i - lines < left ? i - lines : line - left - right + i - lines;
        const std::int64_t begin = column < before ? column + line - before : column - before;
        return {begin, begin < rows ? (rows - begin + line - 1) / line : 0, line};
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
