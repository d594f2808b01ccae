// SPDX-License-Identifier: Apache-2.0
// `lanes<Isa>`: a vector of single-precision numbers with exactly the operations that kernels use, each one correctly rounded, so
// that the same expression gives the same bits on every instruction set. This header has the scalar one (a vector of one number);
// the folders of the instruction sets have the others, made from xsimd.
#pragma once

#include <lpt/kernel/isa.hpp>

#include <concepts>
#include <cstring>

namespace lpt::inline LPT_ABI::kernel {

template <class Isa>
struct lanes;

namespace detail {

/// Vectors in registers: made, loaded, stored.
template <class Lanes>
concept lane_memory = requires(typename Lanes::floats& v, typename Lanes::ints& i, const float* floats,
                               float* to_floats, const std::int32_t* ints, std::int32_t* to_ints,
                               const std::uint8_t* u8, const std::int8_t* i8, std::uint8_t* to) {
    { Lanes::width } -> std::convertible_to<int>;
    v = Lanes::broadcast(float{});
    i = Lanes::broadcast_int(std::int32_t{});
    v = Lanes::load(floats);
    i = Lanes::load_int(ints);
    i = Lanes::load_u8(u8);
    i = Lanes::load_i8(i8);
    Lanes::store(to_floats, v);
    Lanes::store_int(to_ints, i);
    Lanes::store_byte(to, i);
    Lanes::template store_bytes<true>(to, i, i, i, i);
    Lanes::template store_bytes<false>(to, i, i, i, i);
    { Lanes::look_up(u8, u8, to, std::int64_t{}) } -> std::same_as<std::int64_t>;
};

/// Arithmetic of real numbers.
template <class Lanes>
concept lane_arithmetic = requires(typename Lanes::floats& v, typename Lanes::mask& m) {
    v = Lanes::add(v, v);
    v = Lanes::subtract(v, v);
    v = Lanes::multiply(v, v);
    v = Lanes::divide(v, v);
    v = Lanes::fma(v, v, v);
    v = Lanes::at_least(v, v);
    v = Lanes::at_most(v, v);
    v = Lanes::sqrt(v);
    v = Lanes::floor(v);
    v = Lanes::ceiling(v);
    v = Lanes::round_even(v);
    m = Lanes::less(v, v);
    m = Lanes::equal(v, v);
    v = Lanes::select(m, v, v);
};

/// Arithmetic of integers, and from the one to the other.
template <class Lanes>
concept lane_integers = requires(typename Lanes::floats& v, typename Lanes::ints& i, const double* factors) {
    v = Lanes::to_float(i);
    i = Lanes::round_to_int(v);
    i = Lanes::bits(v);
    v = Lanes::from_bits(i);
    i = Lanes::add_int(i, i);
    i = Lanes::subtract_int(i, i);
    i = Lanes::multiply_int(i, i);
    i = Lanes::max_int(i, i);
    i = Lanes::min_int(i, i);
    i = Lanes::and_int(i, i);
    i = Lanes::or_int(i, i);
    i = Lanes::shift_left_23(i);
    i = Lanes::shift_right_23(i);
    i = Lanes::shift_right_1(i);
    i = Lanes::sign(i);
    i = Lanes::shift_left(i, int{});
    i = Lanes::shift_right(i, i);
    i = Lanes::doubling_high_product(i, i);
    i = Lanes::rounded_products(i, factors);
    i = Lanes::rounded_twice(i, Lanes::factors_of(i, i));
};

}  // namespace detail

/// What `lanes` of every instruction set has; `lanes<on::scalar>` says what each member means. Members that only some have: `load_first`
/// and `load_first_bytes`, which load the first elements of a vector, and `look_up_16`, elements of a table of 16 numbers.
template <class Lanes>
concept vector_lanes = detail::lane_memory<Lanes> && detail::lane_arithmetic<Lanes> && detail::lane_integers<Lanes>;

/// What kernels that put four vectors together as bytes need besides: all instruction sets but `scalar` have it.
template <class Lanes>
concept byte_lanes = vector_lanes<Lanes> && requires(typename Lanes::bytes& b, typename Lanes::floats& v,
                                                     typename Lanes::ints& i, typename Lanes::floats (&four)[4],
                                                     float* to_floats, std::uint8_t* to, const unsigned char* from) {
    // Four vectors as bytes, saturated to i8 (`true`) or u8: in order, and in the order in which packing inside 128-bit parts leaves them.
    b = Lanes::template pack<true>(i, i, i, i);
    b = Lanes::template pack_in_parts<false>(i, i, i, i);
    // Four vectors whose bytes `pack_in_parts` would leave in order, in that order themselves.
    Lanes::order_parts(four);
    // Rounds for packing with saturation to [low, high].
    i = Lanes::round_for_packing(v, v, v);
    b = Lanes::template limit<true>(b, std::int32_t{}, std::int32_t{});
    b = Lanes::template limit<false>(b, std::int32_t{}, std::int32_t{});
    // The first `count` of the packed bytes, and of a piece of them.
    Lanes::store_first(to, b, std::int64_t{});
    Lanes::template store_piece<0, Lanes::width>(to, b, std::int64_t{});
    // 16-bit halves (low of a, low of b), and the sum of their products with others.
    i = Lanes::multiply_pairs(i, Lanes::pair(i, i), i);
    { Lanes::sum_bytes(from, std::int64_t{}, static_cast<unsigned char>(0)) } -> std::same_as<std::uint32_t>;
    // Stores past the caches, at multiples of `stream_alignment`.
    { Lanes::stream_alignment } -> std::convertible_to<int>;
    Lanes::stream(to_floats, v);
    Lanes::stream_bytes(to, b);
    Lanes::end_stream();
};

/// One number. The meaning of every operation:
///   at_least(v, low)  = v > low ? v : low, so NaN becomes low;   at_most(v, high) = v < high ? v : high;
///   fma rounds once;  round_to_int rounds to nearest even and is defined for |v| < 2^31;  load_u8 / load_i8 widen exactly.
template <>
struct lanes<on::scalar> {
    using floats = float;
    using ints = std::int32_t;
    using mask = bool;
    static constexpr int width = 1;

