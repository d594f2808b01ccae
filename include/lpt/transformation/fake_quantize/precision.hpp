// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization/kernels.hpp>
#include <lpt/transformation/fake_quantize/levels.hpp>

/// The integer type that suits the output ranges of a FakeQuantize.
namespace lpt::inline LPT_ABI {

/// The output ranges of a FakeQuantize, one pair of bounds for each channel (one pair for all where it is per-tensor, or where
/// all pairs are the same).
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

/// True if a type of activations belongs to a level count: 16 and 32 bits to 2^16 and 2^32 levels (or one less), 8 bits to
/// all others.
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
