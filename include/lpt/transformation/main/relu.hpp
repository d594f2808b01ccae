// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/guarded.hpp>
#include <lpt/transformation/main/relu_base.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind Relu: relu(s * q) = s * relu(q) for s >= 0 without a zero point.
struct relu_transformation : guarded<relu_transformation, dequantization> {
    static constexpr text_view name = "ReluTransformation";
    using pattern = lpt::pattern<op::relu, from<op::multiply>>;

    [[gnu::cold]] static constexpr verdict find(const rewrite& r, node_id id, dequantization& found) {
        return can_move_behind_relu(r, id, found);
    }
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id id, const dequantization& found) {
        if (is_unshared(r.model, found)) {
            move_dequantization_after(r, id, found);
            return true;
        }
        const node_id relu = unshare(r, id);
        move_dequantization_after(r, relu, normalize_dequantization(r, find_dequantization(r, relu)));
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
