// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/guarded.hpp>
#include <lpt/transformation/main/scale_signs.hpp>

namespace lpt::inline LPT_ABI {

/// Takes a scale off the input of NormalizeL2, which divides it out again (but for eps): only its sign goes behind it. eps is
/// divided by scale^2; with `quirk::unscaled_epsilon` it stays as it is.
struct normalize_l2_transformation : guarded<normalize_l2_transformation> {
    static constexpr text_view name = "NormalizeL2Transformation";
    using pattern = lpt::pattern<op::normalize_l2, from<op::multiply>, from_constant>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        const dequantization found = find_dequantization(r, id);
        const verdict quantized =
            first_refusal([&] { return base_precondition(r, id); }, [&] { return has_scale(found); },
                          [&] { return has_no_zero_point(r.model, found); });
        if (!quantized) {
            return quantized;
        }
        const integers axes = integers_of(*r.model.constant_value(r.model[id].input(1)));
        if (axes != integers{1} && axes != integers{1, 2, 3}) {
            return refuse(reason::unsupported_axes, 1);
        }
        const shape& result = r.model[id].shape();
        const tensor& scale = constant_of(r.model, found.scale);
        if (!is_scalar_like(scale)) {
            return refuse_not_per_tensor(r.model, found);
        }
        if (scale.elements() != 1 && (result.rank() < 2 || static_cast<dimension>(scale.elements()) != result[1])) {
            return refuse_because_of(reason::shapes_do_not_match, 0, found.scale);
        }
        if (!can_rescale_eps(scale) && !r.follows(quirk::unscaled_epsilon)) {
            return refuse_because_of(reason::zero_or_denormal_scale, 0, found.scale);
        }
        return scale.type() == f16 || scale.type() == f32 ? yes : verdict{reason::types_do_not_match, 0, scale.type()};
    }
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id id) {
        const node_id normalize = unshare(r, id);
        const dequantization found = normalize_dequantization(r, find_dequantization(r, normalize));
        if (!r.follows(quirk::unscaled_epsilon)) {
            op::normalize_l2 self = r.model[normalize].as<op::normalize_l2>();
            self.eps = rescaled_eps(self.eps, constant_of(r.model, found.scale).real(0), 2);
            r.model.set_attributes(normalize, self);
        }
        move_scale_after_normalization(r, normalize, found, signs_of(constant_of(r.model, found.scale)), true);
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
