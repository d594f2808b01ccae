// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include <lpt/transformation/markup/markup_avg_pool_precision_preserved.hpp>
#include <lpt/transformation/markup/markup_can_be_quantized.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::test;

namespace {

constexpr bool convolution_behind_keeps_precision() {
    marked_network net;
    const node_id pool = net.avg_pool(net.data());
    net.model.result(net.convolution(net.max_pool(pool), 3));
    net.run<markup_can_be_quantized, markup_precisions, markup_avg_pool_precision_preserved>();
    return net.preserves(pool);
}
static_assert(convolution_behind_keeps_precision());

}  // namespace

TEST_CASE("An AvgPool before an operation that stays in floating point does not preserve precision") {
    marked_network net;
    const node_id pool = net.avg_pool(net.data());
    net.model.result(net.model.add(op::tanh{}, {pool}));
    net.run<markup_precisions, markup_avg_pool_precision_preserved>();
    CHECK_FALSE(net.preserves(pool));
    CHECK(net.attributes.of<attribute::precision_preserved>().find_node(pool) != nullptr);
}

TEST_CASE("Results and FakeQuantizes decide nothing") {
    marked_network net;
    const node_id pool = net.avg_pool(net.data());
    net.model.result(pool);
    net.model.result(net.fake_quantize(pool, 0, 1));
    net.run<markup_precisions, markup_avg_pool_precision_preserved>();
    CHECK_FALSE(net.preserves(pool));
}

TEST_CASE("AvgPools that meet in a Concat share the decision") {
    marked_network net;
    const node_id left = net.avg_pool(net.data());
    const node_id right = net.avg_pool(net.data());
    const node_id joined = net.concat(left, right);
    net.model.result(net.convolution(joined, 6));
    net.run<markup_can_be_quantized, markup_precisions, markup_avg_pool_precision_preserved>();
    CHECK(net.preserves(left));
    CHECK(net.preserves(right));
    const auto marks = net.attributes.of<attribute::avg_pool_precision_preserved>();
    CHECK(marks.same_class(attribute::place::on_node(left), attribute::place::on_node(right)));
    CHECK(marks.same_class(attribute::place::on_node(left), attribute::place::on_node(joined)));
}

TEST_CASE("Later versions of AvgPool are not marked") {
    marked_network net;
    const node_id pool = net.model.add(op::avg_pool{.kernel = {1, 1}, .strides = {1, 1}}, {net.data()}, {}, 14);
    net.model.result(pool);
    net.run<markup_avg_pool_precision_preserved>();
    CHECK(net.attributes.of<attribute::precision_preserved>().find_node(pool) == nullptr);
}
