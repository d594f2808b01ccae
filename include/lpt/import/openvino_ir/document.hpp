// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/mapped_file.hpp>
#include <lpt/import/openvino_ir/compositions.hpp>
#include <lpt/op/user.hpp>

#include <cstring>
#include <map>
#include <pugixml.hpp>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

/// The XML document of a network as plain data: layers with their ports and the edges between them.
namespace lpt::inline LPT_ABI::openvino_ir {

/// Where a message is about: a file, and a layer in it. Its words are made where a message needs them.
struct place {
    text_view file;
    pugi::xml_node layer;  // none: the file as a whole
};

inline text label(const pugi::xml_node& layer) {
    return join({"layer '", layer.attribute("name").value(), "' (", layer.attribute("type").value(), ")"});
}
inline void append_to(text& message, const place& where) {
    message.append(where.file);
    if (where.layer) {
        message.append(": ").append(label(where.layer).view());
    }
}

template <class... Parts>
[[noreturn]] void wrong(const place& where, const Parts&... parts) {
    fail({where, ": ", parts...});
}

/// Parts of a file that belong together: so many, from this place on.
struct part_range {
    std::size_t first = 0;
    std::size_t count = 0;
};

/// Parts of a file in its order, which have numbers in it (`id`). Nearly all files count on from the first part of a range, so a part
/// is looked for where counting leads, and only those that are not there are in a map.
template <class Part>
class numbered_parts {
    std::vector<Part> parts_;
    std::map<std::pair<std::size_t, std::int64_t>, std::size_t> elsewhere_;  // by the first part of their range

    std::size_t counted_place(part_range among, std::int64_t id) const {
        return among.count == 0 ? 0
                                : static_cast<std::size_t>(static_cast<std::uint64_t>(id) -
                                                           static_cast<std::uint64_t>(parts_[among.first].id));
    }

public:
    /// A range without parts yet, behind all others.
    part_range new_range() const { return {parts_.size(), 0}; }
    /// Adds a part to the last range; false where one of its parts has that number already.
    bool add(part_range& among, Part part) {
        if (place_of(among, part.id) != among.count) {
            return false;
        }
        if (counted_place(among, part.id) != among.count) {
            elsewhere_.emplace(std::pair{among.first, part.id}, among.count);
        }
        parts_.push_back(std::move(part));
        ++among.count;
        return true;
    }
    /// The place in its range of the part with a number; `among.count` where there is none.
    std::size_t place_of(part_range among, std::int64_t id) const {
        const std::size_t counted = counted_place(among, id);
        if (counted < among.count && parts_[among.first + counted].id == id) {
            return counted;
        }
        const auto found = elsewhere_.find({among.first, id});
        return found == elsewhere_.end() ? among.count : found->second;
    }
    view<Part> of(part_range among) const { return {parts_.data() + among.first, among.count}; }
    Part& at(part_range among, std::size_t place) { return parts_[among.first + place]; }
};

struct input_description {
    static constexpr std::size_t unconnected = static_cast<std::size_t>(-1);

    std::int64_t id = 0;
    std::size_t source_layer = unconnected;  // places, not numbers
    std::size_t source_port = 0;
};

struct output_description {
    std::int64_t id = 0;
    element type = dynamic;
    shape dimensions;
    seq<text> names;
};

struct layer_description {
    std::int64_t id = 0;
    pugi::xml_node xml;
    op::kind kind = op::kind::none;
    int version = 0;
    const op::user_row* of_user = nullptr;  // for an operation type of the user's
    const composition* composed = nullptr;  // for a layer that becomes several operations
    part_range inputs;
    part_range outputs;
};

struct document {
    text_view file;
    pugi::xml_node xml;  // `<net>` or `<body>`
    part_range all_layers;
    numbered_parts<layer_description> numbered_layers;
    numbered_parts<input_description> inputs;
    numbered_parts<output_description> outputs;

