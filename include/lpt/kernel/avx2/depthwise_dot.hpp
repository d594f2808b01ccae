// SPDX-License-Identifier: Apache-2.0
// The dot product of depthwise convolution on AVX2: its weights are split into words when they are packed.
#pragma once

#if defined(__AVX2__) && defined(__FMA__)

#include <lpt/kernel/avx2/dot.hpp>
#include <lpt/kernel/depthwise_dots.hpp>

namespace lpt::inline LPT_ABI::kernel {

template <>
struct depthwise_dot<on::avx2> : dot_product<on::avx2> {
    /// The even and the odd ones of the weights of four rows.
    struct weight_group {
        __m256i even;
        __m256i odd;
    };
    using dot_product<on::avx2>::step;
    static constexpr std::int64_t weight_bytes = 2;
    /// Where the weight of a slot and one of four rows lies in a block.
    static std::int64_t weight_at(std::int64_t slot, std::int64_t row) noexcept {
        return slot / lanes * 64 + row % 2 * 32 + slot % lanes * 4 + row / 2 * 2;
    }
    [[gnu::always_inline]] static weight_group load_weights(const unsigned char* from) noexcept {
        const __m256i* const at = reinterpret_cast<const __m256i*>(from);
        return {_mm256_loadu_si256(at), _mm256_loadu_si256(at + 1)};
    }
    [[gnu::always_inline]] static accumulator step(accumulator sum, __m256i data,
                                                   const weight_group& weights) noexcept {
        const __m256i even = _mm256_and_si256(data, _mm256_set1_epi16(0xff));
        return add(add(sum, _mm256_madd_epi16(even, weights.even)),
                   _mm256_madd_epi16(_mm256_srli_epi16(data, 8), weights.odd));
    }
};

}  // namespace lpt::inline LPT_ABI::kernel

#endif
