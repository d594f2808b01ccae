// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/main/split_base.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind VariadicSplit, to each of its outputs.
struct variadic_split_transformation : split_movement<variadic_split_transformation> {
    static constexpr text_view name = "VariadicSplitTransformation";
    using pattern = lpt::pattern<op::variadic_split, from<op::multiply>, from_constant, from_constant>;
};

}  // namespace lpt::inline LPT_ABI
