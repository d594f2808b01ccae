// SPDX-License-Identifier: Apache-2.0
// Which steps read and write tensors whose rows are parts of wider rows.
//
// Convolutions, products, pooling, tables, and gathers and choices that write, find the gaps with the tensor (`stored_tensor::rows`). All others
// have them in themselves: in strides, in places, or in the `row_layout`s of their problem.
#pragma once

#include <lpt/plan/places.hpp>
#include <lpt/plan/spaced_operands.hpp>
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

/// Conversions and pointwise functions take 128 numbers at a time: rows of fewer than four times as many leave too many of them part empty.
inline constexpr std::int64_t shortest_pointwise_row = 512;

/// Lookups take 64 bytes at a time; rows of other lengths would leave vectors part empty.
inline constexpr std::int64_t lookup_row_unit = 64;

inline std::int64_t pixels_of(std::int64_t batch, const std::int64_t (&sizes)[3]) {
    return batch * sizes[0] * sizes[1] * sizes[2];
}

/// Gathers keep the places of their blocks in 32 bits.
inline constexpr std::int64_t most_gathered_elements = 0x7FFFFFF0;

/// Whether a step can read or write `tensor` when it lies as these rows, with gaps between them. Steps without a function here cannot.
class row_reader {
    tensor_id tensor_;
    spaced_rows rows_;
    std::int64_t element_bytes_;

    bool is_other(tensor_id operand) const { return operand != tensor_; }
    bool has_rows(std::int64_t count, std::int64_t length) const {
        return count == rows_.count && length == rows_.length;
    }
    bool takes(tensor_id operand, std::int64_t count, std::int64_t length) const {
        return is_other(operand) || has_rows(count, length);
    }
    /// For kernels with a `row_layout`: rows of `length` elements, of which `alike` one behind the other must be equally far apart.
    bool takes_places(std::int64_t length, std::int64_t alike) const {
        const std::int64_t together = places_in(rows_, length).together;
        return together != 0 && (together == 1 || together % alike == 0);
    }
    bool walks_rows(const strided_tensor& operand, std::int64_t length) const {
        return operand.strides.size() == 2 && operand.strides[0] == length && operand.strides[1] == 1;
    }
    bool fits(const elementwise_step& work, const strided_tensor& operand) const {
        const auto count = static_cast<std::int64_t>(work.sizes.size());
        return spaced_strides(rows_).fit(axes_of(count, work.sizes.data(), operand.strides.data()), 1);
    }
    bool takes_residuals(const planned_finish& finish, std::int64_t count, std::int64_t length) const {
        return std::ranges::all_of(finish.posts, [&](const planned_post& post) {
            return is_other(post.residual.tensor) || (has_rows(count, length) && walks_rows(post.residual, length));
        });
    }
    /// True if each operand that is this tensor can have gaps: by its `row_layout`, or where `has_gaps(slot)` says so.
    template <class Problem, class HasGaps>
    bool takes_operands(const kernel_step<Problem>& work, const HasGaps& has_gaps) const {
        std::vector<bool> taken;
        for (const tensor_id operand : work.operands) {
            taken.push_back(is_other(operand));
        }
        for_each_spaced(work.problem, [&](std::size_t slot, const auto&, std::int64_t length, std::int64_t alike) {
            taken[slot] = taken[slot] || takes_places(length, alike);
        });
        for (std::size_t slot = 0; slot < taken.size(); ++slot) {
            if (!taken[slot] && !has_gaps(slot)) {
                return false;
            }
        }
        return true;
    }

public:
    row_reader(tensor_id tensor, const spaced_rows& rows, std::int64_t element_bytes)
        : tensor_(tensor), rows_(rows), element_bytes_(element_bytes) {}

