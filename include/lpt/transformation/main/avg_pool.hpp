// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/dequantization_constants.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind AvgPool. The output keeps the low precision type where the markup found that a
/// quantized operation reads it (PrecisionPreserved); otherwise it is real.
struct avg_pool_transformation {
    static constexpr text_view name = "AvgPoolTransformation";
    using may_read = attribute::set<attribute::avg_pool_precision_preserved, attribute::precision_preserved>;
    using pattern = lpt::pattern<op::avg_pool, from<op::multiply>>;

    [[gnu::cold]] static constexpr verdict can_transform(const auto& r, node_id id) {
        if (r.model[id].version() != 1) {
            return refuse_value(reason::unsupported_version, -1, r.model[id].version());
        }
        if (const verdict base = base_precondition(r, id); !base) {
            return base;
        }
        const dequantization found = find_dequantization(r, id);
        if (found.empty()) {
            return refuse(reason::no_dequantization, 0);
        }
        if (found.has_subtract() && counts_margin(r.model[id].template as<op::avg_pool>()) &&
            !r.follows(quirk::margin_in_average)) {
            return refuse(reason::has_zero_point, 0);
        }
        return constants_fit_window(r.model, id, found);
    }
    [[gnu::cold]] static constexpr bool transform(auto& r, node_id id) {
        if (const verdict why = can_transform(r, id); !why) {
            return r.refused(id, name, why);
        }
        const node_id pool = separate_in_standalone_branch(r, id);
        const auto* preserved = attributes_of<attribute::precision_preserved>(r).find_node(pool);
        const bool keeps_type = preserved != nullptr && preserved->value;
        move_dequantization_after(r, pool, normalize_dequantization(r, find_dequantization(r, pool)),
                                  {.update_output_type = keeps_type});
        return true;
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
