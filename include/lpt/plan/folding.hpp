// SPDX-License-Identifier: Apache-2.0
// Constants of a network before it is planned: what is known is computed, by the reference where it takes that.
#pragma once

#include <lpt/graph/fold.hpp>
#include <lpt/graph/traverse.hpp>
#include <lpt/plan/recurrent_weights.hpp>
#include <lpt/reference/evaluate.hpp>
#include <lpt/reference/naming.hpp>

namespace lpt::inline LPT_ABI::plan {

namespace detail {

/// Every node of known inputs becomes Constants, but for those whose marks `clear_folding_marks` left.
inline void fold_with_reference(graph& model, node_id id) {
    const node& each = model[id];
    const bool stays = each.inputs() == 0 || each.has(mark::disabled_constant_folding) || each.is<op::result>() ||
                       each.is<op::read_value>() || each.is<op::assign>() ||
                       !reference::can_evaluate(each.attributes()) ||
                       reference::runs_bodies(each.kind());  // variables in bodies live from run to run
    if (stays) {
        return;
    }
    seq<tensor> inputs;
    for (std::size_t port = 0; port < each.inputs(); ++port) {
        const tensor* value = model.constant_value(each.input(port));
        if (value == nullptr) {
            return;
        }
        inputs.push_back(*value);
    }
    if (!lpt::detail::can_afford(model, model[id], inputs)) {
        return;
    }
    const seq<tensor> values =
        lpt::detail::naming_memory_of(each, [&] { return reference::evaluate_node<float>(model, id, inputs); });
    for (std::size_t port = 0; port < values.size(); ++port) {
        model.replace_uses(output_ref(id, static_cast<std::int32_t>(port)),
                           model.constant(values[port], model[id].name()));
    }
}

/// Calls `visit(id, port, first)` for the weights of recurrent operations above which a dequantization of bytes may begin with `first`. Nodes
/// that are gone are passed over.
template <class Visit>
void for_each_dequantized_weights(const graph& model, view<node_id> nodes, const Visit& visit) {
    for (const node_id id : nodes) {
        const recurrent_form form = model.contains(id) ? recurrent_form_of(model[id]) : recurrent_form();
        for (std::size_t port = form.weights; form.has_weights(port); ++port) {
            const node_id first = first_of_dequantization(model, model[id].input(port));
            if (first != node_id::none) {
                visit(id, port, first);
            }
        }
    }
}

/// The first operations of those dequantizations that are marked: nothing is to fold these weights back to real numbers.
inline seq<node_id> marked_dequantizations(const graph& model, view<node_id> nodes) {
    seq<node_id> result;
    for_each_dequantized_weights(model, nodes, [&](node_id, std::size_t, node_id first) {
        if (model[first].has(mark::disabled_constant_folding)) {
            result.push_back(first);
        }
    });
    return result;
}

/// Folding takes no notice of marks in plans: they guide transformations, which are over. Those of `kept` stay.
inline void clear_folding_marks(graph& model, view<node_id> nodes, view<node_id> kept) {
    for (const node_id id : nodes) {
        if (model[id].has(mark::disabled_constant_folding)) {
            model.clear_mark(id, mark::disabled_constant_folding);
        }
    }
    for (const node_id id : kept) {
        model.set_mark(id, mark::disabled_constant_folding);
    }
}

/// Takes the marks from dequantizations, whose constants are folded now, that no kernel reads as bytes; true if there are any.
inline bool release_unread_bytes(graph& model, view<node_id> nodes) {
    bool any = false;
    for_each_dequantized_weights(model, nodes, [&](node_id id, std::size_t port, node_id first) {
        if (!multiplies_bytes(model, model[id], port)) {
            model.clear_mark(first, mark::disabled_constant_folding);
            any = true;
        }
    });
    return any;
}

}  // namespace detail

/// Folds everything that is known whatever the inputs are: what is planned has been folded before.
inline void fold_known(graph& model) {
    const seq<node_id> order = topological_order(model);
    const seq<node_id> kept = detail::marked_dequantizations(model, order);
    detail::clear_folding_marks(model, order, kept);
    constant_folding(model, order);
    if (!kept.empty() && detail::release_unread_bytes(model, order)) {
        constant_folding(model);
    }
    for (const node_id id : order) {
        if (model.contains(id)) {
            detail::fold_with_reference(model, id);
        }
    }
    model.collect();
}

}  // namespace lpt::inline LPT_ABI::plan
