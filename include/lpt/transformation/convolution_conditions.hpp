// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/fake_quantize/usable_maps.hpp>
#include <lpt/transformation/weightable.hpp>

namespace lpt::inline LPT_ABI {

/// Refuses a zero point of activations that arithmetic of low precision cannot take, that lies outside of the range of its type, or that
/// varies over other axes than that of input channels: so it stands before a convolution. That of a transposed convolution may vary over any.
constexpr verdict zero_point_suits_convolution(const rewrite& r, node_id id, const dequantization& found) {
    const graph& model = r.model;
    const auto is_of_channels = [&] {
        const shape& own = model[found.zero_point].shape();
        const shape& data = model[found.subtract].shape();
        if (data.rank_is_dynamic() || own.rank() > data.rank()) {
            return false;
        }
        const shape aligned = own.padded_left(data.rank());
        return varies_only_where(
            aligned, [&](std::size_t axis) { return axis == 1 && aligned[axis] == input_channels(model, id); });
    };
    const verdict fits = zero_point_fits(model, found, 0);
    return !can_subtract_be_handled(r, found)
               ? refuse_type(reason::zero_point_type_mismatch, 0, model.type(found.data), found.zero_point)
           : !fits ? fits
           : !found.has_subtract() || model[id].is<op::convolution_backprop_data>() ||
                   is_scalar_like(model, found.zero_point) || is_of_channels()
               ? yes
               : refuse_because_of(reason::not_per_tensor_or_per_channel, 0, found.zero_point);
}

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
    const verdict quantized =
        first_refusal([&] { return weightable_verdict(r, id, found, weights); },
                      [&] { return is_quantized_static(model, id, weights); },
                      [&] { return first_refusal<zero_point_suits_convolution, has_low_precision>(r, id, found); });
    if (!quantized) {
        return quantized;
    }
    if (!weights.found.empty()) {
        return zero_point_fits(model, weights.found, 1);
    }
    facts.details = details_of(model, weights.fake_quantize);
    facts.precision = weights_precision_of(r, weights.fake_quantize, facts.details);
    return !facts.precision ? refuse_levels(model, weights.fake_quantize, reason::precision_not_chosen, 1)
           : zero_points_fit(model, weights.fake_quantize, facts.precision)
               ? yes
               : refuse_type(reason::zero_point_does_not_fit, 1, facts.precision.type, weights.fake_quantize);
}

}  // namespace lpt::inline LPT_ABI
