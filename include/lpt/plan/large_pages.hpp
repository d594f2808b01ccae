// SPDX-License-Identifier: Apache-2.0
// Pages of 2 MiB, where the system has them: fewer faults when memory is first touched, and fewer addresses to translate.
#pragma once

#include <lpt/base/memory.hpp>

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

#include <cstddef>
#include <cstdint>
#include <memory>

namespace lpt::inline LPT_ABI::plan::detail {

/// At least `size` zeroed bytes at the beginning of a large page; null where the system has none, or where a sanitizer watches memory.
inline std::shared_ptr<std::byte> large_pages([[maybe_unused]] std::size_t size) {
#if defined(MADV_HUGEPAGE) && defined(MAP_ANONYMOUS)
    if constexpr (lpt::detail::keeps_small_memory) {
        constexpr std::size_t page = std::size_t{2} << 20;
        const std::size_t whole = (size + page - 1) / page * page + page;  // one more for the alignment
        void* const mapped = ::mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapped != MAP_FAILED) {
            const auto address = reinterpret_cast<std::uintptr_t>(mapped);
            std::byte* const first = static_cast<std::byte*>(mapped) + (page - address % page) % page;
            ::madvise(first, whole - page, MADV_HUGEPAGE);
            return {first, [mapped, whole](std::byte*) { ::munmap(mapped, whole); }};
        }
    }
#endif
    return nullptr;
}

}  // namespace lpt::inline LPT_ABI::plan::detail
