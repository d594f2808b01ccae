// SPDX-License-Identifier: Apache-2.0
// The 4-element dot product of unsigned rows and signed columns in 512 bits.
#pragma once

#if defined(__AVX512VNNI__)

#include <lpt/kernel/dot.hpp>

#include <immintrin.h>

namespace lpt::kernel {

template <>
struct dot_product<on::avx512_vnni> {
    typedef int accumulator __attribute__((vector_size(64)));
    using row_group = __m512i;
    using column_group = __m512i;
    static constexpr int lanes = 16;
    static constexpr int rows = 6; // 24 accumulators, 4 column registers, 1 row register
    static constexpr int vectors = 4;
    static constexpr bool unsigned_rows = true;

    [[gnu::always_inline]] static accumulator load(const std::int32_t* from) noexcept {
        return reinterpret_cast<accumulator>(_mm512_loadu_si512(from));
    }
    [[gnu::always_inline]] static void store(std::int32_t* to, accumulator value) noexcept {
        _mm512_storeu_si512(to, reinterpret_cast<__m512i>(value));
    }
    [[gnu::always_inline]] static column_group load_columns(const std::int8_t* from) noexcept {
        return _mm512_loadu_si512(from);
    }
    [[gnu::always_inline]] static row_group repeat(std::uint32_t four) noexcept {
        return _mm512_set1_epi32(static_cast<int>(four));
    }
    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        return reinterpret_cast<accumulator>(_mm512_dpbusd_epi32(reinterpret_cast<__m512i>(sum), row, column));
    }
};

} // namespace lpt::kernel

#endif
