// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>
#include <lpt/import/openvino_ir/document.hpp>

/// Port maps of TensorIterator, Loop and If: which input of the node feeds which parameter of a body, and which result of
/// a body gives which output.
namespace lpt::inline LPT_ABI::openvino_ir {

/// The layers of a body that are its parameters and results, in order: port maps name them by layer id.
struct body_ports {
    std::map<std::int64_t, std::int64_t> parameter_of_layer;
    std::map<std::int64_t, std::int64_t> result_of_layer;
};

inline body_ports ports_of_body(const document& body) {
    body_ports ports;
    for (const layer_description& layer : body.layers()) {
        if (layer.kind == op::kind::parameter) {
            ports.parameter_of_layer.emplace(layer.id, static_cast<std::int64_t>(ports.parameter_of_layer.size()));
        } else if (layer.kind == op::kind::result) {
            ports.result_of_layer.emplace(layer.id, static_cast<std::int64_t>(ports.result_of_layer.size()));
        }
    }
    return ports;
}

inline std::int64_t find_body_port(const std::map<std::int64_t, std::int64_t>& ports, std::int64_t layer,
                                   const place& where) {
    const auto found = ports.find(layer);
    if (found == ports.end()) {
        wrong(where, "a port map names layer ", layer, " of the body, which is not a parameter or result there");
    }
    return found->second;
}

/// The number of a port among those of a layer that a file gives by its id.
template <class Port>
std::int64_t port_number(const numbered_parts<Port>& ports, part_range of_layer, std::int64_t id, const place& where) {
    const std::size_t result = ports.place_of(of_layer, id);
    if (result == of_layer.count) {
        wrong(where, "a port map names port ", id, ", which the layer does not have");
    }
    return static_cast<std::int64_t>(result);
}

inline op::body_slice read_slice(const pugi::xml_node& entry, const place& where) {
    return {integer_attribute(entry, "axis", where), integer_attribute(entry, "start", where, 0),
            integer_attribute(entry, "stride", where, 1), integer_attribute(entry, "part_size", where, 1),
            integer_attribute(entry, "end", where, -1)};
}

inline seq<op::body_input> read_input_map(const document& content, const layer_description& layer,
                                          const pugi::xml_node& map, const pugi::xml_node& back_edges,
                                          const body_ports& body) {
    const place where = content.where(layer);
    std::map<std::int64_t, std::int64_t> fed_back_by;
    for (const pugi::xml_node& edge : back_edges.children("edge")) {
        fed_back_by[integer_attribute(edge, "to-layer", where)] = integer_attribute(edge, "from-layer", where);
    }
    seq<op::body_input> inputs;
    for (const pugi::xml_node& entry : map.children("input")) {
        const std::int64_t inner = integer_attribute(entry, "internal_layer_id", where);
        const std::int64_t outer = integer_attribute(entry, "external_port_id", where);
        if (outer < 0) {
            continue;  // the number of the iteration: Loop keeps it as an attribute
        }
        op::body_input input;
        input.port = port_number(content.inputs, layer.inputs, outer, where);
        input.parameter = find_body_port(body.parameter_of_layer, inner, where);
        if (entry.attribute("axis")) {
            input.holds = op::body_input::form::sliced;
            input.slice = read_slice(entry, where);
        } else if (const auto back = fed_back_by.find(inner); back != fed_back_by.end()) {
            input.holds = op::body_input::form::merged;
            input.result = find_body_port(body.result_of_layer, back->second, where);
        }
        inputs.push_back(input);
    }
    return inputs;
}

inline seq<op::body_output> read_output_map(const document& content, const layer_description& layer,
                                            const pugi::xml_node& map, const body_ports& body) {
    const place where = content.where(layer);
    seq<op::body_output> outputs;
    for (const pugi::xml_node& entry : map.children("output")) {
        const std::int64_t outer = integer_attribute(entry, "external_port_id", where);
        if (outer < 0) {
            continue;  // the condition of a Loop, which it keeps as an attribute
        }
        op::body_output output;
        output.port = port_number(content.outputs, layer.outputs, outer, where);
        output.result =
            find_body_port(body.result_of_layer, integer_attribute(entry, "internal_layer_id", where), where);
        if (entry.attribute("axis")) {
            output.holds = op::body_output::form::concatenated;
            output.slice = read_slice(entry, where);
        }
        outputs.push_back(output);
    }
    return outputs;
}

/// Raises an error where nothing feeds a parameter of a body, or an output of the layer.
inline void check_maps(const document& content, const layer_description& layer, const body_ports& body,
                       const seq<op::body_input>& inputs, const seq<op::body_output>& outputs,
                       std::int64_t current_iteration = -1) {
    const place where = content.where(layer);
    std::set<std::int64_t> fed{current_iteration};
    for (const op::body_input& each : inputs) {
        fed.insert(each.parameter);
    }
    for (const auto& [id, parameter] : body.parameter_of_layer) {
        if (!fed.contains(parameter)) {
            wrong(where, "no port map entry feeds the body's parameter with layer id ", id);
        }
    }
    std::set<std::int64_t> given;
    for (const op::body_output& each : outputs) {
        given.insert(each.port);
    }
    for (std::size_t port = 0; port < layer.outputs.count; ++port) {
        if (!given.contains(static_cast<std::int64_t>(port))) {
            wrong(where, "no port map entry gives output port ", content.outputs_of(layer)[port].id);
        }
    }
}

inline seq<op::declared_output> read_declared_outputs(const document& content, const layer_description& layer) {
    seq<op::declared_output> outputs;
    for (const output_description& port : content.outputs_of(layer)) {
        outputs.push_back({port.type, port.dimensions});
    }
    return outputs;
}

/// Files write a shape of unknown rank as no dimensions at all, like that of a scalar: it is one only where the result that gives the output is,
/// too.
inline void open_unknown_ranks(seq<op::declared_output>& declared, const seq<op::body_output>& outputs,
                               const graph& body) {
    for (const op::body_output& each : outputs) {
        shape& dimensions = declared[static_cast<std::size_t>(each.port)].dimensions;
        const node_id result = body.results()[static_cast<std::size_t>(each.result)];
        const bool gives_scalar =
            each.holds != op::body_output::form::concatenated && body.shape(body[result].input(0)) == shape{};
        if (dimensions.rank_is_static() && dimensions.rank() == 0 && !gives_scalar) {
            dimensions = shape::of_dynamic_rank();
        }
    }
}

}  // namespace lpt::inline LPT_ABI::openvino_ir
