// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include <lpt/transformation/markup/markup_quantization_granularity.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::test;

namespace {

template <class Restriction>
constexpr int marked_ports() {
    marked_network net;
    net.restrictions = restrictions<Restriction>{};
    const node_id layer = net.convolution(net.data(), 3);
    net.model.result(layer);
    net.run<markup_quantization_granularity>();
    const auto granularity = net.attributes.of<attribute::quantization_granularity>();
    int result = 0;
    for (const std::size_t port : {0u, 1u}) {
        const attribute::quantization_granularity* found = granularity.find_input(layer, port);
        result += found != nullptr && found->value == attribute::granularity::per_tensor ? 1 << port : 0;
    }
    return result;
}
static_assert(marked_ports<per_tensor<op::convolution, 0>>() == 1);

}  // namespace

TEST_CASE("The listed ports are marked, without a list all ports") {
    CHECK(marked_ports<per_tensor<op::convolution, 1>>() == 2);
    CHECK(marked_ports<per_tensor<op::convolution>>() == 3);
    CHECK(marked_ports<per_tensor<op::group_convolution>>() == 0);
}

TEST_CASE("A mark that is there stays") {
    marked_network net;
    net.restrictions = restrictions<per_tensor<op::convolution, 0>>{};
    const node_id layer = net.convolution(net.data(), 3);
    net.model.result(layer);
    auto granularity = net.attributes.of<attribute::quantization_granularity>();
    granularity.set_input(layer, 0, {attribute::granularity::per_channel});
    net.run<markup_quantization_granularity>();
    CHECK(granularity.find_input(layer, 0)->value == attribute::granularity::per_channel);
}
