// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/multiply.hpp>
#include <lpt/transformation/main/multiply_partial.hpp>

#include "two_inputs.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr two_inputs eltwise_product(const scale_and_zero_point& first, const scale_and_zero_point& second,
                                     element type = u8, element second_type = u8) {
    two_inputs net;
    const output_ref a = net.activations({1, 3, 2, 2}, first, type);
    net.add(op::multiply{}, {a, net.activations({1, 3, 2, 2}, second, second_type)});
    return net;
}

constexpr bool one_branch_of_multiply_gives_up() {
    two_inputs net = eltwise_product(single(0.5, 3), single(0.25));
    if (!net.run<multiply_partial_transformation>()) {
        return false;
    }
    const node_id kept = net.model.producer(net.output(), 0);
    return net.input(net.output(), 1).is<op::parameter>() && net.model[kept].is<op::multiply>() &&
           net.value(kept, 1).real(0) == 0.125 && net.input(kept, 0).is<op::subtract>();
}
static_assert(one_branch_of_multiply_gives_up());

constexpr bool both_are_integers() {
    two_inputs net = eltwise_product(single(0.5, 3), single(0.25));
    if (!net.run<multiply_transformation>()) {
        return false;
    }
    const node_id inner = net.model.producer(net.output(), 0);
    return net.model[inner].has(mark::disable_cleanup) && net.input(inner, 0).is<op::subtract>() &&
           net.input(inner, 0).has(mark::disable_cleanup) && net.input(inner, 1).is<op::parameter>() &&
           net.value(net.output(), 1).real(0) == 0.125;
}
static_assert(both_are_integers());

}  // namespace

TEST_CASE("one branch of Multiply is read as it is, its scale goes to the other branch") {
    for (const scale_and_zero_point& first : {single(0.1), single(0.1, 3), channels(), channels_with_zero_points()}) {
        for (const scale_and_zero_point& second : {single(0.2), single(0.2, 0), channels()}) {
            for (const bool scaling : {false, true}) {
                two_inputs net = eltwise_product(first, second);
                net.options.scaling_mode = scaling;
                CHECK(net.run<multiply_partial_transformation>());
                CHECK(net.difference() < 1e-5);
            }
        }
    }
}

TEST_CASE("a constant factor becomes part of the scale") {
    for (const scale_and_zero_point& data : {single(0.1), single(0.1, 3), channels_with_zero_points()}) {
        for (const bool first : {false, true}) {
            two_inputs net;
            const output_ref a = net.activations({1, 3, 2, 2}, data);
            const output_ref b = net.model.constant(make_tensor(f32, {1, 3, 1, 1}, view<double>({1, 2, 3})));
            net.add(op::multiply{}, {first ? b : a, first ? a : b});
            CHECK(net.run<multiply_partial_transformation>());
            CHECK_FALSE(net.input(net.output(), 0).is<op::multiply>());
            CHECK(net.difference() < 1e-5);
        }
    }
}

TEST_CASE("a quantized constant factor is folded first") {
    two_inputs net;
    const output_ref a = net.activations({1, 3, 2, 2}, single(0.1, 3));
    net.add(op::multiply{}, {a, net.weights({1, 3, 1, 1}, single(0.5, 2))});
    CHECK(net.run<multiply_partial_transformation>());
    CHECK(net.difference() < 1e-5);
}

TEST_CASE("a FakeQuantize of constants is folded where the other factor is constant too") {
    two_inputs net;
    const output_ref a = net.weights({1, 3, 2, 2}, single(0.1, 3));
    net.add(op::multiply{}, {a, net.fake_quantized(net.numbers({1, 3, 1, 1}, f32), 255, {-20}, {20})});
    CHECK(net.run<multiply_partial_transformation>());
    CHECK(net.difference() < 1e-5);
}

TEST_CASE("the Multiply of a dequantization itself is nobody's refusal") {
    two_inputs net;
    net.add(op::multiply{}, {net.activations({1, 3, 2, 2}, {}), net.model.constant(make_scalar(f32, 2))});
    CHECK_FALSE(net.run<multiply_partial_transformation>());
    CHECK(net.refusals.empty());
}

TEST_CASE("Multiply stays as it is") {
    SUBCASE("both branches have a zero point") {
        two_inputs net = eltwise_product(single(0.1, 3), single(0.2, 5));
        CHECK_FALSE(net.run<multiply_partial_transformation>());
        CHECK(net.why() == reason::has_zero_point);
        CHECK(net.difference() < 1e-6);
    }
    SUBCASE("a branch has no dequantization") {
        two_inputs net = eltwise_product(single(0.1), {}, u8, f32);
        CHECK_FALSE(net.run<multiply_partial_transformation>());
        CHECK(net.why() == reason::no_dequantization);
    }
    SUBCASE("no branch has low precision") {
        two_inputs net = eltwise_product(single(0.1), single(0.2), f32, f32);
        CHECK_FALSE(net.run<multiply_partial_transformation>());
        CHECK(net.why() == reason::not_low_precision);
    }
}

TEST_CASE("scales stay where data times their product would be infinite") {
    for (const scale_and_zero_point& first : {single(1e19), single(1e19, 127)}) {
        two_inputs net = eltwise_product(first, single(1e19), i8, i8);
        CHECK_FALSE(net.run<multiply_partial_transformation>());
        CHECK(net.why() == reason::infinite_constant);
    }
}

TEST_CASE("both factors can be read in low precision") {
    for (const scale_and_zero_point& first : {single(0.1), single(0.1, 3), channels(), channels_with_zero_points()}) {
        for (const scale_and_zero_point& second :
             {single(0.2), single(0.2, 5), channels(), channels_with_zero_points()}) {
            two_inputs net = eltwise_product(first, second);
            CHECK(net.run<multiply_transformation>());
            CHECK(net.input(net.output(), 0).is<op::multiply>());
            CHECK(net.difference() < 1e-5);
        }
    }
}

TEST_CASE("both factors must be quantized to be read in low precision") {
    two_inputs net = eltwise_product(single(0.1), {}, u8, f32);
    CHECK_FALSE(net.run<multiply_transformation>());
    CHECK(net.why() == reason::weights_not_quantized);
    two_inputs other = eltwise_product({}, single(0.1), f32, u8);
    CHECK_FALSE(other.run<multiply_transformation>());
    CHECK(other.why() == reason::no_dequantization);
}

TEST_CASE("of a dequantization that both inputs and others read the first input gets a copy, the second keeps what is "
          "shared") {
    two_inputs net;
    const output_ref a = net.activations({1, 3, 2, 2}, single(0.1));
    net.add(op::multiply{}, {a, a});
    net.model.result(net.model.add(op::relu{}, {a}));
    net.before = net.model;
    rewrite r(net.model, net.attributes, net.options, net.restrictions);
    const node_id eltwise_product = unshare(r, net.operation);
    CHECK(net.model[eltwise_product].input(1) == a);
    CHECK(net.input(eltwise_product, 0).is<op::multiply>());
    CHECK_FALSE(net.model[eltwise_product].input(0) == a);
    net.model.collect();
    CHECK(net.difference() == 0);
}
