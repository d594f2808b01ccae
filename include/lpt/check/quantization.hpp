// SPDX-License-Identifier: Apache-2.0
// The quantization of a value in a graph, read from the dequantization or FakeQuantize that makes it.
#pragma once

#include <lpt/graph/graph.hpp>
#include <lpt/tensor/math.hpp>

namespace lpt::inline LPT_ABI::check {

/// How a value comes of codes: real value = scale * (code - zero point).
struct quantization {
    element type = dynamic;  // of the codes; dynamic: the value is not quantized
    tensor scale;  // broadcasts to the value, as does the zero point
    tensor zero_point;
    output_ref codes;  // the tensor of codes, where the graph has one
    bool has_scale = false;  // false: the codes are read as they are, behind a Subtract at most

    constexpr bool is_quantized() const { return type != dynamic; }
};

namespace detail {

/// True for the types of codes. Of i32 are those of biases.
constexpr bool is_code(element type) { return is_integral(type) && bit_width(type) <= 32; }

/// True if all values are equal: then they are one.
constexpr bool is_one_value(const tensor& values) {
    for (std::size_t i = 1; i < values.elements(); ++i) {
        if (values.real(i) != values.real(0)) return false;
    }
    return values.elements() != 0;
}

/// The constant at an input, perhaps behind a Convert; null if there is none.
constexpr const tensor* constant_at(const graph& model, output_ref source) {
    if (model[source.node].is<op::convert>()) source = model[source.node].input(0);
    return model.constant_value(source);
}

/// The code that stands for the lower end of a FakeQuantize's range: -128 of 256 levels, -127 of 255.
constexpr std::int64_t lowest_code(std::int64_t levels) { return -(levels / 2); }
constexpr element type_of_levels(std::int64_t levels) { return levels <= 256 ? i8 : levels <= 65536 ? i16 : i32; }

/// scale = (high - low) / (levels - 1), zero point = lowest code - low / scale, rounded to nearest, halves away from zero. Not quantized where
/// the output range is not constant.
inline quantization quantization_of_fake_quantize(const graph& model, node_id id) {
    const std::int64_t levels = model[id].as<op::fake_quantize>().levels;
    const tensor* low = model.constant_value(model[id].input(3));
    const tensor* high = model.constant_value(model[id].input(4));
    quantization result;
    if (low == nullptr || high == nullptr || low->elements() == 0 || high->elements() == 0) return result;
    const tensor& larger = low->elements() > high->elements() ? *low : *high;
    if (low->elements() != high->elements() && low->elements() != 1 && high->elements() != 1) return result;
    tensor_builder scale(f32, larger.dimensions());
    tensor_builder zero_point(f32, larger.dimensions());
    for (std::size_t i = 0; i < larger.elements(); ++i) {
        const double from = low->real(i % low->elements());
        const double step = (high->real(i % high->elements()) - from) / static_cast<double>(levels - 1);
        const double zero = step == 0 ? 0 : static_cast<double>(lowest_code(levels)) - from / step;
        scale.real(i, step);
        zero_point.real(i, math::round_half_away(zero));
    }
    result.type = type_of_levels(levels);
    result.scale = scale.finish();
    result.zero_point = zero_point.finish();
    result.has_scale = true;
    return result;
}

}  // namespace detail

namespace detail {

/// Steps over a Multiply by a constant scale and a Subtract of a constant zero point, upwards, and notes them.
inline output_ref above_scale(const graph& model, output_ref at, quantization& found) {
    if (!model[at.node].is<op::multiply>()) return at;
    const node& product = model[at.node];
    const std::size_t port = model.constant_value(product.input(1)) != nullptr ? 1 : 0;
    const tensor* scale = model.constant_value(product.input(port));
    if (scale == nullptr || !is_real(scale->type())) return at;
    found.scale = *scale;
    found.has_scale = true;
    return product.input(1 - port);
}
inline output_ref above_zero_point(const graph& model, output_ref at, quantization& found) {
    if (!model[at.node].is<op::subtract>()) return at;
    const tensor* zero_point = constant_at(model, model[at.node].input(1));
    if (zero_point == nullptr) return at;
    found.zero_point = *zero_point;
    return model[at.node].input(0);
}

}  // namespace detail

/// The quantization of an output: of the dequantization [Convert] -> [Subtract zero point] -> [Multiply scale] that ends in it, of the
/// FakeQuantize that gives it (256 levels and less: i8, 65536 and less: i16), or codes as they are (scale 1, zero point 0).
///
/// Zero points are constants, perhaps behind a Convert; a lone Convert dequantizes nothing.
inline quantization quantization_of(const graph& model, output_ref source) {
    quantization result;
    result.scale = make_scalar(f32, 1);
    result.zero_point = make_scalar(f32, 0);
    output_ref at = detail::above_scale(model, source, result);
    at = detail::above_zero_point(model, at, result);
    if (at != source && model[at.node].is<op::convert>()) at = model[at.node].input(0);
    if (result.scale.elements() == 0 || result.zero_point.elements() == 0) return {};
    if (detail::is_code(model.type(at))) {
        result.type = model.type(at);
        result.codes = at;
        return result;
    }
    if (at == source && model[at.node].is<op::fake_quantize>())
        return detail::quantization_of_fake_quantize(model, at.node);
    return {};
}

}  // namespace lpt::inline LPT_ABI::check
