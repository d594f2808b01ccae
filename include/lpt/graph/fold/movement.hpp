// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/traits.hpp>
#include <lpt/graph/fold/values.hpp>

namespace lpt::inline LPT_ABI::evaluation {

/// Where the places along one axis of an output come from: distances in elements from the begin of the input, `outside` for
/// what does not come from the input. The distances of all axes add up.
using axis_source = seq<std::int64_t>;
inline constexpr std::int64_t outside = -1;

template <int Once = 0>
constexpr void copy_bytes(std::byte* to, const std::byte* from, std::size_t count) {
    if (lpt::is_constant_evaluated()) {
        for (std::size_t i = 0; i < count; ++i) {
            to[i] = from[i];
        }
    } else if (count != 0) {  // an empty tensor has no bytes to point at
        __builtin_memcpy(to, from, count);
    }
}

namespace detail {

/// `count` places, each `stride` after the one before it.
template <int Once = 0>
[[gnu::noinline]] constexpr axis_source even_source(dimension count, std::int64_t stride, std::int64_t first = 0) {
    axis_source result;
    result.reserve(static_cast<std::size_t>(count));
    for (dimension i = 0; i < count; ++i) {
        result.push_back(first + i * stride);
    }
    return result;
}

template <class Word>
constexpr void copy_words(std::byte* to, const std::byte* from, const axis_source& source, const std::byte* fill) {
    for (std::size_t i = 0; i < source.size(); ++i) {
        const std::byte* value =
            source[i] == outside ? fill : from + static_cast<std::size_t>(source[i]) * sizeof(Word);
        lpt::detail::store(to + i * sizeof(Word), lpt::detail::load<Word>(value));
    }
}

/// The innermost axes of a copy that lie in one piece in the input.
struct whole_block {
    std::int64_t first = 0;
    std::size_t elements = 1;
    std::size_t axes = 0;  // those that are left
};

template <int Once = 0>
constexpr bool is_whole(const axis_source& source, std::size_t block) {
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] == outside || source[i] != source[0] + static_cast<std::int64_t>(i * block)) {
            return false;
        }
    }
    return true;
}

template <int Once = 0>
constexpr whole_block find_block(const seq<axis_source>& sources) {
    whole_block block;
    block.axes = sources.size();
    while (block.axes != 0 && is_whole(sources[block.axes - 1], block.elements)) {
        const axis_source& source = sources[--block.axes];
        block.first += source.empty() ? 0 : source[0];
        block.elements *= source.size();
    }
    return block;
}

/// Copies blocks of `size` bytes (blocks of one element: rows of the last axis, element by element).
template <int Once = 0>
class block_copy {
    const seq<axis_source>& sources_;
    std::size_t element_;  // bytes
    const std::byte* fill_;
    whole_block block_;
    std::size_t outer_ = 0;  // axes that are walked over one place at a time

    constexpr void copy_row(std::byte* to, const std::byte* from) const {
        const axis_source& last = sources_[outer_];
        switch (element_) {
            case 1: return copy_words<std::uint8_t>(to, from, last, fill_);
            case 2: return copy_words<std::uint16_t>(to, from, last, fill_);
            case 4: return copy_words<std::uint32_t>(to, from, last, fill_);
            default: return copy_words<std::uint64_t>(to, from, last, fill_);
        }
    }
    constexpr void fill_block(std::byte* to, std::size_t elements) const {
        for (std::size_t i = 0; i < elements; ++i) {
            copy_bytes(to + i * element_, fill_, element_);
        }
    }

public:
    constexpr block_copy(const seq<axis_source>& sources, std::size_t element_bytes, const std::byte* fill)
        : sources_(sources), element_(element_bytes), fill_(fill), block_(find_block(sources)) {
        const bool by_element = block_.elements == 1 && block_.axes != 0;
        outer_ = by_element ? block_.axes - 1 : block_.axes;
    }

    [[gnu::noinline]] constexpr void run(std::byte* to, const std::byte* from) const {
        const bool by_element = outer_ != block_.axes;
        const std::size_t elements = by_element ? sources_[outer_].size() : block_.elements;
        std::size_t blocks = elements == 0 ? 0 : 1;
        for (std::size_t axis = 0; axis < outer_; ++axis) {
            blocks *= sources_[axis].size();
        }
        seq<std::size_t> place(outer_, 0);
        for (std::size_t i = 0; i < blocks; ++i, to += elements * element_) {
            std::int64_t at = block_.first;
            bool inside = true;
            for (std::size_t axis = 0; axis < outer_; ++axis) {
                const std::int64_t step = sources_[axis][place[axis]];
                inside = inside && step != outside;
                at += step;
            }
            if (!inside) {
                fill_block(to, elements);
            } else if (by_element) {
                copy_row(to, from + static_cast<std::size_t>(at) * element_);
            } else {
                copy_bytes(to, from + static_cast<std::size_t>(at) * element_, elements * element_);
            }
            for (std::size_t axis = outer_; axis-- > 0;) {
                if (++place[axis] < sources_[axis].size()) {
                    break;
                }
                place[axis] = 0;
            }
        }
    }
};

