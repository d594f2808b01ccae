// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind MaxPool, which keeps the order of values where no scale is negative.
struct max_pool_transformation
    : movement<max_pool_transformation, is_version<1>, can_move_behind, scale_is_not_negative, uniform_over_window> {
    static constexpr text_view name = "MaxPoolTransformation";
    using pattern = lpt::pattern<op::max_pool, from<op::multiply>>;
};

}  // namespace lpt::inline LPT_ABI
