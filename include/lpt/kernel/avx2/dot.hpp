// SPDX-License-Identifier: Apache-2.0
// The 4-element dot product of unsigned rows and signed columns on AVX2, exact.
#pragma once

#if defined(__AVX2__)

#include <lpt/kernel/avx2/dot_of_256.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// pmaddubsw multiplies twice the bytes of pmaddwd, and saturates sums of two products in 16 bits. So packing looks, k group by k group,
/// for a way to pair its four k values in which no such sum can leave 16 bits (`fits_pairing`); `pair_step` is for these. What is left,
/// a tenth of usual weights, is split into words and multiplied with pmaddwd.
template <>
struct dot_product<on::avx2> : detail::dot_of_256<on::avx2> {
    /// Each sum stays in its register: g++ would add up the products of several k groups first, and keep all of them in memory until then.
    [[gnu::always_inline]] static accumulator add(accumulator sum, __m256i products) noexcept {
        sum = sum + reinterpret_cast<accumulator>(products);
        settle(sum);
        return sum;
    }
    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        const __m256i even = _mm256_madd_epi16(_mm256_and_si256(row, _mm256_set1_epi16(0xff)),
                                               _mm256_srai_epi16(_mm256_slli_epi16(column, 8), 8));
        const __m256i odd = _mm256_madd_epi16(_mm256_srli_epi16(row, 8), _mm256_srai_epi16(column, 8));
        return add(add(sum, even), odd);
    }
    [[gnu::always_inline]] static accumulator pair_step(accumulator sum, row_group row, column_group column) noexcept {
        return add(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(row, column), _mm256_set1_epi16(1)));
    }

    /// The ways to pair four values: first with second, with third, with fourth.
    static constexpr int pairings = 3;
    /// The order of the bytes of each four in which the pairs of pairing `p` are neighbours.
    [[gnu::always_inline]] static __m256i neighbours(int p) noexcept {
        const __m256i fours =
            _mm256_set_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0, 0x0c0c0c0c, 0x08080808, 0x04040404, 0);
        return _mm256_or_si256(fours, _mm256_set1_epi32(p == 0 ? 0x03020100 : p == 1 ? 0x03010200 : 0x02010300));
    }
    [[gnu::always_inline]] static __m256i paired(__m256i fours, __m256i order) noexcept {
        return _mm256_shuffle_epi8(fours, order);
    }
    /// Whether `255 (w0 + w1)` fits in 16 bits, of the positive and of the negative ones of each pair of a column group in pairing `p`.
    [[gnu::always_inline]] static bool fits_pairing(const unsigned char* from, int p) noexcept {
        const __m256i column = paired(load_columns(from), neighbours(p));
        const __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi8(1), most = _mm256_set1_epi16(128);
        const __m256i above = _mm256_maddubs_epi16(_mm256_max_epi8(column, zero), one);
        const __m256i below = _mm256_maddubs_epi16(_mm256_sub_epi8(zero, _mm256_min_epi8(column, zero)), one);
        const __m256i beyond = _mm256_cmpgt_epi16(_mm256_max_epi16(above, below), most);
        return _mm256_testz_si256(beyond, beyond) != 0;
    }
    /// Puts the pairs of pairing `p` of a column group next to each other.
    [[gnu::always_inline]] static void pair_columns(unsigned char* columns, int p) noexcept {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(columns), paired(load_columns(columns), neighbours(p)));
    }
};

}  // namespace lpt::inline LPT_ABI::kernel

#endif
