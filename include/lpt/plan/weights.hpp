// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/fold.hpp>
#include <lpt/plan/source.hpp>

#include <utility>
#include <vector>

namespace lpt::inline LPT_ABI::plan {

/// Weights as integers of 8 bits: a weight is value - zero_point. `zero_points`: none, one, or one for each output channel.
struct integer_weights {
    tensor values;
    std::vector<std::int32_t> zero_points;
    bool four_bits = false;  // all values are in [-8, 7]

    /// True if they should be packed two in a byte, for a matrix of so many rows. Reading them bounds the time of few rows, which
    /// half the bytes make shorter; of many rows it is arithmetic, which taking them apart makes a quarter longer.
    bool packs_four_bits(std::int64_t rows) const { return four_bits && rows <= 8; }
};

namespace detail {

struct value_range {
    double low = 0;
    double high = 0;
};

inline bool fits(const value_range& range, element type) {
    return range.low >= facts(type).lowest && range.high <= facts(type).highest;
}

/// The zero point next to 0 that moves a range into that of i8 or i4; false if there is none in [-128, 255].
inline bool zero_point_for(const value_range& range, element type, std::int32_t& result) {
    const double lowest = facts(type).lowest;
    const double highest = facts(type).highest;
    const double moved = range.low < lowest ? lowest - range.low : math::minimum(0.0, highest - range.high);
    result = static_cast<std::int32_t>(moved);
    return fits({range.low + moved, range.high + moved}, type) && moved >= -128 && moved <= 255;
}

/// The zero points that move the ranges of all channels into that of i8 or i4; false if there are none.
inline bool zero_points_for(const std::vector<value_range>& ranges, element type, std::vector<std::int32_t>& result) {
    result.assign(ranges.size(), 0);
    for (std::size_t channel = 0; channel < ranges.size(); ++channel) {
        if (!zero_point_for(ranges[channel], type, result[channel])) {
            return false;
        }
    }
    return true;
}

/// The same for i4, one zero point for all channels if there is one.
inline bool four_bit_zero_points_for(const std::vector<value_range>& ranges, const value_range& all,
                                     std::vector<std::int32_t>& result) {
    std::int32_t common = 0;
    if (zero_point_for(all, i4, common)) {
        result.assign(ranges.size(), common);
        return true;
    }
    return zero_points_for(ranges, i4, result);
}

/// True if all bytes are in the range of i4.
inline bool are_four_bits(const tensor& bytes) {
    for (std::size_t i = 0; i < bytes.elements(); ++i) {
        const double value = bytes.real(i);
        if (!(value >= facts(i4).lowest && value <= facts(i4).highest)) {
            return false;
        }
    }
    return bytes.elements() != 0;
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

/// Weights whose values are integers that fit into 8 bits, perhaps after a shift for each output channel. Those that fit into 4 are
/// found by their values: a Convert or a zero point, folded, leaves nothing else of i4 and u4.
///
/// `channel_of(i)`: the output channel, below `channels`, of element i. False for weights that are not of this form.
template <class ChannelOf>
bool integer_weights_of(const tensor& weights, std::size_t channels, const ChannelOf& channel_of,
                        integer_weights& result) {
    if (is_byte(weights.type())) {
        result = {weights, {}, detail::are_four_bits(weights)};
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
    std::vector<std::int32_t> zero_points;
    result.four_bits = detail::four_bit_zero_points_for(ranges, all, zero_points);
    const element type = !result.four_bits && !detail::fits(all, i8) && detail::fits(all, u8) ? u8 : i8;
    if (type == u8) {
        zero_points.assign(channels, 0);
    } else if (!result.four_bits && !detail::zero_points_for(ranges, i8, zero_points)) {
        return false;
    }
    tensor_builder values(type, weights.dimensions());
    for (std::size_t i = 0; i < weights.elements(); ++i) {
        values.real(i, weights.real(i) + static_cast<double>(zero_points[channel_of(i)]));
    }
    result.values = values.finish();
    drop_zeros(zero_points);
    result.zero_points = std::move(zero_points);
    return true;
}

/// The values as f32.
inline tensor as_f32(const tensor& values) {
    return values.type() == f32 ? values : evaluation::convert_tensor(values, f32);
}

}  // namespace lpt::inline LPT_ABI::plan
