// SPDX-License-Identifier: Apache-2.0
#include "tests/transformation/markup/network.hpp"

#include <lpt/transformation/prerequisites/type_relaxed_replacer.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::test;

namespace {

constexpr bool relaxes_convolutions_and_nothing_else_of_them() {
    marked_network net;
    const node_id layer = net.convolution(net.data(), 3);
    const node_id pool = net.max_pool(layer);
    net.model.result(pool);
    net.run<type_relaxed_replacer>();
    return net.model[layer].relaxed() && !net.model[pool].relaxed() && net.model[layer].type() == f32 &&
           net.model[layer].own_types() == nullptr;
}
static_assert(relaxes_convolutions_and_nothing_else_of_them());

}  // namespace

TEST_CASE("Only the first version of AvgPool is relaxed; MatMul is not") {
    marked_network net;
    const node_id first = net.avg_pool(net.data());
    const node_id later = net.model.add(op::avg_pool{.kernel = {1, 1}, .strides = {1, 1}}, {first}, {}, 14);
    const node_id product = net.model.add(op::mat_mul{}, {later, later});
    net.model.result(product);
    net.run<type_relaxed_replacer>();
    CHECK(net.model[first].relaxed());
    CHECK_FALSE(net.model[later].relaxed());
    CHECK_FALSE(net.model[product].relaxed());
}

TEST_CASE("A node that is relaxed already keeps its types") {
    marked_network net;
    const node_id quantized = net.fake_quantize(net.data(), 0, 255);
    net.model.relax_output(quantized, u8);
    net.model.result(quantized);
    net.run<type_relaxed_replacer>();
    CHECK(net.model[quantized].type() == u8);
}
