// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Refuses a constant that is subtracted from a dequantization over other axes than the channels, or is no real number.
constexpr verdict shift_is_per_channel(const rewrite& r, node_id id, const dequantization& found) {
    const output_ref shift = r.model[id].input(1);
    if (!detail::keeps_data_shape(r.model, id, r.model[id].input(0)) ||
        !is_per_channel_constant(r.model, id, shift.node, found.channel_axis)) {
        return refuse_because_of(reason::not_per_tensor_or_per_channel, 1, shift.node);
    }
    const element type = r.model.type(shift);
    return is_real(type) ? yes : refuse_type(reason::types_do_not_match, 1, type);
}

/// Takes a constant that is subtracted from dequantized data into the dequantization; not part of the default pipeline.
///
/// before: y = scale * (x - zero_point) - shift
/// after:  y = scale * (x - (zero_point + shift / scale))
/// The zero point is not rounded. Scale, zero point and shift are one for the tensor or one per channel. Refused where the data
/// is not of low precision (with `update_precisions`), a scale is zero or too small, or the new zero point is infinite.
struct subtract_transformation : dequantized_rule<subtract_transformation, base_precondition, has_scale,
                                                  has_low_precision, scale_is_not_zero, shift_is_per_channel> {
    static constexpr text_view name = "SubtractTransformation";
    using pattern = lpt::pattern<op::subtract, from<op::multiply>, from_constant>;

    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id subtract, const dequantization& found) {
        graph& model = r.model;
        const element type = model.type(found.scale);
        constant zero_point = constant(model, model[subtract].input(1).node).as(type) / constant(model, found.scale);
        if (found.has_subtract()) {
            zero_point = constant(model, found.zero_point).as(type) + zero_point;
        }
        if (!is_finite(zero_point)) {
            return r.refused(subtract, name, refuse(reason::infinite_constant, 1));
        }
        output_ref data = floating_point_data(found);
        if (model.type(data) != type) {
            data = model.add(op::convert{type}, {data});
        }
        const node_id shifted =
            model.add_relaxed(op::subtract{}, {data, model.constant(to_scalar(zero_point))}, {{type, type}, {type}});
        const node_id scaled =
            model.add_relaxed(op::multiply{}, {shifted, found.scale}, {{type, type}, {model[subtract].type()}});
        return replace_and_name(r, subtract, scaled);
    }
};

}  // namespace lpt::inline LPT_ABI
