// SPDX-License-Identifier: Apache-2.0
// The inner loop of the dense kernel: a tile of rows x columns whose sums stay in registers over the whole depth, and from there go
// to memory, as sums or as requantized bytes.
#pragma once

#include <lpt/kernel/dense_pack.hpp>
#include <lpt/kernel/epilogue.hpp>

#include <utility>

namespace lpt::kernel {

/// Whether rows go through `prepare_rows` of the dot product: not at all, in the tile, or have done so, in which case the last k group of
/// a row is readable as a whole.
enum class row_form : std::uint8_t { plain, to_prepare, prepared };

/// What a tile leaves in memory.
enum class tile_result : std::uint8_t {
    sums,  ///< the sums themselves
    floats,  ///< fma(float(sum), scale, bias)
    bytes,  ///< the same, rounded and saturated to u8 or i8
};

/// Tiles of the same height below each other: which rows, which panel, where the results go.
template <class Sum>
struct tile_work {
    std::int64_t tiles = 1;
    const unsigned char* const* pointers = nullptr;  // row r, tap t: pointers[r * taps + t]
    std::int64_t taps = 1;
    std::int64_t offset = 0;  // bytes from a pointer to the first channel
    std::int64_t channels = 0;
    const unsigned char* panel = nullptr;
    const Sum* start = nullptr;  // first value of each column's sums
    const Sum* row_start = nullptr;  // what each row's sums start with in addition, or null
    row_form form = row_form::plain;
    bool signed_rows = false;

    tile_result result = tile_result::sums;
    bool signed_bytes = false;
    bool limited = false;  // the limits are narrower than the type
    std::int32_t low = 0;
    std::int32_t high = 0;
    const float* scale = nullptr;  // of the panel's columns, readable up to the panel's width
    const float* bias = nullptr;
    std::int64_t columns = 0;  // that are stored as bytes; of other results, all of the panel's width are
    unsigned char* to = nullptr;
    std::int64_t row_bytes = 0;
};

template <class Isa, class Arithmetic>
struct dense_tile {
    using sum_type = typename Arithmetic::sum_type;
    using accumulator = typename Arithmetic::accumulator;
    using work = tile_work<sum_type>;
    using function = void (*)(const work&) noexcept;
    static constexpr int lanes_per_vector = Arithmetic::lanes;
    static constexpr std::int64_t vector_bytes = Arithmetic::lanes * Arithmetic::column_group_bytes;

    /// Rows of the highest tile for panels of `vectors` vectors: narrow ones need more rows to have enough sums under way.
    static constexpr int rows_for(int vectors) noexcept {
        const int rows = Arithmetic::rows * Arithmetic::vectors / vectors;
        return rows < most_rows ? rows : most_rows;
    }
    static constexpr int most_rows = 12;

    /// The tile of so many rows (1 ... rows_for(vectors)) and vectors (1 ... Arithmetic::vectors).
    static function find(std::int64_t rows, std::int64_t vectors) noexcept { return find_from<1>(rows, vectors); }

private:
    static constexpr std::int64_t chunk = 1024;  // bytes of a row that are prepared at a time, a multiple of all groups

    /// From here on the results are prefetched: large matrices are then in the L3 cache, where stores would wait for their lines.
    /// Shorter tiles would lose more than they gain.
    static constexpr std::int64_t long_depth = 768;

    template <int Vectors>
    static function find_from(std::int64_t rows, std::int64_t vectors) noexcept {
        if constexpr (Vectors < Arithmetic::vectors) {
            if (vectors != Vectors) return find_from<Vectors + 1>(rows, vectors);
        }
        return heights<Vectors>(rows, std::make_integer_sequence<int, rows_for(Vectors)>());
    }
    template <int Vectors, int... Rows>
    static function heights(std::int64_t rows, std::integer_sequence<int, Rows...>) noexcept {
        static constexpr function table[] = {&run<Rows + 1, Vectors>...};
        return table[rows - 1];
    }

