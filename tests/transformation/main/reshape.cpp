// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/reshape.hpp>

#include "dequantized.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr dequantized reshaped(shape dimensions, const scale_and_zero_point& constants, view<std::int64_t> target) {
    dequantized net(std::move(dimensions), constants);
    net.add(op::reshape{.special_zero = true}, {net.indices(target)});
    return net;
}
constexpr bool channels_are_repeated() {
    dequantized net = reshaped({1, 3, 2, 2}, channels(), {1, 6, 2});
    return net.run<reshape_transformation>() && net.quantized_type() == u8 &&
           net.scale().dimensions() == shape{1, 6, 1} && net.scale().real(1) == net.scale().real(0) &&
           net.scale().real(2) != net.scale().real(1);
}
static_assert(channels_are_repeated());

}  // namespace

TEST_CASE("a single scale and zero point move behind any Reshape, as scalars") {
    dequantized net = reshaped({2, 3, 4, 4}, {{0.1}, {1, 1, 1, 1}, {128}, {1}}, {3, 32});
    CHECK(net.run<reshape_transformation>());
    CHECK(net.model[net.quantized()].is<op::reshape>());
    CHECK(net.quantized_type() == u8);
    CHECK(net.scale().dimensions() == shape{});
    CHECK(net.zero_point().dimensions() == shape{});
    CHECK(net.difference() < 1e-6);
}

TEST_CASE("constants per channel follow a Reshape that keeps channels together") {
    const struct {
        shape before;
        scale_and_zero_point constants;
        integers target;
    } cases[] = {
        {{2, 3, 4, 4}, channels_with_zero_points(), {0, 3, 16}},
        {{2, 3, 4, 4}, channels_with_zero_points(), {0, 12, 2, 2}},
        {{2, 3, 4, 4}, channels_with_zero_points(), {0, -1}},
        {{2, 3, 4, 4}, {{0.1, 0.2, 0.3}, {3, 1, 1}, {7}, {}}, {0, 6, 8}},
        {{2, 3, 4}, {{0.1, 0.2, 0.3}, {1, 3, 1}}, {0, 3, 2, 2}},
        {{2, 3}, {{0.1, 0.2, 0.3}, {3}}, {2, 3, 1}},
    };
    for (const auto& each : cases) {
        CAPTURE(to_text(each.before).c_str());
        dequantized net = reshaped(each.before, each.constants, each.target);
        CHECK(net.run<reshape_transformation>());
        CHECK(net.quantized_type() == u8);
        CHECK(net.difference() < 1e-6);
    }
}

TEST_CASE("a Convert between zero point and Subtract is kept") {
    dequantized net = reshaped({1, 3, 4, 4}, {{0.1, 0.2, 0.3}, {1, 3, 1, 1}, {1, 2, 3}, {1, 3, 1, 1}, true}, {0, 6, 8});
    CHECK(net.run<reshape_transformation>());
    CHECK(net.zero_point().type() == u8);
    CHECK(net.zero_point().dimensions() == shape{1, 6, 1});
    CHECK(net.difference() < 1e-6);
}

TEST_CASE("a number of batches that is not known stays the same where the target copies it") {
    dequantized net = reshaped({-1, 3, -1, -1}, channels(), {0, 3, -1});
    CHECK(net.run<reshape_transformation>());
    CHECK(net.difference({2, 3, 4}) < 1e-6);
}

TEST_CASE("a target that is not constant is fine for a single scale") {
    const auto with_computed_target = [](const scale_and_zero_point& constants) {
        dequantized net({1, 3, 4, 4}, constants);
        const node_id sizes = net.model.parameter(i64, shape{2}, "sizes");
        net.add(op::reshape{}, {sizes});
        return net;
    };
    dequantized one = with_computed_target(single(0.1));
    CHECK(one.run<reshape_transformation>());
    CHECK(one.quantized_type() == u8);
    dequantized several = with_computed_target(channels());
    CHECK_FALSE(several.run<reshape_transformation>());
    CHECK(several.why() == reason::not_per_tensor);
}

TEST_CASE("the user may keep Reshape before MatMul in floating point") {
    dequantized net({1, 3, 4, 4}, single(0.1));
    net.options.reshape_ignore_per_tensor_check = true;
    net.operation = net.model.add(op::reshape{}, {net.end, net.indices({12, 4})}, "operation");
    const node_id weights = net.model.constant(make_tensor(f32, {4, 2}, {1}));
    net.model.result(net.model.add(op::mat_mul{}, {net.operation, weights}));
    CHECK_FALSE(net.run<reshape_transformation>());
    CHECK(net.why() == reason::disabled_by_option);
}

TEST_CASE("Reshape stays in floating point") {
    const auto why = [](shape dimensions, const scale_and_zero_point& constants, view<std::int64_t> target) {
        dequantized net = reshaped(std::move(dimensions), constants, target);
        CHECK_FALSE(net.run<reshape_transformation>());
        return net.why();
    };
    CHECK(why({1, 1, 4, 4}, channels(), {0, -1}) == reason::no_dequantization);
    CHECK(why({2, 3, 4, 4}, channels(), {-1}) == reason::shapes_do_not_match);
    CHECK(why({3}, {{0.1, 0.2, 0.3}, {3}}, {1, 3}) == reason::shapes_do_not_match);
    CHECK(why({2, 3, 4, 4}, channels(), {1, 6, 16}) == reason::varies_over_axis);
    CHECK(why({2, 3, 4, 4}, channels(), {0, 2, 24}) == reason::varies_over_axis);
    CHECK(why({2, 3, 4, 4}, channels(), {0, 4, 12}) == reason::varies_over_axis);
    CHECK(why({2, 3, 4, 4}, {{0.1, 0.2, 0.3, 0.4}, {4}}, {0, 3, 16}) == reason::varies_over_axis);
    CHECK(why({2, 3, 4, 4}, {{0.1, 0.2, 0.3, 0.4}, {1, 1, 1, 4}}, {0, 3, 16}) == reason::not_per_tensor_or_per_channel);
    CHECK(why({-1, 3, -1, -1}, channels(), {0, -1}) == reason::dynamic_axis);
    // Another number of batches is possible here: three images of four pixels, or one of twelve.
    CHECK(why({-1, 3, -1, -1}, channels(), {-1, 3, 4}) == reason::varies_over_axis);
}

TEST_CASE("what is computed from constants is folded, not moved") {
    dequantized net({1}, {});
    output_ref end = net.model.constant(make_tensor(u8, {1, 3, 2}, {1, 2, 3, 4, 5, 6}));
    end = net.model.add(op::convert{f32}, {end});
    net.end = net.model.add(op::multiply{}, {end, net.number(0.1)});
    net.add(op::reshape{}, {net.indices({6})});
    CHECK_FALSE(net.run<reshape_transformation>());
    CHECK(net.why() == reason::constant_path);
}
