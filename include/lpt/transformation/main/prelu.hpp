// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/main/relu.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind PRelu, whose output is then real: prelu(s * q) = s * prelu(q) for s >= 0 without a zero point.
struct prelu_transformation
    : movement<prelu_transformation, can_move_behind, has_no_zero_point, zero_stays_zero, scale_is_not_negative> {
    static constexpr text_view name = "PReluTransformation";
    using pattern = lpt::pattern<op::prelu, from<op::multiply>, from_constant>;

    static constexpr bool updates_type(const rewrite&, node_id) { return false; }
};

}  // namespace lpt::inline LPT_ABI
