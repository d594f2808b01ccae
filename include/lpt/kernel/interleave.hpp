// SPDX-License-Identifier: Apache-2.0
// Interleaving of two vectors of the compiler: every processor has such moves.
#pragma once

#include <lpt/base/version.hpp>

#include <utility>

namespace lpt::inline LPT_ABI::kernel {

/// a[0], b[0], a[1], b[1] … of the lower half of the lanes, or of the upper one. `indices`: of the lanes.
template <class Isa, bool Upper, class Vector, int... Indices>
[[gnu::always_inline]] inline Vector interleave(Vector a, Vector b,
                                                std::integer_sequence<int, Indices...> /*indices*/) noexcept {
    constexpr int size = sizeof...(Indices);
    return __builtin_shufflevector(a, b, (Indices / 2 + Indices % 2 * size + (Upper ? size / 2 : 0))...);
}

}  // namespace lpt::inline LPT_ABI::kernel
