// SPDX-License-Identifier: Apache-2.0
#include <lpt/plan/spread.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using lpt::plan::spread;

namespace {
double sum(double a, double b) { return a + b; }
}  // namespace

TEST_CASE("A constant is aligned to the last axes of the tensor, and equal numbers become one") {
    spread result;
    REQUIRE(plan::spread_of(make_tensor(f32, shape{3, 1}, {1, 2, 3}), shape{2, 3, 4}, result));
    CHECK(result.dimensions == shape{1, 3, 1});
    CHECK(result.values == std::vector<double>{1, 2, 3});
    CHECK(result.varies_only_along(1));
    CHECK_FALSE(result.varies_only_along(2));
    REQUIRE(plan::spread_of(make_tensor(f32, shape{1, 3, 1}, {5}), shape{3, 4}, result));
    CHECK(result.is(5));
}

TEST_CASE("A constant that would enlarge the tensor is refused") {
    spread result;
    CHECK_FALSE(plan::spread_of(make_tensor(f32, shape{3}, {1, 2, 3}), shape{2, 1}, result));
    CHECK_FALSE(plan::spread_of(make_tensor(f32, shape{2, 3}, {1, 2, 3, 4, 5, 6}), shape{3}, result));
}

TEST_CASE("Numbers are combined by numpy's rule unless that makes more of them") {
    const spread row{shape{1, 2}, {1, 2}};
    const spread column{shape{2, 1}, {10, 20}};
    const spread all{shape{2, 2}, {1, 2, 3, 4}};
    spread result;
    CHECK_FALSE(plan::combine(row, column, result, sum));
    REQUIRE(plan::combine(all, column, result, sum));
    CHECK(result.values == std::vector<double>{11, 12, 23, 24});
    REQUIRE(plan::combine(spread::of(1), row, result, sum));
    CHECK(result.values == std::vector<double>{2, 3});
    CHECK(result.dimensions == row.dimensions);
}
