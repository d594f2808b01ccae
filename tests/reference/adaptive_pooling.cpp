// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/helpers.hpp"

using namespace lpt;
using lpt::test::check_first;
using lpt::test::check_values;
using lpt::test::counting;
using lpt::test::f32_of;
using lpt::test::run;

TEST_CASE("AdaptiveAvgPool takes the mean of bins that may share elements") {
    const tensor x = f32_of({1, 1, 5}, {1, 2, 3, 4, 10});
    check_first(op::adaptive_avg_pool{}, {x, make_indices({2})}, {1, 1, 2}, {2, 17.0 / 3});
    check_first(op::adaptive_avg_pool{}, {x, make_indices({5})}, {1, 1, 5}, {1, 2, 3, 4, 10});
    check_first(op::adaptive_avg_pool{}, {f32_of({1, 1, 2}, {1, 3}), make_indices({3})}, {1, 1, 3}, {1, 2, 3});
    check_first(op::adaptive_avg_pool{}, {counting({1, 2, 2, 4}), make_indices({1, 2})}, {1, 2, 1, 2},
                {2.5, 4.5, 10.5, 12.5});
}

TEST_CASE("AdaptiveMaxPool gives values and their places over the spatial axes, the first of equal ones") {
    const tensor x = f32_of({1, 2, 2, 3}, {1, 5, 2, 7, 0, 7, -3, -1, -1, -2, -5, -1});
    const seq<tensor> made = run(op::adaptive_max_pool{i32}, {x, make_indices({1, 2})});
    check_values(made[0], {1, 2, 1, 2}, {7, 7, -1, -1});
    CHECK(integers_of(made[1]) == integers{3, 5, 1, 1});
    CHECK(made[1].type() == i32);
    const tensor volume = counting({1, 1, 2, 2, 2});
    CHECK(integers_of(run(op::adaptive_max_pool{}, {volume, make_indices({1, 2, 1})})[1]) == integers{5, 7});
}
