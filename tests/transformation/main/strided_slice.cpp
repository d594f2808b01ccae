// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/strided_slice.hpp>

#include "dequantized.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using namespace lpt::testing;

namespace {

/// begin_mask and end_mask 1 for the first axis: it is taken whole.
constexpr dequantized sliced(const scale_and_zero_point& constants, view<std::int64_t> begin, view<std::int64_t> end,
                             view<std::int64_t> strides, shape dimensions = {2, 3, 4, 5}) {
    dequantized net(std::move(dimensions), constants);
    op::strided_slice masks;
    masks.begin_mask = {1, 0, 0, 0};
    masks.end_mask = {1, 0, 0, 0};
    net.add(masks, {net.indices(begin), net.indices(end), net.indices(strides)});
    return net;
}
constexpr bool constants_are_sliced() {
    dequantized net = sliced(channels(), {0, 1, 0, 0}, {0, 3, 4, 5}, {1, 1, 1, 1});
    return net.run<strided_slice_transformation>() && net.quantized_type() == u8 &&
           net.scale().dimensions() == shape{1, 2, 1, 1};
}
static_assert(constants_are_sliced());

}  // namespace

TEST_CASE("the dequantization moves behind StridedSlice, constants per channel are sliced") {
    const scale_and_zero_point all[] = {single(0.1),
                                        single(0.1, 128),
                                        channels(),
                                        channels_with_zero_points(),
                                        {{0.1, 0.2, 0.3}, {3, 1, 1}, {1, 2, 3}, {1, 3, 1, 1}, true},
                                        {{0.1, 0.2, 0.3, 0.4, 0.5}, {5}}};
    for (const scale_and_zero_point& constants : all) {
        dequantized of_rows = sliced(constants, {0, 0, 1, 0}, {0, 3, 4, 3}, {1, 1, 2, 2});
        CHECK(of_rows.run<strided_slice_transformation>());
        CHECK(of_rows.quantized_type() == u8);
        CHECK(of_rows.difference() < 1e-6);
        dequantized some_channels = sliced(constants, {0, 2, 0, 0}, {0, 0, 4, 5}, {1, -1, 1, 1});
        CHECK(some_channels.run<strided_slice_transformation>());
        CHECK(some_channels.difference() < 1e-6);
    }
}

TEST_CASE("an axis that is dropped or added is dropped or added in the constants") {
    dequantized net({2, 3, 4, 5}, channels_with_zero_points());
    op::strided_slice masks;
    masks.begin_mask = {0, 0, 0, 1, 1};
    masks.end_mask = {0, 0, 0, 1, 1};
    masks.shrink_axis_mask = {1, 0, 0, 0, 0};
    masks.new_axis_mask = {0, 1, 0, 0, 0};
    net.add(masks, {net.indices({1, 0, 1, 0, 0}), net.indices({2, 0, 3, 0, 0}), net.indices({1, 1, 1, 1, 1})});
    CHECK(net.run<strided_slice_transformation>());
    CHECK(net.quantized_type() == u8);
    CHECK(net.difference() < 1e-6);
}

TEST_CASE("a zero point without scale moves, too") {
    dequantized net = sliced({{}, {}, {1, 2, 3}, {1, 3, 1, 1}}, {0, 1, 0, 0}, {0, 3, 4, 5}, {1, 1, 1, 1});
    CHECK(net.run<strided_slice_transformation>());
    CHECK(net.model[net.output()].is<op::subtract>());
    CHECK(net.quantized_type() == u8);
    CHECK(net.difference() < 1e-6);
}

TEST_CASE("StridedSlice stays in floating point") {
    SUBCASE("there is no dequantization") {
        dequantized net = sliced({}, {0, 0, 0, 0}, {0, 3, 4, 5}, {1, 1, 1, 1});
        CHECK_FALSE(net.run<strided_slice_transformation>());
        CHECK(net.why() == reason::no_dequantization);
    }
    SUBCASE("constants are per channel, and places are not known") {
        dequantized net({2, 3, 4, 5}, channels());
        net.add(op::strided_slice{.begin_mask = {0, 0, 0, 0}, .end_mask = {0, 0, 0, 0}},
                {net.model.parameter(i64, shape{4}), net.indices({2, 3, 4, 5}), net.indices({1, 1, 1, 1})});
        CHECK_FALSE(net.run<strided_slice_transformation>());
        CHECK(net.why() == reason::axes_not_constant);
    }
}

TEST_CASE("an ellipsis stands for the axes that no position names") {
    dequantized net({2, 3, 4, 5}, channels_with_zero_points());
    op::strided_slice masks;
    masks.ellipsis_mask = {0, 1, 0};
    net.add(masks, {net.indices({1, 0, 2}), net.indices({2, 0, 5}), net.indices({1, 1, 1})});
    CHECK(net.run<strided_slice_transformation>());
    CHECK(net.quantized_type() == u8);
    CHECK(net.difference() < 1e-6);
}
