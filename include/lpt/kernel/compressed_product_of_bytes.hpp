// SPDX-License-Identifier: Apache-2.0
// Products of rows that are rounded to bytes with weights of 4 or 8 bits: a vector of words of codes is one or two operands of the dot products of
// four bytes, as it lies.
#pragma once

#include <lpt/kernel/compressed_weights_panel.hpp>
#include <lpt/kernel/digits.hpp>
#include <lpt/kernel/dot.hpp>
#include <lpt/kernel/parallel.hpp>

#include <cstdint>

namespace lpt::inline LPT_ABI::kernel {

/// Rows of x in scratch memory.
template <class Isa, int Bits>
struct rows_as_bytes {
    using simd = lanes<Isa>;
    static constexpr float largest = 127;

    const compressed_product_problem& p;
    const compressed_parts parts;
    const compressed_block block;
    std::byte* const memory;

    explicit rows_as_bytes(const compressed_product_problem& problem) noexcept
        : p(problem), parts(problem), block(problem), memory(static_cast<std::byte*>(problem.scratch.data)) {}

    /// The unit of a part, and the sum of its integers, of the row.
    float* units(std::int64_t row) const noexcept { return reinterpret_cast<float*>(memory) + row * parts.of_row; }
    float* sums(std::int64_t row) const noexcept {
        return reinterpret_cast<float*>(memory + parts.sums_at) + row * parts.of_row;
    }
    unsigned char* integers(std::int64_t row, const compressed_part& at) const noexcept {
        return reinterpret_cast<unsigned char*>(memory + parts.integers_at + row * parts.row_bytes) +
               at.block * block.words * (32 / Bits) + at.k;
    }

    void round(const parallel_for& parallel) const noexcept {
        constexpr std::int64_t least_numbers = 32768;  // worth a task
        share_out<Isa>(parallel, p.rows, 1 + least_numbers / p.inner, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t row = begin; row < end; ++row)
                round_row(row);
        });
    }

private:
    void round_row(std::int64_t row) const noexcept {
        std::int64_t number = 0;
        compressed_weights_panel<Isa, Bits>::for_each_part(p, [&](const compressed_part& at) {
            const float* const from = p.input + p.input_rows.begin(row, p.inner) + at.block * p.block + at.k;
            units(row)[number] = round_part(from, at.size, integers(row, at), sums(row)[number]);
            ++number;
        });
    }
    static float round_part(const float* from, std::int64_t count, unsigned char* to, float& sum) noexcept {
        std::uint8_t bytes[compressed_block::most_part + 16] = {};
        const rounding_unit<Isa> unit(greatest_magnitude<Isa>(from, count), largest);
        auto total = simd::broadcast_int(0);
        if (unit.inverse != 0) {
            for (std::int64_t i = 0; i < count; i += simd::width) {
                const auto number = load_part<Isa>(from + i, count - i);
                const auto integer = simd::round_to_int(simd::multiply(number, simd::broadcast(unit.inverse)));
                total = simd::add_int(total, integer);
                simd::store_byte(bytes + i, integer);
            }
        }
        std::int32_t totals[simd::width];
        simd::store_int(totals, total);
        std::int32_t all = 0;
        for (const std::int32_t each : totals)
            all += each;
        sum = static_cast<float>(all);
        store_in_order(bytes, count, to);
        return unit.size;
    }
    /// Whole words, in the order in which dot products take the codes of weights.
    static void store_in_order(const std::uint8_t* from, std::int64_t count, unsigned char* to) noexcept {
        constexpr std::int64_t codes = 32 / Bits;
        for (std::int64_t i = 0; i < count; i += codes) {
            for (std::int64_t j = 0; j < codes; ++j)
                to[i + j] = from[i + (Bits == 8 ? j : j < 4 ? 2 * j : 2 * j - 7)];
        }
    }
};

