// SPDX-License-Identifier: Apache-2.0
// The only include of xsimd. Smooths the differences between its versions 8.1 and 14.
#pragma once

#include <lpt/base/version.hpp>

#include <xsimd/xsimd.hpp>

namespace lpt::inline LPT_ABI::kernel::detail {

/// The same bits as integers. xsimd 10 changed the template argument from the batch to the element type.
template <class Arch>
[[gnu::always_inline]] inline xsimd::batch<std::int32_t, Arch>
bits_of(const xsimd::batch<float, Arch>& value) noexcept {
#if XSIMD_VERSION_MAJOR >= 10
    return xsimd::bitwise_cast<std::int32_t>(value);
#else
    return xsimd::bitwise_cast<xsimd::batch<std::int32_t, Arch>>(value);
#endif
}

/// The same bits as floats.
template <class Arch>
[[gnu::always_inline]] inline xsimd::batch<float, Arch>
float_of_bits(const xsimd::batch<std::int32_t, Arch>& value) noexcept {
#if XSIMD_VERSION_MAJOR >= 10
    return xsimd::bitwise_cast<float>(value);
#else
    return xsimd::bitwise_cast<xsimd::batch<float, Arch>>(value);
#endif
}

} // namespace lpt::inline LPT_ABI::kernel::detail
