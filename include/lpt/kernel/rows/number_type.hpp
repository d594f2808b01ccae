// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/kernel/rows/fields.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// The types of numbers that memory holds one after the other; a boolean is a byte, 0 or 1.
enum class number_type : std::uint8_t { boolean, u8, i8, u16, i16, u32, i32, u64, i64, bf16, f16, f32, f64 };

}  // namespace lpt::inline LPT_ABI::kernel
