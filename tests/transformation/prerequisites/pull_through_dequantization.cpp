// SPDX-License-Identifier: Apache-2.0
#include "rewritten.hpp"

#include <lpt/graph/verify.hpp>
#include <lpt/transformation/prerequisites/pull_reshape_through_dequantization.hpp>
#include <lpt/transformation/prerequisites/pull_transpose_through_dequantization.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using testing::rewritten;

namespace {

constexpr seq<double> counted(std::size_t count) {
    seq<double> values;
    for (std::size_t i = 0; i < count; ++i) {
        values.push_back(static_cast<double>(i) - 5);
    }
    return values;
}

/// Dequantized weights [4,3] -> movement -> Result, beside an input that keeps the network one.
struct moved_weights : rewritten {
    node_id movement = node_id::none;

    constexpr node_id weights(element type = i8) { return constant(counted(12), {4, 3}, type); }
    constexpr void reshape(node_id dequantized, view<std::int64_t> target) {
        movement = model.add(op::reshape{}, {dequantized, indices(target)}, "moved");
        model.result(movement);
    }
    constexpr void transpose(node_id dequantized, view<std::int64_t> order) {
        movement = model.add(op::transpose{}, {dequantized, indices(order)}, "moved");
        model.result(movement);
    }
};

constexpr bool reshapes_weights() {
    moved_weights net;
    net.reshape(net.dequantize(net.weights(), net.constant({1, 2, 3, 4}, {4, 1}), net.constant({0.5})), {4, 3, 1, 1});
    const bool changed = net.run<pull_reshape_through_dequantization>(net.movement);
    const node_id multiply = net.output();
    const node_id subtract = net.above(multiply);
    const node_id convert = net.above(subtract);
    return changed && net.model[multiply].is<op::multiply>() && net.model[multiply].name() == "moved" &&
           net.value(subtract, 1).dimensions() == shape{4, 1, 1, 1} && net.value(multiply, 1).dimensions() == shape{} &&
           net.value(convert, 0).dimensions() == shape{4, 3, 1, 1} && net.value(convert, 0).type() == i8;
}
constexpr bool transposes_weights() {
    moved_weights net;
    net.transpose(net.dequantize(net.weights(), node_id::none, net.constant({0.1, 0.2, 0.3, 0.4}, {4, 1})), {1, 0});
    const bool changed = net.run<pull_transpose_through_dequantization>(net.movement);
    const node_id multiply = net.output();
    return changed && net.value(multiply, 1).dimensions() == shape{1, 4} && net.value(multiply, 1).real(3) > 0.39 &&
           net.value(net.above(multiply), 0).dimensions() == shape{3, 4} &&
           net.value(net.above(multiply), 0).real(1) == -2;
}
static_assert(reshapes_weights());
static_assert(transposes_weights());

}  // namespace

TEST_CASE("a Reshape or Transpose stays below constants that broadcast the weights") {
    for (const shape& dimensions : {shape{1, 1, 1, 1}, shape{2, 1, 1}}) {
        CAPTURE(to_text(dimensions).c_str());
        const seq<double> scale = counted(dimensions.elements());
        const auto rank = static_cast<std::int64_t>(dimensions.rank());
        seq<std::int64_t> order;
        for (std::int64_t axis = rank; axis-- > 0;) {
            order.push_back(axis);
        }
        moved_weights transposed;
        transposed.transpose(
            transposed.dequantize(transposed.weights(), node_id::none, transposed.constant(scale, dimensions)), order);
        CHECK_FALSE(transposed.run<pull_transpose_through_dequantization>(transposed.movement));
        moved_weights reshaped;
        reshaped.reshape(reshaped.dequantize(reshaped.weights(), node_id::none, reshaped.constant(scale, dimensions)),
                         {3, -1});
        CHECK_FALSE(reshaped.run<pull_reshape_through_dequantization>(reshaped.movement));
    }
}

