// SPDX-License-Identifier: Apache-2.0
// The operations of `lanes` that xsimd has for every instruction set.
#pragma once

#include <lpt/kernel/lanes.hpp>
#include <lpt/kernel/xsimd.hpp>

namespace lpt::inline LPT_ABI::kernel::detail {

/// `Isa` makes the type, and with it every symbol, one of its own per instruction set, also where two share `Arch`.
template <class Isa, class Arch>
struct xsimd_lanes {
    using arch = Arch;
    using floats = xsimd::batch<float, Arch>;
    using ints = xsimd::batch<std::int32_t, Arch>;
    using mask = xsimd::batch_bool<float, Arch>;
    static constexpr int width = static_cast<int>(floats::size);

    [[gnu::always_inline]] static floats broadcast(float value) noexcept { return floats(value); }
    [[gnu::always_inline]] static ints broadcast_int(std::int32_t value) noexcept { return ints(value); }
    [[gnu::always_inline]] static floats load(const float* from) noexcept { return floats::load_unaligned(from); }
    [[gnu::always_inline]] static ints load_int(const std::int32_t* from) noexcept {
        return ints::load_unaligned(from);
    }
    [[gnu::always_inline]] static void store(float* to, floats value) noexcept { value.store_unaligned(to); }
    [[gnu::always_inline]] static void store_int(std::int32_t* to, ints value) noexcept { value.store_unaligned(to); }

    [[gnu::always_inline]] static floats add(floats a, floats b) noexcept { return a + b; }
    [[gnu::always_inline]] static floats subtract(floats a, floats b) noexcept { return a - b; }
    [[gnu::always_inline]] static floats multiply(floats a, floats b) noexcept { return a * b; }
    [[gnu::always_inline]] static floats divide(floats a, floats b) noexcept { return a / b; }
    [[gnu::always_inline]] static floats sqrt(floats value) noexcept { return xsimd::sqrt(value); }
    [[gnu::always_inline]] static floats floor(floats value) noexcept { return xsimd::floor(value); }
    [[gnu::always_inline]] static floats ceiling(floats value) noexcept { return xsimd::ceil(value); }
    [[gnu::always_inline]] static floats round_even(floats value) noexcept { return xsimd::nearbyint(value); }
    [[gnu::always_inline]] static mask less(floats a, floats b) noexcept { return a < b; }
    [[gnu::always_inline]] static mask equal(floats a, floats b) noexcept { return a == b; }
    [[gnu::always_inline]] static floats select(mask condition, floats yes, floats no) noexcept {
        return xsimd::select(condition, yes, no);
    }

    [[gnu::always_inline]] static floats to_float(ints value) noexcept { return xsimd::to_float(value); }
    [[gnu::always_inline]] static ints round_to_int(floats value) noexcept { return xsimd::nearbyint_as_int(value); }
    [[gnu::always_inline]] static ints bits(floats value) noexcept { return bits_of(value); }
    [[gnu::always_inline]] static floats from_bits(ints value) noexcept { return float_of_bits(value); }
    [[gnu::always_inline]] static ints add_int(ints a, ints b) noexcept { return a + b; }
    [[gnu::always_inline]] static ints subtract_int(ints a, ints b) noexcept { return a - b; }
    [[gnu::always_inline]] static ints multiply_int(ints a, ints b) noexcept { return a * b; }
    [[gnu::always_inline]] static ints max_int(ints a, ints b) noexcept { return xsimd::max(a, b); }
    [[gnu::always_inline]] static ints min_int(ints a, ints b) noexcept { return xsimd::min(a, b); }
    [[gnu::always_inline]] static ints and_int(ints a, ints b) noexcept { return a & b; }
    [[gnu::always_inline]] static ints or_int(ints a, ints b) noexcept { return a | b; }
    [[gnu::always_inline]] static ints shift_left_23(ints value) noexcept { return value << 23; }
    [[gnu::always_inline]] static ints shift_right_23(ints value) noexcept { return value >> 23; }
    [[gnu::always_inline]] static ints shift_right_1(ints value) noexcept { return value >> 1; }
    [[gnu::always_inline]] static ints sign(ints value) noexcept { return value >> 31; }
    [[gnu::always_inline]] static ints shift_left(ints value, int by) noexcept { return value << by; }
};

} // namespace lpt::inline LPT_ABI::kernel::detail
