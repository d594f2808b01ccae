// SPDX-License-Identifier: Apache-2.0
#include "infer.hpp"

#include <lpt/op/convolution.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::test;

namespace {

constexpr op::convolution strided(std::int64_t stride, std::int64_t pad, std::int64_t dilation = 1) {
    return {.strides = {stride, stride},
            .dilations = {dilation, dilation},
            .pads_begin = {pad, pad},
            .pads_end = {pad, pad}};
}
constexpr op::convolution with_rule(op::auto_pad rule, std::int64_t stride) {
    return {.strides = {stride, stride}, .auto_pad = rule};
}

static_assert(infer_shape(strided(2, 1), 1, of({1, 3, 224, 224}), of({8, 3, 3, 3})) == shape{1, 8, 112, 112});
static_assert(op::has(op::convolution::traits, op::trait::relaxable));
static_assert(!op::has(op::group_convolution_backprop_data::traits, op::trait::relaxable));
static_assert(survives_reading(strided(2, 1), 1));

}  // namespace

TEST_CASE("Convolution: strides, padding and dilations shape the output") {
    CHECK(infer_shape(strided(1, 0), 1, of({1, 3, 5, 6}), of({4, 3, 3, 3})) == shape{1, 4, 3, 4});
    CHECK(infer_shape(strided(2, 1, 2), 1, of({2, 3, 9, 9}), of({4, 3, 3, 3})) == shape{2, 4, 4, 4});
    CHECK(infer_shape(op::convolution{}, 1, of({1, 2, 10}), of({4, 2, 3})) == shape{1, 4, 8});
    CHECK(infer_shape(op::convolution{}, 1, of({1, 2, 4, 5, 6}), of({4, 2, 1, 2, 3})) == shape{1, 4, 4, 4, 4});
}

TEST_CASE("Convolution: automatic padding replaces the given one") {
    CHECK(infer_shape(with_rule(op::auto_pad::same_upper, 2), 1, of({1, 3, 7, 8}), of({4, 3, 3, 3})) ==
          shape{1, 4, 4, 4});
    CHECK(infer_shape(with_rule(op::auto_pad::same_lower, 3), 1, of({1, 3, 7, 8}), of({4, 3, 5, 5})) ==
          shape{1, 4, 3, 3});
    op::convolution valid = strided(1, 5);
    valid.auto_pad = op::auto_pad::valid;
    CHECK(infer_shape(valid, 1, of({1, 3, 7, 8}), of({4, 3, 3, 3})) == shape{1, 4, 5, 6});
}

TEST_CASE("padded_window: the odd element of the padding stands at the end or at the beginning") {
    const op::window_axis window{.kernel = 2, .stride = 1};
    CHECK(op::padded_window(window, op::auto_pad::same_upper, 5).pad_begin == 0);
    CHECK(op::padded_window(window, op::auto_pad::same_upper, 5).pad_end == 1);
    CHECK(op::padded_window(window, op::auto_pad::same_lower, 5).pad_begin == 1);
    CHECK(op::padded_window(window, op::auto_pad::same_lower, 5).pad_end == 0);
    CHECK(op::padded_window({.kernel = 1, .stride = 3}, op::auto_pad::same_upper, 7).pad_end == 0);
}

TEST_CASE("Convolution: what is not known stays dynamic") {
    CHECK(infer_shape(strided(1, 1), 1, of({unknown, 3, unknown, 8}), of({4, 3, 3, 3})) ==
          shape{unknown, 4, unknown, 8});
    CHECK(infer_shape(strided(1, 1), 1, unknown_rank(), of({4, 3, 3, 3})) == shape{unknown, 4, unknown, unknown});
    CHECK(infer_shape(with_rule(op::auto_pad::same_upper, 2), 1, of({1, 3, 8, 8}), unknown_rank()) ==
          shape{1, unknown, 4, 4});
    CHECK(infer_shape(strided(1, 1), 1, unknown_rank(), unknown_rank()).rank_is_dynamic());
}

TEST_CASE("Convolution: quantized operands of different types are not refused") {
    CHECK(infer(strided(1, 0), 1, of({1, 3, 5, 5}, u8), of({4, 3, 3, 3}, i8))[0].type == u8);
    CHECK(infer(strided(1, 0), 1, of({1, 3, 5, 5}, dynamic), of({4, 3, 3, 3}, f16))[0].type == f16);
}

