// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/unsqueeze.hpp>

#include "dequantized.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr dequantized unsqueezed(shape dimensions, const scale_and_zero_point& constants, view<std::int64_t> axes,
                                 int version = -1) {
    dequantized net(std::move(dimensions), constants);
    net.add(op::unsqueeze{}, {net.indices(axes)}, version);
    return net;
}
constexpr bool constants_follow_unsqueeze() {
    dequantized net = unsqueezed({2, 3, 4}, {{0.1, 0.2, 0.3}, {1, 3, 1}}, {0}, 0);
    return net.run<unsqueeze_transformation>() && net.model[net.quantized()].is<op::unsqueeze>() &&
           net.quantized_type() == u8 && net.scale().dimensions() == shape{1, 1, 3, 1};
}
static_assert(constants_follow_unsqueeze());

}  // namespace

TEST_CASE("the dequantization moves behind Unsqueeze, its constants change their shape too") {
    const scale_and_zero_point all[] = {single(0.1),
                                        single(0.1, 128),
                                        {{0.1}, {1, 1, 1}, {128}, {1}},
                                        {{0.1, 0.2, 0.3}, {1, 3, 1}, {1, 2, 3}, {1, 3, 1}},
                                        {{0.1, 0.2, 0.3}, {3, 1}, {1}, {}},
                                        {{0.1}, {}, {1, 2, 3}, {1, 3, 1}, true}};
    for (const scale_and_zero_point& constants : all) {
        for (const integers& axes : {integers{0}, integers{2}, integers{3, 4}}) {
            dequantized net = unsqueezed({2, 3, 4}, constants, axes, 0);
            CHECK(net.run<unsqueeze_transformation>());
            CHECK(net.quantized_type() == u8);
            CHECK(net.difference() < 1e-6);
        }
    }
}

TEST_CASE("Unsqueeze stays in floating point") {
    SUBCASE("the Multiply above is no dequantization") {
        dequantized net = unsqueezed({1, 1, 4}, {{0.1, 0.2, 0.3}, {1, 3, 1}}, {0}, 0);
        CHECK_FALSE(net.run<unsqueeze_transformation>());
        CHECK(net.why() == reason::no_dequantization);
    }
    SUBCASE("constants vary over an axis other than the channels") {
        dequantized net = unsqueezed({2, 3, 4}, {{0.1, 0.2, 0.3, 0.4}, {1, 1, 4}}, {0}, 0);
        CHECK_FALSE(net.run<unsqueeze_transformation>());
        CHECK(net.why() == reason::not_per_tensor_or_per_channel);
    }
}
