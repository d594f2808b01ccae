// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/error.hpp>
#include <lpt/tensor/checked.hpp>

namespace lpt::inline LPT_ABI {

/// The size of a tensor along one axis; -1 where it is only known at run time.
using dimension = std::int64_t;
inline constexpr dimension dynamic_dimension = -1;

using integers = seq<std::int64_t, 4>;

/// The most elements that a tensor can have, axes of size 0 left out of the count: 2^47. Its bytes, its strides and the elements
/// of some of its axes then are numbers that can be added up and multiplied by small ones without a thought.
inline constexpr std::int64_t most_elements = std::int64_t{1} << 47;
/// The most axes that a tensor can have.
inline constexpr std::size_t most_axes = 64;

/// The sizes of a tensor along its axes, outermost first; each may be dynamic, and so may their number.
class shape {
    integers dimensions_;
    bool rank_known_ = true;

public:
    constexpr shape() = default;
    constexpr shape(std::initializer_list<dimension> dimensions) : dimensions_(dimensions) {}
    constexpr explicit shape(view<dimension> dimensions) : dimensions_(dimensions) {}
    constexpr explicit shape(integers dimensions) : dimensions_(lpt::move(dimensions)) {}
    /// A shape of which not even the number of axes is known.
    static constexpr shape of_dynamic_rank() {
        shape result;
        result.rank_known_ = false;
        return result;
    }
    /// `rank` axes of unknown sizes.
    static constexpr shape of_rank(std::size_t rank) {
        shape result;
        result.dimensions_.resize(rank, dynamic_dimension);
        return result;
    }
    /// `rank` axes of size 1.
    static constexpr shape of_ones(std::size_t rank) {
        shape result;
        result.dimensions_.resize(rank, 1);
        return result;
    }

    constexpr bool rank_is_static() const noexcept { return rank_known_; }
    constexpr bool rank_is_dynamic() const noexcept { return !rank_known_; }
    constexpr std::size_t rank() const noexcept { return dimensions_.size(); }
    constexpr bool is_static() const noexcept { return rank_known_ && !dimensions_.contains(dynamic_dimension); }
    constexpr bool is_dynamic() const noexcept { return !is_static(); }
    constexpr dimension operator[](std::size_t axis) const { return dimensions_[axis]; }
    constexpr dimension& operator[](std::size_t axis) { return dimensions_[axis]; }
    constexpr bool is_static(std::size_t axis) const { return dimensions_[axis] != dynamic_dimension; }
    constexpr const dimension* begin() const noexcept { return dimensions_.begin(); }
    constexpr const dimension* end() const noexcept { return dimensions_.end(); }
    constexpr const integers& dimensions() const noexcept { return dimensions_; }
    constexpr void push_back(dimension size) { dimensions_.push_back(size); }
    constexpr void insert(std::size_t axis, dimension size) { dimensions_.insert(axis, size); }
    constexpr void erase(std::size_t axis) { dimensions_.erase(axis); }

    /// True for at most `most_axes` sizes, each dynamic or at least 0, of which those that are neither dynamic nor 0 multiply to
    /// at most `most_elements`: what inference lets a tensor have.
    constexpr bool is_possible() const noexcept {
        checked count = 1;
        for (const dimension size : dimensions_) {
            if (size > 1) {
                count = count * size;
            }
            if (size < dynamic_dimension || !count.is_within(1, most_elements)) {
                return false;
            }
        }
        return dimensions_.size() <= most_axes;
    }
    /// The number of elements of a static shape; 1 for a scalar. Raises an error where 64 bits cannot count them.
    constexpr std::size_t elements() const {
        checked count = 1;
        for (const dimension size : dimensions_) {
            count = count * size;
        }
        if (!count.fits()) {
            cannot_count();
        }
        return static_cast<std::size_t>(count.value());
    }
    /// Like this shape, with axes of size 1 before it until it has `rank` axes.
    constexpr shape padded_left(std::size_t rank) const {
        if (rank <= this->rank()) {
            return shape(dimensions_);
        }
        shape result = of_ones(rank - this->rank());
        result.dimensions_.append(dimensions_);
        return result;
    }
    /// Like this shape, without the axes of size 1 that it begins with as long as it has more than `rank` axes.
    constexpr shape trimmed_left(std::size_t rank) const {
        std::size_t first = 0;
        while (this->rank() - first > rank && dimensions_[first] == 1) {
            ++first;
        }
        shape result(view<dimension>(begin() + first, this->rank() - first));
        result.rank_known_ = rank_known_;
        return result;
    }

