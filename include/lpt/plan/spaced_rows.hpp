// SPDX-License-Identifier: Apache-2.0
// Which steps read and write tensors whose rows are parts of wider rows.
#pragma once

#include <lpt/plan/loops.hpp>
#include <lpt/plan/places.hpp>
#include <lpt/plan/steps.hpp>

#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

namespace lpt::inline LPT_ABI::plan::detail {

/// Bytes from row to row of what a Concat gives.
inline std::size_t row_bytes_of(const network& net, const concat_step& work) {
    std::size_t dense = 0;
    for (const std::size_t length : work.lengths) {
        dense += length;
    }
    return net[work.output].row_bytes(dense);
}

/// Elementwise kernels take so many elements at a time: to begin shorter rows one by one takes longer than to copy them (bench/README.md).
inline constexpr std::int64_t shortest_elementwise_row = kernel::finish_columns;

/// Tables are looked up in vectors of so many bytes: those of rows of other lengths would not be full.
inline constexpr std::int64_t lookup_row_unit = 64;

inline std::int64_t pixels_of(std::int64_t batch, const std::int64_t (&sizes)[3]) {
    return batch * sizes[0] * sizes[1] * sizes[2];
}

/// Asks a step whether it can read or write `tensor`, all of which these rows are, with gaps between them; a step of another kind cannot.
class row_reader {
    tensor_id tensor_;
    spaced_rows rows_;

    bool is_other(tensor_id operand) const { return operand != tensor_; }
    bool has_rows(std::int64_t count, std::int64_t length) const {
        return count == rows_.count && length == rows_.length;
    }
    bool takes(tensor_id operand, std::int64_t count, std::int64_t length) const {
        return is_other(operand) || has_rows(count, length);
    }
    bool walks_rows(const strided_tensor& operand, std::int64_t length) const {
        return operand.strides.size() == 2 && operand.strides[0] == length && operand.strides[1] == 1;
    }
    bool takes_residuals(const planned_finish& finish, std::int64_t count, std::int64_t length) const {
        return std::ranges::all_of(finish.posts, [&](const planned_post& post) {
            return is_other(post.residual.tensor) || (has_rows(count, length) && walks_rows(post.residual, length));
        });
    }

public:
    row_reader(tensor_id tensor, const spaced_rows& rows) : tensor_(tensor), rows_(rows) {}

    bool operator()(const convolution_step& work) const {
        const kernel::convolution_shape& s = work.shape;
        const std::int64_t pixels = pixels_of(s.batch, s.out);
        return is_other(work.scratch) && is_other(work.computed_weights) && is_other(work.packed) &&
               takes(work.input, pixels_of(s.batch, s.in), s.in_channels) &&
               takes(work.output, pixels, s.out_channels) && takes_residuals(work.finish, pixels, s.out_channels);
    }
    bool operator()(const product_step& work) const {
        return work.a_offsets.size() == 1 && is_other(work.b) && is_other(work.scratch) &&
               (is_other(work.a) || (has_rows(work.m, work.k) && work.a_row_stride == work.k)) &&
               takes(work.output, work.m, work.n) && takes_residuals(work.finish, work.m, work.n);
    }
    bool operator()(const pool_step& work) const {
        const kernel::pool_problem& p = work.problem;
        const std::int64_t pixels = pixels_of(p.batch, p.out);
        return takes(work.input, pixels_of(p.batch, p.in), p.channels) && takes(work.output, pixels, p.channels) &&
               takes_residuals(work.finish, pixels, p.channels);
    }
    bool operator()(const elementwise_step& work) const {
        const bool is_divided = work.sizes.size() == 2 && has_rows(work.sizes[0], work.sizes[1]);
        const bool is_one_row = work.sizes.size() == 2 && work.sizes[0] == 1 &&
                                work.sizes[1] == rows_.count * rows_.length && treats_all_alike(work);
        const auto walks = [&](const strided_tensor& operand) {
            return is_other(operand.tensor) ||
                   (is_divided ? walks_rows(operand, rows_.length) : operand.strides[1] == 1);
        };
        return (is_divided || is_one_row) && rows_.length >= shortest_elementwise_row &&
               std::ranges::all_of(operands_of(work), walks) && walks(work.output);
    }
    bool operator()(const lookup_step& work) const {
        const bool is_one_row = work.rows == 1 && work.count == rows_.count * rows_.length;
        return (is_one_row || has_rows(work.rows, work.count)) && rows_.length % lookup_row_unit == 0;
    }
    bool operator()(const gather_step& work) const { return is_other(work.input) && rows_.length % work.block == 0; }
    bool operator()(const concat_step& work) const { return static_cast<std::int64_t>(work.rows) == rows_.count; }
    template <class Other>
    bool operator()(const Other&) const {
        return false;
    }
};

/// One loop over all elements becomes rows and columns.
inline void divide_loop(elementwise_step& work, const spaced_rows& rows) {
    const auto divide = [&](strided_tensor& operand) {
        if (operand.tensor != tensor_id::none) {
            operand.strides[0] = operand.strides[1] * rows.length;
        }
    };
    work.sizes = {rows.count, rows.length};
    divide(work.operands[0]);
    divide(work.operands[1]);
    divide(work.output);
    for (planned_post& post : work.finish.posts) {
        divide(post.residual);
    }
}

/// Puts the gaps into the strides of steps that have strides of their own; other steps find them with the tensor.
class row_spacer {
    tensor_id tensor_;
    spaced_rows rows_;

    void space(strided_tensor& operand) const {
        if (operand.tensor == tensor_) {
            operand.strides[0] = rows_.distance;
        }
    }
    void space_residuals(planned_finish& finish) const {
        for (planned_post& post : finish.posts) {
            space(post.residual);
        }
    }

public:
    row_spacer(tensor_id tensor, const spaced_rows& rows) : tensor_(tensor), rows_(rows) {}

    void operator()(elementwise_step& work) const {
        if (work.sizes[0] == 1) {
            divide_loop(work, rows_);
        }
        space(work.operands[0]);
        space(work.operands[1]);
        space(work.output);
        space_residuals(work.finish);
    }
    void operator()(lookup_step& work) const {
        work.rows = rows_.count;
        work.count = rows_.length;
    }
    template <class Other>
    void operator()(Other& work) const {
        if constexpr (requires { work.finish; }) {
            space_residuals(work.finish);
        }
    }
};

/// True if a step can read and write a tensor, all of which these rows are, with gaps between them.
inline bool can_space(const step& each, tensor_id tensor, const spaced_rows& rows) {
    return std::visit(row_reader(tensor, rows), each.work);
}
inline void space(step& each, tensor_id tensor, const spaced_rows& rows) {
    std::visit(row_spacer(tensor, rows), each.work);
}

}  // namespace lpt::inline LPT_ABI::plan::detail
