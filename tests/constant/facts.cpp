// SPDX-License-Identifier: Apache-2.0
#include <lpt/constant/facts.hpp>

#include <doctest/doctest.h>

using namespace lpt;

TEST_CASE("values and axes that an answer holds for") {
    const tensor values = make_tensor(f32, shape{4}, {1, 2, -3, -4});
    const auto is_negative = [](double value) { return value < 0; };
    CHECK(first_value(values, is_negative) == 2);
    CHECK(any_value(values, is_negative));
    CHECK(first_value(values, [](double value) { return value == 0; }) == 4);
    CHECK(varies_only_where(shape{1, 3, 1}, [](std::size_t axis) { return axis == 1; }));
    CHECK_FALSE(varies_only_where(shape{2, 3, 1}, [](std::size_t axis) { return axis == 1; }));
    CHECK(count_long_axes(shape{1, 3, 2}) == 2);
}
