// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/constant/fast_loops.hpp>

/// What is known of the values of constants.
namespace lpt::inline LPT_ABI {

constexpr const tensor& constant_of(const graph& model, node_id id) { return model[id].as<op::constant>().value; }

/// True if an answer holds for all numbers (ports, axes, places) from `first` up to `end`, which is left out.
template <class Answer>
constexpr bool for_all(std::size_t first, std::size_t end, const Answer& holds) {
    while (first < end && holds(first)) {
        ++first;
    }
    return first >= end;
}
/// True if it holds for one of them.
template <class Answer>
constexpr bool for_any(std::size_t first, std::size_t end, const Answer& holds) {
    return !for_all(first, end, [&](std::size_t each) { return !holds(each); });
}

/// The place of the first value that an answer holds for; the number of values where it holds for none.
template <class Answer>
constexpr std::size_t first_value(const tensor& values, const Answer& holds) {
    std::size_t place = 0;
    while (place < values.elements() && !holds(values.real(place))) {
        ++place;
    }
    return place;
}
template <class Answer>
constexpr bool any_value(const tensor& values, const Answer& holds) {
    return first_value(values, holds) < values.elements();
}
/// True if sizes other than 1 stand only at axes that an answer holds for.
template <class Answer>
constexpr bool varies_only_where(const shape& dimensions, const Answer& holds) {
    return for_all(0, dimensions.rank(), [&](std::size_t axis) { return dimensions[axis] == 1 || holds(axis); });
}
/// How many axes have several elements.
constexpr std::size_t count_long_axes(const shape& dimensions) {
    std::size_t count = 0;
    for (const dimension size : dimensions) {
        count += size > 1 ? 1u : 0u;
    }
    return count;
}

/// True for one value, or values that are all equal; NaN equals nothing.
constexpr bool is_scalar_like(const tensor& values) {
    const std::size_t count = values.elements();
    if (count == 0 || (!lpt::is_constant_evaluated() && values.waits() && detail::vary(values.facts_while_waiting()))) {
        return false;
    }
    const double first = values.real(0);
    if (count > 1 && !lpt::is_constant_evaluated() && detail::differs_as_bits(values.type()) &&
        (values.type() != f32 || first != 0)) {
        return first == first && detail::all_bits_equal(values);
    }
    return for_all(1, count, [&](std::size_t place) { return values.real(place) == first; });
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
namespace detail {
/// Fills an empty sequence with the values of a tensor, as f32.
constexpr void fill_with_values(seq<float, 2>& to, const tensor& values) {
    if (values.type() == f32 && !lpt::is_constant_evaluated()) {
        return append_bytes_of_floats(to, values);
    }
    to.resize(values.elements());
    float* each = to.data();
    for (std::size_t i = 0; i < values.elements(); ++i) {
        each[i] = static_cast<float>(values.real(i));
    }
}
}  // namespace detail

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
    return !any_value(values, [](double value) { return !math::is_finite(value); });
}
/// True if a constant computed from two finite ones is infinite or NaN somewhere: a product in its place would make NaN of zeros.
constexpr bool overflows(const tensor& computed, const tensor& first, const tensor& second) {
    return !is_finite(computed) && is_finite(first) && is_finite(second);
}
/// True for a scalar-like tensor of zeros.
constexpr bool is_zero(const tensor& values) { return is_scalar_like(values) && values.real(0) == 0; }

constexpr bool is_constant(const graph& model, output_ref source) { return model[source.node].is<op::constant>(); }
constexpr bool is_converted_constant(const graph& model, output_ref source) {
    return model[source.node].is<op::convert>() && is_constant(model, model[source.node].input(0));
}
/// A Constant as it is, or the one that a Convert reads; no output for others.
constexpr output_ref stored_constant_of(const graph& model, output_ref source) {
    return is_constant(model, source)             ? source
           : is_converted_constant(model, source) ? model[source.node].input(0)
                                                  : output_ref();
}

}  // namespace lpt::inline LPT_ABI
