// SPDX-License-Identifier: Apache-2.0
#include <lpt/tensor/element.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace {

using namespace lpt;

static_assert(parse_element("u8") == u8 && parse_element("f8e4m3") == f8e4m3 && parse_element("x") == dynamic);
static_assert(byte_size(i4, 5) == 3 && byte_size(f16, 5) == 10 && byte_size(u8, 0) == 0);
static_assert(is_low_precision(u8) && is_low_precision(i32) && is_low_precision(f8e5m2));
static_assert(!is_low_precision(i4) && !is_low_precision(i64) && !is_low_precision(f16));

// Rounding to small floating point types.
static_assert(round_to_real(f16, 2049) == 2048 && round_to_real(f16, 2051) == 2052);  // halves to even
static_assert(round_to_real(f16, 65519) == 65504 && math::is_infinite(round_to_real(f16, 65520)));
static_assert(round_to_real(f16, 5.960464477539063e-8) == 5.960464477539063e-8);  // least subnormal
static_assert(round_to_real(f16, 2.98e-8) == 0 && round_to_real(f16, 2.99e-8) == 5.960464477539063e-8);
static_assert(round_to_real(bf16, 1.00390625) == 1 && round_to_real(bf16, 1.01171875) == 1.015625);
static_assert(round_to_real(f8e4m3, 448) == 448 && math::is_nan(round_to_real(f8e4m3, 480)));
static_assert(round_to_real(f8e5m2, 57344) == 57344 && math::is_infinite(round_to_real(f8e5m2, 61440)));
static_assert(math::sign_bit(round_to_real(f16, -0.0)) && math::is_nan(round_to_real(bf16, math::not_a_number)));

// Convert: towards zero, saturating, NaN gives 0.
static_assert(convert_value(u8, 300) == 255 && convert_value(u8, -3) == 0 && convert_value(i8, -1.9) == -1);
static_assert(convert_value(i32, math::not_a_number) == 0 && convert_value(i8, math::infinity) == 127);
static_assert(convert_value(boolean, 0.1) == 1 && convert_value(boolean, 0) == 0 && convert_value(i4, 9) == 7);

}  // namespace

TEST_CASE("every code of the small floating point types survives decoding and encoding") {
    struct named {
        detail::small_float format;
        int bits;
    };
    for (const named& each : {named{detail::half_format, 16}, named{detail::brain_format, 16},
                              named{detail::f8e4m3_format, 8}, named{detail::f8e5m2_format, 8}}) {
        for (std::uint32_t code = 0; code < 1u << each.bits; ++code) {
            const double value = detail::decode(each.format, code);
            if (!math::is_nan(value)) {
                REQUIRE(detail::encode(each.format, value) == code);
            } else {
                REQUIRE(math::is_nan(detail::decode(each.format, detail::encode(each.format, value))));
            }
        }
    }
}

TEST_CASE("values between two neighbours round to the nearer one, halves to the even code") {
    for (std::uint32_t code = 0; code < 0x7b00; code += 7) {
        const double low = detail::decode(detail::half_format, code);
        const double high = detail::decode(detail::half_format, code + 1);
        const double middle = (low + high) / 2;
        REQUIRE(detail::encode(detail::half_format, middle) == (code % 2 == 0 ? code : code + 1));
        REQUIRE(detail::encode(detail::half_format, std::nextafter(middle, low)) == code);
        REQUIRE(detail::encode(detail::half_format, std::nextafter(middle, high)) == code + 1);
    }
}

TEST_CASE("names of types are found again") {
    for (int i = 1; i < element_count; ++i) {
        CHECK(parse_element(name(static_cast<element>(i))) == static_cast<element>(i));
    }
}
