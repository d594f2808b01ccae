// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/fold.hpp>
#include <lpt/plan/source.hpp>

#include <utility>
#include <vector>

namespace lpt::plan {

/// Weights as integers of 8 bits: a weight is value - zero_point. `zero_points`: none, one, or one for each output channel.
struct integer_weights {
    tensor values;
    std::vector<std::int32_t> zero_points;
};

namespace detail {

struct value_range {
    double low = 0;
    double high = 0;
};

inline bool fits(const value_range& range, element type) {
    return range.low >= facts(type).lowest && range.high <= facts(type).highest;
}

/// The zero point that moves a range into that of i8; false if there is none in [-128, 255].
inline bool zero_point_for(const value_range& range, std::int32_t& result) {
    if (fits(range, i8)) {
        result = 0;
        return true;
    }
    const double moved = -128 - range.low;
    result = static_cast<std::int32_t>(moved);
    return range.high - range.low <= 255 && moved >= -128 && moved <= 255;
}

template <class ChannelOf>
bool ranges_of(const tensor& weights, std::vector<value_range>& ranges, const ChannelOf& channel_of) {
    std::vector<bool> seen(ranges.size(), false);
    for (std::size_t i = 0; i < weights.elements(); ++i) {
        const double value = weights.real(i);
        if (!(math::absolute(value) <= 512) || math::truncate(value) != value) {
            return false;
        }
        const std::size_t channel = channel_of(i);
        value_range& range = ranges[channel];
        range.low = seen[channel] ? math::minimum(range.low, value) : value;
        range.high = seen[channel] ? math::maximum(range.high, value) : value;
        seen[channel] = true;
    }
    return true;
}

}  // namespace detail

/// Weights whose values are integers that fit into 8 bits, perhaps after a shift for each output channel.
///
/// `channel_of(i)`: the output channel, below `channels`, of element i. False for weights that are not of this form.
template <class ChannelOf>
bool integer_weights_of(const tensor& weights, std::size_t channels, const ChannelOf& channel_of,
                        integer_weights& result) {
    if (is_byte(weights.type())) {
        result = {weights, {}};
        return true;
    }
    if (weights.elements() == 0 || !(is_real(weights.type()) || is_integral(weights.type()))) {
        return false;
    }
    std::vector<detail::value_range> ranges(channels);
    if (!detail::ranges_of(weights, ranges, channel_of)) {
        return false;
    }
    detail::value_range all = ranges[0];
    for (const detail::value_range& each : ranges) {
        all = {math::minimum(all.low, each.low), math::maximum(all.high, each.high)};
    }
    const element type = !detail::fits(all, i8) && detail::fits(all, u8) ? u8 : i8;
    std::vector<std::int32_t> zero_points(channels, 0);
    for (std::size_t channel = 0; type == i8 && channel < channels; ++channel) {
        if (!detail::zero_point_for(ranges[channel], zero_points[channel])) {
            return false;
        }
    }
    tensor_builder values(type, weights.dimensions());
    for (std::size_t i = 0; i < weights.elements(); ++i) {
        values.real(i, weights.real(i) + static_cast<double>(zero_points[channel_of(i)]));
    }
    bool symmetric = true;
    for (const std::int32_t each : zero_points) {
        symmetric = symmetric && each == 0;
    }
    result.values = values.finish();
    result.zero_points = symmetric ? std::vector<std::int32_t>() : std::move(zero_points);
    return true;
}

/// The values as f32.
inline tensor as_f32(const tensor& values) {
    return values.type() == f32 ? values : evaluation::convert_tensor(values, f32);
}

}  // namespace lpt::plan
