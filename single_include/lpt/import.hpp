// SPDX-License-Identifier: Apache-2.0
// lpt 0.1.0, import.hpp: File formats. Needs pugixml.
// Generated from include/lpt by .ci/single_include; changes belong there.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <pugixml.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <lpt/lpt.hpp>

// ======== lpt/import/file_contents.hpp
#ifndef LPT_HOLDS_IMPORT_FILE_CONTENTS_HPP
#define LPT_HOLDS_IMPORT_FILE_CONTENTS_HPP
// The bytes of files, as the operating system gives them.

#if __has_include(<sys/mman.h>)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace lpt::detail {

/// The bytes of a file, and how they are given back.
struct file_contents {
    void* first;
    std::size_t size;
    void (*give_back)(void* first, std::size_t size) noexcept;
};

/// Reads a file into memory. Raises an error that names it if it cannot be opened or read.
inline file_contents read_file(const char* path) {
    std::FILE* const file = std::fopen(path, "rb");
    if (file == nullptr) {
        fail({path, ": cannot be opened: ", std::strerror(errno)});
    }
    void* first = nullptr;
    std::size_t size = 0;
    // The room grows with what comes, because `long`, in which positions are told, has 32 bits on some systems.
    for (std::size_t room = std::size_t{1} << 16; size == room / 2 || first == nullptr; room *= 2) {
        void* const more = ::operator new(room, std::nothrow);
        if (more == nullptr) {
            break;
        }
        if (first != nullptr) {
            std::memcpy(more, first, size);
        }
        ::operator delete(first);
        first = more;
        size += std::fread(static_cast<char*>(first) + size, 1, room - size, file);
    }
    const bool is_whole = std::feof(file) != 0 && std::ferror(file) == 0;
    std::fclose(file);
    if (!is_whole) {
        ::operator delete(first);
        fail({path, ": cannot be read into memory"});
    }
    return {first, size, [](void* memory, std::size_t) noexcept { ::operator delete(memory); }};
}

#if __has_include(<sys/mman.h>)

/// Maps a file into memory. Raises an error that names it if it cannot be opened, or is not a regular file.
inline file_contents open_file(const char* path) {
    const int file = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe without a writer would never open
    if (file < 0) {
        fail({path, ": cannot be opened: ", std::strerror(errno)});
    }
    struct stat facts{};
    if (::fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        ::close(file);
        fail({path, ": is not a regular file"});
    }
    const auto size = static_cast<std::size_t>(facts.st_size);
    void* first = size == 0 ? nullptr : ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    ::close(file);
    if (first == MAP_FAILED) {
        fail({path, ": cannot be mapped into memory: ", std::strerror(errno)});
    }
    return {first, size, [](void* memory, std::size_t count) noexcept {
                if (count != 0) {
                    ::munmap(memory, count);
                }
            }};
}
/// True if there is something of this name, whether it can be read or not.
inline bool file_exists(const char* path) noexcept { return ::access(path, F_OK) == 0; }

#else

inline file_contents open_file(const char* path) { return read_file(path); }
inline bool file_exists(const char* path) noexcept {
    std::FILE* const file = std::fopen(path, "rb");
    return file != nullptr && std::fclose(file) == 0;
}

#endif

}  // namespace lpt::detail
#endif

// ======== lpt/import/mapped_file.hpp
#ifndef LPT_HOLDS_IMPORT_MAPPED_FILE_HPP
#define LPT_HOLDS_IMPORT_MAPPED_FILE_HPP
namespace lpt {

/// A file mapped into memory for reading; read into memory where the system maps none. Windows on it keep the mapping alive after
/// this object is gone.
///
/// A file must not become shorter while a window on it lives: the system ends a program that reads what is no longer there. A
/// new version of a file is therefore written under another name and renamed.
class mapped_file {
    struct mapping {
        detail::file_contents file;
        std::atomic<std::int64_t> owners{1};
    };
    mapping* mapping_ = nullptr;

