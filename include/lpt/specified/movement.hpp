// SPDX-License-Identifier: Apache-2.0
// Movements of whole blocks: codes are copied as they are, of any type. What chooses elements one by one is in selection.hpp.
#pragma once

#include <lpt/specified/block_copies.hpp>

namespace lpt::inline LPT_ABI::specified {

namespace detail {

/// Raises an error unless an input and an output have one type.
inline void expect_same_type(const operation& op, std::size_t input, std::size_t output = 0) {
    op.expect_type(op.output(output), op.type_of_input(input));
}

inline std::size_t size_of(const value& tensor) { return tensor.bytes_of(1); }

/// Elements before a position, given as `index` along each axis.
inline std::int64_t offset(const strides& steps, const std::vector<std::int64_t>& index) {
    std::int64_t result = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis)
        result += steps[axis] * index[axis];
    return result;
}

/// The part of `input` that begins at `begin` and fills `output`, whose shape is set.
inline block_copy part_of(const value& input, const std::vector<std::int64_t>& begin, const value& output) {
    const strides steps = strides_of(input.dimensions);
    return {output.dimensions, offset(steps, begin), steps, 0, strides_of(output.dimensions), size_of(input)};
}

/// All of `input` to the part of `output` that begins at `begin`.
inline block_copy into(const value& input, const value& output, const std::vector<std::int64_t>& begin) {
    const strides steps = strides_of(output.dimensions);
    return {input.dimensions, 0, strides_of(input.dimensions), offset(steps, begin), steps, size_of(input)};
}

/// `input`, seen as a tensor of `sizes` whose axes go in the order `axes`, to all of an output.
inline block_copy permuted(const value& input, const shape& sizes, const std::vector<std::size_t>& axes) {
    const strides steps = strides_of(sizes);
    shape block;
    strides from;
    for (const std::size_t axis : axes) {
        block.push_back(sizes[axis]);
        from.push_back(steps[axis]);
    }
    return {block, 0, from, 0, strides_of(block), size_of(input)};
}

inline void copy_all(const value& input, value& output, const shape& wanted) {
    if (static_cast<std::int64_t>(wanted.elements()) != input.elements())
        fail({"a tensor of shape ", input.dimensions, " cannot have the shape ", wanted});
    output.reshape(wanted);
    copy_bytes(output.memory.data(), input.data(), output.memory.size());
}

/// All elements of the first input, which the output has in another shape.
inline void plan_reshape(const operands& run, shape wanted, block_copies& copies) {
    const value& input = run.in(0);
    if (static_cast<std::int64_t>(wanted.elements()) != input.elements())
        fail({"a tensor of shape ", input.dimensions, " cannot have the shape ", wanted});
    run.out().reshape(move(wanted));
    const shape all{static_cast<dimension>(run.out().memory.size())};  // bytes, whatever the elements are
    copies.add(0, 0, {all, 0, strides_of(all), 0, strides_of(all), 1});
}

inline shape without_unknown(std::vector<std::int64_t> sizes, std::int64_t elements) {
    checked known = 1;
    bool sizes_are_possible = true;
    for (const std::int64_t each : sizes) {
        sizes_are_possible = sizes_are_possible && each >= -1;
        known = known * checked(each == -1 ? 1 : each);
    }
    if (!sizes_are_possible || !known.fits()) fail({"a shape of ", sizes.size(), " sizes that no tensor can have"});
    shape result;
    for (const std::int64_t each : sizes)
        result.push_back(each == -1 ? (known.value() == 0 ? 0 : elements / known.value()) : each);
    return result;
}

}  // namespace detail

/// RESHAPE: the new shape is the second input, or an option where there is none; one size may be -1.
inline step make_reshape(const operation& op) {
    detail::expect_same_type(op, 0);
    std::vector<std::int64_t> of_option;
    if (op.has_option("new_shape")) of_option = op.info().list("new_shape");
    return make_movement({1}, [=](const operands& run, block_copies& copies) {
        const value& input = run.in(0);
        const bool is_given = run.has_input(1) && run.in(1).dimensions.rank() == 1;
        std::vector<std::int64_t> sizes = is_given ? run.in(1).integers() : of_option;
        detail::plan_reshape(run, detail::without_unknown(lpt::move(sizes), input.elements()), copies);
    });
}

