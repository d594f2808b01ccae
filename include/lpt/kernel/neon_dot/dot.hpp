// SPDX-License-Identifier: Apache-2.0
// The 4-element dot product of signed rows and signed columns on AArch64 with the dot-product extension.
#pragma once

#if defined(__aarch64__) && defined(__ARM_FEATURE_DOTPROD)

#include <lpt/kernel/neon/dot.hpp>

namespace lpt::inline LPT_ABI::kernel {

template <>
struct dot_product<on::neon_dot> : detail::neon_base<on::neon_dot> {
    static constexpr int rows = 6;  // 24 accumulators, 6 row registers, 1 column register
    static constexpr int vectors = 4;

    /// Four k groups of a row in one register: repeating each of them in all lanes takes an instruction of the multipliers' ports.
    using row_block = int8x16_t;
    [[gnu::always_inline]] static row_block load_row_block(const unsigned char* from) noexcept {
        return vreinterpretq_s8_u8(vld1q_u8(from));
    }
    template <int Group>
    [[gnu::always_inline]] static accumulator step_picked(accumulator sum, row_block block,
                                                          column_group column) noexcept {
        return reinterpret_cast<accumulator>(vdotq_laneq_s32(reinterpret_cast<int32x4_t>(sum), column, block, Group));
    }
    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        return reinterpret_cast<accumulator>(vdotq_s32(reinterpret_cast<int32x4_t>(sum), row, column));
    }
};

}  // namespace lpt::inline LPT_ABI::kernel

#endif
