// SPDX-License-Identifier: Apache-2.0
// Errors say more where a program knows more: the file that an operation came from, and what would help.
#pragma once

#include <lpt/base/error.hpp>

#include <string>

/// Does some work; errors end with what `hint` makes of their words.
template <class Work, class Hint>
auto hinting(const Work& work, const Hint& hint) -> decltype(work()) {
    try {
        return work();
    } catch (const lpt::error& raised) {
        const std::string more = hint(raised.what());
        lpt::fail({raised.message(), more.c_str()});
    }
}

/// Does some work on what a file holds; errors begin with the file, and end with what `hint` makes of their words.
template <class Work, class Hint>
auto naming_file(const std::string& path, const Work& work, const Hint& hint) -> decltype(work()) {
    try {
        return hinting(work, hint);
    } catch (const lpt::error& raised) {
        const bool is_named = std::string(raised.what()).rfind(path, 0) == 0;
        lpt::fail({is_named ? "" : path.c_str(), is_named ? "" : ": ", raised.message()});
    }
}
template <class Work>
auto naming_file(const std::string& path, const Work& work) -> decltype(work()) {
    return naming_file(path, work, [](const std::string&) { return std::string(); });
}
