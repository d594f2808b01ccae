// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include <lpt/transformation/markup/markup_can_be_quantized.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::test;

namespace {

constexpr bool float_weights_forbid_both_ports() {
    marked_network net;
    const node_id layer = net.model.add(op::convolution{.strides = {1, 1}}, {net.data(), net.numbers({4, 3, 1, 1}, 1)});
    net.model.result(layer);
    net.run<markup_can_be_quantized>();
    return net.forbids(layer, 0) && net.forbids(layer, 1);
}
static_assert(float_weights_forbid_both_ports());

bool is_marked(marked_network& net, node_id layer) {
    net.model.result(layer);
    net.run<markup_can_be_quantized>();
    return net.forbids(layer, 0);
}

}  // namespace

TEST_CASE("Convolutions with quantized weights are not marked") {
    marked_network net;
    CHECK_FALSE(is_marked(net, net.convolution(net.data(), 3)));
    marked_network other;
    const node_id weights = other.fake_quantize(other.numbers({4, 3, 1, 1}, 1), -1.27, 1.27, 255);
    CHECK_FALSE(is_marked(other, other.model.add(op::convolution{.strides = {1, 1}}, {other.data(), weights})));
}

TEST_CASE("Weights quantized with an unsupported number of levels are marked") {
    marked_network net;
    const node_id weights = net.fake_quantize(net.numbers({4, 3, 1, 1}, 1), -1, 1, 128);
    CHECK(is_marked(net, net.model.add(op::convolution{.strides = {1, 1}}, {net.data(), weights})));
}

TEST_CASE("Every port has a list of its own") {
    marked_network net;
    const node_id layer = net.model.add(op::convolution{.strides = {1, 1}}, {net.data(), net.numbers({4, 3, 1, 1}, 1)});
    CHECK(is_marked(net, layer));
    CHECK_FALSE(net.attributes.of<attribute::precisions>().same_class(attribute::place::on_input(layer, 0),
                                                                      attribute::place::on_input(layer, 1)));
}

TEST_CASE("A Concat of unknown rank is marked, one of known rank is not") {
    marked_network net;
    const node_id unknown = net.data(shape::of_dynamic_rank());
    CHECK(is_marked(net, net.concat(unknown, unknown)));
    marked_network known;
    CHECK_FALSE(is_marked(known, known.concat(known.data(), known.data())));
}

TEST_CASE("The user's callback keeps the step away from a node") {
    marked_network net;
    net.options.callbacks.push_back(
        {"MarkupCanBeQuantized", [](const graph&, node_id, const void*) { return true; }, nullptr});
    CHECK_FALSE(
        is_marked(net, net.model.add(op::convolution{.strides = {1, 1}}, {net.data(), net.numbers({4, 3, 1, 1}, 1)})));
}
