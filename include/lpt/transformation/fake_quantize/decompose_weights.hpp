// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/fake_quantize/decompose.hpp>
#include <lpt/transformation/fake_quantize/usable_maps.hpp>

/// Quantizing the weights that a FakeQuantize gives.
namespace lpt::inline LPT_ABI {

/// Quantized weights as an operation is to read them, and what makes real numbers of them; no source where there are none.
struct low_precision_weights {
    output_ref source;  // Constant, or Subtract of Constants; above the Reshape, if there is one
    tensor scale;  // as it stands at the weights
};

/// What `decompose_weights` leaves to an operation that takes the scale up at once: the Constant in the place of a
/// FakeQuantize, and the scale. Nothing changes, and nothing is given, where more would be left: zero points, other readers
/// of the FakeQuantize, channels with equal bounds, weights that are not a Constant.
///
/// `details` are those of the FakeQuantize, whose ranges are constant, and `precision` is the type that suits them.
[[gnu::noinline]] constexpr low_precision_weights quantize_weights(rewrite& r, node_id fake_quantize,
                                                                   const quantization_details& details,
                                                                   const data_precision& precision) {
    graph& model = r.model;
    if (!r.options.update_precisions || model.use_count(output_ref(fake_quantize)) != 1) {
        return {};
    }
    detail::fold_data(model, fake_quantize);
    if (!is_constant(model, model[fake_quantize].input(0))) {
        return {};
    }
    const channel_maps maps =
        channel_maps_of(model, fake_quantize, details, precision, !r.follows(quirk::constant_in_low_precision),
                        r.follows(quirk::clamped_scale));
    if (maps.lows.size() != 1 || maps.zero_points) {
        return {};
    }
    const node& each = model[fake_quantize];
    seq<tensor> inputs;
    inputs.reserve(5);
    for (std::size_t port = 0; port < 3; ++port) {
        inputs.push_back(*model.constant_value(each.input(port)));
    }
    inputs.push_back(make_scalar(model.type(each.input(3)), maps.lows[0]));
    inputs.push_back(make_scalar(model.type(each.input(4)), maps.highs[0]));
    const node_id weights = model.constant(evaluation::fake_quantize_late(
        lpt::move(inputs), each.as<op::fake_quantize>(), each.shape(), precision.type, true));
    copy_information_and_name(r, fake_quantize, weights);
    return {weights, maps.scales};
}

/// Decomposes a FakeQuantize on weights: afterwards what read it reads Multiply([Subtract](Convert(Constant))) with the
/// weights in the integer type of `weights_precision_of`; without `update_precisions` they are real, without Convert.
///
/// Left as it was where there is no such type, or where there is nothing to do. Raises an error where the weights are not known.
[[gnu::noinline]] constexpr fake_quantize_parts decompose_weights(rewrite& r, node_id fake_quantize) {
    const data_precision precision = weights_precision_of(r, fake_quantize);
    if (!precision) {
        return {};
    }
    detail::fold_data(r.model, fake_quantize);
    const text name = r.model[fake_quantize].name();
    const fake_quantize_parts parts = decompose_fake_quantize(r, fake_quantize, precision);
    if (parts && !parts.is_constant(r.model)) {
        fail({"FakeQuantize '", name, "' on weights cannot be folded to a constant: its input must be known"});
    }
    return parts;
}
/// The same on a second operand, which may be an activation: what computes its data is not folded first, nor need the result be a Constant.
constexpr void decompose_second_operand(rewrite& r, node_id operation) {
    const node_id second = r.model.producer(operation, 1);
    if (r.model[second].is<op::fake_quantize>()) {
        if (const data_precision precision = weights_precision_of(r, second)) {
            decompose_fake_quantize(r, second, precision);
        }
    }
}

}  // namespace lpt::inline LPT_ABI
