// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization_constants.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind MaxPool, which keeps the order of values where no scale is negative.
struct max_pool_transformation {
    static constexpr text_view name = "MaxPoolTransformation";
    using pattern = lpt::pattern<op::max_pool, from<op::multiply>>;

    [[gnu::cold]] static constexpr verdict can_transform(const auto& r, node_id id) {
        if (r.model[id].version() != 1) {
            return refuse_value(reason::unsupported_version, -1, r.model[id].version());
        }
        if (const verdict base = base_precondition(r, id); !base) {
            return base;
        }
        const dequantization found = find_dequantization(r, id);
        if (found.empty()) {
            return refuse(reason::no_dequantization, 0);
        }
        const verdict sign = scale_is_not_negative(r.model, found);
        return sign ? constants_fit_window(r.model, id, found) : sign;
    }
    [[gnu::cold]] static constexpr bool transform(auto& r, node_id id) {
        if (const verdict why = can_transform(r, id); !why) {
            return r.refused(id, name, why);
        }
        const node_id pool = separate_in_standalone_branch(r, id);
        move_dequantization_after(r, pool, normalize_dequantization(r, find_dequantization(r, pool)));
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
