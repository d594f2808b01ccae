// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/traits.hpp>
#include <lpt/graph/fold/elementwise.hpp>

namespace lpt::inline LPT_ABI::evaluation {

/// The type in which sums of numbers are kept: long sums of `float` would lose their last values.
template <class Number>
using sum_of = choose<is_same<Number, float>, double, Number>;

namespace detail {

/// Which axes a node reduces.
constexpr seq<bool, 8> reduced_axes(const integers& axes, std::size_t rank) {
    seq<bool, 8> result(rank, false);
    for (const std::int64_t axis : axes) {
        if (rank != 0) {
            result[static_cast<std::size_t>(normalized_axis(axis, rank))] = true;
        }
    }
    return result;
}

/// Calls `visit(input place, output place, count, output step)` for rows of the input; the output place moves by the step, 0 or 1.
template <class Visit>
constexpr void for_each_reduced_row(const shape& data, const seq<bool, 8>& reduced, Visit visit) {
    shape kept = data;
    for (std::size_t axis = 0; axis < data.rank(); ++axis) {
        kept[axis] = reduced[axis] ? 1 : data[axis];
    }
    // The output broadcasts to the input: the walk of an elementwise operation, the other way round.
    const broadcast_walk<1> walk(data, {&kept});
    walk.for_each_row(
        [&](const broadcast_walk<1>::row& row) { visit(row.output, row.at[0], row.length, row.step[0]); });
}

/// A result with one more value taken into it.
template <class Sum>
constexpr Sum reduced_value(op::kind kind, Sum a, Sum b) {
    switch (kind) {
        case op::kind::reduce_max: return math::maximum(a, b);
        case op::kind::reduce_min: return math::minimum(a, b);
        case op::kind::reduce_prod: return times(a, b);
        case op::kind::reduce_l1: return plus(a, b < 0 ? negated(b) : b);
        case op::kind::reduce_l2: return plus(a, times(b, b));
        case op::kind::reduce_logical_and: return Sum(a != 0 && b != 0);
        default: return Sum(a != 0 || b != 0);
    }
}

/// Takes a row into the results that it belongs to: all into one (step 0) or each into its own (1). Sums have loops of
/// their own, which are faster; the other operations share one.
template <class Number, class Sum>
constexpr void reduce_row(op::kind kind, const Number* from, std::size_t count, Sum* to, std::size_t step) {
    const bool adds = kind == op::kind::reduce_sum || kind == op::kind::reduce_mean;
    if (!adds) {
        for (std::size_t i = 0; i < count; ++i) {
            to[i * step] = reduced_value(kind, to[i * step], static_cast<Sum>(from[i]));
        }
        return;
    }
    if (step != 0) {
        for (std::size_t i = 0; i < count; ++i) {
            to[i] = plus(to[i], static_cast<Sum>(from[i]));
        }
        return;
    }
    Sum sum = to[0];
    for (std::size_t i = 0; i < count; ++i) {
        sum = plus(sum, static_cast<Sum>(from[i]));
    }
    to[0] = sum;
}

template <class Number, class Sum>
[[gnu::noinline]] constexpr seq<Sum> reduce(op::kind kind, const tensor& data, const seq<bool, 8>& reduced,
                                            std::size_t count, Sum start) {
    operand<Number> from(data);
    seq<Sum> result(count, start);
    for_each_reduced_row(data.dimensions(), reduced,
                         [&](std::size_t at, std::size_t place, std::size_t length, std::size_t step) {
                             reduce_row(kind, from.data() + at, length, result.data() + place, step);
                         });
    return result;
}

/// What a maximum starts with; the negative of infinity, or the least integer. With `most` what a minimum starts with.
template <class Number>
constexpr Number utmost(bool most) {
    if constexpr (is_integer_type<Number>) {
        return most ? INT64_MAX : INT64_MIN;
    } else {
        return static_cast<Number>(most ? math::infinity : -math::infinity);
    }
}

template <class Sum>
constexpr Sum reduction_start(op::kind kind) {
    switch (kind) {
        case op::kind::reduce_max: return utmost<Sum>(false);
        case op::kind::reduce_min: return utmost<Sum>(true);
        case op::kind::reduce_prod:
        case op::kind::reduce_logical_and: return 1;
        default: return 0;
    }
}

template <class Number>
constexpr tensor reduction(const call& node) {
    using sum = sum_of<Number>;
    const tensor& data = node.input(0);
    const seq<bool, 8> reduced = reduced_axes(node.integers_at(1), data.dimensions().rank());
    outcome<Number> result(node.output());
    const std::size_t count = result.elements();
    const seq<sum> values = reduce<Number, sum>(node.kind(), data, reduced, count, reduction_start<sum>(node.kind()));
    const sum share = static_cast<sum>(count == 0 ? 1 : data.elements() / count);
    for (std::size_t i = 0; i < count; ++i) {
        sum value = values[i];
        if (node.kind() == op::kind::reduce_mean) {
            value = is_integer_type<sum> && share == 0 ? sum(0) : value / share;
        } else if (node.kind() == op::kind::reduce_l2) {
            const bool has_wrapped = value < 0;  // squares of large integers
            value = has_wrapped ? sum(0) : static_cast<sum>(math::sqrt(static_cast<double>(value)));
        }
        result[i] = static_cast<Number>(value);
    }
    return result.finish();
}

}  // namespace detail

constexpr bool is_reduction(op::kind kind) {
    return kind >= op::kind::reduce_max && kind <= op::kind::reduce_logical_or;
}

/// Reductions. Sums of f32 and smaller real types are kept in double and rounded once.
[[gnu::noinline, gnu::cold]] constexpr bool evaluate_reduction(const call& node, seq<tensor>& outputs) {
    outputs.push_back(
        with_number(node.input(0).type(), [&](auto zero) { return detail::reduction<decltype(zero)>(node); }));
    return true;
}

}  // namespace lpt::inline LPT_ABI::evaluation