    static void release(void* keeper) {
        auto* old = static_cast<mapping*>(keeper);
        if (old->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            old->file.give_back(old->file.first, old->file.size);
            delete old;
        }
    }

public:
    /// Raises an error that names the file if it cannot be opened, or is not a regular file.
    explicit mapped_file(const char* path) : mapping_(new mapping{detail::open_file(path)}) {}
    mapped_file(mapped_file&& other) noexcept : mapping_(std::exchange(other.mapping_, nullptr)) {}
    mapped_file& operator=(mapped_file&& other) noexcept {
        std::swap(mapping_, other.mapping_);
        return *this;
    }
    ~mapped_file() {
        if (mapping_ != nullptr) {
            release(mapping_);
        }
    }

    const std::byte* data() const { return static_cast<const std::byte*>(mapping_->file.first); }
    std::size_t size() const { return mapping_->file.size; }
    /// True if the file has these bytes.
    bool has(std::size_t offset, std::size_t size) const {
        return offset <= mapping_->file.size && size <= mapping_->file.size - offset;
    }
    /// A window on `size` bytes from `offset` on. Raises an error if the file does not have them. Any offset will do:
    /// values are read without regard to alignment, and plans copy what kernels read where it is not aligned.
    bytes window(std::size_t offset, std::size_t size) const {
        if (!has(offset, size)) {
            fail({"bytes ", offset, " to ", offset, " + ", size, " lie outside of the file, which has ",
                  mapping_->file.size, " bytes"});
        }
        if (size == 0) {
            return bytes(seq<std::byte>{});
        }
        mapping_->owners.fetch_add(1, std::memory_order_relaxed);
        return bytes(data() + offset, size, &release, mapping_);
    }
};

}  // namespace lpt
#endif

// ======== lpt/import/openvino_ir/document.hpp
#ifndef LPT_HOLDS_IMPORT_OPENVINO_IR_DOCUMENT_HPP
#define LPT_HOLDS_IMPORT_OPENVINO_IR_DOCUMENT_HPP
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
#endif

