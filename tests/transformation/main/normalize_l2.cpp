// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/normalize_l2.hpp>

#include "dequantized.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr dequantized behind_normalize_l2(const scale_and_zero_point& constants, view<std::int64_t> axes,
                                          shape dimensions = {2, 3, 4, 2}) {
    dequantized net(std::move(dimensions), constants, i8);
    op::normalize_l2 attributes;
    attributes.eps = 1e-12;
    net.add(attributes, {net.indices(axes)});
    return net;
}
constexpr double scale_behind(double scale) {
    dequantized net = behind_normalize_l2(single(scale), {1});
    net.run<normalize_l2_transformation>();
    return net.scale().real(0);
}
static_assert(scale_behind(0.1) == 1);
static_assert(scale_behind(-0.1) == -1);

reason why(const scale_and_zero_point& constants, view<std::int64_t> axes, shape dimensions = {2, 3, 4, 2}) {
    dequantized net = behind_normalize_l2(constants, axes, std::move(dimensions));
    CHECK_FALSE(net.run<normalize_l2_transformation>());
    return net.why();
}

}  // namespace

TEST_CASE("only the sign of the scale goes behind NormalizeL2") {
    for (const scale_and_zero_point& constants :
         {single(0.1), single(-0.1), scale_and_zero_point{{0.1, 0.1, 0.1}, {1, 3, 1, 1}}}) {
        for (const integers& axes : {integers{1}, integers{1, 2, 3}}) {
            dequantized net = behind_normalize_l2(constants, axes);
            CHECK(net.run<normalize_l2_transformation>());
            CHECK(net.model[net.quantized()].is<op::normalize_l2>());
            CHECK(net.model.type(net.model[net.quantized()].input(0)) == i8);
            CHECK(net.quantized_type() == f32);
            CHECK(net.difference() < 1e-6);
        }
    }
}

TEST_CASE("NormalizeL2 stays in floating point") {
    CHECK(why(single(0.1, 1), {1}) == reason::has_zero_point);
    CHECK(why(channels(), {1}) == reason::not_per_tensor);
    CHECK(why(single(0.1), {2}) == reason::unsupported_axes);
    CHECK(why(single(0.1), {1, 2}) == reason::unsupported_axes);
    CHECK(why({{0.1, 0.1}, {2}}, {1}) == reason::shapes_do_not_match);
    CHECK(why({{0.1, 0.2}, {1, 1, 1, 2}}, {1}) == reason::not_per_tensor_or_per_channel);
    CHECK(why(channels(), {1}, {2, 1, 4, 2}) == reason::no_dequantization);
}
