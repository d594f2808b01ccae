// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/guarded.hpp>

namespace lpt::inline LPT_ABI {

/// Turns the Convert of low precision data to real numbers into a Subtract of zero that reads the data as it is, for engines
/// that fuse a Subtract with the operation above and have no Convert of their own; not part of the default pipeline.
///
/// before: y = convert(x);  after: y = x - 0, type-relaxed: computed in the type of the Convert
/// Refused for constants, which are folded, and for data that is not of low precision.
struct convert_transformation : guarded<convert_transformation> {
    static constexpr text_view name = "ConvertTransformation";
    using pattern = lpt::pattern<op::convert>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        const output_ref data = r.model[id].input(0);
        const element type = r.model.type(data);
        const element real = r.model[id].type();
        return is_constant(r.model, data) ? refuse(reason::constant_path, 0)
               : !is_low_precision(type)  ? refuse_type(reason::not_low_precision, 0, type)
               : !is_real(real)           ? refuse_type(reason::types_do_not_match, -1, real)
                                          : base_precondition(r, id);
    }
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id id) {
        graph& model = r.model;
        const output_ref data = model[id].input(0);
        const element computed = model[id].type();
        const node_id zero = model.constant(make_scalar(model.type(data), 0));
        return replace_and_name(r, id,
                                model.add_relaxed(op::subtract{}, {data, zero}, {{computed, computed}, {computed}}));
    }
};

}  // namespace lpt::inline LPT_ABI
