// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/convolution_conditions.hpp>
#include <lpt/transformation/fake_quantize/decompose_weights.hpp>

namespace lpt::inline LPT_ABI::detail {

/// The shape of constants at weights: full size along the axes of output channels (bits of `axes`), 1 elsewhere.
constexpr shape shape_of_output_channels(const shape& weights, unsigned axes) {
    shape result = shape::of_ones(weights.rank());
    for (std::size_t axis = 0; axis < weights.rank(); ++axis) {
        if ((axes >> axis & 1u) != 0) {
            result[axis] = weights[axis];
        }
    }
    return result;
}

/// The shape that the zero points of weights are spread to: the first two axes of weights with five, which may be those of
/// groups, else the first alone. Transposed convolutions, and zero points that this shape does not hold, have the axes of output channels.
constexpr shape spread_zero_point_shape(const graph& model, node_id id, const shape& weights, const shape& zero_point,
                                        unsigned axes) {
    if (!model[id].is<op::convolution_backprop_data>()) {
        shape result = shape_of_output_channels(weights, weights.rank() == 5 ? 1u << 0 | 1u << 1 : 1u << 0);
        if (broadcasts_to(zero_point, result)) {
            return result;
        }
    }
    return shape_of_output_channels(weights, axes);
}

/// True if the levels of a FakeQuantize with constant ranges are whole numbers, but for the rounding of what computes them.
constexpr bool has_whole_levels(const graph& model, node_id fake_quantize) {
    if (is_integral(model[fake_quantize].type())) {
        return true;
    }
    const quantization_details details = details_of(model, fake_quantize);
    const auto steps = static_cast<double>(details.levels - 1);
    return for_all(0, details.lows.size(), [&](std::size_t i) {
        const double low = details.lows[i];
        const double step = (details.highs[i] - low) / steps;
        return low == math::floor(low) && step == math::floor(step);
    });
}

/// The weights below a dequantization; a FakeQuantize of known data there is folded, to whole numbers where it gives such.
constexpr output_ref constant_weights(rewrite& r, output_ref data) {
    graph& model = r.model;
    if (!model[data.node].is<op::fake_quantize>() || !has_constant_ranges(model, data.node)) {
        return data;
    }
    const tensor folded =
        fold_fake_quantize(model, data.node, model[data.node].type(), has_whole_levels(model, data.node));
    if (!folded) {
        return data;
    }
    const node_id made = model.constant(folded);
    copy_information(r, data.node, made);
    return made;
}

/// True for weights from a FakeQuantize that could not be decomposed, which is no reason to refuse where precisions are not updated.
constexpr bool stays_fake_quantize(const weights_source& weights) { return weights.found.data.node == node_id::none; }

/// Takes weights apart: the convolution reads low precision values, less their zero point where there is one.
constexpr low_precision_weights split_weights(rewrite& r, node_id convolution, const weights_source& weights,
                                              unsigned axes) {
    graph& model = r.model;
    dequantization found = weights.found;
    const tensor one = make_scalar(r.computed_type(), 1);
    if (stays_fake_quantize(weights) || found.empty()) {
        return {weights.last, one};
    }
    if (!found.has_convert() && model[found.data.node].is<op::convert>()) {  // from a type that is no default precision
        found.convert = found.data.node;
        found.data = model[found.convert].input(0);
    }
    tensor scale = one;
    if (found.has_multiply()) {
        scale = constant_of(model, found.scale);
    }
    const output_ref data = constant_weights(r, found.data);
    if (!found.has_subtract()) {
        return {data, scale};
    }
    const element type = model.type(data);
    const bool converted = found.has_convert() && is_real(model[found.convert].type());
    tensor zero_point = constant_of(model, found.zero_point);
    if (converted) {
        zero_point = round_zero_points(r, zero_point, type);
    } else {
        zero_point = evaluation::convert_tensor(zero_point, type);
    }
    if (converted && is_zero(zero_point)) {
        return {data, scale};
    }
    zero_point = to_scalar(zero_point);
    const shape dimensions =
        spread_zero_point_shape(model, convolution, model.shape(data), zero_point.dimensions(), axes);
    const element real_type = model[found.subtract].type();
    const node_id subtract =
        model.add_relaxed(op::subtract{}, {data, model.constant(broadcast_values(zero_point, dimensions))},
                          {{real_type, real_type}, {real_type}}, model[found.subtract].name());
    copy_information(r, found.subtract, subtract);
    model.set_mark(subtract, mark::disabled_constant_folding);
    return {subtract, scale};
}

/// Takes away what the input ports of a node say about types and granularity: what was rewritten there no longer goes by it.
constexpr void drop_input_attributes(rewrite& r, node_id id) {
    for (std::size_t port = 0; port < r.model[id].inputs(); ++port) {
        attributes_of<attribute::precisions>(r).erase(attribute::place::on_input(id, port));
        attributes_of<attribute::quantization_granularity>(r).erase(attribute::place::on_input(id, port));
    }
}

/// Weights behind the Reshape that their source had, if there was one; folded where they are constant.
constexpr output_ref reshaped_weights(rewrite& r, node_id reshape, output_ref source) {
    graph& model = r.model;
    if (reshape == node_id::none) {
        return source;
    }
    const node_id made = clone_with_information(r, reshape, {source, model[reshape].input(1)}, model[reshape].name());
    drop_input_attributes(r, made);
    if (is_constant(model, source)) {
        return try_fold(model, made);
    }
    const tensor* target = model.constant_value(model[reshape].input(1));
    if (target != nullptr && !integers_of(*target).contains(0)) {
        model.set_attributes(made, op::reshape{false});  // without zeros it says the same, and is simpler to read
    }
    return made;
}

}  // namespace lpt::inline LPT_ABI::detail
