// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/lanes.hpp>
#include <lpt/transformation/quantization_details.hpp>

/// Scales and zero points of a FakeQuantize, for each channel of its output range.
namespace lpt::inline LPT_ABI {

/// The linear maps that take the integers back to the output ranges, one for each channel of these ranges.
struct channel_maps {
    tensor scales;       // f32, of the shape of the ranges
    tensor zero_points;  // the same, not rounded; none where all are 0 or the type asks for none
    seq<double, 2> lows;  // what the output bounds become; one value where it is the same for all channels
    seq<double, 2> highs;
    bool are_identities = true;    // all scales, before they were limited, are 1 and all zero points 0
    bool zero_points_fit = true;  // rounded, all lie in the range of the integer type
};

namespace detail {

/// The maps of one channel after the other, or of several at once (`Number`: float, double or lanes of them), and what holds for any.
template <class Number, class Real>
struct map_maker {
    using mask = decltype(Number{} == Number{});

    Real least;
    Real greatest;
    bool limits_scales;
    bool scales_constants;
    mask equal{};  // there is a channel with equal bounds
    mask changes{};  // with a scale or zero point that does something
    mask shifts{};  // with a zero point
    mask outside{};  // with a zero point outside of the type

    /// Scales are kept away from 0 and infinity: later steps divide by them.
    static constexpr Real limited(Real scale) {
        const Real size = scale < Real(0) ? -scale : scale;
        const Real clamped = size < static_cast<Real>(1e-32f)  ? static_cast<Real>(1e-32f)
                             : size > static_cast<Real>(1e32f) ? static_cast<Real>(1e32f)
                                                               : size;
        return scale < Real(0) ? -clamped : clamped;
    }
    /// The scale of a channel, not limited.
    constexpr Number scale_of(Number low, Number high) {
        const Number none{};
        const Number one = none + Real(1);
        const mask same = high == low;
        const Number constant = scales_constants ? (high == none ? one : high) : one;
        const Number scale = same ? constant : (high - low) / (greatest - least);
        equal |= same;
        changes |= scale != one;
        return scale;
    }
    /// Its zero point, not rounded.
    constexpr Number zero_point_of(Number low, Number high) {
        const Number none{};
        const Number quotient = high == low ? none : (least * high - greatest * low) / (high - low);
        const Number shift = quotient + none;  // no -0
        changes |= shift != none;
        shifts |= (shift >= static_cast<Real>(1e-32)) | (shift <= static_cast<Real>(-1e-32));
        outside |= (shift < least - Real(0.5)) | (shift > greatest + Real(0.5)) | (shift != shift);
        return shift;
    }
};

/// Those of four scales that `limited` changes, and some that it does not: magnitudes are compared as integers.
inline mask_lanes are_beyond_limits(float_lanes scales) {
    mask_lanes codes;
    __builtin_memcpy(&codes, &scales, sizeof codes);
    codes &= 0x7FFFFFFF;
    return (codes <= __builtin_bit_cast(std::int32_t, 1e-32f)) | (codes >= __builtin_bit_cast(std::int32_t, 1e32f));
}

/// Makes the maps of the first channels, as many as fill lanes, zero points where there is memory for them; gives how many. Limits floats only.
template <class Real>
std::size_t set_maps_in_lanes(map_maker<Real, Real>& one, const float* lows, const float* highs, std::size_t channels,
                              std::byte* scales, std::byte* zero_points) {
    using lanes = choose<is_same<Real, float>, float_lanes, double_lanes>;
    constexpr std::size_t count = sizeof(lanes) / sizeof(Real);
    const std::size_t end = channels - channels % count;
    map_maker<lanes, Real> many{one.least, one.greatest, one.limits_scales, one.scales_constants};
    mask_lanes beyond{};
    for (std::size_t i = 0; i < end; i += count) {
        const lanes scale = many.scale_of(load_floats<lanes>(lows + i), load_floats<lanes>(highs + i));
        if constexpr (is_same<Real, float>) {
            beyond |= are_beyond_limits(scale);
        }
        store_floats(scales + i * sizeof(float), scale);
    }
    for (std::size_t i = 0; zero_points != nullptr && i < end; i += count) {
        store_floats(zero_points + i * sizeof(float),
                     many.zero_point_of(load_floats<lanes>(lows + i), load_floats<lanes>(highs + i)));
    }
    const bool limits = one.limits_scales && holds_for_any(beyond);
    for (std::size_t i = 0; limits && i < end; ++i) {
        std::byte* const place = scales + i * sizeof(float);
        store(place, static_cast<float>(one.limited(static_cast<Real>(load<float>(place)))));
    }
    one.equal = holds_for_any(many.equal);
    one.changes = holds_for_any(many.changes);
    one.shifts = holds_for_any(many.shifts);
    one.outside = holds_for_any(many.outside);
    return end;
}

/// Makes the maps of all channels; gives whether one has equal bounds.
template <class Real>
constexpr bool set_maps(channel_maps& result, const quantization_details& details, const shape& dimensions,
                        const data_precision& precision, const map_maker<Real, Real>& rule) {
    const std::size_t channels = details.lows.size();
    const float* lows = details.lows.data();
    const float* highs = details.highs.data();
    seq<std::byte, 16> scales;
    seq<std::byte, 16> zero_points;
    scales.resize_for_overwrite(channels * sizeof(float));
    zero_points.resize_for_overwrite(precision.has_zero_point ? channels * sizeof(float) : 0);
    map_maker<Real, Real> one = rule;
    std::size_t done = 0;
    if (!lpt::is_constant_evaluated() && (is_same<Real, float> || !one.limits_scales)) {
        done = set_maps_in_lanes(one, lows, highs, channels, scales.data(),
                                 precision.has_zero_point ? zero_points.data() : nullptr);
    }
    for (; done < channels; ++done) {
        const Real low = static_cast<Real>(lows[done]);
        const Real high = static_cast<Real>(highs[done]);
        const Real scale = one.scale_of(low, high);
        store(scales.data() + done * sizeof(float), static_cast<float>(one.limits_scales ? one.limited(scale) : scale));
        if (precision.has_zero_point) {
            store(zero_points.data() + done * sizeof(float), static_cast<float>(one.zero_point_of(low, high)));
        }
    }
    for (std::size_t i = 0; !precision.has_zero_point && !one.changes && i < channels; ++i) {
        one.zero_point_of(static_cast<Real>(lows[i]), static_cast<Real>(highs[i]));  // an identity has none either
    }
    const auto finished = [&](seq<std::byte, 16>& floats) {
        if (channels == 1) {  // which counts for all
            return make_tensor(f32, dimensions, view<double>({static_cast<double>(load<float>(floats.data()))}));
        }
        return tensor(f32, dimensions, bytes(lpt::move(floats)));
    };
    result.scales = finished(scales);
    if (precision.has_zero_point && one.shifts) {
        result.zero_points = finished(zero_points);
    }
    result.are_identities = !one.changes;
    result.zero_points_fit = !one.outside;
    return one.equal;
}

}  // namespace detail

/// The maps from the range [precision.low, precision.high] of an integer type to the output ranges of a FakeQuantize.
///
/// scale = (high - low) / (precision.high - precision.low), zero_point = (precision.low * high - precision.high * low) / (high - low);
/// a channel with equal bounds gets scale 1, zero point 0 and keeps its bounds, which the integer type may not have. In float; in
/// double for 32-bit types. With `exact` always in double, and a channel with equal bounds gets the bounds 1 and its value as the scale.
/// With `limits_scales` the magnitudes of scales lie in [1e-32, 1e32]. `details` are those of the FakeQuantize.
constexpr channel_maps channel_maps_of(const graph& model, node_id fake_quantize, const quantization_details& details,
                                       const data_precision& precision, bool exact = false,
                                       bool limits_scales = false) {
    channel_maps result;
    const shape dimensions = output_range_shape(model, fake_quantize);
    const std::size_t channels = details.lows.size();
    const auto least = static_cast<double>(precision.low);
    const auto greatest = static_cast<double>(precision.high);
    const bool any_equal =
        exact || bit_width(precision.type) == 32
            ? detail::set_maps<double>(result, details, dimensions, precision, {least, greatest, limits_scales, exact})
            : detail::set_maps<float>(result, details, dimensions, precision,
                                      {precision.low, precision.high, limits_scales, exact});
    result.lows.resize(any_equal ? channels : 1, least);
    result.highs.resize(any_equal ? channels : 1, greatest);
    for (std::size_t i = 0; any_equal && i < channels; ++i) {
        if (details.lows[i] == details.highs[i]) {
            const double bound = static_cast<double>(details.highs[i]);
            result.lows[i] = exact && bound != 0 ? 1 : bound;
            result.highs[i] = result.lows[i];
        }
    }
    return result;
}

}  // namespace lpt::inline LPT_ABI
