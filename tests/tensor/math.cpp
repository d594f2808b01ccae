// SPDX-License-Identifier: Apache-2.0
#include <lpt/tensor/math.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>

namespace {

using namespace lpt;

static_assert(math::truncate(-2.7) == -2 && math::floor(-2.1) == -3 && math::ceil(2.1) == 3 && math::floor(5.0) == 5);
static_assert(math::round_half_even(2.5) == 2 && math::round_half_even(3.5) == 4 && math::round_half_even(-0.5) == 0);
static_assert(math::round_half_away(2.5) == 3 && math::round_half_away(-2.5) == -3);
static_assert(math::sign_bit(math::round_half_even(-0.4)) && math::sign_bit(math::truncate(-0.0)));
static_assert(math::round_half_even(8388609.0f) == 8388609.0f && math::round_half_even(0.49999997f) == 0);
static_assert(math::is_nan(math::not_a_number) && math::is_infinite(-math::infinity) &&
              !math::is_finite(math::infinity));

}  // namespace

TEST_CASE("rounding agrees with the C library for halves, large and small values") {
    for (int i = -4000; i <= 4000; ++i) {
        const double value = i * 0.125;
        REQUIRE(math::truncate(value) == std::trunc(value));
        REQUIRE(math::floor(value) == std::floor(value));
        REQUIRE(math::ceil(value) == std::ceil(value));
        REQUIRE(math::round_half_even(value) == std::nearbyint(value));
        REQUIRE(math::round_half_away(value) == std::round(value));
        const auto single = static_cast<float>(i) * 8388.75f;
        REQUIRE(math::round_half_even(single) == std::nearbyint(single));
        REQUIRE(math::round_half_away(single) == std::round(single));
    }
    for (const double value : {0.49999999999999994, 4503599627370495.5, 4503599627370497.0, 1e300, -1e300, 9.3e18}) {
        CHECK(math::round_half_even(value) == std::nearbyint(value));
        CHECK(math::round_half_away(value) == std::round(value));
        CHECK(math::floor(value) == std::floor(value));
    }
}

TEST_CASE("functions of constant expressions agree with the C library") {
    for (double value = -30; value <= 30; value += 0.37) {
        REQUIRE(math::detail::exp(value) == doctest::Approx(std::exp(value)).epsilon(1e-13));
        REQUIRE(math::detail::tanh(value) == doctest::Approx(std::tanh(value)).epsilon(1e-12));
        REQUIRE(math::detail::erf(value) == doctest::Approx(std::erf(value)).epsilon(1e-13));
    }
    for (double value = 1e-12; value < 1e13; value *= 1.7) {
        REQUIRE(math::detail::sqrt(value) == doctest::Approx(std::sqrt(value)).epsilon(1e-14));
        REQUIRE(math::detail::log(value) == doctest::Approx(std::log(value)).epsilon(1e-13));
        REQUIRE(math::detail::power(value, 1.3) == doctest::Approx(std::pow(value, 1.3)).epsilon(1e-12));
        REQUIRE(math::detail::power(-value, 3) == doctest::Approx(std::pow(-value, 3)).epsilon(1e-13));
    }
    CHECK(math::is_nan(math::detail::sqrt(-1)));
    CHECK(math::detail::sqrt(math::infinity) == math::infinity);
    CHECK(math::is_nan(math::detail::log(-1)));
    CHECK(math::detail::log(0) == -math::infinity);
    CHECK(math::is_nan(math::detail::power(-2, 0.5)));
    CHECK(math::detail::exp(1000) == math::infinity);
    CHECK(math::detail::exp(-1000) == 0);
    CHECK(math::is_nan(math::detail::exp(math::not_a_number)));
}
