// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/main/fake_quantize.hpp>

#include "fake_quantize/network.hpp"

#include <lpt/graph/verify.hpp>

#include <doctest/doctest.h>

#include <tuple>

using namespace lpt;
using testing::small_network;

namespace {

/// Multiply(Subtract(100, Convert(u8 data)), 0.5): nothing that a zero point and a scale could say.
struct subtracted_from_constant {
    small_network net;
    node_id subtract = node_id::none;
    node_id multiply = node_id::none;

    constexpr subtracted_from_constant() {
        const node_id data = net.model.parameter(u8, shape{1, 3, 2, 2}, "in");
        const node_id convert = net.model.add(op::convert{f32}, {data});
        subtract = net.model.add(op::subtract{}, {net.constant({100}), convert});
        multiply = net.model.add(op::multiply{}, {subtract, net.constant({0.5})});
        net.model.result(multiply);
    }
};

constexpr bool takes_only_the_scale() {
    const subtracted_from_constant example;
    const dequantization found = find_dequantization_at(example.net.model, example.multiply, int8_precisions);
    return found.multiply == example.multiply && !found.has_subtract() && found.data == output_ref(example.subtract);
}
static_assert(takes_only_the_scale());

}  // namespace

TEST_CASE("a Subtract of the data from a constant is no dequantization") {
    CHECK(takes_only_the_scale());
    const subtracted_from_constant example;
    const node_id convert = example.net.model.producer(example.subtract, 1);
    CHECK(find_dequantization_below(example.net.model, example.net.model[convert].input(0)).empty());
}

TEST_CASE("a FakeQuantize does not take up a Subtract of the data from a constant") {
    subtracted_from_constant example;
    const node_id fake_quantize = example.net.fake_quantize(example.subtract, 256, {0}, {100}, {0}, {100});
    example.net.model.result(fake_quantize);
    CHECK_FALSE(example.net.run<fake_quantize_transformation>(fake_quantize));
    CHECK(example.net.above(fake_quantize) == example.subtract);
}

TEST_CASE("data of f16 that meets constants of f32 is converted for them") {
    testing::small_network net;
    const node_id data = net.model.parameter(u8, shape{1, 3}, "in");
    const node_id convert = net.model.add(op::convert{f16}, {data});
    const node_id shift = net.model.constant(make_scalar(f32, 3));
    const node_id subtract = net.model.add_relaxed(op::subtract{}, {convert, shift}, {{f32, f32}, {f16}});
    for (const bool has_scale : {false, true}) {
        dequantization found{.data = data, .convert = convert, .subtract = subtract, .zero_point = shift};
        if (has_scale) {
            found.scale = net.model.constant(make_scalar(f32, 0.5));
            found.multiply = net.model.add_relaxed(op::multiply{}, {subtract, found.scale}, {{f32, f32}, {f16}});
        }
        attribute::tables attributes;
        const transformation_options options;
        const restriction_table restrictions;
        rewrite r(net.model, attributes, options, restrictions);
        const output_ref last = append_dequantization(r, data, found);
        verify(net.model);
        CHECK(net.model.type(last) == f16);
        CHECK(net.model.type(net.model[last.node].input(0)) == f32);
    }
}

TEST_CASE("a zero point fits a byte up to half a step outside of its range, both ends included") {
    const auto fits = [](element type, double zero_point) {
        testing::small_network net;
        const node_id data = net.model.parameter(type, shape{1, 2}, "in");
        const node_id convert = net.model.add(op::convert{f32}, {data});
        const node_id shift = net.model.constant(make_tensor(f32, {1, 2}, view<double>({0.0, zero_point})));
        const node_id subtract = net.model.add(op::subtract{}, {convert, shift});
        const dequantization found{.data = data, .convert = convert, .subtract = subtract, .zero_point = shift};
        return zero_point_fits(net.model, found, 0).why != reason::zero_point_does_not_fit;
    };
    for (const auto& [type, low, high] : {std::tuple(u8, -0.5, 255.5), std::tuple(i8, -128.5, 127.5)}) {
        CHECK(fits(type, low));
        CHECK(fits(type, high));
        CHECK_FALSE(fits(type, low - 0.001));
        CHECK_FALSE(fits(type, high + 0.001));
    }
}

TEST_CASE("questions about many values look at each of them") {
    const auto with = [](std::size_t place, double value) {
        tensor_builder result(f32, shape{41});
        result.fill(2);
        result.real(place, value);
        return result.finish();
    };
    const tensor plain = with(0, 2);
    CHECK(is_finite(plain));
    CHECK(is_scalar_like(plain));
    CHECK_FALSE(is_scalar_like(make_tensor(f32, {20}, {math::not_a_number})));
    CHECK(is_scalar_like(make_tensor(f32, {2}, view<double>({0.0, -0.0}))));
    for (std::size_t place = 0; place < plain.elements(); ++place) {
        CHECK_FALSE(is_scalar_like(with(place, 3)));
        CHECK_FALSE(is_finite(with(place, math::infinity)));
        CHECK_FALSE(is_finite(with(place, -math::infinity)));
        CHECK_FALSE(is_finite(with(place, math::not_a_number)));
        for (const double value : {0.0, -0.0, -1e-44, -math::infinity, math::not_a_number, -math::not_a_number}) {
            CHECK_FALSE(detail::is_all_positive(with(place, value)));
        }
        for (const double value : {1e-44, math::infinity}) {
            CHECK(detail::is_all_positive(with(place, value)));
        }
        const detail::value_extent extent = detail::extent_of(with(place, -3));
        CHECK(extent.least == -3);
        CHECK(extent.greatest == 2);
    }
}
