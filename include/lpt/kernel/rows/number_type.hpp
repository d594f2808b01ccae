// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/kernel/rows/fields.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// The types of numbers that memory holds one after the other; a boolean is a byte, 0 or 1.
enum class number_type : std::uint8_t { boolean, u8, i8, u16, i16, u32, i32, u64, i64, bf16, f16, f32, f64 };

/// Bytes of one number.
[[gnu::always_inline]] constexpr std::int64_t bytes_of(number_type type) noexcept {
    switch (type) {
        case number_type::boolean:
        case number_type::u8:
        case number_type::i8: return 1;
        case number_type::u16:
        case number_type::i16:
        case number_type::bf16:
        case number_type::f16: return 2;
        case number_type::u32:
        case number_type::i32:
        case number_type::f32: return 4;
        case number_type::u64:
        case number_type::i64:
        case number_type::f64: break;
    }
    return 8;
}

}  // namespace lpt::inline LPT_ABI::kernel
