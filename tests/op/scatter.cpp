// SPDX-License-Identifier: Apache-2.0
#include "inferred.hpp"

#include <lpt/op/scatter.hpp>

using namespace lpt;
using namespace lpt::test;

static_assert(attribute_names<op::scatter_nd_update>(3) == "");
static_assert(attribute_names<op::scatter_nd_update>(15) == "reduction");
static_assert(survives_reading(op::scatter_nd_update{op::scatter_reduction::sub}, 15));

TEST_CASE("ScatterNDUpdate has the shape of its data") {
    const op::scatter_nd_update scatter;
    CHECK(inferred(scatter, 3, of(f32, {4, 5, 6}), of(i64, {2, 3, 2}), of(f32, {2, 3, 6})) == "f32[4,5,6]");
    CHECK(inferred(scatter, 3, of(f32, {4, -1}), of(i32, {7, 1}), of(f32, {7, 9})) == "f32[4,?]");
    CHECK(inferred(scatter, 15, of(f32, {4}), of(i64, {-1, 1}), of(f32, {3})) == "f32[4]");
}

TEST_CASE("ScatterNDUpdate refuses updates, indices and types that do not fit") {
    const op::scatter_nd_update scatter;
    LPT_CHECK_WRONG(inferred(scatter, 3, of(f32, {4, 5}), of(i64, {2, 1}), of(f32, {2, 4})),
                    "updates must have shape [2,5], not [2,4]");
    LPT_CHECK_WRONG(inferred(scatter, 3, of(f32, {4}), of(i64, {2, 2}), of(f32, {2})),
                    "indices of shape [2,2] name more axes than data of shape [4] has");
    LPT_CHECK_WRONG(inferred(scatter, 3, of(f32, {4}), of(i64, {}), of(f32, {2})),
                    "indices must have an axis for their tuples");
    LPT_CHECK_WRONG(inferred(scatter, 3, of(f32, {4}), of(f32, {2, 1}), of(f32, {2})),
                    "input 1 must be of an integer type, not f32");
    LPT_CHECK_WRONG(inferred(scatter, 3, of(f32, {4}), of(i64, {2, 1}), of(i8, {2})),
                    "data and updates must have one element type, not f32 and i8");
}
