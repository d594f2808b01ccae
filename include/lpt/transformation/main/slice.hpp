// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a per-tensor dequantization behind Slice.
struct slice_transformation {
    static constexpr text_view name = "SliceTransformation";
    using pattern = lpt::pattern<op::slice>;

    [[gnu::cold]] static constexpr verdict can_transform(const auto& r, node_id id) {
        if (const verdict base = base_precondition(r, id); !base) {
            return base;
        }
        const dequantization found = find_dequantization(r, id);
        if (found.empty()) {
            return refuse(reason::no_dequantization, 0);
        }
        return is_per_tensor(r.model, found) ? yes : refuse_not_per_tensor(r.model, found);
    }
    [[gnu::cold]] static constexpr bool transform(auto& r, node_id id) {
        if (const verdict why = can_transform(r, id); !why) {
            return r.refused(id, name, why);
        }
        const node_id slice = separate_in_standalone_branch(r, id);
        move_dequantization_after(r, slice, normalize_dequantization(r, find_dequantization(r, slice)));
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
