// SPDX-License-Identifier: Apache-2.0
// Movements by positions that are data: GATHER, GATHER_ND, EMBEDDING_LOOKUP, SCATTER_ND, DYNAMIC_UPDATE_SLICE, TOPK_V2.
#pragma once

#include <lpt/specified/padding.hpp>

#include <numeric>

namespace lpt::inline LPT_ABI::specified {

/// GATHER: slices along an axis, at the positions in the second input; the first `batch_dims` axes of both go together.
inline step make_gather(const operation& op) {
    detail::expect_same_type(op, 0);
    const std::int64_t named_axis = op.option("axis");
    const std::int64_t named_batch = op.has_option("batch_dims") ? op.option("batch_dims") : 0;
    return [=](const operands& run) {
        const value& input = run.in(0);
        const shape& of = input.dimensions;
        const shape& at = run.in(1).dimensions;
        const std::size_t axis = axis_of(named_axis, of.rank());
        const std::int64_t counted = named_batch < 0 ? named_batch + static_cast<std::int64_t>(at.rank()) : named_batch;
        if (counted < 0 || counted > static_cast<std::int64_t>(std::min(axis, at.rank())))
            fail({"GATHER: ", named_batch, " batch axes"});
        const auto batch = static_cast<std::size_t>(counted);
        shape wanted;
        for (std::size_t i = 0; i < axis; ++i)
            wanted.push_back(of[i]);
        for (std::size_t i = 0; i < batch; ++i) {
            if (of[i] != at[i]) fail({"GATHER: shapes ", of, " and ", at, " differ in a batch axis"});
        }
        for (std::size_t i = batch; i < at.rank(); ++i)
            wanted.push_back(at[i]);
        for (std::size_t i = axis + 1; i < of.rank(); ++i)
            wanted.push_back(of[i]);
        value& output = run.out();
        output.reshape(move(wanted));
        const std::int64_t batches = product(of, 0, batch);
        const std::int64_t outer = product(of, batch, axis);
        const std::int64_t positions = product(at, batch, at.rank());
        const auto block = static_cast<std::int64_t>(input.bytes_of(product(of, axis + 1, of.rank())));
        const std::vector<std::int64_t> indices = run.in(1).integers();
        std::byte* to = output.to<std::byte>();
        for (std::int64_t i = 0; i < batches * outer; ++i) {
            for (std::int64_t k = 0; k < positions; ++k, to += block) {
                const std::int64_t index = indices[static_cast<std::size_t>(i / outer * positions + k)];
                if (index < 0 || index >= of[axis]) fail({"GATHER: position ", index, " of ", of[axis]});
                copy_bytes(to, input.data() + (i * of[axis] + index) * block, static_cast<std::size_t>(block));
            }
        }
    };
}

namespace detail {

/// Rows of positions: the last axis of `indices` names a place along the first axes of `target`.
struct nd_positions {
    std::int64_t count = 0;
    std::int64_t block = 0;  // elements at each place
    std::vector<std::int64_t> first;  // the element at which each begins

