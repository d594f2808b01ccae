// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/memory_errors.hpp>
#include <lpt/graph/traverse.hpp>
#include <lpt/graph/verify.hpp>
#include <lpt/import/openvino_ir/bodies.hpp>
#include <lpt/import/openvino_ir/declared.hpp>

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>
#include <utility>

/// From the XML document to a graph.
namespace lpt::inline LPT_ABI::openvino_ir {

inline constexpr int deepest_body = 16;

struct source_files {
    const mapped_file* weights;  // null if there is no such file
    std::string xml;
    std::string bin;
    op::user_operations known;  // operation types of users
};

graph build_graph(const document& content, const source_files& files, int depth);

// ---- weights

inline tensor read_constant(const layer_description& layer, const place& where, const source_files& files) {
    const pugi::xml_node data = layer.xml.child("data");
    const char* word = data.attribute("element_type").value();
    const element type = parse_element(word);
    if (type == dynamic) {
        wrong(where, "unknown element type '", word, "' of a constant");
    }
    shape dimensions;
    if (!op::from_value(op::to_value(text(data.attribute("shape").value())), dimensions) || !dimensions.is_static()) {
        wrong(where, "shape '", data.attribute("shape").value(), "' of a constant is not a list of sizes");
    }
    const std::int64_t offset = integer_attribute(data, "offset", where);
    const std::int64_t size = integer_attribute(data, "size", where);
    std::size_t elements = 1;
    for (const dimension each : dimensions) {
        if (each < 0 || (each != 0 && elements > (std::size_t{1} << 48) / static_cast<std::size_t>(each))) {
            wrong(where, "a constant cannot have the shape ", to_text(dimensions));
        }
        elements *= static_cast<std::size_t>(each);
    }
    if (size < 0 || static_cast<std::size_t>(size) != byte_size(type, elements)) {
        wrong(where, size, " bytes of weights, but type ", name(type), " and shape ", to_text(dimensions), " need ",
              byte_size(type, elements));
    }
    const auto count = static_cast<std::size_t>(size);
    if (count == 0) {
        return tensor(type, std::move(dimensions), bytes(seq<std::byte>{}));
    }
    if (files.weights == nullptr) {
        wrong(where, "needs weights, but ", files.bin.c_str(), " does not exist");
    }
    if (offset < 0 || !files.weights->has(static_cast<std::size_t>(offset), count)) {
        wrong(where, "weights at byte ", offset, " (", size, " bytes) lie outside of ", files.bin.c_str(),
              ", which has ", files.weights->size(), " bytes");
    }
    return tensor(type, std::move(dimensions), files.weights->window(static_cast<std::size_t>(offset), count));
}

// ---- attributes

inline op::attributes read_attributes(const layer_description& layer, const place& where) {
    const pugi::xml_object_range<pugi::xml_attribute_iterator> all = layer.xml.child("data").attributes();
    seq<op::named_value> values;
    values.reserve(static_cast<std::size_t>(std::distance(all.begin(), all.end())));
    for (const pugi::xml_attribute& each : all) {
        values.push_back({text(each.name()), op::to_value(text(each.value()))});
    }
    const op::field_row& fields = layer.of_user != nullptr ? *layer.of_user->fields : op::fields_of(layer.kind);
    try {
        return fields.make(values, layer.version, text_view());
    } catch (const error& raised) {
        fail({where, raised.message()});  // which begins with a colon
    }
}

/// One body of a layer: its graph is added to `bodies`.
inline body_ports read_body(const layer_description& layer, const place& where, const char* name,
                            const source_files& files, int depth, seq<graph>& bodies) {
    const pugi::xml_node xml = layer.xml.child(name);
    if (!xml) {
        wrong(where, "has no <", name, ">");
    }
    const document content = read_document(xml, where.file, files.known);
    bodies.push_back(build_graph(content, files, depth + 1));
    return ports_of_body(content);
}

inline op::attributes read_if(const document& content, const layer_description& layer, const source_files& files,
                              int depth, seq<graph>& bodies) {
    const place where = content.where(layer);
    const body_ports then_ports = read_body(layer, where, "then_body", files, depth, bodies);
    const body_ports else_ports = read_body(layer, where, "else_body", files, depth, bodies);
    const pugi::xml_node then_map = layer.xml.child("then_port_map");
    const pugi::xml_node else_map = layer.xml.child("else_port_map");
    op::if_else result;
    result.then_inputs = read_input_map(content, layer, then_map, {}, then_ports);
    result.then_outputs = read_output_map(content, layer, then_map, then_ports);
    result.else_inputs = read_input_map(content, layer, else_map, {}, else_ports);
    result.else_outputs = read_output_map(content, layer, else_map, else_ports);
    result.declared_outputs = read_declared_outputs(content, layer);
    open_unknown_ranks(result.declared_outputs, result.then_outputs, bodies[0]);
    open_unknown_ranks(result.declared_outputs, result.else_outputs, bodies[1]);
    check_maps(content, layer, then_ports, result.then_inputs, result.then_outputs);
    check_maps(content, layer, else_ports, result.else_inputs, result.else_outputs);
    return result;
}

/// Fills the port maps of TensorIterator, Loop and If and reads their bodies.
inline op::attributes read_with_bodies(const document& content, const layer_description& layer,
                                       const source_files& files, int depth, seq<graph>& bodies) {
    const place where = content.where(layer);
    if (depth >= deepest_body) {
        wrong(where, "bodies are nested more than ", deepest_body, " deep");
    }
    if (layer.kind == op::kind::if_else) {
        return read_if(content, layer, files, depth, bodies);
    }
    const body_ports body = read_body(layer, where, "body", files, depth, bodies);
    const pugi::xml_node map = layer.xml.child("port_map");
    const auto fill = [&](auto& result) {
        result.input_map = read_input_map(content, layer, map, layer.xml.child("back_edges"), body);
        result.output_map = read_output_map(content, layer, map, body);
        result.declared_outputs = read_declared_outputs(content, layer);
        open_unknown_ranks(result.declared_outputs, result.output_map, bodies[0]);
    };
    if (layer.kind == op::kind::tensor_iterator) {
        op::tensor_iterator result;
        fill(result);
        check_maps(content, layer, body, result.input_map, result.output_map);
        return result;
    }
    op::loop result;
    fill(result);
    for (const pugi::xml_node& entry : map.children()) {
        const text_view purpose = entry.attribute("purpose").value();
        if (purpose == "current_iteration") {
            result.current_iteration =
                find_body_port(body.parameter_of_layer, integer_attribute(entry, "internal_layer_id", where), where);
        } else if (purpose == "execution_condition") {
            result.execution_condition =
                find_body_port(body.result_of_layer, integer_attribute(entry, "internal_layer_id", where), where);
        }
    }
    check_maps(content, layer, body, result.input_map, result.output_map, result.current_iteration);
    return result;
}

// ---- nodes

class builder {
    const document& document_;
    const source_files& files_;
    int depth_;
    model_builder builder_;
    graph& model_;
    std::vector<node_id> made_;
    std::unordered_map<std::size_t, seq<output_ref, 2>> composed_;  // what layers that are several operations give
    std::vector<char> open_;  // layers that wait for their inputs

