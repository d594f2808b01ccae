// SPDX-License-Identifier: Apache-2.0
// lpt 0.1.0, import.hpp: File formats. Needs pugixml.
// Generated from include/lpt by .ci/single_include; changes belong there.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <map>
#include <pugixml.hpp>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
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

// ======== lpt/import.hpp
#ifndef LPT_HOLDS_IMPORT_HPP
#define LPT_HOLDS_IMPORT_HPP
// File formats. Needs lpt::import.

#endif
