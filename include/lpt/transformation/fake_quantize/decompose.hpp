// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/fake_quantize/fold_fake_quantize.hpp>

/// Turning a FakeQuantize into a quantization to an integer type and a dequantization.
namespace lpt {

/// What became of a FakeQuantize.
struct fake_quantize_parts {
    output_ref quantized;                  // the tensor of the integer type
    node_id dequantize =
        node_id::none;    // the Multiply that gives what the FakeQuantize gave; none: it was left as it was

    constexpr explicit operator bool() const { return dequantize != node_id::none; }
    /// True if the quantized values are known: for weights.
    constexpr bool is_constant(const graph& model) const { return model[quantized.node].is<op::constant>(); }
};

/// The linear maps that take the integers back to the output ranges, one for each channel of these ranges.
struct channel_maps {
    tensor scales;       // f32, of the shape of the ranges
    tensor zero_points;  // the same, not rounded; none where all are 0 or the type asks for none
    seq<double, 2> lows;  // what the output bounds become; one value where it is the same for all channels
    seq<double, 2> highs;
    bool are_identities = true;    // all scales, before they were limited, are 1 and all zero points 0
    bool zero_points_fit = true;  // rounded, all lie in the range of the integer type
};

namespace detail {

/// The maps of one channel after the other, or of four at once (`Number`: float, double or `float_lanes`), and what holds for any.
template <class Number, class Real>
struct map_maker {
    using mask = decltype(Number{} == Number{});

    Real least;
    Real greatest;
    bool limits_scales;
    bool scales_constants;
    mask equal{};  // there is a channel with equal bounds
    mask changes{};  // with a scale or zero point that does something
    mask shifts{};  // with a zero point
    mask outside{};  // with a zero point outside of the type

