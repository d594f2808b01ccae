// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization_constants.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind ShuffleChannels; constants that vary over the axis are shuffled in the same way.
struct shuffle_channels_transformation {
    static constexpr text_view name = "ShuffleChannelsTransformation";
    using pattern = lpt::pattern<op::shuffle_channels, from<op::multiply>>;

    [[gnu::cold]] static constexpr verdict can_transform(const auto& r, node_id id) {
        if (const verdict spatial = spatial_precondition(r, id); !spatial) {
            return spatial;
        }
        return find_dequantization(r, id).empty() ? refuse(reason::no_dequantization, 0) : yes;
    }
    [[gnu::cold]] static constexpr bool transform(auto& r, node_id id) {
        if (const verdict why = can_transform(r, id); !why) {
            return r.refused(id, name, why);
        }
        const node_id shuffle = separate_in_standalone_branch(r, id);
        const dequantization found = normalize_dequantization(r, find_dequantization(r, shuffle));
        move_dequantization_after(r, shuffle,
                                  with_constants(r, found, [&](node_id each) { return shuffled(r, shuffle, each); }));
        return true;
    }

private:
    static constexpr node_id shuffled(auto& r, node_id shuffle, node_id constant) {
        graph& model = r.model;
        const std::size_t rank = model[shuffle].shape().rank();
        const std::int64_t axis = normalized_axis(model[shuffle].as<op::shuffle_channels>().axis, rank);
        const node_id full = pad_left(r, constant, rank);
        const shape& dimensions = model[full].shape();
        if (dimensions.elements() != 1 && dimensions[static_cast<std::size_t>(axis)] == 1) {
            return full;
        }
        return through_operation(r, shuffle, full);
    }
};

}  // namespace lpt::inline LPT_ABI
