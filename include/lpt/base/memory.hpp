// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/failure.hpp>

#include <cstddef>
#include <new>

namespace lpt::inline LPT_ABI {

/// Memory that cannot be had, or not within a limit that the user set: `what()` says how much it would have been. Who works on an
/// operation makes it an `lpt::error` that names the operation (`detail::naming_memory`).
class memory_error : public std::bad_alloc {
    char words_[96] = {};
    std::size_t length_ = 0;

    constexpr void write(const char* words) {
        while (*words != 0 && length_ + 1 < sizeof words_) {
            words_[length_++] = *words++;
        }
    }
    constexpr void write_number(std::size_t value) {
        char digits[24] = {};
        std::size_t first = sizeof digits - 1;
        do {
            digits[--first] = static_cast<char>('0' + value % 10);
            value /= 10;
        } while (value != 0);
        write(digits + first);
    }
    /// `17 bytes`, `1.5 GiB`
    constexpr void write_size(std::size_t bytes) {
        constexpr const char* units[] = {" bytes", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
        std::size_t unit = 0;
        std::size_t rest = 0;
        for (; bytes >= 1024; bytes /= 1024, ++unit) {
            rest = bytes % 1024;
        }
        write_number(bytes);
        if (unit != 0) {
            write(".");
            write_number(rest * 10 / 1024);
        }
        write(units[unit]);
    }

public:
    explicit memory_error(std::size_t bytes) noexcept {
        write_size(bytes);
        write(" of memory cannot be allocated");
    }
    memory_error(std::size_t bytes, std::size_t limit) noexcept {
        write_size(bytes);
        write(" of memory would be needed, and the limit is ");
        write_size(limit);
    }
    const char* what() const noexcept override { return words_; }
};

}  // namespace lpt::inline LPT_ABI

namespace lpt::inline LPT_ABI::detail {

#if LPT_THROWS
[[noreturn, gnu::cold, gnu::noinline]] inline void raise_no_memory(std::size_t bytes) { throw memory_error(bytes); }
[[noreturn, gnu::cold, gnu::noinline]] inline void raise_beyond_limit(std::size_t bytes, std::size_t limit) {
    throw memory_error(bytes, limit);
}
#else
[[noreturn, gnu::cold, gnu::noinline]] inline void raise_no_memory(std::size_t bytes) {
    end_with(memory_error(bytes).what());
}
[[noreturn, gnu::cold, gnu::noinline]] inline void raise_beyond_limit(std::size_t bytes, std::size_t limit) {
    end_with(memory_error(bytes, limit).what());
}
#endif

/// Memory of the system for large blocks; raises a `memory_error`.
inline void* take_large_memory(std::size_t size) {
    void* const result = ::operator new(size, std::nothrow);
    if (result == nullptr) {
        raise_no_memory(size);
    }
    return result;
}

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
/// Blocks of up to 16 KiB, 8 MiB of them at most; what is more, and all of them when the thread ends, goes back to the system.
/// Sizes are rounded up: to 16 bytes up to 512, beyond it to one of four steps to the next power of two.
class small_memory {
    struct block {
        block* next;
    };
    static constexpr std::size_t step = 16;
    static constexpr std::size_t finest = 512;  // up to here sizes are multiples of `step`
    static constexpr std::size_t largest = large_block;
    static constexpr std::size_t most_kept = std::size_t{8} << 20;

    static constexpr std::size_t numbers = finest / step + 1 + 4 * 5;
    static_assert(finest << 5 == largest);

    block* kept_[numbers];
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
    /// A number for all sizes that are rounded up alike, and what they are rounded up to.
    struct size_class {
        std::size_t number;
        std::size_t size;
    };
    static constexpr size_class class_of(std::size_t size) {
        if (size <= finest) [[likely]] {
            const std::size_t number = (size + step - 1) / step;
            return {number, number * step};
        }
        const auto doublings =
            static_cast<std::size_t>(__builtin_clzll(finest - 1) - __builtin_clzll(size - 1));  // 1 to 5
        const std::size_t wide = finest / 8 << doublings;  // a fourth of the power of two below
        const std::size_t count = (size + wide - 1) / wide;  // 5 to 8
        return {finest / step + 4 * doublings + count - 8, count * wide};
    }
    void* take(size_class of) {
        block* const first = kept_[of.number];
        if (first == nullptr) {
            return ::operator new(of.size);
        }
        kept_[of.number] = first->next;
        room_ += of.size;
        return first;
    }
    void give_back(void* memory, size_class of) noexcept {
        if (room_ < of.size) [[unlikely]] {
            return give_back_beyond_room(*this, memory);
        }
        kept_[of.number] = ::new (memory) block{kept_[of.number]};
        room_ -= of.size;
    }

public:
    void* take(std::size_t size) { return size <= largest ? take(class_of(size)) : take_large_memory(size); }
    void give_back(void* memory, std::size_t size) noexcept {
        if (size > largest) [[unlikely]] {
            return ::operator delete(memory);
        }
        give_back(memory, class_of(size));
    }
};
inline thread_local constinit small_memory kept_memory{};

inline void* take_memory(std::size_t size) {
    if constexpr (keeps_small_memory) {
        return kept_memory.take(size);
    } else {
        return take_large_memory(size);
    }
}
inline void give_memory(void* memory, [[maybe_unused]] std::size_t size) noexcept {
    if constexpr (keeps_small_memory) {
        kept_memory.give_back(memory, size);
    } else {
        ::operator delete(memory);
    }
}

}  // namespace lpt::inline LPT_ABI::detail
