// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/version.hpp>

namespace lpt::inline LPT_ABI {

/// True if a pointer points to nothing; for pointers to functions and objects with static storage, in constant expressions too.
///
/// With -fsanitize=undefined g++ takes `p == nullptr` for no constant expression where `p` is the address of such a thing, which is
/// never null.
template <class Pointer>
constexpr bool is_null(Pointer pointer) {
    if (__builtin_is_constant_evaluated()) {
        return __builtin_constant_p(pointer == nullptr) ? pointer == nullptr : false;
    }
    return pointer == nullptr;
}

}  // namespace lpt::inline LPT_ABI
