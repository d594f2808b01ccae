// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/batch_to_space.hpp>

#include "dequantized.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr dequantized moved_by_batch_to_space(shape dimensions, const scale_and_zero_point& constants) {
    dequantized net(std::move(dimensions), constants);
    net.add(op::batch_to_space{}, {net.indices({1, 1, 2, 2}), net.indices({0, 0, 0, 1}), net.indices({0, 0, 1, 0})});
    return net;
}
constexpr bool batch_to_space_moves_behind() {
    dequantized net = moved_by_batch_to_space({4, 3, 2, 2}, single(0.1, 128));
    return net.run<batch_to_space_transformation>() && net.model[net.quantized()].is<op::batch_to_space>() &&
           net.quantized_type() == u8;
}
static_assert(batch_to_space_moves_behind());

}  // namespace

TEST_CASE("a single scale and zero point move behind BatchToSpace") {
    for (const scale_and_zero_point& constants : {single(0.1), single(-0.1, 128)}) {
        dequantized net = moved_by_batch_to_space({4, 3, 2, 2}, constants);
        CHECK(net.run<batch_to_space_transformation>());
        CHECK(net.quantized_type() == u8);
        CHECK(net.difference() < 1e-6);
    }
}

TEST_CASE("BatchToSpace stays in floating point") {
    SUBCASE("scales differ") {
        dequantized net = moved_by_batch_to_space({4, 3, 2, 2}, channels());
        CHECK_FALSE(net.run<batch_to_space_transformation>());
        CHECK(net.why() == reason::not_per_tensor);
    }
    SUBCASE("zero points differ") {
        dequantized net = moved_by_batch_to_space({4, 3, 2, 2}, {{0.1}, {}, {1, 2, 3}, {1, 3, 1, 1}});
        CHECK_FALSE(net.run<batch_to_space_transformation>());
        CHECK(net.why() == reason::not_per_tensor);
    }
    SUBCASE("constants that are all equal count as several") {
        dequantized net = moved_by_batch_to_space({4, 3, 2, 2}, {{0.1, 0.1, 0.1}, {1, 3, 1, 1}});
        CHECK_FALSE(net.run<batch_to_space_transformation>());
        CHECK(net.why() == reason::not_per_tensor);
    }
    SUBCASE("the data is not dequantized") {
        dequantized net = moved_by_batch_to_space({4, 3, 2, 2}, {});
        CHECK_FALSE(net.run<batch_to_space_transformation>());
        CHECK(net.why() == reason::no_dequantization);
    }
}
