// SPDX-License-Identifier: Apache-2.0
// The inner loop of the dense kernel where an instruction multiplies matrices of bytes.
#pragma once

#if defined(__aarch64__) && defined(__ARM_FEATURE_MATMUL_INT8) && defined(__ARM_FEATURE_DOTPROD)

#include <lpt/kernel/dense_tile.hpp>
#include <lpt/kernel/neon/lanes.hpp>
#include <lpt/kernel/neon_i8mm/dot.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// Sums are blocks of 2 rows x 2 columns, which become vectors of 4 columns of a row at the end. A pair of rows is put together from two
/// loads and an insertion; a wide tile makes that one vector instruction in thirteen.
template <>
struct dense_tile<on::neon_i8mm, integer_arithmetic<on::neon_i8mm>> {
    using arithmetic = integer_arithmetic<on::neon_i8mm>;
    using accumulator = arithmetic::accumulator;
    using simd = lanes<on::neon_i8mm>;
    using factors_type = simd::fixed_factors;
    using work = tile_work<std::int32_t, factors_type>;
    using function = void (*)(const work&) noexcept;
    static constexpr std::int64_t vector_bytes = arithmetic::lanes * arithmetic::column_group_bytes;

    /// Pairs of rows of the highest tile for panels of `vectors` vectors.
    static constexpr int pairs_for(int vectors) noexcept { return vectors <= 3 ? 4 : 2; }

    /// The height of the next tile when `rows` (>= 1) rows are left.
    static constexpr int height_for(std::int64_t rows, int vectors, bool = false) noexcept {
        const int highest = 2 * pairs_for(vectors);
        if (rows >= highest) return highest;
        return rows >= 4 ? 4 : rows >= 2 ? 2 : 1;
    }
    /// How many tiles of that height are next.
    static constexpr std::int64_t tiles_for(std::int64_t rows, int vectors, bool four_bits = false) noexcept {
        return rows / height_for(rows, vectors, four_bits);
    }
    /// Whether tiles apply the post operations of an epilogue.
    static bool takes_list(const epilogue&, bool) noexcept { return false; }
    /// The tile of a height that `height_for` gives and so many vectors (1 ... 6), over columns of 8 or 4 bits.
    static function find(int height, std::int64_t vectors, bool four_bits = false) noexcept {
        return four_bits ? find_from<1, true>(height, vectors) : find_from<1, false>(height, vectors);
    }

private:
    template <int Vectors, bool FourBits>
    static function find_from(int height, std::int64_t vectors) noexcept {
        if constexpr (Vectors < arithmetic::vectors) {
            if (vectors != Vectors) return find_from<Vectors + 1, FourBits>(height, vectors);
        }
        if constexpr (pairs_for(Vectors) == 4) {
            if (height == 8) return &run<8, Vectors, FourBits>;
        }
        if (height == 4) return &run<4, Vectors, FourBits>;
        // A single row is computed twice and stored once.
        return height == 2 ? &run<2, Vectors, FourBits> : &run<1, Vectors, FourBits>;
    }

    template <int Rows, int Vectors, bool FourBits>
    static void run(const work& all) noexcept {
        work w = all;
        for (std::int64_t i = 0; i < all.tiles; ++i) {
            run_one<Rows, Vectors, FourBits>(w);
            w.move_down<Rows>();
        }
    }

    /// Two columns of 8 values: of a panel of 8 bits, or the low or high halves of bytes.
    enum class columns_in { bytes, low_halves, high_halves };
    template <columns_in Where>
    [[gnu::always_inline]] static int8x16_t load_pair(const unsigned char* from) noexcept {
        const uint8x16_t bytes = vld1q_u8(from);
        if constexpr (Where == columns_in::low_halves)
            return vreinterpretq_s8_u8(vandq_u8(bytes, vdupq_n_u8(15)));
        else if constexpr (Where == columns_in::high_halves)
            return vreinterpretq_s8_u8(vshrq_n_u8(bytes, 4));
        else
            return vreinterpretq_s8_u8(bytes);
    }

    template <bool Signed>
    [[gnu::always_inline]] static int32x4_t multiply(int32x4_t sum, int8x16_t rows, int8x16_t columns) noexcept {
        if constexpr (Signed)
            return vmmlaq_s32(sum, rows, columns);
        else
            return vusmmlaq_s32(sum, vreinterpretq_u8_s8(rows), columns);
    }

