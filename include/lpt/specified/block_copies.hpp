// SPDX-License-Identifier: Apache-2.0
// Copies of blocks of elements, which are what a movement is for given shapes.
#pragma once

#include <lpt/specified/broadcast.hpp>

#include <memory>

namespace lpt::inline LPT_ABI::specified {

using strides = std::vector<std::int64_t>;

/// A block of elements in two tensors, each of which it crosses in strides of its own, which may be negative.
class block_copy {
    detail::walk<2> walk_;
    std::int64_t size_ = 1;  // bytes of an element
    std::int64_t from_ = 0;  // bytes from the beginnings of the tensors
    std::int64_t to_ = 0;
    std::vector<std::int64_t> index_;
    std::size_t bytes_ = 0;  // of the block, if it is one run of bytes in both tensors

    void copy_row(const std::byte* from, std::byte* to) const {
        const std::int64_t count = walk_.sizes.back();
        const std::int64_t from_step = walk_.steps[0].back(), to_step = walk_.steps[1].back();
        if (from_step == 1 && to_step == 1) {
            std::memcpy(to, from, static_cast<std::size_t>(count * size_));
        } else if (size_ == 1) {
            for (std::int64_t i = 0; i < count; ++i)
                to[i * to_step] = from[i * from_step];
        } else {
            for (std::int64_t i = 0; i < count; ++i)
                std::memcpy(to + i * to_step * size_, from + i * from_step * size_, static_cast<std::size_t>(size_));
        }
    }

public:
    block_copy() = default;
    /// `sizes` elements of `element_size` bytes; `from` and `to` are the first elements.
    block_copy(const shape& sizes, std::int64_t from, const strides& from_steps, std::int64_t to,
               const strides& to_steps, std::size_t element_size)
        : size_(static_cast<std::int64_t>(element_size)), from_(from * size_), to_(to * size_) {
        if (sizes.elements() == 0) return;
        for (std::size_t axis = 0; axis < sizes.rank(); ++axis) {
            const std::int64_t steps[2] = {from_steps[axis], to_steps[axis]};
            if (sizes[axis] != 1) walk_.add_axis(sizes[axis], steps);
        }
        if (walk_.sizes.empty()) {
            const std::int64_t ones[2] = {1, 1};
            walk_.add_axis(1, ones);
        }
        index_.assign(walk_.sizes.size() - 1, 0);
        const bool is_run = index_.empty() && walk_.steps[0][0] == 1 && walk_.steps[1][0] == 1;
        if (is_run) bytes_ = static_cast<std::size_t>(walk_.sizes[0] * size_);
    }

    /// Copies; `from` and `to` are the tensors.
    void run(const std::byte* from, std::byte* to) {
        if (bytes_ != 0) {
            std::memcpy(to + to_, from + from_, bytes_);
            return;
        }
        if (walk_.sizes.empty()) return;
        from += from_;
        to += to_;
        for (bool done = false; !done;) {
            std::int64_t source = 0, target = 0;
            for (std::size_t axis = 0; axis < index_.size(); ++axis) {
                source += index_[axis] * walk_.steps[0][axis];
                target += index_[axis] * walk_.steps[1][axis];
            }
            copy_row(from + source * size_, to + target * size_);
            done = true;
            for (std::size_t axis = index_.size(); axis-- > 0;) {
                if (++index_[axis] < walk_.sizes[axis]) {
                    done = false;
                    break;
                }
                index_[axis] = 0;
            }
        }
    }
    void run(const value& from, value& to) { run(from.data(), to.to<std::byte>()); }
};

/// Copies from inputs to outputs: what a movement is for given shapes.
class block_copies {
    struct placed {
        std::size_t input, output;
        block_copy block;
        const std::byte* from = nullptr;
        std::byte* to = nullptr;
    };
    std::vector<placed> all_;

public:
    void add(std::size_t input, std::size_t output, block_copy block) {
        all_.push_back({input, output, lpt::move(block)});
    }
    /// All outputs have their shapes, and tensors stay where they are.
    void place(const operands& run) {
        for (placed& each : all_) {
            each.from = run.in(each.input).data();
            each.to = run.out(each.output).to<std::byte>();
        }
    }
    void run() {
        for (placed& each : all_)
            each.block.run(each.from, each.to);
    }
};

/// A step that copies. `plan(run, copies)` gives the outputs their shapes and says what goes where; `values` are the inputs whose values it reads.
template <class Plan>
step make_movement(std::vector<std::size_t> values, const Plan& plan) {
    const auto known = std::make_shared<for_shapes<block_copies>>(lpt::move(values));
    return [=](const operands& run) {
        const auto make = [&](block_copies& copies) {
            plan(run, copies);
            copies.place(run);
        };
        known->of(run, make).run();
    };
}

}  // namespace lpt::inline LPT_ABI::specified
