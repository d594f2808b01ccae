// SPDX-License-Identifier: Apache-2.0
// From planned steps to the problems of kernels, in one way for plans that are data (lpt/plan) and plans that are types (lpt/embedded).
//
// `Memory` knows where the operands of a plan lie; what these are is its own affair:
//   read(operand), write(operand)      their addresses, null for one that is left out; type_of(operand), kind_of(type): element kinds;
//   row_stride(operand, dense)         elements from row to row (from pixel to pixel), `dense` where there is no gap;
//   packed(weights)                    the bytes of packed weights;
//   numbers(row, at)                   numbers of an epilogue where the loops around pixels and channels are `at`;
//   strided(operand, at, more)         a tensor there, `more` elements on; target(operand, at): the same to be written;
//   posts(finish), has_residual(post)  the post operations of an epilogue as a range, and whether one reads a tensor;
//   batches(step)                      how many matrix products there are.
// A position `at` has the index of each loop: at[axis], at.size(). All is inlined, so that what a compiler knows of a step stays known.
#pragma once

#include <lpt/kernel/rows.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// Numbers of an epilogue: an array, or, without one, `all`.
struct bound_numbers {
    const float* array = nullptr;
    float all = 0;
};

/// A tensor with its strides, in elements, along pixels and channels.
struct bound_operand {
    const void* data = nullptr;
    element_kind type = element_kind::f32;
    std::int64_t row_stride = 0;
    std::int64_t channel_stride = 1;
};

/// Calls `body(at)` for each position of loops of these sizes, which begin at `at`.
template <class Sizes, class Position, class Body>
[[gnu::always_inline]] inline void for_each_position(const Sizes& sizes, Position at, const Body& body) {
    while (true) {
        body(at);
        std::size_t axis = at.size();
        while (axis > 0 && ++at[axis - 1] == sizes[axis - 1]) {
            at[--axis] = 0;
        }
        if (axis == 0) return;
    }
}

/// How far a position is along strides.
template <class Strides, class Position>
[[gnu::always_inline]] inline std::int64_t offset_at(const Strides& strides, const Position& at) {
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
        offset += at[axis] * strides[axis];
    }
    return offset;
}

/// An epilogue. `posts` has room for its post operations; residuals are read from `more` elements on.
template <class Memory, class Finish, class Position>
[[gnu::always_inline]] inline epilogue bind_finish(const Memory& memory, const Finish& from, post_operation* posts,
                                                   const Position& at, std::int64_t more = 0) {
    epilogue result;
    const bound_numbers scale = memory.numbers(from.scale, at);
    const bound_numbers bias = memory.numbers(from.bias, at);
    result.scale = scale.array;
    result.scale_all = scale.all;
    result.bias = bias.array;
    result.bias_all = bias.all;
    for (const auto& each : memory.posts(from)) {
        post_operation post;
        const bound_numbers a = memory.numbers(each.a, at);
        const bound_numbers b = memory.numbers(each.b, at);
        post.kind = each.kind;
        post.function = each.function;
        post.alpha = a.all;
        post.beta = b.all;
        post.per_channel_a = a.array;
        post.per_channel_b = b.array;
        if (memory.has_residual(each)) {
            const bound_operand residual = memory.strided(each.residual, at, more);
            post.residual_type = residual.type;
            post.residual = residual.data;
            post.residual_row_stride = residual.row_stride;
        }
        posts[result.post_count++] = post;
    }
    result.post = posts;
    result.output_type = memory.kind_of(from.type);
    result.quant_low = from.low;
    result.quant_high = from.high;
    return result;
}

template <class Memory, class Step, class Position>
[[gnu::always_inline]] inline convolution_problem bind_convolution(const Memory& memory, const Step& step,
                                                                   post_operation* posts, const Position& none) {
    convolution_problem problem;
    problem.shape = step.shape;
    problem.input = memory.read(step.input);
    problem.input_type = memory.type_of(step.input);
    problem.input_pixel_stride = memory.row_stride(step.input, step.shape.in_channels);
    problem.input_zero_point = step.zero_point;
    problem.packed_weights = memory.packed(step.weights);
    problem.output = memory.write(step.output);
    problem.output_pixel_stride = memory.row_stride(step.output, step.shape.out_channels);
    problem.scratch = memory.write(step.scratch);
    problem.finish = bind_finish(memory, step.finish, posts, none);
    return problem;
}

