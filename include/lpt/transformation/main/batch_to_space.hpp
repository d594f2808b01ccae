// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a per-tensor dequantization behind BatchToSpace.
struct batch_to_space_transformation : movement<batch_to_space_transformation> {
    static constexpr text_view name = "BatchToSpaceTransformation";
    using pattern = lpt::pattern<op::batch_to_space>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        return can_move_per_tensor(r, id, find_dequantization(r, id));
    }
};

}  // namespace lpt::inline LPT_ABI
