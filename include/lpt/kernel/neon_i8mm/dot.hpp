// SPDX-License-Identifier: Apache-2.0
// Products of 2 x 8 bytes with 8 x 2 bytes on AArch64 with the matrix multiplication extension of 8-bit integers.
#pragma once

#if defined(__aarch64__) && defined(__ARM_FEATURE_MATMUL_INT8) && defined(__ARM_FEATURE_DOTPROD)

#include <lpt/kernel/neon/dot.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// Columns are packed as for dot products of eight bytes, so two of them side by side are one operand of a matrix product; two rows
/// are the other (`dense_tile` of this instruction set). A vector of the tile is 4 columns.
template <>
struct dot_product<on::neon_i8mm> : detail::neon_base<on::neon_i8mm> {
    using row_group = int8x8_t;
    using column_group = int8x16x2_t;
    static constexpr std::int64_t group = 8;
    static constexpr int rows =
        4;  // 2 pairs of rows x 12 pairs of columns: 24 accumulators, 2 registers of rows, some of columns
    static constexpr int vectors = 6;
    static constexpr bool either_sign = true;

    [[gnu::always_inline]] static row_group load_row(const unsigned char* from) noexcept {
        return vreinterpret_s8_u8(vld1_u8(from));
    }
    [[gnu::always_inline]] static column_group load_columns(const unsigned char* from) noexcept {
        return {{vreinterpretq_s8_u8(vld1q_u8(from)), vreinterpretq_s8_u8(vld1q_u8(from + 16))}};
    }
    /// sum[lane] += row . column[lane], for column sums.
    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        const int8x16_t both = vcombine_s8(row, row);
        const int32x4_t first = vdotq_s32(vdupq_n_s32(0), both, column.val[0]);
        const int32x4_t second = vdotq_s32(vdupq_n_s32(0), both, column.val[1]);
        return sum + reinterpret_cast<accumulator>(vpaddq_s32(first, second));
    }
    /// 16 columns of 8 rows of B, from column `n` on, as [column][8].
    [[gnu::always_inline]] static void interleave(unsigned char* to, const unsigned char* const (&lines)[8],
                                                  std::int64_t n) noexcept {
        uint16x8_t pair[2][4];  // half of the columns, rows 2 j and 2 j + 1
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
            const uint8x16_t a = vld1q_u8(lines[2 * j] + n);
            const uint8x16_t b = vld1q_u8(lines[2 * j + 1] + n);
            pair[0][j] = vreinterpretq_u16_u8(vzip1q_u8(a, b));
            pair[1][j] = vreinterpretq_u16_u8(vzip2q_u8(a, b));
        }
#pragma GCC unroll 2
        for (int half = 0; half < 2; ++half) {
            const auto& p = pair[half];
            interleave_fours(to + half * 64, vzip1q_u16(p[0], p[1]), vzip1q_u16(p[2], p[3]));
            interleave_fours(to + half * 64 + 32, vzip2q_u16(p[0], p[1]), vzip2q_u16(p[2], p[3]));
        }
    }
    [[gnu::always_inline]] static void prepare_rows(unsigned char* to, const unsigned char* from, std::int64_t count,
                                                    bool) noexcept {
        __builtin_memcpy(to, from, static_cast<std::size_t>(count));
    }

private:
    /// Four columns: rows 0 to 3 and rows 4 to 7.
    [[gnu::always_inline]] static void interleave_fours(unsigned char* to, uint16x8_t low, uint16x8_t high) noexcept {
        const uint32x4_t a = vreinterpretq_u32_u16(low);
        const uint32x4_t b = vreinterpretq_u32_u16(high);
        vst1q_u8(to, vreinterpretq_u8_u32(vzip1q_u32(a, b)));
        vst1q_u8(to + 16, vreinterpretq_u8_u32(vzip2q_u32(a, b)));
    }
};

/// The instruction set has the dot products of four bytes as well: for depthwise convolution.
template <>
struct dot_of_four<on::neon_i8mm> : detail::neon_base<on::neon_i8mm> {
    static constexpr int rows = 6;
    static constexpr int vectors = 4;

    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        return reinterpret_cast<accumulator>(vdotq_s32(reinterpret_cast<int32x4_t>(sum), row, column));
    }
};

}  // namespace lpt::inline LPT_ABI::kernel

#endif