    view<input_description> inputs_of(const layer_description& layer) const {
        const view<input_description> inputs = document_.inputs_of(layer);
        for (const input_description& each : inputs) {
            if (each.source_layer == input_description::unconnected) {
                wrong(document_.where(layer), "no edge leads to input port ", each.id);
            }
        }
        return inputs;
    }

    op::attributes read(const layer_description& layer, seq<graph>& bodies) const {
        if (layer.kind == op::kind::constant) {
            return op::constant{read_constant(layer, document_.where(layer), files_)};
        }
        if (layer.of_user == nullptr && op::has(op::row_of(layer.kind).traits, op::trait::has_bodies)) {
            return read_with_bodies(document_, layer, files_, depth_, bodies);
        }
        return read_attributes(layer, document_.where(layer));
    }

    output_ref output_of(std::size_t layer, std::size_t port) const {
        const auto found = composed_.find(layer);
        return found != composed_.end() ? found->second[port]
                                        : output_ref(made_[layer], static_cast<std::int32_t>(port));
    }

    /// Makes the operations of a layer that becomes several.
    void compose(std::size_t index, view<output_ref> inputs) {
        const layer_description& layer = document_.layers()[index];
        const composition& how = *layer.composed;
        const place where = document_.where(layer);
        const view<output_description> outputs = document_.outputs_of(layer);
        if (inputs.size() < how.least_inputs || inputs.size() > how.most_inputs) {
            wrong(where, "has ", inputs.size(), " inputs, expected ", how.least_inputs, " to ", how.most_inputs);
        }
        builder_.begin({layer.xml.attribute("name").value(), layer.xml.attribute("type").value()});
        composed_layer made(builder_, layer.xml.child("data"), inputs);
        how.compose(made);
        builder_.finish();
        check_outputs(outputs, where, model_, made.outputs());
        for (std::size_t port = 0; port < outputs.size(); ++port) {
            const output_ref given = made.outputs()[port];
            if (std::find(inputs.begin(), inputs.end(), given) == inputs.end()) {
                model_.set_tensor_names(given, outputs[port].names);
            }
        }
        read_annotations(layer.xml, model_, made.outputs()[0].node);
        composed_.emplace(index, made.outputs());
        made_[index] = made.outputs()[0].node;
    }

