// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a per-tensor dequantization behind SpaceToBatch.
///
/// A zero point stays above margins, which are filled with 0. With `quirk::space_to_batch_margin` it moves, and a margin is filled with
/// the quantized value 0, which stands for -zero_point * scale.
struct space_to_batch_transformation : movement<space_to_batch_transformation> {
    static constexpr text_view name = "SpaceToBatchTransformation";
    using pattern = lpt::pattern<op::space_to_batch>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        const dequantization found = find_dequantization(r, id);
        const auto shifts_zero = [&] {
            return found.has_subtract() && !is_zero(constant_of(r.model, found.zero_point)) &&
                   !r.follows(quirk::space_to_batch_margin);
        };
        const verdict moves = can_move_per_tensor(r, id, found);
        if (!moves || !has_margins(r.model, id)) {
            return moves;
        }
        const verdict finite = constants_are_finite(r.model, found);
        return finite && shifts_zero() ? refuse(reason::unsupported_padding, 0) : finite;
    }

private:
    /// False only if all margins are known to be 0.
    static constexpr bool has_margins(const graph& model, node_id id) {
        for (const std::size_t port : {std::size_t{2}, std::size_t{3}}) {
            const tensor* margin = model.constant_value(model[id].input(port));
            if (margin == nullptr || !is_zero(*margin)) {
                return true;
            }
        }
        return false;
    }
};

}  // namespace lpt::inline LPT_ABI
