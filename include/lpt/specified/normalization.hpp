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

/// exp of -d, by the number of steps d that a code lies below the largest; -1 where it lies too far.
using exponentials = std::array<std::int32_t, 256>;

template <class Arithmetic>
exponentials exponentials_of(double beta, double scale) {
    constexpr int integer_bits = 5;
    const arithmetic::multiplier by =
        Arithmetic::of(std::min(beta * scale * static_cast<double>(1 << (31 - integer_bits)), 2147483647.0));
    const int left = std::max(by.exponent, 0);
    const double most = std::floor(31.0 * static_cast<double>(1 << (31 - integer_bits)) / std::ldexp(1.0, left));
    exponentials result{};
    for (int d = 0; d < 256; ++d) {
        if (d > most) {
            result[static_cast<std::size_t>(d)] = -1;
            continue;
        }
        const std::int32_t scaled = Arithmetic::scale(-d, by);
        result[static_cast<std::size_t>(d)] = arithmetic::exp_of_negative(arithmetic::fixed<5>{scaled}).raw;
    }
    return result;
}

}  // namespace detail

/// SOFTMAX in fixed point: exp(beta s_i (q - max)) with 5 integer bits in, their sum with 12, its reciprocal by three Newton steps, the product
/// rounded half away to the bits of the output; codes too far below the largest give the lowest code and add nothing.
template <class Arithmetic>
step make_softmax(const operation& op) {
    op.expect_type(op.input(0), i8);
    const element type = op.type_of_output(0);
    if (type != i8 && type != i16) op.wrong("softmax of type ", tflite::name(op.output(0).type));
    const auto kept_table =
        kept(detail::exponentials_of<Arithmetic>(op.real_option("beta"), static_cast<double>(op.in(0).scale)));
    return [=](const operands& run) {
        constexpr int sum_bits = 12;
        const detail::exponentials& table = *kept_table;
        const code_range range = range_of(type);
        const int bits = bit_width(type);
        const value& input = run.in(0);
        const detail::rows_of_codes rows(input);
        value& output = run.out();
        output.reshape(input.dimensions);
        const std::int8_t* codes = input.as<std::int8_t>();
        std::byte* result = output.to<std::byte>();
        std::array<std::int32_t, 256> share{};
        for (std::int64_t row = 0; row < rows.count; ++row, codes += rows.length) {
            if (rows.length == 0) continue;
            const std::int8_t largest = *std::max_element(codes, codes + rows.length);
            std::int64_t sum = 0;
            for (std::int64_t i = 0; i < rows.length; ++i) {
                const std::int32_t exponential = table[static_cast<std::size_t>(largest - codes[i])];
                if (exponential >= 0) sum += Arithmetic::divide_by_power(exponential, sum_bits);
            }
            const arithmetic::reciprocal inverse = arithmetic::reciprocal_of(static_cast<std::int32_t>(sum), sum_bits);
            const int right = std::min(31, std::max(0, inverse.bits_over_unit + 31 - bits));
            std::array<bool, 256> known{};
            for (std::int64_t i = 0; i < rows.length; ++i) {
                const auto d = static_cast<std::size_t>(largest - codes[i]);
                if (!known[d]) {
                    const std::int32_t product = Arithmetic::doubling_high_product(inverse.scale.raw, table[d]);
                    const std::int64_t code = std::int64_t{Arithmetic::divide_by_power(product, right)} + range.lowest;
                    share[d] = table[d] < 0 ? range.lowest : range.clamp(code);
                    known[d] = true;
                }
                store_integer(type, result, static_cast<std::size_t>(row * rows.length + i), share[d]);
            }
        }
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
    return [=, table = kept(exponential)](const operands& run) {
        const value& input = run.in(0);
        const detail::rows_of_codes rows(input);
        value& output = run.out();
        output.reshape(input.dimensions);
        const std::int8_t* codes = input.as<std::int8_t>();
        std::int8_t* result = output.to<std::int8_t>();
        for (std::int64_t row = 0; row < rows.count; ++row, codes += rows.length) {
            if (rows.length == 0) continue;
            const std::int8_t largest = *std::max_element(codes, codes + rows.length);
            double sum = 0;
            for (std::int64_t i = 0; i < rows.length; ++i)
                sum += (*table)[static_cast<std::size_t>(largest - codes[i])];
            const double log = std::log(sum);
            for (std::int64_t i = 0; i < rows.length; ++i) {
                const double real = static_cast<double>(from.scale) * (codes[i] - largest) - log;
                const std::int64_t code = Arithmetic::round_half_away(real / static_cast<double>(to.scale));
                *result++ = static_cast<std::int8_t>(
                    code_range().clamp(std::max<std::int64_t>(code, -1000000) + to.zero_point));
            }
        }
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
