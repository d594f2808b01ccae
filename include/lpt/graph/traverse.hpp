// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>

namespace lpt::inline LPT_ABI {

namespace detail {

/// Puts nodes behind everything that they read or depend on: what they depend on first, last to first, then their inputs.
/// Without recursion: networks may be deep. Each connection is looked at once.
class depth_first_walk {
    enum class state : unsigned char { fresh, open, done };
    static constexpr std::size_t most_kept = 5;
    struct place {
        node_id node = node_id::none;
        std::uint32_t next = 0;  // how many of its control dependencies and inputs were looked at
        std::uint32_t count = 0;  // how many there are
        bool is_constant = false;
        bool keeps_producers = false;
        // Of its inputs: the node itself is far from the processor again when the walk comes back from the first of them.
        node_id producers[most_kept] = {};
    };
    const graph& model_;
    seq<state> states_;
    seq<place> path_;
    std::size_t count_ = 0;
    std::size_t operations_ = 0;

    constexpr std::size_t dependencies_of(const node& each) const {
        return model_.is_plain() ? 0 : each.control_dependencies().size();
    }
    constexpr void open(node_id id) {
        states_[index_of(id)] = state::open;
        place& made = path_.push_back({});
        const node& each = model_[id];
        const std::size_t dependencies = dependencies_of(each);
        made.node = id;
        made.count = static_cast<std::uint32_t>(dependencies + each.inputs());
        made.is_constant = each.is<op::constant>();
        made.keeps_producers = dependencies == 0 && each.inputs() <= most_kept &&
                               !lpt::is_constant_evaluated();  // which has no far memory
        for (std::size_t port = 0; made.keeps_producers && port < each.inputs(); ++port) {
            made.producers[port] = each.input(port).node;
        }
    }
    constexpr node_id next_producer(place& top) const {
        const std::size_t next = top.next++;
        if (top.keeps_producers) {
            return top.producers[next];
        }
        const node& each = model_[top.node];
        const std::size_t dependencies = dependencies_of(each);
        return next < dependencies ? each.control_dependencies()[dependencies - 1 - next]
                                   : each.input(next - dependencies).node;
    }
    constexpr void put(node_id id, bool is_constant) {
        states_[index_of(id)] = state::done;
        order[count_++] = id;
        if (!is_constant) {
            operations[operations_++] = id;
        }
    }

public:
    seq<node_id> order;
    seq<node_id> operations;  // the same without Constants

    constexpr explicit depth_first_walk(const graph& model) : model_(model) {
        states_.resize(model.id_bound());
        order.resize(model.size());
        operations.resize(model.size());
        if (!lpt::is_constant_evaluated()) {
            path_.reserve(model.size() / 8);
        }
        for (const seq<node_id>* last : {&model_.parameters(), &model_.sinks(), &model_.results()}) {
            for (std::size_t i = last->size(); i-- > 0;) {
                visit((*last)[i]);
            }
        }
        order.resize(count_);
        operations.resize(operations_);
    }

private:
    constexpr void visit(node_id root) {
        if (states_[index_of(root)] != state::fresh) {
            return;
        }
        open(root);
        while (!path_.empty()) {
            place& top = path_.back();
            const node_id on = next_to_open(top);
            if (on != node_id::none) {
                open(on);
                continue;
            }
            put(top.node, top.is_constant);
            path_.pop_back();
        }
    }
    /// The next producer that is not in order yet and reads something itself; `none` if there is none. Those that read nothing
    /// are put in order on the way: half of all nodes are Constants.
    constexpr node_id next_to_open(place& top) {
        while (top.next != top.count) {
            const node_id on = next_producer(top);
            const state theirs = states_[index_of(on)];
            if (theirs == state::open) {
                fail({"the graph has a cycle through node '", model_[on].name(), "'"});
            }
            if (theirs != state::fresh) {
                continue;
            }
            const node& source = model_[on];
            if (source.inputs() != 0 || dependencies_of(source) != 0) {
                return on;
            }
            put(on, source.is<op::constant>());
        }
        return node_id::none;
    }
};

}  // namespace detail

/// The only reader of output 0 of a node; `none` if there is none or more than one.
constexpr node_id only_reader(const graph& model, node_id id) {
    return model.use_count({id, 0}) == 1 ? model.first_use({id, 0}).node : node_id::none;
}
/// True if an answer holds for a reader of an output.
template <class Answer>
constexpr bool any_reader(const graph& model, output_ref source, const Answer& holds) {
    for (input_ref user = model.first_use(source); user.node != node_id::none; user = model.next_use(user)) {
        if (holds(user.node)) {
            return true;
        }
    }
    return false;
}
constexpr bool feeds_result(const graph& model, node_id id) {
    return any_reader(model, id, [&](node_id reader) { return model[reader].is<op::result>(); });
}

/// The nodes that parameters, sinks and results reach upwards, each after all nodes that it reads or depends on.
///
/// Depth first, the first input first; it starts from the last parameter back to the first, then the sinks, then the
/// results, each from the last to the first. Where several nodes share one decision the first in this order decides,
/// so the order is part of the behaviour. Raises an error if the graph has a cycle.
constexpr seq<node_id> topological_order(const graph& model) {
    detail::depth_first_walk walk(model);
    return lpt::move(walk.order);
}

/// A topological order of a graph, found anew only where the graph was changed since the last call. For one graph.
class kept_order {
    seq<node_id> order_;
    std::uint64_t edits_ = 0;
    bool is_known_ = false;

public:
    /// The reference ends with the next call.
    constexpr const seq<node_id>& of(const graph& model) {
        if (!is_known_ || edits_ != model.edits()) {
            order_ = topological_order(model);
            edits_ = model.edits();
            is_known_ = true;
        }
        return order_;
    }
};

/// Infers the types and shapes of all nodes anew, in topological order.
constexpr void infer_all(graph& model) {
    for (const node_id id : topological_order(model)) {
        model.infer(id);
    }
}

}  // namespace lpt::inline LPT_ABI
