// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Refuses constants that vary over axes that are resized.
constexpr verdict constants_keep_size(const rewrite& r, node_id id, const dequantization& found) {
    const shape& before = r.model.shape(r.model[id].input(0));
    const shape& after = r.model[id].shape();
    return uniform_where(r.model, found, after.rank(),
                         [&](std::size_t axis) { return !after.is_static(axis) || before[axis] != after[axis]; });
}

/// Refuses an Interpolate that computes elements, or pads.
constexpr verdict interpolation_copies_elements(const rewrite& r, node_id id, const dequantization&) {
    const op::interpolate& resize = r.model[id].as<op::interpolate>();
    const int version = r.model[id].version();
    const bool resizes_first = resize.axes.contains(0);
    const bool aligns_corners =
        version == 0 ? resize.align_corners
                     : resize.coordinate_transformation_mode == op::coordinate_transformation_mode::align_corners;
    const auto pads = [&](const integers& margins) {  // version 0: before the first axis
        return version == 0 ? !margins.empty() && margins[0] != 0 : margins != integers(margins.size(), 0);
    };
    return version != 0 && version != 4 ? refuse_value(reason::unsupported_version, -1, version)
           : version == 0 && (resizes_first || resize.axes.contains(1))
               ? refuse_axis(reason::unsupported_axes, -1, resizes_first ? 0 : 1)
           : resize.mode != op::interpolate_mode::nearest || aligns_corners ? refuse(reason::unsupported_mode)
           : pads(resize.pads_begin) || pads(resize.pads_end)               ? refuse(reason::unsupported_padding)
                                                                            : yes;
}

/// Moves a dequantization behind an Interpolate that copies the nearest element and does not pad.
struct interpolate_transformation
    : movement<interpolate_transformation, can_move_behind, constants_keep_size, interpolation_copies_elements> {
    static constexpr text_view name = "InterpolateTransformation";
    using pattern = any_of<
        lpt::pattern<op::interpolate, from<op::multiply>, from_constant>,
        lpt::pattern<op::interpolate, from<op::multiply>, from_constant, from_constant, optional_input<from_constant>>>;
};

}  // namespace lpt::inline LPT_ABI
