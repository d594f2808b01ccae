// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/prelu.hpp>

#include "dequantized.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr dequantized behind_prelu(const scale_and_zero_point& constants) {
    dequantized net({1, 3, 4, 4}, constants, i8);
    net.add(op::prelu{}, {net.model.constant(make_tensor(f32, {3}, {0.1, 0.5, 2.0}))});
    return net;
}
constexpr bool prelu_moves_behind() {
    dequantized net = behind_prelu(single(0.1));
    return net.run<prelu_transformation>() && net.model[net.quantized()].is<op::prelu>() && net.quantized_type() == f32;
}
static_assert(prelu_moves_behind());

}  // namespace

TEST_CASE("the dequantization moves behind PRelu, which reads quantized data and gives real values") {
    for (const scale_and_zero_point& constants : {single(0.1), channels()}) {
        dequantized net = behind_prelu(constants);
        CHECK(net.run<prelu_transformation>());
        CHECK(net.model[net.quantized()].is<op::prelu>());
        CHECK(net.model.type(net.model[net.quantized()].input(0)) == i8);
        CHECK(net.quantized_type() == f32);
        CHECK(net.difference() < 1e-6);
    }
}

TEST_CASE("PRelu stays in floating point") {
    SUBCASE("there is a zero point") {
        dequantized net = behind_prelu(single(0.1, 1));
        CHECK_FALSE(net.run<prelu_transformation>());
        CHECK(net.why() == reason::has_zero_point);
    }
    SUBCASE("one scale is negative") {
        dequantized net = behind_prelu({{0.1, -0.2, 0.3}, {1, 3, 1, 1}});
        CHECK_FALSE(net.run<prelu_transformation>());
        CHECK(net.why() == reason::negative_scale);
    }
    SUBCASE("constants vary over an axis other than the channels") {
        dequantized net = behind_prelu({{0.1, 0.2, 0.3, 0.4}, {1, 1, 4, 1}});
        CHECK_FALSE(net.run<prelu_transformation>());
        CHECK(net.why() == reason::not_per_tensor_or_per_channel);
    }
}
