// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// True if input 2 says which axes of the output those of the data are; else the axes are aligned at the right.
constexpr bool broadcast_names_axes(const graph& model, node_id id) {
    const op::broadcast_mode mode = model[id].as<op::broadcast>().mode;
    return mode == op::broadcast_mode::explicit_axes || mode == op::broadcast_mode::none;
}
/// Refuses constants per channel where channels change their number or place.
constexpr verdict broadcast_keeps_channels(const rewrite& r, node_id id, const dequantization& found) {
    const graph& model = r.model;
    const shape& before = model.shape(model[id].input(0));
    const shape& after = model[id].shape();
    const std::size_t channel = found.channel_axis;
    const auto refuse_channel = [&](int port) {
        return refuse_axis(reason::varies_over_axis, port, channel, constant_of_many(model, found));
    };
    integers places;
    const bool named = broadcast_names_axes(model, id);
    const bool known = named && known_values(model, model[id].input(2), places) && !places.contains(op::unknown_value);
    const bool stays = channel < places.size() && places[channel] == static_cast<std::int64_t>(channel);
    return is_per_tensor(model, found)                              ? yes
           : before.rank_is_dynamic()                               ? refuse(reason::dynamic_rank, 0)
           : channel >= before.rank() || !before.is_static(channel) ? refuse_axis(reason::dynamic_channel, 0, channel)
           : channel >= after.rank() || after[channel] != before[channel] ? refuse_channel(0)
           : named && !known                                              ? refuse(reason::axes_not_constant, 2)
           : named && !stays                                              ? refuse_channel(2)
                                                                          : yes;
}

/// Moves a dequantization behind Broadcast. With constants per channel the channels must keep their number and their place.
struct broadcast_transformation : movement<broadcast_transformation, can_move_behind, broadcast_keeps_channels> {
    static constexpr text_view name = "BroadcastTransformation";
    using pattern = lpt::pattern<op::broadcast, from<op::multiply>, anything, optional_input<anything>>;

    static constexpr node_id constant_behind(rewrite& r, node_id broadcast, node_id constant) {
        const std::size_t before = r.model.shape(r.model[broadcast].input(0)).rank();
        const std::size_t after = r.model[broadcast].shape().rank();
        const tensor& value = constant_of(r.model, constant);
        if (value.elements() == 1 || before == after || !broadcast_names_axes(r.model, broadcast)) {
            return constant;
        }
        integers places;
        known_values(r.model, r.model[broadcast].input(2), places);
        const shape own = aligned_shape(r.model, constant, before);
        shape dimensions = shape::of_ones(after);
        for (std::size_t axis = 0; axis < before; ++axis) {
            dimensions[static_cast<std::size_t>(places[axis])] = own[axis];
        }
        return r.model.constant(tensor(value, dimensions));
    }
};

}  // namespace lpt::inline LPT_ABI
