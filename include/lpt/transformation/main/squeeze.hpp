// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization_constants.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind Squeeze, its constants through the same change of shape.
struct squeeze_transformation {
    static constexpr text_view name = "SqueezeTransformation";
    using pattern = lpt::pattern<op::squeeze, from<op::multiply>, from_constant>;

    [[gnu::cold]] static constexpr verdict can_transform(const auto& r, node_id id) {
        if (r.model[id].version() != 0) {
            return refuse_value(reason::unsupported_version, -1, r.model[id].version());
        }
        if (find_dequantization(r, id).empty()) {
            return refuse(reason::no_dequantization, 0);
        }
        return base_precondition(r, id);
    }
    [[gnu::cold]] static constexpr bool transform(auto& r, node_id id) {
        if (const verdict why = can_transform(r, id); !why) {
            return r.refused(id, name, why);
        }
        const node_id squeeze = separate_in_standalone_branch(r, id);
        const dequantization found = normalize_dequantization(r, find_dequantization(r, squeeze));
        const std::size_t rank = r.model.shape(found.data).rank();
        const auto changed = [&](node_id constant) { return through_change_of_shape(r, squeeze, constant, rank); };
        move_dequantization_after(r, squeeze, with_constants(r, found, changed));
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
