// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/shuffle_channels.hpp>

#include "dequantized.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr dequantized shuffled(const scale_and_zero_point& constants, std::int64_t axis,
                               shape dimensions = {2, 6, 4, 2}) {
    dequantized net(std::move(dimensions), constants);
    op::shuffle_channels attributes;
    attributes.axis = axis;
    attributes.group = 2;
    net.add(attributes);
    return net;
}
constexpr scale_and_zero_point six_channels(shape dimensions) {
    return {{0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, dimensions, {1, 2, 3, 4, 5, 6}, dimensions};
}
constexpr bool constants_are_shuffled() {
    dequantized net = shuffled(six_channels({1, 6, 1, 1}), 1);
    return net.run<shuffle_channels_transformation>() && net.quantized_type() == u8 && net.zero_point().real(1) == 4;
}
static_assert(constants_are_shuffled());

}  // namespace

TEST_CASE("the dequantization moves behind ShuffleChannels") {
    const scale_and_zero_point all[] = {single(0.1),
                                        single(0.1, 128),
                                        six_channels({1, 6, 1, 1}),
                                        six_channels({6, 1, 1}),
                                        {{0.1, 0.2}, {2}},
                                        {{0.1, 0.2}, {1, 1, 1, 2}, {3, 4}, {2, 1, 1, 1}}};
    for (const scale_and_zero_point& constants : all) {
        for (const std::int64_t axis : {0, 1, 2, -1}) {
            dequantized net = shuffled(constants, axis);
            CHECK(net.run<shuffle_channels_transformation>());
            CHECK(net.model[net.quantized()].is<op::shuffle_channels>());
            CHECK(net.quantized_type() == u8);
            CHECK(net.difference() < 1e-6);
        }
    }
}

TEST_CASE("ShuffleChannels stays in floating point") {
    SUBCASE("the Multiply above is no dequantization") {
        dequantized net = shuffled({{0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, {1, 6, 1, 1}}, 1, {2, 1, 4, 2});
        CHECK_FALSE(net.run<shuffle_channels_transformation>());
        CHECK(net.why() == reason::no_dequantization);
    }
    SUBCASE("the rank is not known") {
        dequantized net = shuffled(single(0.1), 1, shape::of_dynamic_rank());
        CHECK_FALSE(net.run<shuffle_channels_transformation>());
        CHECK(net.why() == reason::dynamic_rank);
    }
}
