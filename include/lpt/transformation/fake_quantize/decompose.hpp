// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/fake_quantize/channel_maps.hpp>
#include <lpt/transformation/fake_quantize/fold_fake_quantize.hpp>

/// Turning a FakeQuantize into a quantization to an integer type and a dequantization.
namespace lpt::inline LPT_ABI {

/// What became of a FakeQuantize.
struct fake_quantize_parts {
    output_ref quantized;                  // the tensor of the integer type
    node_id dequantize = node_id::none;  // the Multiply that gives what the FakeQuantize gave; none: it stays

    constexpr explicit operator bool() const { return dequantize != node_id::none; }
    /// True if the quantized values are known: for weights.
    constexpr bool is_constant(const graph& model) const { return model[quantized.node].is<op::constant>(); }
};

namespace detail {

/// Gives a FakeQuantize another output range and another output type.
constexpr void set_output_range(rewrite& r, node_id fake_quantize, tensor low, tensor high, element type) {
    graph& model = r.model;
    const node& each = model[fake_quantize];
    const bool keeps_shape = each.shape().is_static() && each.shape() == model.shape(each.input(0));
    model.set_constant(fake_quantize, 3, lpt::move(low));
    model.set_constant(fake_quantize, 4, lpt::move(high));
    if (keeps_shape) {
        model.relax_keeping_shape(fake_quantize, type, own_types_with_output(model, fake_quantize, type));
    } else {
        model.relax_output(fake_quantize, type);
    }
}

/// What stands for a FakeQuantize whose output range was set.
struct quantized_node {
    node_id node = node_id::none;  // itself, a Constant, or a Broadcast of its bound
    output_ref output;  // the tensor of the wanted type: the node's output, or a Convert of it
};

constexpr quantized_node fold_quantized(rewrite& r, node_id fake_quantize, element natural, element type) {
    graph& model = r.model;
    if (tensor known = fold_fake_quantize(model, fake_quantize, type, true)) {
        const node_id constant = model.constant(lpt::move(known));
        copy_information_and_name(r, fake_quantize, constant);
        return {constant, constant};
    }
    const node_id broadcast = broadcast_output_bound(model, fake_quantize, natural);
    if (broadcast == node_id::none) {
        return {fake_quantize, fake_quantize};
    }
    copy_information_and_name(r, fake_quantize, broadcast);
    return {broadcast, type == natural ? broadcast : model.add(op::convert{type}, {broadcast})};
}

/// Appends Convert, Subtract and Multiply to a FakeQuantize whose output range was set, or to what it folds to, and lets
/// the readers of the FakeQuantize read the Multiply; ShapeOf keeps off the dequantization.
constexpr fake_quantize_parts append_to_quantized(rewrite& r, node_id fake_quantize, element natural, element computed,
                                                  const tensor& zero_point, const tensor& scale) {
    graph& model = r.model;
    const seq<input_ref, 4> users = model.uses(fake_quantize);
    const quantized_node quantized = fold_quantized(r, fake_quantize, natural, model[fake_quantize].type());
    output_ref last = quantized.output;
    // The dequantization carries the attributes of the FakeQuantize: one that takes it up later belongs to the same group.
    const auto take_over = [&](node_id made, text_view suffix) {
        last = made;
        model.rename(made, text(model[fake_quantize].name().view(), suffix));
        r.attributes.copy_node(fake_quantize, made);
    };
    const auto append = [&](op::attributes what, view<output_ref> inputs, text_view suffix) {
        take_over(model.add(lpt::move(what), inputs), suffix);
    };
    if (model.type(last) != computed) {
        append(op::convert{computed}, {last}, "/DequantizationConvert");
    }
    if (zero_point) {
        append(op::subtract{}, {last, model.constant(zero_point)}, "/DequantizationSubtract");
        model.relax(last.node);
    }
    take_over(model.add_relaxed(op::multiply{}, {last, model.constant(scale)}, {{}, {natural}}),
              "/DequantizationMultiply");
    hand_over(model, users, last, quantized.output);
    update_output_name(r, last.node, quantized.node);
    return {quantized.output, last.node};
}

}  // namespace detail

/// Quantizes a FakeQuantize with constant ranges to the range of an integer type and appends the dequantization, with
/// scales and zero points for each channel of its output range.
///
/// The FakeQuantize keeps its input range and levels; its output bounds become those of the type (scalars where they are equal), its output type the
/// integer type if tensors may have low precision. Constant data is folded, rounded. Scales have type f32 and, with `quirk::clamped_scale`, a
/// magnitude from 1e-32 to 1e32; zero points, not rounded, are left out if `precision.has_zero_point` is false or all are 0. Names:
/// "<name>/DequantizationConvert", "…Subtract", "…Multiply". With `update_precisions` off, and scales 1 and zero points 0, nothing is done.
/// Attributes of the FakeQuantize stay. `details` are those of the FakeQuantize.
[[gnu::noinline]] constexpr fake_quantize_parts decompose_fake_quantize(rewrite& r, node_id fake_quantize,
                                                                        const quantization_details& details,
                                                                        const data_precision& precision) {
    graph& model = r.model;
    const bool exact = r.options.update_precisions && !r.follows(quirk::constant_in_low_precision);
    const channel_maps maps =
        channel_maps_of(model, fake_quantize, details, precision, exact, r.follows(quirk::clamped_scale));
    if (!r.options.update_precisions && maps.are_identities) {
        return {};
    }
    const shape& dimensions = maps.scales.dimensions();
    const element natural = model[fake_quantize].type();
    const element low_type = model.type(model[fake_quantize].input(3));
    const element high_type = model.type(model[fake_quantize].input(4));
    detail::set_output_range(r, fake_quantize, to_scalar(make_tensor_or_scalar(low_type, dimensions, maps.lows)),
                             to_scalar(make_tensor_or_scalar(high_type, dimensions, maps.highs)),
                             r.options.update_precisions ? precision.type : natural);
    return detail::append_to_quantized(r, fake_quantize, natural, f32, maps.zero_points, maps.scales);
}
constexpr fake_quantize_parts decompose_fake_quantize(rewrite& r, node_id fake_quantize,
                                                      const data_precision& precision) {
    return decompose_fake_quantize(r, fake_quantize, details_of(r.model, fake_quantize), precision);
}

/// Quantizes a FakeQuantize that shares one scale and zero point with others: its own part of the type's range is left to it.
///
/// `aligned` comes from `attribute::align`. New bounds are whole numbers, scale and zero point scalars of the dequantization
/// precision. Nothing is done if two levels or fewer would be left, or with `update_precisions` off, scale 1 and zero point 0.
[[gnu::noinline]] constexpr fake_quantize_parts decompose_aligned(rewrite& r, node_id fake_quantize,
                                                                  const data_precision& precision,
                                                                  const attribute::aligned_interval& aligned) {
    graph& model = r.model;
    if (aligned.levels <= 2 || (!r.options.update_precisions && aligned.scale == 1.0f && aligned.zero_point == 0.0f)) {
        return {};
    }
    const element natural = model[fake_quantize].type();
    const auto bound = [&](std::size_t port, float value) {
        return make_scalar(model.type(model[fake_quantize].input(port)),
                           static_cast<double>(math::round_half_away(value)));
    };
    tensor low = bound(3, aligned.low);
    tensor high = bound(4, aligned.high);
    const op::fake_quantize& what = model[fake_quantize].as<op::fake_quantize>();
    model.set_attributes(fake_quantize, what.with_levels(static_cast<std::int64_t>(aligned.levels)));
    detail::set_output_range(r, fake_quantize, lpt::move(low), lpt::move(high),
                             r.options.update_precisions ? precision.type : natural);
    const element computed = r.options.dequantization_precision;
    tensor zero_point;
    if (math::absolute(aligned.zero_point) > 1e-6f) {
        zero_point = make_scalar(computed, static_cast<double>(aligned.zero_point));
    }
    return detail::append_to_quantized(r, fake_quantize, natural, computed, zero_point,
                                       make_scalar(computed, static_cast<double>(aligned.scale)));
}

}  // namespace lpt::inline LPT_ABI
