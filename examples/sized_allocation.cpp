// SPDX-License-Identifier: Apache-2.0
// The programs' operator new: where memory cannot be had, its error says how much was asked for, which that of the standard library does not.
#include <lpt/base/memory.hpp>

#include <cstdlib>
#include <new>

void* operator new(std::size_t size) {
    if (void* const memory = std::malloc(size != 0 ? size : 1)) {
        return memory;
    }
    throw lpt::memory_error(size);
}
// The standard library's calls the one above, a sanitizer's does not, and what it gives must not reach free.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size != 0 ? size : 1); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
