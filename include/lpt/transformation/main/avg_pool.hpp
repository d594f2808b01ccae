// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Refuses a zero point where zeros around the data count in the mean: they would have to be zero points.
constexpr verdict average_margin_is_zero(const rewrite& r, node_id id, const dequantization& found) {
    const op::avg_pool& self = r.model[id].as<op::avg_pool>();
    const auto any = [](const integers& pads) { return pads != integers(pads.size(), 0); };
    const bool computed = self.auto_pad == op::auto_pad::same_upper || self.auto_pad == op::auto_pad::same_lower;
    const bool counts = !self.exclude_pad && (computed || any(self.pads_begin) || any(self.pads_end));
    return found.has_subtract() && counts && !r.follows(quirk::margin_in_average) ? refuse(reason::has_zero_point, 0)
                                                                                  : yes;
}

/// Moves a dequantization behind AvgPool. The output keeps the low precision type where the markup found that a
/// quantized operation reads it (PrecisionPreserved); otherwise it is real.
struct avg_pool_transformation
    : movement<avg_pool_transformation, is_version<1>, can_move_behind, average_margin_is_zero, uniform_over_window> {
    static constexpr text_view name = "AvgPoolTransformation";
    using may_read = attribute::set<attribute::avg_pool_precision_preserved, attribute::precision_preserved>;
    using pattern = lpt::pattern<op::avg_pool, from<op::multiply>>;

    static constexpr bool updates_type(const rewrite& r, node_id pool) {
        const auto* preserved = attributes_of<attribute::precision_preserved>(r).find_node(pool);
        return preserved != nullptr && preserved->value;
    }
};

}  // namespace lpt::inline LPT_ABI
