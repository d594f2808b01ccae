// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/main/convolution.hpp>
#include <lpt/transformation/main/convolution_backprop_data.hpp>
#include <lpt/transformation/main/group_convolution.hpp>

#include "two_inputs.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr op::convolution window() {
    return {.strides = {1, 1}, .dilations = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}};
}
constexpr op::group_convolution group_window() {
    return {.strides = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}, .dilations = {1, 1}};
}
constexpr op::convolution_backprop_data backprop_window() {
    return {.strides = {1, 1}, .dilations = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}};
}
constexpr scale_and_zero_point output_channels() { return {{0.5, 0.25}, {2, 1, 1, 1}}; }
constexpr scale_and_zero_point output_channels_with_zero_points() {
    return {{0.5, 0.25}, {2, 1, 1, 1}, {3, -4}, {2, 1, 1, 1}};
}

constexpr two_inputs convolved(const scale_and_zero_point& data, const scale_and_zero_point& weights, element type = u8,
                               element weights_type = i8) {
    two_inputs net;
    const output_ref first = net.activations({1, 3, 3, 3}, data, type);
    net.add(window(), {first, net.weights({2, 3, 2, 2}, weights, weights_type)});
    return net;
}

constexpr bool convolution_reads_integers() {
    two_inputs net = convolved(single(0.1, 128), output_channels_with_zero_points());
    if (!net.run<convolution_transformation>()) {
        return false;
    }
    const node_id multiply = net.output();
    const node_id convolution = net.model.producer(multiply, 0);
    const node& data = net.input(convolution, 0);
    const node& weights = net.input(convolution, 1);
    return net.model[convolution].is<op::convolution>() && data.is<op::subtract>() && data.has(mark::disable_cleanup) &&
           net.model.type(data.input(0)) == u8 && net.model.type(data.input(1)) == u8 && weights.is<op::subtract>() &&
           weights.has(mark::disabled_constant_folding) && net.model.type(weights.input(0)) == i8 &&
           net.model.type(weights.input(1)) == i8 && net.value(multiply, 1).dimensions() == shape{1, 2, 1, 1};
}
static_assert(convolution_reads_integers());

}  // namespace

TEST_CASE("scales of activations and weights move behind Convolution, which gives what it gave") {
    for (const scale_and_zero_point& data :
         {single(0.1), single(0.1, 128), scale_and_zero_point{{0.1}, {}, {1, 2, 3}, {1, 3, 1, 1}}}) {
        for (const scale_and_zero_point& weights :
             {single(0.5), single(0.5, 7), output_channels(), output_channels_with_zero_points()}) {
            two_inputs net = convolved(data, weights);
            CHECK(net.run<convolution_transformation>());
            CHECK(net.input(net.output(), 0).is<op::convolution>());
            CHECK(net.difference() < 1e-5);
        }
    }
}

TEST_CASE("without zero points Convolution reads the integers themselves") {
    two_inputs net = convolved(single(0.1), single(0.5));
    CHECK(net.run<convolution_transformation>());
    const node_id convolution = net.model.producer(net.output(), 0);
    CHECK(net.input(convolution, 0).is<op::parameter>());
    CHECK(net.input(convolution, 1).is<op::constant>());
    CHECK(net.model[convolution].type() == f32);
    CHECK(net.value(net.output(), 1).dimensions() == shape{});
    CHECK(net.value(net.output(), 1).real(0) == doctest::Approx(0.05));
}

TEST_CASE("a zero point that rounds to 0 goes away") {
    two_inputs net = convolved(single(0.1, 0.2), single(0.5, -0.3));
    CHECK(net.run<convolution_transformation>());
    const node_id convolution = net.model.producer(net.output(), 0);
    CHECK(net.input(convolution, 0).is<op::parameter>());
    CHECK(net.input(convolution, 1).is<op::constant>());
}

