// SPDX-License-Identifier: Apache-2.0
// The memory of the tensors of a network that runs as specified, counted against a limit.
#pragma once

#include <lpt/plan/zeroed_memory.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace lpt::inline LPT_ABI::specified {

/// What the tensors of one network may take together, in bytes.
class memory_budget {
    std::size_t limit_;
    std::size_t taken_ = 0;

public:
    explicit memory_budget(std::size_t limit) : limit_(limit) {}

    /// `old` bytes become `wanted` bytes; raises a `memory_error` with both sizes where that goes beyond the limit.
    void exchange(std::size_t old, std::size_t wanted) {
        const std::size_t others = taken_ - old;
        if (wanted > limit_ - others) {
            lpt::detail::raise_beyond_limit(wanted > SIZE_MAX - others ? SIZE_MAX : others + wanted, limit_);
        }
        taken_ = others + wanted;
    }
    bool has_room(std::size_t more) const { return more <= limit_ - taken_; }
};

/// The elements of a tensor; without a budget nothing is counted. They lie where vectors like them, with room behind that kernels may read.
class value_memory {
    plan::zeroed_memory bytes_;
    std::size_t size_ = 0;
    std::size_t counted_ = 0;
    bool is_borrowed_ = false;
    memory_budget* budget_ = nullptr;

    void count(std::size_t wanted) {
        if (budget_ != nullptr) budget_->exchange(counted_, wanted);
        counted_ = wanted;
    }

public:
    value_memory() = default;
    explicit value_memory(memory_budget* budget) : budget_(budget) {}
    value_memory(value_memory&& other) noexcept
        : bytes_(std::move(other.bytes_)),
          size_(std::exchange(other.size_, 0)),
          counted_(std::exchange(other.counted_, 0)),
          is_borrowed_(std::exchange(other.is_borrowed_, false)),
          budget_(std::exchange(other.budget_, nullptr)) {}
    value_memory& operator=(value_memory&& other) noexcept {
        std::swap(bytes_, other.bytes_);
        std::swap(size_, other.size_);
        std::swap(counted_, other.counted_);
        std::swap(is_borrowed_, other.is_borrowed_);
        std::swap(budget_, other.budget_);
        return *this;
    }
    ~value_memory() { count(0); }

    memory_budget* budget() const { return budget_; }
    std::byte* data() { return bytes_.data(); }
    const std::byte* data() const { return bytes_.data(); }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::byte* begin() { return data(); }
    std::byte* end() { return data() + size_; }
    const std::byte* begin() const { return data(); }
    const std::byte* end() const { return data() + size_; }

    /// Takes bytes that others use at other times, not zeroed; the budget counts them already. Where they do not suffice, it gets its own.
    void borrow(plan::zeroed_memory bytes) {
        bytes_ = std::move(bytes);
        size_ = 0;
        count(0);
        is_borrowed_ = true;
    }

    /// What it held is lost if it grows. Raises a `memory_error` where the budget does not allow so many bytes.
    void resize(std::size_t size) {
        const bool suffices = is_borrowed_ && size <= bytes_.size();
        count(suffices ? 0 : size);
        is_borrowed_ = suffices;
        if (size > bytes_.size()) {
            size_ = 0;  // where there is no memory, it has none
            bytes_.grow(size);
        }
        size_ = size;
    }
};

}  // namespace lpt::inline LPT_ABI::specified
