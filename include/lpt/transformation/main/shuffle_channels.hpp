// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind ShuffleChannels; constants that vary over the axis are shuffled in the same way.
struct shuffle_channels_transformation : movement<shuffle_channels_transformation> {
    static constexpr text_view name = "ShuffleChannelsTransformation";
    using pattern = lpt::pattern<op::shuffle_channels, from<op::multiply>>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        const verdict spatial = spatial_precondition(r, id);
        return spatial ? is_dequantized(find_dequantization(r, id)) : spatial;
    }
    static constexpr dequantization moved(rewrite& r, node_id shuffle, const dequantization& found) {
        return with_constants(r, found, [&](node_id each) { return shuffled(r, shuffle, each); });
    }

private:
    static constexpr node_id shuffled(rewrite& r, node_id shuffle, node_id constant) {
        const std::size_t rank = r.model[shuffle].shape().rank();
        const std::int64_t axis = normalized_axis(r.model[shuffle].as<op::shuffle_channels>().axis, rank);
        const node_id full = pad_left(r, constant, rank);
        const shape& dimensions = r.model[full].shape();
        if (dimensions.elements() != 1 && dimensions[static_cast<std::size_t>(axis)] == 1) {
            return full;
        }
        return through_operation(r, shuffle, full);
    }
};

}  // namespace lpt::inline LPT_ABI
