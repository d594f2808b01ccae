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

/// Options that have no default: 0, which the format gives them where they are absent, makes an operation compute nothing.
inline view<text_view> needed_options(tflite::builtin code) {
    static constexpr text_view strides[] = {"stride_w", "stride_h"};
    static constexpr text_view window[] = {"stride_w", "stride_h", "filter_width", "filter_height"};
    static constexpr text_view block[] = {"block_size"};
    static constexpr text_view beta[] = {"beta"};
    switch (code) {
        case tflite::builtin::conv_2d:
        case tflite::builtin::depthwise_conv_2d: return strides;
        case tflite::builtin::average_pool_2d:
        case tflite::builtin::max_pool_2d: return window;
        case tflite::builtin::space_to_depth: return block;
        case tflite::builtin::softmax: return beta;
        default: return {};
    }
}

inline text_view missing_option(const tflite::operator_info& each) {
    for (const text_view name : needed_options(each.code)) {
        const tflite::option* const found = each.find(name);
        if (found == nullptr || (found->whole == 0 && found->real == 0)) return name;
    }
    return {};
}

}  // namespace detail

/// An operation of a subgraph as the checker reads it. It looks at the subgraph, which outlives it.
inline described_operation describe(const tflite::subgraph& net, std::size_t index) {
    const tflite::operator_info& each = net.operators[index];
    described_operation result;
    result.index = static_cast<int>(index);
    result.name = each.name();
    result.missing_option = detail::missing_option(each);
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

/// The same for all subgraphs of a model, in their order: bodies of IF and WHILE and first values of variables are computed, too.
inline seq<violation, 0> violations_of(const tflite::model& model) {
    seq<violation, 0> result;
    for (std::size_t i = 0; i < model.subgraphs.size(); ++i) {
        for (violation& each : violations_of(model.subgraphs[i])) {
            each.subgraph = static_cast<int>(i);
            result.push_back(move(each));
        }
    }
    return result;
}

}  // namespace lpt::inline LPT_ABI::check
