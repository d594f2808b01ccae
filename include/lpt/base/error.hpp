// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/failure.hpp>
#include <lpt/base/text.hpp>

#include <new>  // std::exception too, the complete base of std::bad_alloc; <exception> brings far more

namespace lpt::inline LPT_ABI {

/// What was wrong with something that could only be known at run time: one line that says what, where, and what was expected.
class error : public std::exception {
    text message_;

    /// Names from files may have any characters: what would break the line becomes a space.
    [[gnu::cold, gnu::noinline]] static text in_one_line(const text& words) {
        text result;
        for (const char each : words.view()) {
            const char shown = static_cast<unsigned char>(each) < ' ' ? ' ' : each;
            result.append(text_view(&shown, 1));
        }
        return result;
    }

public:
    explicit error(const text& message) : message_(in_one_line(message)) {}
    const char* what() const noexcept override { return message_.c_str(); }
    const text& message() const noexcept { return message_; }
};

/// Raises `lpt::error` with the joined parts as its message, or what stands in its place (base/failure.hpp).
///
/// Not constexpr, so that a constant expression that gets here stops with this function's name.
[[noreturn, gnu::cold, gnu::noinline]] inline void fail(text_pieces message) {
#if LPT_THROWS
    throw error(join(message));
#else
    detail::end_with(error(join(message)).what());
#endif
}

}  // namespace lpt::inline LPT_ABI
