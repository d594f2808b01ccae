// SPDX-License-Identifier: Apache-2.0
// What a program has printed is only known to be there when the stream says so.
#pragma once

#include <cstdio>

/// The exit status of a program that ends without an error: `status`, or `failure`, with a line on stderr, where what it printed could not be written.
inline int status_of_output(const char* program, int status, int failure = 1) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
        return status;
    }
    std::fprintf(stderr, "%s: standard output cannot be written\n", program);
    return failure;
}
