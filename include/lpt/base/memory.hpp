// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>

namespace lpt::detail {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool keeps_small_memory = false;
#elif defined(__has_feature)
inline constexpr bool keeps_small_memory = !__has_feature(address_sanitizer);
#else
inline constexpr bool keeps_small_memory = true;
#endif

/// The size of the blocks in which graphs keep their nodes, in bytes.
inline constexpr std::size_t large_block = std::size_t{16} << 10;

/// Small blocks of memory that a thread gave back, kept for its next ones: a rewrite makes and removes nodes all the time, and
/// the system's allocator takes ten times as long. Not where a sanitizer watches memory.
///
/// Blocks of up to 512 bytes and of 16 KiB, 8 MiB of them at most; what is more, and all of them when the thread ends, goes back
/// to the system.
class small_memory {
    struct block {
        block* next;
    };
    static constexpr std::size_t step = 16;
    static constexpr std::size_t largest = 512;
    static constexpr std::size_t most_kept = std::size_t{8} << 20;

    block* kept_[largest / step + 2];  // the last one: large blocks
    std::size_t room_;  // bytes that may still be kept; 0 before the first one
    bool watched_;  // there is somebody who gives them back at the end of the thread

    struct watch {
        small_memory& kept;
        explicit watch(small_memory& mine) : kept(mine) {}
        watch(const watch&) = delete;
        watch& operator=(const watch&) = delete;
        ~watch() { kept.give_all_back(); }
    };

    void give_all_back() noexcept {
        for (block*& first : kept_) {
            while (first != nullptr) {
                block* const next = first->next;
                ::operator delete(first);
                first = next;
            }
        }
        room_ = 0;
    }
    [[gnu::noinline, gnu::cold]] static void give_back_beyond_room(small_memory& mine, void* memory) noexcept {
        if (!mine.watched_) {
            mine.watched_ = true;
            static thread_local watch end_of_thread(mine);
            mine.room_ = most_kept;
        }
        ::operator delete(memory);
    }
    static constexpr std::size_t number(std::size_t size) { return (size + step - 1) / step; }
    static constexpr std::size_t number_of_large = largest / step + 1;

public:
    void* take(std::size_t size) {
        const std::size_t which = number(size);
        if (size <= largest && kept_[which] != nullptr) {
            block* const first = kept_[which];
            kept_[which] = first->next;
            room_ += which * step;
            return first;
        }
        return ::operator new(size <= largest ? which * step : size);
    }
    void* take_large() {
        block* const first = kept_[number_of_large];
        if (first == nullptr) {
            return ::operator new(large_block);
        }
        kept_[number_of_large] = first->next;
        room_ += large_block;
        return first;
    }
    void give_large_back(void* memory) noexcept {
        if (room_ < large_block) {
            return give_back_beyond_room(*this, memory);
        }
        kept_[number_of_large] = ::new (memory) block{kept_[number_of_large]};
        room_ -= large_block;
    }
    void give_back(void* memory, std::size_t size) noexcept {
        const std::size_t which = number(size);
        if (size > largest || room_ < which * step) {
            return size > largest ? ::operator delete(memory) : give_back_beyond_room(*this, memory);
        }
        kept_[which] = ::new (memory) block{kept_[which]};
        room_ -= which * step;
    }
};
inline thread_local constinit small_memory kept_memory{};

inline void* take_memory(std::size_t size) {
    if constexpr (keeps_small_memory) {
        return kept_memory.take(size);
    } else {
        return ::operator new(size);
    }
}
inline void give_memory(void* memory, [[maybe_unused]] std::size_t size) noexcept {
    if constexpr (keeps_small_memory) {
        kept_memory.give_back(memory, size);
    } else {
        ::operator delete(memory);
    }
}

inline void* take_large_block() {
    if constexpr (keeps_small_memory) {
        return kept_memory.take_large();
    } else {
        return ::operator new(large_block);
    }
}
inline void give_large_block(void* memory) noexcept {
    if constexpr (keeps_small_memory) {
        kept_memory.give_large_back(memory);
    } else {
        ::operator delete(memory);
    }
}

}  // namespace lpt::detail
