// SPDX-License-Identifier: Apache-2.0
// Sums and products of codes, and PRELU of real numbers between codes, by the library's kernels.
#pragma once

#include <lpt/specified/elementwise.hpp>
#include <lpt/specified/kernel_numbers.hpp>

namespace lpt::inline LPT_ABI::specified {

namespace detail {

/// Whether operands have one shape, or one of them is one element; then every element has its partner without a search.
inline bool pair_up(const value& a, const value& b) {
    return a.dimensions == b.dimensions || (a.elements() == 1 && a.dimensions.rank() <= b.dimensions.rank()) ||
           (b.elements() == 1 && b.dimensions.rank() <= a.dimensions.rank());
}

inline step make_binary_on_kernels(const operation& op, const kernel::fixed_binary_problem& made, step otherwise) {
    const kernel::kernel_table* const kernels = op.kernels();
    const kernel::parallel_for parallel = op.parallel();
    return [=](const operands& run) {
        const value& a = run.in(0);
        const value& b = run.in(1);
        if (!pair_up(a, b)) return otherwise(run);
        value& output = run.out();
        output.reshape(a.elements() == 1 && a.dimensions.rank() <= b.dimensions.rank() ? b.dimensions : a.dimensions);
        kernel::fixed_binary_problem problem = made;
        problem.columns = output.elements();
        problem.a_step = a.elements() == 1 ? 0 : 1;
        problem.b_step = b.elements() == 1 ? 0 : 1;
        problem.a_row_stride = problem.columns;
        problem.b_row_stride = problem.columns;
        problem.a = a.as<std::int8_t>();
        problem.b = b.as<std::int8_t>();
        problem.output = output.to<std::int8_t>();
        kernels->run(problem, parallel);
    };
}

}  // namespace detail

/// ADD, SUB.
template <class Arithmetic>
step make_sum_on_kernels(const operation& op, step otherwise) {
    if (op.kernels() == nullptr) return otherwise;
    const quantized a = op.in(0), b = op.in(1), o = op.out();
    const double twice = 2 * std::max(static_cast<double>(a.scale), static_cast<double>(b.scale));
    constexpr int left = 20;
    const split_multiplier of_a(Arithmetic::of(static_cast<double>(a.scale) / twice), 0);
    const split_multiplier of_b(Arithmetic::of(static_cast<double>(b.scale) / twice), 0);
    const split_multiplier of_sum(Arithmetic::of(twice / ((1 << left) * static_cast<double>(o.scale))), o.zero_point);
    if (!of_a.fits || !of_b.fits || !of_sum.fits) return otherwise;
    const code_range range = op.activated();
    kernel::fixed_binary_problem problem;
    problem.function =
        op.code() == tflite::builtin::sub ? kernel::fixed_function::subtract : kernel::fixed_function::add;
    problem.a_zero_point = a.zero_point;
    problem.b_zero_point = b.zero_point;
    problem.of_a = of_a.numbers;
    problem.of_b = of_b.numbers;
    problem.of_a.left = left;
    problem.of_b.left = left;
    problem.of_result = of_sum.numbers;
    problem.low = range.lowest;
    problem.high = range.highest;
    return detail::make_binary_on_kernels(op, problem, lpt::move(otherwise));
}

/// MUL.
template <class Arithmetic>
step make_product_on_kernels(const operation& op, step otherwise) {
    if (op.kernels() == nullptr) return otherwise;
    const quantized a = op.in(0), b = op.in(1), o = op.out();
    const split_multiplier by(
        Arithmetic::of(static_cast<double>(a.scale) * static_cast<double>(b.scale) / static_cast<double>(o.scale)),
        o.zero_point);
    if (!by.fits) return otherwise;
    const code_range range = op.activated();
    kernel::fixed_binary_problem problem;
    problem.function = kernel::fixed_function::multiply;
    problem.a_zero_point = a.zero_point;
    problem.b_zero_point = b.zero_point;
    problem.of_result = by.numbers;
    problem.low = range.lowest;
    problem.high = range.highest;
    return detail::make_binary_on_kernels(op, problem, lpt::move(otherwise));
}

namespace detail {

/// The codes of real numbers x = scale * float(d), d the distance of a code from its zero point, times a slope.
struct sloped_codes {
    float scale;
    float slope;
    quantized to;

