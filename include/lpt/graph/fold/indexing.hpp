// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/fold/elementwise.hpp>

namespace lpt::inline LPT_ABI::evaluation {

/// The sizes of a static shape, as ShapeOf gives them.
constexpr tensor shape_values(const shape& dimensions, element type) {
    return make_integer_tensor(type, shape{static_cast<dimension>(dimensions.rank())}, dimensions.dimensions());
}

namespace detail {
template <class Number>
constexpr tensor range(const call& node) {
    const operand<Number> start(node.input(0));
    const operand<Number> step(node.input(2));
    outcome<Number> result(node.output());
    for (std::size_t i = 0; i < result.elements(); ++i) {
        result[i] = plus(start[0], times(static_cast<Number>(i), step[0]));
    }
    return result.finish();
}
}  // namespace detail

/// Range in the number type of its output: start + i * step.
[[gnu::noinline, gnu::cold]] constexpr bool evaluate_range(const call& node, seq<tensor>& outputs) {
    outputs.push_back(with_number(node.output().type, [&](auto zero) { return detail::range<decltype(zero)>(node); }));
    return true;
}

}  // namespace lpt::inline LPT_ABI::evaluation
