// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/compiled.hpp>
#include <lpt/graph/access.hpp>
#include <lpt/graph/traverse.hpp>

namespace lpt::inline LPT_ABI {

namespace detail {

/// Checks that exactly the inputs that read an output are in its list of uses, and that the list is in one piece.
constexpr void check_uses(const graph& model, output_ref output) {
    const graph_access::output_slot& list = graph_access::output(model, output);
    input_ref previous{};
    input_ref each = list.first;
    std::int32_t count = 0;
    while (each.node != node_id::none && count < list.use_count) {
        if (!model.contains(each.node) || each.port < 0 ||
            static_cast<std::size_t>(each.port) >= model[each.node].inputs()) {
            fail({label(model, output.node), ": the list of uses of output ", output.port,
                  " has an input that there is not"});
        }
        const graph_access::input_slot& slot = graph_access::input(model, each);
        if (!(slot.source == output) || !(slot.previous == previous)) {
            fail({label(model, output.node), ": the list of uses of output ", output.port, " has input ", each.port,
                  " of ", label(model, each.node), ", which is not connected to it, or in another place"});
        }
        previous = each;
        each = slot.next;
        ++count;
    }
    if (count != list.use_count || each.node != node_id::none || !(previous == list.last)) {
        fail({label(model, output.node), ": the list of uses of output ", output.port, " should have ", list.use_count,
              " inputs"});
    }
}

constexpr void check_list(const graph& model, view<node_id> list, text_view what, bool (*belongs)(const node&)) {
    seq<bool, 8> listed(model.id_bound(), false);
    for (const node_id id : list) {
        if (!model.contains(id) || !belongs(model[id])) {
            fail({"the list of ", what, " has node ", static_cast<std::int32_t>(id), ", which is not one of them"});
        }
        if (listed[index_of(id)]) {
            fail({"the list of ", what, " has ", label(model, id), " twice"});
        }
        listed[index_of(id)] = true;
    }
    for (std::size_t i = 0; i < model.id_bound(); ++i) {
        if (model.contains(id_at(i)) && belongs(model[id_at(i)]) && !listed[i]) {
            fail({label(model, id_at(i)), " is not in the list of ", what});
        }
    }
}

constexpr void check_connections(const graph& model) {
    seq<std::size_t> readers(model.id_bound(), 0);
    seq<std::int32_t, 8> dependents(model.id_bound(), 0);
    for (std::size_t i = 0; i < model.id_bound(); ++i) {
        if (!model.contains(id_at(i))) {
            continue;
        }
        const node& each = model[id_at(i)];
        const op::row& facts = op::row_of(each.attributes());
        if (static_cast<int>(each.inputs()) < facts.inputs.least ||
            static_cast<int>(each.inputs()) > facts.inputs.most) {
            fail({label(model, id_at(i)), " has ", each.inputs(), " inputs, expected ", facts.inputs.least, " to ",
                  facts.inputs.most});
        }
        for (std::size_t port = 0; port < each.inputs(); ++port) {
            const output_ref source = each.input(port);
            if (!model.contains(source.node) || source.port < 0 ||
                static_cast<std::size_t>(source.port) >= model[source.node].outputs()) {
                fail({label(model, id_at(i)), ": input ", port, " is connected to output ", source.port, " of node ",
                      static_cast<std::int32_t>(source.node), ", which there is not"});
            }
            ++readers[index_of(source.node)];
        }
        for (const node_id on : each.control_dependencies()) {
            if (!model.contains(on)) {
                fail({label(model, id_at(i)), " depends on node ", static_cast<std::int32_t>(on),
                      ", which there is not"});
            }
            ++dependents[index_of(on)];
        }
    }
    for (std::size_t i = 0; i < model.id_bound(); ++i) {
        if (!model.contains(id_at(i))) {
            continue;
        }
        for (std::size_t port = 0; port < model[id_at(i)].outputs(); ++port) {
            check_uses(model, {id_at(i), static_cast<std::int32_t>(port)});
        }
        if (model.use_count(id_at(i)) != readers[i]) {
            fail({label(model, id_at(i)), ": ", readers[i], " inputs read it, but its lists of uses have ",
                  model.use_count(id_at(i))});
        }
        if (graph_access::control_users(model, id_at(i)) != dependents[i]) {
            fail({label(model, id_at(i)), ": ", dependents[i], " nodes depend on it, but ",
                  graph_access::control_users(model, id_at(i)), " are counted"});
        }
    }
}

/// Takes nodes away whose producers are all gone; what remains is on a cycle or behind one.
constexpr void check_acyclic(const graph& model) {
    seq<std::size_t> missing(model.id_bound(), 0);
    seq<seq<node_id>> dependents(model.id_bound(), seq<node_id>());
    seq<node_id> ready;
    std::size_t left = model.size();
    for (std::size_t i = 0; i < model.id_bound(); ++i) {
        if (!model.contains(id_at(i))) {
            continue;
        }
        const node& each = model[id_at(i)];
        missing[i] = each.inputs() + each.control_dependencies().size();
        for (const node_id on : each.control_dependencies()) {
            dependents[index_of(on)].push_back(id_at(i));
        }
        if (missing[i] == 0) {
            ready.push_back(id_at(i));
        }
    }
    const auto release = [&](node_id id) {
        if (--missing[index_of(id)] == 0) {
            ready.push_back(id);
        }
    };
    while (!ready.empty()) {
        const node_id id = ready.back();
        ready.pop_back();
        --left;
        for (std::size_t port = 0; port < model[id].outputs(); ++port) {
            for (const input_ref user : model.uses({id, static_cast<std::int32_t>(port)})) {
                release(user.node);
            }
        }
        for (const node_id user : dependents[index_of(id)]) {
            release(user);
        }
    }
    for (std::size_t i = 0; left != 0 && i < model.id_bound(); ++i) {
        if (model.contains(id_at(i)) && missing[i] != 0) {
            fail({label(model, id_at(i)), " is on a cycle or behind one"});
        }
    }
}

constexpr void check_types(const graph& model, node_id id) {
    const node& each = model[id];
    if (!graph_access::reads_data_is_right(model, id)) {
        fail({label(model, id), each.reads_data() ? " does not read data, but is taken for a node that does"
                                                  : " reads data, but is taken for a node that does not"});
    }
    const seq<op::output_facts, 2> expected = inferred_outputs(model, id);
    if (each.outputs() != expected.size()) {
        fail({label(model, id), " has ", each.outputs(), " outputs, expected ", expected.size()});
    }
    for (std::size_t port = 0; port < each.outputs(); ++port) {
        if (each.type(port) != expected[port].type || !(each.shape(port) == expected[port].dimensions)) {
            fail({label(model, id), ": output ", port, " is ", name(each.type(port)), " ", each.shape(port),
                  ", expected ", name(expected[port].type), " ", expected[port].dimensions});
        }
    }
}

/// Checks that a body gives what the node says of the outputs that come from it.
constexpr void check_outputs_of_body(const graph& model, node_id id, std::size_t which,
                                     const seq<op::body_output>& map) {
    const node& each = model[id];
    const graph& body = each.bodies()[which];
    for (const op::body_output& entry : map) {
        const auto port = static_cast<std::size_t>(entry.port);
        if (entry.port < 0 || port >= each.outputs() || entry.result < 0 ||
            static_cast<std::size_t>(entry.result) >= body.results().size()) {
            fail({label(model, id), ": result ", entry.result, " of ", op::body_name(each.kind(), which),
                  " cannot give output ", entry.port, ": there are ", body.results().size(), " results and ",
                  each.outputs(), " outputs"});
        }
        const output_ref given = body[body.results()[static_cast<std::size_t>(entry.result)]].input(0);
        const element type = body.type(given);
        shape dimensions = body.shape(given);
        if (entry.holds == op::body_output::form::concatenated) {
            const std::int64_t axis = normalized_axis(entry.slice.axis, dimensions.rank());
            if (axis < 0) {
                continue;
            }
            dimensions[static_cast<std::size_t>(axis)] = dynamic_dimension;
        }
        const bool same_type = type == dynamic || each.type(port) == dynamic || type == each.type(port);
        if (!same_type || !merge_shape(dimensions, each.shape(port))) {
            fail({label(model, id), ": output ", port, " is declared as ", name(each.type(port)), " ", each.shape(port),
                  ", but ", op::body_name(each.kind(), which), " gives ", name(type), " ", body.shape(given)});
        }
    }
}

/// Checks that a Loop that is known to run no iteration gives what it says: the inputs that its body would have gone on from.
constexpr void check_outputs_without_iterations(const graph& model, node_id id) {
    const node& each = model[id];
    const op::loop& self = each.as<op::loop>();
    const tensor* count = model.constant_value(each.input(0));
    const tensor* condition = model.constant_value(each.input(1));
    const bool runs = (count == nullptr || count->elements() != 1 || count->integer(0) != 0) &&
                      (condition == nullptr || condition->elements() != 1 || condition->real(0) != 0);
    for (const op::body_output& output : self.output_map) {
        for (const op::body_input& input : self.input_map) {
            if (runs || output.holds != op::body_output::form::value || input.holds != op::body_input::form::merged ||
                input.result != output.result || input.port < 0 ||
                static_cast<std::size_t>(input.port) >= each.inputs()) {
                continue;
            }
            const auto port = static_cast<std::size_t>(output.port);
            const output_ref given = each.input(static_cast<std::size_t>(input.port));
            shape dimensions = model.shape(given);
            if (!merge_shape(dimensions, each.shape(port))) {
                fail({label(model, id), ": output ", port, " is declared as ", each.shape(port),
                      ", but without iterations it is input ", input.port, ", of shape ", model.shape(given)});
            }
        }
    }
}

/// The same for all bodies of a node.
constexpr void check_declared_outputs(const graph& model, node_id id) {
    const node& each = model[id];
    const std::size_t bodies = each.bodies().size();
    if (each.is<op::if_else>()) {
        const auto& self = each.as<op::if_else>();
        for (std::size_t which = 0; which < bodies && which < 2; ++which) {
            check_outputs_of_body(model, id, which, which == 0 ? self.then_outputs : self.else_outputs);
        }
    } else if (each.is<op::loop>() && bodies != 0) {
        check_outputs_of_body(model, id, 0, each.as<op::loop>().output_map);
        check_outputs_without_iterations(model, id);
    } else if (each.is<op::tensor_iterator>() && bodies != 0) {
        check_outputs_of_body(model, id, 0, each.as<op::tensor_iterator>().output_map);
    }
}

/// The lists of a graph, its connections, and that it has no cycle.
constexpr void verify_structure(const graph& model) {
    check_list(model, model.parameters(), "parameters", [](const node& each) { return each.is<op::parameter>(); });
    check_list(model, model.results(), "results", [](const node& each) { return each.is<op::result>(); });
    check_list(model, model.sinks(), "sinks",
               [](const node& each) { return op::has(op::row_of(each.attributes()).traits, op::trait::sink); });
    check_connections(model);
    check_acyclic(model);
}
/// Types and shapes of the nodes with these numbers, and the graphs inside them.
constexpr void verify_nodes(const graph& model, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end && i < model.id_bound(); ++i) {
        if (!model.contains(id_at(i))) {
            continue;
        }
        check_types(model, id_at(i));
        for (std::size_t which = 0; which < model[id_at(i)].bodies().size(); ++which) {
            const graph& inside = model[id_at(i)].bodies()[which];
            verify_structure(inside);
            verify_nodes(inside, 0, inside.id_bound());
        }
        if (model[id_at(i)].bodies().size() != 0) {
            check_declared_outputs(model, id_at(i));
        }
    }
}

}  // namespace detail

/// Checks everything that holds for every graph that was built and edited through its functions.
///
/// Lists of parameters, results and sinks; numbers of inputs; connections and lists of uses; control dependencies;
/// no cycle; element types and shapes as a fresh inference gives them; the same for graphs inside nodes, and that these give what
/// their node declares.
/// Raises an error that names the first node that is wrong, and what was expected. Time is linear in the size of the graph.
template <compiled = once>
constexpr void verify(const graph& model) {
    detail::verify_structure(model);
    detail::verify_nodes(model, 0, model.id_bound());
}

#ifdef LPT_COMPILED
LPT_COMPILED template void verify<>(const graph&);
#endif

}  // namespace lpt::inline LPT_ABI
