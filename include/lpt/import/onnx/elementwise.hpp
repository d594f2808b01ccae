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

inline void read_is_infinite(operation& n) {
    op::is_inf what;
    what.detect_positive = n.flag("detect_positive", true);
    what.detect_negative = n.flag("detect_negative", true);
    n.out(n.make(what, {n.in(0)}));
}

inline void read_where(operation& n) { n.out(n.make(op::select{}, {n.in(0), n.in(1), n.in(2)})); }

// ---- bits

/// Shifts by the width of the type or more, and by negative numbers, leave nothing but the sign.
inline void read_bit_shift(operation& n) {
    const std::string_view direction = n.words("direction", "");
    if (direction == "LEFT") {
        n.out(n.make(op::bitwise_left_shift{}, {n.in(0), n.in(1)}));
    } else if (direction == "RIGHT") {
        n.out(n.make(op::bitwise_right_shift{}, {n.in(0), n.in(1)}));
    } else {
        n.wrong({"direction must be LEFT or RIGHT, not '", shown(direction), "'"});
    }
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
    const element written = known_element_of(number, n.builder());
    const element to = n.reader().shared().as_read(written);
    if (const int bits = packed_bits(number); bits != 0) {
        return out_packed(n, to, bits);
    }
    const value from = n.value_at(0);
    if (to == f32 && from.whole) {
        return n.out(from.whole);
    }
    n.out(to == written ? n.make(op::convert{to}, {n.in(0)}) : n.convert(n.in(0), to));
}
inline void read_cast_like(operation& n) {
    const element to = n.type(n.in(1));
    if (bit_width(to) == 4) {
        return out_packed(n, to, n.value_at(1).has_two_bits ? 2 : 4);
    }
    n.out(n.make(op::convert_like{}, {n.in(0), n.in(1)}));
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
    {"", "Tan", read_unary<op::tan>},
    {"", "Sinh", read_unary<op::sinh>},
    {"", "Cosh", read_unary<op::cosh>},
    {"", "Asinh", read_unary<op::asinh>},
    {"", "Acosh", read_unary<op::acosh>},
    {"", "Atanh", read_unary<op::atanh>},
    {"", "Asin", read_unary<op::asin>},
    {"", "Acos", read_unary<op::acos>},
    {"", "Atan", read_unary<op::atan>},
    {"", "Reciprocal", read_reciprocal},
    {"", "IsNaN", read_unary<op::is_nan>},
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
    {"", "BitwiseNot", read_unary<op::bitwise_not>},
    {"", "BitwiseAnd", read_binary<op::bitwise_and>},
    {"", "BitwiseOr", read_binary<op::bitwise_or>},
    {"", "BitwiseXor", read_binary<op::bitwise_xor>},
    {"", "Cast", read_cast},
    {"", "CastLike", read_cast_like},
};

}  // namespace lpt::inline LPT_ABI::onnx
