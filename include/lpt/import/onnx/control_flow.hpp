// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/read.hpp>

/// If and Loop, whose bodies are graphs.
namespace lpt::inline LPT_ABI::onnx {

inline graph_description body_of(operation& n, std::string_view name) {
    const attribute* found = n.find(name, 5);
    if (found == nullptr || !found->graph) {
        n.wrong({"has no ", shown(name)});
    }
    return reading(n.builder(), [&] { return read_graph(found->graph.open()); });
}

/// Raises an error for a node that wants more outputs than its bodies give.
inline void check_outputs(operation& n, std::size_t given) {
    std::size_t wanted = n.outputs();
    while (wanted > 0 && !n.wants(wanted - 1)) {
        --wanted;
    }
    if (wanted > given) {
        n.wrong({"has ", wanted, " outputs, but its body gives ", given});
    }
}

/// A body while it is read.
struct body_reader {
    graph_reader reader;
    scope names;

    explicit body_reader(operation& n)
        : reader(n.reader().shared(), &n.reader(), n.reader().depth() + 1, n.builder().file()) {
        if (reader.depth() > graph_reader::deepest) {
            n.wrong({"bodies are nested more than ", graph_reader::deepest, " deep"});
        }
        names.enter(n.names(), n.builder());
        names.outer = &n.names();
        names.imported = n.names().imported;
    }
    output_ref add_parameter(const value_description& input, element type, const lpt::shape& dimensions) {
        const std::string name(input.name);
        const output_ref made = reader.builder().model().parameter(type, dimensions, name.c_str());
        const part_of_file part(reader.builder(), "input", input.name, input.byte);
        const auto [given, is_new] = names.values.try_emplace(input.name, reader.of(made));
        if (!is_new) {
            reader.builder().wrong({"has the name of another input"});
        }
        reader.check_type(input, given->second);
        return made;
    }
    void read(const graph_description& from) { reader.read_parts(from, names); }
    void add_result(output_ref from) { reader.builder().model().result(from); }
};

/// What is known of an output that two bodies, or a body and what it begins with, give.
inline op::declared_output common_output(const op::declared_output& left, const op::declared_output& right) {
    op::declared_output result = left;
    if (left.type != right.type) {
        result.type = dynamic;
    }
    if (left.dimensions == right.dimensions) {
        return result;
    }
    const bool same_rank = left.dimensions.rank_is_static() && right.dimensions.rank_is_static() &&
                           left.dimensions.rank() == right.dimensions.rank();
    if (!same_rank) {
        result.dimensions = lpt::shape::of_dynamic_rank();
        return result;
    }
    for (std::size_t axis = 0; axis < left.dimensions.rank(); ++axis) {
        if (left.dimensions[axis] != right.dimensions[axis]) {
            result.dimensions[axis] = dynamic_dimension;
        }
    }
    return result;
}

/// Raises an error where two bodies, or a body and what it begins with, give an output of different types.
inline void check_same_type(operation& n, text_view what, std::size_t number, element first, element second,
                            text_view where_first, text_view where_second) {
    if (first != second && first != dynamic && second != dynamic) {
        n.wrong({what, " ", number, " is ", lpt::name(first), " ", where_first, ", but ", lpt::name(second), " ",
                 where_second, ", expected one type"});
    }
}

inline op::declared_output declared(model_builder& of, output_ref from) {
    return {of.type_of(from), of.shape_of(from)};
}

/// Adds what a body takes from outside to the inputs of its node.
inline void add_captures(const graph_reader& body, seq<output_ref>& inputs, seq<op::body_input>& map) {
    for (const graph_reader::capture& each : body.captures) {
        op::body_input input;
        input.port = static_cast<std::int64_t>(inputs.size());
        input.parameter = each.parameter;
        inputs.push_back(each.from);
        map.push_back(input);
    }
}

/// A branch that is known to be taken belongs to the graph itself.
inline void read_known_branch(operation& n, const graph_description& branch) {
    check_outputs(n, branch.outputs.size());
    scope inner;
    inner.enter(n.names(), n.builder());
    inner.outer = &n.names();
    inner.imported = n.names().imported;
    inner.prefix = n.builder().current().name + "/";
    n.reader().read_parts(branch, inner);
    for (std::size_t port = 0; port < branch.outputs.size(); ++port) {
        n.out_value(port, n.reader().given_as(branch.outputs[port], inner));
    }
}

inline void read_if(operation& n) {
    output_ref condition = n.in(0);
    if (const tensor* known = n.known(condition); known != nullptr && known->elements() == 1) {
        return read_known_branch(n, body_of(n, known->integer(0) != 0 ? "then_branch" : "else_branch"));
    }
    condition = n.rank(condition) == 0 ? condition : n.reshape(condition, view<std::int64_t>());
    op::if_else what;
    seq<output_ref> inputs{condition};
    seq<graph> bodies;
    for (const bool first : {true, false}) {
        const graph_description branch = body_of(n, first ? "then_branch" : "else_branch");
        body_reader body(n);
        body.read(branch);
        auto& results = first ? what.then_outputs : what.else_outputs;
        for (std::size_t port = 0; port < branch.outputs.size(); ++port) {
            const output_ref from = body.reader.result_of(branch.outputs[port], body.names);
            body.add_result(from);
            op::body_output output;
            output.port = static_cast<std::int64_t>(port);
            output.result = output.port;
            results.push_back(output);
            const op::declared_output known = declared(body.reader.builder(), from);
            if (first) {
                what.declared_outputs.push_back(known);
            } else if (port < what.declared_outputs.size()) {
                check_same_type(n, "output", port, what.declared_outputs[port].type, known.type, "in then_branch",
                                "in else_branch");
                what.declared_outputs[port] = common_output(what.declared_outputs[port], known);
            }
        }
        if (results.size() != what.declared_outputs.size()) {
            n.wrong({"the branches give ", what.declared_outputs.size(), " and ", results.size(), " outputs"});
        }
        add_captures(body.reader, inputs, first ? what.then_inputs : what.else_inputs);
        bodies.push_back(body.reader.builder().take());
    }
    check_outputs(n, what.declared_outputs.size());
    const node_id made = n.builder().add_node(what, inputs);
    for (graph& each : bodies) {
        n.builder().model().add_body(made, std::move(each));
    }
    for (std::size_t port = 0; port < what.declared_outputs.size(); ++port) {
        n.out(port, output_ref(made, static_cast<std::int32_t>(port)));
    }
}

/// What a state is known to be before the body is read: as at first, or less where the body changes it.
inline void read_loop(operation& n) {
    const graph_description from = body_of(n, "body");
    const std::size_t states = n.inputs() < 2 ? 0 : n.inputs() - 2;
    if (from.inputs.size() != states + 2 || from.outputs.size() < states + 1) {
        n.wrong({"has ", states, " states, but a body with ", from.inputs.size(), " inputs and ", from.outputs.size(),
                 " outputs"});
    }
    check_outputs(n, from.outputs.size() - 1);
    const auto number = [&](std::size_t port) {
        return n.rank(n.in(port)) == 0 ? n.in(port) : n.reshape(n.in(port), view<std::int64_t>());
    };
    // Where a number is given, a negative one stands for no iteration; in the library's operation for any number of them.
    const output_ref iterations =
        n.has(0) ? n.make(op::maximum{}, {number(0), n.integer_constant(0)}) : n.integer_constant(-1);
    const output_ref condition_before = n.has(1) ? number(1) : n.builder().constant(make_scalar(boolean, 1));
    seq<output_ref> first{iterations, condition_before};
    seq<op::declared_output> known;
    for (std::size_t i = 0; i < states; ++i) {
        first.push_back(n.in(i + 2));
        known.push_back(declared(n.builder(), first.back()));
    }
    // The shapes of states may change from iteration to iteration: then the body is read anew with less known.
    for (bool settled = false; !settled;) {
        op::loop what;
        body_reader body(n);
        seq<output_ref> inputs = first;
        body.add_parameter(from.inputs[0], i64, {});
        body.add_parameter(from.inputs[1], boolean, {});
        what.current_iteration = 0;
        what.execution_condition = 0;
        op::body_input condition;
        condition.port = 1;
        condition.parameter = 1;
        condition.holds = op::body_input::form::merged;
        condition.result = 0;
        what.input_map.push_back(condition);
        for (std::size_t i = 0; i < states; ++i) {
            body.add_parameter(from.inputs[i + 2], known[i].type, known[i].dimensions);
            op::body_input state = condition;
            state.port = static_cast<std::int64_t>(i + 2);
            state.parameter = state.port;
            state.result = static_cast<std::int64_t>(i + 1);
            what.input_map.push_back(state);
        }
        body.read(from);
        settled = true;
        for (std::size_t i = 0; i < from.outputs.size(); ++i) {
            output_ref made = body.reader.result_of(from.outputs[i], body.names);
            model_builder& inner = body.reader.builder();
            op::body_output output;
            output.port = static_cast<std::int64_t>(i) - 1;
            output.result = static_cast<std::int64_t>(i);
            if (i > states) {
                made = inner.add(op::unsqueeze{}, view<output_ref>({made, inner.indices(view<std::int64_t>({0}))}));
                output.holds = op::body_output::form::concatenated;
            }
            body.add_result(made);
            if (i == 0) {
                if (const element type = inner.type_of(made); type != boolean && type != dynamic) {
                    n.wrong({"the condition, output 0, is ", lpt::name(type), ", expected boolean"});
                }
                continue;
            }
            op::declared_output gives = declared(inner, made);
            if (i <= states) {
                check_same_type(n, "state", i - 1, known[i - 1].type, gives.type, "at first", "behind the body");
                const op::declared_output both = common_output(known[i - 1], gives);
                settled = settled && both == known[i - 1];
                known[i - 1] = both;
                gives = both;
            } else if (gives.dimensions.rank_is_static()) {
                gives.dimensions[0] = dynamic_dimension;
            }
            what.output_map.push_back(output);
            what.declared_outputs.push_back(gives);
        }
        add_captures(body.reader, inputs, what.input_map);
        if (!settled) {
            continue;
        }
        const node_id made = n.builder().add_node(what, inputs);
        n.builder().model().add_body(made, body.reader.builder().take());
        for (std::size_t port = 0; port < what.declared_outputs.size(); ++port) {
            n.out(port, output_ref(made, static_cast<std::int32_t>(port)));
        }
    }
}

inline constexpr operator_entry control_flow_operators[] = {
    {"", "If", read_if},
    {"", "Loop", read_loop},
};

}  // namespace lpt::inline LPT_ABI::onnx
