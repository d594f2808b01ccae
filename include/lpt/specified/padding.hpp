// SPDX-License-Identifier: Apache-2.0
// PAD, PADV2, and the exchanges of space with batches or channels: SPACE_TO_BATCH_ND, BATCH_TO_SPACE_ND, SPACE_TO_DEPTH, DEPTH_TO_SPACE.
#pragma once

#include <lpt/specified/movement.hpp>

namespace lpt::inline LPT_ABI::specified {

namespace detail {

/// What stands at padded places: the zero point of int8 and uint8, else 0.
inline std::int64_t padding_code(const operation& op) {
    const element type = op.type_of_output(0);
    return (type == i8 || type == u8 || type == i16) && op.output(0).quantized.is_present() ? op.out().zero_point : 0;
}

inline void fill(value& output, std::int64_t code) {
    if (bit_width(output.type) == 8) {
        std::fill(output.memory.begin(), output.memory.end(), static_cast<std::byte>(code & 0xFF));
        return;
    }
    const std::int64_t count = output.elements();
    for (std::int64_t i = 0; i < count; ++i)
        store_integer(output.type, output.to<std::byte>(), static_cast<std::size_t>(i), code);
}

/// Elements in front of and behind each axis: pairs, as many as there are axes.
inline std::vector<std::int64_t> paddings_of(const value& from, std::size_t axes) {
    const std::vector<std::int64_t> result = from.integers();
    if (result.size() != 2 * axes) fail({"paddings of shape ", from.dimensions, " for ", axes, " axes"});
    for (const std::int64_t each : result) {
        if (each < 0 || each > INT32_MAX) fail({"a padding of ", each, " elements"});
    }
    return result;
}

/// Gives the output the padded shape; the copy is that of the input to its place.
inline block_copy shape_padded(const value& input, const std::vector<std::int64_t>& paddings, value& output) {
    shape wanted = input.dimensions;
    std::vector<std::int64_t> begin;
    for (std::size_t axis = 0; axis < wanted.rank(); ++axis) {
        begin.push_back(paddings[2 * axis]);
        wanted[axis] += paddings[2 * axis] + paddings[2 * axis + 1];
    }
    output.reshape(move(wanted));
    return into(input, output, begin);
}

inline void pad(const value& input, const std::vector<std::int64_t>& paddings, std::int64_t code, value& output) {
    block_copy copy = shape_padded(input, paddings, output);
    fill(output, code);
    copy.run(input, output);
}

}  // namespace detail

/// PAD: with the zero point. PADV2: with the code of the third input.
inline step make_padding(const operation& op) {
    detail::expect_same_type(op, 0);
    const bool is_given = op.code() == tflite::builtin::padv2;
    if (is_given) op.expect_type(op.input(2), op.type_of_input(0));
    const std::int64_t zero = is_given ? 0 : detail::padding_code(op);
    const auto known = std::make_shared<for_shapes<block_copy>>(std::vector<std::size_t>{1});
    return [=](const operands& run) {
        const value& input = run.in(0);
        block_copy& copy = known->of(run, [&](block_copy& made) {
            if (is_given && run.in(2).elements() != 1) fail({"PADV2: expected one value"});
            made = detail::shape_padded(input, detail::paddings_of(run.in(1), input.dimensions.rank()), run.out());
        });
        detail::fill(run.out(), is_given ? run.in(2).integer(0) : zero);
        copy.run(input, run.out());
    };
}

namespace detail {

/// Blocks along the axes behind the first: their sizes, each positive.
inline std::vector<std::int64_t> blocks_of(const value& from, const shape& input) {
    const std::vector<std::int64_t> result = from.integers();
    if (result.size() + 1 > input.rank()) fail({result.size(), " block sizes for shape ", input});
    for (const std::int64_t each : result) {
        if (each <= 0) fail({"a block of ", each, " elements"});
    }
    return result;
}

}  // namespace detail

/// SPACE_TO_BATCH_ND: padded with the zero point, then positions within blocks become batches.
inline step make_space_to_batch(const operation& op) {
    detail::expect_same_type(op, 0);
    const std::int64_t zero = detail::padding_code(op);
    return [=](const operands& run) {
        const value& input = run.in(0);
        const std::vector<std::int64_t> blocks = detail::blocks_of(run.in(1), input.dimensions);
        std::vector<std::int64_t> paddings = {0, 0};
        for (const std::int64_t each : detail::paddings_of(run.in(2), blocks.size()))
            paddings.push_back(each);
        paddings.resize(2 * input.dimensions.rank(), 0);
        value padded = like(input.type, run.out());
        detail::pad(input, paddings, zero, padded);
        shape sizes{padded.dimensions[0]}, wanted{padded.dimensions[0]};
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            const std::int64_t length = padded.dimensions[i + 1];
            if (length % blocks[i] != 0) fail({"SPACE_TO_BATCH_ND: ", length, " elements in blocks of ", blocks[i]});
            sizes.push_back(length / blocks[i]);
            sizes.push_back(blocks[i]);
            order.push_back(2 * i + 2);
            wanted[0] *= blocks[i];
            wanted.push_back(length / blocks[i]);
        }
        order.push_back(0);
        for (std::size_t i = 0; i < blocks.size(); ++i)
            order.push_back(2 * i + 1);
        for (std::size_t axis = blocks.size() + 1; axis < input.dimensions.rank(); ++axis) {
            order.push_back(sizes.rank());
            sizes.push_back(input.dimensions[axis]);
            wanted.push_back(input.dimensions[axis]);
        }
        run.out().reshape(move(wanted));
        detail::permuted(padded, sizes, order).run(padded, run.out());
    };
}

