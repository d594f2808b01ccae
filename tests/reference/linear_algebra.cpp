// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/helpers.hpp"

#include <cmath>

using namespace lpt;
using lpt::test::check_first;
using lpt::test::f32_of;
using lpt::test::run;

TEST_CASE("Inverse inverts each matrix, rows exchanged where a column begins with zero") {
    const tensor x = f32_of({2, 2, 2}, {4, 7, 2, 6, 0, 2, 1, 0});
    check_first(op::inverse{}, {x}, {2, 2, 2}, {0.6, -0.7, -0.2, 0.4, 0, 1, 0.5, 0});
    check_first(op::inverse{true}, {x}, {2, 2, 2}, {0.6, -0.2, -0.7, 0.4, 0, 0.5, 1, 0});
    const tensor turned = f32_of({3, 3}, {0, 0, 2, 4, 0, 0, 0, 5, 0});
    check_first(op::inverse{}, {turned}, {3, 3}, {0, 0.25, 0, 0, 0, 0.2, 0.5, 0, 0});
}

TEST_CASE("Inverse of a matrix that has none is no finite matrix") {
    const tensor result = run(op::inverse{}, {f32_of({2, 2}, {1, 2, 2, 4})})[0];
    CHECK_FALSE(std::isfinite(result.real(0)));
}
