// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/quantization_details.hpp>

/// What a plugin asks before it runs the transformations. No question changes the graph.
namespace lpt {

inline constexpr std::int64_t all_quantization_levels[] = {15, 16, 255, 256, 65535, 65536, 4294967295, 4294967296};

/// True if a network has a FakeQuantize with one of the `levels` whose ranges are constants, perhaps behind a Convert; or,
/// with `check_fake_convert`, a FakeConvert. Looks into the bodies of TensorIterator, Loop and If, too.
constexpr bool is_function_quantized(const graph& model, view<std::int64_t> levels = all_quantization_levels,
                                     bool check_fake_convert = false) {
    for (std::size_t index = 0; index < model.id_bound(); ++index) {
        const node_id id = id_at(index);
        if (!model.contains(id)) {
            continue;
        }
        const node& each = model[id];
        if (check_fake_convert && each.is<op::fake_convert>()) {
            return true;
        }
        for (std::size_t body = 0; body < each.bodies().size(); ++body) {
            if (is_function_quantized(each.bodies()[body], levels, check_fake_convert)) {
                return true;
            }
        }
        if (!each.is<op::fake_quantize>()) {
            continue;
        }
        bool constant = true;
        for (std::size_t port = 1; port < 5; ++port) {
            constant =
                constant && (is_constant(model, each.input(port)) || is_converted_constant(model, each.input(port)));
        }
        for (const std::int64_t level : levels) {
            if (constant && level == each.as<op::fake_quantize>().levels) {
                return true;
            }
        }
    }
    return false;
}

/// True if a Multiply ends a dequantization of quantized values that the transformations can use: of a FakeQuantize with
/// constant ranges and a level count that a low precision type has, behind a Convert, or of a Constant.
constexpr bool are_quantize_and_dequantize_supported_for_multiply(const graph& model, node_id id,
                                                                  view<element> default_precisions) {
    if (!model[id].is<op::multiply>()) {
        return false;
    }
    const dequantization found = find_dequantization_at(model, id, default_precisions);
    if (found.empty()) {
        return false;
    }
    const node& data = model[found.data.node];
    if (data.is<op::convert>()) {
        const node_id quantize = model.producer(found.data.node, 0);
        return model[quantize].is<op::fake_quantize>() && is_quantize_supported(model, quantize);
    }
    return data.is<op::constant>();
}

/// True if a Subtract belongs to a dequantization that the transformations can use; see the question for Multiply.
constexpr bool are_quantize_and_dequantize_supported_for_subtract(const graph& model, node_id id,
                                                                  view<element> default_precisions) {
    if (!model[id].is<op::subtract>()) {
        return false;
    }
    for (const input_ref user : model.uses(id)) {
        if (are_quantize_and_dequantize_supported_for_multiply(model, user.node, default_precisions)) {
            return true;
        }
    }
    return false;
}

/// True if the dequantization on input 0 has a Subtract.
constexpr bool is_asymmetric_quantization(const graph& model, node_id id, view<element> default_precisions) {
    return find_dequantization(model, id, default_precisions).has_subtract();
}

}  // namespace lpt