/// Dot products of codes, which are unsigned, with integers of rows, which have a sign.
template <class Isa>
struct code_dots : dot_of_four<Isa> {
    using dot = dot_of_four<Isa>;
    using accumulator = typename dot::accumulator;
    using integers = typename dot::row_group;
    using codes = typename dot::column_group;
    static constexpr bool takes_unsigned = dot::unsigned_rows;  // else codes of 8 bits lose 128

    template <int Bits, int Group>
    [[gnu::always_inline]] static codes load_codes(const unsigned char* words) noexcept {
        constexpr bool is_high = Group == 1;
        if constexpr (Bits == 4) return dot::template load_halves<is_high>(words);
        codes all = dot::load_columns(words);
        if constexpr (!takes_unsigned) all ^= codes(dot::load_row(top_bits));
        return all;
    }
    template <int Bits>
    [[gnu::always_inline]] static accumulator add(accumulator sum, codes of_columns, integers of_row) noexcept {
        if constexpr (Bits == 4 && requires { dot::pairings; })
            return dot::pair_step(sum, of_columns, of_row);
        else
            return dot::step(sum, of_columns, of_row);
    }
    [[gnu::always_inline]] static accumulator broadcast(std::int32_t value) noexcept { return accumulator{} + value; }

private:
    static constexpr unsigned char top_bits[4] = {128, 128, 128, 128};
};
template <>
struct code_dots<on::scalar> {
    using accumulator = std::int32_t;
    struct four {
        unsigned char byte[4];
    };
    using integers = four;
    using codes = four;
    static constexpr int lanes = 1;
    static constexpr bool takes_unsigned = true;

    static four load_row(const unsigned char* from) noexcept { return {{from[0], from[1], from[2], from[3]}}; }
    template <int Bits, int Group>
    static four load_codes(const unsigned char* words) noexcept {
        four result = load_row(words);
        if (Bits == 4) {
            for (unsigned char& each : result.byte)
                each = static_cast<unsigned char>(each >> 4 * Group & 15);
        }
        return result;
    }
    template <int>
    static accumulator add(accumulator sum, four of_columns, four of_row) noexcept {
        for (int i = 0; i < 4; ++i)
            sum += of_columns.byte[i] * static_cast<std::int8_t>(of_row.byte[i]);
        return sum;
    }
    static accumulator broadcast(std::int32_t value) noexcept { return value; }
    static accumulator bits(accumulator value) noexcept { return value; }
    static void settle(accumulator&) noexcept {}
};

/// Rows of bytes times one panel of columns.
template <class Isa, int Bits>
struct compressed_panel_of_bytes : compressed_weights_panel<Isa, Bits> {
    using weights_panel = compressed_weights_panel<Isa, Bits>;
    using weights_panel::columns;
    using weights_panel::first_row;
    using weights_panel::p;
    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using ints = typename simd::ints;
    using dots = code_dots<Isa>;
    static constexpr int groups = 8 / Bits;  // of four codes, in a word
    static_assert(dots::lanes == simd::width);

    const rows_as_bytes<Isa, Bits> rows_of_bytes;

    compressed_panel_of_bytes(const compressed_product_problem& problem, std::int64_t number,
                              std::int64_t first) noexcept
        : weights_panel(problem, number, first), rows_of_bytes(problem) {}

    /// Adds up so many rows; `sums`: [rows][columns], written.
    void run(std::int64_t rows, float* sums) const noexcept {
        weights_panel::clear(sums, rows);
        std::int64_t number = 0;
        weights_panel::for_each_part(p, [&](const compressed_part& at) {
            fetch_ahead(weights_panel::words(at), at.size);
            weights_panel::for_each_tile(rows, [&](auto height, std::int64_t r) {
                for (std::int64_t column = 0; column < columns; column += vectors<height()> * simd::width)
                    add_part<height()>(at, number, first_row + r, column, sums + r * columns + column);
            });
            ++number;
        });
    }

private:
    template <int Rows>
    static constexpr int vectors = weights_panel::template vectors<Rows>;

