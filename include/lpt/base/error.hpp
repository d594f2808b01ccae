// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/text.hpp>

#include <new>  // std::exception too, the complete base of std::bad_alloc; <exception> brings far more

namespace lpt {

/// What was wrong with something that could only be known at run time: one line that says what, where, and what was expected.
class error : public std::exception {
    text message_;

public:
    explicit error(text message) : message_(lpt::move(message)) {}
    const char* what() const noexcept override { return message_.c_str(); }
    const text& message() const noexcept { return message_; }
};

namespace detail {
// A handler instead of `throw` where exceptions are switched off; not constexpr, so that a constant expression that
// gets here stops with this function's name.
[[noreturn, gnu::cold, gnu::noinline]] inline void raise(text message) {
#if defined(__cpp_exceptions)
    throw error(lpt::move(message));
#else
    static_cast<void>(message);
    __builtin_trap();
#endif
}
}  // namespace detail

/// Raises `lpt::error` with the joined parts as its message.
template <int Once = 0>  // a constexpr function that always fails must be a template
[[noreturn, gnu::cold]] constexpr void
fail(const text_piece& p0, const text_piece& p1 = no_text, const text_piece& p2 = no_text,
     const text_piece& p3 = no_text, const text_piece& p4 = no_text, const text_piece& p5 = no_text,
     const text_piece& p6 = no_text, const text_piece& p7 = no_text, const text_piece& p8 = no_text,
     const text_piece& p9 = no_text, const text_piece& p10 = no_text, const text_piece& p11 = no_text,
     const text_piece& p12 = no_text, const text_piece& p13 = no_text, const text_piece& p14 = no_text,
     const text_piece& p15 = no_text) {
    detail::raise(join(p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15));
}

}  // namespace lpt
