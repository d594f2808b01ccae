// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/operation.hpp>

/// Arithmetic, comparisons and logic, element by element.
namespace lpt::inline LPT_ABI::onnx {

template <class Op>
void read_unary(operation& n) {
    n.out(n.make(Op{}, {n.in(0)}));
}
template <class Op>
void read_binary(operation& n) {
    n.out(n.make(Op{}, {n.in(0), n.in(1)}));
}
/// One input or more, taken together from the left.
template <class Op>
void read_variadic(operation& n) {
    output_ref result = n.in(0);
    for (std::size_t port = 1; port < n.inputs(); ++port) {
        result = n.make(Op{}, {result, n.in(port)});
    }
    n.out(result);
}

inline void read_mean(operation& n) {
    output_ref sum = n.in(0);
    for (std::size_t port = 1; port < n.inputs(); ++port) {
        sum = n.make(op::add{}, {sum, n.in(port)});
    }
    n.out(n.make(op::divide{}, {sum, n.like(sum, static_cast<double>(n.inputs()))}));
}

/// Integers are divided towards zero.
inline void read_divide(operation& n) {
    op::divide what;
    what.m_pythondiv = false;
    n.out(n.make(what, {n.in(0), n.in(1)}));
}

inline void read_mod(operation& n) {
    if (n.flag("fmod")) {
        n.out(n.make(op::mod{}, {n.in(0), n.in(1)}));
    } else {
        n.out(n.make(op::floor_mod{}, {n.in(0), n.in(1)}));
    }
}

/// The result has the type of the base, whatever the exponent's is.
inline void read_power(operation& n) {
    const output_ref base = n.in(0);
    const element type = n.type(base);
    const element computing = is_real(type) || !is_real(n.type(n.in(1))) ? type : n.type(n.in(1));
    const output_ref power = n.make(op::power{}, {n.convert(base, computing), n.convert(n.in(1), computing)});
    n.out(n.convert(power, type));
}

inline void read_reciprocal(operation& n) { n.out(n.make(op::divide{}, {n.like(n.in(0), 1), n.in(0)})); }

inline void read_is_nan(operation& n) { n.out(n.make(op::not_equal{}, {n.in(0), n.in(0)})); }

inline void read_is_infinite(operation& n) {
    const output_ref x = n.in(0);
    const output_ref above = n.make(op::equal{}, {x, n.like(x, math::infinity)});
    const output_ref below = n.make(op::equal{}, {x, n.like(x, -math::infinity)});
    const bool positive = n.flag("detect_positive", true);
    const bool negative = n.flag("detect_negative", true);
    if (positive && negative) {
        n.out(n.make(op::logical_or{}, {above, below}));
    } else if (positive || negative) {
        n.out(positive ? above : below);
    } else {
        n.out(n.make(op::logical_and{}, {above, below}));
    }
}

inline void read_where(operation& n) { n.out(n.make(op::select{}, {n.in(0), n.in(1), n.in(2)})); }

// ---- bits

/// 2^y as a whole number of the type of y.
inline output_ref power_of_two(operation& n, output_ref y) {
    const output_ref exponent = n.convert(y, f64);
    return n.convert(n.make(op::power{}, {n.like(exponent, 2), exponent}), n.type(y));
}

/// Shifts by the width of the type or more, and by negative numbers, leave nothing but the sign.
inline void read_bit_shift(operation& n) {
    const element type = n.type(n.in(0));
    const bool wide = bit_width(type) == 64;
    const output_ref x = wide ? n.in(0) : n.convert(n.in(0), i64);
    output_ref count = wide ? n.in(1) : n.convert(n.in(1), i64);
    if (!wide) {
        const output_ref most = n.integer_constant(62);
        const output_ref below = n.make(op::less{}, {count, n.integer_constant(0)});
        count = n.make(op::select{}, {below, most, n.make(op::minimum{}, {count, most})});
    }
    const output_ref factor = power_of_two(n, count);
    const std::string_view direction = n.words("direction", "");
    if (direction == "LEFT") {
        n.out(n.convert(n.make(op::multiply{}, {x, factor}), type));
    } else if (direction == "RIGHT") {
        n.out(n.convert(n.make(op::divide{}, {x, factor}), type));
    } else {
        n.wrong({"direction must be LEFT or RIGHT, not '", shown(direction), "'"});
    }
}

/// All bits the other way round: -1 - x, or the greatest number - x.
inline void read_bitwise_not(operation& n) {
    const output_ref x = n.in(0);
    const std::int64_t ones =
        is_signed(n.type(x)) || n.type(x) == u64 ? -1 : static_cast<std::int64_t>(facts(n.type(x)).highest);
    n.out(n.make(op::subtract{}, {n.integer_constant(ones, n.type(x)), x}));
}

/// The lower 63 bits of integers, along a new last axis, as 0 and 1.
inline output_ref bits_of(operation& n, output_ref x, output_ref powers) {
    const output_ref parts = n.make(op::divide{}, {n.unsqueeze(n.convert(x, i64), {-1}), powers});
    return n.make(op::floor_mod{}, {parts, n.integer_constant(2)});
}

/// A function of two bits, on all bits of two integers: `of_bits` on 0 and 1, `Logical` on the signs.
template <class Logical, class OfBits>
void read_bitwise(operation& n, const OfBits& of_bits) {
    const output_ref a = n.in(0);
    const output_ref b = n.in(1);
    const element type = n.type(a);
    lpt::integers powers;
    for (int bit = 0; bit < math::minimum(bit_width(type), 63); ++bit) {
        powers.push_back(std::int64_t{1} << bit);
    }
    const output_ref weights = n.indices(powers);
    const output_ref bits = of_bits(bits_of(n, a, weights), bits_of(n, b, weights));
    output_ref sum = n.reduce<op::reduce_sum>(n.make(op::multiply{}, {bits, weights}), {-1}, false);
    if (bit_width(type) == 64) {
        const output_ref zero = n.integer_constant(0);
        const output_ref sign = n.make(
            Logical{}, {n.make(op::less{}, {n.convert(a, i64), zero}), n.make(op::less{}, {n.convert(b, i64), zero})});
        const output_ref top = n.make(op::select{}, {sign, n.integer_constant(INT64_MIN), zero});
        sum = n.make(op::add{}, {sum, top});
    }
    n.out(n.convert(sum, type));
}

inline void read_bitwise_and(operation& n) {
    read_bitwise<op::logical_and>(n, [&](output_ref a, output_ref b) { return n.make(op::minimum{}, {a, b}); });
}
inline void read_bitwise_or(operation& n) {
    read_bitwise<op::logical_or>(n, [&](output_ref a, output_ref b) { return n.make(op::maximum{}, {a, b}); });
}
inline void read_bitwise_xor(operation& n) {
    read_bitwise<op::logical_xor>(
        n, [&](output_ref a, output_ref b) { return n.make(op::abs{}, {n.make(op::subtract{}, {a, b})}); });
}

// ---- types

/// Integers of four and two bits take the lowest bits of the whole number.
inline void out_packed(operation& n, element to, int bits) {
    constexpr double most = 0x1p30;
    const output_ref x = n.in(0);
    const output_ref whole = n.convert(is_real(n.type(x)) ? n.clamp(x, -most, most) : x, i32);
    const auto number = [&](int value) { return n.integer_constant(value, i32); };
    const output_ref half = number(is_signed(to) ? 1 << (bits - 1) : 0);
    const output_ref code = n.make(op::floor_mod{}, {n.make(op::add{}, {whole, half}), number(1 << bits)});
    value result = n.reader().of(n.convert(n.make(op::subtract{}, {code, half}), to));
    result.has_two_bits = bits == 2;
    n.out_value(0, result);
}
inline void read_cast(operation& n) {
    const std::int64_t number = n.integer("to", 0);
    const element to = known_element_of(number, n.builder());
    if (const int bits = packed_bits(number); bits != 0) {
        return out_packed(n, to, bits);
    }
    const value from = n.value_at(0);
    n.out(to == f32 && from.whole ? from.whole : n.make(op::convert{to}, {n.in(0)}));
}
inline void read_cast_like(operation& n) {
    const element to = n.type(n.in(1));
    if (bit_width(to) == 4) {
        return out_packed(n, to, n.value_at(1).has_two_bits ? 2 : 4);
    }
    n.out(n.make(op::convert_like{}, {n.in(0), n.in(1)}));
}

// ---- circular and hyperbolic functions

inline output_ref half_of_sum_of_exponentials(operation& n, output_ref x, bool difference) {
    const output_ref up = n.make(op::exp{}, {x});
    const output_ref down = n.make(op::exp{}, {n.make(op::negative{}, {x})});
    const output_ref both = difference ? n.make(op::subtract{}, {up, down}) : n.make(op::add{}, {up, down});
    return n.make(op::multiply{}, {both, n.like(x, 0.5)});
}
inline void read_sinh(operation& n) { n.out(half_of_sum_of_exponentials(n, n.in(0), true)); }
inline void read_cosh(operation& n) { n.out(half_of_sum_of_exponentials(n, n.in(0), false)); }

inline void read_tan(operation& n) {
    n.out(n.make(op::divide{}, {n.make(op::sin{}, {n.in(0)}), n.make(op::cos{}, {n.in(0)})}));
}

/// log(x + sqrt(x^2 + sign))
inline output_ref inverse_hyperbolic(operation& n, output_ref x, double sign) {
    const output_ref square = n.make(op::multiply{}, {x, x});
    const output_ref root = n.make(op::sqrt{}, {n.make(op::add{}, {square, n.like(x, sign)})});
    return n.make(op::log{}, {n.make(op::add{}, {x, root})});
}
inline void read_acosh(operation& n) { n.out(inverse_hyperbolic(n, n.in(0), -1)); }
/// sign(x) * asinh(|x|): small sums of large numbers lose digits.
inline void read_asinh(operation& n) {
    const output_ref x = n.in(0);
    n.out(n.make(op::multiply{}, {n.make(op::sign{}, {x}), inverse_hyperbolic(n, n.make(op::abs{}, {x}), 1)}));
}
inline void read_atanh(operation& n) {
    const output_ref x = n.in(0);
    const output_ref one = n.like(x, 1);
    const output_ref quotient = n.make(op::divide{}, {n.make(op::add{}, {one, x}), n.make(op::subtract{}, {one, x})});
    n.out(n.make(op::multiply{}, {n.make(op::log{}, {quotient}), n.like(x, 0.5)}));
}

/// atan: |x| or its inverse, whichever is at most 1; the angle halved twice, atan(t) = 2 atan(t / (1 + sqrt(1 + t^2))); and five terms of
/// the series, whose error is below 2^-27.
inline output_ref arc_tangent(operation& n, output_ref x) {
    const auto number = [&](double value) { return n.like(x, value); };
    const output_ref size = n.make(op::abs{}, {x});
    const output_ref inverse = n.make(op::divide{}, {number(1), size});
    output_ref t = n.make(op::minimum{}, {size, inverse});
    for (int i = 0; i < 2; ++i) {
        const output_ref root = n.make(op::sqrt{}, {n.make(op::add{}, {n.make(op::multiply{}, {t, t}), number(1)})});
        t = n.make(op::divide{}, {t, n.make(op::add{}, {root, number(1)})});
    }
    const output_ref square = n.make(op::multiply{}, {t, t});
    output_ref series = number(1.0 / 9);
    for (const double term : {-1.0 / 7, 1.0 / 5, -1.0 / 3, 1.0}) {
        series = n.make(op::add{}, {n.make(op::multiply{}, {series, square}), number(term)});
    }
    const output_ref small = n.make(op::multiply{}, {n.make(op::multiply{}, {series, t}), number(4)});
    const output_ref large = n.make(op::subtract{}, {number(1.5707963267948966), small});
    const output_ref angle = n.make(op::select{}, {n.make(op::greater{}, {size, number(1)}), large, small});
    return n.make(op::multiply{}, {n.make(op::sign{}, {x}), angle});
}
inline output_ref arc_sine(operation& n, output_ref x) {
    const output_ref rest = n.make(op::subtract{}, {n.like(x, 1), n.make(op::multiply{}, {x, x})});
    return arc_tangent(n, n.make(op::divide{}, {x, n.make(op::sqrt{}, {rest})}));
}
inline void read_atan(operation& n) { n.out(arc_tangent(n, n.in(0))); }
inline void read_asin(operation& n) { n.out(arc_sine(n, n.in(0))); }
inline void read_acos(operation& n) {
    n.out(n.make(op::subtract{}, {n.like(n.in(0), 1.5707963267948966), arc_sine(n, n.in(0))}));
}

inline constexpr operator_entry elementwise_operators[] = {
    {"", "Add", read_binary<op::add>},
    {"", "Sub", read_binary<op::subtract>},
    {"", "Mul", read_binary<op::multiply>},
    {"", "Div", read_divide},
    {"", "Mod", read_mod},
    {"", "Pow", read_power},
    {"", "Sum", read_variadic<op::add>},
    {"", "Max", read_variadic<op::maximum>},
    {"", "Min", read_variadic<op::minimum>},
    {"", "Mean", read_mean},
    {"", "Neg", read_unary<op::negative>},
    {"", "Abs", read_unary<op::abs>},
    {"", "Ceil", read_unary<op::ceiling>},
    {"", "Floor", read_unary<op::floor>},
    {"", "Round", read_unary<op::round>},
    {"", "Sqrt", read_unary<op::sqrt>},
    {"", "Exp", read_unary<op::exp>},
    {"", "Log", read_unary<op::log>},
    {"", "Erf", read_unary<op::erf>},
    {"", "Sign", read_unary<op::sign>},
    {"", "Sin", read_unary<op::sin>},
    {"", "Cos", read_unary<op::cos>},
    {"", "Tan", read_tan},
    {"", "Sinh", read_sinh},
    {"", "Cosh", read_cosh},
    {"", "Asinh", read_asinh},
    {"", "Acosh", read_acosh},
    {"", "Atanh", read_atanh},
    {"", "Asin", read_asin},
    {"", "Acos", read_acos},
    {"", "Atan", read_atan},
    {"", "Reciprocal", read_reciprocal},
    {"", "IsNaN", read_is_nan},
    {"", "IsInf", read_is_infinite},
    {"", "Equal", read_binary<op::equal>},
    {"", "Greater", read_binary<op::greater>},
    {"", "GreaterOrEqual", read_binary<op::greater_equal>},
    {"", "Less", read_binary<op::less>},
    {"", "LessOrEqual", read_binary<op::less_equal>},
    {"", "And", read_binary<op::logical_and>},
    {"", "Or", read_binary<op::logical_or>},
    {"", "Xor", read_binary<op::logical_xor>},
    {"", "Not", read_unary<op::logical_not>},
    {"", "Where", read_where},
    {"", "BitShift", read_bit_shift},
    {"", "BitwiseNot", read_bitwise_not},
    {"", "BitwiseAnd", read_bitwise_and},
    {"", "BitwiseOr", read_bitwise_or},
    {"", "BitwiseXor", read_bitwise_xor},
    {"", "Cast", read_cast},
    {"", "CastLike", read_cast_like},
};

}  // namespace lpt::inline LPT_ABI::onnx
