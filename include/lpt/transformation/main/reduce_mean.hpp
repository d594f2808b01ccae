// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/main/reduce_base.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind ReduceMean, whose output is then real.
struct reduce_mean_transformation : reduction<reduce_mean_transformation, can_move_behind_reduction> {
    static constexpr text_view name = "ReduceMeanTransformation";
    using pattern = lpt::pattern<op::reduce_mean, from<op::multiply>, from_constant>;

    static constexpr bool updates_type(const rewrite&, node_id) { return false; }
};

}  // namespace lpt::inline LPT_ABI
