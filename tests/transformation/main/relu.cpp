// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/relu.hpp>

#include "dequantized.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr dequantized behind_relu(const scale_and_zero_point& constants) {
    dequantized net({1, 3, 4, 4}, constants, i8);
    net.add(op::relu{});
    return net;
}
constexpr bool relu_moves_behind() {
    dequantized net = behind_relu(single(0.1));
    return net.run<relu_transformation>() && net.model[net.quantized()].is<op::relu>() && net.quantized_type() == i8;
}
static_assert(relu_moves_behind());

}  // namespace

TEST_CASE("the dequantization moves behind Relu, which then gives the type of the data") {
    for (const scale_and_zero_point& constants : {single(0.1), channels()}) {
        dequantized net = behind_relu(constants);
        CHECK(net.run<relu_transformation>());
        CHECK(net.model[net.quantized()].is<op::relu>());
        CHECK(net.quantized_type() == i8);
        CHECK(net.difference() < 1e-6);
    }
}

TEST_CASE("Relu stays in floating point") {
    SUBCASE("there is a zero point") {
        dequantized net = behind_relu(single(0.1, 1));
        CHECK_FALSE(net.run<relu_transformation>());
        CHECK(net.why() == reason::has_zero_point);
    }
    SUBCASE("one scale is negative") {
        dequantized net = behind_relu({{0.1, -0.2, 0.3}, {1, 3, 1, 1}});
        CHECK_FALSE(net.run<relu_transformation>());
        CHECK(net.why() == reason::negative_scale);
    }
    SUBCASE("constants vary over an axis other than the channels") {
        dequantized net = behind_relu({{0.1, 0.2, 0.3, 0.4}, {1, 1, 4, 1}});
        CHECK_FALSE(net.run<relu_transformation>());
        CHECK(net.why() == reason::not_per_tensor_or_per_channel);
    }
}
