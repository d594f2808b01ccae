// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/lanes.hpp>
#include <lpt/graph/fold.hpp>

/// Fast loops over constants at run time; what they say is what the plain loops of `facts.hpp` and of rules say.
namespace lpt::inline LPT_ABI::detail {

/// The extent of the values of a tensor that are numbers.
struct value_extent {
    double least = math::infinity;
    double greatest = -math::infinity;

    constexpr void add(double value) {
        least = value < least ? value : least;
        greatest = value > greatest ? value : greatest;
    }
};

/// Adds floats, four at a time, to an extent; gives how many there were of them.
[[gnu::noinline]] inline std::size_t add_lanes(const float* values, std::size_t count, value_extent& result) {
    constexpr auto infinite = static_cast<float>(math::infinity);
    float_lanes least = {infinite, infinite, infinite, infinite};
    float_lanes greatest = -least;
    std::size_t done = 0;
    for (; done + lane_count <= count; done += lane_count) {
        const float_lanes value = load_lanes(values + done);
        least = value < least ? value : least;
        greatest = value > greatest ? value : greatest;
    }
    for (std::size_t k = 0; k < lane_count; ++k) {
        result.least = math::minimum(result.least, static_cast<double>(least[k]));
        result.greatest = math::maximum(result.greatest, static_cast<double>(greatest[k]));
    }
    return done;
}

/// The extent of all values of a tensor.
constexpr value_extent extent_of(const tensor& values) {
    value_extent result;
    std::size_t done = 0;
    if (!lpt::is_constant_evaluated() && values.type() == f32) {
        const evaluation::operand<float> floats(values);
        for (done = add_lanes(floats.data(), values.elements(), result); done < values.elements(); ++done) {
            result.add(static_cast<double>(floats[done]));
        }
    }
    for (; done < values.elements(); ++done) {
        result.add(values.real(done));
    }
    return result;
}

/// True if no float is infinite or NaN: that is, has an exponent of ones.
[[gnu::noinline]] inline bool floats_are_finite(const std::byte* data, std::size_t count) {
    return holds_for_none(data, count, [](auto codes) { return (codes & 0x7FFFFFFF) >= 0x7F800000; });
}
/// True if all magnitudes are at least as great as a positive one, or NaN.
[[gnu::noinline]] inline bool floats_are_at_least(const std::byte* data, std::size_t count, float magnitude) {
    const auto least = __builtin_bit_cast(std::int32_t, magnitude);
    return holds_for_none(data, count, [least](auto codes) { return (codes & 0x7FFFFFFF) < least; });
}
/// True if all floats are greater than 0: positive as integers too, but not so great as NaN.
[[gnu::noinline]] inline bool floats_are_positive(const std::byte* data, std::size_t count) {
    return holds_for_none(data, count, [](auto codes) { return (codes <= 0) | (codes > 0x7F800000); });
}

/// True if the first two values are known to differ.
inline bool vary(const late_facts& facts) { return facts.first < facts.second || facts.first > facts.second; }

/// Compares each of at least two values of a tensor, of whole bytes, with the one before it, as bits: quickly.
inline bool all_bits_equal(const tensor& values) {
    const auto size = static_cast<std::size_t>(bit_width(values.type()) / 8);
    return __builtin_memcmp(values.data(), values.data() + size, size * (values.elements() - 1)) == 0;
}
/// True for types of which other bits are another value as a double; floats but for zeros.
constexpr bool differs_as_bits(element type) {
    return type == f32 || (is_integral(type) && bit_width(type) >= 8 && bit_width(type) <= 32);
}

/// True if floats are known to round to one small integer; not in constant expressions.
constexpr bool round_alike(const tensor& values) {
    if (lpt::is_constant_evaluated() || values.type() != f32 || values.elements() == 0) {
        return false;
    }
    const evaluation::operand<float> floats(values);
    const auto whole = static_cast<float>(math::round_half_away(values.real(0)));
    const float low = whole - 0.5f;
    const float high = whole + 0.5f;
    const float* each = floats.data();
    bool alike = math::absolute(whole) < 1e6f;
    for (std::size_t i = 0; i < values.elements(); ++i) {
        alike = alike & (each[i] > low) & (each[i] < high);
    }
    return alike;
}

/// The sum of `count` signed bytes, or unsigned ones.
///
/// Eight at a time in the bytes of a word: zero points of large weights are folded with this.
constexpr std::int64_t sum_of_bytes(const std::byte* data, std::size_t count, bool is_signed) {
    constexpr std::uint64_t every_second = 0x00FF00FF00FF00FFu;
    constexpr std::uint64_t add_sums = 0x0001000100010001u;
    constexpr std::size_t words_of_block = 16;  // few enough for sums below 2^16
    const std::uint64_t to_unsigned = is_signed ? 0x8080808080808080u : 0;
    std::uint64_t sum = 0;
    std::size_t done = 0;
    for (; count - done >= 8 * words_of_block; done += 8 * words_of_block) {
        std::uint64_t lanes = 0;
        for (std::size_t i = 0; i < words_of_block; ++i) {
            const std::uint64_t eight = lpt::detail::load<std::uint64_t>(data + done + 8 * i) ^ to_unsigned;
            lanes += (eight & every_second) + (eight >> 8 & every_second);
        }
        sum += lanes * add_sums >> 48;
    }
    for (; done < count; ++done) {
        sum += (static_cast<std::uint64_t>(data[done]) ^ to_unsigned) & 0xFFu;
    }
    return static_cast<std::int64_t>(sum) - (is_signed ? 128 * static_cast<std::int64_t>(count) : 0);
}

/// Appends the values of a tensor of floats, which may lie anywhere.
inline void append_bytes_of_floats(seq<float, 2>& to, const tensor& values) {
    const void* from = values.data();
    if (__builtin_bit_cast(std::uintptr_t, from) % alignof(float) == 0) {
        return to.append(view<float>(static_cast<const float*>(from), values.elements()));
    }
    to.resize_for_overwrite(values.elements());
    __builtin_memcpy(to.data(), from, values.size_in_bytes());
}

/// True if all of at least one number have the same bits.
inline bool are_same(view<float> values) {
    return __builtin_memcmp(values.data(), values.data() + 1, (values.size() - 1) * sizeof(float)) == 0;
}

}  // namespace lpt::inline LPT_ABI::detail
