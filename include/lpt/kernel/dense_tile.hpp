// SPDX-License-Identifier: Apache-2.0
// The inner loop of the dense kernel: a tile of rows x columns whose sums stay in registers over the whole depth, and from there go
// to memory, as sums or as requantized bytes.
#pragma once

#include <lpt/kernel/dense_pack.hpp>
#include <lpt/kernel/store.hpp>
#include <lpt/kernel/tile_fetches.hpp>

#include <utility>

namespace lpt::inline LPT_ABI::kernel {

/// What a tile leaves in memory.
enum class tile_result : std::uint8_t {
    sums,  ///< the sums themselves
    floats,  ///< fma(float(sum), scale, bias)
    bytes,  ///< the same, after a known list of steps if there is one, rounded and saturated to u8 or i8; or codes in fixed point
};

/// Tiles of the same height below each other: which rows, which panel, where the results go. Rows are in the form that `load_row` reads,
/// and their last k group is readable as a whole.
template <class Sum, class Factors>
struct tile_work {
    std::int64_t tiles = 1;
    const unsigned char* const* pointers = nullptr;  // row r, tap t: pointers[r * row_pointers + t]
    std::int64_t row_pointers = 1;
    std::int64_t taps = 1;
    const unsigned char* zeros = nullptr;  // a row of zeros: taps for which all rows of a tile are this one add nothing
    std::int64_t offset = 0;  // bytes from a pointer to the first channel
    std::int64_t channels = 0;
    bool signed_rows = false;  // for tiles that take either sign
    const unsigned char* panel = nullptr;
    const std::uint16_t* order = nullptr;  // of the panel's k groups, or null: they stand as they are numbered
    tile_fetches* fetches = nullptr;
    const Sum* start = nullptr;  // first value of each column's sums
    const Sum* row_start = nullptr;  // what each row's sums start with in addition, or null

    tile_result result = tile_result::sums;
    bool signed_bytes = false;
    bool limited = false;  // the limits are narrower than the type
    std::int32_t low = 0;
    std::int32_t high = 0;
    const float* scale = nullptr;  // of the panel's columns, readable up to the panel's width
    const float* bias = nullptr;
    const column_steps* steps =
        nullptr;  // a known list, or null: then sums that become bytes need no clamp before they are rounded
    const Factors* factors = nullptr;  // of the vectors of a panel, for codes in fixed point: then sums have their bias
    std::int32_t zero_point = 0;  // of these codes
    row_places rows;  // of the output
    std::int64_t columns = 0;  // that are stored as bytes; of other results, all of the panel's width are
    unsigned char* to = nullptr;
    std::int64_t row_bytes = 0;

    /// Where tap `t` of row `r` begins.
    [[gnu::always_inline]] const unsigned char* row(std::int64_t r, std::int64_t t) const noexcept {
        return pointers[r * row_pointers + t] + offset;
    }
    /// Whether tap `t` of all rows of a tile is the row of zeros.
    template <int Rows>
    [[gnu::always_inline]] bool adds_nothing(std::int64_t t) const noexcept {
        if (pointers[t] != zeros) return false;
        bool all = true;
        for (int r = 1; r < Rows; ++r)
            all = all && pointers[r * row_pointers + t] == zeros;
        return all;
    }
    /// The tile below.
    template <int Rows>
    [[gnu::always_inline]] void move_down() noexcept {
        pointers += Rows * row_pointers;
        to += Rows * row_bytes;
        rows.first += Rows * rows.step;
        if (row_start != nullptr) row_start += Rows;
    }
};

template <class Isa, class Arithmetic>
struct dense_tile {
    using sum_type = typename Arithmetic::sum_type;
    using accumulator = typename Arithmetic::accumulator;
    using factors_type = typename lanes<Isa>::fixed_factors;
    using work = tile_work<sum_type, factors_type>;
    using function = void (*)(const work&) noexcept;
    static constexpr int lanes_per_vector = Arithmetic::lanes;
    static constexpr std::int64_t vector_bytes = Arithmetic::lanes * Arithmetic::column_group_bytes;
    static constexpr std::int64_t row_step = Arithmetic::group * Arithmetic::row_value_bytes;  // bytes of a k group

