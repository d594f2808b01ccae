// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/seq.hpp>

namespace lpt {

/// An immutable value with many owners: a copy costs one increment. Owners may live on different threads.
template <class T>
class shared {
    struct block {
        T value;
        std::int32_t owners = 1;
    };
    block* block_ = nullptr;

    constexpr void grab() const noexcept {
        if (block_ == nullptr) {
            return;
        }
        if (std::is_constant_evaluated()) {
            ++block_->owners;
        } else {
            __atomic_fetch_add(&block_->owners, 1, __ATOMIC_RELAXED);
        }
    }
    constexpr void drop() noexcept {
        if (block_ == nullptr) {
            return;
        }
        bool last = false;
        if (std::is_constant_evaluated()) {
            last = --block_->owners == 0;
        } else {
            last = __atomic_fetch_sub(&block_->owners, 1, __ATOMIC_ACQ_REL) == 1;
        }
        if (last) {
            delete block_;
        }
        block_ = nullptr;
    }

public:
    constexpr shared() noexcept = default;
    constexpr explicit shared(T value) : block_(new block{lpt::move(value)}) {}
    constexpr shared(const shared& other) noexcept : block_(other.block_) { grab(); }
    constexpr shared(shared&& other) noexcept : block_(other.block_) { other.block_ = nullptr; }
    constexpr shared& operator=(const shared& other) noexcept {
        shared copy(other);
        detail::swap_values(block_, copy.block_);
        return *this;
    }
    constexpr shared& operator=(shared&& other) noexcept {
        detail::swap_values(block_, other.block_);
        return *this;
    }
    constexpr ~shared() { drop(); }

    constexpr explicit operator bool() const noexcept { return block_ != nullptr; }
    constexpr const T& operator*() const { return block_->value; }
    constexpr const T* operator->() const { return &block_->value; }
    /// True when both are owners of the very same value.
    constexpr bool same(const shared& other) const noexcept { return block_ == other.block_; }
};

}  // namespace lpt
