// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>

namespace lpt {

namespace detail {

/// Puts nodes behind everything that they read or depend on: what they depend on first, last to first, then their inputs.
/// Without recursion: networks may be deep. Each connection is looked at once.
class depth_first_walk {
    enum class state : unsigned char { fresh, open, done };
    struct place {
        node_id node = node_id::none;
        std::uint32_t next = 0;  // how many of its control dependencies and inputs were looked at
    };
    const graph& model_;
    seq<state> states_;
    seq<place> path_;

    constexpr void open(node_id id) {
        states_[index_of(id)] = state::open;
        path_.push_back({id, 0});
    }

public:
    seq<node_id> order;

    constexpr explicit depth_first_walk(const graph& model) : model_(model) {
        states_.resize(model.id_bound());
        order.reserve(model.size());
    }
    constexpr void visit(node_id root) {
        if (states_[index_of(root)] != state::fresh) {
            return;
        }
        open(root);
        while (!path_.empty()) {
            place& top = path_.back();
            const node& each = model_[top.node];
            const std::size_t dependencies = each.control_dependencies().size();
            if (top.next == dependencies + each.inputs()) {
                states_[index_of(top.node)] = state::done;
                order.push_back(top.node);
                path_.pop_back();
                continue;
            }
            const std::size_t next = top.next++;
            const node_id on = next < dependencies ? each.control_dependencies()[dependencies - 1 - next]
                                                   : each.input(next - dependencies).node;
            const state theirs = states_[index_of(on)];
            if (theirs == state::open) {
                fail("the graph has a cycle through node '", model_[on].name(), "'");
            }
            if (theirs != state::fresh) {
                continue;
            }
            const node& source = model_[on];
            if (source.inputs() == 0 && source.control_dependencies().empty()) {  // half of all nodes are Constants
                states_[index_of(on)] = state::done;
                order.push_back(on);
            } else {
                open(on);
            }
        }
    }
};

}  // namespace detail

/// The nodes that parameters, sinks and results reach upwards, each after all nodes that it reads or depends on.
///
/// Depth first, the first input first; it starts from the last parameter back to the first, then the sinks, then the
/// results, each from the last to the first. Where several nodes share one decision the first in this order decides,
/// so the order is part of the behaviour. Raises an error if the graph has a cycle.
constexpr seq<node_id> topological_order(const graph& model) {
    detail::depth_first_walk walk(model);
    for (const seq<node_id>* last : {&model.parameters(), &model.sinks(), &model.results()}) {
        for (std::size_t i = last->size(); i-- > 0;) {
            walk.visit((*last)[i]);
        }
    }
    return lpt::move(walk.order);
}

/// Infers the types and shapes of all nodes anew, in topological order.
constexpr void infer_all(graph& model) {
    for (const node_id id : topological_order(model)) {
        model.infer(id);
    }
}

}  // namespace lpt
