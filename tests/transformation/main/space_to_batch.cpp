// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/space_to_batch.hpp>

#include "dequantized.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr dequantized moved_by_space_to_batch(shape dimensions, const scale_and_zero_point& constants) {
    dequantized net(std::move(dimensions), constants);
    net.add(op::space_to_batch{}, {net.indices({1, 1, 2, 2}), net.indices({0, 0, 0, 0}), net.indices({0, 0, 0, 0})});
    return net;
}
constexpr bool space_to_batch_moves_behind() {
    dequantized net = moved_by_space_to_batch({1, 3, 4, 4}, single(0.1, 128));
    return net.run<space_to_batch_transformation>() && net.model[net.quantized()].is<op::space_to_batch>() &&
           net.quantized_type() == u8;
}
static_assert(space_to_batch_moves_behind());

}  // namespace

TEST_CASE("a single scale and zero point move behind SpaceToBatch") {
    for (const scale_and_zero_point& constants : {single(0.1), single(-0.1, 128)}) {
        dequantized net = moved_by_space_to_batch({1, 3, 4, 4}, constants);
        CHECK(net.run<space_to_batch_transformation>());
        CHECK(net.quantized_type() == u8);
        CHECK(net.difference() < 1e-6);
    }
}

TEST_CASE("SpaceToBatch stays in floating point") {
    SUBCASE("scales differ") {
        dequantized net = moved_by_space_to_batch({1, 3, 4, 4}, channels());
        CHECK_FALSE(net.run<space_to_batch_transformation>());
        CHECK(net.why() == reason::not_per_tensor);
    }
    SUBCASE("zero points differ") {
        dequantized net = moved_by_space_to_batch({1, 3, 4, 4}, {{0.1}, {}, {1, 2, 3}, {1, 3, 1, 1}});
        CHECK_FALSE(net.run<space_to_batch_transformation>());
        CHECK(net.why() == reason::not_per_tensor);
    }
    SUBCASE("constants that are all equal count as several") {
        dequantized net = moved_by_space_to_batch({1, 3, 4, 4}, {{0.1, 0.1, 0.1}, {1, 3, 1, 1}});
        CHECK_FALSE(net.run<space_to_batch_transformation>());
        CHECK(net.why() == reason::not_per_tensor);
    }
    SUBCASE("the data is not dequantized") {
        dequantized net = moved_by_space_to_batch({1, 3, 4, 4}, {});
        CHECK_FALSE(net.run<space_to_batch_transformation>());
        CHECK(net.why() == reason::no_dequantization);
    }
}
