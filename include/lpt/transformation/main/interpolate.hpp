// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind an Interpolate that copies the nearest element and does not pad.
struct interpolate_transformation : movement<interpolate_transformation> {
    static constexpr text_view name = "InterpolateTransformation";
    using pattern = any_of<
        lpt::pattern<op::interpolate, from<op::multiply>, from_constant>,
        lpt::pattern<op::interpolate, from<op::multiply>, from_constant, from_constant, optional_input<from_constant>>>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        const dequantization found = find_dequantization(r, id);
        return first_refusal([&] { return can_move_behind(r, id, found); },
                             [&] { return constants_keep_size(r.model, id, found); },
                             [&] { return copies_elements(r.model, id); });
    }

private:
    /// The axes over which constants vary are not resized.
    static constexpr verdict constants_keep_size(const graph& model, node_id id, const dequantization& found) {
        const shape& before = model.shape(model[id].input(0));
        const shape& after = model[id].shape();
        for (std::size_t axis = 0; axis < after.rank(); ++axis) {
            if (varies_over(model, found, axis, after.rank()) &&
                (!after.is_static(axis) || before[axis] != after[axis])) {
                return refuse_axis(reason::varies_over_axis, 0, axis,
                                   varying_constant(model, found, axis, after.rank()));
            }
        }
        return yes;
    }
    static constexpr verdict copies_elements(const graph& model, node_id id) {
        const op::interpolate& resize = model[id].as<op::interpolate>();
        switch (model[id].version()) {
            case 0: return copies_elements_version_0(resize);
            case 4: return copies_elements_version_4(resize);
            default: return refuse_value(reason::unsupported_version, -1, model[id].version());
        }
    }
    static constexpr verdict copies_elements_version_0(const op::interpolate& resize) {
        for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
            if (resize.axes.contains(static_cast<std::int64_t>(axis))) {
                return refuse_axis(reason::unsupported_axes, -1, axis);
            }
        }
        if (resize.mode != op::interpolate_mode::nearest || resize.align_corners) {
            return refuse(reason::unsupported_mode);
        }
        const auto starts_with_padding = [](const integers& pads) { return !pads.empty() && pads[0] != 0; };
        return starts_with_padding(resize.pads_begin) || starts_with_padding(resize.pads_end)
                   ? refuse(reason::unsupported_padding)
                   : yes;
    }
    static constexpr verdict copies_elements_version_4(const op::interpolate& resize) {
        if (resize.mode != op::interpolate_mode::nearest ||
            resize.coordinate_transformation_mode == op::coordinate_transformation_mode::align_corners) {
            return refuse(reason::unsupported_mode);
        }
        for (const integers* pads : {&resize.pads_begin, &resize.pads_end}) {
            for (const std::int64_t each : *pads) {
                if (each != 0) {
                    return refuse(reason::unsupported_padding);
                }
            }
        }
        return yes;
    }
};

}  // namespace lpt::inline LPT_ABI
