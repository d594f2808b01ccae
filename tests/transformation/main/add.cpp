// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/add.hpp>

#include "two_inputs.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr two_inputs sum(const scale_and_zero_point& first, const scale_and_zero_point& second, element type = u8,
                         element second_type = u8, shape dimensions = {1, 3, 2, 2},
                         shape second_dimensions = {1, 3, 2, 2}) {
    two_inputs net;
    const output_ref a = net.activations(std::move(dimensions), first, type);
    net.add(op::add{}, {a, net.activations(std::move(second_dimensions), second, second_type)});
    return net;
}
/// The branch that reads integers directly: the input of the Add that a Parameter feeds.
constexpr int empty_branch(const two_inputs& net) {
    const node_id add = net.model.producer(net.output(), 0);
    return net.input(add, 0).is<op::parameter>() ? 0 : net.input(add, 1).is<op::parameter>() ? 1 : -1;
}

constexpr bool one_branch_of_add_gives_up() {
    two_inputs net = sum(single(0.1, 3), single(0.2, 5));
    if (!net.run<add_transformation>() || empty_branch(net) != 1) {
        return false;
    }
    const node_id add = net.model.producer(net.output(), 0);
    const node_id multiply = net.model.producer(add, 0);
    const double scale = net.value(multiply, 1).real(0);
    const double zero_point = net.value(net.model.producer(multiply, 0), 1).real(0);
    return net.model[add].relaxed() && math::absolute(scale - 0.5) < 1e-6 && math::absolute(zero_point - 13) < 1e-5;
}
static_assert(one_branch_of_add_gives_up());

}  // namespace

TEST_CASE("the dequantization of one branch moves behind Add, the other branch takes what is left") {
    for (const scale_and_zero_point& first : {single(0.1), single(0.1, 3), channels(), channels_with_zero_points()}) {
        for (const scale_and_zero_point& second :
             {single(0.2), single(0.2, 5), channels(), channels_with_zero_points()}) {
            two_inputs net = sum(first, second);
            CHECK(net.run<add_transformation>());
            CHECK(empty_branch(net) == 1);
            CHECK(net.difference() < 1e-5);
        }
    }
}

TEST_CASE("the branch of low precision is the one that is read as it is") {
    two_inputs first = sum(single(0.1, 3), single(0.2), u8, f32);
    CHECK(first.run<add_transformation>());
    CHECK(empty_branch(first) == 0);
    CHECK(first.difference() < 1e-5);
    two_inputs second = sum({}, single(0.2, 5), f32, u8);
    CHECK(second.run<add_transformation>());
    CHECK(empty_branch(second) == 1);
    CHECK(second.difference() < 1e-5);
}

TEST_CASE("a branch that is broadcast stays in floating point") {
    two_inputs net = sum(single(0.1, 3), single(0.2, 5), u8, u8, {1, 3, 2, 2}, {1, 3, 1, 1});
    CHECK(net.run<add_transformation>());
    CHECK(empty_branch(net) == 0);
    CHECK(net.difference() < 1e-5);
}

TEST_CASE("a branch with another reader is the one that is read as it is") {
    two_inputs net = sum(single(0.1, 3), single(0.2, 5));
    net.model.result(net.model.parameters()[0]);
    CHECK(net.run<add_transformation>());
    CHECK(empty_branch(net) == 0);
    CHECK(net.difference() < 1e-5);
}

TEST_CASE("without low precision the branch without dequantization gets one") {
    two_inputs net = sum(single(0.1, 3), {}, f32, f32);
    net.options.update_precisions = false;
    CHECK(net.run<add_transformation>());
    CHECK(empty_branch(net) == 0);
    CHECK(net.difference() < 1e-5);
}

TEST_CASE("a constant summand becomes part of the zero point") {
    for (const scale_and_zero_point& data : {single(0.1), single(0.1, 3), channels(), channels_with_zero_points()}) {
        for (const bool first : {false, true}) {
            two_inputs net;
            const output_ref a = net.activations({1, 3, 2, 2}, data);
            const output_ref b = net.model.constant(make_tensor(f32, {1, 3, 1, 1}, view<double>({1, 2, 3})));
            net.add(op::add{}, {first ? b : a, first ? a : b});
            CHECK(net.run<add_transformation>());
            CHECK(net.input(net.output(), 0).is<op::subtract>());
            CHECK(net.difference() < 1e-5);
        }
    }
}

TEST_CASE("what becomes of a constant summand has the shape of the scale, of the summand where only that varies") {
    const auto shape_of_sum = [](const scale_and_zero_point& data, shape summand) {
        two_inputs net;
        const output_ref a = net.activations({1, 3, 2, 2}, data);
        net.add(op::add{}, {a, net.model.constant(make_tensor(f32, std::move(summand), view<double>({1, 2, 3})))});
        CHECK(net.run<add_transformation>());
        CHECK(net.difference() < 1e-5);
        return net.value(net.model.producer(net.output(), 0), 1).dimensions();
    };
    CHECK(shape_of_sum({{0.1, 0.2, 0.3}, {3, 1, 1}}, {1, 3, 1, 1}) == shape{3, 1, 1});
    CHECK(shape_of_sum({{0.1}, {1, 1, 1, 1}}, {3, 1, 1}) == shape{3, 1, 1});
}

