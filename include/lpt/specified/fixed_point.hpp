// SPDX-License-Identifier: Apache-2.0
// Functions in fixed point: integers of 32 or 16 bits with a known number of integer bits, products rounded to the high half.
#pragma once

#include <lpt/specified/arithmetic.hpp>

namespace lpt::inline LPT_ABI::arithmetic {

/// An integer of 32 or 16 bits, held in 32.
template <int Bits>
struct raw_number {
    static constexpr std::int32_t highest = Bits == 32 ? INT32_MAX : INT16_MAX;

    static constexpr std::int32_t saturated(std::int64_t value) {
        return value < -std::int64_t{highest} - 1 ? -highest - 1
               : value > highest                  ? highest
                                                  : static_cast<std::int32_t>(value);
    }
    static constexpr std::int32_t wrapped(std::int64_t value) {
        return Bits == 32 ? static_cast<std::int32_t>(value) : static_cast<std::int16_t>(value);
    }
    /// a * b / 2^(Bits - 1), rounded half up.
    static constexpr std::int32_t high_product(std::int32_t a, std::int32_t b) {
        return saturated((std::int64_t{a} * b + (std::int64_t{1} << (Bits - 2))) >> (Bits - 1));
    }
};

/// A number in `Bits` bits, `IntegerBits` of them before the point: raw / 2^(Bits - 1 - IntegerBits). Sums wrap around.
template <int IntegerBits, int Bits = 32>
struct fixed {
    static constexpr int fractional_bits = Bits - 1 - IntegerBits;
    std::int32_t raw = 0;

