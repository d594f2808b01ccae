// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/mapped_file.hpp>
#include <lpt/op/user.hpp>

#include <map>
#include <pugixml.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// The XML document of a network as plain data: layers with their ports and the edges between them.
namespace lpt::openvino_ir {

/// Where a message is about: a file, and a layer in it.
struct place {
    std::string file;
    std::string layer;  // empty: the file as a whole
};

template <class... Parts>
[[noreturn]] void wrong(const place& where, const Parts&... parts) {
    if (where.layer.empty()) {
        fail({text_view(where.file.c_str()), ": ", parts...});
    }
    fail({text_view(where.file.c_str()), ": ", text_view(where.layer.c_str()), ": ", parts...});
}

struct port_description {
    std::int64_t id = 0;
    element type = dynamic;
    shape dimensions;
    seq<text> names;
};

/// The ports of a layer in order, found by their ids.
class port_list {
    std::vector<port_description> ports_;
    std::map<std::int64_t, std::size_t> places_;

public:
    /// False where a port has that id already.
    bool add(port_description port) {
        const bool is_new = places_.emplace(port.id, ports_.size()).second;
        ports_.push_back(std::move(port));
        return is_new;
    }
    /// The place of the port with an id; `size()` where there is none.
    std::size_t place_of(std::int64_t id) const {
        const auto found = places_.find(id);
        return found == places_.end() ? ports_.size() : found->second;
    }
    std::size_t size() const { return ports_.size(); }
    const port_description& operator[](std::size_t place) const { return ports_[place]; }
    auto begin() const { return ports_.begin(); }
    auto end() const { return ports_.end(); }
};

struct layer_description {
    std::int64_t id = 0;
    pugi::xml_node xml;
    place where;
    op::kind kind = op::kind::none;
    const op::user_row* of_user = nullptr;  // for an operation type of the user's
    int version = 0;
    std::string name;
    port_list inputs;
    port_list outputs;
};

struct edge_end {
    std::int64_t layer = 0;
    std::int64_t port = 0;
    auto operator<=>(const edge_end&) const = default;
};

struct document {
    std::vector<layer_description> layers;
    std::map<std::int64_t, std::size_t> place_of_layer;
    std::map<edge_end, edge_end> source_of_input;
};

inline std::int64_t integer_attribute(const pugi::xml_node& xml, const char* name, const place& where) {
    const pugi::xml_attribute attribute = xml.attribute(name);
    std::int64_t value = 0;
    if (!attribute || !op::detail::parse_integer(attribute.value(), value)) {
        wrong(where, "<", xml.name(), "> at byte ", xml.offset_debug(), " needs an integer attribute '", name,
              "', not '", attribute.value(), "'");
    }
    return value;
}
inline std::int64_t integer_attribute(const pugi::xml_node& xml, const char* name, const place& where,
                                      std::int64_t otherwise) {
    return xml.attribute(name) ? integer_attribute(xml, name, where) : otherwise;
}

/// The element type that a port's `precision` names (`FP32`, `I64`, `BOOL` …); `dynamic` for the words that leave it open.
inline element parse_precision(const std::string& word, const place& where) {
    static const std::map<std::string, element> words = {{"FP64", f64},
                                                         {"FP32", f32},
                                                         {"FP16", f16},
                                                         {"BF16", bf16},
                                                         {"I64", i64},
                                                         {"I32", i32},
                                                         {"I16", i16},
                                                         {"I8", i8},
                                                         {"I4", i4},
                                                         {"U64", u64},
                                                         {"U32", u32},
                                                         {"U16", u16},
                                                         {"U8", u8},
                                                         {"U4", u4},
                                                         {"BOOL", boolean},
                                                         {"F8E4M3", f8e4m3},
                                                         {"F8E5M2", f8e5m2},
                                                         {"", dynamic},
                                                         {"UNSPECIFIED", dynamic},
                                                         {"undefined", dynamic},
                                                         {"dynamic", dynamic},
                                                         {"DYNAMIC", dynamic}};
    const auto found = words.find(word);
    if (found == words.end()) {
        wrong(where, "unknown precision '", word.c_str(), "' of a port");
    }
    return found->second;
}

/// Words between commas; a comma after a backslash belongs to the word.
inline seq<text> split_names(const char* list) {
    seq<text> names;
    std::string name;
    for (const char* at = list; *at != '\0'; ++at) {
        if (at[0] == '\\' && at[1] == ',') {
            name += *++at;
        } else if (*at == ',') {
            names.push_back(text(name.c_str()));
            name.clear();
        } else {
            name += *at;
        }
    }
    if (!name.empty()) {
        names.push_back(text(name.c_str()));
    }
    return names;
}

inline port_description read_port(const pugi::xml_node& xml, const place& where) {
    port_description port;
    port.id = integer_attribute(xml, "id", where);
    port.type = parse_precision(xml.attribute("precision").value(), where);
    port.names = split_names(xml.attribute("names").value());
    for (const pugi::xml_node& dim : xml.children("dim")) {
        std::int64_t size = 0;
        const std::string word = dim.text().get();
        const bool interval = word.find("..") != std::string::npos || word == "?";
        if (!interval && (!op::detail::parse_integer(word.c_str(), size) || size < -1)) {
            wrong(where, "'", word.c_str(), "' is not the size of a dimension");
        }
        port.dimensions.push_back(interval ? dynamic_dimension : size);
    }
    return port;
}

inline port_list read_ports(const pugi::xml_node& list, const place& where) {
    port_list ports;
    for (const pugi::xml_node& xml : list.children("port")) {
        if (!ports.add(read_port(xml, where))) {
            wrong(where, "two of its ", list.name(), " ports have the id ", ports[ports.size() - 1].id);
        }
    }
    return ports;
}

/// The operation type that a layer's `type` names: the published name, but for five words that files write differently.
inline op::kind parse_layer_type(const std::string& type) {
    static const std::map<std::string, const char*> other_words = {
        {"Const", "Constant"}, {"ReLU", "Relu"}, {"PReLU", "PRelu"}, {"SoftMax", "Softmax"}, {"ELU", "Elu"}};
    const auto found = other_words.find(type);
    return op::parse_kind(found == other_words.end() ? type.c_str() : found->second);
}

/// The version of the operation that the layer's operation set (`opset1` … `opset16`) means.
inline int parse_version(const std::string& word, const op::row& operation, const place& where) {
    std::int64_t number = 0;
    if (word.rfind("opset", 0) != 0 || !op::detail::parse_integer(word.c_str() + 5, number) || number < 1 ||
        number > 16) {
        wrong(where, "unknown operation set '", word.c_str(), "'; expected opset1 to opset16");
    }
    const int version = operation.opsets.in_opset(static_cast<int>(number));
    if (version < 0) {
        wrong(where, "operation ", operation.name, " is not in ", word.c_str());
    }
    return version;
}

/// The version of a layer of a user's operation type: files write `extension` or an operation set of the author's own for the newest.
inline int parse_user_version(const std::string& word, const op::user_row& operation, const place& where) {
    return word.rfind("opset", 0) == 0 ? parse_version(word, operation, where) : operation.opsets.newest();
}

inline layer_description read_layer(const pugi::xml_node& xml, const std::string& file,
                                    const op::user_operations& known) {
    layer_description layer;
    layer.xml = xml;
    layer.name = xml.attribute("name").value();
    const std::string type = xml.attribute("type").value();
    layer.where = {file, "layer '" + layer.name + "' (" + type + ")"};
    layer.id = integer_attribute(xml, "id", layer.where);
    layer.kind = parse_layer_type(type);
    const std::string version = xml.attribute("version").value();
    layer.of_user = known.find(type.c_str());
    if (layer.of_user != nullptr) {
        layer.kind = layer.of_user->number;
        layer.version = parse_user_version(version, *layer.of_user, layer.where);
    } else if (layer.kind == op::kind::none) {
        wrong(layer.where, "unknown operation");
    } else {
        layer.version = parse_version(version, op::row_of(layer.kind), layer.where);
    }
    layer.inputs = read_ports(xml.child("input"), layer.where);
    layer.outputs = read_ports(xml.child("output"), layer.where);
    return layer;
}

inline void read_edges(const pugi::xml_node& xml, document& result, const place& where) {
    for (const pugi::xml_node& edge : xml.children("edge")) {
        const edge_end from{integer_attribute(edge, "from-layer", where), integer_attribute(edge, "from-port", where)};
        const edge_end to{integer_attribute(edge, "to-layer", where), integer_attribute(edge, "to-port", where)};
        for (const edge_end& end : {from, to}) {
            if (!result.place_of_layer.contains(end.layer)) {
                wrong(where, "an edge at byte ", edge.offset_debug(), " leads to layer ", end.layer,
                      ", which does not exist");
            }
        }
        const layer_description& target = result.layers[result.place_of_layer.at(to.layer)];
        if (target.inputs.place_of(to.port) == target.inputs.size()) {
            wrong(target.where, "an edge at byte ", edge.offset_debug(), " leads to port ", to.port,
                  ", which is not an input of it");
        }
        if (!result.source_of_input.emplace(to, from).second) {
            wrong(where, "two edges lead to port ", to.port, " of layer ", to.layer);
        }
    }
}

/// Reads `<layers>` and `<edges>` below a node of the document (`<net>` or `<body>`).
inline document read_document(const pugi::xml_node& xml, const std::string& file, const op::user_operations& known) {
    document result;
    const place where{file, {}};
    if (!xml.child("layers")) {
        wrong(where, "<", xml.name(), "> has no <layers>");
    }
    for (const pugi::xml_node& layer : xml.child("layers").children("layer")) {
        layer_description next = read_layer(layer, file, known);
        if (!result.place_of_layer.emplace(next.id, result.layers.size()).second) {
            wrong(next.where, "another layer has its id ", next.id, ", too");
        }
        result.layers.push_back(std::move(next));
    }
    read_edges(xml.child("edges"), result, where);
    return result;
}

}  // namespace lpt::openvino_ir
