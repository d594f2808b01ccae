// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind Squeeze, its constants through the same change of shape.
struct squeeze_transformation : movement<squeeze_transformation, is_version<0>, is_dequantized, base_precondition> {
    static constexpr text_view name = "SqueezeTransformation";
    using pattern = lpt::pattern<op::squeeze, from<op::multiply>, from_constant>;
    static constexpr auto constant_behind = through_change_of_shape;
};

}  // namespace lpt::inline LPT_ABI
