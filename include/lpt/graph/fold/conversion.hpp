// SPDX-License-Identifier: Apache-2.0
// Elements of tensors as numbers, and numbers as elements.
#pragma once

#include <lpt/base/half.hpp>
#include <lpt/base/traits.hpp>
#include <lpt/tensor/tensor.hpp>

namespace lpt::inline LPT_ABI::evaluation {

/// The element type whose values a number type holds exactly.
template <class Number>
inline constexpr element element_of = dynamic;
template <>
inline constexpr element element_of<float> = f32;
template <>
inline constexpr element element_of<double> = f64;
template <>
inline constexpr element element_of<std::int64_t> = i64;
template <>
inline constexpr element element_of<std::uint8_t> = boolean;

namespace detail {

/// Loops over large tensors take so many elements at a time into an array of their own: compilers make vector instructions
/// of loops of known length that write where nobody else reads, at every level of optimisation.
inline constexpr std::size_t block_size = 16;

template <class Stored, class Number>
constexpr void load_as(const std::byte* from, std::size_t count, Number* to) {
    std::size_t i = 0;
    if constexpr (sizeof(Stored) == 1 && is_same<Number, float>) {  // quantized weights
        for (; i + block_size <= count; i += block_size) {
            float block[block_size]{};
            for (std::size_t k = 0; k < block_size; ++k) {
                block[k] = static_cast<float>(lpt::detail::load<Stored>(from + i + k));
            }
            lpt::detail::copy_values(to + i, block, block_size);
        }
    }
    for (; i < count; ++i) {
        to[i] = static_cast<Number>(lpt::detail::load<Stored>(from + i * sizeof(Stored)));
    }
}
template <class Stored, class Number>
constexpr void store_as(const Number* from, std::size_t count, std::byte* to) {
    for (std::size_t i = 0; i < count; ++i) {
        lpt::detail::store(to + i * sizeof(Stored), static_cast<Stored>(from[i]));
    }
}
/// Towards zero, saturating, NaN gives 0.
template <class Stored, class Number>
constexpr void store_saturated(const Number* from, std::size_t count, std::byte* to, element type) {
    const Stored least = static_cast<Stored>(is_signed_type<Stored> ? std::int64_t{-1} << (8 * sizeof(Stored) - 1) : 0);
    const Stored most = static_cast<Stored>(~least);
    const Number lowest = static_cast<Number>(facts(type).lowest);
    const Number highest = static_cast<Number>(facts(type).highest);  // may round up, never down
    for (std::size_t i = 0; i < count; ++i) {
        const Number value = from[i];
        Stored result = 0;
        if (value >= highest) {
            result = most;
        } else if (value <= lowest) {
            result = least;
        } else if (value == value) {
            result = static_cast<Stored>(value);
        }
        lpt::detail::store(to + i * sizeof(Stored), result);
    }
}

}  // namespace detail

/// Reads all elements of `values` as numbers, into `to`.
///
/// Real values become integers towards zero, saturating; to `float` they are rounded to nearest even.
template <class Number>
[[gnu::noinline]] constexpr void load_values(const tensor& values, Number* to) {
    const std::byte* data = values.data();
    const std::size_t count = values.elements();
    if constexpr (is_integer_type<Number>) {
        if (is_real(values.type())) {
            for (std::size_t i = 0; i < count; ++i) {
                to[i] = static_cast<Number>(values.integer(i));
            }
            return;
        }
    }
    switch (values.type()) {
        case boolean:
        case u8: return detail::load_as<std::uint8_t>(data, count, to);
        case i8: return detail::load_as<std::int8_t>(data, count, to);
        case i32: return detail::load_as<std::int32_t>(data, count, to);
        case u64: return detail::load_as<std::uint64_t>(data, count, to);
        case i64: return detail::load_as<std::int64_t>(data, count, to);
        default: break;  // rare types of integers have no loop of their own
    }
    if constexpr (!is_integer_type<Number>) {
        if (values.type() == f32) {
            return detail::load_as<float>(data, count, to);
        }
        if (values.type() == f64) {
            return detail::load_as<double>(data, count, to);
        }
        if (values.type() == f16) {
            for (std::size_t i = 0; i < count; ++i) {
                to[i] =
                    static_cast<Number>(lpt::detail::float_from_half(lpt::detail::load<std::uint16_t>(data + 2 * i)));
            }
            return;
        }
        if (values.type() == bf16) {
            for (std::size_t i = 0; i < count; ++i) {
                to[i] =
                    static_cast<Number>(lpt::detail::float_from_brain(lpt::detail::load<std::uint16_t>(data + 2 * i)));
            }
            return;
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        to[i] = static_cast<Number>(load_real(values.type(), data, i));
    }
}

namespace detail {

template <class Number>
constexpr void store_integers(const Number* from, std::size_t count, element type, std::byte* to) {
    switch (type) {
        case u8:
        case i8: return store_as<std::uint8_t>(from, count, to);
        case u32:
        case i32: return store_as<std::uint32_t>(from, count, to);
        case u64:
        case i64: return store_as<std::uint64_t>(from, count, to);
        case f32: return store_as<float>(from, count, to);
        case f64: return store_as<double>(from, count, to);
        default: break;
    }
    for (std::size_t i = 0; i < count; ++i) {
        store_integer(type, to, i, static_cast<std::int64_t>(from[i]));
    }
}

template <class Number>
constexpr void store_reals(const Number* from, std::size_t count, element type, std::byte* to) {
    switch (type) {
        case f32: return store_as<float>(from, count, to);
        case f64: return store_as<double>(from, count, to);
        case u8: return store_saturated<std::uint8_t>(from, count, to, type);
        case i8: return store_saturated<std::int8_t>(from, count, to, type);
        case i32: return store_saturated<std::int32_t>(from, count, to, type);
        case i64: return store_saturated<std::int64_t>(from, count, to, type);
        default: break;  // rare: no loop of their own
    }
    if constexpr (is_same<Number, float>) {
        if (type == f16 || type == bf16) {
            for (std::size_t i = 0; i < count; ++i) {
                lpt::detail::store(to + 2 * i, type == f16 ? lpt::detail::half_from_float(from[i])
                                                           : lpt::detail::brain_from_float(from[i]));
            }
            return;
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        store_real(type, to, i, static_cast<double>(from[i]));
    }
}

}  // namespace detail

/// Writes `count` numbers as elements of `type` to `to`: integers wrap around, real numbers are converted by `convert_value`.
template <class Number>
[[gnu::noinline]] constexpr void store_values(const Number* from, std::size_t count, element type, std::byte* to) {
    if constexpr (is_integer_type<Number>) {
        if (type == boolean) {
            for (std::size_t i = 0; i < count; ++i) {
                to[i] = static_cast<std::byte>(from[i] != 0 ? 1 : 0);
            }
            return;
        }
        detail::store_integers(from, count, type, to);
    } else {
        detail::store_reals(from, count, type, to);
    }
}

}  // namespace lpt::inline LPT_ABI::evaluation
