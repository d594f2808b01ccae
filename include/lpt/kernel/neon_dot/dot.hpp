// SPDX-License-Identifier: Apache-2.0
// The 4-element dot product of signed rows and signed columns on AArch64 with the dot-product extension.
#pragma once

#if defined(__aarch64__) && defined(__ARM_FEATURE_DOTPROD)

#include <lpt/kernel/neon/dot.hpp>

namespace lpt::kernel {

template <>
struct dot_product<on::neon_dot> : detail::neon_base<on::neon_dot> {
    static constexpr int rows = 6; // 24 accumulators, 4 column registers, 1 row register
    static constexpr int vectors = 4;

    [[gnu::always_inline]] static accumulator step(accumulator sum, row_group row, column_group column) noexcept {
        return reinterpret_cast<accumulator>(vdotq_s32(reinterpret_cast<int32x4_t>(sum), row, column));
    }
};

} // namespace lpt::kernel

#endif