/// SQUEEZE: without the axes of size 1 that an option names, or without all of them.
inline step make_squeeze(const operation& op) {
    detail::expect_same_type(op, 0);
    std::vector<std::int64_t> axes;
    if (op.has_option("squeeze_dims")) axes = op.info().list("squeeze_dims");
    return make_movement({}, [=](const operands& run, block_copies& copies) {
        const value& input = run.in(0);
        std::vector<bool> goes(input.dimensions.rank(), axes.empty());
        for (const std::int64_t axis : axes)
            goes[axis_of(axis, goes.size())] = true;
        shape wanted;
        for (std::size_t axis = 0; axis < goes.size(); ++axis) {
            const dimension size = input.dimensions[axis];
            if (goes[axis] && size != 1 && !axes.empty()) fail({"SQUEEZE: axis ", axis, " has ", size, " elements"});
            if (!goes[axis] || size != 1) wanted.push_back(size);
        }
        detail::plan_reshape(run, move(wanted), copies);
    });
}

/// EXPAND_DIMS: with an axis of size 1 in front of the one that the second input names.
inline step make_expansion(const operation& op) {
    detail::expect_same_type(op, 0);
    return make_movement({1}, [=](const operands& run, block_copies& copies) {
        shape wanted = run.in(0).dimensions;
        if (run.in(1).elements() != 1) fail({"EXPAND_DIMS: expected one axis"});
        wanted.insert(axis_of(run.in(1).integer(0), wanted.rank() + 1), 1);
        detail::plan_reshape(run, move(wanted), copies);
    });
}

/// TRANSPOSE: axis k of the output is axis p[k] of the input, p the second input.
inline step make_transposition(const operation& op) {
    detail::expect_same_type(op, 0);
    return make_movement({1}, [=](const operands& run, block_copies& copies) {
        const value& input = run.in(0);
        const std::size_t rank = input.dimensions.rank();
        std::vector<std::size_t> axes;
        std::vector<bool> named(rank, false);
        shape wanted;
        for (const std::int64_t axis : run.in(1).integers()) {
            axes.push_back(axis_of(axis, rank));
            if (named[axes.back()]) fail({"TRANSPOSE: axis ", axes.back(), " is named twice"});
            named[axes.back()] = true;
            wanted.push_back(input.dimensions[axes.back()]);
        }
        if (axes.size() != rank) fail({"TRANSPOSE: an order of ", axes.size(), " axes for a tensor with ", rank});
        run.out().reshape(move(wanted));
        copies.add(0, 0, detail::permuted(input, input.dimensions, axes));
    });
}

/// CONCATENATION: inputs one behind the other along an axis.
inline step make_concatenation(const operation& op) {
    for (std::size_t i = 0; i < op.inputs(); ++i)
        detail::expect_same_type(op, i);
    if (op.info().activation() != tflite::activation::none) op.wrong("a fused activation is not known here");
    const std::int64_t named_axis = op.option("axis");
    return make_movement({}, [=](const operands& run, block_copies& copies) {
        const shape& first = run.in(0).dimensions;
        const std::size_t axis = axis_of(named_axis, first.rank());
        shape wanted = first;
        wanted[axis] = 0;
        for (std::size_t i = 0; i < run.inputs(); ++i) {
            shape each = run.in(i).dimensions;
            if (each.rank() != first.rank())
                fail({"CONCATENATION: shapes ", first, " and ", each, " do not fit together"});
            wanted[axis] += each[axis];
            each[axis] = first[axis];
            if (!(each == first))
                fail({"CONCATENATION: shapes ", first, " and ", run.in(i).dimensions, " do not fit together"});
        }
        run.out().reshape(move(wanted));
        std::vector<std::int64_t> begin(first.rank(), 0);
        for (std::size_t i = 0; i < run.inputs(); ++i) {
            copies.add(i, 0, detail::into(run.in(i), run.out(), begin));
            begin[axis] += run.in(i).dimensions[axis];
        }
    });
}

/// PACK: inputs of one shape along a new axis.
inline step make_packing(const operation& op) {
    for (std::size_t i = 0; i < op.inputs(); ++i)
        detail::expect_same_type(op, i);
    const std::int64_t named_axis = op.option("axis");
    return make_movement({}, [=](const operands& run, block_copies& copies) {
        shape each = run.in(0).dimensions;
        const std::size_t axis = axis_of(named_axis, each.rank() + 1);
        const std::int64_t outer = product(each, 0, axis);
        const auto count = static_cast<std::int64_t>(run.inputs());
        const std::int64_t block = product(each, axis, each.rank());
        for (std::size_t i = 0; i < run.inputs(); ++i) {
            if (!(run.in(i).dimensions == each))
                fail({"PACK: shapes ", each, " and ", run.in(i).dimensions, " differ"});
        }
        shape wanted = each;
        wanted.insert(axis, count);
        run.out().reshape(move(wanted));
        const shape blocks{outer, count, block}, one{outer, 1, block};
        const strides steps = strides_of(blocks);
        for (std::int64_t i = 0; i < count; ++i)
            copies.add(static_cast<std::size_t>(i), 0,
                       {one, 0, strides_of(one), i * block, steps, detail::size_of(run.in(0))});
    });
}

