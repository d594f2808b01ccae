// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/weights_source.hpp>

/// What operations with weights have in common: convolutions of all sorts, and the product of two low precision tensors.
namespace lpt::inline LPT_ABI {

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

/// Activations of several groups: one scale in all channels of a group. With `quirk::scale_of_other_axis` scales along the last axis of a
/// MatMul's result pass for such if there are as many.
constexpr verdict grouped_data_verdict(const rewrite& r, node_id id, const dequantization& found) {
    const graph& model = r.model;
    if (const verdict scaled = has_scale(r, id, found); !scaled) {
        return scaled;
    }
    const tensor& scale = constant_of(model, found.scale);
    const auto channels = static_cast<std::size_t>(input_channels(model, id));
    const auto is_one_in_group = [&] {
        const std::size_t in_group = channels / static_cast<std::size_t>(group_count(model, id));
        return scale.elements() == 1 || (in_group == 1 && is_finite(scale)) ||  // NaN differs from itself
               for_all(0, channels, [&](std::size_t channel) {
                   return scale.real(channel) == scale.real(channel - channel % in_group);
               });
    };
    const auto is_of_channels = [&] {
        return found.channel_axis == 1 || is_scalar_like(scale) || r.follows(quirk::scale_of_other_axis);
    };
    const std::size_t rank = model[id].shape().rank();
    return !is_per_channel_constant(model, found.multiply, found.scale, found.channel_axis)
               ? refuse_because_of(reason::not_per_tensor_or_per_channel, 0, found.scale)
           : scale.elements() != 1 && scale.elements() != channels
               ? refuse_because_of(reason::shapes_do_not_match, 0, found.scale)
           : !is_one_in_group()   ? refuse_axis(reason::varies_over_axis, 0, found.channel_axis, found.scale)
           : rank < 3 || rank > 5 ? refuse_value(reason::unsupported_rank, -1, static_cast<double>(rank))
           : !is_of_channels()    ? refuse_axis(reason::varies_over_axis, 0, found.channel_axis, found.scale)
                                  : yes;
}

/// Weights that a FakeQuantize gives: constant ranges, known levels, output ranges over the allowed axes.
constexpr verdict fake_quantized_weights_verdict(const graph& model, node_id fake_quantize, unsigned allowed) {
    const node& each = model[fake_quantize];
    const node_id first = each.input(3).node;
    if (const verdict supported = quantize_is_supported(model, fake_quantize, 1); !supported) {
        return supported;
    }
    const shape& low = model.shape(each.input(3));
    if (!(low == model.shape(each.input(4))) || each.shape().rank_is_dynamic()) {
        return refuse_because_of(reason::shapes_do_not_match, 1, each.input(4).node);
    }
    if (!varies_only_over(low, each.shape(), allowed)) {
        return refuse_because_of(reason::weights_vary_over_axis, 1, first);
    }
    for (std::size_t axis = 0; low.elements() != 1 && axis < low.rank(); ++axis) {
        if (low[axis] != 1 && low[axis] != each.shape()[axis]) {
            return refuse_axis(reason::shapes_do_not_match, 1, axis, first);
        }
    }
    return yes;
}

/// Weights below a dequantization: constants over the allowed axes; of a Constant of a low precision type, unless they are `activations`.
constexpr verdict dequantized_weights_verdict(const graph& model, const dequantization& found, unsigned allowed,
                                              bool activations) {
    if (found.empty()) {
        return refuse(reason::weights_not_quantized, 1);
    }
    const element type = model.type(found.data);
    const verdict same_type = zero_point_has_type(model, found, type);
    return !activations && !is_constant(model, found.data)
               ? refuse_because_of(reason::weights_not_constant, 1, found.data.node)
           : !activations && !is_low_precision(type) ? refuse_type(reason::weights_not_low_precision, 1, type)
           : same_type                               ? weights_constants_verdict(model, found, allowed)
                                                     : same_type;
}

}  // namespace detail

/// Whether activations and weights of an operation are quantized in a way that integer arithmetic can follow.
///
/// Activations: one scale for all channels, for each group of channels where there are several groups. Weights: see `is_quantized_static`;
/// scales and zero points vary over the output channels alone. Both operands of a Multiply are activations, with scales along any axes.
///
/// `found` and `weights` are what `find_dequantization` and `find_weights` say of the operation.
[[gnu::noinline]] constexpr verdict weightable_verdict(const rewrite& r, node_id id, const dequantization& found,
                                                       const weights_source& weights) {
    const graph& model = r.model;
    const bool multiplies = model[id].is<op::multiply>();
    const auto has_shapes = [&] {
        return multiplies                                          ? yes
               : model.shape(model[id].input(0)).rank_is_dynamic() ? refuse(reason::dynamic_rank, 0)
               : model.shape(model[id].input(1)).is_dynamic()      ? refuse(reason::dynamic_channel, 1)
                                                                   : yes;
    };
    const auto has_scales = [&] {
        return group_count(model, id) > 1                         ? detail::grouped_data_verdict(r, id, found)
               : !found.has_multiply()                            ? has_scale(r, id, found)
               : multiplies || is_scalar_like(model, found.scale) ? yes
                                                                  : refuse_not_per_tensor(model, found);
    };
    const unsigned allowed = detail::weight_axes(model, id, weights.reshape != node_id::none);
    const auto has_weights = [&] {
        if (weights.fake_quantize == node_id::none) {
            return detail::dequantized_weights_verdict(model, weights.found, allowed, multiplies);
        }
        const verdict quantized = detail::fake_quantized_weights_verdict(model, weights.fake_quantize, allowed);
        return quantized ? detail::weights_constants_verdict(model, weights.found, allowed) : quantized;
    };
    return first_refusal([&] { return base_precondition(r, id, found); }, has_shapes, has_scales, has_weights);
}

}  // namespace lpt::inline LPT_ABI
