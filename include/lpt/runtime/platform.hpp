// SPDX-License-Identifier: Apache-2.0
// What the executor asks of the operating system; each question has an answer on every system.
#pragma once

#include <lpt/base/version.hpp>

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

#include <cstddef>
#include <cstdint>
#include <ctime>

namespace lpt::inline LPT_ABI::runtime {

/// Bytes of memory that this machine has; SIZE_MAX where the system does not tell.
inline std::size_t memory_of_machine() noexcept {
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long size = ::sysconf(_SC_PAGESIZE);
    if (pages > 0 && size > 0) {
        return static_cast<std::size_t>(pages) * static_cast<std::size_t>(size);
    }
#endif
    return SIZE_MAX;
}

/// Seconds that all processors together have worked for this process, from some moment on.
inline double processor_seconds() noexcept {
#if defined(CLOCK_PROCESS_CPUTIME_ID)
    ::timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
#else
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
#endif
}

}  // namespace lpt::inline LPT_ABI::runtime
