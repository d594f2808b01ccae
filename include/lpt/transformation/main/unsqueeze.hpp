// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind Unsqueeze, its constants through the same change of shape.
struct unsqueeze_transformation : movement<unsqueeze_transformation, is_version<0>, is_dequantized, base_precondition> {
    static constexpr text_view name = "UnsqueezeTransformation";
    using pattern = lpt::pattern<op::unsqueeze, from<op::multiply>, from_constant>;
    static constexpr auto constant_behind = through_change_of_shape;
};

}  // namespace lpt::inline LPT_ABI
