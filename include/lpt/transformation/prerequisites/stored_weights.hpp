// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// True if an output gives dequantized weights: Multiply([Subtract](Convert(Constant of one of the types), constant), constant),
/// with constants on input 1, the zero point perhaps through a Convert, that do not broadcast the weights to another shape.
constexpr bool is_dequantized_weights(const graph& model, output_ref source, view<element> types) {
    if (!model[source.node].is<op::multiply>() || !is_constant(model, model[source.node].input(1))) {
        return false;
    }
    const node_id above = model.producer(source.node, 0);
    const bool shifts = model[above].is<op::subtract>();
    const output_ref data = model[shifts ? above : source.node].input(0);
    return (!shifts || stored_constant_of(model, model[above].input(1))) && is_converted_constant(model, data) &&
           model.shape(data) == model.shape(source) && types.contains(model.type(model[data.node].input(0)));
}

/// Moves `movement` (an operation that moves values, on input 0) above the Convert, or the elementwise operation, that produces its input;
/// `constant` is what an elementwise operation then has on its input 1. Gives the movement in its new place.
constexpr node_id pull_through(rewrite& r, node_id movement, const tensor* constant = nullptr) {
    graph& model = r.model;
    const node_id above = model.producer(movement, 0);
    const node_id pulled = clone_with_information(r, movement, {model[above].input(0), model[movement].input(1)});
    seq<output_ref, 5> inputs{pulled};
    if (constant != nullptr) {
        output_ref operand = model.constant(*constant);
        if (const node_id convert = model.producer(above, 1); model[convert].is<op::convert>()) {
            operand = clone_with_information(r, convert, {operand});
        }
        inputs.push_back(operand);
    }
    replace_and_name(r, movement, clone_with_information(r, above, inputs));
    return pulled;
}

/// Moves `movement` up through the dequantization of weights and into their Constant. `moved_constant(elementwise, values)` gives
/// the constant of an elementwise operation in its new place, and no tensor where the movement stops.
template <class MovedConstant>
constexpr void pull_to_constant(rewrite& r, node_id movement, const MovedConstant& moved_constant) {
    graph& model = r.model;
    while (true) {
        const node_id above = model.producer(movement, 0);
        if (model[above].is<op::constant>()) {
            const output_ref folded = try_fold(model, movement);
            copy_information(r, above, folded.node);
            model.replace_uses(movement, folded);
            return;
        }
        if (model[above].is<op::convert>()) {
            movement = pull_through(r, movement);
            continue;
        }
        const output_ref constant = stored_constant_of(model, model[above].input(1));
        const tensor moved = moved_constant(above, constant_of(model, constant.node));
        if (!moved) {
            return;
        }
        movement = pull_through(r, movement, &moved);
    }
}

}  // namespace lpt::inline LPT_ABI
