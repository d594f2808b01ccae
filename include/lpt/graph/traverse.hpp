// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>

namespace lpt {

/// The nodes that parameters, sinks and results reach upwards, each after all nodes that it reads or depends on.
///
/// Depth first, the first input first; it starts from the last parameter back to the first, then the sinks, then the
/// results, each from the last to the first. Where several nodes share one decision the first in this order decides,
/// so the order is part of the behaviour. Raises an error if the graph has a cycle.
constexpr seq<node_id> topological_order(const graph& model) {
    enum class state : unsigned char { fresh, open, done };
    seq<node_id> order;
    order.reserve(model.size());
    seq<state> states(model.id_bound(), state::fresh);
    seq<node_id> stack;
    stack.append(model.results());
    stack.append(model.sinks());
    stack.append(model.parameters());
    while (!stack.empty()) {
        const node_id id = stack.back();
        state& mine = states[index_of(id)];
        if (mine == state::done) {
            stack.pop_back();
            continue;
        }
        const node& each = model[id];
        bool ready = true;
        const auto need = [&](node_id on) {
            const state theirs = states[index_of(on)];
            if (theirs == state::done) {
                return;
            }
            if (theirs == state::open) {
                fail("the graph has a cycle through node '", model[on].name(), "'");
            }
            ready = false;
            stack.push_back(on);
        };
        for (std::size_t port = each.inputs(); port-- > 0;) {
            need(each.input(port).node);
        }
        for (const node_id on : each.control_dependencies()) {
            need(on);
        }
        if (ready) {
            mine = state::done;
            order.push_back(id);
            stack.pop_back();
        } else {
            mine = state::open;
        }
    }
    return order;
}

/// Infers the types and shapes of all nodes anew, in topological order.
constexpr void infer_all(graph& model) {
    for (const node_id id : topological_order(model)) {
        model.infer(id);
    }
}

}  // namespace lpt
