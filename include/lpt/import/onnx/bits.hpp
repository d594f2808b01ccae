// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/operation.hpp>

#include <cmath>

/// Bits of numbers seen as numbers of another type.
namespace lpt::inline LPT_ABI::onnx {

/// The fields of a real number: a sign, an exponent, a fraction.
struct real_format {
    int exponent_bits = 0;
    int fraction_bits = 0;

    static real_format of(element type) {
        switch (type) {
            case f16: return {5, 10};
            case bf16: return {8, 7};
            case f32: return {8, 23};
            default: return {11, 52};
        }
    }
    int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    std::int64_t exponents() const { return std::int64_t{1} << exponent_bits; }
    std::int64_t fractions() const { return std::int64_t{1} << fraction_bits; }
    /// The sign, as it is added to the other bits.
    std::int64_t sign() const {
        return fraction_bits == 52 ? INT64_MIN : std::int64_t{1} << (exponent_bits + fraction_bits);
    }
};

/// The bits of real numbers as integers i64, by arithmetic that is exact. Any NaN gives those of the quiet one without a sign.
inline output_ref bits_of_reals(operation& n, output_ref given) {
    const real_format format = real_format::of(n.type(given));
    const auto real = [&](double value) { return n.builder().real(value, f64); };
    const auto choose = [&](output_ref condition, output_ref yes, output_ref no) {
        return n.make(op::select{}, {condition, yes, no});
    };
    const auto times = [&](output_ref x, int power) {
        return n.make(op::multiply{}, {x, real(std::ldexp(1.0, power))});
    };
    const output_ref x = n.convert(given, f64);
    const output_ref size = n.make(op::abs{}, {x});
    const output_ref inverse = n.make(op::divide{}, {real(1), x});  // of -0 it has a sign
    const output_ref is_negative = n.make(op::less{}, {choose(n.make(op::equal{}, {x, real(0)}), inverse, x), real(0)});
    output_ref significand = size;  // becomes 1 to 2
    output_ref exponent = n.integer_constant(0);
    for (const bool is_large : {true, false}) {
        for (int step = 1 << (format.exponent_bits - 2); step > 0; step /= 2) {
            const output_ref here = is_large ? n.make(op::greater_equal{}, {significand, real(std::ldexp(1.0, step))})
                                             : n.make(op::less{}, {significand, real(std::ldexp(1.0, 1 - step))});
            significand = choose(here, times(significand, is_large ? -step : step), significand);
            exponent =
                n.make(op::add{},
                       {exponent, choose(here, n.integer_constant(is_large ? step : -step), n.integer_constant(0))});
        }
    }
    const output_ref fraction =
        n.convert(times(n.make(op::subtract{}, {significand, real(1)}), format.fraction_bits), i64);
    const output_ref field = n.make(op::add{}, {exponent, n.integer_constant(format.bias())});
    const output_ref normal =
        n.make(op::add{}, {n.make(op::multiply{}, {field, n.integer_constant(format.fractions())}), fraction});
    // Two factors, as their product may be larger than a number can be.
    const int to_whole = format.bias() - 1 + format.fraction_bits;
    const output_ref small = n.convert(times(times(size, to_whole / 2), to_whole - to_whole / 2), i64);
    const output_ref is_small = n.make(op::less{}, {size, real(std::ldexp(1.0, 1 - format.bias()))});
    const std::int64_t infinity = (format.exponents() - 1) * format.fractions();
    const output_ref is_infinite = n.make(op::equal{}, {size, real(math::infinity)});
    output_ref bits = choose(is_infinite, n.integer_constant(infinity), choose(is_small, small, normal));
    bits = choose(is_negative, n.make(op::add{}, {bits, n.integer_constant(format.sign())}), bits);
    const output_ref is_number = n.make(op::equal{}, {x, x});
    return choose(is_number, bits, n.integer_constant(infinity + format.fractions() / 2));
}

/// Integers of as many bits as a real type has as the numbers of that type with these bits. Any NaN is the quiet one.
inline output_ref reals_of_bits(operation& n, output_ref given, element type) {
    const real_format format = real_format::of(type);
    const int width = bit_width(type);
    const output_ref bits = n.convert(n.convert(given, width == 64 ? i64 : width == 32 ? i32 : i16), i64);
    const auto choose = [&](output_ref condition, output_ref yes, output_ref no) {
        return n.make(op::select{}, {condition, yes, no});
    };
    const output_ref zero = n.integer_constant(0);
    const output_ref is_negative = n.make(op::less{}, {bits, zero});
    const output_ref rest = choose(is_negative, n.make(op::add{}, {bits, n.integer_constant(format.sign())}), bits);
    const output_ref fractions = n.integer_constant(format.fractions());
    const output_ref field = n.make(op::divide{}, {rest, fractions});
    const output_ref fraction = n.make(op::subtract{}, {rest, n.make(op::multiply{}, {field, fractions})});
    seq<double> powers;
    for (std::int64_t i = 0; i + 1 < format.exponents(); ++i) {
        const int exponent = static_cast<int>(i == 0 ? 1 : i) - format.bias() - format.fraction_bits;
        powers.push_back(std::ldexp(1.0, exponent));
    }
    powers.push_back(1);
    const output_ref table = n.builder().constant(
        make_tensor(f64, lpt::shape{static_cast<dimension>(powers.size())}, {powers.data(), powers.size()}));
    const output_ref whole = n.make(op::add{}, {fraction, choose(n.make(op::equal{}, {field, zero}), zero, fractions)});
    output_ref size = n.make(op::multiply{}, {n.convert(whole, f64), n.gather(table, field, 0)});
    const output_ref beyond = choose(n.make(op::equal{}, {fraction, zero}), n.builder().real(math::infinity, f64),
                                     n.builder().real(math::not_a_number, f64));
    size = choose(n.make(op::equal{}, {field, n.integer_constant(format.exponents() - 1)}), beyond, size);
    return n.convert(choose(is_negative, n.make(op::negative{}, {size}), size), type);
}

inline void read_bit_cast(operation& n) {
    const output_ref x = n.in(0);
    const element from = n.type(x);
    const element to = known_element_of(n.integer("to", 0), n.builder());
    const bool has_fields = bit_width(from) >= 16;
    if (bit_width(from) != bit_width(to) || ((is_real(from) || is_real(to)) && !has_fields)) {
        n.wrong({"bits of ", lpt::name(from), " as ", lpt::name(to), " are not supported"});
    }
    const output_ref bits = is_real(from) && from != to ? bits_of_reals(n, x) : x;
    n.out(is_real(to) && from != to ? reals_of_bits(n, bits, to) : n.convert(bits, to));
}

inline constexpr operator_entry bit_operators[] = {
    {"", "BitCast", read_bit_cast},
};

}  // namespace lpt::inline LPT_ABI::onnx