TEST_CASE("a zero point half a step outside of its type saturates; upstream lets it wrap around") {
    for (const bool follow : {true, false}) {
        two_inputs net = convolved(single(0.1, 127.5), single(0.5, -128.5), i8);
        net.options.follow_upstream_errors = follow;
        CHECK(net.run<convolution_transformation>());
        const node_id convolution = net.model.producer(net.output(), 0);
        CHECK(net.value(net.model.producer(convolution, 0), 1).real(0) == (follow ? -128 : 127));
        CHECK(net.value(net.model.producer(convolution, 1), 1).real(0) == (follow ? 127 : -128));
    }
}

TEST_CASE("a zero point that varies over another axis than the channels keeps Convolution in floating point") {
    const auto with_zero_points = [](seq<double, 4> zero_points) {
        two_inputs net;  // a MatMul's zero point varies over its last axis
        net.options.update_precisions = false;
        const output_ref product =
            net.model.add(op::mat_mul{}, {net.model.parameter(f32, {1, 3, 4}), net.model.parameter(f32, {1, 4, 3})});
        const output_ref data = net.dequantize(product, {{0.1}, {}, std::move(zero_points), {1, 1, 3}});
        net.add(op::convolution{.strides = {1}, .dilations = {1}, .pads_begin = {0}, .pads_end = {0}},
                {data, net.weights({2, 3, 2}, single(0.5))});
        return net;
    };
    two_inputs varying = with_zero_points({1, 2, 3});
    CHECK_FALSE(varying.run<convolution_transformation>());
    CHECK(varying.why() == reason::not_per_tensor_or_per_channel);
    two_inputs equal = with_zero_points({2, 2, 2});
    CHECK(equal.run<convolution_transformation>());
    CHECK(equal.difference() < 1e-5);
}

TEST_CASE("scales along the last axis of a MatMul's result are none of channels, unless upstream is followed") {
    for (const bool follow : {true, false}) {
        two_inputs net;
        net.options.update_precisions = false;
        net.options.follow_upstream_errors = follow;
        const output_ref product =
            net.model.add(op::mat_mul{}, {net.model.parameter(f32, {1, 2, 4}), net.model.parameter(f32, {1, 4, 2})});
        const output_ref data = net.dequantize(product, {{0.5, 0.25}, {1, 1, 2}});
        net.add(op::group_convolution{.strides = {1}, .pads_begin = {0}, .pads_end = {0}, .dilations = {1}},
                {data, net.weights({2, 1, 1, 2}, single(0.5))});
        CHECK(net.run<group_convolution_transformation>() == follow);
        CHECK((net.difference() > 0.1) == follow);
        CHECK(net.why() == (follow ? reason::none : reason::varies_over_axis));
    }
}

TEST_CASE("zero points of weights with five axes are spread over the first two") {
    two_inputs net;
    const output_ref data = net.activations({1, 3, 3, 3, 3}, single(0.1));
    op::convolution volume;
    volume.strides = volume.dilations = {1, 1, 1};
    volume.pads_begin = volume.pads_end = {0, 0, 0};
    net.add(volume, {data, net.weights({2, 3, 2, 2, 2}, {{0.5}, {}, {3, -4}, {2, 1, 1, 1, 1}})});
    CHECK(net.run<convolution_transformation>());
    const node_id subtract = net.model.producer(net.model.producer(net.output(), 0), 1);
    CHECK(net.value(subtract, 1).dimensions() == shape{2, 3, 1, 1, 1});
    CHECK(net.difference() < 1e-5);
}

TEST_CASE("weights are integers also where their type is no default precision") {
    two_inputs net;
    net.options.default_precisions = {u8};
    const output_ref data = net.activations({1, 3, 3, 3}, single(0.1));
    const double high[] = {1.27, 2.54};
    const double low[] = {-1.27, -2.54};
    net.add(window(), {data, net.fake_quantized(net.numbers({2, 3, 2, 2}, f32), 255, low, high, {2, 1, 1, 1})});
    net.attributes.of<attribute::precisions>().set_output(net.model.producer(net.operation, 1), 0, {{i8}});
    net.model.result(net.model.producer(net.operation, 1));  // another reader: the weights are decomposed
    CHECK(net.run<convolution_transformation>());
    const node_id convolution = net.model.producer(net.output(), 0);
    CHECK(net.model.type(net.model[convolution].input(1)) == i8);
    CHECK(net.difference() < 1e-5);
}

