// SPDX-License-Identifier: Apache-2.0
// Dot products of signed rows and signed columns on AArch64 without the dot-product extension, exact.
#pragma once

#if defined(__aarch64__)

#include <lpt/kernel/dot.hpp>
#include <lpt/kernel/lanes.hpp>

#include <arm_neon.h>

namespace lpt::inline LPT_ABI::kernel {

namespace detail {

template <class Isa>
struct neon_base {
    typedef int accumulator __attribute__((vector_size(16)));
    using row_group = int8x16_t;
    using column_group = int8x16_t;
    static constexpr std::int64_t group = 4;
    static constexpr int lanes = 4;
    static constexpr bool unsigned_rows = false;
    static constexpr bool either_sign = false;

    [[gnu::always_inline]] static accumulator load(const std::int32_t* from) noexcept {
        return reinterpret_cast<accumulator>(vld1q_s32(from));
    }
    [[gnu::always_inline]] static void store(std::int32_t* to, accumulator value) noexcept {
        vst1q_s32(to, reinterpret_cast<int32x4_t>(value));
    }
    [[gnu::always_inline]] static void settle(accumulator& sum) noexcept { __asm__("" : "+w"(sum)); }
    [[gnu::always_inline]] static int32x4_t bits(accumulator value) noexcept {
        return reinterpret_cast<int32x4_t>(value);
    }
    [[gnu::always_inline]] static column_group load_columns(const unsigned char* from) noexcept {
        return vreinterpretq_s8_u8(vld1q_u8(from));
    }
    template <bool High>
    [[gnu::always_inline]] static column_group load_halves(const unsigned char* from) noexcept {
        const uint8x16_t bytes = vld1q_u8(from);
        return vreinterpretq_s8_u8(High ? vshrq_n_u8(bytes, 4) : vandq_u8(bytes, vdupq_n_u8(15)));
    }
    [[gnu::always_inline]] static row_group load_row(const unsigned char* from) noexcept {
        std::uint32_t four;
        __builtin_memcpy(&four, from, sizeof four);
        return vreinterpretq_s8_u32(vdupq_n_u32(four));
    }
    /// 16 columns of 4 rows of B, from column `n` on, as [column][4].
    [[gnu::always_inline]] static void interleave(unsigned char* to, const unsigned char* const (&lines)[4],
                                                  std::int64_t n) noexcept {
        // A variable, because clang's function is a macro.
        const uint8x16x4_t four = {
            {vld1q_u8(lines[0] + n), vld1q_u8(lines[1] + n), vld1q_u8(lines[2] + n), vld1q_u8(lines[3] + n)}};
        vst4q_u8(to, four);
    }
    [[gnu::always_inline]] static void interleave_block(unsigned char* to, const unsigned char* const (&lines)[4],
                                                        std::int64_t count, unsigned char flip) noexcept {
        uint8x16x4_t four;
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
            unsigned char whole[16] = {};
            const unsigned char* from = lines[j];
            if (count < 16) {
                copy_few<Isa, 16>(whole, from, count);
                from = whole;
            }
            four.val[j] = veorq_u8(vld1q_u8(from), vdupq_n_u8(flip));
        }
        vst4q_u8(to, four);
    }
    [[gnu::always_inline]] static void prepare_rows(unsigned char* to, const unsigned char* from, std::int64_t count,
                                                    bool is_signed) noexcept {
        const std::uint8_t top_bits = is_signed ? 0 : 0x80;
        std::int64_t i = 0;
        for (; i + 16 <= count; i += 16)
            vst1q_u8(to + i, veorq_u8(vld1q_u8(from + i), vdupq_n_u8(top_bits)));
        for (; i < count; ++i)
            to[i] = static_cast<unsigned char>(from[i] ^ top_bits);
    }
};

} // namespace detail

/// Products of two signed bytes fit in 16 bits, sums of two need not: pairs of products are widened to 32 bits as they are added. With
/// two k values a column, a vector of products takes one such addition, and its pairs are the columns.
template <>
struct dot_product<on::neon> : detail::neon_base<on::neon> {
    using row_group = int8x8_t;
    using column_group = int8x8_t;
    static constexpr std::int64_t group = 2;
    static constexpr int rows = 6;  // 24 accumulators, 4 column registers, 1 row register, 1 for products
    static constexpr int vectors = 4;

    [[gnu::always_inline]] static column_group load_columns(const unsigned char* from) noexcept {
        return vreinterpret_s8_u8(vld1_u8(from));
    }
    template <bool High>
    [[gnu::always_inline]] static column_group load_halves(const unsigned char* from) noexcept {
        const uint8x8_t bytes = vld1_u8(from);
        return vreinterpret_s8_u8(High ? vshr_n_u8(bytes, 4) : vand_u8(bytes, vdup_n_u8(15)));
    }
    [[gnu::always_inline]] static row_group load_row(const unsigned char* from) noexcept {
        std::uint16_t two;
        __builtin_memcpy(&two, from, sizeof two);
        return vreinterpret_s8_u16(vdup_n_u16(two));
    }
    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        return reinterpret_cast<accumulator>(vpadalq_s16(reinterpret_cast<int32x4_t>(sum), vmull_s8(row, column)));
    }
    /// 16 columns of 2 rows of B, from column `n` on, as [column][2].
    [[gnu::always_inline]] static void interleave(unsigned char* to, const unsigned char* const (&lines)[2],
                                                  std::int64_t n) noexcept {
        const uint8x16x2_t two = {{vld1q_u8(lines[0] + n), vld1q_u8(lines[1] + n)}};
        vst2q_u8(to, two);
    }
};

/// Depthwise convolution: four k values, whose two sums are added at every step.
template <>
struct dot_of_four<on::neon> : detail::neon_base<on::neon> {
    static constexpr int rows = 4;  // 16 accumulators, 4 column registers, 1 row register and room for the products
    static constexpr int vectors = 4;

    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        const int32x4_t low = vpaddlq_s16(vmull_s8(vget_low_s8(row), vget_low_s8(column)));
        const int32x4_t high = vpaddlq_s16(vmull_high_s8(row, column));
        return sum + reinterpret_cast<accumulator>(vpaddq_s32(low, high));
    }
};

}  // namespace lpt::inline LPT_ABI::kernel

#endif
