// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/broadcast.hpp>

#include "dequantized.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr dequantized widened(shape dimensions, const scale_and_zero_point& constants, op::broadcast_mode mode,
                              view<std::int64_t> target, view<std::int64_t> places = {}) {
    dequantized net(std::move(dimensions), constants);
    seq<output_ref> more{net.indices(target)};
    if (!places.empty()) {
        more.push_back(net.indices(places));
    }
    net.add(op::broadcast{mode}, more);
    return net;
}
constexpr bool broadcast_moves_behind() {
    dequantized net = widened({1, 3, 1, 1}, channels(), op::broadcast_mode::numpy, {2, 3, 4, 4});
    return net.run<broadcast_transformation>() && net.model[net.quantized()].is<op::broadcast>() &&
           net.quantized_type() == u8;
}
static_assert(broadcast_moves_behind());

}  // namespace

TEST_CASE("the dequantization moves behind Broadcast") {
    for (const scale_and_zero_point& constants :
         {single(0.1), single(0.1, 128), channels(), channels_with_zero_points()}) {
        for (const op::broadcast_mode mode : {op::broadcast_mode::numpy, op::broadcast_mode::bidirectional}) {
            dequantized net = widened({1, 3, 1, 1}, constants, mode, {2, 3, 4, 4});
            CHECK(net.run<broadcast_transformation>());
            CHECK(net.quantized_type() == u8);
            CHECK(net.difference() < 1e-6);
        }
    }
}

TEST_CASE("a target of fewer axes may leave the channels alone") {
    dequantized net = widened({2, 3, 1, 4}, channels(), op::broadcast_mode::bidirectional, {5, 1});
    CHECK(net.run<broadcast_transformation>());
    CHECK(net.difference() < 1e-6);
}

TEST_CASE("constants go to the places of their axes") {
    dequantized net = widened({2, 3}, {{0.1, 0.2, 0.3}, {1, 3}, {1, 2, 3}, {3}}, op::broadcast_mode::explicit_axes,
                              {2, 3, 4, 4}, {0, 1});
    CHECK(net.run<broadcast_transformation>());
    CHECK(net.scale().dimensions() == shape{1, 3, 1, 1});
    CHECK(net.difference() < 1e-6);
}

TEST_CASE("Broadcast stays in floating point") {
    SUBCASE("channels change their number") {
        dequantized net = widened({1, 3, 4, 4}, channels(), op::broadcast_mode::numpy, {2, 1, 3, 4, 4});
        CHECK_FALSE(net.run<broadcast_transformation>());
        CHECK(net.why() == reason::varies_over_axis);
    }
    SUBCASE("channels change their place") {
        dequantized net =
            widened({2, 3}, {{0.1, 0.2, 0.3}, {1, 3}}, op::broadcast_mode::explicit_axes, {2, 3, 4, 3}, {0, 3});
        CHECK_FALSE(net.run<broadcast_transformation>());
        CHECK(net.why() == reason::varies_over_axis);
    }
    SUBCASE("the places of the axes are not known") {
        dequantized net({2, 3}, {{0.1, 0.2, 0.3}, {1, 3}});
        net.add(op::broadcast{op::broadcast_mode::explicit_axes},
                {net.indices({2, 3, 4}), net.model.parameter(i64, shape{2})});
        CHECK_FALSE(net.run<broadcast_transformation>());
        CHECK(net.why() == reason::axes_not_constant);
    }
    SUBCASE("constants vary over an axis other than the channels") {
        dequantized net = widened({1, 3, 1, 2}, {{0.1, 0.2}, {1, 1, 1, 2}}, op::broadcast_mode::numpy, {1, 3, 4, 2});
        CHECK_FALSE(net.run<broadcast_transformation>());
        CHECK(net.why() == reason::not_per_tensor_or_per_channel);
    }
    SUBCASE("the Multiply above is no dequantization") {
        dequantized net = widened({1, 1, 4, 4}, channels(), op::broadcast_mode::numpy, {2, 3, 4, 4});
        CHECK_FALSE(net.run<broadcast_transformation>());
        CHECK(net.why() == reason::no_dequantization);
    }
}
