// SPDX-License-Identifier: Apache-2.0
// Holds a TensorFlow Lite model against the 8-bit quantization specification.
#pragma once

#include <lpt/check/operation.hpp>
#include <lpt/import/tflite/model.hpp>

namespace lpt::inline LPT_ABI::check {

namespace detail {

inline described_tensor describe(const tflite::subgraph& net, std::int64_t index) {
    described_tensor result;
    if (index < 0) return result;
    const tflite::tensor_info& tensor = net.tensors[static_cast<std::size_t>(index)];
    const tflite::quantization& quantized = tensor.quantized;
    result.index = static_cast<int>(index);
    result.name = tensor.name;
    result.type = tflite::element_of(tensor.type);
    result.dimensions = view<std::int64_t>(tensor.dimensions.begin(), tensor.dimensions.rank());
    result.scales = view<float>(quantized.scales.data(), quantized.scales.size());
    result.zero_points = view<std::int64_t>(quantized.zero_points.data(), quantized.zero_points.size());
    result.axis = quantized.axis;
    if (tensor.is_constant()) {
        result.constant = tensor.value.data();
        result.constant_bytes = tensor.value.size_in_bytes();
    }
    return result;
}

}  // namespace detail

/// An operation of a subgraph as the checker reads it. It looks at the subgraph, which outlives it.
inline described_operation describe(const tflite::subgraph& net, std::size_t index) {
    const tflite::operator_info& each = net.operators[index];
    described_operation result;
    result.index = static_cast<int>(index);
    result.name = each.name();
    for (const std::int64_t tensor : each.inputs)
        result.inputs.push_back(detail::describe(net, tensor));
    for (const std::int64_t tensor : each.outputs)
        result.outputs.push_back(detail::describe(net, tensor));
    return result;
}

/// Everything in which a subgraph breaks the specification, in the order of its operations; nothing: it conforms.
inline seq<violation, 0> violations_of(const tflite::subgraph& net) {
    seq<violation, 0> result;
    for (std::size_t i = 0; i < net.operators.size(); ++i) {
        if (spec::find(net.operators[i].name()) != nullptr) check_operation(describe(net, i), result);
    }
    return result;
}

/// The same for a model's network, its first subgraph.
inline seq<violation, 0> violations_of(const tflite::model& model) { return violations_of(model.subgraphs.front()); }

}  // namespace lpt::inline LPT_ABI::check
