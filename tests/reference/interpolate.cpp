// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/helpers.hpp"

using namespace lpt;
using lpt::test::check_first;
using lpt::test::counting;
using lpt::test::f32_of;

namespace {

op::interpolate resize(op::interpolate_mode mode, op::coordinate_transformation_mode coordinates) {
    op::interpolate result;
    result.mode = mode;
    result.coordinate_transformation_mode = coordinates;
    return result;
}
/// One row resampled to another size, in version 11.
void check_row(const op::interpolate& what, view<double> row, view<double> expected) {
    const shape from{1, 1, 1, static_cast<dimension>(row.size())};
    const shape to{1, 1, 1, static_cast<dimension>(expected.size())};
    check_first(what,
                {f32_of(from, row), make_indices({static_cast<std::int64_t>(expected.size())}), make_indices({3})}, to,
                expected, 11);
}

using mode = op::interpolate_mode;
using place = op::coordinate_transformation_mode;

}  // namespace

TEST_CASE("nearest takes the neighbour that nearest_mode says") {
    op::interpolate what = resize(mode::nearest, place::asymmetric);
    check_row(what, {0, 1, 2}, {0, 0, 1, 1, 2, 2});
    what.nearest_mode = op::nearest_mode::ceil;
    check_row(what, {0, 1, 2}, {0, 1, 1, 2, 2, 2});
    what.nearest_mode = op::nearest_mode::round_prefer_ceil;
    check_row(what, {0, 1, 2}, {0, 1, 1, 2, 2, 2});
    what.nearest_mode = op::nearest_mode::floor;
    check_row(what, {0, 1, 2}, {0, 0, 1, 1, 2, 2});
    what.nearest_mode = op::nearest_mode::simple;
    check_row(what, {0, 1, 2, 3, 4}, {0, 2, 4});
}

TEST_CASE("coordinates follow the mode of transformation") {
    check_row(resize(mode::linear_onnx, place::half_pixel), {0, 4}, {0, 1, 3, 4});
    check_row(resize(mode::linear_onnx, place::asymmetric), {0, 4}, {0, 2, 4, 4});
    check_row(resize(mode::linear_onnx, place::align_corners), {0, 6}, {0, 2, 4, 6});
    check_row(resize(mode::linear_onnx, place::pytorch_half_pixel), {3, 6}, {3});
    check_row(resize(mode::nearest, place::tf_half_pixel_for_nn), {0, 1}, {0, 1, 1, 1});
}

TEST_CASE("linear widens its filter when it shrinks with antialias") {
    op::interpolate what = resize(mode::linear, place::half_pixel);
    check_row(what, {0, 4, 8, 12}, {2, 10});
    what.antialias = true;
    // weights 0.75, 0.75, 0.25 of places 0, 1, 2 at place 0.5
    check_row(what, {0, 4, 8, 12}, {(0.75 * 4 + 0.25 * 8) / 1.75, (0.25 * 4 + 0.75 * 8 + 0.75 * 12) / 1.75});
}

TEST_CASE("cubic keeps straight lines away from the border") {
    const op::interpolate what = resize(mode::cubic, place::asymmetric);
    check_row(what, {0, 0, 8, 0, 0, 0}, {0, -0.75, 0, 4.75, 8, 4.75, 0, -0.75, 0, 0, 0, 0});
}

TEST_CASE("the modes of Pillow average what an output place covers") {
    check_row(resize(mode::bilinear_pillow, place::half_pixel), {0, 4, 8, 12},
              {(0.75 * 4 + 0.25 * 8) / 1.75, (0.25 * 4 + 0.75 * 20) / 1.75});
    op::interpolate bicubic = resize(mode::bicubic_pillow, place::half_pixel);
    bicubic.cube_coeff = -0.5;
    check_row(bicubic, {5, 5, 5, 5, 5}, {5, 5, 5});
}

TEST_CASE("sizes follow from scales, which also place the coordinates") {
    op::interpolate what = resize(mode::nearest, place::asymmetric);
    what.shape_calculation_mode = op::shape_calculation_mode::scales;
    what.nearest_mode = op::nearest_mode::floor;
    const tensor sizes = make_indices({9});
    const tensor axes = make_indices({1});
    check_first(what, {counting({1, 3}), sizes, f32_of({1}, {1.7}), axes}, {1, 5}, {0, 0, 1, 1, 2}, 4);
    check_first(what, {counting({1, 3}), f32_of({1}, {1.7}), axes}, {1, 5}, {0, 0, 1, 1, 2}, 11);
}

TEST_CASE("no axis is resampled where the input that names them is empty") {
    op::interpolate what = resize(mode::linear, place::half_pixel);
    what.antialias = true;
    what.shape_calculation_mode = op::shape_calculation_mode::scales;
    const tensor none = make_indices({});
    check_first(what, {f32_of({1, 2, 2}, {1, 2, 3, 4}), tensor_builder(f64, shape{0}).finish(), none}, {1, 2, 2},
                {1, 2, 3, 4}, 11);
}

TEST_CASE("a scale that a float does not hold makes no place of what is no number") {
    op::interpolate what = resize(mode::linear, place::asymmetric);
    what.shape_calculation_mode = op::shape_calculation_mode::scales;
    const tensor data = make_tensor(f32, {1, 1 << 20}, {3});
    check_first(what, {data, make_tensor(f64, {1}, {1e-300}), make_indices({1})}, {1, 1}, {3}, 11);
}

TEST_CASE("the first version resamples the axes of its attribute") {
    op::interpolate what;
    what.mode = mode::linear;
    what.axes = {2};
    check_first(what, {f32_of({1, 1, 2}, {0, 6}), make_indices({4})}, {1, 1, 4}, {0, 2, 4, 6}, 0);
    what.align_corners = false;
    check_first(what, {f32_of({1, 1, 2}, {0, 6}), make_indices({4})}, {1, 1, 4}, {0, 3, 6, 6}, 0);
    what.mode = mode::area;
    check_first(what, {f32_of({1, 1, 3}, {0, 6, 12}), make_indices({2})}, {1, 1, 2}, {2, 10}, 0);
}

TEST_CASE("the input is padded with zeros before it is resampled") {
    op::interpolate what = resize(mode::nearest, place::asymmetric);
    what.pads_begin = {0, 1};
    what.pads_end = {0, 0};
    check_first(what, {f32_of({1, 1}, {5}), make_indices({4}), make_indices({1})}, {1, 4}, {0, 0, 5, 5}, 11);
}
