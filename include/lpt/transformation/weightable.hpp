// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/weights_source.hpp>

/// What the operations with weights have in common: convolutions, grouped and transposed ones, and the product of two
/// low precision tensors.
namespace lpt::inline LPT_ABI {

/// How much a transformation asks of activations and weights.
struct weightable_settings {
    bool per_tensor_data = true;  // activations have one scale
    bool low_precision_weights = true;  // weights below a dequantization have a low precision type
    bool dynamic_weights = false;  // sizes of the weights may be unknown
    bool constant_weights = true;  // weights below a dequantization are Constants
};

/// The number of groups of a convolution; 1 for other operations.
constexpr dimension group_count(const graph& model, node_id id) {
    const shape& weights = model.shape(model[id].input(1));
    return model[id].is<op::group_convolution>() && weights.rank_is_static() && weights.rank() > 0 ? weights[0] : 1;
}
/// The number of channels that a convolution takes, as its weights of static shape say it.
constexpr dimension input_channels(const graph& model, node_id id) {
    const shape& weights = model.shape(model[id].input(1));
    switch (model[id].kind()) {
        case op::kind::group_convolution: return weights[0] * weights[2];
        case op::kind::convolution_backprop_data: return weights[0];
        default: return weights[1];
    }
}

namespace detail {

/// Activations of several groups: one scale in all channels of a group.
constexpr verdict grouped_data_verdict(const graph& model, node_id id, const dequantization& found) {
    if (!found.has_multiply()) {
        return refuse(reason::no_dequantization, 0);
    }
    if (!is_per_channel_constant(model, found.multiply, found.scale, found.channel_axis)) {
        return refuse_because_of(reason::not_per_tensor_or_per_channel, 0, found.scale);
    }
    const tensor& scale = constant_of(model, found.scale);
    const auto channels = static_cast<std::size_t>(input_channels(model, id));
    if (scale.elements() != 1) {
        if (scale.elements() != channels) {
            return refuse_because_of(reason::shapes_do_not_match, 0, found.scale);
        }
        const std::size_t in_group = channels / static_cast<std::size_t>(group_count(model, id));
        const bool may_vary = in_group != 1 || !is_finite(scale);  // NaN differs from itself
        for (std::size_t first = 0; may_vary && first < channels; first += in_group) {
            for (std::size_t channel = first; channel < first + in_group && channel < channels; ++channel) {
                if (scale.real(channel) != scale.real(first)) {
                    return refuse_axis(reason::varies_over_axis, 0, found.channel_axis, found.scale);
                }
            }
        }
    }
    const std::size_t rank = model[id].shape().rank();
    return rank >= 3 && rank <= 5 ? yes : refuse_value(reason::unsupported_rank, -1, static_cast<double>(rank));
}

/// Weights that a FakeQuantize gives: constant ranges, known levels, output ranges over the allowed axes.
constexpr verdict fake_quantized_weights_verdict(const graph& model, node_id fake_quantize, unsigned allowed) {
    if (const verdict supported = quantize_is_supported(model, fake_quantize, 1); !supported) {
        return supported;
    }
    const node& each = model[fake_quantize];
    const shape& low = model.shape(each.input(3));
    const shape& high = model.shape(each.input(4));
    if (!(low == high) || each.shape().rank_is_dynamic()) {
        return refuse_because_of(reason::shapes_do_not_match, 1, each.input(4).node);
    }
    if (!varies_only_over(low, each.shape(), allowed)) {
        return refuse_because_of(reason::weights_vary_over_axis, 1, each.input(3).node);
    }
    for (std::size_t axis = 0; axis < low.rank(); ++axis) {
        if (low.elements() != 1 && low[axis] != 1 && low[axis] != each.shape()[axis]) {
            return refuse_axis(reason::shapes_do_not_match, 1, axis, each.input(3).node);
        }
    }
    return yes;
}

/// Weights below a dequantization: a Constant of a low precision type, constants over the allowed axes.
constexpr verdict dequantized_weights_verdict(const graph& model, const dequantization& found, unsigned allowed,
                                              const weightable_settings& settings) {
    if (found.empty()) {
        return refuse(reason::weights_not_quantized, 1);
    }
    if (settings.constant_weights && !is_constant(model, found.data)) {
        return refuse_because_of(reason::weights_not_constant, 1, found.data.node);
    }
    const element type = model.type(found.data);
    if (settings.low_precision_weights && !is_low_precision(type)) {
        return refuse_type(reason::weights_not_low_precision, 1, type);
    }
    if (found.zero_point_convert != node_id::none && model[found.zero_point].type() != type) {
        return {.why = reason::zero_point_type_mismatch,
                .port = 1,
                .type = model[found.zero_point].type(),
                .about = found.zero_point};
    }
    return weights_constants_verdict(model, found, allowed);
}

}  // namespace detail

/// Whether activations and weights of an operation are quantized in a way that integer arithmetic can follow.
///
/// Activations: one scale for all channels (for each group of channels where there are several groups; with
/// `quirk::scale_of_other_axis` scales along the last axis of a MatMul's result pass for such if there are as many). Weights: see
/// `is_quantized_static`; scales and zero points vary over the output channels alone.
///
/// `found` and `weights` are what `find_dequantization` and `find_weights` say of the operation.
[[gnu::noinline]] constexpr verdict weightable_verdict(const rewrite& r, node_id id,
                                                       const weightable_settings& settings, const dequantization& found,
                                                       const weights_source& weights) {
    const graph& model = r.model;
    if (const verdict base = base_precondition_of(r, id, found); !base) {
        return base;
    }
    if (!settings.dynamic_weights) {
        if (model.shape(model[id].input(0)).rank_is_dynamic()) {
            return refuse(reason::dynamic_rank, 0);
        }
        if (model.shape(model[id].input(1)).is_dynamic()) {
            return refuse(reason::dynamic_channel, 1);
        }
    }
    if (group_count(model, id) > 1) {
        if (const verdict grouped = detail::grouped_data_verdict(model, id, found); !grouped) {
            return grouped;
        }
        const bool is_of_channels = found.channel_axis == 1 || is_scalar_like(model, found.scale);
        if (!is_of_channels && !r.follows(quirk::scale_of_other_axis)) {
            return refuse_axis(reason::varies_over_axis, 0, found.channel_axis, found.scale);
        }
    } else if (!found.has_multiply()) {
        return refuse(reason::no_dequantization, 0);
    } else if (settings.per_tensor_data && !is_scalar_like(model, found.scale)) {
        return refuse_not_per_tensor(model, found);
    }
    const unsigned allowed = detail::weight_axes(model, id, weights.reshape != node_id::none);
    if (weights.fake_quantize == node_id::none) {
        return detail::dequantized_weights_verdict(model, weights.found, allowed, settings);
    }
    if (const verdict quantized = detail::fake_quantized_weights_verdict(model, weights.fake_quantize, allowed);
        !quantized) {
        return quantized;
    }
    return detail::weights_constants_verdict(model, weights.found, allowed);
}
constexpr verdict weightable_verdict(const rewrite& r, node_id id, const weightable_settings& settings = {}) {
    return weightable_verdict(r, id, settings, find_dequantization(r, id),
                              find_weights(r.model, id, r.options.default_precisions));
}

}  // namespace lpt::inline LPT_ABI
