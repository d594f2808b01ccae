// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/tflite/network.hpp>

/// IF and WHILE, whose bodies are subgraphs.
namespace lpt::inline LPT_ABI::tflite {

void make_inputs(network& net);
void make_operators(network& net);

/// The subgraph that an option names.
inline std::size_t subgraph_option(const network& net, text_view option, std::size_t inputs) {
    const auto which = static_cast<std::size_t>(net.op().integer(option));
    const std::size_t taken = net.file().subgraphs[which].inputs.size();
    if (taken != inputs) {
        net.wrong("gives ", inputs, " inputs to subgraph ", which, ", which takes ", taken);
    }
    return which;
}

/// Outputs of a subgraph as the file has them.
inline seq<output_ref> outputs_of(network& body) {
    seq<output_ref> result;
    for (const std::int64_t index : body.description().outputs) {
        result.push_back(body.codes(index, axes::as_in_file));
    }
    return result;
}

/// A subgraph's operators as part of another graph, on values of that one.
inline seq<output_ref> inlined(network& net, std::size_t which, model_builder& into, const seq<output_ref>& inputs) {
    std::map<std::string, variable> none;
    network body(net.file(), which, into, none, net.budget(), false);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        body.set_codes(body.description().inputs[i], inputs[i]);
    }
    make_operators(body);
    if (!none.empty()) {
        net.wrong("variables in the subgraphs that it runs are not supported");
    }
    return outputs_of(body);
}

/// A subgraph as a body.
struct subgraph_body {
    model_builder make;
    seq<output_ref> parameters;
    seq<output_ref> outputs;

    subgraph_body(network& net, std::size_t which) : make(net.file().file.c_str()) {
        std::map<std::string, variable> none;
        network body(net.file(), which, make, none, net.budget(), false);
        make_inputs(body);
        for (const std::int64_t index : body.description().inputs) {
            parameters.push_back(body.codes(index, axes::as_in_file));
        }
        make_operators(body);
        if (!none.empty()) {
            net.wrong("variables in the subgraphs that it runs are not supported");
        }
        outputs = outputs_of(body);
    }
    op::declared_output declared(std::size_t which) const {
        return {make.type_of(outputs[which]), make.shape_of(outputs[which])};
    }
};

/// What two bodies, or a body and what it begins with, have in common; raises an error where the types differ.
inline op::declared_output common_output(const network& net, const op::declared_output& left,
                                         const op::declared_output& right) {
    if (left.type != right.type) {
        net.wrong("has an output of the types ", lpt::name(left.type), " and ", lpt::name(right.type));
    }
    op::declared_output result = left;
    if (left.dimensions.rank_is_dynamic() || right.dimensions.rank_is_dynamic() ||
        left.dimensions.rank() != right.dimensions.rank()) {
        result.dimensions = shape::of_dynamic_rank();
        return result;
    }
    for (std::size_t axis = 0; axis < left.dimensions.rank(); ++axis) {
        if (left.dimensions[axis] != right.dimensions[axis]) {
            result.dimensions[axis] = dynamic_dimension;
        }
    }
    return result;
}

inline op::body_input body_input(std::size_t port, std::size_t parameter) {
    op::body_input result;
    result.port = static_cast<std::int64_t>(port);
    result.parameter = static_cast<std::int64_t>(parameter);
    return result;
}
inline op::body_output body_output(std::size_t port, std::size_t result_number) {
    op::body_output result;
    result.port = static_cast<std::int64_t>(port);
    result.result = static_cast<std::int64_t>(result_number);
    return result;
}
inline void give_outputs(network& net, node_id from) {
    for (std::size_t i = 0; i < net.op().outputs.size(); ++i) {
        net.give_codes(output_ref(from, static_cast<std::int32_t>(i)), i);
    }
}

/// Inputs: a condition, then those of both subgraphs.
inline void make_if(network& net) {
    seq<output_ref> inputs{net.codes(net.input(0), axes::as_in_file)};
    for (std::size_t port = 1; port < net.op().inputs.size(); ++port) {
        inputs.push_back(net.codes(net.input(port), axes::as_in_file));
    }
    op::if_else what;
    seq<graph> bodies;
    for (const bool is_then : {true, false}) {
        subgraph_body body(
            net, subgraph_option(net, is_then ? "then_subgraph_index" : "else_subgraph_index", inputs.size() - 1));
        if (body.outputs.size() != net.op().outputs.size()) {
            net.wrong("has ", net.op().outputs.size(), " outputs, but a subgraph with ", body.outputs.size());
        }
        for (std::size_t i = 0; i < body.parameters.size(); ++i) {
            (is_then ? what.then_inputs : what.else_inputs).push_back(body_input(i + 1, i));
        }
        for (std::size_t i = 0; i < body.outputs.size(); ++i) {
            body.make.model().result(body.outputs[i]);
            (is_then ? what.then_outputs : what.else_outputs).push_back(body_output(i, i));
            if (is_then) {
                what.declared_outputs.push_back(body.declared(i));
            } else {
                what.declared_outputs[i] = common_output(net, what.declared_outputs[i], body.declared(i));
            }
        }
        bodies.push_back(body.make.take());
    }
    const node_id made = net.make().add_node(what, inputs);
    for (graph& each : bodies) {
        net.make().model().add_body(made, std::move(each));
    }
    give_outputs(net, made);
}

/// A condition of one element as a scalar.
inline output_ref condition_of(network& net, model_builder& make, const seq<output_ref>& outputs) {
    if (outputs.size() != 1 || make.type_of(outputs[0]) != boolean) {
        net.wrong("its condition must be one truth value");
    }
    return make.add(op::reshape{}, {outputs[0], make.indices(integers{})});
}

/// A body that runs as long as a condition holds on what it gave last.
inline void make_while(network& net) {
    seq<output_ref> states;
    for (std::size_t port = 0; port < net.op().inputs.size(); ++port) {
        states.push_back(net.codes(net.input(port), axes::as_in_file));
    }
    const std::size_t condition = subgraph_option(net, "cond_subgraph_index", states.size());
    subgraph_body body(net, subgraph_option(net, "body_subgraph_index", states.size()));
    if (body.outputs.size() != states.size() || net.op().outputs.size() != states.size()) {
        net.wrong("has ", states.size(), " states, but a body with ", body.outputs.size(), " outputs and itself ",
                  net.op().outputs.size());
    }
    const operator_info& self = net.op();
    op::loop what;
    what.execution_condition = 0;
    seq<output_ref> inputs{net.make().integer(-1),
                           condition_of(net, net.make(), inlined(net, condition, net.make(), states))};
    net.begin(&self);
    body.make.model().result(condition_of(net, body.make, inlined(net, condition, body.make, body.outputs)));
    for (std::size_t i = 0; i < states.size(); ++i) {
        op::body_input state = body_input(i + 2, i);
        state.holds = op::body_input::form::merged;
        state.result = static_cast<std::int64_t>(i + 1);
        what.input_map.push_back(state);
        inputs.push_back(states[i]);
        body.make.model().result(body.outputs[i]);
        what.output_map.push_back(body_output(i, i + 1));
        const op::declared_output first{net.make().type_of(states[i]), net.make().shape_of(states[i])};
        what.declared_outputs.push_back(common_output(net, first, body.declared(i)));
    }
    const node_id made = net.make().add_node(what, inputs);
    net.make().model().add_body(made, body.make.take());
    give_outputs(net, made);
}

}  // namespace lpt::inline LPT_ABI::tflite
