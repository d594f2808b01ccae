// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/rule/pieces.hpp>

namespace lpt::inline LPT_ABI {

namespace fusion {

struct gives_a_known_shape {
    static constexpr text_view name = "GivesAKnownShape";
    static constexpr bool holds(const match& found) { return found.model()[found.root()].shape().is_static(); }
};
struct keeps_the_shape {
    static constexpr text_view name = "KeepsTheShape";
    static constexpr bool holds(const match& found) {
        return found.dimensions(0).is_static() && found.model()[found.root()].shape() == found.dimensions(0);
    }
};
constexpr tensor sizes_of_result(const match& found) {
    const shape& dimensions = found.model()[found.root()].shape();
    return make_indices(view<std::int64_t>(dimensions.dimensions().data(), dimensions.rank()));
}
/// The same elements in the same order, in another shape.
using seen_otherwise =
    either<many_readers<expression<op::reshape, any<0>, any<1>>>, many_readers<expression<op::squeeze, any<0>, any<1>>>,
           many_readers<expression<op::squeeze, any<0>>>, many_readers<expression<op::unsqueeze, any<0>, any<1>>>>;

}  // namespace fusion

/// A Reshape to the shape that its input has goes away.
struct reshape_elimination
    : rule<"ReshapeElimination", expression<op::reshape, any<0>, any<1>>, any<0>, when<fusion::keeps_the_shape>> {};

/// A Reshape behind a Reshape, Squeeze or Unsqueeze reads what that one reads.
struct reshape_fusion : rule<"ReshapeFusion", expression<op::reshape, fusion::seen_otherwise, any<2>>,
                             expression<op::reshape, any<0>, made_constant<&fusion::sizes_of_result>>,
                             when<fusion::gives_a_known_shape>> {};

namespace fusion {

/// The axis of which the middle shape has the groups, and the order exchanges them with what is in a group; -1 if there is none.
constexpr std::int64_t shuffled_axis(const match& found) {
    const shape& data = found.dimensions(0);
    const shape& parts = found.model()[found.labelled_node(0)].shape();
    if (!data.is_static() || !parts.is_static() || parts.rank() != data.rank() + 1 ||
        found.constant(2).elements() != parts.rank()) {
        return -1;
    }
    std::size_t axis = 0;
    while (axis < data.rank() && parts[axis] == data[axis] &&
           found.constant(2).integer(axis) == static_cast<std::int64_t>(axis)) {
        ++axis;
    }
    if (axis == data.rank() || parts[axis] * parts[axis + 1] != data[axis]) {
        return -1;
    }
    for (std::size_t i = 0; i < parts.rank(); ++i) {
        const std::size_t from = i == axis ? axis + 1 : i == axis + 1 ? axis : i;
        if (found.constant(2).integer(i) != static_cast<std::int64_t>(from) ||
            (i > axis + 1 && parts[i] != data[i - 1])) {
            return -1;
        }
    }
    return static_cast<std::int64_t>(axis);
}
struct exchanges_groups {
    static constexpr text_view name = "ExchangesGroups";
    static constexpr bool holds(const match& found) { return shuffled_axis(found) >= 0; }
};
constexpr op::shuffle_channels shuffle_of(const match& found) {
    op::shuffle_channels result;
    result.axis = shuffled_axis(found);
    result.group = found.model()[found.labelled_node(0)].shape()[static_cast<std::size_t>(result.axis)];
    return result;
}

}  // namespace fusion

/// An axis that a Reshape divides into groups, a Transpose exchanges with what is in a group, and a Reshape joins again:
/// ShuffleChannels. As one operation it runs in either layout.
struct shuffle_channels_fusion
    : rule<"ShuffleChannelsFusion",
           expression<op::reshape,
                      expression<op::transpose, labelled<0, expression<op::reshape, any<0>, any<1>>>, literal<2>>,
                      any<3>>,
           made<&fusion::shuffle_of, any<0>>, when<fusion::exchanges_groups>> {};

}  // namespace lpt::inline LPT_ABI
