// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind Squeeze, its constants through the same change of shape.
struct squeeze_transformation : movement<squeeze_transformation> {
    static constexpr text_view name = "SqueezeTransformation";
    using pattern = lpt::pattern<op::squeeze, from<op::multiply>, from_constant>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        return first_refusal([&] { return is_version(r, id, 0); },
                             [&] { return is_dequantized(find_dequantization(r, id)); },
                             [&] { return base_precondition(r, id); });
    }
    static constexpr dequantization moved(rewrite& r, node_id squeeze, const dequantization& found) {
        const std::size_t rank = r.model.shape(found.data).rank();
        return with_constants(r, found, [&](node_id each) { return through_change_of_shape(r, squeeze, each, rank); });
    }
};

}  // namespace lpt::inline LPT_ABI