    /// Scales are kept away from 0 and infinity: later steps divide by them.
    static constexpr Real limited(Real scale) {
        const Real size = scale < Real(0) ? -scale : scale;
        const Real clamped = size < static_cast<Real>(1e-32f)  ? static_cast<Real>(1e-32f)
                             : size > static_cast<Real>(1e32f) ? static_cast<Real>(1e32f)
                                                               : size;
        return scale < Real(0) ? -clamped : clamped;
    }
    /// The scale of a channel, not limited.
    constexpr Number scale_of(Number low, Number high) {
        const Number none{};
        const Number one = none + Real(1);
        const mask same = high == low;
        const Number constant = scales_constants ? (high == none ? one : high) : one;
        const Number scale = same ? constant : (high - low) / (greatest - least);
        equal |= same;
        changes |= scale != one;
        return scale;
    }
    /// Its zero point, not rounded.
    constexpr Number zero_point_of(Number low, Number high) {
        const Number none{};
        const Number quotient = high == low ? none : (least * high - greatest * low) / (high - low);
        const Number shift = quotient + none;  // no -0
        changes |= shift != none;
        shifts |= (shift >= static_cast<Real>(1e-32)) | (shift <= static_cast<Real>(-1e-32));
        outside |= (shift < least - Real(0.5)) | (shift > greatest + Real(0.5)) | (shift != shift);
        return shift;
    }
};

/// Those of four scales that `limited` changes, and some that it does not: magnitudes are compared as integers.
inline mask_lanes are_beyond_limits(float_lanes scales) {
    mask_lanes codes;
    __builtin_memcpy(&codes, &scales, sizeof codes);
    codes &= 0x7FFFFFFF;
    return (codes <= __builtin_bit_cast(std::int32_t, 1e-32f)) | (codes >= __builtin_bit_cast(std::int32_t, 1e32f));
}

/// Makes the maps of all channels; gives whether one has equal bounds.
template <class Real>
constexpr bool set_maps(channel_maps& result, const quantization_details& details, const shape& dimensions,
                        const data_precision& precision, const map_maker<Real, Real>& rule) {
    const std::size_t channels = details.lows.size();
    const float* lows = details.lows.data();
    const float* highs = details.highs.data();
    seq<std::byte, 16> scales;
    seq<std::byte, 16> zero_points;
    scales.resize_for_overwrite(channels * sizeof(float));
    zero_points.resize_for_overwrite(precision.has_zero_point ? channels * sizeof(float) : 0);
    map_maker<Real, Real> one = rule;
    std::size_t done = 0;
    if constexpr (is_same<Real, float>) {
        if (!lpt::is_constant_evaluated() && channels >= lane_count) {
            map_maker<float_lanes, float> four{one.least, one.greatest, one.limits_scales, one.scales_constants};
            mask_lanes beyond{};
            for (; done + lane_count <= channels; done += lane_count) {
                const float_lanes scale = four.scale_of(load_lanes(lows + done), load_lanes(highs + done));
                beyond |= are_beyond_limits(scale);
                store_lanes(scales.data() + done * sizeof(float), scale);
            }
            for (std::size_t i = 0; precision.has_zero_point && i < done; i += lane_count) {
                const float_lanes shift = four.zero_point_of(load_lanes(lows + i), load_lanes(highs + i));
                store_lanes(zero_points.data() + i * sizeof(float), shift);
            }
            const bool limits = one.limits_scales && holds_for_any(beyond);
            for (std::size_t i = 0; limits && i < done; ++i) {
                std::byte* const place = scales.data() + i * sizeof(float);
                store(place, one.limited(load<float>(place)));
            }
            one.equal = holds_for_any(four.equal);
            one.changes = holds_for_any(four.changes);
            one.shifts = holds_for_any(four.shifts);
            one.outside = holds_for_any(four.outside);
        }
    }
    for (; done < channels; ++done) {
        const Real low = static_cast<Real>(lows[done]);
        const Real high = static_cast<Real>(highs[done]);
        const Real scale = one.scale_of(low, high);
        store(scales.data() + done * sizeof(float), static_cast<float>(one.limits_scales ? one.limited(scale) : scale));
        if (precision.has_zero_point) {
            store(zero_points.data() + done * sizeof(float), static_cast<float>(one.zero_point_of(low, high)));
        }
    }
    for (std::size_t i = 0; !precision.has_zero_point && !one.changes && i < channels; ++i) {
        one.zero_point_of(static_cast<Real>(lows[i]), static_cast<Real>(highs[i]));  // an identity has none either
    }
    const auto finished = [&](seq<std::byte, 16>& floats) {
        if (channels == 1) {  // which counts for all
            return make_tensor(f32, dimensions, view<double>({static_cast<double>(load<float>(floats.data()))}));
        }
        return tensor(f32, dimensions, bytes(lpt::move(floats)));
    };
    result.scales = finished(scales);
    if (precision.has_zero_point && one.shifts) {
        result.zero_points = finished(zero_points);
    }
    result.are_identities = !one.changes;
    result.zero_points_fit = !one.outside;
    return one.equal;
}

}  // namespace detail

/// The maps from the range [precision.low, precision.high] of an integer type to the output ranges of a FakeQuantize.
///
/// scale = (high - low) / (precision.high - precision.low), zero_point = (precision.low * high - precision.high * low) / (high - low);
/// a channel with equal bounds gets scale 1, zero point 0 and keeps its bounds, which the integer type may not have. In float; in
/// double for 32-bit types. With `exact` always in double, and a channel with equal bounds gets the bounds 1 and its value as the scale.
/// With `limits_scales` the magnitudes of scales lie in [1e-32, 1e32]. `details` are those of the FakeQuantize.
template <int Once = 0>
constexpr channel_maps channel_maps_of(const graph& model, node_id fake_quantize, const quantization_details& details,
                                       const data_precision& precision, bool exact = false,
                                       bool limits_scales = false) {
    channel_maps result;
    const shape dimensions = output_range_shape(model, fake_quantize);
    const std::size_t channels = details.lows.size();
    const auto least = static_cast<double>(precision.low);
    const auto greatest = static_cast<double>(precision.high);
    const bool any_equal =
        exact || bit_width(precision.type) == 32
            ? detail::set_maps<double>(result, details, dimensions, precision, {least, greatest, limits_scales, exact})
            : detail::set_maps<float>(result, details, dimensions, precision,
                                      {precision.low, precision.high, limits_scales, exact});
    result.lows.resize(any_equal ? channels : 1, least);
    result.highs.resize(any_equal ? channels : 1, greatest);
    for (std::size_t i = 0; any_equal && i < channels; ++i) {
        if (details.lows[i] == details.highs[i]) {
            const double bound = static_cast<double>(details.highs[i]);
            result.lows[i] = exact && bound != 0 ? 1 : bound;
            result.highs[i] = result.lows[i];
        }
    }
    return result;
}

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
/// With `follow_upstream_errors`: scales that are NaN, zero points of which one is infinite or NaN. Without: also bounds, or
/// differences of them, that are infinite, and scales that are no normal floats, which would be limited; see `clamped_scale`.
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
        if (!r.options.follow_upstream_errors) {
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
/// type f32 and, with `follow_upstream_errors`, a magnitude from 1e-32 to 1e32; zero points, not rounded, are left out if `precision.has_zero_point` is
/// false or all are 0. Names: "<name>/DequantizationConvert", "…Subtract", "…Multiply". With `update_precisions` off, and
/// scales 1 and zero points 0, nothing is done. Attributes of the FakeQuantize stay.
/// `details` are those of the FakeQuantize.
[[gnu::noinline]] constexpr fake_quantize_parts decompose_fake_quantize(auto& r, node_id fake_quantize,
                                                                        const quantization_details& details,
                                                                        const data_precision& precision) {
    graph& model = r.model;
    const bool follows = r.options.follow_upstream_errors;
    const channel_maps maps =
        channel_maps_of(model, fake_quantize, details, precision, !follows && r.options.update_precisions, follows);
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
    if (!result || !maps_are_usable(r, fake_quantize, details, result)) {
        return {};
    }
    return r.options.follow_upstream_errors ? result : with_whole_steps(result, details.levels);
}
/// The integer type for a FakeQuantize on weights: from the types that its output port is allowed, or the default ones. No
/// type where the ranges are not constant, `maps_are_usable` refuses them, or the levels do not fit.
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
    const bool follows = r.options.follow_upstream_errors;
    const channel_maps maps = channel_maps_of(model, fake_quantize, details, precision, !follows, follows);
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

}  // namespace lpt
