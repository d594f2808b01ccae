// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/tensor/element.hpp>

/// The integer types that level counts of a FakeQuantize stand for.
namespace lpt::inline LPT_ABI {

inline constexpr std::int64_t levels_16 = 65536;
inline constexpr std::int64_t levels_32 = 4294967296;

/// True for the level counts that low precision types can represent: 15, 16, 255, 256, and 2^16, 2^32 and one less.
constexpr bool is_supported_level_count(std::int64_t levels) {
    return levels == 15 || levels == 16 || levels == 255 || levels == 256 || levels == levels_16 - 1 ||
           levels == levels_16 || levels == levels_32 - 1 || levels == levels_32;
}

/// True if a FakeQuantize with `levels` levels uses all values of `type` (or all but the least).
constexpr bool levels_fit(element type, std::int64_t levels) {
    switch (bit_width(type)) {
        case 4: return levels == 15 || levels == 16;
        case 8: return is_integral(type) && (levels == 255 || levels == 256);
        case 16: return is_integral(type) && (levels == levels_16 - 1 || levels == levels_16);
        case 32: return is_integral(type) && (levels == levels_32 - 1 || levels == levels_32);
        default: return false;
    }
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

namespace detail {

/// The least value of a signed type at a level count; 0 where there is none.
constexpr float signed_low(element type, std::int64_t levels) {
    switch (type) {
        case i4: return levels == 16 ? -8.0f : levels == 15 ? -7.0f : 0.0f;
        case i8:
            return levels == 16    ? -8.0f
                   : levels == 15  ? -7.0f
                   : levels == 256 ? -128.0f
                   : levels == 255 ? -127.0f
                                   : 0.0f;
        case i16: return levels == levels_16 ? -32768.0f : levels == levels_16 - 1 ? -32767.0f : 0.0f;
        case i32: return levels == levels_32 || levels == levels_32 - 1 ? -2147483648.0f : 0.0f;
        default: return 0.0f;
    }
}
constexpr float integer_high(element type, std::int64_t levels) {
    switch (type) {
        case u4: return 15.0f;
        case i4: return 7.0f;
        case u8: return levels == 16 ? 15.0f : 255.0f;
        case i8: return levels == 16 ? 7.0f : 127.0f;
        case u16: return 65535.0f;
        case i16: return 32767.0f;
        case u32: return 4294967296.0f;
        default: return 2147483648.0f;
    }
}

}  // namespace detail

/// The range of an integer type that a FakeQuantize with `levels` levels uses; no type if it cannot use this type.
///
/// u8: [0, 255], [0, 15] at 16 levels; i8: [-128, 127] at 256 levels, [-127, 127] at 255, [-8, 7] at 16, [-7, 127] at 15;
/// 4, 16 and 32 bits likewise; the bounds of 32 bits are the nearest floats.
constexpr data_precision range_of_type(element type, std::int64_t levels) {
    if (!is_integral(type) || bit_width(type) > 32) {
        return {};
    }
    const float low = is_signed(type) ? detail::signed_low(type, levels) : 0.0f;
    if (is_signed(type) && low == 0.0f) {
        return {};
    }
    return {type, low, detail::integer_high(type, levels), false};
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
