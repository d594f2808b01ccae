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
        const dequantization found = find_weights(model, id);
        if (found.empty() || !r.options.precisions_of(name, int8_precisions).contains(model.type(found.data))) {
            return false;
        }
        if (!zero_point_fits(model, found, 0)) {
            return r.refused(id, name, refuse(reason::zero_point_does_not_fit));
        }
        const tensor rounded =
            to_scalar(round_zero_points(r, constant_of(model, found.zero_point), model.type(found.data)));
        if (is_zero(rounded)) {
            return replace_and_name(r, id, model.add(op::multiply{}, {found.convert, found.scale}));
        }
        const node_id typed = model.add(op::convert{model[found.convert].type()}, {model.constant(rounded)});
        model.set_mark(typed, mark::disabled_constant_folding);
        return replace_and_name(r, found.subtract, model.add(op::subtract{}, {found.convert, typed}));
    }

private:
    /// The dequantization with constants, of constant data, that ends in a Multiply, each part of it with one reader; empty where there is none.
    static constexpr dequantization find_weights(const graph& model, node_id id) {
        const detail::operands_with_constant operands = detail::operands_of(model, id);
        const node_id subtract = operands.data.node;
        if (!operands || !model[subtract].is<op::subtract>() || !is_constant(model, model[subtract].input(1)) ||
            !detail::keeps_data_shape(model, subtract, model[subtract].input(0)) ||
            !is_converted_constant(model, model[subtract].input(0))) {
            return {};
        }
        dequantization found;
        found.convert = model.producer(subtract, 0);
        found.data = model[found.convert].input(0);
        found.subtract = subtract;
        found.zero_point = model.producer(subtract, 1);
        found.multiply = id;
        found.scale = operands.constant.node;
        for (const node_id each : {found.data.node, found.convert, found.zero_point, subtract, found.scale, id}) {
            if (model.use_count(output_ref(each)) != 1) {
                return {};
            }
        }
        return found;
    }
};

}  // namespace lpt::inline LPT_ABI
