// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind MaxPool, which keeps the order of values where no scale is negative.
struct max_pool_transformation : movement<max_pool_transformation> {
    static constexpr text_view name = "MaxPoolTransformation";
    using pattern = lpt::pattern<op::max_pool, from<op::multiply>>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        const dequantization found = find_dequantization(r, id);
        return first_refusal([&] { return is_version(r, id, 1); }, [&] { return can_move_behind(r, id, found); },
                             [&] { return scale_is_not_negative(r.model, found); },
                             [&] { return uniform_over_window(r.model, id, found); });
    }
};

}  // namespace lpt::inline LPT_ABI