    view<layer_description> layers() const { return numbered_layers.of(all_layers); }
    view<input_description> inputs_of(const layer_description& layer) const { return inputs.of(layer.inputs); }
    view<output_description> outputs_of(const layer_description& layer) const { return outputs.of(layer.outputs); }
    place where(const layer_description& layer) const { return {file, layer.xml}; }
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

struct precision_word {
    text_view word;
    element type;
};
inline constexpr precision_word precision_words[] = {{"FP32", f32},
                                                     {"I64", i64},
                                                     {"I32", i32},
                                                     {"FP16", f16},
                                                     {"I8", i8},
                                                     {"U8", u8},
                                                     {"BOOL", boolean},
                                                     {"FP64", f64},
                                                     {"BF16", bf16},
                                                     {"I16", i16},
                                                     {"I4", i4},
                                                     {"U64", u64},
                                                     {"U32", u32},
                                                     {"U16", u16},
                                                     {"U4", u4},
                                                     {"F8E4M3", f8e4m3},
                                                     {"F8E5M2", f8e5m2},
                                                     {"", dynamic},
                                                     {"UNSPECIFIED", dynamic},
                                                     {"undefined", dynamic},
                                                     {"dynamic", dynamic},
                                                     {"DYNAMIC", dynamic}};

/// The element type that a port's `precision` names (`FP32`, `I64`, `BOOL` …); `dynamic` for the words that leave it open.
inline element parse_precision(text_view word, const place& where) {
    for (const precision_word& each : precision_words) {
        if (each.word == word) {
            return each.type;
        }
    }
    wrong(where, "unknown precision '", word, "' of a port");
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

inline dimension read_dimension(const char* word, const place& where) {
    const text_view size = word;
    std::int64_t result = 0;
    if (size == "?" || std::strstr(word, "..") != nullptr) {
        return dynamic_dimension;
    }
    if (!op::detail::parse_integer(size, result) || result < -1) {
        wrong(where, "'", size, "' is not the size of a dimension");
    }
    return result;
}

inline output_description read_port(const pugi::xml_node& xml, const place& where) {
    output_description port;
    port.id = integer_attribute(xml, "id", where);
    port.type = parse_precision(xml.attribute("precision").value(), where);
    port.names = split_names(xml.attribute("names").value());
    for (const pugi::xml_node& size : xml.children("dim")) {
        port.dimensions.push_back(read_dimension(size.text().get(), where));
    }
    return port;
}

/// Adds the ports of a layer to those of the layers before it. Of an input nothing but its number is kept: its type and shape are
/// those of what it is connected to.
template <class Port>
part_range read_ports(const pugi::xml_node& list, numbered_parts<Port>& ports, const place& where) {
    part_range mine = ports.new_range();
    for (const pugi::xml_node& xml : list.children("port")) {
        output_description port = read_port(xml, where);
        const std::int64_t id = port.id;
        bool is_new = false;
        if constexpr (std::is_same_v<Port, input_description>) {
            is_new = ports.add(mine, {id});
        } else {
            is_new = ports.add(mine, std::move(port));
        }
        if (!is_new) {
            wrong(where, "two of its ", list.name(), " ports have the id ", id);
        }
    }
    return mine;
}

/// The operation type that a layer's `type` names: the published name, but for five words that files write differently.
inline op::kind parse_layer_type(const char* type) {
    static const auto kinds = [] {
        std::unordered_map<std::string_view, op::kind> result = {{"Const", op::kind::constant},
                                                                 {"ReLU", op::kind::relu},
                                                                 {"PReLU", op::kind::prelu},
                                                                 {"SoftMax", op::kind::softmax},
                                                                 {"ELU", op::kind::elu}};
        for (const op::row& each : op::rows.values) {
            result.emplace(std::string_view(each.name.data(), each.name.size()), each.number);
        }
        return result;
    }();
    const auto found = kinds.find(type);
    return found == kinds.end() ? op::kind::none : found->second;
}

/// The number of a layer's operation set, `opset1` … `opset16`.
inline int parse_opset(text_view word, const place& where) {
    std::int64_t number = 0;
    if (!word.starts_with("opset") || !op::detail::parse_integer(word.substr(5), number) || number < 1 || number > 16) {
        wrong(where, "unknown operation set '", word, "'; expected opset1 to opset16");
    }
    return static_cast<int>(number);
}

/// The version of the operation that the layer's operation set means.
inline int parse_version(text_view word, const op::row& operation, const place& where) {
    const int version = operation.opsets.in_opset(parse_opset(word, where));
    if (version < 0) {
        wrong(where, "operation ", operation.name, " is not in ", word);
    }
    return version;
}

/// The version of a layer of a user's operation type: files write `extension` or an operation set of the author's own for the newest.
inline int parse_user_version(text_view word, const op::user_row& operation, const place& where) {
    return word.starts_with("opset") ? parse_version(word, operation, where) : operation.opsets.newest();
}

/// Adds a layer to the document.
inline void read_layer(const pugi::xml_node& xml, document& result, const op::user_operations& known) {
    const place where{result.file, xml};
    const char* const type = xml.attribute("type").value();
    const text_view version = xml.attribute("version").value();
    layer_description layer;
    layer.xml = xml;
    layer.id = integer_attribute(xml, "id", where);
    layer.kind = parse_layer_type(type);
    layer.of_user = known.find(type);
    if (layer.of_user != nullptr) {
        layer.kind = layer.of_user->number;
        layer.version = parse_user_version(version, *layer.of_user, where);
    } else if (layer.kind == op::kind::none) {
        layer.composed = find_composition(type);
        if (layer.composed == nullptr) {
            wrong(where, "unknown operation");
        }
        if (parse_opset(version, where) < layer.composed->opset) {
            wrong(where, "operation ", layer.composed->type, " is not in ", version);
        }
    } else {
        layer.version = parse_version(version, op::row_of(layer.kind), where);
    }
    layer.inputs = read_ports(xml.child("input"), result.inputs, where);
    layer.outputs = read_ports(xml.child("output"), result.outputs, where);
    const std::int64_t id = layer.id;
    if (!result.numbered_layers.add(result.all_layers, std::move(layer))) {
        wrong(where, "another layer has its id ", id, ", too");
    }
}

/// The place of a layer that an edge names.
inline std::size_t layer_of_edge(const pugi::xml_node& edge, const char* end, const document& content) {
    const std::int64_t id = integer_attribute(edge, end, {content.file, {}});
    const std::size_t result = content.numbered_layers.place_of(content.all_layers, id);
    if (result == content.all_layers.count) {
        wrong({content.file, {}}, "an edge at byte ", edge.offset_debug(), " leads to layer ", id,
              ", which does not exist");
    }
    return result;
}

inline void read_edge(const pugi::xml_node& edge, document& result) {
    const place whole{result.file, {}};
    const std::size_t from = layer_of_edge(edge, "from-layer", result);
    const std::size_t to = layer_of_edge(edge, "to-layer", result);
    const layer_description& source = result.layers()[from];
    const layer_description& target = result.layers()[to];
    const std::int64_t from_port = integer_attribute(edge, "from-port", whole);
    const std::int64_t to_port = integer_attribute(edge, "to-port", whole);
    const std::size_t input = result.inputs.place_of(target.inputs, to_port);
    if (input == target.inputs.count) {
        wrong(result.where(target), "an edge at byte ", edge.offset_debug(), " leads to port ", to_port,
              ", which is not an input of it");
    }
    input_description& read = result.inputs.at(target.inputs, input);
    if (read.source_layer != input_description::unconnected) {
        wrong(whole, "two edges lead to port ", to_port, " of layer ", target.id);
    }
    read.source_layer = from;
    read.source_port = result.outputs.place_of(source.outputs, from_port);
    if (read.source_port == source.outputs.count) {
        wrong(result.where(target), "an edge comes from port ", from_port, " of ", label(source.xml),
              ", which is not an output of it");
    }
}

/// Reads `<layers>` and `<edges>` below a node of the document (`<net>` or `<body>`). `file`, for messages, outlives what is given.
inline document read_document(const pugi::xml_node& xml, text_view file, const op::user_operations& known) {
    document result;
    result.file = file;
    result.xml = xml;
    if (!xml.child("layers")) {
        wrong({file, {}}, "<", xml.name(), "> has no <layers>");
    }
    for (const pugi::xml_node& layer : xml.child("layers").children("layer")) {
        read_layer(layer, result, known);
    }
    for (const pugi::xml_node& edge : xml.child("edges").children("edge")) {
        read_edge(edge, result);
    }
    return result;
}

}  // namespace lpt::inline LPT_ABI::openvino_ir
