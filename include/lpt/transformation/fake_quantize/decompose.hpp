// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/fake_quantize/channel_maps.hpp>
#include <lpt/transformation/fake_quantize/fold_fake_quantize.hpp>

/// Turning a FakeQuantize into a quantization to an integer type and a dequantization.
namespace lpt::inline LPT_ABI {

/// What became of a FakeQuantize.
struct fake_quantize_parts {
    output_ref quantized;                  // the tensor of the integer type
    node_id dequantize =
        node_id::none;    // the Multiply that gives what the FakeQuantize gave; none: it was left as it was

    constexpr explicit operator bool() const { return dequantize != node_id::none; }
    /// True if the quantized values are known: for weights.
    constexpr bool is_constant(const graph& model) const { return model[quantized.node].is<op::constant>(); }
};

namespace detail {

/// True for at least four ranges that are all surely usable: equal bounds, or such that no scale or zero point is near a limit.
template <int Once = 0>
[[gnu::noinline]] bool are_plainly_usable(view<float> lows, view<float> highs) {
    const std::size_t count = lows.size();
    if (count < lane_count) {
        return false;
    }
    mask_lanes usable = ~mask_lanes{};
    for (std::size_t i = 0; i < count; i += lane_count) {
        const std::size_t at = i + lane_count <= count ? i : count - lane_count;  // the last four may overlap
        const float_lanes low = load_lanes(lows.data() + at);
        const float_lanes high = load_lanes(highs.data() + at);
        const float_lanes distance = high - low;
        usable &= (low == high) | (distance >= 1e-10f) | (distance <= -1e-10f);
        usable &= (low <= 1e15f) & (low >= -1e15f) & (high <= 1e15f) & (high >= -1e15f);
    }
    return holds(usable);
}

}  // namespace detail

/// Refuses output ranges that no dequantization can stand for.
///
/// Scales that are NaN, zero points of which one is infinite or NaN; bounds, or differences of them, that are infinite, and scales that
/// are no normal floats, unless `quirk::clamped_scale` is followed, which limits them.
constexpr verdict maps_are_usable(const auto& r, node_id fake_quantize, const quantization_details& details,
                                  const data_precision& precision) {
    if (!lpt::is_constant_evaluated() && detail::are_plainly_usable(details.lows, details.highs)) {
        return yes;
    }
    const auto least = static_cast<double>(precision.low);
    const auto greatest = static_cast<double>(precision.high);
    const bool shifts = precision.has_zero_point && bit_width(precision.type) < 32;
    bool any_shift = false;
    verdict overflow = yes;
    for (std::size_t i = 0; i < details.lows.size(); ++i) {
        const float low = details.lows[i];
        const float high = details.highs[i];
        if (low == high) {
            continue;
        }
        if (!r.follows(quirk::clamped_scale)) {
            const double scale = (static_cast<double>(high) - static_cast<double>(low)) / (greatest - least);
            if (!math::is_finite(high - low)) {
                return refuse_value(reason::infinite_constant, -1, scale, fake_quantize);
            }
            if (!(math::absolute(scale) >= 0x1p-126)) {
                return refuse_value(reason::zero_or_denormal_scale, -1, scale, fake_quantize);
            }
        }
        if (!shifts) {
            if (math::is_nan(high - low)) {
                return refuse_value(reason::infinite_constant, -1, static_cast<double>(high - low), fake_quantize);
            }
            continue;
        }
        const float shift = (precision.low * high - precision.high * low) / (high - low);
        if (math::is_finite(shift)) {
            any_shift = any_shift || math::absolute(shift) > 1e-32f;
            continue;
        }
        const bool finite = math::is_finite(low) && math::is_finite(high);
        if (math::is_nan(high - low) ||
            (!finite && math::is_nan(shift))) {  // what is a number would become another one
            return refuse_value(reason::infinite_constant, -1, static_cast<double>(high - low), fake_quantize);
        }
        any_shift = any_shift || math::is_infinite(shift);  // NaN alone makes no zero point
        overflow = refuse_value(reason::infinite_constant, -1, static_cast<double>(shift), fake_quantize);
    }
    return any_shift ? overflow : yes;
}

/// True if every zero point, rounded, lies in the range of the integer type.
template <int Once = 0>
constexpr bool zero_points_fit(const graph& model, node_id fake_quantize, const data_precision& precision) {
    if (!precision.has_zero_point) {
        return true;
    }
    return channel_maps_of(model, fake_quantize, details_of(model, fake_quantize), precision).zero_points_fit;
}

namespace detail {

/// Gives a FakeQuantize another output range and another output type.
constexpr void set_output_range(auto& r, node_id fake_quantize, tensor low, tensor high, element type) {
    graph& model = r.model;
    const node& each = model[fake_quantize];
    const bool keeps_shape = each.shape().is_static() && each.shape() == model.shape(each.input(0));
    model.set_constant(fake_quantize, 3, lpt::move(low));
    model.set_constant(fake_quantize, 4, lpt::move(high));
    if (keeps_shape) {
        relaxation types = each.own_types() != nullptr ? *each.own_types() : relaxation{};
        types.output_types.resize(1, type);
        types.output_types[0] = type;
        model.relax_keeping_shape(fake_quantize, type, lpt::move(types));
    } else {
        model.relax_output(fake_quantize, type);
    }
}

/// What stands for a FakeQuantize whose output range was set.
struct quantized_node {
    node_id node = node_id::none;  // itself, a Constant, or a Broadcast of its bound
    output_ref output;  // the tensor of the wanted type: the node's output, or a Convert of it
};

constexpr quantized_node fold_quantized(auto& r, node_id fake_quantize, element natural, element type) {
    graph& model = r.model;
    const auto stands_for = [&](node_id made) {
        copy_information(r, fake_quantize, made);
        model.rename(made, model[fake_quantize].name());
    };
    if (tensor known = fold_fake_quantize(model, fake_quantize, type, true)) {
        const node_id constant = model.constant(lpt::move(known));
        stands_for(constant);
        return {constant, constant};
    }
    const node_id broadcast = broadcast_output_bound(model, fake_quantize, natural);
    if (broadcast == node_id::none) {
        return {fake_quantize, fake_quantize};
    }
    stands_for(broadcast);
    return {broadcast, type == natural ? broadcast : model.add(op::convert{type}, {broadcast})};
}

/// Appends Convert, Subtract and Multiply to a FakeQuantize whose output range was set, or to what it folds to, and lets
/// the readers of the FakeQuantize read the Multiply; ShapeOf keeps off the dequantization.
constexpr fake_quantize_parts append_to_quantized(auto& r, node_id fake_quantize, element natural, element computed,
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
    for (const input_ref user : users) {
        const bool reads_shape = model[user.node].is<op::shape_of>() && model[user.node].version() == 0;
        model.set_input(user.node, static_cast<std::size_t>(user.port), reads_shape ? quantized.output : last);
    }
    update_output_name(r, last.node, quantized.node);
    return {quantized.output, last.node};
}

}  // namespace detail

/// Quantizes a FakeQuantize with constant ranges to the range of an integer type and appends the dequantization, with
/// scales and zero points for each channel of its output range.
///
/// The FakeQuantize keeps its input range and levels; its output bounds become those of the type (scalars where they are
/// equal), its output type the integer type if tensors may have low precision. Constant data is folded, rounded. Scales have
/// type f32 and, with `quirk::clamped_scale`, a magnitude from 1e-32 to 1e32; zero points, not rounded, are left out if `precision.has_zero_point` is
/// false or all are 0. Names: "<name>/DequantizationConvert", "…Subtract", "…Multiply". With `update_precisions` off, and
/// scales 1 and zero points 0, nothing is done. Attributes of the FakeQuantize stay.
/// `details` are those of the FakeQuantize.
[[gnu::noinline]] constexpr fake_quantize_parts decompose_fake_quantize(auto& r, node_id fake_quantize,
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
constexpr fake_quantize_parts decompose_fake_quantize(auto& r, node_id fake_quantize, const data_precision& precision) {
    return decompose_fake_quantize(r, fake_quantize, details_of(r.model, fake_quantize), precision);
}

/// Quantizes a FakeQuantize that shares one scale and zero point with others: only its own part of the type's range and
/// as many levels as lie in it are left to it.
///
/// `aligned` comes from `attribute::align`. The new output bounds are whole numbers. Scale and zero point are scalars of the
/// dequantization precision. Nothing is done if two levels or fewer would be left, or with `update_precisions` off, scale 1
/// and zero point 0.
[[gnu::noinline]] constexpr fake_quantize_parts decompose_aligned(auto& r, node_id fake_quantize,
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
    model.set_attributes(fake_quantize, op::fake_quantize{static_cast<std::int64_t>(aligned.levels),
                                                          model[fake_quantize].as<op::fake_quantize>().auto_broadcast});
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

/// `weights_precision_of` of a FakeQuantize with constant ranges, which has these details.
constexpr data_precision weights_precision_of(const auto& r, node_id fake_quantize,
                                              const quantization_details& details) {
    const auto* allowed = attributes_of<attribute::precisions>(r).find_output(fake_quantize, 0);
    const data_precision result = precision_of_weights(
        details, allowed != nullptr ? view<element>(allowed->types) : view<element>(r.options.default_precisions));
    if (!result || r.model[fake_quantize].type() == dynamic || !maps_are_usable(r, fake_quantize, details, result)) {
        return {};
    }
    return r.follows(quirk::uneven_levels) ? result : with_whole_steps(result, details.levels);
}
/// The integer type for a FakeQuantize on weights: from the types that its output port is allowed, or the default ones. No
/// type where the ranges are not constant, `maps_are_usable` refuses them, its own type is not known, or the levels do not fit.
constexpr data_precision weights_precision_of(const auto& r, node_id fake_quantize) {
    if (!has_constant_ranges(r.model, fake_quantize)) {
        return {};
    }
    return weights_precision_of(r, fake_quantize, details_of(r.model, fake_quantize));
}

/// Weights in their integer type, without the operations that would dequantize them; `weights` is `none` if there are none.
struct quantized_weights {
    node_id weights = node_id::none;  // Constant
    tensor scale;

    constexpr explicit operator bool() const { return weights != node_id::none; }
};

namespace detail {

/// The data of a FakeQuantize becomes a Constant if it can be folded.
template <int Once = 0>
constexpr void fold_data(graph& model, node_id fake_quantize) {
    const output_ref data = try_fold(model, model[fake_quantize].input(0).node);
    if (is_constant(model, data)) {
        model.set_input(fake_quantize, 0, data);
    }
}

}  // namespace detail

/// What `decompose_weights` leaves to an operation that takes the scale up at once: the Constant in the place of a
/// FakeQuantize, and the scale. Nothing changes, and nothing is given, where more would be left: zero points, other readers
/// of the FakeQuantize, channels with equal bounds, weights that are not a Constant.
///
/// `details` are those of the FakeQuantize, whose ranges are constant, and `precision` is the type that suits them.
[[gnu::noinline]] constexpr quantized_weights
quantize_weights(auto& r, node_id fake_quantize, const quantization_details& details, const data_precision& precision) {
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
        lpt::move(inputs), each.as<op::fake_quantize>().levels, each.shape(), precision.type, true));
    copy_information(r, fake_quantize, weights);
    model.rename(weights, each.name());
    return {weights, maps.scales};
}

/// Decomposes a FakeQuantize on weights: afterwards what read it reads Multiply([Subtract](Convert(Constant))) with the
/// weights in the integer type of `weights_precision_of`; without `update_precisions` the Constant stays real and there is no
/// Convert.
///
/// Left as it was where there is no such type, or where there is nothing to do. Raises an error where the weights are not
/// known, unless `must_fold` is false (an operand that is an activation).
[[gnu::noinline]] constexpr fake_quantize_parts decompose_weights(auto& r, node_id fake_quantize,
                                                                  bool must_fold = true) {
    const data_precision precision = weights_precision_of(r, fake_quantize);
    if (!precision) {
        return {};
    }
    graph& model = r.model;
    if (must_fold) {
        detail::fold_data(model, fake_quantize);
    }
    const text name = model[fake_quantize].name();
    const fake_quantize_parts parts = decompose_fake_quantize(r, fake_quantize, precision);
    if (parts && must_fold && !parts.is_constant(model)) {
        fail({"FakeQuantize '", name, "' on weights cannot be folded to a constant: its input must be known"});
    }
    return parts;
}

}  // namespace lpt::inline LPT_ABI
