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
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
