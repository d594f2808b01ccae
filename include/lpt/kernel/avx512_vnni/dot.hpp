// SPDX-License-Identifier: Apache-2.0
// The 4-element dot product of unsigned rows and signed columns in 512 bits.
#pragma once

#if defined(__AVX512VNNI__)

#include <lpt/kernel/avx2/interleave.hpp>
#include <lpt/kernel/dot.hpp>

#include <immintrin.h>

namespace lpt::inline LPT_ABI::kernel {

template <>
struct dot_product<on::avx512_vnni> : detail::interleave_four<on::avx512_vnni> {
    typedef int accumulator __attribute__((vector_size(64)));
    using row_group = __m512i;
    using column_group = __m512i;
    static constexpr std::int64_t group = 4;
    static constexpr int lanes = 16;
    static constexpr int rows = 6;  // 24 accumulators, 4 column registers, 1 row register
    static constexpr int vectors = 4;
    static constexpr bool unsigned_rows = true;
    static constexpr bool either_sign = false;

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
    /// A register, which each row reads, not memory: g++ would load it again for each of two or three rows.
    [[gnu::always_inline]] static void keep(column_group& columns) noexcept { __asm__("" : "+v"(columns)); }
    template <bool High>
    [[gnu::always_inline]] static column_group load_halves(const unsigned char* from) noexcept {
        const __m512i bytes = _mm512_loadu_si512(from);
        return _mm512_and_si512(High ? _mm512_srli_epi16(bytes, 4) : bytes, _mm512_set1_epi8(15));
    }
    [[gnu::always_inline]] static row_group load_row(const unsigned char* from) noexcept {
        int four;
        __builtin_memcpy(&four, from, sizeof four);
        return _mm512_set1_epi32(four);
    }
    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        return reinterpret_cast<accumulator>(_mm512_dpbusd_epi32(reinterpret_cast<__m512i>(sum), row, column));
    }
    [[gnu::always_inline]] static void interleave_block(unsigned char* to, const unsigned char* const (&lines)[4],
                                                        std::int64_t count, unsigned char flip) noexcept {
        const __mmask64 inside = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
        __m512i line[4];
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j)
            line[j] = _mm512_maskz_loadu_epi8(inside, lines[j]);
        if (flip != 0) {
#pragma GCC unroll 4
            for (int j = 0; j < 4; ++j)
                line[j] = _mm512_xor_si512(line[j], _mm512_set1_epi8(static_cast<char>(flip)));
        }
        __m512i mixed[4];
        interleave_lines(line, mixed);
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v)
            _mm512_storeu_si512(to + v * 64, mixed[v]);
    }
    /// The bytes of four vectors, one of each side by side; inside 128-bit parts, so vector v, part l has bytes 4 v to 4 v + 3 of part l.
    [[gnu::always_inline]] static void interleave_lines(const __m512i (&line)[4], __m512i (&mixed)[4]) noexcept {
        const __m512i low01 = _mm512_unpacklo_epi8(line[0], line[1]);
        const __m512i high01 = _mm512_unpackhi_epi8(line[0], line[1]);
        const __m512i low23 = _mm512_unpacklo_epi8(line[2], line[3]);
        const __m512i high23 = _mm512_unpackhi_epi8(line[2], line[3]);
        mixed[0] = _mm512_unpacklo_epi16(low01, low23);
        mixed[1] = _mm512_unpackhi_epi16(low01, low23);
        mixed[2] = _mm512_unpacklo_epi16(high01, high23);
        mixed[3] = _mm512_unpackhi_epi16(high01, high23);
    }
    [[gnu::always_inline]] static void prepare_rows(unsigned char* to, const unsigned char* from, std::int64_t count,
                                                    bool is_signed) noexcept {
        const __m512i top_bits = _mm512_set1_epi8(static_cast<char>(is_signed ? -128 : 0));
        std::int64_t i = 0;
        for (; i + 64 <= count; i += 64)
            _mm512_storeu_si512(to + i, _mm512_xor_si512(_mm512_loadu_si512(from + i), top_bits));
        if (i < count) {
            const __mmask64 rest = (std::uint64_t{1} << (count - i)) - 1;
            const __mmask16 groups = static_cast<__mmask16>((std::uint32_t{1} << ((count - i + 3) / 4)) - 1);
            const __m512i last = _mm512_xor_si512(_mm512_maskz_loadu_epi8(rest, from + i), top_bits);
            _mm512_mask_storeu_epi32(to + i, groups, last);
        }
    }
};

}  // namespace lpt::inline LPT_ABI::kernel

#endif
