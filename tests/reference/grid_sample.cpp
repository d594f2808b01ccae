// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/helpers.hpp"

#include <limits>

using namespace lpt;
using lpt::test::check_first;
using lpt::test::counting;
using lpt::test::f32_of;

namespace {

using sampling = op::grid_sample_mode;
using padding = op::grid_sample_padding;

}  // namespace

TEST_CASE("GridSample takes samples between elements, from the middles or the edges of the outermost ones") {
    const tensor image = counting({1, 1, 2, 3});
    const tensor grid = f32_of({1, 1, 3, 2}, {-1, -1, 0, 0, 0.5, 1});
    check_first(op::grid_sample{true}, {image, grid}, {1, 1, 1, 3}, {0, 2.5, 4.5});
    check_first(op::grid_sample{false, sampling::bilinear, padding::border}, {image, grid}, {1, 1, 1, 3},
                {0, 2.5, 4.75});
    check_first(op::grid_sample{false}, {image, grid}, {1, 1, 1, 3}, {0, 2.5, 2.375});  // half outside, which is 0
}

TEST_CASE("GridSample has zeros, the nearest element or a mirror image outside") {
    const tensor image = f32_of({1, 1, 1, 3}, {1, 2, 4});
    const tensor grid = f32_of({1, 1, 2, 2}, {-3, 0, 2, 0});  // the places -2 and 3 with align_corners
    const auto sampled = [&](padding how, view<double> expected) {
        check_first(op::grid_sample{true, sampling::nearest, how}, {image, grid}, {1, 1, 1, 2}, expected);
    };
    sampled(padding::zeros, {0, 0});
    sampled(padding::border, {1, 4});
    sampled(padding::reflection, {4, 2});
    const tensor edges = f32_of({1, 1, 2, 2}, {-4.0 / 3, 0, 5.0 / 3, 0});  // the places -1 and 3.5 without
    check_first(op::grid_sample{false, sampling::bilinear, padding::reflection}, {image, edges}, {1, 1, 1, 2}, {1, 3});
}

TEST_CASE("GridSample of one element, and at places that are no numbers or far away") {
    const double none = std::numeric_limits<double>::quiet_NaN();
    const tensor grid = f32_of({1, 1, 3, 2}, {none, 0, 1e30, 0, -1e30, 0});
    for (const sampling how : {sampling::bilinear, sampling::nearest}) {
        check_first(op::grid_sample{true, how, padding::border}, {f32_of({1, 1, 1, 2}, {3, 5}), grid}, {1, 1, 1, 3},
                    {3, 5, 3});
        check_first(op::grid_sample{true, how, padding::reflection}, {f32_of({1, 1, 1, 1}, {3}), grid}, {1, 1, 1, 3},
                    {3, 3, 3});
    }
}

TEST_CASE("GridSample by cubic functions goes through the elements and beyond them") {
    const tensor image = f32_of({1, 1, 1, 4}, {0, 0, 1, 1});
    const tensor grid = f32_of({1, 1, 3, 2}, {1.0 / 3, 0, 0, 0, 2.0 / 3, 0});
    check_first(op::grid_sample{true, sampling::bicubic, padding::border}, {image, grid}, {1, 1, 1, 3},
                {1, 0.5, 1.09375});
}
