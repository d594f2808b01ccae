// SPDX-License-Identifier: Apache-2.0
// The 4-element dot product of unsigned rows and signed columns in 512 bits.
#pragma once

#if defined(__AVX512VNNI__)

#include <lpt/kernel/dot.hpp>

#include <immintrin.h>

namespace lpt::kernel {

template <>
struct dot_product<on::avx512_vnni> {
    typedef int accumulator __attribute__((vector_size(64)));
    using row_group = __m512i;
    using column_group = __m512i;
    static constexpr std::int64_t group = 4;
    static constexpr std::int64_t row_value_bytes = 1;
    static constexpr int lanes = 16;
    static constexpr int rows = 6;  // 24 accumulators, 4 column registers, 1 row register
    static constexpr int vectors = 4;
    static constexpr bool unsigned_rows = true;
    static constexpr bool widens_rows = false;

    [[gnu::always_inline]] static accumulator load(const std::int32_t* from) noexcept {
        return reinterpret_cast<accumulator>(_mm512_loadu_si512(from));
    }
    [[gnu::always_inline]] static void store(std::int32_t* to, accumulator value) noexcept {
        _mm512_storeu_si512(to, reinterpret_cast<__m512i>(value));
    }
    [[gnu::always_inline]] static void settle(accumulator& sum) noexcept { __asm__("" : "+v"(sum)); }
    [[gnu::always_inline]] static __m512i bits(accumulator value) noexcept { return reinterpret_cast<__m512i>(value); }
    [[gnu::always_inline]] static column_group load_columns(const unsigned char* from) noexcept {
        return _mm512_loadu_si512(from);
    }
    [[gnu::always_inline]] static row_group load_row(const unsigned char* from) noexcept {
        int four;
        __builtin_memcpy(&four, from, sizeof four);
        return _mm512_set1_epi32(four);
    }
    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        return reinterpret_cast<accumulator>(_mm512_dpbusd_epi32(reinterpret_cast<__m512i>(sum), row, column));
    }
    /// 16 columns of 4 rows of B, from column `n` on, as [column][4].
    [[gnu::always_inline]] static void interleave(unsigned char* to, const unsigned char* const (&lines)[4],
                                                  std::int64_t n) noexcept {
        const auto load = [&](int j) __attribute__((always_inline)) {
            return _mm_loadu_si128(reinterpret_cast<const __m128i*>(lines[j] + n));
        };
        const __m128i low01 = _mm_unpacklo_epi8(load(0), load(1));
        const __m128i high01 = _mm_unpackhi_epi8(load(0), load(1));
        const __m128i low23 = _mm_unpacklo_epi8(load(2), load(3));
        const __m128i high23 = _mm_unpackhi_epi8(load(2), load(3));
        __m128i* const at = reinterpret_cast<__m128i*>(to);
        _mm_storeu_si128(at, _mm_unpacklo_epi16(low01, low23));
        _mm_storeu_si128(at + 1, _mm_unpackhi_epi16(low01, low23));
        _mm_storeu_si128(at + 2, _mm_unpacklo_epi16(high01, high23));
        _mm_storeu_si128(at + 3, _mm_unpackhi_epi16(high01, high23));
    }
    [[gnu::always_inline]] static void prepare_rows(unsigned char* to, const unsigned char* from, std::int64_t count,
                                                    bool) noexcept {
        const __m512i top_bits = _mm512_set1_epi8(-128);
        std::int64_t i = 0;
        for (; i + 64 <= count; i += 64)
            _mm512_storeu_si512(to + i, _mm512_xor_si512(_mm512_loadu_si512(from + i), top_bits));
        if (i < count) {
            const __mmask64 rest = (std::uint64_t{1} << (count - i)) - 1;
            _mm512_storeu_si512(to + i, _mm512_xor_si512(_mm512_maskz_loadu_epi8(rest, from + i), top_bits));
        }
    }
};

}  // namespace lpt::kernel

#endif
