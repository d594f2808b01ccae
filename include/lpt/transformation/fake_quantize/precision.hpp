// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/constant/facts.hpp>
#include <lpt/transformation/fake_quantize/range_lanes.hpp>

/// The integer types that level counts of a FakeQuantize stand for, and the one that suits its output ranges.
namespace lpt::inline LPT_ABI {

/// The bits of the types whose values, or all but one, are as many as there are levels: 8 for 255 and 256, 4, 16, 32 likewise; else 0.
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

/// The output ranges of a FakeQuantize, a pair of bounds for each channel; one for all where all are the same.
struct quantization_details {
    std::int64_t levels = 0;
    seq<float, 2> lows;
    seq<float, 2> highs;
};

/// The integer type that suits output ranges best, and whether they need a zero point.
struct precision_details {
    element preferred = dynamic;  // dynamic: none suits better than the others
    bool has_negative_values = false;
    bool has_zero_point = false;
};

namespace detail {

constexpr bool is_tiny(float value) { return math::absolute(value) < 1e-6f; }

/// The ratio of the bounds of a signed type.
constexpr float ratio_of_bounds(std::int64_t levels) {
    const bool full_range = is_supported_level_count(levels) && levels % 2 == 0;
    return full_range ? -static_cast<float>(levels) / static_cast<float>(levels - 2) : -1.0f;
}
/// True if low / high differs by more than 0.2 % from the ratio of the bounds of a signed type.
constexpr bool is_asymmetric(std::int64_t levels, float low, float high) {
    const float expected = ratio_of_bounds(levels);
    const float actual = low / high;
    return math::absolute((actual - expected) / math::minimum(actual, expected)) > 0.002f;
}
constexpr element integer_type(std::int64_t levels, bool is_signed) {
    switch (levels == 16 ? 8 : bits_of_levels(levels)) {
        case 8: return is_signed ? i8 : u8;
        case 16: return is_signed ? i16 : u16;
        case 32: return is_signed ? i32 : u32;
        default: return dynamic;
    }
}

}  // namespace detail

/// Finds the type whose own range has the shape of the output ranges: signed for bounds around zero in the ratio of the
/// type's bounds, unsigned for bounds that begin at zero. Ranges with both bounds below 1e-6 in magnitude say nothing.
constexpr precision_details precision_details_of(std::int64_t levels, view<float> lows, view<float> highs) {
    precision_details result;
    bool can_be_signed = true;
    bool can_be_unsigned = true;
    bool all_tiny = true;
    bool any_negative = false;
    for (std::size_t i = 0; i < lows.size(); ++i) {
        const float low = lows[i];
        const float high = highs[i];
        any_negative = any_negative || low < 0.0f;
        if (detail::is_tiny(low) && detail::is_tiny(high)) {
            continue;
        }
        all_tiny = false;
        if (math::sign_bit(low) != math::sign_bit(high) && !detail::is_tiny(low)) {
            can_be_unsigned = false;
            result.has_negative_values = true;
            result.has_zero_point = result.has_zero_point || high == 0.0f || detail::is_asymmetric(levels, low, high);
        } else {
            can_be_signed = false;
            result.has_zero_point = result.has_zero_point || !detail::is_tiny(low);
        }
        if (result.has_zero_point && result.has_negative_values) {
            return result;  // whatever the other ranges are
        }
        if (!lpt::is_constant_evaluated() && can_be_signed != can_be_unsigned) {
            i += detail::count_plain_ranges(lows.data() + i + 1, highs.data() + i + 1, lows.size() - i - 1,
                                            can_be_signed, detail::ratio_of_bounds(levels));
        }
    }
    if (all_tiny) {
        can_be_signed = any_negative;
        can_be_unsigned = !any_negative;
    }
    if (!result.has_zero_point && can_be_signed != can_be_unsigned) {
        result.preferred = detail::integer_type(levels, can_be_signed);
    }
    return result;
}
constexpr precision_details precision_details_of(const quantization_details& details) {
    return precision_details_of(details.levels, details.lows, details.highs);
}

/// The type for quantized weights: the preferred one if `allowed` has it, else the first of `allowed`, with a zero point.
///
/// No type if `allowed` is empty and none is preferred, or if the levels do not fit the type.
constexpr data_precision precision_of_weights(const quantization_details& details, view<element> allowed) {
    const element preferred = precision_details_of(details).preferred;
    const element chosen = allowed.empty() || allowed.contains(preferred) ? preferred : allowed.front();
    if (!levels_fit(chosen, details.levels)) {
        return {};
    }
    data_precision result = range_of_type(chosen, details.levels);
    result.has_zero_point = chosen != preferred;
    return result;
}

/// True if a type of activations belongs to a level count: 16 and 32 bits to 2^16 and 2^32 (or one less), 8 bits to all others.
constexpr bool is_candidate(element type, std::int64_t levels) {
    const int bits = bits_of_levels(levels);
    return is_integral(type) && bit_width(type) == (bits > 8 ? bits : 8);
}

/// The type for quantized activations among the `allowed` ones: the only candidate, else the preferred one, else the first
/// candidate. A single allowed type is taken whatever the levels; dynamic where there is no candidate.
constexpr element precision_of_activations(const quantization_details& details, view<element> allowed) {
    if (allowed.size() == 1) {
        return allowed.front();
    }
    const element preferred = precision_details_of(details).preferred;
    element chosen = dynamic;
    for (const element each : allowed) {
        if (is_candidate(each, details.levels) && (chosen == dynamic || each == preferred)) {
            chosen = each;
        }
    }
    return chosen;
}

}  // namespace lpt::inline LPT_ABI
