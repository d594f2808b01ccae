// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>

// How nodes are added, changed and removed: the bodies of what `graph` declares.

namespace lpt::inline LPT_ABI {

// ---- adding

constexpr void graph::list_special(node_id id) {
    if (nodes_[id].is<op::parameter>()) {
        parameters_.push_back(id);
    } else if (nodes_[id].is<op::result>()) {
        results_.push_back(id);
    } else if (op::has(op::row_of(nodes_[id].attributes()).traits, op::trait::sink)) {
        sinks_.push_back(id);
    }
}

constexpr node_id graph::add_raw(op::attributes what, view<output_ref> inputs, text_view name, int version) {
    for (const output_ref source : inputs) {
        check(source);
    }
    const node_id id = new_node();
    node& made = nodes_[id];
    made.attributes_ = lpt::move(what);
    made.version_ = version;
    if (!name.empty()) {
        made.name_ = text(name);
    }
    connect_all(id, made, inputs);
    made.reads_data_ = would_read_data(made);
    list_special(id);
    perhaps_dead_.push_back(id);
    return id;
}

constexpr node_id graph::add_checked(op::attributes what, view<output_ref> inputs, text_view name, int version) {
    const op::row& facts = op::row_of(what);
    if (static_cast<int>(inputs.size()) < facts.inputs.least || static_cast<int>(inputs.size()) > facts.inputs.most) {
        fail({facts.name, " '", name, "' cannot have ", inputs.size(), " inputs"});
    }
    return add_raw(lpt::move(what), inputs, name, version < 0 ? facts.opsets.newest() : version);
}

constexpr void graph::infer_new(node_id id) {
    const bool needed = needs_verification_;
    infer(id);
    needs_verification_ = needed;
}

// ---- names and notes

constexpr void graph::annotate(node_id id, text key, text value) {
    nodes_[id].rare_.make().annotations.push_back({lpt::move(key), lpt::move(value)});
}

constexpr void graph::name_tensor(output_ref output, text name) {
    seq<text> names = nodes_[output.node].tensor_names(static_cast<std::size_t>(output.port));
    names.push_back(lpt::move(name));
    set_tensor_names(output, lpt::move(names));
}

constexpr void graph::set_tensor_names(output_ref output, seq<text> names) {
    shared<seq<text>>& mine = nodes_[output.node].outputs_[static_cast<std::size_t>(output.port)].names;
    mine = {};
    if (!names.empty()) {
        mine = shared<seq<text>>(lpt::move(names));
    }
}

// ---- operation, dependencies, bodies

constexpr void graph::add_control_dependency(node_id id, node_id on) {
    nodes_[id].rare_.make().control_dependencies.push_back(on);
    ++nodes_[on].control_users_;
    ++edits_;
    needs_verification_ = true;
    is_plain_ = false;
}

constexpr void graph::clear_control_dependencies(node_id id) {
    if (nodes_[id].control_dependencies().empty()) {
        return;
    }
    for (const node_id on : nodes_[id].control_dependencies()) {
        if (--nodes_[on].control_users_ == 0) {
            perhaps_dead_.push_back(on);
        }
    }
    nodes_[id].rare_.make().control_dependencies.clear();
    ++edits_;
}

constexpr void graph::set_attributes(node_id id, op::attributes what) {
    needs_verification_ = true;
    nodes_[id].attributes_ = lpt::move(what);
    infer(id);
    update_reads_data(id);
}

constexpr void graph::become(node_id id, op::attributes what, int version) {
    needs_verification_ = true;
    nodes_[id].attributes_ = lpt::move(what);
    nodes_[id].version_ = version;
    update_reads_data(id);
}

constexpr void graph::add_body(node_id id, graph body) {
    needs_verification_ = true;
    is_plain_ = false;
    nodes_[id].rare_.make().bodies.push_back(lpt::move(body));
}

constexpr graph& graph::body(node_id id, std::size_t which) {
    needs_verification_ = true;
    return nodes_[id].rare_.make().bodies[which];
}

// ---- relaxation

constexpr void graph::relax(node_id id, relaxation types) {
    nodes_[id].relaxed_ = true;
    nodes_[id].relaxation_ = shared<relaxation>(lpt::move(types));
    infer(id);
}

constexpr void graph::relax_keeping_shape(node_id id, element output, relaxation types) {
    needs_verification_ = true;
    nodes_[id].relaxed_ = true;
    nodes_[id].relaxation_ = shared<relaxation>(lpt::move(types));
    nodes_[id].outputs_[0].type = output;
}

namespace detail {

/// Types of ports, of which those behind the last one that is named are `dynamic`.
template <class Types>
constexpr void set_type_of_port(Types& types, std::size_t port, element type) {
    if (types.size() <= port) {
        types.resize(port + 1, dynamic);
    }
    types[port] = type;
}

}  // namespace detail

constexpr void graph::relax_output(node_id id, element type, std::size_t port) {
    relaxation types = nodes_[id].relaxation_ ? *nodes_[id].relaxation_ : relaxation{};
    detail::set_type_of_port(types.output_types, port, type);
    relax(id, lpt::move(types));
}

constexpr void graph::relax_input(node_id id, element type, std::size_t port) {
    relaxation types = nodes_[id].relaxation_ ? *nodes_[id].relaxation_ : relaxation{};
    detail::set_type_of_port(types.input_types, port, type);
    relax(id, lpt::move(types));
}

// ---- removal

namespace detail {

constexpr void erase_value(seq<node_id>& from, node_id id) {
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (from[i] == id) {
            from.erase(i);
            return;
        }
    }
}

}  // namespace detail

constexpr bool graph::is_root(node_id id) const {
    const node& each = nodes_[id];
    return each.is<op::parameter>() || each.is<op::result>() ||
           op::has(op::row_of(each.attributes()).traits, op::trait::sink);
}

constexpr void graph::replace_in_lists(node_id from, node_id to) {
    needs_verification_ = true;
    for (seq<node_id>* all : {&parameters_, &results_, &sinks_}) {
        detail::erase_value(*all, to);
        for (node_id& each : *all) {
            if (each == from) {
                each = to;
            }
        }
    }
}

constexpr void graph::take_away(node_id id) {
    disconnect_all(nodes_[id]);
    if (!is_plain_) {
        clear_control_dependencies(id);
    }
    forget(id);
}

constexpr void graph::remove(node_id id) {
    if (use_count(id) != 0) {
        fail({"node '", nodes_[id].name(), "' cannot be removed: ", use_count(id), " inputs read it"});
    }
    node& old = nodes_[id];
    needs_verification_ = needs_verification_ || old.control_users_ != 0;
    if (old.is<op::parameter>()) {
        detail::erase_value(parameters_, id);
    } else if (old.is<op::result>()) {
        detail::erase_value(results_, id);
    } else if (op::has(op::row_of(old.attributes()).traits, op::trait::sink)) {
        detail::erase_value(sinks_, id);
    }
    take_away(id);
}

constexpr void graph::collect() {
    while (!perhaps_dead_.empty()) {
        const node_id id = perhaps_dead_.back();
        perhaps_dead_.pop_back();
        if (!contains(id)) {
            continue;
        }
        const node& each = nodes_[id];
        if (each.control_users_ == 0 && use_count(id) == 0 && (each.is<op::constant>() || !is_root(id))) {
            take_away(id);
        }
    }
}

}  // namespace lpt::inline LPT_ABI
