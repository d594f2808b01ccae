// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Refuses a zero point where there are margins, and constants that make NaN of the zeros there.
constexpr verdict margins_are_zeros(const rewrite& r, node_id id, const dequantization& found) {
    const auto is_empty = [&](std::size_t port) {
        const tensor* margin = r.model.constant_value(r.model[id].input(port));
        return margin != nullptr && is_zero(*margin);
    };
    if (is_empty(2) && is_empty(3)) {
        return yes;
    }
    const verdict finite = constants_are_finite(r, id, found);
    const bool shifts_zero = found.has_subtract() && !is_zero(constant_of(r.model, found.zero_point)) &&
                             !r.follows(quirk::space_to_batch_margin);
    return finite && shifts_zero ? refuse(reason::unsupported_padding, 0) : finite;
}

/// Moves a per-tensor dequantization behind SpaceToBatch.
///
/// A zero point stays above margins, which are filled with 0. With `quirk::space_to_batch_margin` it moves, and a margin is filled with
/// the quantized value 0, which stands for -zero_point * scale.
struct space_to_batch_transformation
    : movement<space_to_batch_transformation, can_move_behind, is_one_for_all, margins_are_zeros> {
    static constexpr text_view name = "SpaceToBatchTransformation";
    using pattern = lpt::pattern<op::space_to_batch>;
};

}  // namespace lpt::inline LPT_ABI
