// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/fold/broadcast.hpp>

namespace lpt::evaluation {

namespace detail {

/// Like `math::round_half_even` but for the sign of zero. Adding 1.5 * 2^fraction bits leaves no room for a fraction: the addition rounds.
template <class Real>
constexpr Real rounded(Real value) {
    constexpr Real shift = std::is_same_v<Real, float> ? Real(12582912) : Real(6755399441055744);
    if (math::absolute(value) < shift / 4) {
        return (value + shift) - shift;
    }
    return math::round_half_even(value);
}

/// The order of the operations is part of the definition: another one gives other last digits.
template <class Real>
constexpr Real fake_quantized(Real x, Real input_low, Real input_high, Real output_low, Real output_high, Real steps) {
    if (x <= math::minimum(input_low, input_high)) {
        return output_low;
    }
    if (x > math::maximum(input_low, input_high)) {
        return output_high;
    }
    return rounded((x - input_low) / (input_high - input_low) * steps) / steps * (output_high - output_low) +
           output_low;
}

template <class Real>
constexpr void fake_quantize_row(const Real* x, std::size_t step, Real* to, std::size_t count, const Real (&range)[4],
                                 Real steps) {
    for (std::size_t i = 0; i < count; ++i) {
        to[i] = fake_quantized(x[i * step], range[0], range[1], range[2], range[3], steps);
    }
}

template <class Real>
constexpr tensor fake_quantize(view<tensor> inputs, std::int64_t levels, const op::output_facts& output) {
    using walk = broadcast_walk<5>;
    operand<Real> x(inputs[0]);
    operand<Real> input_low(inputs[1]);
    operand<Real> input_high(inputs[2]);
    operand<Real> output_low(inputs[3]);
    operand<Real> output_high(inputs[4]);
    outcome<Real> result(output);
    const Real steps = static_cast<Real>(levels - 1);
    const auto shape_at = [&](std::size_t port) { return &inputs[port].dimensions(); };
    const walk rows(output.dimensions, {shape_at(0), shape_at(1), shape_at(2), shape_at(3), shape_at(4)});
    rows.for_each_row([&](const walk::row& row) {
        const bool one_range = row.step[1] + row.step[2] + row.step[3] + row.step[4] == 0;
        const std::size_t part = one_range ? row.length : 1;
        for (std::size_t i = 0; i < row.length; i += part) {
            const Real range[4] = {input_low[row.at[1] + i * row.step[1]], input_high[row.at[2] + i * row.step[2]],
                                   output_low[row.at[3] + i * row.step[3]], output_high[row.at[4] + i * row.step[4]]};
            fake_quantize_row(x.data() + row.at[0] + i * row.step[0], row.step[0], result.data() + row.output + i, part,
                              range, steps);
        }
    });
    return result.finish();
}

}  // namespace detail

/// FakeQuantize of known values.
///
/// y = output_low for x <= min(input_low, input_high), output_high for x > max(input_low, input_high), else
/// round((x - input_low) / (input_high - input_low) * (levels - 1)) / (levels - 1) * (output_high - output_low) + output_low.
/// `inputs`: x and the four ranges, which broadcast to `dimensions`; levels >= 2. Rounding: halves to even, all steps in float
/// (double for f64). With `round_result` the result is rounded to integers, halves to even, before it is converted to `type`;
/// without it an integral type takes it towards zero. Source: OpenVINO operation set, FakeQuantize-1.
template <int Once = 0>
[[gnu::noinline]] constexpr tensor evaluate_fake_quantize(view<tensor> inputs, std::int64_t levels,
                                                          const shape& dimensions, element type, bool round_result) {
    const element natural = inputs[0].type();
    // What is still to be rounded to integers keeps its fraction until then.
    const element before = natural == f64 ? f64 : round_result || !is_real(natural) ? f32 : natural;
    const tensor result = with_real(natural, [&](auto zero) {
        return detail::fake_quantize<decltype(zero)>(inputs, levels, {before, dimensions});
    });
    if (!round_result) {
        return convert_tensor(result, type);
    }
    const tensor whole = with_real(natural, [&](auto zero) {
        using real = decltype(zero);
        operand<real> from(result);
        outcome<real> to(result.type(), dimensions);
        for (std::size_t i = 0; i < to.elements(); ++i) {
            to[i] = detail::rounded(from[i]);
        }
        return to.finish();
    });
    return convert_tensor(whole, type);
}

}  // namespace lpt::evaluation
