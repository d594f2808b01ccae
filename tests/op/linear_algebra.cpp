// SPDX-License-Identifier: Apache-2.0
#include "inferred.hpp"

#include <lpt/op/linear_algebra.hpp>

using namespace lpt;
using namespace lpt::test;

static_assert(attribute_names<op::inverse>(14) == "adjoint");

TEST_CASE("Inverse keeps the shape of square matrices and refuses others") {
    CHECK(inferred(op::inverse{}, of(f32, {2, 3, 3})) == "f32[2,3,3]");
    CHECK(inferred(op::inverse{}, of(f32, {-1, 3})) == "f32[3,3]");
    CHECK(inferred(op::inverse{}, of(f32, {3, -1})) == "f32[3,3]");
    LPT_CHECK_WRONG(inferred(op::inverse{}, of(f32, {2, 3, 4})), "needs square matrices, not the shape [2,3,4]");
    LPT_CHECK_WRONG(inferred(op::inverse{}, of(f32, {3})), "needs square matrices, not the shape [3]");
    LPT_CHECK_WRONG(inferred(op::inverse{}, of(i32, {3, 3})), "input 0 must be of a floating point type, not i32");
}