    /// One k group: `at` bytes into each row.
    template <int Pairs, int Vectors, bool Signed, columns_in Where>
    [[gnu::always_inline]] static void multiply_group(int32x4_t (&sum)[Pairs][2 * Vectors],
                                                      const unsigned char* const (&row)[2 * Pairs], std::int64_t at,
                                                      const unsigned char* panel) noexcept {
        int8x16_t rows[Pairs];
#pragma GCC unroll 4
        for (int p = 0; p < Pairs; ++p)
            rows[p] = vcombine_s8(vreinterpret_s8_u8(vld1_u8(row[2 * p] + at)),
                                  vreinterpret_s8_u8(vld1_u8(row[2 * p + 1] + at)));
#pragma GCC unroll 12
        for (int c = 0; c < 2 * Vectors; ++c) {
            const int8x16_t columns = load_pair<Where>(panel + c * 16);
#pragma GCC unroll 4
            for (int p = 0; p < Pairs; ++p)
                sum[p][c] = multiply<Signed>(sum[p][c], rows[p], columns);
        }
    }

    template <int Pairs, int Vectors, bool Signed, bool FourBits>
    [[gnu::always_inline]] static const unsigned char*
    multiply_run(int32x4_t (&sum)[Pairs][2 * Vectors], const unsigned char* const (&row)[2 * Pairs], std::int64_t bytes,
                 const unsigned char* panel) noexcept {
        constexpr std::int64_t step = Vectors * vector_bytes;
        std::int64_t at = 0;
        if constexpr (FourBits) {
            for (; at + 16 <= bytes; at += 16, panel += step) {
                multiply_group<Pairs, Vectors, Signed, columns_in::low_halves>(sum, row, at, panel);
                multiply_group<Pairs, Vectors, Signed, columns_in::high_halves>(sum, row, at + 8, panel);
            }
            if (at < bytes) {
                multiply_group<Pairs, Vectors, Signed, columns_in::low_halves>(sum, row, at, panel);
                panel += step;
            }
        } else {
            for (; at < bytes; at += 8, panel += step)
                multiply_group<Pairs, Vectors, Signed, columns_in::bytes>(sum, row, at, panel);
        }
        return panel;
    }

    template <int Rows, int Vectors, bool Signed, bool FourBits>
    [[gnu::always_inline]] static void multiply_taps(const work& w,
                                                     int32x4_t (&sum)[(Rows + 1) / 2][2 * Vectors]) noexcept {
        constexpr int pairs = (Rows + 1) / 2;
        const unsigned char* panel = w.panel;
        const std::int64_t groups = (w.channels + arithmetic::group - 1) / arithmetic::group;
        for (std::int64_t t = 0; t < w.taps; ++t) {
            if (w.adds_nothing<Rows>(t)) {
                panel += (FourBits ? (groups + 1) / 2 : groups) * Vectors * vector_bytes;
                continue;
            }
            const unsigned char* row[2 * pairs];
#pragma GCC unroll 8
            for (int r = 0; r < 2 * pairs; ++r)
                row[r] = w.row(r < Rows ? r : Rows - 1, t);
            panel = multiply_run<pairs, Vectors, Signed, FourBits>(sum, row, groups * arithmetic::group, panel);
        }
    }

    template <int Rows, int Vectors, bool FourBits>
    [[gnu::always_inline]] static void run_one(const work& w) noexcept {
        constexpr int pairs = (Rows + 1) / 2;
        int32x4_t sum[pairs][2 * Vectors];
#pragma GCC unroll 6
        for (int v = 0; v < Vectors; ++v) {
            const int64x2_t first = vreinterpretq_s64_s32(vld1q_s32(w.start + v * arithmetic::lanes));
            const int32x4_t low = vreinterpretq_s32_s64(vdupq_laneq_s64(first, 0));
            const int32x4_t high = vreinterpretq_s32_s64(vdupq_laneq_s64(first, 1));
#pragma GCC unroll 4
            for (int p = 0; p < pairs; ++p) {
                sum[p][2 * v] = low;
                sum[p][2 * v + 1] = high;
            }
        }
        if (w.signed_rows)
            multiply_taps<Rows, Vectors, true, FourBits>(w, sum);
        else
            multiply_taps<Rows, Vectors, false, FourBits>(w, sum);
        store_rows<Rows, Vectors>(w, sum);
    }

