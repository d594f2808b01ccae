// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind ShuffleChannels; constants that vary over the axis are shuffled in the same way.
struct shuffle_channels_transformation
    : movement<shuffle_channels_transformation, output_rank_is_known, is_dequantized> {
    static constexpr text_view name = "ShuffleChannelsTransformation";
    using pattern = lpt::pattern<op::shuffle_channels, from<op::multiply>>;

    static constexpr node_id constant_behind(rewrite& r, node_id shuffle, node_id constant) {
        const std::size_t rank = r.model[shuffle].shape().rank();
        const std::int64_t axis = normalized_axis(r.model[shuffle].as<op::shuffle_channels>().axis, rank);
        const node_id full = pad_left(r, constant, rank);
        const shape& dimensions = r.model[full].shape();
        const bool stays = dimensions.elements() != 1 && dimensions[static_cast<std::size_t>(axis)] == 1;
        return stays ? full : through_operation(r, shuffle, full);
    }
};

}  // namespace lpt::inline LPT_ABI
