// SPDX-License-Identifier: Apache-2.0
#include <lpt/pipeline/queries.hpp>

#include <doctest/doctest.h>

#include "tests/support/small_graph.hpp"

using namespace lpt;
using test::scalar;

namespace {

/// in -> FakeQuantize -> Result; `converted`: the ranges are f16 behind Converts.
constexpr graph fake_quantized(std::int64_t levels, bool converted = false) {
    graph model;
    const node_id data = model.parameter(f32, shape{1, 3});
    const auto bound = [&](double value) -> output_ref {
        return converted ? model.add(op::convert{f32}, {scalar(model, value, f16)}) : scalar(model, value);
    };
    model.result(model.add(op::fake_quantize{levels}, {data, bound(0), bound(1), bound(0), bound(1)}));
    return model;
}
static_assert(is_function_quantized(fake_quantized(256)));
static_assert(!is_function_quantized(fake_quantized(2)));

/// in -> FakeQuantize -> Convert u8 -> Convert f32 -> [Subtract] -> Multiply -> Relu -> Result.
struct pair {
    graph model;
    node_id quantize = node_id::none;
    node_id subtract = node_id::none;
    node_id multiply = node_id::none;
    node_id relu = node_id::none;

    constexpr explicit pair(bool with_zero_point, std::int64_t levels = 256) {
        const node_id data = model.parameter(f32, shape{1, 3, 2, 2});
        quantize = model.add(op::fake_quantize{levels},
                             {data, scalar(model, 0), scalar(model, 1), scalar(model, 0), scalar(model, 255)});
        output_ref last = model.add(op::convert{f32}, {model.add(op::convert{u8}, {quantize})});
        if (with_zero_point) {
            subtract = model.add(op::subtract{}, {last, scalar(model, 3)});
            last = subtract;
        }
        multiply = model.add(op::multiply{}, {last, scalar(model, 0.1)});
        relu = model.add(op::relu{}, {multiply});
        model.result(relu);
    }
};

}  // namespace

TEST_CASE("a network is quantized by a FakeQuantize of known levels with constant ranges, perhaps converted") {
    for (const std::int64_t levels : all_quantization_levels) {
        CHECK(is_function_quantized(fake_quantized(levels)));
        CHECK(is_function_quantized(fake_quantized(levels, true)));
    }
    CHECK_FALSE(is_function_quantized(fake_quantized(128)));
    const std::int64_t only[] = {16};
    CHECK_FALSE(is_function_quantized(fake_quantized(256), only));
    CHECK(is_function_quantized(fake_quantized(16), only));
    graph unknown = fake_quantized(256);
    unknown.set_input(unknown.producer(unknown.results()[0], 0), 1, unknown.parameter(f32, shape{}));
    CHECK_FALSE(is_function_quantized(unknown));
    CHECK_FALSE(is_function_quantized(graph()));
}

TEST_CASE("FakeConvert counts if it is asked for") {
    graph model;
    model.result(model.add(op::fake_convert{}, {model.parameter(f32, shape{2}), scalar(model, 1)}));
    CHECK_FALSE(is_function_quantized(model));
    CHECK(is_function_quantized(model, all_quantization_levels, true));
}

TEST_CASE("bodies are looked into, with the same levels") {
    graph model;
    op::tensor_iterator iterator;
    iterator.declared_outputs.push_back({f32, {1, 3}});
    const node_id loop = model.add(iterator, {model.parameter(f32, shape{1, 3})});
    model.add_body(loop, fake_quantized(16));
    model.result(loop);
    CHECK(is_function_quantized(model));
    const std::int64_t only[] = {256};
    CHECK_FALSE(is_function_quantized(model, only));
}

TEST_CASE("a pair of quantize and dequantize is supported with constant ranges and known levels") {
    for (const bool with_zero_point : {false, true}) {
        const pair net(with_zero_point);
        CHECK(are_quantize_and_dequantize_supported_for_multiply(net.model, net.multiply, int8_precisions));
        CHECK_FALSE(are_quantize_and_dequantize_supported_for_multiply(net.model, net.relu, int8_precisions));
        CHECK(is_asymmetric_quantization(net.model, net.relu, int8_precisions) == with_zero_point);
    }
    const pair levels(true, 100);
    CHECK_FALSE(are_quantize_and_dequantize_supported_for_multiply(levels.model, levels.multiply, int8_precisions));
    pair unknown(true);
    unknown.model.set_input(unknown.quantize, 1, unknown.model.parameter(f32, shape{}));
    CHECK_FALSE(are_quantize_and_dequantize_supported_for_multiply(unknown.model, unknown.multiply, int8_precisions));
}

TEST_CASE("a Subtract is supported if a Multiply that reads it is") {
    const pair net(true);
    CHECK(are_quantize_and_dequantize_supported_for_subtract(net.model, net.subtract, int8_precisions));
    CHECK_FALSE(are_quantize_and_dequantize_supported_for_subtract(net.model, net.multiply, int8_precisions));
    const pair levels(true, 100);
    CHECK_FALSE(are_quantize_and_dequantize_supported_for_subtract(levels.model, levels.subtract, int8_precisions));
}

TEST_CASE("dequantized weights are supported, dequantized inputs of the network are not") {
    graph model;
    const node_id stored = model.add(op::convert{f32}, {model.constant(make_tensor(i8, shape{3}, {1, 2, 3}))});
    const node_id weights = model.add(op::multiply{}, {stored, scalar(model, 0.5)});
    const node_id input = model.add(op::convert{f32}, {model.parameter(i8, shape{3})});
    const node_id data = model.add(op::multiply{}, {input, scalar(model, 0.5)});
    model.result(weights);
    model.result(data);
    CHECK(are_quantize_and_dequantize_supported_for_multiply(model, weights, int8_precisions));
    CHECK_FALSE(are_quantize_and_dequantize_supported_for_multiply(model, data, int8_precisions));
}
