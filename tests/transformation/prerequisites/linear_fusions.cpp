// SPDX-License-Identifier: Apache-2.0
#include "rewritten.hpp"

#include <lpt/graph/verify.hpp>
#include <lpt/transformation/prerequisites/add_add_fusion.hpp>
#include <lpt/transformation/prerequisites/add_multiply_fusion.hpp>
#include <lpt/transformation/prerequisites/multiply_multiply_fusion.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using testing::rewritten;

namespace {

/// outer(inner(in, 2), 3); `mirrored`: with the constants on input 0.
template <class Inner, class Outer>
struct linear : rewritten {
    node_id inner = node_id::none;
    node_id outer = node_id::none;
    constexpr explicit linear(bool mirrored = false, element type = f32) {
        const node_id data = input({1, 3, 2, 2}, type);
        const node_id first = constant({2}, {}, type);
        const node_id second = constant({3, 5, 7}, {1, 3, 1, 1}, type);
        inner = mirrored ? model.add(Inner{}, {first, data}, "inner") : model.add(Inner{}, {data, first}, "inner");
        outer = mirrored ? model.add(Outer{}, {second, inner}, "outer") : model.add(Outer{}, {inner, second}, "outer");
        model.result(outer);
    }
};

constexpr bool adds_up() {
    linear<op::add, op::add> net;
    const bool changed = net.run<add_add_fusion>(net.outer);
    const node_id add = net.output();
    return changed && net.model.size() == 4 && net.model[add].name() == "outer" && net.value(add, 1).real(0) == 5 &&
           net.value(add, 1).real(2) == 9;
}
constexpr bool multiplies_out() {
    linear<op::multiply, op::multiply> net;
    const bool changed = net.run<multiply_multiply_fusion>(net.outer);
    return changed && net.model.size() == 4 && net.value(net.output(), 1).real(1) == 10;
}
constexpr bool distributes() {
    linear<op::add, op::multiply> net;
    const bool changed = net.run<add_multiply_fusion>(net.outer);
    const node_id add = net.output();
    const node_id multiply = net.above(add);
    return changed && net.model[add].is<op::add>() && net.model[multiply].is<op::multiply>() &&
           net.value(multiply, 1).real(2) == 7 && net.value(add, 1).real(2) == 14 && net.model[add].name() == "outer";
}
static_assert(adds_up());
static_assert(multiplies_out());
static_assert(distributes());

template <class Rule, class Inner, class Outer>
void check_values() {
    for (const bool mirrored : {false, true}) {
        linear<Inner, Outer> net(mirrored);
        CHECK(net.template run<Rule>(net.outer));
        verify(net.model);
        CHECK(net.difference() < 1e-5);
    }
}
template <class Rule, class Inner, class Outer>
void check_refusals() {
    linear<Inner, Outer> shared;
    shared.model.result(shared.inner);
    CHECK_FALSE(shared.template run<Rule>(shared.outer));

    linear<Inner, Outer> unknown;
    const node_id other = unknown.input({1, 3, 2, 2});
    unknown.model.set_input(unknown.inner, 1, other);
    CHECK_FALSE(unknown.template run<Rule>(unknown.outer));
    unknown.model.set_input(unknown.outer, 1, other);
    CHECK_FALSE(unknown.template run<Rule>(unknown.outer));
}

}  // namespace

TEST_CASE("linear operations in a row give the same values as one, constants on either side") {
    check_values<add_add_fusion, op::add, op::add>();
    check_values<multiply_multiply_fusion, op::multiply, op::multiply>();
    check_values<add_multiply_fusion, op::add, op::multiply>();
}

TEST_CASE("they stay where another operation reads the upper one, or an operand is not constant") {
    check_refusals<add_add_fusion, op::add, op::add>();
    check_refusals<multiply_multiply_fusion, op::multiply, op::multiply>();
    check_refusals<add_multiply_fusion, op::add, op::multiply>();
}

TEST_CASE("they stay where the upper one is another operation") {
    linear<op::multiply, op::add> net;
    CHECK_FALSE(net.run<add_add_fusion>(net.outer));
    linear<op::add, op::multiply> other;
    CHECK_FALSE(other.run<multiply_multiply_fusion>(other.outer));
    linear<op::multiply, op::multiply> third;
    CHECK_FALSE(third.run<add_multiply_fusion>(third.outer));
}

TEST_CASE("a relaxed Multiply is part of a dequantization and stays") {
    linear<op::multiply, op::multiply> net;
    net.model.relax(net.inner);
    CHECK_FALSE(net.run<multiply_multiply_fusion>(net.outer));
    CHECK(net.why() == reason::types_do_not_match);
}

TEST_CASE("a Multiply is not put before an Add on another element type") {
    rewritten net;
    const node_id data = net.input({2}, u8);
    const node_id add = net.model.add_relaxed(op::add{}, {data, net.constant({1})}, {{f32, dynamic}, {f32}});
    const node_id multiply = net.model.add(op::multiply{}, {add, net.constant({2})});
    net.model.result(multiply);
    CHECK_FALSE(net.run<add_multiply_fusion>(multiply));
    CHECK(net.why() == reason::types_do_not_match);
}

TEST_CASE("an Add of two constants after the data broadcasts as it did") {
    rewritten net;
    const node_id data = net.input({3});
    const node_id add = net.model.add(op::add{}, {data, net.constant({1, 2}, {2, 1})});
    const node_id outer = net.model.add(op::add{}, {add, net.constant({10, 20, 30}, {1, 3})});
    net.model.result(outer);
    CHECK(net.run<add_add_fusion>(outer));
    CHECK(net.model[net.output()].shape() == shape{2, 3});
    CHECK(net.difference() < 1e-5);
}
