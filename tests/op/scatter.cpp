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

static_assert(attribute_names<op::scatter_elements_update>(3) == "");
static_assert(attribute_names<op::scatter_elements_update>(12) == "reduction use_init_val");
static_assert(survives_reading(op::scatter_elements_update{op::element_reduction::mean, false}, 12));

TEST_CASE("ScatterUpdate has the shape of its data, and updates have that of the indices in the place of the axis") {
    const op::scatter_update scatter;
    CHECK(inferred(scatter, of(f32, {4, 5, 6}), of(i64, {2, 3}), of(f32, {4, 2, 3, 6}), number(i64, 1)) ==
          "f32[4,5,6]");
    CHECK(inferred(scatter, of(f32, {4, -1}), of(i32, {7}), of(f32, {4, 7}), number(i32, -1)) == "f32[4,?]");
    CHECK(inferred(scatter, of(f32, {4, 5}), of(i32, {7}), anything(), of(i32, {})) == "f32[4,5]");
    LPT_CHECK_WRONG(inferred(scatter, of(f32, {4, 5}), of(i64, {2}), of(f32, {2, 4}), number(i64, 0)),
                    "updates must have shape [2,5], not [2,4]");
    LPT_CHECK_WRONG(inferred(scatter, of(f32, {4, 5}), of(i64, {2}), of(f32, {2, 5}), number(i64, 2)),
                    "axis 2 is outside the 2 axes of the input");
    LPT_CHECK_WRONG(inferred(scatter, of(f32, {4}), of(f32, {2}), of(f32, {2}), number(i64, 0)),
                    "input 1 must be of an integer type, not f32");
    LPT_CHECK_WRONG(inferred(scatter, of(f32, {4}), of(i64, {2}), of(i8, {2}), number(i64, 0)),
                    "data and updates must have one element type, not f32 and i8");
}

TEST_CASE("ScatterElementsUpdate has the shape of its data and refuses indices that do not fit") {
    const op::scatter_elements_update scatter;
    CHECK(inferred(scatter, of(f32, {4, 5}), of(i64, {4, 9}), of(f32, {4, 9}), number(i64, 1)) == "f32[4,5]");
    CHECK(inferred(scatter, of(f32, {4, -1}), of(i64, {-1, 2}), of(f32, {3, -1}), of(i64, {})) == "f32[4,?]");
    LPT_CHECK_WRONG(inferred(scatter, of(f32, {4, 5}), of(i64, {5, 2}), of(f32, {5, 2}), number(i64, 1)),
                    "indices of shape [5,2] do not fit data of shape [4,5]");
    LPT_CHECK_WRONG(inferred(scatter, of(f32, {4, 5}), of(i64, {5}), of(f32, {5}), number(i64, 1)),
                    "indices of shape [5] do not fit data of shape [4,5]");
    LPT_CHECK_WRONG(inferred(scatter, of(f32, {4}), of(i64, {2}), of(f32, {3}), number(i64, 0)),
                    "indices and updates must have one shape, not [2] and [3]");
    LPT_CHECK_WRONG(inferred(op::scatter_elements_update{op::element_reduction::mean}, of(boolean, {4}), of(i64, {2}),
                             of(boolean, {2}), number(i64, 0)),
                    "boolean values have no mean");
}
