// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/main/reduce_base.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind ReduceMax, which keeps the order of values where no scale is negative.
struct reduce_max_transformation
    : reduction<reduce_max_transformation, can_move_behind_reduction, scale_is_not_negative> {
    static constexpr text_view name = "ReduceMaxTransformation";
    using pattern = lpt::pattern<op::reduce_max, from<op::multiply>, from_constant>;
};

}  // namespace lpt::inline LPT_ABI
