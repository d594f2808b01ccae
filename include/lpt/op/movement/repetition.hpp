// SPDX-License-Identifier: Apache-2.0
// The input repeated along axes.
#pragma once

#include <lpt/op/movement/port_values.hpp>

namespace lpt::inline LPT_ABI::op {

/// How Broadcast places the axes of its input; `none` is version 1's word for `explicit`.
enum class broadcast_mode { none, explicit_axes, numpy, pdpd, bidirectional };
inline constexpr text_view broadcast_mode_words[] = {"none", "explicit", "numpy", "pdpd", "bidirectional"};
constexpr view<text_view> words_of(broadcast_mode) { return broadcast_mode_words; }

/// The input repeated until it has the target shape.
///
/// Inputs: x, target shape, axes (places of x's axes in the output; mode explicit only). `numpy` aligns at the right,
/// `pdpd` at the left of an inner block, `bidirectional` (version 3 on) lets the input widen the target too. Source:
/// OpenVINO operation set, Broadcast-1, -3.
struct broadcast {
    static constexpr auto number = kind::broadcast;
    static constexpr text_view name = "Broadcast";
    static constexpr versions opsets{1, 3};
    static constexpr ports inputs{2, 3};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits =
        trait::movement | trait::precision_preserved | trait::reads_values | trait::quantizable;

    op::broadcast_mode mode = op::broadcast_mode::numpy;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("mode", self.mode);
    }
    static constexpr void infer(const broadcast& self, inference& facts);
    friend constexpr bool operator==(const broadcast&, const broadcast&) = default;
};

/// The input repeated along its axes.
///
/// Inputs: x, repeats; the shorter of the two is extended by ones at the left; a negative
/// repeat counts as 0. Source: OpenVINO operation set, Tile-1.
struct tile {
    static constexpr auto number = kind::tile;
    static constexpr text_view name = "Tile";
    static constexpr versions opsets{0};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::movement | trait::reads_values;

    static constexpr void infer(const tile& self, inference& facts);
    friend constexpr bool operator==(const tile&, const tile&) = default;
};

namespace detail {

/// Output of Broadcast in which the input's axes are the last ones, each equal to the target's or 1.
constexpr shape broadcast_to_target(const inference& facts, const shape& target) {
    const shape& data = facts.dimensions(0);
    shape result = target;
    if (data.rank_is_static() && data.rank() > target.rank()) {
        facts.wrong({"an input of shape ", data, " does not broadcast to ", target});
    }
    for (std::size_t i = 0; i < data.rank(); ++i) {
        const dimension size = data[data.rank() - 1 - i];
        dimension& goal = result[target.rank() - 1 - i];
        if (size != 1 && !merge_dimension(goal, size)) {
            facts.wrong({"an input of shape ", data, " does not broadcast to ", target});
        }
    }
    return result;
}

/// Output of Broadcast in which input 2 places the input's axes.
constexpr shape broadcast_along_axes(const inference& facts, const shape& target) {
    const shape& data = facts.dimensions(0);
    integers axes;
    if (facts.inputs() < 3) {
        facts.wrong({"mode explicit needs the axes as input 2"});
    }
    if (data.rank_is_dynamic() || !known_axes(facts, 2, target.rank(), axes)) {
        return target;
    }
    if (axes.size() != data.rank() && data != shape{1} && data.rank() != 0) {
        check_one_an_axis(facts, 2, axes.size(), data.rank());
    }
    for (std::size_t i = 0; i < data.rank() && i < axes.size(); ++i) {
        const dimension goal = target[static_cast<std::size_t>(axes[i])];
        if (data[i] != 1 && data[i] != goal && data[i] != dynamic_dimension && goal != dynamic_dimension) {
            facts.wrong(
                {"axis ", i, " of an input of shape ", to_text(data), " does not broadcast to ", to_text(target)});
        }
    }
    return target;
}

constexpr shape infer_broadcast_to(const inference& facts, broadcast_mode mode) {
    integers values;
    if (!counted_values(facts, 1, values)) {
        return shape::of_dynamic_rank();
    }
    shape target;
    for (const std::int64_t value : values) {
        if (value < 0 && value != unknown_value) {
            facts.wrong({"asks for a size of ", value});
        }
        target.push_back(known_or_dynamic(value));
    }
    if (mode == broadcast_mode::numpy) {
        return broadcast_to_target(facts, target);
    }
    if (mode == broadcast_mode::none || mode == broadcast_mode::explicit_axes) {
        return broadcast_along_axes(facts, target);
    }
    shape result = target;
    if (mode == broadcast_mode::bidirectional && !broadcast_shapes(facts.dimensions(0), target, result)) {
        facts.wrong(
            {"an input of shape ", facts.dimensions(0), " and the target ", target, " do not broadcast to each other"});
    }
    return result;
}

constexpr shape infer_tile(const inference& facts) {
    const shape& data = facts.dimensions(0);
    integers repeats;
    if (data.rank_is_dynamic() || !counted_values(facts, 1, repeats)) {
        return shape::of_dynamic_rank();
    }
    const std::size_t rank = math::maximum(data.rank(), repeats.size());
    shape result = data.padded_left(rank);
    for (std::size_t i = 0; i < repeats.size(); ++i) {
        dimension& size = result[rank - repeats.size() + i];
        size = multiplied(facts, size,
                          repeats[i] == unknown_value ? unknown_value : math::maximum<std::int64_t>(repeats[i], 0));
    }
    return result;
}

}  // namespace detail

constexpr void broadcast::infer(const broadcast& self, inference& facts) {
    facts.output(facts.type(0), detail::infer_broadcast_to(facts, self.mode));
}
constexpr void tile::infer(const tile&, inference& facts) { facts.output(facts.type(0), detail::infer_tile(facts)); }

}  // namespace lpt::inline LPT_ABI::op
