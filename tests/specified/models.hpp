// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite models made by hand.
#pragma once

#include <lpt/specified/network.hpp>

#include <cstring>
#include <initializer_list>
#include <type_traits>
#include <vector>

namespace specified_test {

using namespace lpt;
using tflite::builtin;
using tflite::tensor_type;

inline tflite::tensor_info tensor_of(shape dimensions, float scale, std::int64_t zero_point,
                                     tensor_type type = tensor_type::int8) {
    tflite::tensor_info result;
    result.name = "t";
    result.type = type;
    result.dimensions = lpt::move(dimensions);
    result.quantized = {{scale}, {zero_point}};
    return result;
}

template <class Number>
tflite::tensor_info constant_of(shape dimensions, float scale, std::initializer_list<Number> numbers,
                                tensor_type type) {
    tflite::tensor_info result = tensor_of(dimensions, scale, 0, type);
    seq<std::byte> content(numbers.size() * sizeof(Number), std::byte{0});
    copy_bytes(content.data(), reinterpret_cast<const std::byte*>(numbers.begin()), content.size());
    result.value = tensor(tflite::element_of(type), dimensions, bytes(lpt::move(content)));
    return result;
}

inline tflite::option whole(const char* name, std::int64_t number) {
    tflite::option result;
    result.name = name;
    result.whole = number;
    return result;
}

/// One operation; its last tensor is the output, its first the input.
inline tflite::model model_of(builtin code, std::vector<tflite::tensor_info> tensors,
                              std::vector<tflite::option> options = {}) {
    tflite::subgraph net;
    tflite::operator_info op;
    op.code = code;
    op.options = lpt::move(options);
    for (std::size_t i = 0; i + 1 < tensors.size(); ++i)
        op.inputs.push_back(static_cast<std::int64_t>(i));
    op.outputs = {static_cast<std::int64_t>(tensors.size() - 1)};
    net.inputs = {0};
    net.outputs = op.outputs;
    net.tensors = lpt::move(tensors);
    net.operators.push_back(op);
    tflite::model result;
    result.file = "test";
    result.subgraphs.push_back(net);
    return result;
}

/// The codes of the first output for these numbers of the first input.
template <class Network = specified::network, class Number = std::int8_t>
std::vector<int> run(const tflite::model& model, std::initializer_list<std::type_identity_t<Number>> numbers) {
    Network net(model);
    net.set_input(
        0, view<std::byte>(reinterpret_cast<const std::byte*>(numbers.begin()), numbers.size() * sizeof(Number)));
    net.run();
    std::vector<int> result;
    for (std::int64_t i = 0; i < net.output(0).elements(); ++i)
        result.push_back(static_cast<int>(net.output(0).integer(i)));
    return result;
}

}  // namespace specified_test
