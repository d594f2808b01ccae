// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization with one scale and one zero point behind DepthToSpace.
///
/// Constants of several equal values become scalars, as there are fewer channels then. With `quirk::depth_to_space_constants` they
/// keep their shape where they broadcast to what is left and Results alone would have to take that shape.
struct depth_to_space_transformation : movement<depth_to_space_transformation, can_move_behind, is_uniform> {
    static constexpr text_view name = "DepthToSpaceTransformation";
    using pattern = lpt::pattern<op::depth_to_space, from<op::multiply>>;

    static constexpr node_id constant_behind(rewrite& r, node_id, node_id constant) {
        return constant_of(r.model, constant).elements() == 1 ? constant : to_scalar(r, constant);
    }
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id operation, const dequantization& found) {
        if (!r.follows(quirk::depth_to_space_constants) || !result_takes(r.model, operation, found)) {
            return movement::apply(r, operation, found);
        }
        for (const input_ref user : r.model.uses(move_dequantization_after(r, operation, found))) {
            r.model.infer(user.node);
        }
        return true;
    }

private:
    /// True if only Results read the operation, and the constants broadcast with what it gives: then there is an answer to follow.
    static constexpr bool result_takes(const graph& model, node_id id, const dequantization& found) {
        const auto broadcasts = [&](node_id constant) {
            shape merged;
            return constant == node_id::none || broadcast_shapes(model[constant].shape(), model[id].shape(), merged);
        };
        return !any_reader(model, id, [&](node_id reader) { return !model[reader].is<op::result>(); }) &&
               broadcasts(found.zero_point) && broadcasts(found.scale);
    }
};

}  // namespace lpt::inline LPT_ABI
