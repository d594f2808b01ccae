// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization/values.hpp>

/// Constants computed from constants, and zero points rounded to their type.
namespace lpt::inline LPT_ABI {

/// Adds an operation and folds it: the folded Constant, or the operation itself where it cannot be folded. Where the
/// inputs are Constants only the result enters the graph.
template <int Once = 0>
[[gnu::noinline]] constexpr output_ref fold_operation(graph& model, op::attributes what, view<output_ref> inputs,
                                                      int version = -1) {
    if (tensor known = evaluate_constants(model, what, inputs, version)) {
        return model.constant(lpt::move(known));
    }
    return try_fold(model, model.add(lpt::move(what), inputs, {}, version));
}
/// A constant converted to another element type; the very same output if it has that type.
template <int Once = 0>
constexpr output_ref fold_convert(graph& model, output_ref source, element type) {
    if (model.type(source) == type) {
        return source;
    }
    if (const tensor* known = model.constant_value(source); known != nullptr && *known && type != dynamic) {
        return model.constant(evaluation::convert_late(*known, type));
    }
    return fold_operation(model, op::convert{type}, {source});
}
/// Zero points as values of the data's type: rounded to the nearest integer, halves away from zero.
///
/// `wraps`: what lies outside the range of an integer type wraps around, -28 to 228 in u8, as in upstream; otherwise it saturates.
template <int Once = 0>
constexpr tensor round_zero_points(const tensor& values, element type, bool wraps) {
    tensor_builder result(type, values.dimensions());
    for (std::size_t i = 0; i < result.elements(); ++i) {
        const double whole = math::round_half_away(values.real(i));
        if (wraps && is_integral(type)) {
            const bool is_small = math::absolute(whole) < 1e9;
            result.integer(i, static_cast<std::int64_t>(is_small ? whole : convert_value(i64, whole)));
        } else {
            result.real(i, whole);
        }
    }
    return result.finish();
}
constexpr tensor round_zero_points(const auto& r, const tensor& values, element type) {
    return round_zero_points(values, type, r.follows(quirk::wrapped_zero_point));
}
namespace detail {

/// True if floats are known to round to one small integer; not in constant expressions.
template <int Once = 0>
constexpr bool round_alike(const tensor& values) {
    if (lpt::is_constant_evaluated() || values.type() != f32 || values.elements() == 0) {
        return false;
    }
    const evaluation::operand<float> floats(values);
    const auto whole = static_cast<float>(math::round_half_away(values.real(0)));
    const float low = whole - 0.5f;
    const float high = whole + 0.5f;
    const float* each = floats.data();
    bool alike = math::absolute(whole) < 1e6f;
    for (std::size_t i = 0; i < values.elements(); ++i) {
        alike = alike & (each[i] > low) & (each[i] < high);
    }
    return alike;
}

}  // namespace detail

/// True if a zero point says nothing to integers of a type; with `quirk::wrapped_zero_point` multiples of 256 say nothing to u8, too.
constexpr bool is_negligible_zero_point(const auto& r, const tensor& values, element type) {
    return is_zero(r.follows(quirk::wrapped_zero_point) ? round_zero_points(values, type, true)
                                                        : round_zero_points(values, f64, false));
}

}  // namespace lpt::inline LPT_ABI
