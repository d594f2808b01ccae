// SPDX-License-Identifier: Apache-2.0
// Transposing matrices of few rows or few columns: pictures, and channels of a pixel that change places with their groups.
#pragma once

#include <lpt/kernel/isa.hpp>

#include <cstring>
#include <utility>

namespace lpt::inline LPT_ABI::kernel {

/// Transposes matrices of `Few` rows or columns, 16 bytes of each line at a time, in the compiler's vectors.
template <class Isa, class Element, int Few>
struct few_lines {
    using vector [[gnu::vector_size(16)]] = Element;
    static constexpr std::int64_t size = 16 / static_cast<std::int64_t>(sizeof(Element));

    /// Whether lines are as long as one step takes.
    static bool fits(std::int64_t length) noexcept { return length >= size; }

    /// Columns `begin` to `end`, `size` at least, of a matrix of few rows, `distance` elements from row to row.
    static void run_rows(const Element* from, std::int64_t distance, std::int64_t begin, std::int64_t end,
                         Element* to) noexcept {
        for (std::int64_t c = begin; c < end; c += size) {
            const std::int64_t first = c + size <= end ? c : end - size;  // the last step overlaps the one before
            vector row[Few];
#pragma GCC unroll 4
            for (int r = 0; r < Few; ++r)
                std::memcpy(&row[r], from + r * distance + first, sizeof(vector));
            interleave(row, to + first * Few, lines());
        }
    }
    /// Rows `begin` to `end`, `size` at least, of a matrix of few columns to rows that are `distance` elements apart.
    static void run_columns(const Element* from, std::int64_t distance, std::int64_t begin, std::int64_t end,
                            Element* to) noexcept {
        for (std::int64_t r = begin; r < end; r += size) {
            const std::int64_t first = r + size <= end ? r : end - size;
            vector part[Few];
#pragma GCC unroll 4
            for (int i = 0; i < Few; ++i)
                std::memcpy(&part[i], from + first * Few + i * size, sizeof(vector));
            separate(part, distance, to + first, lines());
        }
    }

private:
    using lines = std::make_integer_sequence<int, Few>;
    using places = std::make_integer_sequence<int, static_cast<int>(size)>;

    template <int... Part>
    [[gnu::always_inline]] static void interleave(const vector (&row)[Few], Element* to,
                                                  std::integer_sequence<int, Part...>) noexcept {
        (store<from_rows<Part>>(row, to + Part * size), ...);
    }
    template <int... Column>
    [[gnu::always_inline]] static void separate(const vector (&part)[Few], std::int64_t distance, Element* to,
                                                std::integer_sequence<int, Column...>) noexcept {
        (store<from_column<Column>>(part, to + Column * distance), ...);
    }

    /// Place i of vector `Part` of the result is column (Part * size + i) / Few of row (Part * size + i) % Few.
    template <int Part>
    struct from_rows {
        static constexpr int vector_of(int place) noexcept { return (Part * static_cast<int>(size) + place) % Few; }
        static constexpr int place_of(int place) noexcept { return (Part * static_cast<int>(size) + place) / Few; }
    };
    /// Place i of a column is element i * Few + Column of the vectors, one behind the other.
    template <int Column>
    struct from_column {
        static constexpr int vector_of(int place) noexcept { return (place * Few + Column) / static_cast<int>(size); }
        static constexpr int place_of(int place) noexcept { return (place * Few + Column) % static_cast<int>(size); }
    };

    template <class Source>
    [[gnu::always_inline]] static void store(const vector (&from)[Few], Element* to) noexcept {
        vector result = merge<Source, 1>(from[0], from[1], places());
        if constexpr (Few > 2) result = merge<Source, 2>(result, from[2], places());
        if constexpr (Few > 3) result = merge<Source, 3>(result, from[3], places());
        std::memcpy(to, &result, sizeof result);
    }
    /// Puts the elements of vector `Next` into the places that come from it; the first time the others are vector 0 itself.
    template <class Source, int Next, int... Place>
    [[gnu::always_inline]] static vector merge(vector before, vector next,
                                               std::integer_sequence<int, Place...>) noexcept {
        return __builtin_shufflevector(before, next, chosen<Source, Next>(Place)...);
    }
    template <class Source, int Next>
    static constexpr int chosen(int place) noexcept {
        if (Source::vector_of(place) == Next) return static_cast<int>(size) + Source::place_of(place);
        return Next == 1 && Source::vector_of(place) == 0 ? Source::place_of(place) : place;
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
