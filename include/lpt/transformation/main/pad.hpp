// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind Pad. Constants that vary over a padded or cropped axis go the same way: in mode constant by the zero
/// point 0 and the scale 1, so that the margin, which has the pad value as it is, is dequantized to the pad value.
///
/// The pad value is converted to the type of the data, which must be able to hold it (in mode constant exactly; with
/// `quirk::truncated_pad_value` in its range, rounded towards zero). Mode constant refuses several filled axes, and constants that vary over
/// another than the filled one, where the margin would need constants of its own; mode reflect a scale that varies over a margin.
struct pad_transformation : movement<pad_transformation> {
    static constexpr text_view name = "PadTransformation";
    using pattern = lpt::pattern<op::pad, from<op::multiply>, from_constant, from_constant, from_constant>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        const dequantization found = find_dequantization(r, id);
        const verdict base = first_refusal<output_rank_is_known, is_dequantized, value_is_in_range>(r, id, found);
        if (!base) {
            return base;
        }
        switch (r.model[id].as<op::pad>().pad_mode) {
            case op::pad_mode::constant:  // what fills the margins is dequantized, too
                return first_refusal<constants_are_finite, value_is_exact, only_one_axis_varies>(r, id, found);
            case op::pad_mode::reflect: return scale_stays(r, id, found);
            default: return yes;
        }
    }
    static constexpr dequantization moved(rewrite& r, node_id pad, dequantization found) {
        graph& model = r.model;
        const bool fills = model[pad].as<op::pad>().pad_mode == op::pad_mode::constant;
        const double value = pad_value(model, pad);
        if (found.has_subtract()) {
            const node_id full = fills ? along_filled_axis(r, pad, found.zero_point) : found.zero_point;
            set_zero_point(r, found, padded(r, pad, full, 0));
        }
        if (found.has_multiply()) {
            const node_id full = fills && value != 0 ? along_filled_axis(r, pad, found.scale) : found.scale;
            found.scale = padded(r, pad, full, 1);
        }
        model.set_input(pad, 3, model.constant(make_scalar(model.type(found.data), value)));
        return found;
    }

private:
    struct margins {
        integers begin;
        integers end;

        constexpr bool changes(std::size_t axis) const { return begin[axis] != 0 || end[axis] != 0; }
    };
    /// One margin an axis; negative ones crop.
    static constexpr margins margins_of(const graph& model, node_id id) {
        return {integers_of(*model.constant_value(model[id].input(1))),
                integers_of(*model.constant_value(model[id].input(2)))};
    }
    static constexpr double pad_value(const graph& model, node_id id) {
        return model.constant_value(model[id].input(3))->real(0);
    }
    /// How many axes get new elements, and the last of them.
    struct filled_axes {
        std::size_t count = 0;
        std::size_t last = 0;
    };
    static constexpr filled_axes filled_by(const margins& pads) {
        filled_axes result;
        for (std::size_t axis = 0; axis < pads.begin.size(); ++axis) {
            if (pads.begin[axis] > 0 || pads.end[axis] > 0) {
                result = {result.count + 1, axis};
            }
        }
        return result;
    }
    static constexpr verdict value_is_in_range(const rewrite& r, node_id id, const dequantization& found) {
        const element type = r.model.type(found.data);
        const double value = pad_value(r.model, id);
        return is_real(type) || (value >= facts(type).lowest && value <= facts(type).highest)
                   ? yes
                   : verdict{reason::unsupported_padding, 3, type, -1, value};
    }
    static constexpr verdict value_is_exact(const rewrite& r, node_id id, const dequantization& found) {
        const element type = r.model.type(found.data);
        const double value = pad_value(r.model, id);
        return convert_value(type, value) == value || r.follows(quirk::truncated_pad_value)
                   ? yes
                   : verdict{reason::unsupported_padding, 3, type, -1, value};
    }
    static constexpr verdict only_one_axis_varies(const rewrite& r, node_id id, const dequantization& found) {
        const margins pads = margins_of(r.model, id);
        const bool scales = found.has_multiply() && pad_value(r.model, id) != 0;
        return scales && !only_varies_along(r.model, id, pads, found.scale)
                   ? refuse_because_of(reason::varies_over_axis, 0, found.scale)
               : found.has_subtract() && !only_varies_along(r.model, id, pads, found.zero_point)
                   ? refuse_because_of(reason::varies_over_axis, 0, found.zero_point)
                   : yes;
    }
    static constexpr verdict scale_stays(const rewrite& r, node_id id, const dequantization& found) {
        return !found.has_multiply() || !varies_over_margin(r.model, margins_of(r.model, id), found.scale)
                   ? yes
                   : refuse_because_of(reason::varies_over_axis, 0, found.scale);
    }
    static constexpr bool only_varies_along(const graph& model, node_id id, const margins& pads, node_id constant) {
        const shape& data = model.shape(model[id].input(0));
        const filled_axes filled = filled_by(pads);
        return filled.count == 0 || (filled.count == 1 && data.is_static(filled.last) &&
                                     varies_only_where(aligned_shape(model, constant, data.rank()),
                                                       [=](std::size_t axis) { return axis == filled.last; }));
    }
    static constexpr bool varies_over_margin(const graph& model, const margins& pads, node_id constant) {
        return !varies_only_where(aligned_shape(model, constant, pads.begin.size()),
                                  [&](std::size_t axis) { return !pads.changes(axis); });
    }

    /// A constant of one element, repeated along the filled axis: only there the margin can get another value.
    static constexpr node_id along_filled_axis(rewrite& r, node_id pad, node_id constant) {
        const tensor& value = constant_of(r.model, constant);
        const shape& data = r.model.shape(r.model[pad].input(0));
        const filled_axes filled = filled_by(margins_of(r.model, pad));
        if (value.elements() != 1 || filled.count != 1) {
            return constant;
        }
        shape dimensions = shape::of_ones(data.rank());
        dimensions[filled.last] = data[filled.last];
        return r.model.constant(make_tensor(value.type(), dimensions, {value.real(0)}));
    }
    static constexpr node_id padded(rewrite& r, node_id pad, node_id constant, double fill) {
        graph& model = r.model;
        if (constant_of(model, constant).elements() == 1) {
            return to_scalar(r, constant);
        }
        const node_id full = pad_left(r, constant, model[pad].shape().rank());
        margins pads = margins_of(model, pad);
        if (!varies_over_margin(model, pads, full)) {
            return full;
        }
        const shape& own = model[full].shape();
        for (std::size_t axis = 0; axis < own.rank(); ++axis) {
            pads.begin[axis] = own[axis] == 1 ? 0 : pads.begin[axis];
            pads.end[axis] = own[axis] == 1 ? 0 : pads.end[axis];
        }
        const node_id value = model.constant(make_scalar(model[full].type(), fill));
        return fold_to_constant(
            r, op::pad{model[pad].as<op::pad>().pad_mode},
            {full, model.constant(make_indices(pads.begin)), model.constant(make_indices(pads.end)), value});
    }
};

}  // namespace lpt::inline LPT_ABI
