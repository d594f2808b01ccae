// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/main/split_base.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind VariadicSplit, to each of its outputs.
struct variadic_split_transformation : split_movement<variadic_split_transformation> {
    static constexpr text_view name = "VariadicSplitTransformation";
    using pattern = lpt::pattern<op::variadic_split, from<op::multiply>, from_constant, from_constant>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        return can_move_behind_split(r, id);
    }
};

}  // namespace lpt::inline LPT_ABI
