// SPDX-License-Identifier: Apache-2.0
// The 2-element dot product of 16-bit rows and signed 8-bit columns on AVX2, exact.
#pragma once

#if defined(__AVX2__)

#include <lpt/kernel/dot.hpp>

#include <immintrin.h>

namespace lpt::inline LPT_ABI::kernel {

/// Bytes are widened to 16 bits and multiplied with pmaddwd: two products of at most 255 * 128 fit in 32 bits. (pmaddubsw would save
/// a quarter of the work and saturate in 16 bits: wrong results.) Rows are widened once for a tile, columns at every load, which
/// keeps packed weights at one byte each.
template <>
struct dot_product<on::avx2> {
    typedef int accumulator __attribute__((vector_size(32)));
    using row_group = __m256i;
    using column_group = __m256i;
    static constexpr std::int64_t group = 2;
    static constexpr std::int64_t row_value_bytes = 2;
    static constexpr int lanes = 8;
    static constexpr int rows = 6;  // 12 accumulators, 2 column registers, 1 row register, 1 for a product
    static constexpr int vectors = 2;
    static constexpr bool unsigned_rows = true;
    static constexpr bool widens_rows = true;
    static constexpr bool either_sign = false;

    [[gnu::always_inline]] static accumulator load(const std::int32_t* from) noexcept {
        return reinterpret_cast<accumulator>(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
    }
    [[gnu::always_inline]] static void store(std::int32_t* to, accumulator value) noexcept {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), reinterpret_cast<__m256i>(value));
    }
    [[gnu::always_inline]] static void settle(accumulator& sum) noexcept { __asm__("" : "+x"(sum)); }
    [[gnu::always_inline]] static __m256i bits(accumulator value) noexcept { return reinterpret_cast<__m256i>(value); }
    [[gnu::always_inline]] static column_group load_columns(const unsigned char* from) noexcept {
        return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    }
    template <bool High>
    [[gnu::always_inline]] static column_group load_halves(const unsigned char* from) noexcept {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
        return _mm256_cvtepu8_epi16(_mm_and_si128(High ? _mm_srli_epi16(bytes, 4) : bytes, _mm_set1_epi8(15)));
    }
    [[gnu::always_inline]] static row_group load_row(const unsigned char* from) noexcept {
        int two;
        __builtin_memcpy(&two, from, sizeof two);
        return _mm256_set1_epi32(two);
    }
    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        return sum + reinterpret_cast<accumulator>(_mm256_madd_epi16(row, column));
    }
    /// 16 columns of 2 rows of B, from column `n` on, as [column][2].
    [[gnu::always_inline]] static void interleave(unsigned char* to, const unsigned char* const (&lines)[2],
                                                  std::int64_t n) noexcept {
        const __m128i first = _mm_loadu_si128(reinterpret_cast<const __m128i*>(lines[0] + n));
        const __m128i second = _mm_loadu_si128(reinterpret_cast<const __m128i*>(lines[1] + n));
        __m128i* const at = reinterpret_cast<__m128i*>(to);
        _mm_storeu_si128(at, _mm_unpacklo_epi8(first, second));
        _mm_storeu_si128(at + 1, _mm_unpackhi_epi8(first, second));
    }
    [[gnu::always_inline]] static void prepare_rows(unsigned char* to, const unsigned char* from, std::int64_t count,
                                                    bool is_signed) noexcept {
        std::int64_t i = 0;
        for (; i + 16 <= count; i += 16) {
            const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
            const __m256i wide = is_signed ? _mm256_cvtepi8_epi16(bytes) : _mm256_cvtepu8_epi16(bytes);
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i * 2), wide);
        }
        for (; i < count; ++i) {
            const std::int16_t wide = is_signed ? static_cast<std::int16_t>(static_cast<std::int8_t>(from[i]))
                                                : static_cast<std::int16_t>(from[i]);
            __builtin_memcpy(to + i * 2, &wide, sizeof wide);
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel

#endif