TEST_CASE("the zero point of activations is spread over the input channels") {
    two_inputs net = convolved(single(0.1, 128), single(0.5));
    CHECK(net.run<convolution_transformation>());
    const node_id subtract = net.model.producer(net.model.producer(net.output(), 0), 0);
    CHECK(net.value(subtract, 1).dimensions() == shape{1, 3, 1, 1});
}

TEST_CASE("a FakeQuantize on weights becomes integers") {
    for (const double high : {1.27, 0.9}) {  // the second range needs a zero point or another type
        two_inputs net;
        const output_ref data = net.activations({1, 3, 3, 3}, single(0.1));
        net.add(window(), {data, net.fake_quantized(net.numbers({2, 3, 2, 2}, f32), 255, {-high}, {high})});
        net.attributes.of<attribute::precisions>().set_output(net.model.producer(net.operation, 1), 0, {{i8}});
        CHECK(net.run<convolution_transformation>());
        const node_id convolution = net.model.producer(net.output(), 0);
        CHECK(net.model.type(net.model[convolution].input(1)) == i8);
        CHECK(net.difference() < 1e-5);
    }
}

TEST_CASE("a FakeQuantize on weights that a scale follows keeps its values, which are no whole numbers") {
    for (const double high : {40.0, 127.0}) {
        two_inputs net;
        const output_ref data = net.activations({1, 3, 3, 3}, single(0.1));
        const output_ref weights = net.fake_quantized(net.numbers({2, 3, 2, 2}, f32), 255, {-high}, {high});
        const node_id scaled =
            net.model.add(op::multiply{}, {weights, net.model.constant(make_scalar(f32, 0.5))}, "scaled");
        net.model.relax(scaled);
        net.add(window(), {data, scaled});
        CHECK(net.run<convolution_transformation>());
        CHECK(net.difference() < 1e-5);
    }
}

TEST_CASE("another reader of the dequantized activations keeps its own dequantization") {
    two_inputs net = convolved(single(0.1, 128), single(0.5));
    net.model.result(net.model[net.operation].input(0));
    CHECK(net.run<convolution_transformation>());
    CHECK(net.model[net.output(1)].is<op::multiply>());
    CHECK(net.difference() < 1e-5);
}

TEST_CASE("another reader of the dequantized weights keeps its own dequantization") {
    two_inputs net = convolved(single(0.1, 128), output_channels_with_zero_points());
    net.model.result(net.model[net.operation].input(1));
    CHECK(net.run<convolution_transformation>());
    CHECK(net.difference() < 1e-5);
}

TEST_CASE("Convolution stays in floating point") {
    SUBCASE("activations without dequantization") {
        CHECK_FALSE(convolved({}, single(0.5)).run<convolution_transformation>());
    }
    SUBCASE("scales of the input channels differ") {
        two_inputs net = convolved(channels(), single(0.5));
        CHECK_FALSE(net.run<convolution_transformation>());
        CHECK(net.why() == reason::not_per_tensor);
    }
    SUBCASE("activations are real numbers") {
        two_inputs net = convolved(single(0.1), single(0.5), f32);
        CHECK_FALSE(net.run<convolution_transformation>());
        CHECK(net.why() == reason::not_low_precision);
    }
    SUBCASE("weights are real numbers") {
        two_inputs net = convolved(single(0.1), single(0.5), u8, f32);
        CHECK_FALSE(net.run<convolution_transformation>());
        CHECK(net.why() == reason::weights_not_low_precision);
    }
    SUBCASE("scales of weights vary over the input channels") {
        two_inputs net = convolved(single(0.1), channels());
        CHECK_FALSE(net.run<convolution_transformation>());
        CHECK(net.why() == reason::weights_vary_over_axis);
    }
    SUBCASE("the zero point of activations is out of range") {
        two_inputs net = convolved(single(0.1, 300), single(0.5));
        CHECK_FALSE(net.run<convolution_transformation>());
        CHECK(net.why() == reason::zero_point_does_not_fit);
    }
    SUBCASE("the zero point of weights is out of range") {
        two_inputs net = convolved(single(0.1), single(0.5, 300));
        CHECK_FALSE(net.run<convolution_transformation>());
        CHECK(net.why() == reason::zero_point_does_not_fit);
        CHECK(net.refusals.back().why.port == 1);
    }
    SUBCASE("weights that are not constant") {
        two_inputs net;
        const output_ref data = net.activations({1, 3, 3, 3}, single(0.1));
        net.add(window(), {data, net.activations({2, 3, 2, 2}, single(0.5), i8)});
        CHECK_FALSE(net.run<convolution_transformation>());
        CHECK(net.why() == reason::weights_not_constant);
    }
    SUBCASE("levels that no integer type has") {
        two_inputs net;
        const output_ref data = net.activations({1, 3, 3, 3}, single(0.1));
        net.add(window(), {data, net.fake_quantized(net.numbers({2, 3, 2, 2}, f32), 100, {-1}, {1})});
        CHECK_FALSE(net.run<convolution_transformation>());
        CHECK(net.why() == reason::unsupported_levels);
    }
    SUBCASE("16 levels do not fill a type of weights") {
        two_inputs net;
        const output_ref data = net.activations({1, 3, 3, 3}, single(0.1));
        net.add(window(), {data, net.fake_quantized(net.numbers({2, 3, 2, 2}, f32), 16, {-1}, {1})});
        CHECK_FALSE(net.run<convolution_transformation>());
        CHECK(net.why() == reason::precision_not_chosen);
    }
}

