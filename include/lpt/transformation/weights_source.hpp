// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/quantization_details.hpp>

/// Weights as they are found.
namespace lpt::inline LPT_ABI {

/// The dequantization or FakeQuantize that gives an operation its weights.
struct weights_source {
    output_ref last;  // output of the dequantization or FakeQuantize (above a Reshape, if there is one)
    node_id reshape = node_id::none;  // Reshape between it and the operation: of grouped weights only
    node_id fake_quantize = node_id::none;  // FakeQuantize, directly or above the dequantization
    dequantization found;  // empty if the FakeQuantize gives the weights directly
};

namespace detail {

/// The axes of weights that constants may vary over, as bits: those of output channels (and groups); all where nothing is summed.
constexpr unsigned weight_axes(const graph& model, node_id id, bool has_reshape) {
    switch (model[id].kind()) {
        case op::kind::convolution_backprop_data: return 1u << 1;
        case op::kind::group_convolution: return has_reshape ? 1u << 0 : 1u << 0 | 1u << 1;
        case op::kind::multiply: return ~0u;
        default: return 1u << 0;
    }
}

/// True if a constant of one of these sizes varies over the axes in `allowed` alone; its axes are those of the weights, right-aligned.
/// One of fewer axes must do so also where it is not aligned, which is how upstream counts.
constexpr bool varies_only_over(const shape& constant, const shape& weights, unsigned allowed) {
    if (constant.elements() == 1 || weights.rank_is_dynamic() || constant.rank() > weights.rank()) {
        return constant.elements() == 1;
    }
    const auto may_vary = [=](std::size_t axis) { return (allowed >> axis & 1u) != 0; };
    return varies_only_where(constant.padded_left(weights.rank()), may_vary) && varies_only_where(constant, may_vary);
}

/// Refuses a scale or zero point of weights that varies over other axes than the allowed ones.
constexpr verdict weights_constants_verdict(const graph& model, const dequantization& found, unsigned allowed) {
    const node_id other = first_constant(
        found, [&](node_id each) { return !varies_only_over(model[each].shape(), model.shape(found.data), allowed); });
    return other == node_id::none ? yes : refuse_because_of(reason::weights_vary_over_axis, 1, other);
}

/// Refuses a zero point that a Convert reads in another type than that of the weights.
constexpr verdict zero_point_has_type(const graph& model, const dequantization& found, element type) {
    const element own = found.zero_point_convert == node_id::none ? type : model[found.zero_point].type();
    return own == type ? yes : refuse_type(reason::zero_point_type_mismatch, 1, own, found.zero_point);
}

/// True if the four ranges of a FakeQuantize vary over the allowed axes of its data alone.
constexpr bool ranges_vary_only_over(const graph& model, node_id fake_quantize, unsigned allowed) {
    return for_all(1, 5, [&](std::size_t port) {
        return varies_only_over(model.shape(model[fake_quantize].input(port)), model[fake_quantize].shape(), allowed);
    });
}

}  // namespace detail

/// Finds what gives an operation its weights on input 1; looks through the Reshape of grouped weights.
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

/// Whether a convolution of any sort has quantized weights, as far as can be said before anything was transformed.
///
/// Weights are quantized by a FakeQuantize with constant ranges and a level count that a low precision type represents, or by a dequantization with
/// constants that vary over the output channels alone (and the groups, if no Reshape makes them) of a low precision Constant or such a FakeQuantize,
/// which one more Convert may read. A zero point with a Convert has the type of the weights.
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
    const element type = model.type(data);
    return !is_constant(model, data) ? refuse_because_of(reason::weights_not_constant, 1, data.node)
           : !is_low_precision(type) ? refuse_type(reason::weights_not_low_precision, 1, type)
                                     : detail::zero_point_has_type(model, found, type);
}
constexpr verdict is_quantized_static(const graph& model, node_id id, view<element> default_precisions) {
    return is_quantized_static(model, id, find_weights(model, id, default_precisions));
}

}  // namespace lpt::inline LPT_ABI
