// SPDX-License-Identifier: Apache-2.0
#include "inferred.hpp"

#include <lpt/op/bitwise.hpp>

using namespace lpt;
using namespace lpt::test;

static_assert(attribute_names<op::bitwise_and>(13) == "auto_broadcast");
static_assert(attribute_names<op::bitwise_right_shift>(15) == "auto_broadcast");

TEST_CASE_TEMPLATE("functions of the bits of two tensors take integers and booleans of one type", Op, op::bitwise_and,
                   op::bitwise_or, op::bitwise_xor) {
    CHECK(inferred(Op{}, of(u8, {4, 1}), of(u8, {3})) == "u8[4,3]");
    CHECK(inferred(Op{}, of(boolean, {4}), of(boolean, {4})) == "boolean[4]");
    LPT_CHECK_WRONG(inferred(Op{}, of(i32, {4}), of(i64, {4})), "one element type, not i32 and i64");
    LPT_CHECK_WRONG(inferred(Op{}, of(f32, {4}), of(f32, {4})), "input 0 must be of an integer type, not f32");
}

TEST_CASE_TEMPLATE("shifts take integers, not booleans", Op, op::bitwise_left_shift, op::bitwise_right_shift) {
    CHECK(inferred(Op{}, of(i32, {4, 1}), of(i32, {-1})) == "i32[4,?]");
    LPT_CHECK_WRONG(inferred(Op{}, of(boolean, {4}), of(boolean, {4})),
                    "input 0 must be of an integer type, not boolean");
    LPT_CHECK_WRONG(inferred(Op{}, of(i32, {4}), of(i32, {3})), "[4] and [3] do not broadcast");
}

TEST_CASE("BitwiseNot keeps element type and shape of integers and booleans") {
    CHECK(inferred(op::bitwise_not{}, of(i8, {2, -1})) == "i8[2,?]");
    CHECK(inferred(op::bitwise_not{}, of(boolean, {2})) == "boolean[2]");
    LPT_CHECK_WRONG(inferred(op::bitwise_not{}, of(f16, {2})), "input 0 must be of an integer type, not f16");
}
