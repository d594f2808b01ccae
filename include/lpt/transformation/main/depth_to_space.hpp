// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization_constants.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt {

/// Moves a dequantization with one scale and one zero point behind DepthToSpace.
///
/// Constants of several equal values keep their shape, though there are fewer channels then: the published behaviour. They
/// become scalars without `follow_upstream_errors`.
struct depth_to_space_transformation {
    static constexpr text_view name = "DepthToSpaceTransformation";
    using pattern = lpt::pattern<op::depth_to_space, from<op::multiply>>;
    static constexpr bool precision_preserved = true;

    [[gnu::cold]] static constexpr verdict can_transform(const auto& r, node_id id) {
        if (const verdict base = base_precondition(r, id); !base) {
            return base;
        }
        const dequantization found = find_dequantization(r, id);
        if (found.empty()) {
            return refuse(reason::no_dequantization, 0);
        }
        return is_scalar_like(r.model, found) ? yes : refuse_not_per_tensor(r.model, found);
    }
    [[gnu::cold]] static constexpr bool transform(auto& r, node_id id) {
        if (const verdict why = can_transform(r, id); !why) {
            return r.refused(id, name, why);
        }
        const node_id moved = separate_in_standalone_branch(r, id);
        dequantization found = normalize_dequantization(r, find_dequantization(r, moved));
        if (!r.options.follow_upstream_errors) {
            found = with_constants(r, found, [&](node_id constant) { return to_scalar_if_equal(r, constant); });
        }
        move_dequantization_after(r, moved, found);
        return true;
    }
};

}  // namespace lpt
