// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/traits.hpp>

namespace lpt::inline LPT_ABI {

/// `std::move`. The header that has it, <utility>, takes a sixth of what <vector> takes to compile.
template <class T>
constexpr without_reference<T>&& move(T&& value) noexcept {
    return static_cast<without_reference<T>&&>(value);
}

namespace detail {

/// `std::swap` without its conditions, which take longer to compile than all else in a function that swaps.
template <class T>
constexpr void swap_values(T& left, T& right) noexcept {
    T kept = static_cast<T&&>(left);
    left = static_cast<T&&>(right);
    right = static_cast<T&&>(kept);
}

}  // namespace detail

}  // namespace lpt::inline LPT_ABI
