// SPDX-License-Identifier: Apache-2.0
// `lanes` of 4 numbers, for AArch64.
#pragma once

#if defined(__aarch64__)

#include <lpt/kernel/xsimd_lanes.hpp>

#include <arm_neon.h>

namespace lpt::inline LPT_ABI::kernel {

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
    // xsimd looks the count up in a list of all counts, and fails an assertion past its end.
    [[gnu::always_inline]] static ints shift_left_23(ints value) noexcept { return vshlq_n_s32(value, 23); }
    [[gnu::always_inline]] static ints shift_right_23(ints value) noexcept { return vshrq_n_s32(value, 23); }
    [[gnu::always_inline]] static ints shift_right_1(ints value) noexcept { return vshrq_n_s32(value, 1); }
    [[gnu::always_inline]] static ints sign(ints value) noexcept { return vshrq_n_s32(value, 31); }
    [[gnu::always_inline]] static ints shift_left(ints value, int by) noexcept {
        return vshlq_s32(value, vdupq_n_s32(by));
    }
    [[gnu::always_inline]] static ints shift_right(ints value, ints by) noexcept {
        return vshlq_s32(value, vnegq_s32(by));
    }
    [[gnu::always_inline]] static ints doubling_high_product(ints a, ints b) noexcept { return vqrdmulhq_s32(a, b); }
    /// Shifts are to the left.
    struct fixed_factors {
        int32x4_t multiplier, left;
    };
    [[gnu::always_inline]] static fixed_factors factors_of(ints multiplier, ints right) noexcept {
        return {multiplier, vsubq_s32(vdupq_n_s32(-1), right)};
    }
    /// The rounding shift rounds half up: negative numbers are one less before.
    [[gnu::always_inline]] static ints rounded_twice(ints x, const fixed_factors& by) noexcept {
        const int32x4_t high = vqrdmulhq_s32(x, by.multiplier);
        return vrshlq_s32(vsraq_n_s32(high, high, 31), by.left);
    }
    [[gnu::always_inline]] static int32x2_t rounded_products(int32x2_t value, const double* by) noexcept {
        const float64x2_t most = vdupq_n_f64(1073741824.0);
        const float64x2_t product = vmulq_f64(vcvtq_f64_s64(vmovl_s32(value)), vld1q_f64(by));
        const float64x2_t half =
            vbslq_f64(vdupq_n_u64(std::uint64_t{1} << 63), product, vdupq_n_f64(0.49999999999999994));
        const float64x2_t limited = vminq_f64(vaddq_f64(product, half), most);
        return vmovn_s64(vcvtq_s64_f64(vmaxq_f64(limited, vnegq_f64(most))));
    }
    [[gnu::always_inline]] static ints rounded_products(ints value, const double* by) noexcept {
        const int32x4_t all = value;
        return vcombine_s32(rounded_products(vget_low_s32(all), by), rounded_products(vget_high_s32(all), by + 2));
    }
    using bytes = uint8x16_t;
    /// The numbers of four vectors as bytes in order, saturated to i8 (`Signed`) or u8.
    template <bool Signed>
    [[gnu::always_inline]] static bytes pack(ints a, ints b, ints c, ints d) noexcept {
        const int16x8_t low = vqmovn_high_s32(vqmovn_s32(a), b);
        const int16x8_t high = vqmovn_high_s32(vqmovn_s32(c), d);
        if constexpr (Signed)
            return vreinterpretq_u8_s8(vqmovn_high_s16(vqmovn_s16(low), high));
        else
            return vqmovun_high_s16(vqmovun_s16(low), high);
    }
    /// The same: there are no parts to pack in.
    template <bool Signed>
    [[gnu::always_inline]] static bytes pack_in_parts(ints a, ints b, ints c, ints d) noexcept {
        return pack<Signed>(a, b, c, d);
    }
    /// Four vectors whose bytes `pack_in_parts` would leave in order are in that order themselves.
    [[gnu::always_inline]] static void order_parts(floats (&)[4]) noexcept {}
    /// Rounds for packing with saturation: NaN and what is below `low` becomes it; `high` and `low` are what bytes are limited to.
    [[gnu::always_inline]] static ints round_for_packing(floats value, floats low, floats high) noexcept {
        return round_to_int(at_most(at_least(value, low), high));
    }
    static constexpr int stream_alignment = 16;
    // There is no vector store past the caches; processors find out by themselves.
    [[gnu::always_inline]] static void stream(float* to, floats value) noexcept { base::store(to, value); }
    [[gnu::always_inline]] static void stream_bytes(std::uint8_t* to, bytes value) noexcept { vst1q_u8(to, value); }
    [[gnu::always_inline]] static void end_stream() noexcept {}
    /// Stores the first `count` (<= 16) of packed bytes.
    [[gnu::always_inline]] static void store_first(std::uint8_t* to, bytes value, std::int64_t count) noexcept {
        store_piece<0, 16>(to, value, count);
    }
    /// Limits packed bytes to [low, high].
    template <bool Signed>
    [[gnu::always_inline]] static bytes limit(bytes value, std::int32_t low, std::int32_t high) noexcept {
        if constexpr (Signed) {
            const int8x16_t from = vdupq_n_s8(static_cast<std::int8_t>(low));
            const int8x16_t to = vdupq_n_s8(static_cast<std::int8_t>(high));
            return vreinterpretq_u8_s8(vminq_s8(vmaxq_s8(vreinterpretq_s8_u8(value), from), to));
        } else {
            const uint8x16_t from = vdupq_n_u8(static_cast<std::uint8_t>(low));
            const uint8x16_t to = vdupq_n_u8(static_cast<std::uint8_t>(high));
            return vminq_u8(vmaxq_u8(value, from), to);
        }
    }
    /// Stores the first `count` (<= Size) bytes of the piece of packed bytes at [First, First + Size).
    template <int First, int Size>
    [[gnu::always_inline]] static void store_piece(std::uint8_t* to, bytes value, std::int64_t count) noexcept {
        unsigned char whole[16];
        vst1q_u8(whole, value);
        if (count == Size)
            __builtin_memcpy(to, whole + First, Size);
        else
            copy_few<Isa, Size>(to, whole + First, count);
    }
    template <bool Signed>
    [[gnu::always_inline]] static void store_bytes(std::uint8_t* to, ints a, ints b, ints c, ints d) noexcept {
        vst1q_u8(to, pack<Signed>(a, b, c, d));
    }
    /// An instruction looks up in 64 bytes, and leaves what lies outside of them.
    [[gnu::always_inline]] static std::int64_t look_up(const std::uint8_t* table, const std::uint8_t* from,
                                                       std::uint8_t* to, std::int64_t count) noexcept {
        const uint8x16x4_t part[4] = {vld1q_u8_x4(table), vld1q_u8_x4(table + 64), vld1q_u8_x4(table + 128),
                                      vld1q_u8_x4(table + 192)};
        std::int64_t i = 0;
        for (; i + 16 <= count; i += 16) {
            const uint8x16_t at = vld1q_u8(from + i);
            uint8x16_t found = vqtbl4q_u8(part[0], at);
            found = vqtbx4q_u8(found, part[1], vsubq_u8(at, vdupq_n_u8(64)));
            found = vqtbx4q_u8(found, part[2], vsubq_u8(at, vdupq_n_u8(128)));
            found = vqtbx4q_u8(found, part[3], vsubq_u8(at, vdupq_n_u8(192)));
            vst1q_u8(to + i, found);
        }
        return i;
    }
    /// Sum of `count` unsigned bytes after flipping the bits of `flip` in each.
    [[gnu::always_inline]] static std::uint32_t sum_bytes(const unsigned char* from, std::int64_t count,
                                                          unsigned char flip) noexcept {
        uint32x4_t sum = vdupq_n_u32(0);
        std::int64_t i = 0;
        for (; i + 16 <= count; i += 16)
            sum = vpadalq_u16(sum, vpaddlq_u8(veorq_u8(vld1q_u8(from + i), vdupq_n_u8(flip))));
        std::uint32_t total = vaddvq_u32(sum);
        for (; i < count; ++i)
            total += static_cast<std::uint32_t>(from[i] ^ flip);
        return total;
    }
    [[gnu::always_inline]] static void store_byte(std::uint8_t* to, ints value) noexcept {
        const int16x4_t words = vmovn_s32(value);
        const int8x8_t bytes = vmovn_s16(vcombine_s16(words, words));
        const std::uint32_t four = vget_lane_u32(vreinterpret_u32_s8(bytes), 0);
        __builtin_memcpy(to, &four, sizeof four);
    }
};

}  // namespace detail

template <>
struct lanes<on::neon> : detail::lanes_128<on::neon> {};
template <>
struct lanes<on::neon_dot> : detail::lanes_128<on::neon_dot> {};
template <>
struct lanes<on::neon_i8mm> : detail::lanes_128<on::neon_i8mm> {};

}  // namespace lpt::inline LPT_ABI::kernel

#endif
