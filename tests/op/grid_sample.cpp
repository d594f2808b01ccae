// SPDX-License-Identifier: Apache-2.0
#include "inferred.hpp"

#include <lpt/op/grid_sample.hpp>

using namespace lpt;
using namespace lpt::test;

static_assert(attribute_names<op::grid_sample>(9) == "align_corners mode padding_mode");
static_assert(survives_reading(op::grid_sample{true, op::grid_sample_mode::bicubic, op::grid_sample_padding::border},
                               9));

TEST_CASE("GridSample has the channels of its image and the places of its grid") {
    const op::grid_sample sample;
    CHECK(inferred(sample, of(f16, {2, 3, 8, 9}), of(f32, {2, 4, 5, 2})) == "f16[2,3,4,5]");
    CHECK(inferred(sample, of(f32, {-1, 3, 8, 9}), of(f32, {2, -1, 5, 2})) == "f32[2,3,?,5]");
    CHECK(inferred(sample, anything(), anything()) == "dynamic[?,?,?,?]");
}

TEST_CASE("GridSample refuses images and grids that do not fit") {
    const op::grid_sample sample;
    LPT_CHECK_WRONG(inferred(sample, of(f32, {2, 3, 8}), of(f32, {2, 4, 5, 2})), "data (input 0) must have shape");
    LPT_CHECK_WRONG(inferred(sample, of(f32, {2, 3, 8, 9}), of(f32, {3, 4, 5, 2})),
                    "the grid (input 1) must have shape [2,?,?,2], not [3,4,5,2]");
    LPT_CHECK_WRONG(inferred(sample, of(f32, {2, 3, 8, 9}), of(f32, {2, 4, 5, 3})),
                    "the grid (input 1) must have shape [2,?,?,2], not [2,4,5,3]");
    LPT_CHECK_WRONG(inferred(sample, of(f32, {2, 3, 8, 9}), of(i32, {2, 4, 5, 2})),
                    "input 1 must be of a floating point type, not i32");
    LPT_CHECK_WRONG(inferred(sample, of(f32, {2, 3, 0, 9}), of(f32, {2, 4, 5, 2})), "has nothing to sample");
}
