// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/row.hpp>

namespace lpt::inline LPT_ABI::op {

namespace detail {

/// Marks the axes that a reduction is known to take; returns whether all of them are known.
///
/// Raises an error where an axis is outside the rank. An axis that is named twice counts once, and a scalar has axes 0
/// and -1, which reduce nothing.
constexpr bool mark_reduced(const inference& facts, const shape& data, const integers& axes, seq<bool, 8>& reduced) {
    bool complete = true;
    reduced.resize(data.rank(), false);
    for (const std::int64_t axis : axes) {
        if (axis == unknown_value) {
            complete = false;
            continue;
        }
        const std::int64_t place = normalized_axis(axis, data.rank() == 0 ? 1 : data.rank());
        if (place < 0) {
            facts.wrong({"axis ", axis, " is outside the rank of data of shape ", data});
        }
        if (data.rank() != 0) {
            reduced[static_cast<std::size_t>(place)] = true;
        }
    }
    return complete;
}

/// The shape of `data` after a reduction of `axes`, of which some may be `unknown_value`.
constexpr shape reduced_shape(const inference& facts, const shape& data, const integers& axes, bool keep_dims) {
    seq<bool, 8> reduced;
    const bool complete = mark_reduced(facts, data, axes, reduced);
    if (!complete && !keep_dims) {
        // Several axes might name one and the same.
        return axes.size() == 1 && data.rank() != 0 ? shape::of_rank(data.rank() - 1) : shape::of_dynamic_rank();
    }
    shape result;
    for (std::size_t axis = 0; axis < data.rank(); ++axis) {
        if (!reduced[axis]) {
            result.push_back(complete || data[axis] == 1 ? data[axis] : dynamic_dimension);
        } else if (keep_dims) {
            result.push_back(1);
        }
    }
    return result;
}

/// What all reductions have in common.
///
/// Inputs: x, axes (integers in [-rank, rank), a scalar or one axis). No axes: y = x. With `keep_dims` reduced axes stay
/// with size 1.
struct reduction {
    static constexpr versions opsets{1};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};

    bool keep_dims = false;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("keep_dims", self.keep_dims);
    }
    static constexpr void infer(const reduction& self, inference& facts) {
        facts.require_integers(1);
        if (facts.dimensions(1).rank_is_static() && facts.dimensions(1).rank() > 1) {
            facts.wrong({"axes must be a scalar or have one axis, not shape ", facts.dimensions(1)});
        }
        facts.output(facts.type(0), dimensions(self, facts));
    }
    friend constexpr bool operator==(const reduction&, const reduction&) = default;

private:
    static constexpr shape dimensions(const reduction& self, const inference& facts) {
        const shape& data = facts.dimensions(0);
        if (data.rank_is_dynamic()) {
            return data;
        }
        integers axes;
        if (facts.values(1, axes)) {
            return reduced_shape(facts, data, axes, self.keep_dims);
        }
        const shape& count = facts.dimensions(1);
        if (!self.keep_dims && count.is_dynamic()) {
            return shape::of_dynamic_rank();
        }
        const std::size_t most = 2;  // what is not known of two axes is not known of more
        axes.resize(count.is_static() ? math::minimum(count.elements(), most) : 1, unknown_value);
        return reduced_shape(facts, data, axes, self.keep_dims);
    }
};

/// What reductions of boolean tensors have in common.
struct logical_reduction : reduction {
    static constexpr void infer(const logical_reduction& self, inference& facts) {
        if (facts.type(0) != boolean && facts.type(0) != dynamic) {
            facts.wrong({"data must be boolean, not ", lpt::name(facts.type(0))});
        }
        reduction::infer(self, facts);
    }
    friend constexpr bool operator==(const logical_reduction&, const logical_reduction&) = default;
};

}  // namespace detail

/// y = the greatest of the values along the axes
struct reduce_max : detail::reduction {
    static constexpr auto number = kind::reduce_max;
    static constexpr text_view name = "ReduceMax";
    static constexpr trait traits = trait::reads_values | trait::precision_preserved | trait::quantizable;
};

/// y = the least of the values along the axes
struct reduce_min : detail::reduction {
    static constexpr auto number = kind::reduce_min;
    static constexpr text_view name = "ReduceMin";
    static constexpr trait traits = trait::reads_values | trait::precision_preserved | trait::quantizable;
};

/// y = the sum of the values along the axes, divided by their number; integers towards zero
struct reduce_mean : detail::reduction {
    static constexpr auto number = kind::reduce_mean;
    static constexpr text_view name = "ReduceMean";
    static constexpr trait traits = trait::reads_values | trait::relaxable | trait::quantizable;
};

/// y = the sum of the values along the axes
struct reduce_sum : detail::reduction {
    static constexpr auto number = kind::reduce_sum;
    static constexpr text_view name = "ReduceSum";
    static constexpr trait traits = trait::reads_values | trait::relaxable | trait::quantizable;
};

/// y = the product of the values along the axes
struct reduce_prod : detail::reduction {
    static constexpr auto number = kind::reduce_prod;
    static constexpr text_view name = "ReduceProd";
    static constexpr trait traits = trait::reads_values;
};

/// y = the sum of |x| along the axes
struct reduce_l1 : detail::reduction {
    static constexpr auto number = kind::reduce_l1;
    static constexpr text_view name = "ReduceL1";
    static constexpr versions opsets{4};
    static constexpr trait traits = trait::reads_values;
};

/// y = the square root of the sum of x^2 along the axes
struct reduce_l2 : detail::reduction {
    static constexpr auto number = kind::reduce_l2;
    static constexpr text_view name = "ReduceL2";
    static constexpr versions opsets{4};
    static constexpr trait traits = trait::reads_values;
};

/// y = whether all values along the axes are true
struct reduce_logical_and : detail::logical_reduction {
    static constexpr auto number = kind::reduce_logical_and;
    static constexpr text_view name = "ReduceLogicalAnd";
    static constexpr trait traits = trait::reads_values;
};

/// y = whether any value along the axes is true
struct reduce_logical_or : detail::logical_reduction {
    static constexpr auto number = kind::reduce_logical_or;
    static constexpr text_view name = "ReduceLogicalOr";
    static constexpr trait traits = trait::reads_values;
};

}  // namespace lpt::inline LPT_ABI::op
