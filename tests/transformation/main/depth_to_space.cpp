// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/depth_to_space.hpp>

#include "dequantized.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr dequantized moved_by_depth_to_space(shape dimensions, const scale_and_zero_point& constants) {
    dequantized net(std::move(dimensions), constants);
    op::depth_to_space attributes;
    attributes.block_size = 2;
    net.add(attributes);
    return net;
}
constexpr bool depth_to_space_moves_behind() {
    dequantized net = moved_by_depth_to_space({1, 12, 2, 2}, single(0.1, 128));
    return net.run<depth_to_space_transformation>() && net.model[net.quantized()].is<op::depth_to_space>() &&
           net.quantized_type() == u8;
}
static_assert(depth_to_space_moves_behind());

}  // namespace

TEST_CASE("a single scale and zero point move behind DepthToSpace") {
    for (const scale_and_zero_point& constants : {single(0.1), single(-0.1, 128)}) {
        dequantized net = moved_by_depth_to_space({1, 12, 2, 2}, constants);
        CHECK(net.run<depth_to_space_transformation>());
        CHECK(net.quantized_type() == u8);
        CHECK(net.difference() < 1e-6);
    }
}

TEST_CASE("a constant of one element keeps its axes") {
    dequantized net = moved_by_depth_to_space({1, 12, 2, 2}, {{0.1}, {1, 1, 1, 1}});
    net.model.result(net.model.add(op::sigmoid{}, {net.operation}));
    CHECK(net.run<depth_to_space_transformation>());
    const node_id last = net.model.producer(net.model.results()[0], 0);
    CHECK(net.model.shape(net.model[last].input(1)) == shape{1, 1, 1, 1});
    CHECK(net.difference() < 1e-6);
}

TEST_CASE("DepthToSpace stays in floating point") {
    SUBCASE("scales differ") {
        dequantized net = moved_by_depth_to_space(
            {1, 12, 2, 2}, {{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2}, {1, 12, 1, 1}});
        CHECK_FALSE(net.run<depth_to_space_transformation>());
        CHECK(net.why() == reason::not_per_tensor);
    }
    SUBCASE("zero points differ") {
        dequantized net =
            moved_by_depth_to_space({1, 12, 2, 2}, {{0.1}, {}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {1, 12, 1, 1}});
        CHECK_FALSE(net.run<depth_to_space_transformation>());
        CHECK(net.why() == reason::not_per_tensor);
    }
    SUBCASE("the data is not dequantized") {
        dequantized net = moved_by_depth_to_space({1, 12, 2, 2}, {});
        CHECK_FALSE(net.run<depth_to_space_transformation>());
        CHECK(net.why() == reason::none);
    }
}
