// SPDX-License-Identifier: Apache-2.0
// `lanes` of 16 numbers, for AVX-512.
#pragma once

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__)

#include <lpt/kernel/xsimd_lanes.hpp>

#include <immintrin.h>

namespace lpt::inline LPT_ABI::kernel {

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
    /// The first `count` (< 16) numbers, the rest zero; nothing past them is read.
    [[gnu::always_inline]] static floats load_first(const float* from, std::int64_t count) noexcept {
        return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << count) - 1u), from);
    }
    template <bool Signed>
    [[gnu::always_inline]] static ints load_first_bytes(const unsigned char* from, std::int64_t count) noexcept {
        const __m128i bytes = _mm_maskz_loadu_epi8(static_cast<__mmask16>((1u << count) - 1u), from);
        return Signed ? _mm512_cvtepi8_epi32(bytes) : _mm512_cvtepu8_epi32(bytes);
    }
    /// table[index mod 16]
    [[gnu::always_inline]] static floats look_up_16(floats table, ints index) noexcept {
        return _mm512_permutexvar_ps(index, table);
    }
    /// 16-bit halves: (low of a, low of b).
    [[gnu::always_inline]] static ints pair(ints a, ints b) noexcept {
        return _mm512_mask_blend_epi16(0xaaaaaaaau, a, _mm512_slli_epi32(b, 16));
    }
    /// sum + a.low * b.low + a.high * b.high
    [[gnu::always_inline]] static ints multiply_pairs(ints sum, ints a, ints b) noexcept {
        return _mm512_add_epi32(sum, _mm512_madd_epi16(a, b));
    }
    [[gnu::always_inline]] static ints shift_right(ints value, ints by) noexcept {
        return _mm512_srav_epi32(value, by);
    }
    [[gnu::always_inline]] static ints doubling_high_product(ints a, ints b) noexcept {
        const __m512i half = _mm512_set1_epi64(std::int64_t{1} << 30);
        const __m512i even = _mm512_add_epi64(_mm512_mul_epi32(a, b), half);
        const __m512i odd =
            _mm512_add_epi64(_mm512_mul_epi32(_mm512_srli_epi64(a, 32), _mm512_srli_epi64(b, 32)), half);
        return _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 31), _mm512_add_epi64(odd, odd));
    }
    struct fixed_factors {
        __m512i multiplier, right;
        __m512 scale;  // multiplier / 2^(32 + right)
        __m512 half_step;  // half of what one step of h is worth: 1 / 2^(2 + right)
    };
    [[gnu::always_inline]] static fixed_factors factors_of(ints multiplier, ints right) noexcept {
        const __m512 down = _mm512_cvtepi32_ps(_mm512_sub_epi32(_mm512_set1_epi32(-2), right));
        fixed_factors result;
        result.multiplier = multiplier;
        result.right = right;
        result.scale = _mm512_scalef_ps(_mm512_cvtepi32_ps(multiplier), _mm512_sub_ps(down, _mm512_set1_ps(30)));
        result.half_step = _mm512_scalef_ps(_mm512_set1_ps(1), down);
        return result;
    }
    /// As in `lanes_256`.
    [[gnu::always_inline]] static ints rounded_twice(ints x, const fixed_factors& by) noexcept {
        const __m512i one = _mm512_set1_epi64(std::int64_t{1} << 31);
        const __m512i half = _mm512_set1_epi64(std::int64_t{1} << 30);
        const __m512i even_right = _mm512_and_si512(by.right, _mm512_set1_epi64(0xffffffff));
        const __m512i odd_right = _mm512_srli_epi64(by.right, 32);
        const __m512i even = _mm512_mul_epi32(x, by.multiplier);
        const __m512i odd = _mm512_mul_epi32(_mm512_srli_epi64(x, 32), _mm512_srli_epi64(by.multiplier, 32));
        const __m512i even_sum = sum_by_sign(even, _mm512_add_epi64(_mm512_sllv_epi64(one, even_right), half));
        const __m512i odd_sum = sum_by_sign(odd, _mm512_add_epi64(_mm512_sllv_epi64(one, odd_right), half));
        const __m512i high = _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even_sum, 32), odd_sum);
        return _mm512_srav_epi32(high, by.right);
    }
    /// Numbers of 64 bits: the sum, less 2^31 where `value` is negative.
    [[gnu::always_inline]] static __m512i sum_by_sign(__m512i value, __m512i other) noexcept {
        const __m512i sum = _mm512_add_epi64(value, other);
        const __mmask8 negative = _mm512_cmplt_epi64_mask(value, _mm512_setzero_si512());
        return _mm512_mask_sub_epi64(sum, negative, sum, _mm512_set1_epi64(std::int64_t{1} << 31));
    }
    /// `magnitude` with the sign of `value`; it has none itself.
    [[gnu::always_inline]] static floats with_sign_of(floats magnitude, floats value) noexcept {
        const __m512i bits = _mm512_castps_si512(magnitude), of = _mm512_castps_si512(value);
        constexpr int a_or_b_and_c = 0xf8;
        return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(bits, of, _mm512_set1_epi32(INT32_MIN), a_or_b_and_c));
    }
    /// The next integers; `farthest` becomes the distance to these where it is less.
    [[gnu::always_inline]] static ints round_noting(floats value, floats& farthest) noexcept {
        constexpr int to_nearest = 8, largest_magnitude = 11;
        farthest = _mm512_range_ps(farthest, _mm512_reduce_ps(value, to_nearest), largest_magnitude);
        return _mm512_cvtps_epi32(value);
    }
    [[gnu::always_inline]] static bool all_below(floats value, floats limit) noexcept {
        return _mm512_cmp_ps_mask(value, limit, _CMP_NLT_UQ) == 0;
    }
    [[gnu::always_inline]] static __m256i rounded_products(__m256i value, const double* by) noexcept {
        const __m512d sign_bit = _mm512_set1_pd(-0.0), most = _mm512_set1_pd(1073741824.0);
        const __m512d product = _mm512_mul_pd(_mm512_cvtepi32_pd(value), _mm512_loadu_pd(by));
        const __m512d half = _mm512_or_pd(_mm512_and_pd(product, sign_bit), _mm512_set1_pd(0.49999999999999994));
        const __m512d limited = _mm512_min_pd(_mm512_add_pd(product, half), most);
        return _mm512_cvttpd_epi32(_mm512_max_pd(limited, _mm512_or_pd(most, sign_bit)));
    }
    [[gnu::always_inline]] static ints rounded_products(ints value, const double* by) noexcept {
        const __m512i all = value;
        const __m256i low = rounded_products(_mm512_castsi512_si256(all), by);
        return _mm512_inserti64x4(_mm512_castsi256_si512(low),
                                  rounded_products(_mm512_extracti64x4_epi64(all, 1), by + 8), 1);
    }
    using bytes = __m512i;
    /// The numbers of four vectors as bytes, saturated to i8 (`Signed`) or u8, in the order in which packing inside 128-bit quarters
    /// leaves them: blocks of 4 bytes a0 b0 c0 d0 a1 b1 c1 d1 a2 ... d3.
    template <bool Signed>
    [[gnu::always_inline]] static bytes pack_in_parts(ints a, ints b, ints c, ints d) noexcept {
        const __m512i low = _mm512_packs_epi32(a, b);
        const __m512i high = _mm512_packs_epi32(c, d);
        return Signed ? _mm512_packs_epi16(low, high) : _mm512_packus_epi16(low, high);
    }
    /// The same in the order of the vectors.
    template <bool Signed>
    [[gnu::always_inline]] static bytes pack(ints a, ints b, ints c, ints d) noexcept {
        const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
        return _mm512_permutexvar_epi32(order, pack_in_parts<Signed>(a, b, c, d));
    }
    /// Four vectors whose bytes `pack_in_parts` would leave in order, in that order themselves.
    [[gnu::always_inline]] static void order_parts(floats (&x)[4]) noexcept {
        const __m512 even01 = _mm512_shuffle_f32x4(x[0], x[1], 0x88), odd01 = _mm512_shuffle_f32x4(x[0], x[1], 0xdd);
        const __m512 even23 = _mm512_shuffle_f32x4(x[2], x[3], 0x88), odd23 = _mm512_shuffle_f32x4(x[2], x[3], 0xdd);
        x[0] = _mm512_shuffle_f32x4(even01, even23, 0x88);
        x[1] = _mm512_shuffle_f32x4(odd01, odd23, 0x88);
        x[2] = _mm512_shuffle_f32x4(even01, even23, 0xdd);
        x[3] = _mm512_shuffle_f32x4(odd01, odd23, 0xdd);
    }
    /// Rounds for packing with saturation: what is below all bytes stays so, NaN is; `high` and `low` are what bytes are limited to.
    [[gnu::always_inline]] static ints round_for_packing(floats value, floats, floats high) noexcept {
        // The second operand is the answer for NaN; what does not fit in 32 bits becomes the lowest integer.
        return _mm512_cvtps_epi32(_mm512_min_ps(high, value));
    }
    static constexpr int stream_alignment = 64;
    /// Stores past the caches.
    [[gnu::always_inline]] static void stream(float* to, floats value) noexcept { _mm512_stream_ps(to, value); }
    [[gnu::always_inline]] static void stream_bytes(std::uint8_t* to, bytes value) noexcept {
        _mm512_stream_si512(reinterpret_cast<__m512i*>(to), value);
    }
    /// Other threads see what was streamed before whatever is stored from here on.
    [[gnu::always_inline]] static void end_stream() noexcept { _mm_sfence(); }
    /// Stores the first `count` (<= 64) of packed bytes.
    [[gnu::always_inline]] static void store_first(std::uint8_t* to, bytes value, std::int64_t count) noexcept {
        store_piece<0, 64>(to, value, count);
    }
    /// Limits packed bytes to [low, high].
    template <bool Signed>
    [[gnu::always_inline]] static bytes limit(bytes value, std::int32_t low, std::int32_t high) noexcept {
        const __m512i from = _mm512_set1_epi8(static_cast<char>(low));
        const __m512i to = _mm512_set1_epi8(static_cast<char>(high));
        return Signed ? _mm512_min_epi8(_mm512_max_epi8(value, from), to)
                      : _mm512_min_epu8(_mm512_max_epu8(value, from), to);
    }
    /// Stores the first `count` (<= Size) bytes of the piece of packed bytes at [First, First + Size).
    template <int First, int Size>
    [[gnu::always_inline]] static void store_piece(std::uint8_t* to, bytes value, std::int64_t count) noexcept {
        if constexpr (Size == 16) {
            const __m128i piece = _mm512_extracti32x4_epi32(value, First / 16);
            if (count == 16)
                _mm_storeu_si128(reinterpret_cast<__m128i*>(to), piece);
            else
                _mm_mask_storeu_epi8(to, static_cast<__mmask16>((1u << count) - 1u), piece);
        } else if constexpr (Size == 32) {
            const __m256i piece = _mm512_extracti32x8_epi32(value, First / 32);
            if (count == 32)
                _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), piece);
            else
                _mm256_mask_storeu_epi8(to, (1u << count) - 1u, piece);
        } else if (count == 64) {
            _mm512_storeu_si512(to, value);
        } else {
            _mm512_mask_storeu_epi8(to, (std::uint64_t{1} << count) - 1u, value);
        }
    }
    /// The same for the numbers of four vectors, which are all in the range of i8 (`Signed`) or u8.
    template <bool Signed>
    [[gnu::always_inline]] static void store_bytes(std::uint8_t* to, ints a, ints b, ints c, ints d) noexcept {
        _mm512_storeu_si512(to, pack<Signed>(a, b, c, d));
    }
    /// A table of 256 bytes is 16 rows of 16: shuffles look up the low four bits in each, the high ones choose the row, bit by bit.
    [[gnu::always_inline]] static std::int64_t look_up(const std::uint8_t* table, const std::uint8_t* from,
                                                       std::uint8_t* to, std::int64_t count) noexcept {
        __m512i row[16];
#pragma GCC unroll 16
        for (int k = 0; k < 16; ++k)
            row[k] = _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table + 16 * k)));
        std::int64_t i = 0;
        for (; i + 64 <= count; i += 64) {
            const __m512i at = _mm512_loadu_si512(from + i);
            const __m512i low = _mm512_and_si512(at, _mm512_set1_epi8(15));
            const __mmask64 high[4] = {_mm512_test_epi8_mask(at, _mm512_set1_epi8(16)),
                                       _mm512_test_epi8_mask(at, _mm512_set1_epi8(32)),
                                       _mm512_test_epi8_mask(at, _mm512_set1_epi8(64)), _mm512_movepi8_mask(at)};
            __m512i found[8];
#pragma GCC unroll 8
            for (int k = 0; k < 8; ++k)
                found[k] = _mm512_mask_shuffle_epi8(_mm512_shuffle_epi8(row[2 * k], low), high[0], row[2 * k + 1], low);
#pragma GCC unroll 3
            for (int bit = 1; bit < 4; ++bit) {
#pragma GCC unroll 4
                for (int k = 0; k < 8 >> bit; ++k)
                    found[k] = _mm512_mask_blend_epi8(high[bit], found[2 * k], found[2 * k + 1]);
            }
            _mm512_storeu_si512(to + i, found[0]);
        }
        return i;
    }
    /// Sum of `count` unsigned bytes after flipping the bits of `flip` in each.
    [[gnu::always_inline]] static std::uint32_t sum_bytes(const unsigned char* from, std::int64_t count,
                                                          unsigned char flip) noexcept {
        const __m512i mask = _mm512_set1_epi8(static_cast<char>(flip));
        __m512i sum = _mm512_setzero_si512();
        for (std::int64_t i = 0; i < count; i += 64) {
            const std::int64_t rest = count - i;
            const __mmask64 inside = rest >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << rest) - 1;
            const __m512i value =
                _mm512_maskz_mov_epi8(inside, _mm512_xor_si512(_mm512_maskz_loadu_epi8(inside, from + i), mask));
            sum = _mm512_add_epi64(sum, _mm512_sad_epu8(value, _mm512_setzero_si512()));
        }
        return static_cast<std::uint32_t>(_mm512_reduce_add_epi64(sum));
    }
    [[gnu::always_inline]] static void store_byte(std::uint8_t* to, ints value) noexcept {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(value));
    }
};

}  // namespace lpt::inline LPT_ABI::kernel

#endif