    bool operator()(const convolution_step& work) const {
        const kernel::convolution_shape& s = work.shape;
        const std::int64_t pixels = pixels_of(s.batch, s.out);
        return is_other(work.scratch) && is_other(work.computed_weights) && is_other(work.packed) &&
               takes(work.input, pixels_of(s.batch, s.in), s.in_channels) &&
               takes(work.output, pixels, s.out_channels) && takes_residuals(work.finish, pixels, s.out_channels);
    }
    bool operator()(const product_step& work) const {
        const auto batches = static_cast<std::int64_t>(work.a_offsets.size());
        const spaced_strides strides(rows_);
        const bool takes_a =
            is_other(work.a) || (work.a_row_stride == rows_.length &&
                                 strides.fit_at(work.a_offsets, {{work.m, work.a_row_stride}}, work.k));
        const bool takes_b = is_other(work.b) ||
                             strides.fit_at(work.b_offsets, {{work.k, work.b_k_stride}, {work.n, work.b_n_stride}}, 1);
        return is_other(work.scratch) && takes_a && takes_b && takes(work.output, batches * work.m, work.n) &&
               takes_residuals(work.finish, work.m, work.n);
    }
    bool operator()(const pool_step& work) const {
        const kernel::pool_problem& p = work.problem;
        const std::int64_t pixels = pixels_of(p.batch, p.out);
        return takes(work.input, pixels_of(p.batch, p.in), p.channels) && takes(work.output, pixels, p.channels) &&
               takes_residuals(work.finish, pixels, p.channels);
    }
    bool operator()(const elementwise_step& work) const {
        const auto walks = [&](const strided_tensor& operand) {
            return is_other(operand.tensor) ||
                   (is_one_loop(work, rows_) ? operand.strides[1] == 1 : fits(work, operand));
        };
        return rows_.length >= shortest_elementwise_row && std::ranges::all_of(operands_of(work), walks) &&
               walks(work.output);
    }
    bool operator()(const lookup_step& work) const {
        const bool is_one_row = work.rows == 1 && work.count == rows_.count * rows_.length;
        return (is_one_row || has_rows(work.rows, work.count)) && rows_.length % lookup_row_unit == 0;
    }
    bool operator()(const gather_step& work) const {
        return rows_.length % work.block == 0 &&
               (is_other(work.input) || rows_.count * rows_.distance <= most_gathered_elements);
    }
    bool operator()(const choice_step& work) const {
        const auto block = static_cast<std::int64_t>(work.block_bytes);
        return is_other(work.input) && is_other(work.indices) && rows_.length * element_bytes_ % block == 0;
    }
    bool operator()(const concat_step& work) const { return static_cast<std::int64_t>(work.rows) == rows_.count; }
    bool operator()(const transpose_step& work) const {
        const kernel::transpose_problem& p = work.problem;
        const spaced_rows rows = in_elements_of(rows_, element_bytes_, p.element_bytes);
        const row_reader reader(tensor_, rows, p.element_bytes);
        return rows.exist() && (is_other(work.input) || reader.takes_places(p.columns, p.rows)) &&
               (is_other(work.output) || reader.takes_places(p.rows, p.columns));
    }
    bool operator()(const kernel_step<kernel::attention_problem>& work) const {
        return takes_operands(work, [&](std::size_t slot) {
            kernel::attention_problem problem = work.problem;
            const attention_operand operand(problem, slot);
            return operand.unit != 0 && spaced_strides(rows_).fit(operand.axes(problem), operand.unit);
        });
    }
    bool operator()(const kernel_step<kernel::reduction_problem>& work) const {
        kernel::reduction_problem problem = work.problem;
        return takes_operands(work, [&](std::size_t slot) {
            return slot == kernel::slot_of(problem, problem.input) &&
                   spaced_strides(rows_).divide(problem.kept, problem.reduced);
        });
    }
    bool operator()(const kernel_step<kernel::cast_problem>& work) const {
        return rows_.length >= shortest_pointwise_row &&
               takes_operands(divided(work, rows_), [](std::size_t) { return false; });
    }
    bool operator()(const kernel_step<kernel::pointwise_problem>& work) const {
        const kernel_step<kernel::pointwise_problem> loops = divided(work, rows_);
        const bool is_divided = loops.problem.sizes[0] != work.problem.sizes[0];
        return rows_.length >= (is_divided ? shortest_pointwise_row : 2) &&
               takes_operands(loops, [&](std::size_t slot) {
                   kernel::pointwise_problem problem = loops.problem;
                   const std::int64_t* const strides = strides_of_operand(problem, slot);
                   return strides != nullptr &&
                          spaced_strides(rows_).fit(axes_of(problem.count, problem.sizes, strides), 1);
               });
    }
    template <class Problem>
    bool operator()(const kernel_step<Problem>& work) const {
        return takes_operands(work, [](std::size_t) { return false; });
    }
    template <class Other>
    bool operator()(const Other&) const {
        return false;
    }
};

/// Puts the gaps into the strides of steps that have strides of their own; other steps find them with the tensor.
class row_spacer {
    tensor_id tensor_;
    spaced_rows rows_;
    std::int64_t element_bytes_;

