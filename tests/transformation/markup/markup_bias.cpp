// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include <lpt/transformation/markup/markup_bias.hpp>

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using namespace lpt::test;

namespace {

constexpr bool is_marked(marked_network& net, output_ref left, output_ref right) {
    const node_id sum = net.model.add(op::add{}, {left, right});
    net.model.result(sum);
    net.run<markup_bias>();
    return net.model[sum].has(mark::bias);
}
constexpr bool is_bias_of_convolution(shape dimensions) {
    marked_network net;
    return is_marked(net, net.convolution(net.data(), 3), net.numbers(std::move(dimensions), 1));
}
static_assert(is_bias_of_convolution({1, 4, 1, 1}));

}  // namespace

TEST_CASE("A bias has one element or varies over one axis") {
    CHECK(is_bias_of_convolution({}));
    CHECK(is_bias_of_convolution({1, 1, 1, 1}));
    CHECK(is_bias_of_convolution({4, 1, 1}));
    CHECK_FALSE(is_bias_of_convolution({1, 4, 8, 1}));
}

TEST_CASE("A bias may stand on either input") {
    marked_network net;
    const node_id layer = net.convolution(net.data(), 3);
    CHECK(is_marked(net, net.numbers({1, 4, 1, 1}, 1), layer));
}

TEST_CASE("A bias is a constant and follows a convolution or matrix product directly") {
    marked_network net;
    CHECK_FALSE(is_marked(net, net.convolution(net.data(), 3), net.data({1, 4, 1, 1})));
    marked_network pooled;
    CHECK_FALSE(is_marked(pooled, pooled.max_pool(pooled.convolution(pooled.data(), 3)), pooled.number(1)));
    marked_network product;
    const node_id factors = product.data();
    CHECK(is_marked(product, product.model.add(op::mat_mul{}, {factors, factors}), product.number(1)));
    marked_network unknown;
    const node_id any = unknown.data(shape::of_dynamic_rank());
    CHECK_FALSE(is_marked(unknown, unknown.model.add(op::mat_mul{}, {any, any}), unknown.number(1)));
}
