// SPDX-License-Identifier: Apache-2.0
// Floating point types of 16 bits: half precision (IEEE 754 binary16) and the upper half of single precision ("brain").
// Direct forms of what `lpt::detail::decode` and `encode` (`tensor/element.hpp`) say for any small format.
#pragma once

#include <lpt/base/version.hpp>

#include <cstdint>

namespace lpt::inline LPT_ABI::detail {

[[gnu::always_inline]] constexpr float float_from_half(std::uint16_t code) {
    const std::uint32_t sign = static_cast<std::uint32_t>(code & 0x8000u) << 16;
    const std::uint32_t rest = code & 0x7FFFu;
    if (rest < 0x0400u) {
        const float size = static_cast<float>(rest) * (1.0f / 16777216.0f);
        return sign != 0 ? -size : size;
    }
    const std::uint32_t bits = rest < 0x7C00u ? (rest << 13) + 0x38000000u : (rest << 13) | 0x7F800000u;
    return __builtin_bit_cast(float, sign | bits);
}
/// To nearest even; too large becomes infinity, NaN the quiet one of its sign.
[[gnu::always_inline]] constexpr std::uint16_t half_from_float(float value) {
    const std::uint32_t all = __builtin_bit_cast(std::uint32_t, value);
    const std::uint32_t sign = (all >> 16) & 0x8000u;
    std::uint32_t bits = all & 0x7FFFFFFFu;
    if (bits >= 0x477FF000u) {  // what rounds up beyond the greatest value
        return static_cast<std::uint16_t>(sign | (bits > 0x7F800000u ? 0x7E00u : 0x7C00u));
    }
    if (bits < 0x38800000u) {  // below the least normal value steps are 2^-24, as those of single precision from 0.5 on
        const float stepped = __builtin_bit_cast(float, bits) + 0.5f;
        return static_cast<std::uint16_t>(sign | (__builtin_bit_cast(std::uint32_t, stepped) - 0x3F000000u));
    }
    bits += 0x0FFFu + ((bits >> 13) & 1u);
    return static_cast<std::uint16_t>(sign | ((bits - 0x38000000u) >> 13));
}

[[gnu::always_inline]] constexpr float float_from_brain(std::uint16_t code) {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(code) << 16);
}
/// To nearest even; too large becomes infinity, NaN stays one.
[[gnu::always_inline]] constexpr std::uint16_t brain_from_float(float value) {
    const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, value);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) {
        return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
    }
    return static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace lpt::inline LPT_ABI::detail