    std::int32_t operator()(std::int32_t distance) const {
        const float ratio = scale * static_cast<float>(distance) * slope / to.scale;
        const float limited = ratio < -1000.0F ? -1000.0F : ratio > 1000.0F ? 1000.0F : ratio;
        return code_range().clamp(static_cast<std::int64_t>(std::round(limited)) + to.zero_point);
    }
};

/// factor * q + offset.
struct code_line {
    float factor = 0;
    float offset = 0;
};

/// Every line stays this far from half way between two integers, so that roundings of this size change no code.
inline constexpr float margin_of_lines = 1.0F / 16384;

/// Finds a line that has the codes of q - zero for all q in [first, last]; false where there is none.
///   The integer next to fma(float(q), factor, offset), ties to even, limited, is the code, also where the line moves by the margin.
/// The real factors for which that holds are an interval; its middle is tried, on all codes.
inline bool find_line(const sloped_codes& codes, std::int32_t zero, std::int32_t first, std::int32_t last,
                      code_line& result) {
    const double real =
        static_cast<double>(codes.scale) * static_cast<double>(codes.slope) / static_cast<double>(codes.to.scale);
    double low = real - std::fabs(real) / 1024, high = real + std::fabs(real) / 1024;
    std::array<std::int32_t, 256> wanted{};
    for (std::int32_t q = first; q <= last; ++q) {
        const std::int32_t d = q - zero;
        const std::int32_t code = codes(d);
        wanted[static_cast<std::size_t>(q - first)] = code;
        if (d == 0) continue;
        const double below = code == -128 ? -1e9 : code - codes.to.zero_point - 0.5;
        const double above = code == 127 ? 1e9 : code - codes.to.zero_point + 0.5;
        low = std::max(low, (d > 0 ? below : above) / d);
        high = std::min(high, (d > 0 ? above : below) / d);
    }
    result.factor = static_cast<float>((low + high) / 2);
    if (!(std::fabs(result.factor) < 1e6F)) return false;
    result.offset = static_cast<float>(codes.to.zero_point - static_cast<double>(result.factor) * zero);
    for (std::int32_t q = first; q <= last; ++q) {
        const float at = std::fma(static_cast<float>(q), result.factor, result.offset);
        for (const float moved : {at - margin_of_lines, at + margin_of_lines}) {
            const auto nearest = static_cast<std::int64_t>(std::nearbyint(moved));
            if (code_range().clamp(nearest) != wanted[static_cast<std::size_t>(q - first)]) return false;
        }
    }
    return true;
}

/// The lines of a PRELU between codes.
struct prelu_lines {
    code_line positive;  // of codes from the zero point on
    std::vector<float> negative;  // a factor for each channel, then an offset for each; empty where a line is not found
    bool larger_is_code = true;  // the larger of both lines gives the code
};

/// Whether the larger of both lines gives the code. Exact lines meet at the zero point, and from there on the one with the greater factor is the
/// larger. Offsets below 512 and results that are not limited are rounded by 2^-15 each at most, together by no more than the margin.
inline bool larger_is_code(const code_line& positive, const code_line& negative) {
    return negative.factor <= positive.factor && std::fabs(positive.offset) < 512 && std::fabs(negative.offset) < 512;
}

/// The lines for a slope of each channel.
inline prelu_lines lines_of_prelu(quantized from, quantized to, const float* slopes, std::int64_t channels) {
    prelu_lines result;
    if (!find_line({from.scale, 1, to}, from.zero_point, from.zero_point, 127, result.positive)) return result;
    const auto count = static_cast<std::size_t>(channels);
    std::vector<float> numbers(2 * count);
    for (std::size_t c = 0; c < count; ++c) {
        code_line line;
        if (!find_line({from.scale, slopes[c], to}, from.zero_point, -128, from.zero_point - 1, line)) return result;
        numbers[c] = line.factor;
        numbers[count + c] = line.offset;
        result.larger_is_code = result.larger_is_code && larger_is_code(result.positive, line);
    }
    result.negative = lpt::move(numbers);
    return result;
}

}  // namespace detail

/// DEQUANTIZE, PRELU with a constant slope for each channel, QUANTIZE: one step from the codes before to those after, or none (an empty
/// function) where the three are not of that kind. What lies between them is not written.
inline step make_real_prelu_chain(const operation& from, const operation& prelu, const operation& to) {
    using tflite::builtin;
    if (from.kernels() == nullptr || from.code() != builtin::dequantize || prelu.code() != builtin::prelu ||
        to.code() != builtin::quantize || from.inputs() != 1 || prelu.inputs() != 2 || to.inputs() != 1 ||
        from.info().outputs.size() != 1 || prelu.info().outputs.size() != 1 ||
        from.info().outputs[0] != prelu.info().inputs[0] || prelu.info().outputs[0] != to.info().inputs[0])
        return {};
    const tflite::tensor_info& slope = prelu.input(1);
    const shape of = from.input(0).dimensions;
    if (from.type_of_input(0) != i8 || to.type_of_output(0) != i8 || !slope.is_constant() ||
        prelu.type_of_input(1) != f32 || slope.value.type() != f32 || from.input(0).quantized.scales.size() != 1 ||
        of.rank() == 0 || static_cast<std::int64_t>(slope.dimensions.elements()) != of[of.rank() - 1] ||
        slope.dimensions.rank() == 0 || slope.dimensions.rank() > of.rank() ||
        slope.dimensions[slope.dimensions.rank() - 1] != of[of.rank() - 1])
        return {};
    const auto* const slopes = reinterpret_cast<const float*>(slope.value.data());
    for (std::size_t i = 0; i < slope.dimensions.elements(); ++i) {
        if (!(std::fabs(slopes[i]) <= 3.4028234663852886e38F)) return {};
    }
    const quantized codes = from.in(0), results = to.out();
    kernel::real_prelu_problem made;
    made.channels = of[of.rank() - 1];
    made.zero_point = codes.zero_point;
    made.scale = codes.scale;
    made.output_scale = results.scale;
    made.output_zero_point = results.zero_point;
    made.slope = slopes;
    const auto lines =
        std::make_shared<const detail::prelu_lines>(detail::lines_of_prelu(codes, results, slopes, made.channels));
    if (!lines->negative.empty()) {
        made.positive = lines->positive.factor;
        made.positive_offset = lines->positive.offset;
        made.negative = lines->negative.data();
        made.larger_is_code = lines->larger_is_code;
    }
    const kernel::kernel_table* const kernels = from.kernels();
    const kernel::parallel_for parallel = from.parallel();
    const std::int64_t first = from.info().inputs[0];
    return [=, kept_lines = lines](const operands& run) {
        const value& input = run.tensor(first);
        if (input.dimensions.rank() == 0 || input.dimensions[input.dimensions.rank() - 1] != made.channels)
            fail({"an input of shape ", input.dimensions, " and ", made.channels, " slopes"});
        value& output = run.out();
        output.reshape(input.dimensions);
        kernel::real_prelu_problem problem = made;
        problem.rows = made.channels == 0 ? 0 : input.elements() / made.channels;
        problem.input = input.as<std::int8_t>();
        problem.output = output.to<std::int8_t>();
        kernels->run(problem, parallel);
    };
}

}  // namespace lpt::inline LPT_ABI::specified
