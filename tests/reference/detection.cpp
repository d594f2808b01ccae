// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/helpers.hpp"

#include <cmath>

using namespace lpt;
using lpt::test::check_first;
using lpt::test::check_values;
using lpt::test::counting;
using lpt::test::f32_of;

namespace {

tensor number(double value) { return make_scalar(f32, value); }

/// Four boxes of one image: the second lies half over the first, the third is the first with its corners exchanged, the fourth is elsewhere.
tensor four_boxes() { return f32_of({1, 4, 4}, {0, 0, 1, 1, 0, 0.5, 1, 1.5, 1, 1, 0, 0, 5, 5, 6, 6}); }

seq<tensor> kept(const op::non_max_suppression& what, double overlap, double least, double sigma = 0, double most = 9,
                 view<double> scores = {0.9, 0.8, 0.7, 0.6}) {
    return lpt::test::run(what, {four_boxes(), f32_of({1, 1, 4}, scores), make_scalar(i64, most), number(overlap),
                                 number(least), number(sigma)});
}

}  // namespace

TEST_CASE("NonMaxSuppression drops boxes that lie over one with a greater score, whichever corners are given") {
    const seq<tensor> result = kept({}, 0.5, 0);
    check_values(result[0], {3, 3}, {0, 0, 0, 0, 0, 1, 0, 0, 3});
    check_values(result[1], {3, 3}, {0, 0, 0.9, 0, 0, 0.8, 0, 0, 0.6});
    check_values(result[2], {1}, {3});
    // A third of the union of the first two is in both.
    check_values(kept({}, 0.3, 0)[0], {2, 3}, {0, 0, 0, 0, 0, 3});
    // What has just the threshold stays.
    check_values(kept({}, 1, 0)[0], {4, 3}, {0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 3});
}

TEST_CASE("NonMaxSuppression keeps at most so many boxes a class, and only those above the score threshold") {
    check_values(kept({}, 0.5, 0.6)[0], {2, 3}, {0, 0, 0, 0, 0, 1});
    check_values(kept({}, 0.5, 0, 0, 1)[0], {1, 3}, {0, 0, 0});
    check_values(kept({}, 0.5, 0, 0, 0)[2], {1}, {0});
    check_values(kept({}, 0.5, 0, 0, -3)[2], {1}, {0});
    check_values(kept({}, 0.5, 0, 0, 9, {0.1, NAN, 0.2, 0.3})[0], {2, 3}, {0, 0, 3, 0, 0, 2});
}

TEST_CASE("NonMaxSuppression with sigma lowers the scores of boxes that lie over kept ones") {
    const double lowered = 0.8 * std::exp(-0.5 / 0.5 / 9);  // a third is in both
    const seq<tensor> result = kept({}, 0.5, 0, 0.5);
    check_values(result[0], {3, 3}, {0, 0, 0, 0, 0, 1, 0, 0, 3});
    check_values(result[1], {3, 3}, {0, 0, 0.9, 0, 0, lowered, 0, 0, 0.6});
    check_values(kept({}, 0.5, 0.75, 0.5)[0], {1, 3}, {0, 0, 0});
    // What is lowered comes behind what is greater now.
    check_values(kept({}, 0.5, 0, 0.1)[0], {3, 3}, {0, 0, 0, 0, 0, 3, 0, 0, 1});
}

TEST_CASE("NonMaxSuppression gives images and classes one after the other, or all in the order of scores") {
    const tensor boxes = f32_of({2, 1, 4}, {0.5, 0.5, 1, 1, 0.5, 0.5, 1, 1});
    const tensor scores = f32_of({2, 2, 1}, {0.2, 0.4, 0.3, 0.1});
    op::non_max_suppression what{op::box_encoding::center, false, i32};
    const seq<tensor> inputs{boxes, scores, make_scalar(i32, 1)};
    check_values(lpt::test::run(what, inputs)[0], {4, 3}, {0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0});
    what.sort_result_descending = true;
    check_values(lpt::test::run(what, inputs)[0], {4, 3}, {0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 1, 0});
    check_values(lpt::test::run(what, {boxes, scores})[2], {1}, {0});
}

TEST_CASE("ROIAlign takes the mean of samples between the elements") {
    // Elements are 4 * row + column, so that a bilinear mean is that of the place.
    const tensor image = counting({1, 1, 4, 4});
    const tensor region = f32_of({1, 4}, {0, 0, 2, 2});
    const tensor of_image = make_integer_tensor(i64, {1}, {0});
    op::roi_align pool{.pooled_h = 2, .pooled_w = 2, .sampling_ratio = 2};
    check_first(pool, {image, region, of_image}, {1, 1, 2, 2}, {2.5, 3.5, 6.5, 7.5});
    pool.aligned_mode = op::roi_aligned_mode::half_pixel_for_nn;
    check_first(pool, {image, f32_of({1, 4}, {1, 1, 3, 3}), of_image}, {1, 1, 2, 2}, {5, 6, 9, 10});
    pool.aligned_mode = op::roi_aligned_mode::half_pixel;
    pool.spatial_scale = 0.5;
    check_first(pool, {image, f32_of({1, 4}, {1.5, 1.5, 5.5, 5.5}), of_image}, {1, 1, 2, 2}, {5, 6, 9, 10});
}

TEST_CASE("ROIAlign: max takes the greatest weighted element, samples outside are 0, small regions count as 1 wide") {
    const tensor image = f32_of({1, 1, 2, 2}, {1, 2, 3, 8});
    const tensor of_image = make_integer_tensor(i64, {1}, {0});
    op::roi_align pool{.sampling_ratio = 1, .mode = op::roi_pooling::max};
    check_first(pool, {image, f32_of({1, 4}, {0, 0, 1, 1}), of_image}, {1, 1, 1, 1}, {2});
    pool.mode = op::roi_pooling::avg;
    check_first(pool, {image, f32_of({1, 4}, {0, 0, 0, 0}), of_image}, {1, 1, 1, 1}, {3.5});
    check_first(pool, {image, f32_of({1, 4}, {-5, 0, -4, 1}), of_image}, {1, 1, 1, 1}, {0});
    pool.sampling_ratio = 0;
    check_first(pool, {image, f32_of({1, 4}, {0, 0, 2, 2}), of_image}, {1, 1, 1, 1}, {(3.5 + 5 + 5.5 + 8) / 4});
}

TEST_CASE("ROIAlign refuses images that are not there and regions that nothing can sample") {
    const tensor image = counting({2, 1, 2, 2});
    const tensor region = f32_of({1, 4}, {0, 0, 1, 1});
    CHECK_THROWS_WITH_AS(lpt::test::run(op::roi_align{}, {image, region, make_integer_tensor(i64, {1}, {2})}),
                         "ROIAlign 'tested': region 0 is of image 2, but there are 2", lpt::error);
    CHECK_THROWS_AS(lpt::test::run(op::roi_align{}, {image, region, make_integer_tensor(i64, {1}, {-1})}), lpt::error);
    for (const double end : {1e6, 1e30, math::infinity, math::not_a_number}) {
        CHECK_THROWS_AS(lpt::test::run(op::roi_align{},
                                       {image, f32_of({1, 4}, {0, 0, end, 1}), make_integer_tensor(i64, {1}, {0})}),
                        lpt::error);
    }
}