constexpr element byte_type(element type) { return type == u4 ? u8 : type == i4 ? i8 : type; }

}  // namespace detail

/// The tensor whose element at each place is the input's element that the axes' sources name together, or `fill` (a tensor of one
/// element of the input's type; null: zero). `dimensions` has the sizes of `sources`; an error if not.
template <int Once = 0>
[[gnu::noinline]] constexpr tensor rearrange(const tensor& input, const shape& dimensions,
                                             const seq<axis_source>& sources, const tensor* fill = nullptr) {
    bool fits = sources.size() == dimensions.rank();
    for (std::size_t axis = 0; fits && axis < sources.size(); ++axis) {
        fits = static_cast<dimension>(sources[axis].size()) == dimensions[axis];
    }
    if (!fits) {
        fail({"the elements of an input of shape ", input.dimensions(), " cannot be laid out as ", dimensions});
    }
    const element type = detail::byte_type(input.type());
    const tensor from = convert_tensor(input, type);
    const tensor zero = make_scalar(type, 0);
    const tensor filling = convert_tensor(fill != nullptr ? *fill : zero, type);
    raw_output to(type, dimensions);
    const detail::block_copy<> copy(sources, static_cast<std::size_t>(bit_width(type)) / 8, filling.data());
    copy.run(to.data(), from.data());
    return convert_tensor(to.finish(), input.type());
}

