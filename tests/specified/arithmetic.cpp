// SPDX-License-Identifier: Apache-2.0
#include <lpt/specified/fixed_point.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace lpt;
using reference = arithmetic::tflite_reference;

TEST_CASE("a multiplier has 31 bits of the number, the highest one set") {
    for (const double real : {1.0, 0.5, 0.3, 1.9999999999, 123.456, 3e-9, 1e20}) {
        const arithmetic::multiplier found = reference::of(real);
        CHECK(found.significand >= 1 << 30);
        CHECK(std::ldexp(found.significand, found.exponent - 31) == doctest::Approx(real).epsilon(1e-9));
    }
    CHECK(reference::of(0.5).significand == 1 << 30);
    CHECK(reference::of(0.5).exponent == 0);
}

TEST_CASE("a significand that rounds up to 2^31 is halved") {
    const arithmetic::multiplier found = reference::of(std::nextafter(1.0, 0.0));
    CHECK(found.significand == 1 << 30);
    CHECK(found.exponent == 1);
}

TEST_CASE("numbers below 2^-32, 0, negative ones and NaN have the multiplier 0") {
    for (const double real : {1e-11, 0.0, -1.0, std::nan("")})
        CHECK(reference::of(real).significand == 0);
}

TEST_CASE("division by a power of two rounds half away from zero") {
    CHECK(reference::divide_by_power(5, 1) == 3);
    CHECK(reference::divide_by_power(-5, 1) == -3);
    CHECK(reference::divide_by_power(-6, 2) == -2);
    CHECK(reference::divide_by_power(-5, 2) == -1);
    CHECK(reference::divide_by_power(INT32_MIN, 31) == -1);
    CHECK(reference::divide_by_power(7, 0) == 7);
}

TEST_CASE("scaling rounds twice: the product, then the shift") {
    // 3/8 * 4/3 = 1/2 - 2^-33 or so: the product's low bits round it up to the tie, and the tie goes away from zero.
    const arithmetic::multiplier by = reference::of(1.0 / 6.0);
    CHECK(reference::scale(3, by) == 1);
    CHECK(reference::scale(-3, by) == -1);
    CHECK(reference::scale(2, by) == 0);
    CHECK(reference::scale(1000, reference::of(2.5)) == 2500);
    CHECK(reference::scale_once(3, 1.0 / 6.0) == 1);
}

TEST_CASE("what does not fit saturates") {
    CHECK(reference::scale(INT32_MAX, reference::of(1e20)) > 1 << 29);
    CHECK(reference::scale(INT32_MIN, reference::of(1e20)) < -(1 << 29));
    CHECK(reference::scale(0, reference::of(1e20)) == 0);
    CHECK(reference::doubling_high_product(INT32_MIN, INT32_MIN) == INT32_MAX);
    CHECK(reference::scale_once(INT32_MAX, 1e300) == INT32_MAX);
}

TEST_CASE("functions in fixed point are close to their real values") {
    for (int i = 1; i < 1000; ++i) {
        const auto raw = static_cast<std::int32_t>(-i * 2000003);
        const double x = raw / 67108864.0;
        CHECK(arithmetic::exp_of_negative(arithmetic::fixed<5>{raw}).raw / 2147483648.0 ==
              doctest::Approx(std::exp(x)).epsilon(1e-6));
    }
    for (int raw = -32768; raw < 32768; raw += 257) {
        const double x = raw / 4096.0;
        CHECK(std::abs(arithmetic::logistic(arithmetic::fixed<3, 16>{raw}).raw / 32768.0 - 1 / (1 + std::exp(-x))) <
              2e-4);
        CHECK(std::abs(arithmetic::tanh(arithmetic::fixed<3, 16>{raw}).raw / 32768.0 - std::tanh(x)) < 4e-4);
    }
    for (const int value : {2, 3, 100, 12345, 1 << 29, INT32_MAX}) {
        const arithmetic::multiplier root = arithmetic::inverse_square_root(value);
        CHECK(std::ldexp(root.significand, root.exponent - 31) == doctest::Approx(1 / std::sqrt(value)).epsilon(1e-6));
    }
}

static_assert(arithmetic::exp_of_negative(arithmetic::fixed<5>{0}).raw == INT32_MAX);
static_assert(reference::scale(-100, {1 << 30, 0}) == -50);
