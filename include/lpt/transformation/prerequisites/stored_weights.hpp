// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// True if an output gives dequantized weights: Multiply([Subtract](Convert(Constant of one of the types), constant), constant),
/// with constants on input 1, the zero point's perhaps behind a Convert, that do not broadcast the weights to another shape.
constexpr bool is_dequantized_weights(const graph& model, output_ref source, view<element> types) {
    if (!model[source.node].is<op::multiply>() || !is_constant(model, model[source.node].input(1))) {
        return false;
    }
    output_ref data = model[source.node].input(0);
    if (model[data.node].is<op::subtract>()) {
        const output_ref zero_point = model[data.node].input(1);
        if (!is_constant(model, zero_point) && !is_converted_constant(model, zero_point)) {
            return false;
        }
        data = model[data.node].input(0);
    }
    if (!model[data.node].is<op::convert>() || !is_constant(model, model[data.node].input(0)) ||
        !(model.shape(data) == model.shape(source))) {
        return false;
    }
    const element type = model.type(model[data.node].input(0));
    for (const element each : types) {
        if (each == type) {
            return true;
        }
    }
    return false;
}

/// Moves `movement` (an operation that moves values, on input 0) above the elementwise operation that produces its input;
/// `constant` is what the elementwise operation then has on its input 1. Gives the movement in its new place.
constexpr node_id pull_through_elementwise(rewrite& r, node_id movement, tensor constant) {
    graph& model = r.model;
    const node_id elementwise = model.producer(movement, 0);
    const node_id pulled = model.clone(movement, {model[elementwise].input(0), model[movement].input(1)});
    copy_information(r, movement, pulled);
    output_ref operand = model.constant(lpt::move(constant));
    const node_id convert = model.producer(elementwise, 1);
    if (model[convert].is<op::convert>()) {
        const node_id converted = model.clone(convert, {operand});
        copy_information(r, convert, converted);
        operand = converted;
    }
    const node_id made = model.clone(elementwise, {pulled, operand});
    copy_information(r, elementwise, made);
    replace_and_name(r, movement, made);
    return pulled;
}

/// Moves `movement` above the Convert that produces its input; gives the movement in its new place.
constexpr node_id pull_through_convert(rewrite& r, node_id movement) {
    graph& model = r.model;
    const node_id convert = model.producer(movement, 0);
    const node_id pulled = model.clone(movement, {model[convert].input(0), model[movement].input(1)});
    copy_information(r, movement, pulled);
    const node_id made = model.clone(convert, {pulled});
    copy_information(r, convert, made);
    replace_and_name(r, movement, made);
    return pulled;
}

/// Moves `movement` up through the dequantization of weights and into their Constant. `moved_constant(elementwise, values, result)`
/// gives the constant of an elementwise operation in its new place, and false where the movement stops.
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
            movement = pull_through_convert(r, movement);
            continue;
        }
        const node_id operand = model.producer(above, 1);
        const node_id constant = model[operand].is<op::convert>() ? model.producer(operand, 0) : operand;
        tensor moved;
        if (!moved_constant(above, constant_of(model, constant), moved)) {
            return;
        }
        movement = pull_through_elementwise(r, movement, lpt::move(moved));
    }
}

}  // namespace lpt::inline LPT_ABI
