// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/tensor/element.hpp>

/// The integer types that level counts of a FakeQuantize stand for.
namespace lpt::inline LPT_ABI {

inline constexpr std::int64_t levels_16 = 65536;
inline constexpr std::int64_t levels_32 = 4294967296;

/// The bits of the types whose values, or all but one of them, are as many as there are levels: 4 for 15 and 16, 8 for 255 and 256, 16 and 32
/// likewise; 0 for other level counts.
constexpr int bits_of_levels(std::int64_t levels) {
    for (const int bits : {4, 8, 16, 32}) {
        if (levels == std::int64_t{1} << bits || levels == (std::int64_t{1} << bits) - 1) {
            return bits;
        }
    }
    return 0;
}
/// True for the level counts that low precision types can represent.
constexpr bool is_supported_level_count(std::int64_t levels) { return bits_of_levels(levels) != 0; }

/// True if a FakeQuantize with `levels` levels uses all values of `type` (or all but the least).
constexpr bool levels_fit(element type, std::int64_t levels) {
    return is_integral(type) && bits_of_levels(levels) == bit_width(type);
}

/// An integer type with the range that a FakeQuantize uses of it; `type` is dynamic where there is none.
struct data_precision {
    element type = dynamic;
    float low = 0;
    float high = 0;
    bool has_zero_point = false;

    constexpr explicit operator bool() const { return type != dynamic; }
    friend constexpr bool operator==(const data_precision&, const data_precision&) = default;
};

/// The range of an integer type that a FakeQuantize with `levels` levels uses; no type if it cannot use this type.
///
/// u8: [0, 255], [0, 15] at 16 levels; i8: [-128, 127] at 256 levels, [-127, 127] at 255, [-8, 7] at 16, [-7, 127] at 15;
/// 4, 16 and 32 bits likewise; the bounds of 32 bits are the nearest floats.
constexpr data_precision range_of_type(element type, std::int64_t levels) {
    const auto power_of_two = [](int exponent) { return static_cast<float>(std::int64_t{1} << exponent); };
    const int width = bit_width(type);
    if (!is_integral(type) || width > 32) {
        return {};
    }
    const int used = width == 8 && levels == 16 ? 4 : width;
    if (!is_signed(type)) {
        return {type, 0, power_of_two(used) - 1, false};
    }
    const int bits = bits_of_levels(levels);
    if (bits != width && !(bits == 4 && width == 8)) {
        return {};
    }
    return {type, static_cast<float>(levels % 2) - power_of_two(bits - 1), power_of_two(used - 1) - 1, false};
}

/// The same range cut to as many whole numbers as there are levels, so that each level is one of them: what levels fewer than
/// the values of the range, or spread over a range of 15 or 255 levels, ask for to lose nothing. More levels than values: as it is.
constexpr data_precision with_whole_steps(data_precision range, std::int64_t levels) {
    const float steps = static_cast<float>(levels - 1);
    if (range && steps < range.high - range.low) {
        range.high = range.low + steps;
    }
    return range;
}

}  // namespace lpt::inline LPT_ABI
