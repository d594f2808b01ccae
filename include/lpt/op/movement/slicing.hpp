// SPDX-License-Identifier: Apache-2.0
// Parts of the input, named by places.
#pragma once

#include <lpt/op/movement/port_values.hpp>

namespace lpt::inline LPT_ABI::op {

/// A part of the input, given by begins, ends and strides of the leading axes.
///
/// Inputs: x, begin, end, optional strides (1 when absent); negative places count from the back, places outside the
/// axis are clamped. Masks, one value 0 or 1 a position: `begin_mask`/`end_mask` 1 ignores the value and takes the
/// whole axis on that side, `new_axis_mask` inserts an axis of size 1, `shrink_axis_mask` takes one element and drops the axis,
/// `ellipsis_mask` (at most one) stands for all axes that nothing else names. Source: OpenVINO operation set,
/// StridedSlice-1.
struct strided_slice {
    static constexpr auto number = kind::strided_slice;
    static constexpr text_view name = "StridedSlice";
    static constexpr versions opsets{1};
    static constexpr ports inputs{3, 4};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits =
        trait::movement | trait::precision_preserved | trait::reads_values | trait::quantizable;

    integers begin_mask{};
    integers end_mask{};
    integers new_axis_mask{};
    integers shrink_axis_mask{};
    integers ellipsis_mask{};

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("begin_mask", self.begin_mask);
        visit("end_mask", self.end_mask);
        visit("new_axis_mask", self.new_axis_mask);
        visit("shrink_axis_mask", self.shrink_axis_mask);
        visit("ellipsis_mask", self.ellipsis_mask);
    }
    static constexpr void infer(const strided_slice& self, inference& facts);
    friend constexpr bool operator==(const strided_slice&, const strided_slice&) = default;
};

/// A part of the input, given by starts, stops and steps of some axes.
///
/// Inputs: x, start, stop, step, optional axes (the first ones when absent); negative places count from the back,
/// places outside the axis are clamped, a step of 0 is an error. Source: OpenVINO operation set, Slice-8.
struct slice {
    static constexpr auto number = kind::slice;
    static constexpr text_view name = "Slice";
    static constexpr versions opsets{8};
    static constexpr ports inputs{4, 5};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits =
        trait::movement | trait::precision_preserved | trait::reads_values | trait::quantizable;

    static constexpr void infer(const slice& self, inference& facts);
    friend constexpr bool operator==(const slice&, const slice&) = default;
};

