// SPDX-License-Identifier: Apache-2.0
// `lanes` of 8 numbers, for AVX2 with FMA and for the two 256-bit forms of VNNI.
#pragma once

#if defined(__AVX2__) && defined(__FMA__)

#include <lpt/kernel/xsimd_lanes.hpp>

#include <immintrin.h>

namespace lpt::inline LPT_ABI::kernel {

namespace detail {

template <class Isa>
struct lanes_256 : xsimd_lanes<Isa, xsimd::fma3<xsimd::avx2>> {
    using base = xsimd_lanes<Isa, xsimd::fma3<xsimd::avx2>>;
    using typename base::floats;
    using typename base::ints;

    [[gnu::always_inline]] static floats fma(floats a, floats b, floats c) noexcept { return _mm256_fmadd_ps(a, b, c); }
    // The second operand is the answer when a comparison with NaN is involved.
    [[gnu::always_inline]] static floats at_least(floats value, floats low) noexcept {
        return _mm256_max_ps(value, low);
    }
    [[gnu::always_inline]] static floats at_most(floats value, floats high) noexcept {
        return _mm256_min_ps(value, high);
    }
    [[gnu::always_inline]] static ints load_u8(const std::uint8_t* from) noexcept {
        return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
    }
    [[gnu::always_inline]] static ints load_i8(const std::int8_t* from) noexcept {
        return _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
    }
    /// 16-bit halves: (low of a, low of b).
    [[gnu::always_inline]] static ints pair(ints a, ints b) noexcept {
        return _mm256_blend_epi16(a, _mm256_slli_epi32(b, 16), 0xaa);
    }
    /// sum + a.low * b.low + a.high * b.high
    [[gnu::always_inline]] static ints multiply_pairs(ints sum, ints a, ints b) noexcept {
        return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
    }
    [[gnu::always_inline]] static ints shift_right(ints value, ints by) noexcept {
        return _mm256_srav_epi32(value, by);
    }
    [[gnu::always_inline]] static ints doubling_high_product(ints a, ints b) noexcept {
        const __m256i half = _mm256_set1_epi64x(std::int64_t{1} << 30);
        const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(a, b), half);
        const __m256i odd =
            _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(a, 32), _mm256_srli_epi64(b, 32)), half);
        return _mm256_blend_epi32(_mm256_srli_epi64(even, 31), _mm256_add_epi64(odd, odd), 0xaa);
    }
    /// What is added to the products of the even and odd numbers stands for both roundings.
    struct fixed_factors {
        __m256i even, odd, even_up, odd_up, even_down, odd_down, right;
    };
    [[gnu::always_inline]] static fixed_factors factors_of(ints multiplier, ints right) noexcept {
        const __m256i one = _mm256_set1_epi64x(std::int64_t{1} << 31);
        const __m256i half = _mm256_set1_epi64x(std::int64_t{1} << 30);
        const __m256i even_right = _mm256_and_si256(right, _mm256_set1_epi64x(0xffffffff));
        const __m256i odd_right = _mm256_srli_epi64(right, 32);
        fixed_factors result;
        result.even = multiplier;
        result.odd = _mm256_srli_epi64(multiplier, 32);
        result.even_up = _mm256_add_epi64(_mm256_sllv_epi64(one, even_right), half);
        result.odd_up = _mm256_add_epi64(_mm256_sllv_epi64(one, odd_right), half);
        result.even_down = _mm256_sub_epi64(result.even_up, one);
        result.odd_down = _mm256_sub_epi64(result.odd_up, one);
        result.right = right;
        return result;
    }
    /// With p = x * multiplier that is floor((p + 2^30 + 2^(31 + right) - (p < 0 ? 2^31 : 0)) / 2^(32 + right)): floors of quotients by
    /// powers of two follow each other without a change, and where p < 0 but h = 0 both give 0. 64 bits hold the sum.
    [[gnu::always_inline]] static ints rounded_twice(ints x, const fixed_factors& by) noexcept {
        const __m256i even = _mm256_mul_epi32(x, by.even);
        const __m256i odd = _mm256_mul_epi32(_mm256_srli_epi64(x, 32), by.odd);
        const __m256i even_sum = _mm256_add_epi64(even, by_sign(even, by.even_up, by.even_down));
        const __m256i odd_sum = _mm256_add_epi64(odd, by_sign(odd, by.odd_up, by.odd_down));
        return _mm256_srav_epi32(_mm256_blend_epi32(_mm256_srli_epi64(even_sum, 32), odd_sum, 0xaa), by.right);
    }
    /// Numbers of 64 bits: `negative` where `value` is.
    [[gnu::always_inline]] static __m256i by_sign(__m256i value, __m256i other, __m256i negative) noexcept {
        return _mm256_castpd_si256(
            _mm256_blendv_pd(_mm256_castsi256_pd(other), _mm256_castsi256_pd(negative), _mm256_castsi256_pd(value)));
    }
    [[gnu::always_inline]] static __m128i rounded_products(__m128i value, const double* by) noexcept {
        const __m256d sign_bit = _mm256_set1_pd(-0.0), most = _mm256_set1_pd(1073741824.0);
        const __m256d product = _mm256_mul_pd(_mm256_cvtepi32_pd(value), _mm256_loadu_pd(by));
        const __m256d half = _mm256_or_pd(_mm256_and_pd(product, sign_bit), _mm256_set1_pd(0.49999999999999994));
        const __m256d limited = _mm256_min_pd(_mm256_add_pd(product, half), most);
        return _mm256_cvttpd_epi32(_mm256_max_pd(limited, _mm256_or_pd(most, sign_bit)));
    }
    [[gnu::always_inline]] static ints rounded_products(ints value, const double* by) noexcept {
        const __m256i all = value;
        return _mm256_setr_m128i(rounded_products(_mm256_castsi256_si128(all), by),
                                 rounded_products(_mm256_extracti128_si256(all, 1), by + 4));
    }
    using bytes = __m256i;
    /// The numbers of four vectors as bytes, saturated to i8 (`Signed`) or u8, in the order in which packing inside 128-bit halves
    /// leaves them: blocks of 4 bytes a0 b0 c0 d0 a1 b1 c1 d1.
    template <bool Signed>
    [[gnu::always_inline]] static bytes pack_in_parts(ints a, ints b, ints c, ints d) noexcept {
        const __m256i low = _mm256_packs_epi32(a, b);
        const __m256i high = _mm256_packs_epi32(c, d);
        return Signed ? _mm256_packs_epi16(low, high) : _mm256_packus_epi16(low, high);
    }
    /// The same in the order of the vectors.
    template <bool Signed>
    [[gnu::always_inline]] static bytes pack(ints a, ints b, ints c, ints d) noexcept {
        const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
        return _mm256_permutevar8x32_epi32(pack_in_parts<Signed>(a, b, c, d), order);
    }
    /// Four vectors whose bytes `pack_in_parts` would leave in order, in that order themselves.
    [[gnu::always_inline]] static void order_parts(floats (&x)[4]) noexcept {
        const __m256 low01 = _mm256_permute2f128_ps(x[0], x[1], 0x20),
                     high01 = _mm256_permute2f128_ps(x[0], x[1], 0x31);
        const __m256 low23 = _mm256_permute2f128_ps(x[2], x[3], 0x20),
                     high23 = _mm256_permute2f128_ps(x[2], x[3], 0x31);
        x[0] = low01;
        x[1] = low23;
        x[2] = high01;
        x[3] = high23;
    }
    /// Rounds for packing with saturation: what is below all bytes stays so, NaN is; `high` and `low` are what bytes are limited to.
    [[gnu::always_inline]] static ints round_for_packing(floats value, floats, floats high) noexcept {
        // The second operand is the answer for NaN; what does not fit in 32 bits becomes the lowest integer.
        return _mm256_cvtps_epi32(_mm256_min_ps(high, value));
    }
    static constexpr int stream_alignment = 32;
    /// Stores past the caches.
    [[gnu::always_inline]] static void stream(float* to, floats value) noexcept { _mm256_stream_ps(to, value); }
    [[gnu::always_inline]] static void stream_bytes(std::uint8_t* to, bytes value) noexcept {
        _mm256_stream_si256(reinterpret_cast<__m256i*>(to), value);
    }
    /// Other threads see what was streamed before whatever is stored from here on.
    [[gnu::always_inline]] static void end_stream() noexcept { _mm_sfence(); }
    /// Stores the first `count` (<= 32) of packed bytes.
    [[gnu::always_inline]] static void store_first(std::uint8_t* to, bytes value, std::int64_t count) noexcept {
        if (count == 32) {
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value);
            return;
        }
        unsigned char whole[32];
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(whole), value);
        copy_few<Isa, 32>(to, whole, count);
    }
    /// Limits packed bytes to [low, high].
    template <bool Signed>
    [[gnu::always_inline]] static bytes limit(bytes value, std::int32_t low, std::int32_t high) noexcept {
        const __m256i from = _mm256_set1_epi8(static_cast<char>(low));
        const __m256i to = _mm256_set1_epi8(static_cast<char>(high));
        return Signed ? _mm256_min_epi8(_mm256_max_epi8(value, from), to)
                      : _mm256_min_epu8(_mm256_max_epu8(value, from), to);
    }
    /// Stores the first `count` (<= Size) bytes of the piece of packed bytes at [First, First + Size).
    template <int First, int Size>
    [[gnu::always_inline]] static void store_piece(std::uint8_t* to, bytes value, std::int64_t count) noexcept {
        const __m128i half = First < 16 ? _mm256_castsi256_si128(value) : _mm256_extracti128_si256(value, 1);
        const __m128i piece = First % 16 == 0 ? half : _mm_srli_si128(half, First % 16);
        if (count == Size) {
            if constexpr (Size == 16)
                _mm_storeu_si128(reinterpret_cast<__m128i*>(to), piece);
            else
                _mm_storel_epi64(reinterpret_cast<__m128i*>(to), piece);
        } else {
            store_few(to, piece, count);
        }
    }
    /// Stores the first `count` (< 16) bytes.
    [[gnu::noinline]] static void store_few(std::uint8_t* to, __m128i value, std::int64_t count) noexcept {
        unsigned char whole[16];
        _mm_storeu_si128(reinterpret_cast<__m128i*>(whole), value);
        copy_few<Isa, 16>(to, whole, count);
    }
    template <bool Signed>
    [[gnu::always_inline]] static void store_bytes(std::uint8_t* to, ints a, ints b, ints c, ints d) noexcept {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), pack<Signed>(a, b, c, d));
    }
    /// A table of 256 bytes is 16 rows of 16: shuffles look up the low four bits in each, the high ones choose the row, bit by bit.
    [[gnu::always_inline]] static std::int64_t look_up(const std::uint8_t* table, const std::uint8_t* from,
                                                       std::uint8_t* to, std::int64_t count) noexcept {
        __m256i row[16];
#pragma GCC unroll 16
        for (int k = 0; k < 16; ++k)
            row[k] = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table + 16 * k)));
        std::int64_t i = 0;
        for (; i + 32 <= count; i += 32) {
            const __m256i at = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
            const __m256i low = _mm256_and_si256(at, _mm256_set1_epi8(15));
            // The highest bit of a byte is what chooses.
            const __m256i high[4] = {_mm256_slli_epi16(at, 3), _mm256_slli_epi16(at, 2), _mm256_slli_epi16(at, 1), at};
            __m256i found[16];
#pragma GCC unroll 16
            for (int k = 0; k < 16; ++k)
                found[k] = _mm256_shuffle_epi8(row[k], low);
#pragma GCC unroll 4
            for (int bit = 0; bit < 4; ++bit) {
#pragma GCC unroll 8
                for (int k = 0; k < 8 >> bit; ++k)
                    found[k] = _mm256_blendv_epi8(found[2 * k], found[2 * k + 1], high[bit]);
            }
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), found[0]);
        }
        return i;
    }
    /// Sum of `count` unsigned bytes after flipping the bits of `flip` in each.
    [[gnu::always_inline]] static std::uint32_t sum_bytes(const unsigned char* from, std::int64_t count,
                                                          unsigned char flip) noexcept {
        const __m256i mask = _mm256_set1_epi8(static_cast<char>(flip));
        __m256i sum = _mm256_setzero_si256();
        std::int64_t i = 0;
        for (; i + 32 <= count; i += 32) {
            const __m256i value = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
            sum = _mm256_add_epi64(sum, _mm256_sad_epu8(_mm256_xor_si256(value, mask), _mm256_setzero_si256()));
        }
        std::uint64_t parts[4];
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(parts), sum);
        std::uint64_t total = parts[0] + parts[1] + parts[2] + parts[3];
        for (; i < count; ++i)
            total += static_cast<std::uint64_t>(from[i] ^ flip);
        return static_cast<std::uint32_t>(total);
    }
    [[gnu::always_inline]] static void store_byte(std::uint8_t* to, ints value) noexcept {
        const __m256i low_bytes = _mm256_and_si256(value, _mm256_set1_epi32(0xff));
        const __m128i words =
            _mm_packs_epi32(_mm256_castsi256_si128(low_bytes), _mm256_extracti128_si256(low_bytes, 1));
        _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packus_epi16(words, words));
    }
};

}  // namespace detail

template <>
struct lanes<on::avx2> : detail::lanes_256<on::avx2> {};
template <>
struct lanes<on::avx_vnni> : detail::lanes_256<on::avx_vnni> {};
template <>
struct lanes<on::avx512_vnni_256> : detail::lanes_256<on::avx512_vnni_256> {};

}  // namespace lpt::inline LPT_ABI::kernel

#endif
