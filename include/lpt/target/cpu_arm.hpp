// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/target/callbacks.hpp>
#include <lpt/transformation/cleanup/multiply_to_group_convolution.hpp>
#include <lpt/transformation/main/add.hpp>
#include <lpt/transformation/main/avg_pool.hpp>
#include <lpt/transformation/main/convolution_backprop_data.hpp>
#include <lpt/transformation/main/group_convolution.hpp>
#include <lpt/transformation/main/interpolate.hpp>
#include <lpt/transformation/main/mat_mul.hpp>
#include <lpt/transformation/main/max_pool.hpp>
#include <lpt/transformation/main/mvn.hpp>
#include <lpt/transformation/main/normalize_l2.hpp>
#include <lpt/transformation/main/recurrent_cell.hpp>
#include <lpt/transformation/main/reduce_max.hpp>
#include <lpt/transformation/main/reduce_mean.hpp>
#include <lpt/transformation/main/reduce_min.hpp>
#include <lpt/transformation/main/reduce_sum.hpp>

namespace lpt::inline LPT_ABI {

/// ARM processors: convolutions take both kinds of activations, matrix products multiply signed by signed numbers, and only
/// by constant weights of rank 2 or 3. Everything else that computes stays in floating point; a bias is added there.
inline constexpr auto cpu_arm = target_of<
    restrictions<precisions<op::convolution, on<0, u8, i8>, on<1, i8>>, precisions<op::mat_mul, on<ports<0, 1>, i8>>,
                 per_tensor<op::convolution, 0>>,
    skip<mat_mul_transformation, callback::has_unsuitable_weights>, skip<add_transformation, callback::is_bias>,
    disable<avg_pool_transformation>, disable<convolution_backprop_data_transformation>,
    disable<interpolate_transformation>, disable<group_convolution_transformation>, disable<max_pool_transformation>,
    disable<mvn_transformation>, disable<normalize_l2_transformation>, disable<recurrent_cell_transformation>,
    disable<reduce_max_transformation>, disable<reduce_mean_transformation>, disable<reduce_min_transformation>,
    disable<reduce_sum_transformation>, disable<multiply_to_group_convolution_transformation>>{};

}  // namespace lpt::inline LPT_ABI
