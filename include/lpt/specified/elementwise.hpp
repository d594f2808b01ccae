// SPDX-License-Identifier: Apache-2.0
// Functions of two tensors: ADD, SUB, MUL, DIV, SQUARED_DIFFERENCE, MAXIMUM, MINIMUM, PRELU, SELECT and the comparisons.
#pragma once

#include <lpt/specified/broadcast.hpp>
#include <lpt/specified/fixed_point.hpp>

#include <array>
#include <memory>

namespace lpt::inline LPT_ABI::specified {

/// A number for each int8 code.
template <class Number>
struct code_table {
    std::array<Number, 256> of{};

    template <class Function>
    static code_table made_of(Function function) {
        code_table result;
        for (int code = -128; code <= 127; ++code)
            result.of[static_cast<std::size_t>(code + 128)] = static_cast<Number>(function(code));
        return result;
    }
    Number operator[](std::int8_t code) const { return of[static_cast<std::size_t>(code + 128)]; }
};

/// A table that a step keeps beside itself. Closures stay small: g++ 12 loses members behind large arrays when it copies one.
template <class Table>
std::shared_ptr<const Table> kept(const Table& table) {
    return std::make_shared<const Table>(table);
}

namespace detail {

/// T((q - z) << left, M(scale)) for each code.
template <class Arithmetic>
std::shared_ptr<const code_table<std::int32_t>> scaled_codes(quantized from, int left, double scale) {
    const arithmetic::multiplier by = Arithmetic::of(scale);
    return kept(code_table<std::int32_t>::made_of(
        [&](int code) { return Arithmetic::scale((code - from.zero_point) * (1 << left), by); }));
}

}  // namespace detail

/// ADD, SUB: t = 2 max(s_1, s_2), x_k = T((q_k - z_k) << 20, M(s_k / t)), T(x_1 +- x_2, M(t / (2^20 s_o))) + z_o.
template <class Arithmetic>
step make_sum(const operation& op) {
    op.expect_codes(2);
    const bool subtracts = op.code() == tflite::builtin::sub;
    const quantized a = op.in(0), b = op.in(1), o = op.out();
    const double twice = 2 * std::max(static_cast<double>(a.scale), static_cast<double>(b.scale));
    constexpr int left = 20;
    const auto of_a = detail::scaled_codes<Arithmetic>(a, left, static_cast<double>(a.scale) / twice);
    const auto of_b = detail::scaled_codes<Arithmetic>(b, left, static_cast<double>(b.scale) / twice);
    const arithmetic::multiplier by = Arithmetic::of(twice / ((1 << left) * static_cast<double>(o.scale)));
    const code_range range = op.activated();
    return [=](const operands& run) {
        apply<std::int8_t, std::int8_t, std::int8_t>(run, 0, 1, [&](std::int8_t x, std::int8_t y) {
            const std::int32_t sum = subtracts ? (*of_a)[x] - (*of_b)[y] : (*of_a)[x] + (*of_b)[y];
            return range.clamp(std::int64_t{Arithmetic::scale(sum, by)} + o.zero_point);
        });
    };
}

/// MUL: T((q_1 - z_1) (q_2 - z_2), M(s_1 s_2 / s_o)) + z_o.
template <class Arithmetic>
step make_product(const operation& op) {
    op.expect_codes(2);
    const quantized a = op.in(0), b = op.in(1), o = op.out();
    const arithmetic::multiplier by =
        Arithmetic::of(static_cast<double>(a.scale) * static_cast<double>(b.scale) / static_cast<double>(o.scale));
    const code_range range = op.activated();
    return [=](const operands& run) {
        apply<std::int8_t, std::int8_t, std::int8_t>(run, 0, 1, [&](std::int8_t x, std::int8_t y) {
            return range.clamp(std::int64_t{Arithmetic::scale((x - a.zero_point) * (y - b.zero_point), by)} +
                               o.zero_point);
        });
    };
}

/// DIV: the reciprocal of the divisor by Newton steps, the quotient with all headroom that the dividend has, one scale at the end.
/// A divisor whose real value is 0 is an error.
template <class Arithmetic>
step make_quotient(const operation& op) {
    op.expect_codes(2);
    const quantized a = op.in(0), b = op.in(1), o = op.out();
    const arithmetic::multiplier by =
        Arithmetic::of(static_cast<double>(a.scale) / (static_cast<double>(b.scale) * static_cast<double>(o.scale)));
    const code_range range = op.activated();
    const auto quotient = [=](std::int8_t x, std::int8_t y) {
        const std::int32_t dividend = x - a.zero_point;
        const std::int32_t divisor = y - b.zero_point;
        if (divisor == 0) fail({"DIV: a divisor is 0"});
        const arithmetic::reciprocal inverse = arithmetic::reciprocal_of(divisor < 0 ? -divisor : divisor, 31);
        const int headroom =
            arithmetic::leading_zeros(static_cast<std::uint32_t>(dividend < 0 ? ~dividend : dividend)) - 1;
        const std::int32_t raw = divisor < 0 ? -inverse.scale.raw : inverse.scale.raw;
        const std::int32_t unscaled =
            Arithmetic::doubling_high_product(Arithmetic::shift_left(dividend, headroom), raw);
        const int shift = by.exponent - inverse.bits_over_unit - headroom;
        // Of a shift by more than 31 bits to the right the reference keeps the rounding.
        if (dividend == 0) return range.clamp((shift < -31 ? 1 : 0) + o.zero_point);
        return range.clamp(std::int64_t{Arithmetic::scale(unscaled, {by.significand, shift})} + o.zero_point);
    };
    return [=](const operands& run) { apply<std::int8_t, std::int8_t, std::int8_t>(run, 0, 1, quotient); };
}

/// SQUARED_DIFFERENCE: x_k as for ADD with 7 bits; T((x_1 - x_2)^2, M(t^2 / (2^14 s_o))) + z_o.
template <class Arithmetic>
step make_squared_difference(const operation& op) {
    op.expect_codes(2);
    const quantized a = op.in(0), b = op.in(1), o = op.out();
    const double twice = 2 * std::max(static_cast<double>(a.scale), static_cast<double>(b.scale));
    constexpr int left = 7;
    const auto of_a = detail::scaled_codes<Arithmetic>(a, left, static_cast<double>(a.scale) / twice);
    const auto of_b = detail::scaled_codes<Arithmetic>(b, left, static_cast<double>(b.scale) / twice);
    const arithmetic::multiplier by = Arithmetic::of(twice * twice / ((1 << 2 * left) * static_cast<double>(o.scale)));
    const code_range range = op.activated();
    return [=](const operands& run) {
        apply<std::int8_t, std::int8_t, std::int8_t>(run, 0, 1, [&](std::int8_t x, std::int8_t y) {
            const std::int32_t difference = (*of_a)[x] - (*of_b)[y];
            return range.clamp(std::int64_t{Arithmetic::scale(difference * difference, by)} + o.zero_point);
        });
    };
}

/// MAXIMUM, MINIMUM: codes are compared, of whatever scale.
inline step make_extreme(const operation& op) {
    op.expect_codes(2);
    const bool largest = op.code() == tflite::builtin::maximum;
    return [=](const operands& run) {
        apply<std::int8_t, std::int8_t, std::int8_t>(
            run, 0, 1, [&](std::int8_t x, std::int8_t y) { return largest ? std::max(x, y) : std::min(x, y); });
    };
}

/// Comparisons: T((q_1 - z_1) << 8, M(s_1)) against T((q_2 - z_2) << 8, M(s_2)).
template <class Arithmetic>
step make_comparison(const operation& op) {
    op.expect_type(op.input(0), i8);
    op.expect_type(op.input(1), i8);
    op.expect_type(op.output(0), boolean);
    constexpr int left = 8;
    const auto of_a = detail::scaled_codes<Arithmetic>(op.in(0), left, static_cast<double>(op.in(0).scale));
    const auto of_b = detail::scaled_codes<Arithmetic>(op.in(1), left, static_cast<double>(op.in(1).scale));
    const tflite::builtin code = op.code();
    return [=](const operands& run) {
        apply<std::uint8_t, std::int8_t, std::int8_t>(run, 0, 1, [&](std::int8_t left_code, std::int8_t right_code) {
            const std::int32_t x = (*of_a)[left_code];
            const std::int32_t y = (*of_b)[right_code];
            switch (code) {
                case tflite::builtin::less: return x < y;
                case tflite::builtin::less_equal: return x <= y;
                case tflite::builtin::greater: return x > y;
                case tflite::builtin::greater_equal: return x >= y;
                case tflite::builtin::equal: return x == y;
                default: return x != y;
            }
        });
    };
}

/// PRELU of real numbers, as it stands between DEQUANTIZE and QUANTIZE: x where x >= 0, else x a.
inline step make_real_prelu(const operation& op) {
    op.expect_type(op.input(1), f32);
    op.expect_type(op.output(0), f32);
    return [](const operands& run) {
        apply<float, float, float>(run, 0, 1, [](float x, float slope) { return x >= 0 ? x : x * slope; });
    };
}

/// PRELU: T(q - z_i, M(s_i / s_o)) where q >= z_i, else T((q - z_i) (a - z_a), M(s_i s_a / s_o)); + z_o.
template <class Arithmetic>
step make_prelu(const operation& op) {
    if (op.type_of_input(0) == f32) return make_real_prelu(op);
    op.expect_codes(2);
    const quantized a = op.in(0), slope = op.in(1), o = op.out();
    const arithmetic::multiplier positive = Arithmetic::of(static_cast<double>(a.scale / o.scale));
    const arithmetic::multiplier negative = Arithmetic::of(static_cast<double>(a.scale * slope.scale / o.scale));
    const code_range range;
    return [=](const operands& run) {
        apply<std::int8_t, std::int8_t, std::int8_t>(run, 0, 1, [&](std::int8_t x, std::int8_t y) {
            const std::int32_t input = x - a.zero_point;
            const std::int32_t result = input >= 0 ? Arithmetic::scale(input, positive)
                                                   : Arithmetic::scale(input * (y - slope.zero_point), negative);
            return range.clamp(std::int64_t{result} + o.zero_point);
        });
    };
}

/// SELECT, SELECT_V2: elements of the second input where the condition holds, else of the third. SELECT's condition may be a vector that
/// chooses along the first axis.
inline step make_selection(const operation& op) {
    op.expect_type(op.input(0), boolean);
    const element type = op.type_of_output(0);
    op.expect_type(op.input(1), type);
    op.expect_type(op.input(2), type);
    const bool along_first = op.code() == tflite::builtin::select;
    return [=](const operands& run) {
        const value& condition = run.in(0);
        const value& yes = run.in(1);
        const value& no = run.in(2);
        const std::size_t size = yes.bytes_of(1);
        shape of_condition = condition.dimensions;
        if (along_first && of_condition.rank() == 1 && yes.dimensions.rank() > 1) {
            of_condition = shape::of_ones(yes.dimensions.rank());
            of_condition[0] = condition.dimensions[0];
        }
        value& output = run.out();
        output.reshape(broadcast(broadcast(yes.dimensions, no.dimensions), of_condition));
        const std::uint8_t* chooses = condition.as<std::uint8_t>();
        std::byte* to = output.to<std::byte>();
        for_each_row<3>(output.dimensions, {&of_condition, &yes.dimensions, &no.dimensions},
                        [&](std::int64_t first, const std::int64_t* at, const std::int64_t* steps, std::int64_t count) {
                            for (std::int64_t i = 0; i < count; ++i) {
                                const bool chosen = chooses[at[0] + i * steps[0]] != 0;
                                const std::byte* from =
                                    chosen ? yes.data() + (at[1] + i * steps[1]) * static_cast<std::int64_t>(size)
                                           : no.data() + (at[2] + i * steps[2]) * static_cast<std::int64_t>(size);
                                std::memcpy(to + (first + i) * static_cast<std::int64_t>(size), from, size);
                            }
                        });
    };
}

}  // namespace lpt::inline LPT_ABI::specified
