// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/fake_quantize/decompose.hpp>

/// What the operations with weights have in common: convolutions, grouped and transposed ones, and the product of two
/// low precision tensors.
namespace lpt::inline LPT_ABI {

// ---- weights as they are found

/// The dequantization or FakeQuantize that gives an operation its weights.
struct weights_source {
    output_ref last;  // output of the dequantization or FakeQuantize (below a Reshape, if there is one)
    node_id reshape = node_id::none;  // Reshape between it and the operation: of grouped weights only
    node_id fake_quantize = node_id::none;  // FakeQuantize, directly or below the dequantization
    dequantization found;  // empty if the FakeQuantize gives the weights directly
};

namespace detail {

/// The axes of weights that scales and zero points may vary over, as bits: those of output channels (and groups); all of
/// them where nothing is summed.
constexpr unsigned weight_axes(const auto& model, node_id id, bool has_reshape) {
    switch (model[id].kind()) {
        case op::kind::convolution_backprop_data: return 1u << 1;
        case op::kind::group_convolution: return has_reshape ? 1u << 0 : 1u << 0 | 1u << 1;
        case op::kind::multiply: return ~0u;
        default: return 1u << 0;
    }
}

/// True if a constant of one of these sizes varies over the axes in `allowed` alone; its axes are those of the weights, right-aligned.
/// One of fewer axes must do so also where it is not aligned, which is how upstream counts.
template <int Once = 0>
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
    for (std::size_t axis = 0; axis < constant.rank(); ++axis) {
        if (constant[axis] != 1 && (allowed >> axis & 1u) == 0) {
            return false;
        }
    }
    return true;
}

/// Refuses a scale or zero point of weights that varies over other axes than the allowed ones.
template <int Once = 0>
constexpr verdict weights_constants_verdict(const graph& model, const dequantization& found, unsigned allowed) {
    for (const node_id each : {found.zero_point, found.scale}) {
        if (each != node_id::none && !varies_only_over(model[each].shape(), model.shape(found.data), allowed)) {
            return refuse_because_of(reason::weights_vary_over_axis, 1, each);
        }
    }
    return yes;
}

/// True if the four ranges of a FakeQuantize vary over the allowed axes of its data alone.
constexpr bool ranges_vary_only_over(const auto& model, node_id fake_quantize, unsigned allowed) {
    for (std::size_t port = 1; port < 5; ++port) {
        if (!varies_only_over(model.shape(model[fake_quantize].input(port)), model[fake_quantize].shape(), allowed)) {
            return false;
        }
    }
    return true;
}

}  // namespace detail