    /// Begins to fetch weights that lie 8 KiB behind the words of a part, into the second cache: the processor does not by itself, or not far enough, and
    /// the first cache would lose what the rows need.
    static void fetch_ahead(const unsigned char* words, std::int64_t size) noexcept {
        constexpr std::uintptr_t distance = 8192;
        constexpr std::int64_t line = 64;
        constexpr int second_cache = 2;
        const std::int64_t bytes = columns * (8 + size * Bits / 8);  // with scales and zero points
        for (std::int64_t i = 0; i < bytes; i += line) {
            const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(words + i) + distance;
            __builtin_prefetch(reinterpret_cast<const void*>(address), 0, second_cache);
        }
    }
    /// A part of `Rows` rows times the columns of a tile; `number`: of the part in its row.
    template <int Rows>
    void add_part(const compressed_part& at, std::int64_t number, std::int64_t row, std::int64_t column,
                  float* sums) const noexcept {
        typename dots::accumulator sum[Rows][vectors<Rows>];
        const unsigned char* integers[Rows];
        float unit[Rows];
        float total[Rows];
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r) {
            integers[r] = rows_of_bytes.integers(row + r, at);
            unit[r] = rows_of_bytes.units(row + r)[number];
            total[r] = rows_of_bytes.sums(row + r)[number];
            // What codes of 8 bits lose where they must have a sign.
            const auto start = Bits == 8 && !dots::takes_unsigned ? 128 * static_cast<std::int32_t>(total[r]) : 0;
#pragma GCC unroll 4
            for (int v = 0; v < vectors<Rows>; ++v)
                sum[r][v] = dots::broadcast(start);
        }
        const unsigned char* word = weights_panel::words(at) + column * compressed_block::word_bytes;
        for (std::int64_t k = 0; k < at.size; k += 4 * groups, word += columns * compressed_block::word_bytes) {
            add_groups<Rows, 0>(integers, k, word, sum);
            if constexpr (groups == 2) add_groups<Rows, 1>(integers, k + 4, word, sum);
        }
        finish<Rows>(at, column, unit, total, sum, sums);
    }
    template <int Rows, int Group>
    [[gnu::always_inline]] static void add_groups(const unsigned char* const (&integers)[Rows], std::int64_t k,
                                                  const unsigned char* word,
                                                  typename dots::accumulator (&sum)[Rows][vectors<Rows>]) noexcept {
#pragma GCC unroll 4
        for (int v = 0; v < vectors<Rows>; ++v) {
            const auto codes = dots::template load_codes<Bits, Group>(word + v * simd::width * 4);
#pragma GCC unroll 4
            for (int r = 0; r < Rows; ++r)
                sum[r][v] = dots::template add<Bits>(sum[r][v], codes, dots::load_row(integers[r] + k));
        }
    }
    /// Adds scale * unit * (sum - zero_point * total).
    template <int Rows>
    [[gnu::always_inline]] void
    finish(const compressed_part& at, std::int64_t column, const float (&unit)[Rows], const float (&total)[Rows],
           typename dots::accumulator (&sum)[Rows][vectors<Rows>], float* to) const noexcept {
#pragma GCC unroll 4
        for (int v = 0; v < vectors<Rows>; ++v) {
            const std::int64_t first = column + v * simd::width;
            const floats scale = simd::load(weights_panel::scales(at.block) + first);
            const floats zero = p.has_zero_points ? simd::load(weights_panel::zero_points(at.block) + first)
                                                  : simd::broadcast(p.zero_point);
#pragma GCC unroll 4
            for (int r = 0; r < Rows; ++r) {
                dots::settle(sum[r][v]);
                const floats of_codes = simd::to_float(ints(dots::bits(sum[r][v])));
                const floats difference = simd::fma(zero, simd::broadcast(-total[r]), of_codes);
                const floats factor = simd::multiply(scale, simd::broadcast(unit[r]));
                float* const at_sums = to + r * columns + v * simd::width;
                simd::store(at_sums, simd::fma(factor, difference, simd::load(at_sums)));
            }
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
