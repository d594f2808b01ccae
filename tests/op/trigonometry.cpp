// SPDX-License-Identifier: Apache-2.0
#include "inferred.hpp"

#include <lpt/op/trigonometry.hpp>

using namespace lpt;
using namespace lpt::test;

TEST_CASE_TEMPLATE("circular and hyperbolic functions keep element type and shape", Op, op::tan, op::asin, op::acos,
                   op::atan, op::sinh, op::cosh, op::asinh, op::acosh, op::atanh) {
    CHECK(inferred(Op{}, of(f16, {1, -1, 4})) == "f16[1,?,4]");
    CHECK(inferred(Op{}, anything()) == "dynamic?");
}
