// SPDX-License-Identifier: Apache-2.0
#include "examples/run/specified_rows.hpp"

#include "examples/run/summary.hpp"

#include <doctest/doctest.h>

using namespace lpt;

namespace {

tflite::tensor_info tensor_of(const char* name, tflite::tensor_type type, bool quantized) {
    tflite::tensor_info result;
    result.name = name;
    result.type = type;
    result.dimensions = shape{1, 4};
    if (quantized) {
        result.quantized.scales = {0.5f};
        result.quantized.zero_points = {0};
    }
    return result;
}
tflite::operator_info operator_of(tflite::builtin code, std::vector<std::int64_t> inputs,
                                  std::vector<std::int64_t> outputs) {
    tflite::operator_info result;
    result.code = code;
    result.inputs = std::move(inputs);
    result.outputs = std::move(outputs);
    return result;
}

/// x in f32 -> QUANTIZE -> FULLY_CONNECTED to 16 bits -> DEQUANTIZE -> PRELU, beside an ADD of sizes.
tflite::subgraph network() {
    tflite::subgraph net;
    net.tensors = {tensor_of("x", tflite::tensor_type::float32, false),
                   tensor_of("codes", tflite::tensor_type::int8, true),
                   tensor_of("product", tflite::tensor_type::int16, true),
                   tensor_of("numbers", tflite::tensor_type::float32, false),
                   tensor_of("y", tflite::tensor_type::float32, false),
                   tensor_of("sizes", tflite::tensor_type::int32, false)};
    net.operators = {operator_of(tflite::builtin::quantize, {0}, {1}),
                     operator_of(tflite::builtin::fully_connected, {1, 1, -1}, {2}),
                     operator_of(tflite::builtin::dequantize, {2}, {3}),
                     operator_of(tflite::builtin::prelu, {3, 3}, {4}),
                     operator_of(tflite::builtin::add, {5, 5}, {5}),
                     operator_of(tflite::builtin::call_once, {}, {})};
    return net;
}

}  // namespace

TEST_CASE("An operator has the type of its data, and the name of what it gives") {
    const std::vector<run::row> rows = run::specified_rows(network());
    CHECK(rows[1].name == "product");
    CHECK(rows[1].precision == "i8");
    CHECK(rows[1].inputs == std::vector<std::string>{"i8", "i8"});
    CHECK(rows[1].outputs == std::vector<std::string>{"i16"});
    CHECK(rows[1].execution_type == "specified_I8");
    CHECK(rows[2].precision == "f32");
    CHECK(rows[2].execution_type == "specified_FP32");
}

TEST_CASE("What is done when a network is made has no step") {
    const run::row call = run::specified_rows(network())[5];
    CHECK(call.name == "operator 5");
    CHECK(call.status == "NOT_RUN");
    CHECK(call.step.empty());
}

TEST_CASE("Summaries count operators by class, but for what quantizes, moves, or computes on sizes") {
    std::vector<run::row> rows = run::specified_rows(network());
    for (run::row& each : rows) {
        each.own_us = 1;
    }
    CHECK(run::sentence_of(run::summary_of(rows)) ==
          "on integers: 1 of 1 matrix products, 0 of 1 others; 17 % of the time");
    CHECK(run::summary_of(rows).quantizations == 1);
    CHECK(rows[3].reason == "its data is real in the file");
    CHECK(rows[1].reason.empty());
}

TEST_CASE("Sizes that a file leaves open are said, with the arithmetic that takes others") {
    tflite::subgraph net = network();
    for (tflite::tensor_info& each : net.tensors) {
        each.signature = each.dimensions;
    }
    net.inputs = {0};
    CHECK(run::words_of_fixed_sizes(net).empty());
    net.tensors[0].signature = shape{dynamic_dimension, 4};
    CHECK(run::words_of_fixed_sizes(net) ==
          "open sizes of inputs are taken as the file has them: 'x' is [1,4]; --arithmetic transformed takes others");
}

TEST_CASE("Only DEQUANTIZE, PRELU and QUANTIZE in a row may be one step") {
    tflite::subgraph net = network();
    CHECK_FALSE(run::may_join_operators(net));
    net.operators.push_back(operator_of(tflite::builtin::quantize, {4}, {1}));
    CHECK(run::may_join_operators(net));
}
