// SPDX-License-Identifier: Apache-2.0
// Arithmetic on two numbers, whole or real.
#pragma once

#include <lpt/base/traits.hpp>
#include <lpt/graph/fold/values.hpp>

namespace lpt::inline LPT_ABI::evaluation::detail {

// Integer arithmetic wraps around; it is done on unsigned numbers, where that is defined.
constexpr std::uint64_t bits_of(std::int64_t value) { return static_cast<std::uint64_t>(value); }
constexpr std::int64_t plus(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(bits_of(a) + bits_of(b));
}
constexpr std::int64_t minus(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(bits_of(a) - bits_of(b));
}
constexpr std::int64_t times(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(bits_of(a) * bits_of(b));
}
template <class Real>
constexpr Real plus(Real a, Real b) {
    return a + b;
}
template <class Real>
constexpr Real minus(Real a, Real b) {
    return a - b;
}
template <class Real>
constexpr Real times(Real a, Real b) {
    return a * b;
}
constexpr std::int64_t negated(std::int64_t value) { return minus(0, value); }
template <class Real>
constexpr Real negated(Real value) {
    return -value;
}
constexpr std::int64_t quotient(std::int64_t a, std::int64_t b, bool downwards) {
    if (b == -1) {
        return negated(a);
    }
    const std::int64_t whole = a / b;
    return downwards && a % b != 0 && (a < 0) != (b < 0) ? whole - 1 : whole;
}
template <class Real>
constexpr Real quotient(Real a, Real b, bool) {
    return a / b;
}
constexpr std::int64_t power(std::int64_t base, std::int64_t exponent) {
    if (exponent < 0) {
        return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
    }
    std::int64_t result = 1;
    for (; exponent != 0; exponent >>= 1) {
        if ((exponent & 1) != 0) {
            result = times(result, base);
        }
        base = times(base, base);
    }
    return result;
}
template <class Real>
constexpr Real power(Real base, Real exponent) {
    if (exponent == Real(2)) {
        return base * base;
    }
    if (exponent == Real(0.5) && base >= 0) {
        return static_cast<Real>(math::sqrt(static_cast<double>(base)));
    }
    return static_cast<Real>(math::power(static_cast<double>(base), static_cast<double>(exponent)));
}
constexpr std::int64_t remainder(std::int64_t a, std::int64_t b) { return b == -1 ? 0 : a % b; }
template <class Real>
constexpr Real remainder(Real a, Real b) {  // exact, and with the sign of a: what the C library's fmod gives
    if (math::is_nan(a) || math::is_nan(b) || math::is_infinite(a) || b == 0) {
        return static_cast<Real>(math::not_a_number);
    }
    const Real divisor = math::absolute(b);
    Real rest = math::absolute(a);
    if (math::is_infinite(divisor)) {
        return a;
    }
    while (rest >= divisor) {
        Real part = divisor;
        while (part <= rest / 2) {
            part *= 2;
        }
        rest -= part;
    }
    return math::sign_bit(a) ? -rest : rest;
}
template <class Number>
constexpr Number remainder_downwards(Number a, Number b) {
    const Number rest = remainder(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

}  // namespace lpt::inline LPT_ABI::evaluation::detail
