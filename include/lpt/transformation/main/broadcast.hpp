// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind Broadcast. With constants per channel the channels must keep their number and their place.
struct broadcast_transformation : movement<broadcast_transformation> {
    static constexpr text_view name = "BroadcastTransformation";
    using pattern = lpt::pattern<op::broadcast, from<op::multiply>, anything, optional_input<anything>>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        const dequantization found = find_dequantization(r, id);
        return first_refusal([&] { return can_move_behind(r, id, found); },
                             [&] { return is_per_tensor(r.model, found) ? yes : channels_stay(r.model, id, found); });
    }
    static constexpr dequantization moved(rewrite& r, node_id broadcast, const dequantization& found) {
        return with_constants(r, found, [&](node_id each) { return placed(r, broadcast, each); });
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
            return refuse_axis(reason::dynamic_channel, 0, channel);
        }
        const shape& after = model[id].shape();
        if (channel >= after.rank() || after[channel] != before[channel]) {
            return refuse_axis(reason::varies_over_axis, 0, channel, constant_of_many(model, found));
        }
        if (names_axes(model, id)) {
            integers places;
            if (!known_values(model, model[id].input(2), places) || places.contains(op::unknown_value)) {
                return refuse(reason::axes_not_constant, 2);
            }
            if (channel >= places.size() || places[channel] != axis) {
                return refuse_axis(reason::varies_over_axis, 2, channel, constant_of_many(model, found));
            }
        }
        return yes;
    }
    /// True if input 2 says which axes of the output those of the data are; else the axes are aligned at the right.
    static constexpr bool names_axes(const graph& model, node_id id) {
        const op::broadcast_mode mode = model[id].as<op::broadcast>().mode;
        return mode == op::broadcast_mode::explicit_axes || mode == op::broadcast_mode::none;
    }
    static constexpr node_id placed(rewrite& r, node_id broadcast, node_id constant) {
        const std::size_t before = r.model.shape(r.model[broadcast].input(0)).rank();
        const std::size_t after = r.model[broadcast].shape().rank();
        const tensor& value = constant_of(r.model, constant);
        if (value.elements() == 1 || before == after || !names_axes(r.model, broadcast)) {
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