/// The second operand of a product before packing, from element `offset` on.
template <class Memory, class Step>
[[gnu::always_inline]] inline gemm_weights bind_columns(const Memory& memory, const Step& step, std::int64_t offset) {
    gemm_weights weights;
    weights.type = memory.type_of(step.b);
    weights.data = memory.read(step.b) + offset * bytes_of(weights.type);
    weights.k = step.k;
    weights.n = step.n;
    weights.k_stride = step.b_k_stride;
    weights.n_stride = step.b_n_stride;
    weights.zero_points = &step.b_zero_point;
    weights.zero_point_count = step.b_zero_point == 0 ? 0 : 1;
    return weights;
}

/// Calls `run(problem)` for each product, before that `pack(offset)` where the second operand is packed now: from element `offset` on, to
/// the step's scratch memory.
template <class Memory, class Step, class Position, class Pack, class Run>
[[gnu::always_inline]] inline void for_each_product(const Memory& memory, const Step& step, post_operation* posts,
                                                    const Position& none, const Pack& pack, const Run& run) {
    gemm_problem problem;
    problem.m = step.m;
    problem.n = step.n;
    problem.k = step.k;
    problem.a_type = memory.type_of(step.a);
    problem.a_row_stride = memory.row_stride(step.a, step.a_row_stride);
    problem.a_zero_point = step.a_zero_point;
    problem.c_row_stride = memory.row_stride(step.output, step.n);
    std::int64_t packed = -1;
    for (std::int64_t batch = 0; batch < memory.batches(step); ++batch) {
        const std::int64_t first_row = batch * step.m;
        const std::int64_t a_offset = step.a_offsets[static_cast<std::size_t>(batch)];
        const std::int64_t b_offset = step.b_offsets[static_cast<std::size_t>(batch)];
        problem.a = memory.read(step.a) + a_offset * bytes_of(problem.a_type);
        problem.c =
            memory.write(step.output) + first_row * problem.c_row_stride * bytes_of(memory.kind_of(step.finish.type));
        if (step.packed_matrix_bytes != 0) {
            problem.packed_b = static_cast<const std::byte*>(memory.packed(step.weights)) +
                               b_offset * static_cast<std::int64_t>(step.packed_matrix_bytes);
        } else {
            if (packed != b_offset) pack(b_offset);
            packed = b_offset;
            problem.packed_b = memory.read(step.scratch);
        }
        problem.finish = bind_finish(memory, step.finish, posts, none, first_row * step.n);
        run(problem);
    }
}

template <class Memory, class Step, class Position>
[[gnu::always_inline]] inline pool_problem bind_pool(const Memory& memory, const Step& step, post_operation* posts,
                                                     const Position& none) {
    pool_problem problem = step.problem;
    problem.input = memory.read(step.input);
    problem.input_pixel_stride = memory.row_stride(step.input, problem.channels);
    problem.output = memory.write(step.output);
    problem.output_pixel_stride = memory.row_stride(step.output, problem.channels);
    problem.finish = bind_finish(memory, step.finish, posts, none);
    return problem;
}

/// A function of one tensor; `rows` and `channels` are the inner loops.
template <class Memory, class Operand, class Finish, class Position>
[[gnu::always_inline]] inline convert_problem
bind_convert(const Memory& memory, std::int64_t rows, std::int64_t channels, const Operand& input,
             const Operand& output, const Finish& finish, post_operation* posts, const Position& at) {
    convert_problem problem;
    const bound_operand from = memory.strided(input, at, 0);
    const bound_operand to = memory.strided(output, at, 0);
    problem.pixels = rows;
    problem.channels = channels;
    problem.input_type = from.type;
    problem.input = from.data;
    problem.input_layout = {0, from.row_stride, from.channel_stride};
    problem.output = memory.target(output, at);
    problem.output_layout = {0, to.row_stride, to.channel_stride};
    problem.finish = bind_finish(memory, finish, posts, at);
    return problem;
}

