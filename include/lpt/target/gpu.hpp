// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/target/callbacks.hpp>
#include <lpt/transformation/cleanup/fold_convert.hpp>
#include <lpt/transformation/cleanup/fuse_convert.hpp>
#include <lpt/transformation/cleanup/multiply_to_group_convolution.hpp>
#include <lpt/transformation/main/convolution_backprop_data.hpp>
#include <lpt/transformation/main/recurrent_cell.hpp>
#include <lpt/transformation/main/transpose.hpp>
#include <lpt/transformation/markup/markup_precisions.hpp>

namespace lpt::inline LPT_ABI {

/// Graphics processors: recurrent networks stay in floating point; a Multiply that nothing absorbs becomes a GroupConvolution.
///
/// Transposed convolutions need symmetric data and weights and whole vectors of channels. Devices with matrix units set
/// `reshape_ignore_per_tensor_check` too.
inline constexpr auto gpu =
    target_of<restrictions<precisions<op::convolution, on<0, u8, i8>, on<1, i8>>,
                           precisions<op::convolution_backprop_data, on<0, u8, i8>, on<1, i8>>,
                           precisions<op::group_convolution, on<0, u8, i8>, on<1, i8>>, precisions<op::lstm_sequence>,
                           precisions<op::gru_sequence>, per_tensor<op::convolution, 0>,
                           per_tensor<op::convolution_backprop_data, 0>>,
              skip<convolution_backprop_data_transformation, callback::is_unsuitable_backprop>,
              skip<transpose_transformation, callback::feeds_attention>,
              skip<markup_precisions, callback::is_multiply_without_convolution>,
              skip<fold_convert_transformation, callback::is_decompression_for_mat_mul>,
              skip<fuse_convert_transformation, callback::is_decompression_for_mat_mul>,
              skip<multiply_to_group_convolution_transformation, callback::is_fused_multiply>,
              disable<recurrent_cell_transformation>>{};

}  // namespace lpt::inline LPT_ABI
