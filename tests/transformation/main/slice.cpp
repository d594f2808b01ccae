// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/slice.hpp>

#include "dequantized.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr dequantized moved_by_slice(shape dimensions, const scale_and_zero_point& constants) {
    dequantized net(std::move(dimensions), constants);
    net.add(op::slice{}, {net.indices({1, 0}), net.indices({3, 4}), net.indices({1, 2}), net.indices({1, 2})});
    return net;
}
constexpr bool slice_moves_behind() {
    dequantized net = moved_by_slice({2, 3, 4, 4}, single(0.1, 128));
    return net.run<slice_transformation>() && net.model[net.quantized()].is<op::slice>() && net.quantized_type() == u8;
}
static_assert(slice_moves_behind());

}  // namespace

TEST_CASE("a single scale and zero point move behind Slice") {
    for (const scale_and_zero_point& constants : {single(0.1), single(-0.1, 128)}) {
        dequantized net = moved_by_slice({2, 3, 4, 4}, constants);
        CHECK(net.run<slice_transformation>());
        CHECK(net.quantized_type() == u8);
        CHECK(net.difference() < 1e-6);
    }
}

TEST_CASE("Slice stays in floating point") {
    SUBCASE("scales differ") {
        dequantized net = moved_by_slice({2, 3, 4, 4}, channels());
        CHECK_FALSE(net.run<slice_transformation>());
        CHECK(net.why() == reason::not_per_tensor);
    }
    SUBCASE("zero points differ") {
        dequantized net = moved_by_slice({2, 3, 4, 4}, {{0.1}, {}, {1, 2, 3}, {1, 3, 1, 1}});
        CHECK_FALSE(net.run<slice_transformation>());
        CHECK(net.why() == reason::not_per_tensor);
    }
    SUBCASE("constants that are all equal count as several") {
        dequantized net = moved_by_slice({2, 3, 4, 4}, {{0.1, 0.1, 0.1}, {1, 3, 1, 1}});
        CHECK_FALSE(net.run<slice_transformation>());
        CHECK(net.why() == reason::not_per_tensor);
    }
    SUBCASE("the data is not dequantized") {
        dequantized net = moved_by_slice({2, 3, 4, 4}, {});
        CHECK_FALSE(net.run<slice_transformation>());
        CHECK(net.why() == reason::no_dequantization);
    }
}