    /// Rows of the highest tile for panels of `vectors` vectors: narrow ones need more rows to have enough sums under way.
    static constexpr int rows_for(int vectors) noexcept {
        const int rows = Arithmetic::rows * Arithmetic::vectors / vectors;
        return rows < most_rows ? rows : most_rows;
    }
    static constexpr int most_rows = 12;

    /// The height of the next tile when `rows` (>= 1) rows are left. Panels of full width have tiles of all heights: as few as
    /// possible, as even as possible, since a low one waits for its columns. Narrow ones have few heights, each of which costs compile
    /// time, and take the highest that fits; so do columns of four bits.
    static constexpr int height_for(std::int64_t rows, int vectors, bool four_bits = false) noexcept {
        const int highest = rows_for(vectors);
        if (four_bits) return rows >= highest ? highest : rows >= 4 ? 4 : rows >= 2 ? 2 : 1;
        if (vectors == Arithmetic::vectors) {
            const std::int64_t tiles = (rows + highest - 1) / highest;
            return static_cast<int>((rows + tiles - 1) / tiles);
        }
        if (rows >= highest) return highest;
        return rows >= 8 ? 8 : rows >= 4 ? 4 : rows >= 2 ? 2 : 1;
    }

    /// How many tiles of that height are next.
    static constexpr std::int64_t tiles_for(std::int64_t rows, int vectors, bool four_bits = false) noexcept {
        const int height = height_for(rows, vectors, four_bits);
        if (four_bits || vectors != Arithmetic::vectors) return rows / height;
        const std::int64_t tiles = (rows + height - 1) / height;
        return rows - tiles * (height - 1);
    }

    /// Whether tiles apply the post operations of an epilogue. Columns of four bits have none that do, which would double their code.
    static bool takes_list(const epilogue& e, bool four_bits) noexcept {
        return !four_bits && form_of(e) != step_form::any;
    }

    /// The tile of a height that `height_for` gives and so many vectors (1 ... Arithmetic::vectors).
    static function find(int height, std::int64_t vectors, bool four_bits = false) noexcept {
        if constexpr (!Arithmetic::is_float) {
            if (four_bits) return find_halves<1>(height, vectors);
        }
        return find_from<1>(height, vectors);
    }

private:
    /// From here on tiles that do not fetch between their k groups fetch all results at once. Shorter ones would lose more than they
    /// gain.
    static constexpr std::int64_t long_depth = 768;

    template <int Vectors>
    static function find_from(int height, std::int64_t vectors) noexcept {
        if constexpr (Vectors < Arithmetic::vectors) {
            if (vectors != Vectors) return find_from<Vectors + 1>(height, vectors);
        }
        constexpr int highest = rows_for(Vectors);
        if constexpr (Vectors == Arithmetic::vectors) {
            return heights<Vectors>(height, std::make_integer_sequence<int, highest>());
        } else {
            if (height == highest) return &run<highest, Vectors>;
            if constexpr (highest > 8) {
                if (height == 8) return &run<8, Vectors>;
            }
            if (height == 4) return &run<4, Vectors>;
            return height == 2 ? &run<2, Vectors> : &run<1, Vectors>;
        }
    }
    template <int Vectors>
    static function find_halves(int height, std::int64_t vectors) noexcept {
        if constexpr (Vectors < Arithmetic::vectors) {
            if (vectors != Vectors) return find_halves<Vectors + 1>(height, vectors);
        }
        if (height == rows_for(Vectors)) return &run<rows_for(Vectors), Vectors, true>;
        return height == 4 ? &run<4, Vectors, true> : height == 2 ? &run<2, Vectors, true> : &run<1, Vectors, true>;
    }
    template <int Vectors, int... Heights>
    static function heights(int height, std::integer_sequence<int, Heights...>) noexcept {
        static constexpr function table[] = {&run<Heights + 1, Vectors>...};
        return table[height - 1];
    }

