// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/convolution_weights.hpp>
#include <lpt/transformation/guarded.hpp>

namespace lpt::inline LPT_ABI {

namespace detail {

/// The scale behind a convolution, s_a s_w, for each output channel as `[1, C_out, 1…]`; a scalar where all are equal. That of the
/// activations is the same in all channels of a group, that of the weights varies over the axes of output channels.
constexpr tensor scale_behind(const tensor& data, const tensor& weights, const shape& weights_shape, unsigned axes,
                              std::size_t groups, std::size_t rank, element type) {
    const shape of_weights = shape_of_output_channels(weights_shape, axes);
    const std::size_t outputs = of_weights.elements();
    shape channels = shape::of_ones(rank);
    channels[1] = static_cast<dimension>(outputs);
    constant left = to_scalar(data);
    if (left.dimensions().rank() != 0) {
        left = tensor(first_of_every(data, data.elements() / groups, outputs / groups), channels);
    }
    constant right = weights;
    if (weights.elements() == 1) {
        right = to_scalar(weights);
    } else {
        right = tensor(spread(weights, of_weights), channels);
    }
    return to_scalar(left.as(type) * right.as(type));
}

/// What a convolution reads as activations once the scale stands behind it: the low precision tensor, or a Subtract.
///
/// Where a Convert lies above it, the Subtract then takes low precision tensors. Its constant gets a number for each input channel, which engines
/// need to fuse it with the convolution (not above a transposed one). It is marked, so that cleanup leaves it.
constexpr output_ref low_precision_data(rewrite& r, node_id convolution, const dequantization& found) {
    graph& model = r.model;
    if (!found.has_subtract()) {
        return found.data;
    }
    const bool per_channel = !model[convolution].is<op::convolution_backprop_data>();
    shape dimensions;
    if (per_channel) {
        dimensions = shape::of_ones(model[found.subtract].shape().rank());
        dimensions[1] = input_channels(model, convolution);
    }
    node_id subtract = optimize_subtract(r, found.subtract, per_channel ? &dimensions : nullptr);
    if (subtract == node_id::none) {
        return found.data;
    }
    const tensor* zero_point = model.constant_value(model[subtract].input(1));
    if (per_channel && zero_point != nullptr && !(zero_point->dimensions() == dimensions)) {
        const node_id repeated = model.constant(broadcast_values(to_scalar(*zero_point), dimensions));
        const node_id made = model.clone(subtract, {model[subtract].input(0), repeated});
        replace_and_name(r, subtract, made);
        subtract = made;
    }
    model.set_mark(subtract, mark::disable_cleanup);
    return subtract;
}

/// The rewrite that all convolutions have in common, once `convolution_verdict` said yes.
///
///     conv(s_a (q_a - z_a), s_w (q_w - z_w))  =  s_a s_w conv(q_a - z_a, q_w - z_w)
/// z_a is rounded, halves away from zero; a zero point of 0 goes away. The product of scales is computed in `computed_type()`, and the
/// Multiply gives the type that the one of the data gave. `facts` are those of the verdict.
[[gnu::cold, gnu::noinline]] constexpr bool transform_convolution(rewrite& r, node_id id, text_view name,
                                                                  const convolution_facts& facts) {
    graph& model = r.model;
    // What nobody else reads is rewritten as it stands; otherwise a copy of the convolution, with dequantizations of its own.
    const bool owns_what_changes =
        is_unshared(model, facts.data, owned::zero_point) &&
        (facts.weights.found.empty() || is_unshared(model, facts.weights.found, owned::zero_point));
    const bool shares_dequantizations = !is_unshared(model, facts.data) || (facts.weights.reshape == node_id::none &&
                                                                            !is_unshared(model, facts.weights.found));
    const node_id convolution = owns_what_changes ? id : unshare(r, id, owned::zero_point);
    weights_source weights = facts.weights;
    low_precision_weights low;
    if (weights.fake_quantize != node_id::none && weights.found.empty()) {
        low = quantize_weights(r, weights.fake_quantize, facts.details, facts.precision);
        if (!low.source && !decompose_weights(r, weights.fake_quantize) && r.options.update_precisions) {
            return r.refused(convolution, name,
                             refuse_levels(model, weights.fake_quantize, reason::precision_not_chosen, 1));
        }
    }
    if (!low.source && (!owns_what_changes || weights.found.empty())) {
        weights = find_weights(model, convolution, r.options.default_precisions);
    }
    const dequantization found =
        owns_what_changes ? facts.data : normalize_dequantization(r, find_dequantization(r, convolution));
    const output_ref data = low_precision_data(r, convolution, found);
    const element computed = r.computed_type();
    const unsigned axes = weight_axes(model, convolution, weights.reshape != node_id::none);
    const shape weights_shape = model.shape(weights.last);
    const auto groups = static_cast<std::size_t>(group_count(model, convolution));
    const bool scales_of_data_only = groups == 1 && !low.source && stays_fake_quantize(weights);
    if (!low.source) {
        low = split_weights(r, convolution, weights, axes);
    }
    tensor scale = scale_behind(constant_of(model, found.scale), low.scale, weights_shape, axes, groups,
                                model[convolution].shape().rank(), computed);
    if (scales_of_data_only) {
        scale = broadcast_values(scale, shape{1});  // as OpenVINO gives it
    }

    seq<output_ref, 5> inputs = inputs_of(model, convolution, {data, reshaped_weights(r, weights.reshape, low.source)});
    rewriting product(r, convolution);
    product.reads(inputs, {{computed, computed}, {computed}});
    if (shares_dequantizations || model[convolution].is<op::convolution_backprop_data>()) {
        drop_input_attributes(r, convolution);
    }
    return product.times(model.constant(scale), {{}, {model[found.multiply].type()}}).finish();
}

}  // namespace detail

/// What the rules of all convolutions have in common.
template <class Rule>
struct convolution_rule : guarded<Rule, convolution_facts> {
    [[gnu::cold]] static constexpr verdict find(const rewrite& r, node_id id, convolution_facts& facts) {
        return convolution_verdict(r, id, facts);
    }
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id id, const convolution_facts& facts) {
        return detail::transform_convolution(r, id, Rule::name, facts);
    }
};

/// Moves scales of activations and weights behind a Convolution, which then works on 8-bit integers.
///
///     conv(s_a (q_a - z_a), s_w (q_w - z_w))  =  s_a s_w conv(q_a - z_a, q_w - z_w)
/// A zero point of the activations stays above it as a Subtract of low precision tensors (marked DisableCleanup), one of the
/// weights likewise, not folded: engines make them part of the convolution. Activations have one scale (one per group, where there are groups); their
/// zero points may vary over input channels. Refuses, in order: a result of unknown rank; constants of the data that are neither one for all nor one
/// per channel; an unknown rank of the data or unknown sizes of the weights; data without a scale, or with scales that differ within a group; weights
/// that are not quantized over output channels; zero points of the data that have another type than the data, lie outside of it or vary over other axes
/// than the input channels; data that is not in low precision; such zero points of the weights, or a FakeQuantize on them that no allowed type suits.
struct convolution_transformation : convolution_rule<convolution_transformation> {
    static constexpr text_view name = "ConvolutionTransformation";
    using may_read = attribute::set<attribute::precisions, attribute::quantization_granularity>;
    using pattern = lpt::pattern<op::convolution, from<op::multiply>, from<op::multiply, op::fake_quantize>>;
};

}  // namespace lpt::inline LPT_ABI
