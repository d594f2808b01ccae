// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a per-tensor dequantization behind Slice.
struct slice_transformation : movement<slice_transformation> {
    static constexpr text_view name = "SliceTransformation";
    using pattern = lpt::pattern<op::slice>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        return can_move_per_tensor(r, id, find_dequantization(r, id));
    }
};

}  // namespace lpt::inline LPT_ABI
