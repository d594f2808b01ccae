// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bitset>
#include <string_view>

/// The ways in which a transformed network may differ from the one it came from. Each is a section of docs/differences.md, which says
/// what differs, why, by how much, and which option avoids it.
namespace lpt::support {

enum class difference {
    // Not an identity by design.
    rounded_zero_point,
    neglected_zero_point,
    unscaled_epsilon,
    aligned_intervals,
    // A wrong answer of OpenVINO that is followed unless `follow_upstream_errors` is false.
    depth_to_space_constants,
    space_to_batch_margin,
    truncated_pad_value,
    wrapped_constant_bound,
    levels_of_neighbour,
    count
};

struct difference_entry {
    difference what;
    std::string_view name;  // of the section
};

inline constexpr std::array<difference_entry, static_cast<std::size_t>(difference::count)> all_differences{{
    {difference::rounded_zero_point, "rounded_zero_point"},
    {difference::neglected_zero_point, "neglected_zero_point"},
    {difference::unscaled_epsilon, "unscaled_epsilon"},
    {difference::aligned_intervals, "aligned_intervals"},
    {difference::depth_to_space_constants, "depth_to_space_constants"},
    {difference::space_to_batch_margin, "space_to_batch_margin"},
    {difference::truncated_pad_value, "truncated_pad_value"},
    {difference::wrapped_constant_bound, "wrapped_constant_bound"},
    {difference::levels_of_neighbour, "levels_of_neighbour"},
}};

/// Which differences a network meets.
using difference_set = std::bitset<static_cast<std::size_t>(difference::count)>;

constexpr std::string_view name_of(difference what) { return all_differences[static_cast<std::size_t>(what)].name; }

}  // namespace lpt::support