/// BATCH_TO_SPACE_ND: batches become positions within blocks, of which the crops are left out.
inline step make_batch_to_space(const operation& op) {
    detail::expect_same_type(op, 0);
    return [=](const operands& run) {
        const value& input = run.in(0);
        const std::vector<std::int64_t> blocks = detail::blocks_of(run.in(1), input.dimensions);
        const std::vector<std::int64_t> crops = detail::paddings_of(run.in(2), blocks.size());
        shape sizes, whole;
        std::vector<std::size_t> order = {blocks.size()};
        std::int64_t batch = input.dimensions[0];
        for (const std::int64_t each : blocks) {
            if (batch % each != 0) fail({"BATCH_TO_SPACE_ND: ", input.dimensions[0], " batches in blocks"});
            batch /= each;
            sizes.push_back(each);
        }
        sizes.push_back(batch);
        whole.push_back(batch);
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            order.push_back(sizes.rank());
            order.push_back(i);
            sizes.push_back(input.dimensions[i + 1]);
            whole.push_back(input.dimensions[i + 1] * blocks[i]);
        }
        for (std::size_t axis = blocks.size() + 1; axis < input.dimensions.rank(); ++axis) {
            order.push_back(sizes.rank());
            sizes.push_back(input.dimensions[axis]);
            whole.push_back(input.dimensions[axis]);
        }
        value spread = like(input.type, run.out());
        spread.reshape(whole);
        detail::permuted(input, sizes, order).run(input, spread);
        std::vector<std::int64_t> begin(whole.rank(), 0);
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            begin[i + 1] = crops[2 * i];
            whole[i + 1] -= crops[2 * i] + crops[2 * i + 1];
            if (whole[i + 1] < 0) fail({"BATCH_TO_SPACE_ND: crops leave nothing"});
        }
        run.out().reshape(whole);
        detail::part_of(spread, begin, run.out()).run(spread, run.out());
    };
}

/// SPACE_TO_DEPTH and DEPTH_TO_SPACE of [batch, height, width, channels].
inline step make_depth_exchange(const operation& op) {
    detail::expect_same_type(op, 0);
    const bool to_depth = op.code() == tflite::builtin::space_to_depth;
    const std::int64_t block = op.positive_option("block_size");
    return make_movement({}, [=](const operands& run, block_copies& copies) {
        const value& input = run.in(0);
        const shape& of = input.dimensions;
        if (of.rank() != 4) fail({"shape ", of, ", expected [batch, height, width, channels]"});
        if (to_depth ? of[1] % block != 0 || of[2] % block != 0 : of[3] % block != 0 || of[3] / block % block != 0)
            fail({"shape ", of, " cannot be taken in blocks of ", block});
        if (to_depth) {
            run.out().reshape(shape{of[0], of[1] / block, of[2] / block, of[3] * block * block});
            copies.add(0, 0,
                       detail::permuted(input, shape{of[0], of[1] / block, block, of[2] / block, block, of[3]},
                                        {0, 1, 3, 2, 4, 5}));
        } else {
            const std::int64_t depth = of[3] / block / block;
            run.out().reshape(shape{of[0], of[1] * block, of[2] * block, depth});
            copies.add(0, 0,
                       detail::permuted(input, shape{of[0], of[1], of[2], block, block, depth}, {0, 1, 3, 2, 4, 5}));
        }
    });
}

}  // namespace lpt::inline LPT_ABI::specified
