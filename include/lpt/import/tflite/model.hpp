// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/tflite/builtin.hpp>
#include <lpt/tensor/tensor.hpp>

#include <vector>

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
    bool has_details = false;  // scales of blocks, or what somebody made up

    bool is_present() const { return !scales.empty(); }
};

/// The place in the file of what is made by no file.
inline constexpr std::size_t unknown_byte = static_cast<std::size_t>(-1);

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
    std::size_t byte = unknown_byte;  // where its table lies in the file

    bool is_constant() const { return static_cast<bool>(value); }
    /// A constant, or without elements: no bytes are a value, too.
    bool stands_in_file() const { return is_constant() || dimensions.elements() == 0; }
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
    std::size_t byte = unknown_byte;

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
    std::vector<text> input_names;  // those of a signature; none: inputs and outputs are called as their tensors
    std::vector<text> output_names;
    std::size_t byte = unknown_byte;

    /// What an input or output is called.
    const text& input_name(std::size_t index) const {
        return index < input_names.size() ? input_names[index] : tensors[static_cast<std::size_t>(inputs[index])].name;
    }
    const text& output_name(std::size_t index) const {
        return index < output_names.size() ? output_names[index]
                                           : tensors[static_cast<std::size_t>(outputs[index])].name;
    }
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
    std::size_t byte = unknown_byte;
};

/// What messages call a signature.
inline text in_words(const signature& each) {
    text words = join({"signature '", each.key, "'"});
    if (each.byte != unknown_byte) {
        words.append(" at byte ").append(each.byte);
    }
    return words;
}

struct metadata {
    text name;
    tensor content;  // u8, one axis
};

struct model {
    text file;  // for messages
    text description;
    std::vector<subgraph> subgraphs;  // at least one
    std::size_t network = 0;  // the subgraph that is run: the first, or that of a signature (`use_signature`)
    std::vector<signature> signatures;
    std::vector<metadata> notes;
    std::size_t byte = unknown_byte;
};

/// What a message is about: a file, and in it a subgraph, an operator or a tensor, and the byte of its table.
struct place {
    text_view file;
    std::int64_t subgraph = -1;
    std::int64_t op = -1;
    text_view op_name = {};
    std::int64_t tensor = -1;
    text_view tensor_name = {};
    std::size_t byte = unknown_byte;
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
    if (where.byte != unknown_byte) {
        message.append(" at byte ").append(where.byte);
    }
}

template <class... Parts>
[[noreturn]] void wrong(const place& where, const Parts&... parts) {
    fail({where, ": ", parts...});
}

}  // namespace lpt::inline LPT_ABI::tflite
