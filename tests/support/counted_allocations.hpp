// SPDX-License-Identifier: Apache-2.0
// Counts what a program asks the system's memory for. It replaces the operators new and delete: for one file of a program.
#pragma once

#include <atomic>
#include <cstdlib>
#include <new>

namespace lpt::support {

inline std::atomic<std::size_t> allocations = 0;  // of all threads

inline void* counted_or_null(std::size_t size) noexcept {
    allocations.fetch_add(1, std::memory_order_relaxed);
    return std::malloc(size == 0 ? 1 : size);
}

inline void* counted(std::size_t size) {
    if (void* const result = counted_or_null(size)) return result;
    throw std::bad_alloc();
}

}  // namespace lpt::support

void* operator new(std::size_t size) { return lpt::support::counted(size); }
void* operator new[](std::size_t size) { return lpt::support::counted(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return lpt::support::counted_or_null(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return lpt::support::counted_or_null(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
