// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/interpolate.hpp>

#include "dequantized.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr op::interpolate nearest() {
    op::interpolate result;
    result.coordinate_transformation_mode = op::coordinate_transformation_mode::asymmetric;
    result.nearest_mode = op::nearest_mode::floor;
    return result;
}
constexpr op::interpolate nearest_version_0() {
    op::interpolate result;
    result.align_corners = false;
    result.axes = {2, 3};
    return result;
}
/// Version 4: the last two axes become 8 x 8.
constexpr dequantized resized(const scale_and_zero_point& constants, const op::interpolate& attributes) {
    dequantized net({1, 3, 4, 4}, constants);
    net.add(attributes, {net.indices({8, 8}), net.model.constant(make_tensor(f32, {2}, {2, 2})), net.indices({2, 3})},
            4);
    return net;
}
constexpr dequantized resized_version_0(const op::interpolate& attributes) {
    dequantized net({1, 3, 4, 4}, channels());
    seq<std::int64_t, 4> sizes(attributes.axes.size(), 6);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        sizes[i] = attributes.axes[i] < 2 ? 3 : 6;
    }
    net.add(attributes, {net.indices(sizes)}, 0);
    return net;
}
constexpr bool interpolate_moves_behind() {
    dequantized net = resized(single(0.1, 128), nearest());
    return net.run<interpolate_transformation>() && net.model[net.quantized()].is<op::interpolate>() &&
           net.quantized_type() == u8;
}
static_assert(interpolate_moves_behind());

reason why(const op::interpolate& attributes) {
    dequantized net = resized(channels(), attributes);
    CHECK_FALSE(net.run<interpolate_transformation>());
    return net.why();
}
reason why_version_0(const op::interpolate& attributes) {
    dequantized net = resized_version_0(attributes);
    CHECK_FALSE(net.run<interpolate_transformation>());
    return net.why();
}

}  // namespace

TEST_CASE("the dequantization moves behind an Interpolate that copies elements") {
    for (const scale_and_zero_point& constants :
         {single(0.1), single(0.1, 128), channels(), channels_with_zero_points()}) {
        dequantized net = resized(constants, nearest());
        CHECK(net.run<interpolate_transformation>());
        CHECK(net.quantized_type() == u8);
        CHECK(net.difference() < 1e-6);
    }
}

TEST_CASE("the first version, too") {
    dequantized net = resized_version_0(nearest_version_0());
    CHECK(net.run<interpolate_transformation>());
    CHECK(net.quantized_type() == u8);
}

TEST_CASE("an Interpolate that mixes elements or pads stays in floating point") {
    op::interpolate attributes = nearest();
    SUBCASE("linear") {
        attributes.mode = op::interpolate_mode::linear_onnx;
        CHECK(why(attributes) == reason::unsupported_mode);
    }
    SUBCASE("aligned corners") {
        attributes.coordinate_transformation_mode = op::coordinate_transformation_mode::align_corners;
        CHECK(why(attributes) == reason::unsupported_mode);
    }
    SUBCASE("padding") {
        attributes.pads_end = {0, 0, 1, 0};
        CHECK(why(attributes) == reason::unsupported_padding);
    }
    SUBCASE("channels are resized, and constants are per channel") {
        dequantized net({1, 3, 4, 4}, channels());
        net.add(nearest(), {net.indices({6}), net.model.constant(make_tensor(f32, {1}, {2})), net.indices({1})}, 4);
        CHECK_FALSE(net.run<interpolate_transformation>());
        CHECK(net.why() == reason::varies_over_axis);
    }
}

TEST_CASE("in the first version, too") {
    op::interpolate attributes = nearest_version_0();
    SUBCASE("linear") {
        attributes.mode = op::interpolate_mode::linear;
        CHECK(why_version_0(attributes) == reason::unsupported_mode);
    }
    SUBCASE("aligned corners") {
        attributes.align_corners = true;
        CHECK(why_version_0(attributes) == reason::unsupported_mode);
    }
    SUBCASE("channels are among the axes") {
        attributes.axes = {1, 2, 3};
        CHECK(why_version_0(attributes) == reason::unsupported_axes);
    }
    SUBCASE("padding") {
        attributes.pads_begin = {1, 0, 0, 0};
        CHECK(why_version_0(attributes) == reason::unsupported_padding);
    }
}

TEST_CASE("Interpolate of version 11 is not known") {
    dequantized net({1, 3, 4, 4}, single(0.1));
    net.add(nearest(), {net.indices({8, 8}), net.indices({2, 3})}, 11);
    CHECK_FALSE(net.run<interpolate_transformation>());
    CHECK(net.why() == reason::unsupported_version);
}
