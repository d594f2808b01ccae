// SPDX-License-Identifier: Apache-2.0
// lpt 0.1.0, import.hpp: File formats. Needs pugixml, protozero and flatbuffers.
// Generated from include/lpt by .ci/single_include; changes belong there.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <flatbuffers/flatbuffers.h>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <protozero/pbf_reader.hpp>
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

/// The bytes of a file, how they are given back, and how the system may take back what it can read again; null: it cannot.
struct file_contents {
    void* first;
    std::size_t size;
    void (*give_back)(void* first, std::size_t size) noexcept;
    void (*forget)(const std::byte* first, std::size_t size) noexcept = nullptr;
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

/// Gives back the pages that lie within these bytes of a mapping.
inline void forget_pages(const std::byte* first, std::size_t size) noexcept {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto address = reinterpret_cast<std::uintptr_t>(first);
    const std::uintptr_t begin = (address + page - 1) / page * page;
    const std::uintptr_t end = (address + size) / page * page;
    if (begin < end) {
        ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
    }
}

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
    return {first, size,
            [](void* memory, std::size_t count) noexcept {
                if (count != 0) {
                    ::munmap(memory, count);
                }
            },
            &forget_pages};
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

    static void put_aside(void* keeper, const std::byte* first, std::size_t size) {
        const auto forget = static_cast<mapping*>(keeper)->file.forget;
        if (forget != nullptr) {
            forget(first, size);
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
        return bytes(data() + offset, size, &release, mapping_, &put_aside);
    }
};

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

// ======== lpt/import/onnx/protobuf.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_PROTOBUF_HPP
#define LPT_HOLDS_IMPORT_ONNX_PROTOBUF_HPP
/// Reading of ONNX models.
namespace lpt::inline LPT_ABI::onnx {

constexpr text_view shown(std::string_view words) { return {words.data(), words.size()}; }

/// The fields of one message, one after the other. Every getter looks at the field's wire type first, which protozero only asserts.
class message {
    protozero::pbf_reader fields_;
    const char* file_ = nullptr;  // where the file begins: bytes are counted from there

    [[noreturn]] void wrong_type(text_view expected) const {
        fail({"field ", fields_.tag(), " at byte ", byte(), " must be ", expected, ", but has wire type ",
              static_cast<unsigned>(fields_.wire_type())});
    }
    void expect(protozero::pbf_wire_type type, text_view words) const {
        if (fields_.wire_type() != type) {
            wrong_type(words);
        }
    }
    /// What `read` gives; an error with the byte for what is no protocol buffer.
    template <class Read>
    auto reading(const Read& read) const {
        const std::size_t at = byte();
        try {
            return read();
        } catch (const protozero::end_of_buffer_exception&) {
            fail({"is cut off, or not an ONNX model: a field at byte ", at, " is longer than what it is part of"});
        } catch (const protozero::exception& broken) {
            fail({"is not an ONNX model: ", broken.what(), " at byte ", at});
        }
    }
    template <class Number, class Get>
    void append(std::vector<Number>& to, protozero::pbf_wire_type one, text_view words, Get&& get) {
        if (fields_.wire_type() != protozero::pbf_wire_type::length_delimited) {
            expect(one, words);
            to.push_back(get(*this));
            return;
        }
        const std::string_view content = view();
        if constexpr (std::is_same_v<Number, std::int64_t>) {
            const char* at = content.data();
            const char* const end = at + content.size();
            while (at != end) {
                to.push_back(reading([&] { return static_cast<std::int64_t>(protozero::decode_varint(&at, end)); }));
            }
        } else {
            if (content.size() % sizeof(Number) != 0) {
                fail({"packed numbers at byte ", byte(), " have ", content.size(), " bytes, no multiple of ",
                      sizeof(Number)});
            }
            for (std::size_t at = 0; at < content.size(); at += sizeof(Number)) {
                Number value;
                std::memcpy(&value, content.data() + at, sizeof(Number));
                to.push_back(value);
            }
        }
    }

public:
    message() = default;
    message(std::string_view content, const char* file) : fields_(content.data(), content.size()), file_(file) {}

    bool next() {
        return reading([&] { return fields_.next(); });
    }
    unsigned field() const { return fields_.tag(); }
    /// Where in the file the reading is.
    std::size_t byte() const { return static_cast<std::size_t>(fields_.data().data() - file_); }
    const char* file() const { return file_; }
    void skip() {
        reading([&] { fields_.skip(); });
    }

    std::int64_t integer() {
        expect(protozero::pbf_wire_type::varint, "an integer");
        return reading([&] { return fields_.get_int64(); });
    }
    float real() {
        expect(protozero::pbf_wire_type::fixed32, "a 32-bit number");
        return reading([&] { return fields_.get_float(); });
    }
    /// Bytes, text, or the content of a message.
    std::string_view view() {
        expect(protozero::pbf_wire_type::length_delimited, "bytes");
        const protozero::data_view content = reading([&] { return fields_.get_view(); });
        return {content.data(), content.size()};
    }
    message inner() { return {view(), file_}; }
    /// Repeated numbers, packed or one a field. Memory grows with the bytes that are there, not with what the file promises.
    void append_to(std::vector<std::int64_t>& to) {
        append(to, protozero::pbf_wire_type::varint, "integers", [](message& from) { return from.integer(); });
    }
    void append_to(std::vector<float>& to) {
        append(to, protozero::pbf_wire_type::fixed32, "32-bit numbers", [](message& from) { return from.real(); });
    }
    void append_to(std::vector<double>& to) {
        append(to, protozero::pbf_wire_type::fixed64, "64-bit numbers",
               [](message& from) { return from.reading([&] { return from.fields_.get_double(); }); });
    }
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/model.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_MODEL_HPP
#define LPT_HOLDS_IMPORT_ONNX_MODEL_HPP
/// The messages of an ONNX model as plain data. Words and tensors are views of the file.
namespace lpt::inline LPT_ABI::onnx {

/// The content of a message that is read when it is needed.
struct stored_message {
    std::string_view content;
    const char* file = nullptr;

    message open() const { return {content, file}; }
    explicit operator bool() const { return content.data() != nullptr; }
};

struct attribute {
    std::string_view name;
    std::string_view reference;  // in a function: the attribute of the caller that this one takes the place of
    std::int64_t type = 0;
    float real = 0;
    std::int64_t integer = 0;
    std::string_view words;
    stored_message tensor;
    stored_message graph;
    bool has_sparse_tensor = false;
    std::vector<float> reals;
    std::vector<std::int64_t> integers;
    std::vector<std::string_view> many_words;
};

struct node_description {
    std::string_view name;
    std::string_view type;
    std::string_view domain;
    std::vector<std::string_view> inputs;
    std::vector<std::string_view> outputs;
    std::vector<attribute> attributes;
    std::size_t byte = 0;

    const attribute* find(std::string_view wanted) const {
        for (const attribute& each : attributes) {
            if (each.name == wanted) {
                return &each;
            }
        }
        return nullptr;
    }
};

/// A network's input or output, or what is known of a value in it.
struct value_description {
    std::string_view name;
    std::string_view kind = "tensor";  // other kinds are refused by name
    std::int64_t type = 0;             // TensorProto.DataType
    shape dimensions = shape::of_dynamic_rank();
    std::size_t byte = 0;
};

struct graph_description {
    std::string_view name;
    std::vector<node_description> nodes;
    std::vector<std::pair<std::string_view, stored_message>> initializers;
    std::vector<value_description> inputs;
    std::vector<value_description> outputs;
    bool has_sparse_initializers = false;
};

using operator_sets = std::map<std::string_view, std::int64_t>;  // version by domain

struct function_description {
    std::string_view name;
    std::string_view domain;
    std::vector<std::string_view> inputs;
    std::vector<std::string_view> outputs;
    std::vector<attribute> defaults;
    std::vector<node_description> nodes;
    operator_sets imported;
};

struct model_description {
    graph_description graph;
    bool has_graph = false;
    operator_sets imported;
    std::map<std::pair<std::string_view, std::string_view>, function_description> functions;  // by domain and name
};

/// `ai.onnx` is another name of the empty domain.
inline std::string_view domain_of(std::string_view word) { return word == "ai.onnx" ? std::string_view() : word; }

inline attribute read_attribute(message from) {
    attribute result;
    while (from.next()) {
        switch (from.field()) {
            case 1: result.name = from.view(); break;
            case 2: result.real = from.real(); break;
            case 3: result.integer = from.integer(); break;
            case 4: result.words = from.view(); break;
            case 5: result.tensor = {from.view(), from.file()}; break;
            case 6: result.graph = {from.view(), from.file()}; break;
            case 7: from.append_to(result.reals); break;
            case 8: from.append_to(result.integers); break;
            case 9: result.many_words.push_back(from.view()); break;
            case 20: result.type = from.integer(); break;
            case 21: result.reference = from.view(); break;
            case 22:
                result.has_sparse_tensor = true;
                from.skip();
                break;
            default: from.skip();
        }
    }
    return result;
}

inline node_description read_node(message from) {
    node_description result;
    result.byte = from.byte();
    while (from.next()) {
        switch (from.field()) {
            case 1: result.inputs.push_back(from.view()); break;
            case 2: result.outputs.push_back(from.view()); break;
            case 3: result.name = from.view(); break;
            case 4: result.type = from.view(); break;
            case 5: result.attributes.push_back(read_attribute(from.inner())); break;
            case 7: result.domain = domain_of(from.view()); break;
            default: from.skip();
        }
    }
    return result;
}

/// A size with a number, or with a name, nothing, or -1, which leave it open.
inline dimension read_dimension(message from) {
    dimension size = dynamic_dimension;
    while (from.next()) {
        if (from.field() == 1) {
            const std::int64_t value = from.integer();
            if (value < -1 || value > most_elements) {
                fail({"a size of ", value, " at byte ", from.byte()});
            }
            size = value < 0 ? dynamic_dimension : value;
        } else {
            from.skip();
        }
    }
    return size;
}

inline shape read_shape(message from) {
    shape result;
    while (from.next()) {
        if (from.field() == 1) {
            result.push_back(read_dimension(from.inner()));
        } else {
            from.skip();
        }
    }
    return result;
}

inline void read_tensor_type(message from, value_description& to) {
    while (from.next()) {
        switch (from.field()) {
            case 1: to.type = from.integer(); break;
            case 2: to.dimensions = read_shape(from.inner()); break;
            default: from.skip();
        }
    }
}

inline void read_type(message from, value_description& to) {
    while (from.next()) {
        switch (from.field()) {
            case 1: read_tensor_type(from.inner(), to); break;
            case 4:
                to.kind = "sequence";
                from.skip();
                break;
            case 5:
                to.kind = "map";
                from.skip();
                break;
            case 8:
                to.kind = "sparse tensor";
                from.skip();
                break;
            case 9:
                to.kind = "optional";
                from.skip();
                break;
            default: from.skip();
        }
    }
}

inline value_description read_value(message from) {
    value_description result;
    result.byte = from.byte();
    while (from.next()) {
        switch (from.field()) {
            case 1: result.name = from.view(); break;
            case 2: read_type(from.inner(), result); break;
            default: from.skip();
        }
    }
    return result;
}

inline std::string_view name_of_tensor(message from) {
    std::string_view name;
    while (from.next()) {
        if (from.field() == 8) {
            name = from.view();
        } else {
            from.skip();
        }
    }
    return name;
}

inline graph_description read_graph(message from) {
    graph_description result;
    while (from.next()) {
        switch (from.field()) {
            case 1: result.nodes.push_back(read_node(from.inner())); break;
            case 2: result.name = from.view(); break;
            case 5: {
                const stored_message tensor{from.view(), from.file()};
                result.initializers.emplace_back(name_of_tensor(tensor.open()), tensor);
                break;
            }
            case 11: result.inputs.push_back(read_value(from.inner())); break;
            case 12: result.outputs.push_back(read_value(from.inner())); break;
            case 15:
                result.has_sparse_initializers = true;
                from.skip();
                break;
            default: from.skip();
        }
    }
    return result;
}

inline void read_operator_set(message from, operator_sets& to) {
    std::string_view domain;
    std::int64_t version = 0;
    while (from.next()) {
        switch (from.field()) {
            case 1: domain = domain_of(from.view()); break;
            case 2: version = from.integer(); break;
            default: from.skip();
        }
    }
    to[domain] = version;
}

inline function_description read_function(message from) {
    function_description result;
    while (from.next()) {
        switch (from.field()) {
            case 1: result.name = from.view(); break;
            case 4: result.inputs.push_back(from.view()); break;
            case 5: result.outputs.push_back(from.view()); break;
            case 7: result.nodes.push_back(read_node(from.inner())); break;
            case 9: read_operator_set(from.inner(), result.imported); break;
            case 10: result.domain = domain_of(from.view()); break;
            case 11: result.defaults.push_back(read_attribute(from.inner())); break;
            default: from.skip();
        }
    }
    return result;
}

inline model_description read_model(message from) {
    model_description result;
    while (from.next()) {
        switch (from.field()) {
            case 7:
                result.graph = read_graph(from.inner());
                result.has_graph = true;
                break;
            case 8: read_operator_set(from.inner(), result.imported); break;
            case 25: {
                function_description function = read_function(from.inner());
                const std::pair key{function.domain, function.name};
                result.functions.insert_or_assign(key, std::move(function));
                break;
            }
            default: from.skip();
        }
    }
    return result;
}

/// True if the first byte can begin an ONNX model: the tag of one of its fields, with the wire type of that field.
inline bool looks_like_model(text_view content) {
    constexpr unsigned integers[] = {1, 5};
    constexpr unsigned others[] = {2, 3, 4, 6, 7, 8, 14};
    const unsigned tag = content.empty() ? 0u : static_cast<unsigned char>(content[0]);
    for (const unsigned field : integers) {
        if (tag == field << 3) {
            return true;
        }
    }
    for (const unsigned field : others) {
        if (tag == (field << 3 | 2u)) {
            return true;
        }
    }
    return false;
}

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/tensor.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_TENSOR_HPP
#define LPT_HOLDS_IMPORT_ONNX_TENSOR_HPP
/// TensorProto: values in the model, or in a file beside it.
namespace lpt::inline LPT_ABI::onnx {

/// The bits of the integer types that are packed: those of two bits have four in the graph. 0 for all others.
inline int packed_bits(std::int64_t type) { return type == 21 || type == 22 ? 4 : type == 25 || type == 26 ? 2 : 0; }

/// The element type with a number of TensorProto.DataType; `dynamic` for those that tensors of the library cannot have.
inline element element_of(std::int64_t type) {
    constexpr element types[] = {dynamic, f32,    u8,      i8,  u16, i16,     i32,     i64,  dynamic,
                                 boolean, f16,    f64,     u32, u64, dynamic, dynamic, bf16, f8e4m3,
                                 dynamic, f8e5m2, dynamic, u4,  i4,  dynamic, dynamic, u4,   i4};
    return type >= 0 && type < static_cast<std::int64_t>(std::size(types)) ? types[type] : dynamic;
}

inline std::string name_of_type(std::int64_t type) {
    constexpr const char* names[] = {
        "UNDEFINED", "FLOAT",      "UINT8",      "INT8",         "UINT16",         "INT16",      "INT32",
        "INT64",     "STRING",     "BOOL",       "FLOAT16",      "DOUBLE",         "UINT32",     "UINT64",
        "COMPLEX64", "COMPLEX128", "BFLOAT16",   "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ",
        "UINT4",     "INT4",       "FLOAT4E2M1", "FLOAT8E8M0",   "UINT2",          "INT2"};
    return type >= 0 && type < static_cast<std::int64_t>(std::size(names)) ? names[type]
                                                                           : "number " + std::to_string(type);
}

/// The element type; raises an error that names the type where the library has none like it.
inline element known_element_of(std::int64_t type, const model_builder& to) {
    const element result = element_of(type);
    if (result == dynamic) {
        to.wrong({"the element type ", name_of_type(type).c_str(), " is not supported"});
    }
    return result;
}

/// The files beside the model that hold large tensors. They must lie in the model's folder, or below it.
class external_files {
    std::filesystem::path folder_;
    bool anywhere_;
    std::map<std::string, std::unique_ptr<mapped_file>> files_;

public:
    /// `anywhere`: files outside the folder are read, too.
    external_files(const std::string& model, bool anywhere)
        : folder_(std::filesystem::path(model).parent_path()), anywhere_(anywhere) {}

    const mapped_file& open(const std::string& name, const model_builder& to) {
        if (const auto found = files_.find(name); found != files_.end()) {
            return *found->second;
        }
        std::error_code broken;
        const std::filesystem::path folder =
            std::filesystem::weakly_canonical(folder_.empty() ? std::filesystem::path(".") : folder_, broken);
        const std::filesystem::path file = std::filesystem::weakly_canonical(folder / name, broken);
        const std::filesystem::path relative = file.lexically_relative(folder);
        if (!anywhere_ && (broken || relative.empty() || *relative.begin() == "..")) {
            to.wrong({"external data in '", name.c_str(),
                      "' lies outside the folder of the model; external_data_anywhere "
                      "(--allow-external-data of lpt_run and lpt_embed) allows it"});
        }
        auto opened = std::make_unique<mapped_file>(file.string().c_str());
        return *files_.emplace(name, std::move(opened)).first->second;
    }
};

/// Reads a part of the file; an error of the wire format gets the place that the builder is at.
template <class Action>
auto reading(const model_builder& to, Action&& action) {
    try {
        return action();
    } catch (const error& raised) {
        to.wrong({raised.message()});
    }
}

/// What a TensorProto says, before it is known which of its fields count.
struct tensor_fields {
    std::string_view name;
    std::int64_t type = 0;
    std::vector<std::int64_t> dimensions;
    std::vector<float> floats;
    std::vector<std::int64_t> integers;  // int32_data, int64_data and uint64_data
    std::vector<double> doubles;
    std::string_view raw;
    bool has_raw = false;
    bool has_strings = false;
    bool has_segment = false;
    std::int64_t location = 0;
    std::map<std::string_view, std::string_view> external;
};

inline void read_entry(message from, std::map<std::string_view, std::string_view>& to) {
    std::string_view key;
    std::string_view value;
    while (from.next()) {
        switch (from.field()) {
            case 1: key = from.view(); break;
            case 2: value = from.view(); break;
            default: from.skip();
        }
    }
    to[key] = value;
}

inline tensor_fields read_tensor_fields(message from) {
    tensor_fields result;
    while (from.next()) {
        switch (from.field()) {
            case 1: from.append_to(result.dimensions); break;
            case 2: result.type = from.integer(); break;
            case 3:
                result.has_segment = true;
                from.skip();
                break;
            case 4: from.append_to(result.floats); break;
            case 5:
            case 7:
            case 11: from.append_to(result.integers); break;
            case 6:
                result.has_strings = true;
                from.skip();
                break;
            case 8: result.name = from.view(); break;
            case 9:
                result.raw = from.view();
                result.has_raw = true;
                break;
            case 10: from.append_to(result.doubles); break;
            case 13: read_entry(from.inner(), result.external); break;
            case 14: result.location = from.integer(); break;
            default: from.skip();
        }
    }
    return result;
}

/// The number of the element type that a TensorProto names.
inline std::int64_t type_of_tensor(const stored_message& stored, const model_builder& to) {
    return reading(to, [&] {
        std::int64_t result = 0;
        for (message from = stored.open(); from.next();) {
            if (from.field() == 2) {
                result = from.integer();
            } else {
                from.skip();
            }
        }
        return result;
    });
}

inline std::size_t external_number(const tensor_fields& fields, std::string_view key, std::size_t otherwise,
                                   const model_builder& to) {
    const auto found = fields.external.find(key);
    if (found == fields.external.end()) {
        return otherwise;
    }
    const std::string word(found->second);
    std::int64_t value = 0;
    if (!op::detail::parse_integer(word.c_str(), value) || value < 0) {
        to.wrong({"external data of '", shown(fields.name), "' has the ", shown(key), " '", word.c_str(), "'"});
    }
    return static_cast<std::size_t>(value);
}

/// Values of two bits, four in a byte, as values of four.
inline tensor two_bit_tensor(std::string_view bytes, element type, const shape& dimensions) {
    tensor_builder result(type, dimensions);
    for (std::size_t i = 0; i < result.elements(); ++i) {
        const int code = (static_cast<unsigned char>(bytes[i / 4]) >> (2 * (i % 4))) & 3;
        result.integer(i, is_signed(type) && code > 1 ? code - 4 : code);
    }
    return result.finish();
}

/// Values that are written one by one; f16 and bf16 as the bits of integers, those of 4 and 2 bits as many in a number as fit 8.
inline tensor listed_tensor(const tensor_fields& fields, element type, const shape& dimensions,
                            const model_builder& to) {
    const int bits = packed_bits(fields.type);
    const std::size_t packed = bits != 0 ? static_cast<std::size_t>(8 / bits) : 1;
    const std::size_t wanted = (dimensions.elements() + packed - 1) / packed;
    const std::size_t given = type == f32   ? fields.floats.size()
                              : type == f64 ? fields.doubles.size()
                                            : fields.integers.size();
    if (given != wanted) {
        to.wrong(
            {"tensor '", shown(fields.name), "' of shape ", dimensions, " needs ", wanted, " numbers, not ", given});
    }
    if (bits == 2) {
        std::string bytes;
        for (const std::int64_t each : fields.integers) {
            bytes.push_back(static_cast<char>(each));
        }
        return two_bit_tensor(bytes, type, dimensions);
    }
    tensor_builder result(type, dimensions);
    std::byte* const bytes = result.data();
    const auto width = static_cast<std::size_t>(packed == 2 ? 1 : bit_width(type) / 8);
    for (std::size_t i = 0; i < given; ++i) {
        if (type == f32) {
            lpt::detail::store(bytes + 4 * i, fields.floats[i]);
        } else if (type == f64) {
            lpt::detail::store(bytes + 8 * i, fields.doubles[i]);
        } else {
            const auto code = static_cast<std::uint64_t>(fields.integers[i]);
            for (std::size_t k = 0; k < width; ++k) {
                bytes[i * width + k] = static_cast<std::byte>(code >> (8 * k));
            }
        }
    }
    return result.finish();
}

/// The tensor of a message: a window into the model's file, or into the external one, where its bytes lie there as they are needed.
inline tensor read_tensor(const stored_message& stored, const mapped_file& file, external_files& others,
                          const model_builder& to) {
    const tensor_fields fields = reading(to, [&] { return read_tensor_fields(stored.open()); });
    const element type = known_element_of(fields.type, to);
    shape dimensions;
    for (const std::int64_t size : fields.dimensions) {
        if (size < 0 || dimensions.rank() == most_axes) {
            to.wrong({"tensor '", shown(fields.name), "' has a size of ", size, " or more than ", most_axes, " axes"});
        }
        dimensions.push_back(size);
    }
    if (!dimensions.is_possible()) {
        to.wrong({"tensor '", shown(fields.name), "' cannot have the shape ", dimensions});
    }
    if (fields.has_segment || fields.has_strings) {
        to.wrong({"tensor '", shown(fields.name), "' has segments or strings, which are not supported"});
    }
    const bool has_two_bits = packed_bits(fields.type) == 2;
    const std::size_t size = byte_size(type, dimensions.elements());
    if (has_two_bits && (fields.location == 1 || (fields.has_raw && fields.raw.size() * 4 < dimensions.elements()))) {
        to.wrong({"tensor '", shown(fields.name), "' of shape ", dimensions, " needs ", (dimensions.elements() + 3) / 4,
                  " bytes in the model"});
    }
    if (has_two_bits && fields.has_raw) {
        return two_bit_tensor(fields.raw, type, dimensions);
    }
    if (fields.location == 1) {
        const auto name = fields.external.find("location");
        if (name == fields.external.end()) {
            to.wrong({"external data of '", shown(fields.name), "' has no location"});
        }
        const mapped_file& other = others.open(std::string(name->second), to);
        return to.stored(other, type, dimensions, external_number(fields, "offset", 0, to),
                         external_number(fields, "length", size, to));
    }
    if (fields.has_raw) {
        const char* const first = reinterpret_cast<const char*>(file.data());
        return to.stored(file, type, dimensions, static_cast<std::size_t>(fields.raw.data() - first),
                         fields.raw.size());
    }
    return listed_tensor(fields, type, dimensions, to);
}

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/reader.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_READER_HPP
#define LPT_HOLDS_IMPORT_ONNX_READER_HPP
namespace lpt::inline LPT_ABI::onnx {

class graph_reader;
class operation;

/// A tensor that the file has as integers with a scale and a zero point, both known: q stands for (q - zero point) * scale.
///
/// What reads it as real numbers, which nearly everything does, gets those: between them are no conversions that transformations would have
/// to undo. What wants the integers makes them.
struct quantization {
    element type = dynamic;
    tensor scale;
    tensor zero_point;  // empty: 0
    std::int64_t axis = 1;

    friend bool operator==(const quantization& left, const quantization& right) {
        const auto same = [](const tensor& a, const tensor& b) {
            return a.elements() == b.elements() && reals_of(a) == reals_of(b);
        };
        const bool zero = left.is_symmetric() && right.is_symmetric();
        return left.type == right.type && same(left.scale, right.scale) &&
               (left.scale.elements() == 1 || left.axis == right.axis) &&
               (zero || (left.zero_point && right.zero_point && same(left.zero_point, right.zero_point)));
    }
    bool is_symmetric() const {
        for (std::size_t i = 0; zero_point && i < zero_point.elements(); ++i) {
            if (zero_point.integer(i) != 0) {
                return false;
            }
        }
        return true;
    }
};

struct quantized_tensor {
    quantization how;
    output_ref real;  // what is quantized; what came out of it already if it is `rounded`
    bool is_rounded = false;
    bool is_counted = false;  // `real` are whole numbers of steps, counted from the zero point
    output_ref dequantized;  // made when it is asked for
    output_ref integers;  // made when it is asked for
};

/// What a name of the file stands for: a tensor, or a list of values (a sequence).
struct value {
    graph_reader* owner = nullptr;
    output_ref plain;
    std::shared_ptr<quantized_tensor> quantized;
    std::shared_ptr<std::vector<value>> sequence;
    bool has_two_bits = false;  // an integer of four bits in the graph, which has none of two
    output_ref whole = {};  // the same integers as f32, where they were computed so
};

using operator_function = void (*)(operation&);

/// How an operator of the file becomes operations.
struct operator_entry {
    std::string_view domain;
    std::string_view type;
    operator_function read;
    bool keeps_values = false;  // it moves elements, so that quantized ones stay quantized as they were
};
using operator_lookup = const operator_entry* (*)(std::string_view domain, std::string_view type);

/// What all graphs of a model share.
struct session {
    const mapped_file& file;
    external_files& others;
    const model_description& model;
    operator_lookup find;
    std::int64_t nodes_left = 0;  // functions and bodies may not make more of a file than its size allows
};

/// Names and what they stand for: of a graph, or of a function that is called.
struct scope {
    std::unordered_map<std::string_view, value> values;
    const scope* outer = nullptr;
    const operator_sets* imported = nullptr;
    std::string prefix;  // of the names of nodes
    int depth = 0;  // of functions and bodies in each other

    static constexpr int deepest = 64;

    /// One deeper than another; raises an error where that is too deep.
    void enter(const scope& around, const model_builder& to) {
        depth = around.depth + 1;
        if (depth > deepest) {
            to.wrong({"functions and bodies lie more than ", deepest, " deep in each other"});
        }
    }

    const value* find(std::string_view name) const {
        for (const scope* each = this; each != nullptr; each = each->outer) {
            if (const auto found = each->values.find(name); found != each->values.end()) {
                return &found->second;
            }
        }
        return nullptr;
    }
};

/// Reads one graph: that of the model, or a body.
class graph_reader {
    session& session_;
    graph_reader* outer_;
    int depth_;
    model_builder builder_;
    std::map<std::pair<graph_reader*, std::pair<node_id, std::int32_t>>, output_ref> captured_;
    std::map<std::vector<std::int64_t>, value> quantized_before_;

public:
    static constexpr int deepest = 32;

    /// What a body takes from outside: an output of the graph around it, and the parameter that it arrives as.
    struct capture {
        output_ref from;
        std::int64_t parameter;
    };
    std::vector<capture> captures;

    graph_reader(session& shared, graph_reader* outer, int depth, const std::string& file)
        : session_(shared), outer_(outer), depth_(depth), builder_(file) {
        if (outer != nullptr) {
            builder_.begin(outer->builder_.current());
        }
    }

    session& shared() { return session_; }
    model_builder& builder() { return builder_; }
    int depth() const { return depth_; }
    auto& quantized_before() { return quantized_before_; }

    value of(output_ref plain) { return {this, plain, nullptr, nullptr}; }

    /// The value as one of this graph: what belongs to a graph around it comes in as a parameter, or is copied where it is constant.
    value here(const value& from) {
        if (from.owner == this || from.owner == nullptr) {
            return from;
        }
        if (from.sequence) {
            value copy{this, {}, nullptr, std::make_shared<std::vector<value>>()};
            for (const value& each : *from.sequence) {
                copy.sequence->push_back(here(each));
            }
            return copy;
        }
        if (outer_ == nullptr) {
            builder_.wrong({"a value of another graph is read"});
        }
        const value outside = outer_->here(from);
        const output_ref plain = outer_->plain_of(outside);
        if (const tensor* known = outer_->builder_.value_of(plain)) {
            return of(builder_.constant(*known));
        }
        const std::pair key{outer_, std::pair{plain.node, plain.port}};
        if (const auto found = captured_.find(key); found != captured_.end()) {
            return of(found->second);
        }
        const auto parameter = static_cast<std::int64_t>(builder_.model().parameters().size());
        const node_id made =
            builder_.model().parameter(outer_->builder_.type_of(plain), outer_->builder_.shape_of(plain));
        captures.push_back({plain, parameter});
        captured_[key] = made;
        return of(made);
    }

    /// The tensor itself: integers where the value is quantized. Defined with the quantization operators.
    output_ref plain_of(const value& from);
    /// The real numbers that a quantized value stands for.
    output_ref real_of(const value& from);

    void read_nodes(const std::vector<node_description>& nodes, scope& names);
    void read_node(const node_description& node, scope& names);
    void call(const function_description& function, const node_description& caller, scope& names);
    void read_initializers(const graph_description& graph, scope& names) {
        if (graph.has_sparse_initializers) {
            builder_.wrong({"sparse initializers are not supported"});
        }
        for (const auto& [name, stored] : graph.initializers) {
            value mine = of(builder_.constant(read_tensor(stored, session_.file, session_.others, builder_)));
            mine.has_two_bits = packed_bits(type_of_tensor(stored, builder_)) == 2;
            names.values[name] = mine;
        }
    }
    /// A parameter for an input that no initializer gives a value.
    output_ref add_parameter(const value_description& input) {
        if (input.kind != "tensor") {
            builder_.wrong({"input '", shown(input.name), "' is a ", shown(input.kind), ", which is not supported"});
        }
        if (packed_bits(input.type) == 2) {
            builder_.wrong({"input '", shown(input.name), "' has integers of two bits, which only constants may have"});
        }
        const element type = input.type == 0 ? dynamic : known_element_of(input.type, builder_);
        const std::string name(input.name);
        const node_id made = builder_.model().parameter(type, input.dimensions, name.c_str());
        builder_.model().name_tensor(made, name.c_str());
        return made;
    }
    output_ref result_of(const value_description& output, const scope& names) {
        const value* found = names.find(output.name);
        if (found == nullptr) {
            builder_.wrong({"output '", shown(output.name), "' is given by no node, initializer or input"});
        }
        const value mine = here(*found);
        if (mine.sequence) {
            builder_.wrong({"output '", shown(output.name), "' is a sequence, which is not supported"});
        }
        return plain_of(mine);
    }

    graph read_model(const graph_description& from) {
        scope names;
        names.imported = &session_.model.imported;
        builder_.model().set_name(text(shown(from.name)));
        read_initializers(from, names);
        for (const value_description& input : from.inputs) {
            if (!names.values.contains(input.name)) {
                names.values[input.name] = of(add_parameter(input));
            }
        }
        read_nodes(from.nodes, names);
        builder_.begin({});
        for (const value_description& output : from.outputs) {
            const std::string name(output.name);
            const output_ref source = result_of(output, names);
            builder_.model().name_tensor(source, name.c_str());
            builder_.model().result(source, name.c_str());
        }
        if (from.outputs.empty()) {
            builder_.wrong({"the graph has no outputs"});
        }
        return builder_.take();
    }
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/operation.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_OPERATION_HPP
#define LPT_HOLDS_IMPORT_ONNX_OPERATION_HPP
namespace lpt::inline LPT_ABI::onnx {

/// A node of the file that becomes operations: its inputs and attributes, and what makes operations of the graph.
class operation {
    graph_reader& reader_;
    scope& names_;
    const node_description& node_;
    std::int64_t version_;
    std::shared_ptr<quantized_tensor> kept_;  // the quantization that the outputs have, too

    friend class graph_reader;

public:
    operation(graph_reader& reader, scope& names, const node_description& node, std::int64_t version)
        : reader_(reader), names_(names), node_(node), version_(version) {}

    graph_reader& reader() { return reader_; }
    scope& names() { return names_; }
    model_builder& builder() { return reader_.builder(); }
    const node_description& node() const { return node_; }
    /// The version of the operator set that the operator is taken from.
    std::int64_t version() const { return version_; }
    [[noreturn]] void wrong(text_pieces message) { builder().wrong(message); }

    // ---- inputs and outputs

    std::size_t inputs() const { return node_.inputs.size(); }
    std::size_t outputs() const { return node_.outputs.size(); }
    bool has(std::size_t port) const { return port < node_.inputs.size() && !node_.inputs[port].empty(); }
    bool wants(std::size_t port) const { return port < node_.outputs.size() && !node_.outputs[port].empty(); }
    value value_at(std::size_t port) {
        if (!has(port)) {
            wrong({"needs input ", port});
        }
        const value* found = names_.find(node_.inputs[port]);
        if (found == nullptr) {
            wrong({"input ", port, " is '", shown(node_.inputs[port]), "', which no node, initializer or input gives"});
        }
        return reader_.here(*found);
    }
    output_ref in(std::size_t port) {
        const value found = value_at(port);
        if (found.sequence) {
            wrong({"input ", port, " is a sequence, but must be a tensor"});
        }
        return kept_ && found.quantized ? reader_.real_of(found) : reader_.plain_of(found);
    }
    /// The input, or a number of the same type as input 0 where it is left out.
    output_ref in_or(std::size_t port, double otherwise) { return has(port) ? in(port) : like(in(0), otherwise); }
    void out_value(std::size_t port, value result) {
        if (port >= node_.outputs.size() || node_.outputs[port].empty()) {
            return;
        }
        if (!names_.values.emplace(node_.outputs[port], std::move(result)).second) {
            wrong({"gives '", shown(node_.outputs[port]), "', which was given before"});
        }
    }
    void out(std::size_t port, output_ref result) {
        if (kept_) {
            auto moved =
                std::make_shared<quantized_tensor>(quantized_tensor{kept_->how, result, true, false, result, {}});
            return out_value(port, {&reader_, {}, std::move(moved), nullptr});
        }
        out_value(port, reader_.of(result));
    }
    void out(output_ref result) { out(0, result); }

    // ---- attributes

    const attribute* find(std::string_view name, std::int64_t type) {
        const attribute* found = node_.find(name);
        if (found != nullptr && found->type != 0 && found->type != type) {
            wrong({"attribute '", shown(name), "' has type ", found->type, ", not ", type});
        }
        return found;
    }
    std::int64_t integer(std::string_view name, std::int64_t otherwise) {
        const attribute* found = find(name, 2);
        return found != nullptr ? found->integer : otherwise;
    }
    bool flag(std::string_view name, bool otherwise = false) { return integer(name, otherwise ? 1 : 0) != 0; }
    double real(std::string_view name, double otherwise) {
        const attribute* found = find(name, 1);
        return found != nullptr ? static_cast<double>(found->real) : otherwise;
    }
    std::string_view words(std::string_view name, std::string_view otherwise) {
        const attribute* found = find(name, 3);
        return found != nullptr ? found->words : otherwise;
    }
    bool has_attribute(std::string_view name) const { return node_.find(name) != nullptr; }
    lpt::integers list(std::string_view name) {
        lpt::integers result;
        if (const attribute* found = find(name, 7)) {
            for (const std::int64_t each : found->integers) {
                result.push_back(each);
            }
        }
        return result;
    }
    std::vector<float> reals(std::string_view name) {
        const attribute* found = find(name, 6);
        return found != nullptr ? found->reals : std::vector<float>();
    }
    /// The element type that an attribute names.
    element type_attribute(std::string_view name, element otherwise) {
        const std::int64_t type = integer(name, 0);
        return type == 0 ? otherwise : known_element_of(type, builder());
    }

    // ---- what is known

    element type(output_ref of) { return builder().type_of(of); }
    const lpt::shape& shape(output_ref of) { return builder().shape_of(of); }
    std::size_t rank(output_ref of) {
        if (shape(of).rank_is_dynamic()) {
            wrong({"needs to know how many axes its input has"});
        }
        return shape(of).rank();
    }
    const lpt::shape& static_shape(output_ref of) {
        if (!shape(of).is_static()) {
            wrong({"needs to know the shape of its input, which is ", shape(of)});
        }
        return shape(of);
    }
    /// The size of an axis, perhaps unknown; an error where there is no such axis.
    dimension size_of(output_ref of, std::size_t axis) {
        if (axis >= rank(of)) {
            wrong({"needs more axes than its input has, which is of shape ", shape(of)});
        }
        return shape(of)[axis];
    }
    /// The same for a tensor whose shape must be known.
    std::int64_t static_size_of(output_ref of, std::size_t axis) {
        static_shape(of);
        return size_of(of, axis);
    }
    std::int64_t axis_of(std::int64_t axis, std::size_t rank) {
        const std::int64_t result = normalized_axis(axis, rank);
        if (result < 0) {
            wrong({"axis ", axis, " is outside the ", rank, " axes of the input"});
        }
        return result;
    }
    const tensor* known(output_ref of) { return builder().value_of(of); }
    bool is_known(std::size_t port) { return has(port) && known(in(port)) != nullptr; }
    /// The values of an input that must be a constant.
    const tensor& known_input(std::size_t port) {
        const tensor* found = known(in(port));
        if (found == nullptr) {
            wrong({"input ", port, " must be known when the network is read"});
        }
        return *found;
    }
    lpt::integers known_integers(std::size_t port) { return integers_of(known_input(port)); }

    // ---- making

    output_ref make(op::attributes what, view<output_ref> from, int version = -1) {
        return builder().add(std::move(what), from, version);
    }
    output_ref make(op::attributes what, std::initializer_list<output_ref> from, int version = -1) {
        return make(std::move(what), view<output_ref>(from.begin(), from.size()), version);
    }
    node_id make_node(op::attributes what, std::initializer_list<output_ref> from, int version = -1) {
        return builder().add_node(std::move(what), view<output_ref>(from.begin(), from.size()), version);
    }
    output_ref integer_constant(std::int64_t number, element type = i64) { return builder().integer(number, type); }
    output_ref indices(view<std::int64_t> numbers) { return builder().indices(numbers); }
    output_ref indices(std::initializer_list<std::int64_t> numbers) {
        return indices(view<std::int64_t>(numbers.begin(), numbers.size()));
    }
    /// A number of the type that another value has.
    output_ref like(output_ref other, double number) {
        const element wanted = type(other);
        return builder().real(number, wanted == dynamic ? f32 : wanted);
    }
    output_ref convert(output_ref from, element to) { return type(from) == to ? from : make(op::convert{to}, {from}); }
    output_ref reshape(output_ref from, view<std::int64_t> sizes, bool special_zero = false) {
        return make(op::reshape{special_zero}, {from, indices(sizes)});
    }
    output_ref reshape(output_ref from, std::initializer_list<std::int64_t> sizes, bool special_zero = false) {
        return reshape(from, view<std::int64_t>(sizes.begin(), sizes.size()), special_zero);
    }
    output_ref transpose(output_ref from, view<std::int64_t> order) {
        return make(op::transpose{}, {from, indices(order)});
    }
    output_ref transpose(output_ref from, std::initializer_list<std::int64_t> order) {
        return transpose(from, view<std::int64_t>(order.begin(), order.size()));
    }
    /// The last two axes exchanged.
    output_ref transposed(output_ref from) {
        lpt::integers order;
        for (std::size_t i = 0; i < rank(from); ++i) {
            order.push_back(static_cast<std::int64_t>(i));
        }
        std::swap(order[order.size() - 1], order[order.size() - 2]);
        return transpose(from, order);
    }
    output_ref unsqueeze(output_ref from, std::initializer_list<std::int64_t> axes) {
        return make(op::unsqueeze{}, {from, indices(axes)});
    }
    output_ref squeeze(output_ref from, std::initializer_list<std::int64_t> axes) {
        return make(op::squeeze{}, {from, indices(axes)}, 0);
    }
    output_ref concat(view<output_ref> parts, std::int64_t axis) {
        op::concat what;
        what.axis = axis;
        return make(what, parts);
    }
    output_ref concat(std::initializer_list<output_ref> parts, std::int64_t axis) {
        return concat(view<output_ref>(parts.begin(), parts.size()), axis);
    }
    output_ref gather(output_ref from, output_ref places, std::int64_t axis) {
        return make(op::gather{}, {from, places, integer_constant(axis)}, 8);
    }
    output_ref slice(output_ref from, std::int64_t axis, std::int64_t begin, std::int64_t end, std::int64_t step = 1) {
        return make(op::slice{}, {from, indices({begin}), indices({end}), indices({step}), indices({axis})});
    }
    output_ref broadcast(output_ref from, output_ref target) {
        op::broadcast what;
        what.mode = op::broadcast_mode::bidirectional;
        return make(what, {from, target}, 3);
    }
    output_ref shape_of(output_ref from) { return make(op::shape_of{}, {from}); }
    output_ref size_along(output_ref from, std::int64_t axis) { return gather(shape_of(from), indices({axis}), 0); }
    output_ref clamp(output_ref from, double least, double most) {
        op::clamp what;
        what.min = least;
        what.max = most;
        return make(what, {from});
    }
    output_ref softmax(output_ref from, std::int64_t axis) {
        op::softmax what;
        what.axis = axis;
        return make(what, {from}, 8);
    }
    template <class Reduction>
    output_ref reduce(output_ref from, view<std::int64_t> axes, bool keep) {
        Reduction what;
        what.keep_dims = keep;
        return make(what, {from, indices(axes)});
    }
    template <class Reduction>
    output_ref reduce(output_ref from, std::initializer_list<std::int64_t> axes, bool keep = true) {
        return reduce<Reduction>(from, view<std::int64_t>(axes.begin(), axes.size()), keep);
    }
    /// 0, 1, 2 … along an axis whose size may only be known when the network runs.
    output_ref counted(output_ref size, element type = i64) {
        op::range what;
        what.output_type = type;
        const output_ref stop = shape(size).rank() == 0 ? size : squeeze(size, {0});
        return make(what, {integer_constant(0), stop, integer_constant(1)});
    }
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/elementwise.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_ELEMENTWISE_HPP
#define LPT_HOLDS_IMPORT_ONNX_ELEMENTWISE_HPP
/// Arithmetic, comparisons and logic, element by element.
namespace lpt::inline LPT_ABI::onnx {

template <class Op>
void read_unary(operation& n) {
    n.out(n.make(Op{}, {n.in(0)}));
}
template <class Op>
void read_binary(operation& n) {
    n.out(n.make(Op{}, {n.in(0), n.in(1)}));
}
/// One input or more, taken together from the left.
template <class Op>
void read_variadic(operation& n) {
    output_ref result = n.in(0);
    for (std::size_t port = 1; port < n.inputs(); ++port) {
        result = n.make(Op{}, {result, n.in(port)});
    }
    n.out(result);
}

inline void read_mean(operation& n) {
    output_ref sum = n.in(0);
    for (std::size_t port = 1; port < n.inputs(); ++port) {
        sum = n.make(op::add{}, {sum, n.in(port)});
    }
    n.out(n.make(op::divide{}, {sum, n.like(sum, static_cast<double>(n.inputs()))}));
}

/// Integers are divided towards zero.
inline void read_divide(operation& n) {
    op::divide what;
    what.m_pythondiv = false;
    n.out(n.make(what, {n.in(0), n.in(1)}));
}

inline void read_mod(operation& n) {
    if (n.flag("fmod")) {
        n.out(n.make(op::mod{}, {n.in(0), n.in(1)}));
    } else {
        n.out(n.make(op::floor_mod{}, {n.in(0), n.in(1)}));
    }
}

/// The result has the type of the base, whatever the exponent's is.
inline void read_power(operation& n) {
    const output_ref base = n.in(0);
    const element type = n.type(base);
    const element computing = is_real(type) || !is_real(n.type(n.in(1))) ? type : n.type(n.in(1));
    const output_ref power = n.make(op::power{}, {n.convert(base, computing), n.convert(n.in(1), computing)});
    n.out(n.convert(power, type));
}

inline void read_reciprocal(operation& n) { n.out(n.make(op::divide{}, {n.like(n.in(0), 1), n.in(0)})); }

inline void read_is_nan(operation& n) { n.out(n.make(op::not_equal{}, {n.in(0), n.in(0)})); }

inline void read_is_infinite(operation& n) {
    const output_ref x = n.in(0);
    const output_ref above = n.make(op::equal{}, {x, n.like(x, math::infinity)});
    const output_ref below = n.make(op::equal{}, {x, n.like(x, -math::infinity)});
    const bool positive = n.flag("detect_positive", true);
    const bool negative = n.flag("detect_negative", true);
    if (positive && negative) {
        n.out(n.make(op::logical_or{}, {above, below}));
    } else if (positive || negative) {
        n.out(positive ? above : below);
    } else {
        n.out(n.make(op::logical_and{}, {above, below}));
    }
}

inline void read_where(operation& n) { n.out(n.make(op::select{}, {n.in(0), n.in(1), n.in(2)})); }

// ---- bits

/// 2^y as a whole number of the type of y.
inline output_ref power_of_two(operation& n, output_ref y) {
    const output_ref exponent = n.convert(y, f64);
    return n.convert(n.make(op::power{}, {n.like(exponent, 2), exponent}), n.type(y));
}

/// Shifts by the width of the type or more, and by negative numbers, leave nothing but the sign.
inline void read_bit_shift(operation& n) {
    const element type = n.type(n.in(0));
    const bool wide = bit_width(type) == 64;
    const output_ref x = wide ? n.in(0) : n.convert(n.in(0), i64);
    output_ref count = wide ? n.in(1) : n.convert(n.in(1), i64);
    if (!wide) {
        const output_ref most = n.integer_constant(62);
        const output_ref below = n.make(op::less{}, {count, n.integer_constant(0)});
        count = n.make(op::select{}, {below, most, n.make(op::minimum{}, {count, most})});
    }
    const output_ref factor = power_of_two(n, count);
    const std::string_view direction = n.words("direction", "");
    if (direction == "LEFT") {
        n.out(n.convert(n.make(op::multiply{}, {x, factor}), type));
    } else if (direction == "RIGHT") {
        n.out(n.convert(n.make(op::divide{}, {x, factor}), type));
    } else {
        n.wrong({"direction must be LEFT or RIGHT, not '", shown(direction), "'"});
    }
}

/// All bits the other way round: -1 - x, or the greatest number - x.
inline void read_bitwise_not(operation& n) {
    const output_ref x = n.in(0);
    const std::int64_t ones =
        is_signed(n.type(x)) || n.type(x) == u64 ? -1 : static_cast<std::int64_t>(facts(n.type(x)).highest);
    n.out(n.make(op::subtract{}, {n.integer_constant(ones, n.type(x)), x}));
}

/// The lower 63 bits of integers, along a new last axis, as 0 and 1.
inline output_ref bits_of(operation& n, output_ref x, output_ref powers) {
    const output_ref parts = n.make(op::divide{}, {n.unsqueeze(n.convert(x, i64), {-1}), powers});
    return n.make(op::floor_mod{}, {parts, n.integer_constant(2)});
}

/// A function of two bits, on all bits of two integers: `of_bits` on 0 and 1, `Logical` on the signs.
template <class Logical, class OfBits>
void read_bitwise(operation& n, const OfBits& of_bits) {
    const output_ref a = n.in(0);
    const output_ref b = n.in(1);
    const element type = n.type(a);
    lpt::integers powers;
    for (int bit = 0; bit < math::minimum(bit_width(type), 63); ++bit) {
        powers.push_back(std::int64_t{1} << bit);
    }
    const output_ref weights = n.indices(powers);
    const output_ref bits = of_bits(bits_of(n, a, weights), bits_of(n, b, weights));
    output_ref sum = n.reduce<op::reduce_sum>(n.make(op::multiply{}, {bits, weights}), {-1}, false);
    if (bit_width(type) == 64) {
        const output_ref zero = n.integer_constant(0);
        const output_ref sign = n.make(
            Logical{}, {n.make(op::less{}, {n.convert(a, i64), zero}), n.make(op::less{}, {n.convert(b, i64), zero})});
        const output_ref top = n.make(op::select{}, {sign, n.integer_constant(INT64_MIN), zero});
        sum = n.make(op::add{}, {sum, top});
    }
    n.out(n.convert(sum, type));
}

inline void read_bitwise_and(operation& n) {
    read_bitwise<op::logical_and>(n, [&](output_ref a, output_ref b) { return n.make(op::minimum{}, {a, b}); });
}
inline void read_bitwise_or(operation& n) {
    read_bitwise<op::logical_or>(n, [&](output_ref a, output_ref b) { return n.make(op::maximum{}, {a, b}); });
}
inline void read_bitwise_xor(operation& n) {
    read_bitwise<op::logical_xor>(
        n, [&](output_ref a, output_ref b) { return n.make(op::abs{}, {n.make(op::subtract{}, {a, b})}); });
}

// ---- types

/// Integers of four and two bits take the lowest bits of the whole number.
inline void out_packed(operation& n, element to, int bits) {
    constexpr double most = 0x1p30;
    const output_ref x = n.in(0);
    const output_ref whole = n.convert(is_real(n.type(x)) ? n.clamp(x, -most, most) : x, i32);
    const auto number = [&](int value) { return n.integer_constant(value, i32); };
    const output_ref half = number(is_signed(to) ? 1 << (bits - 1) : 0);
    const output_ref code = n.make(op::floor_mod{}, {n.make(op::add{}, {whole, half}), number(1 << bits)});
    value result = n.reader().of(n.convert(n.make(op::subtract{}, {code, half}), to));
    result.has_two_bits = bits == 2;
    n.out_value(0, result);
}
inline void read_cast(operation& n) {
    const std::int64_t number = n.integer("to", 0);
    const element to = known_element_of(number, n.builder());
    if (const int bits = packed_bits(number); bits != 0) {
        return out_packed(n, to, bits);
    }
    const value from = n.value_at(0);
    n.out(to == f32 && from.whole ? from.whole : n.make(op::convert{to}, {n.in(0)}));
}
inline void read_cast_like(operation& n) {
    const element to = n.type(n.in(1));
    if (bit_width(to) == 4) {
        return out_packed(n, to, n.value_at(1).has_two_bits ? 2 : 4);
    }
    n.out(n.make(op::convert_like{}, {n.in(0), n.in(1)}));
}

// ---- circular and hyperbolic functions

inline output_ref half_of_sum_of_exponentials(operation& n, output_ref x, bool difference) {
    const output_ref up = n.make(op::exp{}, {x});
    const output_ref down = n.make(op::exp{}, {n.make(op::negative{}, {x})});
    const output_ref both = difference ? n.make(op::subtract{}, {up, down}) : n.make(op::add{}, {up, down});
    return n.make(op::multiply{}, {both, n.like(x, 0.5)});
}
inline void read_sinh(operation& n) { n.out(half_of_sum_of_exponentials(n, n.in(0), true)); }
inline void read_cosh(operation& n) { n.out(half_of_sum_of_exponentials(n, n.in(0), false)); }

inline void read_tan(operation& n) {
    n.out(n.make(op::divide{}, {n.make(op::sin{}, {n.in(0)}), n.make(op::cos{}, {n.in(0)})}));
}

/// log(x + sqrt(x^2 + sign))
inline output_ref inverse_hyperbolic(operation& n, output_ref x, double sign) {
    const output_ref square = n.make(op::multiply{}, {x, x});
    const output_ref root = n.make(op::sqrt{}, {n.make(op::add{}, {square, n.like(x, sign)})});
    return n.make(op::log{}, {n.make(op::add{}, {x, root})});
}
inline void read_acosh(operation& n) { n.out(inverse_hyperbolic(n, n.in(0), -1)); }
/// sign(x) * asinh(|x|): small sums of large numbers lose digits.
inline void read_asinh(operation& n) {
    const output_ref x = n.in(0);
    n.out(n.make(op::multiply{}, {n.make(op::sign{}, {x}), inverse_hyperbolic(n, n.make(op::abs{}, {x}), 1)}));
}
inline void read_atanh(operation& n) {
    const output_ref x = n.in(0);
    const output_ref one = n.like(x, 1);
    const output_ref quotient = n.make(op::divide{}, {n.make(op::add{}, {one, x}), n.make(op::subtract{}, {one, x})});
    n.out(n.make(op::multiply{}, {n.make(op::log{}, {quotient}), n.like(x, 0.5)}));
}

/// atan: |x| or its inverse, whichever is at most 1; the angle halved twice, atan(t) = 2 atan(t / (1 + sqrt(1 + t^2))); and five terms of
/// the series, whose error is below 2^-27.
inline output_ref arc_tangent(operation& n, output_ref x) {
    const auto number = [&](double value) { return n.like(x, value); };
    const output_ref size = n.make(op::abs{}, {x});
    const output_ref inverse = n.make(op::divide{}, {number(1), size});
    output_ref t = n.make(op::minimum{}, {size, inverse});
    for (int i = 0; i < 2; ++i) {
        const output_ref root = n.make(op::sqrt{}, {n.make(op::add{}, {n.make(op::multiply{}, {t, t}), number(1)})});
        t = n.make(op::divide{}, {t, n.make(op::add{}, {root, number(1)})});
    }
    const output_ref square = n.make(op::multiply{}, {t, t});
    output_ref series = number(1.0 / 9);
    for (const double term : {-1.0 / 7, 1.0 / 5, -1.0 / 3, 1.0}) {
        series = n.make(op::add{}, {n.make(op::multiply{}, {series, square}), number(term)});
    }
    const output_ref small = n.make(op::multiply{}, {n.make(op::multiply{}, {series, t}), number(4)});
    const output_ref large = n.make(op::subtract{}, {number(1.5707963267948966), small});
    const output_ref angle = n.make(op::select{}, {n.make(op::greater{}, {size, number(1)}), large, small});
    return n.make(op::multiply{}, {n.make(op::sign{}, {x}), angle});
}
inline output_ref arc_sine(operation& n, output_ref x) {
    const output_ref rest = n.make(op::subtract{}, {n.like(x, 1), n.make(op::multiply{}, {x, x})});
    return arc_tangent(n, n.make(op::divide{}, {x, n.make(op::sqrt{}, {rest})}));
}
inline void read_atan(operation& n) { n.out(arc_tangent(n, n.in(0))); }
inline void read_asin(operation& n) { n.out(arc_sine(n, n.in(0))); }
inline void read_acos(operation& n) {
    n.out(n.make(op::subtract{}, {n.like(n.in(0), 1.5707963267948966), arc_sine(n, n.in(0))}));
}

inline constexpr operator_entry elementwise_operators[] = {
    {"", "Add", read_binary<op::add>},
    {"", "Sub", read_binary<op::subtract>},
    {"", "Mul", read_binary<op::multiply>},
    {"", "Div", read_divide},
    {"", "Mod", read_mod},
    {"", "Pow", read_power},
    {"", "Sum", read_variadic<op::add>},
    {"", "Max", read_variadic<op::maximum>},
    {"", "Min", read_variadic<op::minimum>},
    {"", "Mean", read_mean},
    {"", "Neg", read_unary<op::negative>},
    {"", "Abs", read_unary<op::abs>},
    {"", "Ceil", read_unary<op::ceiling>},
    {"", "Floor", read_unary<op::floor>},
    {"", "Round", read_unary<op::round>},
    {"", "Sqrt", read_unary<op::sqrt>},
    {"", "Exp", read_unary<op::exp>},
    {"", "Log", read_unary<op::log>},
    {"", "Erf", read_unary<op::erf>},
    {"", "Sign", read_unary<op::sign>},
    {"", "Sin", read_unary<op::sin>},
    {"", "Cos", read_unary<op::cos>},
    {"", "Tan", read_tan},
    {"", "Sinh", read_sinh},
    {"", "Cosh", read_cosh},
    {"", "Asinh", read_asinh},
    {"", "Acosh", read_acosh},
    {"", "Atanh", read_atanh},
    {"", "Asin", read_asin},
    {"", "Acos", read_acos},
    {"", "Atan", read_atan},
    {"", "Reciprocal", read_reciprocal},
    {"", "IsNaN", read_is_nan},
    {"", "IsInf", read_is_infinite},
    {"", "Equal", read_binary<op::equal>},
    {"", "Greater", read_binary<op::greater>},
    {"", "GreaterOrEqual", read_binary<op::greater_equal>},
    {"", "Less", read_binary<op::less>},
    {"", "LessOrEqual", read_binary<op::less_equal>},
    {"", "And", read_binary<op::logical_and>},
    {"", "Or", read_binary<op::logical_or>},
    {"", "Xor", read_binary<op::logical_xor>},
    {"", "Not", read_unary<op::logical_not>},
    {"", "Where", read_where},
    {"", "BitShift", read_bit_shift},
    {"", "BitwiseNot", read_bitwise_not},
    {"", "BitwiseAnd", read_bitwise_and},
    {"", "BitwiseOr", read_bitwise_or},
    {"", "BitwiseXor", read_bitwise_xor},
    {"", "Cast", read_cast},
    {"", "CastLike", read_cast_like},
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/activation.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_ACTIVATION_HPP
#define LPT_HOLDS_IMPORT_ONNX_ACTIVATION_HPP
/// Activation functions.
namespace lpt::inline LPT_ABI::onnx {

inline void read_leaky_relu(operation& n) {
    n.out(n.make(op::prelu{},
                 {n.in(0), n.like(n.in(0), static_cast<double>(static_cast<float>(n.real("alpha", 0.01))))}));
}

/// The slope broadcasts to the data from the right; a slope of one axis would be one of channels.
inline void read_prelu(operation& n) {
    output_ref slope = n.in(1);
    const std::size_t rank = n.rank(n.in(0));
    lpt::integers axes;
    for (std::size_t axis = n.rank(slope); axis < rank; ++axis) {
        axes.push_back(static_cast<std::int64_t>(axes.size()));
    }
    if (!axes.empty()) {
        slope = n.make(op::unsqueeze{}, {slope, n.indices(axes)});
    }
    n.out(n.make(op::prelu{}, {n.in(0), slope}));
}

inline void read_elu(operation& n) {
    op::elu what;
    what.alpha = n.real("alpha", 1);
    n.out(n.make(what, {n.in(0)}));
}

inline void read_selu(operation& n) {
    const output_ref x = n.in(0);
    n.out(n.make(op::selu{}, {x, n.like(x, n.real("alpha", 1.67326319217681884765625)),
                              n.like(x, n.real("gamma", 1.05070102214813232421875))}));
}

/// max(0, x) + min(0, alpha * (exp(x / alpha) - 1))
inline void read_celu(operation& n) {
    const output_ref x = n.in(0);
    const output_ref zero = n.like(x, 0);
    const double alpha = n.real("alpha", 1);
    const output_ref power = n.make(op::exp{}, {n.make(op::divide{}, {x, n.like(x, alpha)})});
    const output_ref below = n.make(op::multiply{}, {n.make(op::subtract{}, {power, n.like(x, 1)}), n.like(x, alpha)});
    n.out(n.make(op::add{}, {n.make(op::maximum{}, {x, zero}), n.make(op::minimum{}, {below, zero})}));
}

inline void read_hard_sigmoid(operation& n) {
    const output_ref x = n.in(0);
    n.out(n.make(op::hard_sigmoid{}, {x, n.like(x, n.real("alpha", 0.2)), n.like(x, n.real("beta", 0.5))}));
}

/// x * sigmoid(alpha * x)
inline void read_swish(operation& n) {
    const output_ref x = n.in(0);
    const double alpha = n.real("alpha", n.node().type == "QuickGelu" ? 1.702 : 1);
    const output_ref gate = n.make(op::sigmoid{}, {alpha == 1 ? x : n.make(op::multiply{}, {x, n.like(x, alpha)})});
    n.out(n.make(op::multiply{}, {x, gate}));
}

inline output_ref gelu_of(operation& n, output_ref x, bool by_tanh) {
    op::gelu what;
    what.approximation_mode = by_tanh ? op::gelu_approximation::tanh : op::gelu_approximation::erf;
    return n.make(what, {x});
}
inline void read_gelu(operation& n) { n.out(gelu_of(n, n.in(0), n.words("approximate", "none") == "tanh")); }
/// com.microsoft: Gelu of a sum with a bias.
inline void read_bias_gelu(operation& n) {
    const bool by_tanh = n.node().type == "FastGelu";
    n.out(gelu_of(n, n.has(1) ? n.make(op::add{}, {n.in(0), n.in(1)}) : n.in(0), by_tanh));
}

inline void read_thresholded_relu(operation& n) {
    const output_ref x = n.in(0);
    const output_ref above = n.make(op::greater{}, {x, n.like(x, n.real("alpha", 1))});
    n.out(n.make(op::select{}, {above, x, n.like(x, 0)}));
}

inline void read_shrink(operation& n) {
    const output_ref x = n.in(0);
    const double lambda = n.real("lambd", 0.5);
    const double bias = n.real("bias", 0);
    const output_ref below = n.make(op::less{}, {x, n.like(x, -lambda)});
    const output_ref above = n.make(op::greater{}, {x, n.like(x, lambda)});
    const output_ref up = n.make(op::add{}, {x, n.like(x, bias)});
    const output_ref down = n.make(op::subtract{}, {x, n.like(x, bias)});
    const output_ref middle = n.make(op::select{}, {above, down, n.like(x, 0)});
    n.out(n.make(op::select{}, {below, up, middle}));
}

/// The bound that input `port`, or before version 11 an attribute, gives; nothing where there is none.
inline output_ref bound_of(operation& n, std::size_t port, std::string_view name) {
    if (n.has(port)) {
        return n.in(port);
    }
    return n.version() < 11 && n.has_attribute(name) ? n.like(n.in(0), n.real(name, 0)) : output_ref();
}

inline void read_clip(operation& n) {
    const output_ref x = n.in(0);
    const output_ref least = bound_of(n, 1, "min");
    const output_ref most = bound_of(n, 2, "max");
    const tensor* low = least ? n.known(least) : nullptr;
    const tensor* high = most ? n.known(most) : nullptr;
    const bool both = low != nullptr && high != nullptr && low->elements() == 1 && high->elements() == 1;
    if (both && is_real(n.type(x)) && low->real(0) <= high->real(0)) {
        n.out(n.clamp(x, low->real(0), high->real(0)));
        return;
    }
    output_ref result = least ? n.make(op::maximum{}, {x, least}) : x;
    result = most ? n.make(op::minimum{}, {result, most}) : result;
    n.out(result);
}

/// What `along(x, axis)` makes along an axis; before version 13 along all axes from that one on, seen as one.
template <class Along>
void read_along_axis(operation& n, const Along& along) {
    const output_ref x = n.in(0);
    const bool flattens = n.version() < 13;
    const std::int64_t axis = n.integer("axis", flattens ? 1 : -1);
    const auto rank = static_cast<std::int64_t>(n.rank(x));
    const std::int64_t first = rank == 0 ? 0 : n.axis_of(axis, n.rank(x));
    if (rank == 0 || !flattens || first == rank - 1) {
        n.out(along(x, first));
        return;
    }
    lpt::integers sizes;
    for (std::int64_t i = 0; i < first; ++i) {
        sizes.push_back(0);
    }
    sizes.push_back(-1);
    const output_ref flat = n.reshape(x, sizes, true);
    n.out(n.make(op::reshape{}, {along(flat, first), n.shape_of(x)}));
}

template <bool Log>
void read_softmax(operation& n) {
    read_along_axis(n, [&](output_ref x, std::int64_t axis) {
        if constexpr (Log) {
            op::log_softmax what;
            what.axis = axis;
            return n.make(what, {x});
        } else {
            return n.softmax(x, axis);
        }
    });
}

/// 1 at the first of the greatest values along an axis, 0 elsewhere.
inline void read_hardmax(operation& n) {
    read_along_axis(n, [&](output_ref x, std::int64_t axis) {
        op::top_k top;
        top.axis = axis;
        top.sort = op::top_k_sort::value;
        top.index_element_type = i64;
        top.stable = true;
        const node_id found = n.make_node(top, {x, n.integer_constant(1)}, 11);
        op::one_hot ones;
        ones.axis = axis;
        const output_ref depth = n.squeeze(n.size_along(x, axis), {0});
        const output_ref places = n.squeeze(output_ref(found, 1), {axis});
        return n.make(ones, {places, depth, n.like(x, 1), n.like(x, 0)}, 1);
    });
}

/// Nothing is dropped where a network runs; the mask says so.
inline void read_dropout(operation& n) {
    if (n.has(2)) {
        const bool trains = n.known_input(2).integer(0) != 0;
        const double ratio = n.has(1) ? n.known_input(1).real(0) : 0.5;
        if (trains && ratio != 0) {
            n.wrong({"drops at random, as in training, which is not supported"});
        }
    }
    const output_ref x = n.in(0);
    n.out(x);
    if (n.wants(1)) {
        n.out(1, n.make(op::logical_or{}, {n.make(op::equal{}, {x, x}), n.make(op::not_equal{}, {x, x})}));
    }
}

inline void read_identity(operation& n) { n.out_value(0, n.value_at(0)); }

inline constexpr operator_entry activation_operators[] = {
    {"", "Relu", read_unary<op::relu>},
    {"", "LeakyRelu", read_leaky_relu},
    {"", "PRelu", read_prelu},
    {"", "Elu", read_elu},
    {"", "Selu", read_selu},
    {"", "Celu", read_celu},
    {"", "Sigmoid", read_unary<op::sigmoid>},
    {"", "Tanh", read_unary<op::tanh>},
    {"", "HardSigmoid", read_hard_sigmoid},
    {"", "HardSwish", read_unary<op::hswish>},
    {"", "Swish", read_swish},
    {"", "Mish", read_unary<op::mish>},
    {"", "Gelu", read_gelu},
    {"", "Softplus", read_unary<op::soft_plus>},
    {"", "Softsign", read_unary<op::soft_sign>},
    {"", "ThresholdedRelu", read_thresholded_relu},
    {"", "Shrink", read_shrink},
    {"", "Clip", read_clip},
    {"", "Softmax", read_softmax<false>},
    {"", "LogSoftmax", read_softmax<true>},
    {"", "Hardmax", read_hardmax},
    {"", "Dropout", read_dropout},
    {"", "Identity", read_identity},
    {"com.microsoft", "Gelu", read_gelu},
    {"com.microsoft", "QuickGelu", read_swish},
    {"com.microsoft", "BiasGelu", read_bias_gelu},
    {"com.microsoft", "FastGelu", read_bias_gelu},
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/quantized.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_QUANTIZED_HPP
#define LPT_HOLDS_IMPORT_ONNX_QUANTIZED_HPP
/// Quantized tensors: QuantizeLinear as FakeQuantize, and dequantization.
namespace lpt::inline LPT_ABI::onnx::detail {

/// A scale or zero point in the form that broadcasts to data of this rank.
inline tensor along_axis(const tensor& numbers, std::int64_t axis, std::size_t rank) {
    if (numbers.elements() == 1) {
        return tensor(numbers, shape{});
    }
    shape dimensions = shape::of_ones(rank);
    dimensions[static_cast<std::size_t>(axis)] = static_cast<dimension>(numbers.elements());
    return tensor(numbers, dimensions);
}

inline double zero_point_of(const quantization& how, std::size_t channel) {
    if (!how.zero_point) {
        return 0;
    }
    return how.zero_point.real(how.zero_point.elements() == 1 ? 0 : channel);
}

/// The bounds of a FakeQuantize that quantizes so.
///
/// The lower one is what lies so many steps below the upper one that dividing their distance by the number of steps gives the scale to the last bit.
struct quantization_bounds {
    tensor low;
    tensor high;
    tensor least;  // the numbers as which the bounds are stored
    tensor greatest;
    std::int64_t levels;
};

inline quantization_bounds bounds_of(const quantization& how, std::size_t rank) {
    const element_facts& limits = facts(how.type);
    const std::size_t count = math::maximum(how.scale.elements(), how.zero_point ? how.zero_point.elements() : 1);
    const double steps = limits.highest - limits.lowest;
    seq<double> low;
    seq<double> high;
    for (std::size_t i = 0; i < count; ++i) {
        const double scale = how.scale.real(how.scale.elements() == 1 ? 0 : i);
        const double zero = zero_point_of(how, i);
        if (zero == limits.highest) {
            high.push_back(0);
        } else {
            high.push_back(static_cast<double>(static_cast<float>((limits.highest - zero) * scale)));
        }
        low.push_back(zero == limits.lowest ? 0 : high.back() - steps * scale);
    }
    shape dimensions;
    if (count != 1) {
        dimensions = shape::of_ones(rank);
        dimensions[static_cast<std::size_t>(how.axis)] = static_cast<dimension>(count);
    }
    return {make_tensor(f32, dimensions, low), make_tensor(f32, dimensions, high), make_scalar(f32, limits.lowest),
            make_scalar(f32, limits.highest), static_cast<std::int64_t>(steps) + 1};
}

/// The same where what is quantized are whole steps already: bounds that are whole numbers, with nothing to round.
inline quantization_bounds counted_bounds_of(const quantization& how, std::size_t rank) {
    quantization steps = how;
    steps.scale = make_scalar(f32, 1);
    return bounds_of(steps, rank);
}

/// Where a value comes from that no transformation computes on integers: the network's inputs, what moves them, and arithmetic on them; functions
/// of quantized values, which become tables.
class real_source {
    const graph& model_;
    int visits_ = 64;  // branches join again and again

    static bool is_function(op::kind kind) {
        switch (kind) {
            case op::kind::sigmoid:
            case op::kind::tanh:
            case op::kind::exp:
            case op::kind::log:
            case op::kind::sqrt:
            case op::kind::erf:
            case op::kind::sin:
            case op::kind::cos:
            case op::kind::elu:
            case op::kind::selu:
            case op::kind::gelu:
            case op::kind::swish:
            case op::kind::mish:
            case op::kind::hswish:
            case op::kind::hsigmoid:
            case op::kind::hard_sigmoid:
            case op::kind::soft_plus:
            case op::kind::soft_sign: return true;
            default: return false;
        }
    }
    static bool is_arithmetic(op::kind kind) {
        switch (kind) {
            case op::kind::add:
            case op::kind::subtract:
            case op::kind::multiply:
            case op::kind::divide:
            case op::kind::maximum:
            case op::kind::minimum:
            case op::kind::power:
            case op::kind::relu:
            case op::kind::prelu:
            case op::kind::clamp:
            case op::kind::abs:
            case op::kind::negative: return true;
            default: return false;
        }
    }

public:
    explicit real_source(const graph& model) : model_(model) {}

    bool is_real(output_ref source, bool in_function = false) {
        if (--visits_ < 0 || model_.type(source) != f32) {
            return false;
        }
        const node& each = model_[source.node];
        if (each.is<op::parameter>() || each.is<op::constant>()) {
            return true;
        }
        if (each.is<op::fake_quantize>()) {
            return in_function;
        }
        const bool moves = op::has(op::row_of(each.attributes()).traits, op::trait::movement) && each.inputs() != 0;
        const bool is_a_function = is_function(each.kind());
        const std::size_t read = moves || is_a_function ? 1 : is_arithmetic(each.kind()) ? each.inputs() : 0;
        for (std::size_t port = 0; port < read; ++port) {
            if (!is_real(each.input(port), is_a_function)) {
                return false;
            }
        }
        return read != 0;
    }
};

inline std::size_t rank_of(const model_builder& to, output_ref of) {
    const shape& dimensions = to.shape_of(of);
    return dimensions.rank_is_static() ? dimensions.rank() : 0;
}

/// The quantized integers: a FakeQuantize that gives them as real numbers, and a Convert.
inline output_ref quantized_integers(model_builder& to, const quantized_tensor& from) {
    const std::size_t rank = rank_of(to, from.real);
    const quantization_bounds bounds = from.is_counted ? counted_bounds_of(from.how, rank) : bounds_of(from.how, rank);
    op::fake_quantize what;
    what.levels = bounds.levels;
    const output_ref inputs[] = {from.real, to.constant(bounds.low), to.constant(bounds.high),
                                 to.constant(bounds.least), to.constant(bounds.greatest)};
    const output_ref rounded = to.add_node(what, view<output_ref>(inputs, 5));
    return to.add_node(op::convert{from.how.type}, view<output_ref>(&rounded, 1));
}

/// The real numbers that the quantized integers stand for, in one operation.
inline output_ref quantized_and_back(model_builder& to, const quantized_tensor& from) {
    if (from.is_rounded) {
        return from.real;
    }
    const quantization_bounds bounds = bounds_of(from.how, rank_of(to, from.real));
    op::fake_quantize what;
    what.levels = bounds.levels;
    const output_ref low = to.constant(bounds.low);
    const output_ref high = to.constant(bounds.high);
    output_ref inputs[] = {from.real, low, high, low, high};
    if (from.is_counted) {
        const quantization_bounds steps = counted_bounds_of(from.how, rank_of(to, from.real));
        inputs[1] = to.constant(steps.low);
        inputs[2] = to.constant(steps.high);
    }
    return to.add_node(what, view<output_ref>(inputs, 5));
}

/// The quantization that input 0 has, and all other quantized inputs, too; nothing where there is none, or one per axis.
inline std::shared_ptr<quantized_tensor> common_quantization(operation& n) {
    std::shared_ptr<quantized_tensor> found;
    for (std::size_t port = 0; port < n.inputs(); ++port) {
        if (!n.has(port)) {
            continue;
        }
        const value each = n.value_at(port);
        if (!each.quantized) {
            if (port == 0 || n.node().type == "Concat") {
                return nullptr;
            }
            continue;
        }
        const bool fits = each.quantized->how.scale.elements() == 1 && (!found || found->how == each.quantized->how);
        if (!fits) {
            return nullptr;
        }
        found = each.quantized;
    }
    return found;
}

/// (x - zero point) * scale, as transformations look for it; nothing of it is folded.
inline output_ref dequantized(model_builder& to, output_ref from, const quantization& how, element type) {
    const std::size_t rank = rank_of(to, from);
    output_ref result = to.add_node(op::convert{type}, view<output_ref>(&from, 1));
    if (!how.is_symmetric()) {
        const tensor zero = evaluation::convert_tensor(along_axis(how.zero_point, how.axis, rank), type);
        result = to.add_node(op::subtract{}, view<output_ref>({result, to.constant(zero)}));
    }
    const tensor scale = evaluation::convert_tensor(along_axis(how.scale, how.axis, rank), type);
    return to.add_node(op::multiply{}, view<output_ref>({result, to.constant(scale)}));
}

}  // namespace lpt::inline LPT_ABI::onnx::detail
#endif

// ======== lpt/import/onnx/quantization.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_QUANTIZATION_HPP
#define LPT_HOLDS_IMPORT_ONNX_QUANTIZATION_HPP
/// QuantizeLinear, DequantizeLinear, and operators on integers with scales and zero points.
namespace lpt::inline LPT_ABI::onnx {

/// Scale and zero point at two ports, where both are known.
inline std::optional<quantization> known_quantization(operation& n, std::size_t scale, std::size_t zero_point,
                                                      std::int64_t axis, element type) {
    if (!n.is_known(scale) || (n.has(zero_point) && !n.is_known(zero_point))) {
        return std::nullopt;
    }
    quantization how;
    how.type = type;
    how.scale = n.known_input(scale);
    if (how.scale.elements() == 0) {
        n.wrong({"has no scale"});
    }
    how.axis = axis;
    if (n.has(zero_point)) {
        how.zero_point = n.known_input(zero_point);
        if (how.zero_point.elements() != how.scale.elements() && how.zero_point.elements() != 1 &&
            how.scale.elements() != 1) {
            n.wrong({"has ", how.scale.elements(), " scales and ", how.zero_point.elements(), " zero points"});
        }
    }
    for (std::size_t i = 0; i < how.scale.elements(); ++i) {
        if (!(how.scale.real(i) > 0) || how.scale.real(i) > 3e38) {
            return std::nullopt;  // no bounds: computed as it is written
        }
    }
    return how;
}

/// True if so many scales fit the axis of the data.
inline void check_axis(operation& n, output_ref data, quantization& how) {
    const std::size_t count = math::maximum(how.scale.elements(), how.zero_point ? how.zero_point.elements() : 1);
    if (count == 1) {
        return;
    }
    how.axis = n.axis_of(how.axis, n.rank(data));
    const dimension size = n.shape(data)[static_cast<std::size_t>(how.axis)];
    if (size != dynamic_dimension && size != static_cast<dimension>(count)) {
        n.wrong({"has ", count, " scales or zero points for an axis of size ", size});
    }
}

/// Raises an error unless the numbers of a shape stand for blocks of `block` elements along an axis of the data.
inline void check_blocks(operation& n, const lpt::shape& numbers, const lpt::shape& data, std::size_t axis,
                         std::int64_t block) {
    if (block < 0) {
        n.wrong({"block_size must not be negative, but is ", block});
    }
    if (!numbers.is_static() || !data.is_static()) {
        return;
    }
    lpt::shape expected = data;
    expected[axis] = data[axis] == 0 ? 0 : (data[axis] - 1) / block + 1;
    if (!(numbers == expected)) {
        n.wrong({"has scales or zero points of shape ", numbers, " for blocks of ", block, " along axis ", axis,
                 " of data of shape ", data, ", expected ", expected});
    }
}

/// A scale or zero point that may be computed, in the form that broadcasts to the data.
inline output_ref broadcast_along(operation& n, output_ref numbers, output_ref data, std::int64_t axis,
                                  std::int64_t block) {
    const lpt::shape& own = n.shape(numbers);
    if (block != 0) {
        // Each number stands for a block of elements: gathered by the number of the block.
        const std::int64_t at = n.axis_of(axis, n.rank(data));
        check_blocks(n, own, n.shape(data), static_cast<std::size_t>(at), block);
        const output_ref place = n.counted(n.size_along(data, at));
        op::divide quotient;
        quotient.m_pythondiv = false;
        return n.gather(numbers, n.make(quotient, {place, n.integer_constant(block)}), at);
    }
    if (own.rank_is_static() && (own.rank() == 0 || (own.is_static() && own.elements() == 1))) {
        return own.rank() == 0 ? numbers : n.reshape(numbers, view<std::int64_t>());
    }
    if (own.rank() != 1) {
        return numbers;
    }
    lpt::integers sizes;
    sizes.resize(n.rank(data), 1);
    sizes[static_cast<std::size_t>(n.axis_of(axis, n.rank(data)))] = -1;
    return n.reshape(numbers, sizes);
}

inline value quantized_value(operation& n, output_ref real, const quantization& how) {
    quantized_tensor tensor{how, real, false, false, {}, {}};
    // A FakeQuantize rounds the number of the level, and what transformations join with it; this is divided and rounded first.
    const graph& model = n.builder().model();
    if (!model[real.node].is<op::constant>() && detail::real_source(model).is_real(real)) {
        const output_ref scale = n.builder().constant(detail::along_axis(how.scale, how.axis, n.rank(real)));
        tensor.real = n.make(op::round{}, {n.make(op::divide{}, {real, scale})});
        tensor.is_counted = true;
    }
    auto made = std::make_shared<quantized_tensor>(std::move(tensor));
    return {&n.reader(), {}, std::move(made), nullptr};
}

/// Whole numbers limited to those of a type of 8 bits: a FakeQuantize, for which there are kernels that give bytes.
inline output_ref in_bytes(operation& n, output_ref whole, element type) {
    op::fake_quantize what;
    what.levels = 256;
    const output_ref least = n.builder().real(facts(type).lowest);
    const output_ref most = n.builder().real(facts(type).highest);
    return n.convert(n.make(what, {n.convert(whole, f32), least, most, least, most}), f32);
}

/// saturate(round_half_even(x / scale) + zero point), written out.
inline output_ref quantize_as_written(operation& n, output_ref x, output_ref scale, output_ref zero_point, element type,
                                      bool has_two_bits = false) {
    output_ref rounded = n.make(op::round{}, {n.make(op::divide{}, {x, scale})});
    if (zero_point) {
        rounded = n.make(op::add{}, {rounded, zero_point});
    }
    if (bit_width(type) == 8) {
        return n.make(op::convert{type}, {in_bytes(n, rounded, type)});
    }
    const double least = has_two_bits && is_signed(type) ? -2 : facts(type).lowest;
    const double most = has_two_bits ? least + 3 : facts(type).highest;
    return n.convert(n.clamp(rounded, least, most), type);
}

inline void read_quantize(operation& n) {
    const std::int64_t axis = n.integer("axis", 1);
    const std::int64_t block = n.integer("block_size", 0);
    const element type = n.has(2) ? n.type(n.in(2)) : n.type_attribute("output_dtype", u8);
    if (!is_integral(type)) {
        n.wrong({"quantizes to ", lpt::name(type), ", which is not supported"});
    }
    output_ref x = n.in(0);
    const element computing =
        n.type_attribute("precision", n.type(n.in(1)) == f32 || !is_real(n.type(x)) ? f32 : n.type(n.in(1)));
    const bool has_two_bits = n.has(2) ? n.value_at(2).has_two_bits : packed_bits(n.integer("output_dtype", 0)) == 2;
    std::optional<quantization> how = known_quantization(n, 1, 2, axis, type);
    if (how && !has_two_bits && block == 0 && n.type(x) == f32 && computing == f32 && bit_width(type) <= 16 &&
        how->scale.dimensions().rank() < 2) {
        check_axis(n, x, *how);
        n.out_value(0, quantized_value(n, x, *how));
        return;
    }
    x = n.convert(x, computing);
    const output_ref scale = broadcast_along(n, n.convert(n.in(1), computing), x, axis, block);
    const output_ref zero = n.has(2) ? broadcast_along(n, n.convert(n.in(2), computing), x, axis, block) : output_ref();
    value result = n.reader().of(quantize_as_written(n, x, scale, zero, type, has_two_bits));
    result.has_two_bits = has_two_bits;
    n.out_value(0, result);
}

/// The real numbers that input `port` stands for with this quantization.
inline output_ref dequantized_input(operation& n, std::size_t port, quantization how) {
    const value x = n.value_at(port);
    if (x.quantized && x.quantized->how == how) {
        return n.reader().real_of(x);
    }
    const output_ref integers = n.reader().plain_of(x);
    check_axis(n, integers, how);
    return detail::dequantized(n.builder(), integers, how, f32);
}

inline void read_dequantize(operation& n) {
    const std::int64_t axis = n.integer("axis", 1);
    const std::int64_t block = n.integer("block_size", 0);
    const value x = n.value_at(0);
    const element type = x.quantized ? x.quantized->how.type : n.type(n.in(0));
    const element result = n.type_attribute("output_dtype", n.type(n.in(1)));
    std::optional<quantization> how = known_quantization(n, 1, 2, axis, type);
    const bool is_bias = type == i32;
    if (how && block == 0 && !is_bias && result == f32 && is_integral(type) && how->scale.dimensions().rank() < 2) {
        n.out(dequantized_input(n, 0, *how));
        return;
    }
    const output_ref integers = n.in(0);
    const output_ref scale = broadcast_along(n, n.convert(n.in(1), result), integers, axis, block);
    output_ref real = n.convert(integers, result);
    if (n.has(2)) {
        const output_ref zero = broadcast_along(n, n.convert(n.in(2), result), integers, axis, block);
        real = n.make(op::subtract{}, {real, zero});
    }
    n.out(n.make(op::multiply{}, {real, scale}));
}

struct dynamically_quantized {
    output_ref bytes;
    output_ref scale;
    output_ref zero_point;  // f32
};

/// Scale and zero point of the range of the data, which always holds 0; the data as u8.
inline dynamically_quantized quantize_by_range(operation& n, output_ref x) {
    const output_ref zero = n.like(x, 0);
    lpt::integers axes;
    for (std::size_t axis = 0; axis < n.rank(x); ++axis) {
        axes.push_back(static_cast<std::int64_t>(axis));
    }
    const output_ref greatest = n.make(op::maximum{}, {n.reduce<op::reduce_max>(x, axes, false), zero});
    const output_ref least = n.make(op::minimum{}, {n.reduce<op::reduce_min>(x, axes, false), zero});
    const output_ref width = n.make(op::subtract{}, {greatest, least});
    const output_ref quotient = n.make(op::divide{}, {width, n.like(x, 255)});
    const output_ref scale = n.make(op::select{}, {n.make(op::equal{}, {quotient, zero}), n.like(x, 1), quotient});
    const output_ref below = n.make(op::divide{}, {n.make(op::subtract{}, {zero, least}), scale});
    const output_ref zero_point = n.clamp(n.make(op::round{}, {below}), 0, 255);
    return {quantize_as_written(n, x, scale, zero_point, u8), scale, zero_point};
}
inline void read_dynamic_quantize(operation& n) {
    const dynamically_quantized made = quantize_by_range(n, n.in(0));
    n.out(0, made.bytes);
    n.out(1, made.scale);
    value zero_point = n.reader().of(n.convert(made.zero_point, u8));
    zero_point.whole = made.zero_point;
    n.out_value(2, zero_point);
}

inline element stored_type_at(operation& n, std::size_t port) {
    const value x = n.value_at(port);
    return x.quantized ? x.quantized->how.type : n.type(n.in(port));
}

/// Dequantizes the tensor at `port` with the scale and zero point at two other ports, which may be known only when the network runs.
inline output_ref real_at(operation& n, std::size_t port, std::size_t scale, std::size_t zero_point,
                          std::int64_t axis = 0) {
    std::optional<quantization> how = known_quantization(n, scale, zero_point, axis, stored_type_at(n, port));
    if (how) {
        how->scale = evaluation::convert_tensor(how->scale, f32);
        return dequantized_input(n, port, *how);
    }
    const output_ref integers = n.in(port);
    output_ref real = n.convert(integers, f32);
    if (n.has(zero_point)) {
        real = n.make(op::subtract{}, {real, broadcast_along(n, n.convert(n.in(zero_point), f32), integers, axis, 0)});
    }
    return n.make(op::multiply{}, {real, broadcast_along(n, n.convert(n.in(scale), f32), integers, axis, 0)});
}

/// Gives a real tensor quantized with the scale and zero point at two ports.
inline void out_quantized(operation& n, output_ref real, std::size_t scale, std::size_t zero_point,
                          element otherwise = u8) {
    const element type = n.has(zero_point) ? n.type(n.in(zero_point)) : otherwise;
    std::optional<quantization> how = known_quantization(n, scale, zero_point, 1, type);
    if (how) {
        how->scale = evaluation::convert_tensor(how->scale, f32);
        n.out_value(0, quantized_value(n, real, *how));
        return;
    }
    const output_ref zero =
        n.has(zero_point) ? broadcast_along(n, n.convert(n.in(zero_point), f32), real, 1, 0) : output_ref();
    const output_ref step = broadcast_along(n, n.convert(n.in(scale), f32), real, 1, 0);
    n.out(quantize_as_written(n, real, step, zero, type));
}

inline constexpr operator_entry quantization_operators[] = {
    {"", "QuantizeLinear", read_quantize},
    {"", "DequantizeLinear", read_dequantize},
    {"", "DynamicQuantizeLinear", read_dynamic_quantize},
    {"com.microsoft", "QuantizeLinear", read_quantize},
    {"com.microsoft", "DequantizeLinear", read_dequantize},
    {"com.microsoft", "DynamicQuantizeLinear", read_dynamic_quantize},
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/convolution.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_CONVOLUTION_HPP
#define LPT_HOLDS_IMPORT_ONNX_CONVOLUTION_HPP
/// Convolutions and matrix products, in real numbers and on integers.
namespace lpt::inline LPT_ABI::onnx {

inline op::auto_pad auto_pad_of(operation& n) {
    const std::string_view word = n.words("auto_pad", "NOTSET");
    if (word == "SAME_UPPER") {
        return op::auto_pad::same_upper;
    }
    if (word == "SAME_LOWER") {
        return op::auto_pad::same_lower;
    }
    if (word != "NOTSET" && word != "VALID" && !word.empty()) {
        n.wrong({"auto_pad '", shown(word), "' is not known"});
    }
    return word == "VALID" ? op::auto_pad::valid : op::auto_pad::explicit_pads;
}

/// Fills what convolutions and pooling have in common from the attributes. Pads come as all beginnings, then all ends.
template <class Window>
void read_window(operation& n, Window& to, std::size_t axes) {
    to.auto_pad = auto_pad_of(n);
    to.strides = n.list("strides");
    to.dilations = n.list("dilations");
    const lpt::integers pads = n.list("pads");
    if (!pads.empty() && pads.size() != 2 * axes) {
        n.wrong({"pads has ", pads.size(), " values for ", axes, " spatial axes"});
    }
    if (to.auto_pad == op::auto_pad::explicit_pads) {
        for (std::size_t i = 0; i < pads.size(); ++i) {
            (i < axes ? to.pads_begin : to.pads_end).push_back(pads[i]);
        }
    }
    for (lpt::integers* each : {&to.strides, &to.dilations, &to.pads_begin, &to.pads_end}) {
        if (each->empty()) {
            each->resize(axes, each == &to.strides || each == &to.dilations ? 1 : 0);
        }
    }
}

/// Weights of a convolution in groups: the first axis in two. Where they are dequantized integers, the integers are seen so.
inline output_ref grouped(operation& n, output_ref weights, std::int64_t groups) {
    const lpt::shape own = n.static_shape(weights);
    if (groups < 1 || own.rank() < 3 || own[0] % groups != 0) {
        n.wrong({"weights of shape ", own, " cannot be in ", groups, " groups"});
    }
    lpt::shape wanted = own;
    wanted[0] = own[0] / groups;
    wanted.insert(0, groups);
    const auto seen = [&](output_ref from, auto&& again) -> output_ref {
        const node& each = n.builder().model()[from.node];
        if (const tensor* known = n.known(from)) {
            if (known->elements() == 1) {
                return from;
            }
            lpt::shape dimensions = known->dimensions();
            if (dimensions.rank() != own.rank() || (dimensions[0] != own[0])) {
                return {};
            }
            dimensions[0] = own[0] / groups;
            dimensions.insert(0, groups);
            return n.builder().constant(tensor(*known, dimensions));
        }
        if (!each.is<op::convert>() && !each.is<op::subtract>() && !each.is<op::multiply>()) {
            return {};
        }
        seq<output_ref, 5> inputs;
        for (std::size_t port = 0; port < each.inputs(); ++port) {
            const output_ref moved = again(each.input(port), again);
            if (!moved) {
                return {};
            }
            inputs.push_back(moved);
        }
        return n.builder().add_node(each.attributes(), inputs);
    };
    const output_ref made = seen(weights, seen);
    return made ? made : n.reshape(weights, wanted.dimensions());
}

/// A bias of one number a channel, as it broadcasts to the output.
inline output_ref with_bias(operation& n, output_ref result, output_ref bias, std::size_t axes) {
    lpt::integers sizes{1, -1};
    for (std::size_t i = 0; i < axes; ++i) {
        sizes.push_back(1);
    }
    return n.make(op::add{}, {result, n.reshape(bias, sizes)});
}

/// A convolution of real numbers in groups of channels.
inline output_ref convolved_in_groups(operation& n, output_ref x, output_ref weights, output_ref bias,
                                      std::int64_t groups) {
    const std::size_t rank = n.rank(weights);
    if (rank < 3) {
        n.wrong({"weights of shape ", n.shape(weights), " have no spatial axes"});
    }
    output_ref result;
    if (groups == 1) {
        op::convolution what;
        read_window(n, what, rank - 2);
        result = n.make(what, {x, weights});
    } else {
        op::group_convolution what;
        read_window(n, what, rank - 2);
        result = n.make(what, {x, grouped(n, weights, groups)});
    }
    return bias ? with_bias(n, result, bias, rank - 2) : result;
}

inline output_ref convolved(operation& n, output_ref x, output_ref weights, output_ref bias) {
    return convolved_in_groups(n, x, weights, bias, n.integer("group", 1));
}

inline void read_convolution(operation& n) { n.out(convolved(n, n.in(0), n.in(1), n.has(2) ? n.in(2) : output_ref())); }

/// The padding that gives an output of the wanted size; what is missing at the end is added there.
template <class Transposed>
void pad_for_size(operation& n, Transposed& to, const lpt::shape& data, const lpt::shape& kernel,
                  const lpt::integers& wanted) {
    const bool upper = to.auto_pad == op::auto_pad::same_upper;
    to.auto_pad = op::auto_pad::explicit_pads;
    for (std::size_t i = 0; i < to.strides.size(); ++i) {
        const checked reach = checked(kernel[kernel.rank() - to.strides.size() + i] - 1) * to.dilations[i];
        const checked whole = checked(data[i + 2] - 1) * to.strides[i] + reach + to.output_padding[i] + 1 - wanted[i];
        if (!whole.is_within(-op::most_step, op::most_step)) {
            n.wrong({"cannot have an output of size ", wanted[i]});
        }
        const std::int64_t total = whole.value();
        if (total < 0) {
            to.output_padding[i] -= total;
        }
        const std::int64_t padding = math::maximum<std::int64_t>(total, 0);
        to.pads_begin[i] = upper ? padding / 2 : padding - padding / 2;
        to.pads_end[i] = padding - to.pads_begin[i];
    }
}

/// Transposed convolution: `output_shape`, or a size of stride times the input's, decides the padding where they are given.
inline void read_transposed_convolution(operation& n) {
    const output_ref x = n.in(0);
    const std::int64_t groups = n.integer("group", 1);
    const std::size_t rank = n.rank(n.in(1));
    const auto fill = [&](auto what, output_ref weights) {
        read_window(n, what, rank - 2);
        what.output_padding = n.list("output_padding");
        if (what.output_padding.empty()) {
            what.output_padding.resize(rank - 2, 0);
        }
        if (what.output_padding.size() != rank - 2 || what.strides.size() != rank - 2 ||
            what.dilations.size() != rank - 2) {
            n.wrong({"strides, dilations and output_padding must have one value for each of ", rank - 2, " axes"});
        }
        lpt::integers wanted = n.list("output_shape");
        while (wanted.size() > rank - 2) {
            wanted.erase(0);
        }
        if (what.auto_pad == op::auto_pad::same_upper || what.auto_pad == op::auto_pad::same_lower) {
            for (std::size_t axis = 2; wanted.size() < rank - 2; ++axis) {
                wanted.push_back(n.static_shape(x)[axis] * what.strides[axis - 2]);
            }
        }
        if (!wanted.empty()) {
            if (wanted.size() != rank - 2 || n.static_shape(x).rank() != rank) {
                n.wrong({"output_shape must have one value for each of ", rank - 2, " axes"});
            }
            pad_for_size(n, what, n.static_shape(x), n.static_shape(n.in(1)), wanted);
        }
        return n.make(what, {x, weights});
    };
    if (rank < 3) {
        n.wrong({"weights of shape ", n.shape(n.in(1)), " have no spatial axes"});
    }
    const output_ref result = groups == 1 ? fill(op::convolution_backprop_data{}, n.in(1))
                                          : fill(op::group_convolution_backprop_data{}, grouped(n, n.in(1), groups));
    n.out(n.has(2) ? with_bias(n, result, n.in(2), rank - 2) : result);
}

/// alpha * A * B + beta * C, with A and B perhaps transposed. Transposing is left to the product.
inline void read_gemm(operation& n) {
    op::mat_mul what;
    what.transpose_a = n.flag("transA");
    what.transpose_b = n.flag("transB");
    output_ref result = n.make(what, {n.in(0), n.in(1)});
    if (const double alpha = n.real("alpha", 1); alpha != 1) {
        result = n.make(op::multiply{}, {result, n.like(result, alpha)});
    }
    if (n.has(2)) {
        output_ref addend = n.in(2);
        if (const double beta = n.real("beta", 1); beta != 1) {
            addend = n.make(op::multiply{}, {addend, n.like(addend, beta)});
        }
        result = n.make(op::add{}, {result, addend});
    }
    n.out(result);
}

/// Integers are multiplied as numbers that hold them exactly.
inline void read_mat_mul(operation& n) {
    const element type = n.type(n.in(0));
    if (!is_integral(type)) {
        n.out(n.make(op::mat_mul{}, {n.in(0), n.in(1)}));
        return;
    }
    const output_ref product = n.make(op::mat_mul{}, {n.convert(n.in(0), f64), n.convert(n.in(1), f64)});
    n.out(n.convert(product, type));
}

/// The bias of a quantized operator: integers whose unit is the product of the scales of data and weights.
inline output_ref bias_of(operation& n, std::size_t port, std::size_t data_scale, std::size_t weight_scale) {
    if (!n.has(port)) {
        return {};
    }
    const output_ref unit =
        n.make(op::multiply{}, {n.convert(n.in(data_scale), f32), n.convert(n.in(weight_scale), f32)});
    const output_ref flat = n.reshape(unit, {-1});
    return n.make(op::multiply{}, {n.convert(n.in(port), f32), flat});
}

inline void read_quantized_convolution(operation& n) {
    const output_ref x = real_at(n, 0, 1, 2);
    const output_ref weights = real_at(n, 3, 4, 5, 0);
    out_quantized(n, convolved(n, x, weights, bias_of(n, 8, 1, 4)), 6, 7);
}

inline void read_quantized_product(operation& n) {
    const output_ref a = real_at(n, 0, 1, 2, -2);
    const output_ref b = real_at(n, 3, 4, 5, -1);
    out_quantized(n, n.make(op::mat_mul{}, {a, b}), 6, 7);
}

inline constexpr operator_entry convolution_operators[] = {
    {"", "Conv", read_convolution},
    {"", "ConvTranspose", read_transposed_convolution},
    {"", "Gemm", read_gemm},
    {"", "MatMul", read_mat_mul},
    {"", "QLinearConv", read_quantized_convolution},
    {"", "QLinearMatMul", read_quantized_product},
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/attention.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_ATTENTION_HPP
#define LPT_HOLDS_IMPORT_ONNX_ATTENTION_HPP
/// Attention and what language models have around it.
namespace lpt::inline LPT_ABI::onnx {

/// [batch, length, heads * size] as [batch, heads, length, size].
inline output_ref heads_apart(operation& n, output_ref x, std::int64_t heads) {
    if (heads <= 0) {
        n.wrong({"needs the numbers of heads for inputs of three axes"});
    }
    const dimension width = n.size_of(x, 2);
    const std::int64_t size = width == dynamic_dimension ? -1 : width / heads;
    return n.transpose(n.reshape(x, {0, 0, heads, size}, true), {0, 2, 1, 3});
}
inline output_ref heads_together(operation& n, output_ref x) {
    return n.reshape(n.transpose(x, {0, 2, 1, 3}), {0, 0, -1}, true);
}

/// Each head `times` times, one after the other.
inline output_ref repeated_heads(operation& n, output_ref x, std::int64_t times) {
    if (times == 1) {
        return x;
    }
    op::broadcast what;
    what.mode = op::broadcast_mode::bidirectional;
    const output_ref apart = n.unsqueeze(x, {2});
    const output_ref wide = n.make(what, {apart, n.indices({1, 1, times, 1, 1})}, 3);
    const lpt::shape& own = n.shape(x);
    return n.reshape(
        wide, {0, own[1] == dynamic_dimension ? -1 : own[1] * times, own[2] == dynamic_dimension ? -1 : own[2], own[3]},
        true);
}

/// Which keys a query may look at: boolean masks that must all hold, and numbers that are added.
struct attention_mask {
    output_ref allowed;
    output_ref added;

    void require(operation& n, output_ref condition) {
        allowed = allowed ? n.make(op::logical_and{}, {allowed, condition}) : condition;
    }
    /// 0 or the numbers where allowed, minus infinity elsewhere.
    output_ref bias(operation& n, output_ref like) const {
        const output_ref numbers = added ? added : n.like(like, 0);
        return allowed ? n.make(op::select{}, {allowed, numbers, n.like(like, -math::infinity)}) : numbers;
    }
};

inline attention_mask read_attention_mask(operation& n, output_ref query, output_ref key, output_ref past) {
    attention_mask mask;
    const output_ref columns = n.counted(n.size_along(key, 2));
    const output_ref rows = n.unsqueeze(n.counted(n.size_along(query, 2)), {1});
    if (n.has(3)) {
        output_ref given = n.in(3);
        const bool is_condition = n.type(given) == boolean;
        const dimension width = n.size_of(given, n.rank(given) - 1);
        const dimension wanted = n.shape(key)[2];
        if (width != wanted && width != 1 && width != dynamic_dimension && wanted != dynamic_dimension) {
            lpt::integers begin;
            begin.resize(n.rank(given), 0);
            lpt::integers end = begin;
            end[end.size() - 1] = wanted - width;
            const output_ref filling = is_condition ? n.like(given, 0) : n.like(given, -math::infinity);
            given = n.make(op::pad{}, {given, n.indices(begin), n.indices(end), filling}, 12);
        }
        if (is_condition) {
            mask.require(n, given);
        } else {
            mask.added = n.convert(given, n.type(query));
        }
    }
    const std::int64_t left = n.integer("left_window_size", -1);
    const std::int64_t right = n.integer("right_window_size", -1);
    output_ref offset = past ? n.size_along(past, 2) : n.indices({0});
    if (n.has(6)) {
        const output_ref lengths = n.reshape(n.convert(n.in(6), i64), {-1, 1, 1, 1});
        mask.require(n, n.make(op::less{}, {columns, lengths}));
        offset = n.make(op::subtract{}, {lengths, n.size_along(query, 2)});
    }
    const output_ref place = n.make(op::add{}, {rows, offset});
    if (n.flag("is_causal")) {
        mask.require(n, n.make(op::less_equal{}, {columns, place}));
    }
    if (left >= 0) {
        mask.require(n,
                     n.make(op::greater_equal{}, {columns, n.make(op::subtract{}, {place, n.integer_constant(left)})}));
    }
    if (right >= 0) {
        mask.require(n, n.make(op::less_equal{}, {columns, n.make(op::add{}, {place, n.integer_constant(right)})}));
    }
    return mask;
}

/// Softmax of scores with a bias; rows that may look at nothing are 0.
inline output_ref masked_softmax(operation& n, output_ref scores, output_ref bias, bool may_be_empty) {
    const output_ref result = n.softmax(scores, -1);
    if (!may_be_empty) {
        return result;
    }
    const output_ref most = n.reduce<op::reduce_max>(bias, {-1});
    const output_ref empty = n.make(op::equal{}, {most, n.like(bias, -math::infinity)});
    return n.make(op::select{}, {empty, n.like(result, 0), result});
}

inline void read_attention(operation& n) {
    const element type = n.type(n.in(0));
    const bool packed = n.rank(n.in(0)) == 3;
    const std::int64_t query_heads = n.integer("q_num_heads", 0);
    const std::int64_t key_heads = n.integer("kv_num_heads", 0);
    const auto part = [&](std::size_t port, std::int64_t heads) {
        return packed ? heads_apart(n, n.in(port), heads) : n.in(port);
    };
    output_ref query = part(0, query_heads);
    output_ref key = part(1, key_heads);
    output_ref values = part(2, key_heads);
    if (n.has(4)) {
        key = n.concat({n.in(4), key}, 2);
    }
    if (n.has(5)) {
        values = n.concat({n.in(5), values}, 2);
    }
    for (const output_ref each : {query, key, values}) {
        if (n.rank(each) != 4) {
            n.wrong({"needs queries, keys and values of 3 or 4 axes, not ", n.shape(each)});
        }
    }
    n.out(1, key);
    n.out(2, values);
    const dimension size = n.shape(query)[3];
    double scale = n.real("scale", 0);
    if (!n.has_attribute("scale")) {
        if (size == dynamic_dimension) {
            n.wrong({"needs to know the size of a head"});
        }
        scale = 1 / math::sqrt(static_cast<double>(size));
    }
    const output_ref past = n.has(4) ? n.in(4) : output_ref();
    const element computing = type == f64 ? f64 : f32;
    query = n.convert(query, computing);
    const attention_mask mask = read_attention_mask(n, query, key, past);
    const std::int64_t groups = n.shape(query)[1] / math::maximum<std::int64_t>(n.shape(key)[1], 1);
    key = n.convert(repeated_heads(n, key, groups), computing);
    values = n.convert(repeated_heads(n, values, groups), computing);
    const double cap = n.real("softcap", 0);
    output_ref result;
    if (!mask.allowed && !mask.added && cap <= 0 && !n.wants(3)) {
        const output_ref none = n.builder().real(0, computing);
        result = n.make(op::scaled_dot_product_attention{}, {query, key, values, none, n.like(query, scale)});
    } else {
        const output_ref root = n.like(query, math::sqrt(scale));
        op::mat_mul product;
        product.transpose_b = true;
        output_ref scores =
            n.make(product, {n.make(op::multiply{}, {query, root}), n.make(op::multiply{}, {key, root})});
        const output_ref plain = scores;
        if (cap > 0) {
            const output_ref small = n.make(op::tanh{}, {n.make(op::divide{}, {scores, n.like(scores, cap)})});
            scores = n.make(op::multiply{}, {small, n.like(scores, cap)});
        }
        const output_ref bias = mask.bias(n, scores);
        const output_ref biased = n.make(op::add{}, {scores, bias});
        const output_ref weights = masked_softmax(n, biased, bias, mask.allowed || mask.added);
        const output_ref stages[] = {plain, scores, biased, weights};
        const std::int64_t mode = n.integer("qk_matmul_output_mode", 0);
        if (mode < 0 || mode > 3) {
            n.wrong({"qk_matmul_output_mode must be 0 to 3, not ", mode});
        }
        if (n.wants(3)) {
            n.out(3, n.convert(stages[mode], type));
        }
        result = n.make(op::mat_mul{}, {weights, values});
    }
    result = n.convert(result, type);
    n.out(0, packed ? heads_together(n, result) : result);
}

/// The pairs of numbers in heads, [batch, heads, length, size], turned by angles of these cosines and sines, [batch or 1, 1, length, pairs].
inline output_ref turned_pairs(operation& n, output_ref apart, output_ref cosine, output_ref sine) {
    const dimension size = n.size_of(apart, 3);
    if (size == dynamic_dimension) {
        n.wrong({"needs to know the size of a head"});
    }
    std::int64_t turned = n.integer("rotary_embedding_dim", 0);
    turned = turned == 0 ? size : turned;
    const bool interleaved = n.flag("interleaved");
    const output_ref first = interleaved ? n.slice(apart, 3, 0, turned, 2) : n.slice(apart, 3, 0, turned / 2);
    const output_ref second = interleaved ? n.slice(apart, 3, 1, turned, 2) : n.slice(apart, 3, turned / 2, turned);
    const output_ref real =
        n.make(op::subtract{}, {n.make(op::multiply{}, {cosine, first}), n.make(op::multiply{}, {sine, second})});
    const output_ref imaginary =
        n.make(op::add{}, {n.make(op::multiply{}, {sine, first}), n.make(op::multiply{}, {cosine, second})});
    output_ref result;
    if (interleaved) {
        const output_ref pairs = n.concat({n.unsqueeze(real, {4}), n.unsqueeze(imaginary, {4})}, 4);
        result = n.reshape(pairs, {0, 0, 0, turned}, true);
    } else {
        result = n.concat({real, imaginary}, 3);
    }
    if (turned != size) {
        result = n.concat({result, n.slice(apart, 3, turned, size)}, 3);
    }
    return result;
}

/// The pairs of numbers in a head are turned by angles, whose cosines and sines are given by position.
inline void read_rotary_embedding(operation& n) {
    const output_ref x = n.in(0);
    const bool packed = n.rank(x) == 3;
    const output_ref apart = packed ? heads_apart(n, x, n.integer("num_heads", 0)) : x;
    const auto cache = [&](std::size_t port) {
        const output_ref by_place = n.has(3) ? n.gather(n.in(port), n.in(3), 0) : n.in(port);
        return n.unsqueeze(by_place, {1});
    };
    const output_ref result = turned_pairs(n, apart, cache(1), cache(2));
    n.out(packed ? heads_together(n, result) : result);
}

/// Swish of the first input times the second.
inline void read_swiglu(operation& n) {
    const output_ref a = n.in(0);
    const double alpha = n.real("alpha", 1);
    const output_ref gate = n.make(op::sigmoid{}, {n.make(op::multiply{}, {a, n.like(a, alpha)})});
    n.out(n.make(op::multiply{}, {n.make(op::multiply{}, {a, gate}), n.in(1)}));
}

/// A convolution of each channel with what came before it; the last places are kept for the next call.
inline void read_causal_convolution(operation& n) {
    const output_ref x = n.in(0);
    const output_ref weights = n.in(1);
    const lpt::shape own = n.static_shape(weights);
    if (own.rank() != 3) {
        n.wrong({"weights must have three axes, not shape ", own});
    }
    const std::int64_t before = own[2] - 1;
    output_ref whole;
    if (n.has(3)) {
        whole = n.concat({n.in(3), x}, 2);
    } else {
        whole = n.make(op::pad{}, {x, n.indices({0, 0, before}), n.indices({0, 0, 0}), n.like(x, 0)}, 12);
    }
    op::group_convolution what;
    what.strides = {1};
    what.dilations = {1};
    what.pads_begin = {0};
    what.pads_end = {0};
    output_ref result = n.make(what, {whole, n.unsqueeze(weights, {1})});
    result = n.has(2) ? with_bias(n, result, n.in(2), 1) : result;
    const std::string_view activation = n.words("activation", "none");
    if (activation == "silu" || activation == "swish") {
        result = n.make(op::multiply{}, {result, n.make(op::sigmoid{}, {result})});
    } else if (activation != "none") {
        n.wrong({"activation '", shown(activation), "' is not known"});
    }
    n.out(0, result);
    const output_ref length = n.size_along(whole, 2);
    const output_ref begin = n.make(op::subtract{}, {length, n.indices({before})});
    n.out(1, n.make(op::slice{}, {whole, begin, length, n.indices({1}), n.indices({2})}));
}

/// Attention without softmax: a state of each head that every place in turn decays, corrects, adds to and reads.
inline void read_linear_attention(operation& n) {
    const element type = n.type(n.in(0));
    const std::int64_t heads = n.integer("kv_num_heads", 0);
    const std::int64_t groups = heads == 0 ? 1 : n.integer("q_num_heads", 0) / heads;
    const auto part = [&](std::size_t port, std::int64_t count) {
        return n.convert(heads_apart(n, n.in(port), count), f32);
    };
    const output_ref query = part(0, n.integer("q_num_heads", 0));
    const output_ref key = part(1, heads);
    const output_ref values = part(2, heads);
    const lpt::shape rows = n.static_shape(key);
    const std::string_view rule = n.words("update_rule", "gated_delta");
    const bool decays = rule == "gated" || rule == "gated_delta";
    const bool corrects = rule == "delta" || rule == "gated_delta";
    const output_ref decay = decays ? part(4, heads) : output_ref();
    const output_ref beta = corrects ? part(5, n.size_of(n.in(5), 2) == 1 ? 1 : heads) : output_ref();
    constexpr std::int64_t most_places = 512;
    if (rows[2] > most_places) {
        n.wrong({"has ", rows[2], " places, more than ", most_places});
    }
    const double given = n.real("scale", 0);
    const double scale = given == 0 ? 1 / math::sqrt(static_cast<double>(rows[3])) : given;
    const output_ref sizes = n.indices({rows[0], heads, rows[3], n.static_shape(values)[3]});
    output_ref state = n.has(3) ? n.convert(n.in(3), f32) : n.broadcast(n.builder().real(0), sizes);
    seq<output_ref> results;
    const auto at = [&](output_ref from, std::int64_t place) { return n.slice(from, 2, place, place + 1); };
    for (std::int64_t place = 0; place < rows[2]; ++place) {
        const output_ref column = n.transposed(at(key, place));
        output_ref addend = at(values, place);
        if (decays) {
            state = n.make(op::multiply{}, {state, n.transposed(n.make(op::exp{}, {at(decay, place)}))});
        }
        if (corrects) {
            const output_ref read = n.make(op::mat_mul{}, {at(key, place), state});
            addend = n.make(op::multiply{}, {at(beta, place), n.make(op::subtract{}, {addend, read})});
        }
        state = n.make(op::add{}, {state, n.make(op::multiply{}, {column, addend})});
        results.push_back(n.make(op::mat_mul{}, {at(query, place), repeated_heads(n, state, groups)}));
    }
    const output_ref all = n.make(op::multiply{}, {n.concat(results, 2), n.builder().real(scale)});
    n.out(0, n.convert(heads_together(n, all), type));
    n.out(1, n.convert(state, n.has(3) ? n.type(n.in(3)) : type));
}

inline constexpr operator_entry attention_operators[] = {
    {"", "Attention", read_attention},
    {"", "RotaryEmbedding", read_rotary_embedding},
    {"", "SwiGLU", read_swiglu},
    {"", "CausalConvWithState", read_causal_convolution},
    {"", "LinearAttention", read_linear_attention},
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/bits.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_BITS_HPP
#define LPT_HOLDS_IMPORT_ONNX_BITS_HPP
/// Bits of numbers seen as numbers of another type.
namespace lpt::inline LPT_ABI::onnx {

/// The fields of a real number: a sign, an exponent, a fraction.
struct real_format {
    int exponent_bits = 0;
    int fraction_bits = 0;

    static real_format of(element type) {
        switch (type) {
            case f16: return {5, 10};
            case bf16: return {8, 7};
            case f32: return {8, 23};
            default: return {11, 52};
        }
    }
    int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    std::int64_t exponents() const { return std::int64_t{1} << exponent_bits; }
    std::int64_t fractions() const { return std::int64_t{1} << fraction_bits; }
    /// The sign, as it is added to the other bits.
    std::int64_t sign() const {
        return fraction_bits == 52 ? INT64_MIN : std::int64_t{1} << (exponent_bits + fraction_bits);
    }
};

/// The bits of real numbers as integers i64, by arithmetic that is exact. Any NaN gives those of the quiet one without a sign.
inline output_ref bits_of_reals(operation& n, output_ref given) {
    const real_format format = real_format::of(n.type(given));
    const auto real = [&](double value) { return n.builder().real(value, f64); };
    const auto choose = [&](output_ref condition, output_ref yes, output_ref no) {
        return n.make(op::select{}, {condition, yes, no});
    };
    const auto times = [&](output_ref x, int power) {
        return n.make(op::multiply{}, {x, real(std::ldexp(1.0, power))});
    };
    const output_ref x = n.convert(given, f64);
    const output_ref size = n.make(op::abs{}, {x});
    const output_ref inverse = n.make(op::divide{}, {real(1), x});  // of -0 it has a sign
    const output_ref is_negative = n.make(op::less{}, {choose(n.make(op::equal{}, {x, real(0)}), inverse, x), real(0)});
    output_ref significand = size;  // becomes 1 to 2
    output_ref exponent = n.integer_constant(0);
    for (const bool is_large : {true, false}) {
        for (int step = 1 << (format.exponent_bits - 2); step > 0; step /= 2) {
            const output_ref here = is_large ? n.make(op::greater_equal{}, {significand, real(std::ldexp(1.0, step))})
                                             : n.make(op::less{}, {significand, real(std::ldexp(1.0, 1 - step))});
            significand = choose(here, times(significand, is_large ? -step : step), significand);
            exponent =
                n.make(op::add{},
                       {exponent, choose(here, n.integer_constant(is_large ? step : -step), n.integer_constant(0))});
        }
    }
    const output_ref fraction =
        n.convert(times(n.make(op::subtract{}, {significand, real(1)}), format.fraction_bits), i64);
    const output_ref field = n.make(op::add{}, {exponent, n.integer_constant(format.bias())});
    const output_ref normal =
        n.make(op::add{}, {n.make(op::multiply{}, {field, n.integer_constant(format.fractions())}), fraction});
    // Two factors, as their product may be larger than a number can be.
    const int to_whole = format.bias() - 1 + format.fraction_bits;
    const output_ref small = n.convert(times(times(size, to_whole / 2), to_whole - to_whole / 2), i64);
    const output_ref is_small = n.make(op::less{}, {size, real(std::ldexp(1.0, 1 - format.bias()))});
    const std::int64_t infinity = (format.exponents() - 1) * format.fractions();
    const output_ref is_infinite = n.make(op::equal{}, {size, real(math::infinity)});
    output_ref bits = choose(is_infinite, n.integer_constant(infinity), choose(is_small, small, normal));
    bits = choose(is_negative, n.make(op::add{}, {bits, n.integer_constant(format.sign())}), bits);
    const output_ref is_number = n.make(op::equal{}, {x, x});
    return choose(is_number, bits, n.integer_constant(infinity + format.fractions() / 2));
}

/// Integers of as many bits as a real type has as the numbers of that type with these bits. Any NaN is the quiet one.
inline output_ref reals_of_bits(operation& n, output_ref given, element type) {
    const real_format format = real_format::of(type);
    const int width = bit_width(type);
    const output_ref bits = n.convert(n.convert(given, width == 64 ? i64 : width == 32 ? i32 : i16), i64);
    const auto choose = [&](output_ref condition, output_ref yes, output_ref no) {
        return n.make(op::select{}, {condition, yes, no});
    };
    const output_ref zero = n.integer_constant(0);
    const output_ref is_negative = n.make(op::less{}, {bits, zero});
    const output_ref rest = choose(is_negative, n.make(op::add{}, {bits, n.integer_constant(format.sign())}), bits);
    const output_ref fractions = n.integer_constant(format.fractions());
    const output_ref field = n.make(op::divide{}, {rest, fractions});
    const output_ref fraction = n.make(op::subtract{}, {rest, n.make(op::multiply{}, {field, fractions})});
    seq<double> powers;
    for (std::int64_t i = 0; i + 1 < format.exponents(); ++i) {
        const int exponent = static_cast<int>(i == 0 ? 1 : i) - format.bias() - format.fraction_bits;
        powers.push_back(std::ldexp(1.0, exponent));
    }
    powers.push_back(1);
    const output_ref table = n.builder().constant(
        make_tensor(f64, lpt::shape{static_cast<dimension>(powers.size())}, {powers.data(), powers.size()}));
    const output_ref whole = n.make(op::add{}, {fraction, choose(n.make(op::equal{}, {field, zero}), zero, fractions)});
    output_ref size = n.make(op::multiply{}, {n.convert(whole, f64), n.gather(table, field, 0)});
    const output_ref beyond = choose(n.make(op::equal{}, {fraction, zero}), n.builder().real(math::infinity, f64),
                                     n.builder().real(math::not_a_number, f64));
    size = choose(n.make(op::equal{}, {field, n.integer_constant(format.exponents() - 1)}), beyond, size);
    return n.convert(choose(is_negative, n.make(op::negative{}, {size}), size), type);
}

inline void read_bit_cast(operation& n) {
    const output_ref x = n.in(0);
    const element from = n.type(x);
    const element to = known_element_of(n.integer("to", 0), n.builder());
    const bool has_fields = bit_width(from) >= 16;
    if (bit_width(from) != bit_width(to) || ((is_real(from) || is_real(to)) && !has_fields)) {
        n.wrong({"bits of ", lpt::name(from), " as ", lpt::name(to), " are not supported"});
    }
    const output_ref bits = is_real(from) && from != to ? bits_of_reals(n, x) : x;
    n.out(is_real(to) && from != to ? reals_of_bits(n, bits, to) : n.convert(bits, to));
}

inline constexpr operator_entry bit_operators[] = {
    {"", "BitCast", read_bit_cast},
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/pooling.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_POOLING_HPP
#define LPT_HOLDS_IMPORT_ONNX_POOLING_HPP
/// Pooling and resizing.
namespace lpt::inline LPT_ABI::onnx {

template <class Pool>
void read_pool_window(operation& n, Pool& to) {
    to.kernel = n.list("kernel_shape");
    if (to.kernel.empty()) {
        n.wrong({"has no kernel_shape"});
    }
    read_window(n, to, to.kernel.size());
    if (n.flag("ceil_mode")) {
        to.rounding_type = op::rounding_type::ceil_torch;
    }
}

/// Places that count over a tensor as if the first of the axes behind the channels changed fastest.
inline output_ref first_axis_fastest(operation& n, output_ref places, const lpt::shape& sizes) {
    std::int64_t image = 1;
    for (std::size_t axis = 2; axis < sizes.rank(); ++axis) {
        image *= sizes[axis];
    }
    const auto number = [&](std::int64_t value) { return n.integer_constant(value); };
    output_ref rest = n.make(op::floor_mod{}, {places, number(image)});
    output_ref result = n.make(op::subtract{}, {places, rest});
    std::int64_t step = image;
    for (std::size_t axis = sizes.rank(); axis-- > 2;) {
        step /= sizes[axis];
        const output_ref along = n.make(op::floor_mod{}, {rest, number(sizes[axis])});
        result = n.make(op::add{}, {result, n.make(op::multiply{}, {along, number(step)})});
        rest = n.make(op::divide{}, {rest, number(sizes[axis])});
    }
    return result;
}

inline void read_max_pool(operation& n) {
    op::max_pool what;
    read_pool_window(n, what);
    what.index_element_type = i64;
    // Places count over the whole tensor.
    what.axis = 0;
    const output_ref x = n.in(0);
    bool plain = !n.wants(1);
    for (const std::int64_t dilation : what.dilations) {
        plain = plain && dilation == 1;
    }
    if (plain && what.rounding_type == op::rounding_type::floor) {
        what.dilations = {};
        n.out(n.make_node(what, {x}, 1));
        return;
    }
    const node_id made = n.make_node(what, {x}, 14);
    n.out(0, made);
    n.out(1, n.flag("storage_order") ? first_axis_fastest(n, output_ref(made, 1), n.static_shape(x))
                                     : output_ref(made, 1));
}

inline void read_average_pool(operation& n) {
    op::avg_pool what;
    read_pool_window(n, what);
    what.exclude_pad = !n.flag("count_include_pad");
    bool plain = what.rounding_type == op::rounding_type::floor;
    for (const std::int64_t dilation : what.dilations) {
        plain = plain && dilation == 1;
    }
    if (plain) {
        what.dilations = {};
    }
    n.out(n.make_node(what, {n.in(0)}, plain ? 1 : 16));
}

/// The axes behind batch and channels.
inline lpt::integers spatial_axes(operation& n, output_ref x) {
    lpt::integers axes;
    for (std::size_t axis = 2; axis < n.rank(x); ++axis) {
        axes.push_back(static_cast<std::int64_t>(axis));
    }
    return axes;
}
template <class Reduction>
void read_global_pool(operation& n) {
    n.out(n.reduce<Reduction>(n.in(0), spatial_axes(n, n.in(0)), true));
}

/// (sum of |x|^p)^(1/p) over the axes.
inline output_ref norm_of(operation& n, output_ref x, double p, view<std::int64_t> axes) {
    if (p == 1) {
        return n.reduce<op::reduce_l1>(x, axes, true);
    }
    if (p == 2) {
        return n.reduce<op::reduce_l2>(x, axes, true);
    }
    const output_ref powers = n.make(op::power{}, {n.make(op::abs{}, {x}), n.like(x, p)});
    return n.make(op::power{}, {n.reduce<op::reduce_sum>(powers, axes, true), n.like(x, 1 / p)});
}
inline double norm_degree(operation& n) { return static_cast<double>(n.integer("p", 2)); }

inline void read_global_lp_pool(operation& n) { n.out(norm_of(n, n.in(0), norm_degree(n), spatial_axes(n, n.in(0)))); }

/// The mean of |x|^p in each window, times its size, to the power of 1 / p.
inline void read_lp_pool(operation& n) {
    op::avg_pool what;
    read_pool_window(n, what);
    const output_ref x = n.in(0);
    const double p = norm_degree(n);
    double size = 1;
    for (const std::int64_t each : what.kernel) {
        size *= static_cast<double>(each);
    }
    const output_ref powers = n.make(op::power{}, {n.make(op::abs{}, {x}), n.like(x, p)});
    const output_ref sum = n.make(op::multiply{}, {n.make_node(what, {powers}, 16), n.like(x, size)});
    n.out(n.make(op::power{}, {sum, n.like(x, 1 / p)}));
}

/// Fills the interpolation's attributes from those of Resize.
inline op::interpolate resize_attributes(operation& n) {
    op::interpolate what;
    const std::string_view mode = n.words("mode", "nearest");
    const std::string_view place =
        n.words("coordinate_transformation_mode", n.version() < 11 ? "asymmetric" : "half_pixel");
    const std::string_view nearest = n.words("nearest_mode", n.version() < 11 ? "floor" : "round_prefer_floor");
    const auto find = [&](auto words, std::string_view word, text_view attribute) {
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (words[i] == shown(word)) {
                return i;
            }
        }
        n.wrong({attribute, " '", shown(word), "' is not supported"});
    };
    what.mode = mode == "linear" ? op::interpolate_mode::linear_onnx
                                 : static_cast<op::interpolate_mode>(find(words_of(what.mode), mode, "mode"));
    what.coordinate_transformation_mode = static_cast<op::coordinate_transformation_mode>(
        find(words_of(what.coordinate_transformation_mode), place, "coordinate_transformation_mode"));
    what.nearest_mode = static_cast<op::nearest_mode>(find(words_of(what.nearest_mode), nearest, "nearest_mode"));
    what.cube_coeff = n.real("cubic_coeff_a", -0.75);
    what.antialias = n.flag("antialias");
    return what;
}

inline void read_resize(operation& n) {
    op::interpolate what = resize_attributes(n);
    const output_ref x = n.in(0);
    const std::size_t scales_port = n.version() < 11 ? 1 : 2;
    lpt::integers axes = n.list("axes");
    if (axes.empty()) {
        for (std::size_t axis = 0; axis < n.rank(x); ++axis) {
            axes.push_back(static_cast<std::int64_t>(axis));
        }
    }
    for (std::int64_t& axis : axes) {
        axis = n.axis_of(axis, n.rank(x));
    }
    const bool by_sizes = n.version() >= 11 && n.has(3);
    const std::vector<float> stored = n.version() < 9 ? n.reals("scales") : std::vector<float>();  // of Upsample
    if (!by_sizes && !n.has(scales_port) && stored.empty()) {
        n.wrong({"has neither scales nor sizes"});
    }
    output_ref target;
    if (stored.empty()) {
        target = by_sizes ? n.in(3) : n.in(scales_port);
    } else {
        seq<double> scales;
        for (const float each : stored) {
            scales.push_back(static_cast<double>(each));
        }
        target = n.builder().constant(make_tensor(f32, lpt::shape{static_cast<dimension>(scales.size())}, scales));
    }
    // Axes that keep their size are left out: fewer axes are interpolated faster, and more kinds of interpolation take them.
    if (const tensor* known = n.known(target); known != nullptr && n.shape(x).is_static()) {
        lpt::integers kept;
        seq<double> values;
        for (std::size_t i = 0; i < axes.size() && i < known->elements(); ++i) {
            const auto size = static_cast<double>(n.shape(x)[static_cast<std::size_t>(axes[i])]);
            if (known->real(i) != (by_sizes ? size : 1.0)) {
                kept.push_back(axes[i]);
                values.push_back(known->real(i));
            }
        }
        if (kept.empty()) {
            return n.out(x);
        }
        target = n.builder().constant(
            make_tensor(by_sizes ? i64 : f32, lpt::shape{static_cast<dimension>(kept.size())}, values));
        axes = kept;
    }
    const output_ref none = by_sizes ? n.builder().constant(make_tensor(
                                           f32, lpt::shape{static_cast<dimension>(axes.size())}, view<double>({1.0})))
                                     : n.indices(lpt::integers(axes.size(), 1));
    what.shape_calculation_mode = by_sizes ? op::shape_calculation_mode::sizes : op::shape_calculation_mode::scales;
    const output_ref sizes = by_sizes ? n.convert(target, i64) : none;
    const output_ref scales = by_sizes ? none : target;
    n.out(n.make(what, {x, sizes, scales, n.indices(axes)}, 4));
}

inline constexpr operator_entry pooling_operators[] = {
    {"", "MaxPool", read_max_pool, true},
    {"", "AveragePool", read_average_pool},
    {"", "GlobalAveragePool", read_global_pool<op::reduce_mean>},
    {"", "GlobalMaxPool", read_global_pool<op::reduce_max>, true},
    {"", "GlobalLpPool", read_global_lp_pool},
    {"", "LpPool", read_lp_pool},
    {"", "Upsample", read_resize},
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/resampling.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_RESAMPLING_HPP
#define LPT_HOLDS_IMPORT_ONNX_RESAMPLING_HPP
/// Resampling: Resize in all its forms, and at places that another tensor gives.
namespace lpt::inline LPT_ABI::onnx {

/// What Resize does along one axis.
struct resampled_axis {
    std::int64_t axis = 0;
    std::int64_t size = 0;      // of the input
    std::int64_t wanted = 0;    // of the output
    double scale = 1;
    double begin = 0;           // of the region that tf_crop_and_resize takes, as parts of the axis
    double end = 1;
};

/// The place in the input of place `i` of the output.
inline double place_in_input(std::string_view mode, const resampled_axis& one, double i) {
    const auto size = static_cast<double>(one.size);
    const double length = size * one.scale;
    if (mode == "asymmetric") {
        return i / one.scale;
    }
    if (mode == "align_corners") {
        return length <= 1 ? 0 : i * (size - 1) / (length - 1);
    }
    if (mode == "tf_crop_and_resize") {
        const auto wanted = static_cast<double>(one.wanted);
        return wanted > 1 ? one.begin * (size - 1) + i * (one.end - one.begin) * (size - 1) / (wanted - 1)
                          : 0.5 * (one.begin + one.end) * (size - 1);
    }
    if (mode == "pytorch_half_pixel" && length <= 1) {
        return 0;
    }
    const double place = (i + 0.5) / one.scale - 0.5;
    if (mode == "half_pixel_symmetric") {
        return size / 2 * (1 - static_cast<double>(one.wanted) / length) + place;
    }
    return place;
}

inline double cubic_weight(double distance, double a) {
    const double t = math::absolute(distance);
    if (t <= 1) {
        return ((a + 2) * t - (a + 3)) * t * t + 1;
    }
    return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
}

/// The weights of input elements for one place: taps beside it, spread out where an axis shrinks and `antialias` is set.
inline void add_weights(operation& n, const resampled_axis& one, double place, double* row) {
    const bool cubic = n.words("mode", "nearest") == "cubic";
    const double shrink = n.flag("antialias") ? math::minimum(one.scale, 1.0) : 1.0;
    const double reach = (cubic ? 2 : 1) / shrink;
    const double a = n.real("cubic_coeff_a", -0.75);
    const double below = math::floor(place);
    const auto first = static_cast<std::int64_t>(math::floor(-reach)) + 1;
    const std::int64_t last = 1 - first;
    double sum = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (std::int64_t tap = first; tap <= last; ++tap) {
            const double distance = (static_cast<double>(tap) - (place - below)) * shrink;
            double weight = cubic ? cubic_weight(distance, a) : math::maximum(0.0, 1 - math::absolute(distance));
            const std::int64_t at = static_cast<std::int64_t>(below) + tap;
            if (n.flag("exclude_outside") && (at < 0 || at >= one.size)) {
                weight = 0;
            }
            if (pass == 0) {
                sum += weight;
            } else if (sum != 0) {
                row[math::maximum<std::int64_t>(0, math::minimum(at, one.size - 1))] += weight / sum;
            }
        }
    }
}

inline double nearest_place(operation& n, double place) {
    const std::string_view mode = n.words("nearest_mode", n.version() < 11 ? "floor" : "round_prefer_floor");
    if (mode == "round_prefer_floor") {
        return math::ceil(place - 0.5);
    }
    if (mode == "round_prefer_ceil") {
        return math::floor(place + 0.5);
    }
    return mode == "floor" ? math::floor(place) : math::ceil(place);
}

/// Resamples one axis as a gather or a product with a matrix, and takes a number instead for what lies outside.
inline output_ref resampled(operation& n, output_ref x, const resampled_axis& one) {
    constexpr std::int64_t most = 1 << 24;
    if (one.wanted < 1 || one.size < 1 || one.wanted > most / one.size) {
        n.wrong({"cannot resize ", one.size, " elements to ", one.wanted, " in this mode"});
    }
    const std::string_view mode = n.words("coordinate_transformation_mode", "half_pixel");
    const bool nearest = n.words("mode", "nearest") == "nearest";
    lpt::integers places;
    seq<double> weights;
    seq<double> inside;
    weights.resize(nearest ? 0 : static_cast<std::size_t>(one.wanted * one.size), 0.0);
    bool all_inside = true;
    for (std::int64_t i = 0; i < one.wanted; ++i) {
        const double place = place_in_input(mode, one, static_cast<double>(i));
        const bool is_inside =
            mode != "tf_crop_and_resize" || (place >= 0 && place <= static_cast<double>(one.size - 1));
        all_inside = all_inside && is_inside;
        inside.push_back(is_inside ? 1 : 0);
        if (nearest) {
            const auto at = static_cast<std::int64_t>(nearest_place(n, place));
            places.push_back(math::maximum<std::int64_t>(0, math::minimum(at, one.size - 1)));
        } else {
            add_weights(n, one, place, weights.data() + i * one.size);
        }
    }
    output_ref result;
    if (nearest) {
        result = n.gather(x, n.indices(places), one.axis);
    } else {
        lpt::integers order;
        for (std::size_t axis = 0; axis < n.rank(x); ++axis) {
            order.push_back(static_cast<std::int64_t>(axis));
        }
        std::swap(order[static_cast<std::size_t>(one.axis)], order[order.size() - 1]);
        op::mat_mul product;
        product.transpose_b = true;
        const element type = n.type(x);
        const element computing = is_real(type) ? type : f32;
        const output_ref matrix =
            n.builder().constant(make_tensor(computing, lpt::shape{one.wanted, one.size}, weights));
        result = n.transpose(n.make(product, {n.transpose(n.convert(x, computing), order), matrix}), order);
        result = n.convert(result, type);
    }
    if (!all_inside) {
        lpt::shape dimensions = lpt::shape::of_ones(n.rank(x));
        dimensions[static_cast<std::size_t>(one.axis)] = one.wanted;
        const output_ref condition = n.builder().constant(make_tensor(boolean, dimensions, inside));
        result = n.make(op::select{}, {condition, result, n.like(result, n.real("extrapolation_value", 0))});
    }
    return result;
}

/// The axes that Resize changes, and how.
inline std::vector<resampled_axis> resampled_axes(operation& n, const lpt::integers& axes) {
    const bool by_sizes = n.has(3);
    const tensor& target = n.known_input(by_sizes ? 3 : 2);
    const lpt::shape& sizes = n.static_shape(n.in(0));
    const std::string_view policy = n.words("keep_aspect_ratio_policy", "stretch");
    const bool crops = n.words("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize";
    std::vector<resampled_axis> result;
    if (target.elements() != axes.size() || (crops && n.known_input(1).elements() != 2 * axes.size())) {
        n.wrong({"has ", target.elements(), " sizes or scales for ", axes.size(), " axes"});
    }
    double common = policy == "not_larger" ? math::infinity : 0;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        resampled_axis one;
        one.axis = axes[i];
        one.size = sizes[static_cast<std::size_t>(axes[i])];
        const auto size = static_cast<double>(one.size);
        one.scale = by_sizes ? target.real(i) / size : target.real(i);
        if (!(one.scale > 0) || one.scale > 1e9) {
            n.wrong({"cannot be scaled by ", one.scale});
        }
        one.wanted = by_sizes ? target.integer(i) : static_cast<std::int64_t>(math::floor(size * one.scale));
        if (crops) {
            one.begin = n.known_input(1).real(i);
            one.end = n.known_input(1).real(i + axes.size());
        }
        common = policy == "not_larger" ? math::minimum(common, one.scale) : math::maximum(common, one.scale);
        result.push_back(one);
    }
    for (resampled_axis& one : result) {
        if (by_sizes && policy != "stretch") {
            one.scale = common;
            one.wanted = static_cast<std::int64_t>(math::floor(common * static_cast<double>(one.size) + 0.5));
        }
    }
    return result;
}

/// True for forms that Interpolate does not have, or has with other places.
inline bool needs_matrices(operation& n) {
    if (n.version() < 11) {
        return false;
    }
    const std::string_view mode = n.words("coordinate_transformation_mode", "half_pixel");
    const bool other_places =
        mode == "half_pixel_symmetric" || mode == "tf_crop_and_resize" || (mode == "align_corners" && !n.has(3));
    return other_places || n.flag("antialias") || n.flag("exclude_outside") ||
           n.words("keep_aspect_ratio_policy", "stretch") != "stretch";
}

/// The axes that sizes, scales and region are given for.
inline lpt::integers resized_axes(operation& n) {
    lpt::integers axes = n.list("axes");
    const std::size_t rank = n.rank(n.in(0));
    for (std::size_t axis = 0; !n.has_attribute("axes") && axis < rank; ++axis) {
        axes.push_back(static_cast<std::int64_t>(axis));
    }
    for (std::int64_t& axis : axes) {
        axis = n.axis_of(axis, rank);
    }
    return axes;
}

inline void read_resize_of_known_sizes(operation& n) {
    if (!needs_matrices(n)) {
        return read_resize(n);
    }
    output_ref result = n.in(0);
    const bool crops = n.words("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize";
    for (const resampled_axis& one : resampled_axes(n, resized_axes(n))) {
        if (one.wanted != one.size || one.scale != 1 || (crops && (one.begin != 0 || one.end != 1))) {
            result = resampled(n, result, one);
        }
    }
    n.out(result);
}

/// A place brought back by reflections at both ends of [least, most].
inline output_ref reflected(operation& n, output_ref place, double least, double most) {
    const double width = most - least;
    if (width <= 0) {
        return n.make(op::multiply{}, {place, n.like(place, 0)});
    }
    const output_ref from_least = n.make(op::subtract{}, {place, n.like(place, least)});
    const output_ref turn = n.make(op::floor_mod{}, {from_least, n.like(place, 2 * width)});
    const output_ref folded = n.make(op::minimum{}, {turn, n.make(op::subtract{}, {n.like(place, 2 * width), turn})});
    return n.make(op::add{}, {folded, n.like(place, least)});
}

/// Samples of an image at places of a grid, in [-1, 1] from one end of each axis to the other.
inline void read_grid_sample(operation& n) {
    const output_ref x = n.in(0);
    const lpt::shape sizes = n.static_shape(x);
    const lpt::shape grid = n.static_shape(n.in(1));
    const std::size_t axes = sizes.rank() - 2;
    if (sizes.rank() < 3 || grid.rank() != sizes.rank() || grid[grid.rank() - 1] != static_cast<dimension>(axes)) {
        n.wrong({"a grid of shape ", grid, " does not fit data of shape ", sizes});
    }
    const std::string_view mode = n.words("mode", "linear");
    const std::string_view padding = n.words("padding_mode", "zeros");
    const bool aligned = n.flag("align_corners");
    const bool cubic = mode == "cubic" || mode == "bicubic";
    const bool nearest = mode == "nearest";
    struct tap {
        output_ref place;
        output_ref weight;
    };
    std::vector<std::vector<tap>> taps(axes);
    const output_ref flat_grid = n.reshape(n.in(1), {0, -1, static_cast<std::int64_t>(axes)}, true);
    for (std::size_t i = 0; i < axes; ++i) {
        const auto size = static_cast<double>(sizes[i + 2]);
        const auto last = static_cast<std::int64_t>(axes - 1 - i);  // the grid names the last axis first
        const output_ref given = n.convert(n.squeeze(n.slice(flat_grid, 2, last, last + 1), {2}), f32);
        const auto number = [&](double value) { return n.like(given, value); };
        const output_ref moved = n.make(op::add{}, {given, number(1)});
        output_ref place =
            aligned ? n.make(op::multiply{}, {moved, number((size - 1) / 2)})
                    : n.make(op::subtract{}, {n.make(op::multiply{}, {moved, number(size / 2)}), number(0.5)});
        if (nearest) {
            place = n.make(op::round{}, {place});
        }
        const double least = aligned ? 0 : -0.5;
        const double most = aligned ? size - 1 : size - 0.5;
        const auto into = [&](output_ref at) {
            return padding == "reflection" ? n.clamp(reflected(n, at, least, most), 0, size - 1)
                                           : n.clamp(at, 0, size - 1);
        };
        if (padding == "border") {
            place = n.clamp(place, 0, size - 1);
        } else if (padding == "reflection") {
            place = reflected(n, place, least, most);
        }
        const output_ref below = n.make(op::floor{}, {nearest ? n.make(op::round{}, {place}) : place});
        const output_ref part = n.make(op::subtract{}, {place, below});
        for (int step = cubic ? -1 : 0; step <= (cubic ? 2 : nearest ? 0 : 1); ++step) {
            const output_ref at = n.make(op::add{}, {below, number(step)});
            output_ref weight;
            if (nearest) {
                weight = number(1);
            } else {
                const output_ref distance = n.make(op::abs{}, {n.make(op::subtract{}, {part, number(step)})});
                if (cubic) {
                    const double a = -0.75;
                    const auto polynomial = [&](std::initializer_list<double> coefficients) {
                        output_ref sum = number(0);
                        for (const double each : coefficients) {
                            sum = n.make(op::add{}, {n.make(op::multiply{}, {sum, distance}), number(each)});
                        }
                        return sum;
                    };
                    weight = step == 0 || step == 1 ? polynomial({a + 2, -(a + 3), 0, 1})
                                                    : polynomial({a, -5 * a, 8 * a, -4 * a});
                } else {
                    weight = n.make(op::subtract{}, {number(1), distance});
                }
            }
            const output_ref clamped = into(at);
            if (padding == "zeros") {
                const output_ref inside = n.convert(n.make(op::equal{}, {n.clamp(at, 0, size - 1), at}), f32);
                weight = n.make(op::multiply{}, {weight, inside});
            }
            taps[i].push_back({n.convert(n.make(op::round{}, {clamped}), i64), weight});
        }
    }
    const output_ref flat = n.reshape(x, {0, 0, -1}, true);
    output_ref sum;
    const std::size_t count = taps[0].size();
    std::size_t combinations = 1;
    for (std::size_t i = 0; i < axes; ++i) {
        combinations *= count;
    }
    op::gather take;
    take.batch_dims = 1;
    for (std::size_t which = 0; which < combinations; ++which) {
        output_ref place;
        output_ref weight;
        std::size_t rest = which;
        for (std::size_t i = 0; i < axes; ++i) {
            const tap& one = taps[i][rest % count];
            rest /= count;
            place = place ? n.make(op::add{},
                                   {n.make(op::multiply{}, {place, n.integer_constant(sizes[i + 2])}), one.place})
                          : one.place;
            weight = weight ? n.make(op::multiply{}, {weight, one.weight}) : one.weight;
        }
        const output_ref values = n.make(take, {flat, place, n.integer_constant(2)}, 8);
        const output_ref by_channel = n.shape(weight).rank() == 0 ? weight : n.unsqueeze(weight, {1});
        const output_ref weighted = n.make(op::multiply{}, {values, n.convert(by_channel, n.type(values))});
        sum = sum ? n.make(op::add{}, {sum, weighted}) : weighted;
    }
    lpt::integers wanted{0, 0};
    for (std::size_t i = 0; i < axes; ++i) {
        wanted.push_back(grid[i + 1]);
    }
    n.out(n.reshape(sum, wanted, true));
}

inline constexpr operator_entry resampling_operators[] = {
    {"", "GridSample", read_grid_sample},
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/computed_resize.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_COMPUTED_RESIZE_HPP
#define LPT_HOLDS_IMPORT_ONNX_COMPUTED_RESIZE_HPP
/// Resize whose sizes, scales or region are known only when the network runs, in forms that Interpolate does not have.
namespace lpt::inline LPT_ABI::onnx {

/// Numbers of f64 that the graph computes, with the arithmetic of `operation`.
class computed_number {
    operation* n_;
    output_ref what_;

    computed_number with(op::attributes how, computed_number other) const {
        return {*n_, n_->make(std::move(how), {what_, other.what_})};
    }

public:
    computed_number(operation& n, output_ref what) : n_(&n), what_(n.convert(what, f64)) {}
    computed_number(operation& n, double what) : n_(&n), what_(n.builder().real(what, f64)) {}

    output_ref get() const { return what_; }
    computed_number number(double value) const { return {*n_, value}; }
    computed_number apply(op::attributes how) const { return {*n_, n_->make(std::move(how), {what_})}; }
    computed_number operator+(computed_number other) const { return with(op::add{}, other); }
    computed_number operator-(computed_number other) const { return with(op::subtract{}, other); }
    computed_number operator*(computed_number other) const { return with(op::multiply{}, other); }
    computed_number operator/(computed_number other) const { return with(op::divide{}, other); }
    computed_number at_most(computed_number other) const { return with(op::minimum{}, other); }
    computed_number at_least(computed_number other) const { return with(op::maximum{}, other); }
    output_ref is_less_or_equal(computed_number other) const {
        return n_->make(op::less_equal{}, {what_, other.what_});
    }
    /// This where a condition holds, else the other.
    computed_number where(output_ref condition, computed_number other) const {
        return {*n_, n_->make(op::select{}, {condition, what_, other.what_})};
    }
};

/// What Resize does along one axis.
struct computed_axis {
    std::int64_t axis;
    std::int64_t size;  // of the input
    computed_number wanted;
    computed_number scale;
    computed_number begin;
    computed_number end;
};

/// The places in the input of the places of the output.
inline computed_number places_in_input(operation& n, const computed_axis& one) {
    const std::string_view mode = n.words("coordinate_transformation_mode", "half_pixel");
    const auto number = [&](double value) { return one.scale.number(value); };
    const computed_number i(n, n.counted(n.convert(one.wanted.get(), i64)));
    const auto last = number(static_cast<double>(one.size - 1));
    const computed_number length = number(static_cast<double>(one.size)) * one.scale;
    const auto is_one = [&](computed_number what) { return what.is_less_or_equal(number(1)); };
    if (mode == "asymmetric") {
        return i / one.scale;
    }
    if (mode == "align_corners") {
        const computed_number steps = number(1).where(is_one(length), length - number(1));
        return i * number(0).where(is_one(length), last / steps);
    }
    if (mode == "tf_crop_and_resize") {
        const computed_number steps = number(1).where(is_one(one.wanted), one.wanted - number(1));
        const computed_number many = one.begin * last + i * (one.end - one.begin) * last / steps;
        return (number(0.5) * (one.begin + one.end) * last).where(is_one(one.wanted), many);
    }
    const computed_number place = (i + number(0.5)) / one.scale - number(0.5);
    if (mode == "pytorch_half_pixel") {
        return number(0).where(is_one(length), place);
    }
    if (mode == "half_pixel_symmetric") {
        return number(static_cast<double>(one.size) / 2) * (number(1) - one.wanted / length) + place;
    }
    if (mode != "half_pixel") {
        n.wrong({"coordinate_transformation_mode '", shown(mode), "' is not supported"});
    }
    return place;
}

inline computed_number nearest_of(operation& n, computed_number place) {
    const std::string_view mode = n.words("nearest_mode", "round_prefer_floor");
    const computed_number half = place.number(0.5);
    return mode == "round_prefer_floor"  ? (place - half).apply(op::ceiling{})
           : mode == "round_prefer_ceil" ? (place + half).apply(op::floor{})
           : mode == "floor"             ? place.apply(op::floor{})
                                         : place.apply(op::ceiling{});
}

/// The weights of elements at these distances.
inline computed_number weights_at(operation& n, computed_number distance) {
    const auto number = [&](double value) { return distance.number(value); };
    if (n.words("mode", "nearest") != "cubic") {
        return (number(1) - distance).at_least(number(0));
    }
    const double a = n.real("cubic_coeff_a", -0.75);
    const computed_number near = ((number(a + 2) * distance - number(a + 3)) * distance * distance) + number(1);
    const computed_number far =
        ((number(a) * distance - number(5 * a)) * distance + number(8 * a)) * distance - number(4 * a);
    const computed_number beyond = number(0);
    return near.where(distance.is_less_or_equal(number(1)), far.where(distance.is_less_or_equal(number(2)), beyond));
}

/// Places of input elements and, on both sides, of as many copies of the outermost as any window reaches.
inline lpt::integers places_with_margin(std::int64_t size, std::int64_t margin) {
    lpt::integers result;
    for (std::int64_t place = -margin; place < size + margin; ++place) {
        result.push_back(place);
    }
    return result;
}

/// One axis of the data multiplied by a matrix of weights, or gathered from the nearest places.
inline output_ref resampled(operation& n, output_ref x, const computed_axis& one) {
    const computed_number place = places_in_input(n, one);
    const auto number = [&](double value) { return place.number(value); };
    const computed_number last = number(static_cast<double>(one.size - 1));
    const element type = n.type(x);
    output_ref result;
    if (n.words("mode", "nearest") == "nearest") {
        const computed_number nearest = nearest_of(n, place).at_least(number(0)).at_most(last);
        result = n.gather(x, n.convert(nearest.get(), i64), one.axis);
    } else {
        const bool shrinks = n.flag("antialias");
        const computed_number shrink = shrinks ? one.scale.at_most(number(1)) : number(1);
        const lpt::integers at = places_with_margin(one.size, shrinks ? 2 * one.size + 2 : 2);
        lpt::integers inside;
        lpt::integers sources;
        for (const std::int64_t each : at) {
            sources.push_back(math::maximum<std::int64_t>(0, math::minimum(each, one.size - 1)));
            inside.push_back(sources.back() == each ? 1 : 0);
        }
        const computed_number from(
            n, n.unsqueeze(n.make(op::minimum{}, {place.at_least(number(-1)).get(), (last + number(1)).get()}), {1}));
        const computed_number distance = ((computed_number(n, n.indices(at)) - from) * shrink).apply(op::abs{});
        computed_number weights = weights_at(n, distance);
        if (n.flag("exclude_outside")) {
            weights = weights * computed_number(n, n.indices(inside));
        }
        weights = weights / computed_number(n, n.reduce<op::reduce_sum>(weights.get(), {1}));
        lpt::integers order;
        for (std::size_t axis = 0; axis < n.rank(x); ++axis) {
            order.push_back(static_cast<std::int64_t>(axis));
        }
        std::swap(order[static_cast<std::size_t>(one.axis)], order[order.size() - 1]);
        const element computing = is_real(type) ? type : f32;
        const output_ref wide = n.gather(n.convert(x, computing), n.indices(sources), one.axis);
        op::mat_mul product;
        product.transpose_b = true;
        result = n.make(product, {n.transpose(wide, order), n.convert(weights.get(), computing)});
        result = n.convert(n.transpose(result, order), type);
    }
    if (n.words("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize") {
        const output_ref inside =
            n.make(op::logical_and{}, {number(0).is_less_or_equal(place), place.is_less_or_equal(last)});
        lpt::integers sizes;
        sizes.resize(n.rank(x), 1);
        sizes[static_cast<std::size_t>(one.axis)] = -1;
        result =
            n.make(op::select{}, {n.reshape(inside, sizes), result, n.like(result, n.real("extrapolation_value", 0))});
    }
    return result;
}

inline std::vector<computed_axis> computed_axes(operation& n, const lpt::integers& axes) {
    const bool by_sizes = n.has(3);
    const output_ref target = n.in(by_sizes ? 3 : 2);
    const bool crops = n.words("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize";
    const lpt::shape& sizes = n.static_shape(n.in(0));
    const auto count = static_cast<std::int64_t>(axes.size());
    const auto has = [&](output_ref what, std::int64_t wanted) {
        const lpt::shape& own = n.shape(what);
        return own.rank_is_static() && own.rank() == 1 && (own[0] == wanted || own[0] == dynamic_dimension);
    };
    if (!has(target, count) || (crops && !has(n.in(1), 2 * count))) {
        n.wrong({"must have a size or scale for each of ", count, " axes, and two numbers where it crops"});
    }
    const std::string_view policy = n.words("keep_aspect_ratio_policy", "stretch");
    const auto given = [&](output_ref from, std::int64_t i) {
        return computed_number(n, n.squeeze(n.slice(from, 0, i, i + 1), {0}));
    };
    const computed_number all(n, target);
    seq<double> own_sizes;
    for (const std::int64_t axis : axes) {
        own_sizes.push_back(static_cast<double>(sizes[static_cast<std::size_t>(axis)]));
    }
    const computed_number own(n, n.builder().constant(make_tensor(f64, lpt::shape{count}, own_sizes)));
    const computed_number ratios = all / own;
    const output_ref common = policy == "not_larger" ? n.reduce<op::reduce_min>(ratios.get(), {0}, false)
                                                     : n.reduce<op::reduce_max>(ratios.get(), {0}, false);
    std::vector<computed_axis> result;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t axis = axes[static_cast<std::size_t>(i)];
        const std::int64_t size = sizes[static_cast<std::size_t>(axis)];
        const computed_number length(n, static_cast<double>(size));
        const computed_number one = given(target, i);
        computed_number scale = by_sizes ? one / length : one;
        computed_number wanted = by_sizes ? one : (length * one).apply(op::floor{});
        if (by_sizes && policy != "stretch") {
            scale = computed_number(n, common);
            wanted = (scale * length + length.number(0.5)).apply(op::floor{});
        }
        result.push_back({axis, size, wanted, scale, crops ? given(n.in(1), i) : length.number(0),
                          crops ? given(n.in(1), i + count) : length.number(1)});
    }
    return result;
}

inline void read_any_resize(operation& n) {
    const bool is_known = n.version() < 11 || n.is_known(n.has(3) ? 3 : 2);
    const bool crops = n.words("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize";
    if (!needs_matrices(n) || (is_known && (!crops || n.is_known(1)))) {
        return read_resize_of_known_sizes(n);
    }
    output_ref result = n.in(0);
    for (const computed_axis& one : computed_axes(n, resized_axes(n))) {
        result = resampled(n, result, one);
    }
    n.out(result);
}

inline constexpr operator_entry resize_operators[] = {{"", "Resize", read_any_resize}};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/most_inputs.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_MOST_INPUTS_HPP
#define LPT_HOLDS_IMPORT_ONNX_MOST_INPUTS_HPP
namespace lpt::inline LPT_ABI::onnx {

namespace detail {

/// Operators that have at most so many inputs, in the version that has most of them.
struct operators_by_inputs {
    std::string_view domain;
    std::size_t most;
    std::string_view types;  // with spaces between
};

inline constexpr operators_by_inputs inputs_of_operators[] = {
    {"", 0, "Constant SequenceEmpty"},
    {"", 1,
     "Abs Acos Acosh ArgMax ArgMin Asin Asinh Atan Atanh AveragePool BitCast BitwiseNot BlackmanWindow Cast Ceil Celu "
     "ConcatFromSequence ConstantOfShape Cos Cosh DepthToSpace Det DynamicQuantizeLinear Elu Erf Exp EyeLike Flatten "
     "Floor Gelu GlobalAveragePool GlobalLpPool GlobalMaxPool HammingWindow HannWindow HardSigmoid HardSwish Hardmax "
     "Identity If IsInf IsNaN LRN LeakyRelu Log LogSoftmax LpNormalization LpPool MaxPool MeanVarianceNormalization "
     "Mish Neg NonZero Not OptionalGetElement OptionalHasElement Reciprocal Relu Round Selu SequenceLength Shape "
     "Shrink Sigmoid Sign Sin Sinh Size Softmax Softplus Softsign SpaceToDepth Sqrt Swish Tan Tanh TfIdfVectorizer "
     "ThresholdedRelu Transpose Unique"},
    {"", 2,
     "Add AffineGrid And BitShift BitwiseAnd BitwiseOr BitwiseXor CastLike CenterCropPad Compress CumProd CumSum Div "
     "Equal Expand Gather GatherElements GatherND Greater GreaterOrEqual GridSample Less LessOrEqual MatMul Mod Mul Or "
     "PRelu Pow RMSNormalization ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin "
     "ReduceProd ReduceSum ReduceSumSquare Reshape ReverseSequence SequenceAt SequenceErase "
     "SimplifiedLayerNormalization Split SplitToSequence Squeeze Sub SwiGLU TopK Trilu Unsqueeze Upsample Xor"},
    {"", 3,
     "Clip Col2Im Conv ConvTranspose DFT DequantizeLinear Dropout Gemm GroupNormalization InstanceNormalization "
     "LayerNormalization MaxUnpool NegativeLogLikelihoodLoss OneHot QuantizeLinear Range RoiAlign Scatter "
     "ScatterElements ScatterND SequenceInsert SoftmaxCrossEntropyLoss TensorScatter Tile Where"},
    {"", 4, "CausalConvWithState ConvInteger MatMulInteger Pad Resize RotaryEmbedding STFT"},
    {"", 5, "BatchNormalization DeformConv MelWeightMatrix NonMaxSuppression Slice"},
    {"", 6, "GRU LinearAttention RNN"},
    {"", 7, "Attention"},
    {"", 8, "LSTM QLinearMatMul"},
    {"", 9, "QLinearConv"},
    {"ai.onnx.ml", 1, "Binarizer"},
    {"ai.onnx.ml", 2, "ArrayFeatureExtractor"},
    {"ai.onnx.preview", 3, "FlexAttention"},
    {"com.microsoft", 1, "DynamicQuantizeLinear Gelu NhwcMaxPool QuickGelu"},
    {"com.microsoft", 2, "BiasGelu FastGelu FusedMatMul TransposeMatMul"},
    {"com.microsoft", 3, "DequantizeLinear FusedGemm LayerNormalization QuantizeLinear"},
    {"com.microsoft", 4, "FusedConv RotaryEmbedding SkipSimplifiedLayerNormalization"},
    {"com.microsoft", 5,
     "DynamicQuantizeMatMul QLinearAveragePool QLinearGlobalAveragePool QLinearLeakyRelu QLinearSigmoid "
     "QLinearSoftmax SkipLayerNormalization"},
    {"com.microsoft", 6, "MatMulNBits"},
    {"com.microsoft", 7, "Attention MatMulIntegerToFloat"},
    {"com.microsoft", 8, "QLinearAdd QLinearMul"},
    {"com.microsoft", 9, "EmbedLayerNormalization QAttention QGemm QLinearConv QLinearWhere"},
    {"com.microsoft", 10, "MultiHeadAttention"},
    {"com.microsoft", 12, "DynamicQuantizeLSTM"},
};

}  // namespace detail

/// How many inputs an operator has at most; nothing for those with any number, or that are not known.
///
/// Source: the operator schemas of ONNX and ONNX Runtime.
inline std::optional<std::size_t> most_inputs(std::string_view domain, std::string_view type) {
    using key = std::pair<std::string_view, std::string_view>;
    static const std::map<key, std::size_t> all = [] {
        std::map<key, std::size_t> result;
        for (const detail::operators_by_inputs& each : detail::inputs_of_operators) {
            for (std::size_t begin = 0, end = each.types.find(' '); begin < each.types.size();
                 begin = end + 1, end = each.types.find(' ', begin)) {
                end = end == std::string_view::npos ? each.types.size() : end;
                result[{each.domain, each.types.substr(begin, end - begin)}] = each.most;
            }
        }
        return result;
    }();
    const auto found = all.find({domain, type});
    return found == all.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/read.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_READ_HPP
#define LPT_HOLDS_IMPORT_ONNX_READ_HPP
namespace lpt::inline LPT_ABI::onnx {

inline output_ref graph_reader::plain_of(const value& from) {
    if (!from.quantized) {
        return from.plain;
    }
    quantized_tensor& mine = *from.quantized;
    if (!mine.integers) {
        mine.integers = detail::quantized_integers(builder_, mine);
    }
    return mine.integers;
}

inline output_ref graph_reader::real_of(const value& from) {
    if (!from.quantized) {
        return from.plain;
    }
    quantized_tensor& mine = *from.quantized;
    if (!mine.dequantized) {
        mine.dequantized = detail::quantized_and_back(builder_, mine);
    }
    return mine.dequantized;
}

namespace detail {

/// True for operators whose first version is what they still are, or all that versions added to are types and negative axes.
inline bool is_as_it_began(std::string_view type) {
    constexpr std::string_view all[] = {
        "ArgMax",       "ArgMin",     "AveragePool",       "Constant",      "Conv",         "ConvTranspose",
        "DepthToSpace", "Flatten",    "GlobalAveragePool", "GlobalMaxPool", "Identity",     "LRN",
        "MaxPool",      "Not",        "ReduceL1",          "ReduceL2",      "ReduceLogSum", "ReduceLogSumExp",
        "ReduceMax",    "ReduceMean", "ReduceMin",         "ReduceProd",    "ReduceSum",    "ReduceSumSquare",
        "Shape",        "Size",       "Softmax",           "Softplus",      "Softsign",     "SpaceToDepth",
        "Squeeze",      "Transpose",  "Unsqueeze",         "LogSoftmax",    "Hardmax",      "InstanceNormalization"};
    return std::find(std::begin(all), std::end(all), type) != std::end(all);
}

/// The version of an operator's set; raises an error for sets that nobody imported, or that are older or newer than those that are known.
inline std::int64_t version_of(std::string_view domain, std::string_view type, const scope& names,
                               const model_builder& to) {
    constexpr std::int64_t oldest = 7;
    constexpr std::int64_t newest = 28;
    const auto found = names.imported->find(domain);
    if (found == names.imported->end()) {
        if (!domain.empty()) {
            return 1;  // sets of one version, which some writers do not name
        }
        to.wrong({"the model imports no version of the standard operators"});
    }
    const bool is_old = found->second < oldest && !(found->second > 0 && is_as_it_began(type));
    if (domain.empty() && (is_old || found->second > newest)) {
        to.wrong(
            {"version ", found->second, " of the standard operators is not known; known are ", oldest, " to ", newest});
    }
    return found->second;
}

/// Raises an error for a node with more inputs than its operator has in any version.
inline void check_inputs(const node_description& node, const model_builder& to) {
    std::size_t count = node.inputs.size();
    while (count > 0 && node.inputs[count - 1].empty()) {
        --count;  // left out
    }
    const std::optional<std::size_t> most = most_inputs(node.domain, node.type);
    if (most && count > *most) {
        to.wrong({shown(node.type), " has ", count, " inputs, expected at most ", *most});
    }
}

/// The nodes of a list that give what others of it read.
inline std::unordered_map<std::string_view, std::size_t> producers_of(const std::vector<node_description>& nodes) {
    std::unordered_map<std::string_view, std::size_t> producers;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (const std::string_view output : nodes[i].outputs) {
            producers.emplace(output, i);
        }
    }
    return producers;
}

/// A node of a function with the attributes that the caller gives it.
inline node_description with_attributes(const node_description& node, const node_description& caller,
                                        const function_description& function) {
    node_description result = node;
    std::erase_if(result.attributes, [&](attribute& each) {
        if (each.reference.empty()) {
            return false;
        }
        const attribute* given = caller.find(each.reference);
        for (const attribute& otherwise : function.defaults) {
            if (given == nullptr && otherwise.name == each.reference) {
                given = &otherwise;
            }
        }
        if (given == nullptr) {
            return true;
        }
        const std::string_view name = each.name;
        each = *given;
        each.name = name;
        return false;
    });
    return result;
}

}  // namespace detail

inline void graph_reader::read_nodes(const std::vector<node_description>& nodes, scope& names) {
    const auto producers = detail::producers_of(nodes);
    const auto sources = [&](std::size_t number, auto&& visit) {
        for (const std::string_view input : nodes[number].inputs) {
            const auto found = producers.find(input);
            if (found != producers.end()) {
                visit(found->second);
            }
        }
    };
    const auto circle = [&](std::size_t number) {
        const node_description& node = nodes[number];
        builder_.begin({std::string(node.name), std::string(node.type), node.byte});
        builder_.wrong({"what it gives leads round in a circle to what it reads"});
    };
    for (const std::size_t number : order_by_sources(nodes.size(), sources, circle)) {
        read_node(nodes[number], names);
    }
}

inline void graph_reader::read_node(const node_description& node, scope& names) {
    const source_node around = builder_.current();
    std::string name(node.name);
    if (name.empty() && !node.outputs.empty()) {
        name = node.outputs[0];
    }
    builder_.begin({names.prefix + name, std::string(node.type), node.byte});
    if (--session_.nodes_left < 0) {
        builder_.wrong({"functions and bodies make more nodes of the model than its size allows"});
    }
    const auto function = session_.model.functions.find({node.domain, node.type});
    if (function != session_.model.functions.end()) {
        call(function->second, node, names);
        builder_.begin(around);
        return;
    }
    const std::int64_t version = detail::version_of(node.domain, node.type, names, builder_);
    const operator_entry* entry = session_.find(node.domain, node.type);
    if (entry == nullptr) {
        builder_.wrong({"the operator ", shown(node.domain), node.domain.empty() ? "" : ".", shown(node.type),
                        " is not supported"});
    }
    detail::check_inputs(node, builder_);
    operation one(*this, names, node, version);
    if (entry->keeps_values) {
        one.kept_ = detail::common_quantization(one);
    }
    lpt::detail::naming_memory([&] { entry->read(one); }, [&] { return text(name.c_str()); });
    builder_.finish();
    builder_.begin(around);
}

inline void graph_reader::call(const function_description& function, const node_description& caller, scope& names) {
    scope inner;
    inner.imported = &function.imported;
    inner.prefix = builder_.current().name + "/";
    inner.enter(names, builder_);
    for (std::size_t i = 0; i < function.inputs.size() && i < caller.inputs.size(); ++i) {
        if (const value* found = names.find(caller.inputs[i]); found != nullptr && !caller.inputs[i].empty()) {
            inner.values[function.inputs[i]] = *found;
        }
    }
    std::vector<node_description> nodes;
    for (const node_description& each : function.nodes) {
        nodes.push_back(detail::with_attributes(each, caller, function));
        for (std::string_view& input : nodes.back().inputs) {
            // An input that the caller leaves out is left out inside, too.
            for (std::size_t i = 0; i < function.inputs.size(); ++i) {
                if (input == function.inputs[i] && !inner.values.contains(input)) {
                    input = {};
                }
            }
        }
    }
    read_nodes(nodes, inner);
    for (std::size_t i = 0; i < caller.outputs.size(); ++i) {
        if (caller.outputs[i].empty()) {
            continue;
        }
        const value* found = i < function.outputs.size() ? inner.find(function.outputs[i]) : nullptr;
        if (found == nullptr) {
            builder_.wrong({"the function '", shown(function.name), "' gives no output ", i});
        }
        names.values[caller.outputs[i]] = *found;
    }
}

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/control_flow.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_CONTROL_FLOW_HPP
#define LPT_HOLDS_IMPORT_ONNX_CONTROL_FLOW_HPP
/// If, Loop and Scan, whose bodies are graphs.
namespace lpt::inline LPT_ABI::onnx {

inline graph_description body_of(operation& n, std::string_view name) {
    const attribute* found = n.find(name, 5);
    if (found == nullptr || !found->graph) {
        n.wrong({"has no ", shown(name)});
    }
    return reading(n.builder(), [&] { return read_graph(found->graph.open()); });
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
        names.values[input.name] = reader.of(made);
        return made;
    }
    void read(const graph_description& from) {
        reader.read_initializers(from, names);
        reader.read_nodes(from.nodes, names);
    }
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
    scope inner;
    inner.enter(n.names(), n.builder());
    inner.outer = &n.names();
    inner.imported = n.names().imported;
    inner.prefix = n.builder().current().name + "/";
    n.reader().read_initializers(branch, inner);
    n.reader().read_nodes(branch.nodes, inner);
    for (std::size_t port = 0; port < branch.outputs.size(); ++port) {
        const value* found = inner.find(branch.outputs[port].name);
        if (found == nullptr) {
            n.wrong({"the branch does not give '", shown(branch.outputs[port].name), "'"});
        }
        n.out_value(port, n.reader().here(*found));
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
                what.declared_outputs[port] = common_output(what.declared_outputs[port], known);
            }
        }
        if (results.size() != what.declared_outputs.size()) {
            n.wrong({"the branches give ", what.declared_outputs.size(), " and ", results.size(), " outputs"});
        }
        add_captures(body.reader, inputs, first ? what.then_inputs : what.else_inputs);
        bodies.push_back(body.reader.builder().take());
    }
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
    const auto number = [&](std::size_t port, output_ref otherwise) {
        if (!n.has(port)) {
            return otherwise;
        }
        return n.rank(n.in(port)) == 0 ? n.in(port) : n.reshape(n.in(port), view<std::int64_t>());
    };
    const output_ref always = n.builder().constant(make_scalar(boolean, 1));
    seq<output_ref> first{number(0, n.integer_constant(-1)), number(1, always)};
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
                continue;
            }
            op::declared_output gives = declared(inner, made);
            if (i <= states) {
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

/// A body for each slice of some inputs; further inputs are states.
inline void read_scan(operation& n) {
    if (n.version() < 9) {
        n.wrong({"version 8 of Scan is not supported"});
    }
    const graph_description from = body_of(n, "body");
    const auto scanned = static_cast<std::size_t>(math::maximum<std::int64_t>(0, n.integer("num_scan_inputs", 0)));
    if (from.inputs.size() != n.inputs() || scanned > n.inputs() || from.outputs.size() + scanned < n.inputs()) {
        n.wrong({"has ", n.inputs(), " inputs, but a body with ", from.inputs.size()});
    }
    const std::size_t states = n.inputs() - scanned;
    const auto choice = [&](std::string_view name, std::size_t i) {
        const lpt::integers all = n.list(name);
        return i < all.size() ? all[i] : 0;
    };
    op::tensor_iterator what;
    body_reader body(n);
    model_builder& inner = body.reader.builder();
    seq<output_ref> inputs;
    for (std::size_t i = 0; i < n.inputs(); ++i) {
        const output_ref given = n.in(i);
        inputs.push_back(given);
        op::body_input input;
        input.port = static_cast<std::int64_t>(i);
        input.parameter = input.port;
        if (i < states) {
            input.holds = op::body_input::form::merged;
            input.result = input.port;
            body.add_parameter(from.inputs[i], n.type(given), n.shape(given));
        } else {
            const std::size_t rank = n.rank(given);
            input.holds = op::body_input::form::sliced;
            input.slice.axis = n.axis_of(choice("scan_input_axes", i - states), rank);
            if (choice("scan_input_directions", i - states) != 0) {
                input.slice = {input.slice.axis, -1, -1, 1, 0};
            }
            lpt::shape part = n.shape(given);
            part[static_cast<std::size_t>(input.slice.axis)] = 1;
            const output_ref made = body.add_parameter(from.inputs[i], n.type(given), part);
            const output_ref axis = inner.indices(view<std::int64_t>(&input.slice.axis, 1));
            body.names.values[from.inputs[i].name] =
                body.reader.of(inner.add_node(op::squeeze{}, view<output_ref>({made, axis}), 0));
        }
        what.input_map.push_back(input);
    }
    body.read(from);
    for (std::size_t i = 0; i < from.outputs.size(); ++i) {
        output_ref made = body.reader.result_of(from.outputs[i], body.names);
        op::body_output output;
        output.port = static_cast<std::int64_t>(i);
        output.result = output.port;
        std::int64_t axis = 0;
        if (i >= states) {
            axis = choice("scan_output_axes", i - states);
            made = inner.add(op::unsqueeze{}, view<output_ref>({made, inner.indices(view<std::int64_t>(&axis, 1))}));
            output.holds = op::body_output::form::concatenated;
            output.slice.axis = n.axis_of(axis, inner.shape_of(made).rank());
            if (choice("scan_output_directions", i - states) != 0) {
                output.slice = {output.slice.axis, -1, -1, 1, 0};
            }
        }
        body.add_result(made);
        op::declared_output gives = declared(inner, made);
        if (i >= states && gives.dimensions.rank_is_static()) {
            gives.dimensions[static_cast<std::size_t>(output.slice.axis)] = dynamic_dimension;
        }
        what.output_map.push_back(output);
        what.declared_outputs.push_back(gives);
    }
    add_captures(body.reader, inputs, what.input_map);
    const node_id made = n.builder().add_node(what, inputs);
    n.builder().model().add_body(made, inner.take());
    for (std::size_t port = 0; port < what.declared_outputs.size(); ++port) {
        n.out(port, output_ref(made, static_cast<std::int32_t>(port)));
    }
}

inline constexpr operator_entry control_flow_operators[] = {
    {"", "If", read_if},
    {"", "Loop", read_loop},
    {"", "Scan", read_scan},
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/detection.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_DETECTION_HPP
#define LPT_HOLDS_IMPORT_ONNX_DETECTION_HPP
/// Operators of networks that find objects.
namespace lpt::inline LPT_ABI::onnx {

inline void read_non_max_suppression(operation& n) {
    op::non_max_suppression what;
    what.box_encoding = n.flag("center_point_box") ? op::box_encoding::center : op::box_encoding::corner;
    what.sort_result_descending = false;
    const output_ref boxes = n.in(0);
    const output_ref scores = n.in(1);
    const output_ref most = n.has(2) ? n.in(2) : n.integer_constant(0);
    const output_ref overlap = n.in_or(3, 0);
    const output_ref least = n.has(4) ? n.in(4) : n.like(scores, -math::infinity);
    n.out(n.make_node(what, {boxes, scores, most, overlap, least}));
}

inline void read_roi_align(operation& n) {
    op::roi_align what;
    what.pooled_h = n.integer("output_height", 1);
    what.pooled_w = n.integer("output_width", 1);
    what.sampling_ratio = n.integer("sampling_ratio", 0);
    what.spatial_scale = n.real("spatial_scale", 1);
    const std::string_view mode = n.words("mode", "avg");
    const std::string_view corners =
        n.words("coordinate_transformation_mode", n.version() < 16 ? "output_half_pixel" : "half_pixel");
    if (mode != "avg" && mode != "max") {
        n.wrong({"mode '", shown(mode), "' is not known"});
    }
    if (corners != "half_pixel" && corners != "output_half_pixel") {
        n.wrong({"coordinate_transformation_mode '", shown(corners), "' is not known"});
    }
    what.mode = mode == "max" ? op::roi_pooling::max : op::roi_pooling::avg;
    what.aligned_mode =
        corners == "half_pixel" ? op::roi_aligned_mode::half_pixel_for_nn : op::roi_aligned_mode::asymmetric;
    n.out(n.make(what, {n.in(0), n.in(1), n.in(2)}));
}

inline void read_deformable_convolution(operation& n) {
    op::deformable_convolution what;
    read_window(n, what, 2);
    what.group = n.integer("group", 1);
    what.deformable_group = n.integer("offset_group", 1);
    what.bilinear_interpolation_pad = true;
    seq<output_ref> inputs{n.in(0), n.in(2), n.in(1)};
    if (n.has(4)) {
        inputs.push_back(n.in(4));
    }
    const output_ref result = n.make(what, inputs);
    n.out(n.has(3) ? with_bias(n, result, n.in(3), 2) : result);
}

inline constexpr operator_entry detection_operators[] = {
    {"", "NonMaxSuppression", read_non_max_suppression},
    {"", "RoiAlign", read_roi_align},
    {"", "DeformConv", read_deformable_convolution},
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/einsum.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_EINSUM_HPP
#define LPT_HOLDS_IMPORT_ONNX_EINSUM_HPP
/// Sums of products that a formula names axis by axis.
namespace lpt::inline LPT_ABI::onnx {

/// The labels of an operand's axes; those of `...` are digits.
inline std::string labels_of(operation& n, std::string_view term, std::size_t rank) {
    std::string result;
    const std::size_t dots = term.find("...");
    const std::size_t named = dots == std::string_view::npos ? term.size() : term.size() - 3;
    if (named > rank || (dots == std::string_view::npos && named != rank) || rank - named > 10) {
        n.wrong({"the term '", shown(term), "' does not fit ", rank, " axes"});
    }
    for (std::size_t i = 0; i < term.size(); ++i) {
        if (i == dots) {
            for (std::size_t k = 0; k < rank - named; ++k) {
                result += static_cast<char>('0' + (10 - (rank - named)) + k);
            }
            i += 2;
        } else {
            result += term[i];
        }
    }
    return result;
}

/// A label that stands twice means the diagonal of its axes.
inline output_ref without_repeats(operation& n, output_ref x, std::string& labels) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
        for (std::size_t k = i + 1; k < labels.size(); ++k) {
            if (labels[i] != labels[k]) {
                continue;
            }
            lpt::integers rows;
            lpt::integers columns;
            rows.resize(labels.size(), 1);
            columns.resize(labels.size(), 1);
            rows[i] = -1;
            columns[k] = -1;
            const output_ref row = n.reshape(n.counted(n.size_along(x, static_cast<std::int64_t>(i))), rows);
            const output_ref column = n.reshape(n.counted(n.size_along(x, static_cast<std::int64_t>(k))), columns);
            const output_ref diagonal = n.make(op::select{}, {n.make(op::equal{}, {row, column}), x, n.like(x, 0)});
            x = n.reduce<op::reduce_sum>(diagonal, {static_cast<std::int64_t>(k)}, false);
            labels.erase(k, 1);
            --k;
        }
    }
    return x;
}

/// The axes in the order of `all`, with axes of size 1 for labels that the operand does not have.
inline output_ref spread_out(operation& n, output_ref x, const std::string& labels, const std::string& all) {
    lpt::integers order;
    lpt::integers missing;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::size_t at = labels.find(all[i]);
        if (at == std::string::npos) {
            missing.push_back(static_cast<std::int64_t>(i));
        } else {
            order.push_back(static_cast<std::int64_t>(at));
        }
    }
    x = order.empty() ? x : n.transpose(x, order);
    return missing.empty() ? x : n.make(op::unsqueeze{}, {x, n.indices(missing)});
}

inline void read_einsum(operation& n) {
    std::string formula;
    for (const char each : n.words("equation", "")) {
        if (each != ' ') {
            formula += each;
        }
    }
    const std::size_t arrow = formula.find("->");
    std::string left = formula.substr(0, arrow);
    std::vector<std::string> labels;
    std::vector<output_ref> operands;
    for (std::size_t port = 0, begin = 0; port < n.inputs(); ++port) {
        const std::size_t comma = std::min(left.find(',', begin), left.size());
        labels.push_back(labels_of(n, std::string_view(left).substr(begin, comma - begin), n.rank(n.in(port))));
        operands.push_back(without_repeats(n, n.in(port), labels.back()));
        begin = std::min(comma + 1, left.size());
    }
    std::string every;
    std::string wanted;
    std::size_t dots = 0;
    for (const std::string& each : labels) {
        for (const char label : each) {
            if (every.find(label) == std::string::npos) {
                every += label;
            }
        }
    }
    dots = static_cast<std::size_t>(
        std::count_if(every.begin(), every.end(), [](char c) { return c >= '0' && c <= '9'; }));
    if (arrow != std::string::npos) {
        const std::string right = formula.substr(arrow + 2);
        const std::size_t named = right.find("...") == std::string::npos ? right.size() : right.size() - 3;
        wanted = labels_of(n, right, named == right.size() ? named : named + dots);
    } else {
        // Without an arrow: what stands once, in the order of the alphabet.
        std::string sorted = every;
        std::sort(sorted.begin(), sorted.end());
        for (const char label : sorted) {
            if ((label >= '0' && label <= '9') || std::count(left.begin(), left.end(), label) == 1) {
                wanted += label;
            }
        }
    }
    std::string all = wanted;
    lpt::integers summed;
    for (const char label : every) {
        if (wanted.find(label) == std::string::npos) {
            summed.push_back(static_cast<std::int64_t>(all.size()));
            all += label;
        }
    }
    for (const char label : wanted) {
        if (every.find(label) == std::string::npos) {
            n.wrong({"the label '", std::string(1, label).c_str(), "' of the output is none of an input"});
        }
    }
    // Two operands that share one summed label, which is the last: a matrix product.
    if (operands.size() == 2 && summed.size() == 1 && labels[0].find(all.back()) != std::string::npos &&
        labels[1].find(all.back()) != std::string::npos && wanted.size() >= 2) {
        const std::string outer = wanted.substr(0, wanted.size() - 2);
        const char row = wanted[wanted.size() - 2];
        const char column = wanted.back();
        const auto has = [&](std::size_t which, char label) { return labels[which].find(label) != std::string::npos; };
        for (const std::size_t first : {0u, 1u}) {
            const std::size_t second = 1 - first;
            if (has(first, row) && !has(first, column) && has(second, column) && !has(second, row)) {
                const output_ref a = spread_out(n, operands[first], labels[first], outer + row + all.back());
                const output_ref b = spread_out(n, operands[second], labels[second], outer + all.back() + column);
                return n.out(n.make(op::mat_mul{}, {a, b}));
            }
        }
    }
    output_ref product;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const output_ref operand = spread_out(n, operands[i], labels[i], all);
        product = product ? n.make(op::multiply{}, {product, operand}) : operand;
    }
    n.out(summed.empty() ? product : n.reduce<op::reduce_sum>(product, summed, false));
}

inline constexpr operator_entry einsum_operators[] = {{"", "Einsum", read_einsum}};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/features.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_FEATURES_HPP
#define LPT_HOLDS_IMPORT_ONNX_FEATURES_HPP
/// Features of sequences and tables, and different values with how often they occur.
namespace lpt::inline LPT_ABI::onnx {

/// Runs of numbers of one length that are looked for.
struct searched_runs {
    std::int64_t length = 1;
    std::int64_t count = 0;
    std::int64_t first = 0;  // in the pool of numbers
};

/// The runs of each length that `ngram_counts` divides the pool into.
inline std::vector<searched_runs> runs_of_pool(operation& n, const lpt::integers& pool) {
    const lpt::integers begins = n.list("ngram_counts");
    std::vector<searched_runs> result;
    for (std::size_t i = 0; i < begins.size(); ++i) {
        const auto length = static_cast<std::int64_t>(i) + 1;
        const std::int64_t end = i + 1 < begins.size() ? begins[i + 1] : static_cast<std::int64_t>(pool.size());
        if (begins[i] < 0 || end < begins[i] || end > static_cast<std::int64_t>(pool.size())) {
            n.wrong({"ngram_counts name places outside of the ", pool.size(), " numbers of the pool"});
        }
        result.push_back({length, (end - begins[i]) / length, begins[i]});
    }
    return result;
}

/// How often each of some runs occurs in each row of `x`, [rows, columns], if its numbers stand `distance` apart: [rows, runs].
inline output_ref occurrences(operation& n, output_ref x, const lpt::integers& pool, const searched_runs& runs,
                              std::int64_t distance) {
    const std::int64_t windows = n.static_shape(x)[1] - (runs.length - 1) * distance;
    constexpr std::int64_t most_places = 1 << 24;
    if (windows > most_places / runs.length) {
        n.wrong({"looks for runs of ", runs.length, " numbers at ", windows, " places, which are too many"});
    }
    lpt::integers places;
    for (std::int64_t window = 0; window < windows; ++window) {
        for (std::int64_t i = 0; i < runs.length; ++i) {
            places.push_back(window + i * distance);
        }
    }
    lpt::integers numbers;
    for (std::int64_t i = 0; i < runs.count * runs.length; ++i) {
        numbers.push_back(pool[static_cast<std::size_t>(runs.first + i)]);
    }
    const output_ref wanted = n.reshape(n.indices(numbers), {runs.count, 1, runs.length});
    const output_ref seen = n.reshape(n.gather(x, n.indices(places), 1), {0, 1, windows, runs.length}, true);
    const output_ref equal = n.convert(n.make(op::equal{}, {seen, wanted}), f32);
    return n.reduce<op::reduce_sum>(n.reduce<op::reduce_min>(equal, {3}, false), {2}, false);
}

/// Counts of runs of numbers in each row (TF), whether there are any (IDF), or both, times a weight for each feature.
inline void read_run_counts(operation& n) {
    const lpt::integers pool = n.list("pool_int64s");
    const lpt::integers features = n.list("ngram_indexes");
    const bool is_row = n.rank(n.in(0)) == 1;
    if (pool.empty() || n.rank(n.in(0)) > 2 || n.rank(n.in(0)) == 0) {
        n.wrong({"needs rows of numbers and a pool of numbers; strings are not supported"});
    }
    const output_ref given = n.convert(n.in(0), i64);
    const output_ref x = is_row ? n.unsqueeze(given, {0}) : given;
    const std::int64_t columns = n.static_shape(x)[1];
    std::int64_t width = 0;
    constexpr std::int64_t most_features = 1 << 20;
    constexpr std::int64_t most_numbers = 1 << 24;  // of a table of runs and features
    constexpr std::int64_t furthest = 256;
    for (const std::int64_t each : features) {
        if (each < 0 || each >= most_features) {
            n.wrong({"ngram_indexes name feature ", each});
        }
        width = math::maximum(width, each + 1);
    }
    if (width < 1) {
        n.wrong({"has no ngram_indexes"});
    }
    output_ref sum = n.broadcast(n.builder().real(0), n.concat({n.size_along(x, 0), n.indices({width})}, 0));
    std::int64_t before = 0;
    for (const searched_runs& runs : runs_of_pool(n, pool)) {
        const std::int64_t first = before;
        before += runs.count;
        const bool counts =
            runs.length >= n.integer("min_gram_length", 1) && runs.length <= n.integer("max_gram_length", 1);
        if (!counts || runs.count == 0) {
            continue;
        }
        if (before > static_cast<std::int64_t>(features.size()) || runs.count > most_numbers / width) {
            n.wrong({"has ", runs.count, " runs of ", runs.length, " numbers for ", features.size(), " features of ",
                     width});
        }
        tensor_builder feature_of(f32, lpt::shape{runs.count, width});
        for (std::int64_t i = 0; i < runs.count; ++i) {
            const std::int64_t feature = features[static_cast<std::size_t>(first + i)];
            feature_of.real(static_cast<std::size_t>(i * width + feature), 1);
        }
        const output_ref features_of_runs = n.builder().constant(feature_of.finish());
        const std::int64_t skips = runs.length == 1 ? 0 : n.integer("max_skip_count", 0);
        if (skips < 0 || skips >= furthest) {
            n.wrong({"max_skip_count ", skips, " is not supported"});
        }
        for (std::int64_t distance = 1; distance <= skips + 1 && (runs.length - 1) * distance < columns; ++distance) {
            const output_ref found = occurrences(n, x, pool, runs, distance);
            sum = n.make(op::add{}, {sum, n.make(op::mat_mul{}, {found, features_of_runs})});
        }
    }
    const std::string_view mode = n.words("mode", "TF");
    if (mode == "IDF") {
        sum = n.convert(n.make(op::greater{}, {sum, n.like(sum, 0)}), f32);
    } else if (mode != "TF" && mode != "TFIDF") {
        n.wrong({"mode '", shown(mode), "' is not known"});
    }
    const std::vector<float> weights = n.reals("weights");
    if (mode != "TF" && !weights.empty()) {
        if (weights.size() != static_cast<std::size_t>(width)) {
            n.wrong({"has ", weights.size(), " weights for ", width, " features"});
        }
        seq<double> numbers;
        for (const float each : weights) {
            numbers.push_back(static_cast<double>(each));
        }
        sum = n.make(op::multiply{}, {sum, n.builder().constant(make_tensor(f32, lpt::shape{width}, numbers))});
    }
    n.out(is_row ? n.squeeze(sum, {0}) : sum);
}

/// Columns of the last axis.
inline void read_feature_extractor(operation& n) {
    const output_ref places = n.reshape(n.convert(n.in(1), i64), {-1});
    const auto last = static_cast<std::int64_t>(n.rank(n.in(0))) - 1;
    const output_ref result = n.gather(n.in(0), places, last);
    n.out(last == 0 ? n.unsqueeze(result, {0}) : result);
}

/// 1 for what is greater than a threshold, else 0.
inline void read_binarizer(operation& n) {
    const output_ref x = n.in(0);
    n.out(n.convert(n.make(op::greater{}, {x, n.like(x, n.real("threshold", 0))}), n.type(x)));
}

/// The order in which numbers of one axis rise; equal ones stay in theirs.
inline node_id sorted(operation& n, output_ref numbers) {
    op::top_k what;
    what.mode = op::top_k_mode::min;
    what.sort = op::top_k_sort::value;
    what.index_element_type = i64;
    what.stable = true;
    return n.make_node(what, {numbers, n.squeeze(n.size_along(numbers, 0), {0})}, 11);
}

/// For each row, [rows, columns], how many are less, column by column from the first on, or equal and before it.
inline output_ref ranks_of_rows(operation& n, output_ref rows) {
    const output_ref real = n.convert(rows, f64);
    const output_ref difference =
        n.make(op::sign{}, {n.make(op::subtract{}, {n.unsqueeze(real, {1}), n.unsqueeze(real, {0})})});
    op::cum_sum before;
    before.exclusive = true;
    const output_ref differs = n.make(before, {n.make(op::abs{}, {difference}), n.integer_constant(2)});
    const output_ref is_first = n.convert(n.make(op::equal{}, {differs, n.like(differs, 0)}), f64);
    const output_ref order = n.reduce<op::reduce_sum>(n.make(op::multiply{}, {difference, is_first}), {2}, false);
    const output_ref place = n.counted(n.size_along(rows, 0));
    const output_ref is_before = n.make(op::greater{}, {n.unsqueeze(place, {1}), n.unsqueeze(place, {0})});
    const output_ref zero = n.like(order, 0);
    const output_ref counts =
        n.make(op::select{}, {n.make(op::equal{}, {order, zero}), is_before, n.make(op::greater{}, {order, zero})});
    return n.reduce<op::reduce_sum>(n.convert(counts, i64), {1}, false);
}

/// The different elements, or slices along an axis: sorted, or in the order in which they come; where each is first, which of them each was,
/// and how often each occurs.
inline void read_unique(operation& n) {
    const output_ref given = n.in(0);
    const element type = n.type(given);
    const bool by_slices = n.has_attribute("axis") && n.rank(given) > 1;
    const std::int64_t axis = by_slices ? n.axis_of(n.integer("axis", 0), n.rank(given)) : 0;
    lpt::integers order;
    for (std::size_t i = 0; i < n.rank(given); ++i) {
        order.push_back(static_cast<std::int64_t>(i));
    }
    std::swap(order[0], order[static_cast<std::size_t>(axis)]);
    const output_ref slices = by_slices ? n.transpose(given, order) : n.reshape(given, {-1});
    const output_ref comparable = type == bf16 || type == f16 ? n.convert(slices, f32) : slices;
    const output_ref rows = by_slices ? n.reshape(comparable, {0, -1}, true) : n.unsqueeze(comparable, {1});
    const output_ref places(sorted(n, by_slices ? ranks_of_rows(n, rows) : comparable), 1);
    const output_ref in_order = n.gather(rows, places, 0);
    const output_ref count = n.size_along(rows, 0);
    const output_ref place = n.counted(count);
    const output_ref zero = n.integer_constant(0);
    const output_ref earlier = n.make(op::maximum{}, {n.make(op::subtract{}, {place, n.integer_constant(1)}), zero});
    const output_ref changes = n.reduce<op::reduce_logical_or>(
        n.make(op::not_equal{}, {in_order, n.gather(in_order, earlier, 0)}), {1}, false);
    const output_ref is_new = n.make(op::logical_or{}, {n.make(op::equal{}, {place, zero}), changes});
    output_ref group = n.make(op::cum_sum{}, {n.convert(is_new, i64), zero});
    group = n.make(op::subtract{}, {group, n.integer_constant(1)});
    output_ref inverse = n.gather(group, output_ref(sorted(n, places), 1), 0);
    const output_ref begins = n.reshape(n.make(op::non_zero{i64}, {is_new}), {-1});
    const output_ref one = n.indices({1});
    const output_ref most = n.indices({9223372036854775807});
    const output_ref rest = n.make(op::slice{}, {begins, one, most, one, n.indices({0})});
    output_ref counts = n.make(op::subtract{}, {n.concat({rest, count}, 0), begins});
    output_ref first = n.gather(places, begins, 0);
    if (!n.flag("sorted", true)) {
        const output_ref by_appearance(sorted(n, first), 1);
        inverse = n.gather(output_ref(sorted(n, by_appearance), 1), inverse, 0);
        counts = n.gather(counts, by_appearance, 0);
        first = n.gather(first, by_appearance, 0);
    }
    const output_ref result = n.gather(slices, first, 0);
    n.out(0, by_slices ? n.transpose(result, order) : result);
    n.out(1, first);
    n.out(2, inverse);
    n.out(3, counts);
}

inline constexpr operator_entry feature_operators[] = {
    {"", "TfIdfVectorizer", read_run_counts},
    {"", "Unique", read_unique},
    {"ai.onnx.ml", "ArrayFeatureExtractor", read_feature_extractor},
    {"ai.onnx.ml", "Binarizer", read_binarizer},
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/flex_attention.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_FLEX_ATTENTION_HPP
#define LPT_HOLDS_IMPORT_ONNX_FLEX_ATTENTION_HPP
/// Attention whose scores and weights are changed by graphs that the file gives.
namespace lpt::inline LPT_ABI::onnx {

/// What a graph attribute of one input and one output makes of a tensor; the tensor itself where there is no such attribute.
inline output_ref changed_by(operation& n, std::string_view name, output_ref from) {
    if (!n.has_attribute(name)) {
        return from;
    }
    const graph_description body = body_of(n, name);
    if (body.inputs.size() != 1 || body.outputs.size() != 1) {
        n.wrong(
            {shown(name), " has ", body.inputs.size(), " inputs and ", body.outputs.size(), " outputs, not one each"});
    }
    scope inner;
    inner.outer = &n.names();
    inner.imported = n.names().imported;
    inner.prefix = n.builder().current().name + "/";
    inner.enter(n.names(), n.builder());
    inner.values[body.inputs[0].name] = n.reader().of(from);
    n.reader().read_initializers(body, inner);
    n.reader().read_nodes(body.nodes, inner);
    return n.convert(n.reader().result_of(body.outputs[0], inner), n.type(from));
}

inline void read_flex_attention(operation& n) {
    const output_ref query = n.in(0);
    const element type = n.type(query);
    const lpt::shape sizes = n.static_shape(query);
    const std::int64_t heads = n.static_size_of(n.in(1), 1);
    if (sizes.rank() != 4 || heads < 1 || sizes[1] % heads != 0) {
        n.wrong({"needs four axes and whole groups of heads, not ", sizes, " and ", n.shape(n.in(1))});
    }
    const auto repeated = [&](std::size_t port) { return repeated_heads(n, n.in(port), sizes[1] / heads); };
    const double scale = n.real("scale", 1 / math::sqrt(static_cast<double>(sizes[3])));
    const output_ref root = n.like(query, math::sqrt(static_cast<double>(static_cast<float>(scale))));
    const auto scaled = [&](output_ref from) { return n.make(op::multiply{}, {from, root}); };
    op::mat_mul product;
    product.transpose_b = true;
    const element computing = n.type_attribute("softmax_precision", bit_width(type) < 32 ? f32 : type);
    const output_ref plain = n.make(product, {scaled(query), scaled(repeated(1))});
    const output_ref scores = changed_by(n, "score_mod", n.convert(plain, computing));
    const output_ref weights = changed_by(n, "prob_mod", n.softmax(scores, -1));
    n.out(n.convert(n.make(op::mat_mul{}, {weights, n.convert(repeated(2), computing)}), type));
}

inline constexpr operator_entry flex_attention_operators[] = {
    {"ai.onnx.preview", "FlexAttention", read_flex_attention},
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/integer_products.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_INTEGER_PRODUCTS_HPP
#define LPT_HOLDS_IMPORT_ONNX_INTEGER_PRODUCTS_HPP
/// ConvInteger and MatMulInteger: exact sums of 32 bits, by kernels of bytes whose sums are read as f32.
namespace lpt::inline LPT_ABI::onnx {

/// Integers less the zero point at a port, in real numbers; a zero point for each row or column stands along axis `axis`.
inline output_ref centred(operation& n, output_ref integers, std::size_t zero_point, std::int64_t axis,
                          element type = f32) {
    const output_ref x = n.convert(integers, type);
    if (!n.has(zero_point)) {
        return x;
    }
    output_ref zero = n.convert(n.in(zero_point), type);
    const lpt::shape& own = n.shape(zero);
    if (own.rank() == 1 && !(own.is_static() && own.elements() == 1)) {
        zero = broadcast_along(n, zero, x, axis, 0);
    }
    return n.make(op::subtract{}, {x, zero});
}

/// Integers that were computed as f32: what casts them back reads those.
inline value as_integers(operation& n, output_ref whole) {
    value result = n.reader().of(n.convert(whole, i32));
    result.whole = whole;
    return result;
}

/// The elements of one place on an axis: those of all axes behind it.
inline std::size_t elements_behind(const lpt::shape& dimensions, std::size_t axis) {
    std::size_t elements = 1;
    for (std::size_t i = axis + 1; i < dimensions.rank(); ++i) {
        elements *= static_cast<std::size_t>(dimensions[i]);
    }
    return elements;
}

/// The sums of bytes along one axis, of size 1 in the result, from each of which the zero point of its place on axis `channels` is
/// subtracted first: as many as there are places, or one for all, or none.
inline tensor sums_of_bytes(operation& n, const tensor& bytes, std::size_t axis, const tensor& zero_points,
                            std::size_t channels) {
    lpt::shape dimensions = bytes.dimensions();
    const auto length = static_cast<std::size_t>(dimensions[axis]);
    const auto count = static_cast<std::size_t>(dimensions[channels]);
    if (zero_points && zero_points.elements() != 1 && zero_points.elements() != count) {
        n.wrong({"has ", zero_points.elements(), " zero points for ", count, " channels"});
    }
    const std::size_t inner = elements_behind(dimensions, axis);
    const std::size_t channel_size = elements_behind(dimensions, channels);
    dimensions[axis] = 1;
    tensor_builder result(f32, dimensions);
    const bool signs = is_signed(bytes.type());
    for (std::size_t i = 0; i < result.elements(); ++i) {
        const std::byte* const from = bytes.data() + i / inner * inner * length + i % inner;
        std::int64_t sum = 0;
        for (std::size_t k = 0; k < length; ++k) {
            sum += signs ? static_cast<std::int8_t>(from[k * inner]) : std::to_integer<int>(from[k * inner]);
        }
        if (zero_points && length != 0) {
            const std::size_t channel =
                channels < axis ? i / (channel_size / length) % count : i / channel_size % count;
            const std::int64_t zero = zero_points.integer(zero_points.elements() == 1 ? 0 : channel);
            sum -= zero * static_cast<std::int64_t>(length);
        }
        result.real(i, static_cast<double>(sum));
    }
    return result.finish();
}

/// Splits a sum of products of bytes where f32 could not tell it from its neighbours: gives the ends of parts of the summed axis none of
/// which adds to more than 2^24 whatever the data is. `magnitude(k, channel)` is the most that data of 1 gives at place k of the axis.
/// Empty: a single place may give more, or there would be more parts than a network should be made of.
template <class Magnitude>
lpt::integers ends_of_exact_sums(std::int64_t length, std::size_t channels, const Magnitude& magnitude) {
    constexpr std::int64_t most = (std::int64_t{1} << 24) / 255;
    constexpr std::size_t most_parts = 1024;
    lpt::integers ends;
    seq<std::int64_t> sums;
    sums.resize(channels, 0);
    for (std::int64_t k = 0; k < length; ++k) {
        bool fits = true;
        for (std::size_t c = 0; c < channels; ++c) {
            const std::int64_t added = magnitude(k, c);
            if (added > most) {
                return {};
            }
            fits = fits && sums[c] + added <= most;
        }
        if (!fits) {
            if (ends.size() == most_parts) {
                return {};
            }
            ends.push_back(k);
        }
        for (std::size_t c = 0; c < channels; ++c) {
            sums[c] = (fits ? sums[c] : 0) + magnitude(k, c);
        }
    }
    ends.push_back(length);
    return ends;
}

/// The weights at port 1 and their zero points, where all are known and one zero point is there for a channel or for all.
struct known_weights {
    const tensor* bytes = nullptr;
    tensor zeros;

    known_weights(operation& n, std::size_t zero_point) {
        const tensor* const found = n.known(n.in(1));
        if (found == nullptr || bit_width(found->type()) != 8 || (n.has(zero_point) && !n.is_known(zero_point))) {
            return;
        }
        if (n.has(zero_point)) {
            zeros = n.known_input(zero_point);
        }
        bytes = !zeros || zeros.dimensions().rank() < 2 ? found : nullptr;
    }
    /// |weight - zero point|
    std::int64_t magnitude(std::size_t index, std::size_t channel) const {
        const std::int64_t zero = zeros ? zeros.integer(zeros.elements() == 1 ? 0 : channel) : 0;
        const std::int64_t centred = bytes->integer(index) - zero;
        return centred < 0 ? -centred : centred;
    }
    /// Whether there is one zero point, or one for each channel.
    bool fits(std::size_t channels) const {
        return bytes != nullptr && (!zeros || zeros.elements() == 1 || zeros.elements() == channels);
    }
};

/// Elements [begin, end) along an axis of a tensor of bytes.
inline tensor part_of_bytes(const tensor& from, std::size_t axis, std::int64_t begin, std::int64_t end) {
    lpt::shape dimensions = from.dimensions();
    const auto length = static_cast<std::size_t>(dimensions[axis]);
    const auto taken = static_cast<std::size_t>(end - begin);
    dimensions[axis] = end - begin;
    const std::size_t inner = elements_behind(dimensions, axis);
    tensor_builder result(from.type(), dimensions);
    for (std::size_t i = 0; i < result.elements(); ++i) {
        const std::size_t place = i / inner % taken + static_cast<std::size_t>(begin);
        result.integer(i, from.integer((i / inner / taken * length + place) * inner + i % inner));
    }
    return result.finish();
}

/// True for weights that are known under data whose zero point, at port `data_zero`, is known only in a run.
inline bool has_computed_zero_point(operation& n, std::size_t data_zero, const known_weights& known) {
    return known.bytes != nullptr && n.has(data_zero) && !n.is_known(data_zero);
}
/// Integers in real numbers: those that they were computed as, where they were.
inline output_ref whole_of(operation& n, const value& integers) {
    return integers.whole ? integers.whole : n.convert(n.reader().plain_of(integers), f32);
}

/// The data of a sum of products of bytes, and its weights, known or not; or a part of both along the axis that is summed.
struct integer_operands {
    output_ref data;
    output_ref weights;
    tensor bytes;  // the weights, where they are known
    output_ref centred_weights;  // less their zero points, f32
};

/// The sums over the whole axis or over parts of it that f32 holds exactly, which are then added as integers. `sum(operands)` gives those
/// of a part as f32, `zero_point` is the port of the weights' and stands along `zero_axis` of them.
template <class Sum>
value sums_of(operation& n, const known_weights& known, const lpt::integers& ends, std::int64_t data_axis,
              std::size_t weight_axis, std::size_t zero_point, std::int64_t zero_axis, const Sum& sum) {
    integer_operands all{n.in(0), n.in(1), known.bytes != nullptr ? *known.bytes : tensor(), {}};
    if (ends.size() == 1) {
        all.centred_weights = centred(n, all.weights, zero_point, zero_axis);
        return as_integers(n, sum(all));
    }
    output_ref result;
    std::int64_t begin = 0;
    for (const std::int64_t end : ends) {
        integer_operands part = all;
        part.data = n.slice(all.data, data_axis, begin, end);
        if (all.bytes) {
            part.bytes = part_of_bytes(all.bytes, weight_axis, begin, end);
            part.weights = n.builder().constant(part.bytes);
        } else {
            part.weights = n.slice(all.weights, static_cast<std::int64_t>(weight_axis), begin, end);
        }
        part.centred_weights = centred(n, part.weights, zero_point, zero_axis);
        const output_ref added = n.convert(sum(part), i32);
        result = result ? n.make(op::add{}, {result, added}) : added;
        begin = end;
    }
    return n.reader().of(result);
}

/// A zero point of the data that is known only in a run is taken out of the convolution, so that this multiplies bytes. What it adds is the
/// same for all data: a convolution of ones with the sums of the weights' channels.
inline output_ref convolution_of_bytes(operation& n, const integer_operands& of, const known_weights& known) {
    const lpt::shape sizes = n.shape(of.data);
    if (!has_computed_zero_point(n, 2, known) || !sizes.is_static() || sizes.rank() < 3 ||
        n.rank(of.weights) != sizes.rank()) {
        return convolved(n, centred(n, of.data, 2, 1), of.centred_weights, {});
    }
    const tensor sums = sums_of_bytes(n, of.bytes, 1, known.zeros, 0);
    lpt::integers one_image = sizes.dimensions();
    one_image[0] = 1;
    one_image[1] = 1;
    const output_ref ones = n.broadcast(n.builder().real(1), n.indices(one_image));
    const output_ref added = convolved_in_groups(n, ones, n.builder().constant(sums), {}, 1);
    const output_ref result = convolved(n, n.convert(of.data, f32), of.centred_weights, {});
    const output_ref zero = n.reshape(whole_of(n, n.value_at(2)), view<std::int64_t>());
    return n.make(op::subtract{}, {result, n.make(op::multiply{}, {zero, added})});
}

/// The parts of the channels over which a convolution sums; empty where there are none that f32 holds.
inline lpt::integers exact_parts_of_convolution(operation& n, const known_weights& known) {
    const lpt::shape weights = n.shape(n.in(1));
    if (!weights.is_static() || weights.rank() < 3 || weights.elements() == 0) {
        return {};
    }
    const auto length = static_cast<std::size_t>(weights[1]);
    const std::size_t channels =
        known.fits(static_cast<std::size_t>(weights[0])) ? static_cast<std::size_t>(weights[0]) : 0;
    const std::size_t taps = weights.elements() / static_cast<std::size_t>(weights[0]) / length;
    const lpt::integers ends =
        ends_of_exact_sums(weights[1], channels == 0 ? 1 : channels, [&](std::int64_t k, std::size_t c) {
            std::int64_t sum = 0;
            for (std::size_t t = 0; channels != 0 && t < taps; ++t) {
                sum += known.magnitude((c * length + static_cast<std::size_t>(k)) * taps + t, c);
            }
            return channels != 0 ? sum : static_cast<std::int64_t>(taps) * 255;
        });
    return ends.size() > 1 && n.integer("group", 1) != 1 ? lpt::integers() : ends;  // a part has channels of all groups
}

inline void read_convolution_of_integers(operation& n) {
    const known_weights known(n, 3);
    const lpt::integers ends = exact_parts_of_convolution(n, known);
    if (ends.empty()) {
        const output_ref weights = centred(n, n.in(1), 3, 0, f64);
        return n.out(n.convert(convolved(n, centred(n, n.in(0), 2, 1, f64), weights, {}), i32));
    }
    n.out_value(0, sums_of(n, known, ends, 1, 1, 3, 0,
                           [&](const integer_operands& of) { return convolution_of_bytes(n, of, known); }));
}

/// The product of bytes less a zero point that is known only in a run, which is taken out of it, so that it multiplies bytes:
/// (a - zero) * b = a * b - zero * (sums of b's columns). `b` are `weights` less `zeros`.
inline output_ref product_of_bytes(operation& n, output_ref a, output_ref zero, output_ref b, const tensor& weights,
                                   const tensor& zeros) {
    const output_ref product = n.make(op::mat_mul{}, {n.convert(a, f32), b});
    const output_ref sums = n.builder().constant(sums_of_bytes(n, weights, 0, zeros, 1));
    return n.make(op::subtract{}, {product, n.make(op::multiply{}, {zero, sums})});
}

/// The parts of the axis over which a product sums; empty where it is not known how long that is.
inline lpt::integers exact_parts_of_product(operation& n, const known_weights& known) {
    const lpt::shape& data = n.shape(n.in(0));
    const lpt::shape& weights = n.shape(n.in(1));
    if (!weights.rank_is_static() || weights.rank() < 2 || !data.rank_is_static() || data.rank() == 0) {
        return {};
    }
    const dimension own = weights[weights.rank() - 2];
    const dimension length = own != dynamic_dimension ? own : data[data.rank() - 1];
    if (length < 1) {
        return {};
    }
    const auto columns = static_cast<std::size_t>(math::maximum<dimension>(weights[weights.rank() - 1], 0));
    if (weights.rank() != 2 || columns == 0 || !known.fits(columns)) {
        return ends_of_exact_sums(length, 1, [](std::int64_t, std::size_t) { return std::int64_t{255}; });
    }
    return ends_of_exact_sums(length, columns, [&](std::int64_t k, std::size_t c) {
        return known.magnitude(static_cast<std::size_t>(k) * columns + c, c);
    });
}

/// The product of bytes, each less its zero point: integers of 32 bits.
inline value product_of_integers(operation& n, std::size_t a_zero, std::size_t b_zero) {
    const known_weights known(n, b_zero);
    const lpt::integers ends = exact_parts_of_product(n, known);
    if (ends.empty()) {
        const output_ref b = centred(n, n.in(1), b_zero, -1, f64);
        return n.reader().of(n.convert(n.make(op::mat_mul{}, {centred(n, n.in(0), a_zero, -2, f64), b}), i32));
    }
    const bool is_computed = has_computed_zero_point(n, a_zero, known) && n.rank(n.in(0)) > 1 && n.rank(n.in(1)) == 2;
    const auto rows = static_cast<std::size_t>(n.rank(n.in(1)) - 2);
    return sums_of(n, known, ends, -1, rows, b_zero, -1, [&](const integer_operands& of) {
        if (!is_computed) {
            return n.make(op::mat_mul{}, {centred(n, of.data, a_zero, -2), of.centred_weights});
        }
        output_ref zero = whole_of(n, n.value_at(a_zero));
        if (n.rank(zero) == 1) {
            zero = broadcast_along(n, zero, of.data, -2, 0);
        }
        return product_of_bytes(n, of.data, zero, of.centred_weights, of.bytes, known.zeros);
    });
}
inline void read_product_of_integers(operation& n) { n.out_value(0, product_of_integers(n, 2, 3)); }

inline constexpr operator_entry integer_product_operators[] = {
    {"", "ConvInteger", read_convolution_of_integers},
    {"", "MatMulInteger", read_product_of_integers},
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/linear_algebra.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_LINEAR_ALGEBRA_HPP
#define LPT_HOLDS_IMPORT_ONNX_LINEAR_ALGEBRA_HPP
namespace lpt::inline LPT_ABI::onnx {

/// Determinants of matrices, the last two axes: rows are eliminated, each time with the one that begins with the largest number.
inline void read_determinant(operation& n) {
    constexpr dimension most_rows = 32;
    const output_ref x = n.in(0);
    const auto axes = static_cast<std::int64_t>(n.rank(x));
    const dimension size = axes < 2 ? dynamic_dimension : n.shape(x)[n.rank(x) - 1];
    if (size < 1 || size > most_rows || n.shape(x)[n.rank(x) - 2] != size) {
        n.wrong({"needs square matrices of at most ", most_rows, " rows, not ", n.shape(x)});
    }
    const auto parts = [&](output_ref from, std::int64_t begin, std::int64_t end) {
        return n.slice(from, 2, begin, end);
    };
    const auto rows_at = [&](output_ref from, output_ref places) {
        op::gather what;
        what.batch_dims = 1;
        return n.make(what, {from, places, n.integer_constant(1)}, 8);
    };
    const auto number = [&](double value) { return n.builder().real(value, f64); };
    output_ref rest = n.reshape(n.convert(x, f64), {-1, size, size});
    output_ref result = number(1);
    for (dimension left = size; left > 0; --left) {
        op::top_k what;
        what.axis = 1;
        what.index_element_type = i64;
        const output_ref column = n.make(op::abs{}, {n.squeeze(parts(rest, 0, 1), {2})});
        const output_ref place(n.make_node(what, {column, n.integer_constant(1)}), 1);
        const output_ref row = rows_at(rest, place);
        const output_ref first = parts(row, 0, 1);
        // The row moves to the top over `place` others, each of which turns the sign.
        const output_ref odd = n.make(op::floor_mod{}, {n.unsqueeze(place, {2}), n.integer_constant(2)});
        const output_ref sign =
            n.make(op::select{}, {n.make(op::equal{}, {odd, n.integer_constant(0)}), number(1), number(-1)});
        result = n.make(op::multiply{}, {result, n.make(op::multiply{}, {first, sign})});
        if (left == 1) {
            break;
        }
        const output_ref counted = n.unsqueeze(n.counted(n.indices({left - 1})), {0});
        const output_ref behind = n.convert(n.make(op::greater_equal{}, {counted, place}), i64);
        const output_ref others = rows_at(rest, n.make(op::add{}, {counted, behind}));
        const output_ref divisor = n.make(op::select{}, {n.make(op::equal{}, {first, number(0)}), number(1), first});
        const output_ref factor = n.make(op::divide{}, {parts(others, 0, 1), divisor});
        rest = n.make(op::subtract{}, {parts(others, 1, left), n.make(op::multiply{}, {factor, parts(row, 1, left)})});
    }
    result = n.convert(result, n.type(x));
    if (axes == 2) {
        return n.out(n.reshape(result, view<std::int64_t>()));
    }
    n.out(n.make(op::reshape{}, {result, n.slice(n.shape_of(x), 0, 0, axes - 2)}));
}

inline constexpr operator_entry linear_algebra_operators[] = {
    {"", "Det", read_determinant},
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/movement.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_MOVEMENT_HPP
#define LPT_HOLDS_IMPORT_ONNX_MOVEMENT_HPP
/// Operators that move elements.
namespace lpt::inline LPT_ABI::onnx {

inline void read_reshape(operation& n) {
    op::reshape what;
    what.special_zero = !n.flag("allowzero");
    n.out(n.make(what, {n.in(0), n.in(1)}));
}

/// Two axes: those before `axis`, and the others.
inline void read_flatten(operation& n) {
    const output_ref x = n.in(0);
    const std::int64_t axis = n.integer("axis", 1);
    const auto rank = static_cast<std::int64_t>(n.rank(x));
    const std::int64_t at = axis < 0 ? axis + rank : axis;
    if (at < 0 || at > rank) {
        n.wrong({"axis ", axis, " is outside the ", rank, " axes of the input"});
    }
    if (n.shape(x).is_static()) {
        std::int64_t rows = 1;
        std::int64_t columns = 1;
        for (std::size_t i = 0; i < n.shape(x).rank(); ++i) {
            (static_cast<std::int64_t>(i) < at ? rows : columns) *= n.shape(x)[i];
        }
        if (rows != 0 && columns != 0 && at == 1) {
            return n.out(n.reshape(x, {0, -1}, true));  // whatever the size of the batch
        }
        return n.out(n.reshape(x, {rows, columns}));
    }
    if (at == 1) {
        return n.out(n.reshape(x, {0, -1}, true));
    }
    const output_ref sizes = n.shape_of(x);
    const output_ref front = at == 0 ? n.indices({1}) : n.reduce<op::reduce_prod>(n.slice(sizes, 0, 0, at), {0}, true);
    n.out(n.make(op::reshape{}, {x, n.concat({front, n.indices({-1})}, 0)}));
}

/// Axes as an input from version 13 on, as an attribute before.
inline output_ref axes_input(operation& n, std::size_t port) {
    if (n.has(port)) {
        return n.convert(n.in(port), i64);
    }
    return n.has_attribute("axes") ? n.indices(n.list("axes")) : output_ref();
}

inline void read_squeeze(operation& n) {
    const output_ref axes = axes_input(n, 1);
    n.out(axes ? n.make(op::squeeze{}, {n.in(0), axes}, 0) : n.make(op::squeeze{}, {n.in(0)}, 0));
}
inline void read_unsqueeze(operation& n) {
    const output_ref axes = axes_input(n, 1);
    if (!axes) {
        n.wrong({"has no axes"});
    }
    n.out(n.make(op::unsqueeze{}, {n.in(0), axes}));
}

inline void read_transpose(operation& n) {
    lpt::integers order = n.list("perm");
    if (order.empty()) {
        for (std::size_t axis = n.rank(n.in(0)); axis-- > 0;) {
            order.push_back(static_cast<std::int64_t>(axis));
        }
    }
    n.out(order.empty() ? n.in(0) : n.transpose(n.in(0), order));
}

inline void read_concat(operation& n) {
    if (n.version() >= 4 && !n.has_attribute("axis")) {
        n.wrong({"attribute axis is missing"});
    }
    seq<output_ref> parts;
    for (std::size_t port = 0; port < n.inputs(); ++port) {
        parts.push_back(n.in(port));
    }
    n.out(n.concat(parts, n.integer("axis", 1)));
}

inline void read_split(operation& n) {
    const output_ref x = n.in(0);
    const std::int64_t axis = n.axis_of(n.integer("axis", 0), n.rank(x));
    const auto count = static_cast<std::int64_t>(n.outputs());
    const dimension size = n.shape(x)[static_cast<std::size_t>(axis)];
    lpt::integers lengths = n.list("split");
    if (lengths.empty() && !n.has(1)) {
        if (size == dynamic_dimension || count == 0) {
            op::split what;
            what.num_splits = count;
            const node_id made = n.make_node(what, {x, n.integer_constant(axis)});
            for (std::int32_t port = 0; port < count; ++port) {
                n.out(static_cast<std::size_t>(port), output_ref(made, port));
            }
            return;
        }
        const std::int64_t length = (size + count - 1) / count;
        for (std::int64_t i = 0; i < count; ++i) {
            lengths.push_back(math::maximum<std::int64_t>(0, math::minimum(length, size - i * length)));
        }
    }
    const output_ref parts = lengths.empty() ? n.in(1) : n.indices(lengths);
    const node_id made = n.make_node(op::variadic_split{}, {x, n.integer_constant(axis), parts});
    if (n.builder().model()[made].outputs() < n.outputs()) {
        n.wrong({"has ", n.outputs(), " outputs, but is split into ", n.builder().model()[made].outputs()});
    }
    for (std::int32_t port = 0; port < count; ++port) {
        n.out(static_cast<std::size_t>(port), output_ref(made, port));
    }
}

inline void read_slice(operation& n) {
    const output_ref x = n.in(0);
    if (n.version() < 10) {
        const lpt::integers starts = n.list("starts");
        const output_ref steps = n.indices(lpt::integers(starts.size(), 1));
        if (n.has_attribute("axes")) {
            n.out(n.make(op::slice{},
                         {x, n.indices(starts), n.indices(n.list("ends")), steps, n.indices(n.list("axes"))}));
        } else {
            n.out(n.make(op::slice{}, {x, n.indices(starts), n.indices(n.list("ends")), steps}));
        }
        return;
    }
    const output_ref starts = n.in(1);
    output_ref steps;
    if (n.has(4)) {
        steps = n.in(4);
    } else {
        steps = n.broadcast(n.like(starts, 1), n.shape_of(starts));
    }
    if (n.has(3)) {
        n.out(n.make(op::slice{}, {x, starts, n.in(2), steps, n.in(3)}));
    } else {
        n.out(n.make(op::slice{}, {x, starts, n.in(2), steps}));
    }
}

inline void read_gather(operation& n) { n.out(n.gather(n.in(0), n.in(1), n.integer("axis", 0))); }

inline void read_gather_nd(operation& n) {
    op::gather_nd what;
    what.batch_dims = n.integer("batch_dims", 0);
    n.out(n.make(what, {n.in(0), n.in(1)}, 8));
}

/// Places along an axis, counted from the front.
inline output_ref places_from_front(operation& n, output_ref places, output_ref size) {
    places = n.convert(places, i64);
    const output_ref below = n.make(op::less{}, {places, n.integer_constant(0)});
    return n.make(op::select{}, {below, n.make(op::add{}, {places, size}), places});
}

/// The place in a flat tensor of shape `sizes` of each element of `places`, which gives the place along one axis.
inline output_ref flat_places(operation& n, output_ref places, const lpt::shape& own, const lpt::shape& sizes,
                              std::int64_t axis) {
    std::int64_t stride = 1;
    output_ref sum;
    for (std::size_t i = sizes.rank(); i-- > 0;) {
        output_ref along;
        if (static_cast<std::int64_t>(i) == axis) {
            along = places_from_front(n, places, n.integer_constant(sizes[i]));
        } else {
            lpt::integers as;
            as.resize(sizes.rank(), 1);
            as[i] = own[i];
            along = n.reshape(n.counted(n.indices({own[i]})), as);
        }
        along = n.make(op::multiply{}, {along, n.integer_constant(stride)});
        sum = sum ? n.make(op::add{}, {sum, along}) : along;
        stride *= sizes[i];
    }
    return sum;
}

inline void read_gather_elements(operation& n) {
    const output_ref x = n.in(0);
    const lpt::shape sizes = n.static_shape(x);
    const std::int64_t axis = n.axis_of(n.integer("axis", 0), sizes.rank());
    const output_ref places = flat_places(n, n.in(1), n.static_shape(n.in(1)), sizes, axis);
    n.out(n.gather(n.reshape(x, {-1}), places, 0));
}

inline void read_depth_to_space(operation& n) {
    op::depth_to_space what;
    what.block_size = n.integer("blocksize", 1);
    what.mode =
        n.words("mode", "DCR") == "CRD" ? op::depth_space_mode::depth_first : op::depth_space_mode::blocks_first;
    n.out(n.make(what, {n.in(0)}));
}
inline void read_space_to_depth(operation& n) {
    op::space_to_depth what;
    what.block_size = n.integer("blocksize", 1);
    what.mode =
        n.words("mode", "DCR") == "CRD" ? op::depth_space_mode::depth_first : op::depth_space_mode::blocks_first;
    n.out(n.make(what, {n.in(0)}));
}

inline void read_expand(operation& n) { n.out(n.broadcast(n.in(0), n.convert(n.in(1), i64))); }
inline void read_tile(operation& n) { n.out(n.make(op::tile{}, {n.in(0), n.in(1)})); }

inline op::pad_mode pad_mode_of(operation& n, std::string_view mode) {
    for (std::size_t i = 0; i < std::size(op::pad_mode_words); ++i) {
        if (op::pad_mode_words[i] == shown(mode)) {
            return static_cast<op::pad_mode>(i);
        }
    }
    n.wrong({"mode '", shown(mode), "' is not supported"});
}

/// The data as often as its margins need it, one behind the other along each axis: places count round the axis.
inline output_ref repeated_around(operation& n, output_ref begin, output_ref end) {
    output_ref result = n.in(0);
    for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(n.rank(n.in(0))); ++axis) {
        const output_ref before = n.slice(n.convert(begin, i64), 0, axis, axis + 1);
        const output_ref behind = n.slice(n.convert(end, i64), 0, axis, axis + 1);
        const tensor* first = n.known(before);
        const tensor* last = n.known(behind);
        if (first != nullptr && last != nullptr && first->integer(0) == 0 && last->integer(0) == 0) {
            continue;
        }
        if (n.shape(n.in(0))[static_cast<std::size_t>(axis)] == 0) {
            n.wrong({"an axis without elements cannot be wrapped round"});
        }
        const output_ref size = n.size_along(n.in(0), axis);
        const output_ref wanted = n.make(op::add{}, {n.make(op::add{}, {before, size}), behind});
        const output_ref place = n.make(op::subtract{}, {n.counted(wanted), before});
        result = n.gather(result, n.make(op::floor_mod{}, {place, size}), axis);
    }
    return result;
}

/// Margins that are known only when the network runs; those of axes that are not named are 0.
inline void read_pad_of_computed_margins(operation& n) {
    const output_ref x = n.in(0);
    const auto rank = static_cast<std::int64_t>(n.rank(x));
    output_ref begin = n.slice(n.in(1), 0, 0, rank);
    output_ref end = n.slice(n.in(1), 0, rank, 2 * rank);
    if (n.has(3) && !n.is_known(3)) {
        const output_ref axes = n.unsqueeze(places_from_front(n, n.in(3), n.integer_constant(rank)), {1});
        const output_ref here = n.make(op::equal{}, {axes, n.counted(n.indices({rank}))});
        const auto count = static_cast<std::int64_t>(n.static_shape(n.in(3)).elements());
        const auto spread = [&](std::int64_t first) {
            const output_ref margins = n.unsqueeze(n.convert(n.slice(n.in(1), 0, first, first + count), i64), {1});
            const output_ref chosen = n.make(op::select{}, {here, margins, n.integer_constant(0)});
            return n.reduce<op::reduce_sum>(chosen, {0}, false);
        };
        begin = spread(0);
        end = spread(count);
    } else if (n.has(3)) {
        const lpt::integers axes = n.known_integers(3);
        const auto count = static_cast<std::int64_t>(axes.size());
        const output_ref all = n.concat({n.indices({0}), n.in(1)}, 0);
        lpt::integers first;
        first.resize(n.rank(x), 0);
        lpt::integers last = first;
        for (std::int64_t i = 0; i < count; ++i) {
            const auto axis = static_cast<std::size_t>(n.axis_of(axes[static_cast<std::size_t>(i)], n.rank(x)));
            first[axis] = i + 1;
            last[axis] = i + 1 + count;
        }
        begin = n.gather(all, n.indices(first), 0);
        end = n.gather(all, n.indices(last), 0);
    }
    if (n.words("mode", "constant") == "wrap") {
        return n.out(repeated_around(n, begin, end));
    }
    op::pad what;
    what.pad_mode = pad_mode_of(n, n.words("mode", "constant"));
    if (what.pad_mode != op::pad_mode::constant) {
        return n.out(n.make(what, {x, begin, end}, 12));
    }
    n.out(n.make(what, {x, begin, end, n.reshape(n.in_or(2, 0), view<std::int64_t>())}, 12));
}

/// Margins at all beginnings, then at all ends; for some axes only where these are given.
inline void read_pad(operation& n) {
    const output_ref x = n.in(0);
    const std::size_t rank = n.rank(x);
    if (n.version() >= 11 && n.known(n.in(1)) == nullptr) {
        return read_pad_of_computed_margins(n);
    }
    const lpt::integers pads = n.version() < 11 ? n.list("pads") : n.known_integers(1);
    lpt::integers axes;
    if (n.has(3)) {
        axes = n.known_integers(3);
    } else {
        for (std::size_t axis = 0; axis < rank; ++axis) {
            axes.push_back(static_cast<std::int64_t>(axis));
        }
    }
    if (pads.size() != 2 * axes.size()) {
        n.wrong({"has ", pads.size(), " margins for ", axes.size(), " axes"});
    }
    lpt::integers begin;
    lpt::integers end;
    begin.resize(rank, 0);
    end.resize(rank, 0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto axis = static_cast<std::size_t>(n.axis_of(axes[i], rank));
        begin[axis] = pads[i];
        end[axis] = pads[axes.size() + i];
    }
    const std::string_view mode = n.words("mode", "constant");
    if (mode == "wrap") {
        return n.out(repeated_around(n, n.indices(begin), n.indices(end)));
    }
    op::pad what;
    what.pad_mode = pad_mode_of(n, mode);
    if (what.pad_mode != op::pad_mode::constant) {
        return n.out(n.make(what, {x, n.indices(begin), n.indices(end)}, 12));
    }
    const output_ref filling = n.version() < 11 ? n.like(x, n.real("value", 0)) : n.in_or(2, 0);
    n.out(n.make(what,
                 {x, n.indices(begin), n.indices(end),
                  n.shape(filling).rank() == 0 ? filling : n.reshape(filling, view<std::int64_t>())},
                 12));
}

inline void read_reverse_sequence(operation& n) {
    op::reverse_sequence what;
    what.batch_axis = n.integer("batch_axis", 1);
    what.seq_axis = n.integer("time_axis", 0);
    n.out(n.make(what, {n.in(0), n.in(1)}));
}

/// The upper or lower triangle of matrices.
inline void read_triangle(operation& n) {
    const output_ref x = n.in(0);
    const output_ref rows = n.unsqueeze(n.counted(n.size_along(x, -2)), {1});
    const output_ref columns = n.unsqueeze(n.counted(n.size_along(x, -1)), {0});
    const output_ref shift = n.has(1) ? n.convert(n.in(1), i64) : n.integer_constant(0);
    const output_ref diagonal = n.make(op::add{}, {rows, shift});
    const output_ref kept = n.flag("upper", true) ? n.make(op::greater_equal{}, {columns, diagonal})
                                                  : n.make(op::less_equal{}, {columns, diagonal});
    n.out(n.make(op::select{}, {kept, x, n.like(x, 0)}));
}

inline constexpr operator_entry movement_operators[] = {
    {"", "Reshape", read_reshape, true},
    {"", "Flatten", read_flatten, true},
    {"", "Squeeze", read_squeeze, true},
    {"", "Unsqueeze", read_unsqueeze, true},
    {"", "Transpose", read_transpose, true},
    {"", "Concat", read_concat, true},
    {"", "Split", read_split, true},
    {"", "Slice", read_slice, true},
    {"", "Gather", read_gather, true},
    {"", "GatherND", read_gather_nd, true},
    {"", "GatherElements", read_gather_elements, true},
    {"", "DepthToSpace", read_depth_to_space, true},
    {"", "SpaceToDepth", read_space_to_depth, true},
    {"", "Expand", read_expand, true},
    {"", "Tile", read_tile, true},
    {"", "Pad", read_pad},
    {"", "ReverseSequence", read_reverse_sequence},
    {"", "Trilu", read_triangle},
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/loss.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_LOSS_HPP
#define LPT_HOLDS_IMPORT_ONNX_LOSS_HPP
/// Losses, as networks that are evaluated have them.
namespace lpt::inline LPT_ABI::onnx {

/// Minus the logarithm of the probability of each target class, weighted by class; classes that are ignored count nothing.
inline output_ref negative_log_likelihood(operation& n, output_ref logarithms, output_ref target, output_ref weights) {
    const std::size_t rank = n.rank(logarithms);
    lpt::integers sizes{-1};
    for (std::size_t axis = 2; axis < rank; ++axis) {
        sizes.push_back(1);
    }
    const output_ref classes = n.reshape(n.counted(n.size_along(logarithms, 1)), sizes);
    const output_ref wanted = n.convert(target, i64);
    const output_ref chosen = n.make(op::equal{}, {n.unsqueeze(wanted, {1}), classes});
    const output_ref zero = n.like(logarithms, 0);
    const auto pick = [&](output_ref from) {
        return n.reduce<op::reduce_sum>(n.make(op::select{}, {chosen, from, zero}), {1}, false);
    };
    output_ref weight = pick(weights ? n.reshape(weights, sizes) : n.like(logarithms, 1));
    if (n.has_attribute("ignore_index")) {
        const output_ref ignored = n.make(op::equal{}, {wanted, n.integer_constant(n.integer("ignore_index", 0))});
        weight = n.make(op::select{}, {ignored, zero, weight});
    }
    const output_ref loss = n.make(op::multiply{}, {n.make(op::negative{}, {pick(logarithms)}), weight});
    const std::string_view reduction = n.words("reduction", "mean");
    if (reduction == "none") {
        return loss;
    }
    lpt::integers axes;
    for (std::size_t axis = 0; axis + 1 < rank; ++axis) {
        axes.push_back(static_cast<std::int64_t>(axis));
    }
    const output_ref sum = n.reduce<op::reduce_sum>(loss, axes, false);
    if (reduction == "sum") {
        return sum;
    }
    return n.make(op::divide{}, {sum, n.reduce<op::reduce_sum>(weight, axes, false)});
}

inline void read_negative_log_likelihood(operation& n) {
    n.out(negative_log_likelihood(n, n.in(0), n.in(1), n.has(2) ? n.in(2) : output_ref()));
}

inline void read_softmax_cross_entropy(operation& n) {
    op::log_softmax what;
    what.axis = 1;
    const output_ref logarithms = n.make(what, {n.in(0)});
    n.out(0, negative_log_likelihood(n, logarithms, n.in(1), n.has(2) ? n.in(2) : output_ref()));
    n.out(1, logarithms);
}

inline constexpr operator_entry loss_operators[] = {
    {"", "NegativeLogLikelihoodLoss", read_negative_log_likelihood},
    {"", "SoftmaxCrossEntropyLoss", read_softmax_cross_entropy},
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/microsoft.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_MICROSOFT_HPP
#define LPT_HOLDS_IMPORT_ONNX_MICROSOFT_HPP
/// Operators of ONNX Runtime's domain `com.microsoft`.
namespace lpt::inline LPT_ABI::onnx {

template <class Op>
void read_quantized_binary(operation& n) {
    const output_ref a = real_at(n, 0, 1, 2);
    const output_ref b = real_at(n, 3, 4, 5);
    out_quantized(n, n.make(Op{}, {a, b}), 6, 7);
}

inline void require_channels_first(operation& n) {
    if (n.flag("channels_last")) {
        n.wrong({"channels_last is not supported"});
    }
}

inline void read_quantized_global_average_pool(operation& n) {
    require_channels_first(n);
    const output_ref x = real_at(n, 0, 1, 2);
    out_quantized(n, n.reduce<op::reduce_mean>(x, spatial_axes(n, x), true), 3, 4);
}

inline void read_quantized_average_pool(operation& n) {
    require_channels_first(n);
    op::avg_pool what;
    read_pool_window(n, what);
    what.exclude_pad = !n.flag("count_include_pad");
    const bool plain = what.rounding_type == op::rounding_type::floor;
    if (plain) {
        what.dilations = {};
    }
    out_quantized(n, n.make_node(what, {real_at(n, 0, 1, 2)}, plain ? 1 : 16), 3, 4);
}

/// Elements of one input or the other, by a condition.
inline void read_quantized_where(operation& n) {
    out_quantized(n, n.make(op::select{}, {n.in(0), real_at(n, 1, 2, 3), real_at(n, 4, 5, 6)}), 7, 8);
}

/// Max pooling of data whose channels come last.
inline void read_max_pool_of_channels_last(operation& n) {
    op::max_pool what;
    read_pool_window(n, what);
    const output_ref x = n.in(0);
    const std::size_t rank = n.rank(x);
    if (rank != what.kernel.size() + 2) {
        n.wrong({"has a window of ", what.kernel.size(), " axes for data of ", rank});
    }
    const auto last = static_cast<std::int64_t>(rank) - 1;
    lpt::integers to_front{0, last};
    lpt::integers to_back{0};
    for (std::int64_t axis = 1; axis < last; ++axis) {
        to_front.push_back(axis);
        to_back.push_back(axis + 1);
    }
    to_back.push_back(1);
    what.index_element_type = i64;
    const node_id made = n.make_node(what, {n.transpose(x, to_front)}, 14);
    n.out(n.transpose(made, to_back));
}

/// Scale and zero point of the output, then three inputs for each part.
inline void read_quantized_concat(operation& n) {
    seq<output_ref> parts;
    for (std::size_t port = 2; port + 2 < n.inputs(); port += 3) {
        parts.push_back(real_at(n, port, port + 1, port + 2));
    }
    out_quantized(n, n.concat(parts, n.integer("axis", 1)), 0, 1);
}

template <class Op>
void read_quantized_unary(operation& n) {
    out_quantized(n, n.make(Op{}, {real_at(n, 0, 1, 2)}), 3, 4);
}
inline void read_quantized_leaky_relu(operation& n) {
    const output_ref x = real_at(n, 0, 1, 2);
    out_quantized(
        n, n.make(op::prelu{}, {x, n.like(x, static_cast<double>(static_cast<float>(n.real("alpha", 0.01))))}), 3, 4);
}
/// Along an axis; before version 13 of the standard operators over all axes from that one on.
inline void read_quantized_softmax(operation& n) {
    const output_ref x = real_at(n, 0, 1, 2);
    const std::int64_t axis = n.axis_of(n.integer("axis", -1), n.rank(x));
    if (n.integer("opset", 13) < 13 && axis + 1 != static_cast<std::int64_t>(n.rank(x))) {
        n.wrong({"axis ", axis, " is not the last, which opset ", n.integer("opset", 13), " needs here"});
    }
    out_quantized(n, n.softmax(x, axis), 3, 4);
}

/// A * B + C on quantized data; the output is real where no scale is given for it.
inline void read_quantized_gemm(operation& n) {
    op::mat_mul what;
    what.transpose_a = n.flag("transA");
    what.transpose_b = n.flag("transB");
    const output_ref a = real_at(n, 0, 1, 2);
    const output_ref b = real_at(n, 3, 4, 5, what.transpose_b ? 0 : 1);
    output_ref result = n.make(what, {a, b});
    const double alpha = n.real("alpha", 1);
    if (alpha != 1) {
        result = n.make(op::multiply{}, {result, n.like(result, alpha)});
    }
    if (output_ref bias = bias_of(n, 6, 1, 4)) {
        if (alpha != 1) {
            bias = n.make(op::multiply{}, {bias, n.like(bias, alpha)});
        }
        result = n.make(op::add{}, {result, bias});
    }
    if (n.has(7)) {
        out_quantized(n, result, 7, 8);
    } else {
        n.out(result);
    }
}

/// (a - zero point) * (b - zero point) on integers, times both scales, perhaps plus a bias.
inline void read_product_of_integers_to_real(operation& n) {
    const output_ref scale = n.make(op::multiply{}, {n.in(2), n.in(3)});
    const output_ref sum = whole_of(n, product_of_integers(n, 4, 5));
    const output_ref result = n.make(op::multiply{}, {sum, scale});
    n.out(n.has(6) ? n.make(op::add{}, {result, n.in(6)}) : result);
}

/// The same with data that is quantized by its range first.
inline void read_product_of_range(operation& n) {
    const dynamically_quantized a = quantize_by_range(n, n.in(0));
    const tensor& weights = n.known_input(1);
    if (weights.dimensions().rank() != 2 || bit_width(weights.type()) != 8) {
        n.wrong({"needs a matrix of 8-bit weights, not ", lpt::name(weights.type()), " ", weights.dimensions()});
    }
    const tensor zeros = n.has(3) ? n.known_input(3) : tensor();
    const output_ref product = product_of_bytes(n, a.bytes, a.zero_point, centred(n, n.in(1), 3, -1), weights, zeros);
    const output_ref result = n.make(op::multiply{}, {product, n.make(op::multiply{}, {a.scale, n.in(2)})});
    n.out(n.has(4) ? n.make(op::add{}, {result, n.in(4)}) : result);
}

/// Bytes seen as numbers of 4 or 8 bits.
inline tensor seen_as_numbers(operation& n, const tensor& bytes, int bits, const lpt::shape& dimensions) {
    const element type = bits == 4 ? u4 : u8;
    if (bytes.type() != u8 || byte_size(type, dimensions.elements()) != bytes.elements()) {
        n.wrong({"has ", bytes.elements(), " numbers of type ", lpt::name(bytes.type()), " for ", dimensions, " of ",
                 bits, " bits"});
    }
    tensor_builder result(type, dimensions);
    std::copy_n(bytes.data(), bytes.elements(), result.data());
    return result.finish();
}

/// A product with weights of 4 or 8 bits, [columns, blocks, numbers], of which each block of a column has its scale and zero point.
inline void read_product_of_blocks(operation& n) {
    const std::int64_t rows = n.integer("K", 0);
    const std::int64_t columns = n.integer("N", 0);
    const auto bits = static_cast<int>(n.integer("bits", 4));
    const std::int64_t block = n.integer("block_size", 32);
    constexpr std::int64_t most = 1 << 24;
    if (rows < 1 || columns < 1 || block < 1 || rows > most || columns > most || block > most ||
        (bits != 4 && bits != 8) || block % 2 != 0) {
        n.wrong({"weights of ", rows, " x ", columns, " numbers of ", bits, " bits in blocks of ", block,
                 " are not supported"});
    }
    if (n.has(4)) {
        n.wrong({"an order of rows is not supported"});
    }
    const std::int64_t blocks = (rows + block - 1) / block;
    const tensor numbers = seen_as_numbers(n, n.known_input(1), bits, lpt::shape{columns, blocks, block});
    const lpt::integers by_block{columns, blocks, 1};
    const output_ref scales = n.reshape(n.convert(n.in(2), f32), by_block);
    output_ref zeros = n.builder().real(bits == 4 ? 8 : 128);
    if (n.has(3) && n.type(n.in(3)) == u8) {
        const std::int64_t stored = bits == 4 ? (blocks + 1) / 2 * 2 : blocks;
        const tensor all = seen_as_numbers(n, n.known_input(3), bits, lpt::shape{columns, stored, 1});
        zeros = n.convert(n.slice(n.builder().constant(all), 1, 0, blocks), f32);
    } else if (n.has(3)) {
        zeros = n.reshape(n.convert(n.in(3), f32), by_block);
    }
    const output_ref centred = n.make(op::subtract{}, {n.convert(n.builder().constant(numbers), f32), zeros});
    output_ref weights = n.reshape(n.make(op::multiply{}, {centred, scales}), {columns, blocks * block});
    if (blocks * block != rows) {
        weights = n.slice(weights, 1, 0, rows);
    }
    op::mat_mul product;
    product.transpose_b = true;
    const element type = n.type(n.in(0));
    output_ref result = n.make(product, {n.convert(n.in(0), f32), weights});
    result = n.has(5) ? n.make(op::add{}, {result, n.convert(n.in(5), f32)}) : result;
    n.out(n.convert(result, type));
}

/// The function that a fused operator applies last.
inline output_ref activated(operation& n, output_ref x) {
    const std::string_view name = n.words("activation", "");
    const std::vector<float> numbers = n.reals("activation_params");
    // FusedConv has its numbers in a list, FusedGemm in attributes.
    const auto number = [&](std::size_t i, double otherwise) {
        if (i < numbers.size()) {
            return static_cast<double>(numbers[i]);
        }
        return n.real(i == 0 ? "activation_alpha" : "activation_beta", otherwise);
    };
    if (name.empty()) {
        return x;
    }
    if (name == "Relu") {
        return n.make(op::relu{}, {x});
    }
    if (name == "Sigmoid") {
        return n.make(op::sigmoid{}, {x});
    }
    if (name == "Tanh") {
        return n.make(op::tanh{}, {x});
    }
    if (name == "LeakyRelu") {
        return n.make(op::prelu{}, {x, n.like(x, number(0, 0.01))});
    }
    if (name == "Clip") {
        return n.clamp(x, number(0, facts(f32).lowest), number(1, facts(f32).highest));
    }
    if (name == "HardSigmoid") {
        return n.make(op::hard_sigmoid{}, {x, n.like(x, number(0, 0.2)), n.like(x, number(1, 0.5))});
    }
    n.wrong({"activation '", shown(name), "' is not supported"});
}

inline void read_fused_convolution(operation& n) {
    output_ref result = convolved(n, n.in(0), n.in(1), n.has(2) ? n.in(2) : output_ref());
    result = n.has(3) ? n.make(op::add{}, {result, n.in(3)}) : result;
    n.out(activated(n, result));
}

/// A matrix operand whose rows come before its batch axes, where a flag says so: the first axis moves behind those.
inline output_ref with_batch_in_front(operation& n, std::size_t port, const char* flag) {
    const output_ref given = n.in(port);
    if (!n.flag(flag) || n.rank(given) < 3) {
        return given;
    }
    lpt::integers order;
    for (std::size_t axis = 1; axis + 1 < n.rank(given); ++axis) {
        order.push_back(static_cast<std::int64_t>(axis));
    }
    order.push_back(0);
    order.push_back(static_cast<std::int64_t>(n.rank(given)) - 1);
    return n.transpose(given, order);
}

inline void read_fused_mat_mul(operation& n) {
    op::mat_mul what;
    what.transpose_a = n.flag("transA");
    what.transpose_b = n.flag("transB");
    const output_ref result =
        n.make(what, {with_batch_in_front(n, 0, "transBatchA"), with_batch_in_front(n, 1, "transBatchB")});
    const double alpha = n.real("alpha", 1);
    n.out(alpha == 1 ? result : n.make(op::multiply{}, {result, n.like(result, alpha)}));
}

inline void read_fused_gemm(operation& n) {
    op::mat_mul what;
    what.transpose_a = n.flag("transA");
    what.transpose_b = n.flag("transB");
    output_ref result = n.make(what, {n.in(0), n.in(1)});
    result = n.make(op::multiply{}, {result, n.like(result, n.real("alpha", 1))});
    if (n.has(2)) {
        result = n.make(op::add{}, {result, n.make(op::multiply{}, {n.in(2), n.like(result, n.real("beta", 1))})});
    }
    n.out(activated(n, result));
}

inline constexpr operator_entry microsoft_operators[] = {
    {"com.microsoft", "QLinearAdd", read_quantized_binary<op::add>},
    {"com.microsoft", "QLinearMul", read_quantized_binary<op::multiply>},
    {"com.microsoft", "QLinearGlobalAveragePool", read_quantized_global_average_pool},
    {"com.microsoft", "QLinearAveragePool", read_quantized_average_pool},
    {"com.microsoft", "QLinearConcat", read_quantized_concat},
    {"com.microsoft", "QLinearWhere", read_quantized_where},
    {"com.microsoft", "NhwcMaxPool", read_max_pool_of_channels_last, true},
    {"com.microsoft", "QLinearSigmoid", read_quantized_unary<op::sigmoid>},
    {"com.microsoft", "QLinearLeakyRelu", read_quantized_leaky_relu},
    {"com.microsoft", "QLinearSoftmax", read_quantized_softmax},
    {"com.microsoft", "QGemm", read_quantized_gemm},
    {"com.microsoft", "QLinearConv", read_quantized_convolution},
    {"com.microsoft", "MatMulIntegerToFloat", read_product_of_integers_to_real},
    {"com.microsoft", "DynamicQuantizeMatMul", read_product_of_range},
    {"com.microsoft", "MatMulNBits", read_product_of_blocks},
    {"com.microsoft", "FusedConv", read_fused_convolution},
    {"com.microsoft", "FusedMatMul", read_fused_mat_mul},
    {"com.microsoft", "TransposeMatMul", read_fused_mat_mul},
    {"com.microsoft", "FusedGemm", read_fused_gemm},
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/microsoft_attention.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_MICROSOFT_ATTENTION_HPP
#define LPT_HOLDS_IMPORT_ONNX_MICROSOFT_ATTENTION_HPP
/// Attention of ONNX Runtime's domain `com.microsoft`: projections, scores and weighted values in one operator.
namespace lpt::inline LPT_ABI::onnx {

/// What is added to the scores, [batch or 1, heads or 1, queries or 1, keys]: a negative number where a key does not count. `port`: of the
/// mask, which may be the numbers of keys, or 1 for each key that counts; the keys lie along an axis of `places`.
inline output_ref added_mask(operation& n, std::size_t port, output_ref places, std::int64_t axis, double filling) {
    const output_ref given = n.in(port);
    const std::size_t rank = n.rank(given);
    output_ref counts;
    if (rank == 1) {
        const dimension batch = n.size_of(places, 0);
        if (batch != dynamic_dimension && n.shape(given)[0] != batch) {
            n.wrong({"a mask of shape ", n.shape(given), " does not fit ", batch, " samples"});
        }
        const output_ref columns = n.counted(n.size_along(places, axis));
        counts = n.make(op::less{}, {columns, n.reshape(n.convert(given, i64), {-1, 1, 1, 1})});
    } else {
        counts = n.make(op::not_equal{}, {given, n.like(given, 0)});
        counts = rank == 2 ? n.unsqueeze(counts, {1, 2}) : rank == 3 ? n.unsqueeze(counts, {1}) : counts;
    }
    return n.make(op::select{}, {counts, n.builder().real(0), n.builder().real(filling)});
}

/// Attention of `x`, [batch, places, width], with itself. `weights` and `bias` give queries, keys and values, one behind the other.
inline void out_self_attention(operation& n, output_ref x, output_ref weights, output_ref bias, std::size_t mask) {
    const std::int64_t heads = n.integer("num_heads", 0);
    const lpt::shape sizes = n.static_shape(weights);
    if (n.rank(x) != 3 || sizes.rank() != 2 || heads < 1 || heads > sizes[1] || sizes[1] % (3 * heads) != 0) {
        n.wrong({"needs weights for three times ", heads, " heads, not of shape ", sizes});
    }
    if (n.wants(1) || !n.list("qkv_hidden_sizes").empty() || n.flag("do_rotary")) {
        n.wrong({"keys and values of before, other sizes of values, and turned pairs are not supported"});
    }
    output_ref all = n.make(op::mat_mul{}, {x, weights});
    all = bias ? n.make(op::add{}, {all, bias}) : all;
    const std::int64_t width = sizes[1] / 3;
    const auto part = [&](std::int64_t which) {
        return heads_apart(n, n.slice(all, 2, which * width, (which + 1) * width), heads);
    };
    const double given = n.real("scale", 0);
    const double scale = given != 0 ? given : 1 / math::sqrt(static_cast<double>(width / heads));
    const double filling = n.real("mask_filter_value", -10000);
    output_ref added = n.has(mask) ? added_mask(n, mask, x, 1, filling) : output_ref();
    if (n.flag("unidirectional")) {
        const output_ref place = n.counted(n.size_along(x, 1));
        const output_ref is_before = n.make(op::less_equal{}, {n.unsqueeze(place, {0}), n.unsqueeze(place, {1})});
        const output_ref later = n.make(op::select{}, {is_before, n.builder().real(0), n.builder().real(filling)});
        added = added ? n.make(op::add{}, {added, later}) : later;
    }
    op::mat_mul product;
    product.transpose_b = true;
    output_ref scores = n.make(op::multiply{}, {n.make(product, {part(0), part(1)}), n.builder().real(scale)});
    scores = added ? n.make(op::add{}, {scores, added}) : scores;
    n.out(heads_together(n, n.make(op::mat_mul{}, {n.softmax(scores, -1), part(2)})));
}

/// Data and weights as integers with scales and zero points; everything behind the projections is computed in real numbers.
inline void read_quantized_self_attention(operation& n) {
    if (n.has(8)) {
        n.wrong({"keys and values of before are not supported"});
    }
    out_self_attention(n, real_at(n, 0, 3, 6), real_at(n, 1, 4, 7, 1), n.in(2), 5);
}
inline void read_self_attention(operation& n) {
    if (n.has(4) || n.has(5)) {
        n.wrong({"keys and values of before, and numbers added to scores are not supported"});
    }
    out_self_attention(n, n.in(0), n.in(1), n.has(2) ? n.in(2) : output_ref(), 3);
}

inline constexpr operator_entry microsoft_attention_operators[] = {
    {"com.microsoft", "QAttention", read_quantized_self_attention},
    {"com.microsoft", "Attention", read_self_attention},
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/reduction.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_REDUCTION_HPP
#define LPT_HOLDS_IMPORT_ONNX_REDUCTION_HPP
/// Reductions and normalizations.
namespace lpt::inline LPT_ABI::onnx {

inline lpt::integers all_axes(operation& n, output_ref x) {
    lpt::integers axes;
    for (std::size_t axis = 0; axis < n.rank(x); ++axis) {
        axes.push_back(static_cast<std::int64_t>(axis));
    }
    return axes;
}

/// The axes to reduce: all, or with `noop_with_empty_axes` none, where none are given.
inline output_ref reduced_axes(operation& n) {
    const output_ref axes = axes_input(n, 1);
    const bool given = axes && !(n.shape(axes).is_static() && n.shape(axes).elements() == 0);
    if (given || n.flag("noop_with_empty_axes")) {
        return given ? axes : n.indices(view<std::int64_t>());
    }
    return n.indices(all_axes(n, n.in(0)));
}

template <class Reduction>
output_ref reduced(operation& n, output_ref x) {
    Reduction what;
    what.keep_dims = n.flag("keepdims", true);
    return n.make(what, {x, reduced_axes(n)});
}
template <class Reduction>
void read_reduction(operation& n) {
    n.out(reduced<Reduction>(n, n.in(0)));
}
/// Greatest and least of booleans are "any" and "all".
template <class Reduction, class Logical>
void read_extreme(operation& n) {
    n.out(n.type(n.in(0)) == boolean ? reduced<Logical>(n, n.in(0)) : reduced<Reduction>(n, n.in(0)));
}
inline void read_sum_of_squares(operation& n) {
    n.out(reduced<op::reduce_sum>(n, n.make(op::multiply{}, {n.in(0), n.in(0)})));
}
inline void read_log_of_sum(operation& n) { n.out(n.make(op::log{}, {reduced<op::reduce_sum>(n, n.in(0))})); }
/// log(sum of exp(x - m)) + m with the greatest value m, so that nothing overflows.
inline void read_log_of_sum_of_exponentials(operation& n) {
    const output_ref x = n.in(0);
    const output_ref axes = reduced_axes(n);
    op::reduce_max most;
    most.keep_dims = true;
    const output_ref kept = n.make(most, {x, axes});
    const output_ref powers = n.make(op::exp{}, {n.make(op::subtract{}, {x, kept})});
    const output_ref sum = reduced<op::reduce_sum>(n, powers);
    most.keep_dims = n.flag("keepdims", true);
    n.out(n.make(op::add{}, {n.make(op::log{}, {sum}), n.make(most, {x, axes})}));
}

/// The place of the greatest or least value along an axis.
template <bool Greatest>
void read_place_of_extreme(operation& n) {
    output_ref x = n.in(0);
    const std::int64_t axis = n.axis_of(n.integer("axis", 0), n.rank(x));
    const bool last = n.flag("select_last_index");
    const output_ref size = n.size_along(x, axis);
    if (last) {
        // The first from the back.
        const output_ref back =
            n.make(op::subtract{}, {n.make(op::subtract{}, {size, n.integer_constant(1)}), n.counted(size)});
        x = n.gather(x, back, axis);
    }
    op::top_k top;
    top.axis = axis;
    top.mode = Greatest ? op::top_k_mode::max : op::top_k_mode::min;
    top.sort = op::top_k_sort::value;
    top.index_element_type = i64;
    top.stable = true;
    output_ref place(n.make_node(top, {x, n.integer_constant(1)}, 11), 1);
    if (last) {
        place = n.make(op::subtract{}, {n.make(op::subtract{}, {size, n.integer_constant(1)}), place});
    }
    n.out(n.flag("keepdims", true) ? place : n.squeeze(place, {axis}));
}

inline void read_top_k(operation& n) {
    op::top_k top;
    top.axis = n.integer("axis", -1);
    top.mode = n.flag("largest", true) ? op::top_k_mode::max : op::top_k_mode::min;
    top.sort = op::top_k_sort::value;
    top.index_element_type = i64;
    top.stable = true;
    const output_ref count = n.has(1) ? n.in(1) : n.indices({n.integer("k", 1)});
    const node_id made = n.make_node(top, {n.in(0), n.shape(count).rank() == 0 ? count : n.squeeze(count, {0})}, 11);
    n.out(0, made);
    n.out(1, output_ref(made, 1));
}

inline void read_cumulative_sum(operation& n) {
    op::cum_sum what;
    what.exclusive = n.flag("exclusive");
    what.reverse = n.flag("reverse");
    const output_ref axis = n.in(1);
    n.out(n.make(what, {n.in(0), n.shape(axis).rank() == 0 ? axis : n.squeeze(axis, {0})}));
}

// ---- normalization

/// Axes from `first` to the last.
inline lpt::integers last_axes(operation& n, output_ref x, std::int64_t first) {
    lpt::integers axes;
    for (auto axis = n.axis_of(first, n.rank(x)); axis < static_cast<std::int64_t>(n.rank(x)); ++axis) {
        axes.push_back(axis);
    }
    return axes;
}

inline output_ref normalized(operation& n, output_ref x, view<std::int64_t> axes, double epsilon) {
    op::mvn what;
    what.eps = epsilon;
    what.normalize_variance = true;
    what.eps_mode = op::mvn_eps_mode::inside_sqrt;
    return n.make(what, {x, n.indices(axes)}, 6);
}
inline double epsilon_of(operation& n, double otherwise = 1e-5) {
    return static_cast<double>(static_cast<float>(n.real("epsilon", otherwise)));
}

/// Mean and 1 / sqrt(variance + epsilon) as outputs `port` and `port + 1`, where they are wanted.
inline void out_statistics(operation& n, output_ref x, view<std::int64_t> axes, double epsilon, std::size_t port) {
    if (!n.wants(port) && !n.wants(port + 1)) {
        return;
    }
    const output_ref mean = n.reduce<op::reduce_mean>(x, axes, true);
    const output_ref difference = n.make(op::subtract{}, {x, mean});
    const output_ref variance = n.reduce<op::reduce_mean>(n.make(op::multiply{}, {difference, difference}), axes, true);
    const output_ref root = n.make(op::sqrt{}, {n.make(op::add{}, {variance, n.like(x, epsilon)})});
    n.out(port, mean);
    n.out(port + 1, n.make(op::divide{}, {n.like(x, 1), root}));
}

inline void read_layer_normalization(operation& n) {
    const output_ref x = n.in(0);
    const lpt::integers axes = last_axes(n, x, n.integer("axis", -1));
    output_ref result = n.make(op::multiply{}, {normalized(n, x, axes, epsilon_of(n)), n.in(1)});
    n.out(0, n.has(2) ? n.make(op::add{}, {result, n.in(2)}) : result);
    out_statistics(n, x, axes, epsilon_of(n), 1);
}

/// x / sqrt(mean of x^2 + epsilon)
inline output_ref root_mean_square_normalized(operation& n, output_ref x, view<std::int64_t> axes, double epsilon) {
    const output_ref squares = n.reduce<op::reduce_mean>(n.make(op::multiply{}, {x, x}), axes, true);
    const output_ref root = n.make(op::sqrt{}, {n.make(op::add{}, {squares, n.like(x, epsilon)})});
    return n.make(op::divide{}, {x, root});
}
inline void read_root_mean_square_normalization(operation& n) {
    const output_ref x = n.in(0);
    const output_ref in_f32 = n.type(x) == f64 ? x : n.convert(x, f32);
    const output_ref result =
        root_mean_square_normalized(n, in_f32, last_axes(n, x, n.integer("axis", -1)), epsilon_of(n));
    n.out(n.make(op::multiply{}, {n.convert(result, n.type(x)), n.in(1)}));
}

/// com.microsoft: layer normalization of x + skip + bias, which is the fourth output.
inline void read_skip_layer_normalization(operation& n) {
    const bool simplified = n.node().type == "SkipSimplifiedLayerNormalization";
    const std::size_t bias = simplified ? 3 : 4;
    output_ref sum = n.make(op::add{}, {n.in(0), n.in(1)});
    sum = n.has(bias) ? n.make(op::add{}, {sum, n.in(bias)}) : sum;
    const lpt::integers axes{-1};
    output_ref result = simplified ? root_mean_square_normalized(n, sum, axes, epsilon_of(n, 1e-12))
                                   : normalized(n, sum, last_axes(n, sum, -1), epsilon_of(n, 1e-12));
    result = n.make(op::multiply{}, {result, n.in(2)});
    n.out(0, !simplified && n.has(3) ? n.make(op::add{}, {result, n.in(3)}) : result);
    n.out(3, sum);
}

/// Numbers a channel, as they broadcast to data with channels on axis 1.
inline output_ref by_channel(operation& n, output_ref numbers, output_ref x) {
    lpt::integers sizes{-1};
    for (std::size_t axis = 2; axis < n.rank(x); ++axis) {
        sizes.push_back(1);
    }
    return n.reshape(numbers, sizes);
}

inline void read_instance_normalization(operation& n) {
    const output_ref x = n.in(0);
    const output_ref result = normalized(n, x, spatial_axes(n, x), epsilon_of(n));
    n.out(n.make(op::add{}, {n.make(op::multiply{}, {result, by_channel(n, n.in(1), x)}), by_channel(n, n.in(2), x)}));
}

/// Scales and biases are those of channels, before version 21 those of groups.
inline void read_group_normalization(operation& n) {
    const output_ref x = n.in(0);
    const std::int64_t groups = n.integer("num_groups", 1);
    const output_ref flat = n.reshape(x, {0, groups, -1}, true);
    output_ref result = normalized(n, flat, lpt::integers{2}, epsilon_of(n));
    if (n.version() < 21) {
        result = n.make(op::add{},
                        {n.make(op::multiply{}, {result, n.reshape(n.in(1), {-1, 1})}), n.reshape(n.in(2), {-1, 1})});
        return n.out(n.make(op::reshape{}, {result, n.shape_of(x)}));
    }
    result = n.make(op::reshape{}, {result, n.shape_of(x)});
    n.out(n.make(op::add{}, {n.make(op::multiply{}, {result, by_channel(n, n.in(1), x)}), by_channel(n, n.in(2), x)}));
}

/// Scale and shift of each channel; in training the mean and variance of the data count, and are given.
inline void read_batch_normalization(operation& n) {
    const output_ref x = n.in(0);
    const double epsilon = epsilon_of(n);
    output_ref mean = n.in(3);
    output_ref variance = n.in(4);
    if (n.flag("training_mode")) {
        lpt::integers axes = all_axes(n, x);
        axes.erase(1);
        const output_ref now = n.reduce<op::reduce_mean>(x, axes, true);
        const output_ref difference = n.make(op::subtract{}, {x, now});
        const output_ref spread =
            n.reduce<op::reduce_mean>(n.make(op::multiply{}, {difference, difference}), axes, false);
        const output_ref momentum = n.like(x, n.real("momentum", 0.9));
        const output_ref rest = n.make(op::subtract{}, {n.like(x, 1), momentum});
        const auto running = [&](output_ref before, output_ref fresh) {
            return n.make(op::add{},
                          {n.make(op::multiply{}, {before, momentum}), n.make(op::multiply{}, {fresh, rest})});
        };
        const output_ref flat = n.reshape(now, {-1});
        n.out(1, running(mean, flat));
        n.out(2, running(variance, spread));
        mean = flat;
        variance = spread;
    }
    const output_ref root = n.make(op::sqrt{}, {n.make(op::add{}, {variance, n.like(variance, epsilon)})});
    const output_ref scale = n.make(op::divide{}, {n.convert(n.in(1), n.type(root)), root});
    const output_ref shift =
        n.make(op::subtract{}, {n.convert(n.in(2), n.type(root)), n.make(op::multiply{}, {mean, scale})});
    const output_ref scaled = n.make(op::multiply{}, {x, by_channel(n, n.convert(scale, n.type(x)), x)});
    n.out(0, n.make(op::add{}, {scaled, by_channel(n, n.convert(shift, n.type(x)), x)}));
}

inline void read_local_response_normalization(operation& n) {
    op::lrn what;
    what.alpha = n.real("alpha", 0.0001);
    what.beta = n.real("beta", 0.75);
    what.bias = n.real("bias", 1);
    what.size = n.integer("size", 1);
    n.out(n.make(what, {n.in(0), n.indices({1})}));
}

inline void read_lp_normalization(operation& n) {
    const output_ref x = n.in(0);
    const lpt::integers axes{n.axis_of(n.integer("axis", -1), n.rank(x))};
    const output_ref norm = norm_of(n, x, norm_degree(n), axes);
    const output_ref quotient = n.make(op::divide{}, {x, norm});
    n.out(n.make(op::select{}, {n.make(op::equal{}, {norm, n.like(x, 0)}), n.like(x, 0), quotient}));
}

inline void read_mean_variance_normalization(operation& n) {
    const lpt::integers axes = n.has_attribute("axes") ? n.list("axes") : lpt::integers{0, 2, 3};
    n.out(normalized(n, n.in(0), axes, 1e-9));
}

inline constexpr operator_entry reduction_operators[] = {
    {"", "ReduceSum", read_reduction<op::reduce_sum>},
    {"", "ReduceMean", read_reduction<op::reduce_mean>},
    {"", "ReduceProd", read_reduction<op::reduce_prod>},
    {"", "ReduceL1", read_reduction<op::reduce_l1>},
    {"", "ReduceL2", read_reduction<op::reduce_l2>},
    {"", "ReduceMax", read_extreme<op::reduce_max, op::reduce_logical_or>},
    {"", "ReduceMin", read_extreme<op::reduce_min, op::reduce_logical_and>},
    {"", "ReduceSumSquare", read_sum_of_squares},
    {"", "ReduceLogSum", read_log_of_sum},
    {"", "ReduceLogSumExp", read_log_of_sum_of_exponentials},
    {"", "ArgMax", read_place_of_extreme<true>},
    {"", "ArgMin", read_place_of_extreme<false>},
    {"", "TopK", read_top_k},
    {"", "CumSum", read_cumulative_sum},
    {"", "LayerNormalization", read_layer_normalization},
    {"", "RMSNormalization", read_root_mean_square_normalization},
    {"", "SimplifiedLayerNormalization", read_root_mean_square_normalization},
    {"", "InstanceNormalization", read_instance_normalization},
    {"", "GroupNormalization", read_group_normalization},
    {"", "BatchNormalization", read_batch_normalization},
    {"", "LRN", read_local_response_normalization},
    {"", "LpNormalization", read_lp_normalization},
    {"", "MeanVarianceNormalization", read_mean_variance_normalization},
    {"com.microsoft", "LayerNormalization", read_layer_normalization},
    {"com.microsoft", "SkipLayerNormalization", read_skip_layer_normalization},
    {"com.microsoft", "SkipSimplifiedLayerNormalization", read_skip_layer_normalization},
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/microsoft_transformers.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_MICROSOFT_TRANSFORMERS_HPP
#define LPT_HOLDS_IMPORT_ONNX_MICROSOFT_TRANSFORMERS_HPP
/// Parts of transformers that ONNX Runtime fuses into operators of its domain `com.microsoft`.
namespace lpt::inline LPT_ABI::onnx {

/// Queries, keys and values, [batch, heads, length, size].
struct attention_operands {
    output_ref query;
    output_ref key;
    output_ref values;
};

/// One of several matrices side by side, [batch, length, heads, matrices, size].
inline output_ref packed_heads(operation& n, output_ref all, std::int64_t which) {
    return n.transpose(n.squeeze(n.slice(all, 3, which, which + 1), {3}), {0, 2, 1, 3});
}

/// Keys and values come by themselves, side by side in one tensor, or with the queries in one.
inline attention_operands read_attention_operands(operation& n, std::int64_t heads) {
    const output_ref first = n.in(0);
    if (n.rank(first) == 5) {
        return {packed_heads(n, first, 0), packed_heads(n, first, 1), packed_heads(n, first, 2)};
    }
    const output_ref query = heads_apart(n, first, heads);
    if (!n.has(1)) {
        n.wrong({"needs keys, or queries of five axes that hold them"});
    }
    if (n.rank(n.in(1)) == 5) {
        return {query, packed_heads(n, n.in(1), 0), packed_heads(n, n.in(1), 1)};
    }
    const auto part = [&](std::size_t port) {
        return n.rank(n.in(port)) == 4 ? n.in(port) : heads_apart(n, n.in(port), heads);
    };
    return {query, part(1), part(2)};
}

/// Adds the numbers of a bias of queries, keys and values, one behind the other; keys that have their heads apart already have none.
inline void add_attention_bias(operation& n, attention_operands& to, std::int64_t heads) {
    const output_ref bias = n.in(3);
    std::int64_t begin = 0;
    for (output_ref* const each : {&to.query, &to.key, &to.values}) {
        const dimension size = n.shape(*each)[3];
        if (size == dynamic_dimension) {
            n.wrong({"needs to know the size of a head"});
        }
        const output_ref part = n.slice(bias, 0, begin, begin + heads * size);
        *each = n.make(op::add{}, {*each, n.reshape(part, {heads, 1, size})});
        begin += heads * size;
    }
    const dimension width = n.size_of(bias, 0);
    if (width != dynamic_dimension && width != begin) {
        n.wrong({"has a bias of ", width, " numbers, expected ", begin});
    }
}

/// softmax(query * keys' * scale + masks) * values
inline void read_multi_head_attention(operation& n) {
    const std::int64_t heads = n.integer("num_heads", 0);
    if (heads < 1) {
        n.wrong({"num_heads must be positive, but is ", heads});
    }
    if (n.has(8) || n.has(9) || n.wants(3)) {
        n.wrong({"buffers that keys and values share, and scores as an output are not supported"});
    }
    attention_operands of = read_attention_operands(n, heads);
    if (n.has(3)) {
        if (n.has(1) && n.rank(n.in(1)) == 4) {
            n.wrong({"a bias of keys whose heads are apart is not supported"});
        }
        add_attention_bias(n, of, heads);
    }
    if (n.has(6)) {
        of.key = n.concat({n.in(6), of.key}, 2);
    }
    if (n.has(7)) {
        of.values = n.concat({n.in(7), of.values}, 2);
    }
    n.out(1, of.key);
    n.out(2, of.values);
    const dimension size = n.shape(of.query)[3];
    const double given = n.real("scale", 0);
    if (given == 0 && size == dynamic_dimension) {
        n.wrong({"needs to know the size of a head"});
    }
    const double scale = given != 0 ? given : 1 / math::sqrt(static_cast<double>(size));
    const double filling = n.real("mask_filter_value", -10000);
    op::mat_mul product;
    product.transpose_b = true;
    output_ref scores = n.make(product, {of.query, of.key});
    scores = n.make(op::multiply{}, {scores, n.like(scores, scale)});
    if (n.has(5)) {
        scores = n.make(op::add{}, {scores, n.in(5)});
    }
    if (n.has(4)) {
        scores = n.make(op::add{}, {scores, added_mask(n, 4, of.key, 2, filling)});
    }
    if (n.flag("unidirectional")) {
        const output_ref place = n.counted(n.size_along(of.query, 2));
        const output_ref past = n.make(op::subtract{}, {n.size_along(of.key, 2), n.size_along(of.query, 2)});
        const output_ref last = n.unsqueeze(n.make(op::add{}, {place, past}), {1});
        const output_ref is_before =
            n.make(op::less_equal{}, {n.unsqueeze(n.counted(n.size_along(of.key, 2)), {0}), last});
        scores = n.make(op::select{}, {is_before, scores, n.like(scores, facts(f32).lowest)});
    }
    n.out(0, heads_together(n, n.make(op::mat_mul{}, {n.softmax(scores, -1), of.values})));
}

/// Words, their places and, perhaps, their segments, added and normalized.
inline void read_embedding_normalization(operation& n) {
    const output_ref words = n.in(0);
    const output_ref places = n.has(8) ? n.in(8) : n.counted(n.size_along(words, 1));
    output_ref sum = n.make(op::add{}, {n.gather(n.in(2), words, 0), n.gather(n.in(3), places, 0)});
    if (n.has(1)) {
        sum = n.make(op::add{}, {sum, n.gather(n.in(4), n.in(1), 0)});
    }
    const output_ref result = normalized(n, sum, last_axes(n, sum, -1), epsilon_of(n, 1e-12));
    n.out(0, n.make(op::add{}, {n.make(op::multiply{}, {result, n.in(5)}), n.in(6)}));
    if (n.wants(1)) {
        n.out(1, n.has(7) ? n.reduce<op::reduce_sum>(n.convert(n.in(7), i32), {1}, false)
                          : n.broadcast(n.integer_constant(0, i32), n.size_along(words, 0)));
    }
    n.out(2, sum);
}

/// The standard's operator with places before the cosines and sines; one place is that of the first row.
inline void read_rotary_embedding_by_place(operation& n) {
    if (n.flag("is_packed_batching") || n.real("scale", 1) != 1) {
        n.wrong({"packed batches and scales are not supported"});
    }
    const output_ref x = n.in(0);
    const bool is_packed = n.rank(x) == 3;
    const lpt::shape cosines = n.static_shape(n.in(2));
    if (cosines.rank() != 2) {
        n.wrong({"needs cosines by place and pair, not of shape ", cosines});
    }
    std::int64_t heads = n.integer("num_heads", 0);
    if (is_packed && heads == 0) {
        const dimension width = n.shape(x)[2];
        if (width == dynamic_dimension || cosines[1] < 1 || width % (2 * cosines[1]) != 0) {
            n.wrong({"needs the number of heads"});
        }
        heads = width / (2 * cosines[1]);
    }
    const output_ref apart = is_packed ? heads_apart(n, x, heads) : x;
    output_ref places = n.convert(n.in(1), i64);
    if (n.rank(places) == 1) {
        places = n.unsqueeze(n.make(op::add{}, {n.counted(n.size_along(apart, 2)), places}), {0});
    }
    const auto by_place = [&](std::size_t port) { return n.unsqueeze(n.gather(n.in(port), places, 0), {1}); };
    const output_ref result = turned_pairs(n, apart, by_place(2), by_place(3));
    n.out(is_packed ? heads_together(n, result) : result);
}

inline constexpr operator_entry microsoft_transformer_operators[] = {
    {"com.microsoft", "MultiHeadAttention", read_multi_head_attention},
    {"com.microsoft", "EmbedLayerNormalization", read_embedding_normalization},
    {"com.microsoft", "RotaryEmbedding", read_rotary_embedding_by_place},
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/lstm_loop.hpp
#ifndef LPT_HOLDS_IMPORT_LSTM_LOOP_HPP
#define LPT_HOLDS_IMPORT_LSTM_LOOP_HPP
namespace lpt::inline LPT_ABI {

/// A long short-term memory with what LSTMSequence does not have, as a body that runs once a step: peepholes, projection, normalized gates,
/// coupled gates and a clipped cell.
///
/// i, f, o = s0(gate), g = s1(gate): gate = W * x + R * h + p * c, normalized over its numbers and multiplied where it has a `normalization`, + b;
/// c' = f * c + i * g within +-cell_clip; h' = o * s2(c'), or within +-projection_clip P * (o * s2(c')) + b. The gate of o sees c',
/// the others c. Without weights for i: i = 1 - f; without weights for f: f = 1 - i. What goes into s0 and s1 is clipped to +-clip. Limits of 0 are none.
class lstm_loop {
    model_builder& make_;
    model_builder body_;
    op::tensor_iterator what_;
    seq<output_ref> inputs_;

public:
    /// Weights [hidden, inputs] and [hidden, outputs]; the others, which may be absent, [hidden].
    struct gate {
        output_ref input;
        output_ref hidden;
        output_ref bias;
        output_ref peephole;
        output_ref normalization;
    };

    /// f(alpha * x + beta), for an operation f of one input.
    struct function {
        op::attributes what;
        double alpha = 1;
        double beta = 0;
    };

    gate gates[4];  // of i, f, g, o
    function functions[3] = {{op::sigmoid{}}, {op::tanh{}}, {op::tanh{}}};  // s0, s1, s2
    output_ref projection;  // [outputs, hidden]
    output_ref projection_bias;
    double clip = 0;
    double cell_clip = 0;
    double projection_clip = 0;
    double normalization_epsilon = 1e-8;
    std::int64_t time_axis = 1;  // of the data: 0 or 1, the other one is the batch
    bool is_reverse = false;
    output_ref lengths;  // [batch], which may be absent: steps beyond them give zeros and leave the states alone

    /// What comes out: h' of all steps, with the axes of the data, and the last states.
    struct outcome {
        output_ref all;
        output_ref hidden;
        output_ref cell;
    };

    explicit lstm_loop(model_builder& make) : make_(make), body_(make.file()) { body_.begin(make.current()); }

    /// `data`: three axes; `hidden`: [batch, outputs]; `cell`: [batch, hidden].
    outcome run(output_ref data, output_ref hidden, output_ref cell) {
        if (make_.shape_of(data).rank_is_dynamic() || make_.shape_of(data).rank() != 3) {
            make_.wrong({"data must have three axes, not the shape ", make_.shape_of(data)});
        }
        const output_ref step = sliced(data, time_axis);
        const output_ref h = state(hidden, 0);
        const output_ref c = state(cell, 1);
        const output_ref x = body_.add(op::squeeze{}, from({step, body_.indices(one(time_axis))}), 0);
        const output_ref opened = gates[0].input ? gated(gates[0], x, h, c, functions[0]) : output_ref();
        const output_ref kept = gates[1].input ? gated(gates[1], x, h, c, functions[0])
                                               : body_.add(op::subtract{}, from({number(1), opened}));
        const output_ref open = opened ? opened : body_.add(op::subtract{}, from({number(1), kept}));
        const output_ref candidate = gated(gates[2], x, h, {}, functions[1]);
        const output_ref now = clamped(body_.add(op::add{}, from({body_.add(op::multiply{}, from({kept, c})),
                                                                  body_.add(op::multiply{}, from({open, candidate}))})),
                                       cell_clip);
        const output_ref out = gated(gates[3], x, h, now, functions[0]);
        const output_ref given = projected(body_.add(op::multiply{}, from({out, applied(functions[2], now)})));
        return finished(data, h, c, given, now);
    }

private:
    static seq<output_ref, 5> from(std::initializer_list<output_ref> all) {
        seq<output_ref, 5> result;
        for (const output_ref each : all) {
            result.push_back(each);
        }
        return result;
    }
    static integers one(std::int64_t value) {
        integers result;
        result.push_back(value);
        return result;
    }
    output_ref number(double value) { return body_.real(value, make_.type_of(inputs_[0])); }

    output_ref parameter(output_ref outside, const shape& dimensions, op::body_input input) {
        input.port = static_cast<std::int64_t>(inputs_.size());
        input.parameter = static_cast<std::int64_t>(body_.model().parameters().size());
        inputs_.push_back(outside);
        what_.input_map.push_back(input);
        return body_.model().parameter(make_.type_of(outside), dimensions);
    }
    /// A value from outside: a constant of the body, or a parameter that stays the same.
    output_ref taken(output_ref outside) {
        const tensor* value = make_.value_of(outside);
        return value != nullptr ? body_.constant(*value) : parameter(outside, make_.shape_of(outside), {});
    }
    output_ref sliced(output_ref outside, std::int64_t axis) {
        op::body_input input;
        input.holds = op::body_input::form::sliced;
        input.slice = is_reverse ? op::body_slice{axis, -1, -1, 1, 0} : op::body_slice{axis};
        shape part = make_.shape_of(outside);
        part[static_cast<std::size_t>(axis)] = 1;
        return parameter(outside, part, input);
    }
    output_ref state(output_ref outside, std::int64_t result) {
        op::body_input input;
        input.holds = op::body_input::form::merged;
        input.result = result;
        return parameter(outside, make_.shape_of(outside), input);
    }

    output_ref clamped(output_ref x, double limit) {
        return limit > 0 ? body_.add(op::clamp{{}, -limit, limit}, from({x})) : x;
    }
    output_ref applied(const function& how, output_ref x) {
        if (how.alpha != 1 || how.beta != 0) {
            x = sum(body_.add(op::multiply{}, from({x, number(how.alpha)})), number(how.beta));
        }
        return body_.add(how.what, from({x}));
    }
    output_ref product(output_ref x, output_ref weights) {
        return body_.add(op::mat_mul{false, true}, from({x, taken(weights)}));
    }
    output_ref sum(output_ref x, output_ref addend) { return body_.add(op::add{}, from({x, addend})); }
    output_ref gated(const gate& how, output_ref x, output_ref h, output_ref c, const function& opens) {
        output_ref result = sum(product(x, how.input), product(h, how.hidden));
        if (how.peephole && c) {
            result = sum(result, body_.add(op::multiply{}, from({taken(how.peephole), c})));
        }
        if (how.normalization) {
            op::mvn what;
            what.eps = normalization_epsilon;
            result = body_.add(what, from({result, body_.indices(one(-1))}));
            result = body_.add(op::multiply{}, from({result, taken(how.normalization)}));
        }
        result = how.bias ? sum(result, taken(how.bias)) : result;
        return applied(opens, clamped(result, clip));
    }
    output_ref projected(output_ref x) {
        if (!projection) {
            return x;
        }
        const output_ref result = product(x, projection);
        return clamped(projection_bias ? sum(result, taken(projection_bias)) : result, projection_clip);
    }

    /// True in [batch, 1] where a step belongs to the sequence.
    output_ref belongs() {
        const dimension time = make_.shape_of(inputs_[0])[static_cast<std::size_t>(time_axis)];
        op::range count;
        count.output_type = i64;
        const output_ref stop = time != dynamic_dimension
                                    ? make_.integer(time)
                                    : make_.add(op::gather{}, from({make_.add(op::shape_of{}, from({inputs_[0]})),
                                                                    make_.integer(time_axis), make_.integer(0)}));
        const output_ref steps = make_.add(count, from({make_.integer(0), stop, make_.integer(1)}));
        const output_ref wide = make_.add(op::convert{i64}, from({lengths}));
        const output_ref column = taken(make_.add(op::unsqueeze{}, from({wide, make_.indices(one(1))})));
        return body_.add(op::less{}, from({sliced(steps, 0), column}));
    }
    outcome finished(output_ref data, output_ref h, output_ref c, output_ref given, output_ref now) {
        output_ref shown = given;
        if (lengths) {
            const output_ref inside = belongs();
            shown = body_.add(op::select{}, from({inside, given, number(0)}));
            given = body_.add(op::select{}, from({inside, given, h}));
            now = body_.add(op::select{}, from({inside, now, c}));
        }
        const output_ref row = body_.add(op::unsqueeze{}, from({shown, body_.indices(one(time_axis))}));
        std::int64_t port = 0;
        for (const output_ref each : {given, now, row}) {
            op::body_output output;
            output.port = port;
            output.result = port;
            op::declared_output declared{body_.type_of(each), body_.shape_of(each)};
            if (port == 2) {
                output.holds = op::body_output::form::concatenated;
                output.slice = is_reverse ? op::body_slice{time_axis, -1, -1, 1, 0} : op::body_slice{time_axis};
                const auto axis = static_cast<std::size_t>(time_axis);
                if (declared.dimensions.rank_is_static() && axis < declared.dimensions.rank()) {
                    declared.dimensions[axis] = make_.shape_of(data)[axis];
                }
            }
            body_.model().result(each);
            what_.output_map.push_back(output);
            what_.declared_outputs.push_back(declared);
            ++port;
        }
        const node_id made = make_.add_node(what_, inputs_);
        make_.model().add_body(made, body_.take());
        return {output_ref(made, 2), made, output_ref(made, 1)};
    }
};

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/import/onnx/recurrent.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_RECURRENT_HPP
#define LPT_HOLDS_IMPORT_ONNX_RECURRENT_HPP
/// Recurrent networks.
namespace lpt::inline LPT_ABI::onnx {

/// What the three operators have in common, in the order of axes of the library's operations: batch first.
struct recurrent_inputs {
    output_ref data;
    output_ref lengths;
    output_ref hidden;
    std::int64_t directions = 1;
    bool batch_first = false;
};

inline recurrent_inputs read_recurrent_inputs(operation& n, std::int64_t hidden_size) {
    recurrent_inputs result;
    result.batch_first = n.flag("layout");
    result.data = result.batch_first ? n.in(0) : n.transpose(n.in(0), {1, 0, 2});
    result.directions = n.words("direction", "forward") == "bidirectional" ? 2 : 1;
    const output_ref batch = n.size_along(result.data, 0);
    if (n.has(4)) {
        result.lengths = n.in(4);
    } else {
        result.lengths = n.broadcast(n.size_along(result.data, 1), batch);
    }
    if (n.has(5)) {
        result.hidden = result.batch_first ? n.in(5) : n.transpose(n.in(5), {1, 0, 2});
    } else {
        const output_ref sizes = n.concat({batch, n.indices({result.directions, hidden_size})}, 0);
        result.hidden = n.broadcast(n.like(result.data, 0), sizes);
    }
    return result;
}

inline op::recurrent_direction direction_of(operation& n) {
    const std::string_view word = n.words("direction", "forward");
    for (std::size_t i = 0; i < std::size(op::recurrent_direction_words); ++i) {
        if (op::recurrent_direction_words[i] == shown(word)) {
            return static_cast<op::recurrent_direction>(i);
        }
    }
    n.wrong({"direction '", shown(word), "' is not known"});
}

/// Fills the attributes that all have; `count` functions a direction, which must be the same for both.
template <class Recurrent>
void read_recurrent_attributes(operation& n, Recurrent& to, std::size_t count) {
    to.hidden_size = n.integer("hidden_size", 0);
    if (to.hidden_size == 0) {
        to.hidden_size = n.static_size_of(n.in(2), 2);
    }
    to.direction = direction_of(n);
    to.clip = n.real("clip", 0);
    const attribute* found = n.node().find("activations");
    if (found == nullptr) {
        return;
    }
    const std::vector<std::string_view>& names = found->many_words;
    if (names.size() < count) {
        n.wrong({"needs ", count, " activations, not ", names.size()});
    }
    to.activations.clear();
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i >= count) {
            if (names[i] != names[i - count]) {
                n.wrong({"has other activations for the second direction, which is not supported"});
            }
            continue;
        }
        std::string small(names[i]);
        for (char& each : small) {
            each = each >= 'A' && each <= 'Z' ? static_cast<char>(each - 'A' + 'a') : each;
        }
        to.activations.push_back(text(small.c_str()));
    }
    for (const float each : n.reals("activation_alpha")) {
        to.activations_alpha.push_back(static_cast<double>(each));
    }
    for (const float each : n.reals("activation_beta")) {
        to.activations_beta.push_back(static_cast<double>(each));
    }
}

/// Parts of `size` along axis 1, in another order.
inline output_ref gates(operation& n, output_ref from, std::int64_t size, std::initializer_list<std::int64_t> order) {
    seq<output_ref> parts;
    for (const std::int64_t gate : order) {
        parts.push_back(n.slice(from, 1, gate * size, (gate + 1) * size));
    }
    return n.concat(parts, 1);
}

/// The sum of the biases of data and state, zero where there are none.
inline output_ref summed_bias(operation& n, std::int64_t directions, std::int64_t rows) {
    if (!n.has(3)) {
        return n.broadcast(n.like(n.in(0), 0), n.indices({directions, rows}));
    }
    return n.make(op::add{}, {n.slice(n.in(3), 1, 0, rows), n.slice(n.in(3), 1, rows, 2 * rows)});
}

/// All hidden states and the last ones, in the order of axes that the file wants.
inline void out_states(operation& n, const recurrent_inputs& from, output_ref all, output_ref last) {
    n.out(0, from.batch_first ? n.transpose(all, {0, 2, 1, 3}) : n.transpose(all, {2, 1, 0, 3}));
    n.out(1, from.batch_first ? last : n.transpose(last, {1, 0, 2}));
}

/// The function that stands at a place of an operation's activations.
inline lstm_loop::function gate_function(operation& n, const op::lstm_sequence& from, std::size_t place) {
    const text& word = from.activations[place];
    if (word == "sigmoid") {
        return {op::sigmoid{}};
    }
    if (word == "tanh") {
        return {op::tanh{}};
    }
    if (word == "relu") {
        return {op::relu{}};
    }
    if (word == "hardsigmoid") {
        const auto parameter = [place](const seq<double>& all, double otherwise) {
            return place < all.size() ? all[place] : otherwise;
        };
        return {op::clamp{{}, 0, 1}, parameter(from.activations_alpha, 0.2), parameter(from.activations_beta, 0.5)};
    }
    n.wrong({"activation '", word, "' must be sigmoid, tanh, relu or hardsigmoid"});
}

/// True unless an input is left out or known to be zeros.
inline bool has_other_than_zeros(operation& n, std::size_t port) {
    if (!n.has(port)) {
        return false;
    }
    const tensor* known = n.known(n.in(port));
    for (std::size_t i = 0; known != nullptr && i < known->elements(); ++i) {
        if (known->real(i) != 0) {
            return true;
        }
    }
    return known == nullptr;
}

/// An LSTM that is more than LSTMSequence: one loop a direction. Outputs like those of LSTMSequence.
inline lstm_loop::outcome read_lstm_loop(operation& n, const op::lstm_sequence& what, const recurrent_inputs& from,
                                         output_ref cell, output_ref of_data, output_ref of_state) {
    const std::int64_t size = what.hidden_size;
    const output_ref bias = summed_bias(n, from.directions, 4 * size);
    seq<output_ref> parts[3];
    for (std::int64_t direction = 0; direction < from.directions; ++direction) {
        lstm_loop loop(n.builder());
        const auto rows = [&](output_ref all, std::int64_t gate) {
            return n.squeeze(n.slice(n.slice(all, 0, direction, direction + 1), 1, gate * size, (gate + 1) * size),
                             {0});
        };
        // Gates lie as input, output, forget, candidate in the file, peepholes as input, output, forget.
        constexpr std::int64_t places[4] = {0, 2, 3, 1};
        for (std::size_t i = 0; i < 4; ++i) {
            if (i == 1 && n.flag("input_forget")) {
                continue;  // coupled to the input gate
            }
            loop.gates[i] = {rows(of_data, places[i]), rows(of_state, places[i]), rows(bias, places[i]), {}, {}};
            loop.gates[i].peephole = n.has(7) && i != 2 ? rows(n.in(7), places[i]) : output_ref();
        }
        for (std::size_t i = 0; i < 3; ++i) {
            loop.functions[i] = gate_function(n, what, i);
        }
        loop.clip = what.clip;
        loop.is_reverse = what.direction == op::recurrent_direction::reverse || direction == 1;
        loop.lengths = n.has(4) ? n.in(4) : output_ref();
        const auto state = [&](output_ref all) { return n.squeeze(n.slice(all, 1, direction, direction + 1), {1}); };
        const lstm_loop::outcome made = loop.run(from.data, state(from.hidden), state(cell));
        parts[0].push_back(n.unsqueeze(made.all, {1}));
        parts[1].push_back(n.unsqueeze(made.hidden, {1}));
        parts[2].push_back(n.unsqueeze(made.cell, {1}));
    }
    return {n.concat(parts[0], 1), n.concat(parts[1], 1), n.concat(parts[2], 1)};
}

/// `of_data`, `of_state`: the weights [directions, 4 * size, …] of the data and of the hidden state.
inline void read_lstm_of(operation& n, output_ref of_data, output_ref of_state) {
    op::lstm_sequence what;
    read_recurrent_attributes(n, what, 3);
    const std::int64_t size = what.hidden_size;
    const recurrent_inputs from = read_recurrent_inputs(n, size);
    output_ref cell = from.hidden;
    if (n.has(6)) {
        cell = from.batch_first ? n.in(6) : n.transpose(n.in(6), {1, 0, 2});
    } else if (n.has(5)) {
        cell = n.broadcast(n.like(from.hidden, 0), n.shape_of(from.hidden));
    }
    const auto out_cell = [&](output_ref last) { n.out(2, from.batch_first ? last : n.transpose(last, {1, 0, 2})); };
    if (n.flag("input_forget") || has_other_than_zeros(n, 7)) {
        const lstm_loop::outcome made = read_lstm_loop(n, what, from, cell, of_data, of_state);
        out_states(n, from, made.all, made.hidden);
        return out_cell(made.cell);
    }
    // Gates lie as input, output, forget, candidate in the file; as forget, input, candidate, output in the operation.
    const auto order = [&](output_ref rows) { return gates(n, rows, size, {2, 0, 3, 1}); };
    const node_id made = n.make_node(what, {from.data, from.hidden, cell, from.lengths, order(of_data), order(of_state),
                                            order(summed_bias(n, from.directions, 4 * size))});
    out_states(n, from, made, output_ref(made, 1));
    out_cell(output_ref(made, 2));
}
inline void read_lstm(operation& n) { read_lstm_of(n, n.in(1), n.in(2)); }

/// Weights in bytes, [directions, …, 4 * size], that inputs `scale` and the next one dequantize, for a direction or for each of its columns:
/// as real numbers, in the order of axes that LSTM has.
inline output_ref dequantized_gates(operation& n, std::size_t weights, std::size_t scale) {
    const element type = n.type(n.in(0));
    const auto by_columns = [&](output_ref numbers) {
        return n.rank(numbers) < 2 ? n.reshape(numbers, {-1, 1, 1}) : n.unsqueeze(numbers, {1});
    };
    output_ref result = n.convert(n.in(weights), type);
    if (n.has(scale + 1)) {
        result = n.make(op::subtract{}, {result, n.convert(by_columns(n.in(scale + 1)), type)});
    }
    return n.transpose(n.make(op::multiply{}, {result, by_columns(n.in(scale))}), {0, 2, 1});
}
/// LSTM with weights in bytes. Data and states are not quantized, which is nearer to the network that was quantized.
inline void read_dynamic_quantize_lstm(operation& n) {
    if (n.integer("hidden_size", 0) == 0) {
        n.wrong({"needs the attribute 'hidden_size'"});
    }
    read_lstm_of(n, dequantized_gates(n, 1, 8), dequantized_gates(n, 2, 10));
}

inline void read_gru(operation& n) {
    op::gru_sequence what;
    read_recurrent_attributes(n, what, 2);
    what.linear_before_reset = n.flag("linear_before_reset");
    const std::int64_t size = what.hidden_size;
    const recurrent_inputs from = read_recurrent_inputs(n, size);
    output_ref bias = summed_bias(n, from.directions, 3 * size);
    if (what.linear_before_reset) {
        const output_ref zeros = n.broadcast(n.like(bias, 0), n.indices({from.directions, size}));
        const output_ref of_data = n.has(3) ? n.slice(n.in(3), 1, 2 * size, 3 * size) : zeros;
        const output_ref of_state = n.has(3) ? n.slice(n.in(3), 1, 5 * size, 6 * size) : zeros;
        bias = n.concat({n.slice(bias, 1, 0, 2 * size), of_data, of_state}, 1);
    }
    const node_id made = n.make_node(what, {from.data, from.hidden, from.lengths, n.in(1), n.in(2), bias});
    out_states(n, from, made, output_ref(made, 1));
}

/// h' = f(W * x + R * h + b): a gated unit whose gates are always open, 1 / (1 + exp(100)) being too small to count.
inline void read_simple_recurrent(operation& n) {
    op::gru_sequence what;
    what.activations = {"tanh"};
    read_recurrent_attributes(n, what, 1);
    seq<text> functions{"sigmoid"};
    functions.push_back(what.activations[0]);
    what.activations = {};
    for (const text& each : functions) {
        what.activations.push_back(each);
    }
    const std::int64_t size = what.hidden_size;
    const recurrent_inputs from = read_recurrent_inputs(n, size);
    const auto with_gates = [&](output_ref rows) {
        const output_ref none =
            n.broadcast(n.like(rows, 0), n.concat({n.indices({from.directions, 2 * size}), n.size_along(rows, 2)}, 0));
        return n.concat({none, rows}, 1);
    };
    const output_ref gate = n.indices({from.directions, size});
    const output_ref bias = n.concat({n.broadcast(n.like(n.in(1), -100), gate), n.broadcast(n.like(n.in(1), 100), gate),
                                      summed_bias(n, from.directions, size)},
                                     1);
    const node_id made =
        n.make_node(what, {from.data, from.hidden, from.lengths, with_gates(n.in(1)), with_gates(n.in(2)), bias});
    out_states(n, from, made, output_ref(made, 1));
}

inline constexpr operator_entry recurrent_operators[] = {
    {"", "LSTM", read_lstm},
    {"", "GRU", read_gru},
    {"", "RNN", read_simple_recurrent},
    {"com.microsoft", "DynamicQuantizeLSTM", read_dynamic_quantize_lstm},
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/scatter.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_SCATTER_HPP
#define LPT_HOLDS_IMPORT_ONNX_SCATTER_HPP
/// Operators that put elements at places that other tensors give.
namespace lpt::inline LPT_ABI::onnx {

/// Rows of `updates` put into rows of `data` at known places: a gather with a table made here. The last one counts where several have one place.
inline output_ref rows_gathered(operation& n, output_ref data, const tensor& places, output_ref updates) {
    const dimension rows = n.shape(data)[0];
    lpt::integers from;
    for (dimension i = 0; i < rows; ++i) {
        from.push_back(i);
    }
    for (std::size_t i = 0; i < places.elements(); ++i) {
        const std::int64_t place = places.integer(i);
        if (place < 0 || place >= rows) {
            n.wrong({"place ", place, " is outside of ", rows});
        }
        from[static_cast<std::size_t>(place)] = rows + static_cast<std::int64_t>(i);
    }
    return n.gather(n.concat({data, updates}, 0), n.indices(from), 0);
}

/// What the attribute `reduction` says.
inline op::scatter_reduction scatter_reduction_of(operation& n) {
    using enum op::scatter_reduction;
    const std::string_view how = n.words("reduction", "none");
    for (const auto& [word, reduction] : {std::pair<std::string_view, op::scatter_reduction>{"none", none},
                                          {"add", sum},
                                          {"mul", prod},
                                          {"max", max},
                                          {"min", min}}) {
        if (how == word) {
            return reduction;
        }
    }
    n.wrong({"reduction '", shown(how), "' is not known"});
}

/// `data`, `updates`: [rows, columns].
inline output_ref scattered(operation& n, output_ref data, output_ref places, output_ref updates) {
    constexpr dimension most_rows = 1 << 24;
    const op::scatter_reduction how = scatter_reduction_of(n);
    const dimension rows = n.shape(data)[0];
    const tensor* known = n.known(places);
    if (how == op::scatter_reduction::none && known != nullptr && rows != dynamic_dimension && rows <= most_rows) {
        return rows_gathered(n, data, *known, updates);
    }
    return n.make(op::scatter_nd_update{how}, {data, n.unsqueeze(places, {1}), updates});
}

inline void read_scatter_elements(operation& n) {
    const output_ref x = n.in(0);
    const lpt::shape sizes = n.static_shape(x);
    const std::int64_t axis = n.axis_of(n.integer("axis", 0), sizes.rank());
    const output_ref places = n.reshape(flat_places(n, n.in(1), n.static_shape(n.in(1)), sizes, axis), {-1});
    const output_ref result = scattered(n, n.reshape(x, {-1, 1}), places, n.reshape(n.in(2), {-1, 1}));
    n.out(n.reshape(result, sizes.dimensions()));
}

inline void read_scatter_nd(operation& n) {
    const output_ref x = n.in(0);
    const lpt::shape sizes = n.static_shape(x);
    const lpt::shape indices = n.static_shape(n.in(1));
    const auto depth = static_cast<std::size_t>(indices.rank() == 0 ? 0 : indices[indices.rank() - 1]);
    if (depth > sizes.rank() || depth == 0) {
        n.wrong({"indices of shape ", indices, " do not fit data of shape ", sizes});
    }
    std::int64_t columns = 1;
    for (std::size_t axis = depth; axis < sizes.rank(); ++axis) {
        columns *= sizes[axis];
    }
    lpt::integers strides;
    strides.resize(depth, 1);
    for (std::size_t axis = depth - 1; axis-- > 0;) {
        strides[axis] = strides[axis + 1] * sizes[axis + 1];
    }
    lpt::integers ends;
    for (std::size_t axis = 0; axis < depth; ++axis) {
        ends.push_back(sizes[axis]);
    }
    const output_ref places = places_from_front(n, n.in(1), n.indices(ends));
    const output_ref flat = n.reduce<op::reduce_sum>(n.make(op::multiply{}, {places, n.indices(strides)}), {-1}, false);
    const output_ref result =
        scattered(n, n.reshape(x, {-1, columns}), n.reshape(flat, {-1}), n.reshape(n.in(2), {-1, columns}));
    n.out(n.reshape(result, sizes.dimensions()));
}

/// Maxima put back to the places that MaxPool gave.
/// 1 where a place of a block and the place of the block meet an element of the image, along one axis: [places in both, elements].
inline output_ref meetings(operation& n, output_ref block, output_ref blocks, output_ref size, std::int64_t stride,
                           std::int64_t dilation, std::int64_t pad) {
    const auto times = [&](output_ref from, std::int64_t factor) {
        return n.make(op::multiply{}, {n.counted(from), n.integer_constant(factor)});
    };
    const output_ref place =
        n.make(op::add{}, {n.unsqueeze(times(block, dilation), {1}), n.unsqueeze(times(blocks, stride), {0})});
    const output_ref element = n.make(op::add{}, {n.counted(size), n.integer_constant(pad)});
    const output_ref meets = n.make(op::equal{}, {n.unsqueeze(place, {2}), n.unsqueeze(element, {0, 1})});
    return n.make(op::reshape{}, {n.convert(meets, f32), n.concat({n.indices({-1}), size}, 0)});
}

/// Blocks of an image, one a column, added up where they lie over each other: the opposite of taking them from the image.
inline void read_blocks_to_image(operation& n) {
    const output_ref x = n.in(0);
    const output_ref image = n.convert(n.in(1), i64);
    const output_ref block = n.convert(n.in(2), i64);
    const auto axes = n.static_shape(image).elements();
    lpt::integers strides = n.list("strides");
    lpt::integers dilations = n.list("dilations");
    lpt::integers pads = n.list("pads");
    strides.resize(strides.empty() ? axes : strides.size(), 1);
    dilations.resize(dilations.empty() ? axes : dilations.size(), 1);
    pads.resize(pads.empty() ? 2 * axes : pads.size(), 0);
    constexpr std::size_t most = 4;
    if (n.rank(x) != 3 || axes == 0 || axes > most || strides.size() != axes || dilations.size() != axes ||
        pads.size() != 2 * axes || n.static_shape(block).elements() != axes) {
        n.wrong({"strides, dilations, pads and blocks must fit the ", axes,
                 " axes of the image, and data must have three"});
    }
    seq<output_ref> matrices;
    seq<output_ref> sizes{n.indices({0, -1}), block};
    lpt::integers order{0, 1};
    for (std::size_t i = 0; i < axes; ++i) {
        const auto at = static_cast<std::int64_t>(i);
        constexpr std::int64_t most_step = 1 << 30;
        const std::int64_t pad = math::minimum(pads[i], pads[i + axes]);
        const std::int64_t greatest =
            math::maximum(math::maximum(strides[i], dilations[i]), math::maximum(pads[i], pads[i + axes]));
        if (strides[i] < 1 || dilations[i] < 1 || pad < 0 || greatest > most_step) {
            n.wrong({"strides and dilations must be positive, pads not negative, and all at most ", most_step});
        }
        const output_ref size = n.slice(image, 0, at, at + 1);
        const output_ref own = n.slice(block, 0, at, at + 1);
        const auto number = [&](std::int64_t value) { return n.indices({value}); };
        const output_ref reach =
            n.make(op::multiply{}, {n.make(op::subtract{}, {own, number(1)}), number(dilations[i])});
        const output_ref room =
            n.make(op::subtract{}, {n.make(op::add{}, {size, number(pads[i] + pads[i + axes] - 1)}), reach});
        const output_ref blocks = n.make(op::add{}, {n.make(op::divide{}, {room, number(strides[i])}), number(1)});
        matrices.push_back(n.convert(meetings(n, own, blocks, size, strides[i], dilations[i], pads[i]), n.type(x)));
        sizes.push_back(blocks);
        order.push_back(at + 2);
        order.push_back(at + 2 + static_cast<std::int64_t>(axes));
    }
    output_ref result = n.transpose(n.make(op::reshape{true}, {x, n.concat(sizes, 0)}), order);
    for (std::size_t i = axes; i-- > 0;) {
        const std::size_t rank = n.rank(result);
        lpt::integers together(rank - 1, 0);
        together[rank - 2] = -1;
        lpt::integers moved{0, 1, static_cast<std::int64_t>(rank) - 2};
        for (std::size_t axis = 2; axis + 2 < rank; ++axis) {
            moved.push_back(static_cast<std::int64_t>(axis));
        }
        result = n.transpose(n.make(op::mat_mul{}, {n.reshape(result, together, true), matrices[i]}), moved);
    }
    n.out(result);
}

inline void read_max_unpool(operation& n) {
    const lpt::shape data = n.static_shape(n.in(0));
    const lpt::integers kernel = n.list("kernel_shape");
    lpt::integers strides = n.list("strides");
    lpt::integers pads = n.list("pads");
    strides.resize(kernel.size(), 1);
    pads.resize(2 * kernel.size(), 0);
    if (data.rank() != kernel.size() + 2) {
        n.wrong({"a kernel over ", kernel.size(), " axes does not fit data of shape ", data});
    }
    lpt::shape sizes = data;
    checked extent = checked(math::maximum(data[0], dimension{1})) * math::maximum(data[1], dimension{1});
    for (std::size_t i = 0; i < kernel.size(); ++i) {
        const checked size = (checked(data[i + 2]) - 1) * strides[i] + kernel[i] - pads[i] - pads[i + kernel.size()];
        extent = extent * math::maximum(size.value(), dimension{1});  // axes of size 0 left out
        if (!size.fits() || size.value() < 0 || !extent.is_within(1, std::int64_t{1} << 47)) {
            n.wrong({"kernel, strides and pads give no size that axis ", i + 2, " of the output can have"});
        }
        sizes[i + 2] = size.value();
    }
    if (n.has(2)) {
        const output_ref wanted = n.convert(n.in(2), i64);
        if (!(n.static_shape(wanted) == lpt::shape{static_cast<dimension>(sizes.rank())})) {
            n.wrong({"the output shape (input 2) must be ", sizes.rank(), " numbers, not a tensor of shape ",
                     n.shape(wanted)});
        }
        std::int64_t stride = 1;
        const output_ref place = n.reshape(n.in(1), {-1});
        output_ref moved = n.integer_constant(0);
        output_ref wide = n.indices({1});
        for (std::size_t axis = sizes.rank(); axis-- > 0;) {
            const auto at = static_cast<std::int64_t>(axis);
            const output_ref along = n.make(op::floor_mod{}, {n.make(op::divide{}, {place, n.integer_constant(stride)}),
                                                              n.integer_constant(sizes[axis])});
            moved = n.make(op::add{}, {moved, n.make(op::multiply{}, {along, wide})});
            stride *= sizes[axis];
            wide = n.make(op::multiply{}, {wide, n.slice(wanted, 0, at, at + 1)});
        }
        const output_ref zeros = n.broadcast(n.like(n.in(0), 0), n.concat({wide, n.indices({1})}, 0));
        return n.out(n.make(op::reshape{}, {scattered(n, zeros, moved, n.reshape(n.in(0), {-1, 1})), wanted}));
    }
    std::int64_t count = 1;
    for (const dimension size : sizes) {
        count *= size;
    }
    const output_ref zeros = n.broadcast(n.like(n.in(0), 0), n.indices({count, 1}));
    n.out(n.reshape(scattered(n, zeros, n.reshape(n.in(1), {-1}), n.reshape(n.in(0), {-1, 1})), sizes.dimensions()));
}

/// Places of a cache, along an axis, overwritten from a place on that each row of the batch has; `circular` begins anew at the end.
inline void read_tensor_scatter(operation& n) {
    const output_ref cache = n.in(0);
    const lpt::shape sizes = n.static_shape(cache);
    const std::int64_t axis = n.axis_of(n.integer("axis", -2), sizes.rank());
    const lpt::shape update = n.static_shape(n.in(1));
    if (sizes.rank() == 0 || update.rank() != sizes.rank()) {
        n.wrong({"needs a cache and an update with as many axes, not ", sizes, " and ", update});
    }
    lpt::integers as;
    as.resize(sizes.rank(), 1);
    lpt::integers along = as;
    as[0] = -1;
    along[static_cast<std::size_t>(axis)] = -1;
    output_ref place = n.reshape(n.counted(n.indices({update[static_cast<std::size_t>(axis)]})), along);
    if (n.has(2)) {
        place = n.make(op::add{}, {place, n.reshape(n.convert(n.in(2), i64), as)});
    }
    if (n.words("mode", "linear") == "circular") {
        place = n.make(op::floor_mod{}, {place, n.integer_constant(sizes[static_cast<std::size_t>(axis)])});
    }
    const output_ref places = n.reshape(flat_places(n, place, update, sizes, axis), {-1});
    const output_ref result = scattered(n, n.reshape(cache, {-1, 1}), places, n.reshape(n.in(1), {-1, 1}));
    n.out(n.reshape(result, sizes.dimensions()));
}

inline constexpr operator_entry scatter_operators[] = {
    {"", "ScatterElements", read_scatter_elements},
    {"", "Scatter", read_scatter_elements},
    {"", "ScatterND", read_scatter_nd},
    {"", "Col2Im", read_blocks_to_image},
    {"", "MaxUnpool", read_max_unpool},
    {"", "TensorScatter", read_tensor_scatter},
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/sequences.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_SEQUENCES_HPP
#define LPT_HOLDS_IMPORT_ONNX_SEQUENCES_HPP
/// Sequences whose lengths and places are known when the network is read: nothing of them is left in the graph.
namespace lpt::inline LPT_ABI::onnx {

namespace detail {

inline const std::vector<value>& sequence_at(operation& n, const value& from, std::size_t port) {
    if (!from.sequence) {
        n.wrong({"input ", port, " is a tensor, but must be a sequence"});
    }
    return *from.sequence;
}

/// A place in a sequence, counted from its end where it is negative; `last` is one past the places that exist.
inline std::size_t place_at(operation& n, std::size_t port, std::size_t last) {
    const tensor& given = n.known_input(port);
    if (given.elements() != 1) {
        n.wrong({"input ", port, " has ", given.elements(), " places, expected one"});
    }
    const std::int64_t place = given.integer(0);
    const auto size = static_cast<std::int64_t>(last);
    if (place < -size || place >= size) {
        n.wrong({"place ", place, " is outside a sequence of ", last});
    }
    return static_cast<std::size_t>(place < 0 ? place + size : place);
}

inline void out_sequence(operation& n, std::vector<value> parts) {
    n.out_value(0, {&n.reader(), {}, nullptr, std::make_shared<std::vector<value>>(std::move(parts))});
}

}  // namespace detail

inline void read_sequence_construct(operation& n) {
    std::vector<value> parts;
    for (std::size_t port = 0; port < n.inputs(); ++port) {
        parts.push_back(n.value_at(port));
    }
    detail::out_sequence(n, std::move(parts));
}
inline void read_sequence_empty(operation& n) { detail::out_sequence(n, {}); }

inline void read_sequence_at(operation& n) {
    const value from = n.value_at(0);
    const std::vector<value>& parts = detail::sequence_at(n, from, 0);
    n.out_value(0, parts[detail::place_at(n, 1, parts.size())]);
}
inline void read_sequence_length(operation& n) {
    const value from = n.value_at(0);
    n.out(n.integer_constant(static_cast<std::int64_t>(detail::sequence_at(n, from, 0).size())));
}

/// Without a place: at the end.
inline void read_sequence_insert(operation& n) {
    const value from = n.value_at(0);
    std::vector<value> parts = detail::sequence_at(n, from, 0);
    const std::size_t size = parts.size();
    // Negative places count from the end of what is there: one past the end can only be named by its number.
    const bool is_end = !n.has(2) || (n.known_input(2).elements() == 1 &&
                                      n.known_input(2).integer(0) == static_cast<std::int64_t>(size));
    const std::size_t place = is_end ? size : detail::place_at(n, 2, size);
    parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(place), n.value_at(1));
    detail::out_sequence(n, std::move(parts));
}
inline void read_sequence_erase(operation& n) {
    const value from = n.value_at(0);
    std::vector<value> parts = detail::sequence_at(n, from, 0);
    if (parts.empty()) {
        n.wrong({"takes from a sequence of 0"});
    }
    const std::size_t place = n.has(1) ? detail::place_at(n, 1, parts.size()) : parts.size() - 1;
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(place));
    detail::out_sequence(n, std::move(parts));
}

/// All tensors along an axis that they have, or along a new one.
inline void read_concat_from_sequence(operation& n) {
    const value from = n.value_at(0);
    const bool makes_axis = n.flag("new_axis");
    const std::int64_t axis = n.integer("axis", 0);
    seq<output_ref> parts;
    for (const value& each : detail::sequence_at(n, from, 0)) {
        if (each.sequence) {
            n.wrong({"joins sequences of sequences, which is not supported"});
        }
        const output_ref part = n.reader().plain_of(each);
        parts.push_back(makes_axis ? n.unsqueeze(part, {n.axis_of(axis, n.rank(part) + 1)}) : part);
    }
    if (parts.empty()) {
        n.wrong({"joins a sequence of 0"});
    }
    n.out(n.concat(parts, n.axis_of(axis, n.rank(parts[0]))));
}

/// Parts of the sizes that are given, or of one size, of which the last part may have less; parts of 1 without them, whose axis may go.
inline void read_split_to_sequence(operation& n) {
    const output_ref x = n.in(0);
    const std::int64_t axis = n.axis_of(n.integer("axis", 0), n.rank(x));
    const dimension length = n.shape(x)[static_cast<std::size_t>(axis)];
    constexpr std::int64_t most_parts = 4096;
    lpt::integers sizes;
    if (n.has(1) && n.known_input(1).dimensions().rank() != 0) {
        sizes = n.known_integers(1);
    } else {
        const std::int64_t size = n.has(1) ? n.known_integers(1)[0] : 1;
        if (length == dynamic_dimension || size < 1 || length / size >= most_parts) {
            n.wrong({"cannot split an axis of size ", length, " into at most ", most_parts, " parts of size ", size});
        }
        for (std::int64_t begin = 0; begin < length; begin += size) {
            sizes.push_back(math::minimum(size, length - begin));
        }
    }
    checked sum = 0;
    for (const std::int64_t size : sizes) {
        sum = sum + size;
        if (size < 0) {
            n.wrong({"has a part of size ", size});
        }
    }
    if (length != dynamic_dimension && !sum.is_within(length, length)) {
        n.wrong({"has parts that do not add to the size of axis ", axis, ", which is ", length});
    }
    const bool loses_axis = !n.has(1) && !n.flag("keepdims", true);
    std::vector<value> parts;
    std::int64_t begin = 0;
    for (const std::int64_t size : sizes) {
        const output_ref part = n.slice(x, axis, begin, begin + size);
        parts.push_back(n.reader().of(loses_axis ? n.squeeze(part, {axis}) : part));
        begin += size;
    }
    detail::out_sequence(n, std::move(parts));
}

inline constexpr operator_entry sequence_operators[] = {
    {"", "SequenceConstruct", read_sequence_construct},
    {"", "SequenceEmpty", read_sequence_empty},
    {"", "SequenceAt", read_sequence_at},
    {"", "SequenceLength", read_sequence_length},
    {"", "SequenceInsert", read_sequence_insert},
    {"", "SequenceErase", read_sequence_erase},
    {"", "ConcatFromSequence", read_concat_from_sequence},
    {"", "SplitToSequence", read_split_to_sequence},
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/shape.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_SHAPE_HPP
#define LPT_HOLDS_IMPORT_ONNX_SHAPE_HPP
/// Constants, shapes, and what is made of them.
namespace lpt::inline LPT_ABI::onnx {

inline void read_constant(operation& n) {
    session& shared = n.reader().shared();
    const auto out = [&](tensor made) { n.out(n.builder().constant(std::move(made))); };
    if (const attribute* found = n.find("value", 4)) {
        return out(read_tensor(found->tensor, shared.file, shared.others, n.builder()));
    }
    if (n.has_attribute("value_float")) {
        return out(make_scalar(f32, n.real("value_float", 0)));
    }
    if (n.has_attribute("value_int")) {
        return n.out(n.integer_constant(n.integer("value_int", 0)));
    }
    if (n.has_attribute("value_ints")) {
        return n.out(n.indices(n.list("value_ints")));
    }
    if (n.has_attribute("value_floats")) {
        seq<double> numbers;
        for (const float each : n.reals("value_floats")) {
            numbers.push_back(static_cast<double>(each));
        }
        return out(make_tensor(f32, lpt::shape{static_cast<dimension>(numbers.size())}, numbers));
    }
    n.wrong({"has no value, or one of strings or of a sparse tensor, which are not supported"});
}

/// A tensor of one value, f32 zero where none is given.
inline void read_constant_of_shape(operation& n) {
    session& shared = n.reader().shared();
    tensor filling = make_scalar(f32, 0);
    if (const attribute* found = n.find("value", 4)) {
        filling = read_tensor(found->tensor, shared.file, shared.others, n.builder());
        if (filling.elements() != 1) {
            n.wrong({"value must be one number, not ", filling.elements()});
        }
        filling = tensor(filling, lpt::shape{});
    }
    op::broadcast what;
    what.mode = op::broadcast_mode::numpy;
    n.out(n.make(what, {n.builder().constant(std::move(filling)), n.in(0)}, 3));
}

inline void read_shape(operation& n) {
    const output_ref all = n.shape_of(n.in(0));
    if (!n.has_attribute("start") && !n.has_attribute("end")) {
        return n.out(all);
    }
    const auto rank = static_cast<std::int64_t>(n.rank(n.in(0)));
    const auto clamped = [&](std::int64_t place) {
        place = place < 0 ? place + rank : place;
        return math::maximum<std::int64_t>(0, math::minimum(place, rank));
    };
    const std::int64_t begin = clamped(n.integer("start", 0));
    const std::int64_t end = clamped(n.integer("end", rank));
    n.out(n.slice(all, 0, begin, math::maximum(begin, end)));
}

inline void read_size(operation& n) { n.out(n.reduce<op::reduce_prod>(n.shape_of(n.in(0)), {0}, false)); }

inline void read_range(operation& n) {
    op::range what;
    what.output_type = n.type(n.in(0));
    const auto number = [&](std::size_t port) {
        return n.shape(n.in(port)).rank() == 0 ? n.in(port) : n.reshape(n.in(port), view<std::int64_t>());
    };
    n.out(n.make(what, {number(0), number(1), number(2)}));
}

inline void read_non_zero(operation& n) { n.out(n.make(op::non_zero{}, {n.in(0)})); }

/// Places count from the back where they are negative.
inline void read_one_hot(operation& n) {
    op::one_hot what;
    what.axis = n.integer("axis", -1);
    const output_ref depth = n.shape(n.in(1)).rank() == 0 ? n.in(1) : n.reshape(n.in(1), view<std::int64_t>());
    const output_ref size = n.convert(depth, i64);
    const output_ref places = n.convert(n.in(0), i64);
    const output_ref below = n.make(op::less{}, {places, n.integer_constant(0)});
    const output_ref moved = n.make(op::select{}, {below, n.make(op::add{}, {places, size}), places});
    const output_ref off = n.squeeze(n.slice(n.in(2), 0, 0, 1), {0});
    const output_ref on = n.squeeze(n.slice(n.in(2), 0, 1, 2), {0});
    n.out(n.make(what, {moved, size, on, off}, 1));
}

/// Ones on a diagonal.
inline void read_eye_like(operation& n) {
    const output_ref x = n.in(0);
    const element type = n.type_attribute("dtype", n.type(x));
    const output_ref rows = n.unsqueeze(n.counted(n.size_along(x, 0)), {1});
    const output_ref columns = n.unsqueeze(n.counted(n.size_along(x, 1)), {0});
    const output_ref shifted = n.make(op::add{}, {rows, n.integer_constant(n.integer("k", 0))});
    n.out(n.convert(n.make(op::equal{}, {shifted, columns}), type));
}

/// The elements, or parts along an axis, where a condition of one axis holds.
inline void read_compress(operation& n) {
    const bool flat = !n.has_attribute("axis");
    const output_ref x = flat ? n.reshape(n.in(0), {-1}) : n.in(0);
    const output_ref places = n.reshape(n.make(op::non_zero{}, {n.in(1)}), {-1});
    n.out(n.gather(x, places, flat ? 0 : n.integer("axis", 0)));
}

/// a0 - a1 cos(2 pi i / N) + a2 cos(4 pi i / N): the windows that signals are seen through.
inline void read_window_function(operation& n, double a0, double a1, double a2) {
    const element type = n.type_attribute("output_datatype", f32);
    const output_ref count = n.shape(n.in(0)).rank() == 0 ? n.in(0) : n.reshape(n.in(0), view<std::int64_t>());
    const output_ref size = n.convert(count, f32);
    const output_ref length = n.flag("periodic", true) ? size : n.make(op::subtract{}, {size, n.like(size, 1)});
    const output_ref place = n.convert(n.counted(n.convert(count, i64)), f32);
    const output_ref angle =
        n.make(op::divide{}, {n.make(op::multiply{}, {place, n.like(size, 6.283185307179586)}), length});
    const auto cosine = [&](double times, double weight) {
        const output_ref inner = n.make(op::multiply{}, {angle, n.like(size, times)});
        return n.make(op::multiply{}, {n.make(op::cos{}, {inner}), n.like(size, weight)});
    };
    const output_ref first = n.make(op::add{}, {cosine(1, -a1), n.like(size, a0)});
    n.out(n.convert(a2 == 0 ? first : n.make(op::add{}, {first, cosine(2, a2)}), type));
}
inline void read_hann_window(operation& n) { read_window_function(n, 0.5, 0.5, 0); }
inline void read_hamming_window(operation& n) { read_window_function(n, 25.0 / 46, 21.0 / 46, 0); }
inline void read_blackman_window(operation& n) { read_window_function(n, 0.42, 0.5, 0.08); }

/// The middle of the axes, or zeros round them, so that they get the sizes that are asked for.
inline void read_center_crop_pad(operation& n) {
    const output_ref x = n.in(0);
    lpt::integers axes = n.list("axes");
    for (std::size_t axis = 0; !n.has_attribute("axes") && axis < n.rank(x); ++axis) {
        axes.push_back(static_cast<std::int64_t>(axis));
    }
    const output_ref zero = n.integer_constant(0);
    const output_ref two = n.integer_constant(2);
    const output_ref wanted = n.convert(n.in(1), i64);
    const output_ref sizes = n.gather(n.shape_of(x), n.indices(axes), 0);
    const auto half = [&](output_ref from, output_ref less) {
        return n.make(op::divide{}, {n.make(op::maximum{}, {n.make(op::subtract{}, {from, less}), zero}), two});
    };
    const output_ref begin = half(sizes, wanted);
    const output_ref kept = n.make(op::minimum{}, {sizes, wanted});
    const output_ref ones = n.indices(lpt::integers(axes.size(), 1));
    const output_ref cropped = n.make(op::slice{}, {x, begin, n.make(op::add{}, {begin, kept}), ones, n.indices(axes)});
    const output_ref before = half(wanted, kept);
    const output_ref after = n.make(op::subtract{}, {n.make(op::subtract{}, {wanted, kept}), before});
    lpt::integers places;
    places.resize(n.rank(x), 0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        places[static_cast<std::size_t>(n.axis_of(axes[i], n.rank(x)))] = static_cast<std::int64_t>(i + 1);
    }
    const auto all = [&](output_ref margins) {
        return n.gather(n.concat({n.indices({0}), margins}, 0), n.indices(places), 0);
    };
    n.out(n.make(op::pad{}, {cropped, all(before), all(after), n.like(x, 0)}, 12));
}

/// Places in [-1, 1] along each axis of an image, moved by matrices.
inline void read_affine_grid(operation& n) {
    const output_ref theta = n.in(0);
    const element type = n.type(theta);
    const bool aligned = n.flag("align_corners");
    const std::int64_t axes = n.static_size_of(theta, 1);
    const output_ref sizes = n.convert(n.in(1), i64);
    const output_ref inner = n.slice(sizes, 0, 2, 2 + axes);
    seq<output_ref> parts;
    for (std::int64_t part = axes - 1; part >= 0; --part) {
        const output_ref count = n.slice(inner, 0, part, part + 1);
        const output_ref size = n.convert(n.squeeze(count, {0}), type);
        const output_ref place = n.convert(n.counted(count), type);
        const output_ref two = n.like(size, 2);
        const output_ref one = n.like(size, 1);
        output_ref along;
        if (aligned) {
            along = n.make(op::divide{}, {n.make(op::multiply{}, {place, two}), n.make(op::subtract{}, {size, one})});
        } else {
            const output_ref odd = n.make(op::add{}, {n.make(op::multiply{}, {place, two}), one});
            along = n.make(op::divide{}, {odd, size});
        }
        lpt::integers as;
        as.resize(static_cast<std::size_t>(axes), 1);
        as[static_cast<std::size_t>(part)] = -1;
        const output_ref spread = n.broadcast(n.reshape(n.make(op::subtract{}, {along, one}), as), inner);
        parts.push_back(n.reshape(spread, {-1, 1}));
    }
    const output_ref places = n.concat(parts, 1);
    const output_ref ones = n.broadcast(n.like(theta, 1), n.concat({n.size_along(places, 0), n.indices({1})}, 0));
    op::mat_mul product;
    product.transpose_b = true;
    const output_ref moved = n.make(product, {n.concat({places, ones}, 1), theta});
    const output_ref wanted = n.concat({n.slice(sizes, 0, 0, 1), inner, n.indices({axes})}, 0);
    n.out(n.make(op::reshape{}, {moved, wanted}));
}

/// A tensor is there where it is given.
inline void read_optional_has_element(operation& n) {
    n.out(n.builder().constant(make_scalar(boolean, n.has(0) ? 1 : 0)));
}
inline void read_optional_get_element(operation& n) { n.out_value(0, n.value_at(0)); }

inline constexpr operator_entry shape_operators[] = {
    {"", "HannWindow", read_hann_window},
    {"", "HammingWindow", read_hamming_window},
    {"", "BlackmanWindow", read_blackman_window},
    {"", "CenterCropPad", read_center_crop_pad},
    {"", "AffineGrid", read_affine_grid},
    {"", "OptionalHasElement", read_optional_has_element},
    {"", "OptionalGetElement", read_optional_get_element},
    {"", "Constant", read_constant},
    {"", "ConstantOfShape", read_constant_of_shape},
    {"", "Shape", read_shape},
    {"", "Size", read_size},
    {"", "Range", read_range},
    {"", "NonZero", read_non_zero},
    {"", "OneHot", read_one_hot},
    {"", "EyeLike", read_eye_like},
    {"", "Compress", read_compress},
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/signal.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_SIGNAL_HPP
#define LPT_HOLDS_IMPORT_ONNX_SIGNAL_HPP
/// Running products and Fourier transforms.
namespace lpt::inline LPT_ABI::onnx {

/// Products along an axis up to each place, by the sums of logarithms, of signs and of zeros: the axis may be known only when the network runs.
inline void read_cumulative_product(operation& n) {
    const element type = n.type(n.in(0));
    const output_ref x = n.convert(n.in(0), f64);
    const output_ref axis = n.shape(n.in(1)).rank() == 0 ? n.in(1) : n.reshape(n.in(1), view<std::int64_t>());
    op::cum_sum what;
    what.exclusive = n.flag("exclusive");
    what.reverse = n.flag("reverse");
    const output_ref zero = n.like(x, 0);
    const output_ref is_zero = n.make(op::equal{}, {x, zero});
    const output_ref size = n.make(op::select{}, {is_zero, n.like(x, 1), n.make(op::abs{}, {x})});
    const output_ref product = n.make(op::exp{}, {n.make(what, {n.make(op::log{}, {size}), axis})});
    const output_ref negatives = n.make(what, {n.convert(n.make(op::less{}, {x, zero}), f64), axis});
    const output_ref odd = n.make(op::equal{}, {n.make(op::floor_mod{}, {negatives, n.like(x, 2)}), n.like(x, 1)});
    const output_ref with_sign = n.make(op::select{}, {odd, n.make(op::negative{}, {product}), product});
    const output_ref zeros = n.make(what, {n.convert(is_zero, f64), axis});
    const output_ref result = n.make(op::select{}, {n.make(op::greater{}, {zeros, zero}), zero, with_sign});
    n.out(n.convert(is_real(type) ? result : n.make(op::round{}, {result}), type));
}

/// One of the Fourier transforms of the library: axis and length may be known only when the network runs.
inline output_ref fourier_transform(operation& n, output_ref axis, bool is_inverse, bool is_one_sided) {
    const output_ref x = n.in(0);
    const auto last = static_cast<std::int64_t>(n.rank(x)) - 1;
    const bool is_complex = n.size_of(x, static_cast<std::size_t>(last)) == 2;
    seq<output_ref> inputs{x, axis};
    if (n.has(1)) {
        inputs.push_back(n.reshape(n.convert(n.in(1), i64), {1}));
    }
    if (is_inverse && is_one_sided && is_complex) {
        return n.unsqueeze(n.make(op::irdft{}, inputs), {last});
    }
    if (!is_inverse && is_one_sided && !is_complex) {
        inputs[0] = n.squeeze(x, {last});
        return n.make(op::rdft{}, inputs);
    }
    if (is_one_sided) {
        n.wrong({"a one-sided transform takes real numbers, its inverse complex ones"});
    }
    if (!is_complex) {
        inputs[0] = n.concat({x, n.broadcast(n.like(x, 0), n.shape_of(x))}, last);
    }
    return is_inverse ? n.make(op::idft{}, inputs) : n.make(op::dft{}, inputs);
}

/// The discrete Fourier transform along an axis of real or complex numbers, whose two parts lie along the last axis: two products with a matrix
/// where axis and length are known and small.
inline void read_fourier_transform(operation& n) {
    const output_ref x = n.in(0);
    const std::size_t rank = n.rank(x);
    const dimension parts = rank < 2 ? 0 : n.shape(x)[rank - 1];
    if (parts < 1 || parts > 2) {
        n.wrong({"data of shape ", n.shape(x), " has no real or complex numbers along its last axis"});
    }
    const bool inverse = n.flag("inverse");
    const bool one_sided = n.flag("onesided");
    constexpr std::int64_t longest = 4096;
    const auto last = static_cast<std::int64_t>(rank) - 1;
    if (n.has(2) && n.version() >= 20 && !n.is_known(2)) {
        const output_ref given = n.reshape(n.convert(n.in(2), i64), {1});
        return n.out(fourier_transform(n, n.make(op::floor_mod{}, {given, n.indices({last + 1})}), inverse, one_sided));
    }
    std::int64_t axis = n.version() < 20 ? n.integer("axis", 1) : n.has(2) ? n.known_input(2).integer(0) : -2;
    axis = n.axis_of(axis, rank);
    const bool to_real = inverse && one_sided;
    if (axis == last || (to_real && parts != 2)) {
        n.wrong({"a transform along axis ", axis, " of data of shape ", n.shape(x), " is not possible"});
    }
    const bool is_open = n.shape(x).is_dynamic() || (n.has(1) && !n.is_known(1));
    const dimension size = n.shape(x)[static_cast<std::size_t>(axis)];
    const std::int64_t full = is_open                      ? longest + 1
                              : n.has(1)                   ? n.known_input(1).integer(0)
                              : to_real && size <= longest ? 2 * (size - 1)
                                                           : size;
    if (full > longest) {
        return n.out(fourier_transform(n, n.indices({axis}), inverse, one_sided));
    }
    if (full < 1) {
        n.wrong({"a transform of length ", full, " is not possible"});
    }
    const lpt::shape sizes = n.shape(x);
    const std::int64_t half = full / 2 + 1;
    const std::int64_t kept = math::minimum(to_real ? half : full, sizes[static_cast<std::size_t>(axis)]);
    const std::int64_t wanted = one_sided && !inverse ? half : full;
    seq<double> cosines;
    seq<double> sines;
    for (std::int64_t i = 0; i < kept; ++i) {
        // Of a real signal the other half of the spectrum is the same with the opposite imaginary parts.
        const double times = to_real && i != 0 && 2 * i != full ? 2 : 1;
        const double divisor = (inverse ? static_cast<double>(full) : 1.0) / times;
        for (std::int64_t k = 0; k < wanted; ++k) {
            const double angle = 6.283185307179586 * static_cast<double>(i * k % full) / static_cast<double>(full);
            cosines.push_back(std::cos(angle) / divisor);
            sines.push_back(std::sin(angle) / (inverse ? -divisor : divisor));
        }
    }
    const element type = n.type(x);
    const output_ref cosine = n.builder().constant(make_tensor(type, lpt::shape{kept, wanted}, cosines));
    const output_ref sine = n.builder().constant(make_tensor(type, lpt::shape{kept, wanted}, sines));
    lpt::integers order;
    for (std::int64_t i = 0; i < last; ++i) {
        order.push_back(i);
    }
    std::swap(order[static_cast<std::size_t>(axis)], order[order.size() - 1]);
    const auto part = [&](std::int64_t which) {
        const output_ref one = n.squeeze(n.slice(x, last, which, which + 1), {last});
        return n.transpose(n.slice(one, axis, 0, kept), order);
    };
    const auto product = [&](output_ref of, output_ref with) { return n.make(op::mat_mul{}, {of, with}); };
    output_ref real = product(part(0), cosine);
    output_ref imaginary = n.make(op::negative{}, {product(part(0), sine)});
    if (sizes[sizes.rank() - 1] == 2) {
        real = n.make(op::add{}, {real, product(part(1), sine)});
        if (to_real) {
            return n.out(n.unsqueeze(n.transpose(real, order), {last}));
        }
        imaginary = n.make(op::add{}, {imaginary, product(part(1), cosine)});
    }
    n.out(n.concat({n.unsqueeze(n.transpose(real, order), {last}), n.unsqueeze(n.transpose(imaginary, order), {last})},
                   last));
}

/// Spectra of windows of a signal, [batch, places, 1 or 2], that begin a step apart; step and length may be known only when the network runs.
inline void read_short_time_transform(operation& n) {
    const output_ref signal = n.in(0);
    const lpt::shape sizes = n.static_shape(signal);
    if (sizes.rank() != 3 || sizes[2] < 1 || sizes[2] > 2 || (!n.has(2) && !n.has(3))) {
        n.wrong({"needs a signal of real or complex numbers, not of shape ", sizes, ", and a window or a length"});
    }
    const element type = n.type(signal);
    const auto scalar = [&](output_ref from) { return n.reshape(n.convert(from, i64), view<std::int64_t>()); };
    const output_ref step = scalar(n.in(1));
    const output_ref length = scalar(n.has(3) ? n.in(3) : n.size_along(n.in(2), 0));
    const output_ref one = n.integer_constant(1);
    const output_ref room = n.make(op::subtract{}, {n.integer_constant(sizes[1]), length});
    const output_ref frames = n.make(op::add{}, {n.make(op::divide{}, {room, step}), one});
    const output_ref place = n.counted(length);
    const output_ref begin = n.make(op::multiply{}, {n.counted(frames), step});
    const output_ref places = n.make(op::add{}, {n.unsqueeze(begin, {1}), n.unsqueeze(place, {0})});
    const output_ref half = n.make(op::add{}, {n.make(op::divide{}, {length, n.integer_constant(2)}), one});
    const output_ref bins = n.counted(n.flag("onesided", true) ? half : length);
    // Angles are small for the sake of sine and cosine.
    const output_ref turns =
        n.make(op::floor_mod{}, {n.make(op::multiply{}, {n.unsqueeze(place, {1}), n.unsqueeze(bins, {0})}), length});
    const output_ref unit = n.make(op::divide{}, {n.builder().real(6.283185307179586, f64), n.convert(length, f64)});
    const output_ref angle = n.make(op::multiply{}, {n.convert(turns, f64), unit});
    const output_ref cosine = n.convert(n.make(op::cos{}, {angle}), type);
    const output_ref sine = n.convert(n.make(op::sin{}, {angle}), type);
    const auto part = [&](std::int64_t which) {
        const output_ref taken = n.gather(n.squeeze(n.slice(signal, 2, which, which + 1), {2}), places, 1);
        return n.has(2) ? n.make(op::multiply{}, {taken, n.in(2)}) : taken;
    };
    const auto product = [&](output_ref of, output_ref with) { return n.make(op::mat_mul{}, {of, with}); };
    output_ref real = product(part(0), cosine);
    output_ref imaginary = n.make(op::negative{}, {product(part(0), sine)});
    if (sizes[2] == 2) {
        real = n.make(op::add{}, {real, product(part(1), sine)});
        imaginary = n.make(op::add{}, {imaginary, product(part(1), cosine)});
    }
    n.out(n.concat({n.unsqueeze(real, {3}), n.unsqueeze(imaginary, {3})}, 3));
}

/// How much each frequency of a spectrum counts for each of some bands, which lie evenly on the mel scale.
inline void read_mel_weights(operation& n) {
    const auto scalar = [&](std::size_t port) { return n.reshape(n.convert(n.in(port), f64), view<std::int64_t>()); };
    const auto number = [&](double value) { return n.builder().real(value, f64); };
    const auto sum = [&](output_ref a, output_ref b) { return n.make(op::add{}, {a, b}); };
    const auto difference = [&](output_ref a, output_ref b) { return n.make(op::subtract{}, {a, b}); };
    const auto product = [&](output_ref a, output_ref b) { return n.make(op::multiply{}, {a, b}); };
    const auto quotient = [&](output_ref a, output_ref b) { return n.make(op::divide{}, {a, b}); };
    const auto is_less = [&](output_ref a, output_ref b) { return n.make(op::less{}, {a, b}); };
    const double per_mel = std::log(10.0) / 2595;
    const auto mel = [&](output_ref hertz) {
        return quotient(n.make(op::log{}, {sum(quotient(hertz, number(700)), number(1))}), number(per_mel));
    };
    const output_ref bands = n.reshape(n.convert(n.in(0), i64), view<std::int64_t>());
    const output_ref length = scalar(1);
    const output_ref points = n.make(op::add{}, {bands, n.integer_constant(2)});
    const output_ref lowest = mel(scalar(3));
    const output_ref step = quotient(difference(mel(scalar(4)), lowest), n.convert(points, f64));
    const output_ref mels = sum(product(n.convert(n.counted(points), f64), step), lowest);
    const output_ref hertz =
        product(difference(n.make(op::exp{}, {product(mels, number(per_mel))}), number(1)), number(700));
    const output_ref all = n.make(op::floor{}, {quotient(product(sum(length, number(1)), hertz), scalar(2))});
    const auto points_from = [&](std::int64_t first) {
        return n.gather(all, n.make(op::add{}, {n.counted(bands), n.integer_constant(first)}), 0);
    };
    const output_ref left = points_from(0);
    const output_ref centre = points_from(1);
    const output_ref right = points_from(2);
    const output_ref half = n.make(op::floor{}, {quotient(length, number(2))});
    const output_ref rows = n.convert(n.make(op::add{}, {n.convert(half, i64), n.integer_constant(1)}), i64);
    const output_ref row = n.unsqueeze(n.convert(n.counted(rows), f64), {1});
    const auto width = [&](output_ref from, output_ref to) {
        return n.make(op::maximum{}, {difference(to, from), number(1)});
    };
    const output_ref no_rise = n.make(op::equal{}, {left, centre});
    const output_ref up =
        n.make(op::select{}, {no_rise, number(1), quotient(difference(row, left), width(left, centre))});
    const output_ref down = quotient(difference(right, row), width(centre, right));
    const auto between = [&](output_ref from, output_ref to) {
        return n.make(op::logical_and{}, {n.make(op::greater_equal{}, {row, from}), to});
    };
    const output_ref rises = between(left, n.make(op::less_equal{}, {row, centre}));
    const output_ref falls = between(centre, is_less(row, right));
    const output_ref weights = n.make(op::select{}, {falls, down, n.make(op::select{}, {rises, up, number(0)})});
    n.out(n.convert(weights, n.type_attribute("output_datatype", f32)));
}

inline constexpr operator_entry signal_operators[] = {
    {"", "CumProd", read_cumulative_product},
    {"", "DFT", read_fourier_transform},
    {"", "STFT", read_short_time_transform},
    {"", "MelWeightMatrix", read_mel_weights},
};

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx/operators.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_OPERATORS_HPP
#define LPT_HOLDS_IMPORT_ONNX_OPERATORS_HPP
namespace lpt::inline LPT_ABI::onnx {

/// Every operator that can be read, by domain and type.
inline const operator_entry* find_operator(std::string_view domain, std::string_view type) {
    using key = std::pair<std::string_view, std::string_view>;
    static const std::map<key, const operator_entry*> all = [] {
        std::map<key, const operator_entry*> result;
        const auto add = [&](const auto& operators) {
            for (const operator_entry& each : operators) {
                result[{each.domain, each.type}] = &each;
            }
        };
        add(elementwise_operators);
        add(activation_operators);
        add(quantization_operators);
        add(convolution_operators);
        add(integer_product_operators);
        add(detection_operators);
        add(pooling_operators);
        add(movement_operators);
        add(reduction_operators);
        add(shape_operators);
        add(attention_operators);
        add(control_flow_operators);
        add(loss_operators);
        add(recurrent_operators);
        add(scatter_operators);
        add(resampling_operators);
        add(resize_operators);
        add(feature_operators);
        add(flex_attention_operators);
        add(einsum_operators);
        add(signal_operators);
        add(bit_operators);
        add(linear_algebra_operators);
        add(microsoft_operators);
        add(microsoft_attention_operators);
        add(microsoft_transformer_operators);
        add(sequence_operators);
        return result;
    }();
    const auto found = all.find({domain, type});
    return found == all.end() ? nullptr : found->second;
}

}  // namespace lpt::inline LPT_ABI::onnx
#endif

// ======== lpt/import/onnx.hpp
#ifndef LPT_HOLDS_IMPORT_ONNX_HPP
#define LPT_HOLDS_IMPORT_ONNX_HPP
namespace lpt::inline LPT_ABI {

/// Reads a network in the format of ONNX.
///
/// `path`: the model, with the standard operators of versions 7 to 28; `external_data_anywhere`: tensors may lie in files outside the model's folder,
/// too. Weights are not copied: they stay windows on the mapped files. Operators become operations of the library; what it has no operation for is composed
/// of several. QuantizeLinear becomes FakeQuantize, and what a DequantizeLinear of the same scale and zero point reads is real numbers again.
/// Raises an error that names the file, node and byte, and what was expected there, for everything that is not a network or has operators, versions or element
/// types that are not supported.
template <compiled = once>
[[gnu::noinline]] graph import_onnx(const std::string& path, bool external_data_anywhere = false) {
    const mapped_file file(path.c_str());
    const char* const first = reinterpret_cast<const char*>(file.data());
    const text_view name(path.c_str());
    try {
        const onnx::model_description model = onnx::read_model(onnx::message({first, file.size()}, first));
        if (!model.has_graph) {
            fail({"is not a model: it has no graph"});
        }
        onnx::external_files others(path, external_data_anywhere);
        const auto most_nodes = static_cast<std::int64_t>(file.size() / 4 + 1024);
        onnx::session shared{file, others, model, &onnx::find_operator, most_nodes};
        return onnx::graph_reader(shared, nullptr, 0, path).read_model(model.graph);
    } catch (const error& raised) {
        if (raised.message().view().starts_with(name)) {
            throw;
        }
        fail({name, ": ", raised.message()});
    }
}

#ifdef LPT_COMPILED_IMPORT
LPT_COMPILED_IMPORT template graph import_onnx<>(const std::string&, bool);
#endif

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

/// A bitwise operation on boolean values is the logical one; for other types there is no operation.
inline op::kind parse_bitwise_type(std::string_view type, const pugi::xml_node& layer) {
    const std::string_view precision = layer.child("output").child("port").attribute("precision").value();
    if (precision != "BOOL") {
        return op::kind::none;
    }
    return type == "BitwiseAnd"   ? op::kind::logical_and
           : type == "BitwiseOr"  ? op::kind::logical_or
           : type == "BitwiseXor" ? op::kind::logical_xor
           : type == "BitwiseNot" ? op::kind::logical_not
                                  : op::kind::none;
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
    if (layer.kind == op::kind::none) {
        layer.kind = parse_bitwise_type(type, xml);
    }
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
template <compiled = once>
[[gnu::noinline]] graph import_openvino_ir(const std::string& xml_path, std::string bin_path = {},
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

#ifdef LPT_COMPILED_IMPORT
LPT_COMPILED_IMPORT template graph import_openvino_ir<>(const std::string&, std::string, const op::user_operations&);
#endif

}  // namespace lpt::inline LPT_ABI
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

// ======== lpt/import/tflite/network_parts.hpp
#ifndef LPT_HOLDS_IMPORT_TFLITE_NETWORK_PARTS_HPP
#define LPT_HOLDS_IMPORT_TFLITE_NETWORK_PARTS_HPP
/// What a network and its subgraphs share while graphs are made of them.
namespace lpt::inline LPT_ABI::tflite {

/// The order of a tensor's axes in the graph: that of the file, or, of four axes, with the channels, which are last in a file, behind the batch,
/// where convolutions have them.
enum class axes { as_in_file, channels_first };

/// A variable of a network.
struct variable {
    output_ref initial;  // its value before the first run; zeros if none
    output_ref now;  // what operators read from here on
    node_id reader = node_id::none;
    bool is_written = false;
};

/// How many operators may still be made: subgraphs are read again for each operator that runs them, so that memory stays bounded by the file's size.
struct operator_budget {
    static constexpr std::size_t most_times = 8;

    std::size_t left = 0;

    explicit operator_budget(const model& file) {
        for (const subgraph& each : file.subgraphs) {
            left += most_times * each.operators.size();
        }
    }
};

/// Zeros around the pixels of a tensor that nobody has read yet: a convolution that reads them next has padding of its own.
struct pending_margin {
    std::int64_t source = -1;  // the tensor inside; none: nothing is pending
    integers begin;  // rows, columns
    integers end;
};

}  // namespace lpt::inline LPT_ABI::tflite
#endif

// ======== lpt/import/tflite/quantized.hpp
#ifndef LPT_HOLDS_IMPORT_TFLITE_QUANTIZED_HPP
#define LPT_HOLDS_IMPORT_TFLITE_QUANTIZED_HPP
/// What quantization says about tensors, and constants made of it.
namespace lpt::inline LPT_ABI::tflite {

/// Raises an error unless a tensor's quantization is one that integers can be turned into real numbers by.
inline void check_quantization(const tensor_info& info, const place& where) {
    const quantization& q = info.quantized;
    if (!q.is_present()) {
        return;
    }
    if (q.zero_points.size() != q.scales.size() && !q.zero_points.empty()) {
        wrong(where, "has ", q.scales.size(), " scales and ", q.zero_points.size(), " zero points");
    }
    for (const float scale : q.scales) {
        if (!std::isfinite(scale) || scale <= 0) {
            wrong(where, "scale ", static_cast<double>(scale), " is no positive number");
        }
    }
    if (q.scales.size() > 1) {
        const auto rank = static_cast<std::int64_t>(info.dimensions.rank());
        if (q.axis < 0 || q.axis >= rank) {
            wrong(where, "its quantized axis is ", q.axis, ", expected 0 to ", rank - 1);
        }
        if (info.dimensions[static_cast<std::size_t>(q.axis)] != static_cast<dimension>(q.scales.size())) {
            wrong(where, "has ", q.scales.size(), " scales, but its axis ", q.axis, " has the size ",
                  info.dimensions[static_cast<std::size_t>(q.axis)]);
        }
    }
    const element_facts& limits = facts(element_of(info.type));
    for (const std::int64_t each : q.zero_points) {
        if (is_integral(element_of(info.type)) &&
            (static_cast<double>(each) < limits.lowest || static_cast<double>(each) > limits.highest)) {
            wrong(where, "zero point ", each, " lies outside of ", name(info.type));
        }
    }
}

/// True for integers that stand for real numbers.
inline bool is_quantized(const tensor_info& info) {
    return info.quantized.is_present() && is_integral(element_of(info.type));
}

inline double scale_of(const tensor_info& info, std::size_t index = 0) {
    return static_cast<double>(info.quantized.scales[index]);
}
inline double zero_point_of(const tensor_info& info, std::size_t index = 0) {
    return index < info.quantized.zero_points.size() ? static_cast<double>(info.quantized.zero_points[index]) : 0.0;
}

/// True if two tensors' integers stand for the same numbers.
inline bool same_quantization(const tensor_info& left, const tensor_info& right) {
    const auto zeros = [](const tensor_info& each) {
        std::vector<std::int64_t> result = each.quantized.zero_points;
        result.resize(each.quantized.scales.size(), 0);
        return result;
    };
    return left.type == right.type && left.quantized.scales == right.quantized.scales && zeros(left) == zeros(right) &&
           (left.quantized.scales.size() < 2 || left.quantized.axis == right.quantized.axis);
}

/// One number for each index of an axis, or of it and the next one together, or one for all, in a shape that broadcasts to `whole`.
inline tensor along_axis(const std::vector<double>& values, std::size_t axis, const shape& whole) {
    const auto count = static_cast<dimension>(values.size());
    if (count == 1) {
        return make_tensor(f32, {}, {values.data(), values.size()});
    }
    shape dimensions = shape::of_ones(whole.rank());
    dimensions[axis] = count;
    if (whole[axis] != count && axis + 1 < whole.rank()) {
        dimensions[axis] = whole[axis];
        dimensions[axis + 1] = whole[axis + 1];
    }
    return make_tensor(f32, dimensions, {values.data(), values.size()});
}

/// The value of an operation on constants, which is not part of any network.
inline tensor computed(op::attributes what, std::initializer_list<tensor> inputs) {
    graph model;
    seq<output_ref, 5> sources;
    for (const tensor& each : inputs) {
        sources.push_back(model.constant(each));
    }
    const node_id id = model.add(std::move(what), {sources.data(), sources.size()});
    seq<output_ref> values;
    if (!fold(model, id, values)) {
        fail({model[id].operation(), " of constants cannot be computed"});
    }
    return *model.constant_value(values[0]);
}

/// True if a Transpose leaves all elements where they are, because it moves only axes of size 1.
inline bool keeps_places(const shape& dimensions, const integers& order) {
    std::int64_t last = -1;
    for (const std::int64_t axis : order) {
        if (dimensions[static_cast<std::size_t>(axis)] != 1) {
            if (axis < last) {
                return false;
            }
            last = axis;
        }
    }
    return true;
}
/// Bytes [outputs, rows, columns, inputs] as [outputs, inputs, rows, columns].
inline tensor with_inputs_first(const tensor& weights, const shape& dimensions) {
    const auto outputs = static_cast<std::size_t>(dimensions[0]);
    const auto inputs = static_cast<std::size_t>(dimensions[1]);
    const auto pixels = static_cast<std::size_t>(dimensions[2] * dimensions[3]);
    seq<std::byte> result;
    result.resize_for_overwrite(weights.elements());
    const std::byte* from = weights.data();
    std::byte* to = result.data();
    for (std::size_t output = 0; output < outputs; ++output, to += inputs * pixels) {
        for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
            for (std::size_t input = 0; input < inputs; ++input) {
                to[input * pixels + pixel] = *from++;
            }
        }
    }
    return {weights.type(), dimensions, bytes(std::move(result))};
}
/// A constant with its axes in another order: a window on the file still where that moves nothing.
inline tensor transposed(const tensor& value, const integers& order) {
    shape dimensions;
    for (const std::int64_t axis : order) {
        dimensions.push_back(value.dimensions()[static_cast<std::size_t>(axis)]);
    }
    if (keeps_places(value.dimensions(), order)) {
        return {value, dimensions};
    }
    if (bit_width(value.type()) == 8 && order == integers{0, 3, 1, 2}) {
        return with_inputs_first(value, dimensions);
    }
    return computed(op::transpose{}, {value, make_indices(order)});
}

}  // namespace lpt::inline LPT_ABI::tflite
#endif

// ======== lpt/import/tflite/network.hpp
#ifndef LPT_HOLDS_IMPORT_TFLITE_NETWORK_HPP
#define LPT_HOLDS_IMPORT_TFLITE_NETWORK_HPP
/// From the description of a file to a graph.
namespace lpt::inline LPT_ABI::tflite {

/// The tensors of a subgraph as a graph has them: real numbers, or codes (the integers of the file), in either order of axes. Each
/// form is made when somebody asks for it, so that two operations that agree about one pass it on without another operation between.
class network {
    struct forms {
        output_ref codes;  // what the file calls the tensor
        output_ref unrounded;  // real numbers before they are quantized
        output_ref real;  // quantized and dequantized; of tensors without quantization the same as `codes`
    };
    struct entry {
        std::array<forms, 2> by_axes;
        pending_margin margin;
        bool is_on_grid = false;  // `unrounded` has only values that quantization keeps
    };

    const model& file_;
    const subgraph& graph_;
    place where_;
    model_builder& make_;
    std::vector<entry> entries_;
    const operator_info* op_ = nullptr;
    std::map<std::string, variable>& variables_;
    operator_budget& budget_;
    std::map<std::int64_t, std::string> handles_;  // tensors that name variables
    bool is_initializing_;

    static axes other(axes order) { return order == axes::as_in_file ? axes::channels_first : axes::as_in_file; }
    forms& at(std::int64_t index, axes order) {
        return entries_[static_cast<std::size_t>(index)].by_axes[static_cast<std::size_t>(order)];
    }

    void require_four_axes(std::size_t rank) const {
        if (rank != 4) {
            wrong("takes tensors of 4 axes (batch, rows, columns, channels), not of ", rank);
        }
    }
    /// The other order of four axes. Where it changes nothing in memory it is a Reshape, which costs nothing either.
    output_ref reordered(output_ref source, axes to) {
        require_four_axes(make_.shape_of(source).rank());
        const integers order = to == axes::channels_first ? integers{0, 3, 1, 2} : integers{0, 2, 3, 1};
        if (const tensor* value = make_.value_of(source)) {
            return make_.constant(transposed(*value, order));
        }
        const shape& from = make_.shape_of(source);
        if (from.is_static()) {
            shape result;
            for (const std::int64_t axis : order) {
                result.push_back(from[static_cast<std::size_t>(axis)]);
            }
            const std::size_t channels = to == axes::channels_first ? 3 : 1;
            const std::int64_t pixels = to == axes::channels_first ? from[1] * from[2] : from[2] * from[3];
            if (pixels == 1 || from[channels] == 1) {
                return make_.add(op::reshape{}, {source, make_.indices(result.dimensions())});
            }
        }
        return make_.add(op::transpose{}, {source, make_.indices(order)});
    }
    std::size_t quantized_axis(const tensor_info& info, axes order) const {
        if (info.quantized.scales.size() == 1) {
            return 0;  // whatever the file says
        }
        return static_cast<std::size_t>(axis_in(info.quantized.axis, info.dimensions.rank(), order));
    }
    /// Real numbers out of codes: (q - z) * s.
    output_ref dequantized(const tensor_info& info, output_ref codes, axes order) {
        std::vector<double> scales;
        std::vector<double> zero_points;
        for (std::size_t i = 0; i < info.quantized.scales.size(); ++i) {
            scales.push_back(scale_of(info, i));
            zero_points.push_back(zero_point_of(info, i));
        }
        return dequantized(codes, scales, zero_points, quantized_axis(info, order));
    }
    output_ref quantized(const tensor_info& info, output_ref source, axes order, bool to_codes) {
        const element_facts& limits = facts(element_of(info.type));
        if (limits.bits > 32) {
            wrong("tensors that are computed have quantized codes of at most 32 bits, not ", name(info.type));
        }
        std::array<std::vector<double>, 4> bounds;
        for (std::size_t i = 0; i < info.quantized.scales.size(); ++i) {
            const double zero = zero_point_of(info, i);
            bounds[0].push_back((limits.lowest - zero) * scale_of(info, i));
            bounds[1].push_back((limits.highest - zero) * scale_of(info, i));
        }
        bounds[2] = to_codes ? std::vector<double>{limits.lowest} : bounds[0];
        bounds[3] = to_codes ? std::vector<double>{limits.highest} : bounds[1];
        seq<output_ref, 5> inputs{source};
        for (const std::vector<double>& each : bounds) {
            inputs.push_back(make_.constant(along_axis(each, quantized_axis(info, order), make_.shape_of(source))));
        }
        const auto levels = static_cast<std::int64_t>(limits.highest - limits.lowest) + 1;
        // Its name is the tensor's, whichever reader asked for it.
        return make_.model().add(op::fake_quantize{levels}, inputs,
                                 text(info.name.view(), to_codes ? "/Quantize" : "/FakeQuantize"));
    }
    output_ref make_real(std::int64_t index, axes order) {
        const tensor_info& info = this->info(index);
        const entry& known = entries_[static_cast<std::size_t>(index)];
        forms& mine = at(index, order);
        if (!is_quantized(info)) {
            return codes(index, order);
        }
        if (mine.unrounded) {
            return known.is_on_grid ? mine.unrounded : quantized(info, mine.unrounded, order, false);
        }
        const forms& there = at(index, other(order));
        if (there.unrounded) {
            return reordered(real(index, other(order)), order);
        }
        const output_ref stored = codes(index, order);
        const output_ref result = dequantized(info, stored, order);
        // A FakeQuantize that changes nothing tells the transformations that they may choose the type of these data.
        return info.is_constant() || bit_width(element_of(info.type)) != 8 ? result
                                                                           : quantized(info, result, order, false);
    }

    /// Raises an error where a file declares an output that its operator cannot give.
    void check_declared(std::int64_t index, output_ref source, axes order) const {
        const tensor_info& declared = info(index);
        const element wanted = is_quantized(declared) ? f32 : element_of(declared.type);
        const element given = make_.type_of(source);
        if (wanted != given && given != dynamic) {
            wrong("its output is declared as ", name(declared.type), ", but it gives ", lpt::name(given));
        }
        shape merged = declared.signature;
        if (order == axes::channels_first && merged.rank() == 4) {
            merged = shape{in_order(merged.dimensions(), order)};
        }
        // Tensors whose sizes come with the values are declared as scalars.
        if (declared.signature.rank() != 0 && !merge_shape(merged, make_.shape_of(source))) {
            wrong("its output is declared with shape ", merged, ", but it gives ", make_.shape_of(source));
        }
    }

public:
    /// `is_initializing`: the subgraph gives variables their first values.
    network(const model& file, std::size_t which, model_builder& make, std::map<std::string, variable>& variables,
            operator_budget& budget, bool is_initializing)
        : file_(file),
          graph_(file.subgraphs[which]),
          where_{file.file, static_cast<std::int64_t>(which)},
          make_(make),
          entries_(graph_.tensors.size()),
          variables_(variables),
          budget_(budget),
          is_initializing_(is_initializing) {}

    model_builder& make() { return make_; }
    const model& file() const { return file_; }
    const subgraph& description() const { return graph_; }
    const tensor_info& info(std::int64_t index) const { return graph_.tensors[static_cast<std::size_t>(index)]; }
    const operator_info& op() const { return *op_; }
    std::map<std::string, variable>& variables() { return variables_; }
    std::map<std::int64_t, std::string>& handles() { return handles_; }
    operator_budget& budget() { return budget_; }
    bool is_initializing() const { return is_initializing_; }

    /// Begins an operator, or what is made for the subgraph as a whole (null).
    void begin(const operator_info* op) {
        op_ = op;
        where_.op = op == nullptr ? -1 : op - graph_.operators.data();
        where_.op_name = op == nullptr ? text_view() : op->name();
        if (op == nullptr) {
            make_.begin({});
            return;
        }
        const bool has_name = !op->outputs.empty() && op->outputs[0] != operator_info::none;
        const std::string type(where_.op_name.data(), where_.op_name.size());
        make_.begin({has_name ? info(op->outputs[0]).name.c_str() : type,
                     "operator " + std::to_string(where_.op) + " of subgraph " + std::to_string(where_.subgraph) +
                         ", " + type});
    }
    template <class... Parts>
    [[noreturn]] void wrong(const Parts&... parts) const {
        tflite::wrong(where_, parts...);
    }

    // ---- inputs of the operator

    bool has_input(std::size_t port) const {
        return port < op().inputs.size() && op().inputs[port] != operator_info::none;
    }
    std::int64_t input(std::size_t port) const {
        if (!has_input(port)) {
            wrong("has no input ", port);
        }
        return op().inputs[port];
    }
    const tensor_info& input_info(std::size_t port) const { return info(input(port)); }
    const tensor_info& output_info() const {
        if (op().outputs.empty() || op().outputs[0] == operator_info::none) {
            wrong("has no output 0");
        }
        return info(op().outputs[0]);
    }
    /// A constant input; raises an error where it is computed.
    const tensor& constant_input(std::size_t port, text_view role) {
        const tensor_info& from = input_info(port);
        if (from.is_constant() && !from.is_sparse) {
            return from.value;
        }
        const tensor* value = make_.value_of(codes(input(port), axes::as_in_file));
        if (value == nullptr) {
            wrong("its ", role, " (input ", port, ") must be a constant");
        }
        return *value;
    }
    integers integers_input(std::size_t port, text_view role) { return integers_of(constant_input(port, role)); }

    // ---- tensors

    /// The margin that a tensor is waiting for; null if none.
    const pending_margin* margin_of(std::int64_t index) const {
        const pending_margin& margin = entries_[static_cast<std::size_t>(index)].margin;
        return margin.source < 0 ? nullptr : &margin;
    }
    void postpone(std::int64_t index, pending_margin margin) {
        entries_[static_cast<std::size_t>(index)].margin = std::move(margin);
    }
    /// Makes a tensor that waits for its margin.
    void finish_margin(std::int64_t index) {
        const pending_margin margin = std::exchange(entries_[static_cast<std::size_t>(index)].margin, {});
        if (margin.source < 0) {
            return;
        }
        const output_ref data = real(margin.source, axes::channels_first);
        const output_ref zero = make_.real(0, make_.type_of(data));
        const output_ref padded = make_.add(op::pad{}, {data, make_.indices({0, 0, margin.begin[0], margin.begin[1]}),
                                                        make_.indices({0, 0, margin.end[0], margin.end[1]}), zero});
        set(index, padded, axes::channels_first, true);
    }
    /// True if the graph has the tensor in this order already.
    bool exists(std::int64_t index, axes order) {
        finish_margin(index);
        const forms& mine = at(index, order);
        return mine.codes || mine.unrounded || mine.real;
    }
    /// A tensor as the file has it: integers where it is quantized.
    output_ref codes(std::int64_t index, axes order) {
        finish_margin(index);
        forms& mine = at(index, order);
        if (mine.codes) {
            return mine.codes;
        }
        const tensor_info& info = this->info(index);
        const forms& there = at(index, other(order));
        if (info.is_constant() && order == axes::as_in_file) {
            if (info.is_sparse || element_of(info.type) == dynamic) {
                wrong("tensor ", index, " '", info.name, "' is ", info.is_sparse ? "sparse" : name(info.type),
                      ", which is not supported");
            }
            mine.codes = make_.constant(info.value);
        } else if (mine.unrounded) {
            mine.codes = make_.add(op::convert{element_of(info.type)}, {quantized(info, mine.unrounded, order, true)});
        } else if (there.codes || there.unrounded || (info.is_constant() && order != axes::as_in_file)) {
            mine.codes = reordered(codes(index, other(order)), order);
        } else {
            wrong("tensor ", index, " '", info.name, "' has no value");
        }
        return mine.codes;
    }
    /// A tensor's real numbers; integers, truth values … of tensors without quantization.
    output_ref real(std::int64_t index, axes order = axes::as_in_file) {
        finish_margin(index);
        forms& mine = at(index, order);
        if (!mine.real) {
            const output_ref made = make_real(index, order);
            at(index, order).real = made;
        }
        return at(index, order).real;
    }
    output_ref real_input(std::size_t port, axes order = axes::as_in_file) { return real(input(port), order); }

    /// Real numbers out of codes, with one scale and zero point for each index of an axis (or of it and the next one together), or one for all.
    output_ref dequantized(output_ref codes, const std::vector<double>& scales, const std::vector<double>& zero_points,
                           std::size_t axis) {
        const shape& dimensions = make_.shape_of(codes);
        output_ref result = make_.add_node(op::convert{f32}, {codes});
        if (std::any_of(zero_points.begin(), zero_points.end(), [](double each) { return each != 0; })) {
            result =
                make_.add_node(op::subtract{}, {result, make_.constant(along_axis(zero_points, axis, dimensions))});
        }
        return make_.add_node(op::multiply{}, {result, make_.constant(along_axis(scales, axis, dimensions))});
    }

    /// Says what an output of the operator is: real numbers that are not quantized yet. `is_on_grid`: quantization changes none of them.
    void give(output_ref source, axes order = axes::as_in_file, std::size_t port = 0, bool is_on_grid = false) {
        if (port >= op().outputs.size() || op().outputs[port] == operator_info::none) {
            return;
        }
        set(op().outputs[port], source, order, is_on_grid);
    }
    void set(std::int64_t index, output_ref source, axes order, bool is_on_grid) {
        check_declared(index, source, order);
        entries_[static_cast<std::size_t>(index)].is_on_grid = is_on_grid;
        (is_quantized(info(index)) ? at(index, order).unrounded : at(index, order).codes) = source;
    }
    /// Says what a tensor is: integers, as the file has them.
    void set_codes(std::int64_t index, output_ref codes) { at(index, axes::as_in_file).codes = codes; }
    /// Says what an output of the operator is: integers, as the file has them.
    void give_codes(output_ref codes, std::size_t port = 0) {
        if (port >= op().outputs.size() || op().outputs[port] == operator_info::none) {
            return;
        }
        const std::int64_t index = op().outputs[port];
        if (!is_quantized(info(index))) {
            return set(index, codes, axes::as_in_file, false);
        }
        shape merged = info(index).signature;
        const element given = make_.type_of(codes);
        if ((given != element_of(info(index).type) && given != dynamic) ||
            (merged.rank() != 0 && !merge_shape(merged, make_.shape_of(codes)))) {
            wrong("its output is declared as ", name(info(index).type), info(index).signature, ", but it gives ",
                  lpt::name(given), make_.shape_of(codes));
        }
        set_codes(index, codes);
    }
    /// An output that has the elements of an input, moved: on the grid where both have the same quantization.
    void give_moved(output_ref source, axes order, std::size_t from, std::size_t port = 0) {
        const bool same = port < op().outputs.size() && op().outputs[port] != operator_info::none &&
                          same_quantization(input_info(from), info(op().outputs[port]));
        give(source, order, port, same);
    }

    /// A constant tensor's real numbers, computed here;
    output_ref folded_input(std::size_t port) {
        const tensor_info& from = input_info(port);
        if (!is_quantized(from) || from.quantized.scales.size() != 1) {
            return real_input(port);
        }
        const tensor& value = constant_input(port, "value");
        seq<double> reals = reals_of(value);
        for (double& each : reals) {
            each = (each - zero_point_of(from)) * scale_of(from);
        }
        return make_.constant(make_tensor(f32, value.dimensions(), {reals.data(), reals.size()}));
    }
    /// An input that broadcasts to `rank` axes in an order.
    output_ref operand(std::size_t port, std::size_t rank, axes order) {
        const tensor_info& from = input_info(port);
        const output_ref plain = from.is_constant() ? folded_input(port) : output_ref();
        if (order == axes::as_in_file || from.dimensions.rank() == 0) {
            return plain ? plain : real_input(port);
        }
        if (from.dimensions.rank() == rank) {
            return plain ? reordered(plain, order) : real_input(port, order);
        }
        const shape padded = from.dimensions.padded_left(rank);
        return reordered(
            make_.add(op::reshape{}, {plain ? plain : real_input(port), make_.indices(padded.dimensions())}), order);
    }

    // ---- orders of axes

    /// The order to compute in what works in either: with channels first where an input is there only so.
    axes order_for_all(const std::vector<std::size_t>& ports) {
        bool only_first = false;
        for (const std::size_t port : ports) {
            const std::int64_t index = input(port);
            only_first = only_first || (!info(index).is_constant() && exists(index, axes::channels_first) &&
                                        !exists(index, axes::as_in_file));
        }
        return only_first ? axes::channels_first : axes::as_in_file;
    }
    /// Where an axis of the file is in an order.
    std::int64_t axis_in(std::int64_t axis, std::size_t rank, axes order) const {
        const std::int64_t place = normalized_axis(axis, rank);
        if (place < 0) {
            wrong("axis ", axis, " is outside of the ", rank, " axes of its input");
        }
        if (order == axes::as_in_file) {
            return place;
        }
        require_four_axes(rank);
        return std::array<std::int64_t, 4>{0, 2, 3, 1}[static_cast<std::size_t>(place)];
    }
    /// One number for each axis, in an order.
    integers in_order(const integers& by_axis, axes order) const {
        if (order == axes::as_in_file) {
            return by_axis;
        }
        return {by_axis[0], by_axis[3], by_axis[1], by_axis[2]};
    }
};

}  // namespace lpt::inline LPT_ABI::tflite
#endif

// ======== lpt/import/tflite/control_flow.hpp
#ifndef LPT_HOLDS_IMPORT_TFLITE_CONTROL_FLOW_HPP
#define LPT_HOLDS_IMPORT_TFLITE_CONTROL_FLOW_HPP
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
#endif

// ======== lpt/import/tflite/activation.hpp
#ifndef LPT_HOLDS_IMPORT_TFLITE_ACTIVATION_HPP
#define LPT_HOLDS_IMPORT_TFLITE_ACTIVATION_HPP
namespace lpt::inline LPT_ABI::tflite {

/// True if quantizing to an output's range already does what a clamp to [low, high] would.
inline bool is_within(const tensor_info& output, double low, double high) {
    if (!is_quantized(output) || output.quantized.scales.size() != 1) {
        return false;
    }
    const element_facts& limits = facts(element_of(output.type));
    const double scale = scale_of(output);
    const double zero = zero_point_of(output);
    return zero + std::round(low / scale) <= limits.lowest && zero + std::round(high / scale) >= limits.highest;
}

/// The activation that an operator has built in.
inline output_ref activated(network& net, output_ref source) {
    const auto clamped = [&](double low, double high) {
        if (is_within(net.output_info(), low, high)) {
            return source;
        }
        return high == math::infinity ? net.make().add(op::relu{}, {source})
                                      : net.make().add(op::clamp{{}, low, high}, {source});
    };
    switch (net.op().activation()) {
        case activation::none: return source;
        case activation::relu: return clamped(0, math::infinity);
        case activation::relu6: return clamped(0, 6);
        case activation::relu_n1_to_1: return clamped(-1, 1);
        case activation::tanh: return net.make().add(op::tanh{}, {source});
        case activation::sign_bit: net.wrong("activation SIGN_BIT is not supported");
    }
    return source;
}

}  // namespace lpt::inline LPT_ABI::tflite
#endif

// ======== lpt/import/tflite/convolution.hpp
#ifndef LPT_HOLDS_IMPORT_TFLITE_CONVOLUTION_HPP
#define LPT_HOLDS_IMPORT_TFLITE_CONVOLUTION_HPP
/// Convolutions and matrix products.
namespace lpt::inline LPT_ABI::tflite {

/// Strides, dilations and padding of a window over rows and columns.
struct window {
    integers strides;
    integers dilations;
    integers pads_begin;
    integers pads_end;
    op::auto_pad rule = op::auto_pad::explicit_pads;
};

inline integers size_options(const network& net, text_view rows, text_view columns) {
    const integers result{net.op().integer(rows), net.op().integer(columns)};
    for (const std::int64_t each : result) {
        if (each < 1) {
            net.wrong("options ", rows, " and ", columns, " are ", result[0], " and ", result[1],
                      ", expected 1 or more");
        }
    }
    return result;
}

/// The window of an operator on channels-first data. Known sizes get their padding in numbers, which all rules understand.
inline window window_of(network& net, const shape& data, const integers& kernel, const integers& dilations) {
    window result;
    result.strides = size_options(net, "stride_h", "stride_w");
    result.dilations = dilations;
    const bool same = net.op().padding() == padding::same;
    result.rule = same ? op::auto_pad::same_upper : op::auto_pad::valid;
    if (!data.is_static() || data.rank() != 4) {
        return result;
    }
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const op::window_axis one =
            op::padded_window({kernel[axis], result.strides[axis], dilations[axis]}, result.rule, data[axis + 2]);
        result.pads_begin.push_back(one.pad_begin);
        result.pads_end.push_back(one.pad_end);
    }
    result.rule = op::auto_pad::explicit_pads;
    return result;
}

/// Weights as real numbers in another order of axes and with another shape. Their scales lie along `file_axis` in the file, and along
/// `scale_axis` of the result, or along it and the next one, where these are groups and the channels of a group.
inline output_ref weights_input(network& net, std::size_t port, std::int64_t file_axis, const integers& order,
                                const shape& dimensions, std::size_t scale_axis) {
    const tensor_info& info = net.input_info(port);
    if (!info.is_constant()) {
        const output_ref source = net.make().add(op::transpose{}, {net.real_input(port), net.make().indices(order)});
        return net.make().add(op::reshape{}, {source, net.make().indices(dimensions.dimensions())});
    }
    const tensor value(transposed(net.constant_input(port, "weights"), order), dimensions);
    const output_ref stored = net.make().constant(value);
    if (!is_quantized(info)) {
        return value.type() == f32 ? stored : net.make().add_node(op::convert{f32}, {stored});
    }
    if (info.quantized.scales.size() > 1 && info.quantized.axis != file_axis) {
        net.wrong("its weights are quantized along axis ", info.quantized.axis, ", expected ", file_axis);
    }
    std::vector<double> scales;
    std::vector<double> zero_points;
    for (std::size_t i = 0; i < info.quantized.scales.size(); ++i) {
        scales.push_back(scale_of(info, i));
        zero_points.push_back(zero_point_of(info, i));
    }
    if (scales.size() == 1) {
        return net.dequantized(stored, scales, zero_points, 0);
    }
    return net.dequantized(stored, scales, zero_points, scale_axis);
}

/// `source` plus the bias, which lies along axis `axis` of four, or along the last of two.
inline output_ref biased(network& net, output_ref source, std::size_t port, std::size_t weights_port,
                         std::size_t axis) {
    if (!net.has_input(port)) {
        return source;
    }
    const tensor_info& info = net.input_info(port);
    const std::size_t rank = net.make().shape_of(source).rank();
    shape dimensions = shape::of_ones(rank);
    dimensions[axis] = dynamic_dimension;
    if (!info.is_constant()) {
        const output_ref bias =
            net.make().add(op::reshape{}, {net.real_input(port), net.make().indices(dimensions.dimensions())});
        return net.make().add(op::add{}, {source, bias});
    }
    const tensor& value = net.constant_input(port, "bias");
    dimensions[axis] = static_cast<dimension>(value.elements());
    seq<double> reals = reals_of(value);
    // Integers have the scale that their tensor says, which may be another one than that of the sums; without any, they are sums.
    const bool is_integer = is_integral(value.type());
    if (is_integer && !is_quantized(info) &&
        !(is_quantized(net.input_info(0)) && is_quantized(net.input_info(weights_port)))) {
        net.wrong("its bias has the type ", name(info.type), " and no scale");
    }
    for (std::size_t i = 0; is_integer && i < reals.size(); ++i) {
        const auto at = [&](const tensor_info& each) { return each.quantized.scales.size() > 1 ? i : 0; };
        const auto scale = [&](const tensor_info& each) {
            const std::size_t index = at(each);
            if (index >= each.quantized.scales.size()) {
                net.wrong("its bias has ", reals.size(), " values for ", each.quantized.scales.size(), " scales");
            }
            return scale_of(each, index);
        };
        reals[i] = is_quantized(info) ? (reals[i] - zero_point_of(info, at(info))) * scale(info)
                                      : reals[i] * scale(net.input_info(0)) * scale(net.input_info(weights_port));
    }
    return net.make().add(op::add{},
                          {source, net.make().constant(make_tensor(f32, dimensions, {reals.data(), reals.size()}))});
}

/// The data of a window without padding: where they wait for a margin that is smaller than the window, the data inside, and the margin.
struct windowed_data {
    output_ref data;
    pending_margin margin;
};
inline windowed_data windowed_input(network& net, const integers& extent) {
    const pending_margin* const margin = net.margin_of(net.input(0));
    bool fits = margin != nullptr && net.op().padding() == padding::valid;
    for (std::size_t axis = 0; axis < 2 && fits; ++axis) {
        fits = margin->begin[axis] < extent[axis] && margin->end[axis] < extent[axis];
    }
    if (!fits) {
        return {net.real_input(0, axes::channels_first), {}};
    }
    const pending_margin taken = *margin;
    return {net.real(taken.source, axes::channels_first), taken};
}
/// A window of the operator on such data.
inline window window_of(network& net, const windowed_data& on, const integers& kernel, const integers& dilations) {
    window result = window_of(net, net.make().shape_of(on.data), kernel, dilations);
    if (on.margin.source >= 0) {
        result.pads_begin = on.margin.begin;
        result.pads_end = on.margin.end;
        result.rule = op::auto_pad::explicit_pads;
    }
    return result;
}
/// What a kernel spans; anything for numbers that make no sense, which are refused elsewhere.
inline integers extent_of(const integers& kernel, const integers& dilations) {
    integers result;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const checked extent = (checked(kernel[axis]) - checked(1)) * checked(dilations[axis]) + checked(1);
        result.push_back(extent.fits() ? extent.value() : 0);
    }
    return result;
}

inline const shape& weights_shape(network& net, std::size_t port, std::size_t rank) {
    const shape& result = net.input_info(port).dimensions;
    if (result.rank() != rank) {
        net.wrong("its weights have the shape ", result, ", expected ", rank, " axes");
    }
    return result;
}

template <class Operation>
Operation convolution_of(const window& from) {
    Operation result;
    result.strides = from.strides;
    result.dilations = from.dilations;
    result.pads_begin = from.pads_begin;
    result.pads_end = from.pads_end;
    result.auto_pad = from.rule;
    return result;
}

inline void make_conv_2d(network& net) {
    const shape weights = weights_shape(net, 1, 4);  // outputs, rows, columns, inputs
    const integers kernel{weights[1], weights[2]};
    const integers dilations = size_options(net, "dilation_h_factor", "dilation_w_factor");
    const windowed_data from = windowed_input(net, extent_of(kernel, dilations));
    const output_ref data = from.data;
    const shape dimensions = net.make().shape_of(data);
    const window over = window_of(net, from, kernel, dilations);
    const std::int64_t channels = dimensions.rank() == 4 ? dimensions[1] : dynamic_dimension;
    const bool has_groups = channels != dynamic_dimension && weights[3] > 0 && channels > weights[3] &&
                            channels % weights[3] == 0 && weights[0] % (channels / weights[3]) == 0;
    output_ref result;
    if (has_groups) {
        const std::int64_t groups = channels / weights[3];
        const shape grouped{groups, weights[0] / groups, weights[3], weights[1], weights[2]};
        result = net.make().add(convolution_of<op::group_convolution>(over),
                                {data, weights_input(net, 1, 0, {0, 3, 1, 2}, grouped, 0)});
    } else {
        const shape plain{weights[0], weights[3], weights[1], weights[2]};
        result = net.make().add(convolution_of<op::convolution>(over),
                                {data, weights_input(net, 1, 0, {0, 3, 1, 2}, plain, 0)});
    }
    net.give(activated(net, biased(net, result, 2, 1, 1)), axes::channels_first);
}

inline void make_depthwise_conv_2d(network& net) {
    const shape weights = weights_shape(net, 1, 4);  // 1, rows, columns, outputs
    const integers kernel{weights[1], weights[2]};
    const integers dilations = size_options(net, "dilation_h_factor", "dilation_w_factor");
    const windowed_data from = windowed_input(net, extent_of(kernel, dilations));
    const output_ref data = from.data;
    const shape dimensions = net.make().shape_of(data);
    if (dimensions.rank() != 4 || dimensions[1] < 1 || weights[0] != 1 || weights[3] % dimensions[1] != 0) {
        net.wrong("weights of shape ", weights, " do not fit data of shape ", net.input_info(0).dimensions);
    }
    const std::int64_t channels = dimensions[1];
    const window over = window_of(net, from, kernel, dilations);
    const shape grouped{channels, weights[3] / channels, 1, weights[1], weights[2]};
    const output_ref result = net.make().add(convolution_of<op::group_convolution>(over),
                                             {data, weights_input(net, 1, 3, {3, 0, 1, 2}, grouped, 0)});
    net.give(activated(net, biased(net, result, 2, 1, 1)), axes::channels_first);
}

/// Inputs: the output's shape, weights, data, may be bias.
inline void make_transpose_conv(network& net) {
    const shape weights = weights_shape(net, 1, 4);  // outputs, rows, columns, inputs
    const output_ref data = net.real_input(2, axes::channels_first);
    const shape dimensions = net.make().shape_of(data);
    const integers output = net.integers_input(0, "output's shape");
    if (output.size() != 4 || dimensions.rank() != 4) {
        net.wrong("its output and its data must have 4 axes, not ", output.size(), " and ", dimensions.rank());
    }
    op::convolution_backprop_data what;
    what.strides = size_options(net, "stride_h", "stride_w");
    what.dilations = {1, 1};
    for (std::size_t axis = 0; axis < 2; ++axis) {
        if (!dimensions.is_static(axis + 2)) {
            net.wrong("its data must have known sizes, not ", dimensions);
        }
        const std::int64_t whole = (dimensions[axis + 2] - 1) * what.strides[axis] + weights[axis + 1];
        const std::int64_t cut = whole - output[axis + 1];
        what.pads_begin.push_back(cut > 0 ? cut / 2 : 0);
        what.pads_end.push_back(cut > 0 ? cut - cut / 2 : 0);
        what.output_padding.push_back(cut < 0 ? -cut : 0);
    }
    const output_ref result = net.make().add(
        what, {data, weights_input(net, 1, 0, {3, 0, 1, 2}, {weights[3], weights[0], weights[1], weights[2]}, 1)});
    net.give(activated(net, biased(net, result, 3, 1, 1)), axes::channels_first);
}

inline void make_fully_connected(network& net) {
    if (net.op().integer("weights_format") != 0) {
        net.wrong("shuffled weights are not supported");
    }
    const shape weights = weights_shape(net, 1, 2);  // outputs, inputs
    output_ref data = net.real_input(0);
    const shape dimensions = net.make().shape_of(data);
    const bool keeps = net.op().flag("keep_num_dims");
    const bool fits =
        dimensions.rank_is_static() && dimensions.rank() >= 2 && dimensions[dimensions.rank() - 1] == weights[1];
    if (!(fits && (keeps || dimensions.rank() == 2))) {
        data = net.make().add(op::reshape{}, {data, net.make().indices({-1, weights[1]})});
    }
    output_ref result = net.make().add(op::mat_mul{false, true}, {data, weights_input(net, 1, 0, {0, 1}, weights, 0)});
    result = activated(net, biased(net, result, 2, 1, net.make().shape_of(result).rank() - 1));
    if (keeps && !fits) {
        integers shape_of_result = dimensions.dimensions();
        shape_of_result[shape_of_result.size() - 1] = weights[0];
        result = net.make().add(op::reshape{}, {result, net.make().indices(shape_of_result)});
    }
    net.give(result);
}

inline void make_batch_matmul(network& net) {
    net.give(net.make().add(op::mat_mul{net.op().flag("adj_x"), net.op().flag("adj_y")},
                            {net.real_input(0), net.real_input(1)}));
}

}  // namespace lpt::inline LPT_ABI::tflite
#endif

// ======== lpt/import/tflite/scatter.hpp
#ifndef LPT_HOLDS_IMPORT_TFLITE_SCATTER_HPP
#define LPT_HOLDS_IMPORT_TFLITE_SCATTER_HPP
/// Tensors made of values and the places where they stand.
namespace lpt::inline LPT_ABI::tflite {

/// A number that fills a shape which another tensor gives.
inline output_ref filled(network& net, output_ref number, output_ref sizes) {
    return net.make().add(op::broadcast{}, {number, sizes}, 3);
}

/// Inputs: places, values, the shape of the output. Values of one place are added up; where there are none, the code is 0, whatever it stands for.
inline void make_scatter_nd(network& net) {
    const output_ref values = net.codes(net.input(1), axes::as_in_file);
    const output_ref zero = net.make().real(0, net.make().type_of(values));
    const output_ref result = net.make().add(op::scatter_nd_update{op::scatter_reduction::sum},
                                             {filled(net, zero, net.real_input(2)), net.real_input(0), values});
    net.give_codes(result);
}

/// Inputs: places (a number, a list, or a row of indices for each), the shape of the output, values (or one for all), what stands elsewhere.
inline void make_sparse_to_dense(network& net) {
    model_builder& make = net.make();
    const std::size_t rank = net.input_info(0).dimensions.rank();
    output_ref places = net.real_input(0);
    if (rank > 2) {
        net.wrong("its places have ", rank, " axes, expected at most 2");
    }
    if (rank < 2) {
        places = make.add(op::reshape{}, {places, make.indices({-1, 1})});
    }
    output_ref values = net.codes(net.input(2), axes::as_in_file);
    if (make.shape_of(values).rank() == 0) {
        const output_ref count =
            make.add(op::gather{}, {make.add(op::shape_of{}, {places}), make.indices({0}), make.integer(0)});
        values = filled(net, values, count);
    }
    const output_ref elsewhere = net.codes(net.input(3), axes::as_in_file);
    net.give_codes(make.add(op::scatter_nd_update{}, {filled(net, elsewhere, net.real_input(1)), places, values}));
}

/// True on the diagonal of [rows, columns].
inline output_ref diagonal(network& net, output_ref rows, output_ref columns) {
    model_builder& make = net.make();
    const auto counted = [&](output_ref size, std::int64_t new_axis) {
        op::range what;
        what.output_type = i64;
        const output_ref all = make.add(what, {make.integer(0), size, make.integer(1)}, 4);
        return make.add(op::unsqueeze{}, {all, make.indices({new_axis})});
    };
    return make.add(op::equal{}, {counted(rows, 1), counted(columns, 0)});
}
inline output_ref size_along(network& net, output_ref from, std::int64_t axis) {
    return net.make().add(op::gather{},
                          {net.make().add(op::shape_of{}, {from}), net.make().integer(axis), net.make().integer(0)});
}
/// The last axis as a diagonal, zeros around it.
inline void make_matrix_diag(network& net) {
    const output_ref values = net.codes(net.input(0), axes::as_in_file);
    const auto rank = static_cast<std::int64_t>(net.input_info(0).dimensions.rank());
    if (rank < 1) {
        net.wrong("needs an axis to put on a diagonal");
    }
    const output_ref size = size_along(net, values, rank - 1);
    const output_ref zero = net.make().real(0, net.make().type_of(values));
    const output_ref wide = net.make().add(op::unsqueeze{}, {values, net.make().indices({rank})});
    net.give_codes(net.make().add(op::select{}, {diagonal(net, size, size), wide, zero}));
}
/// The diagonals of the matrices of the first input replaced by the second.
inline void make_matrix_set_diag(network& net) {
    model_builder& make = net.make();
    const output_ref data = net.codes(net.input(0), axes::as_in_file);
    const output_ref values = net.codes(net.input(1), axes::as_in_file);
    const auto rank = static_cast<std::int64_t>(net.input_info(0).dimensions.rank());
    if (rank < 2 || static_cast<std::int64_t>(net.input_info(1).dimensions.rank()) + 1 != rank) {
        net.wrong("diagonals of shape ", net.input_info(1).dimensions, " do not fit matrices of shape ",
                  net.input_info(0).dimensions);
    }
    // Rows below the end of the diagonal have none of its elements; any number will do there.
    const output_ref rows = size_along(net, data, rank - 2);
    const output_ref last = make.add(op::subtract{}, {size_along(net, values, rank - 2), make.integer(1)});
    op::range count;
    count.output_type = i64;
    const output_ref places =
        make.add(op::minimum{}, {make.add(count, {make.integer(0), rows, make.integer(1)}, 4), last});
    const output_ref by_row = make.add(op::gather{}, {values, places, make.integer(rank - 2)});
    const output_ref wide = make.add(op::unsqueeze{}, {by_row, make.indices({rank - 1})});
    net.give_codes(make.add(op::select{}, {diagonal(net, rows, size_along(net, data, rank - 1)), wide, data}));
}

/// The shape to which two shapes broadcast.
inline void make_broadcast_args(network& net) {
    model_builder& make = net.make();
    output_ref shapes[2];
    dimension longest = 0;
    for (std::size_t port = 0; port < 2; ++port) {
        const shape& own = net.input_info(port).dimensions;
        if (own.rank() != 1 || !net.input_info(port).signature.is_static()) {
            net.wrong("its shapes must have one axis of known size, not the shape ", net.input_info(port).signature);
        }
        longest = std::max(longest, own[0]);
        shapes[port] = net.real_input(port);
    }
    for (std::size_t port = 0; port < 2; ++port) {
        const element type = make.type_of(shapes[port]);
        const dimension missing = longest - net.input_info(port).dimensions[0];
        const output_ref ones = filled(net, make.integer(1, type), make.indices({missing}));
        shapes[port] = missing == 0 ? shapes[port] : make.add(op::concat{0}, {ones, shapes[port]});
    }
    const output_ref is_one = make.add(op::equal{}, {shapes[0], make.integer(1, make.type_of(shapes[0]))});
    net.give(make.add(op::select{}, {is_one, shapes[1], shapes[0]}));
}

}  // namespace lpt::inline LPT_ABI::tflite
#endif

// ======== lpt/import/tflite/detection.hpp
#ifndef LPT_HOLDS_IMPORT_TFLITE_DETECTION_HPP
#define LPT_HOLDS_IMPORT_TFLITE_DETECTION_HPP
/// Operators of networks that find objects.
namespace lpt::inline LPT_ABI::tflite {

/// The first numbers of a list that may be shorter, with zeros behind it.
inline output_ref padded_list(network& net, output_ref from, output_ref count) {
    model_builder& make = net.make();
    const output_ref zeros = filled(net, make.real(0, make.type_of(from)), count);
    const output_ref result = make.add(op::slice{}, {make.add(op::concat{0}, {from, zeros}), make.indices({0}), count,
                                                     make.indices({1}), make.indices({0})});
    // Where the count is known, the size is.
    return make.value_of(count) == nullptr ? result : make.add(op::reshape{}, {result, count});
}

/// Boxes [N, 4] and scores [N] of one image and class; the most boxes to keep; thresholds; in version 5 sigma.
inline void make_non_max_suppression(network& net) {
    model_builder& make = net.make();
    const bool has_scores = net.op().code == builtin::non_max_suppression_v5;
    const shape boxes = net.input_info(0).dimensions;
    if (boxes.rank() != 2 || net.input_info(1).dimensions.rank() != 1) {
        net.wrong("its boxes and scores have ", boxes.rank(), " and ", net.input_info(1).dimensions.rank(),
                  " axes, expected 2 and 1");
    }
    const output_ref most = make.add(op::convert{i64}, {net.real_input(2)});
    // Boxes are dropped from the threshold on here, above it in the operation.
    const seq<double> threshold = reals_of(net.constant_input(3, "threshold of overlaps"));
    if (threshold.size() != 1) {
        net.wrong("its threshold of overlaps must be one number, not ", threshold.size());
    }
    const double overlap = static_cast<double>(std::nextafter(static_cast<float>(threshold[0]), -1.0F));
    op::non_max_suppression what;
    what.sort_result_descending = false;
    what.output_type = i32;
    const output_ref sigma = has_scores ? net.real_input(5) : make.real(0);
    const node_id made = make.add_node(what, {make.add(op::unsqueeze{}, {net.real_input(0), make.indices({0})}),
                                              make.add(op::unsqueeze{}, {net.real_input(1), make.indices({0, 1})}),
                                              most, make.real(overlap), net.real_input(4), sigma});
    const output_ref count = make.add(op::reshape{}, {most, make.indices({1})});
    const auto column = [&](std::int32_t port) {
        const output_ref all(made, port);
        return padded_list(net, make.add(op::gather{}, {all, make.integer(2), make.integer(1)}), count);
    };
    net.give(column(0));
    if (has_scores) {
        net.give(column(1), axes::as_in_file, 1);
    }
    net.give(make.add(op::reshape{}, {output_ref(made, 2), make.indices(integers{})}), axes::as_in_file,
             has_scores ? 2 : 1);
}

}  // namespace lpt::inline LPT_ABI::tflite
#endif

// ======== lpt/import/tflite/elementwise.hpp
#ifndef LPT_HOLDS_IMPORT_TFLITE_ELEMENTWISE_HPP
#define LPT_HOLDS_IMPORT_TFLITE_ELEMENTWISE_HPP
/// Functions of elements.
namespace lpt::inline LPT_ABI::tflite {

// ---- of two tensors

/// The operands of an operator that broadcasts its inputs, and the order of axes that they agree about.
struct operands {
    axes order = axes::as_in_file;
    seq<output_ref, 5> inputs;
};

inline operands broadcast_operands(network& net, const std::vector<std::size_t>& ports) {
    std::size_t rank = 0;
    bool may_be_first = true;
    for (const std::size_t port : ports) {
        rank = std::max(rank, net.input_info(port).dimensions.rank());
    }
    for (const std::size_t port : ports) {  // sizes that are open cannot be put in front of others
        const tensor_info& info = net.input_info(port);
        may_be_first = may_be_first && (info.dimensions.rank() == rank || info.signature.is_static());
    }
    operands result;
    result.order = rank == 4 && may_be_first ? net.order_for_all(ports) : axes::as_in_file;
    for (const std::size_t port : ports) {
        result.inputs.push_back(net.operand(port, rank, result.order));
    }
    return result;
}

template <class Operation>
void make_binary(network& net) {
    const operands both = broadcast_operands(net, {0, 1});
    net.give(activated(net, net.make().add(Operation{}, both.inputs)), both.order);
}
/// The greater or the less of two: a code of the inputs, where all have the same quantization.
template <class Operation>
void make_choice(network& net) {
    const operands both = broadcast_operands(net, {0, 1});
    const output_ref result = net.make().add(Operation{}, both.inputs);
    if (same_quantization(net.input_info(0), net.input_info(1))) {
        net.give_moved(result, both.order, 0);
    } else {
        net.give(result, both.order);
    }
}
inline void make_floor_div(network& net) {
    const operands both = broadcast_operands(net, {0, 1});
    op::divide what;
    what.m_pythondiv = true;
    const output_ref quotient = net.make().add(what, both.inputs);
    net.give(is_real(net.make().type_of(quotient)) ? net.make().add(op::floor{}, {quotient}) : quotient, both.order);
}
inline void make_div(network& net) {
    const operands both = broadcast_operands(net, {0, 1});
    op::divide what;
    what.m_pythondiv = false;  // integers towards zero
    net.give(activated(net, net.make().add(what, both.inputs)), both.order);
}
inline void make_select(network& net) {
    const tensor_info& condition = net.input_info(0);
    const tensor_info& chosen = net.input_info(1);
    if (condition.dimensions.rank() == 1 && chosen.dimensions.rank() > 1 && net.op().code == builtin::select) {
        shape rows = shape::of_ones(chosen.dimensions.rank());  // one truth value chooses a whole row
        rows[0] = condition.dimensions[0];
        const output_ref which =
            net.make().add(op::reshape{}, {net.real_input(0), net.make().indices(rows.dimensions())});
        net.give(net.make().add(op::select{}, {which, net.real_input(1), net.real_input(2)}));
        return;
    }
    const operands all = broadcast_operands(net, {0, 1, 2});
    const output_ref result = net.make().add(op::select{}, all.inputs);
    if (same_quantization(chosen, net.input_info(2))) {
        net.give_moved(result, all.order, 1);
    } else {
        net.give(result, all.order);
    }
}
inline void make_add_n(network& net) {
    output_ref sum = net.real_input(0);
    for (std::size_t port = 1; port < net.op().inputs.size(); ++port) {
        sum = net.make().add(op::add{}, {sum, net.real_input(port)});
    }
    net.give(sum);
}

// ---- of one tensor

/// Calls `function` with the input in the order in which it is there, and gives what comes back.
template <class Function>
void make_of_one(network& net, Function&& function) {
    const axes order = net.order_for_all({0});
    net.give(function(net.real_input(0, order)), order);
}
template <class Operation>
void make_unary(network& net) {
    make_of_one(net, [&](output_ref data) { return net.make().add(Operation{}, {data}); });
}
/// A number of the type of some data.
inline output_ref number_like(network& net, output_ref data, double value) {
    return net.make().real(value, net.make().type_of(data));
}
inline void make_limited(network& net, double low, double high) {
    make_of_one(net, [&](output_ref data) {
        if (is_within(net.output_info(), low, high)) {
            return data;
        }
        return high == math::infinity ? net.make().add(op::relu{}, {data})
                                      : net.make().add(op::clamp{{}, low, high}, {data});
    });
}
inline void make_relu(network& net) { make_limited(net, 0, math::infinity); }
inline void make_relu6(network& net) { make_limited(net, 0, 6); }
inline void make_relu_n1_to_1(network& net) { make_limited(net, -1, 1); }
inline void make_relu_0_to_1(network& net) { make_limited(net, 0, 1); }

inline void make_elu(network& net) {
    make_of_one(net, [&](output_ref data) { return net.make().add(op::elu{{}, 1.0}, {data}); });
}
inline void make_leaky_relu(network& net) {
    make_of_one(net, [&](output_ref data) {
        const output_ref slope = net.make().constant(make_tensor(f32, shape{1}, {net.op().real("alpha")}));
        return net.make().add(op::prelu{}, {data, slope});
    });
}
inline void make_prelu(network& net) {
    const std::size_t rank = net.input_info(0).dimensions.rank();
    const tensor_info& slope = net.input_info(1);
    const axes order = rank == 4 && slope.is_constant() ? net.order_for_all({0}) : axes::as_in_file;
    output_ref by = net.operand(1, rank, order);
    if (order == axes::as_in_file &&
        slope.dimensions.rank() < rank) {  // one axis alone would be taken for the channels
        by = net.make().add(op::reshape{}, {by, net.make().indices(slope.dimensions.padded_left(rank).dimensions())});
    }
    net.give(net.make().add(op::prelu{}, {net.real_input(0, order), by}), order);
}
inline void make_gelu(network& net) {
    make_of_one(net, [&](output_ref data) {
        const bool by_tanh = net.op().flag("approximate");
        return net.make().add(op::gelu{{}, by_tanh ? op::gelu_approximation::tanh : op::gelu_approximation::erf},
                              {data});
    });
}
inline void make_rsqrt(network& net) {
    make_of_one(net, [&](output_ref data) {
        return net.make().add(op::divide{}, {number_like(net, data, 1), net.make().add(op::sqrt{}, {data})});
    });
}
inline void make_square(network& net) {
    make_of_one(net, [&](output_ref data) { return net.make().add(op::multiply{}, {data, data}); });
}
inline void make_zeros_like(network& net) {
    make_of_one(net,
                [&](output_ref data) { return net.make().add(op::multiply{}, {data, number_like(net, data, 0)}); });
}

// ---- between types

inline void make_cast(network& net) {
    const element type = element_of(net.output_info().type);
    if (type == dynamic) {
        net.wrong("cannot give the type ", name(net.output_info().type));
    }
    const axes order = net.order_for_all({0});
    net.give(net.make().add(op::convert{type}, {net.codes(net.input(0), order)}), order);
}
/// Real numbers become integers: giving them is all there is to do.
inline void make_quantize(network& net) {
    const axes order = net.order_for_all({0});
    net.give(net.real_input(0, order), order);
}
/// Integers, or real numbers of 16 bits, become real numbers.
inline void make_dequantize(network& net) {
    const axes order = net.order_for_all({0});
    const output_ref data = net.real_input(0, order);
    net.give(net.make().type_of(data) == f32 ? data : net.make().add_node(op::convert{f32}, {data}), order);
}
inline void make_fake_quant(network& net) {
    const double low = net.op().real("min");
    const double high = net.op().real("max");
    const std::int64_t bits = net.op().integer("num_bits");
    if (!(low < high) || bits < 2 || bits > 16) {
        net.wrong("has the range ", low, " to ", high, " in ", bits, " bits");
    }
    const double lowest = net.op().flag("narrow_range") ? 1 : 0;
    const double highest = static_cast<double>((std::int64_t{1} << bits) - 1);
    const double scale = (high - low) / (highest - lowest);
    // The range is moved so that zero is a level.
    const double zero = math::minimum(math::maximum(std::round(lowest - low / scale), lowest), highest);
    make_of_one(net, [&](output_ref data) {
        const output_ref from = net.make().real((lowest - zero) * scale);
        const output_ref to = net.make().real((highest - zero) * scale);
        return net.make().add(op::fake_quantize{static_cast<std::int64_t>(highest - lowest) + 1},
                              {data, from, to, from, to});
    });
}

}  // namespace lpt::inline LPT_ABI::tflite
#endif

// ======== lpt/import/tflite/normalization.hpp
#ifndef LPT_HOLDS_IMPORT_TFLITE_NORMALIZATION_HPP
#define LPT_HOLDS_IMPORT_TFLITE_NORMALIZATION_HPP
namespace lpt::inline LPT_ABI::tflite {

/// The order of axes of an operator that works along the last one, and where that is.
inline std::int64_t last_axis(network& net, axes order) {
    const std::size_t rank = net.input_info(0).dimensions.rank();
    return rank == 0 ? 0 : net.axis_in(-1, rank, order);
}

inline void make_softmax(network& net) {
    const axes order = net.order_for_all({0});
    output_ref data = net.real_input(0, order);
    const double beta = net.op().real("beta");
    if (beta != 1) {
        data = net.make().add(op::multiply{}, {data, net.make().real(beta)});
    }
    op::softmax what;
    what.axis = last_axis(net, order);
    net.give(net.make().add(what, {data}), order);
}
inline void make_log_softmax(network& net) {
    const axes order = net.order_for_all({0});
    op::log_softmax what;
    what.axis = last_axis(net, order);
    net.give(net.make().add(what, {net.real_input(0, order)}), order);
}
inline void make_l2_normalization(network& net) {
    constexpr double least_sum = 1e-12;  // of squares
    const axes order = net.order_for_all({0});
    op::normalize_l2 what;
    what.eps = least_sum;
    what.eps_mode = op::normalize_eps_mode::max;
    net.give(net.make().add(what, {net.real_input(0, order), net.make().indices({last_axis(net, order)})}), order);
}
/// y = x / (bias + alpha * sum of the squares of 2 * radius + 1 neighbours) ^ beta
inline void make_local_response_normalization(network& net) {
    const axes order = net.order_for_all({0});
    op::lrn what;
    what.size = 2 * net.op().integer("radius") + 1;
    what.alpha = net.op().real("alpha") * static_cast<double>(what.size);
    what.beta = net.op().real("beta");
    what.bias = net.op().real("bias");
    net.give(net.make().add(what, {net.real_input(0, order), net.make().indices({last_axis(net, order)})}), order);
}

}  // namespace lpt::inline LPT_ABI::tflite
#endif

// ======== lpt/import/tflite/pooling.hpp
#ifndef LPT_HOLDS_IMPORT_TFLITE_POOLING_HPP
#define LPT_HOLDS_IMPORT_TFLITE_POOLING_HPP
/// Windows and reductions.
namespace lpt::inline LPT_ABI::tflite {

template <class Pool>
Pool pool_of(network& net, const windowed_data& from) {
    Pool result;
    result.kernel = size_options(net, "filter_height", "filter_width");
    const window over = window_of(net, from, result.kernel, {1, 1});
    result.strides = over.strides;
    result.pads_begin = over.pads_begin.empty() ? integers{0, 0} : over.pads_begin;
    result.pads_end = over.pads_end.empty() ? integers{0, 0} : over.pads_end;
    result.auto_pad = over.rule;
    return result;
}

inline void make_average_pool_2d(network& net) {
    const windowed_data from{net.real_input(0, axes::channels_first), {}};
    auto what = pool_of<op::avg_pool>(net, from);
    what.exclude_pad = true;
    net.give(activated(net, net.make().add(what, {from.data}, 1)), axes::channels_first);
}
/// Zeros around the pixels are padding that never wins where no pixel is less than zero.
inline void make_max_pool_2d(network& net) {
    const tensor_info& info = net.input_info(0);
    const bool zero_is_least = is_quantized(info) && info.quantized.scales.size() == 1 &&
                               zero_point_of(info) == facts(element_of(info.type)).lowest;
    const windowed_data from = zero_is_least ? windowed_input(net, size_options(net, "filter_height", "filter_width"))
                                             : windowed_data{net.real_input(0, axes::channels_first), {}};
    const output_ref result = net.make().add(pool_of<op::max_pool>(net, from), {from.data}, 1);
    if (net.op().activation() == activation::none) {
        net.give_moved(result, axes::channels_first, 0);
    } else {
        net.give(activated(net, result), axes::channels_first);
    }
}

/// The order of axes in which a reduction gives what it gives in the file's.
inline axes order_of_reduction(network& net, const integers& along, std::size_t rank, bool keeps) {
    if (rank != 4 || net.order_for_all({0}) == axes::as_in_file) {
        return axes::as_in_file;
    }
    bool reduced[4] = {};
    for (const std::int64_t each : along) {
        const std::int64_t axis = normalized_axis(each, rank);
        if (axis >= 0) {
            reduced[axis] = true;
        }
    }
    const bool channels_stay_behind_pixels = !reduced[3] && (!reduced[1] || !reduced[2]);
    return keeps || !channels_stay_behind_pixels ? axes::channels_first : axes::as_in_file;
}

template <class Reduction>
void make_reduction(network& net) {
    const bool keeps = net.op().flag("keep_dims");
    const integers along = net.integers_input(1, "axes");
    const std::size_t rank = net.input_info(0).dimensions.rank();
    const axes order = order_of_reduction(net, along, rank, keeps);
    integers places;
    for (const std::int64_t each : along) {
        const std::int64_t place = net.axis_in(each, rank, order);
        if (!places.contains(place)) {
            places.push_back(place);
        }
    }
    Reduction what;
    what.keep_dims = keeps;
    const output_ref result = net.make().add(what, {net.real_input(0, order), net.make().indices(places)});
    const bool is_choice = std::is_same_v<Reduction, op::reduce_max> || std::is_same_v<Reduction, op::reduce_min>;
    const axes given = keeps ? order : axes::as_in_file;
    if (is_choice) {
        net.give_moved(result, given, 0);
    } else {
        net.give(result, given);
    }
}

/// The index of the greatest or least value along an axis.
template <op::top_k_mode Mode>
void make_arg(network& net) {
    const integers along = net.integers_input(1, "axis");
    const std::size_t rank = net.input_info(0).dimensions.rank();
    if (along.size() != 1) {
        net.wrong("its axis must be one number, not ", along.size());
    }
    op::top_k what;
    what.axis = net.axis_in(along[0], rank, axes::as_in_file);
    what.mode = Mode;
    what.sort = op::top_k_sort::value;
    what.stable = true;  // the first of equal values
    const auto type = element_of(static_cast<tensor_type>(net.op().integer("output_type")));
    what.index_element_type = type == i64 ? i64 : i32;
    const node_id found = net.make().add_node(what, {net.real_input(0), net.make().integer(1)});
    net.give(net.make().add(op::squeeze{}, {output_ref(found, 1), net.make().indices({what.axis})}));
}

inline void make_topk_v2(network& net) {
    op::top_k what;
    what.axis = -1;
    what.sort = op::top_k_sort::value;
    what.stable = true;
    what.index_element_type = i32;
    output_ref count = net.real_input(1);
    if (net.make().shape_of(count).rank() != 0) {
        count = net.make().add(op::reshape{}, {count, net.make().indices(integers{})});
    }
    const node_id found = net.make().add_node(what, {net.real_input(0), count});
    net.give_moved(output_ref(found, 0), axes::as_in_file, 0, 0);
    net.give(output_ref(found, 1), axes::as_in_file, 1);
}

}  // namespace lpt::inline LPT_ABI::tflite
#endif

// ======== lpt/import/tflite/state.hpp
#ifndef LPT_HOLDS_IMPORT_TFLITE_STATE_HPP
#define LPT_HOLDS_IMPORT_TFLITE_STATE_HPP
/// Variables: what lives from run to run.
namespace lpt::inline LPT_ABI::tflite {

/// The variable that an operator's first input is a handle of.
inline variable& variable_input(network& net) {
    const std::int64_t handle = net.input(0);
    const auto found = net.handles().find(handle);
    if (found == net.handles().end()) {
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
    net.handles()[net.op().outputs[0]] = name;
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
        what.variable_id = text(net.handles()[net.input(0)].c_str());
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
#endif

// ======== lpt/import/tflite/recurrent.hpp
#ifndef LPT_HOLDS_IMPORT_TFLITE_RECURRENT_HPP
#define LPT_HOLDS_IMPORT_TFLITE_RECURRENT_HPP
/// Operators that keep a state in variable tensors.
namespace lpt::inline LPT_ABI::tflite {

/// The variable that a variable tensor is. It begins with zeros and holds real numbers.
inline variable& state_variable(network& net, std::size_t port) {
    const tensor_info& info = net.input_info(port);
    if (!info.is_variable) {
        net.wrong("its state (input ", port, ") is no variable tensor");
    }
    const std::string name = "tensor " + std::to_string(net.input(port)) + " " + info.name.c_str();
    variable& result = net.variables()[name];
    if (!result.now) {
        op::read_value what;
        what.variable_id = text(name.c_str());
        what.variable_type = f32;
        what.variable_shape = info.dimensions;
        result.reader = net.make().add_node(what, {}, 6);
        result.now = result.reader;
    }
    return result;
}
inline void keep(variable& state, output_ref value) {
    state.now = value;
    state.is_written = true;
}
inline output_ref reshaped(network& net, output_ref source, const integers& sizes) {
    return net.make().add(op::reshape{}, {source, net.make().indices(sizes)});
}

/// A convolution over time in two factors: each filter gives one number a step, of which the last ones are weighted and added up.
///
/// Inputs: data [B, I], feature weights [F, I], time weights [F, M], bias [F / rank], state [B, F * M].
inline void make_svdf(network& net) {
    const shape time = net.input_info(2).dimensions;
    const std::int64_t rank = net.op().integer("rank");
    if (time.rank() != 2 || rank < 1 || time[0] % rank != 0) {
        net.wrong("time weights of shape ", time, " do not fit rank ", rank);
    }
    const std::int64_t filters = time[0];
    const std::int64_t memory = time[1];
    variable& state = state_variable(net, 4);
    const output_ref before = reshaped(net, state.now, {-1, filters, memory});
    const output_ref now = net.make().add(op::mat_mul{false, true}, {net.real_input(0), net.real_input(1)});
    const output_ref kept = net.make().add(op::slice{}, {before, net.make().indices({1}), net.make().indices({memory}),
                                                         net.make().indices({1}), net.make().indices({2})});
    const output_ref after = net.make().add(op::concat{2}, {kept, reshaped(net, now, {-1, filters, 1})});
    keep(state, reshaped(net, after, net.input_info(4).dimensions.dimensions()));
    const output_ref weighted = net.make().add(op::multiply{}, {after, net.real_input(2)});
    const output_ref by_filter = net.make().add(op::reduce_sum{}, {weighted, net.make().indices({2})});
    output_ref result = net.make().add(op::reduce_sum{},
                                       {reshaped(net, by_filter, {-1, filters / rank, rank}), net.make().indices({2})});
    if (net.has_input(3)) {
        result = net.make().add(op::add{}, {result, net.real_input(3)});
    }
    // On integers the operator has no activation but the range of its output, whatever the file says.
    net.give(is_quantized(net.output_info()) ? result : activated(net, result));
}

/// Weights or biases of the four gates, put together in the order of LSTMSequence: forget, input, candidate, output.
inline output_ref gates(network& net, std::size_t first, const integers& sizes) {
    seq<output_ref, 5> parts;
    for (const std::size_t port : {first + 1, first, first + 2, first + 3}) {
        parts.push_back(net.has_input(port) ? net.folded_input(port) : output_ref());
    }
    for (const output_ref& each : parts) {
        if (!each) {
            net.wrong("has no weights or bias for one of its gates");
        }
    }
    return reshaped(net, net.make().add(op::concat{0}, parts), sizes);
}

/// True for an LSTM that is more than LSTMSequence: with peepholes, projection, normalized or coupled gates, or clipped.
inline bool is_more_than_sequence(const network& net) {
    for (const std::size_t port : {9u, 10u, 11u, 16u, 17u, 20u, 21u, 22u, 23u}) {
        if (net.has_input(port)) {
            return true;
        }
    }
    return !net.has_input(1) || net.op().real("cell_clip") > 0 || net.op().activation() != activation::tanh;
}

/// An LSTM as a loop. Gates in the order input, forget, candidate, output; peepholes without the candidate.
inline void make_lstm_loop(network& net) {
    const shape data_shape = net.input_info(0).dimensions;
    lstm_loop loop(net.make());
    const auto value = [&](std::size_t port) { return net.has_input(port) ? net.folded_input(port) : output_ref(); };
    constexpr std::size_t peepholes[4] = {9, 10, 24, 11};  // there is no input 24
    for (std::size_t i = 0; i < 4; ++i) {
        loop.gates[i] = {value(1 + i), value(5 + i), value(12 + i), value(peepholes[i]), value(20 + i)};
        if ((!loop.gates[i].input && i != 0) || !loop.gates[i].input != !loop.gates[i].hidden) {
            net.wrong("has no weights for one of its gates");
        }
    }
    switch (net.op().activation()) {
        case activation::tanh: break;
        case activation::relu: loop.functions[1] = loop.functions[2] = {op::relu{}}; break;
        case activation::relu6: loop.functions[1] = loop.functions[2] = {op::clamp{{}, 0, 6}}; break;
        default: net.wrong("activations other than TANH, RELU and RELU6 are not supported");
    }
    loop.projection = value(16);
    loop.projection_bias = value(17);
    loop.cell_clip = net.op().real("cell_clip");
    loop.projection_clip = net.op().real("proj_clip");
    loop.time_axis = net.op().flag("time_major") ? 0 : 1;
    if (data_shape.rank() != 3) {
        net.wrong("data of shape ", data_shape, ", expected 3 axes");
    }
    variable& output_state = state_variable(net, 18);
    variable& cell_state = state_variable(net, 19);
    const lstm_loop::outcome made = loop.run(net.real_input(0), output_state.now, cell_state.now);
    keep(output_state, made.hidden);
    keep(cell_state, made.cell);
    net.give(made.all);
}

/// Inputs: data; weights of the gates (1 to 4), of the recurrence (5 to 8), peepholes (9 to 11), biases (12 to 15), projection and its bias (16,
/// 17), states (18, 19), factors of normalized gates (20 to 23).
inline void make_unidirectional_sequence_lstm(network& net) {
    if (net.op().flag("diagonal_recurrent_tensors")) {
        net.wrong("diagonal recurrent weights are not supported");
    }
    if (is_more_than_sequence(net)) {
        return make_lstm_loop(net);
    }
    const shape weights = net.input_info(1).dimensions;
    const shape data_shape = net.input_info(0).dimensions;
    if (weights.rank() != 2 || data_shape.rank() != 3) {
        net.wrong("data of shape ", data_shape, " and weights of shape ", weights, ", expected 3 and 2 axes");
    }
    const bool time_first = net.op().flag("time_major");
    const output_ref swap = net.make().indices({1, 0, 2});
    output_ref data = net.real_input(0);
    data = time_first ? net.make().add(op::transpose{}, {data, swap}) : data;
    const std::int64_t hidden = weights[0];
    const dimension batch = data_shape[time_first ? 1 : 0];
    const dimension time = data_shape[time_first ? 0 : 1];
    variable& output_state = state_variable(net, 18);
    variable& cell_state = state_variable(net, 19);
    op::lstm_sequence what;
    what.hidden_size = hidden;
    const output_ref lengths =
        net.make().add(op::broadcast{}, {net.make().integer(time, i32), net.make().indices({batch})}, 3);
    const node_id made = net.make().add_node(
        what, {data, reshaped(net, output_state.now, {-1, 1, hidden}), reshaped(net, cell_state.now, {-1, 1, hidden}),
               lengths, gates(net, 1, {1, 4 * hidden, weights[1]}), gates(net, 5, {1, 4 * hidden, hidden}),
               gates(net, 12, {1, 4 * hidden})});
    keep(output_state, reshaped(net, output_ref(made, 1), {-1, hidden}));
    keep(cell_state, reshaped(net, output_ref(made, 2), {-1, hidden}));
    const output_ref result = net.make().add(op::squeeze{}, {output_ref(made, 0), net.make().indices({1})});
    net.give(time_first ? net.make().add(op::transpose{}, {result, swap}) : result);
}

}  // namespace lpt::inline LPT_ABI::tflite
#endif

// ======== lpt/import/tflite/shape.hpp
#ifndef LPT_HOLDS_IMPORT_TFLITE_SHAPE_HPP
#define LPT_HOLDS_IMPORT_TFLITE_SHAPE_HPP
/// Other shapes for the same elements, and tensors made of shapes and indices.
namespace lpt::inline LPT_ABI::tflite {

inline element type_option(const network& net, text_view name) {
    const element type = element_of(static_cast<tensor_type>(net.op().integer(name)));
    return type == i64 ? i64 : i32;
}

/// The input with the shape that its output is declared with; with the one that the operator says where that leaves sizes open.
inline void make_reshaped(network& net, const integers& as_said) {
    const tensor_info& output = net.output_info();
    const bool declared = output.signature.is_static() && output.dimensions.rank() != 0;
    const integers& wanted = declared ? output.dimensions.dimensions() : as_said;
    net.give_moved(net.make().add(op::reshape{}, {net.real_input(0), net.make().indices(wanted)}), axes::as_in_file, 0);
}
inline void make_reshape(network& net) {
    integers wanted;
    if (net.has_input(1)) {
        const output_ref sizes = net.codes(net.input(1), axes::as_in_file);
        if (net.make().value_of(sizes) == nullptr) {
            net.give_moved(net.make().add(op::reshape{}, {net.real_input(0), sizes}), axes::as_in_file, 0);
            return;
        }
        wanted = integers_of(*net.make().value_of(sizes));
    } else {
        for (const std::int64_t each : net.op().list("new_shape")) {
            wanted.push_back(each);
        }
    }
    make_reshaped(net, wanted);
}
inline void make_squeeze(network& net) {
    integers gone;
    for (const std::int64_t each : net.op().list("squeeze_dims")) {
        gone.push_back(each);
    }
    const output_ref data = net.real_input(0);
    const output_ref result = gone.empty() ? net.make().add(op::squeeze{}, {data})
                                           : net.make().add(op::squeeze{}, {data, net.make().indices(gone)});
    net.give_moved(result, axes::as_in_file, 0);
}
inline void make_expand_dims(network& net) {
    const integers axis = net.integers_input(1, "axis");
    net.give_moved(net.make().add(op::unsqueeze{}, {net.real_input(0), net.make().indices(axis)}), axes::as_in_file, 0);
}
inline void make_transpose(network& net) {
    const integers order = net.integers_input(1, "order of axes");
    if (order.size() != net.input_info(0).dimensions.rank()) {
        net.wrong("its order of axes has ", order.size(), " numbers for ", net.input_info(0).dimensions.rank(),
                  " axes");
    }
    const axes from = order.size() == 4 ? net.order_for_all({0}) : axes::as_in_file;
    integers places;
    for (const std::int64_t each : order) {
        places.push_back(net.axis_in(each, order.size(), from));
    }
    net.give_moved(net.make().add(op::transpose{}, {net.real_input(0, from), net.make().indices(places)}),
                   axes::as_in_file, 0);
}

inline void make_shape(network& net) {
    op::shape_of what;
    what.output_type = type_option(net, "out_type");
    net.give(net.make().add(what, {net.real_input(0)}));
}
inline void make_rank(network& net) {
    net.give(net.make().integer(static_cast<std::int64_t>(net.input_info(0).dimensions.rank()), i32));
}
inline void make_fill(network& net) {
    net.give_moved(net.make().add(op::broadcast{}, {net.real_input(1), net.real_input(0)}, 3), axes::as_in_file, 1);
}
inline void make_broadcast_to(network& net) {
    net.give_moved(net.make().add(op::broadcast{}, {net.real_input(0), net.real_input(1)}, 3), axes::as_in_file, 0);
}
inline void make_tile(network& net) {
    net.give_moved(net.make().add(op::tile{}, {net.real_input(0), net.real_input(1)}), axes::as_in_file, 0);
}
inline void make_range(network& net) {
    op::range what;
    what.output_type = element_of(net.input_info(0).type);
    net.give(net.make().add(what, {net.real_input(0), net.real_input(1), net.real_input(2)}, 4));
}
inline void make_one_hot(network& net) {
    op::one_hot what;
    what.axis = net.op().integer("axis");
    net.give(net.make().add(what, {net.real_input(0), net.real_input(1), net.real_input(2), net.real_input(3)}, 1));
}
inline void make_cumsum(network& net) {
    op::cum_sum what;
    what.exclusive = net.op().flag("exclusive");
    what.reverse = net.op().flag("reverse");
    net.give(net.make().add(what, {net.real_input(0), net.real_input(1)}));
}
/// The places of what is true, one a row.
inline void make_where(network& net) {
    op::non_zero what;
    what.output_type = i64;
    const output_ref places = net.make().add(what, {net.real_input(0)});
    net.give(net.make().add(op::transpose{}, {places, net.make().indices({1, 0})}));
}

}  // namespace lpt::inline LPT_ABI::tflite
#endif

// ======== lpt/import/tflite/movement.hpp
#ifndef LPT_HOLDS_IMPORT_TFLITE_MOVEMENT_HPP
#define LPT_HOLDS_IMPORT_TFLITE_MOVEMENT_HPP
/// Parts of tensors, and tensors put together.
namespace lpt::inline LPT_ABI::tflite {

inline std::vector<std::size_t> all_inputs(const network& net) {
    std::vector<std::size_t> result;
    for (std::size_t port = 0; port < net.op().inputs.size(); ++port) {
        result.push_back(port);
    }
    return result;
}
/// The order of axes in which an operator on its first inputs works where it takes four axes in either.
inline axes movable_order(network& net, const std::vector<std::size_t>& ports) {
    return net.input_info(ports.at(0)).dimensions.rank() == 4 ? net.order_for_all(ports) : axes::as_in_file;
}

inline void make_concatenation(network& net) {
    const std::vector<std::size_t> ports = all_inputs(net);
    if (ports.empty()) {
        net.wrong("has no inputs");
    }
    const axes order = movable_order(net, ports);
    op::concat what;
    what.axis = net.axis_in(net.op().integer("axis"), net.input_info(0).dimensions.rank(), order);
    seq<output_ref, 5> inputs;
    bool same = net.op().activation() == activation::none;
    for (const std::size_t port : ports) {
        inputs.push_back(net.real_input(port, order));
        same = same && same_quantization(net.input_info(port), net.output_info());
    }
    net.give(activated(net, net.make().add(what, inputs)), order, 0, same);
}

/// The two columns of a matrix with a row for each axis.
struct margins {
    integers begin;
    integers end;
};
inline margins margins_input(network& net, std::size_t port, std::size_t axes_count) {
    const integers values = net.integers_input(port, "margins");
    if (values.size() != 2 * axes_count) {
        net.wrong("its margins (input ", port, ") are ", values.size(), " numbers, expected ", 2 * axes_count);
    }
    margins result;
    for (std::size_t axis = 0; axis < axes_count; ++axis) {
        result.begin.push_back(values[2 * axis]);
        result.end.push_back(values[2 * axis + 1]);
    }
    return result;
}

/// Leaves zeros around pixels to their reader; false where there are other margins.
inline bool postpone_margin(network& net, op::pad_mode mode, const margins& by) {
    const auto pads_pixels = [](const integers& each) {
        return each.size() == 4 && each[0] == 0 && each[1] >= 0 && each[2] >= 0 && each[3] == 0;
    };
    if (mode != op::pad_mode::constant || net.has_input(2) || !pads_pixels(by.begin) || !pads_pixels(by.end) ||
        !same_quantization(net.input_info(0), net.output_info())) {
        return false;
    }
    net.postpone(net.op().outputs[0], {net.input(0), {by.begin[1], by.begin[2]}, {by.end[1], by.end[2]}});
    return true;
}

inline void make_padded(network& net, op::pad_mode mode) {
    const bool is_known = net.make().value_of(net.codes(net.input(1), axes::as_in_file)) != nullptr;
    if (is_known && postpone_margin(net, mode, margins_input(net, 1, net.input_info(0).dimensions.rank()))) {
        return;
    }
    const axes order = is_known ? movable_order(net, {0}) : axes::as_in_file;
    seq<output_ref, 5> inputs{net.real_input(0, order)};
    if (is_known) {
        const margins by = margins_input(net, 1, net.input_info(0).dimensions.rank());
        inputs.push_back(net.make().indices(net.in_order(by.begin, order)));
        inputs.push_back(net.make().indices(net.in_order(by.end, order)));
    } else {
        for (const std::int64_t column : {0, 1}) {
            inputs.push_back(
                net.make().add(op::gather{}, {net.real_input(1), net.make().integer(column), net.make().integer(1)}));
        }
    }
    if (mode == op::pad_mode::constant) {
        inputs.push_back(net.has_input(2) ? net.folded_input(2) : net.make().real(0, net.make().type_of(inputs[0])));
        if (net.make().shape_of(inputs[3]).rank() != 0) {
            inputs[3] = net.make().add(op::reshape{}, {inputs[3], net.make().indices(integers{})});
        }
    }
    const output_ref result = net.make().add(op::pad{mode}, inputs);
    if (net.has_input(2) && !same_quantization(net.input_info(0), net.input_info(2))) {
        net.give(result, order);
    } else {
        net.give_moved(result, order, 0);
    }
}
inline void make_pad(network& net) { make_padded(net, op::pad_mode::constant); }
inline void make_mirror_pad(network& net) {
    make_padded(net, net.op().integer("mode") == 0 ? op::pad_mode::reflect : op::pad_mode::symmetric);
}

/// True if all of some inputs are known; else operators take them as they are computed.
inline bool are_known(network& net, const std::vector<std::size_t>& ports) {
    return std::all_of(ports.begin(), ports.end(), [&](std::size_t port) {
        return net.make().value_of(net.codes(net.input(port), axes::as_in_file)) != nullptr;
    });
}

/// A slice whose begin and size are computed; -1 is the rest of an axis.
inline void make_computed_slice(network& net) {
    model_builder& make = net.make();
    const output_ref begin = make.add(op::convert{i64}, {net.real_input(1)});
    const output_ref size = make.add(op::convert{i64}, {net.real_input(2)});
    const output_ref is_rest = make.add(op::equal{}, {size, make.integer(-1)});
    const output_ref end =
        make.add(op::select{}, {is_rest, make.integer(most_elements), make.add(op::add{}, {begin, size})});
    const output_ref step = make.indices(integers(shape::of_ones(net.input_info(0).dimensions.rank()).dimensions()));
    net.give_moved(make.add(op::slice{}, {net.real_input(0), begin, end, step}), axes::as_in_file, 0);
}

inline void make_slice(network& net) {
    if (!are_known(net, {1, 2})) {
        return make_computed_slice(net);
    }
    const axes order = movable_order(net, {0});
    const std::size_t rank = net.input_info(0).dimensions.rank();
    const integers begin = net.integers_input(1, "begin");
    const integers size = net.integers_input(2, "size");
    if (begin.size() != rank || size.size() != rank) {
        net.wrong("its begin and size have ", begin.size(), " and ", size.size(), " numbers for ", rank, " axes");
    }
    integers end;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const checked last = checked(begin[axis]) + checked(size[axis]);
        if (begin[axis] < 0 || size[axis] < -1 || !last.fits()) {
            net.wrong("cannot take ", size[axis], " elements from ", begin[axis], " on");
        }
        end.push_back(size[axis] == -1 ? most_elements : last.value());
    }
    net.give_moved(
        net.make().add(op::slice{}, {net.real_input(0, order), net.make().indices(net.in_order(begin, order)),
                                     net.make().indices(net.in_order(end, order)),
                                     net.make().indices(integers(shape::of_ones(rank).dimensions()))}),
        order, 0);
}

inline integers bits_of(std::int64_t mask, std::size_t count) {
    integers result;
    for (std::size_t bit = 0; bit < count; ++bit) {
        result.push_back(bit < 31 ? (mask >> bit) & 1 : 0);
    }
    return result;
}
/// Masks as bits, the lowest for the first of `count` numbers.
inline op::strided_slice strided_slice_of(const network& net, std::size_t count) {
    op::strided_slice what;
    what.begin_mask = bits_of(net.op().integer("begin_mask"), count);
    what.end_mask = bits_of(net.op().integer("end_mask"), count);
    what.new_axis_mask = bits_of(net.op().integer("new_axis_mask"), count);
    what.shrink_axis_mask = bits_of(net.op().integer("shrink_axis_mask"), count);
    what.ellipsis_mask = bits_of(net.op().integer("ellipsis_mask"), count);
    return what;
}
inline void make_computed_strided_slice(network& net) {
    const shape& numbers = net.input_info(1).signature;
    if (numbers.rank() != 1 || !numbers.is_static()) {
        net.wrong("its begin must have one axis of known size, not the shape ", numbers);
    }
    const output_ref begin = net.real_input(1);
    const output_ref end =
        net.op().flag("offset") ? net.make().add(op::add{}, {net.real_input(2), begin}) : net.real_input(2);
    net.give_moved(net.make().add(strided_slice_of(net, static_cast<std::size_t>(numbers[0])),
                                  {net.real_input(0), begin, end, net.real_input(3)}),
                   axes::as_in_file, 0);
}

inline void make_strided_slice(network& net) {
    if (!are_known(net, {1, 2, 3})) {
        return make_computed_strided_slice(net);
    }
    const std::size_t rank = net.input_info(0).dimensions.rank();
    integers begin = net.integers_input(1, "begin");
    integers end = net.integers_input(2, "end");
    integers step = net.integers_input(3, "step");
    if (end.size() != begin.size() || step.size() != begin.size()) {
        net.wrong("its begin, end and step have ", begin.size(), ", ", end.size(), " and ", step.size(), " numbers");
    }
    for (std::size_t i = 0; net.op().flag("offset") && i < begin.size(); ++i) {
        end[i] += begin[i];
    }
    op::strided_slice what = strided_slice_of(net, begin.size());
    const bool keeps_axes = begin.size() == rank && net.op().integer("new_axis_mask") == 0 &&
                            net.op().integer("shrink_axis_mask") == 0 && net.op().integer("ellipsis_mask") == 0;
    const axes order = keeps_axes ? movable_order(net, {0}) : axes::as_in_file;
    if (order == axes::channels_first) {
        for (integers* each : {&begin, &end, &step, &what.begin_mask, &what.end_mask, &what.new_axis_mask,
                               &what.shrink_axis_mask, &what.ellipsis_mask}) {
            *each = net.in_order(*each, order);
        }
    }
    net.give_moved(net.make().add(what, {net.real_input(0, order), net.make().indices(begin), net.make().indices(end),
                                         net.make().indices(step)}),
                   order, 0);
}

/// Parts of `lengths` along an axis, or so many equal ones.
inline void make_parts(network& net, std::size_t port, std::int64_t axis, const integers& lengths, std::int64_t count) {
    const axes order = movable_order(net, {port});
    const std::int64_t place = net.axis_in(axis, net.input_info(port).dimensions.rank(), order);
    const output_ref data = net.real_input(port, order);
    const output_ref along = net.make().integer(place);
    const node_id parts = lengths.empty()
                              ? net.make().add_node(op::split{count}, {data, along})
                              : net.make().add_node(op::variadic_split{}, {data, along, net.make().indices(lengths)});
    for (std::size_t i = 0; i < net.make().model()[parts].outputs(); ++i) {
        net.give_moved(output_ref(parts, static_cast<std::int32_t>(i)), order, port, i);
    }
}
inline std::int64_t one_integer(network& net, std::size_t port, text_view role) {
    const integers values = net.integers_input(port, role);
    if (values.size() != 1) {
        net.wrong("its ", role, " must be one number, not ", values.size());
    }
    return values[0];
}
inline void make_split(network& net) {
    make_parts(net, 1, one_integer(net, 0, "axis"), {}, net.op().integer("num_splits"));
}
inline void make_split_v(network& net) {
    make_parts(net, 0, one_integer(net, 2, "axis"), net.integers_input(1, "lengths"), 0);
}

inline void make_pack(network& net) {
    seq<output_ref, 5> inputs;
    bool same = true;
    const auto rank = static_cast<std::int64_t>(net.input_info(0).dimensions.rank());
    const std::int64_t axis =
        net.op().integer("axis") < 0 ? net.op().integer("axis") + rank + 1 : net.op().integer("axis");
    for (const std::size_t port : all_inputs(net)) {
        inputs.push_back(net.make().add(op::unsqueeze{}, {net.real_input(port), net.make().indices({axis})}));
        same = same && same_quantization(net.input_info(port), net.output_info());
    }
    net.give(net.make().add(op::concat{axis}, inputs), axes::as_in_file, 0, same);
}
inline void make_unpack(network& net) {
    const std::int64_t axis =
        net.axis_in(net.op().integer("axis"), net.input_info(0).dimensions.rank(), axes::as_in_file);
    const node_id parts =
        net.make().add_node(op::split{net.op().integer("num")}, {net.real_input(0), net.make().integer(axis)});
    for (std::size_t i = 0; i < net.make().model()[parts].outputs(); ++i) {
        const output_ref part(parts, static_cast<std::int32_t>(i));
        net.give_moved(net.make().add(op::squeeze{}, {part, net.make().indices({axis})}), axes::as_in_file, 0, i);
    }
}

inline void make_gather(network& net) {
    op::gather what;
    what.batch_dims = net.op().integer("batch_dims");
    const std::int64_t axis =
        net.axis_in(net.op().integer("axis"), net.input_info(0).dimensions.rank(), axes::as_in_file);
    net.give_moved(net.make().add(what, {net.real_input(0), net.real_input(1), net.make().integer(axis)}),
                   axes::as_in_file, 0);
}
/// A part of the first input becomes the second one; it begins at the third, moved so that it lies inside.
///
/// Along each axis the place in the second input is looked up; what has one on all axes is taken from there.
inline void make_dynamic_update_slice(network& net) {
    const shape whole = net.input_info(0).dimensions;
    const shape part = net.input_info(1).dimensions;
    if (part.rank() != whole.rank() || !net.input_info(0).signature.is_static() ||
        !net.input_info(1).signature.is_static()) {
        net.wrong("tensors of shapes ", net.input_info(0).signature, " and ", net.input_info(1).signature,
                  " do not fit");
    }
    model_builder& make = net.make();
    output_ref update = net.real_input(1);
    output_ref is_inside;
    for (std::size_t axis = 0; axis < whole.rank(); ++axis) {
        if (part[axis] > whole[axis]) {
            net.wrong("a part of shape ", part, " is larger than ", whole);
        }
        const auto place = static_cast<std::int64_t>(axis);
        const element type = make.type_of(net.real_input(2));
        output_ref start = make.add(op::gather{}, {net.real_input(2), make.integer(place), make.integer(0)});
        start = make.add(op::minimum{}, {make.add(op::maximum{}, {start, make.integer(0, type)}),
                                         make.integer(whole[axis] - part[axis], type)});
        op::range count;
        count.output_type = type;
        const output_ref places =
            make.add(count, {make.integer(0, type), make.integer(whole[axis], type), make.integer(1, type)}, 4);
        const output_ref from = make.add(op::subtract{}, {places, start});
        const output_ref last = make.integer(part[axis] - 1, type);
        const output_ref nearest =
            make.add(op::minimum{}, {make.add(op::maximum{}, {from, make.integer(0, type)}), last});
        update = make.add(op::gather{}, {update, nearest, make.integer(place)});
        shape along = shape::of_ones(whole.rank());
        along[axis] = whole[axis];
        const output_ref fits =
            make.add(op::reshape{}, {make.add(op::equal{}, {from, nearest}), make.indices(along.dimensions())});
        is_inside = is_inside ? make.add(op::logical_and{}, {is_inside, fits}) : fits;
    }
    if (!is_inside) {
        net.wrong("tensors without axes have no parts");
    }
    net.give_moved(make.add(op::select{}, {is_inside, update, net.real_input(0)}), axes::as_in_file, 0);
}
inline void make_gather_nd(network& net) {
    net.give_moved(net.make().add(op::gather_nd{}, {net.real_input(0), net.real_input(1)}), axes::as_in_file, 0);
}
/// Inputs: indices, rows.
inline void make_embedding_lookup(network& net) {
    net.give_moved(net.make().add(op::gather{}, {net.real_input(1), net.real_input(0), net.make().integer(0)}),
                   axes::as_in_file, 1);
}
inline void make_reverse_v2(network& net) {
    constexpr std::int64_t before_the_first = -most_elements;
    const integers along = net.integers_input(1, "axes");
    integers start;
    integers stop;
    for (std::size_t i = 0; i < along.size(); ++i) {
        start.push_back(-1);
        stop.push_back(before_the_first);
    }
    net.give_moved(net.make().add(op::slice{}, {net.real_input(0), net.make().indices(start), net.make().indices(stop),
                                                net.make().indices(start), net.make().indices(along)}),
                   axes::as_in_file, 0);
}
inline void make_reverse_sequence(network& net) {
    op::reverse_sequence what;
    what.seq_axis = net.op().integer("seq_dim");
    what.batch_axis = net.op().integer("batch_dim");
    net.give_moved(net.make().add(what, {net.real_input(0), net.real_input(1)}), axes::as_in_file, 0);
}

}  // namespace lpt::inline LPT_ABI::tflite
#endif

// ======== lpt/import/tflite/spatial.hpp
#ifndef LPT_HOLDS_IMPORT_TFLITE_SPATIAL_HPP
#define LPT_HOLDS_IMPORT_TFLITE_SPATIAL_HPP
/// Pictures of other sizes, and pixels that become channels or batches.
namespace lpt::inline LPT_ABI::tflite {

inline void make_depth_to_space(network& net) {
    const output_ref data = net.real_input(0, axes::channels_first);
    net.give_moved(net.make().add(op::depth_to_space{net.op().integer("block_size")}, {data}), axes::channels_first, 0);
}
inline void make_space_to_depth(network& net) {
    const output_ref data = net.real_input(0, axes::channels_first);
    net.give_moved(net.make().add(op::space_to_depth{net.op().integer("block_size")}, {data}), axes::channels_first, 0);
}

/// SPACE_TO_BATCH_ND and its inverse: blocks of the axes behind the batch, and margins or crops of them.
template <class Operation>
void make_blocks(network& net) {
    const std::size_t rank = net.input_info(0).dimensions.rank();
    const axes order = movable_order(net, {0});
    integers block = net.integers_input(1, "block");
    const margins by = margins_input(net, 2, block.size());
    if (block.size() + 1 > rank) {
        net.wrong("its block has ", block.size(), " axes, its data ", rank);
    }
    integers sizes(shape::of_ones(rank).dimensions());
    integers begin;
    integers end;
    begin.resize(rank, 0);
    end.resize(rank, 0);
    for (std::size_t axis = 0; axis < block.size(); ++axis) {
        sizes[axis + 1] = block[axis];
        begin[axis + 1] = by.begin[axis];
        end[axis + 1] = by.end[axis];
    }
    net.give_moved(
        net.make().add(Operation{},
                       {net.real_input(0, order), net.make().indices(net.in_order(sizes, order)),
                        net.make().indices(net.in_order(begin, order)), net.make().indices(net.in_order(end, order))}),
        order, 0);
}

inline void make_resized(network& net, op::interpolate what) {
    const bool corners = net.op().flag("align_corners");
    const bool half_pixels = net.op().flag("half_pixel_centers");
    const bool nearest = what.mode == op::interpolate_mode::nearest;
    using mode = op::coordinate_transformation_mode;
    what.coordinate_transformation_mode = corners        ? mode::align_corners
                                          : !half_pixels ? mode::asymmetric
                                          : nearest      ? mode::tf_half_pixel_for_nn
                                                         : mode::half_pixel;
    what.nearest_mode = corners ? op::nearest_mode::round_prefer_ceil : op::nearest_mode::floor;
    const shape& numbers = net.input_info(1).dimensions;
    if (numbers.rank() != 1 || numbers[0] != 2) {
        net.wrong("its size has the shape ", numbers, ", expected 2 numbers");
    }
    const output_ref size = net.make().add(op::convert{i64}, {net.real_input(1)});
    const output_ref data = net.real_input(0, axes::channels_first);
    const output_ref result = net.make().add(what, {data, size, net.make().indices({2, 3})}, 11);
    if (nearest) {
        net.give_moved(result, axes::channels_first, 0);
    } else {
        net.give(result, axes::channels_first);
    }
}
inline void make_resize_bilinear(network& net) {
    op::interpolate what;
    what.mode = op::interpolate_mode::linear_onnx;
    make_resized(net, what);
}
inline void make_resize_nearest_neighbor(network& net) { make_resized(net, {}); }

}  // namespace lpt::inline LPT_ABI::tflite
#endif

// ======== lpt/import/tflite/volume.hpp
#ifndef LPT_HOLDS_IMPORT_TFLITE_VOLUME_HPP
#define LPT_HOLDS_IMPORT_TFLITE_VOLUME_HPP
/// Windows over volumes, and norms of windows.
namespace lpt::inline LPT_ABI::tflite {

/// Data [batch, depth, rows, columns, channels], weights [depth, rows, columns, inputs, outputs], may be bias; of real numbers.
inline void make_conv_3d(network& net) {
    model_builder& make = net.make();
    const shape weights = weights_shape(net, 1, 5);
    if (net.input_info(0).dimensions.rank() != 5) {
        net.wrong("its data have the shape ", net.input_info(0).dimensions, ", expected 5 axes");
    }
    const output_ref data = make.add(op::transpose{}, {net.real_input(0), make.indices({0, 4, 1, 2, 3})});
    const output_ref kernel = make.add(op::transpose{}, {net.real_input(1), make.indices({4, 3, 0, 1, 2})});
    op::convolution what;
    for (const text_view axis : {text_view("d"), text_view("h"), text_view("w")}) {
        const auto option = [&](text_view front, text_view back) {
            const text name = join({front, axis, back});
            const std::int64_t value = net.op().integer(name.view());
            if (value < 1) {
                net.wrong("option ", name, " is ", value, ", expected 1 or more");
            }
            return value;
        };
        what.strides.push_back(option("stride_", ""));
        what.dilations.push_back(option("dilation_", "_factor"));
    }
    what.auto_pad = net.op().padding() == padding::same ? op::auto_pad::same_upper : op::auto_pad::valid;
    const output_ref result = activated(net, biased(net, make.add(what, {data, kernel}), 2, 1, 1));
    net.give(make.add(op::transpose{}, {result, make.indices({0, 2, 3, 4, 1})}));
}

/// The root of the mean of squares in each window.
inline void make_l2_pool_2d(network& net) {
    const output_ref data = net.real_input(0, axes::channels_first);
    const output_ref squares = net.make().add(op::multiply{}, {data, data});
    auto what = pool_of<op::avg_pool>(net, {squares, {}});
    what.exclude_pad = true;
    const output_ref means = net.make().add(what, {squares}, 1);
    net.give(activated(net, net.make().add(op::sqrt{}, {means})), axes::channels_first);
}

}  // namespace lpt::inline LPT_ABI::tflite
#endif

// ======== lpt/import/tflite/operators.hpp
#ifndef LPT_HOLDS_IMPORT_TFLITE_OPERATORS_HPP
#define LPT_HOLDS_IMPORT_TFLITE_OPERATORS_HPP
namespace lpt::inline LPT_ABI::tflite {

/// What makes the operations of a builtin operator.
struct operator_maker {
    builtin code;
    void (*make)(network& net);
};

/// The operators that become operations of a graph. CALL_ONCE is none: it runs a subgraph.
inline constexpr operator_maker operator_makers[] = {
    {builtin::abs, make_unary<op::abs>},
    {builtin::add, make_binary<op::add>},
    {builtin::add_n, make_add_n},
    {builtin::arg_max, make_arg<op::top_k_mode::max>},
    {builtin::arg_min, make_arg<op::top_k_mode::min>},
    {builtin::assign_variable, make_assign_variable},
    {builtin::average_pool_2d, make_average_pool_2d},
    {builtin::batch_matmul, make_batch_matmul},
    {builtin::batch_to_space_nd, make_blocks<op::batch_to_space>},
    {builtin::broadcast_args, make_broadcast_args},
    {builtin::broadcast_to, make_broadcast_to},
    {builtin::cast, make_cast},
    {builtin::ceil, make_unary<op::ceiling>},
    {builtin::concatenation, make_concatenation},
    {builtin::conv_2d, make_conv_2d},
    {builtin::conv_3d, make_conv_3d},
    {builtin::cos, make_unary<op::cos>},
    {builtin::cumsum, make_cumsum},
    {builtin::depth_to_space, make_depth_to_space},
    {builtin::depthwise_conv_2d, make_depthwise_conv_2d},
    {builtin::dequantize, make_dequantize},
    {builtin::div, make_div},
    {builtin::dynamic_update_slice, make_dynamic_update_slice},
    {builtin::elu, make_elu},
    {builtin::embedding_lookup, make_embedding_lookup},
    {builtin::equal, make_binary<op::equal>},
    {builtin::exp, make_unary<op::exp>},
    {builtin::expand_dims, make_expand_dims},
    {builtin::fake_quant, make_fake_quant},
    {builtin::fill, make_fill},
    {builtin::floor, make_unary<op::floor>},
    {builtin::floor_div, make_floor_div},
    {builtin::floor_mod, make_binary<op::floor_mod>},
    {builtin::fully_connected, make_fully_connected},
    {builtin::gather, make_gather},
    {builtin::gather_nd, make_gather_nd},
    {builtin::gelu, make_gelu},
    {builtin::greater, make_binary<op::greater>},
    {builtin::greater_equal, make_binary<op::greater_equal>},
    {builtin::hard_swish, make_unary<op::hswish>},
    {builtin::if_else, make_if},
    {builtin::l2_normalization, make_l2_normalization},
    {builtin::l2_pool_2d, make_l2_pool_2d},
    {builtin::leaky_relu, make_leaky_relu},
    {builtin::less, make_binary<op::less>},
    {builtin::less_equal, make_binary<op::less_equal>},
    {builtin::local_response_normalization, make_local_response_normalization},
    {builtin::log, make_unary<op::log>},
    {builtin::log_softmax, make_log_softmax},
    {builtin::logical_and, make_binary<op::logical_and>},
    {builtin::logical_not, make_unary<op::logical_not>},
    {builtin::logical_or, make_binary<op::logical_or>},
    {builtin::logistic, make_unary<op::sigmoid>},
    {builtin::matrix_diag, make_matrix_diag},
    {builtin::matrix_set_diag, make_matrix_set_diag},
    {builtin::max_pool_2d, make_max_pool_2d},
    {builtin::maximum, make_choice<op::maximum>},
    {builtin::mean, make_reduction<op::reduce_mean>},
    {builtin::minimum, make_choice<op::minimum>},
    {builtin::mirror_pad, make_mirror_pad},
    {builtin::mul, make_binary<op::multiply>},
    {builtin::neg, make_unary<op::negative>},
    {builtin::non_max_suppression_v4, make_non_max_suppression},
    {builtin::non_max_suppression_v5, make_non_max_suppression},
    {builtin::not_equal, make_binary<op::not_equal>},
    {builtin::one_hot, make_one_hot},
    {builtin::pack, make_pack},
    {builtin::pad, make_pad},
    {builtin::padv2, make_pad},
    {builtin::pow, make_binary<op::power>},
    {builtin::prelu, make_prelu},
    {builtin::quantize, make_quantize},
    {builtin::range, make_range},
    {builtin::rank, make_rank},
    {builtin::read_variable, make_read_variable},
    {builtin::reduce_all, make_reduction<op::reduce_logical_and>},
    {builtin::reduce_any, make_reduction<op::reduce_logical_or>},
    {builtin::reduce_max, make_reduction<op::reduce_max>},
    {builtin::reduce_min, make_reduction<op::reduce_min>},
    {builtin::reduce_prod, make_reduction<op::reduce_prod>},
    {builtin::relu, make_relu},
    {builtin::relu_0_to_1, make_relu_0_to_1},
    {builtin::relu_n1_to_1, make_relu_n1_to_1},
    {builtin::relu6, make_relu6},
    {builtin::reshape, make_reshape},
    {builtin::resize_bilinear, make_resize_bilinear},
    {builtin::resize_nearest_neighbor, make_resize_nearest_neighbor},
    {builtin::reverse_sequence, make_reverse_sequence},
    {builtin::reverse_v2, make_reverse_v2},
    {builtin::round, make_unary<op::round>},
    {builtin::rsqrt, make_rsqrt},
    {builtin::scatter_nd, make_scatter_nd},
    {builtin::select, make_select},
    {builtin::select_v2, make_select},
    {builtin::shape, make_shape},
    {builtin::sign, make_unary<op::sign>},
    {builtin::sin, make_unary<op::sin>},
    {builtin::slice, make_slice},
    {builtin::softmax, make_softmax},
    {builtin::space_to_batch_nd, make_blocks<op::space_to_batch>},
    {builtin::space_to_depth, make_space_to_depth},
    {builtin::sparse_to_dense, make_sparse_to_dense},
    {builtin::split, make_split},
    {builtin::split_v, make_split_v},
    {builtin::sqrt, make_unary<op::sqrt>},
    {builtin::square, make_square},
    {builtin::squared_difference, make_binary<op::squared_difference>},
    {builtin::squeeze, make_squeeze},
    {builtin::strided_slice, make_strided_slice},
    {builtin::sub, make_binary<op::subtract>},
    {builtin::sum, make_reduction<op::reduce_sum>},
    {builtin::svdf, make_svdf},
    {builtin::tanh, make_unary<op::tanh>},
    {builtin::tile, make_tile},
    {builtin::topk_v2, make_topk_v2},
    {builtin::transpose, make_transpose},
    {builtin::transpose_conv, make_transpose_conv},
    {builtin::unidirectional_sequence_lstm, make_unidirectional_sequence_lstm},
    {builtin::unpack, make_unpack},
    {builtin::var_handle, make_var_handle},
    {builtin::where, make_where},
    {builtin::while_loop, make_while},
    {builtin::zeros_like, make_zeros_like},
};

}  // namespace lpt::inline LPT_ABI::tflite
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
        const auto* const first = reinterpret_cast<const std::byte*>(file_.first()) + range.first;
        seq<std::byte> copy(view<std::byte>(first, range.second));
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

// ======== lpt/import/tflite.hpp
#ifndef LPT_HOLDS_IMPORT_TFLITE_HPP
#define LPT_HOLDS_IMPORT_TFLITE_HPP
namespace lpt::inline LPT_ABI {

namespace tflite {

/// Makes the operations of one operator.
inline void make_operator(network& net, const operator_info& op) {
    for (const operator_maker& each : operator_makers) {
        if (each.code == op.code) {
            each.make(net);
            return;
        }
    }
    if (op.code == builtin::custom) {
        net.wrong("is a custom operator; only builtin operators are supported");
    }
    net.wrong("is not supported");
}

/// Makes the operations of a subgraph; those of subgraphs that CALL_ONCE names give the variables their first values.
inline void make_operators(network& net) {
    for (const operator_info& each : net.description().operators) {
        net.begin(&each);
        if (net.budget().left == 0) {
            net.wrong("subgraphs are run by more operators than the file may have");
        }
        --net.budget().left;
        if (each.code == builtin::call_once) {
            const auto which = static_cast<std::size_t>(each.integer("init_subgraph_index"));
            network start(net.file(), which, net.make(), net.variables(), net.budget(), true);
            make_operators(start);
        } else {
            make_operator(net, each);
        }
        net.make().finish();
    }
    net.begin(nullptr);
}

inline void check_tensors(const model& file, std::size_t which) {
    place where{file.file, static_cast<std::int64_t>(which)};
    for (const tensor_info& each : file.subgraphs[which].tensors) {
        ++where.tensor;
        where.tensor_name = each.name;
        check_quantization(each, where);
    }
}

inline void make_inputs(network& net) {
    for (const std::int64_t index : net.description().inputs) {
        const tensor_info& info = net.info(index);
        if (element_of(info.type) == dynamic) {
            net.wrong("input '", info.name, "' has the type ", name(info.type), ", which is not supported");
        }
        net.make().begin({info.name.c_str(), "input"});
        net.set_codes(index, net.make().add_node(op::parameter{element_of(info.type), info.signature}, {}));
        net.make().finish();
    }
}
inline void make_outputs(network& net) {
    for (const std::int64_t index : net.description().outputs) {
        net.make().begin({std::string(net.info(index).name.c_str()) + "/Result", "output"});
        net.make().add_node(op::result{}, {net.codes(index, axes::as_in_file)});
        net.make().finish();
    }
}

/// The first subgraph of a file as a graph.
inline graph make_graph(const model& file) {
    for (std::size_t which = 0; which < file.subgraphs.size(); ++which) {
        check_tensors(file, which);
    }
    model_builder make(file.file.c_str());
    std::map<std::string, variable> variables;
    operator_budget budget(file);
    network net(file, 0, make, variables, budget, false);
    make_inputs(net);
    make_operators(net);
    make_outputs(net);
    write_variables(net);
    graph result = make.take();
    result.collect();
    return result;
}

}  // namespace tflite

/// Reads a network from a TFLite file.
///
/// The graph is that of the file's first subgraph, to be transformed: integers that stand for real numbers become real numbers between
/// FakeQuantize operations (256 or 65536 levels), weights stay integers below their dequantization, and inputs and outputs have the types of the
/// file. Axes are in the order of convolutions (channels behind the batch) where operators allow it; a Transpose stands only where
/// the two orders meet. Fused activations are operations of their own, unless the output's quantization does the same. A bias has the scale that
/// its tensor says. Variables (VAR_HANDLE …) become ReadValue and Assign, with the first values that CALL_ONCE's subgraph assigns.
/// Constants are windows on the file, but for weights, whose axes are reordered.
/// Raises an error that names the file and the byte, operator or tensor, for everything that is not a network (`tflite::read_model`), for
/// quantization without sense, and for operators and types that are not supported, by name.
template <compiled = once>
[[gnu::noinline]] graph import_tflite(const std::string& path) {
    return tflite::make_graph(tflite::read_model(path));
}

#ifdef LPT_COMPILED_IMPORT
LPT_COMPILED_IMPORT template graph import_tflite<>(const std::string&);
#endif

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/import/import.hpp
#ifndef LPT_HOLDS_IMPORT_IMPORT_HPP
#define LPT_HOLDS_IMPORT_IMPORT_HPP
namespace lpt::inline LPT_ABI {

/// The formats of files that `import` tells apart.
enum class file_format { unknown, openvino_ir, onnx, tflite };

/// The format that content has by its first bytes: an XML document, a FlatBuffer with the identifier `TFL3`, or a protocol buffer that
/// begins with a field that ONNX models have.
inline file_format format_of(text_view content) {
    if (openvino_ir::looks_like_xml(content)) {
        return file_format::openvino_ir;
    }
    if (content.size() >= 8 && content.substr(4, 4) == "TFL3") {
        return file_format::tflite;
    }
    return onnx::looks_like_model(content) ? file_format::onnx : file_format::unknown;
}

/// Reads a network from a file, whose content says its format: OpenVINO IR (`.xml`, its weights beside it), ONNX or TFLite.
///
/// `known`: operation types of the user, which IR may name; `external_data_anywhere`: tensors of an ONNX model may lie in files outside its
/// folder. Raises what `import_openvino_ir`, `import_onnx` and `import_tflite` raise, and
/// an error for files of other formats.
inline graph import(const std::string& path, const op::user_operations& known = {},
                    bool external_data_anywhere = false) {
    const mapped_file file(path.c_str());
    switch (format_of({reinterpret_cast<const char*>(file.data()), file.size()})) {
        case file_format::openvino_ir: return import_openvino_ir(path, {}, known);
        case file_format::onnx: return import_onnx(path, external_data_anywhere);
        case file_format::tflite: return import_tflite(path);
        case file_format::unknown: break;
    }
    fail({path.c_str(), file.size() == 0 ? ": is empty" : ": unknown format",
          "; expected OpenVINO IR (an XML document), ONNX or TFLite"});
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
    double broken_zero_point = 0;  // one that is no whole number, which graphs can have; 0: there is none
    std::int64_t axis = 0;  // the quantized dimension, where there are several scales
    const void* constant = nullptr;  // its elements, where they are known
    std::size_t constant_bytes = 0;

    constexpr bool is_present() const { return index >= 0; }
    constexpr bool is_quantized() const { return !scales.empty(); }
};

/// An operation. Absent inputs have their place.
struct described_operation {
    int index = 0;  // its number in the subgraph
    text_view name;  // as the TensorFlow Lite schema spells it
    text_view missing_option;  // one without which it computes nothing; empty: it has them all
    seq<described_tensor, 0> inputs;
    seq<described_tensor, 0> outputs;
};

/// A place where the specification is broken.
struct violation {
    int subgraph = 0;
    int operation = 0;  // its number in the subgraph
    text operation_name;
    text role;  // input0, input1, ..., weights, bias, output0; options
    int tensor = -1;  // -1: of options
    text tensor_name;
    spec::restriction rule = spec::restriction::dtype;
    text expected;
    text found;

    /// "CONV_2D 3, bias 'b': bias-scale, expected ..., found ...", after "subgraph 1: " where that is not the network itself. One line,
    /// whatever characters the file's names have.
    text in_words() const {
        const text outer = subgraph == 0 ? text() : join({"subgraph ", subgraph, ": "});
        const text inner = tensor < 0 ? text() : join({" '", tensor_name, "'"});
        return error(join({outer, operation_name, " ", operation, ", ", role, inner, ": ", spec::name(rule),
                           ", expected ", expected, ", found ", found}))
            .message();
    }
};

}  // namespace lpt::inline LPT_ABI::check
#endif

// ======== lpt/check/quantization.hpp
#ifndef LPT_HOLDS_CHECK_QUANTIZATION_HPP
#define LPT_HOLDS_CHECK_QUANTIZATION_HPP
// The quantization of a value in a graph, read from the dequantization or FakeQuantize that makes it.

namespace lpt::inline LPT_ABI::check {

/// How a value comes of codes: real value = scale * (code - zero point).
struct quantization {
    element type = dynamic;  // of the codes; dynamic: the value is not quantized
    tensor scale;  // broadcasts to the value, as does the zero point
    tensor zero_point;
    output_ref codes;  // the tensor of codes, where the graph has one
    bool has_scale = false;  // false: the codes are read as they are, behind a Subtract at most

    constexpr bool is_quantized() const { return type != dynamic; }
};

namespace detail {

/// True for the types of codes. Of i32 are those of biases.
constexpr bool is_code(element type) { return is_integral(type) && bit_width(type) <= 32; }

/// True if all values are equal: then they are one.
constexpr bool is_one_value(const tensor& values) {
    for (std::size_t i = 1; i < values.elements(); ++i) {
        if (values.real(i) != values.real(0)) return false;
    }
    return values.elements() != 0;
}

/// The constant at an input, perhaps behind a Convert; null if there is none.
constexpr const tensor* constant_at(const graph& model, output_ref source) {
    if (model[source.node].is<op::convert>()) source = model[source.node].input(0);
    return model.constant_value(source);
}

/// The code that stands for the lower end of a FakeQuantize's range: -128 of 256 levels, -127 of 255.
constexpr std::int64_t lowest_code(std::int64_t levels) { return -(levels / 2); }
constexpr element type_of_levels(std::int64_t levels) { return levels <= 256 ? i8 : levels <= 65536 ? i16 : i32; }

/// scale = (high - low) / (levels - 1), zero point = lowest code - low / scale, rounded to nearest, halves away from zero. Not quantized where
/// the output range is not constant.
inline quantization quantization_of_fake_quantize(const graph& model, node_id id) {
    const std::int64_t levels = model[id].as<op::fake_quantize>().levels;
    const tensor* low = model.constant_value(model[id].input(3));
    const tensor* high = model.constant_value(model[id].input(4));
    quantization result;
    if (low == nullptr || high == nullptr || low->elements() == 0 || high->elements() == 0) return result;
    const tensor& larger = low->elements() > high->elements() ? *low : *high;
    if (low->elements() != high->elements() && low->elements() != 1 && high->elements() != 1) return result;
    tensor_builder scale(f32, larger.dimensions());
    tensor_builder zero_point(f32, larger.dimensions());
    for (std::size_t i = 0; i < larger.elements(); ++i) {
        const double from = low->real(i % low->elements());
        const double step = (high->real(i % high->elements()) - from) / static_cast<double>(levels - 1);
        const double zero = step == 0 ? 0 : static_cast<double>(lowest_code(levels)) - from / step;
        scale.real(i, step);
        zero_point.real(i, math::round_half_away(zero));
    }
    result.type = type_of_levels(levels);
    result.scale = scale.finish();
    result.zero_point = zero_point.finish();
    result.has_scale = true;
    return result;
}

}  // namespace detail

namespace detail {

/// Steps over a Multiply by a constant scale and a Subtract of a constant zero point, upwards, and notes them.
inline output_ref above_scale(const graph& model, output_ref at, quantization& found) {
    if (!model[at.node].is<op::multiply>()) return at;
    const node& product = model[at.node];
    const std::size_t port = model.constant_value(product.input(1)) != nullptr ? 1 : 0;
    const tensor* scale = model.constant_value(product.input(port));
    if (scale == nullptr || !is_real(scale->type())) return at;
    found.scale = *scale;
    found.has_scale = true;
    return product.input(1 - port);
}
inline output_ref above_zero_point(const graph& model, output_ref at, quantization& found) {
    if (!model[at.node].is<op::subtract>()) return at;
    const tensor* zero_point = constant_at(model, model[at.node].input(1));
    if (zero_point == nullptr) return at;
    found.zero_point = *zero_point;
    return model[at.node].input(0);
}

}  // namespace detail

/// The quantization of an output: of the dequantization [Convert] -> [Subtract zero point] -> [Multiply scale] that ends in it, of the
/// FakeQuantize that gives it (256 levels and less: i8, 65536 and less: i16), or codes as they are (scale 1, zero point 0).
///
/// Zero points are constants, perhaps behind a Convert; a lone Convert dequantizes nothing.
inline quantization quantization_of(const graph& model, output_ref source) {
    quantization result;
    result.scale = make_scalar(f32, 1);
    result.zero_point = make_scalar(f32, 0);
    output_ref at = detail::above_scale(model, source, result);
    at = detail::above_zero_point(model, at, result);
    if (at != source && model[at.node].is<op::convert>()) at = model[at.node].input(0);
    if (result.scale.elements() == 0 || result.zero_point.elements() == 0) return {};
    if (detail::is_code(model.type(at))) {
        result.type = model.type(at);
        result.codes = at;
        return result;
    }
    if (at == source && model[at.node].is<op::fake_quantize>())
        return detail::quantization_of_fake_quantize(model, at.node);
    return {};
}

}  // namespace lpt::inline LPT_ABI::check
#endif

// ======== lpt/check/operand.hpp
#ifndef LPT_HOLDS_CHECK_OPERAND_HPP
#define LPT_HOLDS_CHECK_OPERAND_HPP
// The operands of an operation of a graph, with the scales and zero points that the checker of the specification compares.

namespace lpt::inline LPT_ABI::check {

/// Which operations of a graph count as quantized.
enum class reading : unsigned char {
    with_dequantization,  ///< those that read dequantized numbers, as quantized networks are written
    on_codes,  ///< those that read integers themselves, as the transformations leave them; others compute in floating point
};

namespace detail {

/// An operand, with the memory that `described_tensor` looks at.
struct read_operand {
    int index = -1;  // of the node that gives it
    text_view name;
    element type = dynamic;
    seq<std::int64_t, 0> dimensions;
    seq<float, 0> scales;
    seq<std::int64_t, 0> zero_points;
    double broken_zero_point = 0;
    std::int64_t axis = 0;
    const tensor* codes = nullptr;
    bool has_scale = false;

    bool is_present() const { return index >= 0; }

    void append_zero_point(double value) {
        if (value != math::round_half_away(value)) broken_zero_point = value;
        zero_points.push_back(static_cast<std::int64_t>(convert_value(i32, value)));
    }
    void takes_quantization_of(const read_operand& other) {
        scales = other.scales;
        zero_points = other.zero_points;
        broken_zero_point = other.broken_zero_point;
        has_scale = true;
    }
    described_tensor described() const {
        described_tensor result;
        result.index = index;
        result.name = name;
        result.type = type;
        result.dimensions = view<std::int64_t>(dimensions.data(), dimensions.size());
        result.scales = view<float>(scales.data(), scales.size());
        result.zero_points = view<std::int64_t>(zero_points.data(), zero_points.size());
        result.broken_zero_point = broken_zero_point;
        result.axis = axis;
        if (codes != nullptr && codes->type() == i8) {
            result.constant = codes->data();
            result.constant_bytes = codes->size_in_bytes();
        }
        return result;
    }
};

inline read_operand operand_of(const graph& model, output_ref source, const quantization& found) {
    read_operand result;
    if (!found.is_quantized()) return result;
    result.index = static_cast<int>(index_of(source.node));
    result.name = model[source.node].name();
    result.type = found.type;
    result.has_scale = found.has_scale;
    if (found.codes) result.codes = model.constant_value(found.codes);
    return result;
}

/// As many scales and zero points as there are different ones at most: one where all are equal.
inline read_operand per_tensor_operand(const graph& model, output_ref source, const quantization& found) {
    read_operand result = operand_of(model, source, found);
    if (!result.is_present()) return result;
    const std::size_t scales = is_one_value(found.scale) ? 1 : found.scale.elements();
    const std::size_t zero_points = is_one_value(found.zero_point) ? 1 : found.zero_point.elements();
    const std::size_t count = scales > zero_points ? scales : zero_points;
    for (std::size_t i = 0; i < count; ++i) {
        result.scales.push_back(static_cast<float>(found.scale.real(i % scales)));
        result.append_zero_point(found.zero_point.real(i % zero_points));
    }
    return result;
}

/// An activation; Transposes between it and its dequantization change nothing.
inline read_operand read_activation(const graph& model, output_ref source, reading how) {
    quantization found = quantization_of(model, source);
    for (output_ref at = source; !found.is_quantized() && model[at.node].is<op::transpose>();) {
        at = model[at.node].input(0);
        found = quantization_of(model, at);
    }
    if (found.type == i32 || found.type == u32) return {};  // sums, indices and sizes
    if (how == reading::on_codes && !found.codes) return {};  // a FakeQuantize that gives real numbers
    return per_tensor_operand(model, source, found);
}

/// Weights as a constant, the axes of output channels in bits, and the axes of TensorFlow Lite's layout that those of the graph are.
struct weight_layout {
    unsigned channel_axes = 0;
    seq<std::int64_t, 8> axes;
};
inline weight_layout layout_of_weights(const node& operation, std::int64_t axis) {
    if (operation.is<op::convolution>()) return {1u, {axis, 3, 1, 2}};
    if (operation.is<op::group_convolution>()) return {3u, {axis, axis, axis == 0 ? 3 : 0, 1, 2}};
    if (operation.as<op::mat_mul>().transpose_b) return {1u, {0, 1}};
    return {2u, {1, 0}};
}

inline std::int64_t channels_of(const shape& weights, unsigned channel_axes) {
    std::int64_t result = 1;
    for (std::size_t axis = 0; axis < weights.rank(); ++axis)
        result *= (channel_axes >> axis & 1u) != 0 ? weights[axis] : 1;
    return result;
}

/// The first axis that is none of output channels and that a constant varies over; -1 if there is none.
inline int foreign_axis(const tensor& constant, const shape& weights, unsigned channel_axes) {
    if (is_one_value(constant) || constant.dimensions().rank() > weights.rank()) return -1;
    const shape aligned = constant.dimensions().padded_left(weights.rank());
    for (std::size_t axis = 0; axis < aligned.rank(); ++axis) {
        if (aligned[axis] != 1 && (channel_axes >> axis & 1u) == 0) return static_cast<int>(axis);
    }
    return -1;
}

/// Value `channel` of a constant that varies over the axes of output channels, or over groups alone.
inline double value_of_channel(const tensor& constant, std::int64_t channel, std::int64_t channels) {
    const auto count = static_cast<std::int64_t>(constant.elements());
    if (count == 0 || channels % count != 0) return constant.real(0);
    return constant.real(static_cast<std::size_t>(channel / (channels / count)));
}

/// The weights on input 1, below the Reshape of grouped ones; scales are those of output channels, along `axis` of TensorFlow Lite's layout.
inline read_operand read_weights(const graph& model, node_id id, int axis) {
    output_ref source = model[id].input(1);
    const shape& weights = model.shape(source);
    weight_layout layout = layout_of_weights(model[id], axis);
    const std::int64_t channels = channels_of(weights, layout.channel_axes);
    if (model[id].is<op::group_convolution>() && model[source.node].is<op::reshape>()) {
        source = model[source.node].input(0);
        layout = {1u, {axis, axis == 0 ? 3 : 0, 1, 2, 0}};
    }
    const shape& stored = model.shape(source);
    if (stored.rank_is_dynamic() || stored.rank() > layout.axes.size()) return {};
    const quantization found = quantization_of(model, source);
    read_operand result = operand_of(model, source, found);
    if (!result.is_present()) return result;
    result.axis = axis;
    result.dimensions.resize(4, 1);
    result.dimensions[static_cast<std::size_t>(axis)] = channels;
    for (const tensor* each : {&found.scale, &found.zero_point}) {
        const int foreign = foreign_axis(*each, stored, layout.channel_axes);
        if (foreign < 0) continue;
        const std::int64_t of_document = layout.axes[static_cast<std::size_t>(foreign)];
        result = per_tensor_operand(model, source, found);
        result.axis = of_document;
        return result;
    }
    const bool is_one = is_one_value(found.scale) && is_one_value(found.zero_point);
    for (std::int64_t i = 0; i < (is_one ? 1 : channels); ++i) {
        result.scales.push_back(static_cast<float>(value_of_channel(found.scale, i, channels)));
        result.append_zero_point(value_of_channel(found.zero_point, i, channels));
    }
    return result;
}

/// The only reader of an output; `none` if there are several, or none.
inline input_ref only_use(const graph& model, output_ref source) {
    return model.use_count(source) == 1 ? model.first_use(source) : input_ref();
}

/// True for an Add of something that no input of the network changes.
inline bool adds_constant(const graph& model, input_ref use) {
    return model[use.node].is<op::add>() && !model[model[use.node].input(use.port == 0 ? 1 : 0).node].reads_data();
}

/// The bias that an Add behind a product adds, where it is dequantized.
inline read_operand read_bias(const graph& model, node_id id) {
    const input_ref use = only_use(model, {id, 0});
    if (use.node == node_id::none || !adds_constant(model, use)) return {};
    const output_ref bias = model[use.node].input(use.port == 0 ? 1 : 0);
    const quantization found = quantization_of(model, bias);
    return found.has_scale ? per_tensor_operand(model, bias, found) : read_operand();
}

/// The dequantization that begins at a tensor of codes; where they are copied first, behind the copies.
inline quantization quantization_behind(const graph& model, output_ref codes) {
    constexpr int most_steps = 64;
    output_ref first = codes;
    output_ref at = codes;
    for (int step = 0; step < most_steps && model.use_count(at) != 0; ++step) {
        const node_id user = model.first_use(at).node;
        const node& each = model[user];
        at = {user, 0};
        if (each.is<op::multiply>()) {
            const quantization found = quantization_of(model, at);
            return found.codes == first && found.has_scale ? found : quantization();
        }
        if (each.is<op::convert>() || each.is<op::subtract>()) continue;
        const spec::row* row = spec::find(each.kind());
        if (row == nullptr || !row->same_quantization || !is_code(each.type())) return {};
        first = at;
    }
    return {};
}

/// The quantization of an operation's output: of its codes, or of the FakeQuantize behind a bias, a rectifier and Transposes.
inline read_operand read_output(const graph& model, node_id id, const spec::row& row, reading how) {
    if (!row.names(spec::operand::output_0)) return {};
    output_ref at{id, 0};
    if (is_code(model.type(at))) return per_tensor_operand(model, at, quantization_behind(model, at));
    if (how == reading::on_codes) return {};
    bool may_have_bias = row.names(spec::operand::bias);
    for (;;) {
        const input_ref use = only_use(model, at);
        if (use.node == node_id::none) return {};
        at = {use.node, 0};
        const node& each = model[use.node];
        if (each.is<op::fake_quantize>() && use.port == 0) break;
        const bool is_bias = may_have_bias && adds_constant(model, use);
        if (is_bias) may_have_bias = false;
        if (!is_bias && !each.is<op::relu>() && !each.is<op::clamp>() && !(each.is<op::transpose>() && use.port == 0))
            return {};
    }
    const quantization found = is_code(model.type(at)) ? quantization_behind(model, at) : quantization_of(model, at);
    return per_tensor_operand(model, at, found);
}

/// The row that a node of a graph corresponds to; null where there is none, or where it is not what the row is about: other numbers of spatial
/// axes, products of two activations, resampling that is not linear.
inline const spec::row* row_of_node(const graph& model, node_id id) {
    const node& each = model[id];
    const spec::row* row = spec::find(each.kind());
    if (row == nullptr || each.inputs() == 0) return row;
    const auto has_rank = [&](std::size_t port, std::size_t rank) {
        const shape& dimensions = model.shape(each.input(port));
        return dimensions.rank_is_static() && dimensions.rank() == rank;
    };
    const auto has_static_weights = [&](std::size_t rank) {
        return has_rank(1, rank) && !model.shape(each.input(1)).is_dynamic() && !model[each.input(1).node].reads_data();
    };
    switch (each.kind()) {
        case op::kind::convolution: return has_static_weights(4) ? row : nullptr;
        case op::kind::mat_mul: return has_static_weights(2) ? row : nullptr;
        case op::kind::group_convolution:
            if (!has_static_weights(5)) return nullptr;
            return model.shape(each.input(1))[2] == 1 ? row : &spec::row_of<spec::op::conv_2d>();
        case op::kind::max_pool:
        case op::kind::avg_pool: return has_rank(0, 4) ? row : nullptr;
        case op::kind::interpolate: {
            const op::interpolate_mode mode = each.as<op::interpolate>().mode;
            return mode == op::interpolate_mode::linear || mode == op::interpolate_mode::linear_onnx ? row : nullptr;
        }
        default: return row;
    }
}

}  // namespace detail

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

/// "1 zero point", "2 zero points"
inline text in_words(std::size_t count, text_view what) { return join({count, " ", what, count == 1 ? "" : "s"}); }

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

    void report(text role, spec::restriction rule, text expected, text found) {
        violation result;
        result.operation = operation_.index;
        result.operation_name = operation_.name;
        result.role = move(role);
        result.rule = rule;
        result.expected = move(expected);
        result.found = move(found);
        found_.push_back(move(result));
    }

    void report(const covered_tensor& each, spec::restriction rule, text expected, text found) {
        report(role_of(each), rule, move(expected), move(found));
        found_.back().tensor = each.tensor->index;
        found_.back().tensor_name = each.tensor->name;
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

    void check_options() {
        if (operation_.missing_option.empty()) return;
        report("options", spec::restriction::option_missing, join({operation_.missing_option, " above 0"}), "none");
    }

    void check_tensor(covered_tensor& each) {
        const described_tensor& tensor = *each.tensor;
        if (tensor.type != each.asks->type)
            return report(each, spec::restriction::dtype, name(each.asks->type), name(tensor.type));
        if (!tensor.is_quantized())
            return report(each, spec::restriction::quant_missing, "a scale and a zero point", "none");
        if (tensor.broken_zero_point != 0) {
            return report(each, spec::restriction::zero_point_range, "a zero point that is a whole number",
                          join({tensor.broken_zero_point}));
        }
        each.readable = true;
        each.scales_usable = true;
        each.has_one_scale = tensor.scales.size() == 1;
        if (each.asks->scale != spec::scale_rule::product) check_scales(each);
        switch (each.asks->role) {
            case spec::operand::weight: return check_weights(each);
            case spec::operand::bias: return check_bias_alone(each);
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

    /// Without zero points all are 0.
    void check_zero_count(const covered_tensor& each) {
        const std::size_t zero_points = each.tensor->zero_points.size();
        const std::size_t scales = each.tensor->scales.size();
        if (zero_points == 0 || zero_points == scales) return;
        report(each, spec::restriction::zero_point_count, in_words(scales, "zero point"),
               in_words(zero_points, "zero point"));
    }

    void check_bias_alone(covered_tensor& each) {
        check_zero_count(each);
        check_zero_is(each, spec::restriction::bias_zero_point);
    }

    void check_weights(covered_tensor& each) {
        const described_tensor& tensor = *each.tensor;
        if (tensor.scales.size() > 1) check_axis(each);
        check_zero_count(each);
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
        check_zero_count(each);
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
        check_options();
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

// ======== lpt/check/graph.hpp
#ifndef LPT_HOLDS_CHECK_GRAPH_HPP
#define LPT_HOLDS_CHECK_GRAPH_HPP
// Holds a graph, of whatever format it came, against the TensorFlow Lite 8-bit quantization specification, as far as its rules apply.

namespace lpt::inline LPT_ABI::check {

namespace detail {

/// Reads one operation of a graph as the checker takes it.
class operation_reader {
    const graph& model_;
    node_id id_;
    const spec::row& row_;
    reading how_;
    seq<read_operand, 0> inputs_;
    read_operand output_;

    bool reads_all_inputs() {
        for (const spec::requirement& asks : row_) {
            if (spec::port_of(asks.role) < 0) continue;
            const auto first = static_cast<std::size_t>(spec::port_of(asks.role));
            const std::size_t end = asks.role == spec::operand::every_input ? model_[id_].inputs() : first + 1;
            for (std::size_t port = first; port < end; ++port) {
                inputs_.push_back(asks.role == spec::operand::weight
                                      ? read_weights(model_, id_, asks.axis)
                                      : read_activation(model_, model_[id_].input(port), how_));
                if (!inputs_.back().is_present()) return false;
            }
        }
        return true;
    }
    /// Codes that are copied keep the dequantization that stands behind the copy.
    void share_quantization_behind() {
        if (!row_.same_quantization || !output_.is_present()) return;
        for (read_operand& each : inputs_) {
            if (!each.has_scale && is_code(output_.type)) each.takes_quantization_of(output_);
        }
    }
    bool has_input(bool with_scale) const {
        for (const read_operand& each : inputs_) {
            if (each.has_scale == with_scale) return true;
        }
        return false;
    }
    described_operation described(const read_operand& bias) const {
        described_operation result;
        result.index = static_cast<int>(index_of(id_));
        result.name = row_.name;
        for (const read_operand& each : inputs_)
            result.inputs.push_back(each.described());
        result.inputs.push_back(bias.described());
        result.outputs.push_back(output_.described());
        return result;
    }

public:
    operation_reader(const graph& model, node_id id, const spec::row& row, reading how)
        : model_(model), id_(id), row_(row), how_(how) {}

    /// Appends what the operation breaks. False where its operands are not quantized: it is none of the specification's.
    bool check(seq<violation, 0>& found) {
        if (!reads_all_inputs()) return false;
        const bool reads_codes = has_input(false);
        output_ = read_output(model_, id_, row_, how_);
        share_quantization_behind();
        if (how_ == reading::on_codes ? !reads_codes : !has_input(true)) return false;
        const bool may_have_bias = row_.names(spec::operand::bias) && how_ == reading::with_dequantization;
        const read_operand bias = may_have_bias ? read_bias(model_, id_) : read_operand();
        check_operation(described(bias), found);
        return true;
    }
};

inline std::size_t append_violations(const graph& model, reading how, seq<violation, 0>& found) {
    std::size_t checked = 0;
    for (const node_id id : topological_order(model)) {
        if (const spec::row* row = row_of_node(model, id); row != nullptr)
            checked += operation_reader(model, id, *row, how).check(found) ? 1 : 0;
        const body_list& bodies = model[id].bodies();
        for (std::size_t i = 0; i < bodies.size(); ++i)
            checked += append_violations(bodies[i], how, found);
    }
    return checked;
}

}  // namespace detail

/// What came of holding a graph against the specification.
struct graph_findings {
    std::size_t checked = 0;  // operations whose operands are quantized
    seq<violation, 0> violations;
};

/// Everything in which the operations of a graph break the specification, bodies included, in topological order; nothing: it conforms.
///
/// Checked are the operations that `spec::correspondences` names and whose inputs all are quantized, which `how` says; the output is checked
/// where a FakeQuantize or a dequantization stands behind it. Numbers of operations and tensors are those of nodes. Weights are those of
/// rank 4 (5 in groups) of convolutions and constant matrices of MatMul. Element types say nothing of a FakeQuantize: 256 levels and less are i8.
inline graph_findings hold_against_specification(const graph& model, reading how = reading::with_dequantization) {
    graph_findings result;
    result.checked = detail::append_violations(model, how, result.violations);
    return result;
}

/// The violations alone.
inline seq<violation, 0> violations_of(const graph& model, reading how = reading::with_dequantization) {
    return hold_against_specification(model, how).violations;
}

}  // namespace lpt::inline LPT_ABI::check
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

/// Options that have no default: 0, which the format gives them where they are absent, makes an operation compute nothing.
inline view<text_view> needed_options(tflite::builtin code) {
    static constexpr text_view strides[] = {"stride_w", "stride_h"};
    static constexpr text_view window[] = {"stride_w", "stride_h", "filter_width", "filter_height"};
    static constexpr text_view block[] = {"block_size"};
    static constexpr text_view beta[] = {"beta"};
    switch (code) {
        case tflite::builtin::conv_2d:
        case tflite::builtin::depthwise_conv_2d: return strides;
        case tflite::builtin::average_pool_2d:
        case tflite::builtin::max_pool_2d: return window;
        case tflite::builtin::space_to_depth: return block;
        case tflite::builtin::softmax: return beta;
        default: return {};
    }
}

inline text_view missing_option(const tflite::operator_info& each) {
    for (const text_view name : needed_options(each.code)) {
        const tflite::option* const found = each.find(name);
        if (found == nullptr || (found->whole == 0 && found->real == 0)) return name;
    }
    return {};
}

}  // namespace detail

/// An operation of a subgraph as the checker reads it. It looks at the subgraph, which outlives it.
inline described_operation describe(const tflite::subgraph& net, std::size_t index) {
    const tflite::operator_info& each = net.operators[index];
    described_operation result;
    result.index = static_cast<int>(index);
    result.name = each.name();
    result.missing_option = detail::missing_option(each);
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

/// The same for all subgraphs of a model, in their order: bodies of IF and WHILE and first values of variables are computed, too.
inline seq<violation, 0> violations_of(const tflite::model& model) {
    seq<violation, 0> result;
    for (std::size_t i = 0; i < model.subgraphs.size(); ++i) {
        for (violation& each : violations_of(model.subgraphs[i])) {
            each.subgraph = static_cast<int>(i);
            result.push_back(move(each));
        }
    }
    return result;
}

}  // namespace lpt::inline LPT_ABI::check
#endif

// ======== lpt/specified/arithmetic.hpp
#ifndef LPT_HOLDS_SPECIFIED_ARITHMETIC_HPP
#define LPT_HOLDS_SPECIFIED_ARITHMETIC_HPP
// Arithmetic of quantized operations as a type: kernels take it as template parameter, and others can stand beside it.

namespace lpt::inline LPT_ABI::arithmetic {

/// A positive real number in fixed point: significand * 2^(exponent - 31), the significand 0 or in [2^30, 2^31).
struct multiplier {
    std::int32_t significand = 0;
    std::int32_t exponent = 0;
};

/// The arithmetic of TensorFlow Lite's reference kernels for 8-bit integers.
/// Integers of 32 bits and IEEE double precision in few, explicit operations: the same bits with every compiler and processor.
struct tflite_reference {
    static constexpr text_view name = "tflite_reference";
    /// Whether FULLY_CONNECTED and SUM round once, from the exact product; else twice, as the convolutions do.
    static constexpr bool rounds_once = true;
    /// Whether LOGISTIC and TANH are computed in fixed point with 4 integer bits; else in single precision.
    static constexpr bool functions_in_fixed_point = false;
    /// Whether sums are scaled in single precision, by `requantize`; else in fixed point.
    static constexpr bool in_single_precision = false;

    /// The nearest integer, ties away from zero. What 64 bits cannot hold becomes the nearest that they can.
    static std::int64_t round_half_away(double value) {
        // Half of what 64 bits hold leaves room for the zero point that is added before a clamp.
        constexpr std::int64_t bound = std::int64_t{1} << 62;
        if (!(value > -4.6e18)) return value <= -4.6e18 ? -bound : 0;
        if (value > 4.6e18) return bound;
        return static_cast<std::int64_t>(std::round(value));
    }

    /// Fixed point of a real number that is finite and not negative: 31 bits, rounded half away; below 2^-32 it is 0.
    static multiplier of(double real) {
        if (!(real > 0)) return {};
        int exponent = 0;
        std::int64_t significand = round_half_away(std::frexp(real, &exponent) * 2147483648.0);
        if (significand == std::int64_t{1} << 31) {
            significand /= 2;
            ++exponent;
        }
        if (exponent < -31) return {};
        return {static_cast<std::int32_t>(significand), exponent};
    }

    static constexpr std::int32_t saturate(std::int64_t value) {
        return value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : static_cast<std::int32_t>(value);
    }

    /// a * b / 2^31, rounded half up; -2^31 * -2^31 saturates.
    static constexpr std::int32_t doubling_high_product(std::int32_t a, std::int32_t b) {
        return saturate((std::int64_t{a} * b + (std::int64_t{1} << 30)) >> 31);
    }

    /// value / 2^exponent, rounded half away from zero; 0 <= exponent <= 31.
    static constexpr std::int32_t divide_by_power(std::int32_t value, int exponent) {
        const std::int64_t half = (std::int64_t{1} << exponent) >> 1;
        const std::int64_t down = half != 0 && value < 0 ? 1 : 0;
        return static_cast<std::int32_t>((value + half - down) >> exponent);
    }

    /// value * 2^exponent, saturated; exponent >= 0.
    static constexpr std::int32_t shift_left(std::int32_t value, int exponent) {
        return saturate(std::int64_t{value} * (std::int64_t{1} << (exponent < 31 ? exponent : 31)));
    }

    /// value * by with two roundings: that of the high product and that of the shift to the right.
    static constexpr std::int32_t scale(std::int32_t value, multiplier by) {
        if (by.exponent > 0) return doubling_high_product(shift_left(value, by.exponent), by.significand);
        return divide_by_power(doubling_high_product(value, by.significand), by.exponent > -31 ? -by.exponent : 31);
    }

    /// value * by rounded once, half away from zero.
    static std::int32_t scale_once(std::int64_t value, double by) {
        return saturate(round_half_away(static_cast<double>(value) * by));
    }
};

/// TensorFlow Lite Micro's: as the reference, but FULLY_CONNECTED and SUM round twice, and LOGISTIC and TANH are computed in fixed point.
struct tflite_micro : tflite_reference {
    static constexpr text_view name = "tflite_micro";
    static constexpr bool rounds_once = false;
    static constexpr bool functions_in_fixed_point = true;
};

/// That of LiteRT's default, XNNPACK, on x86: the scale is a number of single precision, and ties go to the even integer.
/// Operations that XNNPACK leaves to others are the reference's. Runs on the loops of the definition. Source: XNNPACK's parameters of
/// quantized operators, replayed on LiteRT 2.3.0.
struct xnnpack : tflite_reference {
    static constexpr text_view name = "xnnpack";
    static constexpr bool rounds_once = false;
    static constexpr bool in_single_precision = true;

    /// The integer next to a number within 32 bits, ties to the even one.
    static std::int32_t round_half_even(float value) { return static_cast<std::int32_t>(std::nearbyint(value)); }

    /// round_half_even(value by, limited to [lowest, highest] - zero_point) + zero_point; lowest <= highest lie within 16 bits. NaN is the lowest.
    static std::int32_t requantize(float value, float by, std::int32_t zero_point, std::int32_t lowest,
                                   std::int32_t highest) {
        const auto low = static_cast<float>(lowest - zero_point);
        const auto high = static_cast<float>(highest - zero_point);
        const float scaled = value * by;
        return round_half_even(!(scaled > low) ? low : scaled < high ? scaled : high) + zero_point;
    }
};

}  // namespace lpt::inline LPT_ABI::arithmetic
#endif

// ======== lpt/kernel/rows/element_kind.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_ELEMENT_KIND_HPP
#define LPT_HOLDS_KERNEL_ROWS_ELEMENT_KIND_HPP
namespace lpt::inline LPT_ABI::kernel {

/// The element types that kernels load and store.
/// `i4` is for weights alone: signed bytes in [-8, 7], of which packed weights hold two in a byte; dot products take them apart again.
enum class element_kind : std::uint8_t { u8, i8, i32, f32, i4 };

/// Bytes of one element, before it is packed.
[[gnu::always_inline]] constexpr std::int64_t bytes_of(element_kind kind) noexcept {
    return kind == element_kind::i32 || kind == element_kind::f32 ? 4 : 1;
}

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/fields.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_FIELDS_HPP
#define LPT_HOLDS_KERNEL_ROWS_FIELDS_HPP
// Problems that say themselves what they consist of, so that planner, executors and lpt_embed need not know them.
//
// Such a problem has a name and one function that visits its fields in order:
//   static constexpr const char* name = "softmax";
//   template <class Self, class Visit>
//   static constexpr void fields(Self& self, Visit visit) { visit("length", self.length); visit("input", self.input); … }
// Fields are whole numbers, truth values, enumerators, floats, arrays of whole numbers, structures with fields, and operands. The type of an operand says what the
// kernel does with it: a pointer to const is read, any other pointer is written, and `scratch_memory` is used while the kernel runs.

namespace lpt::inline LPT_ABI::kernel {

/// Memory that a kernel uses while it runs; what is in it before and afterwards is irrelevant. Aligned to 64 bytes.
struct scratch_memory {
    void* data = nullptr;
};

namespace detail {

template <class Field>
struct operand_traits {
    static constexpr bool is_operand = false;
};
template <class Field>
struct operand_traits<const Field> : operand_traits<Field> {};  // of a problem that is const
template <class Element>
struct operand_traits<Element*> {
    static constexpr bool is_operand = true;
    static constexpr bool is_read = false;
};
template <class Element>
struct operand_traits<const Element*> {
    static constexpr bool is_operand = true;
    static constexpr bool is_read = true;
};
template <>
struct operand_traits<scratch_memory> {
    static constexpr bool is_operand = true;
    static constexpr bool is_read = false;
};

}  // namespace detail

/// True for fields that are operands.
template <class Field>
inline constexpr bool is_operand = detail::operand_traits<Field>::is_operand;

/// True for operands that a kernel only reads.
template <class Field>
inline constexpr bool is_read = detail::operand_traits<Field>::is_read;

/// Calls `visit(operand)` for each operand of a problem, in the order of its fields.
template <class Problem, class Visit>
constexpr void for_each_operand(Problem& problem, const Visit& visit) {
    Problem::fields(problem, [&visit]<class Field>(const char*, Field& field) {
        if constexpr (is_operand<Field>) visit(field);
    });
}

/// How many operands a problem has.
template <class Problem>
inline constexpr int operand_count = [] {
    Problem problem;
    int count = 0;
    for_each_operand(problem, [&count](const auto&) { ++count; });
    return count;
}();

template <class Element>
constexpr void point(const Element*& operand, const void* at) noexcept {
    operand = static_cast<const Element*>(at);
}
template <class Element>
constexpr void point(Element*& operand, void* at) noexcept {
    operand = static_cast<Element*>(at);
}
constexpr void point(scratch_memory& operand, void* at) noexcept { operand.data = at; }

/// Gives each operand its address: `read(slot)` for those that are read, `write(slot)` for the others; null for one that is left out.
template <class Problem, class Read, class Write>
constexpr void point_operands(Problem& problem, const Read& read, const Write& write) {
    int slot = 0;
    for_each_operand(problem, [&]<class Operand>(Operand& operand) {
        if constexpr (is_read<Operand>)
            point(operand, read(slot++));
        else
            point(operand, write(slot++));
    });
}

/// Axes of a tensor, the outermost first: sizes, and strides in elements.
struct axis_list {
    static constexpr int most = 8;
    std::int64_t count = 0;
    std::int64_t sizes[most] = {};
    std::int64_t strides[most] = {};

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("count", self.count);
        visit("sizes", self.sizes);
        visit("strides", self.strides);
    }
};

/// Problems, as a type.
template <class... Problems>
struct problem_list {};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/attention.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_ATTENTION_HPP
#define LPT_HOLDS_KERNEL_ROWS_ATTENTION_HPP
namespace lpt::inline LPT_ABI::kernel {

/// What a mask does to the scores of an attention.
enum class attention_mask : std::uint8_t {
    none,  ///< nothing
    add,  ///< f32: is added to the score
    choose,  ///< bytes: places where it is 0 do not count
};

/// Matrices of an attention's heads: `type` u8, i8 or f32, a row each `row_stride` elements, dense rows; of head (h0, h1, …) the first is
/// sum of h * strides[axis] elements behind the beginning.
/// Bytes mean (byte - zero_point) * a scale that the problem holds for all.
struct attention_matrix {
    element_kind type = element_kind::f32;
    std::int32_t zero_point = 0;
    std::int64_t row_stride = 0;
    std::int64_t strides[8] = {};

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("type", self.type);
        visit("zero_point", self.zero_point);
        visit("row_stride", self.row_stride);
        visit("strides", self.strides);
    }
};

/// For each head, with q [queries, depth], k [keys, depth] and v [keys, width]:
///   s = scale * q kᵀ, + mask;  p = exp(s - largest of the row);   out = value_scale * (p v) / (sum of p over the row).
/// `causal`: places with column > row do not count. A row of which no place counts gives zeros.
/// Products are fma(a, b, sum) for k = 0, 1, 2 … from 0; bytes are exact. Where a size is 0 nothing is written.
/// Mask: element (row, column) of a head is mask_row_stride * row + mask_column_stride * column behind its beginning; column stride 0 or 1.
/// `scratch`: `attention_scratch_bytes(problem)` for each of the tasks, as many as `parallel.threads`.
struct attention_problem {
    static constexpr int most_axes = 8;
    std::int64_t head_axes = 0;
    std::int64_t heads[most_axes] = {};  // sizes
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::int64_t depth = 0;
    std::int64_t width = 0;
    float scale = 1;
    float value_scale = 1;
    bool causal = false;
    attention_mask mask_use = attention_mask::none;
    std::int64_t mask_row_stride = 0;
    std::int64_t mask_column_stride = 0;
    std::int64_t mask_strides[most_axes] = {};
    attention_matrix queries_at;
    attention_matrix keys_at;
    attention_matrix values_at;
    std::int64_t output_row_stride = 0;
    std::int64_t output_strides[most_axes] = {};
    const void* query = nullptr;
    const void* key = nullptr;
    const void* value = nullptr;
    const void* mask = nullptr;
    float* output = nullptr;
    scratch_memory scratch = {};

    static constexpr const char* name = "attention";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("head_axes", self.head_axes);
        visit("heads", self.heads);
        visit("queries", self.queries);
        visit("keys", self.keys);
        visit("depth", self.depth);
        visit("width", self.width);
        visit("scale", self.scale);
        visit("value_scale", self.value_scale);
        visit("causal", self.causal);
        visit("mask_use", self.mask_use);
        visit("mask_row_stride", self.mask_row_stride);
        visit("mask_column_stride", self.mask_column_stride);
        visit("mask_strides", self.mask_strides);
        visit("queries_at", self.queries_at);
        visit("keys_at", self.keys_at);
        visit("values_at", self.values_at);
        visit("output_row_stride", self.output_row_stride);
        visit("output_strides", self.output_strides);
        visit("query", self.query);
        visit("key", self.key);
        visit("value", self.value);
        visit("mask", self.mask);
        visit("output", self.output);
        visit("scratch", self.scratch);
    }
};

/// True where values are read where they lie; others are copied as floats, with columns in multiples of 16.
constexpr bool reads_values_directly(const attention_problem& p) noexcept {
    return p.values_at.type == element_kind::f32 && p.width % 16 == 0;
}

/// True where scores are sums of products of bytes, so few that they are exact as floats, too: one order of summation for all.
constexpr bool multiplies_bytes(const attention_problem& p) noexcept {
    constexpr std::int64_t most_depth = 256;  // times 255 * 255: below 2^24
    const auto is_bytes = [](element_kind type) { return type == element_kind::u8 || type == element_kind::i8; };
    return is_bytes(p.queries_at.type) && is_bytes(p.keys_at.type) && p.depth <= most_depth;
}

/// How a task of an attention divides its scratch memory, in floats; each part is a multiple of 16.
struct attention_scratch {
    static constexpr std::int64_t block_rows = 32;  // queries at a time
    static constexpr std::int64_t panel = 64;  // keys next to each other in packed ones
    std::int64_t keys_padded = 0;
    std::int64_t width_padded = 0;
    std::int64_t packed_keys = 0;
    std::int64_t packed_values = 0;
    std::int64_t rows = 0;  // of queries
    std::int64_t scores = 0;
    std::int64_t bias = 0;
    std::int64_t sums = 0;  // of the block's products with values

    constexpr std::int64_t floats() const noexcept { return packed_keys + packed_values + rows + scores + bias + sums; }
};

constexpr attention_scratch scratch_of(const attention_problem& p) noexcept {
    const auto padded = [](std::int64_t count) { return (count + 15) / 16 * 16; };
    attention_scratch result;
    result.keys_padded = padded(p.keys);
    result.width_padded = padded(p.width);
    // Packed bytes: a header, a sum and a zero point of each key, and groups of up to eight elements.
    const std::int64_t bytes = 128 + result.keys_padded * (8 + (p.depth + 7) / 8 * 8);
    const std::int64_t floats = p.depth * result.keys_padded;  // of instruction sets without tiles, too
    result.packed_keys = multiplies_bytes(p) && bytes > floats * 4 ? padded((bytes + 3) / 4) : floats;
    result.packed_values = reads_values_directly(p) ? 0 : p.keys * result.width_padded;
    result.rows = padded(result.block_rows * p.depth);
    result.scores = result.block_rows * result.keys_padded;
    result.bias = result.keys_padded;
    result.sums = result.block_rows * result.width_padded;
    return result;
}

/// Bytes of scratch memory of one task.
constexpr std::int64_t attention_scratch_bytes(const attention_problem& p) noexcept {
    return scratch_of(p).floats() * 4;
}

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/number_type.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_NUMBER_TYPE_HPP
#define LPT_HOLDS_KERNEL_ROWS_NUMBER_TYPE_HPP
namespace lpt::inline LPT_ABI::kernel {

/// The types of numbers that memory holds one after the other; a boolean is a byte, 0 or 1.
enum class number_type : std::uint8_t { boolean, u8, i8, u16, i16, u32, i32, u64, i64, bf16, f16, f32, f64 };

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/cast.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_CAST_HPP
#define LPT_HOLDS_KERNEL_ROWS_CAST_HPP
namespace lpt::inline LPT_ABI::kernel {

/// out[i] = in[i] as a number of another type, for `count` numbers. Source: OpenVINO operation set, Convert-1.
/// Integer to integer: modulo 2^bits. Real to integer: towards zero, saturating; NaN gives 0. To real: to nearest even, too large becomes infinity.
/// To boolean: 1 unless 0. `input` and `output` are aligned to their numbers and do not overlap.
struct cast_problem {
    std::int64_t count = 0;
    number_type input_type = number_type::f32;
    number_type output_type = number_type::f32;
    const void* input = nullptr;
    void* output = nullptr;

    static constexpr const char* name = "cast";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("count", self.count);
        visit("input_type", self.input_type);
        visit("output_type", self.output_type);
        visit("input", self.input);
        visit("output", self.output);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/groups.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_GROUPS_HPP
#define LPT_HOLDS_KERNEL_ROWS_GROUPS_HPP
// Groups of a tensor's elements that one number is made of, or that are normalized together: those that differ in the reduced axes only.

namespace lpt::inline LPT_ABI::kernel {

/// What a reduction does with the values of a group.
enum class reduction_kind : std::uint8_t { sum, mean, maximum, minimum, product, l1, l2 };

/// A reduction of f32 over any axes; one number for each element of the kept axes, dense in their order.
/// The tensor is dense, and neighbouring axes of one list are one; so an innermost axis, of stride 1, is in one of the lists, unless there is but one element.
/// Sums are kept in single precision, in parts of at most 64 rounded additions each, which are then added up: the error is below
/// (80 + count / 64) 2^-24 times the sum of the absolute values, and of a product that part of it. NaN is no maximum or minimum; without any other value that is an infinity.
struct reduction_problem {
    reduction_kind kind = reduction_kind::sum;
    axis_list kept;
    axis_list reduced;
    const float* input = nullptr;
    float* output = nullptr;

    static constexpr const char* name = "reduction";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("kind", self.kind);
        visit("kept", self.kept);
        visit("reduced", self.reduced);
        visit("input", self.input);
        visit("output", self.output);
    }
};

/// How a normalization treats the values of a group.
enum class normalization_kind : std::uint8_t {
    mean,  ///< x - mean
    mean_and_deviation,  ///< (x - mean) / sqrt(variance + epsilon)
    mean_and_shifted_deviation,  ///< (x - mean) / (sqrt(variance) + epsilon)
    length,  ///< x / sqrt(sum of squares + epsilon)
    limited_length,  ///< x / sqrt(max(sum of squares, epsilon))
};

/// A normalization of f32 over any axes; axes as those of a reduction, input and output alike.
/// Sums as those of a reduction. The mean is found twice, the second time as that of the distances from the first, so that a large mean
/// costs no accuracy. In place is allowed.
/// `scale` and `shift`, both or none: a number for each element of the only reduced axis, which is the innermost; results y become
/// fma(y, scale, shift).
struct normalization_problem {
    normalization_kind kind = normalization_kind::mean;
    float epsilon = 0;
    axis_list kept;
    axis_list reduced;
    const float* input = nullptr;
    float* output = nullptr;
    const float* scale = nullptr;
    const float* shift = nullptr;

    static constexpr const char* name = "normalization";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("kind", self.kind);
        visit("epsilon", self.epsilon);
        visit("kept", self.kept);
        visit("reduced", self.reduced);
        visit("input", self.input);
        visit("output", self.output);
        visit("scale", self.scale);
        visit("shift", self.shift);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/movement.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_MOVEMENT_HPP
#define LPT_HOLDS_KERNEL_ROWS_MOVEMENT_HPP
namespace lpt::inline LPT_ABI::kernel {

/// out[i] = table[in[i]] for `count` bytes; an i8 value indexes with its bits as u8. In place is allowed.
struct lookup_problem {
    const std::uint8_t* input = nullptr;
    std::uint8_t* output = nullptr;
    std::int64_t count = 0;
    const std::uint8_t* table = nullptr;
};

/// out[n][c][r] = in[n][r][c] for `batch` dense matrices of rows x columns elements of 1 or 4 bytes.
/// NCHW to NHWC: rows = C, columns = H * W; NHWC to NCHW: rows = H * W, columns = C. Input and output must not overlap.
struct transpose_problem {
    std::int64_t batch = 1;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    int element_bytes = 1;
    const void* input = nullptr;
    void* output = nullptr;
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/pointwise.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_POINTWISE_HPP
#define LPT_HOLDS_KERNEL_ROWS_POINTWISE_HPP
namespace lpt::inline LPT_ABI::kernel {

/// What a pointwise kernel computes of a and b. Whole numbers wrap around; they are divided by anything but 0.
enum class pointwise_function : std::uint8_t {
    add,  ///< a + b
    subtract,  ///< a - b
    multiply,  ///< a * b
    divide,  ///< a / b; whole numbers towards zero
    divide_downwards,  ///< a / b; whole numbers downwards
    remainder,  ///< of whole numbers, with the sign of a
    remainder_downwards,  ///< of whole numbers, with the sign of b
    power,  ///< a ^ b of whole numbers; of a negative b the whole part
    maximum,  ///< a < b ? b : a
    minimum,  ///< b < a ? b : a
    squared_difference,  ///< (a - b)^2
    equal,  ///< a == b
    not_equal,  ///< a != b
    greater,  ///< a > b
    greater_equal,  ///< a >= b
    less,  ///< a < b
    less_equal,  ///< a <= b
    logical_and,  ///< a and b
    logical_or,  ///< a or b
    logical_xor,  ///< a or b, not both
    logical_not,  ///< not a
    abs,  ///< |a|
    negative,  ///< -a
    sign,  ///< -1, 0 or 1, and NaN of NaN
    select,  ///< condition ? a : b
};

/// out = function(a, b), element by element, of any types of numbers and with any broadcasting.
/// `sizes`: `count` (1 to 8) axes of the output, which is dense, the outermost first; strides of the inputs along them in elements, along the last
/// axis 0 or 1. `input_type`: of a and b, not u64. `output_type`: boolean of comparisons and logic, else that of the input.
/// Half precision is computed in f32, and the result rounded. Functions of one number leave b out; only select has a condition, a boolean.
/// The output does not overlap an input.
/// Source: OpenVINO operation set, Add-1 and the like, Equal-1 and the like, LogicalAnd-1 and the like, Select-1.
struct pointwise_problem {
    static constexpr int most_axes = 8;
    pointwise_function function = pointwise_function::add;
    number_type input_type = number_type::f32;
    number_type output_type = number_type::f32;
    std::int64_t count = 0;
    std::int64_t sizes[most_axes] = {};
    std::int64_t condition_strides[most_axes] = {};
    std::int64_t a_strides[most_axes] = {};
    std::int64_t b_strides[most_axes] = {};
    const void* condition = nullptr;
    const void* a = nullptr;
    const void* b = nullptr;
    void* output = nullptr;

    static constexpr const char* name = "pointwise";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("function", self.function);
        visit("input_type", self.input_type);
        visit("output_type", self.output_type);
        visit("count", self.count);
        visit("sizes", self.sizes);
        visit("condition_strides", self.condition_strides);
        visit("a_strides", self.a_strides);
        visit("b_strides", self.b_strides);
        visit("condition", self.condition);
        visit("a", self.a);
        visit("b", self.b);
        visit("output", self.output);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/recurrent.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_RECURRENT_HPP
#define LPT_HOLDS_KERNEL_ROWS_RECURRENT_HPP
namespace lpt::inline LPT_ABI::kernel {

/// Which cell. The gates of a GRU lie in its weights as they are listed, those of an LSTM where `recurrent_problem::gates` says.
///   lstm: i, f, o = gate(…), c~ = candidate(…), c' = fma(f, c, i * c~), h' = o * output(c');
///   gru:  z, r = gate(…), h~ = candidate((W x + b) + R (r * h)), h' = fma(z, h, (1 - z) * h~);
///   gru_linear: the same with h~ = candidate(fma(r, R h + b', W x + b)).
/// Each `…` is (W x + b) + R h, where R h is a sum as in `gemm_problem`.
enum class recurrent_kind : std::uint8_t { lstm, gru, gru_linear };

/// How many gates a cell has.
constexpr std::int64_t gates_of(recurrent_kind kind) noexcept { return kind == recurrent_kind::lstm ? 4 : 3; }

/// A function of a gate: sigmoid and tanh as in `unary_function`; relu: max(v, 0); hard_sigmoid: min(max(fma(v, alpha, beta), 0), 1).
enum class gate_function : std::uint8_t { sigmoid, tanh, relu, hard_sigmoid };

/// A cell that walks along time, or one step of it (time 1). With G gates, D directions and H = `hidden`:
///   gate, candidate, output: functions, with their numbers; arguments are limited to [-limit, limit] first, but for that of output.
///   input: x[batch][time][inputs], u8, i8 or f32, dense; u8 and i8 mean (x - input_zero_point).
///   packed_input: W[inputs, D * G * H] of `pack_gemm`, for bytes of i8; W x + b = fma(float(sum), scale, bias) with `input_scale` and
///     `input_bias` of D * G * H elements, or null: 1 and 0.
///   packed_hidden: R[H, N] of f32 for each direction, `packed_hidden_bytes` apart; N = G * H, but for `gru` 2 * H (z and r), and
///     packed_candidate has R[H, H] of its candidate, `packed_candidate_bytes` apart.
///   hidden_bias: b'[D][H] of `gru_linear`, or null: 0.
///   first_hidden, first_cell: [batch][D][H]. lengths: steps of each batch, integers of `length_bytes` (4 or 8), taken into [0, time];
///     null: all of them.
///   every: [batch][D][time][H], zero behind a sequence's length, or null; last_hidden, last_cell: [batch][D][H], each may be null.
///   cells, their output function, gates (where f, i, c, o lie in the weights) and couples_forget (f = 1 - i) are those of an LSTM alone.
/// Direction 0 walks backwards, from the last step of the sequence, if `reverse`; direction 1 always does.
/// `scratch`: `recurrent_scratch_bytes(problem)` bytes. Outputs overlap nothing.
struct recurrent_problem {
    recurrent_kind kind = recurrent_kind::lstm;
    std::int64_t batch = 1;
    std::int64_t time = 1;
    std::int64_t directions = 1;
    std::int64_t inputs = 1;
    std::int64_t hidden = 1;
    bool reverse = false;
    bool couples_forget = false;
    std::int64_t gates[4] = {0, 1, 2, 3};
    gate_function gate = gate_function::sigmoid;
    float gate_alpha = 0;
    float gate_beta = 0;
    gate_function candidate = gate_function::tanh;
    float candidate_alpha = 0;
    float candidate_beta = 0;
    gate_function output = gate_function::tanh;
    float output_alpha = 0;
    float output_beta = 0;
    float limit = __builtin_inff();
    element_kind input_type = element_kind::f32;
    std::int32_t input_zero_point = 0;
    std::int64_t packed_hidden_bytes = 0;
    std::int64_t packed_candidate_bytes = 0;
    std::int64_t length_bytes = 8;
    const void* input = nullptr;
    const unsigned char* packed_input = nullptr;
    const float* input_scale = nullptr;
    const float* input_bias = nullptr;
    const unsigned char* packed_hidden = nullptr;
    const unsigned char* packed_candidate = nullptr;
    const float* hidden_bias = nullptr;
    const float* first_hidden = nullptr;
    const float* first_cell = nullptr;
    const void* lengths = nullptr;
    float* every = nullptr;
    float* last_hidden = nullptr;
    float* last_cell = nullptr;
    scratch_memory scratch = {};

    static constexpr const char* name = "recurrent";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("kind", self.kind);
        visit("batch", self.batch);
        visit("time", self.time);
        visit("directions", self.directions);
        visit("inputs", self.inputs);
        visit("hidden", self.hidden);
        visit("reverse", self.reverse);
        visit("couples_forget", self.couples_forget);
        visit("gates", self.gates);
        visit("gate", self.gate);
        visit("gate_alpha", self.gate_alpha);
        visit("gate_beta", self.gate_beta);
        visit("candidate", self.candidate);
        visit("candidate_alpha", self.candidate_alpha);
        visit("candidate_beta", self.candidate_beta);
        visit("output", self.output);
        visit("output_alpha", self.output_alpha);
        visit("output_beta", self.output_beta);
        visit("limit", self.limit);
        visit("input_type", self.input_type);
        visit("input_zero_point", self.input_zero_point);
        visit("packed_hidden_bytes", self.packed_hidden_bytes);
        visit("packed_candidate_bytes", self.packed_candidate_bytes);
        visit("length_bytes", self.length_bytes);
        visit("input", self.input);
        visit("packed_input", self.packed_input);
        visit("input_scale", self.input_scale);
        visit("input_bias", self.input_bias);
        visit("packed_hidden", self.packed_hidden);
        visit("packed_candidate", self.packed_candidate);
        visit("hidden_bias", self.hidden_bias);
        visit("first_hidden", self.first_hidden);
        visit("first_cell", self.first_cell);
        visit("lengths", self.lengths);
        visit("every", self.every);
        visit("last_hidden", self.last_hidden);
        visit("last_cell", self.last_cell);
        visit("scratch", self.scratch);
    }
};

/// Floats of a row that whole vectors of any instruction set cover.
constexpr std::int64_t whole_vectors(std::int64_t floats) noexcept { return (floats + 15) / 16 * 16; }

/// Floats of a row of sums of all gates, with room behind it for a vector that begins in its last gate.
constexpr std::int64_t gate_row(const recurrent_problem& p) noexcept {
    return whole_vectors(gates_of(p.kind) * p.hidden) + 16;
}

/// Scratch memory of a recurrent cell: the products with all inputs, and of each sequence gates, state, cell and reset state.
constexpr std::size_t recurrent_scratch_bytes(const recurrent_problem& p) noexcept {
    const std::int64_t inputs = p.batch * p.time * p.directions * gates_of(p.kind) * p.hidden + 16;
    const std::int64_t sequence = gate_row(p) + 3 * whole_vectors(p.hidden);
    return static_cast<std::size_t>(4 * (whole_vectors(inputs) + p.batch * p.directions * sequence));
}

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/resampling.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_RESAMPLING_HPP
#define LPT_HOLDS_KERNEL_ROWS_RESAMPLING_HPP
namespace lpt::inline LPT_ABI::kernel {

/// One axis of f32 resampled, of a dense tensor of `outer` x `input_length` x `inner` elements; the output has `length` places along the axis:
///   out[o, p, i] = sum over t of weights[t] * in[o, places[t], i], t from first_taps[p] up to first_taps[p + 1].
/// Places are those of the input, 0 to input_length - 1. Each product and each sum is rounded once, in the order of t, the first sum from 0.
/// The output does not overlap the input.
struct resampling_problem {
    std::int64_t outer = 1;
    std::int64_t input_length = 1;
    std::int64_t length = 1;
    std::int64_t inner = 1;
    const std::int32_t* first_taps = nullptr;
    const std::int32_t* places = nullptr;
    const float* weights = nullptr;
    const float* input = nullptr;
    float* output = nullptr;

    static constexpr const char* name = "resampling";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("outer", self.outer);
        visit("input_length", self.input_length);
        visit("length", self.length);
        visit("inner", self.inner);
        visit("first_taps", self.first_taps);
        visit("places", self.places);
        visit("weights", self.weights);
        visit("input", self.input);
        visit("output", self.output);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/softmax.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_SOFTMAX_HPP
#define LPT_HOLDS_KERNEL_ROWS_SOFTMAX_HPP
namespace lpt::inline LPT_ABI::kernel {

/// Softmax of f32 along one axis, or its logarithm; the tensor is `outer` x `length` x `inner`, dense. With m the largest x of the axis:
///   softmax: exp(x - m) / sum of exp(x - m);   logarithm: x - m - ln(sum of exp(x - m)).
/// In single precision, with the functions of `kernel/unary.hpp`. The relative error of a power over the sum is below (length + 200) 2^-24, and
/// what is below 2^-125 may be zero; of a logarithm that is the absolute error, beside four roundings. NaN or infinity in an axis makes all of it
/// NaN, but for negative infinities beside finite numbers, which give 0. In place is allowed.
struct softmax_problem {
    std::int64_t outer = 1;
    std::int64_t length = 1;
    std::int64_t inner = 1;
    bool logarithm = false;
    const float* input = nullptr;
    float* output = nullptr;

    static constexpr const char* name = "softmax";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("outer", self.outer);
        visit("length", self.length);
        visit("inner", self.inner);
        visit("logarithm", self.logarithm);
        visit("input", self.input);
        visit("output", self.output);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/fixed_point.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_FIXED_POINT_HPP
#define LPT_HOLDS_KERNEL_ROWS_FIXED_POINT_HPP
// Requantization in fixed point, and functions of codes that are specified in it.

namespace lpt::inline LPT_ABI::kernel {

/// How sums become i8 codes where an operation specifies it to the bit. With x = sum + bias[c]:
///   rounded twice:  h = floor((x * multiplier[c] + 2^30) / 2^31);   t = floor((h + (h < 0 ? below[c] : 0)) / 2^right[c]);
///                   q = floor((t - below[c]) / 2^-below[c]) + offset[c];
///   rounded once (`real` is not null):  q = zero_point + the integer next to x * real[c], ties away from zero, the product in double precision.
/// The code is q limited to [quant_low, quant_high] of the epilogue.
/// Where `below` is -1, that is h / 2^(right + 1), rounded half away from zero; where it is 0, `right` is 0, and h stays as it is. `offset` is
/// the zero point. All arrays are readable `padding` elements past the last channel.
/// Rounded twice: x any, multiplier >= 0, 0 <= right <= 30. Rounded once: |zero_point| < 2^29.
struct fixed_point {
    static constexpr std::int64_t padding = 64;

    const std::int32_t* bias = nullptr;
    const std::int32_t* multiplier = nullptr;
    const std::int32_t* right = nullptr;
    const std::int32_t* offset = nullptr;
    const std::int32_t* below = nullptr;
    const double* real = nullptr;
    std::int32_t zero_point = 0;
    bool shifts = false;  ///< `below` is -1 and `offset` is `zero_point` for all channels, and `real` is null
};

/// A number that scales all elements, as `fixed_point` has one for each channel; the shift to the left comes first.
struct fixed_scale {
    std::int32_t left = 0;
    std::int32_t multiplier = 0;
    std::int32_t right = 0;
    std::int32_t offset = 0;
    std::int32_t below = 0;
};

/// Which function of two codes.
enum class fixed_function : std::uint8_t { add, subtract, multiply };

/// Sums, differences or products of i8 codes: element (r, c) of an operand is data[r * row_stride + c * step], step 0 or 1.
///   add, subtract: x_k = S_k(q_k - z_k);  S(x_a +- x_b);   multiply: S((q_a - z_a) (q_b - z_b)).
/// S(v) is the code of `fixed_point` for x = v * 2^left; that of the result has no shift to the left, and the zero point as its offset.
struct fixed_binary_problem {
    fixed_function function = fixed_function::add;
    std::int64_t rows = 1;
    std::int64_t columns = 0;
    std::int64_t a_row_stride = 0;
    std::int64_t b_row_stride = 0;
    std::int32_t a_step = 1;
    std::int32_t b_step = 1;
    std::int32_t a_zero_point = 0;
    std::int32_t b_zero_point = 0;
    fixed_scale of_a;
    fixed_scale of_b;
    fixed_scale of_result;
    std::int32_t low = -128;
    std::int32_t high = 127;
    const std::int8_t* a = nullptr;
    const std::int8_t* b = nullptr;
    std::int8_t* output = nullptr;
};

/// i8 codes to real numbers, PRELU of these with a slope for each channel, and back to codes; rows of `channels`, dense:
///   x = scale * float(q - zero_point);   y = x >= 0 ? x : x * slope[c];
///   the integer next to y / output_scale, ties away from zero, + output_zero_point, limited to [-128, 127]. All in single precision.
struct real_prelu_problem {
    std::int64_t rows = 1;
    std::int64_t channels = 0;
    std::int32_t zero_point = 0;
    float scale = 1;
    float output_scale = 1;
    std::int32_t output_zero_point = 0;
    const std::int8_t* input = nullptr;
    const float* slope = nullptr;
    /// Null, or factors that give the same codes: the integer next to float(q - zero_point) * factor, ties to even, + output_zero_point, where
    /// the factor is `positive` for q >= zero_point, else negative[c].
    const float* negative = nullptr;
    float positive = 0;
    std::int8_t* output = nullptr;
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/fixed_product.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_FIXED_PRODUCT_HPP
#define LPT_HOLDS_KERNEL_ROWS_FIXED_PRODUCT_HPP
// Convolutions and matrix products of i8 codes that take less than a microsecond or two: all that does not depend on the input is done
// before, and one thread runs them.

namespace lpt::inline LPT_ABI::kernel {

/// A convolution over [batch, height, width, channels]; a matrix product is one of kernel 1 over a line of pixels. Axes are rows, columns.
/// All sizes, strides and dilations >= 1; 0 <= pad_begin < kernel * dilation. Depthwise: out_channels == in_channels.
struct fixed_product_shape {
    bool depthwise = false;
    std::int64_t batch = 1;
    std::int64_t in[2] = {1, 1};
    std::int64_t out[2] = {1, 1};
    std::int64_t kernel[2] = {1, 1};
    std::int64_t stride[2] = {1, 1};
    std::int64_t dilation[2] = {1, 1};
    std::int64_t pad_begin[2] = {0, 0};
    std::int64_t in_channels = 1;
    std::int64_t out_channels = 1;
};

/// Weights [out][kernel rows][kernel columns][in], or, depthwise, [kernel rows][kernel columns][channel]; positions outside an image hold
/// `zero_point`. `bias` has out_channels numbers.
struct fixed_product_weights {
    const std::int8_t* data = nullptr;
    const std::int32_t* bias = nullptr;
    std::int32_t zero_point = 0;
};

/// output[pixel][o] = the code of `fixed_point` for bias[o] + sum((q - zero_point) w), limited to [low, high]; the bias of `numbers` is
/// in the packed weights. Input and output are dense.
/// `packed` is what `pack_fixed_product` wrote for the shape; runs write to a part of it, so one at a time.
struct fixed_product_problem {
    fixed_product_shape shape;
    void* packed = nullptr;
    const fixed_point* numbers = nullptr;
    std::int32_t low = -128;
    std::int32_t high = 127;
    const std::int8_t* input = nullptr;
    std::int8_t* output = nullptr;
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/fixed_resize.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_FIXED_RESIZE_HPP
#define LPT_HOLDS_KERNEL_ROWS_FIXED_RESIZE_HPP
// Images of i8 codes in another size, between neighbours, in the arithmetic that operations specify.

namespace lpt::inline LPT_ABI::kernel {

/// Two positions along an axis of an input, and how much of the second one counts, in 1024ths: 0 to 1024.
struct resize_neighbours {
    std::int64_t lower = 0;
    std::int64_t upper = 0;
    std::int32_t weight = 0;
};

/// [batch, in rows, in columns, channels] to [batch, out rows, out columns, channels], dense; axes are rows, columns. With the weights v of a row and w of
/// a column:
///   sum = (1024 - v) ((1024 - w) q[lower][lower] + w q[lower][upper]) + v ((1024 - w) q[upper][lower] + w q[upper][upper]);
/// the code is sum / 2^20, rounded half away from zero. `neighbours` has an element for each position of an output's axis.
struct fixed_resize_problem {
    std::int64_t batch = 1;
    std::int64_t in[2] = {1, 1};
    std::int64_t out[2] = {1, 1};
    std::int64_t channels = 1;
    const resize_neighbours* neighbours[2] = {nullptr, nullptr};
    const std::int8_t* input = nullptr;
    std::int8_t* output = nullptr;
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/fixed_sum.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_FIXED_SUM_HPP
#define LPT_HOLDS_KERNEL_ROWS_FIXED_SUM_HPP
// Sums and averages of i8 codes over windows, in the arithmetic that operations specify.

namespace lpt::inline LPT_ABI::kernel {

/// Windows over [batch, rows, columns, channels], dense; the parts of them that lie inside an image count. Axes are rows, columns; all sizes >= 1.
/// n is the number of positions of a window inside the image, s the sum of their codes less n * zero_point.
///   averages:  q = s / n, rounded half away from zero, 0 where n is 0;
///   else:      q = the code of `fixed_scale`, without its shift to the left, for x = s, or, where `real` is not 0, the integer next to s * real, ties away
///              from zero, + offset of `scale`.
/// The result is q limited to [low, high]. Preconditions: n * 256 < 2^31;  |offset| < 2^29.
struct fixed_sum_problem {
    std::int64_t batch = 1;
    std::int64_t in[2] = {1, 1};
    std::int64_t out[2] = {1, 1};
    std::int64_t kernel[2] = {1, 1};
    std::int64_t stride[2] = {1, 1};
    std::int64_t pad_begin[2] = {0, 0};
    std::int64_t channels = 1;
    bool averages = false;
    std::int32_t zero_point = 0;
    fixed_scale scale;
    double real = 0;
    std::int32_t low = -128;
    std::int32_t high = 127;
    const std::int8_t* input = nullptr;
    std::int8_t* output = nullptr;
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows/specified.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_SPECIFIED_HPP
#define LPT_HOLDS_KERNEL_ROWS_SPECIFIED_HPP
// All problems of specified arithmetic.

namespace lpt::inline LPT_ABI::kernel {

/// The problems of operations in the arithmetic that they specify, which no plan has.
using specified_problems = problem_list<fixed_binary_problem, fixed_product_problem, fixed_resize_problem,
                                        fixed_sum_problem, real_prelu_problem>;

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/kernel/rows.hpp
#ifndef LPT_HOLDS_KERNEL_ROWS_HPP
#define LPT_HOLDS_KERNEL_ROWS_HPP
// The contract between whoever plans a network and the kernels: plain data, no SIMD, no graph.

namespace lpt::inline LPT_ABI::kernel {

/// An instruction set that the kernels are compiled for.
/// `scalar` is the definition; every other one gives the same bits.
/// `neon_i8mm` has the matrix products of bytes and the dot products.
/// `avx512_vnni_256` is the 256-bit AVX-VNNI code in EVEX encoding, for processors that have AVX-512 VNNI but not AVX-VNNI.
enum class isa : std::uint8_t { scalar, avx2, avx_vnni, avx512_vnni_256, avx512_vnni, neon, neon_dot, neon_i8mm };

/// Number of instruction sets in `isa`.
inline constexpr int isa_count = 8;

/// The name of an instruction set as command lines and reports spell it.
constexpr const char* name_of(isa set) noexcept {
    switch (set) {
        case isa::scalar: return "scalar";
        case isa::avx2: return "avx2";
        case isa::avx_vnni: return "avx_vnni";
        case isa::avx512_vnni_256: return "avx512_vnni_256";
        case isa::avx512_vnni: return "avx512_vnni";
        case isa::neon: return "neon";
        case isa::neon_dot: return "neon_dot";
        case isa::neon_i8mm: return "neon_i8mm";
    }
    return "";
}

/// Something that can run independent tasks; all zero means: run them one after the other on the caller's thread.
/// `run` calls `task(context, i)` once for each i in [0, tasks), on any threads, and returns when all are done.
/// `threads` (>= 1) is how many tasks a kernel should cut its work into. No result depends on it.
struct parallel_for {
    void* pool = nullptr;
    void (*run)(void* pool, int tasks, void (*task)(void* context, int index), void* context) = nullptr;
    int threads = 1;
};

// ---------------------------------------------------------------------------------------------------------------------
// Epilogue

/// Functions of one number that an epilogue can apply.
/// Each has one definition, an expression of IEEE single precision operations without contraction (`kernel/unary.hpp`, accuracy
/// there), so all instruction sets give the same bits.
enum class unary_function : std::uint8_t {
    sigmoid,  ///< 1 / (1 + exp(-v))
    tanh,  ///< tanh(v)
    hswish,  ///< v * (min(max(v + 3, 0), 6) / 6)
    hsigmoid,  ///< min(max(v + 3, 0), 6) / 6
    hard_sigmoid,  ///< min(max(fma(v, alpha, beta), 0), 1)
    gelu_erf,  ///< v * (1 + erf(v / sqrt(2))) / 2
    gelu_tanh,  ///< v * (1 + tanh(sqrt(2 / pi) * (v + 0.044715 v^3))) / 2
    swish,  ///< v / (1 + exp(-alpha * v)); alpha is 1 for SiLU
    mish,  ///< v * tanh(softplus(v))
    elu,  ///< v >= 0 ? v : alpha * (exp(v) - 1)
    selu,  ///< v > 0 ? beta * v : beta * alpha * (exp(v) - 1)
    softplus,  ///< ln(1 + exp(v))
    softsign,  ///< v / (1 + |v|)
    exp,  ///< exp(v)
    log,  ///< ln(v)
    erf,  ///< erf(v)
    sqrt,  ///< sqrt(v)
    abs,  ///< |v|
    negative,  ///< -v
    floor,  ///< the largest integer not above v
    ceiling,  ///< the smallest integer not below v
    round_even,  ///< the nearest integer, ties to even
    round_away,  ///< the nearest integer, ties away from zero
    sign,  ///< -1, 0 or 1
    reciprocal,  ///< 1 / v
    square,  ///< v * v
    cube,  ///< v * v * v
};

/// What a step of an epilogue does to v, the value of one output element in channel c of row r.
enum class post_kind : std::uint8_t {
    clamp,  ///< v = min(max(v, alpha), beta); NaN becomes alpha. ReLU is clamp(0, infinity)
    prelu,  ///< v = v < 0 ? v * a : v with a = per_channel_a[c], or alpha when that is null
    divide,  ///< v = v / a with a = per_channel_a[c], or alpha when that is null; one rounding
    scale_shift,  ///< v = fma(v, a, b) with a = per_channel_a[c] or alpha, b = per_channel_b[c] or beta
    add_residual,  ///< v = fma(float(residual[r, c]), alpha, v); fold zero points into the bias or a scale_shift before
    multiply_residual,  ///< v = v * fma(float(residual[r, c]), alpha, beta)
    unary,  ///< v = function(v), see unary_function for the meaning of alpha and beta
};

/// One step of an epilogue.
/// Arrays have one element per output channel and need neither padding nor alignment.
/// `residual` points at element (row 0, channel 0) of an array of type u8, i8, i32 or f32 with `residual_row_stride` elements
/// from row to row (0 repeats one row); rows are those of the problem's output.
struct post_operation {
    post_kind kind = post_kind::clamp;
    unary_function function = unary_function::abs;
    element_kind residual_type = element_kind::u8;
    float alpha = 0;
    float beta = 0;
    const float* per_channel_a = nullptr;
    const float* per_channel_b = nullptr;
    const void* residual = nullptr;
    std::int64_t residual_row_stride = 0;
};

/// What happens to an accumulator on its way to memory.
///   v = fma(float(accumulator), scale[c], bias[c]); then each post operation in order; then
///   u8, i8: round_half_even(min(max(v, quant_low), quant_high));   f32: v;   i32: the accumulator itself (everything else is ignored).
/// `scale` and `bias` have one element per output channel, or are null: then `scale_all` / `bias_all` holds for all channels.
/// `quant_low`, `quant_high`: integers inside the range of `output_type`; they saturate, and can be narrower to clamp for free.
/// Rounding: to nearest, ties to even; the fma rounds once. NaN becomes quant_low; as f32 it stays some quiet NaN.
/// float(accumulator) of a 32-bit integer rounds to nearest even.
/// `fixed`, of matrix products and convolutions of bytes with output i8: the code is that of `fixed_point`, of all else only the limits count.
struct epilogue {
    const float* scale = nullptr;
    const float* bias = nullptr;
    float scale_all = 1;
    float bias_all = 0;
    const post_operation* post = nullptr;
    int post_count = 0;
    element_kind output_type = element_kind::u8;
    float quant_low = 0;
    float quant_high = 255;
    const fixed_point* fixed = nullptr;
};

// ---------------------------------------------------------------------------------------------------------------------
// Matrix multiplication

/// The second operand of a matrix multiplication before packing: B[k, n] = data[k * k_stride + n * n_stride].
/// Strides are in elements, so row-major (n, 1) and transposed (1, k) matrices need no copy.
/// `type`: u8, i8, i4, or f32. `zero_points`: `zero_point_count` (0, 1 or n) values, each in [-128, 255]; B means B - zero_point.
struct gemm_weights {
    const void* data = nullptr;
    element_kind type = element_kind::i8;
    std::int64_t k = 0;
    std::int64_t n = 0;
    std::int64_t k_stride = 0;
    std::int64_t n_stride = 0;
    const std::int32_t* zero_points = nullptr;
    std::int64_t zero_point_count = 0;
};

/// C[m, n] = epilogue(sum over k of (A[m, k] - a_zero_point) * (B[k, n] - b_zero_point[n])).
/// A is u8 or i8 with `a_row_stride` elements from row to row, any alignment; B comes from `pack_gemm` of the same table.
/// Accumulators are exact 32-bit integers (modulo 2^32 when K is so long that the sum does not fit).
/// A of type f32 goes with f32 weights only: the accumulator is then float, starts at 0 and takes fma(a, b, accumulator) for
/// k = 0, 1, 2 … in this order; it replaces float(accumulator), and output type i32 is not allowed.
/// Batches are calls with other pointers. m >= 0, n >= 1, k >= 1.
struct gemm_problem {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    const void* a = nullptr;
    element_kind a_type = element_kind::u8;
    std::int64_t a_row_stride = 0;
    std::int32_t a_zero_point = 0;
    const void* packed_b = nullptr;
    void* c = nullptr;
    std::int64_t c_row_stride = 0;
    epilogue finish;
};

// ---------------------------------------------------------------------------------------------------------------------
// Convolution

/// The geometry of a convolution. Spatial axes are depth, height, width; a 2-D convolution has depth 1, a 1-D one also height 1.
/// Channels are totals over all groups. Output sizes are given (they imply the padding at the end).
///   forward:    out[o] = sum over taps t of in[o * stride + t * dilation - pad_begin] * w[t], taps outside the image contribute 0;
///   transposed: in[i] * w[t] is added to out[i * stride + t * dilation - pad_begin] (positions outside are dropped).
struct convolution_shape {
    std::int64_t batch = 1;
    std::int64_t in[3] = {1, 1, 1};
    std::int64_t out[3] = {1, 1, 1};
    std::int64_t kernel[3] = {1, 1, 1};
    std::int64_t stride[3] = {1, 1, 1};
    std::int64_t dilation[3] = {1, 1, 1};
    std::int64_t pad_begin[3] = {0, 0, 0};
    std::int64_t in_channels = 1;
    std::int64_t out_channels = 1;
    std::int64_t groups = 1;
    bool transposed = false;
};

/// How a convolution is computed; its shape decides, and an instruction set may have a choice of its own.
enum class convolution_method : std::uint8_t {
    direct,  ///< sums as their definition says, one by one
    gemm,  ///< a matrix product as it is
    depthwise,  ///< one channel a group
    implicit_gemm,  ///< sums over taps and channels, through pointers
    merged_lines,  ///< the same with the taps of a kernel line as one run of channels, over a padded copy of the image
    joined_lines,  ///< rows copied together from such lines
    im2col,  ///< rows copied together from their taps
};

/// The name of a method as reports spell it; copies of lines count as what they are a form of.
constexpr const char* name_of(convolution_method method) noexcept {
    switch (method) {
        case convolution_method::direct: return "direct";
        case convolution_method::gemm: return "gemm";
        case convolution_method::depthwise: return "depthwise";
        case convolution_method::implicit_gemm:
        case convolution_method::merged_lines: return "implicit_gemm";
        case convolution_method::joined_lines:
        case convolution_method::im2col: return "im2col";
    }
    return "";
}

/// Weights of a convolution before packing.
/// w[g, o, i, t] = data[g * group_stride + o * out_stride + i * in_stride + t * tap_stride]; o and i count inside the group, t is
/// the tap (kd * kernel[1] + kh) * kernel[2] + kw; strides are in elements. `type`: u8, i8, i4, or f32.
/// `zero_points`: `zero_point_count` (0, 1 or out_channels) values in [-128, 255]; w means w - zero_point.
struct convolution_weights {
    const void* data = nullptr;
    element_kind type = element_kind::i8;
    std::int64_t group_stride = 0;
    std::int64_t out_stride = 0;
    std::int64_t in_stride = 0;
    std::int64_t tap_stride = 1;
    const std::int32_t* zero_points = nullptr;
    std::int64_t zero_point_count = 0;
};

/// A convolution over channel-innermost (N D H W C) data:
///   out = epilogue(sum over taps and input channels of (in - input_zero_point) * (w - weights_zero_point)).
/// `input_pixel_stride`, `output_pixel_stride`: elements from pixel to pixel (>= channels, so slices of wider tensors work); pixels are
/// dense otherwise. The output's row of the epilogue is ((n * D + d) * H + h) * W + w.
/// `input_zero_point` must be a value of the input type (it is what padding reads as); for f32 it is 0.
/// `scratch`: `convolution_scratch_bytes(shape, input_type, threads)` bytes, any alignment, contents irrelevant; may be null when that is 0.
/// f32 input goes with f32 weights only, see gemm_problem; the order of the sum is taps, then input channels; taps outside the image
/// are added as zeros (fma(0, w, accumulator)), but for those of a transposed convolution that lead to no input position for their output.
struct convolution_problem {
    convolution_shape shape;
    const void* input = nullptr;
    element_kind input_type = element_kind::u8;
    std::int64_t input_pixel_stride = 0;
    std::int32_t input_zero_point = 0;
    const void* packed_weights = nullptr;
    void* output = nullptr;
    std::int64_t output_pixel_stride = 0;
    void* scratch = nullptr;
    epilogue finish;
};

// ---------------------------------------------------------------------------------------------------------------------
// Pooling

/// Which pooling.
enum class pool_kind : std::uint8_t {
    max,  ///< largest element of the window inside the image (the lowest value of the type if there is none)
    average_exclude_pad,  ///< sum inside the image / number of elements inside the image (0 / 1 if there is none)
    average_include_pad,  ///< (sum inside + zero_point * rest) / number of elements inside the padded image
};

/// Max or average pooling over channel-innermost (N D H W C) data of type u8, i8 or f32.
///   max:     x = float(largest);   average: x = float(sum) / float(count), one rounding each;
///   v = fma(x, scale[c], bias[c]), post operations and store as in `epilogue` (output i32 is not allowed).
/// f32 input: sums start at 0 and add in the order d, h, w of the window; NaN compares as not larger.
/// `pad_end` matters only to average_include_pad: the window is cut to [-pad_begin, in + pad_end).
/// A pass-through max pooling (same type, scale 1, bias 0, no post operation, full quantization range) copies values exactly.
struct pool_problem {
    pool_kind kind = pool_kind::max;
    std::int64_t batch = 1;
    std::int64_t channels = 1;
    std::int64_t in[3] = {1, 1, 1};
    std::int64_t out[3] = {1, 1, 1};
    std::int64_t kernel[3] = {1, 1, 1};
    std::int64_t stride[3] = {1, 1, 1};
    std::int64_t dilation[3] = {1, 1, 1};
    std::int64_t pad_begin[3] = {0, 0, 0};
    std::int64_t pad_end[3] = {0, 0, 0};
    const void* input = nullptr;
    element_kind input_type = element_kind::u8;
    std::int64_t input_pixel_stride = 0;
    std::int32_t input_zero_point = 0;
    void* output = nullptr;
    std::int64_t output_pixel_stride = 0;
    epilogue finish;
};

// ---------------------------------------------------------------------------------------------------------------------
// Elementwise

/// Functions of two numbers.
enum class binary_function : std::uint8_t { add, subtract, multiply, divide, maximum, minimum, squared_difference };

/// One operand of `binary`: element (r, c) is data[r * row_stride + c * channel_stride], of type u8, i8, i32 or f32;
/// its value is fma(float(element), scale, shift) with per-channel arrays, or `scale_all` / `shift_all` where they are null.
/// row_stride 0 repeats one row; channel_stride is 1, or 0 for one value a row.
struct binary_operand {
    const void* data = nullptr;
    element_kind type = element_kind::u8;
    std::int64_t row_stride = 0;
    std::int64_t channel_stride = 1;
    const float* scale = nullptr;
    const float* shift = nullptr;
    float scale_all = 1;
    float shift_all = 0;
};

/// out[r, c] = epilogue with x = function(a[r, c], b[r, c]) in place of float(accumulator); output i32 is not allowed.
/// add, subtract, multiply, divide round once; maximum is a > b ? a : b, minimum is a < b ? a : b;
/// squared_difference is (a - b) * (a - b).
struct binary_problem {
    binary_function function = binary_function::add;
    std::int64_t rows = 0;
    std::int64_t channels = 0;
    binary_operand a;
    binary_operand b;
    void* output = nullptr;
    std::int64_t output_row_stride = 0;
    epilogue finish;
};

// ---------------------------------------------------------------------------------------------------------------------
// Conversion: quantize, dequantize, requantize, any of them with a change of layout

/// Where element (batch n, pixel p, channel c) is: data[n * batch_stride + p * pixel_stride + c * channel_stride], in elements.
/// Channel innermost: {pixels * channels, channels, 1}; planes (NCHW): {channels * pixels, 1, pixels}.
struct element_layout {
    std::int64_t batch_stride = 0;
    std::int64_t pixel_stride = 0;
    std::int64_t channel_stride = 0;
};

/// Quantize (f32 to u8/i8), dequantize (u8/i8 to f32), requantize (i32/u8/i8 to u8/i8), and plain f32 arithmetic:
///   x = min(max(float(input), input_low[c]), input_high[c]);   v and the store as in `epilogue` with x in place of float(accumulator).
/// `input_low` / `input_high`: per channel arrays, or null: `input_low_all` / `input_high_all`, whose defaults do not clamp.
/// NaN becomes the channel's input_low; without bounds (no arrays, infinite `_all`) it is not touched here. Any input and output type (output i32 only for input i32, a copy).
/// Rows of post operations are n * pixels + p. Input and output must not overlap unless type and layout agree.
struct convert_problem {
    std::int64_t batch = 1;
    std::int64_t pixels = 1;
    std::int64_t channels = 1;
    const void* input = nullptr;
    element_kind input_type = element_kind::f32;
    element_layout input_layout;
    const float* input_low = nullptr;
    const float* input_high = nullptr;
    float input_low_all = -__builtin_inff();
    float input_high_all = __builtin_inff();
    void* output = nullptr;
    element_layout output_layout;
    epilogue finish;
};

// ---------------------------------------------------------------------------------------------------------------------
// The table

/// The problems that say their fields themselves (`kernel/rows/`); `kernel_of<Isa, Problem>` has the kernel of each.
using problems = problem_list<softmax_problem, attention_problem, normalization_problem, reduction_problem,
                              recurrent_problem, cast_problem, pointwise_problem, resampling_problem>;

namespace detail {

template <class Problem>
struct kernel_entry {
    void (*run)(const Problem& problem, const parallel_for& parallel) = nullptr;
};
template <class Problems>
struct kernel_entries;
template <class... Problems>
struct kernel_entries<problem_list<Problems...>> : kernel_entry<Problems>... {};

}  // namespace detail

/// All kernels of one instruction set. Kernels never allocate, never throw, keep no state and check nothing: the problem must keep
/// the preconditions that its struct states. Packed data belongs to the table that packed it. Buffers of packed data are best aligned
/// to 64 bytes, but need not be.
struct kernel_table {
    isa instruction_set = isa::scalar;

    /// Bytes that `pack_gemm` writes for weights of this type.
    std::size_t (*packed_gemm_bytes)(element_kind type, std::int64_t k, std::int64_t n) = nullptr;
    void (*pack_gemm)(const gemm_weights& weights, void* packed, const parallel_for& parallel) = nullptr;
    void (*gemm)(const gemm_problem& problem, const parallel_for& parallel) = nullptr;

    /// Bytes that `pack_convolution` writes for weights of this type.
    std::size_t (*packed_convolution_bytes)(const convolution_shape& shape, element_kind type) = nullptr;
    void (*pack_convolution)(const convolution_shape& shape, const convolution_weights& weights, void* packed,
                             const parallel_for& parallel) = nullptr;
    /// Bytes of scratch memory for an input of this type; grows with `threads`, which must be the one of `parallel` in the call.
    std::size_t (*convolution_scratch_bytes)(const convolution_shape& shape, element_kind input_type,
                                             int threads) = nullptr;
    void (*convolution)(const convolution_problem& problem, const parallel_for& parallel) = nullptr;
    /// How the shape is computed.
    convolution_method (*method_of_convolution)(const convolution_shape& shape) = nullptr;

    /// Bytes that `pack_fixed_product` writes; 0 where the other kernels are faster.
    std::size_t (*packed_fixed_product_bytes)(const fixed_product_shape& shape) = nullptr;
    void (*pack_fixed_product)(const fixed_product_shape& shape, const fixed_product_weights& weights,
                               void* packed) = nullptr;

    void (*pool)(const pool_problem& problem, const parallel_for& parallel) = nullptr;
    void (*binary)(const binary_problem& problem, const parallel_for& parallel) = nullptr;
    void (*convert)(const convert_problem& problem, const parallel_for& parallel) = nullptr;
    void (*lookup)(const lookup_problem& problem, const parallel_for& parallel) = nullptr;
    void (*transpose)(const transpose_problem& problem, const parallel_for& parallel) = nullptr;

    /// The kernels of `problems` and of `specified_problems`.
    detail::kernel_entries<problems> others = {};
    detail::kernel_entries<specified_problems> specified = {};

    /// Runs the kernel of one of these problems.
    template <class Problem>
    void run(const Problem& problem, const parallel_for& parallel) const {
        if constexpr (requires { static_cast<const detail::kernel_entry<Problem>&>(others); })
            static_cast<const detail::kernel_entry<Problem>&>(others).run(problem, parallel);
        else
            static_cast<const detail::kernel_entry<Problem>&>(specified).run(problem, parallel);
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
#endif

// ======== lpt/plan/large_pages.hpp
#ifndef LPT_HOLDS_PLAN_LARGE_PAGES_HPP
#define LPT_HOLDS_PLAN_LARGE_PAGES_HPP
// Pages of 2 MiB, where the system has them: fewer faults when memory is first touched, and fewer addresses to translate.

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

namespace lpt::inline LPT_ABI::plan::detail {

/// At least `size` zeroed bytes at the beginning of a large page; null where the system has none, or where a sanitizer watches memory.
inline std::shared_ptr<std::byte> large_pages([[maybe_unused]] std::size_t size) {
#if defined(MADV_HUGEPAGE) && defined(MAP_ANONYMOUS)
    if constexpr (lpt::detail::keeps_small_memory) {
        constexpr std::size_t page = std::size_t{2} << 20;
        const std::size_t whole = (size + page - 1) / page * page + page;  // one more for the alignment
        void* const mapped = ::mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapped != MAP_FAILED) {
            const auto address = reinterpret_cast<std::uintptr_t>(mapped);
            std::byte* const first = static_cast<std::byte*>(mapped) + (page - address % page) % page;
            ::madvise(first, whole - page, MADV_HUGEPAGE);
            return {first, [mapped, whole](std::byte*) { ::munmap(mapped, whole); }};
        }
    }
#endif
    return nullptr;
}

}  // namespace lpt::inline LPT_ABI::plan::detail
#endif

// ======== lpt/plan/zeroed_memory.hpp
#ifndef LPT_HOLDS_PLAN_ZEROED_MEMORY_HPP
#define LPT_HOLDS_PLAN_ZEROED_MEMORY_HPP
namespace lpt::inline LPT_ABI::plan {

inline constexpr std::size_t block_alignment = 64;
/// Bytes after each block that a kernel may read, never write.
inline constexpr std::size_t block_slack = 64;

/// Zeroed memory at an address that vectors like, with room behind it that kernels may read. The system gives pages of large blocks
/// when they are touched, large ones where it has them. Raises a `memory_error` for what cannot be had.
class zeroed_memory {
    struct give_back {
        std::shared_ptr<std::byte> chunk;  // the block is a part of it; null: it stands alone
        void operator()(std::byte* memory) const noexcept {
            if (!chunk) {
                std::free(memory);
            }
        }
    };
    static constexpr std::size_t large_size = std::size_t{4} << 20;  // from here on a block has pages of its own

    std::unique_ptr<std::byte, give_back> own_;
    std::byte* first_ = nullptr;
    std::size_t size_ = 0;

    static std::unique_ptr<std::byte, give_back> take(std::size_t size) {
        constexpr std::size_t beside = block_alignment + block_slack;
        if (size >= large_size && size <= SIZE_MAX / 2) {
            if (std::shared_ptr<std::byte> pages = detail::large_pages(size + block_slack)) {
                std::byte* const first = pages.get();
                return {first, give_back{std::move(pages)}};
            }
        }
        void* result = size > SIZE_MAX - beside ? nullptr : std::calloc(size + beside, 1);
        if (result == nullptr) {
            lpt::detail::raise_no_memory(size);
        }
        return {static_cast<std::byte*>(result), give_back{}};
    }

public:
    zeroed_memory() = default;
    explicit zeroed_memory(std::size_t size) : own_(take(size)), size_(size) {
        const auto address = reinterpret_cast<std::uintptr_t>(own_.get());
        first_ = own_.get() + (block_alignment - address % block_alignment) % block_alignment;
    }
    /// `size` bytes at `first`, zeroed and aligned, with their room behind them, of a chunk that is kept as long.
    zeroed_memory(std::byte* first, std::size_t size, std::shared_ptr<std::byte> chunk)
        : own_(first, give_back{std::move(chunk)}), first_(first), size_(size) {}
    zeroed_memory(zeroed_memory&& other) noexcept
        : own_(std::move(other.own_)),
          first_(std::exchange(other.first_, nullptr)),
          size_(std::exchange(other.size_, 0)) {}
    zeroed_memory& operator=(zeroed_memory&& other) noexcept {
        own_ = std::move(other.own_);
        first_ = std::exchange(other.first_, nullptr);
        size_ = std::exchange(other.size_, 0);
        return *this;
    }
    ~zeroed_memory() = default;

    std::byte* data() const { return first_; }
    std::size_t size() const { return size_; }
    /// Makes it at least so large; what it held is lost if it grows.
    void grow(std::size_t size) {
        if (first_ == nullptr || size > size_) {
            *this = zeroed_memory();
            *this = zeroed_memory(size);
        }
    }
};

/// Many blocks next to each other, so that they share large pages; a chunk lives as long as one of its blocks.
class zeroed_blocks {
    static constexpr std::size_t alone_at_first = std::size_t{1}
                                                  << 20;  // so many bytes, which large pages would not pay for
    static constexpr std::size_t chunk_size = std::size_t{32}
                                              << 20;  // of addresses; memory is given when it is touched
    std::shared_ptr<std::byte> chunk_;
    std::size_t left_ = 0;
    std::byte* next_ = nullptr;
    std::size_t alone_ = 0;

public:
    /// Raises a `memory_error` for what cannot be had.
    zeroed_memory take(std::size_t size) {
        const std::size_t needed = (size / block_alignment + 1) * block_alignment + block_slack;
        if (alone_ < alone_at_first || size > chunk_size / 2) {
            alone_ += size < alone_at_first ? size : alone_at_first;
            return zeroed_memory(size);
        }
        if (needed > left_) {
            chunk_ = detail::large_pages(chunk_size);
            left_ = chunk_ ? chunk_size : 0;
            next_ = chunk_.get();
        }
        if (!chunk_) {
            return zeroed_memory(size);
        }
        zeroed_memory result(next_, size, chunk_);
        next_ += needed;
        left_ -= needed;
        return result;
    }
};

}  // namespace lpt::inline LPT_ABI::plan
#endif

// ======== lpt/specified/value_memory.hpp
#ifndef LPT_HOLDS_SPECIFIED_VALUE_MEMORY_HPP
#define LPT_HOLDS_SPECIFIED_VALUE_MEMORY_HPP
// The memory of the tensors of a network that runs as specified, counted against a limit.

namespace lpt::inline LPT_ABI::specified {

/// What the tensors of one network may take together, in bytes.
class memory_budget {
    std::size_t limit_;
    std::size_t taken_ = 0;

public:
    explicit memory_budget(std::size_t limit) : limit_(limit) {}

    /// `old` bytes become `wanted` bytes; raises a `memory_error` with both sizes where that goes beyond the limit.
    void exchange(std::size_t old, std::size_t wanted) {
        const std::size_t others = taken_ - old;
        if (wanted > limit_ - others) {
            lpt::detail::raise_beyond_limit(wanted > SIZE_MAX - others ? SIZE_MAX : others + wanted, limit_);
        }
        taken_ = others + wanted;
    }
};

/// The elements of a tensor; without a budget nothing is counted. They lie where vectors like them, with room behind that kernels may read.
class value_memory {
    plan::zeroed_memory bytes_;
    std::size_t size_ = 0;
    memory_budget* budget_ = nullptr;

    void count(std::size_t wanted) {
        if (budget_ != nullptr) budget_->exchange(size_, wanted);
    }

public:
    value_memory() = default;
    explicit value_memory(memory_budget* budget) : budget_(budget) {}
    value_memory(value_memory&& other) noexcept
        : bytes_(std::move(other.bytes_)),
          size_(std::exchange(other.size_, 0)),
          budget_(std::exchange(other.budget_, nullptr)) {}
    value_memory& operator=(value_memory&& other) noexcept {
        std::swap(bytes_, other.bytes_);
        std::swap(size_, other.size_);
        std::swap(budget_, other.budget_);
        return *this;
    }
    ~value_memory() { count(0); }

    memory_budget* budget() const { return budget_; }
    std::byte* data() { return bytes_.data(); }
    const std::byte* data() const { return bytes_.data(); }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::byte* begin() { return data(); }
    std::byte* end() { return data() + size_; }
    const std::byte* begin() const { return data(); }
    const std::byte* end() const { return data() + size_; }

    /// What it held is lost if it grows. Raises a `memory_error` where the budget does not allow so many bytes.
    void resize(std::size_t size) {
        count(size);
        if (size > bytes_.size()) {
            size_ = 0;  // where there is no memory, it has none
            bytes_.grow(size);
        }
        size_ = size;
    }
};

}  // namespace lpt::inline LPT_ABI::specified
#endif

// ======== lpt/specified/operation.hpp
#ifndef LPT_HOLDS_SPECIFIED_OPERATION_HPP
#define LPT_HOLDS_SPECIFIED_OPERATION_HPP
// What the kernels of specified arithmetic are given: an operation of a file when they are made, and its tensors' values when they run.

namespace lpt::inline LPT_ABI::specified {

/// A tensor while a network runs. Constants lie in the model.
struct value {
    element type = dynamic;
    shape dimensions;
    value_memory memory;
    const std::byte* constant = nullptr;
    std::uint64_t reshaped = 0;  // how often the shape became another

    std::int64_t elements() const { return static_cast<std::int64_t>(dimensions.elements()); }
    const std::byte* data() const { return constant != nullptr ? constant : memory.data(); }

    template <class T>
    const T* as() const {
        return reinterpret_cast<const T*>(data());
    }
    template <class T>
    T* to() {
        return reinterpret_cast<T*>(memory.data());
    }
    std::int64_t integer(std::int64_t index) const {
        return load_integer(type, data(), static_cast<std::size_t>(index));
    }
    /// All elements as integers.
    std::vector<std::int64_t> integers() const {
        std::vector<std::int64_t> result(static_cast<std::size_t>(elements()));
        for (std::size_t i = 0; i < result.size(); ++i)
            result[i] = load_integer(type, data(), i);
        return result;
    }
    /// Bytes of `count` elements that lie side by side. Raises an error where rows of so many would begin within a byte.
    std::size_t bytes_of(std::int64_t count) const {
        const auto bits = static_cast<std::int64_t>(bit_width(type));
        if (bits * (count % 8) % 8 != 0) fail({count, " elements of ", name(type), " do not fill whole bytes"});
        return byte_size(type, static_cast<std::size_t>(count));
    }
    /// Gives it a shape and room for the elements; what they are is left open.
    void reshape(const shape& wanted) {
        if (has_room && wanted == dimensions) return;
        become(wanted);
    }
    /// Gives it a type; elements of another are lost.
    void retype(element wanted) {
        if (wanted == type) return;
        type = wanted;
        has_room = false;
    }

private:
    bool has_room = false;  // for its type and shape

    void become(const shape& wanted) {
        if (!wanted.is_possible() || wanted.is_dynamic()) fail({"a tensor cannot have the shape ", wanted});
        has_room = false;
        dimensions = wanted;
        ++reshaped;
        memory.resize(byte_size(type, dimensions.elements()));
        has_room = true;
    }
};

/// A tensor of a type that an operation needs beside its outputs, of the memory that these may take.
inline value like(element type, const value& output) {
    value result;
    result.type = type;
    result.memory = value_memory(output.memory.budget());
    return result;
}

/// How the codes of a tensor stand for real numbers, one scale for all.
struct quantized {
    float scale = 1;
    std::int32_t zero_point = 0;
};

/// Codes that an output may take.
struct code_range {
    std::int32_t lowest = -128;
    std::int32_t highest = 127;

    std::int32_t clamp(std::int64_t code) const {
        return static_cast<std::int32_t>(code < lowest ? lowest : code > highest ? highest : code);
    }
};

/// The codes of a type, as far as 32 bits hold them.
inline code_range range_of(element type) {
    const element_facts& range = facts(type);
    return {static_cast<std::int32_t>(std::max(range.lowest, double{INT32_MIN})),
            static_cast<std::int32_t>(std::min(range.highest, double{INT32_MAX}))};
}

/// An operation of a file, as kernels see it when they are made.
class operation {
    const tflite::model* model_;
    const tflite::subgraph* net_;
    const tflite::operator_info* info_;
    std::int64_t index_;
    const kernel::kernel_table* kernels_;
    kernel::parallel_for parallel_;
    plan::zeroed_blocks* blocks_;

    const tflite::tensor_info* at(const std::vector<std::int64_t>& tensors, std::size_t index) const {
        if (index >= tensors.size() || tensors[index] < 0) return nullptr;
        return &net_->tensors[static_cast<std::size_t>(tensors[index])];
    }

public:
    /// `kernels` may be null: then loops of the definition run. `blocks`, which may be null, give memory for packed weights.
    operation(const tflite::model& model, const tflite::subgraph& net, std::int64_t index,
              const kernel::kernel_table* kernels = nullptr, const kernel::parallel_for& parallel = {},
              plan::zeroed_blocks* blocks = nullptr)
        : model_(&model),
          net_(&net),
          info_(&net.operators[static_cast<std::size_t>(index)]),
          index_(index),
          kernels_(kernels),
          parallel_(parallel),
          blocks_(blocks) {}

    const tflite::operator_info& info() const { return *info_; }
    const kernel::kernel_table* kernels() const { return kernels_; }
    const kernel::parallel_for& parallel() const { return parallel_; }
    /// Memory that a step keeps beside the tensors.
    plan::zeroed_memory memory(std::size_t bytes) const {
        return blocks_ != nullptr ? blocks_->take(bytes) : plan::zeroed_memory(bytes);
    }
    tflite::builtin code() const { return info_->code; }
    std::size_t inputs() const { return info_->inputs.size(); }
    std::size_t outputs() const { return info_->outputs.size(); }

    /// Raises an error about this operation.
    template <class... Parts>
    [[noreturn]] void wrong(const Parts&... parts) const {
        fail({tflite::place{model_->file, -1, index_, info_->name()}, ": ", parts...});
    }

    bool has_input(std::size_t index) const { return at(info_->inputs, index) != nullptr; }
    const tflite::tensor_info& input(std::size_t index) const {
        const tflite::tensor_info* const found = at(info_->inputs, index);
        if (found == nullptr) wrong("input ", index, " is missing");
        return *found;
    }
    const tflite::tensor_info& output(std::size_t index) const {
        const tflite::tensor_info* const found = at(info_->outputs, index);
        if (found == nullptr) wrong("output ", index, " is missing");
        return *found;
    }
    const tflite::tensor_info& intermediate(std::size_t index) const {
        const tflite::tensor_info* const found = at(info_->intermediates, index);
        if (found == nullptr) wrong("intermediate tensor ", index, " is missing");
        return *found;
    }

    element type_of_input(std::size_t index) const { return tflite::element_of(input(index).type); }
    element type_of_output(std::size_t index) const { return tflite::element_of(output(index).type); }
    void expect_type(const tflite::tensor_info& tensor, element wanted) const {
        if (tflite::element_of(tensor.type) != wanted)
            wrong("tensor '", tensor.name, "' is ", tflite::name(tensor.type), ", expected ", lpt::name(wanted));
    }
    /// Raises an error unless the first inputs and the output, as many as there are of each, are int8.
    void expect_codes(std::size_t inputs) const {
        for (std::size_t i = 0; i < inputs; ++i)
            expect_type(input(i), i8);
        expect_type(output(0), i8);
    }

    float usable_scale(const tflite::tensor_info& tensor, std::size_t index) const {
        const float scale = tensor.quantized.scales[index];
        if (!(scale > 0) || !(scale <= 3.4028234663852886e38F))
            wrong("tensor '", tensor.name, "' has the scale ", static_cast<double>(scale),
                  ", expected one that is finite and above 0");
        return scale;
    }
    std::int32_t usable_zero_point(const tflite::tensor_info& tensor, std::size_t index) const {
        if (index >= tensor.quantized.zero_points.size()) return 0;
        const std::int64_t zero_point = tensor.quantized.zero_points[index];
        const element_facts& range = facts(tflite::element_of(tensor.type));
        if (static_cast<double>(zero_point) < range.lowest || static_cast<double>(zero_point) > range.highest)
            wrong("tensor '", tensor.name, "' has the zero point ", zero_point, ", which ", range.name,
                  " does not hold");
        return static_cast<std::int32_t>(zero_point);
    }
    /// The quantization of an activation.
    quantized quantization_of(const tflite::tensor_info& tensor) const {
        if (tensor.quantized.scales.empty()) wrong("tensor '", tensor.name, "' has no quantization");
        if (tensor.quantized.scales.size() != 1)
            wrong("tensor '", tensor.name, "' has ", tensor.quantized.scales.size(), " scales, expected one");
        return {usable_scale(tensor, 0), usable_zero_point(tensor, 0)};
    }
    quantized in(std::size_t index) const { return quantization_of(input(index)); }
    quantized out(std::size_t index = 0) const { return quantization_of(output(index)); }

    /// One scale for each of `channels`, along `axis` of a tensor, which is symmetric unless it `may_have_zero_points`.
    std::vector<double> channel_scales(const tflite::tensor_info& tensor, std::size_t axis, std::int64_t channels,
                                       bool may_have_zero_points = false) const {
        const std::size_t count = tensor.quantized.scales.size();
        if (count == 0) wrong("tensor '", tensor.name, "' has no quantization");
        if (count != 1 && tensor.quantized.axis != static_cast<std::int32_t>(axis))
            wrong("tensor '", tensor.name, "' has its scales along axis ", tensor.quantized.axis, ", expected ", axis);
        if (count != 1 && count != static_cast<std::size_t>(channels))
            wrong("tensor '", tensor.name, "' has ", count, " scales, expected ", channels);
        for (std::size_t i = 0; i < tensor.quantized.zero_points.size(); ++i) {
            if (!may_have_zero_points && tensor.quantized.zero_points[i] != 0)
                wrong("tensor '", tensor.name, "' has a zero point other than 0");
        }
        std::vector<double> result(static_cast<std::size_t>(channels));
        for (std::size_t i = 0; i < result.size(); ++i)
            result[i] = static_cast<double>(usable_scale(tensor, count == 1 ? 0 : i));
        return result;
    }

    bool has_option(text_view field) const { return info_->find(field) != nullptr; }
    std::int64_t option(text_view field) const {
        if (!has_option(field)) wrong("option ", field, " is missing");
        return info_->integer(field);
    }
    double real_option(text_view field) const {
        if (!has_option(field)) wrong("option ", field, " is missing");
        return info_->real(field);
    }
    std::int64_t positive_option(text_view field) const {
        const std::int64_t result = option(field);
        if (result <= 0 || result > INT32_MAX) wrong("option ", field, " is ", result, ", expected a positive number");
        return result;
    }

    /// The codes that the fused activation leaves to an output: those of v stand at z + round(v / s).
    code_range activated(tflite::activation function, const tflite::tensor_info& tensor) const {
        code_range result = range_of(tflite::element_of(tensor.type));
        if (function == tflite::activation::none) return result;
        const quantized output = quantization_of(tensor);
        const auto code_of = [&](float real) {
            return output.zero_point +
                   arithmetic::tflite_reference::round_half_away(static_cast<double>(real / output.scale));
        };
        switch (function) {
            case tflite::activation::relu: result.lowest = result.clamp(code_of(0)); break;
            case tflite::activation::relu6: result = {result.clamp(code_of(0)), result.clamp(code_of(6))}; break;
            case tflite::activation::relu_n1_to_1:
                result = {result.clamp(code_of(-1)), result.clamp(code_of(1))};
                break;
            default: wrong("this fused activation is not known in 8 bits");
        }
        return result;
    }
    code_range activated() const { return activated(info_->activation(), output(0)); }
};

/// The values of an operation's tensors while it runs.
class operands {
    const tflite::operator_info* info_;
    std::vector<value>* values_;

    /// A tensor of a list of the operation; where the file leaves it out, kernels that ask for it have no answer.
    value& at(const std::vector<std::int64_t>& tensors, std::size_t index, text_view what) const {
        if (index >= tensors.size() || tensors[index] < 0) fail({what, " ", index, " is missing"});
        return (*values_)[static_cast<std::size_t>(tensors[index])];
    }

public:
    operands(const tflite::operator_info& info, std::vector<value>& values) : info_(&info), values_(&values) {}

    bool has_input(std::size_t index) const { return index < info_->inputs.size() && info_->inputs[index] >= 0; }
    std::size_t inputs() const { return info_->inputs.size(); }
    std::size_t outputs() const { return info_->outputs.size(); }
    bool has_output(std::size_t index) const { return index < info_->outputs.size() && info_->outputs[index] >= 0; }
    const value& in(std::size_t index) const { return at(info_->inputs, index, "input"); }
    /// A tensor by its number in the file.
    const value& tensor(std::int64_t number) const { return (*values_)[static_cast<std::size_t>(number)]; }
    /// The state that an operation changes.
    value& state(std::size_t index) const { return at(info_->inputs, index, "input"); }
    value& out(std::size_t index = 0) const { return at(info_->outputs, index, "output"); }
};

/// A kernel with everything that it knows before it runs.
using step = std::function<void(const operands&)>;

/// What a step knows for the shapes of its operands and the values of some inputs: made in the first run, then again only where a shape is
/// another, or where one of these inputs is no constant. What makes it gives the outputs their shapes.
template <class Known>
class for_shapes {
    std::vector<std::size_t> values_;
    std::vector<const value*> operands_;
    bool is_kept_ = false;
    std::uint64_t reshaped_ = 0;  // all operands together
    Known known_{};

    /// Grows with each shape that becomes another: a step's operands always are the same values.
    std::uint64_t reshaped() const {
        std::uint64_t result = 0;
        for (const value* each : operands_)
            result += each->reshaped;
        return result;
    }
    void keep_operands(const operands& run) {
        operands_.clear();
        for (std::size_t i = 0; i < run.inputs(); ++i)
            if (run.has_input(i)) operands_.push_back(&run.in(i));
        for (std::size_t i = 0; i < run.outputs(); ++i)
            if (run.has_output(i)) operands_.push_back(&run.out(i));
    }

public:
    /// `values`: the inputs whose values matter.
    explicit for_shapes(std::vector<std::size_t> values) : values_(lpt::move(values)) {}

    /// `make(known)` fills an empty one.
    template <class Make>
    Known& of(const operands& run, const Make& make) {
        if (is_kept_ && reshaped_ == reshaped()) return known_;
        is_kept_ = false;
        known_ = Known();
        make(known_);
        keep_operands(run);
        reshaped_ = reshaped();
        is_kept_ = true;
        for (const std::size_t each : values_)
            is_kept_ = is_kept_ && (!run.has_input(each) || run.in(each).constant != nullptr);
        return known_;
    }
};

/// Calls f(i) for i in [0, count), each of about `bytes` bytes, on as many threads as that is worth.
template <class Function>
void share(const kernel::parallel_for& parallel, std::int64_t count, std::int64_t bytes, const Function& f) {
    constexpr std::int64_t least_bytes = 16384;  // of a task: about a microsecond, as a round of threads
    struct job {
        const Function* f;
        std::int64_t count, tasks;
        static void run(void* context, int index) {
            const job& self = *static_cast<const job*>(context);
            const std::int64_t begin =
                self.count / self.tasks * index + std::min<std::int64_t>(index, self.count % self.tasks);
            const std::int64_t end = begin + self.count / self.tasks + (index < self.count % self.tasks ? 1 : 0);
            for (std::int64_t i = begin; i < end; ++i)
                (*self.f)(i);
        }
    };
    const std::int64_t worth =
        count == 0 || bytes >= least_bytes ? count : count / ((least_bytes + bytes) / (bytes + 1));
    const std::int64_t most = parallel.run == nullptr ? 1 : std::max(1, parallel.threads);
    job work{&f, count, std::max<std::int64_t>(1, std::min(most, worth))};
    if (work.tasks == 1)
        job::run(&work, 0);
    else
        parallel.run(parallel.pool, static_cast<int>(work.tasks), &job::run, &work);
}

/// An axis of a tensor, counted from its end where it is negative.
inline std::size_t axis_of(std::int64_t axis, std::size_t rank) {
    const auto size = static_cast<std::int64_t>(rank);
    if (axis < -size || axis >= size) fail({"axis ", axis, " of a tensor with ", rank, " axes"});
    return static_cast<std::size_t>(axis < 0 ? axis + size : axis);
}

/// The product of sizes [first, last).
inline std::int64_t product(const shape& dimensions, std::size_t first, std::size_t last) {
    std::int64_t result = 1;
    for (std::size_t i = first; i < last; ++i)
        result *= dimensions[i];
    return result;
}

/// Calls `visit(index)` for each position of a shape, the last axis fastest; `index` is a vector of positions along the axes.
template <class Visit>
void for_each_position(const shape& dimensions, Visit visit) {
    const std::size_t rank = dimensions.rank();
    std::vector<std::int64_t> index(rank, 0);
    const auto count = static_cast<std::int64_t>(dimensions.elements());
    for (std::int64_t i = 0; i < count; ++i) {
        visit(index);
        for (std::size_t axis = rank; axis-- > 0;) {
            if (++index[axis] < dimensions[axis]) break;
            index[axis] = 0;
        }
    }
}

/// Elements from one position to the next along each axis.
inline std::vector<std::int64_t> strides_of(const shape& dimensions) {
    std::vector<std::int64_t> result(dimensions.rank(), 1);
    for (std::size_t axis = dimensions.rank(); axis-- > 1;)
        result[axis - 1] = result[axis] * dimensions[axis];
    return result;
}

}  // namespace lpt::inline LPT_ABI::specified
#endif

// ======== lpt/specified/broadcast.hpp
#ifndef LPT_HOLDS_SPECIFIED_BROADCAST_HPP
#define LPT_HOLDS_SPECIFIED_BROADCAST_HPP
// Loops over tensors that are repeated along axes of size 1.

namespace lpt::inline LPT_ABI::specified {

/// The shape of a function of tensors: axes are aligned at the end, those of size 1 repeat. Raises an error where sizes do not fit.
inline shape broadcast(const shape& left, const shape& right) {
    const std::size_t rank = std::max(left.rank(), right.rank());
    const shape a = left.padded_left(rank);
    const shape b = right.padded_left(rank);
    shape result = a;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        if (a[axis] != b[axis] && a[axis] != 1 && b[axis] != 1)
            fail({"shapes ", left, " and ", right, " do not fit together"});
        result[axis] = a[axis] == 1 ? b[axis] : a[axis];
    }
    return result;
}

namespace detail {

/// Sizes and steps of `Count` tensors that are walked together; neighbouring axes that all of them walk evenly are one.
template <std::size_t Count>
struct walk {
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> steps[Count];

    void add_axis(std::int64_t size, const std::int64_t* steps_of_axis) {
        bool merges = !sizes.empty();
        for (std::size_t k = 0; k < Count && merges; ++k)
            merges = steps[k].back() == steps_of_axis[k] * size;
        if (merges) {
            sizes.back() *= size;
        } else {
            sizes.push_back(size);
        }
        for (std::size_t k = 0; k < Count; ++k) {
            if (merges) {
                steps[k].back() = steps_of_axis[k];
            } else {
                steps[k].push_back(steps_of_axis[k]);
            }
        }
    }
};

}  // namespace detail

/// Calls `run(first, at, steps, count)` for rows that make up `output`: `count` elements from `first`, of tensor k those from
/// `at[k]` in steps of `steps[k]` (0 or more).
template <std::size_t Count, class Run>
void for_each_row(const shape& output, const shape* const (&tensors)[Count], Run run) {
    detail::walk<Count> walk;
    std::vector<std::int64_t> strides[Count];
    shape padded[Count];
    for (std::size_t k = 0; k < Count; ++k) {
        padded[k] = tensors[k]->padded_left(output.rank());
        strides[k] = strides_of(padded[k]);
    }
    for (std::size_t axis = 0; axis < output.rank(); ++axis) {
        if (output[axis] == 1) continue;
        std::int64_t steps[Count];
        for (std::size_t k = 0; k < Count; ++k)
            steps[k] = padded[k][axis] == 1 ? 0 : strides[k][axis];
        walk.add_axis(output[axis], steps);
    }
    if (walk.sizes.empty()) {
        const std::int64_t ones[Count] = {};
        walk.add_axis(1, ones);
    }
    const std::int64_t count = walk.sizes.back();
    const auto total = static_cast<std::int64_t>(output.elements());
    std::vector<std::int64_t> index(walk.sizes.size(), 0);
    std::int64_t steps[Count];
    for (std::size_t k = 0; k < Count; ++k)
        steps[k] = walk.steps[k].back();
    for (std::int64_t first = 0; first < total; first += count) {
        std::int64_t at[Count] = {};
        for (std::size_t axis = 0; axis + 1 < index.size(); ++axis) {
            for (std::size_t k = 0; k < Count; ++k)
                at[k] += index[axis] * walk.steps[k][axis];
        }
        run(first, at, steps, count);
        for (std::size_t axis = index.size() - 1; axis-- > 0;) {
            if (++index[axis] < walk.sizes[axis]) break;
            index[axis] = 0;
        }
    }
}

/// output[i] = function(a[i], b[i]), broadcast.
template <class Output, class Left, class Right, class Function>
void apply(const operands& run, std::size_t left, std::size_t right, Function function) {
    const value& a = run.in(left);
    const value& b = run.in(right);
    value& output = run.out();
    output.reshape(broadcast(a.dimensions, b.dimensions));
    const Left* of_a = a.as<Left>();
    const Right* of_b = b.as<Right>();
    Output* to = output.to<Output>();
    for_each_row<2>(output.dimensions, {&a.dimensions, &b.dimensions},
                    [&](std::int64_t first, const std::int64_t* at, const std::int64_t* steps, std::int64_t count) {
                        for (std::int64_t i = 0; i < count; ++i)
                            to[first + i] =
                                static_cast<Output>(function(of_a[at[0] + i * steps[0]], of_b[at[1] + i * steps[1]]));
                    });
}

}  // namespace lpt::inline LPT_ABI::specified
#endif

// ======== lpt/specified/fixed_point.hpp
#ifndef LPT_HOLDS_SPECIFIED_FIXED_POINT_HPP
#define LPT_HOLDS_SPECIFIED_FIXED_POINT_HPP
// Functions in fixed point: integers of 32 or 16 bits with a known number of integer bits, products rounded to the high half.

namespace lpt::inline LPT_ABI::arithmetic {

/// An integer of 32 or 16 bits, held in 32.
template <int Bits>
struct raw_number {
    static constexpr std::int32_t highest = Bits == 32 ? INT32_MAX : INT16_MAX;

    static constexpr std::int32_t saturated(std::int64_t value) {
        return value < -std::int64_t{highest} - 1 ? -highest - 1
               : value > highest                  ? highest
                                                  : static_cast<std::int32_t>(value);
    }
    static constexpr std::int32_t wrapped(std::int64_t value) {
        return Bits == 32 ? static_cast<std::int32_t>(value) : static_cast<std::int16_t>(value);
    }
    /// a * b / 2^(Bits - 1), rounded half up.
    static constexpr std::int32_t high_product(std::int32_t a, std::int32_t b) {
        return saturated((std::int64_t{a} * b + (std::int64_t{1} << (Bits - 2))) >> (Bits - 1));
    }
};

/// A number in `Bits` bits, `IntegerBits` of them before the point: raw / 2^(Bits - 1 - IntegerBits). Sums wrap around.
template <int IntegerBits, int Bits = 32>
struct fixed {
    static constexpr int fractional_bits = Bits - 1 - IntegerBits;
    std::int32_t raw = 0;

    static constexpr fixed one() {
        return {IntegerBits == 0 ? raw_number<Bits>::highest : std::int32_t{1} << fractional_bits};
    }
    /// A constant that is written with 32 bits.
    static constexpr fixed constant(std::int32_t of_32_bits) {
        return {tflite_reference::divide_by_power(of_32_bits, 32 - Bits)};
    }
    /// The same number with other integer bits: rounded half away, or saturated.
    template <int Wanted>
    constexpr fixed<Wanted, Bits> rescaled() const {
        if constexpr (Wanted >= IntegerBits) {
            return {tflite_reference::divide_by_power(raw, Wanted - IntegerBits)};
        } else {
            return {raw_number<Bits>::saturated(std::int64_t{raw} * (std::int64_t{1} << (IntegerBits - Wanted)))};
        }
    }
    /// The number divided by 2^Exponent, rounded half away.
    template <int Exponent>
    constexpr fixed divided() const {
        return {tflite_reference::divide_by_power(raw, Exponent)};
    }
    friend constexpr fixed operator+(fixed a, fixed b) {
        return {raw_number<Bits>::wrapped(std::int64_t{a.raw} + b.raw)};
    }
    friend constexpr fixed operator-(fixed a, fixed b) {
        return {raw_number<Bits>::wrapped(std::int64_t{a.raw} - b.raw)};
    }
    constexpr fixed operator-() const { return {raw_number<Bits>::wrapped(-std::int64_t{raw})}; }
};

template <int A, int B, int Bits>
constexpr fixed<A + B, Bits> operator*(fixed<A, Bits> a, fixed<B, Bits> b) {
    return {raw_number<Bits>::high_product(a.raw, b.raw)};
}

/// exp(a) for a in [-1/4, 0): the Taylor polynomial of degree 4 around -1/8. In 16 bits the sum saturates.
template <int Bits>
constexpr fixed<0, Bits> exp_of_quarter(fixed<0, Bits> a) {
    using number = fixed<0, Bits>;
    constexpr number exp_of_minus_eighth = number::constant(1895147668);
    const number x = a + number{std::int32_t{1} << (Bits - 4)};
    const number x2 = x * x;
    const number x3 = x2 * x;
    const number x4_over_4 = (x2 * x2).template divided<2>();
    const number tail = (((x4_over_4 + x3) * number::constant(715827883)) + x2).template divided<1>();
    const number change = exp_of_minus_eighth * (x + tail);
    if constexpr (Bits == 16) return {raw_number<16>::saturated(std::int64_t{exp_of_minus_eighth.raw} + change.raw)};
    return exp_of_minus_eighth + change;
}

/// exp(a) for a <= 0: the part below a quarter by the polynomial, the rest by a product for each bit; 0 below -32.
template <int IntegerBits, int Bits>
constexpr fixed<0, Bits> exp_of_negative(fixed<IntegerBits, Bits> a) {
    using number = fixed<IntegerBits, Bits>;
    if (a.raw == 0) return fixed<0, Bits>::one();
    if constexpr (IntegerBits > 5) {
        if (a.raw < -(std::int32_t{32} << number::fractional_bits)) return {0};
    }
    constexpr std::int32_t quarter = std::int32_t{1} << (number::fractional_bits - 2);
    const number below{(a.raw & (quarter - 1)) - quarter};
    fixed<0, Bits> result = exp_of_quarter(below.template rescaled<0>());
    const std::int32_t rest = raw_number<Bits>::wrapped(std::int64_t{below.raw} - a.raw);
    constexpr std::int32_t exp_of_powers[] = {1672461947, 1302514674, 790015084, 290630308,
                                              39332535,   720401,     242};  // exp(-2^k), k = -2...4
    for (int bit = 0; bit < 7 && bit - 2 < IntegerBits; ++bit) {
        if ((rest >> (number::fractional_bits - 2 + bit) & 1) != 0)
            result = result * fixed<0, Bits>::constant(exp_of_powers[bit]);
    }
    return result;
}

/// 2 / (1 + a) with 2 integer bits for a in [0, 1): three Newton steps from 48/17 - 32/17 * (1 + a) / 2.
template <int Bits>
constexpr fixed<2, Bits> twice_reciprocal_of_one_plus(fixed<0, Bits> a) {
    using number = fixed<2, Bits>;
    const fixed<0, Bits> half_denominator{
        static_cast<std::int32_t>((std::int64_t{a.raw} + fixed<0, Bits>::one().raw + 1) / 2)};
    number x = number::constant(1515870810) + half_denominator * number::constant(-1010580540);
    for (int i = 0; i < 3; ++i) {
        const number error = number::one() - half_denominator * x;
        x = x + (x * error).template rescaled<2>();
    }
    return x;
}

/// 1 / (1 + a) for a in [0, 1).
template <int Bits>
constexpr fixed<0, Bits> reciprocal_of_one_plus(fixed<0, Bits> a) {
    return fixed<1, Bits>{twice_reciprocal_of_one_plus(a).raw}.template rescaled<0>();
}

/// 1 / (1 + exp(-a)).
template <int IntegerBits, int Bits>
constexpr fixed<0, Bits> logistic(fixed<IntegerBits, Bits> a) {
    if (a.raw == 0) return {std::int32_t{1} << (Bits - 2)};
    const fixed<0, Bits> of_positive = reciprocal_of_one_plus(exp_of_negative(a.raw > 0 ? -a : a));
    return a.raw > 0 ? of_positive : fixed<0, Bits>::one() - of_positive;
}

/// (1 - exp(-2 a)) / (1 + exp(-2 a)).
template <int IntegerBits, int Bits>
constexpr fixed<0, Bits> tanh(fixed<IntegerBits, Bits> a) {
    if (a.raw == 0) return {0};
    const fixed<IntegerBits + 1, Bits> twice{a.raw < 0 ? a.raw : (-a).raw};
    const fixed<2, Bits> x = twice_reciprocal_of_one_plus(exp_of_negative(twice));
    const fixed<0, Bits> of_positive = (x - fixed<2, Bits>::one()).template rescaled<0>();
    return a.raw < 0 ? -of_positive : of_positive;
}

constexpr int leading_zeros(std::uint32_t value) { return value == 0 ? 32 : __builtin_clz(value); }

/// 1 / x for x > 0 with `integer_bits` integer bits, as a number in (1/2, 1] and the bits that x has over 1.
struct reciprocal {
    fixed<0> scale;
    int bits_over_unit = 0;
};
constexpr reciprocal reciprocal_of(std::int32_t x, int integer_bits) {
    const int headroom = leading_zeros(static_cast<std::uint32_t>(x));
    const auto over_one =
        static_cast<std::int32_t>((static_cast<std::uint32_t>(x) << headroom) - (std::uint32_t{1} << 31));
    return {reciprocal_of_one_plus(fixed<0>{over_one}), integer_bits - headroom};
}

/// 1 / sqrt(value) in fixed point, value >= 0 (0 counts as 1): five Newton steps with 3 integer bits.
constexpr multiplier inverse_square_root(std::int32_t value) {
    if (value <= 1) return {INT32_MAX, 0};
    int shift = 11;
    while (value >= std::int32_t{1} << 29) {
        value /= 4;
        ++shift;
    }
    const int pairs = (leading_zeros(static_cast<std::uint32_t>(value)) - 1) / 2 - 1;
    shift -= pairs;
    value <<= 2 * pairs;
    const fixed<3> half{tflite_reference::divide_by_power(value >> 1, 1)};
    constexpr fixed<3> three_halves{(std::int32_t{1} << 28) + (std::int32_t{1} << 27)};
    fixed<3> x = fixed<3>::one();
    for (int i = 0; i < 5; ++i) {
        const fixed<3> cube = (x * x * x).rescaled<3>();
        x = (three_halves * x - half * cube).rescaled<3>();
    }
    constexpr fixed<0> half_root_of_two{1518500250};
    std::int32_t result = (x * half_root_of_two).raw;
    if (shift < 0) {
        result = tflite_reference::shift_left(result, -shift);
        shift = 0;
    }
    return {result, -shift};
}

}  // namespace lpt::inline LPT_ABI::arithmetic
#endif

// ======== lpt/specified/elementwise.hpp
#ifndef LPT_HOLDS_SPECIFIED_ELEMENTWISE_HPP
#define LPT_HOLDS_SPECIFIED_ELEMENTWISE_HPP
// Functions of two tensors: ADD, SUB, MUL, DIV, SQUARED_DIFFERENCE, MAXIMUM, MINIMUM, PRELU, SELECT and the comparisons.

namespace lpt::inline LPT_ABI::specified {

/// A number for each int8 code.
template <class Number>
struct code_table {
    std::array<Number, 256> of{};

    template <class Function>
    static code_table made_of(Function function) {
        code_table result;
        for (int code = -128; code <= 127; ++code)
            result.of[static_cast<std::size_t>(code + 128)] = static_cast<Number>(function(code));
        return result;
    }
    Number operator[](std::int8_t code) const { return of[static_cast<std::size_t>(code + 128)]; }
};

/// A table that a step keeps beside itself. Closures stay small: g++ 12 loses members behind large arrays when it copies one.
template <class Table>
std::shared_ptr<const Table> kept(const Table& table) {
    return std::make_shared<const Table>(table);
}

namespace detail {

/// T((q - z) << left, M(scale)) for each code.
template <class Arithmetic>
std::shared_ptr<const code_table<std::int32_t>> scaled_codes(quantized from, int left, double scale) {
    const arithmetic::multiplier by = Arithmetic::of(scale);
    return kept(code_table<std::int32_t>::made_of(
        [&](int code) { return Arithmetic::scale((code - from.zero_point) * (1 << left), by); }));
}

}  // namespace detail

/// ADD, SUB: t = 2 max(s_1, s_2), x_k = T((q_k - z_k) << 20, M(s_k / t)), T(x_1 +- x_2, M(t / (2^20 s_o))) + z_o.
template <class Arithmetic>
step make_sum(const operation& op) {
    op.expect_codes(2);
    const bool subtracts = op.code() == tflite::builtin::sub;
    const quantized a = op.in(0), b = op.in(1), o = op.out();
    const double twice = 2 * std::max(static_cast<double>(a.scale), static_cast<double>(b.scale));
    constexpr int left = 20;
    const auto of_a = detail::scaled_codes<Arithmetic>(a, left, static_cast<double>(a.scale) / twice);
    const auto of_b = detail::scaled_codes<Arithmetic>(b, left, static_cast<double>(b.scale) / twice);
    const arithmetic::multiplier by = Arithmetic::of(twice / ((1 << left) * static_cast<double>(o.scale)));
    const code_range range = op.activated();
    return [=](const operands& run) {
        apply<std::int8_t, std::int8_t, std::int8_t>(run, 0, 1, [&](std::int8_t x, std::int8_t y) {
            const std::int32_t sum = subtracts ? (*of_a)[x] - (*of_b)[y] : (*of_a)[x] + (*of_b)[y];
            return range.clamp(std::int64_t{Arithmetic::scale(sum, by)} + o.zero_point);
        });
    };
}

/// MUL: T((q_1 - z_1) (q_2 - z_2), M(s_1 s_2 / s_o)) + z_o.
template <class Arithmetic>
step make_product(const operation& op) {
    op.expect_codes(2);
    const quantized a = op.in(0), b = op.in(1), o = op.out();
    const arithmetic::multiplier by =
        Arithmetic::of(static_cast<double>(a.scale) * static_cast<double>(b.scale) / static_cast<double>(o.scale));
    const code_range range = op.activated();
    return [=](const operands& run) {
        apply<std::int8_t, std::int8_t, std::int8_t>(run, 0, 1, [&](std::int8_t x, std::int8_t y) {
            return range.clamp(std::int64_t{Arithmetic::scale((x - a.zero_point) * (y - b.zero_point), by)} +
                               o.zero_point);
        });
    };
}

/// DIV: the reciprocal of the divisor by Newton steps, the quotient with all headroom that the dividend has, one scale at the end.
/// A divisor whose real value is 0 is an error.
template <class Arithmetic>
step make_quotient(const operation& op) {
    op.expect_codes(2);
    const quantized a = op.in(0), b = op.in(1), o = op.out();
    const arithmetic::multiplier by =
        Arithmetic::of(static_cast<double>(a.scale) / (static_cast<double>(b.scale) * static_cast<double>(o.scale)));
    const code_range range = op.activated();
    const auto quotient = [=](std::int8_t x, std::int8_t y) {
        const std::int32_t dividend = x - a.zero_point;
        const std::int32_t divisor = y - b.zero_point;
        if (divisor == 0) fail({"DIV: a divisor is 0"});
        const arithmetic::reciprocal inverse = arithmetic::reciprocal_of(divisor < 0 ? -divisor : divisor, 31);
        const int headroom =
            arithmetic::leading_zeros(static_cast<std::uint32_t>(dividend < 0 ? ~dividend : dividend)) - 1;
        const std::int32_t raw = divisor < 0 ? -inverse.scale.raw : inverse.scale.raw;
        const std::int32_t unscaled =
            Arithmetic::doubling_high_product(Arithmetic::shift_left(dividend, headroom), raw);
        const int shift = by.exponent - inverse.bits_over_unit - headroom;
        // Of a shift by more than 31 bits to the right the reference keeps the rounding.
        if (dividend == 0) return range.clamp((shift < -31 ? 1 : 0) + o.zero_point);
        return range.clamp(std::int64_t{Arithmetic::scale(unscaled, {by.significand, shift})} + o.zero_point);
    };
    return [=](const operands& run) { apply<std::int8_t, std::int8_t, std::int8_t>(run, 0, 1, quotient); };
}

/// SQUARED_DIFFERENCE: x_k as for ADD with 7 bits; T((x_1 - x_2)^2, M(t^2 / (2^14 s_o))) + z_o.
template <class Arithmetic>
step make_squared_difference(const operation& op) {
    op.expect_codes(2);
    const quantized a = op.in(0), b = op.in(1), o = op.out();
    const double twice = 2 * std::max(static_cast<double>(a.scale), static_cast<double>(b.scale));
    constexpr int left = 7;
    const auto of_a = detail::scaled_codes<Arithmetic>(a, left, static_cast<double>(a.scale) / twice);
    const auto of_b = detail::scaled_codes<Arithmetic>(b, left, static_cast<double>(b.scale) / twice);
    const arithmetic::multiplier by = Arithmetic::of(twice * twice / ((1 << 2 * left) * static_cast<double>(o.scale)));
    const code_range range = op.activated();
    return [=](const operands& run) {
        apply<std::int8_t, std::int8_t, std::int8_t>(run, 0, 1, [&](std::int8_t x, std::int8_t y) {
            const std::int32_t difference = (*of_a)[x] - (*of_b)[y];
            return range.clamp(std::int64_t{Arithmetic::scale(difference * difference, by)} + o.zero_point);
        });
    };
}

/// MAXIMUM, MINIMUM: codes are compared, of whatever scale.
inline step make_extreme(const operation& op) {
    op.expect_codes(2);
    const bool largest = op.code() == tflite::builtin::maximum;
    return [=](const operands& run) {
        apply<std::int8_t, std::int8_t, std::int8_t>(
            run, 0, 1, [&](std::int8_t x, std::int8_t y) { return largest ? std::max(x, y) : std::min(x, y); });
    };
}

/// Comparisons: T((q_1 - z_1) << 8, M(s_1)) against T((q_2 - z_2) << 8, M(s_2)).
template <class Arithmetic>
step make_comparison(const operation& op) {
    op.expect_type(op.input(0), i8);
    op.expect_type(op.input(1), i8);
    op.expect_type(op.output(0), boolean);
    constexpr int left = 8;
    const auto of_a = detail::scaled_codes<Arithmetic>(op.in(0), left, static_cast<double>(op.in(0).scale));
    const auto of_b = detail::scaled_codes<Arithmetic>(op.in(1), left, static_cast<double>(op.in(1).scale));
    const tflite::builtin code = op.code();
    return [=](const operands& run) {
        apply<std::uint8_t, std::int8_t, std::int8_t>(run, 0, 1, [&](std::int8_t left_code, std::int8_t right_code) {
            const std::int32_t x = (*of_a)[left_code];
            const std::int32_t y = (*of_b)[right_code];
            switch (code) {
                case tflite::builtin::less: return x < y;
                case tflite::builtin::less_equal: return x <= y;
                case tflite::builtin::greater: return x > y;
                case tflite::builtin::greater_equal: return x >= y;
                case tflite::builtin::equal: return x == y;
                default: return x != y;
            }
        });
    };
}

/// PRELU of real numbers, as it stands between DEQUANTIZE and QUANTIZE: x where x >= 0, else x a.
inline step make_real_prelu(const operation& op) {
    op.expect_type(op.input(1), f32);
    op.expect_type(op.output(0), f32);
    return [](const operands& run) {
        apply<float, float, float>(run, 0, 1, [](float x, float slope) { return x >= 0 ? x : x * slope; });
    };
}

/// PRELU: T(q - z_i, M(s_i / s_o)) where q >= z_i, else T((q - z_i) (a - z_a), M(s_i s_a / s_o)); + z_o.
template <class Arithmetic>
step make_prelu(const operation& op) {
    if (op.type_of_input(0) == f32) return make_real_prelu(op);
    op.expect_codes(2);
    const quantized a = op.in(0), slope = op.in(1), o = op.out();
    const arithmetic::multiplier positive = Arithmetic::of(static_cast<double>(a.scale / o.scale));
    const arithmetic::multiplier negative = Arithmetic::of(static_cast<double>(a.scale * slope.scale / o.scale));
    const code_range range;
    return [=](const operands& run) {
        apply<std::int8_t, std::int8_t, std::int8_t>(run, 0, 1, [&](std::int8_t x, std::int8_t y) {
            const std::int32_t input = x - a.zero_point;
            const std::int32_t result = input >= 0 ? Arithmetic::scale(input, positive)
                                                   : Arithmetic::scale(input * (y - slope.zero_point), negative);
            return range.clamp(std::int64_t{result} + o.zero_point);
        });
    };
}

/// SELECT, SELECT_V2: elements of the second input where the condition holds, else of the third. SELECT's condition may be a vector that
/// chooses along the first axis.
inline step make_selection(const operation& op) {
    op.expect_type(op.input(0), boolean);
    const element type = op.type_of_output(0);
    op.expect_type(op.input(1), type);
    op.expect_type(op.input(2), type);
    const bool along_first = op.code() == tflite::builtin::select;
    return [=](const operands& run) {
        const value& condition = run.in(0);
        const value& yes = run.in(1);
        const value& no = run.in(2);
        const std::size_t size = yes.bytes_of(1);
        shape of_condition = condition.dimensions;
        if (along_first && of_condition.rank() == 1 && yes.dimensions.rank() > 1) {
            of_condition = shape::of_ones(yes.dimensions.rank());
            of_condition[0] = condition.dimensions[0];
        }
        value& output = run.out();
        output.reshape(broadcast(broadcast(yes.dimensions, no.dimensions), of_condition));
        const std::uint8_t* chooses = condition.as<std::uint8_t>();
        std::byte* to = output.to<std::byte>();
        for_each_row<3>(output.dimensions, {&of_condition, &yes.dimensions, &no.dimensions},
                        [&](std::int64_t first, const std::int64_t* at, const std::int64_t* steps, std::int64_t count) {
                            for (std::int64_t i = 0; i < count; ++i) {
                                const bool chosen = chooses[at[0] + i * steps[0]] != 0;
                                const std::byte* from =
                                    chosen ? yes.data() + (at[1] + i * steps[1]) * static_cast<std::int64_t>(size)
                                           : no.data() + (at[2] + i * steps[2]) * static_cast<std::int64_t>(size);
                                std::memcpy(to + (first + i) * static_cast<std::int64_t>(size), from, size);
                            }
                        });
    };
}

}  // namespace lpt::inline LPT_ABI::specified
#endif

// ======== lpt/specified/movement.hpp
#ifndef LPT_HOLDS_SPECIFIED_MOVEMENT_HPP
#define LPT_HOLDS_SPECIFIED_MOVEMENT_HPP
// Movements of whole blocks: codes are copied as they are, of any type. What chooses elements one by one is in selection.hpp.

namespace lpt::inline LPT_ABI::specified {

using strides = std::vector<std::int64_t>;

/// A block of elements in two tensors, each of which it crosses in strides of its own, which may be negative.
class block_copy {
    detail::walk<2> walk_;
    std::int64_t size_ = 1;  // bytes of an element
    std::int64_t from_ = 0;  // bytes from the beginnings of the tensors
    std::int64_t to_ = 0;
    std::vector<std::int64_t> index_;
    std::size_t bytes_ = 0;  // of the block, if it is one run of bytes in both tensors

    void copy_row(const std::byte* from, std::byte* to) const {
        const std::int64_t count = walk_.sizes.back();
        const std::int64_t from_step = walk_.steps[0].back(), to_step = walk_.steps[1].back();
        if (from_step == 1 && to_step == 1) {
            std::memcpy(to, from, static_cast<std::size_t>(count * size_));
        } else if (size_ == 1) {
            for (std::int64_t i = 0; i < count; ++i)
                to[i * to_step] = from[i * from_step];
        } else {
            for (std::int64_t i = 0; i < count; ++i)
                std::memcpy(to + i * to_step * size_, from + i * from_step * size_, static_cast<std::size_t>(size_));
        }
    }

public:
    block_copy() = default;
    /// `sizes` elements of `element_size` bytes; `from` and `to` are the first elements.
    block_copy(const shape& sizes, std::int64_t from, const strides& from_steps, std::int64_t to,
               const strides& to_steps, std::size_t element_size)
        : size_(static_cast<std::int64_t>(element_size)), from_(from * size_), to_(to * size_) {
        if (sizes.elements() == 0) return;
        for (std::size_t axis = 0; axis < sizes.rank(); ++axis) {
            const std::int64_t steps[2] = {from_steps[axis], to_steps[axis]};
            if (sizes[axis] != 1) walk_.add_axis(sizes[axis], steps);
        }
        if (walk_.sizes.empty()) {
            const std::int64_t ones[2] = {1, 1};
            walk_.add_axis(1, ones);
        }
        index_.assign(walk_.sizes.size() - 1, 0);
        const bool is_run = index_.empty() && walk_.steps[0][0] == 1 && walk_.steps[1][0] == 1;
        if (is_run) bytes_ = static_cast<std::size_t>(walk_.sizes[0] * size_);
    }

    /// Copies; `from` and `to` are the tensors.
    void run(const std::byte* from, std::byte* to) {
        if (bytes_ != 0) {
            std::memcpy(to + to_, from + from_, bytes_);
            return;
        }
        if (walk_.sizes.empty()) return;
        from += from_;
        to += to_;
        for (bool done = false; !done;) {
            std::int64_t source = 0, target = 0;
            for (std::size_t axis = 0; axis < index_.size(); ++axis) {
                source += index_[axis] * walk_.steps[0][axis];
                target += index_[axis] * walk_.steps[1][axis];
            }
            copy_row(from + source * size_, to + target * size_);
            done = true;
            for (std::size_t axis = index_.size(); axis-- > 0;) {
                if (++index_[axis] < walk_.sizes[axis]) {
                    done = false;
                    break;
                }
                index_[axis] = 0;
            }
        }
    }
    void run(const value& from, value& to) { run(from.data(), to.to<std::byte>()); }
};

/// Copies from inputs to outputs: what a movement is for given shapes.
class block_copies {
    struct placed {
        std::size_t input, output;
        block_copy block;
        const std::byte* from = nullptr;
        std::byte* to = nullptr;
    };
    std::vector<placed> all_;

public:
    void add(std::size_t input, std::size_t output, block_copy block) {
        all_.push_back({input, output, lpt::move(block)});
    }
    /// All outputs have their shapes, and tensors stay where they are.
    void place(const operands& run) {
        for (placed& each : all_) {
            each.from = run.in(each.input).data();
            each.to = run.out(each.output).to<std::byte>();
        }
    }
    void run() {
        for (placed& each : all_)
            each.block.run(each.from, each.to);
    }
};

/// A step that copies. `plan(run, copies)` gives the outputs their shapes and says what goes where; `values` are the inputs whose values it reads.
template <class Plan>
step make_movement(std::vector<std::size_t> values, const Plan& plan) {
    const auto known = std::make_shared<for_shapes<block_copies>>(lpt::move(values));
    return [=](const operands& run) {
        const auto make = [&](block_copies& copies) {
            plan(run, copies);
            copies.place(run);
        };
        known->of(run, make).run();
    };
}

namespace detail {

/// Raises an error unless an input and an output have one type.
inline void expect_same_type(const operation& op, std::size_t input, std::size_t output = 0) {
    if (op.type_of_input(input) == dynamic) op.wrong("tensors of type ", tflite::name(op.input(input).type));
    op.expect_type(op.output(output), op.type_of_input(input));
}

inline std::size_t size_of(const value& tensor) { return tensor.bytes_of(1); }

/// Elements before a position, given as `index` along each axis.
inline std::int64_t offset(const strides& steps, const std::vector<std::int64_t>& index) {
    std::int64_t result = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis)
        result += steps[axis] * index[axis];
    return result;
}

/// The part of `input` that begins at `begin` and fills `output`, whose shape is set.
inline block_copy part_of(const value& input, const std::vector<std::int64_t>& begin, const value& output) {
    const strides steps = strides_of(input.dimensions);
    return {output.dimensions, offset(steps, begin), steps, 0, strides_of(output.dimensions), size_of(input)};
}

/// All of `input` to the part of `output` that begins at `begin`.
inline block_copy into(const value& input, const value& output, const std::vector<std::int64_t>& begin) {
    const strides steps = strides_of(output.dimensions);
    return {input.dimensions, 0, strides_of(input.dimensions), offset(steps, begin), steps, size_of(input)};
}

/// `input`, seen as a tensor of `sizes` whose axes go in the order `axes`, to all of an output.
inline block_copy permuted(const value& input, const shape& sizes, const std::vector<std::size_t>& axes) {
    const strides steps = strides_of(sizes);
    shape block;
    strides from;
    for (const std::size_t axis : axes) {
        block.push_back(sizes[axis]);
        from.push_back(steps[axis]);
    }
    return {block, 0, from, 0, strides_of(block), size_of(input)};
}

inline void copy_all(const value& input, value& output, const shape& wanted) {
    if (static_cast<std::int64_t>(wanted.elements()) != input.elements())
        fail({"a tensor of shape ", input.dimensions, " cannot have the shape ", wanted});
    output.reshape(wanted);
    if (!output.memory.empty()) std::memcpy(output.memory.data(), input.data(), output.memory.size());
}

/// All elements of the first input, which the output has in another shape.
inline void plan_reshape(const operands& run, shape wanted, block_copies& copies) {
    const value& input = run.in(0);
    if (static_cast<std::int64_t>(wanted.elements()) != input.elements())
        fail({"a tensor of shape ", input.dimensions, " cannot have the shape ", wanted});
    run.out().reshape(move(wanted));
    const shape all{static_cast<dimension>(run.out().memory.size())};  // bytes, whatever the elements are
    copies.add(0, 0, {all, 0, strides_of(all), 0, strides_of(all), 1});
}

inline shape without_unknown(std::vector<std::int64_t> sizes, std::int64_t elements) {
    checked known = 1;
    bool sizes_are_possible = true;
    for (const std::int64_t each : sizes) {
        sizes_are_possible = sizes_are_possible && each >= -1;
        known = known * checked(each == -1 ? 1 : each);
    }
    if (!sizes_are_possible || !known.fits()) fail({"a shape of ", sizes.size(), " sizes that no tensor can have"});
    shape result;
    for (const std::int64_t each : sizes)
        result.push_back(each == -1 ? (known.value() == 0 ? 0 : elements / known.value()) : each);
    return result;
}

}  // namespace detail

/// RESHAPE: the new shape is the second input, or an option where there is none; one size may be -1.
inline step make_reshape(const operation& op) {
    detail::expect_same_type(op, 0);
    std::vector<std::int64_t> of_option;
    if (op.has_option("new_shape")) of_option = op.info().list("new_shape");
    return make_movement({1}, [=](const operands& run, block_copies& copies) {
        const value& input = run.in(0);
        const bool is_given = run.has_input(1) && run.in(1).dimensions.rank() == 1;
        std::vector<std::int64_t> sizes = is_given ? run.in(1).integers() : of_option;
        detail::plan_reshape(run, detail::without_unknown(lpt::move(sizes), input.elements()), copies);
    });
}

/// SQUEEZE: without the axes of size 1 that an option names, or without all of them.
inline step make_squeeze(const operation& op) {
    detail::expect_same_type(op, 0);
    std::vector<std::int64_t> axes;
    if (op.has_option("squeeze_dims")) axes = op.info().list("squeeze_dims");
    return make_movement({}, [=](const operands& run, block_copies& copies) {
        const value& input = run.in(0);
        std::vector<bool> goes(input.dimensions.rank(), axes.empty());
        for (const std::int64_t axis : axes)
            goes[axis_of(axis, goes.size())] = true;
        shape wanted;
        for (std::size_t axis = 0; axis < goes.size(); ++axis) {
            const dimension size = input.dimensions[axis];
            if (goes[axis] && size != 1 && !axes.empty()) fail({"SQUEEZE: axis ", axis, " has ", size, " elements"});
            if (!goes[axis] || size != 1) wanted.push_back(size);
        }
        detail::plan_reshape(run, move(wanted), copies);
    });
}

/// EXPAND_DIMS: with an axis of size 1 in front of the one that the second input names.
inline step make_expansion(const operation& op) {
    detail::expect_same_type(op, 0);
    return make_movement({1}, [=](const operands& run, block_copies& copies) {
        shape wanted = run.in(0).dimensions;
        if (run.in(1).elements() != 1) fail({"EXPAND_DIMS: expected one axis"});
        wanted.insert(axis_of(run.in(1).integer(0), wanted.rank() + 1), 1);
        detail::plan_reshape(run, move(wanted), copies);
    });
}

/// TRANSPOSE: axis k of the output is axis p[k] of the input, p the second input.
inline step make_transposition(const operation& op) {
    detail::expect_same_type(op, 0);
    return make_movement({1}, [=](const operands& run, block_copies& copies) {
        const value& input = run.in(0);
        const std::size_t rank = input.dimensions.rank();
        std::vector<std::size_t> axes;
        std::vector<bool> named(rank, false);
        shape wanted;
        for (const std::int64_t axis : run.in(1).integers()) {
            axes.push_back(axis_of(axis, rank));
            if (named[axes.back()]) fail({"TRANSPOSE: axis ", axes.back(), " is named twice"});
            named[axes.back()] = true;
            wanted.push_back(input.dimensions[axes.back()]);
        }
        if (axes.size() != rank) fail({"TRANSPOSE: an order of ", axes.size(), " axes for a tensor with ", rank});
        run.out().reshape(move(wanted));
        copies.add(0, 0, detail::permuted(input, input.dimensions, axes));
    });
}

/// CONCATENATION: inputs one behind the other along an axis.
inline step make_concatenation(const operation& op) {
    for (std::size_t i = 0; i < op.inputs(); ++i)
        detail::expect_same_type(op, i);
    if (op.info().activation() != tflite::activation::none) op.wrong("a fused activation is not known here");
    const std::int64_t named_axis = op.option("axis");
    return make_movement({}, [=](const operands& run, block_copies& copies) {
        const shape& first = run.in(0).dimensions;
        const std::size_t axis = axis_of(named_axis, first.rank());
        shape wanted = first;
        wanted[axis] = 0;
        for (std::size_t i = 0; i < run.inputs(); ++i) {
            shape each = run.in(i).dimensions;
            if (each.rank() != first.rank())
                fail({"CONCATENATION: shapes ", first, " and ", each, " do not fit together"});
            wanted[axis] += each[axis];
            each[axis] = first[axis];
            if (!(each == first))
                fail({"CONCATENATION: shapes ", first, " and ", run.in(i).dimensions, " do not fit together"});
        }
        run.out().reshape(move(wanted));
        std::vector<std::int64_t> begin(first.rank(), 0);
        for (std::size_t i = 0; i < run.inputs(); ++i) {
            copies.add(i, 0, detail::into(run.in(i), run.out(), begin));
            begin[axis] += run.in(i).dimensions[axis];
        }
    });
}

/// PACK: inputs of one shape along a new axis.
inline step make_packing(const operation& op) {
    for (std::size_t i = 0; i < op.inputs(); ++i)
        detail::expect_same_type(op, i);
    const std::int64_t named_axis = op.option("axis");
    return make_movement({}, [=](const operands& run, block_copies& copies) {
        shape each = run.in(0).dimensions;
        const std::size_t axis = axis_of(named_axis, each.rank() + 1);
        const std::int64_t outer = product(each, 0, axis);
        const auto count = static_cast<std::int64_t>(run.inputs());
        const std::int64_t block = product(each, axis, each.rank());
        for (std::size_t i = 0; i < run.inputs(); ++i) {
            if (!(run.in(i).dimensions == each))
                fail({"PACK: shapes ", each, " and ", run.in(i).dimensions, " differ"});
        }
        shape wanted = each;
        wanted.insert(axis, count);
        run.out().reshape(move(wanted));
        const shape blocks{outer, count, block}, one{outer, 1, block};
        const strides steps = strides_of(blocks);
        for (std::int64_t i = 0; i < count; ++i)
            copies.add(static_cast<std::size_t>(i), 0,
                       {one, 0, strides_of(one), i * block, steps, detail::size_of(run.in(0))});
    });
}

namespace detail {

/// Parts of an input go, one behind the other along an axis, to the outputs; `drops_axis` leaves out the axis, then of size 1.
inline void split(const operands& run, std::size_t input_index, std::size_t axis,
                  const std::vector<std::int64_t>& sizes, bool drops_axis, block_copies& copies) {
    const value& input = run.in(input_index);
    std::vector<std::int64_t> begin(input.dimensions.rank(), 0);
    std::int64_t total = 0;
    for (const std::int64_t size : sizes) {
        if (size < 0 || size > input.dimensions[axis])
            fail({"a part of ", size, " of ", input.dimensions[axis], " elements"});
        total += size;
    }
    if (total != input.dimensions[axis] || sizes.size() != run.outputs())
        fail({sizes.size(), " parts of ", total, " elements for ", run.outputs(), " outputs of ",
              input.dimensions[axis]});
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        shape part = input.dimensions;
        part[axis] = sizes[i];
        value& output = run.out(i);
        output.reshape(part);
        copies.add(input_index, i, part_of(input, begin, output));
        begin[axis] += sizes[i];
        if (drops_axis) {
            part.erase(axis);
            output.reshape(part);
        }
    }
}

}  // namespace detail

/// UNPACK: a part for each position along an axis, without it.
inline step make_unpacking(const operation& op) {
    for (std::size_t i = 0; i < op.outputs(); ++i)
        detail::expect_same_type(op, 0, i);
    const std::int64_t named_axis = op.option("axis");
    return make_movement({}, [=](const operands& run, block_copies& copies) {
        const std::size_t axis = axis_of(named_axis, run.in(0).dimensions.rank());
        detail::split(run, 0, axis, std::vector<std::int64_t>(run.outputs(), 1), true, copies);
    });
}

/// SPLIT: equal parts; the axis is the first input.
inline step make_split(const operation& op) {
    for (std::size_t i = 0; i < op.outputs(); ++i)
        detail::expect_same_type(op, 1, i);
    return make_movement({0}, [=](const operands& run, block_copies& copies) {
        if (run.in(0).elements() != 1) fail({"SPLIT: expected one axis"});
        const std::size_t axis = axis_of(run.in(0).integer(0), run.in(1).dimensions.rank());
        const std::int64_t size = run.in(1).dimensions[axis] / static_cast<std::int64_t>(run.outputs());
        detail::split(run, 1, axis, std::vector<std::int64_t>(run.outputs(), size), false, copies);
    });
}

/// SPLIT_V: parts of the sizes in the second input, one of which may be -1: the rest; the axis is the third.
inline step make_uneven_split(const operation& op) {
    for (std::size_t i = 0; i < op.outputs(); ++i)
        detail::expect_same_type(op, 0, i);
    return make_movement({1, 2}, [=](const operands& run, block_copies& copies) {
        if (run.in(2).elements() != 1) fail({"SPLIT_V: expected one axis"});
        const std::size_t axis = axis_of(run.in(2).integer(0), run.in(0).dimensions.rank());
        std::vector<std::int64_t> sizes = run.in(1).integers();
        std::int64_t rest = run.in(0).dimensions[axis];
        for (const std::int64_t each : sizes)
            rest -= each == -1 ? 0 : each;
        for (std::int64_t& each : sizes)
            each = each == -1 ? rest : each;
        detail::split(run, 0, axis, sizes, false, copies);
    });
}

/// SLICE: from `begin` so many elements along each axis; a size of -1 goes to the end.
inline step make_slice(const operation& op) {
    detail::expect_same_type(op, 0);
    return make_movement({1, 2}, [=](const operands& run, block_copies& copies) {
        const value& input = run.in(0);
        const std::vector<std::int64_t> begin = run.in(1).integers();
        const std::vector<std::int64_t> sizes = run.in(2).integers();
        if (begin.size() != input.dimensions.rank() || sizes.size() != begin.size())
            fail({"SLICE: ", begin.size(), " positions and ", sizes.size(), " sizes for shape ", input.dimensions});
        shape wanted;
        for (std::size_t axis = 0; axis < begin.size(); ++axis) {
            const std::int64_t length = input.dimensions[axis];
            if (begin[axis] < 0 || begin[axis] > length) fail({"SLICE: begins at ", begin[axis], " of ", length});
            const std::int64_t size = sizes[axis] == -1 ? length - begin[axis] : sizes[axis];
            if (size < 0 || size > length - begin[axis])
                fail({"SLICE: ", size, " elements from ", begin[axis], " of ", length});
            wanted.push_back(size);
        }
        run.out().reshape(move(wanted));
        copies.add(0, 0, detail::part_of(input, begin, run.out()));
    });
}

}  // namespace lpt::inline LPT_ABI::specified
#endif

// ======== lpt/specified/padding.hpp
#ifndef LPT_HOLDS_SPECIFIED_PADDING_HPP
#define LPT_HOLDS_SPECIFIED_PADDING_HPP
// PAD, PADV2, and the exchanges of space with batches or channels: SPACE_TO_BATCH_ND, BATCH_TO_SPACE_ND, SPACE_TO_DEPTH, DEPTH_TO_SPACE.

namespace lpt::inline LPT_ABI::specified {

namespace detail {

/// What stands at padded places: the zero point of int8 and uint8, else 0.
inline std::int64_t padding_code(const operation& op) {
    const element type = op.type_of_output(0);
    return (type == i8 || type == u8 || type == i16) && op.output(0).quantized.is_present() ? op.out().zero_point : 0;
}

inline void fill(value& output, std::int64_t code) {
    if (bit_width(output.type) == 8) {
        std::fill(output.memory.begin(), output.memory.end(), static_cast<std::byte>(code & 0xFF));
        return;
    }
    const std::int64_t count = output.elements();
    for (std::int64_t i = 0; i < count; ++i)
        store_integer(output.type, output.to<std::byte>(), static_cast<std::size_t>(i), code);
}

/// Elements in front of and behind each axis: pairs, as many as there are axes.
inline std::vector<std::int64_t> paddings_of(const value& from, std::size_t axes) {
    const std::vector<std::int64_t> result = from.integers();
    if (result.size() != 2 * axes) fail({"paddings of shape ", from.dimensions, " for ", axes, " axes"});
    for (const std::int64_t each : result) {
        if (each < 0 || each > INT32_MAX) fail({"a padding of ", each, " elements"});
    }
    return result;
}

/// Gives the output the padded shape; the copy is that of the input to its place.
inline block_copy shape_padded(const value& input, const std::vector<std::int64_t>& paddings, value& output) {
    shape wanted = input.dimensions;
    std::vector<std::int64_t> begin;
    for (std::size_t axis = 0; axis < wanted.rank(); ++axis) {
        begin.push_back(paddings[2 * axis]);
        wanted[axis] += paddings[2 * axis] + paddings[2 * axis + 1];
    }
    output.reshape(move(wanted));
    return into(input, output, begin);
}

inline void pad(const value& input, const std::vector<std::int64_t>& paddings, std::int64_t code, value& output) {
    block_copy copy = shape_padded(input, paddings, output);
    fill(output, code);
    copy.run(input, output);
}

}  // namespace detail

/// PAD: with the zero point. PADV2: with the code of the third input.
inline step make_padding(const operation& op) {
    detail::expect_same_type(op, 0);
    const bool is_given = op.code() == tflite::builtin::padv2;
    if (is_given) op.expect_type(op.input(2), op.type_of_input(0));
    const std::int64_t zero = is_given ? 0 : detail::padding_code(op);
    const auto known = std::make_shared<for_shapes<block_copy>>(std::vector<std::size_t>{1});
    return [=](const operands& run) {
        const value& input = run.in(0);
        block_copy& copy = known->of(run, [&](block_copy& made) {
            if (is_given && run.in(2).elements() != 1) fail({"PADV2: expected one value"});
            made = detail::shape_padded(input, detail::paddings_of(run.in(1), input.dimensions.rank()), run.out());
        });
        detail::fill(run.out(), is_given ? run.in(2).integer(0) : zero);
        copy.run(input, run.out());
    };
}

namespace detail {

/// Blocks along the axes behind the first: their sizes, each positive.
inline std::vector<std::int64_t> blocks_of(const value& from, const shape& input) {
    const std::vector<std::int64_t> result = from.integers();
    if (result.size() + 1 > input.rank()) fail({result.size(), " block sizes for shape ", input});
    for (const std::int64_t each : result) {
        if (each <= 0) fail({"a block of ", each, " elements"});
    }
    return result;
}

}  // namespace detail

/// SPACE_TO_BATCH_ND: padded with the zero point, then positions within blocks become batches.
inline step make_space_to_batch(const operation& op) {
    detail::expect_same_type(op, 0);
    const std::int64_t zero = detail::padding_code(op);
    return [=](const operands& run) {
        const value& input = run.in(0);
        const std::vector<std::int64_t> blocks = detail::blocks_of(run.in(1), input.dimensions);
        std::vector<std::int64_t> paddings = {0, 0};
        for (const std::int64_t each : detail::paddings_of(run.in(2), blocks.size()))
            paddings.push_back(each);
        paddings.resize(2 * input.dimensions.rank(), 0);
        value padded = like(input.type, run.out());
        detail::pad(input, paddings, zero, padded);
        shape sizes{padded.dimensions[0]}, wanted{padded.dimensions[0]};
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            const std::int64_t length = padded.dimensions[i + 1];
            if (length % blocks[i] != 0) fail({"SPACE_TO_BATCH_ND: ", length, " elements in blocks of ", blocks[i]});
            sizes.push_back(length / blocks[i]);
            sizes.push_back(blocks[i]);
            order.push_back(2 * i + 2);
            wanted[0] *= blocks[i];
            wanted.push_back(length / blocks[i]);
        }
        order.push_back(0);
        for (std::size_t i = 0; i < blocks.size(); ++i)
            order.push_back(2 * i + 1);
        for (std::size_t axis = blocks.size() + 1; axis < input.dimensions.rank(); ++axis) {
            order.push_back(sizes.rank());
            sizes.push_back(input.dimensions[axis]);
            wanted.push_back(input.dimensions[axis]);
        }
        run.out().reshape(move(wanted));
        detail::permuted(padded, sizes, order).run(padded, run.out());
    };
}

/// BATCH_TO_SPACE_ND: batches become positions within blocks, of which the crops are left out.
inline step make_batch_to_space(const operation& op) {
    detail::expect_same_type(op, 0);
    return [=](const operands& run) {
        const value& input = run.in(0);
        const std::vector<std::int64_t> blocks = detail::blocks_of(run.in(1), input.dimensions);
        const std::vector<std::int64_t> crops = detail::paddings_of(run.in(2), blocks.size());
        shape sizes, whole;
        std::vector<std::size_t> order = {blocks.size()};
        std::int64_t batch = input.dimensions[0];
        for (const std::int64_t each : blocks) {
            if (batch % each != 0) fail({"BATCH_TO_SPACE_ND: ", input.dimensions[0], " batches in blocks"});
            batch /= each;
            sizes.push_back(each);
        }
        sizes.push_back(batch);
        whole.push_back(batch);
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            order.push_back(sizes.rank());
            order.push_back(i);
            sizes.push_back(input.dimensions[i + 1]);
            whole.push_back(input.dimensions[i + 1] * blocks[i]);
        }
        for (std::size_t axis = blocks.size() + 1; axis < input.dimensions.rank(); ++axis) {
            order.push_back(sizes.rank());
            sizes.push_back(input.dimensions[axis]);
            whole.push_back(input.dimensions[axis]);
        }
        value spread = like(input.type, run.out());
        spread.reshape(whole);
        detail::permuted(input, sizes, order).run(input, spread);
        std::vector<std::int64_t> begin(whole.rank(), 0);
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            begin[i + 1] = crops[2 * i];
            whole[i + 1] -= crops[2 * i] + crops[2 * i + 1];
            if (whole[i + 1] < 0) fail({"BATCH_TO_SPACE_ND: crops leave nothing"});
        }
        run.out().reshape(whole);
        detail::part_of(spread, begin, run.out()).run(spread, run.out());
    };
}

/// SPACE_TO_DEPTH and DEPTH_TO_SPACE of [batch, height, width, channels].
inline step make_depth_exchange(const operation& op) {
    detail::expect_same_type(op, 0);
    const bool to_depth = op.code() == tflite::builtin::space_to_depth;
    const std::int64_t block = op.positive_option("block_size");
    return make_movement({}, [=](const operands& run, block_copies& copies) {
        const value& input = run.in(0);
        const shape& of = input.dimensions;
        if (of.rank() != 4) fail({"shape ", of, ", expected [batch, height, width, channels]"});
        if (to_depth ? of[1] % block != 0 || of[2] % block != 0 : of[3] % block != 0 || of[3] / block % block != 0)
            fail({"shape ", of, " cannot be taken in blocks of ", block});
        if (to_depth) {
            run.out().reshape(shape{of[0], of[1] / block, of[2] / block, of[3] * block * block});
            copies.add(0, 0,
                       detail::permuted(input, shape{of[0], of[1] / block, block, of[2] / block, block, of[3]},
                                        {0, 1, 3, 2, 4, 5}));
        } else {
            const std::int64_t depth = of[3] / block / block;
            run.out().reshape(shape{of[0], of[1] * block, of[2] * block, depth});
            copies.add(0, 0,
                       detail::permuted(input, shape{of[0], of[1], of[2], block, block, depth}, {0, 1, 3, 2, 4, 5}));
        }
    });
}

}  // namespace lpt::inline LPT_ABI::specified
#endif

// ======== lpt/specified/gather.hpp
#ifndef LPT_HOLDS_SPECIFIED_GATHER_HPP
#define LPT_HOLDS_SPECIFIED_GATHER_HPP
// Movements by positions that are data: GATHER, GATHER_ND, EMBEDDING_LOOKUP, SCATTER_ND, DYNAMIC_UPDATE_SLICE, TOPK_V2.

namespace lpt::inline LPT_ABI::specified {

/// GATHER: slices along an axis, at the positions in the second input; the first `batch_dims` axes of both go together.
inline step make_gather(const operation& op) {
    detail::expect_same_type(op, 0);
    const std::int64_t named_axis = op.option("axis");
    const std::int64_t named_batch = op.has_option("batch_dims") ? op.option("batch_dims") : 0;
    return [=](const operands& run) {
        const value& input = run.in(0);
        const shape& of = input.dimensions;
        const shape& at = run.in(1).dimensions;
        const std::size_t axis = axis_of(named_axis, of.rank());
        const std::int64_t counted = named_batch < 0 ? named_batch + static_cast<std::int64_t>(at.rank()) : named_batch;
        if (counted < 0 || counted > static_cast<std::int64_t>(std::min(axis, at.rank())))
            fail({"GATHER: ", named_batch, " batch axes"});
        const auto batch = static_cast<std::size_t>(counted);
        shape wanted;
        for (std::size_t i = 0; i < axis; ++i)
            wanted.push_back(of[i]);
        for (std::size_t i = 0; i < batch; ++i) {
            if (of[i] != at[i]) fail({"GATHER: shapes ", of, " and ", at, " differ in a batch axis"});
        }
        for (std::size_t i = batch; i < at.rank(); ++i)
            wanted.push_back(at[i]);
        for (std::size_t i = axis + 1; i < of.rank(); ++i)
            wanted.push_back(of[i]);
        value& output = run.out();
        output.reshape(move(wanted));
        const std::int64_t batches = product(of, 0, batch);
        const std::int64_t outer = product(of, batch, axis);
        const std::int64_t positions = product(at, batch, at.rank());
        const auto block = static_cast<std::int64_t>(input.bytes_of(product(of, axis + 1, of.rank())));
        const std::vector<std::int64_t> indices = run.in(1).integers();
        std::byte* to = output.to<std::byte>();
        for (std::int64_t i = 0; i < batches * outer; ++i) {
            for (std::int64_t k = 0; k < positions; ++k, to += block) {
                const std::int64_t index = indices[static_cast<std::size_t>(i / outer * positions + k)];
                if (index < 0 || index >= of[axis]) fail({"GATHER: position ", index, " of ", of[axis]});
                std::memcpy(to, input.data() + (i * of[axis] + index) * block, static_cast<std::size_t>(block));
            }
        }
    };
}

namespace detail {

/// Rows of positions: the last axis of `indices` names a place along the first axes of `target`.
struct nd_positions {
    std::int64_t count = 0;
    std::int64_t block = 0;  // elements at each place
    std::vector<std::int64_t> first;  // the element at which each begins

    nd_positions(const value& indices, const shape& target) {
        if (indices.dimensions.rank() == 0) fail({"positions of shape ", indices.dimensions});
        const std::int64_t depth = indices.dimensions[indices.dimensions.rank() - 1];
        if (depth < 0 || depth > static_cast<std::int64_t>(target.rank()))
            fail({depth, " positions for shape ", target});
        const auto axes = static_cast<std::size_t>(depth);
        count = product(indices.dimensions, 0, indices.dimensions.rank() - 1);
        block = product(target, axes, target.rank());
        const strides steps = strides_of(target);
        for (std::int64_t i = 0; i < count; ++i) {
            std::int64_t at = 0;
            for (std::size_t axis = 0; axis < axes; ++axis) {
                const std::int64_t index = indices.integer(i * depth + static_cast<std::int64_t>(axis));
                if (index < 0 || index >= target[axis]) fail({"position ", index, " of ", target[axis]});
                at += index * steps[axis];
            }
            first.push_back(at);
        }
    }
};

}  // namespace detail

/// GATHER_ND: the slices at the places that the last axis of the second input names.
inline step make_gather_nd(const operation& op) {
    detail::expect_same_type(op, 0);
    return [=](const operands& run) {
        const value& input = run.in(0);
        const value& indices = run.in(1);
        const detail::nd_positions at(indices, input.dimensions);
        shape wanted(view<dimension>(indices.dimensions.begin(), indices.dimensions.rank() - 1));
        const auto depth = static_cast<std::size_t>(indices.dimensions[indices.dimensions.rank() - 1]);
        for (std::size_t axis = depth; axis < input.dimensions.rank(); ++axis)
            wanted.push_back(input.dimensions[axis]);
        value& output = run.out();
        output.reshape(move(wanted));
        const auto size = static_cast<std::int64_t>(detail::size_of(input));
        for (std::int64_t i = 0; i < at.count; ++i)
            std::memcpy(output.to<std::byte>() + i * at.block * size,
                        input.data() + at.first[static_cast<std::size_t>(i)] * size,
                        static_cast<std::size_t>(at.block * size));
    };
}

/// EMBEDDING_LOOKUP: rows of the second input at the positions in the first.
inline step make_embedding(const operation& op) {
    detail::expect_same_type(op, 1);
    return [=](const operands& run) {
        const value& table = run.in(1);
        const std::vector<std::int64_t> indices = run.in(0).integers();
        if (table.dimensions.rank() == 0) fail({"EMBEDDING_LOOKUP: a table without axes"});
        shape wanted = run.in(0).dimensions;
        for (std::size_t axis = 1; axis < table.dimensions.rank(); ++axis)
            wanted.push_back(table.dimensions[axis]);
        value& output = run.out();
        output.reshape(move(wanted));
        const std::size_t block = table.bytes_of(product(table.dimensions, 1, table.dimensions.rank()));
        for (std::size_t i = 0; i < indices.size(); ++i) {
            if (indices[i] < 0 || indices[i] >= table.dimensions[0])
                fail({"EMBEDDING_LOOKUP: row ", indices[i], " of ", table.dimensions[0]});
            std::memcpy(output.to<std::byte>() + i * block, table.data() + static_cast<std::size_t>(indices[i]) * block,
                        block);
        }
    };
}

/// SCATTER_ND: codes 0 in the shape of the third input, to which the second is added at the places in the first; sums wrap around.
inline step make_scatter(const operation& op) {
    op.expect_type(op.input(1), i8);
    detail::expect_same_type(op, 1);
    return [=](const operands& run) {
        shape wanted;
        for (const std::int64_t each : run.in(2).integers())
            wanted.push_back(each);
        value& output = run.out();
        output.reshape(move(wanted));
        const detail::nd_positions at(run.in(0), output.dimensions);
        if (run.in(1).elements() != at.count * at.block) fail({"SCATTER_ND: updates of shape ", run.in(1).dimensions});
        detail::fill(output, 0);
        const std::int8_t* updates = run.in(1).template as<std::int8_t>();
        for (std::int64_t i = 0; i < at.count; ++i) {
            std::int8_t* to = output.to<std::int8_t>() + at.first[static_cast<std::size_t>(i)];
            for (std::int64_t k = 0; k < at.block; ++k)
                to[k] = static_cast<std::int8_t>(to[k] + updates[i * at.block + k]);
        }
    };
}

/// DYNAMIC_UPDATE_SLICE: the first input, with the second in it from the places in the third, moved so that it lies inside.
inline step make_update(const operation& op) {
    detail::expect_same_type(op, 0);
    op.expect_type(op.input(1), op.type_of_input(0));
    return [=](const operands& run) {
        const value& input = run.in(0);
        const value& update = run.in(1);
        std::vector<std::int64_t> begin = run.in(2).integers();
        const std::size_t rank = input.dimensions.rank();
        if (begin.size() != rank || update.dimensions.rank() != rank)
            fail({"DYNAMIC_UPDATE_SLICE: shapes ", input.dimensions, " and ", update.dimensions});
        for (std::size_t axis = 0; axis < rank; ++axis) {
            const std::int64_t most = input.dimensions[axis] - update.dimensions[axis];
            if (most < 0) fail({"DYNAMIC_UPDATE_SLICE: shapes ", input.dimensions, " and ", update.dimensions});
            begin[axis] = std::min(std::max<std::int64_t>(begin[axis], 0), most);
        }
        detail::copy_all(input, run.out(), input.dimensions);
        detail::into(update, run.out(), begin).run(update, run.out());
    };
}

/// TOPK_V2: the k largest codes along the last axis in falling order, of equal ones the first, and their positions.
inline step make_top(const operation& op) {
    op.expect_codes(1);
    const element type = op.type_of_output(1);
    if (type != i32 && type != i64) op.wrong("positions of type ", tflite::name(op.output(1).type));
    return [=](const operands& run) {
        const value& input = run.in(0);
        const std::size_t rank = input.dimensions.rank();
        if (rank == 0 || run.in(1).elements() != 1) fail({"TOPK_V2: expected a tensor with axes, and one number"});
        const std::int64_t k = run.in(1).integer(0);
        const std::int64_t length = input.dimensions[rank - 1];
        if (k < 0 || k > length) fail({"TOPK_V2: ", k, " of ", length});
        shape wanted = input.dimensions;
        wanted[rank - 1] = k;
        run.out(0).reshape(wanted);
        run.out(1).reshape(wanted);
        const std::int64_t rows = product(input.dimensions, 0, rank - 1);
        std::vector<std::int64_t> order(static_cast<std::size_t>(length));
        for (std::int64_t row = 0; row < rows; ++row) {
            const std::int8_t* codes = input.as<std::int8_t>() + row * length;
            std::iota(order.begin(), order.end(), 0);
            std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
                return codes[a] != codes[b] ? codes[a] > codes[b] : a < b;
            });
            for (std::int64_t i = 0; i < k; ++i) {
                run.out(0).to<std::int8_t>()[row * k + i] = codes[order[static_cast<std::size_t>(i)]];
                store_integer(type, run.out(1).to<std::byte>(), static_cast<std::size_t>(row * k + i),
                              order[static_cast<std::size_t>(i)]);
            }
        }
    };
}

}  // namespace lpt::inline LPT_ABI::specified
#endif

// ======== lpt/specified/window.hpp
#ifndef LPT_HOLDS_SPECIFIED_WINDOW_HPP
#define LPT_HOLDS_SPECIFIED_WINDOW_HPP
// Windows over two axes of a tensor [batch, height, width, channels]: strides, dilations and padding.

namespace lpt::inline LPT_ABI::specified {

/// A window along one axis.
struct window_axis {
    std::int64_t size = 1;
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    bool same = false;  // SAME: as many outputs as input / stride, rounded up; VALID: only whole windows

    std::int64_t outputs(std::int64_t input) const {
        const std::int64_t reach = (size - 1) * dilation + 1;
        const std::int64_t result = same ? (input + stride - 1) / stride : (input - reach + stride) / stride;
        return result < 0 ? 0 : result;
    }
    /// Positions in front of the input that the first window covers: half of all padding, rounded down.
    std::int64_t padding(std::int64_t input) const {
        const std::int64_t total = (outputs(input) - 1) * stride + (size - 1) * dilation + 1 - input;
        return same && total > 0 ? total / 2 : 0;
    }
};

struct window {
    window_axis rows;
    window_axis columns;
};

inline window window_of(const operation& op, std::int64_t rows, std::int64_t columns) {
    const bool same = static_cast<tflite::padding>(op.option("padding")) == tflite::padding::same;
    window result;
    result.rows = {rows, op.positive_option("stride_h"), 1, same};
    result.columns = {columns, op.positive_option("stride_w"), 1, same};
    if (op.has_option("dilation_h_factor")) result.rows.dilation = op.positive_option("dilation_h_factor");
    if (op.has_option("dilation_w_factor")) result.columns.dilation = op.positive_option("dilation_w_factor");
    return result;
}

/// Raises an error unless a tensor has four axes.
inline void expect_image(const shape& dimensions) {
    if (dimensions.rank() != 4) fail({"shape ", dimensions, ", expected [batch, height, width, channels]"});
}

/// Raises an error where the elements of sizes would not be countable or sizes are not positive.
inline void expect_positive(const shape& dimensions) {
    for (const dimension each : dimensions) {
        if (each <= 0) fail({"shape ", dimensions, ", expected positive sizes"});
    }
}

}  // namespace lpt::inline LPT_ABI::specified
#endif

// ======== lpt/specified/product.hpp
#ifndef LPT_HOLDS_SPECIFIED_PRODUCT_HPP
#define LPT_HOLDS_SPECIFIED_PRODUCT_HPP
// Sums of products: CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED, TRANSPOSE_CONV, BATCH_MATMUL.
// The sum is exact in 32 bits, acc = bias + sum((q_i - z_i) q_w); it is scaled once, by a multiplier for each output channel.

namespace lpt::inline LPT_ABI::specified {

/// From sums to codes: T(acc, M(s_i s_w[c] / s_o)) + z_o, within the range that the fused activation leaves. In single precision
/// round_half_even(acc (s_i s_w[c] / s_o)) + z_o.
template <class Arithmetic>
struct requantization {
    std::vector<arithmetic::multiplier> by;  // one a channel
    std::vector<double> exactly;  // the same as real numbers
    std::vector<float> singly;  // (s_i s_w[c]) / s_o in single precision
    std::int32_t zero_point = 0;
    code_range range;

    requantization() = default;
    requantization(const operation& op, float input_scale, const std::vector<double>& weight_scales) {
        const quantized output = op.out();
        for (const double scale : weight_scales) {
            exactly.push_back(static_cast<double>(input_scale) * scale / static_cast<double>(output.scale));
            by.push_back(Arithmetic::of(exactly.back()));
            singly.push_back(input_scale * static_cast<float>(scale) / output.scale);
        }
        zero_point = output.zero_point;
        range = op.activated();
    }
    std::int8_t operator()(std::int32_t sum, std::size_t channel) const {
        if constexpr (Arithmetic::in_single_precision) {
            return static_cast<std::int8_t>(Arithmetic::requantize(static_cast<float>(sum), singly[channel], zero_point,
                                                                   range.lowest, range.highest));
        }
        return static_cast<std::int8_t>(range.clamp(std::int64_t{Arithmetic::scale(sum, by[channel])} + zero_point));
    }
    /// Rounded once, where the arithmetic says so.
    std::int8_t dense(std::int32_t sum, std::size_t channel) const {
        if constexpr (Arithmetic::rounds_once) {
            return static_cast<std::int8_t>(
                range.clamp(std::int64_t{Arithmetic::scale_once(sum, exactly[channel])} + zero_point));
        } else {
            return (*this)(sum, channel);
        }
    }
};

namespace detail {

/// Sums wrap around in 32 bits, as they do in the reference.
constexpr std::int32_t wrapped(std::int64_t sum) { return static_cast<std::int32_t>(sum); }

/// The bias as numbers of 64 bits, zeros where there is none.
inline std::vector<std::int64_t> bias_of(const operands& run, std::size_t index, std::int64_t channels) {
    if (!run.has_input(index)) return std::vector<std::int64_t>(static_cast<std::size_t>(channels), 0);
    if (run.in(index).elements() != channels)
        fail({"a bias of ", run.in(index).elements(), " elements, expected ", channels});
    return run.in(index).integers();
}

/// The zero point of a tensor with one scale; 0 where there are several.
inline std::int32_t common_zero_point(const operation& op, const tflite::tensor_info& tensor) {
    return tensor.quantized.scales.size() == 1 ? op.usable_zero_point(tensor, 0) : 0;
}

inline void expect_bias(const operation& op, std::size_t index) {
    if (op.has_input(index)) op.expect_type(op.input(index), i32);
}

/// The sizes of a convolution as the loops read them.
struct image_loops {
    std::int64_t batch, height, width, channels;  // of the input
    std::int64_t rows, columns;  // of the output
    std::int64_t top, left;  // padding

    image_loops(const shape& input, const window& of)
        : batch(input[0]),
          height(input[1]),
          width(input[2]),
          channels(input[3]),
          rows(of.rows.outputs(input[1])),
          columns(of.columns.outputs(input[2])),
          top(of.rows.padding(input[1])),
          left(of.columns.padding(input[2])) {}
};

}  // namespace detail

/// CONV_2D: weights [out, kh, kw, in / groups], a scale for each output channel along dimension 0.
template <class Arithmetic>
step make_convolution(const operation& op) {
    op.expect_codes(2);
    detail::expect_bias(op, 2);
    const shape& weights = op.input(1).dimensions;
    expect_image(weights);
    expect_positive(weights);
    const window of = window_of(op, weights[1], weights[2]);
    const quantized from = op.in(0);
    const requantization<Arithmetic> to(op, from.scale, op.channel_scales(op.input(1), 0, weights[0]));
    return [=](const operands& run) {
        const value& input = run.in(0);
        const shape& kernel = run.in(1).dimensions;
        expect_image(input.dimensions);
        const detail::image_loops at(input.dimensions, of);
        if (at.channels == 0 || kernel[3] == 0 || at.channels % kernel[3] != 0 ||
            kernel[0] % (at.channels / kernel[3]) != 0)
            fail({"CONV_2D: an input of ", at.channels, " channels and weights ", kernel});
        const std::int64_t depth = kernel[3];
        const std::int64_t channels_of_group = kernel[0] / (at.channels / depth);
        value& output = run.out();
        output.reshape(shape{at.batch, at.rows, at.columns, kernel[0]});
        const std::vector<std::int64_t> bias = detail::bias_of(run, 2, kernel[0]);
        const std::int8_t* codes = input.as<std::int8_t>();
        const std::int8_t* weight = run.in(1).template as<std::int8_t>();
        std::int8_t* result = output.to<std::int8_t>();
        const auto sum_of = [&](std::int64_t b, std::int64_t y, std::int64_t x, std::int64_t channel) {
            std::int64_t sum = bias[static_cast<std::size_t>(channel)];
            for (std::int64_t ky = 0; ky < kernel[1]; ++ky) {
                const std::int64_t row = y * of.rows.stride - at.top + ky * of.rows.dilation;
                if (row < 0 || row >= at.height) continue;
                for (std::int64_t kx = 0; kx < kernel[2]; ++kx) {
                    const std::int64_t column = x * of.columns.stride - at.left + kx * of.columns.dilation;
                    if (column < 0 || column >= at.width) continue;
                    const std::int8_t* q = codes + ((b * at.height + row) * at.width + column) * at.channels +
                                           channel / channels_of_group * depth;
                    const std::int8_t* w = weight + ((channel * kernel[1] + ky) * kernel[2] + kx) * depth;
                    std::int32_t part = 0;
                    for (std::int64_t c = 0; c < depth; ++c)
                        part += (q[c] - from.zero_point) * w[c];
                    sum += part;
                }
            }
            return detail::wrapped(sum);
        };
        for (std::int64_t b = 0; b < at.batch; ++b) {
            for (std::int64_t y = 0; y < at.rows; ++y) {
                for (std::int64_t x = 0; x < at.columns; ++x) {
                    for (std::int64_t channel = 0; channel < kernel[0]; ++channel)
                        *result++ = to(sum_of(b, y, x, channel), static_cast<std::size_t>(channel));
                }
            }
        }
    };
}

/// DEPTHWISE_CONV_2D: weights [1, kh, kw, in * multiplier], output channel c reads input channel c / multiplier; scales along dimension 3.
/// Zero points of weights, which break the specification, are left out, as the reference kernel does.
template <class Arithmetic>
step make_depthwise_convolution(const operation& op) {
    op.expect_codes(2);
    detail::expect_bias(op, 2);
    const shape& weights = op.input(1).dimensions;
    expect_image(weights);
    expect_positive(weights);
    const window of = window_of(op, weights[1], weights[2]);
    const quantized from = op.in(0);
    const requantization<Arithmetic> to(op, from.scale, op.channel_scales(op.input(1), 3, weights[3], true));
    return [=](const operands& run) {
        const value& input = run.in(0);
        const shape& kernel = run.in(1).dimensions;
        expect_image(input.dimensions);
        const detail::image_loops at(input.dimensions, of);
        const std::int64_t channels = kernel[3];
        if (at.channels == 0 || channels % at.channels != 0)
            fail({"DEPTHWISE_CONV_2D: an input of ", at.channels, " channels and weights ", kernel});
        const std::int64_t multiplier = channels / at.channels;
        value& output = run.out();
        output.reshape(shape{at.batch, at.rows, at.columns, channels});
        const std::vector<std::int64_t> bias = detail::bias_of(run, 2, channels);
        const std::int8_t* codes = input.as<std::int8_t>();
        const std::int8_t* weight = run.in(1).template as<std::int8_t>();
        std::int8_t* result = output.to<std::int8_t>();
        std::vector<std::int64_t> sums(static_cast<std::size_t>(channels));
        const auto add_sums = [&](std::int64_t b, std::int64_t y, std::int64_t x) {
            for (std::int64_t ky = 0; ky < kernel[1]; ++ky) {
                const std::int64_t row = y * of.rows.stride - at.top + ky * of.rows.dilation;
                if (row < 0 || row >= at.height) continue;
                for (std::int64_t kx = 0; kx < kernel[2]; ++kx) {
                    const std::int64_t column = x * of.columns.stride - at.left + kx * of.columns.dilation;
                    if (column < 0 || column >= at.width) continue;
                    const std::int8_t* q = codes + ((b * at.height + row) * at.width + column) * at.channels;
                    const std::int8_t* w = weight + (ky * kernel[2] + kx) * channels;
                    for (std::int64_t c = 0; c < channels; ++c)
                        sums[static_cast<std::size_t>(c)] += (q[c / multiplier] - from.zero_point) * w[c];
                }
            }
        };
        for (std::int64_t b = 0; b < at.batch; ++b) {
            for (std::int64_t y = 0; y < at.rows; ++y) {
                for (std::int64_t x = 0; x < at.columns; ++x) {
                    sums = bias;
                    add_sums(b, y, x);
                    for (std::size_t c = 0; c < sums.size(); ++c)
                        *result++ = to(detail::wrapped(sums[c]), c);
                }
            }
        }
    };
}

/// FULLY_CONNECTED: weights [out, in], a scale for each output along dimension 0 or one; the input is rows of `in` elements.
/// Zero points of weights break the specification; as in the reference kernel one for all counts, and those of channels are left out.
/// Without keep_num_dims the output is [rows, out], else it keeps all axes of the input but the last.
template <class Arithmetic>
step make_fully_connected(const operation& op) {
    op.expect_codes(2);
    detail::expect_bias(op, 2);
    if (op.has_option("weights_format") && op.option("weights_format") != 0)
        op.wrong("weights in another order than the default");
    const shape& weights = op.input(1).dimensions;
    if (weights.rank() != 2) op.wrong("weights of shape ", weights, ", expected [outputs, inputs]");
    expect_positive(weights);
    const bool keeps_axes = op.has_option("keep_num_dims") && op.option("keep_num_dims") != 0;
    const quantized from = op.in(0);
    const requantization<Arithmetic> to(op, from.scale, op.channel_scales(op.input(1), 0, weights[0], true));
    const std::int32_t weight_zero = detail::common_zero_point(op, op.input(1));
    return [=](const operands& run) {
        const value& input = run.in(0);
        const std::int64_t channels = run.in(1).dimensions[0];
        const std::int64_t depth = run.in(1).dimensions[1];
        if (input.elements() % depth != 0 ||
            (keeps_axes && (input.dimensions.rank() == 0 || input.dimensions[input.dimensions.rank() - 1] != depth)))
            fail({"FULLY_CONNECTED: an input ", input.dimensions, " and weights ", run.in(1).dimensions});
        const std::int64_t rows = input.elements() / depth;
        shape wanted{rows, channels};
        if (keeps_axes) {
            wanted = input.dimensions;
            wanted[wanted.rank() - 1] = channels;
        }
        value& output = run.out();
        output.reshape(move(wanted));
        const std::vector<std::int64_t> bias = detail::bias_of(run, 2, channels);
        const std::int8_t* codes = input.as<std::int8_t>();
        const std::int8_t* weight = run.in(1).template as<std::int8_t>();
        std::int8_t* result = output.to<std::int8_t>();
        for (std::int64_t row = 0; row < rows; ++row) {
            for (std::int64_t c = 0; c < channels; ++c) {
                std::int64_t sum = bias[static_cast<std::size_t>(c)];
                for (std::int64_t k = 0; k < depth; ++k)
                    sum += (codes[row * depth + k] - from.zero_point) * (weight[c * depth + k] - weight_zero);
                *result++ = to.dense(detail::wrapped(sum), static_cast<std::size_t>(c));
            }
        }
    };
}

/// TRANSPOSE_CONV: inputs are the output's shape, weights [out, kh, kw, in], the data, and a bias that may be absent.
template <class Arithmetic>
step make_transposed_convolution(const operation& op) {
    op.expect_type(op.input(1), i8);
    op.expect_type(op.input(2), i8);
    op.expect_type(op.output(0), i8);
    detail::expect_bias(op, 3);
    const shape& weights = op.input(1).dimensions;
    expect_image(weights);
    expect_positive(weights);
    const window of = window_of(op, weights[1], weights[2]);
    const quantized from = op.in(2);
    const requantization<Arithmetic> to(op, from.scale, op.channel_scales(op.input(1), 0, weights[0]));
    return [=](const operands& run) {
        const value& input = run.in(2);
        const shape& kernel = run.in(1).dimensions;
        expect_image(input.dimensions);
        const std::vector<std::int64_t> sizes = run.in(0).integers();
        if (sizes.size() != 4 || sizes[0] != input.dimensions[0] || sizes[1] <= 0 || sizes[2] <= 0 ||
            sizes[3] != kernel[0] || input.dimensions[3] != kernel[3])
            fail({"TRANSPOSE_CONV: an input ", input.dimensions, ", weights ", kernel,
                  " and an output that does not fit them"});
        value& output = run.out();
        output.reshape(shape{sizes[0], sizes[1], sizes[2], sizes[3]});
        // Its padding is that of the convolution whose input is this output.
        const std::int64_t top = of.rows.padding(sizes[1]);
        const std::int64_t left = of.columns.padding(sizes[2]);
        const std::int64_t channels = kernel[0];
        const std::vector<std::int64_t> bias = detail::bias_of(run, 3, channels);
        std::vector<std::int64_t> sums(static_cast<std::size_t>(output.elements()));
        for (std::size_t i = 0; i < sums.size(); ++i)
            sums[i] = bias[i % static_cast<std::size_t>(channels)];
        const std::int8_t* weight = run.in(1).template as<std::int8_t>();
        const std::int8_t* q = input.as<std::int8_t>();
        const auto scatter = [&](std::int64_t b, std::int64_t y, std::int64_t x) {
            for (std::int64_t ky = 0; ky < kernel[1]; ++ky) {
                const std::int64_t row = y * of.rows.stride - top + ky;
                if (row < 0 || row >= sizes[1]) continue;
                for (std::int64_t kx = 0; kx < kernel[2]; ++kx) {
                    const std::int64_t column = x * of.columns.stride - left + kx;
                    if (column < 0 || column >= sizes[2]) continue;
                    std::int64_t* sum = sums.data() + ((b * sizes[1] + row) * sizes[2] + column) * channels;
                    for (std::int64_t c = 0; c < channels; ++c) {
                        const std::int8_t* w = weight + ((c * kernel[1] + ky) * kernel[2] + kx) * kernel[3];
                        for (std::int64_t k = 0; k < kernel[3]; ++k)
                            sum[c] += (q[k] - from.zero_point) * w[k];
                    }
                }
            }
        };
        for (std::int64_t b = 0; b < input.dimensions[0]; ++b) {
            for (std::int64_t y = 0; y < input.dimensions[1]; ++y) {
                for (std::int64_t x = 0; x < input.dimensions[2]; ++x, q += kernel[3])
                    scatter(b, y, x);
            }
        }
        std::int8_t* result = output.to<std::int8_t>();
        for (std::size_t i = 0; i < sums.size(); ++i)
            result[i] = to(detail::wrapped(sums[i]), i % static_cast<std::size_t>(channels));
    };
}

/// BATCH_MATMUL: acc = sum((q_1 - z_1) (q_2 - z_2)), batches broadcast; adj_x and adj_y transpose the last two axes.
template <class Arithmetic>
step make_matrix_product(const operation& op) {
    op.expect_codes(2);
    const bool transposes_left = op.option("adj_x") != 0;
    const bool transposes_right = op.option("adj_y") != 0;
    const quantized a = op.in(0), b = op.in(1);
    const requantization<Arithmetic> to(op, a.scale, {static_cast<double>(b.scale)});
    return [=](const operands& run) {
        const value& left = run.in(0);
        const value& right = run.in(1);
        const std::size_t rank = std::max<std::size_t>(2, std::max(left.dimensions.rank(), right.dimensions.rank()));
        const shape of_left = left.dimensions.padded_left(rank);
        const shape of_right = right.dimensions.padded_left(rank);
        const std::int64_t rows = of_left[rank - (transposes_left ? 1 : 2)];
        const std::int64_t depth = of_left[rank - (transposes_left ? 2 : 1)];
        const std::int64_t columns = of_right[rank - (transposes_right ? 2 : 1)];
        if (of_right[rank - (transposes_right ? 1 : 2)] != depth)
            fail({"BATCH_MATMUL: shapes ", left.dimensions, " and ", right.dimensions, " do not fit together"});
        const shape left_batch(view<dimension>(of_left.begin(), rank - 2));
        const shape right_batch(view<dimension>(of_right.begin(), rank - 2));
        const shape batch = broadcast(left_batch, right_batch);
        shape wanted = batch;
        wanted.push_back(rows);
        wanted.push_back(columns);
        value& output = run.out();
        output.reshape(move(wanted));
        std::int8_t* result = output.to<std::int8_t>();
        const auto multiply = [&](const std::int8_t* x, const std::int8_t* y, std::int8_t* to_matrix) {
            for (std::int64_t i = 0; i < rows; ++i) {
                for (std::int64_t j = 0; j < columns; ++j) {
                    std::int64_t sum = 0;
                    for (std::int64_t k = 0; k < depth; ++k) {
                        const std::int32_t p = x[transposes_left ? k * rows + i : i * depth + k] - a.zero_point;
                        sum += p * (y[transposes_right ? j * depth + k : k * columns + j] - b.zero_point);
                    }
                    *to_matrix++ = to(detail::wrapped(sum), 0);
                }
            }
        };
        for_each_row<2>(batch, {&left_batch, &right_batch},
                        [&](std::int64_t first, const std::int64_t* at, const std::int64_t* steps, std::int64_t count) {
                            for (std::int64_t i = 0; i < count; ++i)
                                multiply(left.as<std::int8_t>() + (at[0] + i * steps[0]) * rows * depth,
                                         right.as<std::int8_t>() + (at[1] + i * steps[1]) * depth * columns,
                                         result + (first + i) * rows * columns);
                        });
    };
}

}  // namespace lpt::inline LPT_ABI::specified
#endif

// ======== lpt/specified/kernel_numbers.hpp
#ifndef LPT_HOLDS_SPECIFIED_KERNEL_NUMBERS_HPP
#define LPT_HOLDS_SPECIFIED_KERNEL_NUMBERS_HPP
// The numbers of fixed-point arithmetic as the kernels for bytes take them.

namespace lpt::inline LPT_ABI::specified {

/// A multiplier that shifts to the right, split as kernels take it; `fits` is false for others. The zero point is added to the result.
struct split_multiplier {
    bool fits = false;
    kernel::fixed_scale numbers;

    split_multiplier(arithmetic::multiplier by, std::int32_t zero_point) {
        if (by.exponent > 0) return;
        fits = true;
        const int right = -by.exponent < 31 ? -by.exponent : 31;
        numbers.multiplier = by.significand;
        numbers.right = right > 0 ? right - 1 : 0;
        numbers.below = right > 0 || by.significand == 0 ? -1 : 0;  // half of 0 is 0
        numbers.offset = zero_point;
    }
};

/// `kernel::fixed_point` with its arrays.
class fixed_numbers {
    std::vector<std::int32_t> integers_;
    std::vector<double> real_;
    kernel::fixed_point view_;

public:
    fixed_numbers() = default;
    fixed_numbers(fixed_numbers&&) = default;  // the arrays stay where they are
    fixed_numbers& operator=(fixed_numbers&&) = default;

    const kernel::fixed_point* view() const { return view_.bias == nullptr ? nullptr : &view_; }

    /// Takes over the numbers of a product; leaves them out where kernels cannot take them.
    template <class Arithmetic>
    void set(const requantization<Arithmetic>& to, const std::vector<std::int64_t>& bias, bool rounds_once) {
        view_ = kernel::fixed_point();
        const std::size_t channels = bias.size();
        const std::size_t padded = channels + kernel::fixed_point::padding;
        integers_.assign(5 * padded, 0);
        for (std::size_t c = 0; c < channels; ++c)
            integers_[c] = static_cast<std::int32_t>(bias[c]);
        view_.zero_point = to.zero_point;
        if (rounds_once) {
            real_ = to.exactly;
            real_.resize(padded, 0);
            view_.real = real_.data();
        }
        for (std::size_t c = 0; c < channels && !rounds_once; ++c) {
            const split_multiplier split(to.by[c], to.zero_point);
            if (!split.fits) return;
            integers_[padded + c] = split.numbers.multiplier;
            integers_[2 * padded + c] = split.numbers.right;
            integers_[3 * padded + c] = split.numbers.offset;
            integers_[4 * padded + c] = split.numbers.below;
        }
        view_.shifts = !rounds_once;
        for (std::size_t c = 0; c < channels && view_.shifts; ++c)
            view_.shifts = integers_[4 * padded + c] == -1;
        view_.bias = integers_.data();
        view_.multiplier = integers_.data() + padded;
        view_.right = integers_.data() + 2 * padded;
        view_.offset = integers_.data() + 3 * padded;
        view_.below = integers_.data() + 4 * padded;
    }
};

}  // namespace lpt::inline LPT_ABI::specified
#endif

// ======== lpt/specified/kernel_elementwise.hpp
#ifndef LPT_HOLDS_SPECIFIED_KERNEL_ELEMENTWISE_HPP
#define LPT_HOLDS_SPECIFIED_KERNEL_ELEMENTWISE_HPP
// Sums and products of codes, and PRELU of real numbers between codes, by the library's kernels.

namespace lpt::inline LPT_ABI::specified {

namespace detail {

/// Whether operands have one shape, or one of them is one element; then every element has its partner without a search.
inline bool pair_up(const value& a, const value& b) {
    return a.dimensions == b.dimensions || (a.elements() == 1 && a.dimensions.rank() <= b.dimensions.rank()) ||
           (b.elements() == 1 && b.dimensions.rank() <= a.dimensions.rank());
}

inline step make_binary_on_kernels(const operation& op, const kernel::fixed_binary_problem& made, step otherwise) {
    const kernel::kernel_table* const kernels = op.kernels();
    const kernel::parallel_for parallel = op.parallel();
    return [=](const operands& run) {
        const value& a = run.in(0);
        const value& b = run.in(1);
        if (!pair_up(a, b)) return otherwise(run);
        value& output = run.out();
        output.reshape(a.elements() == 1 && a.dimensions.rank() <= b.dimensions.rank() ? b.dimensions : a.dimensions);
        kernel::fixed_binary_problem problem = made;
        problem.columns = output.elements();
        problem.a_step = a.elements() == 1 ? 0 : 1;
        problem.b_step = b.elements() == 1 ? 0 : 1;
        problem.a_row_stride = problem.columns;
        problem.b_row_stride = problem.columns;
        problem.a = a.as<std::int8_t>();
        problem.b = b.as<std::int8_t>();
        problem.output = output.to<std::int8_t>();
        kernels->run(problem, parallel);
    };
}

}  // namespace detail

/// ADD, SUB.
template <class Arithmetic>
step make_sum_on_kernels(const operation& op, step otherwise) {
    if (op.kernels() == nullptr) return otherwise;
    const quantized a = op.in(0), b = op.in(1), o = op.out();
    const double twice = 2 * std::max(static_cast<double>(a.scale), static_cast<double>(b.scale));
    constexpr int left = 20;
    const split_multiplier of_a(Arithmetic::of(static_cast<double>(a.scale) / twice), 0);
    const split_multiplier of_b(Arithmetic::of(static_cast<double>(b.scale) / twice), 0);
    const split_multiplier of_sum(Arithmetic::of(twice / ((1 << left) * static_cast<double>(o.scale))), o.zero_point);
    if (!of_a.fits || !of_b.fits || !of_sum.fits) return otherwise;
    const code_range range = op.activated();
    kernel::fixed_binary_problem problem;
    problem.function =
        op.code() == tflite::builtin::sub ? kernel::fixed_function::subtract : kernel::fixed_function::add;
    problem.a_zero_point = a.zero_point;
    problem.b_zero_point = b.zero_point;
    problem.of_a = of_a.numbers;
    problem.of_b = of_b.numbers;
    problem.of_a.left = left;
    problem.of_b.left = left;
    problem.of_result = of_sum.numbers;
    problem.low = range.lowest;
    problem.high = range.highest;
    return detail::make_binary_on_kernels(op, problem, lpt::move(otherwise));
}

/// MUL.
template <class Arithmetic>
step make_product_on_kernels(const operation& op, step otherwise) {
    if (op.kernels() == nullptr) return otherwise;
    const quantized a = op.in(0), b = op.in(1), o = op.out();
    const split_multiplier by(
        Arithmetic::of(static_cast<double>(a.scale) * static_cast<double>(b.scale) / static_cast<double>(o.scale)),
        o.zero_point);
    if (!by.fits) return otherwise;
    const code_range range = op.activated();
    kernel::fixed_binary_problem problem;
    problem.function = kernel::fixed_function::multiply;
    problem.a_zero_point = a.zero_point;
    problem.b_zero_point = b.zero_point;
    problem.of_result = by.numbers;
    problem.low = range.lowest;
    problem.high = range.highest;
    return detail::make_binary_on_kernels(op, problem, lpt::move(otherwise));
}

namespace detail {

/// The codes of real numbers x = scale * float(d), d the distance of a code from its zero point, times a slope.
struct sloped_codes {
    float scale;
    float slope;
    quantized to;

    std::int32_t operator()(std::int32_t distance) const {
        const float ratio = scale * static_cast<float>(distance) * slope / to.scale;
        const float limited = ratio < -1000.0F ? -1000.0F : ratio > 1000.0F ? 1000.0F : ratio;
        return code_range().clamp(static_cast<std::int64_t>(std::round(limited)) + to.zero_point);
    }
};

/// A factor f for which the integer next to float(d) * f, ties to even, + the zero point, limited, is the code of d, for all d in
/// [first, last]; 0 where none is found. The real factors that do so are an interval; its middle is tried.
inline float common_factor(const sloped_codes& codes, std::int32_t first, std::int32_t last) {
    const double real =
        static_cast<double>(codes.scale) * static_cast<double>(codes.slope) / static_cast<double>(codes.to.scale);
    double low = real - std::fabs(real) / 1024, high = real + std::fabs(real) / 1024;
    std::array<std::int32_t, 256> wanted{};
    for (std::int32_t d = first; d <= last; ++d) {
        const std::int32_t code = codes(d);
        wanted[static_cast<std::size_t>(d - first)] = code;
        if (d == 0) continue;
        const double below = code == -128 ? -1e9 : code - codes.to.zero_point - 0.5;
        const double above = code == 127 ? 1e9 : code - codes.to.zero_point + 0.5;
        low = std::max(low, (d > 0 ? below : above) / d);
        high = std::min(high, (d > 0 ? above : below) / d);
    }
    const auto result = static_cast<float>((low + high) / 2);
    if (!(std::fabs(result) < 1e6F)) return 0;
    for (std::int32_t d = first; d <= last; ++d) {
        const auto nearest = static_cast<std::int64_t>(std::nearbyint(static_cast<float>(d) * result));
        if (code_range().clamp(nearest + codes.to.zero_point) != wanted[static_cast<std::size_t>(d - first)]) return 0;
    }
    return result;
}

/// The factors of a PRELU between codes: that of codes from the zero point on, then those below for each channel; none where one is not
/// found. Each has been tried on all codes.
inline std::vector<float> prelu_factors(quantized from, quantized to, const float* slopes, std::int64_t channels) {
    std::vector<float> result{common_factor({from.scale, 1, to}, 0, 127 - from.zero_point)};
    for (std::int64_t c = 0; c < channels; ++c)
        result.push_back(slopes[c] == 0 ? 0 : common_factor({from.scale, slopes[c], to}, -128 - from.zero_point, -1));
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (result[i] == 0 && (i == 0 || slopes[i - 1] != 0)) return {};
    }
    return result;
}

}  // namespace detail

/// DEQUANTIZE, PRELU with a constant slope for each channel, QUANTIZE: one step from the codes before to those after, or none (an empty
/// function) where the three are not of that kind. What lies between them is not written.
inline step make_real_prelu_chain(const operation& from, const operation& prelu, const operation& to) {
    using tflite::builtin;
    if (from.kernels() == nullptr || from.code() != builtin::dequantize || prelu.code() != builtin::prelu ||
        to.code() != builtin::quantize || from.inputs() != 1 || prelu.inputs() != 2 || to.inputs() != 1 ||
        from.info().outputs.size() != 1 || prelu.info().outputs.size() != 1 ||
        from.info().outputs[0] != prelu.info().inputs[0] || prelu.info().outputs[0] != to.info().inputs[0])
        return {};
    const tflite::tensor_info& slope = prelu.input(1);
    const shape of = from.input(0).dimensions;
    if (from.type_of_input(0) != i8 || to.type_of_output(0) != i8 || !slope.is_constant() ||
        prelu.type_of_input(1) != f32 || slope.value.type() != f32 || from.input(0).quantized.scales.size() != 1 ||
        of.rank() == 0 || static_cast<std::int64_t>(slope.dimensions.elements()) != of[of.rank() - 1] ||
        slope.dimensions.rank() == 0 || slope.dimensions.rank() > of.rank() ||
        slope.dimensions[slope.dimensions.rank() - 1] != of[of.rank() - 1])
        return {};
    const auto* const slopes = reinterpret_cast<const float*>(slope.value.data());
    for (std::size_t i = 0; i < slope.dimensions.elements(); ++i) {
        if (!(std::fabs(slopes[i]) <= 3.4028234663852886e38F)) return {};
    }
    const quantized codes = from.in(0), results = to.out();
    kernel::real_prelu_problem made;
    made.channels = of[of.rank() - 1];
    made.zero_point = codes.zero_point;
    made.scale = codes.scale;
    made.output_scale = results.scale;
    made.output_zero_point = results.zero_point;
    made.slope = slopes;
    const auto factors =
        std::make_shared<const std::vector<float>>(detail::prelu_factors(codes, results, slopes, made.channels));
    if (!factors->empty()) {
        made.positive = factors->front();
        made.negative = factors->data() + 1;
    }
    const kernel::kernel_table* const kernels = from.kernels();
    const kernel::parallel_for parallel = from.parallel();
    const std::int64_t first = from.info().inputs[0];
    return [=, kept_factors = factors](const operands& run) {
        const value& input = run.tensor(first);
        if (input.dimensions.rank() == 0 || input.dimensions[input.dimensions.rank() - 1] != made.channels)
            fail({"an input of shape ", input.dimensions, " and ", made.channels, " slopes"});
        value& output = run.out();
        output.reshape(input.dimensions);
        kernel::real_prelu_problem problem = made;
        problem.rows = made.channels == 0 ? 0 : input.elements() / made.channels;
        problem.input = input.as<std::int8_t>();
        problem.output = output.to<std::int8_t>();
        kernels->run(problem, parallel);
    };
}

}  // namespace lpt::inline LPT_ABI::specified
#endif

// ======== lpt/specified/kernel_products.hpp
#ifndef LPT_HOLDS_SPECIFIED_KERNEL_PRODUCTS_HPP
#define LPT_HOLDS_SPECIFIED_KERNEL_PRODUCTS_HPP
// Sums of products by the library's kernels for bytes, which give the same 32-bit sums as the loops in product.hpp.

namespace lpt::inline LPT_ABI::specified {

namespace detail {

/// The numbers of a product whose bias, input `at`, is known; none where kernels cannot take them.
template <class Arithmetic>
void set_numbers(const operation& op, const requantization<Arithmetic>& to, bool once, fixed_numbers& numbers,
                 std::size_t at = 2) {
    const std::size_t channels = to.by.size();
    const bool has_bias = op.has_input(at);
    if (has_bias && (!op.input(at).is_constant() || op.input(at).value.elements() != channels)) return;
    std::vector<std::int64_t> bias(channels, 0);
    for (std::size_t c = 0; c < channels && has_bias; ++c)
        bias[c] = load_integer(i32, op.input(at).value.data(), c);
    numbers.set(to, bias, once);
}

/// What a small product keeps from run to run.
struct small_product {
    kernel::fixed_product_problem problem;
    plan::zeroed_memory packed;
    fixed_numbers numbers;
};

/// A product that takes a microsecond or two, as a step: an empty one where it is larger, or not of that kind. `otherwise` runs where the
/// input has another shape than that of the file.
template <class Arithmetic>
step make_small_product(const operation& op, const kernel::fixed_product_shape& geometry, const shape& of_output,
                        const requantization<Arithmetic>& to, bool once, const step& otherwise) {
    const auto state = std::make_shared<small_product>();
    set_numbers(op, to, once, state->numbers);
    const kernel::fixed_point* const numbers = state->numbers.view();
    const kernel::kernel_table* const kernels = op.kernels();
    const std::size_t bytes = kernels->packed_fixed_product_bytes(geometry);
    if (bytes == 0 || numbers == nullptr) return {};
    state->packed = op.memory(bytes);
    kernel::fixed_product_weights weights;
    weights.data = reinterpret_cast<const std::int8_t*>(op.input(1).value.data());
    weights.bias = numbers->bias;
    weights.zero_point = op.in(0).zero_point;
    kernels->pack_fixed_product(geometry, weights, state->packed.data());
    state->problem.shape = geometry;
    state->problem.packed = state->packed.data();
    state->problem.numbers = numbers;
    state->problem.low = to.range.lowest;
    state->problem.high = to.range.highest;
    const shape of_input = op.input(0).dimensions;
    return [=](const operands& run) {
        if (!(run.in(0).dimensions == of_input)) return otherwise(run);
        value& output = run.out();
        output.reshape(of_output);
        kernel::fixed_product_problem& problem = state->problem;
        problem.input = run.in(0).template as<std::int8_t>();
        problem.output = output.to<std::int8_t>();
        kernels->run(problem, {});
    };
}

/// What a product on kernels keeps from run to run: all of its problem but the addresses of tensors.
template <class Problem>
struct packed_product {
    Problem problem;
    const kernel::kernel_table* kernels = nullptr;
    plan::zeroed_memory weights;
    plan::zeroed_memory scratch;
    fixed_numbers numbers;
    std::vector<std::int32_t> sums;  // where kernels cannot make codes of them

    /// What the kernel does to sums. Codes need a bias that is known.
    template <class Arithmetic>
    kernel::epilogue finish(const operation& op, const requantization<Arithmetic>& to, bool once, std::size_t elements,
                            std::size_t bias = 2) {
        set_numbers(op, to, once, numbers, bias);
        kernel::epilogue result;
        result.output_type = kernel::element_kind::i32;
        if (numbers.view() == nullptr) {
            sums.resize(elements);
            return result;
        }
        result.output_type = kernel::element_kind::i8;
        result.quant_low = static_cast<float>(to.range.lowest);
        result.quant_high = static_cast<float>(to.range.highest);
        result.fixed = numbers.view();
        return result;
    }
};

/// A small convolution as the kernels take it.
inline kernel::fixed_product_shape small_shape_of(const shape& input, const shape& output, const window& of,
                                                  bool depthwise) {
    kernel::fixed_product_shape result;
    result.depthwise = depthwise;
    result.batch = input[0];
    result.in_channels = input[3];
    result.out_channels = output[3];
    const window_axis axes[] = {of.rows, of.columns};
    for (std::size_t i = 0; i < 2; ++i) {
        result.in[i] = input[i + 1];
        result.out[i] = output[i + 1];
        result.kernel[i] = axes[i].size;
        result.stride[i] = axes[i].stride;
        result.dilation[i] = axes[i].dilation;
        result.pad_begin[i] = axes[i].padding(input[i + 1]);
    }
    return result;
}

/// From sums without bias, row by row, to codes.
template <class Convert>
void convert_sums(const std::vector<std::int32_t>& sums, const std::vector<std::int64_t>& bias, std::int8_t* result,
                  Convert convert) {
    const std::size_t channels = bias.size();
    for (std::size_t row = 0; row < sums.size(); row += channels) {
        for (std::size_t c = 0; c < channels; ++c)
            *result++ = convert(wrapped(sums[row + c] + bias[c]), c);
    }
}

/// A convolution or depthwise convolution as the kernels take it.
inline kernel::convolution_shape shape_of(const shape& input, const shape& output, const window& of,
                                          std::int64_t groups) {
    kernel::convolution_shape result;
    result.batch = input[0];
    result.in_channels = input[3];
    result.out_channels = output[3];
    result.groups = groups;
    const window_axis axes[] = {of.rows, of.columns};
    for (std::size_t i = 0; i < 2; ++i) {
        result.in[i + 1] = input[i + 1];
        result.out[i + 1] = output[i + 1];
        result.kernel[i + 1] = axes[i].size;
        result.stride[i + 1] = axes[i].stride;
        result.dilation[i + 1] = axes[i].dilation;
        result.pad_begin[i + 1] = axes[i].padding(input[i + 1]);
    }
    return result;
}

}  // namespace detail

/// CONV_2D and DEPTHWISE_CONV_2D. Weights are constants, and shapes those of the file; `otherwise` runs where at run time they are others.
template <class Arithmetic>
step make_convolution_on_kernels(const operation& op, step otherwise) {
    const bool depthwise = op.code() == tflite::builtin::depthwise_conv_2d;
    const tflite::tensor_info& weights = op.input(1);
    const shape of_input = op.input(0).dimensions;
    const shape kernel_of = weights.dimensions;
    if (op.kernels() == nullptr || !weights.is_constant() || of_input.rank() != 4 || of_input.elements() == 0)
        return otherwise;
    const window of = window_of(op, kernel_of[1], kernel_of[2]);
    const std::int64_t channels = kernel_of[depthwise ? 3 : 0];
    const std::int64_t groups = depthwise ? of_input[3] : of_input[3] / std::max<std::int64_t>(1, kernel_of[3]);
    const shape of_output{of_input[0], of.rows.outputs(of_input[1]), of.columns.outputs(of_input[2]), channels};
    if (groups == 0 || channels % groups != 0 || (!depthwise && groups * kernel_of[3] != of_input[3]) ||
        of_output.elements() == 0)
        return otherwise;
    const quantized from = op.in(0);
    const requantization<Arithmetic> to(op, from.scale,
                                        op.channel_scales(weights, depthwise ? 3 : 0, channels, depthwise));
    const bool is_plain = depthwise ? channels == of_input[3] : groups == 1;
    if (is_plain) {
        const auto small = detail::small_shape_of(of_input, of_output, of, depthwise);
        if (step made = detail::make_small_product(op, small, of_output, to, false, otherwise)) return made;
    }
    const kernel::convolution_shape geometry = detail::shape_of(of_input, of_output, of, groups);
    const auto state = std::make_shared<detail::packed_product<kernel::convolution_problem>>();
    state->kernels = op.kernels();
    kernel::convolution_weights unpacked;
    unpacked.data = weights.value.data();
    const std::int64_t taps = kernel_of[1] * kernel_of[2];
    const std::int64_t of_group = channels / groups;
    if (depthwise) {
        unpacked.group_stride = of_group;
        unpacked.out_stride = 1;
        unpacked.in_stride = 1;
        unpacked.tap_stride = channels;
    } else {
        unpacked.group_stride = of_group * taps * kernel_of[3];
        unpacked.out_stride = taps * kernel_of[3];
        unpacked.in_stride = 1;
        unpacked.tap_stride = kernel_of[3];
    }
    state->weights = op.memory(state->kernels->packed_convolution_bytes(geometry, kernel::element_kind::i8));
    state->kernels->pack_convolution(geometry, unpacked, state->weights.data(), {});
    state->scratch.grow(
        state->kernels->convolution_scratch_bytes(geometry, kernel::element_kind::i8, op.parallel().threads));
    kernel::convolution_problem& made = state->problem;
    made.shape = geometry;
    made.input_type = kernel::element_kind::i8;
    made.input_pixel_stride = of_input[3];
    made.input_zero_point = from.zero_point;
    made.packed_weights = state->weights.data();
    made.output_pixel_stride = channels;
    made.scratch = state->scratch.data();
    made.finish = state->finish(op, to, false, of_output.elements());
    const kernel::parallel_for parallel = op.parallel();
    return [=](const operands& run) {
        const value& input = run.in(0);
        if (!(input.dimensions == of_input)) return otherwise(run);
        value& output = run.out();
        output.reshape(of_output);
        kernel::convolution_problem& problem = state->problem;
        problem.input = input.data();
        problem.output = state->sums.empty() ? static_cast<void*>(output.memory.data()) : state->sums.data();
        state->kernels->convolution(problem, parallel);
        if (state->sums.empty()) return;
        detail::convert_sums(state->sums, detail::bias_of(run, 2, channels), output.to<std::int8_t>(), to);
    };
}

/// FULLY_CONNECTED.
template <class Arithmetic>
step make_fully_connected_on_kernels(const operation& op, step otherwise) {
    const tflite::tensor_info& weights = op.input(1);
    if (op.kernels() == nullptr || !weights.is_constant()) return otherwise;
    const shape of_input = op.input(0).dimensions;
    const std::int64_t channels = weights.dimensions[0], depth = weights.dimensions[1];
    const auto rows = static_cast<std::int64_t>(of_input.elements()) / depth;
    const bool keeps_axes = op.has_option("keep_num_dims") && op.option("keep_num_dims") != 0;
    const bool fits = !keeps_axes || (of_input.rank() != 0 && of_input[of_input.rank() - 1] == depth);
    if (rows == 0 || rows * depth != static_cast<std::int64_t>(of_input.elements()) || !fits) return otherwise;
    shape of_output{rows, channels};
    if (keeps_axes) {
        of_output = of_input;
        of_output[of_output.rank() - 1] = channels;
    }
    const quantized from = op.in(0);
    const requantization<Arithmetic> to(op, from.scale, op.channel_scales(weights, 0, channels, true));
    const std::int32_t weight_zero = detail::common_zero_point(op, weights);
    kernel::fixed_product_shape of_rows;
    of_rows.in[1] = rows;
    of_rows.out[1] = rows;
    of_rows.in_channels = depth;
    of_rows.out_channels = channels;
    step small;
    if (weight_zero == 0)
        small = detail::make_small_product(op, of_rows, of_output, to, Arithmetic::rounds_once, otherwise);
    if (small) return small;
    const auto state = std::make_shared<detail::packed_product<kernel::gemm_problem>>();
    state->kernels = op.kernels();
    kernel::gemm_weights unpacked;
    unpacked.data = weights.value.data();
    unpacked.k = depth;
    unpacked.n = channels;
    unpacked.k_stride = 1;
    unpacked.n_stride = depth;
    unpacked.zero_points = &weight_zero;
    unpacked.zero_point_count = weight_zero == 0 ? 0 : 1;
    state->weights = op.memory(state->kernels->packed_gemm_bytes(kernel::element_kind::i8, depth, channels));
    state->kernels->pack_gemm(unpacked, state->weights.data(), {});
    kernel::gemm_problem& made = state->problem;
    made.m = rows;
    made.n = channels;
    made.k = depth;
    made.a_type = kernel::element_kind::i8;
    made.a_row_stride = depth;
    made.a_zero_point = from.zero_point;
    made.packed_b = state->weights.data();
    made.c_row_stride = channels;
    made.finish = state->finish(op, to, Arithmetic::rounds_once, of_output.elements());
    const kernel::parallel_for parallel = op.parallel();
    return [=](const operands& run) {
        const value& input = run.in(0);
        if (!(input.dimensions == of_input)) return otherwise(run);
        value& output = run.out();
        output.reshape(of_output);
        kernel::gemm_problem& problem = state->problem;
        problem.a = input.data();
        problem.c = state->sums.empty() ? static_cast<void*>(output.memory.data()) : state->sums.data();
        state->kernels->gemm(problem, parallel);
        if (state->sums.empty()) return;
        detail::convert_sums(state->sums, detail::bias_of(run, 2, channels), output.to<std::int8_t>(),
                             [&](std::int32_t sum, std::size_t c) { return to.dense(sum, c); });
    };
}

}  // namespace lpt::inline LPT_ABI::specified
#endif

// ======== lpt/specified/kernel_matrices.hpp
#ifndef LPT_HOLDS_SPECIFIED_KERNEL_MATRICES_HPP
#define LPT_HOLDS_SPECIFIED_KERNEL_MATRICES_HPP
// TRANSPOSE_CONV and BATCH_MATMUL by the library's kernels for bytes.

namespace lpt::inline LPT_ABI::specified {

/// TRANSPOSE_CONV with constant weights and a constant shape of the output.
template <class Arithmetic>
step make_transposed_convolution_on_kernels(const operation& op, step otherwise) {
    const tflite::tensor_info& weights = op.input(1);
    const tflite::tensor_info& sizes = op.input(0);
    const shape of_input = op.input(2).dimensions;
    const shape kernel_of = weights.dimensions;
    if (op.kernels() == nullptr || !weights.is_constant() || !sizes.is_constant() || sizes.value.elements() != 4 ||
        of_input.rank() != 4 || of_input.elements() == 0)
        return otherwise;
    shape of_output;
    for (std::size_t i = 0; i < 4; ++i)
        of_output.push_back(load_integer(sizes.value.type(), sizes.value.data(), i));
    if (of_output[0] != of_input[0] || of_output[1] <= 0 || of_output[2] <= 0 || of_output[3] != kernel_of[0] ||
        of_input[3] != kernel_of[3] || !of_output.is_possible())
        return otherwise;  // which says what is wrong
    const window of = window_of(op, kernel_of[1], kernel_of[2]);
    // Its padding is that of the convolution whose input is this output.
    kernel::convolution_shape geometry = detail::shape_of(of_output, of_input, of, 1);
    geometry.transposed = true;
    for (std::size_t i = 1; i < 3; ++i)
        std::swap(geometry.in[i], geometry.out[i]);
    geometry.in_channels = of_input[3];
    geometry.out_channels = of_output[3];
    geometry.dilation[1] = geometry.dilation[2] = 1;
    const auto state = std::make_shared<detail::packed_product<kernel::convolution_problem>>();
    state->kernels = op.kernels();
    const std::int64_t taps = kernel_of[1] * kernel_of[2];
    kernel::convolution_weights unpacked;
    unpacked.data = weights.value.data();
    unpacked.out_stride = taps * kernel_of[3];
    unpacked.group_stride = unpacked.out_stride * kernel_of[0];
    unpacked.in_stride = 1;
    unpacked.tap_stride = kernel_of[3];
    state->weights = op.memory(state->kernels->packed_convolution_bytes(geometry, kernel::element_kind::i8));
    state->kernels->pack_convolution(geometry, unpacked, state->weights.data(), {});
    state->scratch.grow(
        state->kernels->convolution_scratch_bytes(geometry, kernel::element_kind::i8, op.parallel().threads));
    const quantized from = op.in(2);
    const requantization<Arithmetic> to(op, from.scale, op.channel_scales(weights, 0, kernel_of[0]));
    kernel::convolution_problem& made = state->problem;
    made.shape = geometry;
    made.input_type = kernel::element_kind::i8;
    made.input_pixel_stride = of_input[3];
    made.input_zero_point = from.zero_point;
    made.packed_weights = state->weights.data();
    made.output_pixel_stride = of_output[3];
    made.scratch = state->scratch.data();
    made.finish = state->finish(op, to, false, of_output.elements(), 3);
    const kernel::parallel_for parallel = op.parallel();
    return [=](const operands& run) {
        const value& input = run.in(2);
        if (!(input.dimensions == of_input)) return otherwise(run);
        value& output = run.out();
        output.reshape(of_output);
        kernel::convolution_problem& problem = state->problem;
        problem.input = input.data();
        problem.output = state->sums.empty() ? static_cast<void*>(output.memory.data()) : state->sums.data();
        state->kernels->convolution(problem, parallel);
        if (state->sums.empty()) return;
        detail::convert_sums(state->sums, detail::bias_of(run, 3, of_output[3]), output.to<std::int8_t>(), to);
    };
}

namespace detail {

/// The matrices of a BATCH_MATMUL: which go together, and one packed.
struct matrix_products {
    struct pair {
        std::int64_t left, right, result;  // elements before the matrices
    };
    std::vector<pair> pairs;
    kernel::gemm_weights weights;
    kernel::gemm_problem problem;
    plan::zeroed_memory packed;
    fixed_numbers numbers;
    bool fits = false;

    /// Products of matrices, right ones packed as they come; those that stay the same are packed once.
    void run(const kernel::kernel_table& kernels, const kernel::parallel_for& parallel, const std::int8_t* left,
             const std::int8_t* right, std::int8_t* result) {
        std::int64_t last = -1;
        for (const pair& each : pairs) {
            if (each.right != last) {
                weights.data = right + each.right;
                kernels.pack_gemm(weights, packed.data(), parallel);
                last = each.right;
            }
            problem.a = left + each.left;
            problem.c = result + each.result;
            kernels.gemm(problem, parallel);
        }
    }
};

}  // namespace detail

/// BATCH_MATMUL, but with adj_x.
template <class Arithmetic>
step make_matrix_product_on_kernels(const operation& op, step otherwise) {
    if (op.kernels() == nullptr || op.option("adj_x") != 0) return otherwise;
    const bool transposes = op.option("adj_y") != 0;
    const quantized a = op.in(0), b = op.in(1);
    const requantization<Arithmetic> to(op, a.scale, {static_cast<double>(b.scale)});
    const auto known = std::make_shared<for_shapes<detail::matrix_products>>(std::vector<std::size_t>{});
    const kernel::kernel_table* const kernels = op.kernels();
    const kernel::parallel_for parallel = op.parallel();
    const auto zero_of_right = std::make_shared<const std::int32_t>(b.zero_point);
    const auto plan = [=](const operands& run, detail::matrix_products& made) {
        const shape& left = run.in(0).dimensions;
        const shape& right = run.in(1).dimensions;
        const std::size_t rank = std::max<std::size_t>(2, std::max(left.rank(), right.rank()));
        const shape of_left = left.padded_left(rank), of_right = right.padded_left(rank);
        const std::int64_t rows = of_left[rank - 2], depth = of_left[rank - 1];
        const std::int64_t columns = of_right[rank - (transposes ? 2 : 1)];
        if (of_right[rank - (transposes ? 1 : 2)] != depth || depth == 0 || columns == 0) return;
        const shape left_batch(view<dimension>(of_left.begin(), rank - 2));
        const shape right_batch(view<dimension>(of_right.begin(), rank - 2));
        const shape batch = broadcast(left_batch, right_batch);
        const auto channels = static_cast<std::size_t>(columns);
        requantization<Arithmetic> of_columns = to;
        of_columns.by.assign(channels, to.by[0]);
        of_columns.exactly.assign(channels, to.exactly[0]);
        made.numbers.set(of_columns, std::vector<std::int64_t>(channels, 0), false);
        if (made.numbers.view() == nullptr) return;
        for_each_row<2>(batch, {&left_batch, &right_batch},
                        [&](std::int64_t first, const std::int64_t* at, const std::int64_t* steps, std::int64_t count) {
                            for (std::int64_t i = 0; i < count; ++i)
                                made.pairs.push_back({(at[0] + i * steps[0]) * rows * depth,
                                                      (at[1] + i * steps[1]) * depth * columns,
                                                      (first + i) * rows * columns});
                        });
        made.weights.k = depth;
        made.weights.n = columns;
        made.weights.k_stride = transposes ? 1 : columns;
        made.weights.n_stride = transposes ? depth : 1;
        made.weights.zero_points = zero_of_right.get();
        made.weights.zero_point_count = *zero_of_right == 0 ? 0 : 1;
        made.packed.grow(kernels->packed_gemm_bytes(kernel::element_kind::i8, depth, columns));
        kernel::gemm_problem& problem = made.problem;
        problem.m = rows;
        problem.n = columns;
        problem.k = depth;
        problem.a_type = kernel::element_kind::i8;
        problem.a_row_stride = depth;
        problem.a_zero_point = a.zero_point;
        problem.packed_b = made.packed.data();
        problem.c_row_stride = columns;
        problem.finish.output_type = kernel::element_kind::i8;
        problem.finish.quant_low = static_cast<float>(to.range.lowest);
        problem.finish.quant_high = static_cast<float>(to.range.highest);
        problem.finish.fixed = made.numbers.view();
        shape wanted = batch;
        wanted.push_back(rows);
        wanted.push_back(columns);
        run.out().reshape(wanted);
        made.fits = true;
    };
    return [=](const operands& run) {
        detail::matrix_products& of = known->of(run, [&](detail::matrix_products& made) { plan(run, made); });
        if (!of.fits) return otherwise(run);
        of.run(*kernels, parallel, run.in(0).template as<std::int8_t>(), run.in(1).template as<std::int8_t>(),
               run.out().template to<std::int8_t>());
    };
}

}  // namespace lpt::inline LPT_ABI::specified
#endif

// ======== lpt/specified/pooling.hpp
#ifndef LPT_HOLDS_SPECIFIED_POOLING_HPP
#define LPT_HOLDS_SPECIFIED_POOLING_HPP
// AVERAGE_POOL_2D and MAX_POOL_2D: the part of each window that lies inside the input. Codes keep their quantization.

namespace lpt::inline LPT_ABI::specified {

/// AVERAGE_POOL_2D: the sum of codes divided by their number, rounded half away from zero. MAX_POOL_2D: the largest code. Both clamped by
/// the fused activation.
inline step make_pooling(const operation& op) {
    op.expect_codes(1);
    const bool averages = op.code() == tflite::builtin::average_pool_2d;
    const window of = window_of(op, op.positive_option("filter_height"), op.positive_option("filter_width"));
    const code_range range = op.activated();
    return [=](const operands& run) {
        const value& input = run.in(0);
        expect_image(input.dimensions);
        expect_positive(input.dimensions);
        const std::int64_t height = input.dimensions[1], width = input.dimensions[2], channels = input.dimensions[3];
        const std::int64_t rows = of.rows.outputs(height), columns = of.columns.outputs(width);
        const std::int64_t top = of.rows.padding(height), left = of.columns.padding(width);
        value& output = run.out();
        output.reshape(shape{input.dimensions[0], rows, columns, channels});
        const std::int8_t* codes = input.as<std::int8_t>();
        std::int8_t* result = output.to<std::int8_t>();
        std::vector<std::int32_t> pooled(static_cast<std::size_t>(channels));
        const auto pool = [&](std::int64_t b, std::int64_t y, std::int64_t x) {
            const std::int64_t first_row = std::max<std::int64_t>(0, y * of.rows.stride - top);
            const std::int64_t last_row = std::min(height, y * of.rows.stride - top + of.rows.size);
            const std::int64_t first = std::max<std::int64_t>(0, x * of.columns.stride - left);
            const std::int64_t last = std::min(width, x * of.columns.stride - left + of.columns.size);
            std::fill(pooled.begin(), pooled.end(), averages ? 0 : -128);
            for (std::int64_t row = first_row; row < last_row; ++row) {
                const std::int8_t* q = codes + ((b * height + row) * width + first) * channels;
                for (std::int64_t column = first; column < last; ++column, q += channels) {
                    for (std::int64_t c = 0; c < channels; ++c) {
                        std::int32_t& mine = pooled[static_cast<std::size_t>(c)];
                        mine = averages ? mine + q[c] : std::max<std::int32_t>(mine, q[c]);
                    }
                }
            }
            const auto count = static_cast<std::int32_t>((last_row - first_row) * (last - first));
            for (std::int32_t each : pooled) {
                if (averages) each = count == 0 ? 0 : (each > 0 ? each + count / 2 : each - count / 2) / count;
                *result++ = static_cast<std::int8_t>(range.clamp(each));
            }
        };
        for (std::int64_t b = 0; b < input.dimensions[0]; ++b) {
            for (std::int64_t y = 0; y < rows; ++y) {
                for (std::int64_t x = 0; x < columns; ++x)
                    pool(b, y, x);
            }
        }
    };
}

}  // namespace lpt::inline LPT_ABI::specified
#endif

// ======== lpt/specified/reduction.hpp
#ifndef LPT_HOLDS_SPECIFIED_REDUCTION_HPP
#define LPT_HOLDS_SPECIFIED_REDUCTION_HPP
// Functions of the elements along axes: MEAN, SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD, ARG_MAX, ARG_MIN.

namespace lpt::inline LPT_ABI::specified {

namespace detail {

/// Where the elements of an input go in the output of a reduction.
class reduction {
    walk<1> walk_;  // of the output, element by element of the input
    std::vector<std::int64_t> index_;

public:
    shape result;  // of the output
    std::int64_t reduced = 1;  // elements for each of the output
    std::vector<std::int64_t> sums;  // for those who need them

    reduction() = default;
    reduction(const shape& from, const std::vector<std::int64_t>& axes, bool keeps) {
        std::vector<bool> is_reduced(from.rank(), false);
        for (const std::int64_t axis : axes)
            is_reduced[axis_of(axis, from.rank())] = true;
        shape output = from;
        for (std::size_t axis = 0; axis < from.rank(); ++axis) {
            if (is_reduced[axis]) {
                output[axis] = 1;
                reduced *= from[axis];
            }
            if (keeps || !is_reduced[axis]) result.push_back(output[axis]);
        }
        if (from.elements() == 0) return;
        const std::vector<std::int64_t> strides = strides_of(output);
        for (std::size_t axis = 0; axis < from.rank(); ++axis) {
            const std::int64_t step = is_reduced[axis] ? 0 : strides[axis];
            if (from[axis] != 1) walk_.add_axis(from[axis], &step);
        }
        const std::int64_t none = 0;
        if (walk_.sizes.empty()) walk_.add_axis(1, &none);
        index_.assign(walk_.sizes.size() - 1, 0);
    }

    /// Calls `visit(k, i)` for each element i of the input, k its place in the output; those of one k in order of i.
    template <class Visit>
    void run(Visit visit) {
        if (walk_.sizes.empty()) return;
        const std::int64_t count = walk_.sizes.back(), step = walk_.steps[0].back();
        std::int64_t first = 0;
        for (bool done = false; !done; first += count) {
            std::int64_t at = 0;
            for (std::size_t axis = 0; axis < index_.size(); ++axis)
                at += index_[axis] * walk_.steps[0][axis];
            for (std::int64_t i = 0; i < count; ++i)
                visit(static_cast<std::size_t>(at + i * step), static_cast<std::size_t>(first + i));
            done = true;
            for (std::size_t axis = index_.size(); axis-- > 0;) {
                if (++index_[axis] < walk_.sizes[axis]) {
                    done = false;
                    break;
                }
                index_[axis] = 0;
            }
        }
    }
};

/// The reduction that an operation does to its input, and the output's shape; axes are its second input.
class known_reduction {
    std::shared_ptr<for_shapes<reduction>> known_ =
        std::make_shared<for_shapes<reduction>>(std::vector<std::size_t>{1});
    bool keeps_;

public:
    explicit known_reduction(bool keeps) : keeps_(keeps) {}
    reduction& of(const operands& run) const {
        return known_->of(run, [&](reduction& made) {
            made = reduction(run.in(0).dimensions, run.in(1).integers(), keeps_);
            run.out().reshape(made.result);
        });
    }
};

/// sum(q - z) for each element of the output.
inline const std::vector<std::int64_t>& centred_sums(const value& input, const value& output, reduction& of,
                                                     std::int32_t zero_point) {
    of.sums.assign(static_cast<std::size_t>(output.elements()), 0);
    const std::int8_t* codes = input.as<std::int8_t>();
    std::int64_t* sums = of.sums.data();
    of.run([=](std::size_t to, std::size_t from) { sums[to] += codes[from] - zero_point; });
    return of.sums;
}

/// The multiplier of a mean over n elements: the significand shifted as far as 64 bits allow, then divided by n.
inline arithmetic::multiplier divided(arithmetic::multiplier by, std::int64_t n) {
    if (n <= 0) return by;
    const int log = 63 - __builtin_clzll(static_cast<unsigned long long>(n));
    const int shift = std::max(0, std::min(std::min(log, 32), 31 + by.exponent));
    return {static_cast<std::int32_t>((std::int64_t{by.significand} << shift) / n), by.exponent - shift};
}

}  // namespace detail

/// MEAN: T(sum(q - z_i), M(s_i / s_o) / n) + z_o.
template <class Arithmetic>
step make_mean(const operation& op) {
    op.expect_codes(1);
    const quantized from = op.in(0), to = op.out();
    const arithmetic::multiplier by = Arithmetic::of(static_cast<double>(from.scale) / static_cast<double>(to.scale));
    const detail::known_reduction known(op.option("keep_dims") != 0);
    return [=](const operands& run) {
        detail::reduction& of = known.of(run);
        value& output = run.out();
        const std::vector<std::int64_t>& sums = detail::centred_sums(run.in(0), output, of, from.zero_point);
        const arithmetic::multiplier mean = detail::divided(by, of.reduced);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            const std::int32_t scaled = Arithmetic::scale(static_cast<std::int32_t>(sums[i]), mean);
            output.to<std::int8_t>()[i] =
                static_cast<std::int8_t>(code_range().clamp(std::int64_t{scaled} + to.zero_point));
        }
    };
}

/// SUM: round_half_away(sum(q - z_i) (s_i / s_o)) + z_o; where the arithmetic rounds twice, T(sum(q - z_i), M(s_i / s_o)) + z_o.
template <class Arithmetic>
step make_total(const operation& op) {
    op.expect_codes(1);
    const quantized from = op.in(0), to = op.out();
    const double exactly = static_cast<double>(from.scale) / static_cast<double>(to.scale);
    const arithmetic::multiplier by = Arithmetic::of(exactly);
    const auto scaled = [=](std::int64_t sum) -> std::int64_t {
        if constexpr (Arithmetic::rounds_once) return Arithmetic::scale_once(sum, exactly);
        return Arithmetic::scale(static_cast<std::int32_t>(sum), by);
    };
    const detail::known_reduction known(op.option("keep_dims") != 0);
    return [=](const operands& run) {
        detail::reduction& of = known.of(run);
        value& output = run.out();
        const std::vector<std::int64_t>& sums = detail::centred_sums(run.in(0), output, of, from.zero_point);
        for (std::size_t i = 0; i < sums.size(); ++i)
            output.to<std::int8_t>()[i] = static_cast<std::int8_t>(code_range().clamp(scaled(sums[i]) + to.zero_point));
    };
}

/// REDUCE_MAX, REDUCE_MIN: the largest or smallest code.
inline step make_extreme_along(const operation& op) {
    op.expect_codes(1);
    const bool largest = op.code() == tflite::builtin::reduce_max;
    const detail::known_reduction known(op.option("keep_dims") != 0);
    return [=](const operands& run) {
        detail::reduction& of = known.of(run);
        value& output = run.out();
        const std::int8_t* codes = run.in(0).template as<std::int8_t>();
        std::int8_t* result = output.to<std::int8_t>();
        std::fill(result, result + output.elements(), static_cast<std::int8_t>(largest ? -128 : 127));
        of.run([&](std::size_t to, std::size_t from) {
            result[to] = largest ? std::max(result[to], codes[from]) : std::min(result[to], codes[from]);
        });
    };
}

namespace detail {

/// value * by with the upper 16 bits of the significand, rounded once, half up; what 32 bits cannot hold wraps around.
inline std::int32_t scaled_coarsely(std::int64_t value, arithmetic::multiplier by) {
    const std::int64_t significand = by.significand < 0x7FFF0000 ? (by.significand + (1 << 15)) >> 16 : 0x7FFF;
    const int right = std::min(62, std::max(1, 15 - by.exponent));
    return static_cast<std::int32_t>((value * significand + (std::int64_t{1} << (right - 1))) >> right);
}

}  // namespace detail

/// REDUCE_PROD of n elements: p = q - z_i of the first, then p = p (q - z_i) m for each other, at the end p m + z_o, with
/// m = s_i / s_o^(1 / n) in 16 bits.
template <class Arithmetic>
step make_product_along(const operation& op) {
    op.expect_codes(1);
    const quantized from = op.in(0), to = op.out();
    const detail::known_reduction known(op.option("keep_dims") != 0);
    return [=](const operands& run) {
        detail::reduction& of = known.of(run);
        const double root =
            std::pow(static_cast<double>(to.scale), 1.0 / static_cast<double>(std::max<std::int64_t>(1, of.reduced)));
        const arithmetic::multiplier by = Arithmetic::of(static_cast<double>(from.scale) / root);
        value& output = run.out();
        std::vector<std::int32_t> products(static_cast<std::size_t>(output.elements()), 0);
        std::vector<bool> begun(products.size(), false);
        const std::int8_t* codes = run.in(0).template as<std::int8_t>();
        of.run([&](std::size_t k, std::size_t i) {
            const std::int32_t factor = codes[i] - from.zero_point;
            products[k] = begun[k] ? detail::scaled_coarsely(std::int64_t{products[k]} * factor, by) : factor;
            begun[k] = true;
        });
        for (std::size_t i = 0; i < products.size(); ++i) {
            const std::int64_t code = std::int64_t{detail::scaled_coarsely(products[i], by)} + to.zero_point;
            output.to<std::int8_t>()[i] = static_cast<std::int8_t>(code_range().clamp(code));
        }
    };
}

/// ARG_MAX, ARG_MIN: the first position of the largest or smallest code along an axis, which is the second input.
inline step make_position(const operation& op) {
    op.expect_type(op.input(0), i8);
    const element type = op.type_of_output(0);
    if (type != i32 && type != i64) op.wrong("positions of type ", tflite::name(op.output(0).type));
    const bool largest = op.code() == tflite::builtin::arg_max;
    return [=](const operands& run) {
        const value& input = run.in(0);
        if (run.in(1).elements() != 1) fail({"ARG_MAX and ARG_MIN: expected one axis"});
        const std::size_t axis = axis_of(run.in(1).integer(0), input.dimensions.rank());
        shape wanted = input.dimensions;
        wanted.erase(axis);
        value& output = run.out();
        output.reshape(move(wanted));
        const std::int64_t outer = product(input.dimensions, 0, axis);
        const std::int64_t length = input.dimensions[axis];
        const std::int64_t inner = product(input.dimensions, axis + 1, input.dimensions.rank());
        const std::int8_t* codes = input.as<std::int8_t>();
        for (std::int64_t i = 0; i < outer * inner; ++i) {
            const std::int8_t* from = codes + i / inner * length * inner + i % inner;
            std::int64_t best = 0;
            for (std::int64_t k = 1; k < length; ++k) {
                const bool is_better =
                    largest ? from[k * inner] > from[best * inner] : from[k * inner] < from[best * inner];
                if (is_better) best = k;
            }
            store_integer(type, output.to<std::byte>(), static_cast<std::size_t>(i), best);
        }
    };
}

}  // namespace lpt::inline LPT_ABI::specified
#endif

// ======== lpt/specified/kernel_windows.hpp
#ifndef LPT_HOLDS_SPECIFIED_KERNEL_WINDOWS_HPP
#define LPT_HOLDS_SPECIFIED_KERNEL_WINDOWS_HPP
// Pooling, sums and means by the library's kernels for bytes.

namespace lpt::inline LPT_ABI::specified {

namespace detail {

/// A step with one problem for the shapes of its operands. `plan(run, problem)` fills it and gives the output its shape; false where a kernel
/// cannot take it: then `otherwise` runs.
template <class Problem, class Plan>
step make_windows(const operation& op, std::vector<std::size_t> values, const Plan& plan, const step& otherwise) {
    struct planned {
        Problem problem;
        bool fits = false;
    };
    const auto known = std::make_shared<for_shapes<planned>>(lpt::move(values));
    const kernel::kernel_table* const kernels = op.kernels();
    const kernel::parallel_for parallel = op.parallel();
    return [=](const operands& run) {
        planned& of = known->of(run, [&](planned& made) { made.fits = plan(run, made.problem); });
        if (!of.fits) return otherwise(run);
        if (run.out().memory.empty()) return;
        if constexpr (std::is_same_v<Problem, kernel::pool_problem>)
            kernels->pool(of.problem, parallel);
        else
            kernels->run(of.problem, parallel);
    };
}

/// The codes that sums of at most so many elements become: those of kernels hold 32 bits.
inline bool sums_fit(std::int64_t elements) { return elements < (std::int64_t{1} << 23); }

/// A reduction of axes that lie side by side, as [outer, elements, inner].
inline std::optional<std::array<std::int64_t, 3>> side_by_side(const shape& from,
                                                               const std::vector<std::int64_t>& axes) {
    std::vector<bool> is_reduced(from.rank(), false);
    for (const std::int64_t axis : axes)
        is_reduced[axis_of(axis, from.rank())] = true;
    std::array<std::int64_t, 3> result{1, 1, 1};
    std::size_t part = 0;
    for (std::size_t axis = 0; axis < from.rank(); ++axis) {
        if (from[axis] == 1) continue;
        const std::size_t wanted = is_reduced[axis] ? 1 : part == 0 ? 0 : 2;
        if (wanted < part) return std::nullopt;
        part = wanted;
        result[part] *= from[axis];
    }
    return result;
}

/// The sums of a reduction as windows, each as large as its image; false where its axes do not lie side by side, or hold too much.
inline bool plan_sums(const operands& run, bool keeps, kernel::fixed_sum_problem& problem) {
    const shape& from = run.in(0).dimensions;
    const std::vector<std::int64_t> axes = run.in(1).integers();
    const reduction of(from, axes, keeps);
    run.out().reshape(of.result);
    const auto sizes = side_by_side(from, axes);
    if (!sizes || from.elements() == 0 || !sums_fit((*sizes)[1])) return false;
    problem.batch = (*sizes)[0];
    problem.in[1] = problem.kernel[1] = (*sizes)[1];
    problem.channels = (*sizes)[2];
    problem.input = run.in(0).as<std::int8_t>();
    problem.output = run.out().to<std::int8_t>();
    return true;
}

}  // namespace detail

/// MEAN.
template <class Arithmetic>
step make_mean_on_kernels(const operation& op, step otherwise) {
    if (op.kernels() == nullptr) return otherwise;
    const quantized from = op.in(0), to = op.out();
    const arithmetic::multiplier by = Arithmetic::of(static_cast<double>(from.scale) / static_cast<double>(to.scale));
    const bool keeps = op.option("keep_dims") != 0;
    const auto plan = [=](const operands& run, kernel::fixed_sum_problem& problem) {
        if (!detail::plan_sums(run, keeps, problem)) return false;
        const split_multiplier split(detail::divided(by, problem.kernel[1]), to.zero_point);
        problem.zero_point = from.zero_point;
        problem.scale = split.numbers;
        return split.fits;
    };
    return detail::make_windows<kernel::fixed_sum_problem>(op, {1}, plan, otherwise);
}

/// SUM.
template <class Arithmetic>
step make_total_on_kernels(const operation& op, step otherwise) {
    if (op.kernels() == nullptr) return otherwise;
    const quantized from = op.in(0), to = op.out();
    const double exactly = static_cast<double>(from.scale) / static_cast<double>(to.scale);
    const split_multiplier split(Arithmetic::of(exactly), to.zero_point);
    const bool keeps = op.option("keep_dims") != 0;
    if (!Arithmetic::rounds_once && !split.fits) return otherwise;
    const auto plan = [=](const operands& run, kernel::fixed_sum_problem& problem) {
        problem.zero_point = from.zero_point;
        problem.scale = split.numbers;
        problem.scale.offset = to.zero_point;
        if (Arithmetic::rounds_once) problem.real = exactly;
        return detail::plan_sums(run, keeps, problem);
    };
    return detail::make_windows<kernel::fixed_sum_problem>(op, {1}, plan, otherwise);
}

/// AVERAGE_POOL_2D and MAX_POOL_2D: of the largest code the clamp of the fused activation is the kernel's saturation.
inline step make_pooling_on_kernels(const operation& op, step otherwise) {
    if (op.kernels() == nullptr) return otherwise;
    const window of = window_of(op, op.positive_option("filter_height"), op.positive_option("filter_width"));
    const code_range range = op.activated();
    const auto reshape_output = [=](const operands& run) {
        const shape& from = run.in(0).dimensions;
        expect_image(from);
        expect_positive(from);
        run.out().reshape(shape{from[0], of.rows.outputs(from[1]), of.columns.outputs(from[2]), from[3]});
    };
    const auto of_axes = [=](const operands& run, std::size_t first, auto& problem) {
        const shape& from = run.in(0).dimensions;
        const shape& to = run.out().dimensions;
        problem.batch = from[0];
        problem.channels = from[3];
        const window_axis axes[] = {of.rows, of.columns};
        for (std::size_t i = 0; i < 2; ++i) {
            problem.in[first + i] = from[i + 1];
            problem.out[first + i] = to[i + 1];
            problem.kernel[first + i] = axes[i].size;
            problem.stride[first + i] = axes[i].stride;
            problem.pad_begin[first + i] = axes[i].padding(from[i + 1]);
        }
    };
    if (op.code() == tflite::builtin::average_pool_2d) {
        const auto plan = [=](const operands& run, kernel::fixed_sum_problem& problem) {
            reshape_output(run);
            of_axes(run, 0, problem);
            problem.averages = true;
            problem.low = range.lowest;
            problem.high = range.highest;
            problem.input = run.in(0).as<std::int8_t>();
            problem.output = run.out().to<std::int8_t>();
            return detail::sums_fit(problem.in[0] * problem.in[1]);
        };
        return detail::make_windows<kernel::fixed_sum_problem>(op, {}, plan, otherwise);
    }
    const auto plan = [=](const operands& run, kernel::pool_problem& problem) {
        reshape_output(run);
        of_axes(run, 1, problem);
        problem.input = run.in(0).data();
        problem.input_type = kernel::element_kind::i8;
        problem.input_pixel_stride = problem.channels;
        problem.output = run.out().memory.data();
        problem.output_pixel_stride = problem.channels;
        problem.finish.output_type = kernel::element_kind::i8;
        problem.finish.quant_low = static_cast<float>(range.lowest);
        problem.finish.quant_high = static_cast<float>(range.highest);
        return true;
    };
    return detail::make_windows<kernel::pool_problem>(op, {}, plan, otherwise);
}

}  // namespace lpt::inline LPT_ABI::specified
#endif

// ======== lpt/specified/lookup.hpp
#ifndef LPT_HOLDS_SPECIFIED_LOOKUP_HPP
#define LPT_HOLDS_SPECIFIED_LOOKUP_HPP
// Functions of one tensor of 8 bits: each is a table of 256 codes, computed when the kernel is made. QUANTIZE and DEQUANTIZE of other types.

namespace lpt::inline LPT_ABI::specified {

namespace detail {

inline step make_lookup_on_kernels(const operation& op, const code_table<std::int8_t>& table) {
    std::array<std::uint8_t, 256> by_byte{};
    for (int code = -128; code <= 127; ++code)
        by_byte[static_cast<std::uint8_t>(code)] = static_cast<std::uint8_t>(table[static_cast<std::int8_t>(code)]);
    const kernel::kernel_table* const kernels = op.kernels();
    const kernel::parallel_for parallel = op.parallel();
    return [=, table = kept(by_byte)](const operands& run) {
        const value& input = run.in(0);
        value& output = run.out();
        output.reshape(input.dimensions);
        kernel::lookup_problem problem;
        problem.table = table->data();
        problem.input = input.as<std::uint8_t>();
        problem.output = output.to<std::uint8_t>();
        problem.count = input.elements();
        kernels->lookup(problem, parallel);
    };
}

}  // namespace detail

/// A kernel that replaces each int8 code by that of a table.
inline step make_lookup(const operation& op, const code_table<std::int8_t>& table) {
    if (op.kernels() != nullptr) return detail::make_lookup_on_kernels(op, table);
    return [table = kept(table)](const operands& run) {
        const value& input = run.in(0);
        value& output = run.out();
        output.reshape(input.dimensions);
        const std::int8_t* from = input.as<std::int8_t>();
        std::int8_t* to = output.to<std::int8_t>();
        const std::int64_t count = input.elements();
        for (std::int64_t i = 0; i < count; ++i)
            to[i] = (*table)[from[i]];
    };
}

namespace detail {

/// clamp(round_half_away(f(s_i (q - z_i)) / s_o) + z_o) for each code; f and what is around it in single precision.
template <class Arithmetic, class Function>
step make_function(const operation& op, Function function) {
    op.expect_codes(1);
    const quantized from = op.in(0), to = op.out();
    const float inverse = 1.0F / to.scale;
    return make_lookup(op, code_table<std::int8_t>::made_of([&](int code) {
                           const float result =
                               std::round(function(from.scale * static_cast<float>(code - from.zero_point)) * inverse);
                           if (!(result > -1e9F)) return -128;  // so is what is no number
                           return code_range().clamp(static_cast<std::int64_t>(std::min(result, 1e9F)) + to.zero_point);
                       }));
}

/// A function of double precision, rounded to single: correctly but for the rarest of its values, wherever it runs.
template <double (*Function)(double)>
float rounded(float x) {
    return static_cast<float>(Function(static_cast<double>(x)));
}

inline float gelu(float x, bool approximate) {
    constexpr float root_of_half = 0.70710678118654752440F;
    constexpr float root_of_two_over_pi = 0.79788456080286535588F;
    if (!approximate) return 0.5F * x * rounded<std::erfc>(x * -root_of_half);
    return 0.5F * x * (1.0F + rounded<std::tanh>(root_of_two_over_pi * x * (1.0F + 0.044715F * x * x)));
}

/// LOGISTIC (8 bits) and TANH (7 bits) in fixed point: x = T(q - z_i, M(2^27 s_i)) has 4 integer bits, f(x) is rounded half away to `bits` bits.
/// Codes whose x has more are the first or last. The output's quantization, which the specification sets, has no part in it.
template <class Arithmetic, class Function>
step make_fixed_function(const operation& op, int bits, std::int32_t zero_point, Function function) {
    op.expect_codes(1);
    const quantized from = op.in(0);
    constexpr int integer_bits = 4;
    const arithmetic::multiplier by = Arithmetic::of(std::ldexp(static_cast<double>(from.scale), 31 - integer_bits));
    const double radius = std::floor(std::ldexp(double{(1 << integer_bits) - 1}, 31 - integer_bits - by.exponent));
    return make_lookup(op, code_table<std::int8_t>::made_of([&](int code) {
                           const std::int32_t centred = code - from.zero_point;
                           if (centred <= -radius) return -128;
                           if (centred >= radius) return 127;
                           const arithmetic::fixed<integer_bits> x{Arithmetic::scale(centred, by)};
                           const std::int32_t result = Arithmetic::divide_by_power(function(x).raw, 31 - bits);
                           return code_range().clamp(std::int64_t{result} + zero_point);
                       }));
}

/// An affine function of the code in two pieces: T(q - z_i, above) where q >= z_i, else T(q - z_i, below); + z_o; within the range.
template <class Arithmetic>
step make_affine(const operation& op, quantized from, quantized to, double above, double below, code_range range) {
    const arithmetic::multiplier of_above = Arithmetic::of(above), of_below = Arithmetic::of(below);
    return make_lookup(op, code_table<std::int8_t>::made_of([&](int code) {
                           const std::int32_t centred = code - from.zero_point;
                           return range.clamp(
                               std::int64_t{Arithmetic::scale(centred, centred >= 0 ? of_above : of_below)} +
                               to.zero_point);
                       }));
}

}  // namespace detail

/// LOGISTIC, TANH, ELU, EXP, LOG, GELU: clamp(round_half_away(f(s_i (q - z_i)) / s_o) + z_o).
/// Where f has no real value, or minus infinity, the code is -128. The arithmetic may have LOGISTIC and TANH in fixed point.
template <class Arithmetic>
step make_real_function(const operation& op) {
    using detail::rounded;
    using tflite::builtin;
    if constexpr (Arithmetic::functions_in_fixed_point) {
        if (op.code() == builtin::logistic)
            return detail::make_fixed_function<Arithmetic>(op, 8, -128, [](auto x) { return arithmetic::logistic(x); });
        if (op.code() == builtin::tanh)
            return detail::make_fixed_function<Arithmetic>(op, 7, 0, [](auto x) { return arithmetic::tanh(x); });
    }
    switch (op.code()) {
        case builtin::logistic:
            return detail::make_function<Arithmetic>(op, [](float x) { return 1.0F / (1.0F + rounded<std::exp>(-x)); });
        case builtin::tanh: return detail::make_function<Arithmetic>(op, rounded<std::tanh>);
        case builtin::elu:
            return detail::make_function<Arithmetic>(op, [](float x) { return x < 0 ? rounded<std::expm1>(x) : x; });
        case builtin::exp: return detail::make_function<Arithmetic>(op, rounded<std::exp>);
        case builtin::log: return detail::make_function<Arithmetic>(op, rounded<std::log>);
        default: break;
    }
    const bool approximate = op.option("approximate") != 0;
    return detail::make_function<Arithmetic>(op, [=](float x) { return detail::gelu(x, approximate); });
}

/// SQRT: sqrt(s_i (q - z_i)) / s_o without what lies behind the point, + z_o; codes below z_i give z_o.
inline step make_root(const operation& op) {
    op.expect_codes(1);
    const quantized from = op.in(0), to = op.out();
    return make_lookup(op, code_table<std::int8_t>::made_of([&](int code) {
                           const float real = from.scale * static_cast<float>(std::max(0, code - from.zero_point));
                           const float result = std::min(std::sqrt(real) / to.scale, 1e9F);
                           return code_range().clamp(static_cast<std::int64_t>(result) + to.zero_point);
                       }));
}

/// ABS: T(|q - z_i|, M(s_i / s_o)) + z_o; the codes themselves where both scales are the same.
template <class Arithmetic>
step make_absolute(const operation& op) {
    op.expect_codes(1);
    const quantized from = op.in(0), to = op.out();
    const arithmetic::multiplier by = Arithmetic::of(static_cast<double>(from.scale / to.scale));
    const bool rescales = from.scale != to.scale;
    return make_lookup(op, code_table<std::int8_t>::made_of([&](int code) {
                           const std::int32_t centred =
                               code < from.zero_point ? from.zero_point - code : code - from.zero_point;
                           return code_range().clamp(std::int64_t{rescales ? Arithmetic::scale(centred, by) : centred} +
                                                     to.zero_point);
                       }));
}

/// RELU, RELU6, RELU_N1_TO_1, RELU_0_TO_1: T(q - z_i, M(s_i / s_o)) + z_o, within the codes z_o + round(v / s_o) of the bounds v.
template <class Arithmetic>
step make_rectifier(const operation& op) {
    op.expect_codes(1);
    const quantized from = op.in(0), to = op.out();
    const auto code_of = [&](float real) {
        return code_range().clamp(to.zero_point + Arithmetic::round_half_away(static_cast<double>(real / to.scale)));
    };
    code_range range;
    range.lowest = code_of(op.code() == tflite::builtin::relu_n1_to_1 ? -1.0F : 0.0F);
    if (op.code() != tflite::builtin::relu) range.highest = code_of(op.code() == tflite::builtin::relu6 ? 6.0F : 1.0F);
    const auto scale = static_cast<double>(from.scale / to.scale);
    return detail::make_affine<Arithmetic>(op, from, to, scale, scale, range);
}

/// LEAKY_RELU: as RELU without bounds, below z_i with M(s_i alpha / s_o).
template <class Arithmetic>
step make_leaky_rectifier(const operation& op) {
    op.expect_codes(1);
    const quantized from = op.in(0), to = op.out();
    const auto alpha = static_cast<float>(op.real_option("alpha"));
    return detail::make_affine<Arithmetic>(op, from, to, static_cast<double>(from.scale / to.scale),
                                           static_cast<double>(from.scale * alpha / to.scale), code_range());
}

/// RSQRT: 1 / sqrt(q - z_i) in fixed point with 20 more bits, scaled by M(1 / (sqrt(s_i) s_o)); 127 at z_i. Codes below are an error.
template <class Arithmetic>
step make_inverse_root(const operation& op) {
    op.expect_codes(1);
    const quantized from = op.in(0), to = op.out();
    constexpr int more = 20;
    arithmetic::multiplier by = Arithmetic::of(static_cast<double>(1.0F / (std::sqrt(from.scale) * to.scale)));
    by.exponent -= more;
    const step look_up = make_lookup(
        op, code_table<std::int8_t>::made_of([&](int code) {
            const std::int32_t centred = code - from.zero_point;
            if (centred <= 0) return 127;
            arithmetic::multiplier root = arithmetic::inverse_square_root(centred);
            root.exponent += more;
            return code_range().clamp(std::int64_t{Arithmetic::scale(Arithmetic::scale(1, root), by)} + to.zero_point);
        }));
    return [=](const operands& run) {
        const std::int8_t* codes = run.in(0).template as<std::int8_t>();
        const std::int64_t count = run.in(0).elements();
        for (std::int64_t i = 0; i < count; ++i) {
            if (codes[i] < from.zero_point) fail({"RSQRT: element ", i, " is below 0"});
        }
        look_up(run);
    };
}

namespace detail {

constexpr std::int32_t saturate_16(std::int32_t number) {
    return number < -32768 ? -32768 : number > 32767 ? 32767 : number;
}

/// a * b / 2^15, rounded half away (but towards zero at a negative tie).
constexpr std::int32_t high_product_16(std::int32_t a, std::int32_t b) {
    const std::int32_t product = a * b;
    return saturate_16((product + (product >= 0 ? 1 << 14 : 1 - (1 << 14))) / (1 << 15));
}

/// The upper 16 bits of a significand, rounded.
constexpr std::int32_t upper_half(std::int32_t significand) {
    return significand >= INT32_MAX - (1 << 15) ? INT16_MAX : (significand + (1 << 15)) >> 16;
}

/// What HARD_SWISH knows before it runs: two scales of the input with 7 more bits, that of the output and that in which 3 is 2^15.
template <class Arithmetic>
struct hard_swish {
    quantized from, to;
    arithmetic::multiplier of_output, of_rectifier;

    hard_swish(quantized input, quantized output) : from(input), to(output) {
        const float fine = 1.0F / 128.0F * input.scale;
        of_output = Arithmetic::of(static_cast<double>(fine / output.scale));
        of_rectifier = Arithmetic::of(static_cast<double>(fine / (3.0F / 32768.0F)));
    }

    /// min(max(x, -3), 3) / 3 in 15 bits.
    std::int32_t rectified(std::int32_t fine) const {
        std::int32_t result = fine;
        const int exponent = of_rectifier.exponent;
        if (exponent > 0) result = saturate_16(Arithmetic::shift_left(result, exponent - 1));
        result = high_product_16(result, upper_half(of_rectifier.significand));
        if (exponent > 0) result = saturate_16(result * 2);
        if (exponent < 0) result = Arithmetic::divide_by_power(result, -exponent < 31 ? -exponent : 31);
        return result;
    }

    std::int32_t operator()(int code) const {
        const std::int32_t fine = (code - from.zero_point) * (1 << 7);
        const std::int32_t scaled = high_product_16(fine, upper_half(of_output.significand));
        const std::int32_t share = (rectified(fine) + (1 << 15)) >> 1;  // relu6(x + 3) / 6
        const std::int32_t product = saturate_16(share * scaled / (1 << 15));
        const int right = -of_output.exponent;
        const std::int32_t shifted = right >= 0 ? Arithmetic::divide_by_power(product, right < 31 ? right : 31)
                                                : saturate_16(Arithmetic::shift_left(product, -right));
        return code_range().clamp(shifted + to.zero_point);
    }
};

}  // namespace detail

/// HARD_SWISH in 16 bits: x relu6(x + 3) / 6 of the input's code with 7 more bits.
template <class Arithmetic>
step make_hard_swish(const operation& op) {
    op.expect_codes(1);
    return make_lookup(op, code_table<std::int8_t>::made_of(detail::hard_swish<Arithmetic>(op.in(0), op.out())));
}

/// QUANTIZE: of codes T(q - z_i, M(s_i / s_o)) + z_o; of real numbers round_half_away(x / s_o) + z_o in single precision; clamped.
template <class Arithmetic>
step make_quantization(const operation& op) {
    const element from_type = op.type_of_input(0);
    const element to_type = op.type_of_output(0);
    const quantized to = op.out();
    const code_range range = range_of(to_type);
    if (to_type != i8 && to_type != u8 && to_type != i16) op.wrong("quantizes to ", tflite::name(op.output(0).type));
    if (from_type == f32) {
        return [=](const operands& run) {
            const value& input = run.in(0);
            value& output = run.out();
            output.reshape(input.dimensions);
            const float* numbers = input.as<float>();
            const std::int64_t count = input.elements();
            for (std::int64_t i = 0; i < count; ++i) {
                const std::int64_t code = Arithmetic::round_half_away(static_cast<double>(numbers[i] / to.scale));
                store_integer(to_type, output.to<std::byte>(), static_cast<std::size_t>(i),
                              range.clamp(std::min<std::int64_t>(std::max<std::int64_t>(code, -1000000), 1000000) +
                                          to.zero_point));
            }
        };
    }
    if (from_type != i8 && from_type != u8 && from_type != i16) op.wrong("quantizes ", tflite::name(op.input(0).type));
    const quantized from = op.in(0);
    const double scale = static_cast<double>(from.scale) / static_cast<double>(to.scale);
    if (from_type == i8 && to_type == i8) return detail::make_affine<Arithmetic>(op, from, to, scale, scale, range);
    const arithmetic::multiplier by = Arithmetic::of(scale);
    return [=](const operands& run) {
        const value& input = run.in(0);
        value& output = run.out();
        output.reshape(input.dimensions);
        const std::int64_t count = input.elements();
        for (std::int64_t i = 0; i < count; ++i) {
            const auto code = static_cast<std::int32_t>(input.integer(i));
            store_integer(to_type, output.to<std::byte>(), static_cast<std::size_t>(i),
                          range.clamp(std::int64_t{Arithmetic::scale(code - from.zero_point, by)} + to.zero_point));
        }
    };
}

/// DEQUANTIZE: float(s) * float(q - z), also with a scale for each slice of an axis.
inline step make_dequantization(const operation& op) {
    const tflite::tensor_info& input = op.input(0);
    const element type = op.type_of_input(0);
    if (type != i8 && type != u8 && type != i16) op.wrong("dequantizes ", tflite::name(input.type));
    op.expect_type(op.output(0), f32);
    const std::size_t count = input.quantized.scales.size();
    if (count == 0) op.wrong("tensor '", input.name, "' has no quantization");
    std::vector<quantized> slices;
    for (std::size_t i = 0; i < count; ++i)
        slices.push_back({op.usable_scale(input, i), op.usable_zero_point(input, i)});
    const std::int64_t axis = input.quantized.axis;
    return [=](const operands& run) {
        const value& from = run.in(0);
        value& output = run.out();
        output.reshape(from.dimensions);
        std::int64_t inner = from.elements();
        if (slices.size() > 1) {
            const std::size_t along = axis_of(axis, from.dimensions.rank());
            if (from.dimensions[along] != static_cast<std::int64_t>(slices.size()))
                fail({"DEQUANTIZE: ", slices.size(), " scales along an axis of ", from.dimensions[along]});
            inner = product(from.dimensions, along + 1, from.dimensions.rank());
        }
        float* to = output.to<float>();
        const std::int64_t elements = from.elements();
        if (type == i8 && slices.size() == 1) {
            const std::int8_t* const codes = from.as<std::int8_t>();
            for (std::int64_t i = 0; i < elements; ++i)
                to[i] = slices[0].scale * static_cast<float>(codes[i] - slices[0].zero_point);
            return;
        }
        for (std::int64_t i = 0; i < elements; ++i) {
            const quantized& slice = slices[static_cast<std::size_t>(i / inner) % slices.size()];
            to[i] = slice.scale * static_cast<float>(from.integer(i) - slice.zero_point);
        }
    };
}

}  // namespace lpt::inline LPT_ABI::specified
#endif

// ======== lpt/specified/normalization.hpp
#ifndef LPT_HOLDS_SPECIFIED_NORMALIZATION_HPP
#define LPT_HOLDS_SPECIFIED_NORMALIZATION_HPP
// Functions of a row: SOFTMAX, LOG_SOFTMAX, L2_NORMALIZATION, along the last axis.

namespace lpt::inline LPT_ABI::specified {

namespace detail {

/// The rows of a tensor along its last axis.
struct rows_of_codes {
    std::int64_t count = 0;
    std::int64_t length = 0;

    explicit rows_of_codes(const value& input) {
        const std::size_t rank = input.dimensions.rank();
        if (rank == 0) fail({"a row of a tensor without axes"});
        length = input.dimensions[rank - 1];
        count = product(input.dimensions, 0, rank - 1);
    }
};

/// What a code adds to the sum of a row, and to what exponential it belongs, by the number of steps d that it lies below the largest: exp of -d with 0
/// integer bits, and the same with as many as the sum has. Of codes that lie too far `parts` is 0, and `is_near` false.
struct exponentials {
    static constexpr int sum_bits = 12;
    std::array<std::int32_t, 256> whole{};
    std::array<std::int32_t, 256> parts{};
    std::array<bool, 256> is_near{};
};

template <class Arithmetic>
exponentials exponentials_of(double beta, double scale) {
    constexpr int integer_bits = 5;
    const arithmetic::multiplier by =
        Arithmetic::of(std::min(beta * scale * static_cast<double>(1 << (31 - integer_bits)), 2147483647.0));
    const int left = std::max(by.exponent, 0);
    const double most = std::floor(31.0 * static_cast<double>(1 << (31 - integer_bits)) / std::ldexp(1.0, left));
    exponentials result;
    for (int d = 0; d < 256 && !(d > most); ++d) {
        const auto at = static_cast<std::size_t>(d);
        const std::int32_t scaled = Arithmetic::scale(-d, by);
        result.whole[at] = arithmetic::exp_of_negative(arithmetic::fixed<5>{scaled}).raw;
        result.parts[at] = Arithmetic::divide_by_power(result.whole[at], exponentials::sum_bits);
        result.is_near[at] = true;
    }
    return result;
}

/// The largest code of a row; -128 of an empty one.
inline std::int8_t largest_of(const std::int8_t* codes, std::int64_t count) {
    std::int8_t result = -128;
    for (std::int64_t i = 0; i < count; ++i)
        result = result < codes[i] ? codes[i] : result;
    return result;
}

/// A number for each code of a row, which is computed where the code is there.
template <class Number>
class found_by_code {
    std::array<Number, 256> numbers_{};
    std::array<bool, 256> is_known_{};

public:
    template <class Function>
    Number of(std::size_t index, const Function& function) {
        if (!is_known_[index]) {
            numbers_[index] = function(index);
            is_known_[index] = true;
        }
        return numbers_[index];
    }
};

/// SOFTMAX of one row.
template <class Arithmetic, class Output>
void soften(const exponentials& table, const std::int8_t* codes, std::int64_t length, Output* to) {
    constexpr int bits = 8 * sizeof(Output);
    const code_range range{-(1 << (bits - 1)), (1 << (bits - 1)) - 1};
    const std::int8_t largest = largest_of(codes, length);
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < length; ++i)
        sum += table.parts[static_cast<std::size_t>(largest - codes[i])];
    const arithmetic::reciprocal inverse =
        arithmetic::reciprocal_of(static_cast<std::int32_t>(sum), exponentials::sum_bits);
    const int right = std::min(31, std::max(0, inverse.bits_over_unit + 31 - bits));
    found_by_code<Output> shares;
    const auto share_of = [&](std::size_t d) {
        if (!table.is_near[d]) return static_cast<Output>(range.lowest);
        const std::int32_t product = Arithmetic::doubling_high_product(inverse.scale.raw, table.whole[d]);
        return static_cast<Output>(
            range.clamp(std::int64_t{Arithmetic::divide_by_power(product, right)} + range.lowest));
    };
    for (std::int64_t i = 0; i < length; ++i)
        to[i] = shares.of(static_cast<std::size_t>(largest - codes[i]), share_of);
}

}  // namespace detail

/// SOFTMAX in fixed point: exp(beta s_i (q - max)) with 5 integer bits in, their sum with 12, its reciprocal by three Newton steps, the product
/// rounded half away to the bits of the output; codes too far below the largest give the lowest code and add nothing.
template <class Arithmetic>
step make_softmax(const operation& op) {
    op.expect_type(op.input(0), i8);
    const element type = op.type_of_output(0);
    if (type != i8 && type != i16) op.wrong("softmax of type ", tflite::name(op.output(0).type));
    const auto table =
        kept(detail::exponentials_of<Arithmetic>(op.real_option("beta"), static_cast<double>(op.in(0).scale)));
    const kernel::parallel_for parallel = op.parallel();
    return [=](const operands& run) {
        const value& input = run.in(0);
        const detail::rows_of_codes rows(input);
        value& output = run.out();
        output.reshape(input.dimensions);
        const std::int8_t* codes = input.as<std::int8_t>();
        const std::int64_t length = rows.length;
        if (length == 0) return;
        share(parallel, rows.count, 16 * length, [&](std::int64_t row) {
            const std::int8_t* const from = codes + row * length;
            if (type == i8)
                detail::soften<Arithmetic>(*table, from, length, output.to<std::int8_t>() + row * length);
            else
                detail::soften<Arithmetic>(*table, from, length, output.to<std::int16_t>() + row * length);
        });
    };
}

/// LOG_SOFTMAX: round_half_away((d - ln(sum(exp(d)))) / s_o) + z_o with d = s_i (q - max).
template <class Arithmetic>
step make_log_softmax(const operation& op) {
    op.expect_codes(1);
    const quantized from = op.in(0), to = op.out();
    std::array<double, 256> exponential{};
    for (int d = 0; d < 256; ++d)
        exponential[static_cast<std::size_t>(d)] = std::exp(static_cast<double>(from.scale) * -d);
    const kernel::parallel_for parallel = op.parallel();
    return [=, table = kept(exponential)](const operands& run) {
        const value& input = run.in(0);
        const detail::rows_of_codes rows(input);
        value& output = run.out();
        output.reshape(input.dimensions);
        const std::int8_t* all = input.as<std::int8_t>();
        std::int8_t* const result = output.to<std::int8_t>();
        if (rows.length == 0) return;
        share(parallel, rows.count, 16 * rows.length, [&](std::int64_t row) {
            const std::int8_t* const codes = all + row * rows.length;
            const std::int8_t largest = detail::largest_of(codes, rows.length);
            double sum = 0;
            for (std::int64_t i = 0; i < rows.length; ++i)
                sum += (*table)[static_cast<std::size_t>(largest - codes[i])];
            const double log = std::log(sum);
            detail::found_by_code<std::int8_t> found;
            const auto code_of = [&](std::size_t d) {
                const double real = static_cast<double>(from.scale) * -static_cast<int>(d) - log;
                const std::int64_t code = Arithmetic::round_half_away(real / static_cast<double>(to.scale));
                return static_cast<std::int8_t>(
                    code_range().clamp(std::max<std::int64_t>(code, -1000000) + to.zero_point));
            };
            for (std::int64_t i = 0; i < rows.length; ++i)
                result[row * rows.length + i] = found.of(static_cast<std::size_t>(largest - codes[i]), code_of);
        });
    };
}

/// L2_NORMALIZATION: T(q - z_i, 2^7 / sqrt(sum((q - z_i)^2))), the root by five Newton steps in fixed point; the scale of the input has no part in it.
template <class Arithmetic>
step make_l2_normalization(const operation& op) {
    op.expect_codes(1);
    const quantized from = op.in(0);
    if (op.info().activation() != tflite::activation::none) op.wrong("a fused activation is not known here");
    return [=](const operands& run) {
        constexpr int output_bits = 7;
        const value& input = run.in(0);
        const detail::rows_of_codes rows(input);
        value& output = run.out();
        output.reshape(input.dimensions);
        const std::int8_t* codes = input.as<std::int8_t>();
        std::int8_t* result = output.to<std::int8_t>();
        for (std::int64_t row = 0; row < rows.count; ++row, codes += rows.length) {
            std::int64_t sum = 0;
            for (std::int64_t i = 0; i < rows.length; ++i)
                sum += (codes[i] - from.zero_point) * (codes[i] - from.zero_point);
            arithmetic::multiplier by = arithmetic::inverse_square_root(Arithmetic::saturate(sum));
            by.exponent += output_bits;
            for (std::int64_t i = 0; i < rows.length; ++i)
                *result++ =
                    static_cast<std::int8_t>(code_range().clamp(Arithmetic::scale(codes[i] - from.zero_point, by)));
        }
    };
}

}  // namespace lpt::inline LPT_ABI::specified
#endif

// ======== lpt/specified/recurrent.hpp
#ifndef LPT_HOLDS_SPECIFIED_RECURRENT_HPP
#define LPT_HOLDS_SPECIFIED_RECURRENT_HPP
// Operations with a state: SVDF, and UNIDIRECTIONAL_SEQUENCE_LSTM with gates of 16 bits.

namespace lpt::inline LPT_ABI::specified {

namespace detail {

constexpr std::int32_t within_16(std::int64_t value) {
    return value < -32768 ? -32768 : value > 32767 ? 32767 : static_cast<std::int32_t>(value);
}

/// The scale of a tensor whose zero point is 0. Products of scales are single precision here.
inline float symmetric_scale(const operation& op, const tflite::tensor_info& tensor) {
    const quantized of = op.quantization_of(tensor);
    if (of.zero_point != 0) op.wrong("tensor '", tensor.name, "' has the zero point ", of.zero_point, ", expected 0");
    return of.scale;
}

inline void expect_shape(const operation& op, const tflite::tensor_info& tensor, const shape& wanted) {
    if (!(tensor.dimensions == wanted))
        op.wrong("tensor '", tensor.name, "' has the shape ", tensor.dimensions, ", expected ", wanted);
}

inline void expect_variable(const operation& op, const tflite::tensor_info& tensor) {
    if (!tensor.is_variable) op.wrong("tensor '", tensor.name, "' must be a variable");
}

}  // namespace detail

/// SVDF: each filter's product with the input, T(sum((q_i - z_i) w), M(s_i s_w / s_state)) in 16 bits, joins its memory, whose oldest entry goes; then the
/// product of memory and weights of time, summed over the filters of a unit with the bias: T(sum, M(s_state s_time / s_o)) + z_o.
/// Inputs: data [batch, in], weights [filters, in], weights of time [filters, memory] (int16), bias [units] (int32, may be absent), state
/// [batch, filters * memory] (int16, a variable).
template <class Arithmetic>
step make_svdf(const operation& op) {
    op.expect_codes(2);
    op.expect_type(op.input(2), i16);
    detail::expect_bias(op, 3);
    op.expect_type(op.input(4), i16);
    detail::expect_variable(op, op.input(4));
    const std::int64_t rank = op.positive_option("rank");
    const shape& weights = op.input(1).dimensions;
    if (weights.rank() != 2 || op.input(0).dimensions.rank() != 2 || op.input(2).dimensions.rank() != 2 ||
        weights[0] % rank != 0)
        op.wrong("weights of shape ", weights, " and rank ", rank);
    const std::int64_t filters = weights[0], depth = weights[1], memory = op.input(2).dimensions[1];
    const std::int64_t batch = op.input(0).dimensions[0], units = filters / rank;
    detail::expect_shape(op, op.input(0), shape{batch, depth});
    detail::expect_shape(op, op.input(2), shape{filters, memory});
    detail::expect_shape(op, op.input(4), shape{batch, filters * memory});
    const quantized from = op.in(0), to = op.out();
    const float of_state = detail::symmetric_scale(op, op.input(4));
    const arithmetic::multiplier feature =
        Arithmetic::of(static_cast<double>(from.scale * detail::symmetric_scale(op, op.input(1)) / of_state));
    const arithmetic::multiplier time =
        Arithmetic::of(static_cast<double>(of_state * detail::symmetric_scale(op, op.input(2)) / to.scale));
    const code_range range = op.info().activation() == tflite::activation::relu ? code_range() : op.activated();
    return [=](const operands& run) {
        const std::int8_t* codes = run.in(0).template as<std::int8_t>();
        const std::int8_t* weight = run.in(1).template as<std::int8_t>();
        const std::int16_t* of_time = run.in(2).template as<std::int16_t>();
        const std::vector<std::int64_t> bias = detail::bias_of(run, 3, units);
        std::int16_t* state = run.state(4).template to<std::int16_t>();
        value& output = run.out();
        output.reshape(shape{batch, units});
        std::int8_t* result = output.to<std::int8_t>();
        for (std::int64_t b = 0; b < batch; ++b) {
            std::vector<std::int64_t> sums = bias;
            for (std::int64_t f = 0; f < filters; ++f) {
                std::int64_t sum = 0;
                for (std::int64_t k = 0; k < depth; ++k)
                    sum += (codes[b * depth + k] - from.zero_point) * weight[f * depth + k];
                std::int16_t* mine = state + (b * filters + f) * memory;
                std::memmove(mine, mine + 1, static_cast<std::size_t>(memory - 1) * sizeof *mine);
                mine[memory - 1] =
                    static_cast<std::int16_t>(detail::within_16(Arithmetic::scale(detail::wrapped(sum), feature)));
                for (std::int64_t m = 0; m < memory; ++m)
                    sums[static_cast<std::size_t>(f / rank)] += std::int64_t{of_time[f * memory + m]} * mine[m];
            }
            for (const std::int64_t sum : sums)
                *result++ = static_cast<std::int8_t>(
                    range.clamp(std::int64_t{Arithmetic::scale(detail::wrapped(sum), time)} + to.zero_point));
        }
    };
}

namespace detail {

/// The places of an LSTM's inputs.
struct lstm_input {
    enum : std::size_t {
        data = 0,
        weights = 1,  // of the input, forget, cell and output gate
        recurrent_weights = 5,
        peephole_weights = 9,  // of the input, forget and output gate
        bias = 12,
        projection = 16,
        projection_bias = 17,
        output_state = 18,
        cell_state = 19,
        layer_norm = 20,
    };
};

/// One gate: what its sums are scaled by.
struct lstm_gate {
    bool is_present = false;
    arithmetic::multiplier of_input, of_state, of_peephole;
    bool has_peephole = false;
};

/// tanh of a number with `integer_bits` of 16 bits.
inline std::int32_t tanh_16(std::int32_t raw, int integer_bits) {
    switch (integer_bits) {
        case 0: return arithmetic::tanh(arithmetic::fixed<0, 16>{raw}).raw;
        case 1: return arithmetic::tanh(arithmetic::fixed<1, 16>{raw}).raw;
        case 2: return arithmetic::tanh(arithmetic::fixed<2, 16>{raw}).raw;
        case 3: return arithmetic::tanh(arithmetic::fixed<3, 16>{raw}).raw;
        case 4: return arithmetic::tanh(arithmetic::fixed<4, 16>{raw}).raw;
        case 5: return arithmetic::tanh(arithmetic::fixed<5, 16>{raw}).raw;
        default: return arithmetic::tanh(arithmetic::fixed<6, 16>{raw}).raw;
    }
}

/// An LSTM cell with int8 data and weights, int16 gates and cell state.
template <class Arithmetic>
struct lstm_cell {
    std::int64_t batch = 0, inputs = 0, cells = 0, outputs = 0;
    quantized data, state;
    quantized hidden;
    lstm_gate gates[4];  // input, forget, cell, output
    int cell_shift = 0;  // the cell state's scale is 2^cell_shift
    std::int32_t cell_clip = 0, projection_clip = 0;
    bool projects = false;
    arithmetic::multiplier of_hidden, of_projection;

    explicit lstm_cell(const operation& op) {
        using at = lstm_input;
        for (std::size_t i = at::layer_norm; i < op.inputs(); ++i) {
            if (op.has_input(i)) op.wrong("layer normalization is not known in 8 bits");
        }
        if (op.info().activation() != tflite::activation::tanh)
            op.wrong("an activation other than TANH is not known here");
        op.expect_codes(1);
        op.expect_type(op.input(at::output_state), i8);
        op.expect_type(op.input(at::cell_state), i16);
        expect_variable(op, op.input(at::output_state));
        expect_variable(op, op.input(at::cell_state));
        data = op.in(at::data);
        state = op.in(at::output_state);
        const shape& of_data = op.input(at::data).dimensions;
        const shape& of_state = op.input(at::output_state).dimensions;
        const shape& of_cell = op.input(at::cell_state).dimensions;
        if (of_data.rank() < 2 || of_data.rank() > 3 || of_state.rank() != 2 || of_cell.rank() != 2)
            op.wrong("shapes ", of_data, ", ", of_state, ", ", of_cell, " of data and states");
        batch = of_state[0];
        inputs = of_data[of_data.rank() - 1];
        outputs = of_state[1];
        cells = of_cell[1];
        const auto cell_scale = static_cast<double>(symmetric_scale(op, op.input(at::cell_state)));
        const double root = std::frexp(cell_scale, &cell_shift);
        --cell_shift;
        if (root != 0.5 || cell_shift < -15 || cell_shift > -9)
            op.wrong("the cell state's scale must be a power of two from 2^-15 to 2^-9");
        for (std::size_t gate = 0; gate < 4; ++gate)
            prepare_gate(op, gate);
        if (gates[0].is_present != op.has_input(at::recurrent_weights))
            op.wrong("an input gate with only one kind of weights");
        prepare_output(op);
        const double clip = op.has_option("cell_clip") ? op.real_option("cell_clip") : 0;
        cell_clip = clip > 0 ? within_16(Arithmetic::round_half_away(std::floor(clip / cell_scale))) : 0;
        const double of_projections = op.has_option("proj_clip") ? op.real_option("proj_clip") : 0;
        projection_clip =
            of_projections > 0
                ? code_range().clamp(static_cast<std::int64_t>(of_projections / static_cast<double>(state.scale)))
                : 0;
    }

    void prepare_gate(const operation& op, std::size_t gate) {
        using at = lstm_input;
        constexpr float gate_scale = 1.0F / 4096;  // 3 integer bits
        lstm_gate& mine = gates[gate];
        if (gate == 0 && !op.has_input(at::weights)) return;
        mine.is_present = true;
        const tflite::tensor_info& weights = op.input(at::weights + gate);
        const tflite::tensor_info& recurrent = op.input(at::recurrent_weights + gate);
        op.expect_type(weights, i8);
        op.expect_type(recurrent, i8);
        expect_shape(op, weights, shape{cells, inputs});
        expect_shape(op, recurrent, shape{cells, outputs});
        expect_bias(op, at::bias + gate);
        mine.of_input = Arithmetic::of(static_cast<double>(symmetric_scale(op, weights) * data.scale / gate_scale));
        mine.of_state = Arithmetic::of(static_cast<double>(symmetric_scale(op, recurrent) * state.scale / gate_scale));
        if (gate == 2 || !op.has_input(peephole_of(gate))) return;
        mine.has_peephole = true;
        const tflite::tensor_info& peephole = op.input(peephole_of(gate));
        op.expect_type(peephole, i16);
        expect_shape(op, peephole, shape{cells});
        mine.of_peephole =
            Arithmetic::of(static_cast<double>(std::ldexp(symmetric_scale(op, peephole), cell_shift) / gate_scale));
    }

    static std::size_t peephole_of(std::size_t gate) { return lstm_input::peephole_weights + (gate == 3 ? 2 : gate); }

    void prepare_output(const operation& op) {
        using at = lstm_input;
        projects = op.has_input(at::projection);
        hidden = op.info().intermediates.size() > 4 ? op.quantization_of(op.intermediate(4)) : state;
        of_hidden = Arithmetic::of(
            static_cast<double>(static_cast<float>(std::ldexp(1.0, -30) / static_cast<double>(hidden.scale))));
        if (!projects) {
            if (cells != outputs) op.wrong(cells, " cells and ", outputs, " outputs without a projection");
            return;
        }
        const tflite::tensor_info& weights = op.input(at::projection);
        op.expect_type(weights, i8);
        expect_shape(op, weights, shape{outputs, cells});
        expect_bias(op, at::projection_bias);
        of_projection = Arithmetic::of(static_cast<double>(symmetric_scale(op, weights) * hidden.scale / state.scale));
    }

    /// Wraps around in 32 bits, as what becomes of it does.
    static std::int64_t dot(const std::int8_t* codes, std::int32_t zero_point, const std::int8_t* weights,
                            std::int64_t count) {
        std::uint32_t sum = 0;
        for (std::int64_t k = 0; k < count; ++k)
            sum += static_cast<std::uint32_t>((codes[k] - zero_point) * weights[k]);
        return static_cast<std::int32_t>(sum);
    }

    /// One sample of a batch, and its states.
    struct sample {
        std::int64_t number;
        const std::int8_t* input;
        std::int8_t* output;
        std::int16_t* cell;
    };

    /// The peephole's part in the sum of a cell. Where a projection makes outputs fewer than cells, the reference walks through all samples in
    /// steps of outputs: of one sample the first cells alone have a peephole.
    std::int32_t through_peephole(const operands& run, std::size_t gate, const sample& of, std::int64_t cell) const {
        const std::int64_t place = of.number * cells + cell;
        if (place >= batch * outputs) return 0;
        const std::int32_t product =
            run.in(peephole_of(gate)).template as<std::int16_t>()[place % outputs] * of.cell[cell];
        return Arithmetic::scale(product, gates[gate].of_peephole);
    }

    /// The sums of a gate for one sample, with 3 integer bits; each part is scaled and saturated by itself.
    std::vector<std::int32_t> sums_of(const operands& run, std::size_t gate, const sample& of) const {
        using at = lstm_input;
        const lstm_gate& mine = gates[gate];
        const std::int8_t* weights = run.in(at::weights + gate).template as<std::int8_t>();
        const std::int8_t* recurrent_weights = run.in(at::recurrent_weights + gate).template as<std::int8_t>();
        const std::vector<std::int64_t> bias = bias_of(run, at::bias + gate, cells);
        std::vector<std::int32_t> sums(static_cast<std::size_t>(cells));
        for (std::int64_t c = 0; c < cells; ++c) {
            const std::int64_t of_input =
                bias[static_cast<std::size_t>(c)] + dot(of.input, data.zero_point, weights + c * inputs, inputs);
            const std::int64_t of_state = dot(of.output, state.zero_point, recurrent_weights + c * outputs, outputs);
            std::int32_t sum = within_16(Arithmetic::scale(wrapped(of_input), mine.of_input));
            sum = within_16(std::int64_t{Arithmetic::scale(wrapped(of_state), mine.of_state)} + sum);
            if (mine.has_peephole) sum = within_16(std::int64_t{through_peephole(run, gate, of, c)} + sum);
            sums[static_cast<std::size_t>(c)] = sum;
        }
        return sums;
    }

    std::vector<std::int32_t> opened(const operands& run, std::size_t gate, const sample& of) const {
        std::vector<std::int32_t> result = sums_of(run, gate, of);
        for (std::int32_t& each : result)
            each = gate == 2 ? tanh_16(each, 3) : arithmetic::logistic(arithmetic::fixed<3, 16>{each}).raw;
        return result;
    }

    /// One sample at one time: changes the states.
    void advance(const operands& run, const sample& of) const {
        std::int16_t* const cell = of.cell;
        std::int8_t* const output = of.output;
        const bool has_input_gate = gates[0].is_present;
        std::vector<std::int32_t> open;
        if (has_input_gate) open = opened(run, 0, of);
        const std::vector<std::int32_t> kept = opened(run, 1, of);
        const std::vector<std::int32_t> candidate = opened(run, 2, of);
        for (std::size_t c = 0; c < kept.size(); ++c) {
            const std::int32_t old = static_cast<std::int16_t>(Arithmetic::divide_by_power(kept[c] * cell[c], 15));
            const std::int32_t share = has_input_gate ? open[c] : 32767 - kept[c];
            const auto added =
                static_cast<std::int16_t>(Arithmetic::divide_by_power(share * candidate[c], 30 + cell_shift));
            std::int32_t next = within_16(old + added);
            if (cell_clip > 0) next = std::min(std::max(next, -cell_clip), cell_clip);
            cell[c] = static_cast<std::int16_t>(next);
        }
        const std::vector<std::int32_t> shown = opened(run, 3, of);
        std::vector<std::int8_t> codes(kept.size());
        for (std::size_t c = 0; c < codes.size(); ++c) {
            const std::int32_t product = shown[c] * tanh_16(cell[c], 15 + cell_shift);
            codes[c] = static_cast<std::int8_t>(
                code_range().clamp(std::int64_t{Arithmetic::scale(product, of_hidden)} + hidden.zero_point));
        }
        if (!projects) {
            std::copy(codes.begin(), codes.end(), output);
            return;
        }
        const std::vector<std::int64_t> bias = bias_of(run, lstm_input::projection_bias, outputs);
        const std::int8_t* weights = run.in(lstm_input::projection).template as<std::int8_t>();
        for (std::int64_t k = 0; k < outputs; ++k) {
            const std::int64_t sum =
                bias[static_cast<std::size_t>(k)] + dot(codes.data(), hidden.zero_point, weights + k * cells, cells);
            std::int32_t code =
                code_range().clamp(std::int64_t{Arithmetic::scale(wrapped(sum), of_projection)} + state.zero_point);
            if (projection_clip > 0) code = std::min(std::max(code, -projection_clip), projection_clip);
            output[k] = static_cast<std::int8_t>(code);
        }
    }
};

}  // namespace detail

/// UNIDIRECTIONAL_SEQUENCE_LSTM: sums of each gate scaled to 16 bits with 3 integer bits, sigmoid and tanh in 16-bit fixed point, the cell state in 16 bits
/// with a power of two as scale; peepholes, a projection, clipping, a coupled input gate (no weights of the input gate).
template <class Arithmetic>
step make_lstm(const operation& op) {
    const detail::lstm_cell<Arithmetic> cell(op);
    const bool time_is_first = op.has_option("time_major") && op.option("time_major") != 0;
    const shape of_data = op.input(0).dimensions;
    const bool has_batches = of_data.rank() == 3;
    const std::int64_t batch = !has_batches ? of_data[0] : of_data[time_is_first ? 1 : 0];
    detail::expect_shape(op, op.input(detail::lstm_input::output_state), shape{batch, cell.outputs});
    detail::expect_shape(op, op.input(detail::lstm_input::cell_state), shape{batch, cell.cells});
    return [=](const operands& run) {
        const std::int64_t times = has_batches ? of_data[time_is_first ? 0 : 1] : 1;
        if (!(run.in(0).dimensions == of_data)) fail({"data of shape ", run.in(0).dimensions, ", expected ", of_data});
        shape wanted = of_data;
        wanted[wanted.rank() - 1] = cell.outputs;
        value& output = run.out();
        output.reshape(wanted);
        std::int8_t* states = run.state(detail::lstm_input::output_state).template to<std::int8_t>();
        std::int16_t* cells = run.state(detail::lstm_input::cell_state).template to<std::int16_t>();
        const std::int8_t* codes = run.in(0).template as<std::int8_t>();
        for (std::int64_t b = 0; b < batch; ++b) {
            for (std::int64_t t = 0; t < times; ++t) {
                const std::int64_t sample = time_is_first ? t * batch + b : b * times + t;
                std::int8_t* state = states + b * cell.outputs;
                cell.advance(run, {b, codes + sample * cell.inputs, state, cells + b * cell.cells});
                std::copy(state, state + cell.outputs, output.to<std::int8_t>() + sample * cell.outputs);
            }
        }
    };
}

}  // namespace lpt::inline LPT_ABI::specified
#endif

// ======== lpt/specified/resize.hpp
#ifndef LPT_HOLDS_SPECIFIED_RESIZE_HPP
#define LPT_HOLDS_SPECIFIED_RESIZE_HPP
// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR of [batch, height, width, channels]; the second input holds the new height and width.

namespace lpt::inline LPT_ABI::specified {

namespace detail {

/// How positions of an output lie in an input.
struct sampling {
    bool align_corners = false;
    bool half_pixel_centers = false;

    explicit sampling(const operation& op)
        : align_corners(op.option("align_corners") != 0), half_pixel_centers(op.option("half_pixel_centers") != 0) {}
};

/// Two neighbours along an axis and the weight of the second, in fractional bits of whoever counts them.
struct neighbours {
    std::int64_t lower, upper, weight;
};

/// For each position v of the output, with 10 fractional bits: p = v * scale, with half pixel centers + scale / 2 - 512.
inline std::vector<kernel::resize_neighbours> neighbours_along(const sampling& of, std::int64_t input,
                                                               std::int64_t output) {
    constexpr std::int64_t one = 1024;
    std::int64_t scale = (one * input + output / 2) / output;
    if (of.align_corners && output > 1) scale = (one * (input - 1) + (output - 1) / 2) / (output - 1);
    std::vector<kernel::resize_neighbours> result;
    for (std::int64_t v = 0; v < output; ++v) {
        const std::int64_t p = v * scale + (of.half_pixel_centers ? scale / 2 - one / 2 : 0);
        const std::int64_t lower = std::min(std::max<std::int64_t>(p / one, 0), input - 1);
        const std::int64_t upper = std::max<std::int64_t>(0, std::min((p + one - 1) / one, input - 1));
        result.push_back({lower, upper, lower == upper ? 0 : static_cast<std::int32_t>(p - one * lower)});
    }
    return result;
}

/// For each position of the output the nearest of the input, in single precision.
inline std::vector<std::int64_t> nearest_along(const sampling& of, std::int64_t input, std::int64_t output) {
    const float scale = of.align_corners && output > 1 ? static_cast<float>(input - 1) / static_cast<float>(output - 1)
                                                       : static_cast<float>(input) / static_cast<float>(output);
    const float offset = of.half_pixel_centers ? 0.5F : 0.0F;
    std::vector<std::int64_t> result;
    for (std::int64_t v = 0; v < output; ++v) {
        const float p = (static_cast<float>(v) + offset) * scale;
        const auto nearest = static_cast<std::int64_t>(of.align_corners ? std::round(p) : std::floor(p));
        result.push_back(std::max<std::int64_t>(0, std::min(nearest, input - 1)));
    }
    return result;
}

/// The shape of the result, after checks.
inline shape resized(const operands& run) {
    const value& input = run.in(0);
    expect_image(input.dimensions);
    expect_positive(input.dimensions);
    const std::vector<std::int64_t> sizes = run.in(1).integers();
    if (sizes.size() != 2 || sizes[0] <= 0 || sizes[1] <= 0) fail({"a new size that is not two positive numbers"});
    return shape{input.dimensions[0], sizes[0], sizes[1], input.dimensions[3]};
}

}  // namespace detail

/// RESIZE_BILINEAR: the four codes around a position, weighted with 10 bits along each axis, their sum rounded half away; codes keep their
/// quantization.
inline step make_bilinear(const operation& op) {
    op.expect_codes(1);
    const detail::sampling of(op);
    return [=](const operands& run) {
        const value& input = run.in(0);
        value& output = run.out();
        output.reshape(detail::resized(run));
        const std::int64_t height = input.dimensions[1], width = input.dimensions[2], channels = input.dimensions[3];
        const auto rows = detail::neighbours_along(of, height, output.dimensions[1]);
        const auto columns = detail::neighbours_along(of, width, output.dimensions[2]);
        const std::int8_t* codes = input.as<std::int8_t>();
        std::int8_t* result = output.to<std::int8_t>();
        for (std::int64_t b = 0; b < input.dimensions[0]; ++b) {
            const std::int8_t* image = codes + b * height * width * channels;
            for (const kernel::resize_neighbours& row : rows) {
                const std::int8_t* upper = image + row.lower * width * channels;
                const std::int8_t* lower = image + row.upper * width * channels;
                for (const kernel::resize_neighbours& column : columns) {
                    const std::int64_t left = column.lower * channels, right = column.upper * channels;
                    for (std::int64_t c = 0; c < channels; ++c) {
                        const std::int64_t above =
                            upper[left + c] * (1024 - column.weight) + upper[right + c] * column.weight;
                        const std::int64_t below =
                            lower[left + c] * (1024 - column.weight) + lower[right + c] * column.weight;
                        const std::int64_t sum = above * (1024 - row.weight) + below * row.weight;
                        *result++ = static_cast<std::int8_t>((sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20));
                    }
                }
            }
        }
    };
}

/// The same by a kernel.
inline step make_bilinear_on_kernels(const operation& op, step otherwise) {
    if (op.kernels() == nullptr) return otherwise;
    const detail::sampling of(op);
    struct planned {
        kernel::fixed_resize_problem problem;
        std::vector<kernel::resize_neighbours> neighbours[2];
    };
    const auto known = std::make_shared<for_shapes<planned>>(std::vector<std::size_t>{1});
    const kernel::kernel_table* const kernels = op.kernels();
    const kernel::parallel_for parallel = op.parallel();
    return [=](const operands& run) {
        const auto plan = [&](planned& made) {
            run.out().reshape(detail::resized(run));
            const shape& from = run.in(0).dimensions;
            kernel::fixed_resize_problem& problem = made.problem;
            problem.batch = from[0];
            problem.channels = from[3];
            for (std::size_t i = 0; i < 2; ++i) {
                problem.in[i] = from[i + 1];
                problem.out[i] = run.out().dimensions[i + 1];
                made.neighbours[i] = detail::neighbours_along(of, problem.in[i], problem.out[i]);
                problem.neighbours[i] = made.neighbours[i].data();
            }
            problem.input = run.in(0).as<std::int8_t>();
            problem.output = run.out().to<std::int8_t>();
        };
        kernels->run(known->of(run, plan).problem, parallel);
    };
}

/// RESIZE_NEAREST_NEIGHBOR: elements of any type are copied.
inline step make_nearest(const operation& op) {
    const detail::sampling of(op);
    detail::expect_same_type(op, 0);
    struct planned {
        std::vector<std::int64_t> rows, columns;
    };
    const auto known = std::make_shared<for_shapes<planned>>(std::vector<std::size_t>{1});
    const kernel::parallel_for parallel = op.parallel();
    return [=](const operands& run) {
        const planned& from = known->of(run, [&](planned& made) {
            run.out().reshape(detail::resized(run));
            made.rows = detail::nearest_along(of, run.in(0).dimensions[1], run.out().dimensions[1]);
            made.columns = detail::nearest_along(of, run.in(0).dimensions[2], run.out().dimensions[2]);
        });
        const value& input = run.in(0);
        const std::int64_t height = input.dimensions[1], width = input.dimensions[2];
        const auto pixel = static_cast<std::int64_t>(input.bytes_of(input.dimensions[3]));
        const auto rows = static_cast<std::int64_t>(from.rows.size());
        const std::int64_t line = static_cast<std::int64_t>(from.columns.size()) * pixel;
        std::byte* const result = run.out().to<std::byte>();
        share(parallel, input.dimensions[0] * rows, line, [&](std::int64_t row) {
            std::byte* to = result + row * line;
            const std::int64_t source = row / rows * height + from.rows[static_cast<std::size_t>(row % rows)];
            const std::byte* const first = input.data() + source * width * pixel;
            for (const std::int64_t column : from.columns) {
                std::memcpy(to, first + column * pixel, static_cast<std::size_t>(pixel));
                to += pixel;
            }
        });
    };
}

}  // namespace lpt::inline LPT_ABI::specified
#endif

// ======== lpt/specified/selection.hpp
#ifndef LPT_HOLDS_SPECIFIED_SELECTION_HPP
#define LPT_HOLDS_SPECIFIED_SELECTION_HPP
// Movements by positions along axes: STRIDED_SLICE, REVERSE_V2, MIRROR_PAD, TILE, BROADCAST_TO, FILL, SHAPE.

namespace lpt::inline LPT_ABI::specified {

namespace detail {

/// The part of a tensor that STRIDED_SLICE takes.
struct strided_part {
    std::int64_t first = 0;  // element of the input
    shape sizes;
    strides steps;
    shape result;  // without the axes that shrink, with the new ones
};

/// A slice as STRIDED_SLICE has it: positions, and bit masks that change their meaning.
struct slice_masks {
    std::int64_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink = 0;
    bool ends_are_lengths = false;

    static bool has(std::int64_t mask, std::size_t i) { return i < 63 && (mask >> i & 1) != 0; }
};

struct range_of_axis {
    std::int64_t first, count;
};

/// Positions along an axis of `length`, from `begin` to `end` in steps of `step`, with negative ones counted from the end.
inline range_of_axis positions_of(std::int64_t begin, std::int64_t end, std::int64_t step, std::int64_t length,
                                  bool from_start, bool to_end) {
    const std::int64_t lowest = step > 0 ? 0 : -1;
    const std::int64_t highest = step > 0 ? length : length - 1;
    const auto bounded = [&](std::int64_t at) {
        return std::min(std::max(at < 0 ? at + length : at, lowest), highest);
    };
    const std::int64_t first = from_start ? (step > 0 ? 0 : length - 1) : bounded(begin);
    const std::int64_t last = to_end ? (step > 0 ? length : -1) : bounded(end);
    const std::int64_t span = step > 0 ? last - first : first - last;
    const std::int64_t stride = step > 0 ? step : -step;
    return {first, span <= 0 ? 0 : (span + stride - 1) / stride};
}

inline strided_part part_of(const shape& input, const std::vector<std::int64_t>& begin,
                            const std::vector<std::int64_t>& end, const std::vector<std::int64_t>& step,
                            const slice_masks& masks) {
    if (begin.size() != end.size() || begin.size() != step.size())
        fail({"STRIDED_SLICE: positions of different numbers"});
    const strides all = strides_of(input);
    std::size_t named = 0;  // axes of the input that positions name
    for (std::size_t i = 0; i < begin.size(); ++i)
        named += slice_masks::has(masks.new_axis, i) || slice_masks::has(masks.ellipsis, i) ? 0 : 1;
    if (named > input.rank()) fail({"STRIDED_SLICE: ", named, " positions for shape ", input});
    strided_part part;
    std::size_t axis = 0;
    const auto take = [&](range_of_axis range, std::int64_t by, bool stays) {
        part.first += range.first * all[axis];
        part.sizes.push_back(range.count);
        part.steps.push_back(by * all[axis]);
        if (stays) part.result.push_back(range.count);
        ++axis;
    };
    bool filled = false;
    for (std::size_t i = 0; i < begin.size(); ++i) {
        if (slice_masks::has(masks.ellipsis, i) && !filled) {
            filled = true;
            for (std::size_t k = input.rank() - named; k > 0; --k)
                take({0, input[axis]}, 1, true);
        } else if (slice_masks::has(masks.new_axis, i)) {
            part.result.push_back(1);
        } else if (slice_masks::has(masks.ellipsis, i)) {
            fail({"STRIDED_SLICE: two ellipses"});
        } else if (slice_masks::has(masks.shrink, i)) {
            const std::int64_t at = begin[i] < 0 ? begin[i] + input[axis] : begin[i];
            if (at < 0 || at >= input[axis]) fail({"STRIDED_SLICE: position ", begin[i], " of ", input[axis]});
            take({at, 1}, 1, false);
        } else {
            if (step[i] == 0 || step[i] < -INT32_MAX || step[i] > INT32_MAX)
                fail({"STRIDED_SLICE: a step of ", step[i]});
            const std::int64_t last = masks.ends_are_lengths ? begin[i] + end[i] : end[i];
            take(positions_of(begin[i], last, step[i], input[axis], slice_masks::has(masks.begin, i),
                              slice_masks::has(masks.end, i)),
                 step[i], true);
        }
    }
    while (axis < input.rank())
        take({0, input[axis]}, 1, true);
    return part;
}

}  // namespace detail

/// STRIDED_SLICE: begin, end and step along each axis are the second to fourth input; masks are options.
inline step make_strided_slice(const operation& op) {
    detail::expect_same_type(op, 0);
    detail::slice_masks masks{op.option("begin_mask"),       op.option("end_mask"),
                              op.option("ellipsis_mask"),    op.option("new_axis_mask"),
                              op.option("shrink_axis_mask"), op.has_option("offset") && op.option("offset") != 0};
    return make_movement({1, 2, 3}, [=](const operands& run, block_copies& copies) {
        const value& input = run.in(0);
        const detail::strided_part part =
            detail::part_of(input.dimensions, run.in(1).integers(), run.in(2).integers(), run.in(3).integers(), masks);
        value& output = run.out();
        output.reshape(part.result);
        copies.add(0, 0, {part.sizes, part.first, part.steps, 0, strides_of(part.sizes), detail::size_of(input)});
    });
}

/// REVERSE_V2: the axes in the second input run backwards.
inline step make_reversal(const operation& op) {
    detail::expect_same_type(op, 0);
    return make_movement({1}, [=](const operands& run, block_copies& copies) {
        const value& input = run.in(0);
        strides steps = strides_of(input.dimensions);
        std::int64_t first = 0;
        std::vector<bool> reversed(steps.size(), false);
        for (const std::int64_t named : run.in(1).integers())
            reversed[axis_of(named, steps.size())] = true;
        run.out().reshape(input.dimensions);
        if (input.elements() == 0) return;
        for (std::size_t axis = 0; axis < steps.size(); ++axis) {
            if (!reversed[axis]) continue;
            first += (input.dimensions[axis] - 1) * steps[axis];
            steps[axis] = -steps[axis];
        }
        copies.add(0, 0, {input.dimensions, first, steps, 0, strides_of(input.dimensions), detail::size_of(input)});
    });
}

namespace detail {

/// output[index] = input[at(axis, index[axis]) for each axis].
template <class Position>
void copy_positions(const value& input, value& output, Position at) {
    const strides steps = strides_of(input.dimensions);
    const auto size = static_cast<std::int64_t>(size_of(input));
    std::byte* to = output.to<std::byte>();
    for_each_position(output.dimensions, [&](const std::vector<std::int64_t>& index) {
        std::int64_t from = 0;
        for (std::size_t axis = 0; axis < index.size(); ++axis)
            from += at(axis, index[axis]) * steps[axis];
        std::memcpy(to, input.data() + from * size, static_cast<std::size_t>(size));
        to += size;
    });
}

}  // namespace detail

/// MIRROR_PAD: elements are mirrored at the ends, which mode SYMMETRIC (1) repeats and REFLECT (0) does not.
inline step make_mirror_padding(const operation& op) {
    detail::expect_same_type(op, 0);
    const std::int64_t repeats = op.option("mode") == 1 ? 0 : 1;
    return [=](const operands& run) {
        const value& input = run.in(0);
        const std::vector<std::int64_t> paddings = detail::paddings_of(run.in(1), input.dimensions.rank());
        shape wanted = input.dimensions;
        for (std::size_t axis = 0; axis < wanted.rank(); ++axis) {
            const std::int64_t most = wanted[axis] - repeats;
            if (paddings[2 * axis] > most || paddings[2 * axis + 1] > most)
                fail({"MIRROR_PAD: a padding of more than ", most, " elements"});
            wanted[axis] += paddings[2 * axis] + paddings[2 * axis + 1];
        }
        run.out().reshape(move(wanted));
        detail::copy_positions(input, run.out(), [&](std::size_t axis, std::int64_t i) {
            const std::int64_t length = input.dimensions[axis];
            const std::int64_t at = i - paddings[2 * axis];
            if (at < 0) return -at - 1 + repeats;
            return at < length ? at : 2 * length - at - 1 - repeats;
        });
    };
}

/// TILE: the tensor repeated along each axis as often as the second input says.
inline step make_tiling(const operation& op) {
    detail::expect_same_type(op, 0);
    return [=](const operands& run) {
        const value& input = run.in(0);
        const std::vector<std::int64_t> times = run.in(1).integers();
        if (times.size() != input.dimensions.rank())
            fail({"TILE: ", times.size(), " numbers for shape ", input.dimensions});
        shape wanted = input.dimensions;
        for (std::size_t axis = 0; axis < times.size(); ++axis) {
            if (times[axis] < 0 || times[axis] > INT32_MAX) fail({"TILE: ", times[axis], " times"});
            wanted[axis] *= times[axis];
        }
        run.out().reshape(move(wanted));
        detail::copy_positions(input, run.out(),
                               [&](std::size_t axis, std::int64_t i) { return i % input.dimensions[axis]; });
    };
}

/// BROADCAST_TO: axes of size 1 repeated up to the shape in the second input.
inline step make_broadcast(const operation& op) {
    detail::expect_same_type(op, 0);
    return make_movement({1}, [=](const operands& run, block_copies& copies) {
        const value& input = run.in(0);
        shape wanted;
        for (const std::int64_t each : run.in(1).integers())
            wanted.push_back(each);
        if (!wanted.is_possible() || wanted.is_dynamic() || !(broadcast(input.dimensions, wanted) == wanted))
            fail({"BROADCAST_TO: shape ", input.dimensions, " to ", wanted});
        value& output = run.out();
        output.reshape(wanted);
        const shape padded = input.dimensions.padded_left(wanted.rank());
        strides steps = strides_of(padded);
        for (std::size_t axis = 0; axis < steps.size(); ++axis)
            steps[axis] = padded[axis] == 1 ? 0 : steps[axis];
        copies.add(0, 0, {wanted, 0, steps, 0, strides_of(wanted), detail::size_of(input)});
    });
}

/// FILL: the second input, one element, in the shape of the first.
inline step make_fill(const operation& op) {
    detail::expect_same_type(op, 1);
    return [=](const operands& run) {
        shape wanted;
        for (const std::int64_t each : run.in(0).integers())
            wanted.push_back(each);
        const value& one = run.in(1);
        if (one.elements() != 1) fail({"FILL: expected one value"});
        value& output = run.out();
        output.reshape(wanted);
        block_copy(wanted, 0, strides(wanted.rank(), 0), 0, strides_of(wanted), detail::size_of(one)).run(one, output);
    };
}

/// SHAPE: the sizes of the input.
inline step make_shape(const operation& op) {
    const element type = op.type_of_output(0);
    if (type != i32 && type != i64) op.wrong("sizes of type ", tflite::name(op.output(0).type));
    return [=](const operands& run) {
        const shape& of = run.in(0).dimensions;
        value& output = run.out();
        output.reshape(shape{static_cast<dimension>(of.rank())});
        for (std::size_t axis = 0; axis < of.rank(); ++axis)
            store_integer(type, output.to<std::byte>(), axis, of[axis]);
    };
}

}  // namespace lpt::inline LPT_ABI::specified
#endif

// ======== lpt/specified/single_precision.hpp
#ifndef LPT_HOLDS_SPECIFIED_SINGLE_PRECISION_HPP
#define LPT_HOLDS_SPECIFIED_SINGLE_PRECISION_HPP
// Operations in single precision, as XNNPACK has them: their scale is an f32 number, or one of 8 or 20 bits made of it. What XNNPACK refuses,
// such as scales too far apart, is left to the reference's arithmetic.

namespace lpt::inline LPT_ABI::specified {

namespace detail {

/// A ratio of scales as an integer with `bits` bits behind the point, ties to even.
inline std::int32_t in_fixed_point(float ratio, int bits) {
    return static_cast<std::int32_t>(std::nearbyint(std::ldexp(static_cast<double>(ratio), bits)));
}

inline bool is_within(float ratio, float lowest, float highest) { return ratio >= lowest && ratio < highest; }

/// The nearest code to a real number divided by the output's scale, the zero point added before it is rounded to even.
inline std::int32_t rounded_with_zero_point(float scaled, std::int32_t zero_point) {
    const float code = scaled + static_cast<float>(zero_point);
    return arithmetic::xnnpack::round_half_even(!(code > -128.0F) ? -128.0F : std::min(code, 127.0F));
}

/// ADD, SUB: r_k = s_k / s_o, n = 20 - floor(log2(max(r_1, r_2))), m_k = round_half_even(2^n r_k);
/// (m_1 (q_1 - z_1) +- m_2 (q_2 - z_2) + 2^(n - 1)) >> n, + z_o. Empty where a ratio is not in [2^-10, 2^8).
inline step make_single_precision_sum(const operation& op) {
    op.expect_codes(2);
    const quantized a = op.in(0), b = op.in(1), o = op.out();
    const float ratio_a = a.scale / o.scale, ratio_b = b.scale / o.scale;
    constexpr float lowest = 1.0F / 1024.0F, highest = 256.0F;
    if (!is_within(ratio_a, lowest, highest) || !is_within(ratio_b, lowest, highest)) return {};
    const int bits = 20 - std::ilogb(std::max(ratio_a, ratio_b));
    const std::int64_t by_a = in_fixed_point(ratio_a, bits);
    const std::int64_t by_b = in_fixed_point(ratio_b, bits) * (op.code() == tflite::builtin::sub ? -1 : 1);
    const std::int64_t half = std::int64_t{1} << (bits - 1);
    const code_range range = op.activated();
    return [=](const operands& run) {
        apply<std::int8_t, std::int8_t, std::int8_t>(run, 0, 1, [&](std::int8_t x, std::int8_t y) {
            const std::int64_t sum = by_a * (x - a.zero_point) + by_b * (y - b.zero_point);
            return range.clamp(((sum + half) >> bits) + o.zero_point);
        });
    };
}

/// MUL: round_half_even((q_1 - z_1) (q_2 - z_2) (s_1 s_2 / s_o)) + z_o. Empty where the ratio is not in [2^-16, 2^8).
template <class Arithmetic>
step make_single_precision_product(const operation& op) {
    op.expect_codes(2);
    const quantized a = op.in(0), b = op.in(1), o = op.out();
    const float by = a.scale * b.scale / o.scale;
    if (!is_within(by, 1.0F / 65536.0F, 256.0F)) return {};
    const code_range range = op.activated();
    return [=](const operands& run) {
        apply<std::int8_t, std::int8_t, std::int8_t>(run, 0, 1, [&](std::int8_t x, std::int8_t y) {
            const auto product = static_cast<float>((x - a.zero_point) * (y - b.zero_point));
            return Arithmetic::requantize(product, by, o.zero_point, range.lowest, range.highest);
        });
    };
}

/// QUANTIZE of int8 codes, LEAKY_RELU: m = round_half_even(2^8 s_i / s_o), of codes below z_i times alpha; (m (q - z_i) + 2^7) >> 8, + z_o.
/// Empty where a ratio is not in [2^-8, 2^7].
inline step make_coarse_affine(const operation& op, float alpha) {
    op.expect_codes(1);
    const quantized from = op.in(0), to = op.out();
    const float ratio = from.scale / to.scale;
    constexpr float lowest = 1.0F / 256.0F, highest = 128.0F;
    if (!(ratio >= lowest && ratio <= highest)) return {};
    if (!(std::fabs(ratio * alpha) >= lowest && std::fabs(ratio * alpha) <= highest)) return {};
    constexpr int bits = 8;
    const std::int32_t above = in_fixed_point(ratio, bits), below = in_fixed_point(ratio * alpha, bits);
    return make_lookup(op, code_table<std::int8_t>::made_of([&](int code) {
                           const std::int32_t centred = code - from.zero_point;
                           const std::int32_t scaled = centred * (centred >= 0 ? above : below) + (1 << (bits - 1));
                           return code_range().clamp((scaled >> bits) + to.zero_point);
                       }));
}

/// QUANTIZE of real numbers: round_half_even(x (1 / s_o)) + z_o.
template <class Arithmetic>
step make_single_precision_quantization(const operation& op) {
    const element from_type = op.type_of_input(0), to_type = op.type_of_output(0);
    if (from_type == i8 && to_type == i8) return make_coarse_affine(op, 1);
    if (from_type != f32 || to_type != i8) return {};
    const quantized to = op.out();
    const float inverse = 1.0F / to.scale;
    return [=](const operands& run) {
        const value& input = run.in(0);
        value& output = run.out();
        output.reshape(input.dimensions);
        const float* numbers = input.as<float>();
        std::int8_t* codes = output.to<std::int8_t>();
        const std::int64_t count = input.elements();
        for (std::int64_t i = 0; i < count; ++i)
            codes[i] = static_cast<std::int8_t>(Arithmetic::requantize(numbers[i], inverse, to.zero_point, -128, 127));
    };
}

/// MEAN, SUM: round_half_even(sum(q - z_i) (s_i / s_o / n) + z_o) in single precision, n of SUM is 1.
inline step make_single_precision_reduction(const operation& op) {
    op.expect_codes(1);
    const bool averages = op.code() == tflite::builtin::mean;
    const quantized from = op.in(0), to = op.out();
    const known_reduction known(op.option("keep_dims") != 0);
    return [=](const operands& run) {
        reduction& of = known.of(run);
        value& output = run.out();
        const std::vector<std::int64_t>& sums = centred_sums(run.in(0), output, of, from.zero_point);
        const float count = averages ? static_cast<float>(std::max<std::int64_t>(1, of.reduced)) : 1.0F;
        const float by = from.scale / to.scale / count;
        std::int8_t* codes = output.to<std::int8_t>();
        for (const std::int64_t sum : sums)
            *codes++ = static_cast<std::int8_t>(rounded_with_zero_point(static_cast<float>(sum) * by, to.zero_point));
    };
}

/// LOGISTIC, TANH, ELU: round_half_even(f(s_i (q - z_i)) (1 / s_o) + z_o); f rounded to single precision.
template <class Function>
step make_single_precision_function(const operation& op, Function function) {
    op.expect_codes(1);
    const quantized from = op.in(0), to = op.out();
    const float inverse = 1.0F / to.scale;
    return make_lookup(op, code_table<std::int8_t>::made_of([&](int code) {
                           const float x = from.scale * static_cast<float>(code - from.zero_point);
                           return rounded_with_zero_point(function(x) * inverse, to.zero_point);
                       }));
}

inline float logistic_of(float x) { return static_cast<float>(1.0 / (1.0 + std::exp(-static_cast<double>(x)))); }

/// Positions of RESIZE_BILINEAR in single precision, the weight of the second neighbour with 11 bits, ties to even.
inline std::vector<neighbours> weighted_neighbours_along(const sampling& of, std::int64_t input, std::int64_t output) {
    const std::int64_t corner = of.align_corners && output > 1 ? 1 : 0;
    const float scale = static_cast<float>(input - corner) / static_cast<float>(output - corner);
    const float offset = of.half_pixel_centers && !of.align_corners ? 0.5F * scale - 0.5F : 0.0F;
    std::vector<neighbours> result;
    for (std::int64_t v = 0; v < output; ++v) {
        const float p = static_cast<float>(v) * scale + offset;
        const float position = std::min(std::max(p, 0.0F), static_cast<float>(input - 1));
        const auto lower = static_cast<std::int64_t>(position);
        const float beyond = position - static_cast<float>(lower);
        result.push_back({lower, std::min(lower + 1, input - 1), in_fixed_point(beyond, 11)});
    }
    return result;
}

/// RESIZE_BILINEAR: along columns, then along rows, 2^11 first + (second - first) weight; the sum rounded half up at 22 bits.
inline step make_single_precision_bilinear(const operation& op) {
    op.expect_codes(1);
    const sampling of(op);
    return [=](const operands& run) {
        const value& input = run.in(0);
        value& output = run.out();
        output.reshape(resized(run));
        const std::int64_t height = input.dimensions[1], width = input.dimensions[2], channels = input.dimensions[3];
        const auto rows = weighted_neighbours_along(of, height, output.dimensions[1]);
        const auto columns = weighted_neighbours_along(of, width, output.dimensions[2]);
        std::int8_t* result = output.to<std::int8_t>();
        const auto between = [](std::int64_t first, std::int64_t second, std::int64_t weight) {
            return first * (1 << 11) + (second - first) * weight;
        };
        for (std::int64_t b = 0; b < input.dimensions[0]; ++b) {
            const std::int8_t* image = input.as<std::int8_t>() + b * height * width * channels;
            for (const neighbours& row : rows) {
                const std::int8_t* upper = image + row.lower * width * channels;
                const std::int8_t* lower = image + row.upper * width * channels;
                for (const neighbours& column : columns) {
                    const std::int64_t left = column.lower * channels, right = column.upper * channels;
                    for (std::int64_t c = 0; c < channels; ++c) {
                        const std::int64_t above = between(upper[left + c], upper[right + c], column.weight);
                        const std::int64_t below = between(lower[left + c], lower[right + c], column.weight);
                        const std::int64_t sum = between(above, below, row.weight) + (1 << 21);
                        *result++ = static_cast<std::int8_t>(sum >> 22);
                    }
                }
            }
        }
    };
}

}  // namespace detail

/// The kernel of an operation that XNNPACK computes in an arithmetic of its own; empty: it is the reference's, or XNNPACK refuses it.
template <class Arithmetic>
step make_single_precision_step(const operation& op) {
    using tflite::builtin;
    switch (op.code()) {
        case builtin::add:
        case builtin::sub: return detail::make_single_precision_sum(op);
        case builtin::mul: return detail::make_single_precision_product<Arithmetic>(op);
        case builtin::quantize: return detail::make_single_precision_quantization<Arithmetic>(op);
        case builtin::leaky_relu: return detail::make_coarse_affine(op, static_cast<float>(op.real_option("alpha")));
        case builtin::mean:
        case builtin::sum: return detail::make_single_precision_reduction(op);
        case builtin::logistic: return detail::make_single_precision_function(op, detail::logistic_of);
        case builtin::tanh: return detail::make_single_precision_function(op, detail::rounded<std::tanh>);
        case builtin::elu:
            return detail::make_single_precision_function(
                op, [](float x) { return x < 0 ? detail::rounded<std::expm1>(x) : x; });
        case builtin::resize_bilinear: return detail::make_single_precision_bilinear(op);
        case builtin::conv_2d: return make_convolution<Arithmetic>(op);
        case builtin::depthwise_conv_2d: return make_depthwise_convolution<Arithmetic>(op);
        case builtin::fully_connected: return make_fully_connected<Arithmetic>(op);
        default: return {};  // TRANSPOSE_CONV and BATCH_MATMUL have no other kernels
    }
}

}  // namespace lpt::inline LPT_ABI::specified
#endif

// ======== lpt/specified/kernels.hpp
#ifndef LPT_HOLDS_SPECIFIED_KERNELS_HPP
#define LPT_HOLDS_SPECIFIED_KERNELS_HPP
// The kernel of each operator, by its number in a file.

namespace lpt::inline LPT_ABI::specified {

/// The kernel of an operation in an arithmetic. Raises an error that names the operation where its operator, its types, its options or its
/// quantization are none that the arithmetic defines.
template <class Arithmetic>
step make_step(const operation& op) {
    using tflite::builtin;
    if constexpr (Arithmetic::in_single_precision) {
        if (step made = make_single_precision_step<Arithmetic>(op)) return made;
    }
    switch (op.code()) {
        case builtin::add:
        case builtin::sub: return make_sum_on_kernels<Arithmetic>(op, make_sum<Arithmetic>(op));
        case builtin::mul: return make_product_on_kernels<Arithmetic>(op, make_product<Arithmetic>(op));
        case builtin::div: return make_quotient<Arithmetic>(op);
        case builtin::squared_difference: return make_squared_difference<Arithmetic>(op);
        case builtin::maximum:
        case builtin::minimum: return make_extreme(op);
        case builtin::less:
        case builtin::less_equal:
        case builtin::greater:
        case builtin::greater_equal:
        case builtin::equal:
        case builtin::not_equal: return make_comparison<Arithmetic>(op);
        case builtin::prelu: return make_prelu<Arithmetic>(op);
        case builtin::select:
        case builtin::select_v2: return make_selection(op);
        case builtin::logistic:
        case builtin::tanh:
        case builtin::elu:
        case builtin::exp:
        case builtin::log:
        case builtin::gelu: return make_real_function<Arithmetic>(op);
        case builtin::sqrt: return make_root(op);
        case builtin::abs: return make_absolute<Arithmetic>(op);
        case builtin::relu:
        case builtin::relu6:
        case builtin::relu_n1_to_1:
        case builtin::relu_0_to_1: return make_rectifier<Arithmetic>(op);
        case builtin::leaky_relu: return make_leaky_rectifier<Arithmetic>(op);
        case builtin::rsqrt: return make_inverse_root<Arithmetic>(op);
        case builtin::hard_swish: return make_hard_swish<Arithmetic>(op);
        case builtin::quantize: return make_quantization<Arithmetic>(op);
        case builtin::dequantize: return make_dequantization(op);
        case builtin::conv_2d: return make_convolution_on_kernels<Arithmetic>(op, make_convolution<Arithmetic>(op));
        case builtin::depthwise_conv_2d:
            return make_convolution_on_kernels<Arithmetic>(op, make_depthwise_convolution<Arithmetic>(op));
        case builtin::fully_connected:
            return make_fully_connected_on_kernels<Arithmetic>(op, make_fully_connected<Arithmetic>(op));
        case builtin::transpose_conv:
            return make_transposed_convolution_on_kernels<Arithmetic>(op, make_transposed_convolution<Arithmetic>(op));
        case builtin::batch_matmul:
            return make_matrix_product_on_kernels<Arithmetic>(op, make_matrix_product<Arithmetic>(op));
        case builtin::average_pool_2d:
        case builtin::max_pool_2d: return make_pooling_on_kernels(op, make_pooling(op));
        case builtin::mean: return make_mean_on_kernels<Arithmetic>(op, make_mean<Arithmetic>(op));
        case builtin::sum: return make_total_on_kernels<Arithmetic>(op, make_total<Arithmetic>(op));
        case builtin::reduce_max:
        case builtin::reduce_min: return make_extreme_along(op);
        case builtin::reduce_prod: return make_product_along<Arithmetic>(op);
        case builtin::arg_max:
        case builtin::arg_min: return make_position(op);
        case builtin::softmax: return make_softmax<Arithmetic>(op);
        case builtin::log_softmax: return make_log_softmax<Arithmetic>(op);
        case builtin::l2_normalization: return make_l2_normalization<Arithmetic>(op);
        case builtin::resize_bilinear: return make_bilinear_on_kernels(op, make_bilinear(op));
        case builtin::resize_nearest_neighbor: return make_nearest(op);
        case builtin::reshape: return make_reshape(op);
        case builtin::squeeze: return make_squeeze(op);
        case builtin::expand_dims: return make_expansion(op);
        case builtin::transpose: return make_transposition(op);
        case builtin::concatenation: return make_concatenation(op);
        case builtin::pack: return make_packing(op);
        case builtin::unpack: return make_unpacking(op);
        case builtin::split: return make_split(op);
        case builtin::split_v: return make_uneven_split(op);
        case builtin::slice: return make_slice(op);
        case builtin::pad:
        case builtin::padv2: return make_padding(op);
        case builtin::space_to_batch_nd: return make_space_to_batch(op);
        case builtin::batch_to_space_nd: return make_batch_to_space(op);
        case builtin::space_to_depth:
        case builtin::depth_to_space: return make_depth_exchange(op);
        case builtin::strided_slice: return make_strided_slice(op);
        case builtin::reverse_v2: return make_reversal(op);
        case builtin::mirror_pad: return make_mirror_padding(op);
        case builtin::tile: return make_tiling(op);
        case builtin::broadcast_to: return make_broadcast(op);
        case builtin::fill: return make_fill(op);
        case builtin::shape: return make_shape(op);
        case builtin::gather: return make_gather(op);
        case builtin::gather_nd: return make_gather_nd(op);
        case builtin::embedding_lookup: return make_embedding(op);
        case builtin::scatter_nd: return make_scatter(op);
        case builtin::dynamic_update_slice: return make_update(op);
        case builtin::topk_v2: return make_top(op);
        case builtin::svdf: return make_svdf<Arithmetic>(op);
        case builtin::unidirectional_sequence_lstm: return make_lstm<Arithmetic>(op);
        default: op.wrong("this operator has no specified arithmetic in 8 bits");
    }
}

}  // namespace lpt::inline LPT_ABI::specified
#endif

// ======== lpt/specified/network.hpp
#ifndef LPT_HOLDS_SPECIFIED_NETWORK_HPP
#define LPT_HOLDS_SPECIFIED_NETWORK_HPP
// Runs a TensorFlow Lite model operation by operation in the arithmetic that its operations carry: equal to the reference kernels to the bit.

namespace lpt::inline LPT_ABI::specified {

/// Variables that live from run to run, by name.
using variables = std::map<std::string, value>;

namespace detail {

/// The name of the variable whose handle a tensor is.
inline std::string variable_of(const operation& op, const tflite::subgraph& net, std::int64_t handle) {
    for (const tflite::operator_info& each : net.operators) {
        if (each.code == tflite::builtin::var_handle && each.outputs.size() == 1 && each.outputs[0] == handle)
            return std::string(each.words("container").c_str()) + "/" + each.words("shared_name").c_str();
    }
    op.wrong("input 0 is no handle of a variable");
}

inline void assign(const value& from, value& to) {
    to.retype(from.type);
    copy_all(from, to, from.dimensions);
}

/// READ_VARIABLE and ASSIGN_VARIABLE; handles are resolved when the step is made.
inline step make_variable_access(const operation& op, const tflite::subgraph& net, variables& all,
                                 memory_budget& budget) {
    value* const variable = &all[variable_of(op, net, op.info().inputs.empty() ? -1 : op.info().inputs[0])];
    variable->memory = value_memory(&budget);
    if (op.code() == tflite::builtin::assign_variable) {
        if (op.type_of_input(1) == dynamic) op.wrong("a variable of type ", tflite::name(op.input(1).type));
        return [=](const operands& run) { assign(run.in(1), *variable); };
    }
    const element type = op.type_of_output(0);
    return [=](const operands& run) {
        if (variable->type != type) fail({"the variable has no value of the type that is read"});
        assign(*variable, run.out());
    };
}

}  // namespace detail

/// The operations of one subgraph with the values of its tensors.
template <class Arithmetic>
class runnable_subgraph {
    const tflite::model* model_;
    const tflite::subgraph* net_;
    memory_budget* budget_;
    std::vector<value> values_;
    std::vector<step> steps_;
    kernel::parallel_for parallel_;
    struct of_run {
        step does;
        std::size_t index;
    };
    std::vector<of_run> of_runs_;  // in a run: without those that others do, or that do nothing

    /// Real zero: in 8 bits the zero point.
    static void clear(const tflite::tensor_info& info, value& variable) {
        const bool has_code = variable.type == i8 && info.quantized.zero_points.size() == 1;
        detail::fill(variable, has_code ? info.quantized.zero_points[0] : 0);
    }

    static void reshape(const tflite::tensor_info& info, value& variable) {
        lpt::detail::naming_memory([&] { variable.reshape(info.dimensions); },
                                   [&] { return join({"tensor '", info.name, "'"}); });
    }

    void make_value(const tflite::tensor_info& info) {
        value result;
        result.memory = value_memory(budget_);
        result.type = tflite::element_of(info.type);
        result.dimensions = info.dimensions;
        if (info.is_constant()) {
            if (!info.is_sparse && info.value.type() == result.type) result.constant = info.value.data();
        } else if (result.type != dynamic && info.is_variable) {
            reshape(info, result);
            clear(info, result);
        }
        values_.push_back(move(result));
    }

    /// Sparse constants, and constants and variables of types that have no elements here, are nothing that a kernel can read.
    void expect_readable(const operation& op) const {
        for (std::size_t i = 0; i < op.inputs(); ++i) {
            if (!op.has_input(i)) continue;
            const tflite::tensor_info& info = op.input(i);
            const bool has_elements = tflite::element_of(info.type) != dynamic && !info.is_sparse;
            if ((info.is_constant() || info.is_variable) && !has_elements)
                op.wrong("input ", i, " '", info.name, "' is a ", info.is_sparse ? "sparse " : "",
                         info.is_constant() ? "constant" : "variable", " of ", tflite::name(info.type),
                         ", which has no arithmetic here");
        }
    }

    step make(std::int64_t index, variables& all, const kernel::kernel_table* kernels,
              plan::zeroed_blocks& blocks) const {
        const operation op(*model_, *net_, index, kernels, parallel_, &blocks);
        expect_readable(op);
        switch (op.code()) {
            case tflite::builtin::var_handle:
            case tflite::builtin::call_once: return [](const operands&) {};  // done when the network is made
            case tflite::builtin::read_variable:
            case tflite::builtin::assign_variable: return detail::make_variable_access(op, *net_, all, *budget_);
            default: return make_step<Arithmetic>(op);
        }
    }

    /// Operations that read each other alone are one step of a run, in the place of the last.
    std::vector<step> joined_steps(const kernel::kernel_table* kernels) const {
        std::vector<step> result = steps_;
        if (Arithmetic::in_single_precision) return result;  // the kernel of joined steps rounds as the reference does
        constexpr std::size_t none = ~std::size_t{0};
        std::vector<std::size_t> maker(values_.size(), none), readers(values_.size(), 0);
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            for (const std::int64_t each : net_->operators[i].outputs)
                if (each >= 0) maker[static_cast<std::size_t>(each)] = i;
            for (const std::int64_t each : net_->operators[i].inputs)
                if (each >= 0) ++readers[static_cast<std::size_t>(each)];
        }
        for (const std::int64_t each : net_->outputs)
            ++readers[static_cast<std::size_t>(each)];
        // Who makes the first input of an operation for it alone.
        const auto maker_of_input = [&](std::size_t i) {
            const auto& inputs = net_->operators[i].inputs;
            if (inputs.empty() || inputs[0] < 0 || readers[static_cast<std::size_t>(inputs[0])] != 1) return none;
            return maker[static_cast<std::size_t>(inputs[0])];
        };
        const auto at = [&](std::size_t k) {
            return operation(*model_, *net_, static_cast<std::int64_t>(k), kernels, parallel_);
        };
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            const std::size_t before = maker_of_input(i);
            const std::size_t first = before == none ? none : maker_of_input(before);
            if (first == none) continue;
            step joined = make_real_prelu_chain(at(first), at(before), at(i));
            if (!joined) continue;
            result[first] = {};
            result[before] = {};
            result[i] = lpt::move(joined);
        }
        return result;
    }
    void find_steps_of_runs(const kernel::kernel_table* kernels) {
        std::vector<step> all = joined_steps(kernels);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const tflite::builtin code = net_->operators[i].code;
            const bool does_nothing = code == tflite::builtin::var_handle || code == tflite::builtin::call_once;
            if (all[i] && !does_nothing) of_runs_.push_back({lpt::move(all[i]), i});
        }
    }

    void run_one(const step& each, std::size_t index) {
        const tflite::operator_info& info = net_->operators[index];
#if LPT_THROWS
        try {
            each(operands(info, values_));
        } catch (const error& raised) {
            operation(*model_, *net_, static_cast<std::int64_t>(index)).wrong(raised.message());
        } catch (const memory_error& raised) {
            operation(*model_, *net_, static_cast<std::int64_t>(index)).wrong(raised.what());
        }
#else
        each(operands(info, values_));
#endif
    }

public:
    runnable_subgraph(const tflite::model& model, const tflite::subgraph& net, variables& all, memory_budget& budget,
                      const kernel::kernel_table* kernels, const kernel::parallel_for& parallel)
        : model_(&model), net_(&net), budget_(&budget), parallel_(parallel) {
        for (const tflite::tensor_info& each : net.tensors)
            make_value(each);
        plan::zeroed_blocks blocks;  // packed weights lie together
        for (std::size_t i = 0; i < net.operators.size(); ++i)
            steps_.push_back(make(static_cast<std::int64_t>(i), all, kernels, blocks));
        find_steps_of_runs(kernels);
        for (const std::int64_t each : net.inputs)
            reshape(net.tensors[static_cast<std::size_t>(each)], values_[static_cast<std::size_t>(each)]);
    }

    const tflite::subgraph& subgraph() const { return *net_; }
    value& tensor(std::size_t index) { return values_[index]; }
    const value& tensor(std::size_t index) const { return values_[index]; }

    void reset() {
        for (std::size_t i = 0; i < values_.size(); ++i) {
            if (net_->tensors[i].is_variable) clear(net_->tensors[i], values_[i]);
        }
    }

    void run_step(std::size_t index) { run_one(steps_[index], index); }

    void run() {
        for (const of_run& each : of_runs_)
            run_one(each.does, each.index);
    }
};

/// A network with its kernels. The model outlives it.
///
///     specified::network net(model);
///     net.set_input(0, bytes);
///     net.run();
///     net.output(0).data();
template <class Arithmetic>
class basic_network {
    std::unique_ptr<memory_budget> budget_;  // before the values that count in it
    std::unique_ptr<variables> variables_ = std::make_unique<variables>();
    runnable_subgraph<Arithmetic> net_;
    std::vector<runnable_subgraph<Arithmetic>> initializers_;  // what CALL_ONCE names

    void initialize() {
        for (runnable_subgraph<Arithmetic>& each : initializers_)
            each.run();
    }

public:
    /// Makes the kernels. Products and pooling run on `kernels`, with the same bits, if there are any (`kernel::table_for(kernel::best_isa())`).
    /// Raises an error that names the operation where one has no specified arithmetic, or breaks the specification
    /// in a way that leaves open what it means.
    /// `parallel` shares the work of the kernels among threads, and outlives the network. Tensors take at most
    /// `memory_limit` bytes together; an operation that needs more raises an error that names it, and both sizes.
    explicit basic_network(const tflite::model& model, const kernel::kernel_table* kernels = nullptr,
                           const kernel::parallel_for& parallel = {}, std::size_t memory_limit = SIZE_MAX)
        : budget_(std::make_unique<memory_budget>(memory_limit)),
          net_(model, model.subgraphs.front(), *variables_, *budget_, kernels, parallel) {
        for (const tflite::operator_info& each : subgraph().operators) {
            if (each.code != tflite::builtin::call_once) continue;
            const std::int64_t index = each.integer("init_subgraph_index");
            if (index <= 0 || index >= static_cast<std::int64_t>(model.subgraphs.size()))
                fail({"CALL_ONCE: subgraph ", index});
            initializers_.emplace_back(model, model.subgraphs[static_cast<std::size_t>(index)], *variables_, *budget_,
                                       kernels, parallel);
        }
        initialize();
    }

    const tflite::subgraph& subgraph() const { return net_.subgraph(); }
    std::size_t inputs() const { return subgraph().inputs.size(); }
    std::size_t outputs() const { return subgraph().outputs.size(); }

    /// The value of a tensor, by its number in the file; after a run that of every tensor that an operation writes,
    /// but those between DEQUANTIZE, PRELU and QUANTIZE that are one step.
    const value& tensor(std::size_t index) const { return net_.tensor(index); }
    const value& input(std::size_t index) const { return tensor(static_cast<std::size_t>(subgraph().inputs[index])); }
    const value& output(std::size_t index) const { return tensor(static_cast<std::size_t>(subgraph().outputs[index])); }

    /// Gives an input its elements, as many bytes as its shape and type ask for.
    void set_input(std::size_t index, view<std::byte> content) {
        if (index >= inputs()) fail({"input ", index, " of a network with ", inputs()});
        value& input = net_.tensor(static_cast<std::size_t>(subgraph().inputs[index]));
        if (content.size() != input.memory.size())
            fail({"input ", index, ": ", content.size(), " bytes, expected ", input.memory.size(), " (",
                  name(input.type), input.dimensions, ")"});
        if (content.size() != 0) std::memcpy(input.memory.data(), content.data(), content.size());
    }

    /// Variables become what they were when the network was made: zeros, or what its initialization gives them.
    void reset() {
        net_.reset();
        for (auto& [name, each] : *variables_) {
            each = value();
            each.memory = value_memory(budget_.get());
        }
        initialize();
    }

    /// Runs one operation; all before it have run.
    void run_step(std::size_t index) { net_.run_step(index); }

    /// Runs all operations in the order of the file.
    void run() { net_.run(); }
};

using network = basic_network<arithmetic::tflite_reference>;

}  // namespace lpt::inline LPT_ABI::specified
#endif
