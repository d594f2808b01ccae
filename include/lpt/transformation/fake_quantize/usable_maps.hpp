// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/fake_quantize/channel_maps.hpp>
#include <lpt/transformation/fake_quantize/range_lanes.hpp>

/// Which integer types a FakeQuantize can be quantized to.
namespace lpt::inline LPT_ABI {

/// Refuses output ranges that no dequantization can stand for.
///
/// Scales that are NaN, zero points of which one is infinite or NaN; bounds, or differences of them, that are infinite, and scales that
/// are no normal floats, unless `quirk::clamped_scale` is followed, which limits them.
constexpr verdict maps_are_usable(const rewrite& r, node_id fake_quantize, const quantization_details& details,
                                  const data_precision& precision) {
    if (!lpt::is_constant_evaluated() && detail::are_plainly_usable(details.lows, details.highs)) {
        return yes;
    }
    const auto least = static_cast<double>(precision.low);
    const auto greatest = static_cast<double>(precision.high);
    const bool shifts = precision.has_zero_point && bit_width(precision.type) < 32;
    bool any_shift = false;
    verdict overflow = yes;
    for (std::size_t i = 0; i < details.lows.size(); ++i) {
        const float low = details.lows[i];
        const float high = details.highs[i];
        if (low == high) {
            continue;
        }
        if (!r.follows(quirk::clamped_scale)) {
            const double scale = (static_cast<double>(high) - static_cast<double>(low)) / (greatest - least);
            if (!math::is_finite(high - low)) {
                return refuse_value(reason::infinite_constant, -1, scale, fake_quantize);
            }
            if (!(math::absolute(scale) >= 0x1p-126)) {
                return refuse_value(reason::zero_or_denormal_scale, -1, scale, fake_quantize);
            }
        }
        if (!shifts) {
            if (math::is_nan(high - low)) {
                return refuse_value(reason::infinite_constant, -1, static_cast<double>(high - low), fake_quantize);
            }
            continue;
        }
        const float shift = (precision.low * high - precision.high * low) / (high - low);
        if (math::is_finite(shift)) {
            any_shift = any_shift || math::absolute(shift) > 1e-32f;
            continue;
        }
        const bool finite = math::is_finite(low) && math::is_finite(high);
        if (math::is_nan(high - low) ||
            (!finite && math::is_nan(shift))) {  // what is a number would become another one
            return refuse_value(reason::infinite_constant, -1, static_cast<double>(high - low), fake_quantize);
        }
        any_shift = any_shift || math::is_infinite(shift);  // NaN alone makes no zero point
        overflow = refuse_value(reason::infinite_constant, -1, static_cast<double>(shift), fake_quantize);
    }
    return any_shift ? overflow : yes;
}

/// True if every zero point, rounded, lies in the range of the integer type.
constexpr bool zero_points_fit(const graph& model, node_id fake_quantize, const data_precision& precision) {
    return !precision.has_zero_point ||
           channel_maps_of(model, fake_quantize, details_of(model, fake_quantize), precision).zero_points_fit;
}

/// True if the type of a FakeQuantize's bounds holds the limits of an integer type; `quirk::overflowing_range` does not ask.
constexpr bool bounds_hold_limits(const rewrite& r, node_id fake_quantize, const data_precision& precision) {
    const element bounds = r.model.type(r.model[fake_quantize].input(4));
    return r.follows(quirk::overflowing_range) ||
           !math::is_infinite(convert_value(bounds, static_cast<double>(precision.high)));
}

/// `weights_precision_of` of a FakeQuantize with constant ranges, which has these details.
constexpr data_precision weights_precision_of(const rewrite& r, node_id fake_quantize,
                                              const quantization_details& details) {
    const auto* allowed = attributes_of<attribute::precisions>(r).find_output(fake_quantize, 0);
    data_precision result = precision_of_weights(
        details, allowed != nullptr ? view<element>(allowed->types) : view<element>(r.options.default_precisions));
    if (!result || r.model[fake_quantize].type() == dynamic || !maps_are_usable(r, fake_quantize, details, result)) {
        return {};
    }
    result = r.follows(quirk::uneven_levels) ? result : with_whole_steps(result, details.levels);
    return bounds_hold_limits(r, fake_quantize, result) ? result : data_precision{};
}
/// The integer type for a FakeQuantize on weights: from the types that its output port is allowed, or the default ones. No
/// type where the ranges are not constant, `maps_are_usable` refuses them, its own type is not known, or levels or limits do not fit.
constexpr data_precision weights_precision_of(const rewrite& r, node_id fake_quantize) {
    return has_constant_ranges(r.model, fake_quantize)
               ? weights_precision_of(r, fake_quantize, details_of(r.model, fake_quantize))
               : data_precision{};
}

}  // namespace lpt::inline LPT_ABI
