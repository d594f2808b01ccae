// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/main/split_base.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind Split, to each of its outputs.
struct split_transformation : split_movement<split_transformation> {
    static constexpr text_view name = "SplitTransformation";
    using pattern = lpt::pattern<op::split, from<op::multiply>, from_constant>;
};

}  // namespace lpt::inline LPT_ABI
