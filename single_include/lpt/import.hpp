// SPDX-License-Identifier: Apache-2.0
// lpt 0.1.0, import.hpp: File formats. Needs pugixml.
// Generated from include/lpt by .ci/single_include; changes belong there.
#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <flatbuffers/flatbuffers.h>
#include <iterator>
#include <map>
#include <optional>
#include <pugixml.hpp>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
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

namespace lpt::inline LPT_ABI::detail {

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

}  // namespace lpt::inline LPT_ABI::detail
#endif

// ======== lpt/import/mapped_file.hpp
#ifndef LPT_HOLDS_IMPORT_MAPPED_FILE_HPP
#define LPT_HOLDS_IMPORT_MAPPED_FILE_HPP
namespace lpt::inline LPT_ABI {

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

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/import/openvino_ir/document.hpp
#ifndef LPT_HOLDS_IMPORT_OPENVINO_IR_DOCUMENT_HPP
#define LPT_HOLDS_IMPORT_OPENVINO_IR_DOCUMENT_HPP
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

/// The version of the operation that the layer's operation set (`opset1` … `opset16`) means.
inline int parse_version(text_view word, const op::row& operation, const place& where) {
    std::int64_t number = 0;
    if (!word.starts_with("opset") || !op::detail::parse_integer(word.substr(5), number) || number < 1 || number > 16) {
        wrong(where, "unknown operation set '", word, "'; expected opset1 to opset16");
    }
    const int version = operation.opsets.in_opset(static_cast<int>(number));
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
        wrong(where, "unknown operation");
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
#endif

// ======== lpt/import/openvino_ir/bodies.hpp
#ifndef LPT_HOLDS_IMPORT_OPENVINO_IR_BODIES_HPP
#define LPT_HOLDS_IMPORT_OPENVINO_IR_BODIES_HPP
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
#endif

// ======== lpt/import/openvino_ir/network.hpp
#ifndef LPT_HOLDS_IMPORT_OPENVINO_IR_NETWORK_HPP
#define LPT_HOLDS_IMPORT_OPENVINO_IR_NETWORK_HPP
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
inline void check_outputs(view<output_description> outputs, const place& where, const node& made) {
    if (made.is<op::result>()) {
        return;
    }
    if (outputs.size() > made.outputs()) {
        wrong(where, "declares ", outputs.size(), " outputs, but the operation has ", made.outputs());
    }
    for (std::size_t port = 0; port < outputs.size(); ++port) {
        const output_description& declared = outputs[port];
        if (declared.type != dynamic && made.type(port) != dynamic && declared.type != made.type(port)) {
            wrong(where, "output ", port, " is declared as ", name(declared.type), ", but the operation gives ",
                  name(made.type(port)));
        }
        // A dynamic rank is written as no dimensions at all, like a scalar.
        if (declared.dimensions.rank() == 0) {
            continue;
        }
        shape merged = made.shape(port);
        if (!merge_shape(merged, declared.dimensions)) {
            wrong(where, "output ", port, " is declared with shape ", to_text(declared.dimensions),
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

    void make(std::size_t index) {
        const layer_description& layer = document_.layers()[index];
        const view<output_description> outputs = document_.outputs_of(layer);
        seq<output_ref, 5> inputs;
        for (const input_description& each : inputs_of(layer)) {
            inputs.push_back({made_[each.source_layer], static_cast<std::int32_t>(each.source_port)});
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
        check_outputs(outputs, document_.where(layer), model_[id]);
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
        return std::move(model_);
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
#endif

// ======== lpt/import/openvino_ir.hpp
#ifndef LPT_HOLDS_IMPORT_OPENVINO_IR_HPP
#define LPT_HOLDS_IMPORT_OPENVINO_IR_HPP
namespace lpt::inline LPT_ABI {

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

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/import/import.hpp
#ifndef LPT_HOLDS_IMPORT_IMPORT_HPP
#define LPT_HOLDS_IMPORT_IMPORT_HPP
namespace lpt::inline LPT_ABI {

/// The formats of files that `import` tells apart.
enum class file_format { unknown, openvino_ir };

/// The format that content has by its first bytes: an XML document.
inline file_format format_of(text_view content) {
    if (openvino_ir::looks_like_xml(content)) {
        return file_format::openvino_ir;
    }
    return file_format::unknown;
}

/// Reads a network from a file, whose content says its format: OpenVINO IR (`.xml`, its weights beside it).
///
/// `known`: operation types of the user, which IR may name. Raises what `import_openvino_ir` raises, and an error for files of other
/// formats.
inline graph import(const std::string& path, const op::user_operations& known = {}) {
    const mapped_file file(path.c_str());
    switch (format_of({reinterpret_cast<const char*>(file.data()), file.size()})) {
        case file_format::openvino_ir: return import_openvino_ir(path, {}, known);
        case file_format::unknown: break;
    }
    fail({path.c_str(), ": unknown format; expected OpenVINO IR, whose topology is an XML document"});
}

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/import/model_builder.hpp
#ifndef LPT_HOLDS_IMPORT_MODEL_BUILDER_HPP
#define LPT_HOLDS_IMPORT_MODEL_BUILDER_HPP
namespace lpt::inline LPT_ABI {

/// A node as a file has it: what messages and names are made of.
struct source_node {
    static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

    std::string name;
    std::string type;
    std::size_t byte = nowhere;  // of the file, where the node begins
};

/// What a reader of a file format makes a graph with: operations with names that are unique, constants as windows into the mapped file,
/// and errors that say where in the file they are about.
///
/// A node of a file may become several operations. Between `begin` and `finish` all that is added belongs to it: the operation that does its
/// work takes its name, the others that name with a slash and their own type behind it.
class model_builder {
    graph model_;
    std::string file_;
    source_node now_;
    std::vector<node_id> made_;  // of the node that was begun
    std::unordered_set<std::string> names_;

    text place() const {
        text words(text_view(file_.c_str()));
        if (!now_.type.empty()) {
            words.append(": node '").append(now_.name.c_str()).append("' (").append(now_.type.c_str()).append(")");
        }
        if (now_.byte != source_node::nowhere) {
            words.append(now_.type.empty() ? ": at byte " : " at byte ").append(now_.byte);
        }
        return words;
    }
    /// Runs what makes nodes; what it raises gets the place in front.
    template <class Action>
    auto at_place(Action&& action) {
        try {
            return action();
        } catch (const error& raised) {
            fail({place(), ": ", raised.message()});
        }
    }
    static bool does_the_work(const node& each) {
        return op::has(each.attributes().number() == op::kind::none ? op::trait::none
                                                                    : op::row_of(each.attributes()).traits,
                       op::trait::byte_factors) ||
               each.is<op::max_pool>() || each.is<op::avg_pool>() || each.bodies().size() != 0;
    }
    std::string unique(const std::string& wanted) {
        std::string name = wanted;
        for (int i = 1; !names_.insert(name).second; ++i) {
            name = wanted + "_" + std::to_string(i);
        }
        return name;
    }

public:
    /// `file`: its name, for messages.
    explicit model_builder(std::string file) : file_(std::move(file)) {}

    graph& model() { return model_; }
    const graph& model() const { return model_; }
    const std::string& file() const { return file_; }
    const source_node& current() const { return now_; }

    /// Begins a node of the file.
    void begin(source_node next) {
        now_ = std::move(next);
        made_.clear();
    }
    /// Gives names to the operations that were made of the current node.
    void finish() {
        node_id main = node_id::none;
        for (const node_id each : made_) {
            if (model_.contains(each) && (main == node_id::none || !does_the_work(model_[main]))) {
                main = each;
            }
        }
        if (main != node_id::none) {
            model_.rename(main, text(unique(now_.name).c_str()));
        }
        for (const node_id each : made_) {
            if (each != main && model_.contains(each)) {
                const text_view type = model_[each].operation();
                model_.rename(each, text(unique(now_.name + "/" + std::string(type.data(), type.size())).c_str()));
            }
        }
        begin({});
    }

    /// Raises an error that says file, node and byte.
    [[noreturn]] void wrong(text_pieces message) const { fail({place(), ": ", join(message)}); }

    /// Adds an operation; an error that it raises says file, node and byte. `version`: -1 for the newest.
    node_id add_node(op::attributes what, view<output_ref> inputs, int version = -1) {
        const node_id id =
            at_place([&] { return model_.add(std::move(what), inputs, text_view(now_.name.c_str()), version); });
        made_.push_back(id);
        return id;
    }
    /// The same for an operation of one output, folded where it computes few known values: shapes, axes, parameters.
    output_ref add(op::attributes what, view<output_ref> inputs, int version = -1) {
        constexpr std::int64_t few = 4096;
        const node_id id = add_node(std::move(what), inputs, version);
        const shape& dimensions = model_[id].shape();
        if (!dimensions.is_static() || static_cast<std::int64_t>(dimensions.elements()) > few) {
            return id;
        }
        seq<output_ref> values;
        return at_place([&] { return fold(model_, id, values); }) ? values[0] : output_ref(id);
    }
    output_ref constant(tensor value) { return model_.constant(std::move(value)); }
    /// A whole number, a list of them, a real number.
    output_ref integer(std::int64_t value, element type = i64) {
        return constant(make_integer_tensor(type, shape{}, view<std::int64_t>(&value, 1)));
    }
    output_ref indices(view<std::int64_t> values) { return constant(make_indices(values)); }
    output_ref real(double value, element type = f32) { return constant(make_scalar(type, value)); }

    /// The value of a Constant; null for what is computed.
    const tensor* value_of(output_ref source) const { return model_.constant_value(source); }
    element type_of(output_ref source) const { return model_.type(source); }
    const shape& shape_of(output_ref source) const { return model_.shape(source); }

    /// A tensor whose bytes are those of the file, from byte `offset` on: not copied.
    tensor stored(const mapped_file& from, element type, shape dimensions, std::size_t offset, std::size_t size) const {
        if (!dimensions.is_static() || !dimensions.is_possible()) {
            wrong({"a tensor cannot have the shape ", dimensions});
        }
        if (byte_size(type, dimensions.elements()) != size) {
            wrong({"a tensor of type ", lpt::name(type), " and shape ", dimensions, " has ",
                   byte_size(type, dimensions.elements()), " bytes, not ", size});
        }
        if (!from.has(offset, size)) {
            wrong({"bytes ", offset, " to ", offset, " + ", size, " lie outside of the file, which has ", from.size(),
                   " bytes"});
        }
        return tensor(type, std::move(dimensions), from.window(offset, size));
    }

    /// The finished graph.
    graph take() { return std::move(model_); }
};

/// The numbers from 0 to `count`, each behind those that it reads from. In the order of the numbers where that will do.
///
/// `for_each_source(number, visit)` calls `visit` with the numbers that one reads from; `circle(number)` is called, and must raise an error, where
/// they lead round in a circle. Linear time, no recursion.
template <class Sources, class Circle>
std::vector<std::size_t> order_by_sources(std::size_t count, Sources&& for_each_source, Circle&& circle) {
    enum class state : unsigned char { unseen, open, done };
    std::vector<state> states(count, state::unseen);
    std::vector<std::size_t> order;
    std::vector<std::size_t> stack;
    order.reserve(count);
    for (std::size_t first = 0; first < count; ++first) {
        stack.push_back(first);
        while (!stack.empty()) {
            const std::size_t each = stack.back();
            if (states[each] == state::unseen) {
                states[each] = state::open;
                for_each_source(each, [&](std::size_t source) {
                    if (states[source] == state::open) {
                        circle(source);
                    } else if (states[source] == state::unseen) {
                        stack.push_back(source);
                    }
                });
                continue;
            }
            if (states[each] == state::open) {
                states[each] = state::done;
                order.push_back(each);
            }
            stack.pop_back();
        }
    }
    return order;
}

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/import.hpp
#ifndef LPT_HOLDS_IMPORT_HPP
#define LPT_HOLDS_IMPORT_HPP
// File formats. Needs lpt::import.

#endif

// ======== lpt/check/described.hpp
#ifndef LPT_HOLDS_CHECK_DESCRIBED_HPP
#define LPT_HOLDS_CHECK_DESCRIBED_HPP
// An operation with its quantization as any file format can describe it: what the checker of the specification reads.

namespace lpt::inline LPT_ABI::check {

/// A tensor of an operation. Views are into whatever describes the network, which outlives this.
struct described_tensor {
    int index = -1;  // the tensor's number in its file; -1: an absent optional input
    text_view name;
    element type = dynamic;
    view<std::int64_t> dimensions;
    view<float> scales;  // none: not quantized
    view<std::int64_t> zero_points;  // as many as there are scales, or none: all 0
    std::int64_t axis = 0;  // the quantized dimension, where there are several scales
    const void* constant = nullptr;  // its elements, where they are known
    std::size_t constant_bytes = 0;

    constexpr bool is_present() const { return index >= 0; }
    constexpr bool is_quantized() const { return !scales.empty(); }
};

/// An operation. Absent inputs have their place.
struct described_operation {
    int index = 0;  // its number in the file
    text_view name;  // as the TensorFlow Lite schema spells it
    seq<described_tensor, 0> inputs;
    seq<described_tensor, 0> outputs;
};

/// A place where the specification is broken.
struct violation {
    int operation = 0;
    text operation_name;
    text role;  // input0, input1, ..., weights, bias, output0
    int tensor = -1;
    text tensor_name;
    spec::restriction rule = spec::restriction::dtype;
    text expected;
    text found;

    /// "CONV_2D 3, bias 'b': bias-scale, expected ..., found ..."
    text in_words() const {
        return join({operation_name, " ", operation, ", ", role, " '", tensor_name, "': ", spec::name(rule),
                     ", expected ", expected, ", found ", found});
    }
};

}  // namespace lpt::inline LPT_ABI::check
#endif

// ======== lpt/check/operation.hpp
#ifndef LPT_HOLDS_CHECK_OPERATION_HPP
#define LPT_HOLDS_CHECK_OPERATION_HPP
// Holds one operation against its row of the TensorFlow Lite 8-bit quantization specification.

namespace lpt::inline LPT_ABI::check {

namespace detail {

/// A tensor that the row asks something of, and what has been found so far.
struct covered_tensor {
    const described_tensor* tensor = nullptr;
    const spec::requirement* asks = nullptr;
    int input = -1;  // number of the input, -1: the output
    bool readable = false;  // has the right type and a quantization
    bool scales_usable = false;
    bool has_one_scale = false;  // and with it one zero point
};

constexpr double difference(double a, double b) { return a < b ? b - a : a - b; }

/// Whether two scales agree: they differ by at most a millionth of `wanted`.
constexpr bool agree(double scale, double wanted) {
    return difference(scale, wanted) <= 1e-6 * (wanted < 0 ? -wanted : wanted);
}

constexpr bool is_usable(float scale) { return scale > 0 && scale <= 3.4028234663852886e38F; }

inline text in_words(view<float> scales) {
    if (scales.size() == 1) return join({static_cast<double>(scales[0])});
    return join({scales.size(), " scales"});
}

inline std::int64_t zero_point_of(const described_tensor& tensor) {
    return tensor.zero_points.empty() ? 0 : tensor.zero_points[0];
}

inline text quantization_in_words(double scale, std::int64_t zero_point) {
    return join({"scale ", scale, " and zero point ", zero_point});
}

/// Checks one operation and appends what is wrong.
class operation_check {
    const described_operation& operation_;
    const spec::row& row_;
    seq<violation, 0>& found_;
    seq<covered_tensor, 0> covered_;

    static text role_of(const covered_tensor& each) {
        if (each.asks->role == spec::operand::weight) return "weights";
        if (each.asks->role == spec::operand::bias) return "bias";
        return each.input < 0 ? text("output0") : join({"input", each.input});
    }

    void report(const covered_tensor& each, spec::restriction rule, text expected, text found) {
        violation result;
        result.operation = operation_.index;
        result.operation_name = operation_.name;
        result.role = role_of(each);
        result.tensor = each.tensor->index;
        result.tensor_name = each.tensor->name;
        result.rule = rule;
        result.expected = move(expected);
        result.found = move(found);
        found_.push_back(move(result));
    }

    void cover(view<described_tensor> tensors, std::size_t index, const spec::requirement& asks, int input) {
        if (index < tensors.size() && tensors[index].is_present())
            covered_.push_back({&tensors[index], &asks, input, false, false, false});
    }

    void cover_all() {
        for (const spec::requirement& asks : row_) {
            switch (asks.role) {
                case spec::operand::output_0: cover(operation_.outputs, 0, asks, -1); break;
                case spec::operand::every_input:
                    for (std::size_t i = 0; i < operation_.inputs.size(); ++i)
                        cover(operation_.inputs, i, asks, static_cast<int>(i));
                    break;
                case spec::operand::input_0: cover(operation_.inputs, 0, asks, 0); break;
                case spec::operand::input_1:
                case spec::operand::weight: cover(operation_.inputs, 1, asks, 1); break;
                case spec::operand::input_2:
                case spec::operand::bias: cover(operation_.inputs, 2, asks, 2); break;
            }
        }
    }

    /// Real numbers are not the specification's affair, nor is QUANTIZE from or to them or between other integers.
    bool applies() const {
        bool all_real = true;
        for (const covered_tensor& each : covered_)
            all_real = all_real && each.tensor->type == f32;
        if (all_real) return false;
        if (row_.name != spec::op::quantize::name) return true;
        for (const covered_tensor& each : covered_) {
            if (each.tensor->type != i8) return false;
        }
        return true;
    }

    void check_tensor(covered_tensor& each) {
        const described_tensor& tensor = *each.tensor;
        if (tensor.type != each.asks->type)
            return report(each, spec::restriction::dtype, name(each.asks->type), name(tensor.type));
        if (!tensor.is_quantized())
            return report(each, spec::restriction::quant_missing, "a scale and a zero point", "none");
        each.readable = true;
        each.scales_usable = true;
        each.has_one_scale = tensor.scales.size() == 1;
        if (each.asks->scale != spec::scale_rule::product) check_scales(each);
        switch (each.asks->role) {
            case spec::operand::weight: return check_weights(each);
            case spec::operand::bias: return check_zero_is(each, spec::restriction::bias_zero_point);
            default: return check_activation(each);
        }
    }

    void check_scales(covered_tensor& each) {
        for (const float scale : each.tensor->scales) {
            if (is_usable(scale)) continue;
            each.scales_usable = false;
            return report(each, spec::restriction::scale_positive, "scales that are finite and above 0",
                          join({static_cast<double>(scale)}));
        }
    }

    void check_zero_is(covered_tensor& each, spec::restriction rule) {
        for (const std::int64_t zero_point : each.tensor->zero_points) {
            if (zero_point != 0) return report(each, rule, "zero point 0", join({"zero point ", zero_point}));
        }
    }

    void check_weights(covered_tensor& each) {
        const described_tensor& tensor = *each.tensor;
        if (tensor.scales.size() > 1) check_axis(each);
        check_zero_is(each, spec::restriction::weight_zero_point);
        constexpr int lowest_code = -128;
        if (each.asks->lowest > lowest_code && tensor.constant_bytes != 0 &&
            __builtin_memchr(tensor.constant, lowest_code & 0xFF, tensor.constant_bytes) != nullptr)
            report(each, spec::restriction::weight_range,
                   join({"values in [", each.asks->lowest, ", ", each.asks->highest, "]"}), join({lowest_code}));
    }

    void check_axis(covered_tensor& each) {
        const described_tensor& tensor = *each.tensor;
        if (tensor.axis != each.asks->axis) {
            each.scales_usable = false;
            return report(each, spec::restriction::per_axis_dim, join({"quantized dimension ", each.asks->axis}),
                          join({"quantized dimension ", tensor.axis}));
        }
        const bool has_axis = static_cast<std::size_t>(tensor.axis) < tensor.dimensions.size();
        const std::int64_t length = has_axis ? tensor.dimensions[static_cast<std::size_t>(tensor.axis)] : 1;
        if (static_cast<std::int64_t>(tensor.scales.size()) == length) return;
        each.scales_usable = false;
        report(each, spec::restriction::per_axis_count, join({length, " scales"}),
               join({tensor.scales.size(), " scales"}));
    }

    void check_activation(covered_tensor& each) {
        const described_tensor& tensor = *each.tensor;
        if (!each.has_one_scale)
            return report(each, spec::restriction::per_tensor, "one scale", join({tensor.scales.size(), " scales"}));
        const element_facts& range = facts(each.asks->type);
        for (const std::int64_t zero_point : tensor.zero_points) {
            if (static_cast<double>(zero_point) >= range.lowest && static_cast<double>(zero_point) <= range.highest)
                continue;
            return report(each, spec::restriction::zero_point_range, "a zero point in [-128, 127]", join({zero_point}));
        }
    }

    const covered_tensor* find(spec::operand role) const {
        for (const covered_tensor& each : covered_) {
            if (each.asks->role == role) return &each;
        }
        return nullptr;
    }

    void check_bias() {
        const covered_tensor* bias = find(spec::operand::bias);
        const covered_tensor* weights = find(spec::operand::weight);
        const covered_tensor* input = find(spec::operand::input_0);
        if (bias == nullptr || weights == nullptr || input == nullptr) return;
        if (!bias->readable || !weights->scales_usable || !input->scales_usable || !input->has_one_scale) return;
        const view<float> scales = bias->tensor->scales;
        const view<float> of_weights = weights->tensor->scales;
        if (scales.size() != of_weights.size())
            return report(*bias, spec::restriction::bias_granularity, in_words(of_weights), in_words(scales));
        for (std::size_t i = 0; i < scales.size(); ++i) {
            const float wanted = input->tensor->scales[0] * of_weights[i];
            if (agree(static_cast<double>(scales[i]), static_cast<double>(wanted))) continue;
            return report(*bias, spec::restriction::bias_scale, join({"scale ", static_cast<double>(wanted)}),
                          join({"scale ", static_cast<double>(scales[i])}));
        }
    }

    void check_fixed_output() {
        const covered_tensor* output = find(spec::operand::output_0);
        if (output == nullptr || output->asks->scale != spec::scale_rule::fixed || !output->readable ||
            !output->has_one_scale)
            return;
        const double scale = static_cast<double>(output->tensor->scales[0]);
        const std::int64_t zero_point = zero_point_of(*output->tensor);
        const bool scale_agrees = !output->scales_usable || agree(scale, output->asks->fixed_scale());
        if (scale_agrees && zero_point == output->asks->fixed_zero_point) return;
        report(*output, spec::restriction::fixed_output,
               quantization_in_words(output->asks->fixed_scale(), output->asks->fixed_zero_point),
               quantization_in_words(scale, zero_point));
    }

    void check_same_quantization() {
        const covered_tensor* first = nullptr;
        for (const covered_tensor& each : covered_) {
            if (each.input == 0) first = &each;
        }
        if (!row_.same_quantization || first == nullptr || !first->readable || !first->has_one_scale) return;
        const float scale = first->tensor->scales[0];
        const std::int64_t zero_point = zero_point_of(*first->tensor);
        for (const covered_tensor& each : covered_) {
            if (&each == first || !each.readable || !each.has_one_scale) continue;
            const bool scale_agrees = !first->scales_usable || !each.scales_usable || each.tensor->scales[0] == scale;
            if (scale_agrees && zero_point_of(*each.tensor) == zero_point) continue;
            report(each, spec::restriction::same_quant, quantization_in_words(static_cast<double>(scale), zero_point),
                   quantization_in_words(static_cast<double>(each.tensor->scales[0]), zero_point_of(*each.tensor)));
        }
    }

public:
    operation_check(const described_operation& operation, const spec::row& row, seq<violation, 0>& found)
        : operation_(operation), row_(row), found_(found) {}

    void run() {
        cover_all();
        if (!applies()) return;
        for (covered_tensor& each : covered_)
            check_tensor(each);
        check_bias();
        check_fixed_output();
        check_same_quantization();
    }
};

/// By role, then rule, as their names sort.
inline bool comes_before(const violation& left, const violation& right) {
    if (!(left.role == right.role)) return left.role < right.role;
    return spec::name(left.rule) < spec::name(right.rule);
}

inline void sort_from(seq<violation, 0>& found, std::size_t first) {
    for (std::size_t i = first + 1; i < found.size(); ++i) {
        for (std::size_t at = i; at > first && comes_before(found[at], found[at - 1]); --at) {
            violation moved = move(found[at]);
            found[at] = move(found[at - 1]);
            found[at - 1] = move(moved);
        }
    }
}

}  // namespace detail

/// Appends what an operation breaks of its row in the specification, sorted by role and rule. Operations without a row break nothing, nor do
/// those of real numbers.
inline void check_operation(const described_operation& operation, seq<violation, 0>& found) {
    const spec::row* row = spec::find(operation.name);
    if (row == nullptr) return;
    const std::size_t first = found.size();
    detail::operation_check(operation, *row, found).run();
    detail::sort_from(found, first);
}

}  // namespace lpt::inline LPT_ABI::check
#endif

// ======== lpt/import/tflite/builtin_names.hpp
#ifndef LPT_HOLDS_IMPORT_TFLITE_BUILTIN_NAMES_HPP
#define LPT_HOLDS_IMPORT_TFLITE_BUILTIN_NAMES_HPP
namespace lpt::inline LPT_ABI::tflite {

/// The published names of the operators, by number.
inline constexpr text_view builtin_names[] = {"ADD",
                                              "AVERAGE_POOL_2D",
                                              "CONCATENATION",
                                              "CONV_2D",
                                              "DEPTHWISE_CONV_2D",
                                              "DEPTH_TO_SPACE",
                                              "DEQUANTIZE",
                                              "EMBEDDING_LOOKUP",
                                              "FLOOR",
                                              "FULLY_CONNECTED",
                                              "HASHTABLE_LOOKUP",
                                              "L2_NORMALIZATION",
                                              "L2_POOL_2D",
                                              "LOCAL_RESPONSE_NORMALIZATION",
                                              "LOGISTIC",
                                              "LSH_PROJECTION",
                                              "LSTM",
                                              "MAX_POOL_2D",
                                              "MUL",
                                              "RELU",
                                              "RELU_N1_TO_1",
                                              "RELU6",
                                              "RESHAPE",
                                              "RESIZE_BILINEAR",
                                              "RNN",
                                              "SOFTMAX",
                                              "SPACE_TO_DEPTH",
                                              "SVDF",
                                              "TANH",
                                              "CONCAT_EMBEDDINGS",
                                              "SKIP_GRAM",
                                              "CALL",
                                              "CUSTOM",
                                              "EMBEDDING_LOOKUP_SPARSE",
                                              "PAD",
                                              "UNIDIRECTIONAL_SEQUENCE_RNN",
                                              "GATHER",
                                              "BATCH_TO_SPACE_ND",
                                              "SPACE_TO_BATCH_ND",
                                              "TRANSPOSE",
                                              "MEAN",
                                              "SUB",
                                              "DIV",
                                              "SQUEEZE",
                                              "UNIDIRECTIONAL_SEQUENCE_LSTM",
                                              "STRIDED_SLICE",
                                              "BIDIRECTIONAL_SEQUENCE_RNN",
                                              "EXP",
                                              "TOPK_V2",
                                              "SPLIT",
                                              "LOG_SOFTMAX",
                                              "DELEGATE",
                                              "BIDIRECTIONAL_SEQUENCE_LSTM",
                                              "CAST",
                                              "PRELU",
                                              "MAXIMUM",
                                              "ARG_MAX",
                                              "MINIMUM",
                                              "LESS",
                                              "NEG",
                                              "PADV2",
                                              "GREATER",
                                              "GREATER_EQUAL",
                                              "LESS_EQUAL",
                                              "SELECT",
                                              "SLICE",
                                              "SIN",
                                              "TRANSPOSE_CONV",
                                              "SPARSE_TO_DENSE",
                                              "TILE",
                                              "EXPAND_DIMS",
                                              "EQUAL",
                                              "NOT_EQUAL",
                                              "LOG",
                                              "SUM",
                                              "SQRT",
                                              "RSQRT",
                                              "SHAPE",
                                              "POW",
                                              "ARG_MIN",
                                              "FAKE_QUANT",
                                              "REDUCE_PROD",
                                              "REDUCE_MAX",
                                              "PACK",
                                              "LOGICAL_OR",
                                              "ONE_HOT",
                                              "LOGICAL_AND",
                                              "LOGICAL_NOT",
                                              "UNPACK",
                                              "REDUCE_MIN",
                                              "FLOOR_DIV",
                                              "REDUCE_ANY",
                                              "SQUARE",
                                              "ZEROS_LIKE",
                                              "FILL",
                                              "FLOOR_MOD",
                                              "RANGE",
                                              "RESIZE_NEAREST_NEIGHBOR",
                                              "LEAKY_RELU",
                                              "SQUARED_DIFFERENCE",
                                              "MIRROR_PAD",
                                              "ABS",
                                              "SPLIT_V",
                                              "UNIQUE",
                                              "CEIL",
                                              "REVERSE_V2",
                                              "ADD_N",
                                              "GATHER_ND",
                                              "COS",
                                              "WHERE",
                                              "RANK",
                                              "ELU",
                                              "REVERSE_SEQUENCE",
                                              "MATRIX_DIAG",
                                              "QUANTIZE",
                                              "MATRIX_SET_DIAG",
                                              "ROUND",
                                              "HARD_SWISH",
                                              "IF",
                                              "WHILE",
                                              "NON_MAX_SUPPRESSION_V4",
                                              "NON_MAX_SUPPRESSION_V5",
                                              "SCATTER_ND",
                                              "SELECT_V2",
                                              "DENSIFY",
                                              "SEGMENT_SUM",
                                              "BATCH_MATMUL",
                                              "PLACEHOLDER_FOR_GREATER_OP_CODES",
                                              "CUMSUM",
                                              "CALL_ONCE",
                                              "BROADCAST_TO",
                                              "RFFT2D",
                                              "CONV_3D",
                                              "IMAG",
                                              "REAL",
                                              "COMPLEX_ABS",
                                              "HASHTABLE",
                                              "HASHTABLE_FIND",
                                              "HASHTABLE_IMPORT",
                                              "HASHTABLE_SIZE",
                                              "REDUCE_ALL",
                                              "CONV_3D_TRANSPOSE",
                                              "VAR_HANDLE",
                                              "READ_VARIABLE",
                                              "ASSIGN_VARIABLE",
                                              "BROADCAST_ARGS",
                                              "RANDOM_STANDARD_NORMAL",
                                              "BUCKETIZE",
                                              "RANDOM_UNIFORM",
                                              "MULTINOMIAL",
                                              "GELU",
                                              "DYNAMIC_UPDATE_SLICE",
                                              "RELU_0_TO_1",
                                              "UNSORTED_SEGMENT_PROD",
                                              "UNSORTED_SEGMENT_MAX",
                                              "UNSORTED_SEGMENT_SUM",
                                              "ATAN2",
                                              "UNSORTED_SEGMENT_MIN",
                                              "SIGN",
                                              "BITCAST",
                                              "BITWISE_XOR",
                                              "RIGHT_SHIFT",
                                              "STABLEHLO_LOGISTIC",
                                              "STABLEHLO_ADD",
                                              "STABLEHLO_DIVIDE",
                                              "STABLEHLO_MULTIPLY",
                                              "STABLEHLO_MAXIMUM",
                                              "STABLEHLO_RESHAPE",
                                              "STABLEHLO_CLAMP",
                                              "STABLEHLO_CONCATENATE",
                                              "STABLEHLO_BROADCAST_IN_DIM",
                                              "STABLEHLO_CONVOLUTION",
                                              "STABLEHLO_SLICE",
                                              "STABLEHLO_CUSTOM_CALL",
                                              "STABLEHLO_REDUCE",
                                              "STABLEHLO_ABS",
                                              "STABLEHLO_AND",
                                              "STABLEHLO_COSINE",
                                              "STABLEHLO_EXPONENTIAL",
                                              "STABLEHLO_FLOOR",
                                              "STABLEHLO_LOG",
                                              "STABLEHLO_MINIMUM",
                                              "STABLEHLO_NEGATE",
                                              "STABLEHLO_OR",
                                              "STABLEHLO_POWER",
                                              "STABLEHLO_REMAINDER",
                                              "STABLEHLO_RSQRT",
                                              "STABLEHLO_SELECT",
                                              "STABLEHLO_SUBTRACT",
                                              "STABLEHLO_TANH",
                                              "STABLEHLO_SCATTER",
                                              "STABLEHLO_COMPARE",
                                              "STABLEHLO_CONVERT",
                                              "STABLEHLO_DYNAMIC_SLICE",
                                              "STABLEHLO_DYNAMIC_UPDATE_SLICE",
                                              "STABLEHLO_PAD",
                                              "STABLEHLO_IOTA",
                                              "STABLEHLO_DOT_GENERAL",
                                              "STABLEHLO_REDUCE_WINDOW",
                                              "STABLEHLO_SORT",
                                              "STABLEHLO_WHILE",
                                              "STABLEHLO_GATHER",
                                              "STABLEHLO_TRANSPOSE",
                                              "DILATE",
                                              "STABLEHLO_RNG_BIT_GENERATOR",
                                              "REDUCE_WINDOW",
                                              "STABLEHLO_COMPOSITE",
                                              "STABLEHLO_SHIFT_LEFT",
                                              "STABLEHLO_CBRT"};

}  // namespace lpt::inline LPT_ABI::tflite
#endif

// ======== lpt/import/tflite/builtin.hpp
#ifndef LPT_HOLDS_IMPORT_TFLITE_BUILTIN_HPP
#define LPT_HOLDS_IMPORT_TFLITE_BUILTIN_HPP
/// The operators of TFLite, by number.
namespace lpt::inline LPT_ABI::tflite {

/// A builtin operator: its number in a file, and its published name in small letters (IF and WHILE are `if_else` and `while_loop`).
enum class builtin : std::int32_t {
    add,
    average_pool_2d,
    concatenation,
    conv_2d,
    depthwise_conv_2d,
    depth_to_space,
    dequantize,
    embedding_lookup,
    floor,
    fully_connected,
    hashtable_lookup,
    l2_normalization,
    l2_pool_2d,
    local_response_normalization,
    logistic,
    lsh_projection,
    lstm,
    max_pool_2d,
    mul,
    relu,
    relu_n1_to_1,
    relu6,
    reshape,
    resize_bilinear,
    rnn,
    softmax,
    space_to_depth,
    svdf,
    tanh,
    concat_embeddings,
    skip_gram,
    call,
    custom,
    embedding_lookup_sparse,
    pad,
    unidirectional_sequence_rnn,
    gather,
    batch_to_space_nd,
    space_to_batch_nd,
    transpose,
    mean,
    sub,
    div,
    squeeze,
    unidirectional_sequence_lstm,
    strided_slice,
    bidirectional_sequence_rnn,
    exp,
    topk_v2,
    split,
    log_softmax,
    delegate,
    bidirectional_sequence_lstm,
    cast,
    prelu,
    maximum,
    arg_max,
    minimum,
    less,
    neg,
    padv2,
    greater,
    greater_equal,
    less_equal,
    select,
    slice,
    sin,
    transpose_conv,
    sparse_to_dense,
    tile,
    expand_dims,
    equal,
    not_equal,
    log,
    sum,
    sqrt,
    rsqrt,
    shape,
    pow,
    arg_min,
    fake_quant,
    reduce_prod,
    reduce_max,
    pack,
    logical_or,
    one_hot,
    logical_and,
    logical_not,
    unpack,
    reduce_min,
    floor_div,
    reduce_any,
    square,
    zeros_like,
    fill,
    floor_mod,
    range,
    resize_nearest_neighbor,
    leaky_relu,
    squared_difference,
    mirror_pad,
    abs,
    split_v,
    unique,
    ceil,
    reverse_v2,
    add_n,
    gather_nd,
    cos,
    where,
    rank,
    elu,
    reverse_sequence,
    matrix_diag,
    quantize,
    matrix_set_diag,
    round,
    hard_swish,
    if_else,
    while_loop,
    non_max_suppression_v4,
    non_max_suppression_v5,
    scatter_nd,
    select_v2,
    densify,
    segment_sum,
    batch_matmul,
    placeholder_for_greater_op_codes,
    cumsum,
    call_once,
    broadcast_to,
    rfft2d,
    conv_3d,
    imag,
    real,
    complex_abs,
    hashtable,
    hashtable_find,
    hashtable_import,
    hashtable_size,
    reduce_all,
    conv_3d_transpose,
    var_handle,
    read_variable,
    assign_variable,
    broadcast_args,
    random_standard_normal,
    bucketize,
    random_uniform,
    multinomial,
    gelu,
    dynamic_update_slice,
    relu_0_to_1,
    unsorted_segment_prod,
    unsorted_segment_max,
    unsorted_segment_sum,
    atan2,
    unsorted_segment_min,
    sign,
    bitcast,
    bitwise_xor,
    right_shift,
    stablehlo_logistic,
    stablehlo_add,
    stablehlo_divide,
    stablehlo_multiply,
    stablehlo_maximum,
    stablehlo_reshape,
    stablehlo_clamp,
    stablehlo_concatenate,
    stablehlo_broadcast_in_dim,
    stablehlo_convolution,
    stablehlo_slice,
    stablehlo_custom_call,
    stablehlo_reduce,
    stablehlo_abs,
    stablehlo_and,
    stablehlo_cosine,
    stablehlo_exponential,
    stablehlo_floor,
    stablehlo_log,
    stablehlo_minimum,
    stablehlo_negate,
    stablehlo_or,
    stablehlo_power,
    stablehlo_remainder,
    stablehlo_rsqrt,
    stablehlo_select,
    stablehlo_subtract,
    stablehlo_tanh,
    stablehlo_scatter,
    stablehlo_compare,
    stablehlo_convert,
    stablehlo_dynamic_slice,
    stablehlo_dynamic_update_slice,
    stablehlo_pad,
    stablehlo_iota,
    stablehlo_dot_general,
    stablehlo_reduce_window,
    stablehlo_sort,
    stablehlo_while,
    stablehlo_gather,
    stablehlo_transpose,
    dilate,
    stablehlo_rng_bit_generator,
    reduce_window,
    stablehlo_composite,
    stablehlo_shift_left,
    stablehlo_cbrt
};

inline constexpr auto builtin_count = static_cast<std::int32_t>(sizeof builtin_names / sizeof builtin_names[0]);
static_assert(static_cast<std::int32_t>(builtin::stablehlo_cbrt) + 1 == builtin_count);

/// The published name of an operator, for instance `CONV_2D`.
constexpr text_view name(builtin code) { return builtin_names[static_cast<std::int32_t>(code)]; }

}  // namespace lpt::inline LPT_ABI::tflite
#endif

// ======== lpt/import/tflite/model.hpp
#ifndef LPT_HOLDS_IMPORT_TFLITE_MODEL_HPP
#define LPT_HOLDS_IMPORT_TFLITE_MODEL_HPP
/// What is in a TFLite file, as plain data. `read_model` makes it, and checks what can be checked without knowing the operators.
namespace lpt::inline LPT_ABI::tflite {

/// The type of a tensor's elements, by its number in a file.
enum class tensor_type : std::int8_t {
    float32,
    float16,
    int32,
    uint8,
    int64,
    string,
    boolean,
    int16,
    complex64,
    int8,
    float64,
    complex128,
    uint64,
    resource,
    variant,
    uint32,
    uint16,
    int4,
    bfloat16
};
inline constexpr text_view tensor_type_names[] = {
    "float32", "float16",    "int32",  "uint8",    "int64",   "string", "bool",   "int16", "complex64", "int8",
    "float64", "complex128", "uint64", "resource", "variant", "uint32", "uint16", "int4",  "bfloat16"};
inline constexpr element elements_of_types[] = {f32, f16,     i32, u8,      i64,     dynamic, boolean, i16, dynamic, i8,
                                                f64, dynamic, u64, dynamic, dynamic, u32,     u16,     i4,  bf16};
inline constexpr int tensor_type_count = 19;
static_assert(sizeof elements_of_types / sizeof elements_of_types[0] == tensor_type_count);
static_assert(sizeof tensor_type_names / sizeof tensor_type_names[0] == tensor_type_count);

constexpr text_view name(tensor_type type) { return tensor_type_names[static_cast<int>(type)]; }
/// The element type of the library; `dynamic` for those that it does not have (strings, complex numbers, resources, variants).
constexpr element element_of(tensor_type type) { return elements_of_types[static_cast<int>(type)]; }

enum class padding : std::int8_t { same, valid };
enum class activation : std::int8_t { none, relu, relu_n1_to_1, relu6, tanh, sign_bit };

/// How integers stand for real numbers: `real = scale * (q - zero_point)`.
///
/// As it stands in the file, whether it keeps the rules of quantization or not: any number of scales and zero points with any values.
struct quantization {
    std::vector<float> scales;  // none: not quantized; one; or one for each index of the axis
    std::vector<std::int64_t> zero_points;  // as many as scales, where the file is right
    std::int32_t axis = 0;  // `quantized_dimension`
    bool is_custom = false;  // has details of somebody's own

    bool is_present() const { return !scales.empty(); }
};

struct tensor_info {
    text name;
    tensor_type type = tensor_type::float32;
    shape dimensions;  // all sizes are known
    shape signature;  // -1 where a size is open; the dimensions where the file has none
    quantization quantized;
    std::int64_t buffer = 0;  // its index
    /// The value of a constant, of `dimensions` and the type of the elements; of types that the library does not have, and of
    /// sparse tensors, the bytes as they lie (u8, one axis). None (`!value`): not a constant.
    tensor value;
    bool is_variable = false;
    bool is_sparse = false;

    bool is_constant() const { return static_cast<bool>(value); }
};

/// One field of an operator's options, named as in the schema.
struct option {
    enum class form : unsigned char { whole, real, list, words };

    text_view name;
    form holds = form::whole;
    std::int64_t whole = 0;  // flags are 0 or 1
    double real = 0;
    std::vector<std::int64_t> list;
    text words;
};

struct operator_info {
    static constexpr std::int64_t none = -1;  // an optional input or output that is absent

    builtin code = builtin::custom;
    text custom_code;  // of CUSTOM
    std::int32_t version = 1;
    std::vector<std::int64_t> inputs;  // tensors of the subgraph, or `none`
    std::vector<std::int64_t> outputs;
    std::vector<std::int64_t> intermediates;  // tensors that carry quantization only
    std::vector<option>
        options;  // all fields of the operator's table that `schema.hpp` has, absent ones with their defaults

    /// The operator's name: the published one, or that of a custom operator.
    text_view name() const { return code == builtin::custom ? custom_code.view() : tflite::name(code); }

    /// A field of the options; null where the operator has none of this name.
    const option* find(text_view field) const {
        for (const option& each : options) {
            if (each.name == field) {
                return &each;
            }
        }
        return nullptr;
    }
    /// The value of a field that the operator has: an integer, an enumeration or a flag.
    std::int64_t integer(text_view field) const { return at(field).whole; }
    bool flag(text_view field) const { return at(field).whole != 0; }
    double real(text_view field) const { return at(field).real; }
    const std::vector<std::int64_t>& list(text_view field) const { return at(field).list; }
    const text& words(text_view field) const { return at(field).words; }
    tflite::padding padding() const { return static_cast<tflite::padding>(integer("padding")); }
    /// The fused activation; `none` for operators that have no such field.
    tflite::activation activation() const {
        const option* const field = find("fused_activation_function");
        return field == nullptr ? activation::none : static_cast<tflite::activation>(field->whole);
    }

private:
    const option& at(text_view field) const {
        const option* const found = find(field);
        if (found == nullptr) {
            fail({name(), " has no option ", field});
        }
        return *found;
    }
};

struct subgraph {
    text name;
    std::vector<tensor_info> tensors;
    std::vector<std::int64_t> inputs;
    std::vector<std::int64_t> outputs;
    std::vector<operator_info> operators;  // in the order in which they run
};

struct signature {
    struct port {
        text name;
        std::int64_t tensor = 0;
    };

    text key;
    std::int64_t subgraph = 0;
    std::vector<port> inputs;
    std::vector<port> outputs;
};

struct metadata {
    text name;
    tensor content;  // u8, one axis
};

struct model {
    text file;  // for messages
    text description;
    std::vector<subgraph> subgraphs;  // at least one, the first is the network
    std::vector<signature> signatures;
    std::vector<metadata> notes;
};

/// What a message is about: a file, and in it a subgraph, an operator or a tensor.
struct place {
    text_view file;
    std::int64_t subgraph = -1;
    std::int64_t op = -1;
    text_view op_name = {};
    std::int64_t tensor = -1;
    text_view tensor_name = {};
};
inline void append_to(text& message, const place& where) {
    message.append(where.file);
    if (where.subgraph >= 0) {
        message.append(": subgraph ").append(where.subgraph);
    }
    if (where.op >= 0) {
        message.append(": operator ").append(where.op).append(" (").append(where.op_name).append(")");
    }
    if (where.tensor >= 0) {
        message.append(": tensor ").append(where.tensor).append(" '").append(where.tensor_name).append("'");
    }
}

template <class... Parts>
[[noreturn]] void wrong(const place& where, const Parts&... parts) {
    fail({where, ": ", parts...});
}

}  // namespace lpt::inline LPT_ABI::tflite
#endif

// ======== lpt/check/model.hpp
#ifndef LPT_HOLDS_CHECK_MODEL_HPP
#define LPT_HOLDS_CHECK_MODEL_HPP
// Holds a TensorFlow Lite model against the 8-bit quantization specification.

namespace lpt::inline LPT_ABI::check {

namespace detail {

inline described_tensor describe(const tflite::subgraph& net, std::int64_t index) {
    described_tensor result;
    if (index < 0) return result;
    const tflite::tensor_info& tensor = net.tensors[static_cast<std::size_t>(index)];
    const tflite::quantization& quantized = tensor.quantized;
    result.index = static_cast<int>(index);
    result.name = tensor.name;
    result.type = tflite::element_of(tensor.type);
    result.dimensions = view<std::int64_t>(tensor.dimensions.begin(), tensor.dimensions.rank());
    result.scales = view<float>(quantized.scales.data(), quantized.scales.size());
    result.zero_points = view<std::int64_t>(quantized.zero_points.data(), quantized.zero_points.size());
    result.axis = quantized.axis;
    if (tensor.is_constant()) {
        result.constant = tensor.value.data();
        result.constant_bytes = tensor.value.size_in_bytes();
    }
    return result;
}

}  // namespace detail

/// An operation of a subgraph as the checker reads it. It looks at the subgraph, which outlives it.
inline described_operation describe(const tflite::subgraph& net, std::size_t index) {
    const tflite::operator_info& each = net.operators[index];
    described_operation result;
    result.index = static_cast<int>(index);
    result.name = each.name();
    for (const std::int64_t tensor : each.inputs)
        result.inputs.push_back(detail::describe(net, tensor));
    for (const std::int64_t tensor : each.outputs)
        result.outputs.push_back(detail::describe(net, tensor));
    return result;
}

/// Everything in which a subgraph breaks the specification, in the order of its operations; nothing: it conforms.
inline seq<violation, 0> violations_of(const tflite::subgraph& net) {
    seq<violation, 0> result;
    for (std::size_t i = 0; i < net.operators.size(); ++i) {
        if (spec::find(net.operators[i].name()) != nullptr) check_operation(describe(net, i), result);
    }
    return result;
}

/// The same for a model's network, its first subgraph.
inline seq<violation, 0> violations_of(const tflite::model& model) { return violations_of(model.subgraphs.front()); }

}  // namespace lpt::inline LPT_ABI::check
#endif

// ======== lpt/import/tflite/check_model.hpp
#ifndef LPT_HOLDS_IMPORT_TFLITE_CHECK_MODEL_HPP
#define LPT_HOLDS_IMPORT_TFLITE_CHECK_MODEL_HPP
/// What no verifier of FlatBuffers knows: which indices there are, and that everything is computed before it is read.
namespace lpt::inline LPT_ABI::tflite::detail {

inline void check_index(std::int64_t index, std::size_t count, const place& where, text_view role, std::size_t position,
                        text_view what) {
    if (index < 0 || index >= static_cast<std::int64_t>(count)) {
        wrong(where, role, " ", position, " is ", what, " ", index, ", expected 0 to ",
              static_cast<std::int64_t>(count) - 1);
    }
}

/// Whether a tensor has a value before any operator has run, or needs none.
inline bool is_known_at_start(const tensor_info& info) {
    return info.is_constant() || info.is_variable || info.dimensions.elements() == 0;
}

/// Checks the operators of a subgraph in the order in which they run.
class subgraph_checker {
    const subgraph& graph_;
    place where_;
    std::vector<char> known_;

    void name_tensor(place& where, std::int64_t index) const {
        where.tensor = index;
        where.tensor_name = graph_.tensors[static_cast<std::size_t>(index)].name;
    }
    void check_indices(const std::vector<std::int64_t>& all, const place& where, text_view role,
                       bool may_be_absent) const {
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (!may_be_absent || all[i] != operator_info::none) {
                check_index(all[i], graph_.tensors.size(), where, role, i, "tensor");
            }
        }
    }
    void check_reads(const operator_info& op, const place& where) const {
        for (std::size_t i = 0; i < op.inputs.size(); ++i) {
            const std::int64_t index = op.inputs[i];
            if (index != operator_info::none && known_[static_cast<std::size_t>(index)] == 0) {
                wrong(where, "input ", i, " is tensor ", index, " '",
                      graph_.tensors[static_cast<std::size_t>(index)].name, "', which no operator before it computes");
            }
        }
    }
    void check_writes(const operator_info& op, const place& where) {
        for (std::size_t i = 0; i < op.outputs.size(); ++i) {
            const std::int64_t index = op.outputs[i];
            if (index == operator_info::none) {
                continue;
            }
            char& known = known_[static_cast<std::size_t>(index)];
            if (known != 0 && graph_.tensors[static_cast<std::size_t>(index)].dimensions.elements() != 0) {
                wrong(where, "output ", i, " is tensor ", index, " '",
                      graph_.tensors[static_cast<std::size_t>(index)].name, "', which has a value already");
            }
            known = 1;
        }
    }

public:
    subgraph_checker(const subgraph& graph, const place& where) : graph_(graph), where_(where) {}

    void check() {
        check_indices(graph_.inputs, where_, "input", false);
        check_indices(graph_.outputs, where_, "output", false);
        for (const tensor_info& each : graph_.tensors) {
            known_.push_back(is_known_at_start(each) ? 1 : 0);
        }
        for (const std::int64_t each : graph_.inputs) {
            known_[static_cast<std::size_t>(each)] = 1;
        }
        for (const operator_info& each : graph_.operators) {
            ++where_.op;
            where_.op_name = each.name();
            check_indices(each.inputs, where_, "input", true);
            check_indices(each.outputs, where_, "output", true);
            check_indices(each.intermediates, where_, "intermediate", true);
            check_reads(each, where_);
            check_writes(each, where_);
        }
        where_.op = -1;
        for (const std::int64_t each : graph_.outputs) {
            if (known_[static_cast<std::size_t>(each)] == 0) {
                name_tensor(where_, each);
                wrong(where_, "is an output, but no operator computes it");
            }
        }
    }
};

/// The subgraphs that an operator runs.
inline std::vector<std::int64_t> callees(const operator_info& op) {
    std::vector<std::int64_t> result;
    for (const option& each : op.options) {
        if (each.name == "subgraph" || each.name.ends_with("_subgraph_index")) {
            result.push_back(each.whole);
        }
    }
    return result;
}

/// Raises an error where a subgraph runs itself, through whichever others.
class call_checker {
    const model& model_;
    enum class state : char { unseen, open, done };
    std::vector<state> states_;

    static constexpr int deepest_call = 64;

    void visit(std::size_t index, int depth) {
        states_[index] = state::open;
        place where{model_.file, static_cast<std::int64_t>(index)};
        for (const operator_info& op : model_.subgraphs[index].operators) {
            ++where.op;
            where.op_name = op.name();
            const std::vector<std::int64_t> called = callees(op);
            for (std::size_t i = 0; i < called.size(); ++i) {
                const std::int64_t each = called[i];
                check_index(each, model_.subgraphs.size(), where, "callee", i, "subgraph");
                const auto next = static_cast<std::size_t>(each);
                if (states_[next] == state::open) {
                    wrong(where, "runs subgraph ", each, ", which runs this one");
                }
                if (depth == deepest_call) {
                    wrong(where, "subgraphs run each other more than ", deepest_call, " deep");
                }
                if (states_[next] == state::unseen) {
                    visit(next, depth + 1);
                }
            }
        }
        states_[index] = state::done;
    }

public:
    explicit call_checker(const model& file) : model_(file), states_(file.subgraphs.size(), state::unseen) {}
    void check() {
        for (std::size_t i = 0; i < states_.size(); ++i) {
            if (states_[i] == state::unseen) {
                visit(i, 0);
            }
        }
    }
};

inline void check_signature(const model& file, const signature& each) {
    const place where{file.file};
    if (each.subgraph < 0 || each.subgraph >= static_cast<std::int64_t>(file.subgraphs.size())) {
        wrong(where, "signature '", each.key, "' is for subgraph ", each.subgraph, ", but the file has ",
              file.subgraphs.size());
    }
    const std::size_t tensors = file.subgraphs[static_cast<std::size_t>(each.subgraph)].tensors.size();
    for (const std::vector<signature::port>* ports : {&each.inputs, &each.outputs}) {
        for (const signature::port& port : *ports) {
            if (port.tensor < 0 || port.tensor >= static_cast<std::int64_t>(tensors)) {
                wrong(where, "signature '", each.key, "' names tensor ", port.tensor, " '", port.name,
                      "', but the subgraph has ", tensors);
            }
        }
    }
}

inline void check_model(const model& file) {
    if (file.subgraphs.empty()) {
        wrong(place{file.file}, "has no subgraph");
    }
    for (std::size_t i = 0; i < file.subgraphs.size(); ++i) {
        subgraph_checker(file.subgraphs[i], {file.file, static_cast<std::int64_t>(i)}).check();
    }
    call_checker(file).check();
    for (const signature& each : file.signatures) {
        check_signature(file, each);
    }
}

}  // namespace lpt::inline LPT_ABI::tflite::detail
#endif

// ======== lpt/import/tflite/flat_table.hpp
#ifndef LPT_HOLDS_IMPORT_TFLITE_FLAT_TABLE_HPP
#define LPT_HOLDS_IMPORT_TFLITE_FLAT_TABLE_HPP
/// Tables of a FlatBuffer, each part of which is verified when it is read.
namespace lpt::inline LPT_ABI::tflite {

/// The bytes of a file with a verifier for them.
class flat_file {
    // Parts may be shared, so a small file can describe a large thing. Nobody writes such files but to do harm.
    static constexpr std::size_t most_readings_of_a_byte = 8;
    static constexpr std::size_t free_bytes = std::size_t{1} << 16;
    static constexpr std::size_t last_byte = std::size_t{FLATBUFFERS_MAX_BUFFER_SIZE} - 1;  // positions have 31 bits

    text_view name_;
    const std::uint8_t* first_;
    std::size_t size_;
    flatbuffers::Verifier verifier_;
    std::size_t left_to_read_;

    static flatbuffers::Verifier::Options verifier_options() {
        flatbuffers::Verifier::Options result;
        result.max_tables = static_cast<flatbuffers::uoffset_t>(-1);  // bounded by what may be read
        return result;
    }

public:
    /// `name` is for messages. Behind the first 2 GiB of a file lie only buffers.
    flat_file(text_view name, const std::byte* first, std::size_t size)
        : name_(name),
          first_(reinterpret_cast<const std::uint8_t*>(first)),
          size_(size),
          verifier_(first_, size < last_byte ? size : last_byte, verifier_options()),
          left_to_read_(size * most_readings_of_a_byte + free_bytes) {}
    flat_file(const flat_file&) = delete;
    flat_file& operator=(const flat_file&) = delete;

    text_view name() const { return name_; }
    std::size_t size() const { return size_; }
    flatbuffers::Verifier& verifier() { return verifier_; }
    const std::uint8_t* first() const { return first_; }
    std::size_t position(const void* part) const {
        return static_cast<std::size_t>(static_cast<const std::uint8_t*>(part) - first_);
    }
    /// Counts bytes as read. Raises an error where the parts of the file are shared so often that reading them all is no use.
    void count(std::size_t bytes) {
        if (bytes > left_to_read_) {
            fail({name_, ": its parts are shared by so many others that together they have more than ",
                  most_readings_of_a_byte, " times the ", size_, " bytes of the file"});
        }
        left_to_read_ -= bytes;
    }
    [[noreturn]] void broken(const void* part, text_view table, text_view what) const {
        fail({name_, ": broken FlatBuffer at byte ", position(part), ": ", table, ": ", what});
    }
};

/// A table, or none: then all its fields are absent.
class flat_table {
    flat_file* file_ = nullptr;
    const flatbuffers::Table* table_ = nullptr;
    text_view name_;

    static flatbuffers::voffset_t slot(unsigned short field) {
        return static_cast<flatbuffers::voffset_t>(4 + 2 * field);
    }
    [[noreturn]] void broken(unsigned short field, text_view what) const {
        fail({file_->name(), ": broken FlatBuffer at byte ", file_->position(table_), ": field ", field, " of ", name_,
              " ", what});
    }
    const std::uint8_t* pointer(unsigned short field) const {
        if (table_ == nullptr) {
            return nullptr;
        }
        if (!table_->VerifyOffset(file_->verifier(), slot(field))) {
            broken(field, "leads out of the file");
        }
        return table_->GetPointer<const std::uint8_t*>(slot(field));
    }
    template <class Value>
    const flatbuffers::Vector<Value>* vector(unsigned short field) const {
        const auto* const result = reinterpret_cast<const flatbuffers::Vector<Value>*>(pointer(field));
        if (!file_vector_is_whole(result)) {
            broken(field, "is a list that does not end in the file");
        }
        if (result != nullptr) {
            if (file_->position(result->data()) % sizeof(Value) != 0) {
                broken(field, "is a list of numbers that are not aligned");
            }
            file_->count(result->size() * sizeof(Value));
        }
        return result;
    }
    template <class Value>
    bool file_vector_is_whole(const flatbuffers::Vector<Value>* list) const {
        return list == nullptr || file_->verifier().VerifyVector(list);
    }

public:
    flat_table() = default;
    /// Verifies that a table begins there.
    flat_table(flat_file& file, const std::uint8_t* at, text_view name)
        : file_(&file), table_(reinterpret_cast<const flatbuffers::Table*>(at)), name_(name) {
        file.count(2 * sizeof(flatbuffers::uoffset_t));
        if (!file.verifier().VerifyTableStart(at)) {
            file.broken(at, name, "no table begins there");
        }
        file.verifier().EndTable();
    }
    /// The table that the file begins with.
    static flat_table root(flat_file& file, text_view name) {
        const flatbuffers::uoffset_t offset = file.verifier().VerifyOffset(0);
        if (offset == 0) {
            file.broken(file.first(), name, "its place lies outside of the file");
        }
        return {file, file.first() + offset, name};
    }

    explicit operator bool() const { return table_ != nullptr; }
    flat_file& file() const { return *file_; }

    template <class Value>
    Value number(unsigned short field, Value when_absent = {}) const {
        if (table_ == nullptr) {
            return when_absent;
        }
        if (!table_->VerifyField<Value>(file_->verifier(), slot(field), sizeof(Value))) {
            broken(field, "lies outside of the file, or is not aligned");
        }
        return table_->GetField<Value>(slot(field), when_absent);
    }
    bool has(unsigned short field) const { return table_ != nullptr && table_->CheckField(slot(field)); }

    text words(unsigned short field) const {
        const auto* const result = reinterpret_cast<const flatbuffers::String*>(pointer(field));
        if (result == nullptr) {
            return {};
        }
        if (!file_->verifier().VerifyString(result)) {
            broken(field, "is a text that does not end in the file");
        }
        file_->count(result->size());
        return text(text_view(result->c_str(), result->size()));
    }

    /// The numbers of a list; none where it is absent.
    template <class Value, class Result = Value>
    std::vector<Result> numbers(unsigned short field) const {
        const flatbuffers::Vector<Value>* const list = table_ == nullptr ? nullptr : vector<Value>(field);
        std::vector<Result> result;
        if (list != nullptr) {
            result.reserve(list->size());
            for (flatbuffers::uoffset_t i = 0; i < list->size(); ++i) {
                result.push_back(static_cast<Result>(list->Get(i)));
            }
        }
        return result;
    }
    /// Where the bytes of a list lie, and how many they are; `{0, 0}` where it is absent.
    std::pair<std::size_t, std::size_t> bytes_of(unsigned short field) const {
        const flatbuffers::Vector<std::uint8_t>* const list = table_ == nullptr ? nullptr : vector<std::uint8_t>(field);
        return list == nullptr ? std::pair<std::size_t, std::size_t>{}
                               : std::pair{file_->position(list->data()), std::size_t{list->size()}};
    }

    /// The table that a field leads to, or none.
    flat_table table(unsigned short field, text_view name) const {
        const std::uint8_t* const at = pointer(field);
        return at == nullptr ? flat_table() : flat_table(*file_, at, name);
    }
    /// The tables of a list; none where it is absent.
    std::vector<flat_table> tables(unsigned short field, text_view name) const {
        const flatbuffers::Vector<flatbuffers::uoffset_t>* const list =
            table_ == nullptr ? nullptr : vector<flatbuffers::uoffset_t>(field);
        std::vector<flat_table> result;
        for (flatbuffers::uoffset_t i = 0; list != nullptr && i < list->size(); ++i) {
            const std::uint8_t* const from = list->Data() + i * sizeof(flatbuffers::uoffset_t);
            const flatbuffers::uoffset_t offset = file_->verifier().VerifyOffset(file_->position(from));
            if (offset == 0) {
                broken(field, "has an entry that leads out of the file");
            }
            result.emplace_back(*file_, from + offset, name);
        }
        return result;
    }
};

}  // namespace lpt::inline LPT_ABI::tflite
#endif

// ======== lpt/import/tflite/schema.hpp
#ifndef LPT_HOLDS_IMPORT_TFLITE_SCHEMA_HPP
#define LPT_HOLDS_IMPORT_TFLITE_SCHEMA_HPP
/// Numbers of fields in the tables of a TFLite file, and their defaults (version 3 of the format).
namespace lpt::inline LPT_ABI::tflite::field {

struct model {
    enum : unsigned short {
        version,
        operator_codes,
        subgraphs,
        description,
        buffers,
        metadata_buffer,
        metadata,
        signature_defs
    };
};
struct operator_code {
    enum : unsigned short { deprecated_builtin_code, custom_code, version, builtin_code };
};
struct subgraph {
    enum : unsigned short { tensors, inputs, outputs, operators, name };
};
struct tensor {
    enum : unsigned short { shape, type, buffer, name, quantization, is_variable, sparsity, shape_signature, has_rank };
};
struct quantization {
    enum : unsigned short { min, max, scale, zero_point, details_type, details, quantized_dimension };
};
struct op {
    enum : unsigned short {
        opcode_index,
        inputs,
        outputs,
        builtin_options_type,
        builtin_options,
        custom_options,
        custom_options_format,
        mutating_variable_inputs,
        intermediates,
        large_custom_options_offset,
        large_custom_options_size,
        builtin_options_2_type,
        builtin_options_2
    };
};
struct buffer {
    enum : unsigned short { data, offset, size };
};
struct signature {
    enum : unsigned short { inputs, outputs, signature_key, deprecated_tag, subgraph_index };
};
struct tensor_map {
    enum : unsigned short { name, tensor_index };
};
struct metadata {
    enum : unsigned short { name, buffer };
};

}  // namespace lpt::inline LPT_ABI::tflite::field

namespace lpt::inline LPT_ABI::tflite {

/// How a field of options is stored: integers of 32 and 64 bits, a flag, an enumeration, a type of tensors, a real number, integers, words.
enum class stored : unsigned char {
    whole,
    natural,
    long_whole,
    flag,
    padding,
    activation,
    mirroring,
    weights_format,
    kernel_type,
    type,
    real,
    list,
    words
};

struct option_field {
    text_view name;
    unsigned short number;
    stored as;
    int when_absent = 0;
};

inline constexpr std::size_t most_option_fields = 8;

/// The options table of one or more operators; `tag` is its number among those that an operator can have.
struct option_table {
    unsigned char tag;
    option_field fields[most_option_fields];
};

namespace options {

inline constexpr option_table none{0, {}};
inline constexpr option_table conv_2d{1,
                                      {{"padding", 0, stored::padding},
                                       {"stride_w", 1, stored::whole},
                                       {"stride_h", 2, stored::whole},
                                       {"fused_activation_function", 3, stored::activation},
                                       {"dilation_w_factor", 4, stored::whole, 1},
                                       {"dilation_h_factor", 5, stored::whole, 1},
                                       {"quantized_bias_type", 6, stored::type}}};
inline constexpr option_table depthwise_conv_2d{2,
                                                {{"padding", 0, stored::padding},
                                                 {"stride_w", 1, stored::whole},
                                                 {"stride_h", 2, stored::whole},
                                                 {"depth_multiplier", 3, stored::whole},
                                                 {"fused_activation_function", 4, stored::activation},
                                                 {"dilation_w_factor", 5, stored::whole, 1},
                                                 {"dilation_h_factor", 6, stored::whole, 1}}};
inline constexpr option_table pool_2d{5,
                                      {{"padding", 0, stored::padding},
                                       {"stride_w", 1, stored::whole},
                                       {"stride_h", 2, stored::whole},
                                       {"filter_width", 3, stored::whole},
                                       {"filter_height", 4, stored::whole},
                                       {"fused_activation_function", 5, stored::activation}}};
inline constexpr option_table svdf{6,
                                   {{"rank", 0, stored::whole},
                                    {"fused_activation_function", 1, stored::activation},
                                    {"asymmetric_quantize_inputs", 2, stored::flag}}};
inline constexpr option_table rnn{
    7, {{"fused_activation_function", 0, stored::activation}, {"asymmetric_quantize_inputs", 1, stored::flag}}};
inline constexpr option_table fully_connected{8,
                                              {{"fused_activation_function", 0, stored::activation},
                                               {"weights_format", 1, stored::weights_format},
                                               {"keep_num_dims", 2, stored::flag},
                                               {"asymmetric_quantize_inputs", 3, stored::flag},
                                               {"quantized_bias_type", 4, stored::type}}};
inline constexpr option_table softmax{9, {{"beta", 0, stored::real}}};
inline constexpr option_table concatenation{
    10, {{"axis", 0, stored::whole}, {"fused_activation_function", 1, stored::activation}}};
inline constexpr option_table add{
    11, {{"fused_activation_function", 0, stored::activation}, {"pot_scale_int16", 1, stored::flag, 1}}};
inline constexpr option_table l2_norm{12, {{"fused_activation_function", 0, stored::activation}}};
inline constexpr option_table local_response_normalization{
    13,
    {{"radius", 0, stored::whole}, {"bias", 1, stored::real}, {"alpha", 2, stored::real}, {"beta", 3, stored::real}}};
inline constexpr option_table lstm{14,
                                   {{"fused_activation_function", 0, stored::activation},
                                    {"cell_clip", 1, stored::real},
                                    {"proj_clip", 2, stored::real},
                                    {"kernel_type", 3, stored::kernel_type},
                                    {"asymmetric_quantize_inputs", 4, stored::flag}}};
inline constexpr option_table resize_bilinear{
    15, {{"align_corners", 2, stored::flag}, {"half_pixel_centers", 3, stored::flag}}};
inline constexpr option_table call{16, {{"subgraph", 0, stored::natural}}};
inline constexpr option_table reshape{17, {{"new_shape", 0, stored::list}}};
inline constexpr option_table space_to_depth{19, {{"block_size", 0, stored::whole}}};
inline constexpr option_table mul{21, {{"fused_activation_function", 0, stored::activation}}};
inline constexpr option_table gather{23, {{"axis", 0, stored::whole}, {"batch_dims", 1, stored::whole}}};
inline constexpr option_table reducer{27, {{"keep_dims", 0, stored::flag}}};
inline constexpr option_table sub{
    28, {{"fused_activation_function", 0, stored::activation}, {"pot_scale_int16", 1, stored::flag, 1}}};
inline constexpr option_table div{29, {{"fused_activation_function", 0, stored::activation}}};
inline constexpr option_table squeeze{30, {{"squeeze_dims", 0, stored::list}}};
inline constexpr option_table sequence_rnn{31,
                                           {{"time_major", 0, stored::flag},
                                            {"fused_activation_function", 1, stored::activation},
                                            {"asymmetric_quantize_inputs", 2, stored::flag}}};
inline constexpr option_table strided_slice{32,
                                            {{"begin_mask", 0, stored::whole},
                                             {"end_mask", 1, stored::whole},
                                             {"ellipsis_mask", 2, stored::whole},
                                             {"new_axis_mask", 3, stored::whole},
                                             {"shrink_axis_mask", 4, stored::whole},
                                             {"offset", 5, stored::flag}}};
inline constexpr option_table split{35, {{"num_splits", 0, stored::whole}}};
inline constexpr option_table cast{37, {{"in_data_type", 0, stored::type}, {"out_data_type", 1, stored::type}}};
inline constexpr option_table arg_max{40, {{"output_type", 0, stored::type}}};
inline constexpr option_table transpose_conv{49,
                                             {{"padding", 0, stored::padding},
                                              {"stride_w", 1, stored::whole},
                                              {"stride_h", 2, stored::whole},
                                              {"fused_activation_function", 3, stored::activation},
                                              {"quantized_bias_type", 4, stored::type}}};
inline constexpr option_table shape{55, {{"out_type", 0, stored::type}}};
inline constexpr option_table arg_min{57, {{"output_type", 0, stored::type}}};
inline constexpr option_table fake_quant{58,
                                         {{"min", 0, stored::real},
                                          {"max", 1, stored::real},
                                          {"num_bits", 2, stored::whole},
                                          {"narrow_range", 3, stored::flag}}};
inline constexpr option_table pack{59, {{"values_count", 0, stored::whole}, {"axis", 1, stored::whole}}};
inline constexpr option_table one_hot{61, {{"axis", 0, stored::whole}}};
inline constexpr option_table unpack{64, {{"num", 0, stored::whole}, {"axis", 1, stored::whole}}};
inline constexpr option_table bidirectional_sequence_lstm{69,
                                                          {{"fused_activation_function", 0, stored::activation},
                                                           {"cell_clip", 1, stored::real},
                                                           {"proj_clip", 2, stored::real},
                                                           {"merge_outputs", 3, stored::flag},
                                                           {"time_major", 4, stored::flag, 1},
                                                           {"asymmetric_quantize_inputs", 5, stored::flag}}};
inline constexpr option_table bidirectional_sequence_rnn{70,
                                                         {{"time_major", 0, stored::flag},
                                                          {"fused_activation_function", 1, stored::activation},
                                                          {"merge_outputs", 2, stored::flag},
                                                          {"asymmetric_quantize_inputs", 3, stored::flag}}};
inline constexpr option_table unidirectional_sequence_lstm{71,
                                                           {{"fused_activation_function", 0, stored::activation},
                                                            {"cell_clip", 1, stored::real},
                                                            {"proj_clip", 2, stored::real},
                                                            {"time_major", 3, stored::flag},
                                                            {"asymmetric_quantize_inputs", 4, stored::flag},
                                                            {"diagonal_recurrent_tensors", 5, stored::flag}}};
inline constexpr option_table resize_nearest_neighbor{
    74, {{"align_corners", 0, stored::flag}, {"half_pixel_centers", 1, stored::flag}}};
inline constexpr option_table leaky_relu{75, {{"alpha", 0, stored::real}}};
inline constexpr option_table mirror_pad{77, {{"mode", 0, stored::mirroring}}};
inline constexpr option_table split_v{79, {{"num_splits", 0, stored::whole}}};
inline constexpr option_table unique{80, {{"idx_out_type", 0, stored::type, 2}}};
inline constexpr option_table reverse_sequence{87, {{"seq_dim", 0, stored::whole}, {"batch_dim", 1, stored::whole}}};
inline constexpr option_table if_else{
    92, {{"then_subgraph_index", 0, stored::whole}, {"else_subgraph_index", 1, stored::whole}}};
inline constexpr option_table while_loop{
    93, {{"cond_subgraph_index", 0, stored::whole}, {"body_subgraph_index", 1, stored::whole}}};
inline constexpr option_table depth_to_space{94, {{"block_size", 0, stored::whole}}};
inline constexpr option_table batch_matmul{
    101, {{"adj_x", 0, stored::flag}, {"adj_y", 1, stored::flag}, {"asymmetric_quantize_inputs", 2, stored::flag}}};
inline constexpr option_table cumsum{102, {{"exclusive", 0, stored::flag}, {"reverse", 1, stored::flag}}};
inline constexpr option_table call_once{103, {{"init_subgraph_index", 0, stored::whole}}};
inline constexpr option_table conv_3d{106,
                                      {{"padding", 0, stored::padding},
                                       {"stride_d", 1, stored::whole},
                                       {"stride_w", 2, stored::whole},
                                       {"stride_h", 3, stored::whole},
                                       {"fused_activation_function", 4, stored::activation},
                                       {"dilation_d_factor", 5, stored::whole, 1},
                                       {"dilation_w_factor", 6, stored::whole, 1},
                                       {"dilation_h_factor", 7, stored::whole, 1}}};
inline constexpr option_table var_handle{111, {{"container", 0, stored::words}, {"shared_name", 1, stored::words}}};
inline constexpr option_table random{114, {{"seed", 0, stored::long_whole}, {"seed2", 1, stored::long_whole}}};
inline constexpr option_table gelu{116, {{"approximate", 0, stored::flag}}};

}  // namespace options

/// The options of an operator. Those without fields have `options::none`.
constexpr const option_table& options_of(builtin code) {
    using enum builtin;
    switch (code) {
        case conv_2d: return options::conv_2d;
        case depthwise_conv_2d: return options::depthwise_conv_2d;
        case average_pool_2d:
        case max_pool_2d:
        case l2_pool_2d: return options::pool_2d;
        case svdf: return options::svdf;
        case rnn: return options::rnn;
        case fully_connected: return options::fully_connected;
        case softmax: return options::softmax;
        case concatenation: return options::concatenation;
        case add: return options::add;
        case l2_normalization: return options::l2_norm;
        case local_response_normalization: return options::local_response_normalization;
        case lstm: return options::lstm;
        case resize_bilinear: return options::resize_bilinear;
        case call: return options::call;
        case reshape: return options::reshape;
        case space_to_depth: return options::space_to_depth;
        case mul: return options::mul;
        case gather: return options::gather;
        case mean:
        case sum:
        case reduce_prod:
        case reduce_max:
        case reduce_min:
        case reduce_any:
        case reduce_all: return options::reducer;
        case sub: return options::sub;
        case div: return options::div;
        case squeeze: return options::squeeze;
        case unidirectional_sequence_rnn: return options::sequence_rnn;
        case strided_slice: return options::strided_slice;
        case split: return options::split;
        case cast: return options::cast;
        case arg_max: return options::arg_max;
        case transpose_conv: return options::transpose_conv;
        case shape: return options::shape;
        case arg_min: return options::arg_min;
        case fake_quant: return options::fake_quant;
        case pack: return options::pack;
        case one_hot: return options::one_hot;
        case unpack: return options::unpack;
        case bidirectional_sequence_lstm: return options::bidirectional_sequence_lstm;
        case bidirectional_sequence_rnn: return options::bidirectional_sequence_rnn;
        case unidirectional_sequence_lstm: return options::unidirectional_sequence_lstm;
        case resize_nearest_neighbor: return options::resize_nearest_neighbor;
        case leaky_relu: return options::leaky_relu;
        case mirror_pad: return options::mirror_pad;
        case split_v: return options::split_v;
        case unique: return options::unique;
        case reverse_sequence: return options::reverse_sequence;
        case if_else: return options::if_else;
        case while_loop: return options::while_loop;
        case depth_to_space: return options::depth_to_space;
        case batch_matmul: return options::batch_matmul;
        case cumsum: return options::cumsum;
        case call_once: return options::call_once;
        case conv_3d:
        case conv_3d_transpose: return options::conv_3d;
        case var_handle: return options::var_handle;
        case random_standard_normal:
        case random_uniform:
        case multinomial: return options::random;
        case gelu: return options::gelu;
        default: return options::none;
    }
}

}  // namespace lpt::inline LPT_ABI::tflite
#endif

// ======== lpt/import/tflite/read_options.hpp
#ifndef LPT_HOLDS_IMPORT_TFLITE_READ_OPTIONS_HPP
#define LPT_HOLDS_IMPORT_TFLITE_READ_OPTIONS_HPP
namespace lpt::inline LPT_ABI::tflite::detail {

/// How many values an enumeration has; 0 for what is none.
constexpr int values_of(stored as) {
    switch (as) {
        case stored::padding:
        case stored::mirroring:
        case stored::weights_format:
        case stored::kernel_type: return 2;
        case stored::activation: return 6;
        case stored::type: return tensor_type_count;
        default: return 0;
    }
}

inline option read_option(const flat_table& from, const option_field& field, const place& where) {
    option result;
    result.name = field.name;
    switch (field.as) {
        case stored::whole: result.whole = from.number<std::int32_t>(field.number, field.when_absent); return result;
        case stored::natural: result.whole = from.number<std::uint32_t>(field.number); return result;
        case stored::long_whole: result.whole = from.number<std::int64_t>(field.number); return result;
        case stored::flag:
            result.whole = from.number<std::uint8_t>(field.number, static_cast<std::uint8_t>(field.when_absent)) != 0;
            return result;
        case stored::real:
            result.holds = option::form::real;
            result.real = static_cast<double>(from.number<float>(field.number));
            return result;
        case stored::list:
            result.holds = option::form::list;
            result.list = from.numbers<std::int32_t, std::int64_t>(field.number);
            return result;
        case stored::words:
            result.holds = option::form::words;
            result.words = from.words(field.number);
            return result;
        default: break;
    }
    result.whole = from.number<std::int8_t>(field.number, static_cast<std::int8_t>(field.when_absent));
    if (result.whole < 0 || result.whole >= values_of(field.as)) {
        wrong(where, "option ", field.name, " is ", result.whole, ", expected 0 to ", values_of(field.as) - 1);
    }
    return result;
}

/// The options of an operator. Where the file has no table for them, all have their defaults.
inline std::vector<option> read_options(const flat_table& op, builtin code, const place& where) {
    const option_table& table = options_of(code);
    std::vector<option> result;
    if (table.tag == 0) {
        return result;
    }
    const auto tag = op.number<std::uint8_t>(field::op::builtin_options_type);
    if (tag != 0 && tag != table.tag) {
        wrong(where, "has options of the kind ", tag, ", expected ", table.tag);
    }
    const flat_table values = tag == 0 ? flat_table() : op.table(field::op::builtin_options, "the operator's options");
    for (const option_field& each : table.fields) {
        if (!each.name.empty()) {
            result.push_back(read_option(values, each, where));
        }
    }
    return result;
}

}  // namespace lpt::inline LPT_ABI::tflite::detail
#endif

// ======== lpt/import/tflite/read_model.hpp
#ifndef LPT_HOLDS_IMPORT_TFLITE_READ_MODEL_HPP
#define LPT_HOLDS_IMPORT_TFLITE_READ_MODEL_HPP
namespace lpt::inline LPT_ABI::tflite {

namespace detail {

/// A model's file: the tables in front, and windows on its buffers.
class model_reader {
    const mapped_file* mapped_;  // null: constants are copies
    flat_file& file_;
    model result_;
    std::vector<flat_table> codes_;
    std::vector<flat_table> buffers_;

    place whole_file() const { return {file_.name()}; }

    /// The bytes of a buffer: where they begin in the file, and how many they are. None: the buffer is empty.
    std::pair<std::size_t, std::size_t> range_of(std::int64_t index, const place& where) const {
        if (index < 0 || index >= static_cast<std::int64_t>(buffers_.size())) {
            wrong(where, "buffer ", index, ", but the file has ", buffers_.size());
        }
        const flat_table& buffer = buffers_[static_cast<std::size_t>(index)];
        const auto offset = buffer.number<std::uint64_t>(field::buffer::offset);
        const auto size = buffer.number<std::uint64_t>(field::buffer::size);
        if (offset <= 1 || size == 0) {  // 1 is written for a buffer without bytes
            return buffer.bytes_of(field::buffer::data);
        }
        if (offset > file_.size() || size > file_.size() - offset) {
            wrong(where, "buffer ", index, " has ", size, " bytes from byte ", offset, " on, but the file has ",
                  file_.size());
        }
        return {static_cast<std::size_t>(offset), static_cast<std::size_t>(size)};
    }
    tensor constant(element type, shape dimensions, std::pair<std::size_t, std::size_t> range) const {
        if (mapped_ != nullptr) {
            return {type, std::move(dimensions), mapped_->window(range.first, range.second)};
        }
        file_.count(range.second);
        seq<std::byte> copy;
        copy.resize(range.second);
        std::copy_n(reinterpret_cast<const std::byte*>(file_.first()) + range.first, range.second, copy.data());
        return {type, std::move(dimensions), bytes(std::move(copy))};
    }
    tensor raw(std::pair<std::size_t, std::size_t> range) const {
        return constant(u8, shape{static_cast<dimension>(range.second)}, range);
    }

    void read_value(tensor_info& result, const place& where) const {
        const auto range = range_of(result.buffer, where);
        if (range.second == 0) {
            return;
        }
        const element type = element_of(result.type);
        if (result.is_sparse || type == dynamic) {
            result.value = raw(range);
            return;
        }
        const std::size_t needed = byte_size(type, result.dimensions.elements());
        if (range.second != needed) {
            wrong(where, "its buffer has ", range.second, " bytes, but type ", name(result.type), " and shape ",
                  result.dimensions, " need ", needed);
        }
        result.value = constant(type, result.dimensions, range);
    }

    static shape read_shape(const flat_table& from, unsigned short number, dimension least, const place& where) {
        const std::vector<dimension> sizes = from.numbers<std::int32_t, dimension>(number);
        shape result{view<dimension>(sizes.data(), sizes.size())};
        for (const dimension each : sizes) {
            if (each < least) {
                wrong(where, "a tensor cannot have the shape ", result);
            }
        }
        if (!result.is_possible()) {
            wrong(where, "a tensor cannot have the shape ", result);
        }
        return result;
    }

    tensor_info read_tensor(const flat_table& from, place where) const {
        tensor_info result;
        result.name = from.words(field::tensor::name);
        where.tensor_name = result.name;
        const auto type = from.number<std::int8_t>(field::tensor::type);
        if (type < 0 || type >= tensor_type_count) {
            wrong(where, "unknown type ", type, ", expected 0 to ", tensor_type_count - 1);
        }
        result.type = static_cast<tensor_type>(type);
        result.dimensions = read_shape(from, field::tensor::shape, 0, where);
        result.signature = result.dimensions;
        if (const shape open = read_shape(from, field::tensor::shape_signature, dynamic_dimension, where);
            open.rank() != 0) {
            if (open.rank() != result.dimensions.rank()) {
                wrong(where, "its shape signature ", open, " has another rank than its shape ", result.dimensions);
            }
            result.signature = open;
        }
        result.is_variable = from.number<std::uint8_t>(field::tensor::is_variable) != 0;
        result.is_sparse = static_cast<bool>(from.table(field::tensor::sparsity, "SparsityParameters"));
        if (const flat_table numbers = from.table(field::tensor::quantization, "QuantizationParameters")) {
            result.quantized = {numbers.numbers<float>(field::quantization::scale),
                                numbers.numbers<std::int64_t>(field::quantization::zero_point),
                                numbers.number<std::int32_t>(field::quantization::quantized_dimension),
                                numbers.number<std::uint8_t>(field::quantization::details_type) != 0};
        }
        result.buffer = from.number<std::uint32_t>(field::tensor::buffer);
        read_value(result, where);
        return result;
    }

    operator_info read_operator(const flat_table& from, place where) const {
        const auto index = from.number<std::uint32_t>(field::op::opcode_index);
        if (index >= codes_.size()) {
            where.op_name = "?";
            wrong(where, "operator code ", index, ", but the file has ", codes_.size());
        }
        const flat_table& code = codes_[index];
        const std::int32_t number =
            std::max<std::int32_t>(code.number<std::int8_t>(field::operator_code::deprecated_builtin_code),
                                   code.number<std::int32_t>(field::operator_code::builtin_code));
        if (number < 0 || number >= builtin_count) {
            where.op_name = "?";
            wrong(where, "unknown operator ", number, ", expected 0 to ", builtin_count - 1);
        }
        operator_info result;
        result.code = static_cast<builtin>(number);
        result.custom_code = code.words(field::operator_code::custom_code);
        result.version = code.number<std::int32_t>(field::operator_code::version, 1);
        where.op_name = result.name();
        result.inputs = from.numbers<std::int32_t, std::int64_t>(field::op::inputs);
        result.outputs = from.numbers<std::int32_t, std::int64_t>(field::op::outputs);
        result.intermediates = from.numbers<std::int32_t, std::int64_t>(field::op::intermediates);
        result.options = read_options(from, result.code, where);
        return result;
    }

    subgraph read_subgraph(const flat_table& from, place where) const {
        subgraph result;
        result.name = from.words(field::subgraph::name);
        for (const flat_table& each : from.tables(field::subgraph::tensors, "Tensor")) {
            where.tensor = static_cast<std::int64_t>(result.tensors.size());
            result.tensors.push_back(read_tensor(each, where));
        }
        where.tensor = -1;
        result.inputs = from.numbers<std::int32_t, std::int64_t>(field::subgraph::inputs);
        result.outputs = from.numbers<std::int32_t, std::int64_t>(field::subgraph::outputs);
        for (const flat_table& each : from.tables(field::subgraph::operators, "Operator")) {
            where.op = static_cast<std::int64_t>(result.operators.size());
            result.operators.push_back(read_operator(each, where));
        }
        return result;
    }

    static std::vector<signature::port> read_ports(const flat_table& from, unsigned short number) {
        std::vector<signature::port> result;
        for (const flat_table& each : from.tables(number, "TensorMap")) {
            result.push_back(
                {each.words(field::tensor_map::name), each.number<std::uint32_t>(field::tensor_map::tensor_index)});
        }
        return result;
    }

public:
    model_reader(flat_file& file, const mapped_file* mapped) : mapped_(mapped), file_(file) {}

    model read() {
        if (file_.size() < 8 || !flatbuffers::BufferHasIdentifier(file_.first(), "TFL3")) {
            wrong(whole_file(), "unknown format; expected TFLite, whose files have TFL3 at byte 4");
        }
        const flat_table root = flat_table::root(file_, "Model");
        if (const auto version = root.number<std::uint32_t>(field::model::version); version != 3) {
            wrong(whole_file(), "version ", version, " of the format, expected 3");
        }
        result_.file = text(file_.name());
        result_.description = root.words(field::model::description);
        codes_ = root.tables(field::model::operator_codes, "OperatorCode");
        buffers_ = root.tables(field::model::buffers, "Buffer");
        for (const flat_table& each : root.tables(field::model::subgraphs, "SubGraph")) {
            result_.subgraphs.push_back(
                read_subgraph(each, {file_.name(), static_cast<std::int64_t>(result_.subgraphs.size())}));
        }
        for (const flat_table& each : root.tables(field::model::signature_defs, "SignatureDef")) {
            result_.signatures.push_back({each.words(field::signature::signature_key),
                                          each.number<std::uint32_t>(field::signature::subgraph_index),
                                          read_ports(each, field::signature::inputs),
                                          read_ports(each, field::signature::outputs)});
        }
        for (const flat_table& each : root.tables(field::model::metadata, "Metadata")) {
            const auto range = range_of(each.number<std::uint32_t>(field::metadata::buffer), whole_file());
            result_.notes.push_back({each.words(field::metadata::name), raw(range)});
        }
        check_model(result_);
        return std::move(result_);
    }
};

}  // namespace detail

/// Reads a TFLite file. Constants are windows on it.
///
/// Everything about its structure is checked: each part lies in the file; indices of tensors, buffers, operators and subgraphs; types and
/// enumerations; shapes, and buffers of the size that shape and type ask for; that operators read what is there before them; that
/// subgraphs do not call each other in circles. Not checked are the rules of quantization, and what each operator asks of its tensors.
/// Raises an error that names the file and the byte, or the subgraph and the operator or tensor.
inline model read_model(const mapped_file& content, text_view name) {
    flat_file file(name, content.data(), content.size());
    return detail::model_reader(file, &content).read();
}
inline model read_model(const std::string& path) {
    return read_model(mapped_file(path.c_str()), text_view(path.c_str()));
}
/// The same from memory, aligned to 8 bytes, which may be gone afterwards: constants are copies.
inline model read_model(view<std::byte> content, text_view name) {
    flat_file file(name, content.data(), content.size());
    return detail::model_reader(file, nullptr).read();
}

}  // namespace lpt::inline LPT_ABI::tflite
#endif
