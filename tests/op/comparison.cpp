// SPDX-License-Identifier: Apache-2.0
#include "inferred.hpp"

#include <lpt/op/comparison.hpp>

using namespace lpt;
using namespace lpt::test;

static_assert(inferred(op::equal{}, of(f32, {2, 1, 4}), of(f32, {3, 1})) == "boolean[2,3,4]");
static_assert(survives_reading(op::select{op::auto_broadcast::none}, 1));
static_assert(attribute_names<op::less>(1) == "auto_broadcast");
static_assert(attribute_names<op::logical_not>(1) == "");

TEST_CASE_TEMPLATE("a comparison gives booleans of the broadcast shape", Op, op::equal, op::not_equal, op::greater,
                   op::greater_equal, op::less, op::less_equal) {
    CHECK(inferred(Op{}, of(i32, {4}), of(i32, {2, 1})) == "boolean[2,4]");
    CHECK(inferred(Op{}, of(i32, {-1, 3}), of(i32, {1, 3})) == "boolean[?,3]");
    CHECK(inferred(Op{}, anything(), of(i32, {1, 3})) == "boolean?");
}

TEST_CASE_TEMPLATE("a comparison refuses different element types and shapes that do not broadcast", Op, op::equal,
                   op::not_equal, op::greater, op::greater_equal, op::less, op::less_equal) {
    LPT_CHECK_WRONG(inferred(Op{}, of(i32, {4}), of(f32, {4})), "one element type, not i32 and f32");
    LPT_CHECK_WRONG(inferred(Op{}, of(i32, {4}), of(i32, {3})), "[4] and [3] do not broadcast");
    LPT_CHECK_WRONG(inferred(Op{{op::auto_broadcast::none}}, of(i32, {4}), of(i32, {1})), "one shape, not [4] and [1]");
}

TEST_CASE_TEMPLATE("logical operations take and give booleans", Op, op::logical_and, op::logical_or, op::logical_xor) {
    CHECK(inferred(Op{}, of(boolean, {4, 1}), of(boolean, {3})) == "boolean[4,3]");
    CHECK(inferred(Op{}, anything(), of(boolean, {3})) == "boolean?");
    LPT_CHECK_WRONG(inferred(Op{}, of(boolean, {4}), of(i32, {4})), "input 1 must be boolean, not i32");
}

TEST_CASE("LogicalNot keeps the shape of a boolean tensor and refuses other types") {
    CHECK(inferred(op::logical_not{}, of(boolean, {2, -1})) == "boolean[2,?]");
    LPT_CHECK_WRONG(inferred(op::logical_not{}, of(f32, {2})), "must be boolean, not f32");
}

TEST_CASE("Select broadcasts condition and values to each other") {
    CHECK(inferred(op::select{}, of(boolean, {5, 1, 1}), of(f32, {3, 1}), of(f32, {4})) == "f32[5,3,4]");
    CHECK(inferred(op::select{}, of(boolean, {-1, 3}), anything(), of(f16, {3})) == "f16?");
}

TEST_CASE("Select without broadcasting merges what is known of the one shape") {
    const op::select strict{op::auto_broadcast::none};
    CHECK(inferred(strict, of(boolean, {-1, 3}), of(f32, {2, -1}), of(f32, {-1, -1})) == "f32[2,3]");
    LPT_CHECK_WRONG(inferred(strict, of(boolean, {1}), of(f32, {2}), of(f32, {2})),
                    "a condition of shape [1] does not fit");
}

TEST_CASE("Select by the rule of pdpd has the shape of the first value") {
    const op::select towards_first{op::auto_broadcast::pdpd};
    CHECK(inferred(towards_first, of(boolean, {1}), of(f32, {2, 3}), of(f32, {3})) == "f32[2,3]");
}

TEST_CASE("Select refuses conditions that are not boolean and values of different types") {
    LPT_CHECK_WRONG(inferred(op::select{}, of(u8, {2}), of(f32, {2}), of(f32, {2})), "input 0 must be boolean, not u8");
    LPT_CHECK_WRONG(inferred(op::select{}, of(boolean, {2}), of(f32, {2}), of(i8, {2})), "not f32 and i8");
    LPT_CHECK_WRONG(inferred(op::select{}, of(boolean, {3}), of(f32, {2}), of(f32, {2})),
                    "does not fit values of shape [2]");
}

static_assert(attribute_names<op::is_inf>(10) == "detect_negative detect_positive");

TEST_CASE_TEMPLATE("questions about real numbers give booleans", Op, op::is_nan, op::is_inf, op::is_finite) {
    CHECK(inferred(Op{}, of(f16, {2, -1})) == "boolean[2,?]");
    LPT_CHECK_WRONG(inferred(Op{}, of(i32, {2})), "input 0 must be of a floating point type, not i32");
}
