// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/main/scale_signs.hpp>

namespace lpt::inline LPT_ABI {

/// Takes the scale off the input of MVN. Where MVN divides by the deviation, the scale cancels out (but for eps), and only its sign stands
/// behind; elsewhere the scale itself. eps is divided by scale^2 (by |scale| outside the root), which asks for one scale; with
/// `quirk::unscaled_epsilon` it stays as it is. Refuses a zero point, and a scale that varies over a normalized axis.
struct mvn_transformation : dequantized_rule<mvn_transformation> {
    static constexpr text_view name = "MVNTransformation";
    using pattern =
        any_of<lpt::pattern<op::mvn, from<op::multiply>>, lpt::pattern<op::mvn, from<op::multiply>, from_constant>>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        return first_refusal<can_move_behind, has_no_zero_point, scale_stays, eps_can_be_rescaled>(r, id);
    }
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id mvn, const dequantization& found) {
        tensor scale = constant_of(r.model, found.scale);
        if (op::mvn self = r.model[mvn].as<op::mvn>(); self.normalize_variance) {
            if (rescales_eps(r, self)) {
                self.eps =
                    rescaled_eps(self.eps, scale.real(0), self.eps_mode == op::mvn_eps_mode::inside_sqrt ? 2 : 1);
                r.model.set_attributes(mvn, self);
            }
            scale = signs_of(scale);
        }
        return move_scale_after_normalization(r, mvn, found, scale, false);
    }

private:
    static constexpr bool rescales_eps(const rewrite& r, const op::mvn& self) {
        return self.normalize_variance && !r.follows(quirk::unscaled_epsilon);
    }
    static constexpr verdict eps_can_be_rescaled(const rewrite& r, node_id id, const dequantization& found) {
        return !rescales_eps(r, r.model[id].as<op::mvn>()) || can_rescale_eps(constant_of(r.model, found.scale))
                   ? yes
                   : refuse_not_per_tensor(r.model, found);
    }
    /// The scale is the same along the axes that are normalized.
    static constexpr verdict scale_stays(const rewrite& r, node_id id, const dequantization& found) {
        return is_scalar_like(r.model, found.scale)
                   ? yes
                   : uniform_where(r.model, found, r.model[id].shape().rank(),
                                   [&](std::size_t axis) { return reduces(r.model, id, axis); });
    }
    static constexpr bool reduces(const graph& model, node_id id, std::size_t axis) {
        const op::mvn& self = model[id].as<op::mvn>();
        if (model[id].version() == 0 && self.reduction_axes.empty()) {
            return axis > 1 || (axis == 1 && self.across_channels);
        }
        const integers axes =
            model[id].version() == 0 ? self.reduction_axes : integers_of(*model.constant_value(model[id].input(1)));
        bool any = false;
        for (const std::int64_t each : axes) {
            any = any || normalized_axis(each, model[id].shape().rank()) == static_cast<std::int64_t>(axis);
        }
        return any;
    }
};

}  // namespace lpt::inline LPT_ABI
