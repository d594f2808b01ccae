// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization/kernels.hpp>
#include <lpt/transformation/rewrite.hpp>

/// What is known of the values of constants: scales and zero points.
namespace lpt::inline LPT_ABI {

// ---- constants

constexpr const tensor& constant_of(const graph& model, node_id id) { return model[id].as<op::constant>().value; }

namespace detail {

/// The extent of all values of a tensor.
constexpr value_extent extent_of(const tensor& values) {
    value_extent result;
    const std::size_t count = values.elements();
    std::size_t done = 0;
    if (!lpt::is_constant_evaluated() && values.type() == f32) {
        const evaluation::operand<float> floats(values);
        done = add_lanes(floats.data(), count, result);
        for (; done < count; ++done) {
            result.add(static_cast<double>(floats[done]));
        }
        return result;
    }
    for (; done < count; ++done) {
        result.add(values.real(done));
    }
    return result;
}

}  // namespace detail

/// True for one value, or values that are all equal; NaN equals nothing.
constexpr bool is_scalar_like(const tensor& values) {
    const std::size_t count = values.elements();
    if (count == 0) {
        return false;
    }
    if (!lpt::is_constant_evaluated() && values.waits() && detail::vary(values.facts_while_waiting())) {
        return false;
    }
    const double first = values.real(0);
    if (count > 1 && !lpt::is_constant_evaluated() && detail::differs_as_bits(values.type()) &&
        (values.type() != f32 || first != 0)) {
        return first == first && detail::all_bits_equal(values);
    }
    for (std::size_t i = 1; i < count; ++i) {
        if (values.real(i) != first) {
            return false;
        }
    }
    return true;
}
constexpr bool is_scalar_like(const graph& model, node_id constant) {
    return is_scalar_like(constant_of(model, constant));
}
/// The value of a scalar-like tensor as a tensor without axes; other tensors come back as they are.
constexpr tensor to_scalar(const tensor& values) {
    if (values.dimensions().rank() == 0 ||
        !is_scalar_like(values)) {  // not a conditional expression: g++ 12 loses its owners in constant expressions
        return values;
    }
    return make_scalar(values.type(), values.real(0));
}
/// The greatest magnitude of a value, infinity among them, that is not NaN; 0 if there is none.
constexpr double magnitude_bound(const tensor& values) {
    const detail::value_extent extent = detail::extent_of(values);
    return math::maximum(0.0, math::maximum(-extent.least, extent.greatest));
}
/// True if no value is infinite or NaN.
constexpr bool is_finite(const tensor& values) {
    if (!lpt::is_constant_evaluated() && values.type() == f32) {
        return (values.waits() && values.facts_while_waiting().bound < 1e38) ||
               detail::floats_are_finite(values.data(), values.elements());
    }
    for (std::size_t i = 0; i < values.elements(); ++i) {
        if (!math::is_finite(values.real(i))) {
            return false;
        }
    }
    return true;
}
/// True if a constant computed from two others is infinite or NaN somewhere and neither of those is: a product in its place
/// would make NaN of zeros.
constexpr bool overflows(const tensor& computed, const tensor& first, const tensor& second) {
    return !is_finite(computed) && is_finite(first) && is_finite(second);
}
/// True for a scalar-like tensor of zeros.
constexpr bool is_zero(const tensor& values) { return is_scalar_like(values) && values.real(0) == 0; }

constexpr bool is_constant(const graph& model, output_ref source) { return model[source.node].is<op::constant>(); }
constexpr bool is_converted_constant(const graph& model, output_ref source) {
    return model[source.node].is<op::convert>() && is_constant(model, model[source.node].input(0));
}

}  // namespace lpt::inline LPT_ABI
