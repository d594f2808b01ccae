// SPDX-License-Identifier: Apache-2.0
// Errors of a network's operations begin with the file that they came from.
#pragma once

#include <lpt/base/error.hpp>

#include <string>

/// Does some work on what a file holds; errors begin with the file, and end with what `hint` makes of their words.
template <class Work, class Hint>
auto naming_file(const std::string& path, const Work& work, const Hint& hint) -> decltype(work()) {
    try {
        return work();
    } catch (const lpt::error& raised) {
        const std::string words = raised.what();
        const bool is_named = words.rfind(path, 0) == 0;
        const std::string whole = (is_named ? "" : path + ": ") + words + hint(words);
        lpt::fail({whole.c_str()});
    }
}
template <class Work>
auto naming_file(const std::string& path, const Work& work) -> decltype(work()) {
    return naming_file(path, work, [](const std::string&) { return std::string(); });
}
