// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization/find.hpp>

/// Questions about a dequantization, and the refusals that follow from them.
namespace lpt::inline LPT_ABI {

/// True if the data has a low precision type.
constexpr bool is_low_precision(const graph& model, const dequantization& found) {
    return is_low_precision(model.type(found.data));
}
/// The data of a branch that stays in floating point: converted, but without zero point and scale.
constexpr output_ref floating_point_data(const dequantization& found) {
    return found.has_convert() ? output_ref(found.convert) : found.data;
}
/// True if one of its operations has more than one consumer.
constexpr bool is_shared(const graph& model, const dequantization& found) {
    const auto others_read = [&](node_id each) { return each != node_id::none && model.use_count({each, 0}) > 1; };
    return others_read(found.convert) || others_read(found.subtract) || others_read(found.multiply);
}
/// True if scale and zero point, as far as there are any, are scalar-like.
constexpr bool is_scalar_like(const graph& model, const dequantization& found) {
    return (!found.has_multiply() || is_scalar_like(model, found.scale)) &&
           (!found.has_subtract() || is_scalar_like(model, found.zero_point));
}
/// The constant of a dequantization, zero point before scale, that an answer holds for; `none` if it holds for neither.
template <class Answer>
constexpr node_id first_constant(const dequantization& found, const Answer& holds) {
    const bool is_zero_point = found.zero_point != node_id::none && holds(found.zero_point);
    return is_zero_point                                        ? found.zero_point
           : found.scale != node_id::none && holds(found.scale) ? found.scale
                                                                : node_id::none;
}
/// The constant of a dequantization that has more than one element; the zero point if both have, `none` if neither has.
constexpr node_id constant_of_many(const graph& model, const dequantization& found) {
    return first_constant(found, [&](node_id each) { return constant_of(model, each).elements() != 1; });
}
/// True if the scale constant has exactly one element and so has the zero point constant, if there is one.
constexpr bool is_per_tensor(const graph& model, const dequantization& found) {
    return found.has_multiply() && constant_of_many(model, found) == node_id::none;
}
/// True if a constant of an elementwise operation has one element, or varies over the channel axis of the data alone.
constexpr bool is_per_channel_constant(const graph& model, node_id elementwise, node_id constant,
                                       std::size_t channel_axis) {
    const shape& dimensions = model[constant].shape();
    if (dimensions.rank() > 5 || dimensions.elements() == 1) {
        return dimensions.rank() <= 5;
    }
    const shape& result = model[elementwise].shape();
    if (result.rank_is_dynamic() || channel_axis >= result.rank() || !result.is_static(channel_axis)) {
        return false;
    }
    if (dimensions.rank() == 1 || dimensions.rank() > result.rank()) {
        return dimensions.rank() == 1 && dimensions[0] == result[channel_axis];
    }
    const shape aligned = dimensions.padded_left(result.rank());
    return aligned[channel_axis] == result[channel_axis] &&
           varies_only_where(aligned, [=](std::size_t axis) { return axis == channel_axis; });
}
/// True if scale and zero point, as far as there are any, have one element or vary over the channel axis alone.
constexpr bool is_per_channel(const graph& model, const dequantization& found, std::size_t channel_axis) {
    return (!found.has_multiply() || is_per_channel_constant(model, found.multiply, found.scale, channel_axis)) &&
           (!found.has_subtract() || is_per_channel_constant(model, found.subtract, found.zero_point, channel_axis));
}
/// True if the output is computed from constants only: upwards there is no Parameter, convolution, MatMul or ReadValue.
constexpr bool is_constant_path(const graph& model, node_id id) { return !model[id].reads_data(); }

/// A refusal of a dequantization that is not one scale and one zero point for the whole tensor.
constexpr verdict refuse_not_per_tensor(const graph& model, const dequantization& found) {
    return refuse_because_of(reason::not_per_tensor, found.port, constant_of_many(model, found));
}
/// A refusal of the zero point that a dequantization has.
constexpr verdict refuse_zero_point(const graph& model, const dequantization& found) {
    return refuse_value(reason::has_zero_point, found.port, constant_of(model, found.zero_point).real(0),
                        found.zero_point);
}

/// True if a Subtract of this dequantization is one that low precision arithmetic can take: u8 or i8 data, and a zero
/// point that is a Constant, or a Convert of a Constant of the data's type.
constexpr bool can_subtract_be_handled(const rewrite& r, const dequantization& found) {
    if (!found.has_subtract() || !r.options.update_precisions) {
        return true;
    }
    const element type = r.model.type(found.data);
    return (type == u8 || type == i8) &&
           (found.zero_point_convert == node_id::none || r.model[found.zero_point].type() == type);
}

/// Refuses the first zero point of a Subtract that lies, rounded, outside of the data's type (u8, i8: by more than half a step).
constexpr verdict zero_point_fits(const graph& model, const dequantization& found, int port) {
    const element type = model.type(found.data);
    if (!found.has_subtract() || found.zero_point_convert != node_id::none || type == f32 || type == f16) {
        return yes;
    }
    const tensor& values = constant_of(model, found.zero_point);
    const std::size_t first = first_value(values, [&](double value) {
        return !(value >= facts(type).lowest - 0.5 && value <= facts(type).highest + 0.5);
    });
    if ((type == u8 || type == i8) && first == values.elements()) {
        return yes;
    }
    const double value = values.real(math::minimum(first, values.elements() - 1));
    return {
        .why = reason::zero_point_does_not_fit, .port = port, .type = type, .value = value, .about = found.zero_point};
}

}  // namespace lpt::inline LPT_ABI
