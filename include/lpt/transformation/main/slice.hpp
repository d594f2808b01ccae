// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a per-tensor dequantization behind Slice.
struct slice_transformation : movement<slice_transformation, can_move_behind, is_one_for_all> {
    static constexpr text_view name = "SliceTransformation";
    using pattern = lpt::pattern<op::slice>;
};

}  // namespace lpt::inline LPT_ABI
