// SPDX-License-Identifier: Apache-2.0
// Functions of one tensor of 8 bits: each is a table of 256 codes, computed when the kernel is made. QUANTIZE and DEQUANTIZE of other types.
#pragma once

#include <lpt/specified/elementwise.hpp>
#include <lpt/specified/fixed_point.hpp>

namespace lpt::inline LPT_ABI::specified {

namespace detail {

inline step make_lookup_on_kernels(const operation& op, const code_table<std::int8_t>& table) {
    std::array<std::uint8_t, 256> by_byte{};
    for (int code = -128; code <= 127; ++code)
        by_byte[static_cast<std::uint8_t>(code)] = static_cast<std::uint8_t>(table[static_cast<std::int8_t>(code)]);
    const kernel::kernel_table* const kernels = op.kernels();
    const kernel::parallel_for parallel = op.parallel();
    return [=, table = kept(by_byte)](const operands& run) {
        const value& input = run.in(0);
        value& output = run.out();
        output.reshape(input.dimensions);
        kernel::lookup_problem problem;
        problem.table = table->data();
        problem.input = input.as<std::uint8_t>();
        problem.output = output.to<std::uint8_t>();
        problem.count = input.elements();
        kernels->lookup(problem, parallel);
    };
}

}  // namespace detail

/// A kernel that replaces each int8 code by that of a table.
inline step make_lookup(const operation& op, const code_table<std::int8_t>& table) {
    if (op.kernels() != nullptr) return detail::make_lookup_on_kernels(op, table);
    return [table = kept(table)](const operands& run) {
        const value& input = run.in(0);
        value& output = run.out();
        output.reshape(input.dimensions);
        const std::int8_t* from = input.as<std::int8_t>();
        std::int8_t* to = output.to<std::int8_t>();
        const std::int64_t count = input.elements();
        for (std::int64_t i = 0; i < count; ++i)
            to[i] = (*table)[from[i]];
    };
}

namespace detail {

/// clamp(round_half_away(f(s_i (q - z_i)) / s_o) + z_o) for each code; f and what is around it in single precision.
template <class Arithmetic, class Function>
step make_function(const operation& op, Function function) {
    op.expect_codes(1);
    const quantized from = op.in(0), to = op.out();
    const float inverse = 1.0F / to.scale;
    return make_lookup(op, code_table<std::int8_t>::made_of([&](int code) {
                           const float result =
                               std::round(function(from.scale * static_cast<float>(code - from.zero_point)) * inverse);
                           if (!(result > -1e9F)) return -128;  // so is what is no number
                           return code_range().clamp(static_cast<std::int64_t>(std::min(result, 1e9F)) + to.zero_point);
                       }));
}

/// A function of double precision, rounded to single: correctly but for the rarest of its values, wherever it runs.
template <double (*Function)(double)>
float rounded(float x) {
    return static_cast<float>(Function(static_cast<double>(x)));
}

inline float gelu(float x, bool approximate) {
    constexpr float root_of_half = 0.70710678118654752440F;
    constexpr float root_of_two_over_pi = 0.79788456080286535588F;
    if (!approximate) return 0.5F * x * rounded<std::erfc>(x * -root_of_half);
    return 0.5F * x * (1.0F + rounded<std::tanh>(root_of_two_over_pi * x * (1.0F + 0.044715F * x * x)));
}

/// LOGISTIC (8 bits) and TANH (7 bits) in fixed point: x = T(q - z_i, M(2^27 s_i)) has 4 integer bits, f(x) is rounded half away to `bits` bits.
/// Codes whose x has more are the first or last. The output's quantization, which the specification sets, has no part in it.
template <class Arithmetic, class Function>
step make_fixed_function(const operation& op, int bits, std::int32_t zero_point, Function function) {
    op.expect_codes(1);
    const quantized from = op.in(0);
    constexpr int integer_bits = 4;
    const arithmetic::multiplier by = Arithmetic::of(std::ldexp(static_cast<double>(from.scale), 31 - integer_bits));
    const double radius = std::floor(std::ldexp(double{(1 << integer_bits) - 1}, 31 - integer_bits - by.exponent));
    return make_lookup(op, code_table<std::int8_t>::made_of([&](int code) {
                           const std::int32_t centred = code - from.zero_point;
                           if (centred <= -radius) return -128;
                           if (centred >= radius) return 127;
                           const arithmetic::fixed<integer_bits> x{Arithmetic::scale(centred, by)};
                           const std::int32_t result = Arithmetic::divide_by_power(function(x).raw, 31 - bits);
                           return code_range().clamp(std::int64_t{result} + zero_point);
                       }));
}

/// An affine function of the code in two pieces: T(q - z_i, above) where q >= z_i, else T(q - z_i, below); + z_o; within the range.
template <class Arithmetic>
step make_affine(const operation& op, quantized from, quantized to, double above, double below, code_range range) {
    const arithmetic::multiplier of_above = Arithmetic::of(above), of_below = Arithmetic::of(below);
    return make_lookup(op, code_table<std::int8_t>::made_of([&](int code) {
                           const std::int32_t centred = code - from.zero_point;
                           return range.clamp(
                               std::int64_t{Arithmetic::scale(centred, centred >= 0 ? of_above : of_below)} +
                               to.zero_point);
                       }));
}

}  // namespace detail

/// LOGISTIC, TANH, ELU, EXP, LOG, GELU: clamp(round_half_away(f(s_i (q - z_i)) / s_o) + z_o).
/// Where f has no real value, or minus infinity, the code is -128. The arithmetic may have LOGISTIC and TANH in fixed point.
template <class Arithmetic>
step make_real_function(const operation& op) {
    using detail::rounded;
    using tflite::builtin;
    if constexpr (Arithmetic::functions_in_fixed_point) {
        if (op.code() == builtin::logistic)
            return detail::make_fixed_function<Arithmetic>(op, 8, -128, [](auto x) { return arithmetic::logistic(x); });
        if (op.code() == builtin::tanh)
            return detail::make_fixed_function<Arithmetic>(op, 7, 0, [](auto x) { return arithmetic::tanh(x); });
    }
    switch (op.code()) {
        case builtin::logistic:
            return detail::make_function<Arithmetic>(op, [](float x) { return 1.0F / (1.0F + rounded<std::exp>(-x)); });
        case builtin::tanh: return detail::make_function<Arithmetic>(op, rounded<std::tanh>);
        case builtin::elu:
            return detail::make_function<Arithmetic>(op, [](float x) { return x < 0 ? rounded<std::expm1>(x) : x; });
        case builtin::exp: return detail::make_function<Arithmetic>(op, rounded<std::exp>);
        case builtin::log: return detail::make_function<Arithmetic>(op, rounded<std::log>);
        default: break;
    }
    const bool approximate = op.option("approximate") != 0;
    return detail::make_function<Arithmetic>(op, [=](float x) { return detail::gelu(x, approximate); });
}

/// SQRT: sqrt(s_i (q - z_i)) / s_o without what lies behind the point, + z_o; codes below z_i give z_o.
inline step make_root(const operation& op) {
    op.expect_codes(1);
    const quantized from = op.in(0), to = op.out();
    return make_lookup(op, code_table<std::int8_t>::made_of([&](int code) {
                           const float real = from.scale * static_cast<float>(std::max(0, code - from.zero_point));
                           const float result = std::min(std::sqrt(real) / to.scale, 1e9F);
                           return code_range().clamp(static_cast<std::int64_t>(result) + to.zero_point);
                       }));
}

/// ABS: T(|q - z_i|, M(s_i / s_o)) + z_o; the codes themselves where both scales are the same.
template <class Arithmetic>
step make_absolute(const operation& op) {
    op.expect_codes(1);
    const quantized from = op.in(0), to = op.out();
    const arithmetic::multiplier by = Arithmetic::of(static_cast<double>(from.scale / to.scale));
    const bool rescales = from.scale != to.scale;
    return make_lookup(op, code_table<std::int8_t>::made_of([&](int code) {
                           const std::int32_t centred =
                               code < from.zero_point ? from.zero_point - code : code - from.zero_point;
                           return code_range().clamp(std::int64_t{rescales ? Arithmetic::scale(centred, by) : centred} +
                                                     to.zero_point);
                       }));
}

/// RELU, RELU6, RELU_N1_TO_1, RELU_0_TO_1: T(q - z_i, M(s_i / s_o)) + z_o, within the codes z_o + round(v / s_o) of the bounds v.
template <class Arithmetic>
step make_rectifier(const operation& op) {
    op.expect_codes(1);
    const quantized from = op.in(0), to = op.out();
    const auto code_of = [&](float real) {
        return code_range().clamp(to.zero_point + Arithmetic::round_half_away(static_cast<double>(real / to.scale)));
    };
    code_range range;
    range.lowest = code_of(op.code() == tflite::builtin::relu_n1_to_1 ? -1.0F : 0.0F);
    if (op.code() != tflite::builtin::relu) range.highest = code_of(op.code() == tflite::builtin::relu6 ? 6.0F : 1.0F);
    const auto scale = static_cast<double>(from.scale / to.scale);
    return detail::make_affine<Arithmetic>(op, from, to, scale, scale, range);
}

/// LEAKY_RELU: as RELU without bounds, below z_i with M(s_i alpha / s_o).
template <class Arithmetic>
step make_leaky_rectifier(const operation& op) {
    op.expect_codes(1);
    const quantized from = op.in(0), to = op.out();
    const auto alpha = static_cast<float>(op.real_option("alpha"));
    return detail::make_affine<Arithmetic>(op, from, to, static_cast<double>(from.scale / to.scale),
                                           static_cast<double>(from.scale * alpha / to.scale), code_range());
}

/// RSQRT: 1 / sqrt(q - z_i) in fixed point with 20 more bits, scaled by M(1 / (sqrt(s_i) s_o)); 127 at z_i. Codes below are an error.
template <class Arithmetic>
step make_inverse_root(const operation& op) {
    op.expect_codes(1);
    const quantized from = op.in(0), to = op.out();
    constexpr int more = 20;
    arithmetic::multiplier by = Arithmetic::of(static_cast<double>(1.0F / (std::sqrt(from.scale) * to.scale)));
    by.exponent -= more;
    const step look_up = make_lookup(
        op, code_table<std::int8_t>::made_of([&](int code) {
            const std::int32_t centred = code - from.zero_point;
            if (centred <= 0) return 127;
            arithmetic::multiplier root = arithmetic::inverse_square_root(centred);
            root.exponent += more;
            return code_range().clamp(std::int64_t{Arithmetic::scale(Arithmetic::scale(1, root), by)} + to.zero_point);
        }));
    return [=](const operands& run) {
        const std::int8_t* codes = run.in(0).template as<std::int8_t>();
        const std::int64_t count = run.in(0).elements();
        for (std::int64_t i = 0; i < count; ++i) {
            if (codes[i] < from.zero_point) fail({"RSQRT: element ", i, " is below 0"});
        }
        look_up(run);
    };
}

namespace detail {

constexpr std::int32_t saturate_16(std::int32_t number) {
    return number < -32768 ? -32768 : number > 32767 ? 32767 : number;
}

/// a * b / 2^15, rounded half away (but towards zero at a negative tie).
constexpr std::int32_t high_product_16(std::int32_t a, std::int32_t b) {
    const std::int32_t product = a * b;
    return saturate_16((product + (product >= 0 ? 1 << 14 : 1 - (1 << 14))) / (1 << 15));
}

/// The upper 16 bits of a significand, rounded.
constexpr std::int32_t upper_half(std::int32_t significand) {
    return significand >= INT32_MAX - (1 << 15) ? INT16_MAX : (significand + (1 << 15)) >> 16;
}

/// What HARD_SWISH knows before it runs: two scales of the input with 7 more bits, that of the output and that in which 3 is 2^15.
template <class Arithmetic>
struct hard_swish {
    quantized from, to;
    arithmetic::multiplier of_output, of_rectifier;

