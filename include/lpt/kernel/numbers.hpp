// SPDX-License-Identifier: Apache-2.0
// Numbers of any type as kernels read and write them.
#pragma once

#include <lpt/base/half.hpp>
#include <lpt/base/traits.hpp>
#include <lpt/kernel/isa.hpp>
#include <lpt/kernel/rows/number_type.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// Numbers that memory holds in a form of its own.
template <class Isa>
struct stored {
    struct truth {
        std::uint8_t value;
    };
    struct half {
        std::uint16_t code;
    };
    struct brain {
        std::uint16_t code;
    };
};

/// Numbers of any type, read as what C++ computes with, and written.
template <class Isa>
struct numbers_of {
    using truth = typename stored<Isa>::truth;
    using half = typename stored<Isa>::half;
    using brain = typename stored<Isa>::brain;
    template <class T>
    static constexpr bool is_real = is_same<T, float> || is_same<T, double>;

    /// A number as C++ computes with it.
    template <class From>
    [[gnu::always_inline]] static auto value_of(From number) noexcept {
        if constexpr (is_same<From, truth>)
            return number.value;
        else if constexpr (is_same<From, half>)
            return lpt::detail::float_from_half(number.code);
        else if constexpr (is_same<From, brain>)
            return lpt::detail::float_from_brain(number.code);
        else
            return number;
    }

    /// A float whose last bit says that something was cut off, so that it rounds further as the number itself would.
    [[gnu::always_inline]] static float rounded_to_odd(double value) noexcept {
        const float nearest = static_cast<float>(value);
        const double back = static_cast<double>(nearest);
        if (back == value || value != value) return nearest;
        std::uint32_t bits = __builtin_bit_cast(std::uint32_t, nearest);
        if (value > 0 ? back > value : back < value) --bits;
        return __builtin_bit_cast(float, bits | 1u);
    }
    [[gnu::always_inline]] static float single(float value) noexcept { return value; }
    template <class Value>
    [[gnu::always_inline]] static float single(Value value) noexcept {
        return rounded_to_odd(static_cast<double>(value));
    }

    /// Towards zero, saturating; NaN gives 0.
    template <class To, class Value>
    [[gnu::always_inline]] static To whole(Value value) noexcept {
        constexpr bool negative = static_cast<To>(-1) < To{0};
        constexpr To least = negative ? static_cast<To>(std::int64_t{-1} << (8 * sizeof(To) - 1)) : To{0};
        constexpr To most = static_cast<To>(~least);
        if (value >= static_cast<Value>(most)) return most;  // which may have been rounded up to what is too large
        if (value <= static_cast<Value>(least)) return least;
        return value == value ? static_cast<To>(value) : To{0};
    }

    template <class To, class Value>
    [[gnu::always_inline]] static To converted(Value value) noexcept {
        if constexpr (is_same<To, truth>)
            return {static_cast<std::uint8_t>(value != Value{0})};
        else if constexpr (is_same<To, half>)
            return {lpt::detail::half_from_float(single(value))};
        else if constexpr (is_same<To, brain>)
            return {lpt::detail::brain_from_float(single(value))};
        else if constexpr (is_real<Value> && !is_real<To>)
            return whole<To>(value);
        else
            return static_cast<To>(value);
    }

    /// Calls `visit` with a number of the type.
    template <class Visit>
    [[gnu::always_inline]] static void with_type(number_type type, const Visit& visit) noexcept {
        switch (type) {
            case number_type::boolean: return visit(truth{});
            case number_type::u8: return visit(std::uint8_t{});
            case number_type::i8: return visit(std::int8_t{});
            case number_type::u16: return visit(std::uint16_t{});
            case number_type::i16: return visit(std::int16_t{});
            case number_type::u32: return visit(std::uint32_t{});
            case number_type::i32: return visit(std::int32_t{});
            case number_type::u64: return visit(std::uint64_t{});
            case number_type::i64: return visit(std::int64_t{});
            case number_type::bf16: return visit(brain{});
            case number_type::f16: return visit(half{});
            case number_type::f32: return visit(float{});
            case number_type::f64: return visit(double{});
        }
    }

    static constexpr bool is_whole(number_type type) noexcept { return type < number_type::bf16; }

    /// Calls `body(i)` for each i below `count`; most of them in runs of a length that compilers know, so that they use vectors.
    template <class Body>
    [[gnu::always_inline]] static void for_each(std::int64_t count, const Body& body) noexcept {
        std::int64_t i = 0;
        for (; i + run_length <= count; i += run_length) {
            for (std::int64_t j = 0; j < run_length; ++j)
                body(i + j);
        }
        for (; i < count; ++i)
            body(i);
    }
    static constexpr std::int64_t run_length = 16;

    /// Numbers from `first` on, `stride` apart (0 or 1), converted to `Middle`.
    template <class Middle>
    [[gnu::always_inline]] static void read(number_type type, const void* data, std::int64_t first, std::int64_t stride,
                                            std::int64_t count, Middle* to) noexcept {
        with_type(type, [&]<class From>(From) __attribute__((always_inline)) {
            const auto* const from = static_cast<const From*>(data) + first;
            if (stride == 0) {
                const auto value = static_cast<Middle>(value_of(from[0]));
                for_each(count, [&](std::int64_t i) __attribute__((always_inline)) { to[i] = value; });
            } else {
                for_each(count, [&](std::int64_t i)
                                    __attribute__((always_inline)) { to[i] = static_cast<Middle>(value_of(from[i])); });
            }
        });
    }
    /// The converse, to `first` and what follows.
    template <class Middle>
    [[gnu::always_inline]] static void write(number_type type, const Middle* from, std::int64_t count, void* data,
                                             std::int64_t first) noexcept {
        with_type(type, [&]<class To>(To) __attribute__((always_inline)) {
            auto* const to = static_cast<To*>(data) + first;
            for_each(count, [&](std::int64_t i) __attribute__((always_inline)) { to[i] = converted<To>(from[i]); });
        });
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
