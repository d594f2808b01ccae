// SPDX-License-Identifier: Apache-2.0
// Functions of a row: SOFTMAX, LOG_SOFTMAX, L2_NORMALIZATION, along the last axis.
#pragma once

#include <lpt/specified/elementwise.hpp>

namespace lpt::inline LPT_ABI::specified {

namespace detail {

/// The rows of a tensor along its last axis.
struct rows_of_codes {
    std::int64_t count = 0;
    std::int64_t length = 0;

    explicit rows_of_codes(const value& input) {
        const std::size_t rank = input.dimensions.rank();
        if (rank == 0) fail({"a row of a tensor without axes"});
        length = input.dimensions[rank - 1];
        count = product(input.dimensions, 0, rank - 1);
    }
};

/// What a code adds to the sum of a row, and to what exponential it belongs, by the number of steps d that it lies below the largest: exp of -d with 0
/// integer bits, and the same with as many as the sum has. Of codes that lie too far `parts` is 0, and `is_near` false.
struct exponentials {
    static constexpr int sum_bits = 12;
    std::array<std::int32_t, 256> whole{};
    std::array<std::int32_t, 256> parts{};
    std::array<bool, 256> is_near{};
};

template <class Arithmetic>
exponentials exponentials_of(double beta, double scale) {
    constexpr int integer_bits = 5;
    const arithmetic::multiplier by =
        Arithmetic::of(std::min(beta * scale * static_cast<double>(1 << (31 - integer_bits)), 2147483647.0));
    const int left = std::max(by.exponent, 0);
    const double most = std::floor(31.0 * static_cast<double>(1 << (31 - integer_bits)) / std::ldexp(1.0, left));
    exponentials result;
    for (int d = 0; d < 256 && !(d > most); ++d) {
        const auto at = static_cast<std::size_t>(d);
        const std::int32_t scaled = Arithmetic::scale(-d, by);
        result.whole[at] = arithmetic::exp_of_negative(arithmetic::fixed<5>{scaled}).raw;
        result.parts[at] = Arithmetic::divide_by_power(result.whole[at], exponentials::sum_bits);
        result.is_near[at] = true;
    }
    return result;
}

/// The largest code of a row; -128 of an empty one.
inline std::int8_t largest_of(const std::int8_t* codes, std::int64_t count) {
    std::int8_t result = -128;
    for (std::int64_t i = 0; i < count; ++i)
        result = result < codes[i] ? codes[i] : result;
    return result;
}

/// A number for each code of a row, which is computed where the code is there.
template <class Number>
class found_by_code {
    std::array<Number, 256> numbers_{};
    std::array<bool, 256> is_known_{};

public:
    template <class Function>
    Number of(std::size_t index, const Function& function) {
        if (!is_known_[index]) {
            numbers_[index] = function(index);
            is_known_[index] = true;
        }
        return numbers_[index];
    }
};

/// SOFTMAX of one row.
template <class Arithmetic, class Output>
void soften(const exponentials& table, const std::int8_t* codes, std::int64_t length, Output* to) {
    constexpr int bits = 8 * sizeof(Output);
    const code_range range{-(1 << (bits - 1)), (1 << (bits - 1)) - 1};
    const std::int8_t largest = largest_of(codes, length);
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < length; ++i)
        sum += table.parts[static_cast<std::size_t>(largest - codes[i])];
    const arithmetic::reciprocal inverse =
        arithmetic::reciprocal_of(static_cast<std::int32_t>(sum), exponentials::sum_bits);
    const int right = std::min(31, std::max(0, inverse.bits_over_unit + 31 - bits));
    found_by_code<Output> shares;
    const auto share_of = [&](std::size_t d) {
        if (!table.is_near[d]) return static_cast<Output>(range.lowest);
        const std::int32_t product = Arithmetic::doubling_high_product(inverse.scale.raw, table.whole[d]);
        return static_cast<Output>(
            range.clamp(std::int64_t{Arithmetic::divide_by_power(product, right)} + range.lowest));
    };
    for (std::int64_t i = 0; i < length; ++i)
        to[i] = shares.of(static_cast<std::size_t>(largest - codes[i]), share_of);
}

}  // namespace detail