    void make(std::size_t index) {
        const layer_description& layer = document_.layers()[index];
        const view<output_description> outputs = document_.outputs_of(layer);
        seq<output_ref, 5> inputs;
        for (const input_description& each : inputs_of(layer)) {
            inputs.push_back(output_of(each.source_layer, each.source_port));
        }
        if (layer.composed != nullptr) {
            return compose(index, inputs);
        }
        seq<graph> bodies;
        op::attributes what = read(layer, bodies);
        node_id id = node_id::none;
        try {
            id = model_.add(std::move(what), inputs, layer.xml.attribute("name").value(), layer.version);
            for (graph& body : bodies) {
                model_.add_body(id, std::move(body));
            }
            lpt::detail::check_declared_outputs(model_, id);
        } catch (const error& raised) {
            fail({text_view(files_.xml.c_str()), ": ", raised.message()});
        }
        read_annotations(layer.xml, model_, id);
        if (!model_[id].is<op::result>()) {
            seq<output_ref, 2> given;
            for (std::size_t port = 0; port < model_[id].outputs(); ++port) {
                given.push_back({id, static_cast<std::int32_t>(port)});
            }
            check_outputs(outputs, document_.where(layer), model_, given);
        }
        for (std::size_t port = 0; port < outputs.size() && port < model_[id].outputs(); ++port) {
            model_.set_tensor_names({id, static_cast<std::int32_t>(port)}, outputs[port].names);
        }
        made_[index] = id;
    }

    /// Makes a layer after everything that it reads. Without recursion: networks may be deep.
    void make_with_inputs(std::size_t first) {
        std::vector<std::size_t> stack{first};
        while (!stack.empty()) {
            const std::size_t index = stack.back();
            if (made_[index] != node_id::none) {
                stack.pop_back();
                continue;
            }
            const layer_description& layer = document_.layers()[index];
            const view<input_description> inputs = inputs_of(layer);
            bool ready = true;
            for (std::size_t port = inputs.size(); port-- > 0;) {
                const std::size_t above = inputs[port].source_layer;
                if (made_[above] != node_id::none) {
                    continue;
                }
                if (open_[above] != 0) {
                    wrong(document_.where(document_.layers()[above]),
                          "the edges lead round in a circle through this layer");
                }
                ready = false;
                stack.push_back(above);
            }
            if (ready) {
                lpt::detail::naming_memory([&] { make(index); }, [&] { return join({document_.where(layer)}); });
                stack.pop_back();
            } else {
                open_[index] = 1;
            }
        }
    }