    hard_swish(quantized input, quantized output) : from(input), to(output) {
        const float fine = 1.0F / 128.0F * input.scale;
        of_output = Arithmetic::of(static_cast<double>(fine / output.scale));
        of_rectifier = Arithmetic::of(static_cast<double>(fine / (3.0F / 32768.0F)));
    }

    /// min(max(x, -3), 3) / 3 in 15 bits.
    std::int32_t rectified(std::int32_t fine) const {
        std::int32_t result = fine;
        const int exponent = of_rectifier.exponent;
        if (exponent > 0) result = saturate_16(Arithmetic::shift_left(result, exponent - 1));
        result = high_product_16(result, upper_half(of_rectifier.significand));
        if (exponent > 0) result = saturate_16(result * 2);
        if (exponent < 0) result = Arithmetic::divide_by_power(result, -exponent < 31 ? -exponent : 31);
        return result;
    }

    std::int32_t operator()(int code) const {
        const std::int32_t fine = (code - from.zero_point) * (1 << 7);
        const std::int32_t scaled = high_product_16(fine, upper_half(of_output.significand));
        const std::int32_t share = (rectified(fine) + (1 << 15)) >> 1;  // relu6(x + 3) / 6
        const std::int32_t product = saturate_16(share * scaled / (1 << 15));
        const int right = -of_output.exponent;
        const std::int32_t shifted = right >= 0 ? Arithmetic::divide_by_power(product, right < 31 ? right : 31)
                                                : saturate_16(Arithmetic::shift_left(product, -right));
        return code_range().clamp(shifted + to.zero_point);
    }
};

}  // namespace detail

/// HARD_SWISH in 16 bits: x relu6(x + 3) / 6 of the input's code with 7 more bits.
template <class Arithmetic>
step make_hard_swish(const operation& op) {
    op.expect_codes(1);
    return make_lookup(op, code_table<std::int8_t>::made_of(detail::hard_swish<Arithmetic>(op.in(0), op.out())));
}

/// QUANTIZE: of codes T(q - z_i, M(s_i / s_o)) + z_o; of real numbers round_half_away(x / s_o) + z_o in single precision; clamped.
template <class Arithmetic>
step make_quantization(const operation& op) {
    const element from_type = op.type_of_input(0);
    const element to_type = op.type_of_output(0);
    const quantized to = op.out();
    const code_range range = range_of(to_type);
    if (to_type != i8 && to_type != u8 && to_type != i16) op.wrong("quantizes to ", tflite::name(op.output(0).type));
    if (from_type == f32) {
        return [=](const operands& run) {
            const value& input = run.in(0);
            value& output = run.out();
            output.reshape(input.dimensions);
            const float* numbers = input.as<float>();
            const std::int64_t count = input.elements();
            for (std::int64_t i = 0; i < count; ++i) {
                const std::int64_t code = Arithmetic::round_half_away(static_cast<double>(numbers[i] / to.scale));
                store_integer(to_type, output.to<std::byte>(), static_cast<std::size_t>(i),
                              range.clamp(std::min<std::int64_t>(std::max<std::int64_t>(code, -1000000), 1000000) +
                                          to.zero_point));
            }
        };
    }
    if (from_type != i8 && from_type != u8 && from_type != i16) op.wrong("quantizes ", tflite::name(op.input(0).type));
    const quantized from = op.in(0);
    const double scale = static_cast<double>(from.scale) / static_cast<double>(to.scale);
    if (from_type == i8 && to_type == i8) return detail::make_affine<Arithmetic>(op, from, to, scale, scale, range);
    const arithmetic::multiplier by = Arithmetic::of(scale);
    return [=](const operands& run) {
        const value& input = run.in(0);
        value& output = run.out();
        output.reshape(input.dimensions);
        const std::int64_t count = input.elements();
        for (std::int64_t i = 0; i < count; ++i) {
            const auto code = static_cast<std::int32_t>(input.integer(i));
            store_integer(to_type, output.to<std::byte>(), static_cast<std::size_t>(i),
                          range.clamp(std::int64_t{Arithmetic::scale(code - from.zero_point, by)} + to.zero_point));
        }
    };
}

/// DEQUANTIZE: float(s) * float(q - z), also with a scale for each slice of an axis.
inline step make_dequantization(const operation& op) {
    const tflite::tensor_info& input = op.input(0);
    const element type = op.type_of_input(0);
    if (type != i8 && type != u8 && type != i16) op.wrong("dequantizes ", tflite::name(input.type));
    op.expect_type(op.output(0), f32);
    const std::size_t count = input.quantized.scales.size();
    if (count == 0) op.wrong("tensor '", input.name, "' has no quantization");
    std::vector<quantized> slices;
    for (std::size_t i = 0; i < count; ++i)
        slices.push_back({op.usable_scale(input, i), op.usable_zero_point(input, i)});
    const std::int64_t axis = input.quantized.axis;
    return [=](const operands& run) {
        const value& from = run.in(0);
        value& output = run.out();
        output.reshape(from.dimensions);
        std::int64_t inner = from.elements();
        if (slices.size() > 1) {
            const std::size_t along = axis_of(axis, from.dimensions.rank());
            if (from.dimensions[along] != static_cast<std::int64_t>(slices.size()))
                fail({"DEQUANTIZE: ", slices.size(), " scales along an axis of ", from.dimensions[along]});
            inner = product(from.dimensions, along + 1, from.dimensions.rank());
        }
        float* to = output.to<float>();
        const std::int64_t elements = from.elements();
        if (type == i8 && slices.size() == 1) {
            const std::int8_t* const codes = from.as<std::int8_t>();
            for (std::int64_t i = 0; i < elements; ++i)
                to[i] = slices[0].scale * static_cast<float>(codes[i] - slices[0].zero_point);
            return;
        }
        for (std::int64_t i = 0; i < elements; ++i) {
            const quantized& slice = slices[static_cast<std::size_t>(i / inner) % slices.size()];
            to[i] = slice.scale * static_cast<float>(from.integer(i) - slice.zero_point);
        }
    };
}

}  // namespace lpt::inline LPT_ABI::specified
