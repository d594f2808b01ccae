// SPDX-License-Identifier: Apache-2.0
#include "inferred.hpp"

#include <lpt/op/reduction.hpp>

using namespace lpt;
using namespace lpt::test;

// In a function, because g++ 12 cannot compare addresses of temporaries outside of one.
static_assert([] {
    return inferred(op::reduce_mean{{true}}, of(f32, {1, 3, 4, 4}), indices({2, 3})) == "f32[1,3,1,1]";
}());
static_assert(op::has(op::reduce_max::traits, op::trait::precision_preserved));
static_assert(!op::has(op::reduce_mean::traits, op::trait::precision_preserved));
static_assert(op::has(op::reduce_sum::traits, op::trait::relaxable) &&
              op::has(op::reduce_mean::traits, op::trait::relaxable));
static_assert(!op::has(op::reduce_prod::traits, op::trait::relaxable));
static_assert(survives_reading(op::reduce_l2{{true}}, 4));
static_assert(attribute_names<op::reduce_min>(1) == "keep_dims");

TEST_CASE_TEMPLATE("a reduction removes its axes, or keeps them with size 1", Op, op::reduce_max, op::reduce_min,
                   op::reduce_mean, op::reduce_sum, op::reduce_prod, op::reduce_l1, op::reduce_l2) {
    CHECK(inferred(Op{}, of(f32, {2, 3, 4}), indices({1})) == "f32[2,4]");
    CHECK(inferred(Op{{true}}, of(f32, {2, 3, 4}), indices({-1, 0})) == "f32[1,3,1]");
    CHECK(inferred(Op{}, of(u8, {2, -1, 4}), number(i32, -3)) == "u8[?,4]");
    CHECK(inferred(Op{}, of(f32, {2, 3}), indices({0, 1})) == "f32[]");
}

TEST_CASE("a reduction along no axes keeps the shape") {
    CHECK(inferred(op::reduce_sum{}, of(f32, {2, 3}), indices({})) == "f32[2,3]");
    CHECK(inferred(op::reduce_sum{}, of(f32, {2, 3}), of(i64, {0})) == "f32[2,3]");
}

TEST_CASE("a reduction of data of unknown rank gives data of unknown rank") {
    CHECK(inferred(op::reduce_sum{{true}}, anything(), indices({0})) == "dynamic?");
}

TEST_CASE("with unknown axes a kept axis is unknown unless its size is 1") {
    CHECK(inferred(op::reduce_max{{true}}, of(f32, {1, 3, 4}), of(i64, {2})) == "f32[1,?,?]");
    CHECK(inferred(op::reduce_max{{true}}, of(f32, {1, 3, 4}), of(i64, {-1})) == "f32[1,?,?]");
    CHECK(inferred(op::reduce_max{{true}}, of(f32, {1, 3, 4}), partly({2, op::unknown_value})) == "f32[1,?,1]");
}

TEST_CASE("without kept axes one unknown axis leaves the rank known, several do not") {
    CHECK(inferred(op::reduce_max{}, of(f32, {1, 3, 4}), of(i64, {})) == "f32[?,?]");
    CHECK(inferred(op::reduce_max{}, of(f32, {1, 3, 4}), of(i64, {2})) == "f32?");
    CHECK(inferred(op::reduce_max{}, of(f32, {1, 3, 4}), anything()) == "f32?");
}

TEST_CASE("an axis that is named twice counts once, and a scalar reduces to itself") {
    CHECK(inferred(op::reduce_sum{}, of(f32, {2, 3}), indices({1, -1})) == "f32[2]");
    CHECK(inferred(op::reduce_sum{}, of(f32, {}), indices({0})) == "f32[]");
}

TEST_CASE("a reduction refuses axes outside the rank, axes that are no integers and tables of axes") {
    LPT_CHECK_WRONG(inferred(op::reduce_sum{}, of(f32, {2, 3}), indices({2})), "axis 2 is outside the rank");
    LPT_CHECK_WRONG(inferred(op::reduce_sum{}, of(f32, {2, 3}), indices({-3})), "axis -3 is outside the rank");
    LPT_CHECK_WRONG(inferred(op::reduce_sum{}, of(f32, {2, 3}), of(f32, {1})),
                    "input 1 must be of an integer type, not f32");
    LPT_CHECK_WRONG(inferred(op::reduce_sum{}, of(f32, {2, 3}), of(i64, {1, 1})), "not shape [1,1]");
}

TEST_CASE_TEMPLATE("logical reductions are for booleans", Op, op::reduce_logical_and, op::reduce_logical_or) {
    CHECK(inferred(Op{}, of(boolean, {2, 3}), indices({0})) == "boolean[3]");
    LPT_CHECK_WRONG(inferred(Op{}, of(f32, {2, 3}), indices({0})), "data must be boolean, not f32");
}
