// SPDX-License-Identifier: Apache-2.0
// The same elements in another order of axes or places.
#pragma once

#include <lpt/op/movement/port_values.hpp>

namespace lpt::inline LPT_ABI::op {

/// The axes in another order.
///
/// y's axis i is x's axis order[i]. Inputs: x, order (a permutation; empty reverses the axes). Source: OpenVINO
/// operation set, Transpose-1.
struct transpose {
    static constexpr auto number = kind::transpose;
    static constexpr text_view name = "Transpose";
    static constexpr versions opsets{1};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits =
        trait::movement | trait::precision_preserved | trait::reads_values | trait::quantizable;

    static constexpr void infer(const transpose& self, inference& facts);
    friend constexpr bool operator==(const transpose&, const transpose&) = default;
};

/// The axis seen as `[group, size / group]` is transposed to `[size / group, group]`.
///
/// `axis` in `[-rank, rank)`; `group` >= 1 must divide its size. Source: OpenVINO operation set, ShuffleChannels-1.
struct shuffle_channels {
    static constexpr auto number = kind::shuffle_channels;
    static constexpr text_view name = "ShuffleChannels";
    static constexpr versions opsets{0};
    static constexpr ports inputs{1, 1};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::movement | trait::precision_preserved | trait::quantizable;

    std::int64_t axis = 1;
    std::int64_t group = 1;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("axis", self.axis);
        visit("group", self.group);
    }
    static constexpr void infer(const shuffle_channels& self, inference& facts);
    friend constexpr bool operator==(const shuffle_channels&, const shuffle_channels&) = default;
};

/// The first elements of each sequence in reverse order.
///
/// Inputs: x, lengths `[size of batch_axis]` of integers. `batch_axis`, `seq_axis` in `[-rank, rank)`. Source:
/// OpenVINO operation set, ReverseSequence-1.
struct reverse_sequence {
    static constexpr auto number = kind::reverse_sequence;
    static constexpr text_view name = "ReverseSequence";
    static constexpr versions opsets{0};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::movement;

    std::int64_t batch_axis = 0;
    std::int64_t seq_axis = 1;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("batch_axis", self.batch_axis);
        visit("seq_axis", self.seq_axis);
    }
    static constexpr void infer(const reverse_sequence& self, inference& facts);
    friend constexpr bool operator==(const reverse_sequence&, const reverse_sequence&) = default;
};

/// Elements moved along axes; what leaves an axis at one end comes in at the other.
///
/// y[(i + shift) mod size] = x[i] along each axis. Inputs: x, shifts, axes in `[-rank, rank)`: single integers or lists; one shift stands for
/// all axes, and shifts of an axis that is named more than once add up. Source: OpenVINO operation set, Roll-7.
struct roll {
    static constexpr auto number = kind::roll;
    static constexpr text_view name = "Roll";
    static constexpr versions opsets{7};
    static constexpr ports inputs{3, 3};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::movement;

    static constexpr void infer(const roll& self, inference& facts);
    friend constexpr bool operator==(const roll&, const roll&) = default;
};

namespace detail {

constexpr void check_roll(const inference& facts) {
    std::size_t count[3] = {0, 0, 0};
    bool is_known = true;
    for (std::size_t port = 1; port < 3; ++port) {
        facts.require_integers(port);
        const shape& dimensions = facts.dimensions(port);
        if (dimensions.rank_is_static() && dimensions.rank() > 1) {
            facts.wrong({"input ", port, " must be a number or a list, not a tensor of shape ", dimensions});
        }
        is_known = value_count(facts, port, count[port]) && is_known;
    }
    if (is_known && count[1] != 1 && count[1] != count[2]) {
        facts.wrong({"has ", count[1], " shifts for ", count[2], " axes"});
    }
    const shape& data = facts.dimensions(0);
    integers axes;
    if (data.rank_is_static() && facts.values(2, axes)) {
        for (const std::int64_t axis : axes) {
            if (axis != unknown_value) {
                checked_axis(facts, axis, data.rank());
            }
        }
    }
}

constexpr shape infer_transpose(const inference& facts) {
    const shape& data = facts.dimensions(0);
    integers order;
    if (!counted_values(facts, 1, order)) {
        return same_rank(data);
    }
    const std::size_t rank = data.rank_is_static() ? data.rank() : order.size();
    if (order.empty()) {
        shape reversed = same_rank(data);
        for (std::size_t axis = 0; axis < data.rank(); ++axis) {
            reversed[axis] = data[rank - 1 - axis];
        }
        return reversed;
    }
    check_one_an_axis(facts, 1, order.size(), rank);
    shape result = shape::of_rank(rank);
    for (std::size_t axis = 0; axis < rank; ++axis) {
        if (order[axis] == unknown_value) {
            continue;
        }
        if (order[axis] < 0 || order[axis] >= static_cast<std::int64_t>(rank)) {
            facts.wrong({"order names axis ", order[axis], " of ", rank});
        }
        if (data.rank_is_static()) {
            result[axis] = data[static_cast<std::size_t>(order[axis])];
        }
    }
    if (has_duplicates(order)) {
        facts.wrong({"order names an axis twice"});
    }
    return result;
}

constexpr void check_shuffle(const inference& facts, std::int64_t axis, std::int64_t group) {
    const shape& data = facts.dimensions(0);
    facts.require("group", group, 1, most_step);
    if (data.rank_is_static()) {
        divided(facts, data[checked_axis(facts, axis, data.rank())], group, "the size of the axis");
    }
}

constexpr shape infer_reverse_sequence(const inference& facts, std::int64_t batch_axis, std::int64_t seq_axis) {
    shape result = facts.dimensions(0);
    const shape& lengths = facts.dimensions(1);
    if (lengths.rank_is_static() && lengths.rank() != 1) {
        facts.wrong({"the lengths must have one axis, not the shape ", lengths});
    }
    if (result.rank_is_dynamic()) {
        return result;
    }
    if (result.rank() < 2) {
        facts.wrong({"an input of shape ", result, " has no batch and sequence axes"});
    }
    const std::size_t batch = checked_axis(facts, batch_axis, result.rank());
    checked_axis(facts, seq_axis, result.rank());
    if (lengths.rank_is_static() && !merge_dimension(result[batch], lengths[0])) {
        facts.wrong({"there are ", lengths[0], " lengths for a batch of ", result[batch]});
    }
    return result;
}

}  // namespace detail

constexpr void transpose::infer(const transpose&, inference& facts) {
    facts.output(facts.type(0), detail::infer_transpose(facts));
}
constexpr void shuffle_channels::infer(const shuffle_channels& self, inference& facts) {
    detail::check_shuffle(facts, self.axis, self.group);
    facts.output(facts.type(0), facts.dimensions(0));
}
constexpr void reverse_sequence::infer(const reverse_sequence& self, inference& facts) {
    facts.output(facts.type(0), detail::infer_reverse_sequence(facts, self.batch_axis, self.seq_axis));
}
constexpr void roll::infer(const roll&, inference& facts) {
    detail::check_roll(facts);
    facts.output(facts.type(0), facts.dimensions(0));
}

}  // namespace lpt::inline LPT_ABI::op
