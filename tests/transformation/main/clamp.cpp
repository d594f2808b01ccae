// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/clamp.hpp>

#include "dequantized.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr op::clamp limits(double min, double max) {
    op::clamp result;
    result.min = min;
    result.max = max;
    return result;
}
constexpr dequantized limited(const scale_and_zero_point& constants) {
    dequantized net({1, 3, 4, 4}, constants);
    net.add(limits(-1, 6));
    return net;
}
constexpr bool limits_are_quantized() {
    dequantized net = limited(single(0.5, 10));
    net.run<clamp_transformation>();
    const op::clamp& clamp = net.model[net.quantized()].as<op::clamp>();
    return clamp.min == 8 && clamp.max == 22;
}
static_assert(limits_are_quantized());

}  // namespace

TEST_CASE("the limits of Clamp become quantized values") { CHECK(limits_are_quantized()); }

TEST_CASE("a dequantization with one scale and zero point moves behind Clamp") {
    for (const scale_and_zero_point& constants :
         {single(0.1), single(0.1, 128), single(-0.1, 128), scale_and_zero_point{{0.1, 0.1, 0.1}, {1, 3, 1, 1}}}) {
        dequantized net = limited(constants);
        CHECK(net.run<clamp_transformation>());
        CHECK(net.model[net.quantized()].is<op::clamp>());
        CHECK(net.model.type(net.model[net.quantized()].input(0)) == u8);
        CHECK(net.difference() < 1e-6);
    }
}

TEST_CASE("the dequantization behind Clamp goes on computing in the type of its constants") {
    dequantized net({1, 3, 4, 4}, single(0.1, 128));
    net.model.relax_output(net.end.node, f16);
    net.add(limits(-1, 6));
    CHECK(net.run<clamp_transformation>());
    const node_id multiply = net.output();
    CHECK(net.model[multiply].type() == f16);
    CHECK(net.model[net.model.producer(multiply, 0)].type() == f32);
    CHECK(net.model[net.model.producer(net.model.producer(multiply, 0), 0)].type() == f16);
}

TEST_CASE("as upstream has it, a Clamp that refuses zero points has got a dequantization of its own") {
    for (const bool follows : {true, false}) {
        dequantized net = limited({{0.1}, {}, {1, 2, 3}, {1, 3, 1, 1}});
        const output_ref shared = net.model[net.operation].input(0);
        net.model.result(net.model.add(op::sigmoid{}, {shared}));
        net.options.follow_upstream_errors = follows;
        CHECK_FALSE(net.run<clamp_transformation>());
        CHECK(net.why() == reason::not_per_tensor);
        const node_id clamp = net.model.producer(net.model.results()[0], 0);
        CHECK((net.model[clamp].input(0) == shared) == !follows);
        CHECK(net.difference() < 1e-6);
    }
}

TEST_CASE("Clamp stays in floating point") {
    SUBCASE("scales differ") {
        dequantized net = limited(channels());
        CHECK_FALSE(net.run<clamp_transformation>());
        CHECK(net.why() == reason::not_per_tensor);
    }
    SUBCASE("zero points differ") {
        dequantized net = limited({{0.1}, {}, {1, 2, 3}, {1, 3, 1, 1}});
        CHECK_FALSE(net.run<clamp_transformation>());
        CHECK(net.why() == reason::not_per_tensor);
    }
    SUBCASE("constants vary over an axis other than the channels") {
        dequantized net = limited({{0.1, 0.2, 0.3, 0.4}, {1, 1, 4, 1}});
        CHECK_FALSE(net.run<clamp_transformation>());
        CHECK(net.why() == reason::not_per_tensor_or_per_channel);
    }
    SUBCASE("the Multiply above is no dequantization") {
        dequantized net({1, 1, 4, 4}, channels());
        net.add(limits(-1, 6));
        CHECK_FALSE(net.run<clamp_transformation>());
        CHECK(net.why() == reason::no_dequantization);
    }
}
