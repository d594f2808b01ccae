// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/plan/large_pages.hpp>

#include <cstdint>
#include <cstdlib>
#include <utility>

namespace lpt::inline LPT_ABI::plan {

inline constexpr std::size_t block_alignment = 64;
/// Bytes after each block that a kernel may read, never write.
inline constexpr std::size_t block_slack = 64;

/// Zeroed memory at an address that vectors like, with room behind it that kernels may read. The system gives pages of large blocks
/// when they are touched, large ones where it has them. Raises a `memory_error` for what cannot be had.
class zeroed_memory {
    struct give_back {
        std::shared_ptr<std::byte> chunk;  // the block is a part of it; null: it stands alone
        void operator()(std::byte* memory) const noexcept {
            if (!chunk) {
                std::free(memory);
            }
        }
    };
    static constexpr std::size_t large_size = std::size_t{4} << 20;  // from here on a block has pages of its own

    std::unique_ptr<std::byte, give_back> own_;
    std::byte* first_ = nullptr;
    std::size_t size_ = 0;

    static std::unique_ptr<std::byte, give_back> take(std::size_t size) {
        constexpr std::size_t beside = block_alignment + block_slack;
        if (size >= large_size && size <= SIZE_MAX / 2) {
            if (std::shared_ptr<std::byte> pages = detail::large_pages(size + block_slack)) {
                std::byte* const first = pages.get();
                return {first, give_back{std::move(pages)}};
            }
        }
        void* result = size > SIZE_MAX - beside ? nullptr : std::calloc(size + beside, 1);
        if (result == nullptr) {
            lpt::detail::raise_no_memory(size);
        }
        return {static_cast<std::byte*>(result), give_back{}};
    }

public:
    zeroed_memory() = default;
    explicit zeroed_memory(std::size_t size) : own_(take(size)), size_(size) {
        const auto address = reinterpret_cast<std::uintptr_t>(own_.get());
        first_ = own_.get() + (block_alignment - address % block_alignment) % block_alignment;
    }
    /// `size` bytes at `first`, zeroed and aligned, with their room behind them, of a chunk that is kept as long.
    zeroed_memory(std::byte* first, std::size_t size, std::shared_ptr<std::byte> chunk)
        : own_(first, give_back{std::move(chunk)}), first_(first), size_(size) {}
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

/// Many blocks next to each other, so that they share large pages; a chunk lives as long as one of its blocks.
class zeroed_blocks {
    static constexpr std::size_t alone_at_first = std::size_t{1}
                                                  << 20;  // so many bytes, which large pages would not pay for
    static constexpr std::size_t chunk_size = std::size_t{32}
                                              << 20;  // of addresses; memory is given when it is touched
    std::shared_ptr<std::byte> chunk_;
    std::size_t left_ = 0;
    std::byte* next_ = nullptr;
    std::size_t alone_ = 0;

public:
    /// Raises a `memory_error` for what cannot be had.
    zeroed_memory take(std::size_t size) {
        const std::size_t needed = (size / block_alignment + 1) * block_alignment + block_slack;
        if (alone_ < alone_at_first || size > chunk_size / 2) {
            alone_ += size < alone_at_first ? size : alone_at_first;
            return zeroed_memory(size);
        }
        if (needed > left_) {
            chunk_ = detail::large_pages(chunk_size);
            left_ = chunk_ ? chunk_size : 0;
            next_ = chunk_.get();
        }
        if (!chunk_) {
            return zeroed_memory(size);
        }
        zeroed_memory result(next_, size, chunk_);
        next_ += needed;
        left_ -= needed;
        return result;
    }
};

}  // namespace lpt::inline LPT_ABI::plan
