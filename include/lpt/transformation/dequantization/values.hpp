// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/lanes.hpp>
#include <lpt/graph/fold.hpp>
#include <lpt/transformation/rewrite.hpp>

/// What is known of the values of constants: scales and zero points.
namespace lpt::inline LPT_ABI {

// ---- constants

constexpr const tensor& constant_of(const graph& model, node_id id) { return model[id].as<op::constant>().value; }

namespace detail {

/// The extent of the values of a tensor that are numbers.
struct value_extent {
    double least = math::infinity;
    double greatest = -math::infinity;
    double least_magnitude = math::infinity;
    bool has_nan = false;

    constexpr void add(double value) {
        const double magnitude = value < 0 ? -value : value;
        least = value < least ? value : least;
        greatest = value > greatest ? value : greatest;
        least_magnitude = magnitude < least_magnitude ? magnitude : least_magnitude;
        has_nan = has_nan || value != value;
    }
};

/// Adds floats, four at a time, to an extent; gives how many there were of them.
template <int Once = 0>
[[gnu::noinline]] std::size_t add_lanes(const float* values, std::size_t count, value_extent& result) {
    constexpr auto infinite = static_cast<float>(math::infinity);
    float_lanes least = {infinite, infinite, infinite, infinite};
    float_lanes magnitude = least;
    float_lanes greatest = -least;
    mask_lanes no_number{};
    std::size_t done = 0;
    for (; done + lane_count <= count; done += lane_count) {
        const float_lanes value = load_lanes(values + done);
        const float_lanes opposite = -value;
        const float_lanes size = value < opposite ? opposite : value;
        least = value < least ? value : least;
        greatest = value > greatest ? value : greatest;
        magnitude = size < magnitude ? size : magnitude;
        no_number |= value != value;
    }
    for (std::size_t k = 0; k < lane_count; ++k) {
        result.least = math::minimum(result.least, static_cast<double>(least[k]));
        result.greatest = math::maximum(result.greatest, static_cast<double>(greatest[k]));
        result.least_magnitude = math::minimum(result.least_magnitude, static_cast<double>(magnitude[k]));
        result.has_nan = result.has_nan || no_number[k] != 0;
    }
    return done;
}

/// True if no float is infinite or NaN: that is, has an exponent of ones.
template <int Once = 0>
[[gnu::noinline]] bool floats_are_finite(const std::byte* data, std::size_t count) {
    return holds_for_none(data, count, [](auto codes) { return (codes & 0x7FFFFFFF) >= 0x7F800000; });
}
/// True if all magnitudes are at least as great as a positive one, or NaN.
template <int Once = 0>
[[gnu::noinline]] bool floats_are_at_least(const std::byte* data, std::size_t count, float magnitude) {
    const auto least = __builtin_bit_cast(std::int32_t, magnitude);
    return holds_for_none(data, count, [least](auto codes) { return (codes & 0x7FFFFFFF) < least; });
}
/// True if all floats are greater than 0: positive as integers too, but not so great as NaN.
template <int Once = 0>
[[gnu::noinline]] bool floats_are_positive(const std::byte* data, std::size_t count) {
    return holds_for_none(data, count, [](auto codes) { return (codes <= 0) | (codes > 0x7F800000); });
}

/// The extent of all values of a tensor.
template <int Once = 0>
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

/// True if the first two values are known to differ.
inline bool vary(const late_facts& facts) { return facts.first < facts.second || facts.first > facts.second; }

/// Compares each of at least two values of a tensor, of whole bytes, with the one before it, as bits: quickly.
inline bool all_bits_equal(const tensor& values) {
    const auto size = static_cast<std::size_t>(bit_width(values.type()) / 8);
    return __builtin_memcmp(values.data(), values.data() + size, size * (values.elements() - 1)) == 0;
}
/// True for types of which other bits are another value as a double; floats but for zeros.
constexpr bool differs_as_bits(element type) {
    return type == f32 || (is_integral(type) && bit_width(type) >= 8 && bit_width(type) <= 32);
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