    /// Vectors of 4 columns of row `r`.
    template <int Pairs, int Vectors>
    [[gnu::always_inline]] static int32x4_t row_vector(const int32x4_t (&sum)[Pairs][2 * Vectors], int r,
                                                       int v) noexcept {
        const int64x2_t low = vreinterpretq_s64_s32(sum[r / 2][2 * v]);
        const int64x2_t high = vreinterpretq_s64_s32(sum[r / 2][2 * v + 1]);
        return vreinterpretq_s32_s64(r % 2 == 0 ? vtrn1q_s64(low, high) : vtrn2q_s64(low, high));
    }

    template <int Rows, int Vectors>
    [[gnu::always_inline]] static void store_rows(const work& w,
                                                  int32x4_t (&sum)[(Rows + 1) / 2][2 * Vectors]) noexcept {
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r) {
            const int32x4_t added = vdupq_n_s32(w.row_start != nullptr ? w.row_start[r] : 0);
            int32x4_t row[Vectors];
#pragma GCC unroll 6
            for (int v = 0; v < Vectors; ++v)
                row[v] = vaddq_s32(row_vector<(Rows + 1) / 2, Vectors>(sum, r, v), added);
            unsigned char* const to = w.to + r * w.row_bytes;
            if (w.result == tile_result::sums) {
#pragma GCC unroll 6
                for (int v = 0; v < Vectors; ++v)
                    vst1q_s32(reinterpret_cast<std::int32_t*>(to) + v * arithmetic::lanes, row[v]);
            } else {
                store_scaled<Vectors>(w, row, to);
            }
        }
    }

    template <int Vectors>
    [[gnu::always_inline]] static void store_scaled(const work& w, const int32x4_t (&row)[Vectors],
                                                    unsigned char* to) noexcept {
        using ints = simd::ints;
        if (w.factors != nullptr) {
            ints code[Vectors];
#pragma GCC unroll 6
            for (int v = 0; v < Vectors; ++v)
                code[v] = simd::add_int(simd::rounded_twice(row[v], w.factors[v]), simd::broadcast_int(w.zero_point));
            store_codes<Vectors>(w, code, to);
            return;
        }
        simd::floats value[Vectors];
#pragma GCC unroll 6
        for (int v = 0; v < Vectors; ++v)
            value[v] = simd::fma(simd::to_float(ints(row[v])), simd::load(w.scale + v * arithmetic::lanes),
                                 simd::load(w.bias + v * arithmetic::lanes));
        if (w.result == tile_result::floats) {
#pragma GCC unroll 6
            for (int v = 0; v < Vectors; ++v)
                simd::store(reinterpret_cast<float*>(to) + v * arithmetic::lanes, value[v]);
            return;
        }
        ints code[Vectors];
#pragma GCC unroll 6
        for (int v = 0; v < Vectors; ++v)
            code[v] = simd::round_to_int(value[v]);
        store_codes<Vectors>(w, code, to);
    }

    template <int Vectors>
    [[gnu::always_inline]] static void store_codes(const work& w, const simd::ints (&code)[Vectors],
                                                   unsigned char* to) noexcept {
        // A store takes the bytes of four vectors.
#pragma GCC unroll 2
        for (int first = 0; first < Vectors; first += 4) {
            const auto part = [&](int i) __attribute__((always_inline)) -> simd::ints {
                return code[first + i < Vectors ? first + i : first];
            };
            auto packed = w.signed_bytes ? simd::pack<true>(part(0), part(1), part(2), part(3))
                                         : simd::pack<false>(part(0), part(1), part(2), part(3));
            if (w.limited) {
                packed = w.signed_bytes ? simd::limit<true>(packed, w.low, w.high)
                                        : simd::limit<false>(packed, w.low, w.high);
            }
            const std::int64_t columns = w.columns - first * arithmetic::lanes;
            const std::int64_t most = (Vectors - first < 4 ? Vectors - first : 4) * arithmetic::lanes;
            store_first(to + first * arithmetic::lanes, packed, columns < most ? columns : most);
        }
    }

    /// Stores the first `count` (<= 16) bytes.
    [[gnu::always_inline]] static void store_first(unsigned char* to, uint8x16_t value, std::int64_t count) noexcept {
        if (count == 16) {
            vst1q_u8(to, value);
        } else if (count > 0) {
            unsigned char whole[16];
            vst1q_u8(whole, value);
            copy_few<on::neon_i8mm, 16>(to, whole, count);
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel

#endif
