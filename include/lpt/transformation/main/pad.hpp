// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a dequantization behind Pad. Constants that vary over a padded or cropped axis go the same way: in mode constant by the zero
/// point 0 and the scale 1, so that the margin, which has the pad value as it is, is dequantized to the pad value (with
/// `quirk::padded_axis_of_one` not along an axis of one element).
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
            set_zero_point(r, found,
                           fills ? in_margin(r, pad, found.zero_point, 0) : padded(r, pad, found.zero_point, 0));
        }
        if (found.has_multiply()) {
            found.scale = fills && value != 0 ? in_margin(r, pad, found.scale, 1) : padded(r, pad, found.scale, 1);
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

    /// A constant with another value in the margin. One of one element is repeated along the filled axis first, which may have one element, too.
    static constexpr node_id in_margin(rewrite& r, node_id pad, node_id constant, double fill) {
        const tensor& value = constant_of(r.model, constant);
        const shape& data = r.model.shape(r.model[pad].input(0));
        const filled_axes filled = filled_by(margins_of(r.model, pad));
        if (value.elements() != 1 || filled.count != 1) {
            return padded(r, pad, constant, fill);
        }
        shape dimensions = shape::of_ones(data.rank());
        dimensions[filled.last] = data[filled.last];
        const node_id repeated = r.model.constant(make_tensor(value.type(), dimensions, {value.real(0)}));
        const bool is_longer = data[filled.last] != 1 || r.follows(quirk::padded_axis_of_one);
        return padded(r, pad, repeated, fill, is_longer ? no_axis : filled.last);
    }
    static constexpr std::size_t no_axis = SIZE_MAX;
    /// `along`: an axis where a constant of one element has a margin, too.
    static constexpr node_id padded(rewrite& r, node_id pad, node_id constant, double fill,
                                    std::size_t along = no_axis) {
        graph& model = r.model;
        if (constant_of(model, constant).elements() == 1 && along == no_axis) {
            return to_scalar(r, constant);
        }
        const node_id full = pad_left(r, constant, model[pad].shape().rank());
        margins pads = margins_of(model, pad);
        if (!varies_over_margin(model, pads, full) && along == no_axis) {
            return full;
        }
        for (std::size_t axis = 0; axis < pads.begin.size(); ++axis) {
            const bool stays = model[full].shape()[axis] == 1 && axis != along;
            pads.begin[axis] = stays ? 0 : pads.begin[axis];
            pads.end[axis] = stays ? 0 : pads.end[axis];
        }
        const node_id value = model.constant(make_scalar(model[full].type(), fill));
        return fold_to_constant(
            r, op::pad{model[pad].as<op::pad>().pad_mode},
            {full, model.constant(make_indices(pads.begin)), model.constant(make_indices(pads.end)), value});
    }
};

}  // namespace lpt::inline LPT_ABI