    /// Sums that are under way at once: the dot product has a latency of 4 to 5 cycles and a throughput of up to two a cycle, so a low
    /// tile takes several k groups at a time. The order of float sums is part of their definition.
    template <int Rows, int Vectors>
    static constexpr int sets = Arithmetic::is_float || Rows * Vectors >= 10 ? 1
                                : (10 + Rows * Vectors - 1) / (Rows * Vectors) > 4
                                    ? 4
                                    : (10 + Rows * Vectors - 1) / (Rows * Vectors);

    template <int Rows, int Vectors>
    [[gnu::always_inline]] static void multiply(accumulator (&sum)[Rows][Vectors],
                                                const typename Arithmetic::column_group (&column)[Vectors], int r,
                                                typename Arithmetic::row_group row) noexcept {
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v)
            sum[r][v] = Arithmetic::step(sum[r][v], row, column[v]);
    }

    /// One k group: `at` bytes into each row.
    template <int Rows, int Vectors>
    [[gnu::always_inline]] static void multiply_group(accumulator (&sum)[Rows][Vectors],
                                                      const unsigned char* const (&row)[Rows], std::int64_t at,
                                                      const unsigned char* panel) noexcept {
        typename Arithmetic::column_group column[Vectors];
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v)
            column[v] = Arithmetic::load_columns(panel + v * vector_bytes);
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r)
            multiply<Rows, Vectors>(sum, column, r, Arithmetic::load_row(row[r] + at));
    }

    /// The last, incomplete k group: `count` (1 ... group - 1) values at the end of `channels`. Packed columns are zero there, so only
    /// reading past the row has to be avoided.
    template <int Rows, int Vectors>
    [[gnu::always_inline]] static void multiply_rest(accumulator (&sum)[Rows][Vectors],
                                                     const unsigned char* const (&row)[Rows], std::int64_t channels,
                                                     std::int64_t count, const unsigned char* panel) noexcept {
        typename Arithmetic::column_group column[Vectors];
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v)
            column[v] = Arithmetic::load_columns(panel + v * vector_bytes);
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
            std::uint32_t four = 0;
            if (channels >= 4) {
                // The four bytes that end with the row, moved down.
                std::memcpy(&four, row[r] + channels - 4, sizeof four);
                four >>= 8 * (4 - count);
            } else {
                const unsigned char* last = row[r] + channels - count;
                four = last[0];
                if (count > 1) four |= static_cast<std::uint32_t>(last[1]) << 8;
                if (count > 2) four |= static_cast<std::uint32_t>(last[2]) << 16;
            }
            multiply<Rows, Vectors>(sum, column, r,
                                    Arithmetic::load_row(reinterpret_cast<const unsigned char*>(&four)));
        }
    }

    /// `bytes` bytes of the prepared or plain rows, a multiple of 4.
    template <int Rows, int Vectors>
    [[gnu::always_inline]] static const unsigned char*
    multiply_run(accumulator (&sum)[sets<Rows, Vectors>][Rows][Vectors], const unsigned char* const (&row)[Rows],
                 std::int64_t bytes, const unsigned char* panel) noexcept {
        constexpr int count = sets<Rows, Vectors>;
        std::int64_t at = 0;
        if constexpr (count > 1) {
            for (; at + count * 4 <= bytes; at += count * 4) {
#pragma GCC unroll 4
                for (int s = 0; s < count; ++s)
                    multiply_group<Rows, Vectors>(sum[s], row, at + s * 4, panel + s * Vectors * vector_bytes);
                panel += count * Vectors * vector_bytes;
            }
        }
        for (; at < bytes; at += 4) {
            multiply_group<Rows, Vectors>(sum[0], row, at, panel);
            panel += Vectors * vector_bytes;
        }
        return panel;
    }

    template <int Rows, int Vectors>
    static void run(const work& all) noexcept {
        work w = all;
        for (std::int64_t i = 0; i < all.tiles; ++i) {
            run_one<Rows, Vectors>(w);
            w.pointers += Rows * w.taps;
            w.to += Rows * w.row_bytes;
            if (w.row_start != nullptr) w.row_start += Rows;
        }
    }

    template <int Rows, int Vectors>
    [[gnu::always_inline]] static void run_one(const work& w) noexcept {
        constexpr int count = sets<Rows, Vectors>;
        accumulator sum[count][Rows][Vectors];
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) {
            const accumulator first = Arithmetic::load(w.start + v * Arithmetic::lanes);
#pragma GCC unroll 16
            for (int r = 0; r < Rows; ++r) {
                sum[0][r][v] = first;
#pragma GCC unroll 4
                for (int s = 1; s < count; ++s)
                    sum[s][r][v] = Arithmetic::zero();
            }
        }
        if constexpr (!Arithmetic::is_float) {
            if (w.row_start != nullptr) add_row_start<Rows, Vectors>(sum[0], w.row_start);
        }
        if (w.result != tile_result::bytes && w.taps * w.channels >= long_depth) prefetch_results<Rows, Vectors>(w);
        const unsigned char* panel = w.panel;
        const bool prepares = !Arithmetic::is_float && w.form == row_form::to_prepare;
        // Rows that are prepared here go through a buffer, a piece at a time.
        constexpr std::int64_t buffer_values = chunk / Arithmetic::row_value_bytes;
        constexpr std::int64_t buffer_rows = Arithmetic::is_float ? 1 : Rows;
        alignas(64) unsigned char buffer[buffer_rows * (chunk + 64)];
        const std::int64_t piece = prepares ? buffer_values : w.channels;
        for (std::int64_t t = 0; t < w.taps; ++t) {
            for (std::int64_t k = 0; k < w.channels; k += piece) {
                const std::int64_t values = w.channels - k < piece ? w.channels - k : piece;
                const unsigned char* row[Rows];
#pragma GCC unroll 16
                for (int r = 0; r < Rows; ++r)
                    row[r] = w.pointers[r * w.taps + t] + w.offset;
                std::int64_t whole = values / Arithmetic::group * 4;  // bytes of complete k groups
                std::int64_t rest = values % Arithmetic::group;
                if constexpr (!Arithmetic::is_float) {
                    if (w.form != row_form::plain && rest != 0) {
                        whole += 4;
                        rest = 0;
                    }
                    if (prepares) {
#pragma GCC unroll 1
                        for (int r = 0; r < Rows; ++r)
                            Arithmetic::prepare_rows(buffer + r * (chunk + 64),
                                                     w.pointers[r * w.taps + t] + w.offset + k, values, w.signed_rows);
#pragma GCC unroll 16
                        for (int r = 0; r < Rows; ++r)
                            row[r] = buffer + r * (chunk + 64);
                    }
                }
                panel = multiply_run<Rows, Vectors>(sum, row, whole, panel);
                if constexpr (!Arithmetic::widens_rows && Arithmetic::group > 1) {
                    if (rest != 0) {
                        multiply_rest<Rows, Vectors>(sum[0], row, values, rest, panel);
                        panel += Vectors * vector_bytes;
                    }
                }
            }
        }
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
            for (int v = 0; v < Vectors; ++v) {
#pragma GCC unroll 4
                for (int s = 1; s < count; ++s)
                    sum[0][r][v] = sum[0][r][v] + sum[s][r][v];
                Arithmetic::settle(sum[0][r][v]);
            }
        }
        if constexpr (!Arithmetic::is_float) {
            if (w.result == tile_result::floats) {
                store_floats<Rows, Vectors>(w, sum[0]);
                return;
            }
            if (w.result == tile_result::bytes) {
                if (w.signed_bytes)
                    store_requantized<Rows, Vectors, true>(w, sum[0]);
                else
                    store_requantized<Rows, Vectors, false>(w, sum[0]);
                return;
            }
        }
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
            sum_type* const to = reinterpret_cast<sum_type*>(w.to + r * w.row_bytes);
