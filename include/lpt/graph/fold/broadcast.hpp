// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/fold/values.hpp>

namespace lpt::inline LPT_ABI::evaluation {

namespace detail {

/// `broadcast_walk` without the number of inputs in its type: compiled once.
class broadcast_rows {
public:
    static constexpr std::size_t most_inputs = 5;

    /// Where a row begins in each input, and whether the input moves along it (1) or stays (0).
    struct row {
        std::size_t output = 0;
        std::size_t length = 0;
        std::size_t at[most_inputs] = {};
        std::size_t step[most_inputs] = {};
    };

private:
    std::size_t inputs_;
    integers sizes_;
    integers strides_[most_inputs];
    std::size_t row_ = 1;
    std::size_t rows_ = 1;

    /// Takes one more axis in, outwards: joined with the last one where all inputs allow it.
    constexpr void add_outer_axis(const std::int64_t (&strides)[most_inputs], dimension size) {
        bool join = !sizes_.empty();
        for (std::size_t input = 0; input < inputs_ && join; ++input) {
            join = strides[input] == strides_[input].back() * sizes_.back();
        }
        if (join) {
            sizes_.back() *= size;
            return;
        }
        sizes_.push_back(size);
        for (std::size_t input = 0; input < inputs_; ++input) {
            strides_[input].push_back(strides[input]);
        }
    }
    static constexpr void reverse(integers& values) {
        for (std::size_t i = 0; i < values.size() / 2; ++i) {
            lpt::detail::swap_values(values[i], values[values.size() - 1 - i]);
        }
    }

    constexpr row first() const {
        row each;
        each.length = row_;
        for (std::size_t input = 0; input < inputs_; ++input) {
            each.step[input] = static_cast<std::size_t>(strides_[input].back());
        }
        return each;
    }
    constexpr void advance(row& each, integers& place) const {
        each.output += row_;
        for (std::size_t axis = sizes_.size() - 1; axis-- > 0;) {
            const bool next = ++place[axis] < sizes_[axis];
            for (std::size_t input = 0; input < inputs_; ++input) {
                const auto stride = static_cast<std::size_t>(strides_[input][axis]);
                each.at[input] += stride;
                if (!next) {
                    each.at[input] -= stride * static_cast<std::size_t>(sizes_[axis]);
                }
            }
            if (next) {
                return;
            }
            place[axis] = 0;
        }
    }

public:
    [[gnu::noinline]] constexpr broadcast_rows(const shape& output, view<const shape*> inputs)
        : inputs_(inputs.size()) {
        const std::size_t rank = output.elements() == 1 ? 0 : output.rank();
        std::int64_t next[most_inputs] = {1, 1, 1, 1, 1};  // the stride of an input's next axis, inside to outside
        for (std::size_t from_right = 1; from_right <= rank; ++from_right) {
            std::int64_t strides[most_inputs] = {};
            for (std::size_t input = 0; input < inputs_; ++input) {
                const shape& mine = *inputs[input];
                const dimension size = from_right <= mine.rank() ? mine[mine.rank() - from_right] : 1;
                strides[input] = size == 1 ? 0 : next[input];
                next[input] *= size;
            }
            if (output[rank - from_right] != 1) {
                add_outer_axis(strides, output[rank - from_right]);
            }
        }
        if (sizes_.size() > 1) {
            reverse(sizes_);
            for (std::size_t input = 0; input < inputs_; ++input) {
                reverse(strides_[input]);
            }
        }
        if (sizes_.empty()) {
            sizes_.push_back(1);
            for (integers& each : strides_) {
                each.push_back(0);
            }
        }
        row_ = static_cast<std::size_t>(sizes_.back());
        for (std::size_t axis = 0; axis + 1 < sizes_.size(); ++axis) {
            rows_ *= static_cast<std::size_t>(sizes_[axis]);
        }
    }

    /// Calls `visit(row)` for each row, in the order of the output.
    template <class Visit>
    constexpr void for_each_row(Visit visit) const {
        row each = first();
        integers place(sizes_.size(), 0);
        for (std::size_t i = 0; i < rows_ && row_ != 0; ++i) {
            visit(each);
            advance(each, place);
        }
    }
};

}  // namespace detail

/// Walks over the elements of an output and of `Inputs` inputs, at most five, that broadcast to it, row by row.
///
/// Axes are joined where all inputs allow it, so that rows are as long as they can be: a constant per channel gives one row a channel.
template <std::size_t Inputs>
class broadcast_walk : public detail::broadcast_rows {
    static_assert(Inputs <= detail::broadcast_rows::most_inputs);

public:
    /// `output` is static; each input, extended by ones at the left, has its sizes or 1.
    constexpr broadcast_walk(const shape& output, const shape* const (&inputs)[Inputs])
        : detail::broadcast_rows(output, inputs) {}
};

}  // namespace lpt::inline LPT_ABI::evaluation
