// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/pattern.hpp>
#include <lpt/transformation/weightable.hpp>

namespace lpt::inline LPT_ABI {

namespace detail {

/// Quantized weights as a convolution is to read them, and what makes real numbers of them.
struct low_precision_weights {
    output_ref source;  // Constant, or Subtract of Constants; below the Reshape, if there is one
    tensor scale;       // as it stands at the weights
};

/// The shape in which zero points stand at weights: full size along the axes of output channels, 1 elsewhere.
constexpr shape zero_point_shape(const shape& weights, unsigned axes) {
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
constexpr shape spread_zero_point_shape(const auto& model, node_id id, const shape& weights, const shape& zero_point,
                                        unsigned axes) {
    if (!model[id].template is<op::convolution_backprop_data>()) {
        shape result = zero_point_shape(weights, weights.rank() == 5 ? 1u << 0 | 1u << 1 : 1u << 0);
        shape merged;
        if (broadcast_shapes(zero_point, result, merged) && merged == result) {
            return result;
        }
    }
    return zero_point_shape(weights, axes);
}

/// True if the levels of a FakeQuantize with constant ranges are whole numbers, but for the rounding of what computes them.
template <int Once = 0>
constexpr bool has_whole_levels(const graph& model, node_id fake_quantize) {
    if (is_integral(model[fake_quantize].type())) {
        return true;
    }
    const quantization_details details = details_of(model, fake_quantize);
    const auto steps = static_cast<double>(details.levels - 1);
    for (std::size_t i = 0; i < details.lows.size(); ++i) {
        const double low = details.lows[i];
        const double step = (details.highs[i] - low) / steps;
        if (low != math::floor(low) || step != math::floor(step)) {
            return false;
        }
    }
    return true;
}

/// The weights that a dequantization starts from; a FakeQuantize there is folded if its data is known, to whole numbers where it
/// gives such.
constexpr output_ref constant_weights(auto& r, output_ref data) {
    graph& model = r.model;
    if (!model[data.node].is<op::fake_quantize>()) {
        return data;
    }
    if (!has_constant_ranges(model, data.node)) {
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
constexpr low_precision_weights split_weights(auto& r, node_id convolution, const weights_source& weights,
                                              unsigned axes) {
    graph& model = r.model;
    dequantization found = weights.found;
    if (stays_fake_quantize(weights)) {
        return {weights.last, make_scalar(r.computed_type(), 1)};
    }
    if (!found.has_convert() && model[found.data.node].is<op::convert>()) {  // from a type that is no default precision
        found.convert = found.data.node;
        found.data = model[found.convert].input(0);
    }
    if (found.empty()) {
        return {weights.last, make_scalar(r.computed_type(), 1)};
    }
    tensor scale = make_scalar(r.computed_type(), 1);
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
    const node_id subtract =
        model.add(op::subtract{}, {data, model.constant(broadcast_values(zero_point, dimensions))});
    copy_information(r, found.subtract, subtract);
    model.rename(subtract, model[found.subtract].name());
    const element real_type = model[found.subtract].type();
    model.relax(subtract, {{real_type, real_type}, {real_type}});
    model.set_mark(subtract, mark::disabled_constant_folding);
    return {subtract, scale};
}

/// The scale of weights for each output channel of a convolution; one value where it is the same for all.
template <int Once = 0>
constexpr seq<double> scales_of_channels(const tensor& scale, const shape& weights, unsigned axes) {
    if (scale.elements() == 1) {
        return reals_of(scale);
    }
    return reals_of(broadcast_values(scale, zero_point_shape(weights, axes)));
}

/// The scale of activations for each output channel of a convolution; one value where it is the same for all groups.
template <int Once = 0>
constexpr seq<double> scales_of_groups(const tensor& scale, std::size_t groups, std::size_t outputs) {
    if (is_scalar_like(scale)) {
        return seq<double>{scale.real(0)};
    }
    seq<double> result;
    result.resize(outputs);
    double* to = result.data();
    const std::size_t in_group = scale.elements() / groups;
    const std::size_t outputs_of_group = outputs / groups;
    for (std::size_t group = 0; group < groups; ++group) {
        for (std::size_t i = 0; i < outputs_of_group; ++i) {
            *to++ = scale.real(group * in_group);
        }
    }
    return result;
}

/// Products of numbers that are rounded to `type` first; one number stands for any count.
template <int Once = 0>
constexpr void multiply_rounded(view<double> left, view<double> right, seq<double>& products, element type) {
    const double* a = left.data();
    const double* b = right.data();
    const std::size_t step_a = left.size() == 1 ? 0 : 1;
    const std::size_t step_b = right.size() == 1 ? 0 : 1;
    double* to = products.data();
    const std::size_t count = products.size();
    if (type == f32) {
        for (std::size_t i = 0; i < count; ++i) {
            to[i] = static_cast<double>(static_cast<float>(a[i * step_a])) *
                    static_cast<double>(static_cast<float>(b[i * step_b]));
        }
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        to[i] = convert_value(type, a[i * step_a]) * convert_value(type, b[i * step_b]);
    }
}

/// The product of both scales for the output of a convolution: `[1, C_out, 1…]`, or a scalar where all are equal. Scales are
/// rounded to `type` first.
template <int Once = 0>
constexpr tensor product_of_scales(const seq<double>& data, const seq<double>& weights, std::size_t rank,
                                   element type) {
    const std::size_t count = data.size() > weights.size() ? data.size() : weights.size();
    shape dimensions = shape::of_ones(rank);
    dimensions[1] = static_cast<dimension>(count);
    seq<double> products;
    products.resize(count);
    multiply_rounded(data, weights, products, type);
    return to_scalar(make_tensor_or_scalar(type, dimensions, products));
}

/// Products of so many floats; a step is 1, or 0 for a number that stands for all.
template <int Once = 0>
[[gnu::noinline]] constexpr void multiply_floats(const float* a, std::size_t step_a, const float* b, std::size_t step_b,
                                                 float* to, std::size_t count) {
    const auto times = [](auto x, auto y) { return x * y; };
    evaluation::detail::binary_row<decltype(times), float, float>(a, step_a, b, step_b, to, count, op::kind::multiply);
}

/// `product_of_scales` of two tensors of floats, where the weights have one scale or one for each output channel.
template <int Once = 0>
constexpr tensor product_of_floats(const tensor& data, const tensor& weights, std::size_t groups, std::size_t outputs,
                                   std::size_t rank) {
    const bool same_data = is_scalar_like(data);
    const std::size_t weights_step = weights.elements() == 1 ? 0 : 1;
    const std::size_t count = same_data && weights_step == 0 ? 1 : outputs;
    shape dimensions = shape::of_ones(rank);
    dimensions[1] = static_cast<dimension>(count);
    const evaluation::operand<float> left(data);
    const evaluation::operand<float> right(weights);
    evaluation::outcome<float> result(f32, dimensions);
    const std::size_t parts = same_data ? 1 : groups;
    const std::size_t of_part = count / parts;
    const std::size_t data_step = data.elements() / groups;
    const float* scales = right.data();
    float* to = result.data();
    if (of_part == 1 && data_step == 1) {
        multiply_floats(left.data(), parts == 1 ? 0 : 1, scales, weights_step, to, count);
        return to_scalar(result.finish());
    }
    for (std::size_t part = 0; part < parts; ++part) {
        multiply_floats(left.data() + part * data_step, 0, scales, weights_step, to, of_part);
        scales += of_part * weights_step;
        to += of_part;
    }
    return to_scalar(result.finish());
}

/// The scale behind a convolution: that of the activations times that of the weights.
template <int Once = 0>
constexpr tensor scale_behind(const tensor& data, const tensor& weights, const shape& weights_shape, unsigned axes,
                              std::size_t groups, std::size_t rank, element type) {
    const std::size_t outputs = zero_point_shape(weights_shape, axes).elements();
    const bool one_for_each = weights.elements() == 1 || weights.elements() == outputs;
    if (type == f32 && data.type() == f32 && weights.type() == f32 && one_for_each) {
        return product_of_floats(data, weights, groups, outputs, rank);
    }
    return product_of_scales(scales_of_groups(data, groups, outputs), scales_of_channels(weights, weights_shape, axes),
                             rank, type);
}

/// What a convolution reads as activations once the scale stands behind it: the low precision tensor, or a Subtract.
///
/// The Subtract becomes one of low precision tensors, its constant is spread over the input channels as engines expect it
/// where they fuse it into the convolution; cleanup must leave it there.
constexpr output_ref low_precision_data(auto& r, node_id convolution, const dequantization& found) {
    graph& model = r.model;
    if (!found.has_subtract()) {
        return found.data;
    }
    const bool spreads = !model[convolution].is<op::convolution_backprop_data>();
    shape dimensions;
    if (spreads) {
        dimensions = shape::of_ones(model[found.subtract].shape().rank());
        dimensions[1] = input_channels(model, convolution);
    }
    node_id subtract = optimize_subtract(r, found.subtract, spreads ? &dimensions : nullptr);
    if (subtract == node_id::none) {
        return found.data;
    }
    if (const tensor* zero_point = model.constant_value(model[subtract].input(1)); spreads && zero_point != nullptr) {
        if (!(zero_point->dimensions() == dimensions)) {
            const node_id spread = model.constant(broadcast_values(to_scalar(*zero_point), dimensions));
            const node_id made = model.clone(subtract, {model[subtract].input(0), spread});
            replace_and_name(r, subtract, made);
            subtract = made;
        }
    }
    model.set_mark(subtract, mark::disable_cleanup);
    return subtract;
}

/// Takes away what the input ports of a node say about types and granularity: what was rewritten there no longer goes by it.
constexpr void drop_input_attributes(auto& r, node_id id) {
    for (std::size_t port = 0; port < r.model[id].inputs(); ++port) {
        attributes_of<attribute::precisions>(r).erase(attribute::place::on_input(id, port));
        attributes_of<attribute::quantization_granularity>(r).erase(attribute::place::on_input(id, port));
    }
}

/// Weights behind the Reshape that their source had, if there was one; folded where they are constant.
constexpr output_ref reshaped_weights(auto& r, node_id reshape, output_ref source) {
    graph& model = r.model;
    if (reshape == node_id::none) {
        return source;
    }
    const node_id made = model.clone(reshape, {source, model[reshape].input(1)});
    copy_information(r, reshape, made);
    drop_input_attributes(r, made);
    model.rename(made, model[reshape].name());
    if (is_constant(model, source)) {
        return try_fold(model, made);
    }
    const tensor* target = model.constant_value(model[reshape].input(1));
    if (target != nullptr && !integers_of(*target).contains(0)) {
        model.set_attributes(made, op::reshape{false});  // without zeros it says the same, and is simpler to read
    }
    return made;
}

/// The rewrite that all convolutions have in common, once `convolution_verdict` said yes.
///
/// before: y = conv(scale_a * (a - zero_point_a), scale_w * (w - zero_point_w))
/// after:  y = scale_a * scale_w * conv(a - zero_point_a, w - zero_point_w)
/// with low precision a, w and zero points (rounded, halves away from zero); a zero point of 0 goes away. The product of
/// scales has the dequantization precision. `facts` are those of the verdict.
[[gnu::cold, gnu::noinline]] constexpr bool transform_convolution(auto& r, node_id id, text_view name,
                                                                  const convolution_facts& facts) {
    graph& model = r.model;
    const bool is_alone =
        stands_alone(model, facts.data, false) &&
        (facts.weights.found.empty() || (model[id].inputs() == 2 && stands_alone(model, facts.weights.found, false)));
    const bool leaves_branch = !stands_alone(model, facts.data) ||
                               (facts.weights.reshape == node_id::none && !stands_alone(model, facts.weights.found));
    const node_id convolution = is_alone ? id : separate_in_standalone_branch(r, id, false);
    weights_source weights = facts.weights;
    low_precision_weights low;
    if (weights.fake_quantize != node_id::none && weights.found.empty()) {
        if (const quantized_weights known =
                quantize_weights(r, weights.fake_quantize, facts.details, facts.precision)) {
            low = {known.weights, known.scale};
        } else if (!decompose_weights(r, weights.fake_quantize) && r.options.update_precisions) {
            return r.refused(convolution, name,
                             refuse_levels(model, weights.fake_quantize, reason::precision_not_chosen, 1));
        }
    }
    if (!low.source && (!is_alone || weights.found.empty())) {
        weights = find_weights(model, convolution, r.options.default_precisions);
    }
    const dequantization found =
        is_alone ? facts.data : normalize_dequantization(r, find_dequantization(r, convolution));
    const output_ref data = low_precision_data(r, convolution, found);
    const element computed = r.computed_type();
    const unsigned axes = weight_axes(model, convolution, weights.reshape != node_id::none);
    const shape weights_shape = model.shape(weights.last);
    const auto groups = static_cast<std::size_t>(group_count(model, convolution));
    const bool has_scale_of_data = groups == 1 && !low.source && stays_fake_quantize(weights);
    if (!low.source) {
        low = split_weights(r, convolution, weights, axes);
    }
    tensor scale = scale_behind(constant_of(model, found.scale), low.scale, weights_shape, axes, groups,
                                model[convolution].shape().rank(), computed);
    if (has_scale_of_data) {
        scale = broadcast_values(scale, shape{1});
    }

    seq<output_ref, 5> inputs{data, reshaped_weights(r, weights.reshape, low.source)};
    for (std::size_t port = 2; port < model[convolution].inputs(); ++port) {
        inputs.push_back(model[convolution].input(port));
    }
    const seq<input_ref, 4> readers = model.uses({convolution, 0});
    bool same_shapes = model[convolution].shape().is_static();
    for (std::size_t port = 0; port < inputs.size(); ++port) {
        same_shapes = same_shapes && model.shape(inputs[port]) == model.shape(model[convolution].input(port));
    }
    model.renew(convolution, inputs);
    if (same_shapes) {
        model.relax_keeping_shape(convolution, computed, {{computed, computed}, {computed}});
    } else {
        model.relax(convolution, {{computed, computed}, {computed}});
    }
    if (leaves_branch || model[convolution].is<op::convolution_backprop_data>()) {
        drop_input_attributes(r, convolution);
    }
    const node_id multiply =
        model.add_relaxed(op::multiply{}, {convolution, model.constant(scale)}, {{}, {model[found.multiply].type()}});
    insert_dequantization(r, readers, multiply, convolution);
    update_output_name(r, multiply, convolution);
    return true;
}

}  // namespace detail

/// Moves scales of activations and weights behind a Convolution, which then works on 8-bit integers.
///
/// A zero point of the activations stays above it as a Subtract of low precision tensors (marked DisableCleanup), one of the
/// weights likewise (not folded): engines make them part of the convolution.
struct convolution_transformation {
    static constexpr text_view name = "ConvolutionTransformation";
    using may_read = attribute::set<attribute::precisions, attribute::quantization_granularity>;
    using pattern = lpt::pattern<op::convolution, from<op::multiply>, from<op::multiply, op::fake_quantize>>;

    [[gnu::cold]] static constexpr verdict can_transform(const auto& r, node_id id) {
        return convolution_verdict(r, id);
    }
    [[gnu::cold]] static constexpr bool transform(auto& r, node_id id) {
        convolution_facts facts;
        if (const verdict why = convolution_verdict(r, id, facts); !why) {
            return r.refused(id, name, why);
        }
        return detail::transform_convolution(r, id, name, facts);
    }
};

}  // namespace lpt::inline LPT_ABI
