// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt {

/// Interpolate-11 to Interpolate-4, the one that low precision rules match: the sizes or scales that version 11 has in one
/// input become two. The modes that only version 11 knows stay.
struct convert_interpolate {
    static constexpr text_view name = "ConvertInterpolate11ToInterpolate4";
    using pattern = lpt::pattern<op::interpolate>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        const op::interpolate_mode mode = r.model[id].as<op::interpolate>().mode;
        if (mode == op::interpolate_mode::bilinear_pillow || mode == op::interpolate_mode::bicubic_pillow) {
            return refuse(reason::unsupported_mode);
        }
        const shape& given = r.model.shape(r.model[id].input(1));
        return given.is_static() && given.rank() == 1 ? yes : refuse(reason::axes_not_constant, 1);
    }
    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        if (r.model[id].version() != 11) {
            return false;
        }
        if (const verdict why = can_transform(r, id); !why) {
            return r.refused(id, name, why);
        }
        const op::interpolate& what = r.model[id].as<op::interpolate>();
        const output_ref given = r.model[id].input(1);
        const shape length = r.model.shape(given);
        const bool sizes = what.shape_calculation_mode == op::shape_calculation_mode::sizes;
        const output_ref unused = r.model.constant(make_tensor(sizes ? f32 : i32, length, view<double>({1.0})));
        seq<output_ref, 5> inputs{r.model[id].input(0), sizes ? given : unused, sizes ? unused : given};
        if (r.model[id].inputs() > 2) {
            inputs.push_back(r.model[id].input(2));
        }
        const node_id made = r.model.add(what, inputs, {}, 4);
        r.model.set_tensor_names(made, r.model[id].tensor_names());
        replace_and_name(r, id, made);
        return true;
    }
};

}  // namespace lpt
