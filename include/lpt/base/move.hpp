// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/traits.hpp>

namespace lpt::inline LPT_ABI {

/// `std::move`. The header that has it, <utility>, takes a sixth of what <vector> takes to compile.
template <class T>
constexpr without_reference<T>&& move(T&& value) noexcept {
    return static_cast<without_reference<T>&&>(value);
}

}  // namespace lpt::inline LPT_ABI
