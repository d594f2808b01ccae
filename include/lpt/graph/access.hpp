// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>

namespace lpt::inline LPT_ABI::detail {

/// `MatMul 'name' (node 7)`
constexpr text label(const graph& model, node_id id) {
    return join({model[id].operation(), " '", model[id].name(), "' (node ", static_cast<std::int32_t>(id), ")"});
}

/// The parts of a graph and of its nodes that nobody else sees, for checking, saving and restoring them.
struct graph_access {
    using input_slot = node::input_slot;
    using output_slot = node::output_slot;

    static constexpr const input_slot& input(const graph& model, input_ref which) {
        return model[which.node].inputs_[static_cast<std::size_t>(which.port)];
    }
    static constexpr const output_slot& output(const graph& model, output_ref which) {
        return model[which.node].outputs_[static_cast<std::size_t>(which.port)];
    }
    static constexpr std::int32_t control_users(const graph& model, node_id id) { return model[id].control_users_; }

    /// Shows the lists of a graph, beside its nodes, to a visitor.
    template <class Graph, class Visit>
    static constexpr void show_lists(Graph& model, Visit&& visit) {
        if constexpr (requires { model.needs_verification_ = true; }) {
            model.needs_verification_ = true;
        }
        visit(model.name_);
        visit(model.parameters_);
        visit(model.results_);
        visit(model.sinks_);
        visit(model.perhaps_dead_);
    }
    /// Shows the parts of a node, beside its operation, to a visitor.
    template <class Node, class Visit>
    static constexpr void show_parts(Node& each, Visit&& visit) {
        visit(each.version_);
        visit(each.control_users_);
        visit(each.relaxed_);
        visit(each.reads_data_);
        visit(each.marks_);
        visit(each.name_);
        visit(each.inputs_);
        visit(each.outputs_);
        visit(each.relaxation_);
        if constexpr (requires { each.rare_.make(); }) {
            visit_rare(each.rare_.make(), visit);
        } else {
            visit_rare(each.rare_.get(), visit);
        }
    }
    static constexpr bool has_parts(const rare_parts& rare) {
        return rare.control_dependencies.size() + rare.annotations.size() + rare.bodies.size() != 0;
    }
    template <class Rare, class Visit>
    static constexpr void visit_rare(Rare& rare, Visit&& visit) {
        visit(rare.control_dependencies);
        visit(rare.annotations);
        visit(rare.bodies);
    }

    /// The parts of a node that most nodes have, in one call: what takes few steps in constant expressions.
    template <class Node, class Use>
    static constexpr void use_parts(Node& each, Use&& use) {
        use(each.version_, each.relaxed_, each.reads_data_, each.marks_, each.name_, each.inputs_, each.outputs_);
    }
    static constexpr bool has_rare_parts(const node& each) {
        return each.control_users_ != 0 || each.relaxation_ || has_parts(each.rare_.get());
    }
    /// The parts of a node that few nodes have; for a node that can be changed they are empty at first.
    template <class Node, class Use>
    static constexpr void use_rare_parts(Node& each, Use&& use) {
        if constexpr (requires { each.rare_.make(); }) {
            rare_parts rare;
            use(each.control_users_, rare.control_dependencies, rare.annotations, each.relaxation_, rare.bodies);
            if (has_parts(rare)) {
                each.rare_.make() = lpt::move(rare);
            }
        } else {
            const rare_parts& rare = each.rare_.get();
            use(each.control_users_, rare.control_dependencies, rare.annotations, each.relaxation_, rare.bodies);
        }
    }

    static constexpr void set_operation(graph& model, node_id id, op::attributes what) {
        model.needs_verification_ = true;
        model.nodes_[id].attributes_ = lpt::move(what);
    }
    /// True if `reads_data` of a node is what its operation and its inputs imply.
    static constexpr bool reads_data_is_right(const graph& model, node_id id) {
        return model[id].reads_data() == model.would_read_data(model[id]);
    }
    /// A node to which rare parts may be given; then `note_rare_parts` has to follow.
    static constexpr node& writable(graph& model, node_id id) {
        model.needs_verification_ = true;
        model.may_have_open_shapes_ = true;
        return model.nodes_[id];
    }
    static constexpr void note_rare_parts(graph& model, node_id id) {
        model.is_plain_ = model.is_plain_ && model[id].control_dependencies().empty() && model[id].bodies().size() == 0;
    }
    /// Adds the next node number: a node without anything, or the number of a node that was removed.
    static constexpr node_id add_number(graph& model, bool alive) {
        const node_id id = model.new_node();
        model.needs_verification_ = true;
        if (!alive) {
            model.forget(id);
        }
        return id;
    }
    /// Completes the lists of uses of one output from their first inputs and the links forwards.
    static constexpr void complete_uses(graph& model, output_ref which) {
        output_slot& output = model.nodes_[which.node].outputs_[static_cast<std::size_t>(which.port)];
        output.use_count = 0;
        output.last = {};
        for (input_ref each = output.first; each.node != node_id::none;) {
            input_slot& slot = model.nodes_[each.node].inputs_[static_cast<std::size_t>(each.port)];
            slot.previous = output.last;
            output.last = each;
            ++output.use_count;
            each = slot.next;
        }
    }
};

}  // namespace lpt::inline LPT_ABI::detail
