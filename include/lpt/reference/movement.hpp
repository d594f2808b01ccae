// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/reference/activation.hpp>

namespace lpt::inline LPT_ABI::reference {

namespace detail {

constexpr tensor gather_nd(const call& node) {
    const shape& data = node.dimensions(0);
    const shape& indices = node.dimensions(1);
    const auto batch = static_cast<std::size_t>(node.as<op::gather_nd>().batch_dims);
    const auto tuple = static_cast<std::size_t>(indices[indices.rank() - 1]);
    const element type = evaluation::detail::byte_type(node.input(0).type());
    const tensor from = evaluation::convert_tensor(node.input(0), type);
    const operand<std::int64_t> places(node.input(1));
    const std::size_t inner =
        elements_between(data, batch + tuple, data.rank()) * static_cast<std::size_t>(bit_width(type)) / 8;
    const std::size_t batch_size = elements_between(data, batch, batch + tuple);
    const std::size_t batches = elements_between(data, 0, batch);
    const std::size_t slices = elements_between(indices, batch, indices.rank() - 1);
    evaluation::raw_output to(type, node.output().dimensions);
    for (std::size_t i = 0; i < batches * slices; ++i) {
        std::size_t place = 0;
        for (std::size_t axis = 0; axis < tuple; ++axis) {
            const std::int64_t index = places[i * tuple + axis];
            const dimension size = data[batch + axis];
            if (index < -size || index >= size) {
                fail({"GatherND: index ", index, " is outside an axis of size ", size});
            }
            place = place * static_cast<std::size_t>(size) + static_cast<std::size_t>(index < 0 ? index + size : index);
        }
        copy_bytes(to.data() + i * inner, from.data() + (i / slices * batch_size + place) * inner, inner);
    }
    return evaluation::convert_tensor(to.finish(), node.input(0).type());
}

constexpr tensor reverse_sequence(const call& node) {
    const auto& self = node.as<op::reverse_sequence>();
    const shape& data = node.dimensions(0);
    const std::size_t batch_axis = evaluation::detail::axis_of(self.batch_axis, data.rank());
    const std::size_t time_axis = evaluation::detail::axis_of(self.seq_axis, data.rank());
    const integers lengths = node.integers_at(1);
    const integers strides = evaluation::strides_of(data);
    const element type = evaluation::detail::byte_type(node.input(0).type());
    const tensor from = evaluation::convert_tensor(node.input(0), type);
    const auto width = static_cast<std::size_t>(bit_width(type)) / 8;
    evaluation::raw_output to(type, data);
    for (std::size_t i = 0; i < data.elements(); ++i) {
        const auto place = static_cast<std::int64_t>(i);
        const auto batch = static_cast<std::size_t>(place / strides[batch_axis] % data[batch_axis]);
        const std::int64_t time = place / strides[time_axis] % data[time_axis];
        const std::int64_t length = lengths[batch];
        if (length < 0 || length > data[time_axis]) {
            fail({"ReverseSequence: length ", length, " is outside an axis of size ", data[time_axis]});
        }
        const std::int64_t source = time < length ? place + (length - 1 - 2 * time) * strides[time_axis] : place;
        copy_bytes(to.data() + i * width, from.data() + static_cast<std::size_t>(source) * width, width);
    }
    return evaluation::convert_tensor(to.finish(), node.input(0).type());
}

/// By how much Roll moves the elements along each axis, from 0 to below its size.
constexpr integers shifts_of_axes(const call& node) {
    const shape& data = node.dimensions(0);
    const integers shifts = node.integers_at(1);
    const integers axes = node.integers_at(2);
    integers result;
    result.resize(data.rank(), 0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t axis = evaluation::detail::axis_of(axes[i], data.rank());
        const std::int64_t size = math::maximum<std::int64_t>(data[axis], 1);
        const std::int64_t shift = shifts[shifts.size() == 1 ? 0 : i] % size;
        result[axis] = (result[axis] + shift + size) % size;
    }
    return result;
}

constexpr tensor roll(const call& node) {
    const shape& data = node.dimensions(0);
    const integers shifts = shifts_of_axes(node);
    const integers strides = evaluation::strides_of(data);
    const element type = evaluation::detail::byte_type(node.input(0).type());
    const tensor from = evaluation::convert_tensor(node.input(0), type);
    const auto width = static_cast<std::size_t>(bit_width(type)) / 8;
    // Along the last axis two blocks move together; a scalar is one block.
    const std::int64_t length = data.rank() == 0 ? 1 : data[data.rank() - 1];
    const std::int64_t cut = data.rank() == 0 ? 0 : shifts[data.rank() - 1];
    const auto block = [&](std::int64_t count) { return static_cast<std::size_t>(count) * width; };
    evaluation::raw_output to(type, data);
    for (std::size_t row = 0; row < data.elements() / static_cast<std::size_t>(length); ++row) {
        const auto begin = static_cast<std::int64_t>(row) * length;
        std::int64_t target = begin;
        for (std::size_t axis = 0; axis + 1 < data.rank(); ++axis) {
            const std::int64_t place = begin / strides[axis] % data[axis];
            target += ((place + shifts[axis]) % data[axis] - place) * strides[axis];
        }
        copy_bytes(to.data() + block(target + cut), from.data() + block(begin), block(length - cut));
        copy_bytes(to.data() + block(target), from.data() + block(begin + length - cut), block(cut));
    }
    return evaluation::convert_tensor(to.finish(), node.input(0).type());
}

constexpr tensor gather_elements(const call& node) {
    const shape& data = node.dimensions(0);
    const shape& indices = node.dimensions(1);
    const std::size_t axis = evaluation::detail::axis_of(node.as<op::gather_elements>().axis, data.rank());
    const auto size = static_cast<std::int64_t>(data[axis]);
    const std::size_t inner = elements_between(indices, axis + 1, indices.rank());
    const auto count = static_cast<std::size_t>(indices[axis]);
    const element type = evaluation::detail::byte_type(node.input(0).type());
    const tensor from = evaluation::convert_tensor(node.input(0), type);
    const operand<std::int64_t> places(node.input(1));
    const auto width = static_cast<std::size_t>(bit_width(type)) / 8;
    evaluation::raw_output to(type, node.output().dimensions);
    for (std::size_t i = 0; i < to.elements(); ++i) {
        const std::int64_t index = places[i];
        if (index < -size || index >= size) {
            fail({"GatherElements: index ", index, " is outside an axis of size ", size});
        }
        const std::size_t outer = i / inner / count * static_cast<std::size_t>(size);
        const std::size_t place = outer + static_cast<std::size_t>(index < 0 ? index + size : index);
        copy_bytes(to.data() + i * width, from.data() + (place * inner + i % inner) * width, width);
    }
    return evaluation::convert_tensor(to.finish(), node.input(0).type());
}

}  // namespace detail

/// GatherND, GatherElements, ReverseSequence and Roll. Negative indices count from the end; one outside its axis is an error.
[[gnu::cold]] inline bool evaluate_rare_movement(const call& node, seq<tensor>& outputs) {
    switch (node.kind()) {
        case op::kind::gather_nd: outputs.push_back(detail::gather_nd(node)); return true;
        case op::kind::reverse_sequence: outputs.push_back(detail::reverse_sequence(node)); return true;
        case op::kind::roll: outputs.push_back(detail::roll(node)); return true;
        case op::kind::gather_elements: outputs.push_back(detail::gather_elements(node)); return true;
        default: return false;
    }
}

}  // namespace lpt::inline LPT_ABI::reference
