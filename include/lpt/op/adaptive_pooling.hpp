// SPDX-License-Identifier: Apache-2.0
// Pooling into a number of bins that an input gives.
#pragma once

#include <lpt/op/movement/port_values.hpp>

namespace lpt::inline LPT_ABI::op {

namespace detail {

/// `[N, C, target…]` for data `[N, C, spatial…]` of one to three spatial axes; input 1 has a size for each.
constexpr shape infer_adaptive_pooling(const inference& facts) {
    const shape& data = facts.dimensions(0);
    integers target;
    const bool has_target = counted_values(facts, 1, target, 3);
    if (data.rank_is_static() && (data.rank() < 3 || data.rank() > 5)) {
        facts.wrong({"data must have one to three spatial axes behind two others, not the shape ", data});
    }
    if (data.rank_is_dynamic() && (!has_target || target.empty())) {
        return shape::of_dynamic_rank();
    }
    const std::size_t rank = data.rank_is_static() ? data.rank() : target.size() + 2;
    shape result = shape::of_rank(rank);
    for (std::size_t axis = 0; data.rank_is_static() && axis < 2; ++axis) {
        result[axis] = data[axis];
    }
    if (!has_target) {
        return result;
    }
    check_one_an_axis(facts, 1, target.size(), rank - 2);
    for (std::size_t axis = 0; axis < target.size(); ++axis) {
        if (target[axis] != unknown_value) {
            facts.require("a target size", target[axis], 1, most_step);
        }
        const dimension size = data.rank_is_static() ? data[axis + 2] : dynamic_dimension;
        if (size == 0) {
            facts.wrong({"an axis of size 0 cannot be pooled, in data of shape ", data});
        }
        result[axis + 2] = known_or_dynamic(target[axis]);
    }
    return result;
}

}  // namespace detail

/// The greatest value in each bin, and its place.
///
/// Along each spatial axis bin i of n has the elements from floor(i * size / n) to before ceil((i + 1) * size / n). Inputs: x `[N, C, spatial…]` with
/// one to three spatial axes, the numbers of bins (integers, one a spatial axis). Outputs: values; places, counted over the spatial axes, of type
/// `index_element_type` (i32 or i64). The first of equal values wins. Source: OpenVINO operation set, AdaptiveMaxPool-8.
struct adaptive_max_pool {
    static constexpr auto number = kind::adaptive_max_pool;
    static constexpr text_view name = "AdaptiveMaxPool";
    static constexpr versions opsets{8};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{2, 2};
    static constexpr trait traits = trait::reads_values;

    element index_element_type = i64;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("index_element_type", self.index_element_type);
    }
    static constexpr void infer(const adaptive_max_pool& self, inference& facts) {
        if (self.index_element_type != i32 && self.index_element_type != i64) {
            facts.wrong({"index_element_type must be i32 or i64, not ", lpt::name(self.index_element_type)});
        }
        const shape result = detail::infer_adaptive_pooling(facts);
        facts.output(facts.type(0), result);
        facts.output(self.index_element_type, result);
    }
    friend constexpr bool operator==(const adaptive_max_pool&, const adaptive_max_pool&) = default;
};

/// The mean of each bin; bins and inputs are those of AdaptiveMaxPool, and the one output is `[N, C, bins…]`.
///
/// Source: OpenVINO operation set, AdaptiveAvgPool-8.
struct adaptive_avg_pool {
    static constexpr auto number = kind::adaptive_avg_pool;
    static constexpr text_view name = "AdaptiveAvgPool";
    static constexpr versions opsets{8};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::reads_values;

    static constexpr void infer(const adaptive_avg_pool&, inference& facts) {
        facts.output(facts.type(0), detail::infer_adaptive_pooling(facts));
    }
    friend constexpr bool operator==(const adaptive_avg_pool&, const adaptive_avg_pool&) = default;
};

}  // namespace lpt::inline LPT_ABI::op