    static constexpr fixed one() {
        return {IntegerBits == 0 ? raw_number<Bits>::highest : std::int32_t{1} << fractional_bits};
    }
    /// A constant that is written with 32 bits.
    static constexpr fixed constant(std::int32_t of_32_bits) {
        return {tflite_reference::divide_by_power(of_32_bits, 32 - Bits)};
    }
    /// The same number with other integer bits: rounded half away, or saturated.
    template <int Wanted>
    constexpr fixed<Wanted, Bits> rescaled() const {
        if constexpr (Wanted >= IntegerBits) {
            return {tflite_reference::divide_by_power(raw, Wanted - IntegerBits)};
        } else {
            return {raw_number<Bits>::saturated(std::int64_t{raw} * (std::int64_t{1} << (IntegerBits - Wanted)))};
        }
    }
    /// The number divided by 2^Exponent, rounded half away.
    template <int Exponent>
    constexpr fixed divided() const {
        return {tflite_reference::divide_by_power(raw, Exponent)};
    }
    friend constexpr fixed operator+(fixed a, fixed b) {
        return {raw_number<Bits>::wrapped(std::int64_t{a.raw} + b.raw)};
    }
    friend constexpr fixed operator-(fixed a, fixed b) {
        return {raw_number<Bits>::wrapped(std::int64_t{a.raw} - b.raw)};
    }
    constexpr fixed operator-() const { return {raw_number<Bits>::wrapped(-std::int64_t{raw})}; }
};

template <int A, int B, int Bits>
constexpr fixed<A + B, Bits> operator*(fixed<A, Bits> a, fixed<B, Bits> b) {
    return {raw_number<Bits>::high_product(a.raw, b.raw)};
}

/// exp(a) for a in [-1/4, 0): the Taylor polynomial of degree 4 around -1/8. In 16 bits the sum saturates.
template <int Bits>
constexpr fixed<0, Bits> exp_of_quarter(fixed<0, Bits> a) {
    using number = fixed<0, Bits>;
    constexpr number exp_of_minus_eighth = number::constant(1895147668);
    const number x = a + number{std::int32_t{1} << (Bits - 4)};
    const number x2 = x * x;
    const number x3 = x2 * x;
    const number x4_over_4 = (x2 * x2).template divided<2>();
    const number tail = (((x4_over_4 + x3) * number::constant(715827883)) + x2).template divided<1>();
    const number change = exp_of_minus_eighth * (x + tail);
    if constexpr (Bits == 16) return {raw_number<16>::saturated(std::int64_t{exp_of_minus_eighth.raw} + change.raw)};
    return exp_of_minus_eighth + change;
}

/// exp(a) for a <= 0: the part below a quarter by the polynomial, the rest by a product for each bit; 0 below -32.
template <int IntegerBits, int Bits>
constexpr fixed<0, Bits> exp_of_negative(fixed<IntegerBits, Bits> a) {
    using number = fixed<IntegerBits, Bits>;
    if (a.raw == 0) return fixed<0, Bits>::one();
    if constexpr (IntegerBits > 5) {
        if (a.raw < -(std::int32_t{32} << number::fractional_bits)) return {0};
    }
    constexpr std::int32_t quarter = std::int32_t{1} << (number::fractional_bits - 2);
    const number below{(a.raw & (quarter - 1)) - quarter};
    fixed<0, Bits> result = exp_of_quarter(below.template rescaled<0>());
    const std::int32_t rest = raw_number<Bits>::wrapped(std::int64_t{below.raw} - a.raw);
    constexpr std::int32_t exp_of_powers[] = {1672461947, 1302514674, 790015084, 290630308,
                                              39332535,   720401,     242};  // exp(-2^k), k = -2...4
    for (int bit = 0; bit < 7 && bit - 2 < IntegerBits; ++bit) {
        if ((rest >> (number::fractional_bits - 2 + bit) & 1) != 0)
            result = result * fixed<0, Bits>::constant(exp_of_powers[bit]);
    }
    return result;
}

/// 2 / (1 + a) with 2 integer bits for a in [0, 1): three Newton steps from 48/17 - 32/17 * (1 + a) / 2.
template <int Bits>
constexpr fixed<2, Bits> twice_reciprocal_of_one_plus(fixed<0, Bits> a) {
    using number = fixed<2, Bits>;
    const fixed<0, Bits> half_denominator{
        static_cast<std::int32_t>((std::int64_t{a.raw} + fixed<0, Bits>::one().raw + 1) / 2)};
    number x = number::constant(1515870810) + half_denominator * number::constant(-1010580540);
    for (int i = 0; i < 3; ++i) {
        const number error = number::one() - half_denominator * x;
        x = x + (x * error).template rescaled<2>();
    }
    return x;
}

/// 1 / (1 + a) for a in [0, 1).
template <int Bits>
constexpr fixed<0, Bits> reciprocal_of_one_plus(fixed<0, Bits> a) {
    return fixed<1, Bits>{twice_reciprocal_of_one_plus(a).raw}.template rescaled<0>();
}

/// 1 / (1 + exp(-a)).
template <int IntegerBits, int Bits>
constexpr fixed<0, Bits> logistic(fixed<IntegerBits, Bits> a) {
    if (a.raw == 0) return {std::int32_t{1} << (Bits - 2)};
    const fixed<0, Bits> of_positive = reciprocal_of_one_plus(exp_of_negative(a.raw > 0 ? -a : a));
    return a.raw > 0 ? of_positive : fixed<0, Bits>::one() - of_positive;
}

/// (1 - exp(-2 a)) / (1 + exp(-2 a)).
template <int IntegerBits, int Bits>
constexpr fixed<0, Bits> tanh(fixed<IntegerBits, Bits> a) {
    if (a.raw == 0) return {0};
    const fixed<IntegerBits + 1, Bits> twice{a.raw < 0 ? a.raw : (-a).raw};
    const fixed<2, Bits> x = twice_reciprocal_of_one_plus(exp_of_negative(twice));
    const fixed<0, Bits> of_positive = (x - fixed<2, Bits>::one()).template rescaled<0>();
    return a.raw < 0 ? -of_positive : of_positive;
}

constexpr int leading_zeros(std::uint32_t value) { return value == 0 ? 32 : __builtin_clz(value); }

/// 1 / x for x > 0 with `integer_bits` integer bits, as a number in (1/2, 1] and the bits that x has over 1.
struct reciprocal {
    fixed<0> scale;
    int bits_over_unit = 0;
};
constexpr reciprocal reciprocal_of(std::int32_t x, int integer_bits) {
    const int headroom = leading_zeros(static_cast<std::uint32_t>(x));
    const auto over_one =
        static_cast<std::int32_t>((static_cast<std::uint32_t>(x) << headroom) - (std::uint32_t{1} << 31));
    return {reciprocal_of_one_plus(fixed<0>{over_one}), integer_bits - headroom};
}

/// 1 / sqrt(value) in fixed point, value >= 0 (0 counts as 1): five Newton steps with 3 integer bits.
constexpr multiplier inverse_square_root(std::int32_t value) {
    if (value <= 1) return {INT32_MAX, 0};
    int shift = 11;
    while (value >= std::int32_t{1} << 29) {
        value /= 4;
        ++shift;
    }
    const int pairs = (leading_zeros(static_cast<std::uint32_t>(value)) - 1) / 2 - 1;
    shift -= pairs;
    value <<= 2 * pairs;
    const fixed<3> half{tflite_reference::divide_by_power(value >> 1, 1)};
    constexpr fixed<3> three_halves{(std::int32_t{1} << 28) + (std::int32_t{1} << 27)};
    fixed<3> x = fixed<3>::one();
    for (int i = 0; i < 5; ++i) {
        const fixed<3> cube = (x * x * x).rescaled<3>();
        x = (three_halves * x - half * cube).rescaled<3>();
    }
    constexpr fixed<0> half_root_of_two{1518500250};
    std::int32_t result = (x * half_root_of_two).raw;
    if (shift < 0) {
        result = tflite_reference::shift_left(result, -shift);
        shift = 0;
    }
    return {result, -shift};
}

}  // namespace lpt::inline LPT_ABI::arithmetic
