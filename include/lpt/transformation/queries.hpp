// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/fake_quantize/usable_maps.hpp>
#include <lpt/transformation/weightable.hpp>

/// What restrictions and callbacks of a target ask about one node. No question changes the graph.
namespace lpt::inline LPT_ABI {

/// True if a Multiply ends a dequantization of quantized values that the transformations can use: of a FakeQuantize with
/// constant ranges and a level count that a low precision type has, behind a Convert, or of a Constant.
constexpr bool are_quantize_and_dequantize_supported_for_multiply(const graph& model, node_id id,
                                                                  view<element> default_precisions) {
    const bool multiplies = model[id].is<op::multiply>();
    const dequantization found = multiplies ? find_dequantization_at(model, id, default_precisions) : dequantization{};
    if (found.empty() || !model[found.data.node].is<op::convert>()) {
        return !found.empty() && is_constant(model, found.data);
    }
    const node_id quantize = model.producer(found.data.node, 0);
    return model[quantize].is<op::fake_quantize>() && is_quantize_supported(model, quantize);
}

/// True if a Subtract belongs to a dequantization that the transformations can use; see the question for Multiply.
constexpr bool are_quantize_and_dequantize_supported_for_subtract(const graph& model, node_id id,
                                                                  view<element> default_precisions) {
    return model[id].is<op::subtract>() && any_reader(model, id, [&](node_id reader) {
               return are_quantize_and_dequantize_supported_for_multiply(model, reader, default_precisions);
           });
}

/// True if the dequantization on input 0 has a Subtract.
constexpr bool is_asymmetric_quantization(const graph& model, node_id id, view<element> default_precisions) {
    return find_dequantization(model, id, default_precisions).has_subtract();
}

namespace detail {

/// `is_asymmetric_on_weights`, where `ranges_need_one` answers for weights that a FakeQuantize gives.
template <class Answer>
constexpr bool weights_need_zero_point(const graph& model, node_id id, view<element> default_precisions,
                                       const Answer& ranges_need_one) {
    if (model[id].inputs() < 2) {
        return false;
    }
    const weights_source weights = find_weights(model, id, default_precisions);
    const dequantization& found = weights.found;
    if (found.empty()) {
        return weights.fake_quantize != node_id::none && ranges_need_one(weights.fake_quantize);
    }
    return found.has_subtract() &&
           (!found.has_convert() ||
            !is_zero(round_zero_points(constant_of(model, found.zero_point), model.type(found.data), true)));
}

}  // namespace detail

/// True if the weights of an operation (input 1, above the Reshape of grouped weights) need a zero point.
///
/// Weights of a FakeQuantize: if the integer type that they would get, the preferred one of the ranges if `default_precisions`
/// has it, else the first, leaves the ranges asymmetric. Weights above a dequantization: if its zero point, rounded to the
/// type of the weights with halves away from zero, has a value other than 0; weights that no Convert brings to real numbers
/// keep every zero point. False for an operation without input 1 and for weights that are not quantized.
constexpr bool is_asymmetric_on_weights(const graph& model, node_id id, view<element> default_precisions) {
    return detail::weights_need_zero_point(model, id, default_precisions, [&](node_id fake_quantize) {
        return has_constant_ranges(model, fake_quantize) &&
               precision_of_weights(details_of(model, fake_quantize), default_precisions).has_zero_point;
    });
}
/// The same in a run of the transformations: the type of weights that a FakeQuantize quantizes is one of those that markup left it.
constexpr bool is_asymmetric_on_weights(const rewrite& r, node_id id) {
    return detail::weights_need_zero_point(r.model, id, r.options.default_precisions, [&](node_id fake_quantize) {
        return weights_precision_of(r, fake_quantize).has_zero_point;
    });
}

/// True if MultiplyToGroupConvolution may take a Multiply: it has a Constant and gives a tensor of rank 4 or 5.
constexpr bool can_be_transformed_to_group_convolution(const graph& model, node_id id) {
    const shape& result = model[id].shape();
    return model[id].is<op::multiply>() && detail::operands_of(model, id) && result.rank_is_static() &&
           (result.rank() == 4 || result.rank() == 5);
}

/// True if the constant of a Multiply, that of input 1 where both are, has one element or a size that is not known: such a
/// Multiply needs no convolution to run fast. False without a constant.
constexpr bool is_dynamic_or_scalar(const graph& model, node_id id) {
    const bool multiplies = model[id].is<op::multiply>();
    const auto operands = multiplies ? detail::operands_of(model, id) : detail::operands_with_constant{};
    const auto is_one = [](const shape& dimensions) { return dimensions.is_dynamic() || dimensions.elements() == 1; };
    return operands && is_one(model.shape(operands.constant));
}

}  // namespace lpt::inline LPT_ABI
