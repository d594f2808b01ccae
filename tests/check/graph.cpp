// SPDX-License-Identifier: Apache-2.0
#include <lpt/check/graph.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace lpt;

namespace {

/// What may be wrong with the convolution below.
struct choices {
    element weights = i8;
    std::int64_t code = -127;
    shape scale_dimensions{2, 1, 1, 1};
    double weights_zero_point = 0;
    double bias_scale = 0.125;
    double zero_point = 3;
};

output_ref dequantized(graph& model, output_ref codes, const tensor& scale, double zero_point = 0) {
    output_ref at = model.add(op::convert{f32}, {codes});
    if (zero_point != 0) at = model.add(op::subtract{}, {at, model.constant(make_scalar(f32, zero_point))});
    return model.add(op::multiply{}, {at, model.constant(scale)});
}
output_ref fake_quantize(graph& model, output_ref data, double low, double high, std::int64_t levels = 256) {
    const node_id from = model.constant(make_scalar(f32, low));
    const node_id to = model.constant(make_scalar(f32, high));
    return model.add(op::fake_quantize{levels}, {data, from, to, from, to});
}

tensor filled(element type, const shape& dimensions, double value) {
    tensor_builder result(type, dimensions);
    for (std::size_t i = 0; i < result.elements(); ++i)
        result.real(i, value);
    return result.finish();
}
/// Scales 0.25, 0.5, 0.75, …
tensor rising(const shape& dimensions) {
    tensor_builder result(f32, dimensions);
    for (std::size_t i = 0; i < result.elements(); ++i)
        result.real(i, 0.25 * static_cast<double>(i + 1));
    return result.finish();
}

/// i8 data of scale 0.5 -> Convolution with two output channels -> bias -> Relu -> FakeQuantize.
graph convolution(const choices& what) {
    graph model;
    const output_ref data =
        dequantized(model, model.parameter(i8, shape{1, 2, 4, 4}, "in"), make_scalar(f32, 0.5), what.zero_point);
    const tensor scale = rising(what.scale_dimensions);
    const output_ref weights =
        dequantized(model, model.constant(filled(what.weights, shape{2, 2, 1, 1}, static_cast<double>(what.code))),
                    scale, what.weights_zero_point);
    const op::convolution window{.strides = {1, 1}, .dilations = {1, 1}, .pads_begin = {0, 0}, .pads_end = {0, 0}};
    tensor_builder bias_scale(f32, shape{1, 2, 1, 1});
    bias_scale.real(0, what.bias_scale);
    bias_scale.real(1, what.bias_scale * 2);
    const output_ref bias = dequantized(model, model.constant(filled(i32, shape{1, 2, 1, 1}, 7)), bias_scale.finish());
    const output_ref sum = model.add(op::add{}, {model.add(window, {data, weights}), bias});
    model.result(fake_quantize(model, model.add(op::relu{}, {sum}), 0, 2.55));
    return model;
}

std::string broken(const graph& model, check::reading how = check::reading::with_dequantization) {
    std::string result;
    for (const check::violation& each : check::violations_of(model, how))
        result += (result.empty() ? "" : ", ") + std::string(each.role.c_str()) + " " + spec::name(each.rule).data();
    return result;
}

/// An operation between two FakeQuantizes.
graph between(const op::attributes& what, double low, double high, std::int64_t levels = 256) {
    graph model;
    const output_ref data = fake_quantize(model, model.parameter(f32, shape{1, 2, 4, 4}, "in"), -1, 1, levels);
    model.result(fake_quantize(model, model.add(what, {data}), low, high));
    return model;
}

}  // namespace

TEST_CASE("a convolution between dequantizations and a FakeQuantize conforms") {
    const graph model = convolution({});
    CHECK(broken(model) == "");
    CHECK(check::hold_against_specification(model).checked == 1);
}

TEST_CASE("weights of a graph: type, lowest code, zero point and axis of their scales") {
    CHECK(broken(convolution({.weights = u8, .code = 1})) == "weights dtype");
    CHECK(broken(convolution({.code = -128})) == "weights weight-range");
    CHECK(broken(convolution({.weights_zero_point = 1})) == "weights weight-zero-point");
    CHECK(broken(convolution({.scale_dimensions = {1, 2, 1, 1}})) == "weights per-axis-dim");
}

