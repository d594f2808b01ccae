// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/tensor/math.hpp>

#include <cstddef>

namespace lpt::inline LPT_ABI::attribute {

/// A closed interval of real values.
struct interval {
    float low = 0;
    float high = 0;

    friend constexpr bool operator==(const interval&, const interval&) = default;
};

/// How one FakeQuantize is quantized when it shares scale and zero point with others.
struct aligned_interval {
    std::size_t levels = 0;  // how many integers the FakeQuantize really uses
    float scale = 0;         // of the common dequantization
    float zero_point = 0;    // of the common dequantization, a whole number
    float low = 0;           // the FakeQuantize's bounds among the integers, not rounded
    float high = 0;
};

/// Scale and zero point that map the interval `common` of a group onto the integers from `type_range.low` to
/// `type_range.high`, and what becomes of the interval `own` of one member.
///
/// scale = (common.high - common.low) / (type_range.high - type_range.low), shift = common.low - type_range.low * scale,
/// zero_point = round(-shift / scale), low = (own.low - shift) / scale, high likewise, levels = |round(high) - round(low)| + 1
/// All in float, halves rounded away from zero. An empty common interval, and one whose numbers leave the
/// range of float, gives one level and zeros.
constexpr aligned_interval align(interval type_range, interval common, interval own) {
    const float width = common.high - common.low;
    if (width == 0.0f) {
        return {.levels = 1};
    }
    const float range = type_range.high - type_range.low;
    const float inverse_scale = range / width;
    aligned_interval result;
    result.scale = width / range;
    const float shift = common.low - type_range.low * result.scale;
    result.zero_point = math::round_half_away(-shift * inverse_scale);
    result.low = (own.low - shift) * inverse_scale;
    result.high = (own.high - shift) * inverse_scale;
    const float used = math::absolute(math::round_half_away(result.high) - math::round_half_away(result.low)) + 1.0f;
    if (!math::is_finite(used) || !math::is_finite(result.zero_point) || !math::is_finite(result.scale)) {
        return {.levels = 1};
    }
    constexpr float most = 9e18f;  // as good as any more
    result.levels = static_cast<std::size_t>(used < most ? used : most);
    return result;
}

}  // namespace lpt::inline LPT_ABI::attribute
