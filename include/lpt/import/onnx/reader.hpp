// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/tensor.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_set>

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
    /// What may still be made of the file: functions, bodies and operators make much of a few bytes.
    std::int64_t nodes_left;
    std::int64_t operations_left;
    std::int64_t bytes_left;  // of constants that are not the file's own bytes
    std::int64_t parts_left;  // of sequences
    std::unordered_set<const void*> counted = {};

    session(const mapped_file& read_from, external_files& beside, const model_description& described,
            operator_lookup finding)
        : file(read_from), others(beside), model(described), find(finding) {
        const auto size = static_cast<std::int64_t>(file.size());
        nodes_left = size / 4 + 1024;
        operations_left = size / 2 + (1 << 18);
        bytes_left = size * 16 + (64 << 20);
        parts_left = size + (1 << 20);
    }
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

    /// Raises an error where what was made since the graph had `before` places for nodes is more than the file's size allows.
    void count_made(std::size_t before) {
        const lpt::graph& model = builder_.model();
        session_.operations_left -= static_cast<std::int64_t>(model.id_bound() - before);
        for (std::size_t i = before; i < model.id_bound(); ++i) {
            const tensor* value = model.contains(id_at(i)) ? model.constant_value(id_at(i)) : nullptr;
            if (value != nullptr && !value->is_window() && session_.counted.insert(value->data()).second) {
                session_.bytes_left -= static_cast<std::int64_t>(value->size_in_bytes());
            }
        }
        if (session_.operations_left < 0 || session_.bytes_left < 0) {
            builder_.wrong({"operators make more of the model than its size allows"});
        }
    }
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
