// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>

/// Scale and zero point constants on their way through an operation that moves or reduces elements: where they vary over an
/// axis that the operation changes, they go through the same operation.
namespace lpt::inline LPT_ABI {

/// The constant as a tensor without axes if all its elements are equal.
constexpr node_id to_scalar(rewrite& r, node_id constant) {
    const tensor& value = constant_of(r.model, constant);
    return is_scalar_like(value) && value.dimensions().rank() != 0 ? r.model.constant(to_scalar(value)) : constant;
}
/// The constant with axes of size 1 before its own until it has `rank` axes; a constant of one element comes back as it is.
constexpr node_id pad_left(rewrite& r, node_id constant, std::size_t rank) {
    const tensor& value = constant_of(r.model, constant);
    return value.elements() == 1 || value.dimensions().rank() >= rank
               ? constant
               : r.model.constant(tensor(value, value.dimensions().padded_left(rank)));
}

/// The Constant that an operation gives for constants; raises an error for an operation that cannot be evaluated.
constexpr node_id fold_to_constant(rewrite& r, op::attributes what, view<output_ref> inputs, int version = -1) {
    const output_ref folded = fold_operation(r.model, lpt::move(what), inputs, version);
    if (!is_constant(r.model, folded)) {
        fail({"a dequantization constant cannot be moved through ", r.model[folded.node].operation()});
    }
    return folded.node;
}
/// What an operation makes of a constant in the place of its data: a scalar of a constant of one element, else the operation on it.
constexpr node_id through_operation(rewrite& r, node_id operation, node_id constant) {
    if (constant_of(r.model, constant).elements() == 1) {
        return to_scalar(r, constant);
    }
    seq<output_ref, 5> inputs;
    inputs.push_back(constant);
    for (std::size_t port = 1; port < r.model[operation].inputs(); ++port) {
        inputs.push_back(try_fold(r.model, r.model.producer(operation, port)));
    }
    const node_id result = fold_to_constant(r, r.model[operation].attributes(), inputs, r.model[operation].version());
    // A relaxed operation gives its own type to whatever it computes, so the values are rounded to that type on the way.
    const element own = r.model[operation].relaxed() ? r.model[operation].type() : r.model[result].type();
    return fold_convert(r.model, fold_convert(r.model, result, own), r.model[constant].type()).node;
}

/// `through_operation` of a constant with as many axes as the data.
constexpr node_id through_operation_aligned(rewrite& r, node_id operation, node_id constant) {
    return through_operation(r, operation, pad_left(r, constant, r.model.shape(r.model[operation].input(0)).rank()));
}
/// `through_operation` for a change of shape alone. A constant of fewer axes than the data stays as it is where it fits behind the operation.
constexpr node_id through_change_of_shape(rewrite& r, node_id operation, node_id constant) {
    const node_id changed = through_operation_aligned(r, operation, constant);
    const shape& before = r.model[constant].shape();
    const shape& after = r.model[changed].shape();
    const bool stays = before.rank() < r.model.shape(r.model[operation].input(0)).rank() && before.elements() != 1 &&
                       before.rank() <= after.rank() && before.padded_left(after.rank()) == after;
    return stays ? constant : changed;
}

/// A dequantization with another zero point; a Convert between zero point and Subtract is made anew.
constexpr void set_zero_point(rewrite& r, dequantization& found, node_id zero_point) {
    if (zero_point == found.zero_point) {
        return;
    }
    if (found.zero_point_convert != node_id::none) {
        found.zero_point_convert = clone_with_information(r, found.zero_point_convert, {zero_point});
    }
    found.zero_point = zero_point;
}
/// What becomes of a constant of a dequantization behind an operation: the new Constant or the same.
using constant_behind_operation = node_id (*)(rewrite& r, node_id operation, node_id constant);
/// A dequantization with both constants as they are behind an operation.
constexpr dequantization with_constants(rewrite& r, dequantization found, node_id operation,
                                        constant_behind_operation behind) {
    if (found.has_subtract()) {
        set_zero_point(r, found, behind(r, operation, found.zero_point));
    }
    if (found.has_multiply()) {
        found.scale = behind(r, operation, found.scale);
    }
    return found;
}

/// The axis of a Concat of known rank.
constexpr std::size_t concat_axis(const graph& model, node_id concat) {
    return static_cast<std::size_t>(normalized_axis(model[concat].as<op::concat>().axis, model[concat].shape().rank()));
}
/// The sizes of a constant, seen with the rank of the data that it meets.
constexpr shape aligned_shape(const graph& model, node_id constant, std::size_t rank) {
    return model[constant].shape().padded_left(rank);
}
/// Refuses a scale, or else a zero point, that has more than one value along an axis of data with `rank` axes that an operation mixes.
template <class Answer>
constexpr verdict uniform_where(const graph& model, const dequantization& found, std::size_t rank,
                                const Answer& is_mixed) {
    for (std::size_t axis = 0; axis < rank; ++axis) {
        for (const node_id each : {found.scale, found.zero_point}) {
            if (each != node_id::none && aligned_shape(model, each, rank)[axis] != 1 && is_mixed(axis)) {
                return refuse_axis(reason::varies_over_axis, found.port, axis, each);
            }
        }
    }
    return yes;
}
/// Refuses constants that vary over an axis from 2 on: those are the axes that a window mixes.
constexpr verdict uniform_over_window(const rewrite& r, node_id id, const dequantization& found) {
    return uniform_where(r.model, found, r.model[id].shape().rank(), [](std::size_t axis) { return axis >= 2; });
}

}  // namespace lpt::inline LPT_ABI