/// Finds what gives an operation its weights on input 1; looks through the Reshape of grouped weights.
template <int Once = 0>
[[gnu::noinline]] constexpr weights_source find_weights(const graph& model, node_id id,
                                                        view<element> default_precisions) {
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
template <int Once = 0>
[[gnu::noinline]] constexpr verdict is_quantized_static(const graph& model, node_id id, const weights_source& weights) {
    if (weights.fake_quantize != node_id::none && weights.found.empty()) {
        return quantize_is_supported(model, weights.fake_quantize, 1);
    }
    const dequantization& found = weights.found;
    if (found.empty()) {
        return refuse(reason::weights_not_quantized, 1);
    }
    const unsigned allowed = detail::weight_axes(model, id, weights.reshape != node_id::none);
    if (const verdict varies = detail::weights_constants_verdict(model, found, allowed); !varies) {
        return varies;
    }
    output_ref data = found.data;
    // Only the quantizing half of a pair lies between: a Constant that is converted has a type that was not asked for.
    if (model[data.node].is<op::convert>() && !is_constant(model, model[data.node].input(0))) {
        data = model[data.node].input(0);
    }
    if (const node& producer = model[data.node]; producer.is<op::fake_quantize>()) {
        const verdict supported = quantize_is_supported(model, data.node, 1);
        return !supported || detail::ranges_vary_only_over(model, data.node, allowed)
                   ? supported
                   : refuse_because_of(reason::weights_vary_over_axis, 1, data.node);
    }
    if (!is_constant(model, data)) {
        return refuse_because_of(reason::weights_not_constant, 1, data.node);
    }
    if (!is_low_precision(model.type(data))) {
        return refuse_type(reason::weights_not_low_precision, 1, model.type(data));
    }
    if (found.zero_point_convert != node_id::none && model[found.zero_point].type() != model.type(data)) {
        return {.why = reason::zero_point_type_mismatch,
                .port = 1,
                .type = model[found.zero_point].type(),
                .about = found.zero_point};
    }
    return yes;
}
template <int Once = 0>
constexpr verdict is_quantized_static(const graph& model, node_id id, view<element> default_precisions) {
    return is_quantized_static(model, id, find_weights(model, id, default_precisions));
}

// ---- preconditions

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
constexpr dimension input_channels(const auto& model, node_id id) {
    const shape& weights = model.shape(model[id].input(1));
    switch (model[id].kind()) {
        case op::kind::group_convolution: return weights[0] * weights[2];
        case op::kind::convolution_backprop_data: return weights[0];
        default: return weights[1];
    }
}

namespace detail {

/// Activations of several groups: one scale in all channels of a group.
constexpr verdict grouped_data_verdict(const auto& model, node_id id, const dequantization& found) {
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
template <int Once = 0>
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
constexpr verdict dequantized_weights_verdict(const auto& model, const dequantization& found, unsigned allowed,
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
[[gnu::noinline]] constexpr verdict weightable_verdict(const auto& r, node_id id, const weightable_settings& settings,
                                                       const dequantization& found, const weights_source& weights) {
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
constexpr verdict weightable_verdict(const auto& r, node_id id, const weightable_settings& settings = {}) {
    return weightable_verdict(r, id, settings, find_dequantization(r, id),
                              find_weights(r.model, id, r.options.default_precisions));
}

namespace detail {

/// True if a zero point of activations is the same everywhere or varies over the input channels alone: so it stands before a
/// convolution. That of a transposed convolution may vary over any axis.
constexpr bool zero_point_suits_convolution(const auto& model, node_id id, const dequantization& found) {
    if (!found.has_subtract() || model[id].template is<op::convolution_backprop_data>()) {
        return true;
    }
    const tensor& values = constant_of(model, found.zero_point);
    const shape& data = model[found.subtract].shape();
    if (is_scalar_like(values) || data.rank_is_dynamic() || values.dimensions().rank() > data.rank()) {
        return is_scalar_like(values);
    }
    const shape aligned = values.dimensions().padded_left(data.rank());
    for (std::size_t axis = 0; axis < aligned.rank(); ++axis) {
        if (aligned[axis] != 1 && (axis != 1 || aligned[axis] != input_channels(model, id))) {
            return false;
        }
    }
    return true;
}

}  // namespace detail

/// What `convolution_verdict` found on its way to the answer.
struct convolution_facts {
    dequantization data;
    weights_source weights;
    quantization_details details;  // of a FakeQuantize that gives the weights directly, and the type that suits it
    data_precision precision;
};

/// `weightable_verdict` and what convolutions ask beside it: quantized activations of low precision, zero points of
/// activations and weights in the range of their types, an integer type for a FakeQuantize on weights.
[[gnu::noinline]] constexpr verdict convolution_verdict(const auto& r, node_id id, convolution_facts& facts) {
    const graph& model = r.model;
    const dequantization& found = facts.data = find_dequantization(r, id);
    const weights_source& weights = facts.weights = find_weights(model, id, r.options.default_precisions);
    if (const verdict weightable = weightable_verdict(r, id, {}, found, weights); !weightable) {
        return weightable;
    }
    if (const verdict quantized = is_quantized_static(model, id, weights); !quantized) {
        return quantized;
    }
    if (!can_subtract_be_handled(r, found)) {
        return {.why = reason::zero_point_type_mismatch,
                .port = 0,
                .type = model.type(found.data),
                .about = found.zero_point};
    }
    if (!zero_point_fits(model, found)) {
        return refuse_unfit_zero_point(model, found, 0);
    }
    if (!detail::zero_point_suits_convolution(model, id, found)) {
        return refuse_because_of(reason::not_per_tensor_or_per_channel, 0, found.zero_point);
    }
    if (r.options.update_precisions && !is_low_precision(model, found)) {
        return refuse_type(reason::not_low_precision, 0, model.type(found.data));
    }
    if (!weights.found.empty()) {
        return zero_point_fits(model, weights.found) ? yes : refuse_unfit_zero_point(model, weights.found, 1);
    }
    facts.details = details_of(model, weights.fake_quantize);
    facts.precision = weights_precision_of(r, weights.fake_quantize, facts.details);
    const data_precision& precision = facts.precision;
    if (!precision) {
        return refuse_levels(model, weights.fake_quantize, reason::precision_not_chosen, 1);
    }
    return zero_points_fit(model, weights.fake_quantize, precision) ? yes
                                                                    : verdict{.why = reason::zero_point_does_not_fit,
                                                                              .port = 1,
                                                                              .type = precision.type,
                                                                              .about = weights.fake_quantize};
}
constexpr verdict convolution_verdict(const auto& r, node_id id) {
    convolution_facts facts;
    return convolution_verdict(r, id, facts);
}

}  // namespace lpt::inline LPT_ABI
