// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/guarded.hpp>

namespace lpt::inline LPT_ABI {

/// Interpolate-11 to Interpolate-4, the one that low precision rules match: the sizes or scales that version 11 has in one
/// input become two. The modes that only version 11 knows stay.
struct convert_interpolate : guarded<convert_interpolate> {
    static constexpr text_view name = "ConvertInterpolate11ToInterpolate4";
    using pattern = lpt::pattern<op::interpolate>;

    static constexpr bool is_about(const rewrite& r, node_id id) { return r.model[id].version() == 11; }
    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        const op::interpolate_mode mode = r.model[id].as<op::interpolate>().mode;
        const bool is_new =
            mode == op::interpolate_mode::bilinear_pillow || mode == op::interpolate_mode::bicubic_pillow;
        const shape& given = r.model.shape(r.model[id].input(1));
        return is_new                                    ? refuse(reason::unsupported_mode)
               : !given.is_static() || given.rank() != 1 ? refuse(reason::axes_not_constant, 1)
                                                         : yes;
    }
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id id) {
        graph& model = r.model;
        const op::interpolate& what = model[id].as<op::interpolate>();
        const output_ref given = model[id].input(1);
        const shape length = model.shape(given);
        const bool sizes = what.shape_calculation_mode == op::shape_calculation_mode::sizes;
        const output_ref unused = model.constant(make_tensor(sizes ? f32 : i32, length, view<double>({1.0})));
        seq<output_ref, 5> inputs{model[id].input(0), sizes ? given : unused, sizes ? unused : given};
        if (model[id].inputs() > 2) {
            inputs.push_back(model[id].input(2));
        }
        return replace_by_version(r, id, what, inputs, 4);
    }
};

}  // namespace lpt::inline LPT_ABI
