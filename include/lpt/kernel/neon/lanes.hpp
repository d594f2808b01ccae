// SPDX-License-Identifier: Apache-2.0
// `lanes` of 4 numbers, for AArch64.
#pragma once

#if defined(__aarch64__)

#include <lpt/kernel/xsimd_lanes.hpp>

#include <arm_neon.h>

namespace lpt::kernel {

namespace detail {

template <class Isa>
struct lanes_128 : xsimd_lanes<Isa, xsimd::neon64> {
    using base = xsimd_lanes<Isa, xsimd::neon64>;
    using typename base::floats;
    using typename base::ints;

    [[gnu::always_inline]] static floats fma(floats a, floats b, floats c) noexcept { return vfmaq_f32(c, a, b); }
    // Compare and select, because the minimum and maximum instructions keep NaN.
    [[gnu::always_inline]] static floats at_least(floats value, floats low) noexcept {
        return vbslq_f32(vcgtq_f32(value, low), value, low);
    }
    [[gnu::always_inline]] static floats at_most(floats value, floats high) noexcept {
        return vbslq_f32(vcltq_f32(value, high), value, high);
    }
    [[gnu::always_inline]] static ints load_u8(const std::uint8_t* from) noexcept {
        std::uint32_t four;
        __builtin_memcpy(&four, from, sizeof four);
        const uint8x8_t bytes = vreinterpret_u8_u32(vdup_n_u32(four));
        return vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(vmovl_u8(bytes))));
    }
    [[gnu::always_inline]] static ints load_i8(const std::int8_t* from) noexcept {
        std::uint32_t four;
        __builtin_memcpy(&four, from, sizeof four);
        const int8x8_t bytes = vreinterpret_s8_u32(vdup_n_u32(four));
        return vmovl_s16(vget_low_s16(vmovl_s8(bytes)));
    }
    // xsimd computes these for the 32-bit architecture too, by approximation; here they must be correctly rounded.
    [[gnu::always_inline]] static floats divide(floats a, floats b) noexcept { return vdivq_f32(a, b); }
    [[gnu::always_inline]] static floats sqrt(floats value) noexcept { return vsqrtq_f32(value); }
    [[gnu::always_inline]] static floats floor(floats value) noexcept { return vrndmq_f32(value); }
    [[gnu::always_inline]] static floats ceiling(floats value) noexcept { return vrndpq_f32(value); }
    [[gnu::always_inline]] static floats round_even(floats value) noexcept { return vrndnq_f32(value); }
    [[gnu::always_inline]] static ints round_to_int(floats value) noexcept { return vcvtnq_s32_f32(value); }
    [[gnu::always_inline]] static ints bits(floats value) noexcept { return vreinterpretq_s32_f32(value); }
    [[gnu::always_inline]] static floats from_bits(ints value) noexcept { return vreinterpretq_f32_s32(value); }
    /// 16-bit halves: (low of a, low of b).
    [[gnu::always_inline]] static ints pair(ints a, ints b) noexcept { return vsliq_n_s32(a, b, 16); }
    /// sum + a.low * b.low + a.high * b.high
    [[gnu::always_inline]] static ints multiply_pairs(ints sum, ints a, ints b) noexcept {
        const int16x8_t x = vreinterpretq_s16_s32(a);
        const int16x8_t y = vreinterpretq_s16_s32(b);
        const int32x4_t low = vmull_s16(vget_low_s16(x), vget_low_s16(y));
        return vaddq_s32(sum, vpaddq_s32(low, vmull_high_s16(x, y)));
    }
    template <bool Signed>
    [[gnu::always_inline]] static void store_bytes(std::uint8_t* to, ints a, ints b, ints c, ints d) noexcept {
        const int16x8_t low = vmovn_high_s32(vmovn_s32(a), b);
        const int16x8_t high = vmovn_high_s32(vmovn_s32(c), d);
        vst1q_u8(to, vreinterpretq_u8_s8(vmovn_high_s16(vmovn_s16(low), high)));
    }
    [[gnu::always_inline]] static void store_byte(std::uint8_t* to, ints value) noexcept {
        const int16x4_t words = vmovn_s32(value);
        const int8x8_t bytes = vmovn_s16(vcombine_s16(words, words));
        const std::uint32_t four = vget_lane_u32(vreinterpret_u32_s8(bytes), 0);
        __builtin_memcpy(to, &four, sizeof four);
    }
};

} // namespace detail

template <>
struct lanes<on::neon> : detail::lanes_128<on::neon> {};
template <>
struct lanes<on::neon_dot> : detail::lanes_128<on::neon_dot> {};

} // namespace lpt::kernel

#endif
