// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>

/// What the transformations of Relu and PRelu have in common.
namespace lpt {

/// f(s * q) = s * f(q) for a function that is linear on either side of zero: without a zero point, and for s >= 0.
[[gnu::cold]] constexpr verdict can_move_behind_relu(const auto& r, node_id id) {
    if (const verdict base = base_precondition(r, id); !base) {
        return base;
    }
    const dequantization found = find_dequantization(r, id);
    if (found.empty()) {
        return refuse(reason::no_dequantization, 0);
    }
    return found.has_subtract() ? refuse_zero_point(r.model, found) : scale_is_not_negative(r.model, found);
}

}  // namespace lpt
