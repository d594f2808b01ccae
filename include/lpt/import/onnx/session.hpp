// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/tensor.hpp>

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>

/// What names of a model stand for, and what all its graphs share.
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
    output_ref second_operand = {};  // `dequantized` for products with it, for which targets may ask another type
};

/// What a name of the file stands for: a tensor, or a list of values (a sequence).
struct value {
    graph_reader* owner = nullptr;
    output_ref plain;
    std::shared_ptr<quantized_tensor> quantized;
    std::shared_ptr<std::vector<value>> sequence;
    bool has_two_bits = false;  // an integer of four bits in the graph, which has none of two
    output_ref whole = {};  // the same integers as f32, where they were computed so
    stored_message unreadable =
        {};  // an initializer of a type that the library has none like: an error where it is read
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
    /// What may still be made of the file: functions, bodies and operators make much of a few bytes.
    std::int64_t nodes_left;
    std::int64_t operations_left;
    std::int64_t bytes_left;  // of constants that are not the file's own bytes
    std::int64_t parts_left;  // of sequences
    std::unordered_set<const void*> counted = {};
    /// Numbers of 16 bits are read as f32, in which all computes anyway: where scales have 16 bits, so that what they quantize is found.
    bool widens = false;

    session(const mapped_file& read_from, external_files& beside, const model_description& described,
            operator_lookup finding)
        : file(read_from), others(beside), model(described), find(finding) {
        const auto size = static_cast<std::int64_t>(file.size());
        nodes_left = size / 4 + 1024;
        operations_left = size / 2 + (1 << 18);
        bytes_left = size * 16 + (64 << 20);
        parts_left = size + (1 << 20);
    }

    element as_read(element type) const { return widens && (type == f16 || type == bf16) ? f32 : type; }
};

/// Names and what they stand for: of a graph, or of a function that is called.
struct scope {
    std::unordered_map<std::string_view, value> values;
    const scope* outer = nullptr;
    const operator_sets* imported = nullptr;
    const node_description* caller = nullptr;  // of a function: the node that calls it
    const function_description* function = nullptr;  // which it is
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
    /// The function that this lies in, perhaps within bodies; null in none.
    const scope* function_around() const {
        const scope* each = this;
        while (each != nullptr && each->function == nullptr) {
            each = each->outer;
        }
        return each;
    }
    /// True for an input of the function that its caller leaves out.
    bool leaves_out(std::string_view input) const {
        const auto& all = function->inputs;
        return std::find(all.begin(), all.end(), input) != all.end() && !values.contains(input);
    }
};

namespace detail {

/// True if tensors are quantized with constant scales of 16 bits, or dequantized to such numbers, and no operator looks at the bits of numbers.
inline bool has_scales_of_16_bits(const graph_description& graph, const model_builder& to) {
    constexpr std::int64_t half = 10;
    constexpr std::int64_t brain = 16;
    const auto has_16_bits = [](std::int64_t type) { return type == half || type == brain; };
    std::unordered_set<std::string_view> constants;
    for (const auto& [name, stored] : graph.initializers) {
        if (has_16_bits(type_of_tensor(stored, to))) {
            constants.insert(name);
        }
    }
    bool found = false;
    for (const node_description& node : graph.nodes) {
        const attribute* value = node.type == "Constant" ? node.find("value") : nullptr;
        if (value != nullptr && value->tensor && !node.outputs.empty() &&
            has_16_bits(type_of_tensor(value->tensor, to))) {
            constants.insert(node.outputs[0]);
        }
    }
    for (const node_description& node : graph.nodes) {
        if (node.type == "BitCast") {
            return false;
        }
        if (node.type == "QuantizeLinear" || node.type == "DequantizeLinear") {
            const attribute* type = node.find("output_dtype");
            found = found || (node.inputs.size() > 1 && constants.contains(node.inputs[1])) ||
                    (type != nullptr && has_16_bits(type->integer));
        }
    }
    return found;
}

}  // namespace detail

/// While it lives, errors name a part of a graph that is no node, and where in the file it is.
class part_of_file {
    model_builder& builder_;
    source_node around_;

public:
    part_of_file(model_builder& builder, const char* kind, std::string_view name, std::size_t byte)
        : builder_(builder), around_(builder.current()) {
        builder_.begin({std::string(name), {}, byte, kind});
    }
    part_of_file(const part_of_file&) = delete;
    part_of_file& operator=(const part_of_file&) = delete;
    ~part_of_file() { builder_.begin(std::move(around_)); }
};

}  // namespace lpt::inline LPT_ABI::onnx
