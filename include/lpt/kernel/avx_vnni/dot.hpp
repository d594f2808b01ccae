// SPDX-License-Identifier: Apache-2.0
// The 4-element dot product of unsigned rows and signed columns in 256 bits: AVX-VNNI, and the same code with EVEX encodings.
#pragma once

#if defined(__AVXVNNI__) || (defined(__AVX512VNNI__) && defined(__AVX512VL__))

#include <lpt/kernel/avx2/dot_of_256.hpp>

#include <immintrin.h>

namespace lpt::inline LPT_ABI::kernel {

#if defined(__AVXVNNI__)
template <>
struct dot_product<on::avx_vnni> : detail::dot_of_256<on::avx_vnni> {
    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        return reinterpret_cast<accumulator>(_mm256_dpbusd_avx_epi32(reinterpret_cast<__m256i>(sum), row, column));
    }
};
#endif

#if defined(__AVX512VNNI__) && defined(__AVX512VL__)
template <>
struct dot_product<on::avx512_vnni_256> : detail::dot_of_256<on::avx512_vnni_256> {
    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        return reinterpret_cast<accumulator>(_mm256_dpbusd_epi32(reinterpret_cast<__m256i>(sum), row, column));
    }
};
#endif

}  // namespace lpt::inline LPT_ABI::kernel

#endif
