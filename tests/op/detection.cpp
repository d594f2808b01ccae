// SPDX-License-Identifier: Apache-2.0
#include "inferred.hpp"

#include <lpt/op/detection.hpp>

using namespace lpt;
using namespace lpt::test;

static_assert(attribute_names<op::non_max_suppression>(9) == "box_encoding sort_result_descending output_type");
static_assert(attribute_names<op::roi_align>(3) == "pooled_h pooled_w sampling_ratio spatial_scale mode");
static_assert(attribute_names<op::roi_align>(9) == "pooled_h pooled_w sampling_ratio spatial_scale mode aligned_mode");
static_assert(survives_reading(op::non_max_suppression{op::box_encoding::center, false, i32}, 9));
static_assert(survives_reading(op::roi_align{2, 3, 4, 0.5, op::roi_pooling::max, op::roi_aligned_mode::half_pixel}, 9));

TEST_CASE("NonMaxSuppression does not say how many boxes it keeps") {
    CHECK(inferred(op::non_max_suppression{}, 9, of(f32, {2, 8, 4}), of(f32, {2, 3, 8})) == "i64[?,3] f32[?,3] i64[1]");
    CHECK(inferred(op::non_max_suppression{.output_type = i32}, 5, anything(), of(f16, {1, 1, 8}), number(i64, 3)) ==
          "i32[?,3] f16[?,3] i32[1]");
}

TEST_CASE("NonMaxSuppression refuses boxes, scores and limits that do not fit") {
    const op::non_max_suppression choose;
    LPT_CHECK_WRONG(inferred(choose, 9, of(f32, {2, 8, 5}), of(f32, {2, 3, 8})),
                    "boxes (input 0) must have shape [?,?,4], not [2,8,5]");
    LPT_CHECK_WRONG(inferred(choose, 9, of(f32, {2, 8, 4}), of(f32, {2, 3, 9})),
                    "scores (input 1) must have shape [2,?,8], not [2,3,9]");
    LPT_CHECK_WRONG(inferred(choose, 9, of(i32, {2, 8, 4}), of(f32, {2, 3, 8})),
                    "input 0 must be of a floating point type, not i32");
    LPT_CHECK_WRONG(inferred(choose, 9, of(f32, {2, 8, 4}), of(f32, {2, 3, 8}), of(f32, {})),
                    "input 2 must be of an integer type, not f32");
    LPT_CHECK_WRONG(inferred(choose, 9, of(f32, {2, 8, 4}), of(f32, {2, 3, 8}), of(i64, {2})),
                    "input 2 must be a single number, not a tensor of shape [2]");
    LPT_CHECK_WRONG(inferred(op::non_max_suppression{.output_type = f32}, 9, of(f32, {2, 8, 4}), of(f32, {2, 3, 8})),
                    "output_type must be i32 or i64, not f32");
}

TEST_CASE("ROIAlign gives each region its bins") {
    const op::roi_align pool{.pooled_h = 3, .pooled_w = 2};
    CHECK(inferred(pool, 9, of(f32, {2, 5, 8, 9}), of(f32, {7, 4}), of(i32, {7})) == "f32[7,5,3,2]");
    CHECK(inferred(pool, 3, of(f32, {2, 5, 8, 9}), of(f32, {-1, 4}), of(i64, {-1})) == "f32[?,5,3,2]");
}

TEST_CASE("ROIAlign refuses regions, images and attributes that do not fit") {
    const op::roi_align pool{.pooled_h = 3, .pooled_w = 2};
    LPT_CHECK_WRONG(inferred(pool, 9, of(f32, {2, 5, 8}), of(f32, {7, 4}), of(i32, {7})),
                    "data (input 0) must have shape [?,?,?,?], not [2,5,8]");
    LPT_CHECK_WRONG(inferred(pool, 9, of(f32, {2, 5, 8, 9}), of(f32, {7, 4}), of(i32, {6})),
                    "images (input 2) must have shape [7], not [6]");
    LPT_CHECK_WRONG(inferred(pool, 9, of(f32, {2, 5, 8, 9}), of(f32, {7, 4}), of(f32, {7})),
                    "input 2 must be of an integer type, not f32");
    LPT_CHECK_WRONG(inferred(op::roi_align{.pooled_h = 0}, 9, of(f32, {2, 5, 8, 9}), of(f32, {7, 4}), of(i32, {7})),
                    "pooled_h must be at least 1, not 0");
    LPT_CHECK_WRONG(
        inferred(op::roi_align{.sampling_ratio = -2}, 9, of(f32, {2, 5, 8, 9}), of(f32, {7, 4}), of(i32, {7})),
        "sampling_ratio must be at least -1, not -2");
}
