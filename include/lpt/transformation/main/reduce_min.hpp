// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/main/reduce_base.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind ReduceMin, which keeps the order of values where no scale is negative.
struct reduce_min_transformation
    : reduction<reduce_min_transformation, can_move_behind_reduction, scale_is_not_negative> {
    static constexpr text_view name = "ReduceMinTransformation";
    using pattern = lpt::pattern<op::reduce_min, from<op::multiply>, from_constant>;
};

}  // namespace lpt::inline LPT_ABI
