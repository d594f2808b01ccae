// SPDX-License-Identifier: Apache-2.0
#include "inferred.hpp"

#include <lpt/op/deformable_convolution.hpp>

using namespace lpt;
using namespace lpt::test;

namespace {
const op::deformable_convolution grouped{.strides = {2, 2},
                                         .pads_begin = {1, 1},
                                         .pads_end = {1, 1},
                                         .dilations = {1, 1},
                                         .group = 2,
                                         .deformable_group = 2};
}  // namespace

static_assert(attribute_names<op::deformable_convolution>(1) ==
              "strides pads_begin pads_end dilations auto_pad group deformable_group");
static_assert(attribute_names<op::deformable_convolution>(8) ==
              "strides pads_begin pads_end dilations auto_pad group deformable_group bilinear_interpolation_pad");

TEST_CASE("DeformableConvolution has the places of a convolution") {
    CHECK(inferred(grouped, 8, of(f32, {3, 4, 6, 7}), of(f32, {3, 36, 3, 4}), of(f32, {8, 2, 3, 3}),
                   of(f32, {3, 18, 3, 4})) == "f32[3,8,3,4]");
    CHECK(inferred(grouped, 1, of(f32, {-1, 4, -1, 7}), anything(), of(f32, {8, 2, 3, 3})) == "f32[?,8,?,4]");
    CHECK(inferred(op::deformable_convolution{}, 8, unknown_rank(), anything(), of(f32, {8, 2, 3, 3})) ==
          "f32[?,?,?,?]");
}

TEST_CASE("DeformableConvolution refuses offsets, masks, weights and groups that do not fit") {
    LPT_CHECK_WRONG(inferred(grouped, 8, of(f32, {3, 4, 6, 7}), of(f32, {3, 18, 3, 4}), of(f32, {8, 2, 3, 3})),
                    "offsets (input 1) must have shape [3,36,3,4], not [3,18,3,4]");
    LPT_CHECK_WRONG(inferred(grouped, 8, of(f32, {3, 4, 6, 7}), of(f32, {3, 36, 3, 4}), of(f32, {8, 2, 3, 3}),
                             of(f32, {3, 9, 3, 4})),
                    "mask (input 3) must have shape [3,18,3,4], not [3,9,3,4]");
    LPT_CHECK_WRONG(inferred(grouped, 8, of(f32, {3, 4, 6, 7}), anything(), of(f32, {8, 4, 3, 3})),
                    "data (input 0) must have shape [?,8,?,?], not [3,4,6,7]");
    LPT_CHECK_WRONG(inferred(grouped, 8, of(f32, {3, 4, 6, 7}), anything(), of(f32, {7, 2, 3, 3})),
                    "7 filters cannot be divided into 2 groups");
    LPT_CHECK_WRONG(inferred(grouped, 8, of(f32, {3, 4, 6}), anything(), of(f32, {8, 2, 3})),
                    "data of shape [3,4,6] and weights of shape [8,2,3] must have 4 axes");
    LPT_CHECK_WRONG(inferred(op::deformable_convolution{.group = 0}, 8, anything(), anything(), anything()),
                    "group must be at least 1, not 0");
    LPT_CHECK_WRONG(inferred(op::deformable_convolution{.deformable_group = 3}, 8, of(f32, {1, 4, 6, 7}), anything(),
                             of(f32, {8, 4, 3, 3})),
                    "4 channels cannot be divided into 3 groups");
}
