// SPDX-License-Identifier: Apache-2.0
// Real numbers as two digits of eight bits, for products with weights of bytes that should not lose what bytes cannot say.
#pragma once

#include <lpt/kernel/isa.hpp>
#include <lpt/kernel/lanes.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// How numbers become integers of which the greatest magnitude is `largest`: size = greatest / largest, and inverse = largest / greatest, each
/// rounded once. Where all numbers are below 1e-30 both are 0, so that they count as zeros; where there is an infinity or NaN the size is NaN.
template <class Isa>
struct rounding_unit {
    float size;
    float inverse;

    rounding_unit(float greatest, float largest) noexcept {
        const bool is_finite = greatest < __builtin_inff();
        inverse = is_finite && greatest >= 1e-30f ? largest / greatest : 0;
        size = !is_finite ? __builtin_nanf("") : inverse == 0 ? 0 : greatest / largest;
    }
};

/// x = scale * (256 * high + low), with digits in [-128, 127] and |256 * high + low| at most `largest`: x is rounded to the nearest such
/// number, ties to even, so that it moves by 0.506 * scale at most (x / scale and the scale are rounded, too). As u8, digits have the zero point 128.
template <class Isa>
struct digits {
    using simd = lanes<Isa>;
    static constexpr std::int32_t zero_point = 128;
    static constexpr float largest = 127 * 256 + 127;

    /// The digits of a row, and its scale: the greatest magnitude takes `largest`. Rows of nothing but magnitudes below 1e-30 count as
    /// zeros; those that hold an infinity or NaN have the scale NaN. Whole vectors of the digits are written.
    static float split(const float* from, std::int64_t count, std::uint8_t* high, std::uint8_t* low) noexcept {
        const rounding_unit<Isa> unit(greatest_magnitude<Isa>(from, count), largest);
        const auto offset = simd::broadcast_int(zero_point * 256 + zero_point);
        const auto byte = simd::broadcast_int(255);
        for (std::int64_t i = 0; i < count; i += simd::width) {
            const auto number = unit.inverse == 0 ? simd::broadcast(0) : load_part<Isa>(from + i, count - i);
            const auto code =
                simd::add_int(simd::round_to_int(simd::multiply(number, simd::broadcast(unit.inverse))), offset);
            simd::store_byte(high + i, simd::and_int(simd::shift_right(code, simd::broadcast_int(8)), byte));
            simd::store_byte(low + i, simd::and_int(code, byte));
        }
        return unit.size;
    }

    /// to = scale * fma(256, high, low). Whole vectors are read and written.
    static void join(const float* high, const float* low, float scale, std::int64_t count, float* to) noexcept {
        const auto base = simd::broadcast(256);
        const auto factor = simd::broadcast(scale);
        for (std::int64_t i = 0; i < count; i += simd::width)
            simd::store(to + i, simd::multiply(factor, simd::fma(base, simd::load(high + i), simd::load(low + i))));
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