namespace detail {

/// Sources that copy the input as it is.
template <int Once = 0>
[[gnu::noinline]] constexpr seq<axis_source> identity_sources(const shape& dimensions) {
    const integers strides = strides_of(dimensions);
    seq<axis_source> result;
    for (std::size_t axis = 0; axis < dimensions.rank(); ++axis) {
        result.push_back(even_source(dimensions[axis], strides[axis]));
    }
    return result;
}

constexpr std::size_t axis_of(std::int64_t axis, std::size_t rank) {
    return static_cast<std::size_t>(normalized_axis(axis, rank));
}

/// `count` places of an axis from `first` on.
template <int Once = 0>
constexpr tensor part_of(const tensor& data, std::size_t axis, dimension first, const shape& dimensions) {
    seq<axis_source> sources = identity_sources(data.dimensions());
    const std::int64_t stride = strides_of(data.dimensions())[axis];
    sources[axis] = even_source(dimensions[axis], stride, first * stride);
    return rearrange(data, dimensions, sources);
}

template <int Once = 0>
constexpr void split(const call& node, seq<tensor>& outputs) {
    const std::size_t axis = axis_of(node.integer_at(1), node.dimensions(0).rank());
    dimension first = 0;
    for (const op::output_facts& output : node.outputs) {
        outputs.push_back(part_of(node.input(0), axis, first, output.dimensions));
        first += output.dimensions[axis];
    }
}

template <int Once = 0>
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

template <int Once = 0>
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
template <int Once = 0>
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

template <int Once = 0>
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

template <int Once = 0>
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

template <int Once = 0>
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

/// Source of one padded axis; `p` counts from the begin of the input's axis.
template <int Once = 0>
constexpr std::int64_t padded_place(std::int64_t p, dimension size, op::pad_mode mode) {
    if (p >= 0 && p < size) {
        return p;
    }
    switch (mode) {
        case op::pad_mode::edge: return p < 0 ? 0 : size - 1;
        case op::pad_mode::reflect: return p < 0 ? -p : 2 * (size - 1) - p;
        case op::pad_mode::symmetric: return p < 0 ? -1 - p : 2 * size - 1 - p;
        default: return outside;
    }
}

template <int Once = 0>
constexpr tensor padded(const tensor& data, const integers& begin, const shape& dimensions, op::pad_mode mode,
                        const tensor* fill) {
    const integers strides = strides_of(data.dimensions());
    seq<axis_source> sources;
    for (std::size_t axis = 0; axis < dimensions.rank(); ++axis) {
        axis_source source;
        for (dimension i = 0; i < dimensions[axis]; ++i) {
            const std::int64_t place = padded_place(i - begin[axis], data.dimensions()[axis], mode);
            source.push_back(place == outside ? outside : place * strides[axis]);
        }
        sources.push_back(lpt::move(source));
    }
    return rearrange(data, dimensions, sources, fill);
}

template <int Once = 0>
constexpr tensor pad(const call& node) {
    const op::pad_mode mode = node.as<op::pad>().pad_mode;
    const bool has_fill = node.has(3) && mode == op::pad_mode::constant && node.input(3).elements() != 0;
    return padded(node.input(0), node.integers_at(1), node.output().dimensions, mode,
                  has_fill ? &node.input(3) : nullptr);
}

template <int Once = 0>
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

template <int Once = 0>
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

template <int Once = 0>
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

/// How far apart in the channels the parts of a block along one spatial axis are, counted in groups of channels.
template <int Once = 0>
constexpr std::int64_t block_weight(std::size_t axis, std::size_t rank, std::int64_t block) {
    std::int64_t weight = 1;
    for (std::size_t i = axis + 1; i < rank; ++i) {
        weight *= block;
    }
    return weight;
}

template <int Once = 0>
constexpr tensor depth_to_space(const call& node) {
    const auto& self = node.as<op::depth_to_space>();
    const shape& data = node.dimensions(0);
    const shape& dimensions = node.output().dimensions;
    const integers strides = strides_of(data);
    const bool blocks_first = self.mode == op::depth_space_mode::blocks_first;
    const std::int64_t volume = block_weight(1, data.rank(), self.block_size);
    seq<axis_source> sources = {even_source(dimensions[0], strides[0]),
                                even_source(dimensions[1], blocks_first ? strides[1] : strides[1] * volume)};
    for (std::size_t axis = 2; axis < data.rank(); ++axis) {
        const std::int64_t part =
            strides[1] * block_weight(axis, data.rank(), self.block_size) * (blocks_first ? dimensions[1] : 1);
        axis_source source;
        for (dimension i = 0; i < dimensions[axis]; ++i) {
            source.push_back(i / self.block_size * strides[axis] + i % self.block_size * part);
        }
        sources.push_back(lpt::move(source));
    }
    return rearrange(node.input(0), dimensions, sources);
}

template <int Once = 0>
constexpr tensor space_to_depth(const call& node) {
    const auto& self = node.as<op::space_to_depth>();
    const shape& data = node.dimensions(0);
    const shape& dimensions = node.output().dimensions;
    const integers strides = strides_of(data);
    const bool blocks_first = self.mode == op::depth_space_mode::blocks_first;
    const std::int64_t volume = block_weight(1, data.rank(), self.block_size);
    axis_source channels;
    for (dimension i = 0; i < dimensions[1]; ++i) {
        const std::int64_t channel = blocks_first ? i % data[1] : i / volume;
        const std::int64_t block = blocks_first ? i / data[1] : i % volume;
        std::int64_t place = channel * strides[1];
        for (std::size_t axis = 2; axis < data.rank(); ++axis) {
            place += block / block_weight(axis, data.rank(), self.block_size) % self.block_size * strides[axis];
        }
        channels.push_back(place);
    }
    seq<axis_source> sources = {even_source(dimensions[0], strides[0]), lpt::move(channels)};
    for (std::size_t axis = 2; axis < data.rank(); ++axis) {
        sources.push_back(even_source(dimensions[axis], strides[axis] * self.block_size));
    }
    return rearrange(node.input(0), dimensions, sources);
}

template <int Once = 0>
constexpr tensor batch_to_space(const call& node) {
    const shape& data = node.dimensions(0);
    const shape& dimensions = node.output().dimensions;
    const integers strides = strides_of(data);
    const integers block = node.integers_at(1);
    const integers crops = node.integers_at(2);
    seq<axis_source> sources;
    sources.push_back(even_source(dimensions[0], strides[0]));
    std::int64_t weight = dimensions[0] * strides[0];
    for (std::size_t axis = data.rank(); axis-- > 1;) {
        axis_source source;
        for (dimension i = 0; i < dimensions[axis]; ++i) {
            const dimension whole = i + crops[axis];
            source.push_back(whole / block[axis] * strides[axis] + whole % block[axis] * weight);
        }
        weight *= block[axis];
        sources.insert(1, lpt::move(source));
    }
    return rearrange(node.input(0), dimensions, sources);
}

template <int Once = 0>
constexpr tensor space_to_batch(const call& node) {
    const shape& dimensions = node.output().dimensions;
    const integers block = node.integers_at(1);
    shape with_margins = dimensions;
    with_margins[0] = node.dimensions(0)[0];
    for (std::size_t axis = 1; axis < dimensions.rank(); ++axis) {
        with_margins[axis] = dimensions[axis] * block[axis];
    }
    const tensor data = padded(node.input(0), node.integers_at(2), with_margins, op::pad_mode::constant, nullptr);
    const integers strides = strides_of(with_margins);
    axis_source batches;
    for (dimension i = 0; i < dimensions[0]; ++i) {
        std::int64_t place = i % with_margins[0] * strides[0];
        std::int64_t rest = i / with_margins[0];
        for (std::size_t axis = dimensions.rank(); axis-- > 1;) {
            place += rest % block[axis] * strides[axis];
            rest /= block[axis];
        }
        batches.push_back(place);
    }
    seq<axis_source> sources = {lpt::move(batches)};
    for (std::size_t axis = 1; axis < dimensions.rank(); ++axis) {
        sources.push_back(even_source(dimensions[axis], strides[axis] * block[axis]));
    }
    return rearrange(data, dimensions, sources);
}

/// The one output of a movement; no tensor for operations that are none, and for splits.
template <int Once = 0>
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
template <int Once = 0>
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