TEST_CASE("GroupConvolution keeps scales of activations that are the same within each group") {
    for (const bool zero_points : {false, true}) {
        two_inputs net;
        scale_and_zero_point data{{0.1, 0.1, 0.2, 0.2}, {1, 4, 1, 1}};
        scale_and_zero_point weights{{0.5, 1, 2, 3, 4, 5}, {2, 3, 1, 1, 1}};
        if (zero_points) {
            data.zero_point = {1, 2, 3, 4};
            data.zero_point_shape = {1, 4, 1, 1};
            weights.zero_point = {1, -2, 3, -4, 5, -6};
            weights.zero_point_shape = {2, 3, 1, 1, 1};
        }
        const output_ref first = net.activations({1, 4, 3, 3}, data);
        net.add(group_window(), {first, net.weights({2, 3, 2, 2, 2}, weights)});
        CHECK(net.run<group_convolution_transformation>());
        CHECK(net.value(net.output(), 1).dimensions() == shape{1, 6, 1, 1});
        CHECK(net.difference() < 1e-5);
    }
}

TEST_CASE("GroupConvolution takes weights through a Reshape") {
    for (const bool zero_points : {false, true}) {
        two_inputs net;
        scale_and_zero_point weights{{0.5, 1, 2, 3, 4, 5}, {6, 1, 1, 1}};
        if (zero_points) {
            weights.zero_point = {1, -2, 3, -4, 5, -6};
            weights.zero_point_shape = {6, 1, 1, 1};
        }
        const output_ref first = net.activations({1, 4, 3, 3}, single(0.1, 128));
        const output_ref target = net.model.constant(make_indices({2, 3, 2, 2, 2}));
        const node_id reshape = net.model.add(op::reshape{false}, {net.weights({6, 2, 2, 2}, weights), target});
        net.add(group_window(), {first, reshape});
        CHECK(net.run<group_convolution_transformation>());
        const node& read = net.input(net.model.producer(net.output(), 0), 1);
        CHECK(read.is<op::reshape>() == zero_points);
        CHECK(read.is<op::constant>() != zero_points);
        CHECK(net.difference() < 1e-5);
    }
}

TEST_CASE("GroupConvolution stays in floating point where scales differ within a group") {
    two_inputs net;
    const output_ref first = net.activations({1, 4, 3, 3}, {{0.1, 0.2, 0.2, 0.2}, {1, 4, 1, 1}});
    net.add(group_window(), {first, net.weights({2, 3, 2, 2, 2}, single(0.5))});
    CHECK_FALSE(net.run<group_convolution_transformation>());
    CHECK(net.why() == reason::varies_over_axis);
}

