// SPDX-License-Identifier: Apache-2.0
// Steps that move bytes from one tensor to another.
#pragma once

#include <lpt/kernel/rows.hpp>
#include <lpt/plan/ids.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lpt::inline LPT_ABI::plan {

/// Rows of a tensor, of pixels or of a matrix, that are parts of wider rows: `length` elements next to each other, and `distance` elements from
/// one row to the next. A tensor without gaps has none.
struct spaced_rows {
    std::int64_t count = 0;
    std::int64_t length = 0;
    std::int64_t distance = 0;

    bool exist() const { return count != 0; }
};

/// Output blocks `to`, `to` + 1, …, `count` of them: the input blocks that begin at elements `from`, `from` + `distance`, …, or filled where
/// `from` is -1.
struct block_run {
    std::int32_t to = 0;
    std::int32_t from = 0;  // elements
    std::int32_t distance = 1;  // elements
    std::int32_t count = 1;
};

/// Blocks of the input's elements in another order: output block i is the input block that begins at element `sources[i]`, or `fill` where that
/// is -1. Where few runs say the same, `runs` stands in its place.
struct gather_step {
    tensor_id input = tensor_id::none;
    tensor_id output = tensor_id::none;
    std::int64_t element_bytes = 1;
    std::int64_t block = 1;  // elements
    std::vector<std::int32_t> sources;
    std::vector<block_run> runs;
    std::vector<std::byte> fill;  // one element
};
/// Where the input block of each output block begins, or -1: `sources`, or what `runs` stand for.
inline std::vector<std::int32_t> sources_of(const gather_step& work) {
    std::vector<std::int32_t> result = work.sources;
    for (const block_run& run : work.runs) {
        for (std::int32_t i = 0; i < run.count; ++i) {
            result.push_back(run.from + i * run.distance);
        }
    }
    return result;
}

/// Blocks of bytes that indices choose: block k of part i of the output is block indices[i / parts_of_batch * count + k] of part i of the
/// input; a negative index counts from the back. Raises an error for one outside.
struct choice_step {
    tensor_id input = tensor_id::none;
    tensor_id indices = tensor_id::none;  // i32 or i64
    tensor_id output = tensor_id::none;
    std::int64_t parts = 1;
    std::int64_t parts_of_batch = 1;
    std::int64_t size = 1;  // blocks of a part of the input
    std::int64_t count = 1;  // indices of a batch
    std::size_t block_bytes = 1;
};

/// A margin around the pixels, of one value a channel; channels innermost.
struct margin_step {
    tensor_id input = tensor_id::none;
    tensor_id output = tensor_id::none;
    std::int64_t batch = 1;
    std::int64_t in[3] = {1, 1, 1};
    std::int64_t begin[3] = {0, 0, 0};
    std::int64_t out[3] = {1, 1, 1};
    std::vector<std::byte> fill;  // one pixel
};

/// Tensors next to each other: input i fills `lengths[i]` bytes of each of `rows` rows of the output.
/// `takes_part`: the only input is a part of each row of a wider tensor, as a Split gives it.
struct concat_step {
    std::vector<tensor_id> inputs;
    std::vector<std::size_t> lengths;
    std::size_t rows = 1;
    bool takes_part = false;
    tensor_id output = tensor_id::none;
};

/// Batches of matrices transposed: a change between the two layouts, or a Transpose of that form.
struct transpose_step {
    kernel::transpose_problem problem;  // without pointers
    tensor_id input = tensor_id::none;
    tensor_id output = tensor_id::none;
};

/// Copies a tensor; into a state that was never written before only when `first_time`.
struct copy_step {
    tensor_id input = tensor_id::none;
    tensor_id output = tensor_id::none;
    bool first_time = false;
    state_id state = state_id::none;  // that is written, or none
};

}  // namespace lpt::inline LPT_ABI::plan
