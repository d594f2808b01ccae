// SPDX-License-Identifier: Apache-2.0
#include "inferred.hpp"

#include <lpt/op/state.hpp>

using namespace lpt;
using namespace lpt::test;

static_assert(inferred(op::read_value{"state", f32, {1, 3, -1}}, of(f32, {1, 3, 4})) == "f32[1,3,?]");
static_assert(op::has(op::assign::traits, op::trait::sink) && !op::has(op::read_value::traits, op::trait::sink));
static_assert(attribute_names<op::assign>(3) == "variable_id");
static_assert(attribute_names<op::assign>(6) == "variable_id variable_type variable_shape");
static_assert(survives_reading(op::read_value{"state", u8, {1, -1}}, 6));
static_assert(survives_reading(op::assign{"state", f16, shape::of_dynamic_rank()}, 6));

TEST_CASE("a variable is read from words") {
    CHECK((read<op::read_value>(6, {word("variable_id", "a"), word("variable_type", "f32"),
                                    word("variable_shape", "1,?,4")}) == op::read_value{"a", f32, {1, -1, 4}}));
    CHECK(read<op::assign>(6, {word("variable_shape", "...")}).variable_shape.rank_is_dynamic());
}

TEST_CASE("ReadValue of version 3 is like its initial value") {
    CHECK(inferred(op::read_value{"a"}, 3, of(i8, {1, -1})) == "i8[1,?]");
}

TEST_CASE("ReadValue of version 6 is as its variable is declared, with or without an initial value") {
    CHECK(inferred(op::read_value{"a", f32, {2, 3}}, 6) == "f32[2,3]");
    CHECK(inferred(op::read_value{"a", dynamic, {-1, 3}}, 6, of(f16, {2, 3})) == "f16[?,3]");
}

TEST_CASE("ReadValue refuses an initial value that its variable cannot hold") {
    LPT_CHECK_WRONG(inferred(op::read_value{"a", f32, {2, 3}}, 6, of(f16, {2, 3})),
                    "type f32 of variable 'a', not f16");
    LPT_CHECK_WRONG(inferred(op::read_value{"a", f32, {2, 3}}, 6, of(f32, {2, 4})),
                    "shape [2,3] of variable 'a', not [2,4]");
    LPT_CHECK_WRONG(inferred(op::read_value{"a"}, 3), "version 3 needs an initial value");
}

TEST_CASE("Assign passes its input on and refuses what its variable cannot hold") {
    CHECK(inferred(op::assign{"a"}, 3, of(u8, {1, -1})) == "u8[1,?]");
    CHECK(inferred(op::assign{"a", f32, {-1, 3}}, 6, of(f32, {2, 3})) == "f32[2,3]");
    LPT_CHECK_WRONG(inferred(op::assign{"a", f32, {2, 3}}, 6, of(i8, {2, 3})), "cannot take a value of type i8");
    LPT_CHECK_WRONG(inferred(op::assign{"a", f32, {2, 3}}, 6, of(f32, {2})), "cannot take a value of shape [2]");
}