    bool is_mine(tensor_id operand) const { return operand == tensor_; }
    void space_all(std::int64_t* strides, std::int64_t count) const {
        for (std::int64_t i = 0; i < count; ++i) {
            strides[i] = spaced_strides(rows_)(strides[i]);
        }
    }
    void space(std::vector<std::int64_t>& strides) const {
        space_all(strides.data(), static_cast<std::int64_t>(strides.size()));
    }
    void space(strided_tensor& operand) const {
        if (is_mine(operand.tensor)) {
            space(operand.strides);
        }
    }
    void space_residuals(planned_finish& finish) const {
        for (planned_post& post : finish.posts) {
            space(post.residual);
        }
    }
    template <class Problem>
    void space_operands(kernel_step<Problem>& work) const {
        for_each_spaced(work.problem, [&](std::size_t slot, auto& places, std::int64_t length, std::int64_t) {
            if (is_mine(work.operands[slot])) {
                places = places_in(rows_, length);
            }
        });
    }
    template <class Problem, class Space>
    void space_slots(const kernel_step<Problem>& work, const Space& space_slot) const {
        for (std::size_t slot = 0; slot < work.operands.size(); ++slot) {
            if (is_mine(work.operands[slot])) {
                space_slot(slot);
            }
        }
    }

public:
    row_spacer(tensor_id tensor, const spaced_rows& rows, std::int64_t element_bytes)
        : tensor_(tensor), rows_(rows), element_bytes_(element_bytes) {}

    void operator()(product_step& work) const {
        const spaced_strides strides(rows_);
        if (is_mine(work.a)) {
            space(work.a_offsets);
        }
        if (is_mine(work.b)) {
            work.b_k_stride = strides(work.b_k_stride);
            work.b_n_stride = strides(work.b_n_stride);
            space(work.b_offsets);
        }
        space_residuals(work.finish);
    }
    void operator()(elementwise_step& work) const {
        if (is_one_loop(work, rows_)) {
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
    void operator()(gather_step& work) const {
        if (is_mine(work.input)) {
            std::vector<std::int32_t> sources = sources_of(work);
            for (std::int32_t& place : sources) {
                place = place < 0 ? place : static_cast<std::int32_t>(spaced_strides(rows_)(place));
            }
            set_sources(work, std::move(sources));
        }
    }
    void operator()(transpose_step& work) const {
        kernel::transpose_problem& p = work.problem;
        const spaced_rows rows = in_elements_of(rows_, element_bytes_, p.element_bytes);
        if (is_mine(work.input)) {
            p.input_rows = places_in(rows, p.columns);
        }
        if (is_mine(work.output)) {
            p.output_rows = places_in(rows, p.rows);
        }
    }
    void operator()(kernel_step<kernel::attention_problem>& work) const {
        space_slots(work, [&](std::size_t slot) {
            const attention_operand operand(work.problem, slot);
            *operand.row_stride = spaced_strides(rows_)(*operand.row_stride);
            space_all(operand.head_strides, work.problem.head_axes);
        });
    }
    void operator()(kernel_step<kernel::reduction_problem>& work) const {
        space_operands(work);
        if (is_mine(work.operands[kernel::slot_of(work.problem, work.problem.input)])) {
            const std::int64_t row = work.problem.kept.dense_row();
            spaced_strides(rows_).divide(work.problem.kept, work.problem.reduced);
            work.problem.output_rows.together *=
                row / work.problem.kept.dense_row();  // rows of the output become shorter
        }
    }
    void operator()(kernel_step<kernel::cast_problem>& work) const {
        work = divided(work, rows_);
        space_operands(work);
    }
    void operator()(kernel_step<kernel::pointwise_problem>& work) const {
        work = divided(work, rows_);
        space_operands(work);
        space_slots(work, [&](std::size_t slot) {
            if (std::int64_t* const strides = strides_of_operand(work.problem, slot)) {
                space_all(strides, work.problem.count);
            }
        });
    }
    template <class Problem>
    void operator()(kernel_step<Problem>& work) const {
        space_operands(work);
    }
    template <class Other>
    void operator()(Other& work) const {
        if constexpr (requires { work.finish; }) {
            space_residuals(work.finish);
        }
    }
};

/// True if a step can read and write a tensor that lies as these rows. `element_bytes`: of the tensor, since some steps count in other elements.
inline bool can_space(const step& each, tensor_id tensor, const spaced_rows& rows, std::int64_t element_bytes) {
    return std::visit(row_reader(tensor, rows, element_bytes), each.work);
}
inline void space(step& each, tensor_id tensor, const spaced_rows& rows, std::int64_t element_bytes) {
    std::visit(row_spacer(tensor, rows, element_bytes), each.work);
}

}  // namespace lpt::inline LPT_ABI::plan::detail
