// SPDX-License-Identifier: Apache-2.0
// Numbers of any type, for tests of kernels that take them.
#pragma once

#include "tests/kernel/support.hpp"

#include <lpt/tensor/tensor.hpp>

#include <cmath>
#include <cstddef>
#include <cstring>

namespace kernel_test {

/// A type of numbers as kernels and tensors call it.
struct type_pair {
    k::number_type number;
    lpt::element element;
};
inline constexpr type_pair types[] = {
    {k::number_type::boolean, lpt::boolean}, {k::number_type::u8, lpt::u8},   {k::number_type::i8, lpt::i8},
    {k::number_type::u16, lpt::u16},         {k::number_type::i16, lpt::i16}, {k::number_type::u32, lpt::u32},
    {k::number_type::i32, lpt::i32},         {k::number_type::u64, lpt::u64}, {k::number_type::i64, lpt::i64},
    {k::number_type::bf16, lpt::bf16},       {k::number_type::f16, lpt::f16}, {k::number_type::f32, lpt::f32},
    {k::number_type::f64, lpt::f64},
};

/// Where bits differ, and not both are NaN; -1 where nothing does.
inline std::ptrdiff_t first_difference(const lpt::tensor& expected, const void* results) {
    const auto* const got = static_cast<const std::byte*>(results);
    const std::size_t width = lpt::byte_size(expected.type(), 1);
    for (std::size_t i = 0; i < expected.elements(); ++i) {
        if (std::memcmp(expected.data() + i * width, got + i * width, width) != 0 &&
            !(lpt::is_real(expected.type()) && std::isnan(lpt::load_real(expected.type(), expected.data(), i)) &&
              std::isnan(lpt::load_real(expected.type(), got, i))))
            return static_cast<std::ptrdiff_t>(i);
    }
    return -1;
}

}  // namespace kernel_test
