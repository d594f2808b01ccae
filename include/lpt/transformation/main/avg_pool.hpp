// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind AvgPool. The output keeps the low precision type where the markup found that a
/// quantized operation reads it (PrecisionPreserved); otherwise it is real.
struct avg_pool_transformation : movement<avg_pool_transformation> {
    static constexpr text_view name = "AvgPoolTransformation";
    using may_read = attribute::set<attribute::avg_pool_precision_preserved, attribute::precision_preserved>;
    using pattern = lpt::pattern<op::avg_pool, from<op::multiply>>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        const dequantization found = find_dequantization(r, id);
        const auto shifts_margin = [&] {
            return found.has_subtract() && counts_margin(r.model[id].as<op::avg_pool>()) &&
                   !r.follows(quirk::margin_in_average);
        };
        return first_refusal([&] { return is_version(r, id, 1); }, [&] { return can_move_behind(r, id, found); },
                             [&] { return shifts_margin() ? refuse(reason::has_zero_point, 0) : yes; },
                             [&] { return uniform_over_window(r.model, id, found); });
    }
    static constexpr move_settings settings(const rewrite& r, node_id pool) {
        const auto* preserved = attributes_of<attribute::precision_preserved>(r).find_node(pool);
        return {.update_output_type = preserved != nullptr && preserved->value};
    }

private:
    /// True if the zeros around the data count in the mean: they would have to be zero points.
    static constexpr bool counts_margin(const op::avg_pool& self) {
        const auto any = [](const integers& pads) {
            for (const std::int64_t each : pads) {
                if (each != 0) {
                    return true;
                }
            }
            return false;
        };
        const bool computed = self.auto_pad == op::auto_pad::same_upper || self.auto_pad == op::auto_pad::same_lower;
        return !self.exclude_pad && (computed || any(self.pads_begin) || any(self.pads_end));
    }
};

}  // namespace lpt::inline LPT_ABI