#pragma GCC unroll 8
            for (int v = 0; v < Vectors; ++v)
                Arithmetic::store(to + v * Arithmetic::lanes, sum[0][r][v]);
        }
    }

    template <int Rows, int Vectors>
    [[gnu::always_inline]] static void prefetch_results(const work& w) noexcept {
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
            for (std::int64_t at = 0; at < Vectors * Arithmetic::lanes * 4; at += 64)
                __builtin_prefetch(w.to + r * w.row_bytes + at, 1);
        }
    }

    template <int Rows, int Vectors>
    [[gnu::always_inline]] static void add_row_start(accumulator (&sum)[Rows][Vectors],
                                                     const sum_type* row_start) noexcept {
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
            const accumulator value = accumulator{} + row_start[r];
#pragma GCC unroll 8
            for (int v = 0; v < Vectors; ++v)
                sum[r][v] = sum[r][v] + value;
        }
    }

    template <int Rows, int Vectors>
    [[gnu::always_inline]] static void store_floats(const work& w, accumulator (&sum)[Rows][Vectors]) noexcept {
        using simd = lanes<Isa>;
        using ints = typename simd::ints;
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) {
            const auto scale = simd::load(w.scale + v * Arithmetic::lanes);
            const auto bias = simd::load(w.bias + v * Arithmetic::lanes);
#pragma GCC unroll 16
            for (int r = 0; r < Rows; ++r) {
                const auto x = simd::to_float(ints(Arithmetic::bits(sum[r][v])));
                float* const to = reinterpret_cast<float*>(w.to + r * w.row_bytes);
                simd::store(to + v * Arithmetic::lanes, simd::fma(x, scale, bias));
            }
        }
    }

    /// Scale, bias, rounding, saturation and store, without a detour through memory. Columns outermost, so that the constants of a
    /// column stay in registers; a store takes the bytes of four vectors, from several rows where the panel is narrow.
    template <int Rows, int Vectors, bool Signed>
    [[gnu::always_inline]] static void store_requantized(const work& w, accumulator (&sum)[Rows][Vectors]) noexcept {
        using simd = lanes<Isa>;
        using ints = typename simd::ints;
        static_assert(simd::width == Arithmetic::lanes && Vectors <= 4);
        constexpr int rows_at_once = 4 / Vectors;
        constexpr int row_size = Vectors * Arithmetic::lanes;
        ints q[Rows][Vectors];
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) {
            const auto scale = simd::load(w.scale + v * Arithmetic::lanes);
            const auto bias = simd::load(w.bias + v * Arithmetic::lanes);
#pragma GCC unroll 16
            for (int r = 0; r < Rows; ++r) {
                const auto x = simd::to_float(ints(Arithmetic::bits(sum[r][v])));
                q[r][v] = simd::round_to_int(simd::fma(x, scale, bias));
            }
        }
#pragma GCC unroll 16
        for (int r = 0; r < Rows; r += rows_at_once) {
            const auto part = [&](int i) __attribute__((always_inline)) -> ints {
                const int row = r + i / Vectors;
                return i < rows_at_once * Vectors && row < Rows ? q[row][i % Vectors] : q[r][0];
            };
            auto packed = simd::template pack<Signed>(part(0), part(1), part(2), part(3));
            if (w.limited) packed = simd::template limit<Signed>(packed, w.low, w.high);
            unsigned char* const to = w.to + r * w.row_bytes;
            simd::template store_piece<0, row_size>(to, packed, w.columns);
            if constexpr (rows_at_once > 1) {
                if (r + 1 < Rows) simd::template store_piece<row_size, row_size>(to + w.row_bytes, packed, w.columns);
            }
            if constexpr (rows_at_once > 2) {
                if (r + 2 < Rows)
                    simd::template store_piece<2 * row_size, row_size>(to + 2 * w.row_bytes, packed, w.columns);
                if (r + 3 < Rows)
                    simd::template store_piece<3 * row_size, row_size>(to + 3 * w.row_bytes, packed, w.columns);
            }
        }
    }
};

}  // namespace lpt::kernel
