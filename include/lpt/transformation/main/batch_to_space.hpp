// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a per-tensor dequantization behind BatchToSpace.
struct batch_to_space_transformation : movement<batch_to_space_transformation, can_move_behind, is_one_for_all> {
    static constexpr text_view name = "BatchToSpaceTransformation";
    using pattern = lpt::pattern<op::batch_to_space>;
};

}  // namespace lpt::inline LPT_ABI