    /// Sums that are under way at once: the dot product has a latency of 4 to 5 cycles and a throughput of up to two a cycle, so a low
    /// tile takes several k groups at a time. The order of float sums is part of their definition.
    static constexpr int sets_for(int sums) noexcept {
        const int wanted = (10 + sums - 1) / sums;
        const int fitting = Arithmetic::rows * Arithmetic::vectors / sums;
        const int most = fitting < 4 ? fitting : 4;
        return Arithmetic::is_float || most < 1 ? 1 : wanted < most ? wanted : most;
    }
    template <int Rows, int Vectors>
    static constexpr int sets = sets_for(Rows * Vectors);

    static constexpr bool has_pairs = dense_layout<Arithmetic>::pairings != 0;
    /// Columns are any, or their pairs fit, as they stand or where `order` puts those of the rows next to each other.
    enum class pairs { any, fit, fit_in_order };

    template <pairs Pairs, int Rows, int Vectors>
    [[gnu::always_inline]] static void multiply(accumulator (&sum)[Rows][Vectors],
                                                const typename Arithmetic::column_group (&column)[Vectors], int r,
                                                typename Arithmetic::row_group row) noexcept {
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) {
            if constexpr (Pairs == pairs::any)
                sum[r][v] = Arithmetic::step(sum[r][v], row, column[v]);
            else
                sum[r][v] = Arithmetic::pair_step(sum[r][v], row, column[v]);
        }
    }

    /// What a k group of columns is in memory: bytes, or their low or high halves.
    enum class columns_in { bytes, low_halves, high_halves };
    template <columns_in Where>
    [[gnu::always_inline]] static typename Arithmetic::column_group load_columns(const unsigned char* from) noexcept {
        if constexpr (Where == columns_in::bytes)
            return Arithmetic::load_columns(from);
        else
            return Arithmetic::template load_halves < Where == columns_in::high_halves > (from);
    }

