// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/activation.hpp>
#include <lpt/import/onnx/attention.hpp>
#include <lpt/import/onnx/bits.hpp>
#include <lpt/import/onnx/computed_resize.hpp>
#include <lpt/import/onnx/control_flow.hpp>
#include <lpt/import/onnx/convolution.hpp>
#include <lpt/import/onnx/detection.hpp>
#include <lpt/import/onnx/einsum.hpp>
#include <lpt/import/onnx/elementwise.hpp>
#include <lpt/import/onnx/features.hpp>
#include <lpt/import/onnx/flex_attention.hpp>
#include <lpt/import/onnx/group_query_attention.hpp>
#include <lpt/import/onnx/integer_products.hpp>
#include <lpt/import/onnx/linear_algebra.hpp>
#include <lpt/import/onnx/loss.hpp>
#include <lpt/import/onnx/microsoft.hpp>
#include <lpt/import/onnx/microsoft_attention.hpp>
#include <lpt/import/onnx/microsoft_blocks.hpp>
#include <lpt/import/onnx/microsoft_movement.hpp>
#include <lpt/import/onnx/microsoft_transformers.hpp>
#include <lpt/import/onnx/movement.hpp>
#include <lpt/import/onnx/pooling.hpp>
#include <lpt/import/onnx/quantization.hpp>
#include <lpt/import/onnx/recurrent.hpp>
#include <lpt/import/onnx/reduction.hpp>
#include <lpt/import/onnx/resampling.hpp>
#include <lpt/import/onnx/scan.hpp>
#include <lpt/import/onnx/scatter.hpp>
#include <lpt/import/onnx/sequences.hpp>
#include <lpt/import/onnx/shape.hpp>
#include <lpt/import/onnx/signal.hpp>

namespace lpt::inline LPT_ABI::onnx {

/// Every operator that can be read, by domain and type.
inline const operator_entry* find_operator(std::string_view domain, std::string_view type) {
    using key = std::pair<std::string_view, std::string_view>;
    static const std::map<key, const operator_entry*> all = [] {
        std::map<key, const operator_entry*> result;
        const auto add = [&](const auto& operators) {
            for (const operator_entry& each : operators) {
                result[{each.domain, each.type}] = &each;
            }
        };
        add(elementwise_operators);
        add(activation_operators);
        add(quantization_operators);
        add(convolution_operators);
        add(integer_product_operators);
        add(detection_operators);
        add(pooling_operators);
        add(movement_operators);
        add(reduction_operators);
        add(shape_operators);
        add(attention_operators);
        add(control_flow_operators);
        add(scan_operators);
        add(loss_operators);
        add(recurrent_operators);
        add(scatter_operators);
        add(resampling_operators);
        add(resize_operators);
        add(feature_operators);
        add(flex_attention_operators);
        add(einsum_operators);
        add(signal_operators);
        add(bit_operators);
        add(linear_algebra_operators);
        add(microsoft_operators);
        add(block_operators);
        add(microsoft_attention_operators);
        add(microsoft_movement_operators);
        add(group_query_attention_operators);
        add(microsoft_transformer_operators);
        add(sequence_operators);
        return result;
    }();
    const auto found = all.find({domain, type});
    return found == all.end() ? nullptr : found->second;
}

}  // namespace lpt::inline LPT_ABI::onnx