TEST_CASE("a Reshape or Transpose of weights gives the same values from above their dequantization") {
    const struct {
        seq<double> scale, zero_point;
        shape dimensions;
    } constants[] = {{{0.5}, {2}, {}}, {{0.5}, {2}, {1, 1}}, {{0.1, 0.2, 0.3, 0.4}, {1, 2, 3, 4}, {4, 1}}};
    for (const auto& each : constants) {
        for (const bool stored : {false, true}) {  // the zero point behind a Convert
            for (const seq<std::int64_t>& target :
                 {seq<std::int64_t>{4, 3, 1, 1}, seq<std::int64_t>{2, 2, 3}, seq<std::int64_t>{4, -1}}) {
                moved_weights net;
                node_id zero_point = net.constant(each.zero_point, each.dimensions, stored ? i8 : f32);
                if (stored) {
                    zero_point = net.model.add(op::convert{f32}, {zero_point});
                }
                net.reshape(net.dequantize(net.weights(), zero_point, net.constant(each.scale, each.dimensions)),
                            target);
                CHECK(net.run<pull_reshape_through_dequantization>(net.movement));
                verify(net.model);
                CHECK(net.difference() < 1e-6);
            }
            moved_weights net;
            node_id zero_point = net.constant(each.zero_point, each.dimensions, stored ? i8 : f32);
            if (stored) {
                zero_point = net.model.add(op::convert{f32}, {zero_point});
            }
            net.transpose(net.dequantize(net.weights(), zero_point, net.constant(each.scale, each.dimensions)), {1, 0});
            CHECK(net.run<pull_transpose_through_dequantization>(net.movement));
            verify(net.model);
            CHECK(net.difference() < 1e-6);
        }
    }
}

TEST_CASE("a scale along axes that a Reshape merges stops it below the Multiply") {
    moved_weights net;
    net.reshape(net.dequantize(net.weights(), node_id::none, net.constant({0.1, 0.2, 0.3, 0.4}, {4, 1})), {12});
    CHECK(net.run<pull_reshape_through_dequantization>(net.movement));
    CHECK(net.output() == net.movement);
    CHECK(net.difference() < 1e-6);
}

TEST_CASE("a constant of lower rank stops a Transpose below its operation") {
    moved_weights net;
    net.transpose(net.dequantize(net.weights(), node_id::none, net.constant({0.1, 0.2, 0.3}, {3})), {1, 0});
    CHECK(net.run<pull_transpose_through_dequantization>(net.movement));
    CHECK(net.output() == net.movement);
    CHECK(net.difference() < 1e-6);
}

TEST_CASE("a Reshape above a GroupConvolution stays: the groups are found by it") {
    moved_weights net;
    const node_id weights =
        net.dequantize(net.constant(counted(12), {4, 3, 1, 1}, i8), node_id::none, net.constant({0.5}));
    const node_id reshape = net.model.add(op::reshape{}, {weights, net.indices({4, 1, 3, 1, 1})});
    net.model.result(net.model.add(
        op::group_convolution{.strides = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}, .dilations = {1, 1}},
        {net.input({1, 12, 2, 2}), reshape}));
    CHECK_FALSE(net.run<pull_reshape_through_dequantization>(reshape));
    CHECK(net.why() == reason::nothing_to_do);
}

TEST_CASE("types other than those that are looked for stay, and activations") {
    moved_weights other;
    other.reshape(other.dequantize(other.weights(i16), node_id::none, other.constant({0.5})), {12});
    CHECK_FALSE(other.run<pull_reshape_through_dequantization>(other.movement));
    other.options.arguments.push_back({pull_reshape_through_dequantization::name, {i16}});
    CHECK(other.run<pull_reshape_through_dequantization>(other.movement));
    CHECK(other.difference() < 1e-6);

    moved_weights activation;
    activation.transpose(activation.dequantize(activation.input({4, 3}, u8), node_id::none, activation.constant({0.5})),
                         {1, 0});
    CHECK_FALSE(activation.run<pull_transpose_through_dequantization>(activation.movement));
}
