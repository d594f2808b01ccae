// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/reference/activation.hpp>

#include <algorithm>
#include <vector>

namespace lpt::inline LPT_ABI::reference {

namespace detail {

/// The first number of each line in an order, and where it is; lines that lie side by side are walked together.
template <class Number, class Before>
void find_first(const operand<Number>& x, std::size_t outer, std::size_t size, std::size_t inner, const Before& before,
                outcome<Number>& values, outcome<std::int64_t>& indices) {
    for (std::size_t o = 0; o < outer; ++o) {
        const Number* const from = x.data() + o * size * inner;
        Number* const best = values.data() + o * inner;
        std::int64_t* const place = indices.data() + o * inner;
        std::copy(from, from + inner, best);
        std::fill(place, place + inner, 0);
        for (std::size_t i = 1; i < size; ++i) {
            for (std::size_t line = 0; line < inner; ++line) {
                const Number value = from[i * inner + line];
                const bool is_better = before(value, best[line]);
                best[line] = is_better ? value : best[line];
                place[line] = is_better ? static_cast<std::int64_t>(i) : place[line];
            }
        }
    }
}

template <class Number>
void top_k(const call& node, seq<tensor>& outputs) {
    const auto& self = node.as<op::top_k>();
    const shape& data = node.dimensions(0);
    const std::size_t axis = evaluation::detail::axis_of(self.axis, data.rank());
    const auto size = static_cast<std::size_t>(data[axis]);
    const auto count = static_cast<std::size_t>(node.output().dimensions[axis]);
    const std::size_t inner = elements_between(data, axis + 1, data.rank());
    const std::size_t outer = elements_between(data, 0, axis);
    const bool greatest = self.mode == op::top_k_mode::max;
    const auto comes_before = [greatest](Number left, Number right) { return greatest ? left > right : left < right; };
    operand<Number> x(node.input(0));
    outcome<Number> values(node.output());
    outcome<std::int64_t> indices(node.output(1).type, node.output(1).dimensions);
    if (count == 1 && size != 0) {
        find_first(x, outer, size, inner, comes_before, values, indices);
        outputs.push_back(values.finish());
        outputs.push_back(indices.finish());
        return;
    }
    std::vector<std::size_t> order(size);
    for (std::size_t line = 0; line < outer * inner; ++line) {
        const std::size_t base = line / inner * size * inner + line % inner;
        const auto before = [&](std::size_t a, std::size_t b) {
            const Number left = x[base + a * inner];
            const Number right = x[base + b * inner];
            const bool is_number = left == left;
            if (is_number != (right == right)) {
                return is_number;  // NaN come last
            }
            return is_number && left != right ? comes_before(left, right) : a < b;
        };
        for (std::size_t i = 0; i < size; ++i) {
            order[i] = i;
        }
        const auto end = order.begin() + static_cast<std::ptrdiff_t>(count);
        std::partial_sort(order.begin(), end, order.end(), before);
        if (self.sort == op::top_k_sort::index) {
            std::sort(order.begin(), end);
        }
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t to = (line / inner * count + i) * inner + line % inner;
            values[to] = x[base + order[i] * inner];
            indices[to] = static_cast<std::int64_t>(order[i]);
        }
    }
    outputs.push_back(values.finish());
    outputs.push_back(indices.finish());
}

template <class Number>
constexpr tensor cum_sum(const call& node) {
    const auto& self = node.as<op::cum_sum>();
    const shape& data = node.dimensions(0);
    const std::size_t axis = evaluation::detail::axis_of(node.integer_at(1), data.rank());
    const auto size = static_cast<std::size_t>(data[axis]);
    const std::size_t inner = elements_between(data, axis + 1, data.rank());
    const std::size_t outer = elements_between(data, 0, axis);
    operand<Number> x(node.input(0));
    outcome<Number> result(node.output());
    for (std::size_t line = 0; line < outer * inner; ++line) {
        evaluation::sum_of<Number> sum = 0;
        for (std::size_t i = 0; i < size; ++i) {
            const std::size_t place = self.reverse ? size - 1 - i : i;
            const std::size_t at = (line / inner * size + place) * inner + line % inner;
            const evaluation::sum_of<Number> before = sum;
            sum = evaluation::detail::plus(sum, static_cast<evaluation::sum_of<Number>>(x[at]));
            result[at] = static_cast<Number>(self.exclusive ? before : sum);
        }
    }
    return result.finish();
}

template <class Number>
constexpr tensor one_hot(const call& node) {
    const auto& self = node.as<op::one_hot>();
    const shape& dimensions = node.output().dimensions;
    const std::size_t axis = evaluation::detail::axis_of(self.axis, dimensions.rank());
    const dimension depth = dimensions[axis];
    const std::size_t inner = elements_between(dimensions, axis + 1, dimensions.rank());
    const bool wraps = node.version >= 16 && self.negative_indices_mode == op::one_hot_negative_indices::normalize;
    operand<std::int64_t> indices(node.input(0));
    operand<Number> on(node.input(2));
    operand<Number> off(node.input(3));
    outcome<Number> result(node.output());
    for (std::size_t i = 0; i < result.elements(); ++i) {
        result[i] = off[0];
    }
    for (std::size_t i = 0; i < node.input(0).elements(); ++i) {
        const std::int64_t place = indices[i] < 0 && wraps ? indices[i] + depth : indices[i];
        if (place >= 0 && place < depth) {
            result[(i / inner * static_cast<std::size_t>(depth) + static_cast<std::size_t>(place)) * inner +
                   i % inner] = on[0];
        }
    }
    return result.finish();
}

constexpr tensor non_zero(const call& node) {
    const shape& data = node.dimensions(0);
    const integers strides = evaluation::strides_of(data);
    seq<std::int64_t> found;
    for (std::size_t i = 0; i < data.elements(); ++i) {
        if (node.input(0).real(i) != 0) {
            found.push_back(static_cast<std::int64_t>(i));
        }
    }
    // A scalar has no axis to tell the place on; it counts as a tensor of one element.
    const std::size_t rank = data.rank();
    seq<std::int64_t> places;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        for (const std::int64_t at : found) {
            places.push_back(at / strides[axis] % data[axis]);
        }
    }
    const shape dimensions{static_cast<dimension>(rank), static_cast<dimension>(found.size())};
    tensor_builder result(node.as<op::non_zero>().output_type, dimensions);
    for (std::size_t i = 0; i < places.size(); ++i) {
        result.integer(i, places[i]);
    }
    return result.finish();
}

}  // namespace detail

/// TopK (of equal values the one with the lower index comes first), CumSum, OneHot (indices outside the depth give off values only) and NonZero.
[[gnu::cold]] inline bool evaluate_indexing(const call& node, seq<tensor>& outputs) {
    switch (node.kind()) {
        case op::kind::top_k:
            detail::with_number(node.input(0).type(), [&](auto zero) { detail::top_k<decltype(zero)>(node, outputs); });
            return true;
        case op::kind::cum_sum:
            outputs.push_back(detail::with_number(node.input(0).type(),
                                                  [&](auto zero) { return detail::cum_sum<decltype(zero)>(node); }));
            return true;
        case op::kind::one_hot:
            outputs.push_back(detail::with_number(node.output().type,
                                                  [&](auto zero) { return detail::one_hot<decltype(zero)>(node); }));
            return true;
        case op::kind::non_zero: outputs.push_back(detail::non_zero(node)); return true;
        default: return false;
    }
}

}  // namespace lpt::inline LPT_ABI::reference
