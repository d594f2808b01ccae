// SPDX-License-Identifier: Apache-2.0
// lpt_check_bench [MODEL.tflite]...: how long the checker of the 8-bit specification takes, without reading the file: on 1,000 generated
// convolutions that conform and on 1,000 that break a rule each, then on the models. A line for each; the least processor time of 200 checks.
#include <lpt/check/model.hpp>
#include <lpt/import/tflite/read_model.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <exception>

namespace {

using namespace lpt;

tflite::tensor_info tensor_of(const char* name, tflite::tensor_type type, shape dimensions,
                              tflite::quantization quantized) {
    tflite::tensor_info result;
    result.name = name;
    result.type = type;
    result.dimensions = move(dimensions);
    result.quantized = move(quantized);
    return result;
}

tflite::option stride(text_view name) {
    tflite::option result;
    result.name = name;
    result.whole = 1;
    return result;
}

/// Convolutions from 32 channels to 32, with constant weights, scales for each channel and a bias of this scale.
tflite::model convolutions(std::size_t count, float bias_scale) {
    constexpr std::size_t channels = 32;
    const std::vector<std::int64_t> zeros(channels, 0);
    tflite::subgraph net;
    net.tensors = {
        tensor_of("input", tflite::tensor_type::int8, {1, 14, 14, 32}, {{0.5F}, {3}}),
        tensor_of("weights", tflite::tensor_type::int8, {32, 1, 1, 32}, {std::vector<float>(channels, 0.25F), zeros}),
        tensor_of("bias", tflite::tensor_type::int32, {32}, {std::vector<float>(channels, bias_scale), zeros}),
        tensor_of("output", tflite::tensor_type::int8, {1, 14, 14, 32}, {{2.0F}, {-5}})};
    net.tensors[1].value =
        tensor(i8, net.tensors[1].dimensions, bytes(seq<std::byte>(channels * channels, std::byte{0x81})));
    tflite::operator_info operation;
    operation.code = tflite::builtin::conv_2d;
    operation.inputs = {0, 1, 2};
    operation.outputs = {3};
    operation.options = {stride("stride_w"), stride("stride_h")};
    net.operators.resize(count, operation);
    tflite::model result;
    result.subgraphs.push_back(move(net));
    return result;
}

void time_check(const char* name, const tflite::model& model) {
    std::size_t operations = 0;
    for (const tflite::subgraph& each : model.subgraphs)
        operations += each.operators.size();
    std::size_t violations = 0;
    double least = 1e9;
    for (int i = 0; i < 200; ++i) {
        const std::clock_t begin = std::clock();
        violations = check::violations_of(model).size();
        least = std::min(least, static_cast<double>(std::clock() - begin) * 1000 / CLOCKS_PER_SEC);
    }
    std::printf("%s: %zu operations, %zu violations, %.3f ms\n", name, operations, violations, least);
}

}  // namespace

int main(int count, char** words) {
    try {
        time_check("conforming", convolutions(1000, 0.125F));
        time_check("broken", convolutions(1000, 0.5F));
        for (int i = 1; i < count; ++i)
            time_check(words[i], tflite::read_model(words[i]));
    } catch (const std::exception& raised) {
        std::fprintf(stderr, "lpt_check_bench: %s\n", raised.what());
        return 1;
    }
}
