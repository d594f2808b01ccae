// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/main/reduce_base.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind ReduceMean, whose output is then real.
struct reduce_mean_transformation : reduction<reduce_mean_transformation> {
    static constexpr text_view name = "ReduceMeanTransformation";
    using pattern = lpt::pattern<op::reduce_mean, from<op::multiply>, from_constant>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        return can_move_behind_reduction(r, id);
    }
    static constexpr move_settings settings(const auto&, node_id) { return {.update_output_type = false}; }
};

}  // namespace lpt::inline LPT_ABI