/// SOFTMAX in fixed point: exp(beta s_i (q - max)) with 5 integer bits in, their sum with 12, its reciprocal by three Newton steps, the product
/// rounded half away to the bits of the output; codes too far below the largest give the lowest code and add nothing.
template <class Arithmetic>
step make_softmax(const operation& op) {
    op.expect_type(op.input(0), i8);
    const element type = op.type_of_output(0);
    if (type != i8 && type != i16) op.wrong("softmax of type ", tflite::name(op.output(0).type));
    const auto table =
        kept(detail::exponentials_of<Arithmetic>(op.real_option("beta"), static_cast<double>(op.in(0).scale)));
    const kernel::parallel_for parallel = op.parallel();
    return [=](const operands& run) {
        const value& input = run.in(0);
        const detail::rows_of_codes rows(input);
        value& output = run.out();
        output.reshape(input.dimensions);
        const std::int8_t* codes = input.as<std::int8_t>();
        const std::int64_t length = rows.length;
        if (length == 0) return;
        share(parallel, rows.count, 16 * length, [&](std::int64_t row) {
            const std::int8_t* const from = codes + row * length;
            if (type == i8)
                detail::soften<Arithmetic>(*table, from, length, output.to<std::int8_t>() + row * length);
            else
                detail::soften<Arithmetic>(*table, from, length, output.to<std::int16_t>() + row * length);
        });
    };
}

/// LOG_SOFTMAX: round_half_away((d - ln(sum(exp(d)))) / s_o) + z_o with d = s_i (q - max).
template <class Arithmetic>
step make_log_softmax(const operation& op) {
    op.expect_codes(1);
    const quantized from = op.in(0), to = op.out();
    std::array<double, 256> exponential{};
    for (int d = 0; d < 256; ++d)
        exponential[static_cast<std::size_t>(d)] = std::exp(static_cast<double>(from.scale) * -d);
    const kernel::parallel_for parallel = op.parallel();
    return [=, table = kept(exponential)](const operands& run) {
        const value& input = run.in(0);
        const detail::rows_of_codes rows(input);
        value& output = run.out();
        output.reshape(input.dimensions);
        const std::int8_t* all = input.as<std::int8_t>();
        std::int8_t* const result = output.to<std::int8_t>();
        if (rows.length == 0) return;
        share(parallel, rows.count, 16 * rows.length, [&](std::int64_t row) {
            const std::int8_t* const codes = all + row * rows.length;
            const std::int8_t largest = detail::largest_of(codes, rows.length);
            double sum = 0;
            for (std::int64_t i = 0; i < rows.length; ++i)
                sum += (*table)[static_cast<std::size_t>(largest - codes[i])];
            const double log = std::log(sum);
            detail::found_by_code<std::int8_t> found;
            const auto code_of = [&](std::size_t d) {
                const double real = static_cast<double>(from.scale) * -static_cast<int>(d) - log;
                const std::int64_t code = Arithmetic::round_half_away(real / static_cast<double>(to.scale));
                return static_cast<std::int8_t>(
                    code_range().clamp(std::max<std::int64_t>(code, -1000000) + to.zero_point));
            };
            for (std::int64_t i = 0; i < rows.length; ++i)
                result[row * rows.length + i] = found.of(static_cast<std::size_t>(largest - codes[i]), code_of);
        });
    };
}

/// L2_NORMALIZATION: T(q - z_i, 2^7 / sqrt(sum((q - z_i)^2))), the root by five Newton steps in fixed point; the scale of the input has no part in it.
template <class Arithmetic>
step make_l2_normalization(const operation& op) {
    op.expect_codes(1);
    const quantized from = op.in(0);
    if (op.info().activation() != tflite::activation::none) op.wrong("a fused activation is not known here");
    return [=](const operands& run) {
        constexpr int output_bits = 7;
        const value& input = run.in(0);
        const detail::rows_of_codes rows(input);
        value& output = run.out();
        output.reshape(input.dimensions);
        const std::int8_t* codes = input.as<std::int8_t>();
        std::int8_t* result = output.to<std::int8_t>();
        for (std::int64_t row = 0; row < rows.count; ++row, codes += rows.length) {
            std::int64_t sum = 0;
            for (std::int64_t i = 0; i < rows.length; ++i)
                sum += (codes[i] - from.zero_point) * (codes[i] - from.zero_point);
            arithmetic::multiplier by = arithmetic::inverse_square_root(Arithmetic::saturate(sum));
            by.exponent += output_bits;
            for (std::int64_t i = 0; i < rows.length; ++i)
                *result++ =
                    static_cast<std::int8_t>(code_range().clamp(Arithmetic::scale(codes[i] - from.zero_point, by)));
        }
    };
}

}  // namespace lpt::inline LPT_ABI::specified
