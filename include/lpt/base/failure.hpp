// SPDX-License-Identifier: Apache-2.0
// How an error leaves the library.
//
//   nothing defined, exceptions on    it is thrown
//   nothing defined, -fno-exceptions  its line goes to the standard error stream, and the program aborts
//   LPT_FAIL(message) defined         it is called with the line, a `const char*` that is valid during the call, and nothing is thrown
//                                     or caught, whether the compiler has exceptions or not
//
// LPT_FAIL is defined before the first header of the library, alike in all files of a program; it must not return (the program would
// abort). It may end the program or the thread, jump, or throw what is the user's own. What was being made when it is left by a jump is
// lost, and a graph that was being changed must not be used again. Memory for small things comes from `operator new`, whose failure is
// the affair of `std::set_new_handler`.
#pragma once

#include <lpt/base/version.hpp>

#if defined(__cpp_exceptions) && !defined(LPT_FAIL)
#define LPT_THROWS 1
#else
#define LPT_THROWS 0
#endif

#if !LPT_THROWS && !defined(LPT_FAIL)
#include <cstdio>
#endif

#if !LPT_THROWS
namespace lpt::inline LPT_ABI::detail {

/// Ends with an error that cannot be thrown.
[[noreturn, gnu::cold, gnu::noinline]] inline void end_with(const char* message) {
#if defined(LPT_FAIL)
    LPT_FAIL(message);
#else
    std::fprintf(stderr, "%s\n", message);
#endif
    __builtin_abort();
}

}  // namespace lpt::inline LPT_ABI::detail
#endif