/// An operand of a function of two tensors.
template <class Memory, class Operand, class Numbers, class Position>
[[gnu::always_inline]] inline binary_operand bind_operand(const Memory& memory, const Operand& from,
                                                          const Numbers& scales, const Numbers& shifts,
                                                          const Position& at) {
    const bound_operand tensor = memory.strided(from, at, 0);
    const bound_numbers scale = memory.numbers(scales, at);
    const bound_numbers shift = memory.numbers(shifts, at);
    binary_operand result;
    result.type = tensor.type;
    result.data = tensor.data;
    result.row_stride = tensor.row_stride;
    result.channel_stride = tensor.channel_stride;
    result.scale = scale.array;
    result.scale_all = scale.all;
    result.shift = shift.array;
    result.shift_all = shift.all;
    return result;
}

/// A function of two tensors, whose operands are bound.
template <class Memory, class Operand, class Finish, class Position>
[[gnu::always_inline]] inline binary_problem
bind_binary(const Memory& memory, binary_function function, std::int64_t rows, std::int64_t channels,
            const binary_operand& a, const binary_operand& b, const Operand& output, const Finish& finish,
            post_operation* posts, const Position& at) {
    binary_problem problem;
    problem.function = function;
    problem.rows = rows;
    problem.channels = channels;
    problem.a = a;
    problem.b = b;
    problem.output = memory.target(output, at);
    problem.output_row_stride = memory.strided(output, at, 0).row_stride;
    problem.finish = bind_finish(memory, finish, posts, at);
    return problem;
}

template <class Memory, class Operand>
[[gnu::always_inline]] inline lookup_problem bind_lookup(const Memory& memory, const Operand& input,
                                                         const Operand& output, std::int64_t rows, std::int64_t count,
                                                         const std::uint8_t* table) {
    lookup_problem problem;
    problem.input = reinterpret_cast<const std::uint8_t*>(memory.read(input));
    problem.output = reinterpret_cast<std::uint8_t*>(memory.write(output));
    problem.rows = rows;
    problem.count = count;
    problem.input_row_stride = memory.row_stride(input, count);
    problem.output_row_stride = memory.row_stride(output, count);
    problem.table = table;
    return problem;
}

template <class Memory, class Step>
[[gnu::always_inline]] inline transpose_problem bind_transpose(const Memory& memory, const Step& step) {
    transpose_problem problem = step.problem;
    problem.input = memory.read(step.input);
    problem.output = memory.write(step.output);
    return problem;
}

/// A problem that says its fields itself, with the operands of its step.
template <class Memory, class Step>
[[gnu::always_inline]] inline auto bind_problem(const Memory& memory, const Step& step) {
    auto problem = step.problem;
    point_operands(
        problem, [&](int slot) { return memory.read(step.operands[static_cast<std::size_t>(slot)]); },
        [&](int slot) { return memory.write(step.operands[static_cast<std::size_t>(slot)]); });
    return problem;
}

// ---- Without a kernel

/// The parts of an image with a margin around its pixels, in their order: `fill(pixels)` for so many pixels of the margin, `copy()` for a line
/// of the image.
template <class Step, class Fill, class Copy>
[[gnu::always_inline]] inline void for_each_part_of_margin(const Step& step, const Fill& fill, const Copy& copy) {
    const auto inside = [&step](std::int64_t at, int axis) __attribute__((always_inline)) {
        return at >= step.begin[axis] && at < step.begin[axis] + step.in[axis];
    };
    for (std::int64_t n = 0; n < step.batch; ++n) {
        for (std::int64_t d = 0; d < step.out[0]; ++d) {
            for (std::int64_t h = 0; h < step.out[1]; ++h) {
                if (!inside(d, 0) || !inside(h, 1)) {
                    fill(step.out[2]);
                    continue;
                }
                fill(step.begin[2]);
                copy();
                fill(step.out[2] - step.begin[2] - step.in[2]);
            }
        }
    }
}

}  // namespace lpt::inline LPT_ABI::kernel