TEST_CASE("Convolution: shapes and attributes that cannot be are refused") {
    CHECK(infer_error(strided(1, 0), 1, of({1, 3, 5, 5}), of({4, 2, 3, 3})).view() ==
          "Convolution 'node': weights of shape [4,2,3,3] do not fit data of shape [1,3,5,5]: the numbers of input "
          "channels differ");
    CHECK_FALSE(infer_error(strided(1, 0), 1, of({1, 3, 2, 5}), of({4, 3, 3, 3})).empty());
    CHECK_FALSE(infer_error(strided(0, 0), 1, of({1, 3, 5, 5}), of({4, 3, 3, 3})).empty());
    CHECK_FALSE(infer_error(strided(1, -1), 1, of({1, 3, 5, 5}), of({4, 3, 3, 3})).empty());
    CHECK_FALSE(infer_error(strided(1, 0), 1, of({1, 3, 5}), of({4, 3, 3})).empty());
    CHECK_FALSE(infer_error(strided(1, 0), 1, of({1, 3, 5, 5}), of({4, 3, 3})).empty());
    CHECK_FALSE(infer_error(strided(1, 0), 1, of({3, 5}), of({4, 3, 3, 3})).empty());
}

TEST_CASE("GroupConvolution: output channels are groups times channels of a group") {
    CHECK(infer_shape(op::group_convolution{}, 1, of({1, 6, 5, 5}), of({3, 4, 2, 3, 3})) == shape{1, 12, 3, 3});
    CHECK(infer_shape(op::group_convolution{}, 1, of({1, 6, 5, 5}), of({unknown, 1, 1, 3, 3})) == shape{1, 6, 3, 3});
    CHECK_FALSE(infer_error(op::group_convolution{}, 1, of({1, 7, 5, 5}), of({3, 4, 2, 3, 3})).empty());
}

TEST_CASE("ConvolutionBackpropData: the output is the input that a convolution would have had") {
    const op::convolution_backprop_data twice{.strides = {2, 2}, .output_padding = {1, 0}};
    CHECK(infer_shape(twice, 1, of({1, 8, 4, 5}), of({8, 3, 2, 2})) == shape{1, 3, 9, 10});
    const op::convolution_backprop_data padded{.strides = {2}, .dilations = {2}, .pads_begin = {1}, .pads_end = {2}};
    CHECK(infer_shape(padded, 1, of({1, 8, 4}), of({8, 3, 3})) == shape{1, 3, 8});
    CHECK(infer_shape(twice, 1, of({1, 8, unknown, 5}), of({8, 3, 2, 2})) == shape{1, 3, unknown, 10});
}

TEST_CASE("ConvolutionBackpropData: input 2 gives the spatial sizes") {
    const op::convolution_backprop_data twice{.strides = {2, 2}, .auto_pad = op::auto_pad::same_upper};
    CHECK(infer_shape(twice, 1, of({1, 8, 4, 5}), of({8, 3, 3, 3}), indices({7, 9})) == shape{1, 3, 7, 9});
    CHECK(infer_shape(twice, 1, of({1, 8, 4, 5}), of({8, 3, 3, 3}), partly({op::unknown_value, 9})) ==
          shape{1, 3, unknown, 9});
    CHECK(infer_shape(twice, 1, of({1, 8, 4, 5}), of({8, 3, 3, 3}), of({2}, i64)) == shape{1, 3, unknown, unknown});
    CHECK_FALSE(infer_error(twice, 1, of({1, 8, 4, 5}), of({8, 3, 3, 3}), indices({7})).empty());
    CHECK_FALSE(infer_error(twice, 1, of({1, 8, 4, 5}), of({7, 3, 3, 3}), indices({7, 9})).empty());
}

TEST_CASE("GroupConvolutionBackpropData: input channels are split into groups") {
    const op::group_convolution_backprop_data plain;
    CHECK(infer_shape(plain, 1, of({1, 8, 4, 4}), of({2, 4, 3, 2, 2})) == shape{1, 6, 5, 5});
    CHECK_FALSE(infer_error(plain, 1, of({1, 9, 4, 4}), of({2, 4, 3, 2, 2})).empty());
}
