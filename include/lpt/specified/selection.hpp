// SPDX-License-Identifier: Apache-2.0
// Movements by positions along axes: STRIDED_SLICE, REVERSE_V2, MIRROR_PAD, TILE, BROADCAST_TO, FILL, SHAPE.
#pragma once

#include <lpt/specified/padding.hpp>

namespace lpt::inline LPT_ABI::specified {

namespace detail {

/// The part of a tensor that STRIDED_SLICE takes.
struct strided_part {
    std::int64_t first = 0;  // element of the input
    shape sizes;
    strides steps;
    shape result;  // without the axes that shrink, with the new ones
};

/// A slice as STRIDED_SLICE has it: positions, and bit masks that change their meaning.
struct slice_masks {
    std::int64_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink = 0;
    bool ends_are_lengths = false;

    static bool has(std::int64_t mask, std::size_t i) { return i < 63 && (mask >> i & 1) != 0; }
};

struct range_of_axis {
    std::int64_t first, count;
};

/// Positions along an axis of `length`, from `begin` to `end` in steps of `step`, with negative ones counted from the end.
inline range_of_axis positions_of(std::int64_t begin, std::int64_t end, std::int64_t step, std::int64_t length,
                                  bool from_start, bool to_end) {
    const std::int64_t lowest = step > 0 ? 0 : -1;
    const std::int64_t highest = step > 0 ? length : length - 1;
    const auto bounded = [&](std::int64_t at) {
        return std::min(std::max(at < 0 ? at + length : at, lowest), highest);
    };
    const std::int64_t first = from_start ? (step > 0 ? 0 : length - 1) : bounded(begin);
    const std::int64_t last = to_end ? (step > 0 ? length : -1) : bounded(end);
    const std::int64_t span = step > 0 ? last - first : first - last;
    const std::int64_t stride = step > 0 ? step : -step;
    return {first, span <= 0 ? 0 : (span + stride - 1) / stride};
}

inline strided_part part_of(const shape& input, const std::vector<std::int64_t>& begin,
                            const std::vector<std::int64_t>& end, const std::vector<std::int64_t>& step,
                            const slice_masks& masks) {
    if (begin.size() != end.size() || begin.size() != step.size())
        fail({"STRIDED_SLICE: positions of different numbers"});
    const strides all = strides_of(input);
    std::size_t named = 0;  // axes of the input that positions name
    for (std::size_t i = 0; i < begin.size(); ++i)
        named += slice_masks::has(masks.new_axis, i) || slice_masks::has(masks.ellipsis, i) ? 0 : 1;
    if (named > input.rank()) fail({"STRIDED_SLICE: ", named, " positions for shape ", input});
    strided_part part;
    std::size_t axis = 0;
    const auto take = [&](range_of_axis range, std::int64_t by, bool stays) {
        part.first += range.first * all[axis];
        part.sizes.push_back(range.count);
        part.steps.push_back(by * all[axis]);
        if (stays) part.result.push_back(range.count);
        ++axis;
    };
    bool filled = false;
    for (std::size_t i = 0; i < begin.size(); ++i) {
        if (slice_masks::has(masks.ellipsis, i) && !filled) {
            filled = true;
            for (std::size_t k = input.rank() - named; k > 0; --k)
                take({0, input[axis]}, 1, true);
        } else if (slice_masks::has(masks.new_axis, i)) {
            part.result.push_back(1);
        } else if (slice_masks::has(masks.ellipsis, i)) {
            fail({"STRIDED_SLICE: two ellipses"});
        } else if (slice_masks::has(masks.shrink, i)) {
            const std::int64_t at = begin[i] < 0 ? begin[i] + input[axis] : begin[i];
            if (at < 0 || at >= input[axis]) fail({"STRIDED_SLICE: position ", begin[i], " of ", input[axis]});
            take({at, 1}, 1, false);
        } else {
            if (step[i] == 0 || step[i] < -INT32_MAX || step[i] > INT32_MAX)
                fail({"STRIDED_SLICE: a step of ", step[i]});
            const std::int64_t last = masks.ends_are_lengths ? begin[i] + end[i] : end[i];
            take(positions_of(begin[i], last, step[i], input[axis], slice_masks::has(masks.begin, i),
                              slice_masks::has(masks.end, i)),
                 step[i], true);
        }
    }
    while (axis < input.rank())
        take({0, input[axis]}, 1, true);
    return part;
}

}  // namespace detail

/// STRIDED_SLICE: begin, end and step along each axis are the second to fourth input; masks are options.
inline step make_strided_slice(const operation& op) {
    detail::expect_same_type(op, 0);
    detail::slice_masks masks{op.option("begin_mask"),       op.option("end_mask"),
                              op.option("ellipsis_mask"),    op.option("new_axis_mask"),
                              op.option("shrink_axis_mask"), op.has_option("offset") && op.option("offset") != 0};
    return make_movement({1, 2, 3}, [=](const operands& run, block_copies& copies) {
        const value& input = run.in(0);
        const detail::strided_part part =
            detail::part_of(input.dimensions, run.in(1).integers(), run.in(2).integers(), run.in(3).integers(), masks);
        value& output = run.out();
        output.reshape(part.result);
        copies.add(0, 0, {part.sizes, part.first, part.steps, 0, strides_of(part.sizes), detail::size_of(input)});
    });
}

/// REVERSE_V2: the axes in the second input run backwards.
inline step make_reversal(const operation& op) {
    detail::expect_same_type(op, 0);
    return make_movement({1}, [=](const operands& run, block_copies& copies) {
        const value& input = run.in(0);
        strides steps = strides_of(input.dimensions);
        std::int64_t first = 0;
        std::vector<bool> reversed(steps.size(), false);
        for (const std::int64_t named : run.in(1).integers())
            reversed[axis_of(named, steps.size())] = true;
        run.out().reshape(input.dimensions);
        if (input.elements() == 0) return;
        for (std::size_t axis = 0; axis < steps.size(); ++axis) {
            if (!reversed[axis]) continue;
            first += (input.dimensions[axis] - 1) * steps[axis];
            steps[axis] = -steps[axis];
        }
        copies.add(0, 0, {input.dimensions, first, steps, 0, strides_of(input.dimensions), detail::size_of(input)});
    });
}

namespace detail {

/// output[index] = input[at(axis, index[axis]) for each axis].
template <class Position>
void copy_positions(const value& input, value& output, Position at) {
    const strides steps = strides_of(input.dimensions);
    const auto size = static_cast<std::int64_t>(size_of(input));
    std::byte* to = output.to<std::byte>();
    for_each_position(output.dimensions, [&](const std::vector<std::int64_t>& index) {
        std::int64_t from = 0;
        for (std::size_t axis = 0; axis < index.size(); ++axis)
            from += at(axis, index[axis]) * steps[axis];
        std::memcpy(to, input.data() + from * size, static_cast<std::size_t>(size));
        to += size;
    });
}

}  // namespace detail

/// MIRROR_PAD: elements are mirrored at the ends, which mode SYMMETRIC (1) repeats and REFLECT (0) does not.
inline step make_mirror_padding(const operation& op) {
    detail::expect_same_type(op, 0);
    const std::int64_t repeats = op.option("mode") == 1 ? 0 : 1;
    return [=](const operands& run) {
        const value& input = run.in(0);
        const std::vector<std::int64_t> paddings = detail::paddings_of(run.in(1), input.dimensions.rank());
        shape wanted = input.dimensions;
        for (std::size_t axis = 0; axis < wanted.rank(); ++axis) {
            const std::int64_t most = wanted[axis] - repeats;
            if (paddings[2 * axis] > most || paddings[2 * axis + 1] > most)
                fail({"MIRROR_PAD: a padding of more than ", most, " elements"});
            wanted[axis] += paddings[2 * axis] + paddings[2 * axis + 1];
        }
        run.out().reshape(move(wanted));
        detail::copy_positions(input, run.out(), [&](std::size_t axis, std::int64_t i) {
            const std::int64_t length = input.dimensions[axis];
            const std::int64_t at = i - paddings[2 * axis];
            if (at < 0) return -at - 1 + repeats;
            return at < length ? at : 2 * length - at - 1 - repeats;
        });
    };
}

/// TILE: the tensor repeated along each axis as often as the second input says.
inline step make_tiling(const operation& op) {
    detail::expect_same_type(op, 0);
    return [=](const operands& run) {
        const value& input = run.in(0);
        const std::vector<std::int64_t> times = run.in(1).integers();
        if (times.size() != input.dimensions.rank())
            fail({"TILE: ", times.size(), " numbers for shape ", input.dimensions});
        shape wanted = input.dimensions;
        for (std::size_t axis = 0; axis < times.size(); ++axis) {
            if (times[axis] < 0 || times[axis] > INT32_MAX) fail({"TILE: ", times[axis], " times"});
            wanted[axis] *= times[axis];
        }
        run.out().reshape(move(wanted));
        detail::copy_positions(input, run.out(),
                               [&](std::size_t axis, std::int64_t i) { return i % input.dimensions[axis]; });
    };
}

/// BROADCAST_TO: axes of size 1 repeated up to the shape in the second input.
inline step make_broadcast(const operation& op) {
    detail::expect_same_type(op, 0);
    return make_movement({1}, [=](const operands& run, block_copies& copies) {
        const value& input = run.in(0);
        shape wanted;
        for (const std::int64_t each : run.in(1).integers())
            wanted.push_back(each);
        if (!wanted.is_possible() || wanted.is_dynamic() || !(broadcast(input.dimensions, wanted) == wanted))
            fail({"BROADCAST_TO: shape ", input.dimensions, " to ", wanted});
        value& output = run.out();
        output.reshape(wanted);
        const shape padded = input.dimensions.padded_left(wanted.rank());
        strides steps = strides_of(padded);
        for (std::size_t axis = 0; axis < steps.size(); ++axis)
            steps[axis] = padded[axis] == 1 ? 0 : steps[axis];
        copies.add(0, 0, {wanted, 0, steps, 0, strides_of(wanted), detail::size_of(input)});
    });
}

/// FILL: the second input, one element, in the shape of the first.
inline step make_fill(const operation& op) {
    detail::expect_same_type(op, 1);
    return [=](const operands& run) {
        shape wanted;
        for (const std::int64_t each : run.in(0).integers())
            wanted.push_back(each);
        const value& one = run.in(1);
        if (one.elements() != 1) fail({"FILL: expected one value"});
        value& output = run.out();
        output.reshape(wanted);
        block_copy(wanted, 0, strides(wanted.rank(), 0), 0, strides_of(wanted), detail::size_of(one)).run(one, output);
    };
}

/// SHAPE: the sizes of the input.
inline step make_shape(const operation& op) {
    const element type = op.type_of_output(0);
    if (type != i32 && type != i64) op.wrong("sizes of type ", tflite::name(op.output(0).type));
    return [=](const operands& run) {
        const shape& of = run.in(0).dimensions;
        value& output = run.out();
        output.reshape(shape{static_cast<dimension>(of.rank())});
        for (std::size_t axis = 0; axis < of.rank(); ++axis)
            store_integer(type, output.to<std::byte>(), axis, of[axis]);
    };
}

}  // namespace lpt::inline LPT_ABI::specified
