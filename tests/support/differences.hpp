// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bitset>
#include <string_view>

/// The ways in which a transformed network may differ from the one it came from. Each is a section of docs/differences.md, which says
/// what differs, why, by how much, and which option avoids it.
namespace lpt::support {

enum class difference {
    // By design.
    rounded_zero_point,
    neglected_zero_point,
    rounded_average,
    aligned_intervals,
    stripped_fake_quantize,
    range_of_32_bits,
    rounded_constants,
    rounded_quotient,
    quantized_cache,
    // The quirks of upstream, in the order of `lpt::quirk`.
    clamped_scale,
    unscaled_epsilon,
    uneven_levels,
    constant_in_low_precision,
    depth_to_space_constants,
    space_to_batch_margin,
    truncated_pad_value,
    eliminated_limit,
    levels_of_neighbour,
    overflowing_range,
    margin_in_average,
    wrapped_zero_point,
    scale_of_other_axis,
    requantized_cache,
    interval_of_pair,
    padded_axis_of_one,
    weights_taken_for_scale,
    forgotten_subtract,
    needless_copy,
    lost_name,
    count
};

struct difference_entry {
    difference what;
    std::string_view name;  // of the section
};

inline constexpr std::array<difference_entry, static_cast<std::size_t>(difference::count)> all_differences{{
    {difference::rounded_zero_point, "rounded_zero_point"},
    {difference::neglected_zero_point, "neglected_zero_point"},
    {difference::rounded_average, "rounded_average"},
    {difference::aligned_intervals, "aligned_intervals"},
    {difference::stripped_fake_quantize, "stripped_fake_quantize"},
    {difference::range_of_32_bits, "range_of_32_bits"},
    {difference::rounded_constants, "rounded_constants"},
    {difference::rounded_quotient, "rounded_quotient"},
    {difference::quantized_cache, "quantized_cache"},
    {difference::clamped_scale, "clamped_scale"},
    {difference::unscaled_epsilon, "unscaled_epsilon"},
    {difference::uneven_levels, "uneven_levels"},
    {difference::constant_in_low_precision, "constant_in_low_precision"},
    {difference::depth_to_space_constants, "depth_to_space_constants"},
    {difference::space_to_batch_margin, "space_to_batch_margin"},
    {difference::truncated_pad_value, "truncated_pad_value"},
    {difference::eliminated_limit, "eliminated_limit"},
    {difference::levels_of_neighbour, "levels_of_neighbour"},
    {difference::overflowing_range, "overflowing_range"},
    {difference::margin_in_average, "margin_in_average"},
    {difference::wrapped_zero_point, "wrapped_zero_point"},
    {difference::scale_of_other_axis, "scale_of_other_axis"},
    {difference::requantized_cache, "requantized_cache"},
    {difference::interval_of_pair, "interval_of_pair"},
    {difference::padded_axis_of_one, "padded_axis_of_one"},
    {difference::weights_taken_for_scale, "weights_taken_for_scale"},
    {difference::forgotten_subtract, "forgotten_subtract"},
    {difference::needless_copy, "needless_copy"},
    {difference::lost_name, "lost_name"},
}};

/// The first entry of the second group: a network meets none of these unless upstream's errors are followed.
inline constexpr difference first_upstream_error = difference::clamped_scale;

/// Which differences a network meets.
using difference_set = std::bitset<static_cast<std::size_t>(difference::count)>;

constexpr std::string_view name_of(difference what) { return all_differences[static_cast<std::size_t>(what)].name; }

}  // namespace lpt::support
