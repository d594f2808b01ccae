// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/main/scale_signs.hpp>

namespace lpt::inline LPT_ABI {

/// Refuses axes that NormalizeL2 does not reduce as this rule takes it, and a scale that it does not divide out.
constexpr verdict scale_is_divided_out(const rewrite& r, node_id id, const dequantization& found) {
    const integers axes = integers_of(*r.model.constant_value(r.model[id].input(1)));
    const tensor& scale = constant_of(r.model, found.scale);
    const shape& result = r.model[id].shape();
    const bool has_shape =
        scale.elements() == 1 || (result.rank() >= 2 && static_cast<dimension>(scale.elements()) == result[1]);
    const bool keeps_eps = !can_rescale_eps(scale) && !r.follows(quirk::unscaled_epsilon);
    return axes != integers{1} && axes != integers{1, 2, 3} ? refuse(reason::unsupported_axes, 1)
           : !is_scalar_like(scale)                         ? refuse_not_per_tensor(r.model, found)
           : !has_shape ? refuse_because_of(reason::shapes_do_not_match, 0, found.scale)
           : keeps_eps  ? refuse_because_of(reason::zero_or_denormal_scale, 0, found.scale)
           : scale.type() == f16 || scale.type() == f32 ? yes
                                                        : refuse_type(reason::types_do_not_match, 0, scale.type());
}

/// Takes a scale off the input of NormalizeL2, which divides it out again (but for eps): only its sign goes behind it. eps is
/// divided by scale^2; with `quirk::unscaled_epsilon` it stays as it is.
struct normalize_l2_transformation : dequantized_rule<normalize_l2_transformation, base_precondition, has_scale,
                                                      has_no_zero_point, scale_is_divided_out> {
    static constexpr text_view name = "NormalizeL2Transformation";
    using pattern = lpt::pattern<op::normalize_l2, from<op::multiply>, from_constant>;

    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id normalize, const dequantization& found) {
        if (!r.follows(quirk::unscaled_epsilon)) {
            op::normalize_l2 self = r.model[normalize].as<op::normalize_l2>();
            self.eps = rescaled_eps(self.eps, constant_of(r.model, found.scale).real(0), 2);
            r.model.set_attributes(normalize, self);
        }
        return move_scale_after_normalization(r, normalize, found, signs_of(constant_of(r.model, found.scale)), true);
    }
};

}  // namespace lpt::inline LPT_ABI