    nd_positions(const value& indices, const shape& target) {
        if (indices.dimensions.rank() == 0) fail({"positions of shape ", indices.dimensions});
        const std::int64_t depth = indices.dimensions[indices.dimensions.rank() - 1];
        if (depth < 0 || depth > static_cast<std::int64_t>(target.rank()))
            fail({depth, " positions for shape ", target});
        const auto axes = static_cast<std::size_t>(depth);
        count = product(indices.dimensions, 0, indices.dimensions.rank() - 1);
        block = product(target, axes, target.rank());
        const strides steps = strides_of(target);
        for (std::int64_t i = 0; i < count; ++i) {
            std::int64_t at = 0;
            for (std::size_t axis = 0; axis < axes; ++axis) {
                const std::int64_t index = indices.integer(i * depth + static_cast<std::int64_t>(axis));
                if (index < 0 || index >= target[axis]) fail({"position ", index, " of ", target[axis]});
                at += index * steps[axis];
            }
            first.push_back(at);
        }
    }
};

}  // namespace detail

/// GATHER_ND: the slices at the places that the last axis of the second input names.
inline step make_gather_nd(const operation& op) {
    detail::expect_same_type(op, 0);
    return [=](const operands& run) {
        const value& input = run.in(0);
        const value& indices = run.in(1);
        const detail::nd_positions at(indices, input.dimensions);
        shape wanted(view<dimension>(indices.dimensions.begin(), indices.dimensions.rank() - 1));
        const auto depth = static_cast<std::size_t>(indices.dimensions[indices.dimensions.rank() - 1]);
        for (std::size_t axis = depth; axis < input.dimensions.rank(); ++axis)
            wanted.push_back(input.dimensions[axis]);
        value& output = run.out();
        output.reshape(move(wanted));
        const auto size = static_cast<std::int64_t>(detail::size_of(input));
        for (std::int64_t i = 0; i < at.count; ++i)
            copy_bytes(output.to<std::byte>() + i * at.block * size,
                       input.data() + at.first[static_cast<std::size_t>(i)] * size,
                       static_cast<std::size_t>(at.block * size));
    };
}

/// EMBEDDING_LOOKUP: rows of the second input at the positions in the first.
inline step make_embedding(const operation& op) {
    detail::expect_same_type(op, 1);
    return [=](const operands& run) {
        const value& table = run.in(1);
        const std::vector<std::int64_t> indices = run.in(0).integers();
        if (table.dimensions.rank() == 0) fail({"EMBEDDING_LOOKUP: a table without axes"});
        shape wanted = run.in(0).dimensions;
        for (std::size_t axis = 1; axis < table.dimensions.rank(); ++axis)
            wanted.push_back(table.dimensions[axis]);
        value& output = run.out();
        output.reshape(move(wanted));
        const std::size_t block = table.bytes_of(product(table.dimensions, 1, table.dimensions.rank()));
        for (std::size_t i = 0; i < indices.size(); ++i) {
            if (indices[i] < 0 || indices[i] >= table.dimensions[0])
                fail({"EMBEDDING_LOOKUP: row ", indices[i], " of ", table.dimensions[0]});
            copy_bytes(output.to<std::byte>() + i * block, table.data() + static_cast<std::size_t>(indices[i]) * block,
                       block);
        }
    };
}

/// SCATTER_ND: codes 0 in the shape of the third input, to which the second is added at the places in the first; sums wrap around.
inline step make_scatter(const operation& op) {
    op.expect_type(op.input(1), i8);
    detail::expect_same_type(op, 1);
    return [=](const operands& run) {
        shape wanted;
        for (const std::int64_t each : run.in(2).integers())
            wanted.push_back(each);
        value& output = run.out();
        output.reshape(move(wanted));
        const detail::nd_positions at(run.in(0), output.dimensions);
        if (run.in(1).elements() != at.count * at.block) fail({"SCATTER_ND: updates of shape ", run.in(1).dimensions});
        detail::fill(output, 0);
        const std::int8_t* updates = run.in(1).template as<std::int8_t>();
        for (std::int64_t i = 0; i < at.count; ++i) {
            std::int8_t* to = output.to<std::int8_t>() + at.first[static_cast<std::size_t>(i)];
            for (std::int64_t k = 0; k < at.block; ++k)
                to[k] = static_cast<std::int8_t>(to[k] + updates[i * at.block + k]);
        }
    };
}

/// DYNAMIC_UPDATE_SLICE: the first input, with the second in it from the places in the third, moved so that it lies inside.
inline step make_update(const operation& op) {
    detail::expect_same_type(op, 0);
    op.expect_type(op.input(1), op.type_of_input(0));
    return [=](const operands& run) {
        const value& input = run.in(0);
        const value& update = run.in(1);
        std::vector<std::int64_t> begin = run.in(2).integers();
        const std::size_t rank = input.dimensions.rank();
        if (begin.size() != rank || update.dimensions.rank() != rank)
            fail({"DYNAMIC_UPDATE_SLICE: shapes ", input.dimensions, " and ", update.dimensions});
        for (std::size_t axis = 0; axis < rank; ++axis) {
            const std::int64_t most = input.dimensions[axis] - update.dimensions[axis];
            if (most < 0) fail({"DYNAMIC_UPDATE_SLICE: shapes ", input.dimensions, " and ", update.dimensions});
            begin[axis] = std::min(std::max<std::int64_t>(begin[axis], 0), most);
        }
        detail::copy_all(input, run.out(), input.dimensions);
        detail::into(update, run.out(), begin).run(update, run.out());
    };
}

/// TOPK_V2: the k largest codes along the last axis in falling order, of equal ones the first, and their positions.
inline step make_top(const operation& op) {
    op.expect_codes(1);
    const element type = op.type_of_output(1);
    if (type != i32 && type != i64) op.wrong("positions of type ", tflite::name(op.output(1).type));
    return [=](const operands& run) {
        const value& input = run.in(0);
        const std::size_t rank = input.dimensions.rank();
        if (rank == 0 || run.in(1).elements() != 1) fail({"TOPK_V2: expected a tensor with axes, and one number"});
        const std::int64_t k = run.in(1).integer(0);
        const std::int64_t length = input.dimensions[rank - 1];
        if (k < 0 || k > length) fail({"TOPK_V2: ", k, " of ", length});
        shape wanted = input.dimensions;
        wanted[rank - 1] = k;
        run.out(0).reshape(wanted);
        run.out(1).reshape(wanted);
        const std::int64_t rows = product(input.dimensions, 0, rank - 1);
        std::vector<std::int64_t> order(static_cast<std::size_t>(length));
        for (std::int64_t row = 0; row < rows; ++row) {
            const std::int8_t* codes = input.as<std::int8_t>() + row * length;
            std::iota(order.begin(), order.end(), 0);
            std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
                return codes[a] != codes[b] ? codes[a] > codes[b] : a < b;
            });
            for (std::int64_t i = 0; i < k; ++i) {
                run.out(0).to<std::int8_t>()[row * k + i] = codes[order[static_cast<std::size_t>(i)]];
                store_integer(type, run.out(1).to<std::byte>(), static_cast<std::size_t>(row * k + i),
                              order[static_cast<std::size_t>(i)]);
            }
        }
    };
}

}  // namespace lpt::inline LPT_ABI::specified
