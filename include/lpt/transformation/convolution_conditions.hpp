// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/fake_quantize/usable_maps.hpp>
#include <lpt/transformation/weightable.hpp>

namespace lpt::inline LPT_ABI {

namespace detail {

/// True if a zero point of activations is the same everywhere or varies over the input channels alone: so it stands before a
/// convolution. That of a transposed convolution may vary over any axis.
constexpr bool zero_point_suits_convolution(const graph& model, node_id id, const dequantization& found) {
    if (!found.has_subtract() || model[id].is<op::convolution_backprop_data>()) {
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
[[gnu::noinline]] constexpr verdict convolution_verdict(const rewrite& r, node_id id, convolution_facts& facts) {
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
constexpr verdict convolution_verdict(const rewrite& r, node_id id) {
    convolution_facts facts;
    return convolution_verdict(r, id, facts);
}

}  // namespace lpt::inline LPT_ABI