    /// One k group: `at` bytes into each row.
    template <int Rows, int Vectors, columns_in Where = columns_in::bytes, pairs Pairs = pairs::any, class... Order>
    [[gnu::always_inline]] static void multiply_group(accumulator (&sum)[Rows][Vectors],
                                                      const unsigned char* const (&row)[Rows], std::int64_t at,
                                                      const unsigned char* panel, Order... order) noexcept {
        typename Arithmetic::column_group column[Vectors];
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v)
            column[v] = load_columns<Where>(panel + v * vector_bytes);
        if constexpr ((Rows == 2 || Rows == 3 || Pairs != pairs::any) && requires { Arithmetic::keep(column[0]); }) {
#pragma GCC unroll 8
            for (int v = 0; v < Vectors; ++v)
                Arithmetic::keep(column[v]);
        }
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
            auto values = Arithmetic::load_row(row[r] + at);
            if constexpr (Pairs == pairs::fit_in_order) values = Arithmetic::paired(values, order...);
            multiply<Pairs, Rows, Vectors>(sum, column, r, values);
        }
    }

    /// All k groups of a tap in the order that packing gave them.
    template <int Rows, int Vectors>
    [[gnu::always_inline]] static const unsigned char*
    multiply_ordered(accumulator (&sum)[Rows][Vectors], const unsigned char* const (&row)[Rows],
                     const std::uint16_t* fitting, std::int64_t groups, const unsigned char* panel) noexcept {
        constexpr auto bytes = columns_in::bytes;
        const std::uint16_t* number = fitting + Arithmetic::pairings;
        const std::uint16_t* const end = number + groups;
        const std::uint16_t* past = number + fitting[0];
        for (; number < past; ++number, panel += Vectors * vector_bytes)
            multiply_group<Rows, Vectors, bytes, pairs::fit>(sum, row, *number * row_step, panel);
        for (int p = 1; p < Arithmetic::pairings; ++p) {
            const auto order = Arithmetic::neighbours(p);
            past = number + fitting[p];
            for (; number < past; ++number, panel += Vectors * vector_bytes)
                multiply_group<Rows, Vectors, bytes, pairs::fit_in_order>(sum, row, *number * row_step, panel, order);
        }
        for (; number < end; ++number, panel += Vectors * vector_bytes)
            multiply_group<Rows, Vectors>(sum, row, *number * row_step, panel);
        return panel;
    }

    /// Whether four k groups of a row are loaded at once, of which a dot product picks one.
    static constexpr bool takes_row_blocks = requires { typename Arithmetic::row_block; };

    /// One k group of four: `Group` of the rows' blocks.
    template <int Group, columns_in Where, int Rows, int Vectors, class Block>
    [[gnu::always_inline]] static void multiply_picked(accumulator (&sum)[Rows][Vectors], const Block (&row)[Rows],
                                                       const unsigned char* panel) noexcept {
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) {
            const auto column = load_columns<Where>(panel + v * vector_bytes);
#pragma GCC unroll 16
            for (int r = 0; r < Rows; ++r)
                sum[r][v] = Arithmetic::template step_picked<Group>(sum[r][v], row[r], column);
        }
    }

    /// Four k groups at a time, as far as there are so many; gives how many bytes of the rows that was.
    template <bool FourBits, int Rows, int Vectors>
    [[gnu::always_inline]] static std::int64_t
    multiply_blocks(accumulator (&sum)[sets<Rows, Vectors>][Rows][Vectors], const unsigned char* const (&row)[Rows],
                    std::int64_t bytes, const unsigned char*& panel) noexcept {
        constexpr int count = sets<Rows, Vectors>;
        constexpr std::int64_t step = Vectors * vector_bytes;
        std::int64_t at = 0;
        for (; at + 4 * row_step <= bytes; at += 4 * row_step) {
            typename Arithmetic::row_block block[Rows];
#pragma GCC unroll 16
            for (int r = 0; r < Rows; ++r)
                block[r] = Arithmetic::load_row_block(row[r] + at);
            constexpr columns_in even = FourBits ? columns_in::low_halves : columns_in::bytes;
            constexpr columns_in odd = FourBits ? columns_in::high_halves : columns_in::bytes;
            constexpr std::int64_t next = FourBits ? 0 : step;
            multiply_picked<0, even>(sum[0], block, panel);
            multiply_picked<1, odd>(sum[1 % count], block, panel + next);
            panel += next + step;
            multiply_picked<2, even>(sum[2 % count], block, panel);
            multiply_picked<3, odd>(sum[3 % count], block, panel + next);
            panel += next + step;
        }
        return at;
    }

    /// The highest tiles take several k groups at a time, so that processors foresee the end of the loop.
    template <int Rows, int Vectors>
    static constexpr bool is_large =
        Vectors == Arithmetic::vectors && Rows + 1 >= Arithmetic::rows && !Arithmetic::is_float;

    /// Whether they fetch between them. Shorter vectors take so much longer that processors fetch soon enough.
    template <int Rows, int Vectors>
    static constexpr bool fetches_ahead = is_large<Rows, Vectors> && vector_bytes >= 64 && !takes_row_blocks;

    /// `bytes` bytes of the rows, whole k groups.
    template <int Rows, int Vectors>
    [[gnu::always_inline]] static const unsigned char*
    multiply_run(accumulator (&sum)[sets<Rows, Vectors>][Rows][Vectors], const unsigned char* const (&row)[Rows],
                 std::int64_t bytes, const unsigned char* panel, [[maybe_unused]] tile_fetches* fetches) noexcept {
        constexpr int count = sets<Rows, Vectors>;
        constexpr int groups = is_large<Rows, Vectors> ? 4 : count;
        std::int64_t at = 0;
        if constexpr (takes_row_blocks) {
            at = multiply_blocks<false, Rows, Vectors>(sum, row, bytes, panel);
        } else if constexpr (groups > 1) {
            for (; at + groups * row_step <= bytes; at += groups * row_step) {
                if constexpr (fetches_ahead<Rows, Vectors>) {
                    if (fetches != nullptr) fetches->fetch<Vectors * Arithmetic::lanes * 4, Vectors * vector_bytes>();
                }
#pragma GCC unroll 4
                for (int s = 0; s < groups; ++s)
                    multiply_group<Rows, Vectors>(sum[s % count], row, at + s * row_step,
                                                  panel + s * Vectors * vector_bytes);
                panel += groups * Vectors * vector_bytes;
            }
        }
        for (; at < bytes; at += row_step) {
            multiply_group<Rows, Vectors>(sum[0], row, at, panel);
            panel += Vectors * vector_bytes;
        }
        return panel;
    }

    /// All k groups of tap `t`, in the panel's order if it has one.
    template <int Rows, int Vectors>
    [[gnu::always_inline]] static const unsigned char*
    multiply_tap(accumulator (&sum)[sets<Rows, Vectors>][Rows][Vectors], const unsigned char* const (&row)[Rows],
                 [[maybe_unused]] const std::uint16_t* order, [[maybe_unused]] std::int64_t t, std::int64_t groups,
                 const unsigned char* panel, tile_fetches* fetches) noexcept {
        if constexpr (has_pairs) {
            if (order != nullptr)
                return multiply_ordered<Rows, Vectors>(sum[0], row, order + t * (Arithmetic::pairings + groups), groups,
                                                       panel);
        }
        return multiply_run<Rows, Vectors>(sum, row, groups * row_step, panel, fetches);
    }

    /// The same for columns of four bits.
    template <int Rows, int Vectors>
    [[gnu::always_inline]] static const unsigned char*
    multiply_halves(accumulator (&sum)[sets<Rows, Vectors>][Rows][Vectors], const unsigned char* const (&row)[Rows],
                    std::int64_t bytes, const unsigned char* panel) noexcept {
        constexpr int last = sets<Rows, Vectors> > 1 ? 1 : 0;
        constexpr pairs small = has_pairs ? pairs::fit : pairs::any;
        std::int64_t at = 0;
        if constexpr (takes_row_blocks) at = multiply_blocks<true, Rows, Vectors>(sum, row, bytes, panel);
        for (; at + 2 * row_step <= bytes; at += 2 * row_step, panel += Vectors * vector_bytes) {
            multiply_group<Rows, Vectors, columns_in::low_halves, small>(sum[0], row, at, panel);
            multiply_group<Rows, Vectors, columns_in::high_halves, small>(sum[last], row, at + row_step, panel);
        }
        if (at < bytes) {
            multiply_group<Rows, Vectors, columns_in::low_halves, small>(sum[0], row, at, panel);
            panel += Vectors * vector_bytes;
        }
        return panel;
    }

    template <int Rows, int Vectors, bool FourBits = false>
    static void run(const work& all) noexcept {
        work w = all;
        for (std::int64_t i = 0; i < all.tiles; ++i) {
            run_one<Rows, Vectors, FourBits>(w);
            w.template move_down<Rows>();
        }
    }

    template <int Rows, int Vectors, bool FourBits>
    [[gnu::always_inline]] static void run_one(const work& w) noexcept {
        constexpr int count = sets<Rows, Vectors>;
        const unsigned char* panel = w.panel;
        const std::int64_t groups = (w.channels + Arithmetic::group - 1) / Arithmetic::group;
        [[maybe_unused]] tile_fetches* fetches = nullptr;
        if constexpr (fetches_ahead<Rows, Vectors> && !FourBits) {
            // Rows of results that follow each other are foreseen by the processor.
            const bool apart = w.result != tile_result::bytes && w.row_bytes != Vectors * Arithmetic::lanes * 4;
            if (apart && w.steps != nullptr)
                w.fetches->start_residual(w.steps->residual_row(w.rows.first),
                                          w.rows.step * w.steps->step[0].residual_row_bytes);
            if (w.fetches->start_tile(w.to, w.row_bytes, apart ? Rows : 0)) fetches = w.fetches;
        } else if (w.result != tile_result::bytes && w.taps * w.channels >= long_depth) {
            prefetch_results<Rows, Vectors>(w);
        }
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
        for (std::int64_t t = 0; t < w.taps; ++t) {
            if constexpr (!Arithmetic::is_float) {
                if (w.template adds_nothing<Rows>(t)) {
                    panel += (FourBits ? (groups + 1) / 2 : groups) * Vectors * vector_bytes;
                    continue;
                }
            }
            const unsigned char* row[Rows];
#pragma GCC unroll 16
            for (int r = 0; r < Rows; ++r)
                row[r] = w.row(r, t);
            if constexpr (FourBits)
                panel = multiply_halves<Rows, Vectors>(sum, row, groups * row_step, panel);
            else
                panel = multiply_tap<Rows, Vectors>(sum, row, w.order, t, groups, panel, fetches);
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
                store_floats<!FourBits, Rows, Vectors>(w, sum[0]);
                return;
            }
            if (w.result == tile_result::bytes) {
                store_requantized<!FourBits>(w, sum[0]);
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

    using simd = lanes<Isa>;
    using floats = typename simd::floats;
    using ints = typename simd::ints;
    /// Vector `v` of the rows, scaled and shifted. The columns' numbers stay in registers.
    template <int Rows, int Vectors>
    [[gnu::always_inline]] static void scale_vector(const work& w, const accumulator (&sum)[Rows][Vectors], int v,
                                                    floats (&x)[Rows]) noexcept {
        const floats scale = simd::load(w.scale + v * Arithmetic::lanes);
        const floats bias = simd::load(w.bias + v * Arithmetic::lanes);
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r)
            x[r] = simd::fma(simd::to_float(ints(Arithmetic::bits(sum[r][v]))), scale, bias);
    }

    template <bool TakesList, int Rows, int Vectors>
    [[gnu::always_inline]] static void store_floats(const work& w, accumulator (&sum)[Rows][Vectors]) noexcept {
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) {
            floats x[Rows];
            scale_vector<Rows, Vectors>(w, sum, v, x);
            if (TakesList && w.steps != nullptr)
                column_store<Isa>::add_real(*w.steps, w.rows, v * Arithmetic::lanes, x);
#pragma GCC unroll 16
            for (int r = 0; r < Rows; ++r)
                simd::store(reinterpret_cast<float*>(w.to + r * w.row_bytes) + v * Arithmetic::lanes, x[r]);
        }
    }

    /// Scale, bias, a list of steps and rounding.
    template <class List, int Rows, int Vectors>
    [[gnu::always_inline]] static void round_finished(const work& w, const accumulator (&sum)[Rows][Vectors],
                                                      ints (&q)[Rows][Vectors]) noexcept {
        const floats low = simd::broadcast(static_cast<float>(w.low));
        const floats high = simd::broadcast(static_cast<float>(w.high));
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) {
            floats x[Rows];
            const std::int64_t left = v + 1 < Vectors ? Arithmetic::lanes : w.columns - v * Arithmetic::lanes;
            scale_vector<Rows, Vectors>(w, sum, v, x);
            column_store<Isa>::template apply<List>(*w.steps, w.rows, {v * Arithmetic::lanes, left}, x);
#pragma GCC unroll 16
            for (int r = 0; r < Rows; ++r)
                q[r][v] = simd::round_for_packing(x[r], low, high);
        }
    }

    /// Codes in fixed point, stored as soon as a store is full: their registers are needed for the next.
    template <int Rows, int Vectors>
    [[gnu::always_inline]] static void store_fixed(const work& w, const accumulator (&sum)[Rows][Vectors]) noexcept {
        constexpr int rows_at_once = 4 / Vectors;
        constexpr int count = rows_at_once * Vectors;
        const ints zero = simd::broadcast_int(w.zero_point);
#pragma GCC unroll 16
        for (int r = 0; r < Rows; r += rows_at_once) {
            ints x[count];
            ints q[count];
#pragma GCC unroll 4
            for (int i = 0; i < count; ++i) {
                const int row = r + i / Vectors < Rows ? r + i / Vectors : r;
                x[i] = ints(Arithmetic::bits(sum[row][i % Vectors]));
            }
            codes_of<simd, count, Vectors>(x, w.factors, zero, q);
            store_rows<Rows, Vectors>(w, r, q[0], q[1 % count], q[2 % count], q[3 % count]);
        }
    }

    /// Stores four vectors as bytes of the 4 / Vectors rows from `r` on; rows past the last are left out.
    template <int Rows, int Vectors>
    [[gnu::always_inline]] static void store_rows(const work& w, int r, ints a, ints b, ints c, ints d) noexcept {
        constexpr int rows_at_once = 4 / Vectors;
        constexpr int row_size = Vectors * Arithmetic::lanes;
        auto packed = w.signed_bytes ? simd::template pack<true>(a, b, c, d) : simd::template pack<false>(a, b, c, d);
        if (w.limited) {
            packed = w.signed_bytes ? simd::template limit<true>(packed, w.low, w.high)
                                    : simd::template limit<false>(packed, w.low, w.high);
        }
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

    /// Scale, bias, steps, rounding, saturation and store, without a detour through memory. Columns outermost, so that the constants
    /// of a column stay in registers; a store takes the bytes of four vectors, from several rows where the panel is narrow.
    template <bool TakesList, int Rows, int Vectors>
    [[gnu::always_inline]] static void store_requantized(const work& w, accumulator (&sum)[Rows][Vectors]) noexcept {
        static_assert(simd::width == Arithmetic::lanes && Vectors <= 4);
        if (TakesList && w.factors != nullptr) return store_fixed<Rows, Vectors>(w, sum);
        ints q[Rows][Vectors];
        if (!TakesList || w.steps == nullptr) {
#pragma GCC unroll 8
            for (int v = 0; v < Vectors; ++v) {
                floats x[Rows];
                scale_vector<Rows, Vectors>(w, sum, v, x);
#pragma GCC unroll 16
                for (int r = 0; r < Rows; ++r)
                    q[r][v] = simd::round_to_int(x[r]);
            }
        } else if (w.steps->form == step_form::clamp_scale) {
            round_finished<clamp_scale, Rows, Vectors>(w, sum, q);
        } else if (w.steps->form == step_form::prelu) {
            round_finished<prelu_alone, Rows, Vectors>(w, sum, q);
        } else if (w.steps->form == step_form::requantized) {
            round_finished<requantized, Rows, Vectors>(w, sum, q);
        } else {
            round_finished<quantized_sum, Rows, Vectors>(w, sum, q);
        }
        constexpr int rows_at_once = 4 / Vectors;
#pragma GCC unroll 16
        for (int r = 0; r < Rows; r += rows_at_once) {
            const auto part = [&](int i) __attribute__((always_inline)) -> ints {
                const int row = r + i / Vectors < Rows ? r + i / Vectors : r;
                return q[row][i % Vectors];
            };
            store_rows<Rows, Vectors>(w, r, part(0), part(1), part(2), part(3));
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