// ======== lpt/import/openvino_ir/bodies.hpp
#ifndef LPT_HOLDS_IMPORT_OPENVINO_IR_BODIES_HPP
#define LPT_HOLDS_IMPORT_OPENVINO_IR_BODIES_HPP
/// Port maps of TensorIterator, Loop and If: which input of the node feeds which parameter of a body, and which result of
/// a body gives which output.
namespace lpt::openvino_ir {

/// The layers of a body that are its parameters and results, in order: port maps name them by layer id.
struct body_ports {
    std::map<std::int64_t, std::int64_t> parameter_of_layer;
    std::map<std::int64_t, std::int64_t> result_of_layer;
};

inline body_ports ports_of_body(const document& body) {
    body_ports ports;
    for (const layer_description& layer : body.layers) {
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

/// The number of a port among the ports of a layer that a file gives by its id.
inline std::int64_t port_number(const port_list& ports, std::int64_t id, const place& where) {
    const std::size_t result = ports.place_of(id);
    if (result == ports.size()) {
        wrong(where, "a port map names port ", id, ", which the layer does not have");
    }
    return static_cast<std::int64_t>(result);
}

inline op::body_slice read_slice(const pugi::xml_node& entry, const place& where) {
    return {integer_attribute(entry, "axis", where), integer_attribute(entry, "start", where, 0),
            integer_attribute(entry, "stride", where, 1), integer_attribute(entry, "part_size", where, 1),
            integer_attribute(entry, "end", where, -1)};
}

inline seq<op::body_input> read_input_map(const layer_description& layer, const pugi::xml_node& map,
                                          const pugi::xml_node& back_edges, const body_ports& body) {
    std::map<std::int64_t, std::int64_t> fed_back_by;
    for (const pugi::xml_node& edge : back_edges.children("edge")) {
        fed_back_by[integer_attribute(edge, "to-layer", layer.where)] =
            integer_attribute(edge, "from-layer", layer.where);
    }
    seq<op::body_input> inputs;
    for (const pugi::xml_node& entry : map.children("input")) {
        const std::int64_t inner = integer_attribute(entry, "internal_layer_id", layer.where);
        const std::int64_t outer = integer_attribute(entry, "external_port_id", layer.where);
        if (outer < 0) {
            continue;  // the number of the iteration: Loop keeps it as an attribute
        }
        op::body_input input;
        input.port = port_number(layer.inputs, outer, layer.where);
        input.parameter = find_body_port(body.parameter_of_layer, inner, layer.where);
        if (entry.attribute("axis")) {
            input.holds = op::body_input::form::sliced;
            input.slice = read_slice(entry, layer.where);
        } else if (const auto back = fed_back_by.find(inner); back != fed_back_by.end()) {
            input.holds = op::body_input::form::merged;
            input.result = find_body_port(body.result_of_layer, back->second, layer.where);
        }
        inputs.push_back(input);
    }
    return inputs;
}

inline seq<op::body_output> read_output_map(const layer_description& layer, const pugi::xml_node& map,
                                            const body_ports& body) {
    seq<op::body_output> outputs;
    for (const pugi::xml_node& entry : map.children("output")) {
        const std::int64_t outer = integer_attribute(entry, "external_port_id", layer.where);
        if (outer < 0) {
            continue;  // the condition of a Loop, which it keeps as an attribute
        }
        op::body_output output;
        output.port = port_number(layer.outputs, outer, layer.where);
        output.result = find_body_port(body.result_of_layer, integer_attribute(entry, "internal_layer_id", layer.where),
                                       layer.where);
        if (entry.attribute("axis")) {
            output.holds = op::body_output::form::concatenated;
            output.slice = read_slice(entry, layer.where);
        }
        outputs.push_back(output);
    }
    return outputs;
}

/// Raises an error where nothing feeds a parameter of a body, or an output of the layer.
inline void check_maps(const layer_description& layer, const body_ports& body, const seq<op::body_input>& inputs,
                       const seq<op::body_output>& outputs, std::int64_t current_iteration = -1) {
    std::set<std::int64_t> fed{current_iteration};
    for (const op::body_input& each : inputs) {
        fed.insert(each.parameter);
    }
    for (const auto& [id, parameter] : body.parameter_of_layer) {
        if (!fed.contains(parameter)) {
            wrong(layer.where, "no port map entry feeds the body's parameter with layer id ", id);
        }
    }
    std::set<std::int64_t> given;
    for (const op::body_output& each : outputs) {
        given.insert(each.port);
    }
    for (std::size_t port = 0; port < layer.outputs.size(); ++port) {
        if (!given.contains(static_cast<std::int64_t>(port))) {
            wrong(layer.where, "no port map entry gives output port ", layer.outputs[port].id);
        }
    }
}

inline seq<op::declared_output> read_declared_outputs(const layer_description& layer) {
    seq<op::declared_output> outputs;
    for (const port_description& port : layer.outputs) {
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

}  // namespace lpt::openvino_ir
#endif

// ======== lpt/import/openvino_ir/network.hpp
#ifndef LPT_HOLDS_IMPORT_OPENVINO_IR_NETWORK_HPP
#define LPT_HOLDS_IMPORT_OPENVINO_IR_NETWORK_HPP
/// From the XML document to a graph.
namespace lpt::openvino_ir {

inline constexpr int deepest_body = 16;

struct source_files {
    const mapped_file* weights;  // null if there is no such file
    std::string xml;
    std::string bin;
    op::user_operations known;  // operation types of users
};

graph build_graph(const pugi::xml_node& xml, const source_files& files, int depth);

// ---- weights

inline tensor read_constant(const layer_description& layer, const source_files& files) {
    const pugi::xml_node data = layer.xml.child("data");
    const char* word = data.attribute("element_type").value();
    const element type = parse_element(word);
    if (type == dynamic) {
        wrong(layer.where, "unknown element type '", word, "' of a constant");
    }
    shape dimensions;
    if (!op::from_value(op::to_value(text(data.attribute("shape").value())), dimensions) || !dimensions.is_static()) {
        wrong(layer.where, "shape '", data.attribute("shape").value(), "' of a constant is not a list of sizes");
    }
    const std::int64_t offset = integer_attribute(data, "offset", layer.where);
    const std::int64_t size = integer_attribute(data, "size", layer.where);
    std::size_t elements = 1;
    for (const dimension each : dimensions) {
        if (each < 0 || (each != 0 && elements > (std::size_t{1} << 48) / static_cast<std::size_t>(each))) {
            wrong(layer.where, "a constant cannot have the shape ", to_text(dimensions));
        }
        elements *= static_cast<std::size_t>(each);
    }
    if (size < 0 || static_cast<std::size_t>(size) != byte_size(type, elements)) {
        wrong(layer.where, size, " bytes of weights, but type ", name(type), " and shape ", to_text(dimensions),
              " need ", byte_size(type, elements));
    }
    const auto count = static_cast<std::size_t>(size);
    if (count == 0) {
        return tensor(type, std::move(dimensions), bytes(seq<std::byte>{}));
    }
    if (files.weights == nullptr) {
        wrong(layer.where, "needs weights, but ", files.bin.c_str(), " does not exist");
    }
    if (offset < 0 || !files.weights->has(static_cast<std::size_t>(offset), count)) {
        wrong(layer.where, "weights at byte ", offset, " (", size, " bytes) lie outside of ", files.bin.c_str(),
              ", which has ", files.weights->size(), " bytes");
    }
    return tensor(type, std::move(dimensions), files.weights->window(static_cast<std::size_t>(offset), count));
}

// ---- attributes

inline op::attributes read_attributes(const layer_description& layer) {
    seq<op::named_value> values;
    for (const pugi::xml_attribute& each : layer.xml.child("data").attributes()) {
        values.push_back({text(each.name()), op::to_value(text(each.value()))});
    }
    const std::string where = layer.where.file + ": " + layer.where.layer;
    const op::field_row& fields = layer.of_user != nullptr ? *layer.of_user->fields : op::fields_of(layer.kind);
    return fields.make(values, layer.version, where.c_str());
}

struct described_body {
    pugi::xml_node xml;
    document content;
    body_ports ports;
};

inline described_body describe_body(const layer_description& layer, const char* name, const source_files& files) {
    const pugi::xml_node xml = layer.xml.child(name);
    if (!xml) {
        wrong(layer.where, "has no <", name, ">");
    }
    described_body body{xml, read_document(xml, layer.where.file, files.known), {}};
    body.ports = ports_of_body(body.content);
    return body;
}

/// Fills the port maps of TensorIterator, Loop and If and reads their bodies.
inline op::attributes read_with_bodies(const layer_description& layer, const source_files& files, int depth,
                                       seq<graph>& bodies) {
    if (depth >= deepest_body) {
        wrong(layer.where, "bodies are nested more than ", deepest_body, " deep");
    }
    if (layer.kind == op::kind::if_else) {
        const described_body then_body = describe_body(layer, "then_body", files);
        const described_body else_body = describe_body(layer, "else_body", files);
        bodies.push_back(build_graph(then_body.xml, files, depth + 1));
        bodies.push_back(build_graph(else_body.xml, files, depth + 1));
        op::if_else result;
        const pugi::xml_node then_map = layer.xml.child("then_port_map");
        const pugi::xml_node else_map = layer.xml.child("else_port_map");
        result.then_inputs = read_input_map(layer, then_map, {}, then_body.ports);
        result.then_outputs = read_output_map(layer, then_map, then_body.ports);
        result.else_inputs = read_input_map(layer, else_map, {}, else_body.ports);
        result.else_outputs = read_output_map(layer, else_map, else_body.ports);
        result.declared_outputs = read_declared_outputs(layer);
        open_unknown_ranks(result.declared_outputs, result.then_outputs, bodies[bodies.size() - 2]);
        open_unknown_ranks(result.declared_outputs, result.else_outputs, bodies[bodies.size() - 1]);
        check_maps(layer, then_body.ports, result.then_inputs, result.then_outputs);
        check_maps(layer, else_body.ports, result.else_inputs, result.else_outputs);
        return result;
    }
    const described_body body = describe_body(layer, "body", files);
    bodies.push_back(build_graph(body.xml, files, depth + 1));
    const pugi::xml_node map = layer.xml.child("port_map");
    const auto fill = [&](auto& result) {
        result.input_map = read_input_map(layer, map, layer.xml.child("back_edges"), body.ports);
        result.output_map = read_output_map(layer, map, body.ports);
        result.declared_outputs = read_declared_outputs(layer);
        open_unknown_ranks(result.declared_outputs, result.output_map, bodies.back());
    };
    if (layer.kind == op::kind::tensor_iterator) {
        op::tensor_iterator result;
        fill(result);
        check_maps(layer, body.ports, result.input_map, result.output_map);
        return result;
    }
    op::loop result;
    fill(result);
    for (const pugi::xml_node& entry : map.children()) {
        const std::string purpose = entry.attribute("purpose").value();
        if (purpose == "current_iteration") {
            result.current_iteration = find_body_port(
                body.ports.parameter_of_layer, integer_attribute(entry, "internal_layer_id", layer.where), layer.where);
        } else if (purpose == "execution_condition") {
            result.execution_condition = find_body_port(
                body.ports.result_of_layer, integer_attribute(entry, "internal_layer_id", layer.where), layer.where);
        }
    }
    check_maps(layer, body.ports, result.input_map, result.output_map, result.current_iteration);
    return result;
}

// ---- nodes

/// Run-time information becomes annotations: the key is its name, the value all its other attributes.
inline void read_annotations(const pugi::xml_node& xml, graph& model, node_id id) {
    for (const pugi::xml_node& attribute : xml.child("rt_info").children("attribute")) {
        std::string value;
        for (const pugi::xml_attribute& each : attribute.attributes()) {
            const std::string key = each.name();
            if (key == "value") {
                value += (value.empty() ? "" : ";") + std::string(each.value());
            } else if (key != "name" && key != "version") {
                value += (value.empty() ? "" : ";") + key + "=" + each.value();
            }
        }
        model.annotate(id, attribute.attribute("name").value(), text(value.c_str()));
    }
}

/// Raises an error where the file declares an output that the operation cannot give.
inline void check_outputs(const layer_description& layer, const graph& model, node_id id) {
    const node& made = model[id];
    if (layer.kind == op::kind::result) {
        return;
    }
    if (layer.outputs.size() > made.outputs()) {
        wrong(layer.where, "declares ", layer.outputs.size(), " outputs, but the operation has ", made.outputs());
    }
    for (std::size_t port = 0; port < layer.outputs.size(); ++port) {
        const port_description& declared = layer.outputs[port];
        if (declared.type != dynamic && made.type(port) != dynamic && declared.type != made.type(port)) {
            wrong(layer.where, "output ", port, " is declared as ", name(declared.type), ", but the operation gives ",
                  name(made.type(port)));
        }
        shape merged = made.shape(port);
        // A dynamic rank is written as no dimensions at all, like a scalar.
        if (declared.dimensions.rank() != 0 && !merge_shape(merged, declared.dimensions)) {
            wrong(layer.where, "output ", port, " is declared with shape ", to_text(declared.dimensions),
                  ", but the operation gives ", to_text(made.shape(port)));
        }
    }
}

class builder {
    const document& document_;
    const source_files& files_;
    int depth_;
    graph model_;
    std::vector<node_id> made_;
    std::vector<char> open_;  // layers that wait for their inputs

    output_ref source(const layer_description& layer, std::size_t port) const {
        const auto edge = document_.source_of_input.find({layer.id, layer.inputs[port].id});
        if (edge == document_.source_of_input.end()) {
            wrong(layer.where, "no edge leads to input port ", layer.inputs[port].id);
        }
        const layer_description& from = document_.layers[document_.place_of_layer.at(edge->second.layer)];
        const std::size_t output = from.outputs.place_of(edge->second.port);
        if (output != from.outputs.size()) {
            return {made_[document_.place_of_layer.at(from.id)], static_cast<std::int32_t>(output)};
        }
        wrong(layer.where, "an edge comes from port ", edge->second.port, " of ", from.where.layer.c_str(),
              ", which is not an output of it");
    }

    void make(std::size_t index) {
        const layer_description& layer = document_.layers[index];
        seq<output_ref, 5> inputs;
        for (std::size_t port = 0; port < layer.inputs.size(); ++port) {
            inputs.push_back(source(layer, port));
        }
        seq<graph> bodies;
        op::attributes what;
        if (layer.kind == op::kind::constant) {
            what = op::constant{read_constant(layer, files_)};
        } else if (layer.of_user == nullptr && op::has(op::row_of(layer.kind).traits, op::trait::has_bodies)) {
            what = read_with_bodies(layer, files_, depth_, bodies);
        } else {
            what = read_attributes(layer);
        }
        node_id id = node_id::none;
        try {
            id = model_.add(std::move(what), inputs, layer.name.c_str(), layer.version);
        } catch (const error& raised) {
            fail({text_view(files_.xml.c_str()), ": ", raised.message()});
        }
        for (graph& body : bodies) {
            model_.add_body(id, std::move(body));
        }
        read_annotations(layer.xml, model_, id);
        check_outputs(layer, model_, id);
        for (std::size_t port = 0; port < layer.outputs.size() && port < model_[id].outputs(); ++port) {
            model_.set_tensor_names({id, static_cast<std::int32_t>(port)}, layer.outputs[port].names);
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
            const layer_description& layer = document_.layers[index];
            bool ready = true;
            for (std::size_t port = layer.inputs.size(); port-- > 0;) {
                const auto edge = document_.source_of_input.find({layer.id, layer.inputs[port].id});
                if (edge == document_.source_of_input.end()) {
                    wrong(layer.where, "no edge leads to input port ", layer.inputs[port].id);
                }
                const std::size_t above = document_.place_of_layer.at(edge->second.layer);
                if (made_[above] != node_id::none) {
                    continue;
                }
                if (open_[above] != 0) {
                    wrong(document_.layers[above].where, "the edges lead round in a circle through this layer");
                }
                ready = false;
                stack.push_back(above);
            }
            if (ready) {
                lpt::detail::naming_memory(
                    [&] { make(index); },
                    [&] { return join({layer.where.file.c_str(), ": ", layer.where.layer.c_str()}); });
                stack.pop_back();
            } else {
                open_[index] = 1;
            }
        }
    }

    /// Assign depends on the ReadValue of its variable: the old value is read before the new one is written.
    void order_variables() {
        std::multimap<std::string, node_id> readers;
        for (const node_id id : made_) {
            if (model_[id].is<op::read_value>()) {
                readers.emplace(model_[id].as<op::read_value>().variable_id.c_str(), id);
            }
        }
        for (const node_id sink : model_.sinks()) {
            if (model_[sink].is<op::assign>()) {
                const auto [first, last] = readers.equal_range(model_[sink].as<op::assign>().variable_id.c_str());
                for (auto each = first; each != last; ++each) {
                    model_.add_control_dependency(sink, each->second);
                }
            }
        }
    }

public:
    builder(const document& content, const source_files& files, int depth)
        : document_(content),
          files_(files),
          depth_(depth),
          made_(content.layers.size(), node_id::none),
          open_(content.layers.size(), 0) {}

    graph build() {
        // Parameters first and results last, in the order of the file: that is their order as inputs and outputs.
        for (const op::kind first : {op::kind::parameter, op::kind::none}) {
            for (std::size_t index = 0; index < document_.layers.size(); ++index) {
                const op::kind kind = document_.layers[index].kind;
                if (first == op::kind::parameter ? kind == first : kind != op::kind::result) {
                    make_with_inputs(index);
                }
            }
        }
        for (std::size_t index = 0; index < document_.layers.size(); ++index) {
            make_with_inputs(index);
        }
        order_variables();
        try {
            static_cast<void>(topological_order(model_));  // the order of variables may close a circle
        } catch (const error& raised) {
            fail({text_view(files_.xml.c_str()), ": ", raised.message()});
        }
        return std::move(model_);
    }
};

inline graph build_graph(const pugi::xml_node& xml, const source_files& files, int depth) {
    const document content = read_document(xml, files.xml, files.known);
    graph model = builder(content, files, depth).build();
    model.set_name(xml.attribute("name").value());
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
    const pugi::xml_parse_result status = parsed.load_buffer(xml.data(), xml.size());
    if (!status) {
        fail({text_view(xml_name.c_str()), ": broken XML at byte ", status.offset, ": ", status.description()});
    }
    const pugi::xml_node net = parsed.child("net");
    if (!net) {
        fail({text_view(xml_name.c_str()), ": is not a network: the document has no <net>"});
    }
    return build_graph(net, {weights, xml_name, bin_name, known}, 0);
}

}  // namespace lpt::openvino_ir
#endif

// ======== lpt/import/openvino_ir.hpp
#ifndef LPT_HOLDS_IMPORT_OPENVINO_IR_HPP
#define LPT_HOLDS_IMPORT_OPENVINO_IR_HPP
namespace lpt {

/// Reads a network in OpenVINO's intermediate representation.
///
/// `xml_path`: the topology (`.xml`, operation sets 1 to 16); `bin_path`: the weights, by default the file beside it that
/// ends in `.bin`; `known`: operation types of the user that a layer may name (`op::user_operations_of<my_op, …>`), before those of
/// the library. Weights are not copied: they stay windows on the mapped file. Names of nodes and tensors and run-time
/// information (`rt_info`, as annotations) are kept.
/// Raises an error that names the file and the layer or byte offset, and what was expected there, for everything that is
/// not a network: files of another format, broken XML, unknown operations, edges that lead nowhere or round in circles, weights outside of the
/// file, declared types and shapes that contradict the operations.
inline graph import_openvino_ir(const std::string& xml_path, std::string bin_path = {},
                                const op::user_operations& known = {}) {
    const mapped_file xml(xml_path.c_str());
    if (bin_path.empty()) {
        const std::size_t dot = xml_path.find_last_of("./");
        const bool has_ending = dot != std::string::npos && xml_path[dot] == '.';
        bin_path = (has_ending ? xml_path.substr(0, dot) : xml_path) + ".bin";
    }
    if (!detail::file_exists(bin_path.c_str())) {
        return openvino_ir::read_network({reinterpret_cast<const char*>(xml.data()), xml.size()}, nullptr, xml_path,
                                         bin_path, known);
    }
    const mapped_file weights(bin_path.c_str());
    return openvino_ir::read_network({reinterpret_cast<const char*>(xml.data()), xml.size()}, &weights, xml_path,
                                     bin_path, known);
}

}  // namespace lpt
#endif

// ======== lpt/import.hpp
#ifndef LPT_HOLDS_IMPORT_HPP
#define LPT_HOLDS_IMPORT_HPP
// File formats. Needs lpt::import.

#endif
