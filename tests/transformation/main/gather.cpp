// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/gather.hpp>

#include "dequantized.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr dequantized gathered(const scale_and_zero_point& constants, const tensor& indices, std::int64_t axis) {
    dequantized net({2, 3, 4, 2}, constants);
    net.add(op::gather{}, {net.model.constant(indices), net.indices({axis})});
    return net;
}
constexpr bool constants_are_gathered() {
    dequantized net = gathered(channels(), make_indices({2, 0, 2, 1}), 1);
    return net.run<gather_transformation>() && net.quantized_type() == u8 &&
           net.scale().dimensions() == shape{1, 4, 1, 1} && net.scale().real(0) == net.scale().real(2);
}
static_assert(constants_are_gathered());

}  // namespace

TEST_CASE("the dequantization moves behind Gather, constants per channel are gathered") {
    const tensor one = make_integer_tensor(i64, shape{}, {1});
    const tensor some = make_indices({2, 0});
    for (const scale_and_zero_point& constants :
         {single(0.1), single(0.1, 128), channels(), channels_with_zero_points(),
          scale_and_zero_point{{0.1, 0.2, 0.3}, {3, 1, 1}, {7}, {}}}) {
        for (const tensor& indices : {one, some}) {
            dequantized net = gathered(constants, indices, 1);
            CHECK(net.run<gather_transformation>());
            CHECK(net.model[net.quantized()].is<op::gather>());
            CHECK(net.quantized_type() == u8);
            CHECK(net.difference() < 1e-6);
        }
    }
}

TEST_CASE("where constants do not vary over the axis, any indices will do") {
    const tensor table = make_integer_tensor(i64, {2, 3}, {0, 1, 0, 1, 1, 0});
    for (const std::int64_t axis : {0, 2, -1}) {
        for (const tensor& indices : {table, make_indices({1}), make_integer_tensor(i64, shape{}, {1})}) {
            dequantized net = gathered(channels_with_zero_points(), indices, axis);
            CHECK(net.run<gather_transformation>());
            CHECK(net.quantized_type() == u8);
            CHECK(net.difference() < 1e-6);
        }
    }
}

TEST_CASE("Gather stays in floating point") {
    SUBCASE("constants vary over the axis, and indices are a table") {
        dequantized net = gathered(channels(), make_integer_tensor(i64, {1, 2}, {0, 1}), 1);
        CHECK_FALSE(net.run<gather_transformation>());
        CHECK(net.why() == reason::varies_over_axis);
    }
    SUBCASE("constants vary over the axis, and indices are not known") {
        dequantized net({2, 3, 4, 2}, channels());
        net.add(op::gather{}, {net.model.parameter(i64, shape{2}), net.indices({1})});
        CHECK_FALSE(net.run<gather_transformation>());
        CHECK(net.why() == reason::varies_over_axis);
    }
    SUBCASE("constants are per channel, and the axis is not known") {
        dequantized net({2, 3, 4, 2}, channels());
        net.add(op::gather{}, {net.indices({0}), net.model.parameter(i64, shape{})});
        CHECK_FALSE(net.run<gather_transformation>());
        CHECK(net.why() == reason::axes_not_constant);
    }
    SUBCASE("constants vary over an axis other than the channels") {
        dequantized net = gathered({{0.1, 0.2}, {1, 1, 1, 2}}, make_indices({1}), 1);
        CHECK_FALSE(net.run<gather_transformation>());
        CHECK(net.why() == reason::not_per_tensor_or_per_channel);
    }
    SUBCASE("the Multiply above is no dequantization") {
        dequantized net({2, 1, 4, 2}, channels());
        net.add(op::gather{}, {net.indices({0}), net.indices({2})});
        CHECK_FALSE(net.run<gather_transformation>());
        CHECK(net.why() == reason::no_dequantization);
    }
}
