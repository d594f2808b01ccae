// SPDX-License-Identifier: Apache-2.0
// How steps walk operands whose rows are moved apart.
#pragma once

#include <lpt/plan/loops.hpp>
#include <lpt/plan/spaced_strides.hpp>
#include <lpt/plan/steps.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lpt::inline LPT_ABI::plan::detail {

/// Where rows of `length` elements lie if a tensor is these rows; no rows if they do not go into them.
inline kernel::row_layout places_in(const spaced_rows& rows, std::int64_t length) {
    return length > 0 && rows.length % length == 0 ? kernel::row_layout{rows.length / length, rows.distance}
                                                   : kernel::row_layout();
}

/// The same rows counted in elements of `other_bytes`; none if a row or a gap is no whole number of them.
inline spaced_rows in_elements_of(const spaced_rows& rows, std::int64_t bytes, std::int64_t other_bytes) {
    if (rows.length * bytes % other_bytes != 0 || rows.distance * bytes % other_bytes != 0) {
        return {};
    }
    return {rows.count, rows.length * bytes / other_bytes, rows.distance * bytes / other_bytes};
}

/// True if an elementwise step has one loop over all elements of these rows, which can be divided.
inline bool is_one_loop(const elementwise_step& work, const spaced_rows& rows) {
    return work.sizes.size() == 2 && work.sizes[0] == 1 && work.sizes[1] == rows.count * rows.length &&
           treats_all_alike(work);
}

/// `count` loops over an operand.
inline std::vector<loop_axis> axes_of(std::int64_t count, const std::int64_t* sizes, const std::int64_t* strides) {
    std::vector<loop_axis> result;
    for (std::int64_t axis = 0; axis < count; ++axis) {
        result.push_back({sizes[axis], strides[axis]});
    }
    return result;
}

/// How an attention walks one of its operands.
struct attention_operand {
    std::int64_t unit = 0;  // elements side by side; 0: it is no matrix of heads
    std::int64_t rows = 0;
    std::int64_t* row_stride = nullptr;
    std::int64_t* head_strides = nullptr;

    attention_operand(kernel::attention_problem& p, std::size_t slot) {
        const auto set = [&](std::int64_t width, std::int64_t count, std::int64_t& stride, std::int64_t* strides) {
            unit = width;
            rows = count;
            row_stride = &stride;
            head_strides = strides;
        };
        if (slot == kernel::slot_of(p, p.query)) {
            set(p.depth, p.queries, p.queries_at.row_stride, p.queries_at.strides);
        } else if (slot == kernel::slot_of(p, p.key)) {
            set(p.depth, p.keys, p.keys_at.row_stride, p.keys_at.strides);
        } else if (slot == kernel::slot_of(p, p.value)) {
            set(p.width, p.keys, p.values_at.row_stride, p.values_at.strides);
        } else if (slot == kernel::slot_of(p, p.output)) {
            set(p.width, p.queries, p.output_row_stride, p.output_strides);
        }
    }
    std::vector<loop_axis> axes(const kernel::attention_problem& p) const {
        std::vector<loop_axis> result = axes_of(p.head_axes, p.heads, head_strides);
        result.push_back({rows, *row_stride});
        return result;
    }
};

/// The strides of an operand that a pointwise kernel reads; null for its output.
inline std::int64_t* strides_of_operand(kernel::pointwise_problem& p, std::size_t slot) {
    return slot == kernel::slot_of(p, p.condition) ? p.condition_strides
           : slot == kernel::slot_of(p, p.a)       ? p.a_strides
           : slot == kernel::slot_of(p, p.b)       ? p.b_strides
                                                   : nullptr;
}

/// A step whose one loop over all elements becomes rows and columns; others stay as they are.
inline kernel_step<kernel::cast_problem> divided(kernel_step<kernel::cast_problem> work, const spaced_rows& rows) {
    kernel::cast_problem& p = work.problem;
    if (p.rows == 1 && p.count == rows.count * rows.length) {
        p.rows = rows.count;
        p.count = rows.length;
    }
    return work;
}
inline kernel_step<kernel::pointwise_problem> divided(kernel_step<kernel::pointwise_problem> work,
                                                      const spaced_rows& rows) {
    kernel::pointwise_problem& p = work.problem;
    if (p.count == 2 && p.sizes[0] == 1 && p.sizes[1] == rows.count * rows.length) {
        p.sizes[0] = rows.count;
        p.sizes[1] = rows.length;
        for (std::int64_t* const strides : {p.condition_strides, p.a_strides, p.b_strides}) {
            strides[0] = strides[1] * rows.length;
        }
    }
    return work;
}

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

}  // namespace lpt::inline LPT_ABI::plan::detail
