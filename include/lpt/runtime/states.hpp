// SPDX-License-Identifier: Apache-2.0
// Memory, and what lives in it from run to run.
#pragma once

#include <lpt/plan/memory.hpp>

#include <cstring>
#include <deque>
#include <memory>

namespace lpt::runtime {

/// Zeroed memory at an address that vectors like, with room behind it that kernels may read.
class memory_block {
    std::unique_ptr<std::byte[]> own_;
    std::byte* first_ = nullptr;
    std::size_t size_ = 0;

public:
    memory_block() = default;
    explicit memory_block(std::size_t size)
        : own_(new std::byte[size + plan::block_alignment + plan::block_slack]()), size_(size) {
        const auto address = reinterpret_cast<std::uintptr_t>(own_.get());
        first_ = own_.get() + (plan::block_alignment - address % plan::block_alignment) % plan::block_alignment;
    }
    std::byte* data() const { return first_; }
    std::size_t size() const { return size_; }
    /// Makes it at least so large; what it held is lost if it grows.
    void grow(std::size_t size) {
        if (first_ == nullptr || size > size_) {
            *this = memory_block(size);
        }
    }
};

/// A variable of a network (ReadValue, Assign).
struct state_value {
    text name;
    element type = dynamic;
    shape dimensions;
    bool is_set = false;  // Assign wrote it since the last reset
    memory_block bytes;
};

/// The variables of a network and of the bodies inside it.
class state_table {
    std::deque<state_value> values_;  // they do not move

public:
    /// The variable of this name, which is made if there is none.
    state_value& named(text_view name, element type) {
        for (state_value& each : values_) {
            if (each.name == name) {
                return each;
            }
        }
        values_.push_back({text(name), type, {}, false, {}});
        return values_.back();
    }
    const state_value* find(text_view name) const {
        for (const state_value& each : values_) {
            if (each.name == name) {
                return &each;
            }
        }
        return nullptr;
    }
    /// All variables begin anew.
    void reset() {
        for (state_value& each : values_) {
            each.is_set = false;
        }
    }
};

}  // namespace lpt::runtime
