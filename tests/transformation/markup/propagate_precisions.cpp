// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include <lpt/target/cpu_x86.hpp>
#include <lpt/transformation/markup/markup_can_be_quantized.hpp>
#include <lpt/transformation/markup/propagate_precisions.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::test;

namespace {

constexpr bool restriction_reaches_the_fake_quantize() {
    marked_network net;
    net.restrictions = cpu_x86;
    const node_id quantized = net.fake_quantize(net.data(), 0, 2.55);
    net.model.result(net.convolution(net.max_pool(quantized), 3));
    net.run<markup_can_be_quantized, markup_precisions, propagate_precisions>();
    return net.on_output(quantized)->types == types{u8};
}
static_assert(restriction_reaches_the_fake_quantize());

}  // namespace

TEST_CASE("Without restrictions a FakeQuantize can give all default precisions") {
    marked_network net;
    net.options.default_precisions = {u8, i8, u16};
    const node_id quantized = net.fake_quantize(net.data(), 0, 2.55);
    net.model.result(quantized);
    net.run<markup_precisions, propagate_precisions>();
    CHECK(net.on_output(quantized)->types == types{u8, i8, u16});
}

TEST_CASE("FakeQuantizes that meet in a Concat share their precisions") {
    marked_network net;
    const node_id left = net.fake_quantize(net.data(), 0, 2.55);
    const node_id right = net.fake_quantize(net.data(), -1.28, 1.27);
    const node_id joined = net.concat(left, right);
    net.model.result(joined);
    net.run<markup_precisions, propagate_precisions>();
    const auto lists = net.attributes.of<attribute::precisions>();
    CHECK(lists.same_class(attribute::place::on_output(left, 0), attribute::place::on_output(right, 0)));
    CHECK(lists.same_class(attribute::place::on_output(left, 0), attribute::place::on_node(joined)));
}

TEST_CASE("Consumers that have no type in common leave none") {
    marked_network net;
    net.restrictions = restrictions<precisions<op::convolution, on<0, u8>>, precisions<op::mat_mul, on<0, i8>>>{};
    const node_id quantized = net.fake_quantize(net.data(), 0, 2.55);
    net.model.result(net.convolution(quantized, 3));
    net.model.result(net.model.add(op::mat_mul{}, {quantized, net.data()}));
    net.run<markup_can_be_quantized, markup_precisions, propagate_precisions>();
    CHECK(net.on_output(quantized)->types.empty());
}

TEST_CASE("A consumer that must not be quantized does not bind the FakeQuantize") {
    marked_network net;
    net.restrictions = cpu_x86;
    const node_id quantized = net.fake_quantize(net.data(), 0, 2.55);
    const node_id layer = net.model.add(op::convolution{.strides = {1, 1}}, {quantized, net.numbers({4, 3, 1, 1}, 1)});
    net.model.result(layer);
    net.run<markup_can_be_quantized, markup_precisions, propagate_precisions>();
    CHECK(net.on_output(quantized)->types == types{u8, i8});
    CHECK(net.forbids(layer, 0));
}

TEST_CASE("Precisions pass a quantization and dequantization pair") {
    marked_network net;
    net.restrictions = cpu_x86;
    const node_id quantized = net.fake_quantize(net.data(), 0, 255);
    const node_id stored = net.model.add(op::convert{u8}, {quantized});
    const node_id real = net.model.add(op::convert{f32}, {stored});
    const node_id scaled = net.model.add(op::multiply{}, {real, net.number(0.1)});
    net.model.result(net.convolution(scaled, 3));
    net.run<markup_can_be_quantized, markup_precisions, propagate_precisions>();
    CHECK(net.on_output(quantized)->types == types{u8});
}
