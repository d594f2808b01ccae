// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/max_pool.hpp>

#include "dequantized.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr dequantized behind_max_pool(shape dimensions, const scale_and_zero_point& constants, int version = 1) {
    dequantized net(std::move(dimensions), constants);
    net.add(op::max_pool{.strides = {2, 2}, .pads_begin = {0, 0}, .pads_end = {0, 0}, .kernel = {2, 2}}, {}, version);
    return net;
}
constexpr bool max_pool_moves_behind() {
    dequantized net = behind_max_pool({1, 3, 4, 4}, single(0.1, 128));
    return net.run<max_pool_transformation>() && net.model[net.quantized()].is<op::max_pool>() &&
           net.quantized_type() == u8 && net.zero_point().real(0) == 128;
}
static_assert(max_pool_moves_behind());

}  // namespace

TEST_CASE("the dequantization moves behind MaxPool, which then gives the type of the data") {
    for (const scale_and_zero_point& constants :
         {single(0.1), single(0.1, 128), channels(), channels_with_zero_points()}) {
        dequantized net = behind_max_pool({1, 3, 4, 4}, constants);
        CHECK(net.run<max_pool_transformation>());
        CHECK(net.model[net.quantized()].is<op::max_pool>());
        CHECK(net.quantized_type() == u8);
        CHECK(net.difference() < 1e-6);
    }
}

TEST_CASE("the last operation of the dequantization takes the name of MaxPool") {
    dequantized net = behind_max_pool({1, 3, 4, 4}, single(0.1));
    CHECK(net.run<max_pool_transformation>());
    CHECK(net.model[net.output()].name() == "operation");
    CHECK(net.model[net.quantized()].name() == "operation_original");
}

TEST_CASE("sizes that are not known do not matter") {
    dequantized net = behind_max_pool({-1, 3, -1, -1}, channels());
    CHECK(net.run<max_pool_transformation>());
    CHECK(net.difference({2, 4, 6}) < 1e-6);
}

TEST_CASE("another reader of the dequantization keeps its own") {
    dequantized net = behind_max_pool({1, 3, 4, 4}, single(0.1, 128));
    net.model.result(net.end);
    CHECK(net.run<max_pool_transformation>());
    CHECK(net.model[net.quantized(0)].is<op::max_pool>());
    CHECK(net.model[net.quantized(1)].is<op::parameter>());
    CHECK(net.difference() < 1e-6);
}

TEST_CASE("MaxPool stays in floating point") {
    SUBCASE("a negative scale turns the order of values around") {
        dequantized net = behind_max_pool({1, 3, 4, 4}, single(-0.1));
        CHECK_FALSE(net.run<max_pool_transformation>());
        CHECK(net.why() == reason::negative_scale);
    }
    SUBCASE("a newer version gives indices too") {
        dequantized net = behind_max_pool({1, 3, 4, 4}, single(0.1), 8);
        CHECK_FALSE(net.run<max_pool_transformation>());
        CHECK(net.why() == reason::unsupported_version);
    }
    SUBCASE("constants vary over an axis other than the channels") {
        dequantized net = behind_max_pool({1, 3, 4, 2}, {{0.1, 0.2}, {1, 1, 1, 2}});
        CHECK_FALSE(net.run<max_pool_transformation>());
        CHECK(net.why() == reason::not_per_tensor_or_per_channel);
    }
    SUBCASE("a constant of one axis varies over the last axis of the data") {
        dequantized net = behind_max_pool({1, 3, 4, 2}, {{0.1, 0.2}, {2}});
        CHECK_FALSE(net.run<max_pool_transformation>());
        CHECK(net.why() == reason::varies_over_axis);
    }
    SUBCASE("a Multiply that broadcasts its data is no dequantization") {
        dequantized net = behind_max_pool({1, 1, 4, 4}, channels());
        CHECK_FALSE(net.run<max_pool_transformation>());
        CHECK(net.why() == reason::no_dequantization);
    }
    SUBCASE("without a Multiply the rule does not apply") {
        dequantized net = behind_max_pool({1, 3, 4, 4}, {});
        CHECK_FALSE(net.run<max_pool_transformation>());
        CHECK(net.why() == reason::none);
    }
}
