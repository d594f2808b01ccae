// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/reference/activation.hpp>

#include <algorithm>
#include <vector>

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

/// An index along an axis, counted from the front.
constexpr std::size_t checked_index(text_view operation, std::int64_t index, std::int64_t size) {
    if (index < -size || index >= size) {
        fail({operation, ": index ", index, " is outside an axis of size ", size});
    }
    return static_cast<std::size_t>(index < 0 ? index + size : index);
}

constexpr tensor scatter_update(const call& node) {
    const shape& data = node.dimensions(0);
    const std::size_t axis = evaluation::detail::axis_of(node.integer_at(3), data.rank());
    const element type = evaluation::detail::byte_type(node.input(0).type());
    const tensor from = evaluation::convert_tensor(node.input(0), type);
    const tensor updates = evaluation::convert_tensor(node.input(2), type);
    const operand<std::int64_t> places(node.input(1));
    const std::size_t count = node.input(1).elements();
    const auto size = static_cast<std::size_t>(data[axis]);
    const std::size_t outer = elements_between(data, 0, axis);
    const std::size_t row =
        elements_between(data, axis + 1, data.rank()) * static_cast<std::size_t>(bit_width(type)) / 8;
    evaluation::raw_output to(type, data);
    copy_bytes(to.data(), from.data(), from.size_in_bytes());
    for (std::size_t i = 0; i < outer * count; ++i) {
        const std::size_t place = checked_index("ScatterUpdate", places[i % count], data[axis]);
        copy_bytes(to.data() + (i / count * size + place) * row, updates.data() + i * row, row);
    }
    return evaluation::convert_tensor(to.finish(), node.input(0).type());
}

template <class Number>
tensor scatter_elements_update(const call& node) {
    const auto& self = node.as<op::scatter_elements_update>();
    const shape& data = node.dimensions(0);
    const shape& indices = node.dimensions(1);
    const std::size_t axis = evaluation::detail::axis_of(node.integer_at(3), data.rank());
    const integers strides = evaluation::strides_of(data);
    const operand<Number> x(node.input(0));
    const operand<std::int64_t> places(node.input(1));
    const operand<Number> updates(node.input(2));
    outcome<Number> y(node.output());
    std::copy_n(x.data(), y.elements(), y.data());
    const bool counts = self.reduction == op::element_reduction::mean || !self.use_init_val;
    std::vector<std::int64_t> taken(counts ? y.elements() : 0, self.use_init_val ? 1 : 0);
    const auto combined = [&self](Number before, Number update) -> Number {
        switch (self.reduction) {
            case op::element_reduction::sum:
            case op::element_reduction::mean: return evaluation::detail::plus(before, update);
            case op::element_reduction::prod: return evaluation::detail::times(before, update);
            case op::element_reduction::min: return math::minimum(before, update);
            case op::element_reduction::max: return math::maximum(before, update);
            default: return update;
        }
    };
    for (std::size_t i = 0; i < node.input(1).elements(); ++i) {
        std::size_t rest = i;
        std::size_t place = 0;
        for (std::size_t along = data.rank(); along-- > 0;) {
            const auto size = static_cast<std::size_t>(indices[along]);
            const std::size_t index =
                along == axis ? checked_index("ScatterElementsUpdate", places[i], data[axis]) : rest % size;
            place += index * static_cast<std::size_t>(strides[along]);
            rest /= size;
        }
        y[place] = counts && taken[place] == 0 ? updates[i] : combined(y[place], updates[i]);
        if (counts) {
            ++taken[place];
        }
    }
    if (self.reduction == op::element_reduction::mean) {
        for (std::size_t i = 0; i < y.elements(); ++i) {
            y[i] = taken[i] > 1 ? evaluation::detail::quotient(y[i], static_cast<Number>(taken[i]), false) : y[i];
        }
    }
    return y.finish();
}

}  // namespace detail

/// ScatterNDUpdate, ScatterUpdate and ScatterElementsUpdate: updates in the order of their indices. An index outside its axis is an error.
[[gnu::cold]] inline bool evaluate_scatter(const call& node, seq<tensor>& outputs) {
    switch (node.kind()) {
        case op::kind::scatter_update: outputs.push_back(detail::scatter_update(node)); return true;
        case op::kind::scatter_elements_update:
            outputs.push_back(detail::with_number(
                node.output().type, [&](auto zero) { return detail::scatter_elements_update<decltype(zero)>(node); }));
            return true;
        default:
            outputs.push_back(detail::with_number(
                node.output().type, [&](auto zero) { return detail::scatter_nd_update<decltype(zero)>(node); }));
            return true;
    }
}

}  // namespace lpt::inline LPT_ABI::reference
