// SPDX-License-Identifier: Apache-2.0
// Single elements of packed ones, read and written as numbers.
#pragma once

#include <lpt/tensor/bytes.hpp>
#include <lpt/tensor/element.hpp>

namespace lpt::inline LPT_ABI {

namespace detail {

/// Towards zero, saturating; NaN gives 0.
constexpr std::int64_t whole_number(double value) {
    const double whole = convert_value(i64, value);
    return whole >= 9223372036854775807.0 ? INT64_MAX : static_cast<std::int64_t>(whole);
}

constexpr std::int64_t load_nibble(const std::byte* data, std::size_t index, bool has_sign) {
    const auto both = static_cast<unsigned>(data[index / 2]);
    const auto code = static_cast<std::int64_t>((index % 2 == 0 ? both : both >> 4) & 15u);
    return has_sign && code > 7 ? code - 16 : code;
}
constexpr void store_nibble(std::byte* data, std::size_t index, std::int64_t value) {
    const auto code = static_cast<unsigned>(value) & 15u;
    const auto old = static_cast<unsigned>(data[index / 2]);
    data[index / 2] = static_cast<std::byte>(index % 2 == 0 ? (old & 0xF0u) | code : (old & 0x0Fu) | (code << 4));
}

}  // namespace detail

/// Value number `index` of packed elements as a double (64-bit integers beyond 2^53 lose their last bits).
constexpr double load_real(element type, const std::byte* data, std::size_t index) {
    switch (type) {
        case boolean:
        case u8: return static_cast<double>(static_cast<std::uint8_t>(data[index]));
        case i8: return static_cast<double>(static_cast<std::int8_t>(static_cast<std::uint8_t>(data[index])));
        case u4: return static_cast<double>(detail::load_nibble(data, index, false));
        case i4: return static_cast<double>(detail::load_nibble(data, index, true));
        case u16: return detail::load<std::uint16_t>(data + 2 * index);
        case i16: return detail::load<std::int16_t>(data + 2 * index);
        case u32: return detail::load<std::uint32_t>(data + 4 * index);
        case i32: return detail::load<std::int32_t>(data + 4 * index);
        case u64: return static_cast<double>(detail::load<std::uint64_t>(data + 8 * index));
        case i64: return static_cast<double>(detail::load<std::int64_t>(data + 8 * index));
        case f32: return static_cast<double>(detail::load<float>(data + 4 * index));
        case f64: return detail::load<double>(data + 8 * index);
        case f16: return detail::decode(detail::half_format, detail::load<std::uint16_t>(data + 2 * index));
        case bf16: return detail::decode(detail::brain_format, detail::load<std::uint16_t>(data + 2 * index));
        case f8e4m3: return detail::decode(detail::f8e4m3_format, static_cast<std::uint32_t>(data[index]));
        case f8e5m2: return detail::decode(detail::f8e5m2_format, static_cast<std::uint32_t>(data[index]));
        case dynamic: break;
    }
    fail({"cannot read a value of a tensor whose element type is not known"});
}

/// Value number `index` of packed elements as an integer; real values are rounded towards zero and saturate, NaN gives 0.
constexpr std::int64_t load_integer(element type, const std::byte* data, std::size_t index) {
    if (type == i64 || type == u64) {
        return detail::load<std::int64_t>(data + 8 * index);
    }
    return detail::whole_number(load_real(type, data, index));
}

/// Writes a value, converted by the rules of `convert_value`, as number `index` of packed elements.
constexpr void store_real(element type, std::byte* data, std::size_t index, double value) {
    if (type == f32) {
        return detail::store(data + 4 * index, static_cast<float>(value));
    }
    if (type == f64) {
        return detail::store(data + 8 * index, value);
    }
    if (const detail::small_float format = detail::format_of(type); format.exponent_bits != 0) {
        const std::uint32_t code = detail::encode(format, value);
        return bit_width(type) == 16 ? detail::store(data + 2 * index, static_cast<std::uint16_t>(code))
                                     : detail::store(data + index, static_cast<std::uint8_t>(code));
    }
    const double whole = convert_value(type, value);
    if (type == u64) {
        return detail::store(data + 8 * index,
                             whole >= 18446744073709551615.0 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(whole));
    }
    const std::int64_t integer = detail::whole_number(whole);
    switch (bit_width(type)) {
        case 4: return detail::store_nibble(data, index, integer);
        case 8: return detail::store(data + index, static_cast<std::uint8_t>(integer));
        case 16: return detail::store(data + 2 * index, static_cast<std::uint16_t>(integer));
        case 32: return detail::store(data + 4 * index, static_cast<std::uint32_t>(integer));
        case 64: return detail::store(data + 8 * index, integer);
        default: break;
    }
    fail({"cannot write a value of a tensor whose element type is not known"});
}

/// Writes an integer as number `index` of packed elements; integers wrap around, real types round to nearest even.
constexpr void store_integer(element type, std::byte* data, std::size_t index, std::int64_t value) {
    switch (is_integral(type) ? bit_width(type) : 0) {
        case 4: return detail::store_nibble(data, index, value);
        case 8: return detail::store(data + index, static_cast<std::uint8_t>(value));
        case 16: return detail::store(data + 2 * index, static_cast<std::uint16_t>(value));
        case 32: return detail::store(data + 4 * index, static_cast<std::uint32_t>(value));
        case 64: return detail::store(data + 8 * index, value);
        default: return store_real(type, data, index, static_cast<double>(value));
    }
}

}  // namespace lpt::inline LPT_ABI
