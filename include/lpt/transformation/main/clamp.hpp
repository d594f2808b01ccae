// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/movement.hpp>

namespace lpt::inline LPT_ABI {

/// What limits the quantized values: min / s + z and max / s + z.
constexpr op::clamp quantized_limits(const graph& model, node_id clamp, const dequantization& found) {
    op::clamp limits = model[clamp].as<op::clamp>();
    const double scale = constant_of(model, found.scale).real(0);
    const double zero_point = found.has_subtract() ? constant_of(model, found.zero_point).real(0) : 0.0;
    if (scale < 0) {
        detail::swap_values(limits.min, limits.max);
    }
    limits.min = limits.min / scale + zero_point;
    limits.max = limits.max / scale + zero_point;
    return limits;
}
/// Refuses a scale by which a limit is too large.
constexpr verdict limits_are_floats(const rewrite& r, node_id id, const dequantization& found) {
    const op::clamp limits = quantized_limits(r.model, id, found);
    return math::is_finite(static_cast<float>(limits.min)) && math::is_finite(static_cast<float>(limits.max))
               ? yes
               : refuse_value(reason::zero_or_denormal_scale, 0, constant_of(r.model, found.scale).real(0),
                              found.scale);
}

/// Moves a per-tensor dequantization behind Clamp, whose limits become min / s + z and max / s + z (swapped for s < 0).
struct clamp_transformation : dequantized_rule<clamp_transformation, base_precondition, has_scale, constants_are_finite,
                                               is_uniform, limits_are_floats> {
    static constexpr text_view name = "ClampTransformation";
    using pattern = lpt::pattern<op::clamp, from<op::multiply>>;

    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id clamp, const dequantization& found) {
        graph& model = r.model;
        move_dequantization_after(r, clamp, found, false);
        const node_id limited = model.add(quantized_limits(model, clamp, found), {model[clamp].input(0)});
        compute_in(model, limited, 0, model[found.scale].type());
        model.relax_output(limited, model[found.multiply].type());
        keep_type_of_readers(model, clamp, model[limited].type());
        return replace_and_name(r, clamp, limited);
    }
    /// Upstream looks at the zero point only when it has given the operation its own copy of the dequantization.
    static constexpr bool refused(rewrite& r, node_id id, const verdict& why) {
        const bool copies = r.follows(quirk::needless_copy) && why.why == reason::not_per_tensor &&
                            is_scalar_like(r.model, find_dequantization(r, id).scale);
        return r.refused(copies ? unshare(r, id) : id, name, why);
    }

private:
    /// The dequantization goes on computing in the type of its constants where the new Clamp gives another one.
    static constexpr void keep_type_of_readers(graph& model, node_id clamp, element new_type) {
        const element type = model[clamp].type();
        for (const input_ref user : model.uses({clamp, 0})) {
            if (type != new_type && (model[user.node].is<op::subtract>() || model[user.node].is<op::multiply>())) {
                model.relax_input(user.node, type, static_cast<std::size_t>(user.port));
            }
        }
    }
};

}  // namespace lpt::inline LPT_ABI
