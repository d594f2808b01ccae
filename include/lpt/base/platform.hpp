// SPDX-License-Identifier: Apache-2.0
// What the graph and its transformations ask of the system; each question has an answer on every one.
#pragma once

#include <lpt/base/version.hpp>

// A member without contents takes no room; the compilers of the Microsoft ABI have a name of their own for it.
#if defined(_MSC_VER)
#define LPT_NO_UNIQUE_ADDRESS [[msvc::no_unique_address]]
#else
#define LPT_NO_UNIQUE_ADDRESS [[no_unique_address]]
#endif

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif
#if __has_include(<sched.h>)
#include <sched.h>
#elif defined(_WIN32)
// As the system's own header declares it, which would bring a thousand macros.
extern "C" __declspec(dllimport) int __stdcall SwitchToThread(void);
#endif

namespace lpt::inline LPT_ABI::detail {

/// True where the process has one thread for sure: a locked instruction takes as long as twenty others.
inline bool has_one_thread() noexcept {
#if __has_include(<sys/single_threaded.h>)
    return __libc_single_threaded != 0;
#else
    return false;
#endif
}

/// Lets other threads of this processor run.
inline void give_way() noexcept {
#if __has_include(<sched.h>)
    ::sched_yield();
#elif defined(_WIN32)
    ::SwitchToThread();
#endif
}

}  // namespace lpt::inline LPT_ABI::detail