    friend constexpr bool operator==(const shape&, const shape&) = default;

private:
    [[noreturn, gnu::cold]] void cannot_count() const;
};

/// Appends `[1,3,?,224]`, `[]` for a scalar, `?` for a dynamic rank; of more than `most_axes` sizes the first ones.
constexpr void append_to(text& result, const shape& dimensions) {
    if (dimensions.rank_is_dynamic()) {
        result.append('?');
        return;
    }
    result.append('[');
    const std::size_t shown = dimensions.rank() > most_axes ? most_axes : dimensions.rank();
    for (std::size_t axis = 0; axis < shown; ++axis) {
        result.append(axis == 0 ? text_view() : text_view(","));
        if (dimensions.is_static(axis)) {
            result.append(dimensions[axis]);
        } else {
            result.append('?');
        }
    }
    if (shown != dimensions.rank()) {
        result.append(",... ").append(dimensions.rank()).append(" sizes");
    }
    result.append(']');
}

inline void shape::cannot_count() const {
    fail({"a tensor of shape ", *this, " has more elements than can be counted"});
}

/// The same as a text of its own.
constexpr text to_text(const shape& dimensions) {
    text result;
    append_to(result, dimensions);
    return result;
}

/// Two sizes that must agree; false if they cannot.
constexpr bool merge_dimension(dimension& into, dimension from) {
    if (into == dynamic_dimension) {
        into = from;
    }
    return from == dynamic_dimension || into == from;
}

/// Two shapes that must agree, axis by axis; false if they cannot.
constexpr bool merge_shape(shape& into, const shape& from) {
    if (from.rank_is_dynamic()) {
        return true;
    }
    if (into.rank_is_dynamic()) {
        into = from;
        return true;
    }
    if (into.rank() != from.rank()) {
        return false;
    }
    for (std::size_t axis = 0; axis < into.rank(); ++axis) {
        if (!merge_dimension(into[axis], from[axis])) {
            return false;
        }
    }
    return true;
}

/// The shape of an elementwise operation on two tensors by numpy's rule (right-aligned, sizes equal or 1); false if there is none.
///
/// A dynamic size against 1 stays dynamic, against another size takes that size.
constexpr bool broadcast_shapes(const shape& left, const shape& right, shape& result) {
    if (left.rank_is_dynamic() || right.rank_is_dynamic()) {
        result = shape::of_dynamic_rank();
        return true;
    }
    const bool left_is_longer = left.rank() > right.rank();
    const shape longer = left_is_longer ? left : right;  // a copy: one of them may be the result
    const shape& shorter = left_is_longer ? right : left;
    const std::size_t before = longer.rank() - shorter.rank();
    shape merged = longer;
    for (std::size_t axis = before; axis < longer.rank(); ++axis) {
        const dimension a = longer[axis];
        const dimension b = shorter[axis - before];
        if (a == b || b == 1) {
            continue;
        }
        if (a != 1 && a != dynamic_dimension && b != dynamic_dimension) {
            return false;
        }
        merged[axis] = a == 1 || a == dynamic_dimension ? b : a;
    }
    result = lpt::move(merged);
    return true;
}

/// `axis` counted from the back when negative; -1 if it is outside `[-rank, rank)`.
constexpr std::int64_t normalized_axis(std::int64_t axis, std::size_t rank) {
    const auto size = static_cast<std::int64_t>(rank);
    const std::int64_t result = axis < 0 ? axis + size : axis;
    return result < 0 || result >= size ? -1 : result;
}

}  // namespace lpt::inline LPT_ABI
