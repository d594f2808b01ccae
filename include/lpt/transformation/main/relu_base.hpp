// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

/// What the transformations of Relu and PRelu have in common.
namespace lpt::inline LPT_ABI {

/// f(s * q) = s * f(q) for a function that is linear on either side of zero: without a zero point, and for s >= 0.
///
/// `found` becomes the dequantization.
[[gnu::cold]] constexpr verdict can_move_behind_relu(const rewrite& r, node_id id, dequantization& found) {
    found = find_dequantization(r, id);
    return first_refusal([&] { return can_move_behind(r, id, found); },
                         [&] { return has_no_zero_point(r.model, found); },
                         [&] {  // 0 times an infinite scale is NaN, where the real value was cut off
                             const element type = r.model.type(found.data);
                             return is_signed(type) || is_real(type) ? constants_are_finite(r.model, found) : yes;
                         },
                         [&] { return scale_is_not_negative(r.model, found); });
}

[[gnu::cold]] constexpr verdict can_move_behind_relu(const rewrite& r, node_id id) {
    dequantization found;
    return can_move_behind_relu(r, id, found);
}

}  // namespace lpt::inline LPT_ABI
