// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/mvn.hpp>

#include "dequantized.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr op::mvn with_variance(bool normalize) {
    op::mvn result;
    result.eps = 1e-12;
    result.normalize_variance = normalize;
    return result;
}
constexpr dequantized behind_mvn(const scale_and_zero_point& constants, view<std::int64_t> axes, bool variance = true,
                                 shape dimensions = {2, 3, 4, 2}) {
    dequantized net(std::move(dimensions), constants, i8);
    net.add(with_variance(variance), {net.indices(axes)}, 6);
    return net;
}
constexpr dequantized normalized_version_0(const scale_and_zero_point& constants, bool across_channels,
                                           bool variance = true) {
    dequantized net({2, 3, 4, 2}, constants, i8);
    op::mvn attributes = with_variance(variance);
    attributes.across_channels = across_channels;
    net.add(attributes, {}, 0);
    return net;
}
constexpr double scale_behind(double scale, bool variance) {
    dequantized net = behind_mvn(single(scale), {2, 3}, variance);
    net.run<mvn_transformation>();
    return net.scale().real(0);
}
static_assert(scale_behind(0.5, true) == 1);
static_assert(scale_behind(-0.5, true) == -1);
static_assert(scale_behind(-0.5, false) == -0.5);

}  // namespace

TEST_CASE("behind MVN comes the sign of the scale, or the scale where the variance stays, if eps is nothing to it") {
    for (const scale_and_zero_point& constants :
         {single(0.1), single(-0.1), channels(), scale_and_zero_point{{0.1, -0.2, 0.3}, {1, 3, 1, 1}}}) {
        for (const bool variance : {true, false}) {
            dequantized net = behind_mvn(constants, {2, -1}, variance);
            net.options.followed_quirks = quirk::unscaled_epsilon;
            CHECK(net.run<mvn_transformation>());
            CHECK(net.model[net.quantized()].is<op::mvn>());
            CHECK(net.model.type(net.model[net.quantized()].input(0)) == i8);
            CHECK(net.quantized_type() == f32);
            CHECK(net.difference() < 1e-5);
            dequantized first_version = normalized_version_0(constants, false, variance);
            first_version.options.followed_quirks = quirk::unscaled_epsilon;
            CHECK(first_version.run<mvn_transformation>());
            CHECK(first_version.difference() < 1e-5);
        }
    }
}

TEST_CASE("a single scale allows a normalization across channels") {
    dequantized net = behind_mvn(single(-0.1), {1, 2, 3});
    CHECK(net.run<mvn_transformation>());
    CHECK(net.difference() < 1e-5);
    dequantized first_version = normalized_version_0(single(-0.1), true);
    CHECK(first_version.run<mvn_transformation>());
    CHECK(first_version.difference() < 1e-5);
}

TEST_CASE("MVN stays in floating point") {
    const auto why = [](dequantized net) {
        CHECK_FALSE(net.run<mvn_transformation>());
        return net.why();
    };
    CHECK(why(behind_mvn(single(0.1, 1), {2, 3})) == reason::has_zero_point);
    CHECK(why(behind_mvn(channels(), {1, 2, 3})) == reason::varies_over_axis);
    CHECK(why(behind_mvn(channels(), {-3})) == reason::varies_over_axis);
    CHECK(why(behind_mvn({{0.1, 0.2}, {2}}, {2, 3})) == reason::varies_over_axis);
    CHECK(why(normalized_version_0(channels(), true)) == reason::varies_over_axis);
    CHECK(why(behind_mvn({{0.1, 0.2}, {1, 1, 1, 2}}, {2})) == reason::not_per_tensor_or_per_channel);
    CHECK(why(behind_mvn(channels(), {2}, true, {2, 1, 4, 2})) == reason::no_dequantization);
}
