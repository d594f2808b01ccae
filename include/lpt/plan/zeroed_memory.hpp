// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/memory.hpp>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>

namespace lpt::inline LPT_ABI::plan {

inline constexpr std::size_t block_alignment = 64;
/// Bytes after each block that a kernel may read, never write.
inline constexpr std::size_t block_slack = 64;

/// Zeroed memory at an address that vectors like, with room behind it that kernels may read. The system gives pages of large blocks
/// when they are touched. Raises a `memory_error` for what cannot be had.
class zeroed_memory {
    struct give_back {
        void operator()(std::byte* memory) const noexcept { std::free(memory); }
    };
    std::unique_ptr<std::byte, give_back> own_;
    std::byte* first_ = nullptr;
    std::size_t size_ = 0;

    static std::byte* take(std::size_t size) {
        constexpr std::size_t beside = block_alignment + block_slack;
        void* result = size > SIZE_MAX - beside ? nullptr : std::calloc(size + beside, 1);
        if (result == nullptr) {
            lpt::detail::raise_no_memory(size);
        }
        return static_cast<std::byte*>(result);
    }

public:
    zeroed_memory() = default;
    explicit zeroed_memory(std::size_t size) : own_(take(size)), size_(size) {
        const auto address = reinterpret_cast<std::uintptr_t>(own_.get());
        first_ = own_.get() + (block_alignment - address % block_alignment) % block_alignment;
    }
    zeroed_memory(zeroed_memory&& other) noexcept
        : own_(std::move(other.own_)),
          first_(std::exchange(other.first_, nullptr)),
          size_(std::exchange(other.size_, 0)) {}
    zeroed_memory& operator=(zeroed_memory&& other) noexcept {
        own_ = std::move(other.own_);
        first_ = std::exchange(other.first_, nullptr);
        size_ = std::exchange(other.size_, 0);
        return *this;
    }
    ~zeroed_memory() = default;

    std::byte* data() const { return first_; }
    std::size_t size() const { return size_; }
    /// Makes it at least so large; what it held is lost if it grows.
    void grow(std::size_t size) {
        if (first_ == nullptr || size > size_) {
            *this = zeroed_memory();
            *this = zeroed_memory(size);
        }
    }
};

}  // namespace lpt::inline LPT_ABI::plan
