// SPDX-License-Identifier: Apache-2.0
// Arithmetic of quantized operations as a type: kernels take it as template parameter, and others can stand beside it.
#pragma once

#include <lpt/tensor/element.hpp>

#include <cmath>

namespace lpt::inline LPT_ABI::arithmetic {

/// A positive real number in fixed point: significand * 2^(exponent - 31), the significand 0 or in [2^30, 2^31).
struct multiplier {
    std::int32_t significand = 0;
    std::int32_t exponent = 0;
};

/// The arithmetic of TensorFlow Lite's reference kernels for 8-bit integers.
/// Integers of 32 bits and IEEE double precision in few, explicit operations: the same bits with every compiler and processor.
struct tflite_reference {
    static constexpr text_view name = "tflite_reference";
    /// Whether FULLY_CONNECTED and SUM round once, from the exact product; else twice, as the convolutions do.
    static constexpr bool rounds_once = true;
    /// Whether LOGISTIC and TANH are computed in fixed point with 4 integer bits; else in single precision.
    static constexpr bool functions_in_fixed_point = false;
    /// Whether sums are scaled in single precision, by `requantize`; else in fixed point.
    static constexpr bool in_single_precision = false;

    /// The nearest integer, ties away from zero. What 64 bits cannot hold becomes the nearest that they can.
    static std::int64_t round_half_away(double value) {
        // Half of what 64 bits hold leaves room for the zero point that is added before a clamp.
        constexpr std::int64_t bound = std::int64_t{1} << 62;
        if (!(value > -4.6e18)) return value <= -4.6e18 ? -bound : 0;
        if (value > 4.6e18) return bound;
        return static_cast<std::int64_t>(std::round(value));
    }

    /// Fixed point of a real number that is finite and not negative: 31 bits, rounded half away; below 2^-32 it is 0.
    static multiplier of(double real) {
        if (!(real > 0)) return {};
        int exponent = 0;
        std::int64_t significand = round_half_away(std::frexp(real, &exponent) * 2147483648.0);
        if (significand == std::int64_t{1} << 31) {
            significand /= 2;
            ++exponent;
        }
        if (exponent < -31) return {};
        return {static_cast<std::int32_t>(significand), exponent};
    }

    static constexpr std::int32_t saturate(std::int64_t value) {
        return value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : static_cast<std::int32_t>(value);
    }

    /// a * b / 2^31, rounded half up; -2^31 * -2^31 saturates.
    static constexpr std::int32_t doubling_high_product(std::int32_t a, std::int32_t b) {
        return saturate((std::int64_t{a} * b + (std::int64_t{1} << 30)) >> 31);
    }

    /// value / 2^exponent, rounded half away from zero; 0 <= exponent <= 31.
    static constexpr std::int32_t divide_by_power(std::int32_t value, int exponent) {
        const std::int64_t half = (std::int64_t{1} << exponent) >> 1;
        const std::int64_t down = half != 0 && value < 0 ? 1 : 0;
        return static_cast<std::int32_t>((value + half - down) >> exponent);
    }

    /// value * 2^exponent, saturated; exponent >= 0.
    static constexpr std::int32_t shift_left(std::int32_t value, int exponent) {
        return saturate(std::int64_t{value} * (std::int64_t{1} << (exponent < 31 ? exponent : 31)));
    }

    /// value * by with two roundings: that of the high product and that of the shift to the right.
    static constexpr std::int32_t scale(std::int32_t value, multiplier by) {
        if (by.exponent > 0) return doubling_high_product(shift_left(value, by.exponent), by.significand);
        return divide_by_power(doubling_high_product(value, by.significand), by.exponent > -31 ? -by.exponent : 31);
    }

    /// value * by rounded once, half away from zero.
    static std::int32_t scale_once(std::int64_t value, double by) {
        return saturate(round_half_away(static_cast<double>(value) * by));
    }
};

/// TensorFlow Lite Micro's: as the reference, but FULLY_CONNECTED and SUM round twice, and LOGISTIC and TANH are computed in fixed point.
struct tflite_micro : tflite_reference {
    static constexpr text_view name = "tflite_micro";
    static constexpr bool rounds_once = false;
    static constexpr bool functions_in_fixed_point = true;
};

/// That of LiteRT's default, XNNPACK, on x86: the scale is a number of single precision, and ties go to the even integer.
/// Operations that XNNPACK leaves to others are the reference's. Runs on the loops of the definition. Source: XNNPACK's parameters of
/// quantized operators, replayed on LiteRT 2.3.0.
struct xnnpack : tflite_reference {
    static constexpr text_view name = "xnnpack";
    static constexpr bool rounds_once = false;
    static constexpr bool in_single_precision = true;

    /// The integer next to a number within 32 bits, ties to the even one.
    static std::int32_t round_half_even(float value) { return static_cast<std::int32_t>(std::nearbyint(value)); }

    /// round_half_even(value by, limited to [lowest, highest] - zero_point) + zero_point; lowest <= highest lie within 16 bits. NaN is the lowest.
    static std::int32_t requantize(float value, float by, std::int32_t zero_point, std::int32_t lowest,
                                   std::int32_t highest) {
        const auto low = static_cast<float>(lowest - zero_point);
        const auto high = static_cast<float>(highest - zero_point);
        const float scaled = value * by;
        return round_half_even(!(scaled > low) ? low : scaled < high ? scaled : high) + zero_point;
    }
};

}  // namespace lpt::inline LPT_ABI::arithmetic
