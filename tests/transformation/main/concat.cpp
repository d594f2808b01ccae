// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/concat.hpp>

#include "dequantized.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr op::concat along(std::int64_t axis) {
    op::concat result;
    result.axis = axis;
    return result;
}
/// Twice the same data, with two dequantizations.
constexpr dequantized joined(shape dimensions, const scale_and_zero_point& first, const scale_and_zero_point& second,
                             std::int64_t axis, element type = u8) {
    dequantized net(std::move(dimensions), first, type);
    graph& model = net.model;
    output_ref other = model.parameters()[0];
    if (is_integral(type)) {
        other = model.add(op::convert{f32}, {other});
    }
    if (!second.zero_point.empty()) {
        output_ref zero_point = model.constant(
            make_tensor(second.zero_point_converts ? type : f32, second.zero_point_shape, second.zero_point));
        if (second.zero_point_converts) {
            zero_point = model.add(op::convert{f32}, {zero_point});
        }
        other = model.add(op::subtract{}, {other, zero_point});
    }
    if (!second.scale.empty()) {
        other = model.add(op::multiply{}, {other, model.constant(make_tensor(f32, second.scale_shape, second.scale))});
    }
    net.add(along(axis), {other});
    return net;
}
constexpr bool constants_are_joined() {
    dequantized net = joined({1, 3, 2, 2}, single(0.1), single(0.2, 7), 1);
    return net.run<concat_transformation>() && net.quantized_type() == u8 &&
           net.scale().dimensions() == shape{1, 6, 1, 1} && net.zero_point().real(2) == 0 &&
           net.zero_point().real(3) == 7;
}
static_assert(constants_are_joined());

reason why(const dequantized& before) {
    dequantized net = before;
    CHECK_FALSE(net.run<concat_transformation>());
    return net.why();
}

}  // namespace

TEST_CASE("the dequantizations of all inputs become one behind Concat") {
    const scale_and_zero_point all[] = {
        single(0.1),  single(0.2, 7), channels(), channels_with_zero_points(), {{0.1, 0.2, 0.3}, {3, 1, 1}, {5}, {1}},
        {{}, {}, {3}}};
    for (const scale_and_zero_point& first : all) {
        for (const scale_and_zero_point& second : all) {
            dequantized net = joined({2, 3, 2, 2}, first, second, 1);
            CHECK(net.run<concat_transformation>());
            CHECK(net.model[net.quantized()].is<op::concat>());
            CHECK(net.quantized_type() == u8);
            CHECK(net.difference() < 1e-6);
        }
    }
}

TEST_CASE("Concat along any axis") {
    for (const std::int64_t axis : {0, 2, -1}) {
        dequantized net = joined({2, 3, 2, 2}, single(0.1), single(0.2, 7), axis);
        CHECK(net.run<concat_transformation>());
        CHECK(net.difference() < 1e-6);
    }
}

TEST_CASE("equal constants become scalars") {
    dequantized net = joined({1, 3, 2, 2}, single(0.1, 7), single(0.1, 7), 1);
    CHECK(net.run<concat_transformation>());
    CHECK(net.scale().dimensions() == shape{});
    CHECK(net.zero_point().dimensions() == shape{});
}

TEST_CASE("zero points stay in the low type where each one that there is has a Convert") {
    const scale_and_zero_point converts{{0.1}, {}, {7}, {}, true};
    dequantized both = joined({1, 3, 2, 2}, converts, converts, 1);
    CHECK(both.run<concat_transformation>());
    CHECK(both.zero_point().type() == u8);
    CHECK(both.difference() < 1e-6);
    dequantized one = joined({1, 3, 2, 2}, single(0.2), converts, 1);
    CHECK(one.run<concat_transformation>());
    CHECK(one.zero_point().type() == u8);
    CHECK(one.difference() < 1e-6);
    dequantized mixed = joined({1, 3, 2, 2}, single(0.2, 5), converts, 1);
    CHECK(mixed.run<concat_transformation>());
    CHECK(mixed.zero_point().type() == f32);
    CHECK(mixed.difference() < 1e-6);
}

TEST_CASE("where sizes are not known, all inputs must have the same scale and zero point") {
    dequantized net = joined({1, -1, 2, 2}, single(0.1, 7), single(0.1, 7), 1);
    CHECK(net.run<concat_transformation>());
    CHECK(net.quantized_type() == u8);
    CHECK(net.difference({3}) < 1e-6);
    CHECK(why(joined({1, -1, 2, 2}, single(0.1, 7), single(0.2, 7), 1)) == reason::not_per_tensor);
    CHECK(why(joined({1, -1, 2, 2}, single(0.1, 7), single(0.1), 1)) == reason::not_per_tensor);
}

TEST_CASE("the dequantization behind Concat is named after it") {
    dequantized net = joined({1, 3, 2, 2}, single(0.1, 7), single(0.2, 7), 1);
    CHECK(net.run<concat_transformation>());
    CHECK(net.model[net.output()].name() == "operation");
    CHECK(net.model[net.quantized()].name() == "operation_original");
    CHECK(net.model[net.found().convert].name() == "operation/DequantizationConvert");
}

TEST_CASE("Concat stays in floating point") {
    CHECK(why(joined({2, 3, 2, 2}, channels(), single(0.1), 2)) == reason::varies_over_axis);
    CHECK(why(joined({2, 3, 2, 2}, single(0.1), {}, 1)) == reason::no_dequantization);
    CHECK(why(joined({2, 3, 2, 2}, single(0.1), single(0.2), 1, f32)) == reason::not_low_precision);
    CHECK(why(joined(shape::of_dynamic_rank(), single(0.1), single(0.1), 1)) == reason::dynamic_rank);
}

TEST_CASE("without update of precisions real data is fine") {
    dequantized net = joined({2, 3, 2, 2}, single(0.1), channels_with_zero_points(), 1, f32);
    net.options.update_precisions = false;
    CHECK(net.run<concat_transformation>());
    CHECK(net.difference() < 1e-6);
}

TEST_CASE("data of two types does not meet in Concat") {
    dequantized net({1, 3, 2, 2}, single(0.1));
    const node_id other = net.model.parameter(i8, shape{1, 3, 2, 2});
    const node_id converted = net.model.add(op::convert{f32}, {other});
    net.add(along(1), {net.model.add(op::multiply{}, {converted, net.number(0.1)})});
    CHECK_FALSE(net.run<concat_transformation>());
    CHECK(net.why() == reason::types_do_not_match);
}