namespace detail {

/// Like `counted_values` for places that are clamped: in a Constant the least integer is a place, not an unknown value.
constexpr bool counted_places(const inference& facts, std::size_t port, integers& result) {
    if (!counted_values(facts, port, result)) {
        return false;
    }
    for (std::int64_t& value : result) {
        value = value == unknown_value && facts.constant(port) != nullptr ? unknown_value + 1 : value;
    }
    return true;
}

/// One axis of a slice. `begin` and `end` count from the back when negative; without them the whole axis is taken on
/// that side.
struct axis_slice {
    std::int64_t begin = unknown_value;
    std::int64_t end = unknown_value;
    std::int64_t step = 1;
    bool whole_begin = false;
    bool whole_end = false;
};

/// A place that may count from the back, within [low, high].
constexpr std::int64_t clamped_place(std::int64_t place, dimension size, std::int64_t low, std::int64_t high) {
    return math::minimum(math::maximum(place < 0 ? place + size : place, low), high);
}

/// The number of elements that a slice of an axis of size `size` has.
constexpr dimension sliced_size(dimension size, const axis_slice& slice) {
    const bool known =
        (slice.whole_begin || slice.begin != unknown_value) && (slice.whole_end || slice.end != unknown_value);
    if (size == 0) {
        return 0;
    }
    if (size == dynamic_dimension || slice.step == unknown_value || !known) {
        return dynamic_dimension;
    }
    const bool forward = slice.step > 0;
    const std::int64_t low = forward ? 0 : -1;
    const std::int64_t high = forward ? size : size - 1;
    const std::int64_t begin = slice.whole_begin ? (forward ? low : high) : clamped_place(slice.begin, size, low, high);
    const std::int64_t end = slice.whole_end ? (forward ? high : low) : clamped_place(slice.end, size, low, high);
    const std::int64_t distance = forward ? end - begin : begin - end;
    if (distance <= 0) {
        return 0;
    }
    return (distance - 1) / math::absolute(slice.step) + 1;
}

constexpr bool mask_at(const integers& mask, std::size_t place) { return place < mask.size() && mask[place] != 0; }
constexpr bool any_in(const integers& mask) {
    for (const std::int64_t value : mask) {
        if (value != 0) {
            return true;
        }
    }
    return false;
}

/// Begins, ends and strides of a StridedSlice, brought to one length.
struct slice_places {
    integers begin;
    integers end;
    integers strides;
};

constexpr bool read_places(const inference& facts, slice_places& places) {
    const bool has_begin = counted_places(facts, 1, places.begin);
    const bool has_end = counted_places(facts, 2, places.end);
    const bool has_strides = facts.inputs() > 3 && counted_values(facts, 3, places.strides);
    std::size_t count = places.begin.size();
    count = math::maximum(count, places.end.size());
    count = math::maximum(count, places.strides.size());
    if ((has_begin && places.begin.size() != count) || (has_end && places.end.size() != count) ||
        (has_strides && places.strides.size() != count)) {
        facts.wrong({"begin, end and strides have ", places.begin.size(), ", ", places.end.size(), " and ",
                     places.strides.size(), " values; they must have the same number"});
    }
    places.begin.resize(count, unknown_value);
    places.end.resize(count, unknown_value);
    places.strides.resize(count, facts.inputs() > 3 ? unknown_value : 1);
    if (places.strides.contains(0)) {
        facts.wrong({"a stride is 0"});
    }
    return has_begin || has_end || has_strides;
}

/// How many axes of the input the positions name, and where the ellipsis stands (`count` for none).
struct slice_layout {
    std::size_t ellipsis = 0;
    std::size_t named = 0;
};

constexpr slice_layout read_layout(const inference& facts, const strided_slice& self, std::size_t count) {
    slice_layout layout{count, 0};
    for (std::size_t i = 0; i < count; ++i) {
        if (mask_at(self.ellipsis_mask, i)) {
            if (layout.ellipsis != count) {
                facts.wrong({"ellipsis_mask names more than one position"});
            }
            layout.ellipsis = i;
        } else if (!mask_at(self.new_axis_mask, i)) {
            ++layout.named;
        }
    }
    return layout;
}

constexpr void check_shrunk_place(const inference& facts, std::int64_t place, dimension size) {
    if (place != unknown_value && size != dynamic_dimension && (place < -size || place >= size)) {
        facts.wrong({"place ", place, " is outside an axis of size ", size});
    }
}

constexpr shape infer_strided_slice(const inference& facts, const strided_slice& self) {
    const shape& data = facts.dimensions(0);
    slice_places places;
    if (!read_places(facts, places)) {
        return any_in(self.new_axis_mask) || any_in(self.shrink_axis_mask) ? shape::of_dynamic_rank() : same_rank(data);
    }
    const std::size_t count = places.begin.size();
    const slice_layout layout = read_layout(facts, self, count);
    if (data.rank_is_dynamic()) {
        return shape::of_dynamic_rank();
    }
    if (layout.named > data.rank()) {
        facts.wrong({"names ", layout.named, " axes of an input of shape ", data});
    }
    shape result;
    std::size_t axis = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (i == layout.ellipsis) {
            for (std::size_t skipped = layout.named; skipped < data.rank(); ++skipped) {
                result.push_back(data[axis++]);
            }
        } else if (mask_at(self.new_axis_mask, i)) {
            result.push_back(1);
        } else if (mask_at(self.shrink_axis_mask, i)) {
            check_shrunk_place(facts, mask_at(self.begin_mask, i) ? 0 : places.begin[i], data[axis++]);
        } else {
            result.push_back(sliced_size(data[axis++], {places.begin[i], places.end[i], places.strides[i],
                                                        mask_at(self.begin_mask, i), mask_at(self.end_mask, i)}));
        }
    }
    while (axis < data.rank()) {
        result.push_back(data[axis++]);
    }
    return result;
}

/// The axes that a Slice names; false if they are not known.
constexpr bool read_slice_axes(const inference& facts, std::size_t rank, std::size_t count, integers& axes) {
    if (facts.inputs() > 4) {
        if (!known_axes(facts, 4, rank, axes)) {
            return false;
        }
        if (has_duplicates(axes)) {
            facts.wrong({"an axis is named twice"});
        }
        return true;
    }
    for (std::size_t axis = 0; axis < count; ++axis) {
        axes.push_back(static_cast<std::int64_t>(checked_axis(facts, static_cast<std::int64_t>(axis), rank)));
    }
    return true;
}

constexpr shape infer_slice(const inference& facts) {
    shape result = facts.dimensions(0);
    std::size_t count = 0;
    bool counted = false;
    for (std::size_t port = 1; port < facts.inputs(); ++port) {
        std::size_t here = 0;
        if (!value_count(facts, port, here)) {
            continue;
        }
        if (counted && here != count) {
            facts.wrong({"input ", port, " has ", here, " values where others have ", count});
        }
        counted = true;
        count = here;
    }
    integers start;
    integers stop;
    integers step;
    integers axes;
    if (facts.values(3, step) && step.contains(0)) {
        facts.wrong({"a step is 0"});
    }
    if (result.rank_is_dynamic()) {
        return result;
    }
    if (!counted || !read_slice_axes(facts, result.rank(), count, axes)) {
        return same_rank(result);
    }
    counted_places(facts, 1, start);
    counted_places(facts, 2, stop);
    counted_places(facts, 3, step);
    start.resize(count, unknown_value);
    stop.resize(count, unknown_value);
    step.resize(count, unknown_value);
    for (std::size_t i = 0; i < count; ++i) {
        dimension& size = result[static_cast<std::size_t>(axes[i])];
        size = sliced_size(size, {start[i], stop[i], step[i], false, false});
    }
    return result;
}

}  // namespace detail

constexpr void strided_slice::infer(const strided_slice& self, inference& facts) {
    facts.output(facts.type(0), detail::infer_strided_slice(facts, self));
}
constexpr void slice::infer(const slice&, inference& facts) { facts.output(facts.type(0), detail::infer_slice(facts)); }

}  // namespace lpt::inline LPT_ABI::op
