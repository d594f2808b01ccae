// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include <lpt/transformation/markup/propagate_precisions.hpp>
#include <lpt/transformation/markup/resolve_precision_attribute.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::test;

namespace {

constexpr types chosen(double low, double high, std::int64_t levels, const seq<element, 8>& defaults) {
    marked_network net;
    net.options.default_precisions = defaults;
    const node_id quantized = net.fake_quantize(net.data(), low, high, levels);
    net.model.result(quantized);
    net.run<markup_precisions, propagate_precisions, resolve_precision_attribute>();
    return net.on_output(quantized)->types;
}
static_assert(chosen(-1.28, 1.27, 256, {u8, i8}) == types{i8});

constexpr types chosen_for_concat(double low, double high, double other_low, double other_high) {
    marked_network net;
    const node_id first = net.fake_quantize(net.data(), low, high);
    net.model.result(net.concat(first, net.fake_quantize(net.data(), other_low, other_high)));
    net.run<markup_precisions, propagate_precisions, resolve_precision_attribute>();
    return net.on_output(first)->types;
}

}  // namespace

TEST_CASE("The range decides between candidates, the order where it prefers none") {
    CHECK(chosen(0, 2.55, 256, {i8, u8}) == types{u8});
    CHECK(chosen(-1, 2, 256, {u8, i8}) == types{u8});
    CHECK(chosen(-1, 2, 256, {i8, u8}) == types{i8});
    CHECK(chosen(-1.27, 1.27, 256, {u8, i8}) == types{u8});
    CHECK(chosen(-1.27, 1.27, 255, {u8, i8}) == types{i8});
}

TEST_CASE("Candidates belong to the levels") {
    CHECK(chosen(0, 1, 65536, {u8, i8, u16}) == types{u16});
    CHECK(chosen(0, 1, 65536, {u8, i8}) == types{});
    CHECK(chosen(0, 1, 128, {u16, i8, u8}) == types{i8});
    CHECK(chosen(0, 1, 65536, {u8}) == types{u8});
}

TEST_CASE("The first FakeQuantize of a group decides for all") {
    CHECK(chosen_for_concat(-1.28, 1.27, 0, 2.55) == types{i8});
    CHECK(chosen_for_concat(0, 2.55, -1.28, 1.27) == types{u8});
    CHECK(chosen_for_concat(-1, 2, -1.28, 1.27) == types{u8});
}

TEST_CASE("Weights and computed output ranges decide nothing") {
    marked_network net;
    const node_id weights = net.fake_quantize(net.numbers({4, 3, 1, 1}, 1), -1.28, 1.27);
    const node_id low = net.model.add(op::relu{}, {net.number(0)});
    const node_id computed =
        net.model.add(op::fake_quantize{256}, {net.data(), net.number(0), net.number(1), low, net.number(1)});
    net.model.result(weights);
    net.model.result(computed);
    net.run<markup_precisions, propagate_precisions, resolve_precision_attribute>();
    CHECK(net.on_output(weights)->types == types{u8, i8});
    CHECK(net.on_output(computed)->types == types{u8, i8});
}

TEST_CASE("Resolving twice is resolving once") {
    marked_network net;
    const node_id quantized = net.fake_quantize(net.data(), -1.28, 1.27);
    net.model.result(quantized);
    net.run<markup_precisions, propagate_precisions, resolve_precision_attribute, resolve_precision_attribute>();
    CHECK(net.on_output(quantized)->types == types{i8});
}