    static floats broadcast(float value) noexcept { return value; }
    static ints broadcast_int(std::int32_t value) noexcept { return value; }
    static floats load(const float* from) noexcept {
        floats value;
        std::memcpy(&value, from, sizeof value);
        return value;
    }
    static ints load_int(const std::int32_t* from) noexcept {
        ints value;
        std::memcpy(&value, from, sizeof value);
        return value;
    }
    static ints load_u8(const std::uint8_t* from) noexcept { return *from; }
    static ints load_i8(const std::int8_t* from) noexcept { return *from; }
    static void store(float* to, floats value) noexcept { std::memcpy(to, &value, sizeof value); }
    static void store_int(std::int32_t* to, ints value) noexcept { std::memcpy(to, &value, sizeof value); }
    /// Stores the low byte of each number.
    static void store_byte(std::uint8_t* to, ints value) noexcept { *to = static_cast<std::uint8_t>(value); }

    /// to[i] = table[from[i]] for whole vectors of bytes, as many as there are in `count`; gives how many bytes that was.
    static std::int64_t look_up(const std::uint8_t* table, const std::uint8_t* from, std::uint8_t* to,
                                std::int64_t count) noexcept {
        for (std::int64_t i = 0; i < count; ++i)
            to[i] = table[from[i]];
        return count;
    }

    /// The same for the numbers of four vectors, which are all in the range of i8 (`Signed`) or u8.
    template <bool Signed>
    static void store_bytes(std::uint8_t* to, ints a, ints b, ints c, ints d) noexcept {
        store_byte(to, a);
        store_byte(to + 1, b);
        store_byte(to + 2, c);
        store_byte(to + 3, d);
    }

