// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/restriction/restriction.hpp>

namespace lpt {

/// x86 processors with 8-bit dot products of unsigned by signed numbers: activations of convolutions are u8.
inline constexpr auto cpu_x86 =
    restrictions<precisions<op::convolution, on<0, u8>, on<1, i8>>,
                 precisions<op::convolution_backprop_data, on<0, u8, i8>, on<1, i8>>,
                 precisions<op::group_convolution, on<0, u8>, on<1, i8>>,
                 precisions<op::mat_mul, on<0, u8, i8>, on<1, i8>>, precisions<op::lstm_sequence, on<ports<0, 1>, u8>>,
                 precisions<op::gru_sequence, on<ports<0, 1>, u8>>, per_tensor<op::convolution, 0>,
                 per_tensor<op::convolution_backprop_data, 0>>{};

}  // namespace lpt
