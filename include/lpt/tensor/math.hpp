// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/traits.hpp>

#include <cstdint>

/// Functions of `<cmath>` that constant expressions need.
namespace lpt::inline LPT_ABI::math {

inline constexpr double infinity = __builtin_huge_val();
inline constexpr double not_a_number = __builtin_nan("");

template <class Number>
constexpr bool is_nan(Number value) {
    return value != value;
}
template <class Number>
constexpr bool is_infinite(Number value) {
    return value == static_cast<Number>(infinity) || value == -static_cast<Number>(infinity);
}
template <class Number>
constexpr bool is_finite(Number value) {
    return !is_nan(value) && !is_infinite(value);
}
template <class Number>
constexpr Number absolute(Number value) {
    return value < 0 ? -value : value;
}
template <class Number>
constexpr Number minimum(Number left, Number right) {
    return right < left ? right : left;
}
template <class Number>
constexpr Number maximum(Number left, Number right) {
    return left < right ? right : left;
}

/// True for values with the sign bit set, `-0` and negative NaN among them.
constexpr bool sign_bit(double value) { return (__builtin_bit_cast(std::uint64_t, value) >> 63) != 0; }
constexpr bool sign_bit(float value) { return (__builtin_bit_cast(std::uint32_t, value) >> 31) != 0; }

/// Rounds towards zero. NaN, infinities and values without a fraction come back unchanged.
template <class Number>
constexpr Number truncate(Number value) {
    constexpr Number whole = is_same<Number, float> ? Number(8388608) : Number(4503599627370496);
    if (!(absolute(value) < whole)) {
        return value;
    }
    const Number result = static_cast<Number>(static_cast<std::int64_t>(value));
    return result == 0 && sign_bit(value) ? -Number(0) : result;
}
/// Rounds down.
template <class Number>
constexpr Number floor(Number value) {
    const Number whole = truncate(value);
    return whole > value ? whole - 1 : whole;
}
/// Rounds up.
template <class Number>
constexpr Number ceil(Number value) {
    const Number whole = truncate(value);
    return whole < value ? whole + 1 : whole;
}
/// Rounds to the nearest integer, halves away from zero.
template <class Number>
constexpr Number round_half_away(Number value) {
    const Number whole = truncate(value);
    if (absolute(value - whole) >= Number(0.5)) {
        return whole + (sign_bit(value) ? Number(-1) : Number(1));
    }
    return whole;
}
/// Rounds to the nearest integer, halves to the even one.
template <class Number>
constexpr Number round_half_even(Number value) {
    const Number whole = truncate(value);
    const Number distance = absolute(value - whole);
    const bool odd = distance == Number(0.5) && truncate(whole / 2) * 2 != whole;
    if (distance > Number(0.5) || odd) {
        return whole + (sign_bit(value) ? Number(-1) : Number(1));
    }
    return whole;
}

namespace detail {
constexpr double ldexp(double value, int exponent) {
    double power = exponent < 0 ? 0.5 : 2.0;
    for (unsigned rest = exponent < 0 ? 0u - static_cast<unsigned>(exponent) : static_cast<unsigned>(exponent);
         rest != 0; rest >>= 1) {
        if ((rest & 1) != 0) {
            value *= power;
        }
        power *= power;
    }
    return value;
}
constexpr double sqrt(double value) {
    if (!(value > 0) || is_infinite(value)) {
        return value < 0 ? not_a_number : value;
    }
    double scale = 1;
    while (value > 4) {
        value /= 4;
        scale *= 2;
    }
    while (value < 1) {
        value *= 4;
        scale /= 2;
    }
    double root = 1.5;
    for (int i = 0; i < 8; ++i) {
        root = (root + value / root) / 2;
    }
    return root * scale;
}
constexpr double exp(double value) {
    if (is_nan(value)) {
        return value;
    }
    if (value > 710) {
        return infinity;
    }
    if (value < -746) {
        return 0;
    }
    const double turns = round_half_even(value * 1.4426950408889634);
    const double rest = (value - turns * 0.693147180369123816490) - turns * 1.90821492927058770002e-10;
    double sum = 1;
    double term = 1;
    for (int i = 1; i < 20; ++i) {
        term *= rest / i;
        sum += term;
    }
    return ldexp(sum, static_cast<int>(turns));
}
constexpr double log(double value) {
    if (is_nan(value) || value < 0) {
        return not_a_number;
    }
    if (value == 0) {
        return -infinity;
    }
    if (is_infinite(value)) {
        return value;
    }
    int turns = 0;
    while (value > 1.4142135623730951) {
        value /= 2;
        ++turns;
    }
    while (value < 0.7071067811865476) {
        value *= 2;
        --turns;
    }
    const double ratio = (value - 1) / (value + 1);
    double power = ratio;
    double sum = 0;
    for (int i = 1; i < 50; i += 2) {
        sum += power / i;
        power *= ratio * ratio;
    }
    return 2 * sum + turns * 0.6931471805599453;
}
constexpr double power(double base, double exponent) {
    if (exponent == 0 || base == 1) {
        return 1;
    }
    const bool whole = truncate(exponent) == exponent;
    if (whole && absolute(exponent) <= 64) {
        double result = 1;
        for (int i = 0; i < static_cast<int>(absolute(exponent)); ++i) {
            result *= base;
        }
        return exponent < 0 ? 1 / result : result;
    }
    if (base < 0) {
        const bool odd = whole && truncate(exponent / 2) * 2 != exponent;
        return whole ? (odd ? -1 : 1) * exp(exponent * log(-base)) : not_a_number;
    }
    return exp(exponent * log(base));
}
constexpr double tanh(double value) {
    if (value > 20 || value < -20) {
        return value > 0 ? 1 : -1;
    }
    const double twice = exp(2 * value);
    return (twice - 1) / (twice + 1);
}
constexpr double erf(double value) {
    const double size = absolute(value);
    if (size > 6) {
        return value > 0 ? 1 : -1;
    }
    double result = 0;
    if (size > 2.5) {
        // The continued fraction of the complement: the series below cancels here.
        double fraction = size;
        for (int i = 60; i > 0; --i) {
            fraction = size + i / (2 * fraction);
        }
        result = 1 - exp(-size * size) * 0.5641895835477563 / fraction;
    } else {
        double term = size;
        result = size;
        for (int i = 1; i < 60; ++i) {
            term *= -size * size / i;
            result += term / (2 * i + 1);
        }
        result *= 1.1283791670955126;
    }
    return value < 0 ? -result : result;
}
}  // namespace detail

// At run time these are the C library's functions; constant expressions use series that agree to about 1e-13 relative.
constexpr double sqrt(double value) {
    return lpt::is_constant_evaluated() ? detail::sqrt(value) : __builtin_sqrt(value);
}
constexpr double exp(double value) { return lpt::is_constant_evaluated() ? detail::exp(value) : __builtin_exp(value); }
constexpr double log(double value) { return lpt::is_constant_evaluated() ? detail::log(value) : __builtin_log(value); }
constexpr double power(double base, double exponent) {
    return lpt::is_constant_evaluated() ? detail::power(base, exponent) : __builtin_pow(base, exponent);
}
constexpr double tanh(double value) {
    return lpt::is_constant_evaluated() ? detail::tanh(value) : __builtin_tanh(value);
}
constexpr double erf(double value) { return lpt::is_constant_evaluated() ? detail::erf(value) : __builtin_erf(value); }

}  // namespace lpt::inline LPT_ABI::math
