// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/target/callbacks.hpp>
#include <lpt/transformation/cleanup/fold_convert.hpp>
#include <lpt/transformation/cleanup/fuse_convert.hpp>
#include <lpt/transformation/cleanup/multiply_to_group_convolution.hpp>
#include <lpt/transformation/main/add.hpp>
#include <lpt/transformation/main/convolution_backprop_data.hpp>

namespace lpt::inline LPT_ABI {

/// x86 processors with 8-bit dot products of unsigned by signed numbers: activations of convolutions are u8.
///
/// Transposed convolutions need symmetric data and weights; a bias is added in floating point; weights of a MatMul in floating
/// point stay compressed; no Multiply becomes a GroupConvolution.
inline constexpr auto cpu_x86 = target_of<
    restrictions<precisions<op::convolution, on<0, u8>, on<1, i8>>,
                 precisions<op::convolution_backprop_data, on<0, u8, i8>, on<1, i8>>,
                 precisions<op::group_convolution, on<0, u8>, on<1, i8>>,
                 precisions<op::mat_mul, on<0, u8, i8>, on<1, i8>>, precisions<op::lstm_sequence, on<ports<0, 1>, u8>>,
                 precisions<op::gru_sequence, on<ports<0, 1>, u8>>, per_tensor<op::convolution, 0>,
                 per_tensor<op::convolution_backprop_data, 0>>,
    skip<convolution_backprop_data_transformation, callback::is_asymmetric>,
    skip<add_transformation, callback::is_bias>,
    skip<fold_convert_transformation, callback::is_decompression_for_mat_mul>,
    skip<fuse_convert_transformation, callback::is_decompression_for_mat_mul>,
    disable<multiply_to_group_convolution_transformation>>{};

}  // namespace lpt::inline LPT_ABI
