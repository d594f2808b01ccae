// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/helpers.hpp"

using namespace lpt;
using lpt::test::check_first;
using lpt::test::counting;
using lpt::test::f32_of;

TEST_CASE("DeformableConvolution without offsets is a convolution") {
    const tensor weights = f32_of({1, 1, 2, 2}, {1, 2, 3, 4});
    const tensor none = f32_of({1, 8, 2, 2}, seq<double>(32, 0.0));
    check_first(op::deformable_convolution{}, {counting({1, 1, 3, 3}), none, weights}, {1, 1, 2, 2}, {27, 37, 57, 67});
}

TEST_CASE("DeformableConvolution moves each element by rows and columns, weighs it by the mask, group by group") {
    // One pixel, two groups of offsets and of channels, a kernel of one element.
    const tensor image = f32_of({1, 2, 2, 2}, {1, 2, 3, 4, 10, 20, 30, 40});
    const tensor offsets = f32_of({1, 4, 1, 1}, {0.5, 0.25, 1, 1});
    const tensor weights = f32_of({2, 1, 1, 1}, {1, 3});
    const tensor mask = f32_of({1, 2, 1, 1}, {1, 0.5});
    const op::deformable_convolution what{.strides = {2, 2}, .group = 2, .deformable_group = 2};
    check_first(what, {image, offsets, weights}, {1, 2, 1, 1}, {2.25, 120});
    check_first(what, {image, offsets, weights, mask}, {1, 2, 1, 1}, {2.25, 60});
}

TEST_CASE("DeformableConvolution: beyond the border is nothing, at once or over one element") {
    const tensor image = f32_of({1, 1, 1, 2}, {4, 8});
    const tensor one = f32_of({1, 1, 1, 1}, {1});
    const auto at = [&](bool fades_out, view<double> offsets, double first, double second) {
        const op::deformable_convolution what{.bilinear_interpolation_pad = fades_out};
        check_first(what, {image, f32_of({1, 2, 1, 2}, offsets), one}, {1, 1, 1, 2}, {first, second});
    };
    at(true, {0, 0, -0.25, 0.5}, 3, 4);
    at(false, {0, 0, -0.25, 0.5}, 0, 8);
    at(true, {0, 0, -1, 1}, 0, 0);
    at(true, {math::not_a_number, math::infinity, 0, 0}, 0, 0);
}
