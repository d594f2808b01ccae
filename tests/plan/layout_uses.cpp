// SPDX-License-Identifier: Apache-2.0
#include "networks.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

output_ref convolution_of(graph& model, output_ref data) {
    return convolved(model, data, numbers(i8, shape{8, 8, 3, 3}, -100, 7, 100), 1);
}

/// What is laid out anew, in bytes, one number a step.
std::vector<std::size_t> changes_of(const graph& model) {
    const plan::network net = plan_of(model);
    std::vector<std::size_t> result;
    for (const plan::step& each : net.steps) {
        if (each.kernel == "reorder") {
            result.push_back(net[each.writes[0]].bytes());
        }
    }
    return result;
}

using sizes = std::vector<std::size_t>;
constexpr std::size_t image_bytes = 8 * 6 * 6;

}  // namespace

TEST_CASE("An image is quantized before its layout changes, not after") {
    graph model;
    const output_ref input = model.parameter(f32, shape{1, 8, 6, 6}, "x");
    model.result(quantize(model, convolution_of(model, quantize(model, input, u8, 0.1, 0)), u8, 0.05, 0));
    CHECK(changes_of(model) == sizes{image_bytes, image_bytes});
}

TEST_CASE("Functions between convolutions stay with channels last") {
    graph model;
    const output_ref input = model.parameter(u8, shape{1, 8, 6, 6}, "x");
    const output_ref first = convolution_of(model, input);
    const output_ref second = convolution_of(model, input);
    const output_ref parts = model.add(op::concat{1}, {model.add(op::tanh{}, {first}), second});
    const output_ref halves = model.add(op::split{2}, {parts, model.constant(make_scalar(i64, 1))});
    const output_ref sum = model.add(op::multiply{}, {{halves.node, 0}, {halves.node, 1}});
    model.result(convolution_of(model, quantize(model, sum, u8, 0.1, 0)));
    CHECK(changes_of(model) == sizes{image_bytes, 4 * image_bytes});  // of the input and the result
}

TEST_CASE("A sum of a convolution and a small input goes with the convolution") {
    graph model;
    const output_ref value = convolution_of(model, model.parameter(u8, shape{1, 8, 6, 6}, "x"));
    const output_ref row = model.parameter(f32, shape{1, 8, 1, 6}, "y");
    const output_ref sum = model.add(op::multiply{}, {model.add(op::sigmoid{}, {value}), row});
    model.result(convolution_of(model, quantize(model, sum, u8, 0.1, 0)));
    CHECK(changes_of(model) == sizes{image_bytes, 8 * 6 * 4, 4 * image_bytes});
}

TEST_CASE("What only inputs and results touch is not laid out anew") {
    graph model;
    const output_ref input = model.parameter(f32, shape{1, 8, 6, 6}, "x");
    const output_ref parts = model.add(op::concat{1}, {input, model.add(op::tanh{}, {input})});
    model.result(quantize(model, parts, u8, 0.1, 0));
    CHECK(changes_of(model) == sizes{});
}

TEST_CASE("A sum of tensors with zero points is computed where their bytes lie") {
    graph model;
    const output_ref input = model.parameter(u8, shape{1, 8, 6, 6}, "x");
    const auto real = [&] {
        const output_ref codes = quantize(model, convolution_of(model, input), u8, 0.05, 7);
        return multiplied(model, shifted(model, codes, make_scalar(u8, 7)), make_scalar(f32, 0.05));
    };
    const output_ref sum = model.add(op::add{}, {real(), real()});
    const output_ref data = quantize(model, model.add(op::maximum{}, {sum, scalar(model, -2)}), u8, 0.1, 0);
    model.result(convolution_of(model, data));
    model.result(quantize(model, convolution_of(model, model.add(op::tanh{}, {sum})), u8, 1, 0));
    CHECK(changes_of(model) == sizes{image_bytes, 4 * image_bytes, image_bytes});  // of the input and the results
}

TEST_CASE("A Transpose to channels last of dequantized bytes reads these where a convolution left them") {
    graph model;
    const output_ref input = model.parameter(u8, shape{1, 8, 6, 6}, "x");
    const output_ref codes = quantize(model, convolution_of(model, input), u8, 0.05, 7);
    const output_ref real = multiplied(model, shifted(model, codes, make_scalar(u8, 7)), make_scalar(f32, 0.05));
    const output_ref order = model.constant(make_tensor(i64, {4}, {0, 2, 3, 1}));
    model.result(model.add(op::transpose{}, {real, order}));
    CHECK(changes_of(model) == sizes{image_bytes});  // of the input
}

TEST_CASE("An enlarged image that is a result is laid out as planes by the step that enlarges it") {
    graph model;
    const output_ref value = convolution_of(model, model.parameter(u8, shape{1, 8, 6, 6}, "x"));
    op::interpolate enlarge;
    enlarge.mode = op::interpolate_mode::linear_onnx;
    const output_ref larger = model.add(
        enlarge,
        {value, model.constant(make_tensor(i64, {2}, {12, 12})), model.constant(make_tensor(i64, {2}, {2, 3}))}, {},
        11);
    model.result(larger);
    CHECK(changes_of(model) == sizes{image_bytes});  // of the input
}

TEST_CASE("Constants are laid out while planning") {
    graph model;
    const output_ref value = convolution_of(model, model.parameter(u8, shape{1, 8, 6, 6}, "x"));
    const output_ref offsets = model.constant(numbers(f32, shape{1, 8, 6, 6}, -1, 0.37, 5));
    const output_ref sum = model.add(op::multiply{}, {model.add(op::sigmoid{}, {value}), offsets});
    model.result(convolution_of(model, quantize(model, sum, u8, 0.1, 0)));
    CHECK(changes_of(model) == sizes{image_bytes, 4 * image_bytes});  // of the input and the result
}
