// SPDX-License-Identifier: Apache-2.0
// Loops over tensors that are repeated along axes of size 1.
#pragma once

#include <lpt/specified/operation.hpp>

namespace lpt::inline LPT_ABI::specified {

/// The shape of a function of tensors: axes are aligned at the end, those of size 1 repeat. Raises an error where sizes do not fit.
inline shape broadcast(const shape& left, const shape& right) {
    const std::size_t rank = std::max(left.rank(), right.rank());
    const shape a = left.padded_left(rank);
    const shape b = right.padded_left(rank);
    shape result = a;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        if (a[axis] != b[axis] && a[axis] != 1 && b[axis] != 1)
            fail({"shapes ", left, " and ", right, " do not fit together"});
        result[axis] = a[axis] == 1 ? b[axis] : a[axis];
    }
    return result;
}

namespace detail {

/// Sizes and steps of `Count` tensors that are walked together; neighbouring axes that all of them walk evenly are one.
template <std::size_t Count>
struct walk {
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> steps[Count];

    void add_axis(std::int64_t size, const std::int64_t* steps_of_axis) {
        bool merges = !sizes.empty();
        for (std::size_t k = 0; k < Count && merges; ++k)
            merges = steps[k].back() == steps_of_axis[k] * size;
        if (merges) {
            sizes.back() *= size;
        } else {
            sizes.push_back(size);
        }
        for (std::size_t k = 0; k < Count; ++k) {
            if (merges) {
                steps[k].back() = steps_of_axis[k];
            } else {
                steps[k].push_back(steps_of_axis[k]);
            }
        }
    }
};

}  // namespace detail

/// Calls `run(first, at, steps, count)` for rows that make up `output`: `count` elements from `first`, of tensor k those from
/// `at[k]` in steps of `steps[k]` (0 or more).
template <std::size_t Count, class Run>
void for_each_row(const shape& output, const shape* const (&tensors)[Count], Run run) {
    detail::walk<Count> walk;
    std::vector<std::int64_t> strides[Count];
    shape padded[Count];
    for (std::size_t k = 0; k < Count; ++k) {
        padded[k] = tensors[k]->padded_left(output.rank());
        strides[k] = strides_of(padded[k]);
    }
    for (std::size_t axis = 0; axis < output.rank(); ++axis) {
        if (output[axis] == 1) continue;
        std::int64_t steps[Count];
        for (std::size_t k = 0; k < Count; ++k)
            steps[k] = padded[k][axis] == 1 ? 0 : strides[k][axis];
        walk.add_axis(output[axis], steps);
    }
    if (walk.sizes.empty()) {
        const std::int64_t ones[Count] = {};
        walk.add_axis(1, ones);
    }
    const std::int64_t count = walk.sizes.back();
    const auto total = static_cast<std::int64_t>(output.elements());
    std::vector<std::int64_t> index(walk.sizes.size(), 0);
    std::int64_t steps[Count];
    for (std::size_t k = 0; k < Count; ++k)
        steps[k] = walk.steps[k].back();
    for (std::int64_t first = 0; first < total; first += count) {
        std::int64_t at[Count] = {};
        for (std::size_t axis = 0; axis + 1 < index.size(); ++axis) {
            for (std::size_t k = 0; k < Count; ++k)
                at[k] += index[axis] * walk.steps[k][axis];
        }
        run(first, at, steps, count);
        for (std::size_t axis = index.size() - 1; axis-- > 0;) {
            if (++index[axis] < walk.sizes[axis]) break;
            index[axis] = 0;
        }
    }
}

/// output[i] = function(a[i], b[i]), broadcast.
template <class Output, class Left, class Right, class Function>
void apply(const operands& run, std::size_t left, std::size_t right, Function function) {
    const value& a = run.in(left);
    const value& b = run.in(right);
    value& output = run.out();
    output.reshape(broadcast(a.dimensions, b.dimensions));
    const Left* of_a = a.as<Left>();
    const Right* of_b = b.as<Right>();
    Output* to = output.to<Output>();
    for_each_row<2>(output.dimensions, {&a.dimensions, &b.dimensions},
                    [&](std::int64_t first, const std::int64_t* at, const std::int64_t* steps, std::int64_t count) {
                        for (std::int64_t i = 0; i < count; ++i)
                            to[first + i] =
                                static_cast<Output>(function(of_a[at[0] + i * steps[0]], of_b[at[1] + i * steps[1]]));
                    });
}

}  // namespace lpt::inline LPT_ABI::specified