TEST_CASE("ConvolutionBackpropData: output channels are axis 1 of the weights") {
    for (const scale_and_zero_point& data : {single(0.1), single(0.1, 128)}) {
        two_inputs net;
        const output_ref first = net.activations({1, 3, 3, 3}, data);
        net.add(backprop_window(),
                {first, net.weights({3, 2, 2, 2}, {{0.5, 0.25}, {1, 2, 1, 1}, {3, -4}, {1, 2, 1, 1}})});
        CHECK(net.run<convolution_backprop_data_transformation>());
        CHECK(net.value(net.output(), 1).dimensions() == shape{1, 2, 1, 1});
        CHECK(net.difference() < 1e-5);
    }
}

TEST_CASE("a ConvolutionBackpropData that stays in floating point gets real weights") {
    SUBCASE("from a dequantization") {
        two_inputs net;
        const output_ref first = net.activations({1, 3, 3, 3}, channels());
        net.add(backprop_window(), {first, net.weights({3, 2, 2, 2}, single(0.5, 3))});
        CHECK(net.run<convolution_backprop_data_transformation>());
        CHECK(net.why() == reason::not_per_tensor);
        CHECK(net.input(net.output(), 1).is<op::constant>());
        CHECK(net.input(net.output(), 1).type() == f32);
        CHECK(net.difference() < 1e-6);
    }
    SUBCASE("from a dequantization with its constants first") {
        two_inputs net;
        const output_ref first = net.activations({1, 3, 3, 3}, channels());
        const output_ref converted = net.model.add(op::convert{f32}, {net.numbers({3, 2, 2, 2})});
        net.add(backprop_window(),
                {first, net.model.add(op::multiply{}, {net.model.constant(make_scalar(f32, 0.5)), converted})});
        CHECK(net.run<convolution_backprop_data_transformation>());
        CHECK(net.input(net.output(), 1).is<op::constant>());
        CHECK(net.difference() < 1e-6);
    }
    SUBCASE("from a FakeQuantize") {
        two_inputs net;
        const output_ref first = net.activations({1, 3, 3, 3}, channels());
        net.add(backprop_window(), {first, net.fake_quantized(net.numbers({3, 2, 2, 2}, f32), 255, {-20}, {20})});
        CHECK(net.run<convolution_backprop_data_transformation>());
        CHECK(net.input(net.output(), 1).is<op::constant>());
        CHECK(net.difference() < 1e-5);
    }
}

TEST_CASE("a callback can tell quantized weights before anything is transformed") {
    two_inputs good = convolved(single(0.1), output_channels());
    CHECK(is_quantized_static(good.model, good.operation, int8_precisions));
    two_inputs none;
    const output_ref data = none.activations({1, 3, 3, 3}, single(0.1));
    none.add(window(), {data, none.numbers({2, 3, 2, 2}, f32)});
    CHECK(is_quantized_static(none.model, none.operation, int8_precisions).why == reason::weights_not_quantized);
    two_inputs wrong = convolved(single(0.1), channels());
    CHECK(is_quantized_static(wrong.model, wrong.operation, int8_precisions).why == reason::weights_vary_over_axis);
    for (const bool over_inputs : {false, true}) {  // ranges of the FakeQuantize whose integers are dequantized
        two_inputs quantized;
        const output_ref input = quantized.activations({1, 3, 3, 3}, single(0.1));
        const seq<double, 4> high = over_inputs ? seq<double, 4>{127, 64, 32} : seq<double, 4>{127, 64};
        const seq<double, 4> low = over_inputs ? seq<double, 4>{-128, -64, -32} : seq<double, 4>{-128, -64};
        const output_ref integers = quantized.fake_quantized(quantized.numbers({2, 3, 2, 2}, f32), 256, low, high,
                                                             over_inputs ? shape{1, 3, 1, 1} : shape{2, 1, 1, 1});
        const output_ref bytes = quantized.model.add(op::convert{i8}, {integers});
        quantized.add(window(), {input, quantized.dequantize(bytes, single(0.5))});
        CHECK(is_quantized_static(quantized.model, quantized.operation, int8_precisions).why ==
              (over_inputs ? reason::weights_vary_over_axis : reason::none));
    }
}
