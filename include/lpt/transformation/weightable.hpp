// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/quantization_details.hpp>

/// What the operations with weights have in common: convolutions, grouped and transposed ones, and the product of two
/// low precision tensors.
namespace lpt {

// ---- weights as they are found

/// The dequantization or FakeQuantize that gives an operation its weights.
struct weights_source {
    output_ref last;                       // output of the dequantization or FakeQuantize (below a Reshape, if there is one)
    node_id reshape = node_id::none;       // Reshape between it and the operation: of grouped weights only
    node_id fake_quantize = node_id::none; // FakeQuantize, directly or below the dequantization
    dequantization found;                  // empty if the FakeQuantize gives the weights directly
};

namespace detail {

/// The axes of weights that scales and zero points may vary over, as bits: those of output channels (and groups).
constexpr unsigned weight_axes(const graph& model, node_id id, bool has_reshape) {
    switch (model[id].kind()) {
        case op::kind::convolution_backprop_data: return 1u << 1;
        case op::kind::group_convolution: return has_reshape ? 1u << 0 : 1u << 0 | 1u << 1;
        default: return 1u << 0;
    }
}

/// True if a constant of one of these sizes varies over the axes in `allowed` alone; its axes are those of the weights, right-aligned.
constexpr bool varies_only_over(const shape& constant, const shape& weights, unsigned allowed) {
    if (constant.elements() == 1) {
        return true;
    }
    if (weights.rank_is_dynamic() || constant.rank() > weights.rank()) {
        return false;
    }
    const shape aligned = constant.padded_left(weights.rank());
    for (std::size_t axis = 0; axis < aligned.rank(); ++axis) {
        if (aligned[axis] != 1 && (allowed >> axis & 1u) == 0) {
            return false;
        }
    }
    return true;
}

/// True if scale and zero point of weights vary over the allowed axes alone.
constexpr bool dequantization_varies_only_over(const graph& model, const dequantization& found, unsigned allowed) {
    const shape& weights = model.shape(found.data);
    return (!found.has_subtract() || varies_only_over(model[found.zero_point].shape(), weights, allowed)) &&
           (!found.has_multiply() || varies_only_over(model[found.scale].shape(), weights, allowed));
}

/// True if the four ranges of a FakeQuantize vary over the allowed axes of its data alone.
constexpr bool ranges_vary_only_over(const graph& model, node_id fake_quantize, unsigned allowed) {
    for (std::size_t port = 1; port < 5; ++port) {
        if (!varies_only_over(model.shape(model[fake_quantize].input(port)), model[fake_quantize].shape(), allowed)) {
            return false;
        }
    }
    return true;
}

}  // namespace detail

/// Finds what gives an operation its weights on input 1; looks through the Reshape of grouped weights.
[[gnu::noinline]] constexpr weights_source find_weights(const graph& model, node_id id, view<element> default_precisions) {
    weights_source result;
    result.last = model[id].input(1);
    if (model[id].is<op::group_convolution>() && model[result.last.node].is<op::reshape>()) {
        result.reshape = result.last.node;
        result.last = model[result.reshape].input(0);
    }
    if (model[result.last.node].is<op::fake_quantize>()) {
        result.fake_quantize = result.last.node;
        return result;
    }
    result.found = find_dequantization_at(model, result.last, default_precisions);
    if (!result.found.empty() && model[result.found.data.node].is<op::fake_quantize>()) {
        result.fake_quantize = result.found.data.node;
    }
    return result;
}

/// Whether a Convolution, GroupConvolution or ConvolutionBackpropData has quantized weights, as far as can be said before
/// anything was transformed.
///
/// Weights are quantized by a FakeQuantize with constant ranges and a level count that a low precision type represents, or
/// by a dequantization with constants that vary over the output channels alone (and the groups, if no Reshape makes them)
/// of a low precision Constant or such a FakeQuantize, which may lie behind one more Convert. A zero point with a Convert
/// has the type of the weights.
[[gnu::noinline]] constexpr verdict is_quantized_static(const graph& model, node_id id, view<element> default_precisions) {
    const weights_source weights = find_weights(model, id, default_precisions);
    if (weights.fake_quantize != node_id::none && weights.found.empty()) {
        return is_quantize_supported(model, weights.fake_quantize) ? yes : refuse(reason::unsupported_levels, 1);
    }
    const dequantization& found = weights.found;
    if (found.empty()) {
        return refuse(reason::weights_not_quantized, 1);
    }
    const unsigned allowed = detail::weight_axes(model, id, weights.reshape != node_id::none);
    if (!detail::dequantization_varies_only_over(model, found, allowed)) {
        return refuse(reason::weights_vary_over_axis, 1);
    }
    output_ref data = found.data;
    if (!is_constant(model, data) && model[data.node].is<op::convert>()) {
        data = model[data.node].input(0);
    }
    if (const node& producer = model[data.node]; producer.is<op::fake_quantize>()) {
        if (!is_quantize_supported(model, data.node)) {
            return refuse(reason::unsupported_levels, 1);
        }
        return detail::ranges_vary_only_over(model, data.node, allowed) ? yes : refuse(reason::weights_vary_over_axis, 1);
    }
    if (!is_constant(model, data)) {
        return refuse(reason::weights_not_constant, 1);
    }
    if (!is_low_precision(model.type(data))) {
        return refuse(reason::weights_not_low_precision, 1);
    }
    if (found.zero_point_convert != node_id::none && model[found.zero_point].type() != model.type(data)) {
        return refuse(reason::zero_point_type_mismatch, 1);
    }
    return yes;
}

}  // namespace lpt
