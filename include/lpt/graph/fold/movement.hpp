// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/fold/block_movement.hpp>
#include <lpt/graph/fold/rearrange.hpp>

namespace lpt::inline LPT_ABI::evaluation {

namespace detail {

/// `count` places of an axis from `first` on.
constexpr tensor part_of(const tensor& data, std::size_t axis, dimension first, const shape& dimensions) {
    seq<axis_source> sources = identity_sources(data.dimensions());
    const std::int64_t stride = strides_of(data.dimensions())[axis];
    sources[axis] = even_source(dimensions[axis], stride, first * stride);
    return rearrange(data, dimensions, sources);
}

constexpr void split(const call& node, seq<tensor>& outputs) {
    const std::size_t axis = axis_of(node.integer_at(1), node.dimensions(0).rank());
    dimension first = 0;
    for (const op::output_facts& output : node.outputs) {
        outputs.push_back(part_of(node.input(0), axis, first, output.dimensions));
        first += output.dimensions[axis];
    }
}

constexpr tensor concat(const call& node) {
    const shape& dimensions = node.output().dimensions;
    const std::size_t axis = axis_of(node.as<op::concat>().axis, dimensions.rank());
    const element type = byte_type(node.input(0).type());
    const std::size_t inner =
        elements_between(dimensions, axis + 1, dimensions.rank()) * static_cast<std::size_t>(bit_width(type)) / 8;
    const std::size_t outer = elements_between(dimensions, 0, axis);
    const std::size_t step = inner * static_cast<std::size_t>(dimensions[axis]);
    raw_output to(type, dimensions);
    std::size_t first = 0;
    for (std::size_t port = 0; port < node.inputs.size(); ++port) {
        const tensor from = convert_tensor(node.input(port), type);
        const std::size_t part = inner * static_cast<std::size_t>(from.dimensions()[axis]);
        for (std::size_t i = 0; i < outer; ++i) {
            copy_bytes(to.data() + i * step + first, from.data() + i * part, part);
        }
        first += part;
    }
    return convert_tensor(to.finish(), node.input(0).type());
}

constexpr tensor transpose(const call& node) {
    const std::size_t rank = node.dimensions(0).rank();
    const integers strides = strides_of(node.dimensions(0));
    const integers order = node.integers_at(1);
    seq<axis_source> sources;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const std::size_t from = order.empty() ? rank - 1 - axis : axis_of(order[axis], rank);
        sources.push_back(even_source(node.output().dimensions[axis], strides[from]));
    }
    return rearrange(node.input(0), node.output().dimensions, sources);
}

/// Which places of an axis a slice takes.
constexpr axis_source slice_source(dimension size, dimension count, std::int64_t begin, std::int64_t step,
                                   bool whole_begin, std::int64_t stride) {
    const bool forward = step > 0;
    std::int64_t first = begin < 0 ? begin + size : begin;
    first =
        math::minimum(math::maximum(first, forward ? std::int64_t{0} : std::int64_t{-1}), forward ? size : size - 1);
    if (whole_begin) {
        first = forward ? 0 : size - 1;
    }
    return even_source(count, count > 1 ? step * stride : 0, first * stride);
}

constexpr tensor strided_slice(const call& node) {
    const auto& self = node.as<op::strided_slice>();
    const shape& data = node.dimensions(0);
    const shape& dimensions = node.output().dimensions;
    const integers begin = node.integers_at(1);
    const integers steps = node.integers_at(3);
    const integers strides = strides_of(data);
    std::size_t named = 0;
    for (std::size_t i = 0; i < begin.size(); ++i) {
        named += op::detail::mask_at(self.ellipsis_mask, i) || op::detail::mask_at(self.new_axis_mask, i) ? 0u : 1u;
    }
    std::int64_t base = 0;
    seq<axis_source> sources;
    std::size_t axis = 0;
    const auto whole_axis = [&] {
        sources.push_back(even_source(data[axis], strides[axis]));
        ++axis;
    };
    for (std::size_t i = 0; i < begin.size(); ++i) {
        if (op::detail::mask_at(self.ellipsis_mask, i)) {
            for (std::size_t skipped = named; skipped < data.rank(); ++skipped) {
                whole_axis();
            }
        } else if (op::detail::mask_at(self.new_axis_mask, i)) {
            sources.push_back(even_source(1, 0));
        } else if (op::detail::mask_at(self.shrink_axis_mask, i)) {
            const std::int64_t place = op::detail::mask_at(self.begin_mask, i) ? 0 : begin[i];
            base += (place < 0 ? place + data[axis] : place) * strides[axis];
            ++axis;
        } else {
            sources.push_back(slice_source(data[axis], dimensions[sources.size()], begin[i],
                                           steps.empty() ? 1 : steps[i], op::detail::mask_at(self.begin_mask, i),
                                           strides[axis]));
            ++axis;
        }
    }
    while (axis < data.rank()) {
        whole_axis();
    }
    if (dimensions.elements() == 0) {
        return raw_output(node.output().type, dimensions).finish();
    }
    if (sources.empty()) {
        return rearrange(node.input(0), shape{1}, {even_source(1, 0, base)});
    }
    for (std::int64_t& each : sources[0]) {
        each += base;
    }
    return rearrange(node.input(0), dimensions, sources);
}

constexpr tensor slice(const call& node) {
    const shape& data = node.dimensions(0);
    const integers start = node.integers_at(1);
    const integers step = node.integers_at(3);
    const integers axes = node.integers_at(4);
    const integers strides = strides_of(data);
    seq<axis_source> sources = identity_sources(data);
    for (std::size_t i = 0; i < start.size(); ++i) {
        const std::size_t axis = node.has(4) ? axis_of(axes[i], data.rank()) : i;
        sources[axis] =
            slice_source(data[axis], node.output().dimensions[axis], start[i], step[i], false, strides[axis]);
    }
    return rearrange(node.input(0), node.output().dimensions, sources);
}

constexpr tensor gather(const call& node) {
    const shape& data = node.dimensions(0);
    const shape& indices = node.dimensions(1);
    const std::size_t axis = axis_of(node.integer_at(2), data.rank());
    const std::int64_t wanted = node.version >= 7 ? node.as<op::gather>().batch_dims : 0;
    const auto batch =
        static_cast<std::size_t>(wanted < 0 ? wanted + static_cast<std::int64_t>(indices.rank()) : wanted);
    const std::size_t batches = elements_between(data, 0, batch);
    const std::size_t outer = elements_between(data, batch, axis);
    const std::size_t count = elements_between(indices, batch, indices.rank());
    const auto size = data[axis];
    const element type = byte_type(node.input(0).type());
    const tensor from = convert_tensor(node.input(0), type);
    const std::size_t inner =
        elements_between(data, axis + 1, data.rank()) * static_cast<std::size_t>(bit_width(type)) / 8;
    const operand<std::int64_t> places(node.input(1));
    raw_output to(type, node.output().dimensions);
    std::byte* next = to.data();
    for (std::size_t i = 0; i < batches * outer; ++i) {
        for (std::size_t k = 0; k < count; ++k, next += inner) {
            const std::int64_t index = places[i / outer * count + k];
            const std::int64_t place = index < 0 ? index + size : index;
            if (place < 0 || place >= size) {
                fail({"Gather: index ", index, " is outside an axis of size ", size});
            }
            copy_bytes(next,
                       from.data() + (i * static_cast<std::size_t>(size) + static_cast<std::size_t>(place)) * inner,
                       inner);
        }
    }
    return convert_tensor(to.finish(), node.input(0).type());
}

constexpr tensor pad(const call& node) {
    const op::pad_mode mode = node.as<op::pad>().pad_mode;
    const bool has_fill = node.has(3) && mode == op::pad_mode::constant && node.input(3).elements() != 0;
    return padded(node.input(0), node.integers_at(1), node.output().dimensions, mode,
                  has_fill ? &node.input(3) : nullptr);
}

constexpr tensor broadcast(const call& node) {
    const shape& data = node.dimensions(0);
    const shape& dimensions = node.output().dimensions;
    const integers strides = strides_of(data);
    const op::broadcast_mode mode = node.as<op::broadcast>().mode;
    const bool by_axes = mode == op::broadcast_mode::none || mode == op::broadcast_mode::explicit_axes;
    const integers axes = node.integers_at(2);
    seq<axis_source> sources;
    for (const dimension size : dimensions) {
        sources.push_back(even_source(size, 0));
    }
    for (std::size_t axis = 0; axis < data.rank(); ++axis) {
        if (data[axis] == 1) {
            continue;
        }
        const std::size_t to =
            by_axes ? axis_of(axes[axis], dimensions.rank()) : dimensions.rank() - data.rank() + axis;
        sources[to] = even_source(data[axis], strides[axis]);
    }
    return rearrange(node.input(0), dimensions, sources);
}

constexpr tensor tile(const call& node) {
    const shape& dimensions = node.output().dimensions;
    const shape data = node.dimensions(0).padded_left(dimensions.rank());
    const integers strides = strides_of(data);
    seq<axis_source> sources;
    for (std::size_t axis = 0; axis < dimensions.rank(); ++axis) {
        axis_source source;
        for (dimension i = 0; i < dimensions[axis]; ++i) {
            source.push_back(i % data[axis] * strides[axis]);
        }
        sources.push_back(lpt::move(source));
    }
    return rearrange(node.input(0), dimensions, sources);
}

constexpr tensor shuffle_channels(const call& node) {
    const auto& self = node.as<op::shuffle_channels>();
    const shape& data = node.dimensions(0);
    const std::size_t axis = axis_of(self.axis, data.rank());
    const std::int64_t stride = strides_of(data)[axis];
    const dimension each = data[axis] / self.group;
    seq<axis_source> sources = identity_sources(data);
    for (dimension i = 0; i < data[axis]; ++i) {
        sources[axis][static_cast<std::size_t>(i)] = (i % self.group * each + i / self.group) * stride;
    }
    return rearrange(node.input(0), data, sources);
}

/// The one output of a movement; no tensor for operations that are none, and for splits.
[[gnu::noinline]] constexpr tensor moved(const call& node) {
    const shape& dimensions = node.output().dimensions;
    switch (node.kind()) {
        case op::kind::concat: return concat(node);
        case op::kind::strided_slice: return tensor(strided_slice(node), dimensions);
        case op::kind::slice: return slice(node);
        case op::kind::gather: return gather(node);
        case op::kind::reshape:
        case op::kind::squeeze:
        case op::kind::unsqueeze: return tensor(node.input(0), dimensions);
        case op::kind::transpose: return transpose(node);
        case op::kind::depth_to_space: return depth_to_space(node);
        case op::kind::space_to_depth: return space_to_depth(node);
        case op::kind::batch_to_space: return batch_to_space(node);
        case op::kind::space_to_batch: return space_to_batch(node);
        case op::kind::shuffle_channels: return shuffle_channels(node);
        case op::kind::broadcast: return broadcast(node);
        case op::kind::tile: return tile(node);
        case op::kind::pad: return pad(node);
        default: return {};
    }
}

}  // namespace detail

/// True for the operations that `evaluate_movement` knows.
constexpr bool is_movement(op::kind kind) {
    return kind >= op::kind::concat && kind <= op::kind::pad && kind != op::kind::gather_nd;
}

/// Operations whose output elements are input elements (or a padding value), of any element type. Raises an error for an index
/// outside its axis.
[[gnu::cold]] constexpr bool evaluate_movement(const call& node, seq<tensor>& outputs) {
    if (node.kind() == op::kind::split || node.kind() == op::kind::variadic_split) {
        detail::split(node, outputs);
        return true;
    }
    tensor result = detail::moved(node);
    if (!result) {
        return false;
    }
    outputs.push_back(lpt::move(result));
    return true;
}

}  // namespace lpt::inline LPT_ABI::evaluation
