// SPDX-License-Identifier: Apache-2.0
// `lanes` of 16 numbers, for AVX-512.
#pragma once

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__)

#include <lpt/kernel/xsimd_lanes.hpp>

#include <immintrin.h>

namespace lpt::kernel {

template <>
struct lanes<on::avx512_vnni> : detail::xsimd_lanes<on::avx512_vnni, xsimd::avx512bw> {
    // xsimd 8 to 10 have no fused multiply-add for AVX-512 and would round twice.
    [[gnu::always_inline]] static floats fma(floats a, floats b, floats c) noexcept { return _mm512_fmadd_ps(a, b, c); }
    [[gnu::always_inline]] static floats at_least(floats value, floats low) noexcept {
        return _mm512_max_ps(value, low);
    }
    [[gnu::always_inline]] static floats at_most(floats value, floats high) noexcept {
        return _mm512_min_ps(value, high);
    }
    [[gnu::always_inline]] static ints load_u8(const std::uint8_t* from) noexcept {
        return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    }
    [[gnu::always_inline]] static ints load_i8(const std::int8_t* from) noexcept {
        return _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    }
    /// 16-bit halves: (low of a, low of b).
    [[gnu::always_inline]] static ints pair(ints a, ints b) noexcept {
        return _mm512_mask_blend_epi16(0xaaaaaaaau, a, _mm512_slli_epi32(b, 16));
    }
    /// sum + a.low * b.low + a.high * b.high
    [[gnu::always_inline]] static ints multiply_pairs(ints sum, ints a, ints b) noexcept {
        return _mm512_add_epi32(sum, _mm512_madd_epi16(a, b));
    }
    /// The packs work inside 128-bit quarters: the 4-byte blocks come out as a0 b0 c0 d0 a1 b1 c1 d1 ... d3.
    template <bool Signed>
    [[gnu::always_inline]] static void store_bytes(std::uint8_t* to, ints a, ints b, ints c, ints d) noexcept {
        const __m512i low = _mm512_packs_epi32(a, b);
        const __m512i high = _mm512_packs_epi32(c, d);
        const __m512i bytes = Signed ? _mm512_packs_epi16(low, high) : _mm512_packus_epi16(low, high);
        const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
        _mm512_storeu_si512(to, _mm512_permutexvar_epi32(order, bytes));
    }
    [[gnu::always_inline]] static void store_byte(std::uint8_t* to, ints value) noexcept {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(value));
    }
};

} // namespace lpt::kernel

#endif
