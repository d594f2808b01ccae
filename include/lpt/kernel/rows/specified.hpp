// SPDX-License-Identifier: Apache-2.0
// All problems of specified arithmetic.
#pragma once

#include <lpt/kernel/rows/fixed_product.hpp>
#include <lpt/kernel/rows/fixed_resize.hpp>
#include <lpt/kernel/rows/fixed_sum.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// The problems of operations in the arithmetic that they specify, which no plan has.
using specified_problems = problem_list<fixed_binary_problem, fixed_product_problem, fixed_resize_problem,
                                        fixed_sum_problem, real_prelu_problem>;

}  // namespace lpt::inline LPT_ABI::kernel
