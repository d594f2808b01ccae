// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/platform.hpp>
#include <lpt/base/seq.hpp>
#include <lpt/base/traits.hpp>

namespace lpt::inline LPT_ABI {

namespace detail {

// Counts of owners, who may live on different threads.
constexpr void add_owner(std::int32_t& owners) noexcept {
    if (lpt::is_constant_evaluated() || has_one_thread()) {
        ++owners;
    } else {
        __atomic_fetch_add(&owners, 1, __ATOMIC_RELAXED);
    }
}
constexpr bool is_only_owner(const std::int32_t& owners) noexcept {
    if (lpt::is_constant_evaluated()) {
        return owners == 1;
    }
    return __atomic_load_n(&owners, __ATOMIC_ACQUIRE) == 1;
}
/// Takes an owner away; true if it was the last one.
constexpr bool was_last_owner(std::int32_t& owners) noexcept {
    if (lpt::is_constant_evaluated() || has_one_thread()) {
        return --owners == 0;
    }
    // The only owner need not say so to others.
    return is_only_owner(owners) || __atomic_fetch_sub(&owners, 1, __ATOMIC_ACQ_REL) == 1;
}

}  // namespace detail

/// An immutable value with many owners: a copy costs one increment. Owners may live on different threads.
template <class T>
class shared {
    struct block {
        T value;
        std::int32_t owners = 1;
    };
    block* block_ = nullptr;

    static block* in_pool(T& value) { return ::new (detail::take_memory(sizeof(block))) block{lpt::move(value)}; }
    constexpr void drop() noexcept {
        if (block_ != nullptr && detail::was_last_owner(block_->owners)) {
            if (lpt::is_constant_evaluated()) {
                delete block_;
            } else {
                block_->~block();
                detail::give_memory(block_, sizeof(block));
            }
        }
        block_ = nullptr;
    }

public:
    constexpr shared() noexcept = default;
    constexpr explicit shared(T value)
        : block_(lpt::is_constant_evaluated() ? new block{lpt::move(value)} : in_pool(value)) {}
    constexpr shared(const shared& other) noexcept : block_(other.block_) {
        if (block_ != nullptr) {
            detail::add_owner(block_->owners);
        }
    }
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
    constexpr ~shared() {
        if (block_ != nullptr) {  // what was moved from has none: no call then
            drop();
        }
    }

    constexpr explicit operator bool() const noexcept { return block_ != nullptr; }
    constexpr const T& operator*() const { return block_->value; }
    constexpr const T* operator->() const { return &block_->value; }
    /// True when both are owners of the very same value.
    constexpr bool same(const shared& other) const noexcept { return block_ == other.block_; }
};

}  // namespace lpt::inline LPT_ABI
