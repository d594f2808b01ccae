// SPDX-License-Identifier: Apache-2.0
// Four rows of B, column by column, for the dot products of four bytes.
#pragma once

#include <lpt/base/version.hpp>

#if defined(__AVX2__)

#include <cstdint>

#include <immintrin.h>

namespace lpt::inline LPT_ABI::kernel::detail {

/// `Isa` makes the symbols ones of their own per instruction set.
template <class Isa>
struct interleave_four {
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
};

}  // namespace lpt::inline LPT_ABI::kernel::detail

#endif
