// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/fuzz/mutate/dice.hpp"

#include <limits>

/// Numbers that fit a place of a binary file, most of the time. They wrap around, as they are stored without overflow.
namespace lpt::fuzz {

/// One of 0 … choices - 1; now and then the one beyond, or any.
inline std::uint64_t new_index(std::size_t choices, dice& random) {
    switch (random.below(16)) {
        case 0: return choices;
        case 1: return static_cast<std::uint64_t>(interesting_integer(random));
        default: return choices == 0 ? 0 : random.below(choices);
    }
}

/// `other` is a dimension of the same file: sizes that fit each other are what operators ask for.
inline std::uint64_t new_dimension(std::uint64_t old, std::uint64_t other, dice& random) {
    constexpr std::uint64_t open = ~std::uint64_t{0};
    switch (random.below(12)) {
        case 0: return 0;
        case 1:
        case 2: return 1;
        case 3: return 2;
        case 4: return old + 1;
        case 5: return old - 1;
        case 6: return 2 * old;
        case 7: return random.once_in(4) ? static_cast<std::uint64_t>(interesting_integer(random)) : open;
        default: return other;
    }
}

/// What attributes and constants are: sizes, axes, indices and masks.
inline std::uint64_t new_small_integer(std::uint64_t old, std::uint64_t other, dice& random) {
    switch (random.below(8)) {
        case 0: return old + 1;
        case 1: return old - 1;
        case 2: return 0 - old;
        case 3: return other;
        case 4: return static_cast<std::uint64_t>(interesting_integer(random));
        default: return std::uint64_t{random.below(10)} - 2;
    }
}

inline float interesting_real(dice& random) {
    using limits = std::numeric_limits<float>;
    static constexpr float reals[] = {0.0F,
                                      -0.0F,
                                      1.0F,
                                      -1.0F,
                                      0.5F,
                                      2.0F,
                                      6.0F,
                                      127.5F,
                                      1e-3F,
                                      1e-10F,
                                      limits::denorm_min(),
                                      limits::min(),
                                      limits::max(),
                                      3e9F,
                                      limits::infinity(),
                                      -limits::infinity(),
                                      limits::quiet_NaN()};
    return random.one_of(reals);
}
/// Bits of numbers that are at a bound of f16 or bf16.
inline std::uint16_t interesting_half(dice& random) {
    static constexpr std::uint16_t halves[] = {0, 0x8000, 0x3c00, 0xbc00, 1, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x3f80};
    return random.one_of(halves);
}

}  // namespace lpt::fuzz
