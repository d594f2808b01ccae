// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/version.hpp>

#include <cstdint>

namespace lpt::inline LPT_ABI {

/// A 64-bit integer that remembers whether a step of its computation left 64 bits.
///
/// Sizes and attributes of networks may be any numbers. What is computed from several of them goes through this type, and is
/// used only where it `fits`; then every step before it fitted, too.
class checked {
    std::int64_t value_;
    bool fits_ = true;

    constexpr checked(std::int64_t value, bool fits) noexcept : value_(value), fits_(fits) {}

public:
    constexpr checked(std::int64_t value) noexcept : value_(value) {}

    constexpr bool fits() const noexcept { return fits_; }
    /// Fits, and is in [least, most].
    constexpr bool is_within(std::int64_t least, std::int64_t most) const noexcept {
        return fits_ && least <= value_ && value_ <= most;
    }
    /// The number; any number unless it fits.
    constexpr std::int64_t value() const noexcept { return value_; }

    constexpr checked operator+(checked other) const noexcept {
        std::int64_t sum = 0;
        const bool left = __builtin_add_overflow(value_, other.value_, &sum);
        return {sum, fits_ && other.fits_ && !left};
    }
    constexpr checked operator-(checked other) const noexcept {
        std::int64_t difference = 0;
        const bool left = __builtin_sub_overflow(value_, other.value_, &difference);
        return {difference, fits_ && other.fits_ && !left};
    }
    constexpr checked operator*(checked other) const noexcept {
        std::int64_t product = 0;
        const bool left = __builtin_mul_overflow(value_, other.value_, &product);
        return {product, fits_ && other.fits_ && !left};
    }
};

}  // namespace lpt::inline LPT_ABI
