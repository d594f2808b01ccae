// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/error.hpp>
#include <lpt/tensor/math.hpp>

namespace lpt::inline LPT_ABI {

/// The type of a tensor's elements; `dynamic` is a type that is not known yet.
enum class element : unsigned char {
    dynamic,
    boolean,
    u4,
    i4,
    u8,
    i8,
    u16,
    i16,
    u32,
    i32,
    u64,
    i64,
    f8e4m3,
    f8e5m2,
    bf16,
    f16,
    f32,
    f64,
};
inline constexpr int element_count = 18;
using enum element;

/// What there is to know about an element type.
struct element_facts {
    text_view name;
    int bits;            // of one value in memory; u4 and i4 are packed two to a byte, the first in the low half
    bool is_real;        // a floating point type
    bool is_signed;
    double lowest;       // least finite value
    double highest;      // greatest finite value
};

inline constexpr element_facts element_table[element_count] = {
    {"dynamic", 0, false, false, 0, 0},
    {"boolean", 8, false, false, 0, 1},
    {"u4", 4, false, false, 0, 15},
    {"i4", 4, false, true, -8, 7},
    {"u8", 8, false, false, 0, 255},
    {"i8", 8, false, true, -128, 127},
    {"u16", 16, false, false, 0, 65535},
    {"i16", 16, false, true, -32768, 32767},
    {"u32", 32, false, false, 0, 4294967295.0},
    {"i32", 32, false, true, -2147483648.0, 2147483647.0},
    {"u64", 64, false, false, 0, 18446744073709551615.0},
    {"i64", 64, false, true, -9223372036854775808.0, 9223372036854775807.0},
    {"f8e4m3", 8, true, true, -448, 448},
    {"f8e5m2", 8, true, true, -57344, 57344},
    {"bf16", 16, true, true, -3.3895313892515355e38, 3.3895313892515355e38},
    {"f16", 16, true, true, -65504, 65504},
    {"f32", 32, true, true, -3.4028234663852886e38, 3.4028234663852886e38},
    {"f64", 64, true, true, -1.7976931348623157e308, 1.7976931348623157e308},
};

constexpr const element_facts& facts(element type) { return element_table[static_cast<int>(type)]; }
constexpr text_view name(element type) { return facts(type).name; }
constexpr int bit_width(element type) { return facts(type).bits; }
constexpr bool is_real(element type) { return facts(type).is_real; }
constexpr bool is_signed(element type) { return facts(type).is_signed; }
/// True for the integer types, from four bits to 64; not for boolean.
constexpr bool is_integral(element type) { return type >= u4 && type <= i64; }
/// True for the types that a quantized tensor can have: 8, 16 and 32 bit integers and the two 8-bit floating point types.
constexpr bool is_low_precision(element type) {
    return (type >= u8 && type <= i32) || type == f8e4m3 || type == f8e5m2;
}
/// The bytes that `count` packed values take.
constexpr std::size_t byte_size(element type, std::size_t count) {
    return (count * static_cast<std::size_t>(bit_width(type)) + 7) / 8;
}
/// The type with this name; `dynamic` where there is none.
constexpr element parse_element(text_view word) {
    for (int i = 1; i < element_count; ++i) {
        if (element_table[i].name == word) {
            return static_cast<element>(i);
        }
    }
    return dynamic;
}

namespace detail {

/// A small floating point format: `exponent_bits` and `fraction_bits` beside the sign.
struct small_float {
    int exponent_bits;
    int fraction_bits;
    bool has_infinity;  // f8e4m3 has none: its largest code is NaN, and too large values become NaN
};

constexpr double decode(small_float format, std::uint32_t code) {
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    const std::uint32_t fraction = code & ((1u << format.fraction_bits) - 1);
    const std::uint32_t top = (1u << format.exponent_bits) - 1;
    const std::uint32_t exponent = (code >> format.fraction_bits) & top;
    const bool negative = ((code >> (format.fraction_bits + format.exponent_bits)) & 1) != 0;
    double value = 0;
    const bool special =
        format.has_infinity ? exponent == top : (exponent == top && fraction + 1 == 1u << format.fraction_bits);
    if (special) {
        value = format.has_infinity && fraction == 0 ? math::infinity : math::not_a_number;
    } else if (exponent == 0) {
        value = math::detail::ldexp(fraction, 1 - bias - format.fraction_bits);
    } else {
        value = math::detail::ldexp(fraction + (1u << format.fraction_bits),
                                    static_cast<int>(exponent) - bias - format.fraction_bits);
    }
    return negative ? -value : value;
}

/// Rounds to nearest, halves to even; what is too large becomes infinity (NaN where the format has no infinity).
constexpr std::uint32_t encode(small_float format, double value) {
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    const std::uint32_t top = (1u << format.exponent_bits) - 1;
    const std::uint32_t sign = (math::sign_bit(value) ? 1u : 0u) << (format.fraction_bits + format.exponent_bits);
    const std::uint32_t over =
        format.has_infinity ? top << format.fraction_bits : (1u << (format.fraction_bits + format.exponent_bits)) - 1;
    if (math::is_nan(value)) {
        return sign | (format.has_infinity ? over | (1u << (format.fraction_bits - 1)) : over);
    }
    double size = math::absolute(value);
    if (math::is_infinite(size)) {
        return sign | over;
    }
    const std::uint64_t bits = __builtin_bit_cast(std::uint64_t, size);
    int exponent = static_cast<int>(bits >> 52) - 1023;
    if (exponent < 1 - bias) {
        exponent = 1 - bias;
    }
    const double steps = math::round_half_even(math::detail::ldexp(size, format.fraction_bits - exponent));
    std::uint32_t fraction = static_cast<std::uint32_t>(steps < 4294967295.0 ? steps : 4294967295.0);
    if (fraction >= 2u << format.fraction_bits) {
        fraction >>= 1;
        ++exponent;
    }
    const bool normal = fraction >= 1u << format.fraction_bits;
    const std::uint32_t code = normal ? (static_cast<std::uint32_t>(exponent + bias) << format.fraction_bits) +
                                            (fraction - (1u << format.fraction_bits))
                                      : fraction;
    return sign | (code >= over ? over : code);
}

inline constexpr small_float half_format{5, 10, true};
inline constexpr small_float brain_format{8, 7, true};
inline constexpr small_float f8e4m3_format{4, 3, false};
inline constexpr small_float f8e5m2_format{5, 2, true};

/// The format of a small floating point type; other types have none, with zero exponent bits.
///
/// By value: with its sanitizers g++ does not take an address that is compared with null for a constant.
constexpr small_float format_of(element type) {
    switch (type) {
        case f16: return half_format;
        case bf16: return brain_format;
        case f8e4m3: return f8e4m3_format;
        case f8e5m2: return f8e5m2_format;
        default: return {0, 0, false};
    }
}

}  // namespace detail

/// The nearest value of a floating point type, as a double.
///
/// Rounding: to nearest, halves to even; too large values become infinity (NaN in f8e4m3). Integer types: see `convert_value`.
constexpr double round_to_real(element type, double value) {
    if (type == f32) {
        return static_cast<double>(static_cast<float>(value));
    }
    const detail::small_float format = detail::format_of(type);
    return format.exponent_bits == 0 ? value : detail::decode(format, detail::encode(format, value));
}

/// The value that `Convert` to `type` gives.
///
/// Real to integer: towards zero, saturating, NaN gives 0. Real to real: to nearest even. To boolean: 1 unless 0.
constexpr double convert_value(element type, double value) {
    if (type == boolean) {
        return value != 0 ? 1 : 0;
    }
    if (!is_integral(type)) {
        return round_to_real(type, value);
    }
    if (math::is_nan(value)) {
        return 0;
    }
    const element_facts& range = facts(type);
    const double whole = math::truncate(value);
    return whole < range.lowest ? range.lowest : whole > range.highest ? range.highest : whole + 0.0;
}

}  // namespace lpt::inline LPT_ABI
