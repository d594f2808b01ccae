// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// Gives the zero point of quantized weights the type of the weights:
/// Multiply(Subtract(Convert(weights), zero_point), scale) -> … Subtract(Convert(weights), Convert(rounded zero_point)).
///
/// A zero point of zero goes away with its Subtract. The types are those of the pass arguments, u8 and i8 by default.
struct convert_subtract_constant {
    static constexpr text_view name = "ConvertSubtractConstant";
    using pattern = lpt::pattern<op::multiply>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        graph& model = r.model;
        const int scale_port = detail::constant_port(model, id, false);
        if (scale_port < 0) {
            return false;
        }
        const node_id subtract = model[id].input(scale_port == 1 ? 0 : 1).node;
        if (!model[subtract].is<op::subtract>() || !is_constant(model, model[subtract].input(1)) ||
            !detail::keeps_data_shape(model, subtract, 1)) {
            return false;
        }
        const node_id convert = model[subtract].input(0).node;
        if (!model[convert].is<op::convert>() || !is_constant(model, model[convert].input(0))) {
            return false;
        }
        const output_ref weights = model[convert].input(0);
        const output_ref zero_point = model[subtract].input(1);
        const output_ref scale = model[id].input(static_cast<std::size_t>(scale_port));
        for (const output_ref each :
             {weights, output_ref(convert), zero_point, output_ref(subtract), scale, output_ref(id)}) {
            if (model.use_count(each) != 1) {
                return false;
            }
        }
        const element type = model.type(weights);
        if (!r.options.precisions_of(name, int8_precisions).contains(type)) {
            return false;
        }
        dequantization found;
        found.data = weights;
        found.subtract = subtract;
        found.zero_point = zero_point.node;
        if (!zero_point_fits(model, found)) {
            return r.refused(id, name, refuse(reason::zero_point_does_not_fit));
        }
        const tensor rounded = to_scalar(round_zero_points(r, constant_of(model, zero_point.node), type));
        if (is_zero(rounded)) {
            return replace_and_name(r, id, model.add(op::multiply{}, {convert, scale}));
        }
        const node_id typed = model.add(op::convert{model[convert].type()}, {model.constant(rounded)});
        model.set_mark(typed, mark::disabled_constant_folding);
        return replace_and_name(r, subtract, model.add(op::subtract{}, {convert, typed}));
    }
};

}  // namespace lpt::inline LPT_ABI
