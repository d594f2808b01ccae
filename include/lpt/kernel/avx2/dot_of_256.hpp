// SPDX-License-Identifier: Apache-2.0
// What the 4-element dot products of 256 bits share: AVX2, AVX-VNNI, and the same code with EVEX encodings.
#pragma once

#if defined(__AVX2__)

#include <lpt/kernel/avx2/interleave.hpp>
#include <lpt/kernel/dot.hpp>
#include <lpt/kernel/lanes.hpp>

#include <immintrin.h>

namespace lpt::inline LPT_ABI::kernel {

namespace detail {

template <class Isa>
struct dot_of_256 : interleave_four<Isa> {
    typedef int accumulator __attribute__((vector_size(32)));
    using row_group = __m256i;
    using column_group = __m256i;
    static constexpr std::int64_t group = 4;
    static constexpr int lanes = 8;
    static constexpr int rows = 6;  // 12 accumulators, 2 column registers, 1 row register
    static constexpr int vectors = 2;
    static constexpr bool unsigned_rows = true;
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
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    }
    /// A register, which each row reads, not memory: g++ would load it again for each of two or three rows.
    [[gnu::always_inline]] static void keep(column_group& columns) noexcept { __asm__("" : "+x"(columns)); }
    template <bool High>
    [[gnu::always_inline]] static column_group load_halves(const unsigned char* from) noexcept {
        const __m256i bytes = load_columns(from);
        return _mm256_and_si256(High ? _mm256_srli_epi16(bytes, 4) : bytes, _mm256_set1_epi8(15));
    }
    [[gnu::always_inline]] static row_group load_row(const unsigned char* from) noexcept {
        int four;
        __builtin_memcpy(&four, from, sizeof four);
        return _mm256_set1_epi32(four);
    }
    /// Four lines of 32 bytes byte by byte, [byte][line].
    [[gnu::always_inline]] static void store_interleaved(unsigned char* to, const __m256i (&line)[4]) noexcept {
        const __m256i low01 = _mm256_unpacklo_epi8(line[0], line[1]);
        const __m256i high01 = _mm256_unpackhi_epi8(line[0], line[1]);
        const __m256i low23 = _mm256_unpacklo_epi8(line[2], line[3]);
        const __m256i high23 = _mm256_unpackhi_epi8(line[2], line[3]);
        __m256i* const at = reinterpret_cast<__m256i*>(to);
        _mm256_storeu_si256(at, _mm256_unpacklo_epi16(low01, low23));
        _mm256_storeu_si256(at + 1, _mm256_unpackhi_epi16(low01, low23));
        _mm256_storeu_si256(at + 2, _mm256_unpacklo_epi16(high01, high23));
        _mm256_storeu_si256(at + 3, _mm256_unpackhi_epi16(high01, high23));
    }
    [[gnu::always_inline]] static void interleave_block(unsigned char* to, const unsigned char* const (&lines)[4],
                                                        std::int64_t count, unsigned char flip) noexcept {
        const __m256i bits = _mm256_set1_epi8(static_cast<char>(flip));
        __m256i line[4];
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
            unsigned char whole[32] = {};
            const unsigned char* from = lines[j];
            if (count < 32) {
                copy_few<Isa, 32>(whole, from, count);
                from = whole;
            }
            line[j] = _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)), bits);
        }
        store_interleaved(to, line);
    }
    [[gnu::always_inline]] static void prepare_rows(unsigned char* to, const unsigned char* from, std::int64_t count,
                                                    bool is_signed) noexcept {
        const __m256i top_bits = _mm256_set1_epi8(static_cast<char>(is_signed ? -128 : 0));
        std::int64_t i = 0;
        for (; i + 32 <= count; i += 32) {
            const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), _mm256_xor_si256(bytes, top_bits));
        }
        for (; i < count; ++i)
            to[i] = static_cast<unsigned char>(from[i] ^ (is_signed ? 0x80 : 0));
    }
};

}  // namespace detail

}  // namespace lpt::inline LPT_ABI::kernel

#endif
