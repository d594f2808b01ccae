// SPDX-License-Identifier: Apache-2.0
// The 4-element dot product of signed rows and signed columns on AArch64 without the dot-product extension, exact.
#pragma once

#if defined(__aarch64__)

#include <lpt/kernel/dot.hpp>

#include <arm_neon.h>

namespace lpt::kernel {

namespace detail {

template <class Isa>
struct neon_base {
    typedef int accumulator __attribute__((vector_size(16)));
    using row_group = int8x16_t;
    using column_group = int8x16_t;
    static constexpr int lanes = 4;
    static constexpr bool unsigned_rows = false;

    [[gnu::always_inline]] static accumulator load(const std::int32_t* from) noexcept {
        return reinterpret_cast<accumulator>(vld1q_s32(from));
    }
    [[gnu::always_inline]] static void store(std::int32_t* to, accumulator value) noexcept {
        vst1q_s32(to, reinterpret_cast<int32x4_t>(value));
    }
    [[gnu::always_inline]] static column_group load_columns(const std::int8_t* from) noexcept { return vld1q_s8(from); }
    [[gnu::always_inline]] static row_group repeat(std::uint32_t four) noexcept {
        return vreinterpretq_s8_u32(vdupq_n_u32(four));
    }
};

} // namespace detail

/// Products of two signed bytes fit in 16 bits, sums of two need not: they are widened to 32 bits before the first addition.
template <>
struct dot_product<on::neon> : detail::neon_base<on::neon> {
    static constexpr int rows = 4;  // 16 accumulators, 4 column registers, 1 row register and room for the products
    static constexpr int vectors = 4;

    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        const int32x4_t low = vpaddlq_s16(vmull_s8(vget_low_s8(row), vget_low_s8(column)));
        const int32x4_t high = vpaddlq_s16(vmull_high_s8(row, column));
        return sum + reinterpret_cast<accumulator>(vpaddq_s32(low, high));
    }
};

}  // namespace lpt::kernel

#endif
