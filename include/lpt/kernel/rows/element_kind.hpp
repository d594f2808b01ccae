// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/version.hpp>

#include <cstdint>

namespace lpt::inline LPT_ABI::kernel {

/// The element types that kernels load and store.
/// `i4` is for weights alone: signed bytes in [-8, 7], of which packed weights hold two in a byte; dot products take them apart again.
enum class element_kind : std::uint8_t { u8, i8, i32, f32, i4 };

/// Bytes of one element, before it is packed.
[[gnu::always_inline]] constexpr std::int64_t bytes_of(element_kind kind) noexcept {
    return kind == element_kind::i32 || kind == element_kind::f32 ? 4 : 1;
}

}  // namespace lpt::inline LPT_ABI::kernel