TEST_CASE("a constant summand of more axes than the data gives them to the sum as before") {
    for (const bool single_value : {true, false}) {
        two_inputs net;
        const output_ref a =
            net.activations({2, 3}, single_value ? single(0.1, 3) : scale_and_zero_point{{1, 2, 3}, {3}});
        const tensor summand = single_value ? make_tensor(f32, {1, 1, 1, 1}, view<double>({2}))
                                            : make_tensor(f32, {1, 1, 1, 3}, view<double>({1, 2, 3}));
        net.add(op::add{}, {a, net.model.constant(summand)});
        CHECK(net.run<add_transformation>());
        CHECK(net.model[net.output()].shape() == shape{1, 1, 2, 3});
        CHECK(net.difference() < 1e-5);
    }
}

TEST_CASE("a quantized constant summand is folded first") {
    two_inputs net;
    const output_ref a = net.activations({1, 3, 2, 2}, single(0.1, 3));
    net.add(op::add{}, {a, net.weights({1, 3, 2, 2}, single(0.5, 2))});
    CHECK(net.run<add_transformation>());
    CHECK(net.input(net.output(), 0).is<op::subtract>());
    CHECK(net.difference() < 1e-5);
}

TEST_CASE("a bias stays an Add") {
    two_inputs net;
    const output_ref a = net.activations({1, 3, 2, 2}, single(0.1));
    net.add(op::add{}, {a, net.model.constant(make_tensor(f32, {1, 3, 1, 1}, view<double>({1, 2, 3})))});
    net.model.set_mark(net.operation, mark::bias);
    CHECK(net.run<add_transformation>());
    CHECK(net.input(net.output(), 0).is<op::add>());
    CHECK(net.difference() < 1e-5);
}

TEST_CASE("Add stays as it is") {
    SUBCASE("without dequantization") {
        two_inputs net = sum({}, {}, f32, f32);
        CHECK_FALSE(net.run<add_transformation>());
        CHECK(net.why() == reason::no_dequantization);
    }
    SUBCASE("with a scale of zero") {
        two_inputs net = sum(single(0.1), {{0, 1, 2}, {1, 3, 1, 1}});
        CHECK_FALSE(net.run<add_transformation>());
        CHECK(net.why() == reason::zero_or_denormal_scale);
        CHECK(net.refusals.back().why.port == 1);
    }
    SUBCASE("with scales that vary over another axis than the channels") {
        two_inputs net = sum({}, {{1, 2}, {1, 1, 2, 1}}, f32, u8);
        CHECK_FALSE(net.run<add_transformation>());
        CHECK(net.why() == reason::not_per_tensor_or_per_channel);
    }
    SUBCASE("where a constant would be infinite") {
        two_inputs net = sum(single(1e30), single(1e-30));
        CHECK_FALSE(net.run<add_transformation>());
        CHECK(net.why() == reason::infinite_constant);
    }
    SUBCASE("where data with its zero point would be infinite") {
        two_inputs net = sum(single(2e4, 127), single(1.0001e-32), i8, i8);
        CHECK_FALSE(net.run<add_transformation>());
        CHECK(net.why() == reason::infinite_constant);
        CHECK(net.difference() == 0);
    }
    SUBCASE("where there is no scale before a constant summand") {
        two_inputs net;
        const output_ref data = net.activations({1, 3, 2, 2}, {{}, {}, {3}});
        net.add(op::add{}, {data, net.numbers({1, 3, 2, 2}, f32)});
        CHECK_FALSE(net.run<add_transformation>());
        CHECK(net.why() == reason::nothing_to_do);
    }
    SUBCASE("with a dynamic rank") {
        two_inputs net = sum(single(0.1), single(0.2), u8, u8, shape::of_dynamic_rank());
        CHECK_FALSE(net.run<add_transformation>());
        CHECK(net.why() == reason::dynamic_rank);
    }
}

TEST_CASE("a summand that would be infinite over a scale of f16 stays above, unless upstream is followed") {
    for (const bool follows : {true, false}) {
        two_inputs net;
        net.options.follow_upstream_errors = follows;
        const output_ref data = net.model.add(op::convert{f16}, {net.model.parameter(u8, shape{1, 3, 2, 2})});
        const output_ref scaled = net.model.add(op::multiply{}, {data, net.model.constant(make_scalar(f16, 0.0005))});
        net.model.relax(scaled.node);
        net.add(op::add{}, {scaled, net.model.constant(make_scalar(f16, 40))});
        CHECK(net.run<add_transformation>() == follows);
        CHECK((net.why() == reason::infinite_constant) == !follows);
    }
}
