// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/main/relu_base.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind PRelu, whose output is then real: prelu(s * q) = s * prelu(q) for s >= 0 without a zero point.
struct prelu_transformation : movement<prelu_transformation> {
    static constexpr text_view name = "PReluTransformation";
    using pattern = lpt::pattern<op::prelu, from<op::multiply>, from_constant>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        return can_move_behind_relu(r, id);
    }
    static constexpr move_settings settings(const auto&, node_id) { return {.update_output_type = false}; }
};

}  // namespace lpt::inline LPT_ABI
