// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include <lpt/target/cpu_x86.hpp>
#include <lpt/transformation/markup/align_quantization_parameters.hpp>
#include <lpt/transformation/markup/markup_can_be_quantized.hpp>
#include <lpt/transformation/markup/markup_quantization_granularity.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::test;

namespace {

constexpr const attribute::quantization_alignment* alignment_of(marked_network& net, node_id id) {
    return net.attributes.of<attribute::quantization_alignment>().find_node(id);
}
constexpr node_id joined_fake_quantizes(marked_network& net) {
    return net.concat(net.fake_quantize(net.data(), 0, 1), net.fake_quantize(net.data(), 0, 2));
}
constexpr void run_all(marked_network& net) {
    net.run<markup_can_be_quantized, markup_precisions, markup_quantization_granularity,
            align_quantization_parameters>();
}

constexpr bool per_tensor_consumer_aligns() {
    marked_network net;
    net.restrictions = cpu_x86;
    const node_id joined = joined_fake_quantizes(net);
    net.model.result(net.convolution(net.max_pool(joined), 6));
    run_all(net);
    return alignment_of(net, joined)->value;
}
static_assert(per_tensor_consumer_aligns());

}  // namespace

TEST_CASE("Without a per-tensor restriction nothing has to be aligned") {
    marked_network net;
    const node_id joined = joined_fake_quantizes(net);
    const node_id pool = net.max_pool(joined);
    net.model.result(net.convolution(pool, 6));
    run_all(net);
    REQUIRE(alignment_of(net, joined) != nullptr);
    CHECK_FALSE(alignment_of(net, joined)->value);
    CHECK(alignment_of(net, pool) == alignment_of(net, joined));
}

TEST_CASE("A consumer that must not be quantized asks for nothing") {
    marked_network net;
    net.restrictions = cpu_x86;
    const node_id joined = joined_fake_quantizes(net);
    net.model.result(net.model.add(op::convolution{.strides = {1, 1}}, {joined, net.numbers({4, 6, 1, 1}, 1)}));
    run_all(net);
    CHECK_FALSE(alignment_of(net, joined)->value);
}

TEST_CASE("A port that accepts channels of their own asks for nothing") {
    marked_network net;
    net.restrictions.granularities.push_back(
        {op::kind::convolution, any_version, {0}, attribute::granularity::per_channel});
    const node_id joined = joined_fake_quantizes(net);
    net.model.result(net.convolution(joined, 6));
    run_all(net);
    CHECK_FALSE(alignment_of(net, joined)->value);
}

TEST_CASE("Only nodes that read FakeQuantizes, and perhaps constants, align") {
    marked_network net;
    const node_id mixed = net.concat(net.fake_quantize(net.data(), 0, 1), net.data());
    const node_id with_constant = net.concat(net.fake_quantize(net.data(), 0, 1), net.numbers({1, 3, 8, 8}, 1));
    const node_id constants = net.concat(net.numbers({1, 3, 8, 8}, 1), net.numbers({1, 3, 8, 8}, 1));
    for (const node_id id : {mixed, with_constant, constants}) {
        net.model.result(id);
    }
    run_all(net);
    CHECK(alignment_of(net, mixed) == nullptr);
    CHECK(alignment_of(net, with_constant) != nullptr);
    CHECK(alignment_of(net, constants) == nullptr);
}
