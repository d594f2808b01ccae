// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/target/cpu_x86.hpp>

namespace lpt::inline LPT_ABI {

/// x86 processors with 8-bit matrix units or AVX2-VNNI-2: like `cpu_x86`, but activations of convolutions may be u8 or i8.
inline constexpr auto cpu_x86_amx = cpu_x86.restricting<precisions<op::convolution, on<0, u8, i8>, on<1, i8>>,
                                                        precisions<op::group_convolution, on<0, u8, i8>, on<1, i8>>>();

}  // namespace lpt::inline LPT_ABI
