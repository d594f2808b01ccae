// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization/find.hpp>
#include <lpt/transformation/dequantization/questions.hpp>
#include <lpt/transformation/dequantization/rewriting.hpp>

/// Dequantizations that others read, too, made a node's own; constants on the input where they are expected.
namespace lpt::inline LPT_ABI {

/// The dequantization with its scale on input 1 of the Multiply, in the graph; a zero point is there anyway.
constexpr dequantization normalize_dequantization(rewrite& r, dequantization found) {
    if (found.has_multiply() && !is_constant(r.model, r.model[found.multiply].input(1))) {
        const node& old = r.model[found.multiply];
        const node_id made = r.model.clone(found.multiply, {old.input(1), old.input(0)});
        replace_and_name(r, found.multiply, made);
        found.multiply = made;
    }
    return found;
}
/// Pads the shape of the constant on input 1 of an elementwise node with 1s on the left to the rank of the node, in the graph.
constexpr node_id normalize_constant_shape(rewrite& r, node_id elementwise) {
    graph& model = r.model;
    const auto [port, source, data] = detail::operands_of(model, elementwise, true);
    const bool converted = model[source.node].is<op::convert>();
    const node_id constant = converted ? model.producer(source.node, 0) : source.node;
    const shape& result = model[elementwise].shape();
    const tensor& value = constant_of(model, constant);
    if (result.rank_is_dynamic() || value.dimensions().rank() >= result.rank()) {
        return constant;
    }
    const node_id made = model.constant(tensor(value, value.dimensions().padded_left(result.rank())));
    copy_information(r, constant, made);
    model.set_input(elementwise, port, converted ? clone_with_information(r, source.node, {made}) : made);
    return made;
}

namespace detail {

/// Clones the operations and constants of a dequantization; gives the output of the last clone.
constexpr output_ref clone_dequantization(rewrite& r, const dequantization& found) {
    output_ref parent = found.data;
    if (found.has_convert()) {
        parent = clone_with_information(r, found.convert, {parent});
    }
    for (const node_id each : {found.subtract, found.multiply}) {
        if (each != node_id::none) {
            const node_id constant = r.model.producer(each, 1);
            parent = clone_with_information(
                r, each, {parent, clone_with_information(r, constant, inputs_of(r.model, constant))});
        }
    }
    return parent;
}

}  // namespace detail

/// What a node has to have for itself: a whole dequantization, or only its zero point, where scales go into constants of the node's own.
enum class owned { dequantization, zero_point };

/// Gives a node its own copy of each dequantization on its inputs that other nodes use too; gives the node (a clone, if
/// anything was separated), which keeps its name. Where one dequantization is on several inputs the first of them gets the copy.
///
/// What input ports asked for concerns the branch that was left, so a clone's ports ask for nothing.
[[gnu::noinline]] constexpr node_id unshare(rewrite& r, node_id id, owned part = owned::dequantization) {
    seq<output_ref, 5> inputs = inputs_of(r.model, id);
    bool separated = false;
    for (std::size_t port = 0; port < inputs.size(); ++port) {
        if (!may_be_dequantized(r.model, inputs[port])) {
            continue;
        }
        const dequantization found = normalize_dequantization(r, find_dequantization(r, id, port));
        inputs[port] = r.model[id].input(port);
        if (!found.empty() && (part == owned::dequantization || found.has_subtract()) && is_shared(r.model, found)) {
            std::size_t first = 0;
            while (!(r.model[id].input(first) == r.model[id].input(port))) {
                ++first;
            }
            inputs[first] = detail::clone_dequantization(r, found);
            separated = true;
        }
    }
    if (!separated) {
        return id;
    }
    const node_id made = r.model.clone(id, inputs);
    copy_information_and_name(r, id, made, false);
    r.model.replace(id, made);
    return made;
}

/// True if nothing is to be separated or normalised: no part of the dequantization above an input has other readers, and its scale is on input 1.
constexpr bool is_unshared(const graph& model, const dequantization& found, owned part = owned::dequantization) {
    const bool is_normal = !found.has_multiply() || is_constant(model, model[found.multiply].input(1));
    const bool may_be_shared = part == owned::zero_point && !found.has_subtract();
    return found.empty() || (is_normal && (may_be_shared || !is_shared(model, found)));
}

/// Lets a relaxed operation that reads quantized data on an input compute as if it had been converted to `type` before. A type
/// that is not real changes nothing: the operation computes with the quantized values.
constexpr void compute_in(graph& model, node_id operation, std::size_t port, element type) {
    if (is_real(type) && !is_real(model.type(model[operation].input(port)))) {
        model.relax_input(operation, type, port);
    }
}

/// Makes an operation, in its place, one like it that reads other inputs and has these types of its own.
constexpr void renew_relaxed(rewrite& r, node_id id, view<output_ref> inputs, relaxation types) {
    r.model.renew(id, inputs);
    r.model.relax(id, lpt::move(types));
}

}  // namespace lpt::inline LPT_ABI
