// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/main/split_base.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind VariadicSplit, to each of its outputs.
struct variadic_split_transformation {
    static constexpr text_view name = "VariadicSplitTransformation";
    using pattern = lpt::pattern<op::variadic_split, from<op::multiply>, from_constant, from_constant>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        return can_move_behind_split(r, id);
    }
    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        if (const verdict why = can_transform(r, id); !why) {
            return r.refused(id, name, why);
        }
        move_dequantization_behind_split(r, id);
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
