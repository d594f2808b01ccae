// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization/find.hpp>

/// Questions about a dequantization, some of them with the refusal that follows.
namespace lpt::inline LPT_ABI {

/// True if the data has a low precision type.
constexpr bool is_low_precision(const graph& model, const dequantization& found) {
    return is_low_precision(model.type(found.data));
}
/// Refuses an input without a dequantization, or without a scale.
constexpr verdict is_dequantized(const dequantization& found, int port = 0) {
    return found.empty() ? refuse(reason::no_dequantization, port) : yes;
}
constexpr verdict has_scale(const dequantization& found, int port = 0) {
    return found.has_multiply() ? yes : refuse(reason::no_dequantization, port);
}
/// Refuses data that has no low precision, where precisions are updated.
constexpr verdict has_low_precision(const rewrite& r, const dequantization& found, int port = 0) {
    return !r.options.update_precisions || is_low_precision(r.model, found)
               ? yes
               : refuse_type(reason::not_low_precision, port, r.model.type(found.data));
}
/// The data of a branch that stays in floating point: converted, but without zero point and scale.
constexpr output_ref floating_point_data(const dequantization& found) {
    return found.has_convert() ? output_ref(found.convert) : found.data;
}
/// True if one of its operations has more than one consumer.
constexpr bool is_shared(const graph& model, const dequantization& found) {
    for (const node_id each : {found.convert, found.subtract, found.multiply}) {
        if (each != node_id::none && model.use_count({each, 0}) > 1) {
            return true;
        }
    }
    return false;
}
/// True if the scale constant has exactly one element and so has the zero point constant, if there is one.
constexpr bool is_per_tensor(const graph& model, const dequantization& found) {
    return found.has_multiply() && constant_of(model, found.scale).elements() == 1 &&
           (!found.has_subtract() || constant_of(model, found.zero_point).elements() == 1);
}
/// The constant of a dequantization that has more than one element; the zero point if both have, `none` if neither has.
constexpr node_id constant_of_many(const graph& model, const dequantization& found) {
    for (const node_id each : {found.zero_point, found.scale}) {
        if (each != node_id::none && constant_of(model, each).elements() != 1) {
            return each;
        }
    }
    return node_id::none;
}
/// A refusal of a dequantization that is not one scale and one zero point for the whole tensor.
constexpr verdict refuse_not_per_tensor(const graph& model, const dequantization& found, int port = 0) {
    return refuse_because_of(reason::not_per_tensor, port, constant_of_many(model, found));
}
/// Refuses constants of more than one element.
constexpr verdict is_one_for_all(const rewrite& r, const dequantization& found) {
    return is_per_tensor(r.model, found) ? yes : refuse_not_per_tensor(r.model, found);
}
/// A refusal of the zero point that a dequantization has.
constexpr verdict refuse_zero_point(const graph& model, const dequantization& found, int port = 0) {
    return refuse_value(reason::has_zero_point, port, constant_of(model, found.zero_point).real(0), found.zero_point);
}
/// Refuses a zero point.
constexpr verdict has_no_zero_point(const graph& model, const dequantization& found, int port = 0) {
    return found.has_subtract() ? refuse_zero_point(model, found, port) : yes;
}
/// True if scale and zero point, as far as there are any, are scalar-like.
constexpr bool is_scalar_like(const graph& model, const dequantization& found) {
    return (!found.has_multiply() || is_scalar_like(model, found.scale)) &&
           (!found.has_subtract() || is_scalar_like(model, found.zero_point));
}
/// Refuses constants with different values.
constexpr verdict is_uniform(const graph& model, const dequantization& found) {
    return is_scalar_like(model, found) ? yes : refuse_not_per_tensor(model, found);
}
/// Refuses a scale with a negative value.
constexpr verdict scale_is_not_negative(const graph& model, const dequantization& found, int port = 0) {
    if (!found.has_multiply()) {
        return yes;
    }
    const tensor& scale = constant_of(model, found.scale);
    const bool any_negative = detail::extent_of(scale).least < 0;
    for (std::size_t i = 0; any_negative && i < scale.elements(); ++i) {
        if (scale.real(i) < 0) {
            return refuse_value(reason::negative_scale, port, scale.real(i), found.scale);
        }
    }
    return yes;
}
/// Refuses scales and zero points that are infinite or NaN: operations that put other values beside those of the data, or
/// compare with them, would make NaN of them.
constexpr verdict constants_are_finite(const graph& model, const dequantization& found, int port = 0) {
    for (const node_id each : {found.zero_point, found.scale}) {
        if (each != node_id::none && !is_finite(constant_of(model, each))) {
            return refuse_because_of(reason::infinite_constant, port, each);
        }
    }
    return yes;
}
/// Refuses a scale with a value that is 0 or smaller than 1e-32 in magnitude.
constexpr verdict scale_is_not_zero(const graph& model, const dequantization& found, int port = 0) {
    if (!found.has_multiply()) {
        return yes;
    }
    const tensor& scale = constant_of(model, found.scale);
    if (!lpt::is_constant_evaluated() && scale.type() == f32 &&
        detail::floats_are_at_least(scale.data(), scale.elements(), 1e-32f)) {
        return yes;
    }
    for (std::size_t i = 0; i < scale.elements(); ++i) {
        if (math::absolute(scale.real(i)) < 1e-32) {
            return refuse_value(reason::zero_or_denormal_scale, port, scale.real(i), found.scale);
        }
    }
    return yes;
}

/// True if a constant of an elementwise operation has one element, or varies over the channel axis of the data alone.
constexpr bool is_per_channel_constant(const graph& model, node_id elementwise, node_id constant,
                                       std::size_t channel_axis) {
    const shape& dimensions = model[constant].shape();
    if (dimensions.rank() > 5) {
        return false;
    }
    if (dimensions.elements() == 1) {
        return true;
    }
    const shape& result = model[elementwise].shape();
    if (result.rank_is_dynamic() || channel_axis >= result.rank() || !result.is_static(channel_axis)) {
        return false;
    }
    const dimension channels = result[channel_axis];
    if (dimensions.rank() == 1) {
        return dimensions[0] == channels;
    }
    if (dimensions.rank() > result.rank()) {
        return false;
    }
    const shape aligned = dimensions.padded_left(result.rank());
    for (std::size_t axis = 0; axis < aligned.rank(); ++axis) {
        if (aligned[axis] != (axis == channel_axis ? channels : 1)) {
            return false;
        }
    }
    return true;
}

/// True if the output is computed from constants only: upwards there is no Parameter, convolution, MatMul or ReadValue.
constexpr bool is_constant_path(const graph& model, node_id id) { return !model[id].reads_data(); }

}  // namespace lpt::inline LPT_ABI
