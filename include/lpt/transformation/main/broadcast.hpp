// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization_constants.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt {

/// Moves a dequantization behind Broadcast. With constants per channel the channels must keep their number and their place.
struct broadcast_transformation {
    static constexpr text_view name = "BroadcastTransformation";
    using pattern = lpt::pattern<op::broadcast, from<op::multiply>, anything, optional_input<anything>>;
    static constexpr bool precision_preserved = true;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        if (const verdict base = base_precondition(r, id); !base) {
            return base;
        }
        const dequantization found = find_dequantization(r, id);
        if (found.empty()) {
            return refuse(reason::no_dequantization, 0);
        }
        return is_per_tensor(r.model, found) ? yes : channels_stay(r.model, id, found);
    }
    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        if (const verdict why = can_transform(r, id); !why) {
            return r.refused(id, name, why);
        }
        const node_id broadcast = separate_in_standalone_branch(r, id);
        move_dequantization_after(r, broadcast, normalize_dequantization(r, find_dequantization(r, broadcast)));
        return true;
    }

private:
    static constexpr verdict channels_stay(const graph& model, node_id id, const dequantization& found) {
        const shape& before = model.shape(model[id].input(0));
        if (before.rank_is_dynamic()) {
            return refuse(reason::dynamic_rank, 0);
        }
        const std::size_t channel = found.channel_axis;
        const auto axis = static_cast<std::int64_t>(channel);
        if (channel >= before.rank() || !before.is_static(channel)) {
            return {reason::dynamic_channel, 0, dynamic, axis, 0};
        }
        integers target;
        if (!known_values(model, model[id].input(1), target) || channel >= target.size() || target[channel] != before[channel]) {
            return {reason::varies_over_axis, 1, dynamic, axis, 0};
        }
        if (model[id].inputs() == 3) {
            integers mapping;
            if (!known_values(model, model[id].input(2), mapping) || channel >= mapping.size() || mapping[channel] != axis) {
                return {reason::varies_over_axis, 2, dynamic, axis, 0};
            }
        }
        return yes;
    }
};

}  // namespace lpt
