// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/traits.hpp>
#include <lpt/graph/fold/broadcast.hpp>

namespace lpt::inline LPT_ABI::evaluation {

namespace detail {

/// Like `math::round_half_even` but for the sign of zero. Adding 1.5 * 2^fraction bits leaves no room for a fraction: the addition rounds.
template <class Real>
constexpr Real rounded(Real value) {
    constexpr Real shift = is_same<Real, float> ? Real(12582912) : Real(6755399441055744);
    if (math::absolute(value) < shift / 4) {
        return (value + shift) - shift;
    }
    return math::round_half_even(value);
}

/// What quantizes all elements of a FakeQuantize alike.
template <class Real>
struct level_grid {
    Real steps;
    std::int64_t zero_level;

    explicit constexpr level_grid(const op::fake_quantize& of)
        : steps(static_cast<Real>(of.levels - 1)), zero_level(of.zero_level) {}
    constexpr bool has_zero_level() const { return zero_level != op::fake_quantize::no_level; }

    /// The number of the level that x in the range goes to.
    constexpr Real level(Real x, Real input_low, Real input_high) const {
        if (has_zero_level()) {
            const Real zero = static_cast<Real>(zero_level);
            const Real result = rounded(from_zero(x, input_low, input_high)) + zero;
            return math::minimum(math::maximum(result, Real(0)), steps);
        }
        return rounded((x - input_low) / (input_high - input_low) * steps);
    }
    /// What a level stands for.
    constexpr Real value(Real level, Real output_low, Real output_high) const {
        const Real step = (output_high - output_low) / steps;
        if (has_zero_level() && stands_for_zero(output_low, step)) {
            return (level - static_cast<Real>(zero_level)) * step;
        }
        return level / steps * (output_high - output_low) + output_low;
    }

private:
    /// The number that the zero level lies at.
    constexpr double zero_of(Real low, Real step) const {
        return static_cast<double>(low) + static_cast<double>(zero_level) * static_cast<double>(step);
    }
    /// Bounds were rounded when they were made: a zero level that lies as near to 0 as that makes it stands for 0.
    constexpr bool stands_for_zero(Real low, Real step) const {
        return math::absolute(zero_of(low, step)) <= 0x1p-12 * math::absolute(static_cast<double>(step));
    }
    /// Steps from the zero level.
    constexpr Real from_zero(Real x, Real input_low, Real input_high) const {
        const Real step = (input_high - input_low) / steps;
        return stands_for_zero(input_low, step)
                   ? x / step
                   : static_cast<Real>((static_cast<double>(x) - zero_of(input_low, step)) / static_cast<double>(step));
    }
};

/// The order of the operations is part of the definition: another one gives other last digits.
template <class Real>
constexpr Real fake_quantized(Real x, const Real (&range)[4], const level_grid<Real>& grid) {
    const auto [input_low, input_high, output_low, output_high] = range;
    if (x <= math::minimum(input_low, input_high)) {
        return output_low;
    }
    if (x > math::maximum(input_low, input_high)) {
        return output_high;
    }
    return grid.value(grid.level(x, input_low, input_high), output_low, output_high);
}

template <class Real>
constexpr void fake_quantize_row(const Real* x, std::size_t step, Real* to, std::size_t count, const Real (&range)[4],
                                 const level_grid<Real>& grid) {
    for (std::size_t i = 0; i < count; ++i) {
        to[i] = fake_quantized(x[i * step], range, grid);
    }
}

/// Sixteen values of a FakeQuantize without a zero level, without a branch; equal to `fake_quantized` where `steps` is below 2^21: then what is rounded is
/// small, but for values outside the input range, which are not taken.
constexpr void fake_quantize_block(const float* x, float (&to)[block_size], const float (&range)[4], float steps) {
    const float low = math::minimum(range[0], range[1]);
    const float high = math::maximum(range[0], range[1]);
    const float input_width = range[1] - range[0];
    const float output_width = range[3] - range[2];
    constexpr float shift = 12582912;
    for (std::size_t i = 0; i < block_size; ++i) {
        const float whole = ((x[i] - range[0]) / input_width * steps + shift) - shift;
        const float inside = whole / steps * output_width + range[2];
        const float above = x[i] > high ? range[3] : inside;
        to[i] = x[i] <= low ? range[2] : above;
    }
}

/// Numbers as bytes of u8 or i8: rounded, halves to even, saturating, NaN gives 0.
constexpr void round_to_bytes(const float (&from)[block_size], std::byte* to, float lowest, float highest) {
    constexpr float shift = 12582912;
    std::uint8_t codes[block_size]{};
    for (std::size_t i = 0; i < block_size; ++i) {
        const float known = from[i] == from[i] ? from[i] : 0.0f;
        const float above = known < lowest ? lowest : known;
        const float inside = above > highest ? highest : above;
        codes[i] = static_cast<std::uint8_t>(static_cast<int>((inside + shift) - shift));
    }
    for (std::size_t i = 0; i < block_size; ++i) {
        to[i] = static_cast<std::byte>(codes[i]);
    }
}

/// The values of a FakeQuantize in u8 or i8, rounded; levels below 2^21. The way of most weights.
constexpr tensor fake_quantize_to_bytes(view<tensor> inputs, const op::fake_quantize& what,
                                        const op::output_facts& output) {
    using walk = broadcast_walk<5>;
    operand<float> x(inputs[0]);
    operand<float> input_low(inputs[1]);
    operand<float> input_high(inputs[2]);
    operand<float> output_low(inputs[3]);
    operand<float> output_high(inputs[4]);
    raw_output result(output.type, output.dimensions);
    const level_grid<float> grid(what);
    const auto lowest = static_cast<float>(facts(output.type).lowest);
    const auto highest = static_cast<float>(facts(output.type).highest);
    const auto shape_at = [&](std::size_t port) { return &inputs[port].dimensions(); };
    const walk rows(output.dimensions, {shape_at(0), shape_at(1), shape_at(2), shape_at(3), shape_at(4)});
    rows.for_each_row([&](const walk::row& row) {
        const bool one_range = row.step[1] + row.step[2] + row.step[3] + row.step[4] == 0;
        const std::size_t part = one_range ? block_size : 1;
        for (std::size_t i = 0; i < row.length; i += part) {
            const float range[4] = {input_low[row.at[1] + i * row.step[1]], input_high[row.at[2] + i * row.step[2]],
                                    output_low[row.at[3] + i * row.step[3]], output_high[row.at[4] + i * row.step[4]]};
            const std::size_t count = math::minimum(part, row.length - i);
            const float* from = x.data() + row.at[0] + i * row.step[0];
            std::byte* to = result.data() + row.output + i;
            float values[block_size]{};
            if (count == block_size && row.step[0] == 1 && !grid.has_zero_level()) {
                fake_quantize_block(from, values, range, grid.steps);
                round_to_bytes(values, to, lowest, highest);
                continue;
            }
            if (count > 1 && row.step[0] == 1 && !grid.has_zero_level()) {
                float few[block_size]{};
                lpt::detail::copy_values(few, from, count);
                fake_quantize_block(few, values, range, grid.steps);
            } else {
                fake_quantize_row(from, row.step[0], values, count, range, grid);
            }
            std::byte codes[block_size]{};
            round_to_bytes(values, codes, lowest, highest);
            lpt::detail::copy_values(to, codes, count);
        }
    });
    return result.finish();
}

template <class Real>
constexpr tensor fake_quantize(view<tensor> inputs, const op::fake_quantize& what, const op::output_facts& output) {
    using walk = broadcast_walk<5>;
    operand<Real> x(inputs[0]);
    operand<Real> input_low(inputs[1]);
    operand<Real> input_high(inputs[2]);
    operand<Real> output_low(inputs[3]);
    operand<Real> output_high(inputs[4]);
    outcome<Real> result(output);
    const level_grid<Real> grid(what);
    const auto shape_at = [&](std::size_t port) { return &inputs[port].dimensions(); };
    const walk rows(output.dimensions, {shape_at(0), shape_at(1), shape_at(2), shape_at(3), shape_at(4)});
    rows.for_each_row([&](const walk::row& row) {
        const bool one_range = row.step[1] + row.step[2] + row.step[3] + row.step[4] == 0;
        const std::size_t part = one_range ? row.length : 1;
        for (std::size_t i = 0; i < row.length; i += part) {
            const Real range[4] = {input_low[row.at[1] + i * row.step[1]], input_high[row.at[2] + i * row.step[2]],
                                   output_low[row.at[3] + i * row.step[3]], output_high[row.at[4] + i * row.step[4]]};
            fake_quantize_row(x.data() + row.at[0] + i * row.step[0], row.step[0], result.data() + row.output + i, part,
                              range, grid);
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
/// (double for f64); with `zero_level` as the operation says. With `round_result` the result is rounded to integers, halves to even, before it is converted to `type`;
/// without it an integral type takes it towards zero. Source: OpenVINO operation set, FakeQuantize-1.
[[gnu::noinline]] constexpr tensor evaluate_fake_quantize(view<tensor> inputs, const op::fake_quantize& what,
                                                          const shape& dimensions, element type, bool round_result) {
    const element natural = inputs[0].type();
    if (round_result && (type == u8 || type == i8) && natural != f64 && what.levels < (1 << 21)) {
        return detail::fake_quantize_to_bytes(inputs, what, {type, dimensions});
    }
    // What is still to be rounded to integers keeps its fraction until then.
    const element before = natural == f64 ? f64 : round_result || !is_real(natural) || !is_real(type) ? f32 : type;
    const tensor result = with_real(
        natural, [&](auto zero) { return detail::fake_quantize<decltype(zero)>(inputs, what, {before, dimensions}); });
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

/// `evaluate_fake_quantize` of values that live on: many elements are quantized when they are read.
constexpr tensor fake_quantize_late(seq<tensor> inputs, const op::fake_quantize& what, const shape& dimensions,
                                    element type, bool round_result) {
    constexpr std::size_t few = 64;  // as quick as to remember what they are made of
    if (lpt::is_constant_evaluated() || dimensions.elements() < few) {
        return evaluate_fake_quantize(inputs, what, dimensions, type, round_result);
    }
    const int depth = late_depth_above(inputs);
    return late_tensor(type, dimensions, depth, [=, inputs = lpt::move(inputs)] {
        return evaluate_fake_quantize(inputs, what, dimensions, type, round_result);
    });
}

}  // namespace lpt::inline LPT_ABI::evaluation
