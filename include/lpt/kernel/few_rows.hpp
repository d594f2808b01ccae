// SPDX-License-Identifier: Apache-2.0
// Transposing matrices of few rows: channels of a pixel that change places with their groups.
#pragma once

#include <lpt/kernel/isa.hpp>

#include <cstring>
#include <utility>

namespace lpt::inline LPT_ABI::kernel {

/// Matrices of `Rows` rows: 16 bytes of each row become as many vectors, in the compiler's vectors.
template <class Isa, class Element, int Rows>
struct few_rows {
    using vector [[gnu::vector_size(16)]] = Element;
    static constexpr std::int64_t size = 16 / static_cast<std::int64_t>(sizeof(Element));

    /// Whether a matrix has as many columns as one step takes.
    static bool fits(std::int64_t columns) noexcept { return columns >= size; }

    static void run(const Element* from, std::int64_t columns, Element* to) noexcept {
        for (std::int64_t c = 0; c < columns; c += size) {
            const std::int64_t first = c + size <= columns ? c : columns - size;  // some of them once more
            vector row[Rows];
#pragma GCC unroll 4
            for (int r = 0; r < Rows; ++r)
                std::memcpy(&row[r], from + r * columns + first, sizeof(vector));
            store(row, to + first * Rows, std::make_integer_sequence<int, Rows>());
        }
    }

private:
    template <int... Part>
    [[gnu::always_inline]] static void store(const vector (&row)[Rows], Element* to,
                                             std::integer_sequence<int, Part...>) noexcept {
        (store_part<Part>(row, to + Part * size), ...);
    }
    /// Vector `Part` of the result, whose place i is column (Part * size + i) / Rows of row (Part * size + i) % Rows.
    template <int Part>
    [[gnu::always_inline]] static void store_part(const vector (&row)[Rows], Element* to) noexcept {
        using places = std::make_integer_sequence<int, static_cast<int>(size)>;
        vector result = merge<Part, 1>(row[0], row[1], places());
        if constexpr (Rows > 2) result = merge<Part, 2>(result, row[2], places());
        if constexpr (Rows > 3) result = merge<Part, 3>(result, row[3], places());
        std::memcpy(to, &result, sizeof result);
    }
    /// The elements of row `Row` come to what is there of the rows before it; the first time these are row 0 itself.
    template <int Part, int Row, int... Place>
    [[gnu::always_inline]] static vector merge(vector before, vector row,
                                               std::integer_sequence<int, Place...>) noexcept {
        return __builtin_shufflevector(before, row, source<Part, Row>(Place)...);
    }
    template <int Part, int Row>
    static constexpr int source(int place) noexcept {
        const int at = Part * static_cast<int>(size) + place;
        if (at % Rows == Row) return static_cast<int>(size) + at / Rows;
        return Row == 1 && at % Rows == 0 ? at / Rows : place;
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