    static floats add(floats a, floats b) noexcept { return a + b; }
    static floats subtract(floats a, floats b) noexcept { return a - b; }
    static floats multiply(floats a, floats b) noexcept { return a * b; }
    static floats divide(floats a, floats b) noexcept { return a / b; }
    static floats fma(floats a, floats b, floats c) noexcept { return __builtin_fmaf(a, b, c); }
    static floats at_least(floats value, floats low) noexcept { return value > low ? value : low; }
    static floats at_most(floats value, floats high) noexcept { return value < high ? value : high; }
    static floats sqrt(floats value) noexcept { return __builtin_sqrtf(value); }
    static floats floor(floats value) noexcept { return __builtin_floorf(value); }
    static floats ceiling(floats value) noexcept { return __builtin_ceilf(value); }
    static floats round_even(floats value) noexcept { return __builtin_nearbyintf(value); }
    static mask less(floats a, floats b) noexcept { return a < b; }
    static mask equal(floats a, floats b) noexcept { return a == b; }
    static floats select(mask condition, floats yes, floats no) noexcept { return condition ? yes : no; }

    static floats to_float(ints value) noexcept { return static_cast<float>(value); }
    static ints round_to_int(floats value) noexcept { return static_cast<std::int32_t>(__builtin_nearbyintf(value)); }
    static ints bits(floats value) noexcept {
        ints result;
        std::memcpy(&result, &value, sizeof result);
        return result;
    }
    static floats from_bits(ints value) noexcept {
        floats result;
        std::memcpy(&result, &value, sizeof result);
        return result;
    }
    static ints add_int(ints a, ints b) noexcept {
        return static_cast<ints>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
    }
    static ints subtract_int(ints a, ints b) noexcept {
        return static_cast<ints>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
    }
    static ints multiply_int(ints a, ints b) noexcept {
        return static_cast<ints>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
    }
    static ints max_int(ints a, ints b) noexcept { return a > b ? a : b; }
    static ints min_int(ints a, ints b) noexcept { return a < b ? a : b; }
    static ints and_int(ints a, ints b) noexcept { return a & b; }
    static ints or_int(ints a, ints b) noexcept { return a | b; }
    static ints shift_left_23(ints value) noexcept {
        return static_cast<ints>(static_cast<std::uint32_t>(value) << 23);
    }
    static ints shift_right_23(ints value) noexcept { return value >> 23; }
    static ints shift_right_1(ints value) noexcept { return value >> 1; }
    /// -1 where a number is negative, else 0.
    static ints sign(ints value) noexcept { return value >> 31; }
    static ints shift_left(ints value, int by) noexcept {
        return static_cast<ints>(static_cast<std::uint32_t>(value) << by);
    }
    /// Each number by its own count, 0 to 31, to negative infinity.
    static ints shift_right(ints value, ints by) noexcept { return value >> by; }
    /// floor((a * b + 2^30) / 2^31), from the exact product; a and b are not both -2^31.
    static ints doubling_high_product(ints a, ints b) noexcept {
        return static_cast<ints>((std::int64_t{a} * b + (std::int64_t{1} << 30)) >> 31);
    }
    /// Multipliers and shifts in the form that `rounded_twice` takes.
    struct fixed_factors {
        ints multiplier, right;
    };
    static fixed_factors factors_of(ints multiplier, ints right) noexcept { return {multiplier, right}; }
    /// With h = floor((x * multiplier + 2^30) / 2^31):  h / 2^(right + 1), rounded half away from zero; multiplier >= 0, 0 <= right <= 30.
    static ints rounded_twice(ints x, const fixed_factors& by) noexcept {
        const std::int64_t high = doubling_high_product(x, by.multiplier);
        return static_cast<ints>((high + (std::int64_t{1} << by.right) - (high < 0 ? 1 : 0)) >> (by.right + 1));
    }
    /// The integers next to value * by in double precision, ties away from zero, limited to +-2^30.
    static ints rounded_products(ints value, const double* by) noexcept {
        double each;
        std::memcpy(&each, by, sizeof each);
        each *= value;
        // The largest number below 1/2 is what has to be added, so that what is below 1/2 stays below 1.
        each += each < 0 ? -0.49999999999999994 : 0.49999999999999994;
        each = each < 1073741824.0 ? each : 1073741824.0;
        return static_cast<ints>(each > -1073741824.0 ? each : -1073741824.0);
    }
};

/// Copies `count` (< Most <= 64) bytes in at most one move per bit; a loop over the bytes would cost more than the arithmetic.
template <class Isa, int Most>
[[gnu::always_inline]] inline void copy_few(unsigned char* to, const unsigned char* from, std::int64_t count) noexcept {
    std::int64_t done = 0;
    if constexpr (Most > 32) {
        if ((count & 32) != 0) {
            std::memcpy(to, from, 32);
            done = 32;
        }
    }
    if constexpr (Most > 16) {
        if ((count & 16) != 0) {
            std::memcpy(to + done, from + done, 16);
            done += 16;
        }
    }
    if constexpr (Most > 8) {
        if ((count & 8) != 0) {
            std::memcpy(to + done, from + done, 8);
            done += 8;
        }
    }
    if constexpr (Most > 4) {
        if ((count & 4) != 0) {
            std::memcpy(to + done, from + done, 4);
            done += 4;
        }
    }
    if constexpr (Most > 2) {
        if ((count & 2) != 0) {
            std::memcpy(to + done, from + done, 2);
            done += 2;
        }
    }
    if ((count & 1) != 0) to[done] = from[done];
}

/// The first `count` numbers, at most a vector of them, the rest zero; nothing past them is read.
template <class Isa>
[[gnu::always_inline]] inline typename lanes<Isa>::floats load_part(const float* from, std::int64_t count) noexcept {
    using simd = lanes<Isa>;
    if (count >= simd::width) return simd::load(from);
    if constexpr (requires { simd::load_first(from, count); }) {
        return simd::load_first(from, count);
    } else {
        float whole[simd::width] = {};
        for (std::int64_t i = 0; i < count; ++i)
            whole[i] = from[i];
        return simd::load(whole);
    }
}

/// The same for bytes, i8 (`Signed`) or u8, as integers.
template <class Isa, bool Signed>
[[gnu::always_inline]] inline typename lanes<Isa>::ints load_part_of_bytes(const unsigned char* from,
                                                                           std::int64_t count) noexcept {
    using simd = lanes<Isa>;
    const auto load = [](const unsigned char* at) __attribute__((always_inline)) {
        if constexpr (Signed)
            return simd::load_i8(reinterpret_cast<const std::int8_t*>(at));
        else
            return simd::load_u8(at);
    };
    if (count >= simd::width) return load(from);
    if constexpr (requires { simd::template load_first_bytes<Signed>(from, count); }) {
        return simd::template load_first_bytes<Signed>(from, count);
    } else {
        unsigned char whole[simd::width] = {};
        copy_few<Isa, simd::width>(whole, from, count);
        return load(whole);
    }
}

/// Stores the first `count` numbers, at most all of them.
template <class Isa>
[[gnu::always_inline]] inline void store_part(float* to, typename lanes<Isa>::floats value,
                                              std::int64_t count) noexcept {
    if (count >= lanes<Isa>::width) return lanes<Isa>::store(to, value);
    float whole[lanes<Isa>::width];
    lanes<Isa>::store(whole, value);
    for (std::int64_t i = 0; i < count; ++i)
        to[i] = whole[i];
}

/// The greatest magnitude of some numbers; NaN where one of them is NaN: without their sign, floats are ordered as integers are, NaN above all
/// numbers.
template <class Isa>
inline float greatest_magnitude(const float* from, std::int64_t count) noexcept {
    using simd = lanes<Isa>;
    const auto magnitude = simd::broadcast_int(0x7fffffff);
    auto most = simd::broadcast_int(0);
    for (std::int64_t i = 0; i < count; i += simd::width)
        most = simd::max_int(most, simd::and_int(simd::bits(load_part<Isa>(from + i, count - i)), magnitude));
    std::int32_t parts[simd::width];
    simd::store_int(parts, most);
    std::int32_t result = 0;
    for (const std::int32_t part : parts)
        result = part > result ? part : result;
    return __builtin_bit_cast(float, result);
}

}  // namespace lpt::inline LPT_ABI::kernel
