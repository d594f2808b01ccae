// SPDX-License-Identifier: Apache-2.0
#include "inferred.hpp"

#include <lpt/op/adaptive_pooling.hpp>

using namespace lpt;
using namespace lpt::test;

static_assert(attribute_names<op::adaptive_max_pool>(8) == "index_element_type");

TEST_CASE("adaptive pooling has as many bins as its second input says") {
    const tensor target = make_indices({3, 4});
    CHECK(inferred(op::adaptive_avg_pool{}, of(f32, {2, 5, -1, 9}), constant(target)) == "f32[2,5,3,4]");
    CHECK(inferred(op::adaptive_max_pool{i32}, of(f16, {2, 5, 7, 9}), constant(target)) == "f16[2,5,3,4] i32[2,5,3,4]");
    CHECK(inferred(op::adaptive_avg_pool{}, of(f32, {2, 5, 7, 9}), of(i64, {2})) == "f32[2,5,?,?]");
    CHECK(inferred(op::adaptive_avg_pool{}, anything(), constant(target)) == "dynamic[?,?,3,4]");
    CHECK(inferred(op::adaptive_avg_pool{}, anything(), anything()) == "dynamic?");
}

TEST_CASE("adaptive pooling refuses shapes, targets and types that it cannot have") {
    const op::adaptive_avg_pool pool;
    LPT_CHECK_WRONG(inferred(pool, of(f32, {2, 5}), constant(make_indices({3}))), "one to three spatial axes");
    LPT_CHECK_WRONG(inferred(pool, of(f32, {2, 5, 6}), constant(make_indices({3, 4}))),
                    "input 1 has 2 values for the 1 axes of the input");
    LPT_CHECK_WRONG(inferred(pool, of(f32, {2, 5, 6}), constant(make_indices({0}))),
                    "a target size must be at least 1, not 0");
    LPT_CHECK_WRONG(inferred(pool, of(f32, {2, 5, 0}), constant(make_indices({1}))), "an axis of size 0");
    LPT_CHECK_WRONG(inferred(op::adaptive_max_pool{u8}, of(f32, {2, 5, 6}), constant(make_indices({1}))),
                    "index_element_type must be i32 or i64, not u8");
}
