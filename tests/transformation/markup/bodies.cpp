// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include <lpt/transformation/markup/align_quantization_intervals.hpp>
#include <lpt/transformation/markup/markup_avg_pool_precision_preserved.hpp>
#include <lpt/transformation/markup/markup_bias.hpp>
#include <lpt/transformation/markup/markup_can_be_quantized.hpp>
#include <lpt/transformation/markup/markup_quantization_granularity.hpp>
#include <lpt/transformation/prerequisites/type_relaxed_replacer.hpp>

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using namespace lpt::test;

namespace {

struct loop_network {
    marked_network outer;
    node_id outside = node_id::none;   // the Loop
    node_id layer = node_id::none;     // inside: a Convolution with float weights
    node_id sum = node_id::none;       // inside: its bias

    constexpr loop_network() {
        marked_network inner;
        layer = inner.model.add(op::convolution{.strides = {1, 1}}, {inner.data(), inner.numbers({4, 3, 1, 1}, 1)});
        sum = inner.model.add(op::add{}, {layer, inner.number(1)});
        inner.model.result(sum);
        op::loop repeat;
        repeat.input_map.push_back({.port = 2, .parameter = 0});
        repeat.output_map.push_back({.port = 0, .result = 0});
        repeat.declared_outputs.push_back({f32, {1, 4, 8, 8}});
        outside = outer.model.add(std::move(repeat), {outer.number(3, i32), outer.number(1, boolean), outer.data()});
        outer.model.add_body(outside, std::move(inner.model));
        outer.model.result(outside);
    }
};

constexpr bool a_convolution_inside_is_marked() {
    loop_network net;
    net.outer.run<markup_can_be_quantized>();
    const auto* found = net.outer.attributes.body(net.outside, 0).of<attribute::precisions>().find_input(net.layer, 0);
    return found != nullptr && found->types.empty();
}
static_assert(a_convolution_inside_is_marked());

}  // namespace

TEST_CASE("Steps mark and change the graphs inside a node") {
    loop_network net;
    net.outer.run<type_relaxed_replacer, markup_bias>();
    const graph& inside = net.outer.model[net.outside].bodies()[0];
    CHECK(inside[net.layer].relaxed());
    CHECK(inside[net.sum].has(mark::bias));
}

TEST_CASE("Attributes inside and outside do not mix") {
    loop_network net;
    net.outer.run<markup_can_be_quantized>();
    CHECK(net.outer.on_input(net.layer, 0) == nullptr);
    CHECK(a_convolution_inside_is_marked());
}

TEST_CASE("Operations are found inside nodes too, if the version is right") {
    loop_network net;
    CHECK(has_operation(net.outer.model, op::kind::convolution, any_version));
    CHECK(has_operation(net.outer.model, op::kind::loop, 5));
    CHECK_FALSE(has_operation(net.outer.model, op::kind::loop, 4));
    CHECK_FALSE(has_operation(net.outer.model, op::kind::concat, any_version));
}

TEST_CASE("Steps that have nothing to go by are not needed") {
    marked_network net;
    const rewrite r(net.model, net.attributes, net.options, net.restrictions);
    CHECK_FALSE(markup_precisions::needed(r));
    CHECK_FALSE(markup_quantization_granularity::needed(r));
    CHECK_FALSE(markup_avg_pool_precision_preserved::needed(r));
    CHECK_FALSE(align_quantization_intervals::needed(r));
    net.restrictions = restrictions<precisions<op::add, on<0, u8>>, per_tensor<op::add>>{};
    net.model.result(net.concat(net.avg_pool(net.data()), net.data()));
    CHECK(markup_precisions::needed(r));
    CHECK(markup_quantization_granularity::needed(r));
    CHECK(markup_avg_pool_precision_preserved::needed(r));
    CHECK(align_quantization_intervals::needed(r));
}
