// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/restriction/restriction.hpp>

namespace lpt {

/// Graphics processors: recurrent networks stay in floating point.
inline constexpr auto gpu =
    restrictions<precisions<op::convolution, on<0, u8, i8>, on<1, i8>>,
                 precisions<op::convolution_backprop_data, on<0, u8, i8>, on<1, i8>>,
                 precisions<op::group_convolution, on<0, u8, i8>, on<1, i8>>, precisions<op::lstm_sequence>,
                 precisions<op::gru_sequence>, per_tensor<op::convolution, 0>,
                 per_tensor<op::convolution_backprop_data, 0>>{};

}  // namespace lpt
