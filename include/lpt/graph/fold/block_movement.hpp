// SPDX-License-Identifier: Apache-2.0
// Blocks of pixels between space and channels, or space and batch.
#pragma once

#include <lpt/graph/fold/rearrange.hpp>

namespace lpt::inline LPT_ABI::evaluation {

namespace detail {

/// How far apart in the channels the parts of a block along one spatial axis are, counted in groups of channels.
constexpr std::int64_t block_weight(std::size_t axis, std::size_t rank, std::int64_t block) {
    std::int64_t weight = 1;
    for (std::size_t i = axis + 1; i < rank; ++i) {
        weight *= block;
    }
    return weight;
}

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

}  // namespace detail

}  // namespace lpt::inline LPT_ABI::evaluation
