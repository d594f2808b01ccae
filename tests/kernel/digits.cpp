// SPDX-License-Identifier: Apache-2.0
#include <lpt/kernel/digits.hpp>

#include "tests/kernel/support.hpp"

#include <doctest/doctest.h>

using namespace kernel_test;

namespace {

using digits = k::digits<k::on::scalar>;

struct row {
    std::vector<std::uint8_t> high, low;
    float scale;

    explicit row(const std::vector<float>& numbers) : high(numbers.size()), low(numbers.size()) {
        scale = digits::split(numbers.data(), static_cast<std::int64_t>(numbers.size()), high.data(), low.data());
    }
    double operator[](std::size_t i) const {
        const int code = 256 * (high[i] - digits::zero_point) + low[i] - digits::zero_point;
        return static_cast<double>(scale) * code;
    }
};

}  // namespace

TEST_CASE("digits are within half a step of their numbers, and give the greatest one back") {
    generator random(5);
    const guarded<float> numbers = random_floats(random, 1000, -3, 3);
    std::vector<float> given(numbers.data(), numbers.data() + numbers.size());
    given[17] = -3.5f;
    const row made(given);
    CHECK(made.scale == doctest::Approx(3.5 / 32639));
    CHECK(made[17] == doctest::Approx(-3.5).epsilon(1e-7));
    for (std::size_t i = 0; i < given.size(); ++i)
        CHECK(std::abs(made[i] - static_cast<double>(given[i])) <= 0.506 * static_cast<double>(made.scale));
}

TEST_CASE("a row of zeros, or of next to nothing, has the scale 0") {
    CHECK(row({0.0f, -0.0f}).scale == 0);
    CHECK(row({1e-31f, -1e-40f}).scale == 0);
    CHECK(row({2e-30f}).scale > 0);
}

TEST_CASE("a row with an infinity or NaN has the scale NaN") {
    CHECK(std::isnan(row({1.0f, std::numeric_limits<float>::infinity()}).scale));
    CHECK(std::isnan(row({std::numeric_limits<float>::quiet_NaN(), 0.0f}).scale));
}

TEST_CASE("sums of digits are joined as their numbers are") {
    const std::vector<float> high{1, -2, 100}, low{3, -128, 0};
    std::vector<float> joined(3);
    digits::join(high.data(), low.data(), 0.5f, 3, joined.data());
    CHECK(joined == std::vector<float>{129.5f, -320, 12800});
}
