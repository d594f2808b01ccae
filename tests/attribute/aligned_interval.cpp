// SPDX-License-Identifier: Apache-2.0
#include <lpt/attribute/aligned_interval.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using attribute::align;
using attribute::interval;

static_assert(align({0, 255}, {0, 2.55f}, {0, 2.55f}).levels == 256);

TEST_CASE("A narrower interval of a group gets fewer levels at the common scale") {
    const attribute::aligned_interval result = align({0, 255}, {0, 2.55f}, {0, 1.275f});
    CHECK(result.levels == 129);
    CHECK(result.scale == doctest::Approx(0.01));
    CHECK(result.zero_point == 0);
    CHECK(result.high == doctest::Approx(127.5));
}

TEST_CASE("The zero point is a whole number where zero lies in the common interval") {
    const attribute::aligned_interval result = align({0, 255}, {-1.28f, 2.55f}, {-1.28f, 1.27f});
    CHECK(result.zero_point == 85);
    CHECK(result.levels == 171);
    CHECK(align({-128, 127}, {-1.28f, 1.27f}, {-1.28f, 1.27f}).zero_point == 0);
}

TEST_CASE("An empty common interval has one level") {
    const attribute::aligned_interval result = align({0, 255}, {1, 1}, {1, 1});
    CHECK(result.levels == 1);
    CHECK(result.scale == 0);
}

TEST_CASE("An interval that is far wider than the common one has more levels than any type") {
    CHECK(align({0, 255}, {0, 2.55f}, {0, 2.55e20f}).levels > std::size_t{1} << 62);
}
