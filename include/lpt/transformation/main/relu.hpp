// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Refuses infinite scales of data with negative values, which are cut off: 0 times infinity is NaN.
constexpr verdict zero_stays_zero(const rewrite& r, node_id id, const dequantization& found) {
    const element type = r.model.type(found.data);
    return is_signed(type) || is_real(type) ? constants_are_finite(r, id, found) : yes;
}

/// Moves a dequantization behind Relu: relu(s * q) = s * relu(q) for s >= 0 without a zero point.
struct relu_transformation
    : movement<relu_transformation, can_move_behind, has_no_zero_point, zero_stays_zero, scale_is_not_negative> {
    static constexpr text_view name = "ReluTransformation";
    using pattern = lpt::pattern<op::relu, from<op::multiply>>;
};

}  // namespace lpt::inline LPT_ABI