namespace detail {

/// Parts of an input go, one behind the other along an axis, to the outputs; `drops_axis` leaves out the axis, then of size 1.
inline void split(const operands& run, std::size_t input_index, std::size_t axis,
                  const std::vector<std::int64_t>& sizes, bool drops_axis, block_copies& copies) {
    const value& input = run.in(input_index);
    std::vector<std::int64_t> begin(input.dimensions.rank(), 0);
    std::int64_t total = 0;
    for (const std::int64_t size : sizes) {
        if (size < 0 || size > input.dimensions[axis])
            fail({"a part of ", size, " of ", input.dimensions[axis], " elements"});
        total += size;
    }
    if (total != input.dimensions[axis] || sizes.size() != run.outputs())
        fail({sizes.size(), " parts of ", total, " elements for ", run.outputs(), " outputs of ",
              input.dimensions[axis]});
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        shape part = input.dimensions;
        part[axis] = sizes[i];
        value& output = run.out(i);
        output.reshape(part);
        copies.add(input_index, i, part_of(input, begin, output));
        begin[axis] += sizes[i];
        if (drops_axis) {
            part.erase(axis);
            output.reshape(part);
        }
    }
}

}  // namespace detail

/// UNPACK: a part for each position along an axis, without it.
inline step make_unpacking(const operation& op) {
    for (std::size_t i = 0; i < op.outputs(); ++i)
        detail::expect_same_type(op, 0, i);
    const std::int64_t named_axis = op.option("axis");
    return make_movement({}, [=](const operands& run, block_copies& copies) {
        const std::size_t axis = axis_of(named_axis, run.in(0).dimensions.rank());
        detail::split(run, 0, axis, std::vector<std::int64_t>(run.outputs(), 1), true, copies);
    });
}

/// SPLIT: equal parts; the axis is the first input.
inline step make_split(const operation& op) {
    if (op.outputs() == 0) op.wrong("has no output, expected one for each part");
    for (std::size_t i = 0; i < op.outputs(); ++i)
        detail::expect_same_type(op, 1, i);
    return make_movement({0}, [=](const operands& run, block_copies& copies) {
        if (run.in(0).elements() != 1) fail({"SPLIT: expected one axis"});
        const std::size_t axis = axis_of(run.in(0).integer(0), run.in(1).dimensions.rank());
        const std::int64_t size = run.in(1).dimensions[axis] / static_cast<std::int64_t>(run.outputs());
        detail::split(run, 1, axis, std::vector<std::int64_t>(run.outputs(), size), false, copies);
    });
}

/// SPLIT_V: parts of the sizes in the second input, one of which may be -1: the rest; the axis is the third.
inline step make_uneven_split(const operation& op) {
    for (std::size_t i = 0; i < op.outputs(); ++i)
        detail::expect_same_type(op, 0, i);
    return make_movement({1, 2}, [=](const operands& run, block_copies& copies) {
        if (run.in(2).elements() != 1) fail({"SPLIT_V: expected one axis"});
        const std::size_t axis = axis_of(run.in(2).integer(0), run.in(0).dimensions.rank());
        std::vector<std::int64_t> sizes = run.in(1).integers();
        std::int64_t rest = run.in(0).dimensions[axis];
        for (const std::int64_t each : sizes)
            rest -= each == -1 ? 0 : each;
        for (std::int64_t& each : sizes)
            each = each == -1 ? rest : each;
        detail::split(run, 0, axis, sizes, false, copies);
    });
}

/// SLICE: from `begin` so many elements along each axis; a size of -1 goes to the end.
inline step make_slice(const operation& op) {
    detail::expect_same_type(op, 0);
    return make_movement({1, 2}, [=](const operands& run, block_copies& copies) {
        const value& input = run.in(0);
        const std::vector<std::int64_t> begin = run.in(1).integers();
        const std::vector<std::int64_t> sizes = run.in(2).integers();
        if (begin.size() != input.dimensions.rank() || sizes.size() != begin.size())
            fail({"SLICE: ", begin.size(), " positions and ", sizes.size(), " sizes for shape ", input.dimensions});
        shape wanted;
        for (std::size_t axis = 0; axis < begin.size(); ++axis) {
            const std::int64_t length = input.dimensions[axis];
            if (begin[axis] < 0 || begin[axis] > length) fail({"SLICE: begins at ", begin[axis], " of ", length});
            const std::int64_t size = sizes[axis] == -1 ? length - begin[axis] : sizes[axis];
            if (size < 0 || size > length - begin[axis])
                fail({"SLICE: ", size, " elements from ", begin[axis], " of ", length});
            wanted.push_back(size);
        }
        run.out().reshape(move(wanted));
        copies.add(0, 0, detail::part_of(input, begin, run.out()));
    });
}

}  // namespace lpt::inline LPT_ABI::specified
