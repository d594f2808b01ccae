// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/protobuf.hpp>
#include <lpt/tensor/shape.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

/// The messages of an ONNX model as plain data. Words and tensors are views of the file.
namespace lpt::inline LPT_ABI::onnx {

/// The content of a message that is read when it is needed.
struct stored_message {
    std::string_view content;
    const char* file = nullptr;

    message open() const { return {content, file}; }
    /// Where in the file it begins.
    std::size_t byte() const { return static_cast<std::size_t>(content.data() - file); }
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

/// What AttributeProto.AttributeType calls a type.
inline std::string name_of_attribute_type(std::int64_t type) {
    constexpr const char* names[] = {"UNDEFINED",      "FLOAT",      "INT",        "STRING",  "TENSOR", "GRAPH",
                                     "FLOATS",         "INTS",       "STRINGS",    "TENSORS", "GRAPHS", "SPARSE_TENSOR",
                                     "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"};
    return type >= 0 && type < static_cast<std::int64_t>(std::size(names)) ? names[type]
                                                                           : "number " + std::to_string(type);
}

struct node_description {
    std::string_view name;
    std::string_view type;
    std::string_view domain;
    std::string_view overload;  // which of the functions of that name
    std::vector<std::string_view> inputs;
    std::vector<std::string_view> outputs;
    std::vector<attribute> attributes;
    std::size_t byte = 0;

    bool has_bodies() const {
        return std::any_of(attributes.begin(), attributes.end(),
                           [](const attribute& each) { return static_cast<bool>(each.graph); });
    }
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
    std::vector<value_description> between;  // what the file says of values that are neither
    stored_message sparse_initializer;
};

using operator_sets = std::map<std::string_view, std::int64_t>;  // version by domain

struct function_description {
    std::string_view name;
    std::string_view domain;
    std::string_view overload;
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
    using function_key = std::array<std::string_view, 3>;  // domain, name, overload
    std::map<function_key, function_description> functions;
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
            case 8: result.overload = from.view(); break;
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
                fail({"has a size of ", value, ", expected at most ", most_elements, ", or -1 where it is open"});
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

/// `kind`: input, output or value, for messages.
inline value_description read_value(message from, const char* kind) {
    value_description result;
    result.byte = from.byte();
    message type;  // read last, so that errors know the name
    while (from.next()) {
        switch (from.field()) {
            case 1: result.name = from.view(); break;
            case 2: type = from.inner(); break;
            default: from.skip();
        }
    }
    if (type.file() == nullptr) {
        return result;
    }
    try {
        read_type(type, result);
    } catch (const error& raised) {
        fail({kind, " '", shown(result.name), "' at byte ", result.byte, ": ", raised.message()});
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
            case 11: result.inputs.push_back(read_value(from.inner(), "input")); break;
            case 12: result.outputs.push_back(read_value(from.inner(), "output")); break;
            case 13: result.between.push_back(read_value(from.inner(), "value")); break;
            case 15: result.sparse_initializer = {from.view(), from.file()}; break;
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
            case 13: result.overload = from.view(); break;
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
                const model_description::function_key key{function.domain, function.name, function.overload};
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
