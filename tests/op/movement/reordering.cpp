// SPDX-License-Identifier: Apache-2.0
#include "tests/op/inferred.hpp"

#include <lpt/op/movement/reordering.hpp>

using namespace lpt;
using namespace lpt::test;

TEST_CASE("Roll keeps the shape of its data and refuses shifts and axes that do not fit") {
    const input data = of(f32, {4, -1, 6});
    CHECK(inferred(op::roll{}, data, constant(make_indices({1, 2})), constant(make_indices({0, -1}))) == "f32[4,?,6]");
    CHECK(inferred(op::roll{}, data, number(i64, 3), constant(make_indices({0, 1, 2}))) == "f32[4,?,6]");
    CHECK(inferred(op::roll{}, data, anything(), anything()) == "f32[4,?,6]");
    LPT_CHECK_WRONG(inferred(op::roll{}, data, constant(make_indices({1, 2})), constant(make_indices({0, 1, 2}))),
                    "has 2 shifts for 3 axes");
    LPT_CHECK_WRONG(inferred(op::roll{}, data, number(i64, 1), number(i64, 3)),
                    "axis 3 is outside the 3 axes of the input");
    LPT_CHECK_WRONG(inferred(op::roll{}, data, of(i64, {2, 2}), number(i64, 0)),
                    "input 1 must be a number or a list, not a tensor of shape [2,2]");
    LPT_CHECK_WRONG(inferred(op::roll{}, data, of(f32, {1}), number(i64, 0)),
                    "input 1 must be of an integer type, not f32");
}
