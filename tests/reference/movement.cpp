// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/helpers.hpp"

using namespace lpt;
using lpt::test::check_first;
using lpt::test::counting;
using lpt::test::run;

TEST_CASE("Roll moves elements round their axes") {
    const tensor x = counting({2, 3});
    const auto rolled = [&](view<std::int64_t> shifts, view<std::int64_t> axes, view<double> expected) {
        check_first(op::roll{}, {x, make_indices(shifts), make_indices(axes)}, {2, 3}, expected);
    };
    rolled({1}, {1}, {2, 0, 1, 5, 3, 4});
    rolled({-1}, {-1}, {1, 2, 0, 4, 5, 3});
    rolled({1, 2}, {0, 1}, {4, 5, 3, 1, 2, 0});
    rolled({1}, {0, 1}, {5, 3, 4, 2, 0, 1});
    rolled({2, 3, 1}, {1, 0, 1}, {3, 4, 5, 0, 1, 2});
    rolled({INT64_MAX, INT64_MIN}, {1, 0}, {2, 0, 1, 5, 3, 4});
}

TEST_CASE("Roll moves elements of half a byte") {
    const tensor x = make_integer_tensor(u4, {3}, {1, 2, 3});
    CHECK(integers_of(run(op::roll{}, {x, make_indices({1}), make_indices({0})})[0]) == integers{3, 1, 2});
}

TEST_CASE("GatherElements chooses each element by an index of its own") {
    const tensor x = counting({2, 3});
    check_first(op::gather_elements{1}, {x, make_integer_tensor(i32, {2, 2}, {2, 0, -1, -3})}, {2, 2}, {2, 0, 5, 3});
    check_first(op::gather_elements{0}, {x, make_integer_tensor(i64, {1, 3}, {1, 0, -1})}, {1, 3}, {3, 1, 5});
    const tensor outside = make_integer_tensor(i64, {2, 1}, {0, 3});
    CHECK_THROWS_WITH_AS(run(op::gather_elements{1}, {x, outside}),
                         "GatherElements 'tested': index 3 is outside an axis of size 3", lpt::error);
}
