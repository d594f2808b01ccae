// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include <lpt/target/cpu_x86.hpp>
#include <lpt/transformation/markup/markup_can_be_quantized.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::test;

namespace {

constexpr bool restricts_convolutions() {
    marked_network net;
    net.restrictions = cpu_x86;
    const node_id layer = net.convolution(net.data(), 3);
    net.model.result(layer);
    net.run<markup_precisions>();
    return net.on_input(layer, 0)->types == types{u8} && net.on_input(layer, 1)->types == types{i8};
}
static_assert(restricts_convolutions());

}  // namespace

TEST_CASE("Operations that no transformation handles have an empty list on port 0") {
    marked_network net;
    const node_id layer = net.model.add(op::tanh{}, {net.data()});
    net.model.result(layer);
    net.run<markup_precisions>();
    CHECK(net.forbids(layer, 0));
    CHECK_FALSE(net.preserves(layer));
}

TEST_CASE("Operations that hand on what they get are marked as precision preserved") {
    marked_network net;
    const node_id pool = net.max_pool(net.data());
    const node_id product = net.model.add(op::mat_mul{}, {pool, pool});
    net.model.result(product);
    net.run<markup_precisions>();
    CHECK(net.preserves(pool));
    CHECK_FALSE(net.preserves(product));
    CHECK(net.on_input(pool, 0) == nullptr);
}

TEST_CASE("A node that must not be quantized is not precision preserved") {
    marked_network net;
    const node_id unknown = net.data(shape::of_dynamic_rank());
    const node_id joined = net.concat(unknown, unknown);
    net.model.result(joined);
    net.run<markup_can_be_quantized, markup_precisions>();
    CHECK_FALSE(net.preserves(joined));
}

TEST_CASE("A dequantization that is neither per-tensor nor per-channel cannot be quantized through") {
    marked_network net;
    const node_id scaled = net.model.add(op::multiply{}, {net.data(), net.numbers({1, 3, 8, 1}, 1)});
    const node_id pool = net.max_pool(scaled);
    net.model.result(pool);
    net.run<markup_precisions>();
    CHECK(net.forbids(pool, 0));
}

TEST_CASE("Ports of one group share a list, lists of different nodes do not") {
    marked_network net;
    net.restrictions = restrictions<precisions<op::mat_mul, on<ports<0, 1>, i8>>>{};
    const node_id data = net.data();
    const node_id first = net.model.add(op::mat_mul{}, {data, data});
    const node_id second = net.model.add(op::mat_mul{}, {data, data});
    net.model.result(first);
    net.model.result(second);
    net.run<markup_precisions>();
    const auto lists = net.attributes.of<attribute::precisions>();
    CHECK(lists.same_class(attribute::place::on_input(first, 0), attribute::place::on_input(first, 1)));
    CHECK_FALSE(lists.same_class(attribute::place::on_input(first, 0), attribute::place::on_input(second, 0)));
}

TEST_CASE("A restriction without ports forbids all ports") {
    marked_network net;
    net.restrictions = restrictions<precisions<op::convolution>>{};
    const node_id layer = net.convolution(net.data(), 3);
    net.model.result(layer);
    net.run<markup_precisions>();
    CHECK(net.forbids(layer, 0));
    CHECK(net.forbids(layer, 1));
}

TEST_CASE("A list that is empty already stays") {
    marked_network net;
    net.restrictions = cpu_x86;
    const node_id layer = net.model.add(op::convolution{.strides = {1, 1}}, {net.data(), net.numbers({4, 3, 1, 1}, 1)});
    net.model.result(layer);
    net.run<markup_can_be_quantized, markup_precisions>();
    CHECK(net.forbids(layer, 0));
    CHECK(net.forbids(layer, 1));
}

TEST_CASE("A restriction of an operation that no transformation handles is an error") {
    marked_network net;
    net.restrictions.precisions.push_back({op::kind::softmax, any_version, {{0}, {u8}}, nullptr});
    net.model.result(net.data());
    CHECK_THROWS_WITH(net.run<markup_precisions>(),
                      "the precisions of Softmax are restricted, but no transformation handles it");
}
