// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/guarded.hpp>
#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization with one scale and one zero point behind DepthToSpace.
///
/// Constants of several equal values become scalars, as there are fewer channels then. With `quirk::depth_to_space_constants` they
/// keep their shape where they broadcast to what is left and Results alone would have to take that shape.
struct depth_to_space_transformation : guarded<depth_to_space_transformation> {
    static constexpr text_view name = "DepthToSpaceTransformation";
    using pattern = lpt::pattern<op::depth_to_space, from<op::multiply>>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        const dequantization found = find_dequantization(r, id);
        return first_refusal([&] { return can_move_behind(r, id, found); }, [&] { return is_uniform(r.model, found); });
    }
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id id) {
        const node_id moved = unshare(r, id);
        dequantization found = normalize_dequantization(r, find_dequantization(r, moved));
        const bool keeps_shape = r.follows(quirk::depth_to_space_constants) && result_takes(r.model, moved, found);
        if (!keeps_shape) {
            found = with_constants(r, found, [&](node_id constant) {
                return constant_of(r.model, constant).elements() == 1 ? constant : to_scalar_if_equal(r, constant);
            });
        }
        const node_id last = move_dequantization_after(r, moved, found).last;
        if (keeps_shape) {
            for (const input_ref user : r.model.uses(output_ref(last))) {
                r.model.infer(user.node);
            }
        }
        return true;
    }

private:
    /// True if only Results read the operation, and the constants broadcast with what it gives: then there is an answer to follow.
    static constexpr bool result_takes(const graph& model, node_id id, const dequantization& found) {
        for (input_ref user = model.first_use(id); user.node != node_id::none; user = model.next_use(user)) {
            if (!model[user.node].is<op::result>()) {
                return false;
            }
        }
        for (const node_id each : {found.zero_point, found.scale}) {
            shape merged;
            if (each != node_id::none && !broadcast_shapes(model[each].shape(), model[id].shape(), merged)) {
                return false;
            }
        }
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
