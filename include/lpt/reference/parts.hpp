// SPDX-License-Identifier: Apache-2.0
// Parts of a tensor along an axis, taken and put together.
#pragma once

#include <lpt/graph/fold.hpp>

#include <vector>

namespace lpt::inline LPT_ABI::reference::detail {

/// Where the parts of a slice begin: part k is `size` elements from `first` + k * `step` on.
struct slice_parts {
    std::int64_t count = 0;
    std::int64_t first = 0;
    std::int64_t step = 1;
    std::int64_t size = 1;
};

/// The parts of a slice of an axis with `length` elements. Parts are taken from `start` towards `end`, which is the last
/// element, and must reach it exactly; an empty axis has none. False if they do not.
inline bool parts_of(const op::body_slice& slice, std::int64_t length, slice_parts& result) {
    result = {0, 0, slice.stride, slice.part_size};
    if (slice.stride == 0 || slice.stride == INT64_MIN || slice.part_size < 1) {
        return false;
    }
    if (length == 0) {
        return true;
    }
    const std::int64_t start = slice.start < 0 ? slice.start + length : slice.start;
    const std::int64_t end = slice.end < 0 ? slice.end + length : slice.end;
    const bool backwards = slice.stride < 0;
    if (start < 0 || start >= length || end < 0 || end >= length || (backwards ? start < end : end < start)) {
        return false;
    }
    const std::int64_t way = (backwards ? start - end : end - start) + 1 - slice.part_size;
    const std::int64_t stride = backwards ? -slice.stride : slice.stride;
    if (way < 0 || way % stride != 0) {
        return false;
    }
    result.count = way / stride + 1;
    result.first = backwards ? start - slice.part_size + 1 : start;
    return true;
}

inline std::size_t product_of(const shape& dimensions, std::size_t first, std::size_t last) {
    std::size_t result = 1;
    for (std::size_t axis = first; axis < last; ++axis) {
        result *= static_cast<std::size_t>(dimensions[axis]);
    }
    return result;
}

/// Copies rows of `count` elements between packed elements; `from` and `to` are the first elements.
inline void copy_elements(element type, std::byte* target, std::size_t to, const std::byte* source, std::size_t from,
                          std::size_t count) {
    if (bit_width(type) >= 8) {
        const auto width = static_cast<std::size_t>(bit_width(type)) / 8;
        copy_bytes(target + to * width, source + from * width, count * width);
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        store_integer(type, target, to + i, load_integer(type, source, from + i));
    }
}

/// The same values in bytes of their own.
inline tensor copy_of(const tensor& value) {
    tensor_builder result(value.type(), value.dimensions());
    copy_bytes(result.data(), value.data(), value.size_in_bytes());
    return result.finish();
}

inline void let_tensor_go(void* keeper) { delete static_cast<tensor*>(keeper); }

/// `size` elements of an axis from `first` on. Where they lie together the result is a window on the tensor.
inline tensor part_of(const tensor& value, std::size_t axis, std::int64_t first, std::int64_t size) {
    const shape& whole = value.dimensions();
    shape dimensions = whole;
    dimensions[axis] = size;
    const std::size_t rows = product_of(whole, 0, axis);
    const std::size_t inner = product_of(whole, axis + 1, whole.rank());
    const std::size_t count = static_cast<std::size_t>(size) * inner;
    const std::size_t offset = static_cast<std::size_t>(first) * inner;
    if (rows == 1 && count != 0 && bit_width(value.type()) >= 8) {
        const auto width = static_cast<std::size_t>(bit_width(value.type())) / 8;
        return tensor(value.type(), dimensions,
                      bytes(value.data() + offset * width, count * width, &let_tensor_go, new tensor(value)));
    }
    tensor_builder result(value.type(), dimensions);
    for (std::size_t row = 0; row < rows; ++row) {
        copy_elements(value.type(), result.data(), row * count, value.data(),
                      row * static_cast<std::size_t>(whole[axis]) * inner + offset, count);
    }
    return result.finish();
}

/// Parts one after the other along an axis, the last one first if `backwards`. False if their other sizes differ.
inline bool concatenate(const std::vector<tensor>& parts, std::size_t axis, bool backwards, tensor& result) {
    shape dimensions = parts[0].dimensions();
    std::int64_t length = 0;
    for (const tensor& part : parts) {
        shape merged = part.dimensions();
        length += merged.rank() > axis ? merged[axis] : 0;
        dimensions[axis] = merged.rank() > axis ? merged[axis] : dimension{-1};
        if (!(merged == dimensions) || part.type() != parts[0].type()) {
            return false;
        }
    }
    dimensions[axis] = length;
    tensor_builder whole(parts[0].type(), dimensions);
    const std::size_t rows = product_of(dimensions, 0, axis);
    const std::size_t inner = product_of(dimensions, axis + 1, dimensions.rank());
    std::size_t place = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const tensor& part = parts[backwards ? parts.size() - 1 - i : i];
        const std::size_t count = static_cast<std::size_t>(part.dimensions()[axis]) * inner;
        for (std::size_t row = 0; row < rows; ++row) {
            copy_elements(whole.type(), whole.data(), row * static_cast<std::size_t>(length) * inner + place,
                          part.data(), row * count, count);
        }
        place += count;
    }
    result = whole.finish();
    return true;
}

}  // namespace lpt::inline LPT_ABI::reference::detail
