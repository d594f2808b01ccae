// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/text.hpp>

#include <cstddef>
#include <cstdint>

namespace lpt::inline LPT_ABI {

/// A way in which OpenVINO 2026.4.1 gives a wrong or needlessly poor network although a better one exists. The library gives the better
/// one unless it is told to follow. Each is a section of docs/differences.md, of the same name.
enum class quirk : std::uint8_t {
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
    // What changes no value.
    weights_taken_for_scale,
    forgotten_subtract,
    needless_copy,
    lost_name,
    count
};

namespace detail {

struct quirk_row {
    quirk which;
    text_view name;
};
inline constexpr quirk_row quirk_rows[] = {
    {quirk::clamped_scale, "clamped_scale"},
    {quirk::unscaled_epsilon, "unscaled_epsilon"},
    {quirk::uneven_levels, "uneven_levels"},
    {quirk::constant_in_low_precision, "constant_in_low_precision"},
    {quirk::depth_to_space_constants, "depth_to_space_constants"},
    {quirk::space_to_batch_margin, "space_to_batch_margin"},
    {quirk::truncated_pad_value, "truncated_pad_value"},
    {quirk::eliminated_limit, "eliminated_limit"},
    {quirk::levels_of_neighbour, "levels_of_neighbour"},
    {quirk::overflowing_range, "overflowing_range"},
    {quirk::margin_in_average, "margin_in_average"},
    {quirk::wrapped_zero_point, "wrapped_zero_point"},
    {quirk::scale_of_other_axis, "scale_of_other_axis"},
    {quirk::requantized_cache, "requantized_cache"},
    {quirk::interval_of_pair, "interval_of_pair"},
    {quirk::padded_axis_of_one, "padded_axis_of_one"},
    {quirk::weights_taken_for_scale, "weights_taken_for_scale"},
    {quirk::forgotten_subtract, "forgotten_subtract"},
    {quirk::needless_copy, "needless_copy"},
    {quirk::lost_name, "lost_name"},
};

}  // namespace detail

/// The name of a quirk: that of its section in docs/differences.md.
constexpr text_view name_of(quirk which) { return detail::quirk_rows[static_cast<std::size_t>(which)].name; }

/// Some of the quirks: `quirk::lost_name | quirk::needless_copy`.
class quirk_set {
    std::uint32_t bits_ = 0;

public:
    constexpr quirk_set() = default;
    constexpr quirk_set(quirk which) : bits_(std::uint32_t{1} << static_cast<unsigned>(which)) {}

    constexpr bool contains(quirk which) const { return (bits_ >> static_cast<unsigned>(which) & 1) != 0; }
    constexpr quirk_set& operator|=(quirk_set other) {
        bits_ |= other.bits_;
        return *this;
    }
    friend constexpr bool operator==(quirk_set, quirk_set) = default;
};
static_assert(static_cast<unsigned>(quirk::count) <= 32);

constexpr quirk_set operator|(quirk_set one, quirk_set other) { return one |= other; }
constexpr quirk_set operator|(quirk one, quirk other) { return quirk_set(one) | quirk_set(other); }

}  // namespace lpt::inline LPT_ABI
