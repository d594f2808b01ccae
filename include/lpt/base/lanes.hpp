// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/version.hpp>

#include <cstddef>
#include <cstdint>

/// Four floats or two doubles at once, for loops over channels at run time: g++ makes vector instructions of few loops below -O3.
///
/// Operators and conditional expressions work on all of them, so a function may be written for one number and for several.
namespace lpt::inline LPT_ABI::detail {

using float_lanes [[gnu::vector_size(16)]] = float;
using mask_lanes [[gnu::vector_size(16)]] = std::int32_t;  // what comparisons give: all bits set where they hold
inline constexpr std::size_t lane_count = 4;

using double_lanes [[gnu::vector_size(16)]] = double;

inline float_lanes load_lanes(const void* from) {
    float_lanes result;
    __builtin_memcpy(&result, from, sizeof result);
    return result;
}
/// Four numbers from a row that moves (step 1), or four times its only one (step 0).
inline float_lanes load_lanes(const float* row, std::size_t step, std::size_t at) {
    return step != 0 ? load_lanes(row + at) : float_lanes{*row, *row, *row, *row};
}
inline void store_lanes(void* to, float_lanes values) { __builtin_memcpy(to, &values, sizeof values); }

/// As many floats as there are lanes, in the lanes' type.
template <class Lanes>
Lanes load_floats(const float* from);
template <>
inline float_lanes load_floats(const float* from) {
    return load_lanes(from);
}
template <>
inline double_lanes load_floats(const float* from) {
    return double_lanes{static_cast<double>(from[0]), static_cast<double>(from[1])};
}
/// Stores lanes as floats, doubles rounded.
inline void store_floats(void* to, float_lanes values) { store_lanes(to, values); }
inline void store_floats(void* to, double_lanes values) {
    const float rounded[] = {static_cast<float>(values[0]), static_cast<float>(values[1])};
    __builtin_memcpy(to, rounded, sizeof rounded);
}

/// True if a mask, what a comparison of lanes gives, holds for all of them.
template <class Mask>
bool holds(Mask mask) {
    static_assert(sizeof(Mask) == 16);
    std::int64_t halves[2];
    __builtin_memcpy(halves, &mask, sizeof halves);
    return (halves[0] & halves[1]) == -1;
}
template <class Mask>
bool holds_for_any(Mask mask) {
    return !holds(~mask);
}

/// True if a test of the bits of floats, as integers, holds for none of a row.
template <typename Test>
bool holds_for_none(const void* row, std::size_t count, const Test& test) {
    const auto* data = static_cast<const char*>(row);
    constexpr std::size_t block = 4;
    mask_lanes found{};
    for (; count >= block * lane_count; count -= block * lane_count, data += block * sizeof found) {
        mask_lanes codes[block];
        __builtin_memcpy(&codes, data, sizeof codes);
        found |= (test(codes[0]) | test(codes[1])) | (test(codes[2]) | test(codes[3]));
    }
    for (; count >= lane_count; count -= lane_count, data += sizeof found) {
        mask_lanes codes;
        __builtin_memcpy(&codes, data, sizeof codes);
        found |= test(codes);
    }
    for (; count != 0; --count, data += 4) {
        std::int32_t code = 0;
        __builtin_memcpy(&code, data, sizeof code);
        if (test(code)) {
            return false;
        }
    }
    return !holds_for_any(found);
}

}  // namespace lpt::inline LPT_ABI::detail
