// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/restriction/restriction.hpp>

namespace lpt {

/// ARM processors: matrix products multiply signed by signed numbers, convolutions take both kinds of activations.
inline constexpr auto cpu_arm =
    restrictions<precisions<op::convolution, on<0, u8, i8>, on<1, i8>>, precisions<op::mat_mul, on<ports<0, 1>, i8>>,
                 per_tensor<op::convolution, 0>>{};

}  // namespace lpt
