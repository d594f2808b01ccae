// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/avg_pool.hpp>

#include "dequantized.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr dequantized behind_avg_pool(shape dimensions, const scale_and_zero_point& constants, int version = 1) {
    dequantized net(std::move(dimensions), constants);
    net.add(op::avg_pool{.kernel = {2, 2}, .strides = {2, 2}, .pads_begin = {0, 0}, .pads_end = {0, 0}}, {}, version);
    return net;
}
constexpr element type_behind(bool preserved) {
    dequantized net = behind_avg_pool({1, 3, 4, 4}, single(0.1));
    net.attributes.of<attribute::precision_preserved>().set_node(net.operation, {preserved});
    net.run<avg_pool_transformation>();
    return net.quantized_type();
}
static_assert(type_behind(true) == u8);
static_assert(type_behind(false) == f32);

}  // namespace

TEST_CASE("the dequantization moves behind AvgPool, which gives real values") {
    for (const scale_and_zero_point& constants :
         {single(0.1), single(0.1, 128), channels(), channels_with_zero_points()}) {
        dequantized net = behind_avg_pool({1, 3, 4, 4}, constants);
        CHECK(net.run<avg_pool_transformation>());
        CHECK(net.model[net.quantized()].is<op::avg_pool>());
        CHECK(net.model.type(net.model[net.quantized()].input(0)) == u8);
        CHECK(net.quantized_type() == f32);
        CHECK(net.difference() < 1e-6);
    }
}

TEST_CASE("AvgPool gives the type of the data where the markup found that precision is preserved") {
    CHECK(type_behind(true) == u8);
}

TEST_CASE("AvgPool stays in floating point") {
    SUBCASE("constants vary over an axis other than the channels") {
        dequantized net = behind_avg_pool({1, 3, 4, 2}, {{0.1, 0.2}, {1, 1, 1, 2}});
        CHECK_FALSE(net.run<avg_pool_transformation>());
        CHECK(net.why() == reason::not_per_tensor_or_per_channel);
    }
    SUBCASE("a constant of one axis varies over the last axis of the data") {
        dequantized net = behind_avg_pool({1, 3, 4, 2}, {{0.1, 0.2}, {2}});
        CHECK_FALSE(net.run<avg_pool_transformation>());
        CHECK(net.why() == reason::varies_over_axis);
    }
    SUBCASE("the Multiply above is no dequantization") {
        dequantized net = behind_avg_pool({1, 1, 4, 4}, channels());
        CHECK_FALSE(net.run<avg_pool_transformation>());
        CHECK(net.why() == reason::no_dequantization);
    }
    SUBCASE("only version 1 is known") {
        dequantized net = behind_avg_pool({1, 3, 4, 4}, single(0.1), 14);
        CHECK_FALSE(net.run<avg_pool_transformation>());
        CHECK(net.why() == reason::unsupported_version);
    }
}

TEST_CASE(
    "zeros around the data that count in the mean keep a zero point above the operation, unless upstream is followed") {
    for (const bool follows : {true, false}) {
        for (const bool counts : {true, false}) {
            dequantized network({1, 3, 4, 4}, single(0.1, 128));
            network.options.follow_upstream_errors = follows;
            network.add(op::avg_pool{.kernel = {2, 2},
                                     .strides = {2, 2},
                                     .pads_begin = {1, 0},
                                     .pads_end = {0, 0},
                                     .exclude_pad = !counts},
                        {}, 1);
            const bool moved = network.run<avg_pool_transformation>();
            CHECK(moved == (follows || !counts));
            CHECK((network.difference() < 1e-4) == !(follows && counts));
        }
    }
}