TEST_CASE("the bias that an Add behind a product adds has the scale of the products") {
    CHECK(broken(convolution({.bias_scale = 0.25})) == "bias bias-scale");
}

TEST_CASE("zero points of a graph are codes") {
    CHECK(broken(convolution({.zero_point = 200})) == "input0 zero-point-range");
    CHECK(broken(convolution({.zero_point = 3.5})) == "input0 zero-point-range");
}

TEST_CASE("functions with a range of their own have the output that it fixes") {
    CHECK(broken(between(op::sigmoid{}, 0, 255.0 / 256)) == "");
    CHECK(broken(between(op::sigmoid{}, 0, 1)) == "output0 fixed-output");
    CHECK(broken(between(op::tanh{}, -1, 127.0 / 128)) == "");
    CHECK(broken(between(op::tanh{}, -1, 1)) == "output0 fixed-output");
    CHECK(broken(between(op::softmax{1}, 0, 255.0 / 256)) == "");
}

TEST_CASE("what copies codes has one quantization before and behind") {
    const op::max_pool window{.strides = {2, 2}, .pads_begin = {0, 0}, .pads_end = {0, 0}, .kernel = {2, 2}};
    CHECK(broken(between(window, -1, 1)) == "");
    CHECK(broken(between(window, -2, 2)) == "output0 same-quant");
}

TEST_CASE("inputs of a Concat have one quantization") {
    for (const double high : {1.0, 2.0}) {
        graph model;
        const node_id data = model.parameter(f32, shape{1, 2}, "in");
        const output_ref one = fake_quantize(model, data, 0, 1);
        const output_ref other = fake_quantize(model, data, 0, high);
        model.result(model.add(op::concat{1}, {one, other}));
        CHECK(broken(model) == (high == 1.0 ? "" : "input1 same-quant"));
    }
}

TEST_CASE("a FakeQuantize of 65536 levels is no activation of 8 bits") {
    CHECK(broken(between(op::sigmoid{}, 0, 255.0 / 256, 65536)) == "input0 dtype");
}

TEST_CASE("activations with a scale a channel are reported") {
    graph model;
    const output_ref data = dequantized(model, model.parameter(i8, shape{1, 2, 4, 4}, "in"), rising(shape{1, 2, 1, 1}));
    model.result(model.add(op::sigmoid{}, {data}));
    CHECK(broken(model) == "input0 per-tensor");
}

TEST_CASE("operations of real numbers, sizes and indices break nothing") {
    graph model;
    const node_id data = model.parameter(f32, shape{1, 2, 4, 4}, "in");
    model.result(model.add(op::sigmoid{}, {data}));
    const node_id sizes = model.add(op::shape_of{}, {data});
    model.result(model.add(op::concat{0}, {sizes, sizes}));
    CHECK(broken(model) == "");
    CHECK(check::hold_against_specification(model).checked == 0);
}

TEST_CASE("codes that are copied have the quantization that stands behind the copies") {
    for (const element type : {i8, u8}) {
        graph model;
        const node_id codes = model.parameter(type, shape{1, 2, 4}, "in");
        const node_id moved = model.add(op::transpose{}, {codes, model.constant(make_indices({0, 2, 1}))});
        model.result(dequantized(model, moved, make_scalar(f32, 0.5), 3));
        CHECK(broken(model) == (type == i8 ? "" : "input0 dtype, output0 dtype"));
    }
}

TEST_CASE("read by their codes, operations behind a scale compute in floating point") {
    const graph model = convolution({.weights_zero_point = 1});
    CHECK(broken(model, check::reading::on_codes) == "");
    CHECK(check::hold_against_specification(model, check::reading::on_codes).checked == 0);
}

TEST_CASE("a violation in a graph names node and tensor") {
    graph model = between(op::tanh{}, -1, 1);
    const seq<check::violation, 0> found = check::violations_of(model);
    REQUIRE(found.size() == 1);
    CHECK(found[0].operation_name == "TANH");
    CHECK(found[0].expected == "scale 0.0078125 and zero point 0");
}
