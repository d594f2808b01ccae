// SPDX-License-Identifier: Apache-2.0
// The 4-element dot product of unsigned rows and signed columns on AVX2, exact.
#pragma once

#if defined(__AVX2__)

#include <lpt/kernel/dot.hpp>

#include <immintrin.h>

namespace lpt::kernel {

/// Bytes are widened to 16 bits, even and odd ones apart, and multiplied with pmaddwd: two products of at most 255 * 128 fit in
/// 32 bits. (pmaddubsw would save half the work and saturate in 16 bits: wrong results.)
template <>
struct dot_product<on::avx2> {
    typedef int accumulator __attribute__((vector_size(32)));
    struct row_group {
        __m256i even, odd;
    };
    struct column_group {
        __m256i even, odd;
    };
    static constexpr int lanes = 8;
    static constexpr int rows = 4;  // 8 accumulators, 4 column registers, 2 row registers
    static constexpr int vectors = 2;
    static constexpr bool unsigned_rows = true;

    [[gnu::always_inline]] static accumulator load(const std::int32_t* from) noexcept {
        return reinterpret_cast<accumulator>(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
    }
    [[gnu::always_inline]] static void store(std::int32_t* to, accumulator value) noexcept {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), reinterpret_cast<__m256i>(value));
    }
    [[gnu::always_inline]] static column_group load_columns(const std::int8_t* from) noexcept {
        const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
        return {_mm256_srai_epi16(_mm256_slli_epi16(bytes, 8), 8), _mm256_srai_epi16(bytes, 8)};
    }
    [[gnu::always_inline]] static row_group repeat(std::uint32_t four) noexcept {
        const __m256i bytes = _mm256_set1_epi32(static_cast<int>(four));
        return {_mm256_and_si256(bytes, _mm256_set1_epi16(0xff)), _mm256_srli_epi16(bytes, 8)};
    }
    [[gnu::always_inline]] static accumulator step(accumulator sum, const row_group& row,
                                                   const column_group& column) noexcept {
        const __m256i even = _mm256_madd_epi16(row.even, column.even);
        const __m256i odd = _mm256_madd_epi16(row.odd, column.odd);
        return sum + reinterpret_cast<accumulator>(_mm256_add_epi32(even, odd));
    }
};

}  // namespace lpt::kernel

#endif