    /// Assign depends on the ReadValue of its variable: the old value is read before the new one is written.
    void order_variables() {
        if (model_.sinks().empty()) {
            return;
        }
        std::multimap<std::string, node_id> readers;
        std::set<node_id> readers_seen;  // layers that compute nothing give what others made
        for (const node_id id : made_) {
            if (model_[id].is<op::read_value>() && readers_seen.insert(id).second) {
                readers.emplace(model_[id].as<op::read_value>().variable_id.c_str(), id);
            }
        }
        if (readers.empty()) {
            return;
        }
        for (const node_id sink : model_.sinks()) {
            if (model_[sink].is<op::assign>()) {
                const auto [first, last] = readers.equal_range(model_[sink].as<op::assign>().variable_id.c_str());
                for (auto each = first; each != last; ++each) {
                    model_.add_control_dependency(sink, each->second);
                }
            }
        }
        try {
            static_cast<void>(topological_order(model_));  // which may now have a circle
        } catch (const error& raised) {
            fail({text_view(files_.xml.c_str()), ": ", raised.message()});
        }
    }

public:
    builder(const document& content, const source_files& files, int depth)
        : document_(content),
          files_(files),
          depth_(depth),
          builder_(files.xml),
          model_(builder_.model()),
          made_(content.all_layers.count, node_id::none),
          open_(content.all_layers.count, 0) {}

    graph build() {
        const view<layer_description> layers = document_.layers();
        // Parameters first and results last, in the order of the file: that is their order as inputs and outputs.
        for (const op::kind first : {op::kind::parameter, op::kind::none}) {
            for (std::size_t index = 0; index < layers.size(); ++index) {
                const op::kind kind = layers[index].kind;
                if (first == op::kind::parameter ? kind == first : kind != op::kind::result) {
                    make_with_inputs(index);
                }
            }
        }
        for (std::size_t index = 0; index < layers.size(); ++index) {
            make_with_inputs(index);
        }
        order_variables();
        return builder_.take();
    }
};

inline graph build_graph(const document& content, const source_files& files, int depth) {
    graph model = builder(content, files, depth).build();
    model.set_name(content.xml.attribute("name").value());
    return model;
}

/// True if the first character is that of an XML document, in any of the encodings that the reader knows.
inline bool looks_like_xml(text_view content) {
    const auto code = [&](std::size_t at) {
        return at < content.size() ? static_cast<unsigned char>(content.data()[at]) : 0u;
    };
    std::size_t at = 0;
    if (code(0) == 0xEF && code(1) == 0xBB && code(2) == 0xBF) {
        at = 3;
    } else if ((code(0) == 0xFE && code(1) == 0xFF) || (code(0) == 0xFF && code(1) == 0xFE)) {
        at = 2;
    }
    while (at < content.size() && (code(at) <= ' ')) {
        ++at;  // zeros, too: the other halves of characters of more than a byte
    }
    return code(at) == '<';
}

/// Reads a network from the text of its `.xml`; the names of the files are for messages.
inline graph read_network(text_view xml, const mapped_file* weights, const std::string& xml_name,
                          const std::string& bin_name, const op::user_operations& known = {}) {
    if (!looks_like_xml(xml)) {
        fail(
            {text_view(xml_name.c_str()), ": unknown format; expected OpenVINO IR, whose topology is an XML document"});
    }
    pugi::xml_document parsed;
    const pugi::xml_parse_result status =
        parsed.load_buffer(xml.data(), xml.size(), pugi::parse_default | pugi::parse_embed_pcdata);
    if (status.status == pugi::status_out_of_memory) {
        fail({text_view(xml_name.c_str()), ": out of memory for the document of ", xml.size(), " bytes"});
    }
    if (!status) {
        fail({text_view(xml_name.c_str()), ": broken XML at byte ", status.offset, ": ", status.description()});
    }
    const pugi::xml_node net = parsed.child("net");
    if (!net) {
        fail({text_view(xml_name.c_str()), ": is not a network: the document has no <net>"});
    }
    return build_graph(read_document(net, xml_name.c_str(), known), {weights, xml_name, bin_name, known}, 0);
}

}  // namespace lpt::inline LPT_ABI::openvino_ir
