// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/transpose.hpp>

#include "dequantized.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr dequantized transposed(shape dimensions, const scale_and_zero_point& constants, view<std::int64_t> order) {
    dequantized net(std::move(dimensions), constants);
    net.add(op::transpose{}, {net.indices(order)});
    return net;
}
constexpr bool one_scale_moves_behind_any_order() {
    dequantized net = transposed({1, 3, 4, 5}, single(0.1, 128), {0, 2, 3, 1});
    return net.run<transpose_transformation>() && net.model[net.quantized()].is<op::transpose>() &&
           net.quantized_type() == u8;
}
static_assert(one_scale_moves_behind_any_order());

}  // namespace

TEST_CASE("a single scale and zero point move behind any Transpose") {
    for (const scale_and_zero_point& constants :
         {single(0.1), single(0.1, 128), scale_and_zero_point{{0.1}, {1, 1, 1, 1}},
          scale_and_zero_point{{0.1, 0.1, 0.1}, {1, 3, 1, 1}},
          scale_and_zero_point{{0.1, 0.1, 0.1}, {3, 1, 1}, {5}, {}}}) {
        dequantized net = transposed({2, 3, 4, 5}, constants, {0, 2, 3, 1});
        CHECK(net.run<transpose_transformation>());
        CHECK(net.quantized_type() == u8);
        CHECK(net.difference() < 1e-6);
    }
}

TEST_CASE("constants per channel move behind a Transpose of the other axes") {
    for (const scale_and_zero_point& constants :
         {channels(), channels_with_zero_points(),
          scale_and_zero_point{{0.1, 0.2, 0.3}, {3, 1, 1}, {1, 2, 3}, {1, 3, 1, 1}}}) {
        dequantized net = transposed({2, 3, 4, 5}, constants, {0, 1, 3, 2});
        CHECK(net.run<transpose_transformation>());
        CHECK(net.quantized_type() == u8);
        CHECK(net.difference() < 1e-6);
    }
}

TEST_CASE("a constant of one axis is transposed with the last axis") {
    dequantized net = transposed({2, 3, 4, 5}, {{0.1, 0.2, 0.3, 0.4, 0.5}, {5}}, {0, 1, 3, 2});
    CHECK(net.run<transpose_transformation>());
    CHECK(net.scale().dimensions() == shape{1, 1, 5, 1});
    CHECK(net.difference() < 1e-6);
}

TEST_CASE("Transpose stays in floating point") {
    SUBCASE("channels change their place") {
        dequantized net = transposed({1, 3, 4, 5}, channels(), {0, 2, 1, 3});
        CHECK_FALSE(net.run<transpose_transformation>());
        CHECK(net.why() == reason::varies_over_axis);
    }
    SUBCASE("constants have too few axes") {
        dequantized net = transposed({1, 3, 4, 5}, {{0.1}, {1, 1}}, {0, 1, 3, 2});
        CHECK_FALSE(net.run<transpose_transformation>());
        CHECK(net.why() == reason::shapes_do_not_match);
    }
    SUBCASE("constants vary over an axis other than the channels") {
        dequantized net = transposed({1, 3, 4, 5}, {{0.1, 0.2, 0.3, 0.4}, {1, 1, 4, 1}}, {0, 1, 3, 2});
        CHECK_FALSE(net.run<transpose_transformation>());
        CHECK(net.why() == reason::not_per_tensor_or_per_channel);
    }
    SUBCASE("the Multiply above is no dequantization") {
        dequantized net = transposed({1, 1, 4, 5}, channels(), {0, 1, 3, 2});
        CHECK_FALSE(net.run<transpose_transformation>());
        CHECK(net.why() == reason::no_dequantization);
    }
    SUBCASE("the order is not constant") {
        dequantized net({1, 3, 4, 5}, single(0.1));
        net.add(op::transpose{}, {net.model.parameter(i64, shape{4})});
        CHECK_FALSE(net.run<transpose_transformation>());
        CHECK(net.why() == reason::none);
    }
}
