// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/reference/activation.hpp>

namespace lpt::inline LPT_ABI::reference {

namespace detail {

/// Where the slices of ScatterNDUpdate begin, in elements of the data.
constexpr seq<std::size_t> scatter_places(const call& node) {
    const shape& data = node.dimensions(0);
    const shape& indices = node.dimensions(1);
    const auto tuple = static_cast<std::size_t>(indices[indices.rank() - 1]);
    const operand<std::int64_t> places(node.input(1));
    const std::size_t inner = elements_between(data, tuple, data.rank());
    seq<std::size_t> result;
    for (std::size_t i = 0; i < elements_between(indices, 0, indices.rank() - 1); ++i) {
        std::size_t place = 0;
        for (std::size_t axis = 0; axis < tuple; ++axis) {
            const std::int64_t index = places[i * tuple + axis];
            const dimension size = data[axis];
            if (index < -size || index >= size) {
                fail({"ScatterNDUpdate: index ", index, " is outside an axis of size ", size});
            }
            place = place * static_cast<std::size_t>(size) + static_cast<std::size_t>(index < 0 ? index + size : index);
        }
        result.push_back(place * inner);
    }
    return result;
}

template <class Number>
constexpr tensor scatter_nd_update(const call& node) {
    const op::scatter_reduction how = node.as<op::scatter_nd_update>().reduction;
    const seq<std::size_t> places = scatter_places(node);
    const std::size_t inner = places.empty() ? 0 : node.input(2).elements() / places.size();
    const operand<Number> x(node.input(0));
    const operand<Number> updates(node.input(2));
    outcome<Number> y(node.output());
    for (std::size_t i = 0; i < y.elements(); ++i) {
        y[i] = x[i];
    }
    const auto combined = [how](Number before, Number update) -> Number {
        switch (how) {
            case op::scatter_reduction::sum: return evaluation::detail::plus(before, update);
            case op::scatter_reduction::sub: return evaluation::detail::minus(before, update);
            case op::scatter_reduction::prod: return evaluation::detail::times(before, update);
            case op::scatter_reduction::min: return math::minimum(before, update);
            case op::scatter_reduction::max: return math::maximum(before, update);
            default: return update;
        }
    };
    for (std::size_t i = 0; i < places.size(); ++i) {
        for (std::size_t k = 0; k < inner; ++k) {
            y[places[i] + k] = combined(y[places[i] + k], updates[i * inner + k]);
        }
    }
    return y.finish();
}

}  // namespace detail

/// ScatterNDUpdate: updates in the order of their indices. An index outside its axis is an error.
[[gnu::cold]] inline bool evaluate_scatter(const call& node, seq<tensor>& outputs) {
    outputs.push_back(detail::with_number(node.output().type,
                                          [&](auto zero) { return detail::scatter_nd_update<decltype(zero)>(node); }));
    return true;
}

}  // namespace lpt::inline LPT_ABI::reference
