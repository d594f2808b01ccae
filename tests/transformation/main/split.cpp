// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/split.hpp>

#include "dequantized.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr dequantized by_split(const scale_and_zero_point& constants, std::int64_t axis, std::int64_t parts,
                               shape dimensions = {2, 3, 4, 2}) {
    dequantized net(std::move(dimensions), constants);
    net.add(op::split{parts}, {net.model.constant(make_integer_tensor(i64, shape{}, {axis}))});
    return net;
}
constexpr bool constants_follow_split() {
    dequantized net = by_split(channels(), 1, 3);
    return net.run<split_transformation>() && net.quantized_type(2) == u8 && net.scale(0).dimensions() == shape{} &&
           math::absolute(net.scale(2).real(0) - 0.3) < 1e-6;
}
static_assert(constants_follow_split());

}  // namespace

TEST_CASE("every output of Split gets its own dequantization") {
    const scale_and_zero_point all[] = {single(0.1),
                                        single(0.1, 128),
                                        channels(),
                                        channels_with_zero_points(),
                                        {{0.1, 0.2, 0.3}, {3, 1, 1}, {1, 2, 3}, {1, 3, 1, 1}, true},
                                        {{0.1, 0.2, 0.3, 0.4}, {1, 1, 4, 1}}};
    for (const scale_and_zero_point& constants : all) {
        dequantized by_channel = by_split(constants, 1, 3);
        CHECK(by_channel.run<split_transformation>());
        CHECK(by_channel.quantized(0) == by_channel.quantized(2));
        CHECK(by_channel.quantized_type(1) == u8);
        CHECK(by_channel.difference() < 1e-6);
        dequantized by_row = by_split(constants, -2, 2);
        CHECK(by_row.run<split_transformation>());
        CHECK(by_row.quantized_type(1) == u8);
        CHECK(by_row.difference() < 1e-6);
    }
}

TEST_CASE("the dequantizations that feed results are named after Split and its outputs") {
    dequantized net = by_split(single(0.1), 1, 3);
    CHECK(net.run<split_transformation>());
    CHECK(net.model[net.quantized()].name() == "operation_original");
    CHECK(net.model[net.output(0)].name() == "operation.0");
    CHECK(net.model[net.output(2)].name() == "operation.2");
}

TEST_CASE("what asks for a shape reads the output of Split itself") {
    dequantized net = by_split(single(0.1), 1, 3);
    net.model.result(net.model.add(op::shape_of{}, {output_ref(net.operation, 1)}, {}, 0));
    CHECK(net.run<split_transformation>());
    CHECK(net.model.producer(net.output(3), 0) == net.quantized());
}

TEST_CASE("Split stays in floating point") {
    SUBCASE("the Multiply above is no dequantization") {
        dequantized net = by_split(channels(), 2, 2, {2, 1, 4, 2});
        CHECK_FALSE(net.run<split_transformation>());
        CHECK(net.why() == reason::no_dequantization);
    }
    SUBCASE("the rank is not known") {
        dequantized net = by_split(single(0.1), 1, 3, shape::of_dynamic_rank());
        CHECK_FALSE(net.run<split_transformation>());
        CHECK(net.why() == reason::dynamic_rank);
    }
}
