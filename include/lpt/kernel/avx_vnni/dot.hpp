// SPDX-License-Identifier: Apache-2.0
// The 4-element dot product of unsigned rows and signed columns in 256 bits: AVX-VNNI, and the same code with EVEX encodings.
#pragma once

#if defined(__AVXVNNI__) || (defined(__AVX512VNNI__) && defined(__AVX512VL__))

#include <lpt/kernel/dot.hpp>

#include <immintrin.h>

namespace lpt::kernel {

namespace detail {

template <class Isa>
struct vnni_256 {
    typedef int accumulator __attribute__((vector_size(32)));
    using row_group = __m256i;
    using column_group = __m256i;
    static constexpr int lanes = 8;
    static constexpr int rows = 6;  // 12 accumulators, 2 column registers, 1 row register
    static constexpr int vectors = 2;
    static constexpr bool unsigned_rows = true;

    [[gnu::always_inline]] static accumulator load(const std::int32_t* from) noexcept {
        return reinterpret_cast<accumulator>(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
    }
    [[gnu::always_inline]] static void store(std::int32_t* to, accumulator value) noexcept {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), reinterpret_cast<__m256i>(value));
    }
    [[gnu::always_inline]] static column_group load_columns(const std::int8_t* from) noexcept {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    }
    [[gnu::always_inline]] static row_group repeat(std::uint32_t four) noexcept {
        return _mm256_set1_epi32(static_cast<int>(four));
    }
};

}  // namespace detail

#if defined(__AVXVNNI__)
template <>
struct dot_product<on::avx_vnni> : detail::vnni_256<on::avx_vnni> {
    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        return reinterpret_cast<accumulator>(_mm256_dpbusd_avx_epi32(reinterpret_cast<__m256i>(sum), row, column));
    }
};
#endif

#if defined(__AVX512VNNI__) && defined(__AVX512VL__)
template <>
struct dot_product<on::avx512_vnni_256> : detail::vnni_256<on::avx512_vnni_256> {
    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        return reinterpret_cast<accumulator>(_mm256_dpbusd_epi32(reinterpret_cast<__m256i>(sum), row, column));
    }
};
#endif

}  // namespace lpt::kernel

#endif
