// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/tflite/network.hpp>

/// Variables: what lives from run to run.
namespace lpt::inline LPT_ABI::tflite {

/// The variable that an operator's first input is a handle of.
inline variable& variable_input(network& net) {
    const std::int64_t handle = net.input(0);
    const auto found = net.others().handles.find(handle);
    if (found == net.others().handles.end()) {
        net.wrong("input 0 is no handle of a variable");
    }
    return net.variables()[found->second];
}

inline void make_var_handle(network& net) {
    if (net.op().outputs.size() != 1 || net.op().outputs[0] == operator_info::none) {
        net.wrong("has no output");
    }
    std::string name = net.op().words("container").c_str();
    name += (name.empty() ? "" : "/");
    name += net.op().words("shared_name").c_str();
    net.others().handles[net.op().outputs[0]] = name;
}

inline void make_read_variable(network& net) {
    variable& from = variable_input(net);
    if (net.op().outputs.size() != 1 || net.op().outputs[0] == operator_info::none) {
        net.wrong("has no output");
    }
    const std::int64_t output = net.op().outputs[0];
    if (!from.now) {
        const tensor_info& info = net.info(output);
        op::read_value what;
        what.variable_id = text(net.others().handles[net.input(0)].c_str());
        what.variable_type = element_of(info.type);
        what.variable_shape = info.signature;
        seq<output_ref, 5> initial;
        if (from.initial) {
            initial.push_back(from.initial);
        }
        from.reader = net.make().add_node(what, initial, 6);
        from.now = from.reader;
    }
    net.set_codes(output, from.now);
}

inline void make_assign_variable(network& net) {
    variable& to = variable_input(net);
    const output_ref value = net.codes(net.input(1), axes::as_in_file);
    if (net.is_initializing()) {
        to.initial = value;
    } else {
        to.now = value;
        to.is_written = true;
    }
}

/// Writes the variables that operators assigned to, after everything that reads them.
inline void write_variables(network& net) {
    for (auto& [name, each] : net.variables()) {
        if (!each.is_written) {
            continue;
        }
        op::assign what;
        what.variable_id = text(name.c_str());
        what.variable_type = net.make().type_of(each.now);
        what.variable_shape = net.make().shape_of(each.now);
        if (each.reader == node_id::none) {
            continue;  // nobody reads it
        }
        const node_id sink = net.make().add_node(what, {each.now}, 6);
        net.make().model().add_control_dependency(sink, each.reader);
    }
}

}  // namespace lpt::inline LPT_ABI::tflite
