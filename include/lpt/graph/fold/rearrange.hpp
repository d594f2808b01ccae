// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/traits.hpp>
#include <lpt/graph/fold/values.hpp>

namespace lpt::inline LPT_ABI::evaluation {

/// Where the places along one axis of an output come from: distances in elements from the begin of the input, `outside` for
/// what does not come from the input. The distances of all axes add up.
using axis_source = seq<std::int64_t>;
inline constexpr std::int64_t outside = -1;

namespace detail {

/// `count` places, each `stride` after the one before it.
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

constexpr bool is_whole(const axis_source& source, std::size_t block) {
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] == outside || source[i] != source[0] + static_cast<std::int64_t>(i * block)) {
            return false;
        }
    }
    return true;
}

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
    const detail::block_copy copy(sources, static_cast<std::size_t>(bit_width(type)) / 8, filling.data());
    copy.run(to.data(), from.data());
    return convert_tensor(to.finish(), input.type());
}

namespace detail {

/// Sources that copy the input as it is.
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

/// Source of one padded axis; `p` counts from the begin of the input's axis.
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

}  // namespace detail

}  // namespace lpt::inline LPT_ABI::evaluation
