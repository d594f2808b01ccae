// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/real_values.hpp>
#include <lpt/import/onnx/session.hpp>

#include <map>

namespace lpt::inline LPT_ABI::onnx {

/// Reads one graph: that of the model, or a body.
class graph_reader {
    session& session_;
    graph_reader* outer_;
    int depth_;
    model_builder builder_;
    std::map<std::pair<graph_reader*, std::pair<node_id, std::int32_t>>, output_ref> captured_;
    std::unordered_map<std::string_view, stored_message> initializers_;
    real_values reals_;

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
    real_values& reals() { return reals_; }

    value of(output_ref plain) { return {this, plain, nullptr, nullptr}; }

    /// The value as one of this graph: what belongs to a graph around it comes in as a parameter, or is copied where it is constant.
    value here(const value& from) {
        if (from.unreadable) {
            builder_.wrong({"reads the initializer at byte ", from.unreadable.byte(), ", whose element type ",
                            name_of_type(type_of_tensor(from.unreadable, builder_)).c_str(), " is not supported"});
        }
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
    /// The same for the second operand of a product: apart, because it may need another type than other readers.
    output_ref real_operand_of(const value& from);

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
    void read_node(const node_description& node, std::size_t number, scope& names);
    void call(const function_description& function, const node_description& caller, scope& names);
    output_ref constant_as_read(const tensor& stored) {
        const output_ref made = builder_.constant(stored);
        const element type = session_.as_read(stored.type());
        return type == stored.type() ? made : builder_.add(op::convert{type}, view<output_ref>(&made, 1));
    }
    value read_initializer(const stored_message& stored) {
        const std::int64_t type = type_of_tensor(stored, builder_);
        if (is_type_of_standard(type) && element_of(type) == dynamic) {
            return {this, {}, nullptr, nullptr, false, {}, stored};
        }
        value mine = of(constant_as_read(read_tensor(stored, session_.file, session_.others, builder_)));
        mine.has_two_bits = packed_bits(type) == 2;
        return mine;
    }
    void read_initializers(const graph_description& graph, scope& names) {
        if (graph.sparse_initializer) {
            const part_of_file part(builder_, "initializer", {}, graph.sparse_initializer.byte());
            builder_.wrong({"is sparse, which is not supported"});
        }
        for (const auto& [name, stored] : graph.initializers) {
            const part_of_file part(builder_, "initializer", name, stored.byte());
            const auto [found, is_new] = names.values.try_emplace(name, read_initializer(stored));
            const auto before = is_new ? initializers_.end() : initializers_.find(name);
            if (!is_new && (before == initializers_.end() || before->second.content != stored.content)) {
                builder_.wrong({"has the name of another initializer or input, which is not the same"});
            }
            initializers_[name] = stored;
        }
    }
    /// Raises an error where the file declares another type than a value has. Shapes are not compared: what is inferred counts, as in ONNX
    /// Runtime, which warns of them.
    void check_type(const value_description& declared, const value& found) const {
        if (declared.kind != "tensor" || declared.type == 0 || found.sequence || found.unreadable || !found.owner) {
            return;
        }
        const element type = found.quantized ? found.quantized->how.type : found.owner->builder_.type_of(found.plain);
        if (type != dynamic && session_.as_read(element_of(declared.type)) != type) {
            builder_.wrong({"is declared as ", name_of_type(declared.type).c_str(), ", but is ", lpt::name(type)});
        }
    }
    /// A graph's initializers and nodes. Raises an error where a value has another type than the file says.
    void read_parts(const graph_description& graph, scope& names) {
        read_initializers(graph, names);
        read_nodes(graph.nodes, names);
        check_between(graph, names);
    }
    void check_between(const graph_description& graph, const scope& names) {
        for (const value_description& each : graph.between) {
            if (const auto found = names.values.find(each.name); found != names.values.end()) {
                const part_of_file part(builder_, "value", each.name, each.byte);
                check_type(each, found->second);
            }
        }
    }
    /// A parameter; for an input whose value an initializer gives nothing but a look at what the file says of it.
    void read_input(const value_description& input, scope& names) {
        const part_of_file part(builder_, "input", input.name, input.byte);
        const auto found = names.values.find(input.name);
        if (found == names.values.end()) {
            names.values[input.name] = of(add_parameter(input));
            return;
        }
        if (found->second.unreadable) {
            return;
        }
        const output_ref given = found->second.plain;
        if (!initializers_.contains(input.name)) {
            builder_.wrong({"has the name of another input"});
        }
        check_type(input, found->second);
        lpt::shape merged = builder_.shape_of(given);
        if (!merge_shape(merged, input.dimensions)) {
            builder_.wrong(
                {"is declared with shape ", input.dimensions, ", but its initializer has ", builder_.shape_of(given)});
        }
    }
    output_ref add_parameter(const value_description& input) {
        if (input.kind != "tensor") {
            builder_.wrong({"is a ", shown(input.kind), ", which is not supported"});
        }
        if (packed_bits(input.type) == 2) {
            builder_.wrong({"has integers of two bits, which only constants may have"});
        }
        const element type = input.type == 0 ? dynamic : known_element_of(input.type, builder_);
        const std::string name(input.name);
        const node_id made = builder_.model().parameter(type, input.dimensions, name.c_str());
        builder_.model().name_tensor(made, name.c_str());
        return widened(made, name);
    }
    /// A value of 16 bits as it is read.
    output_ref widened(output_ref value, const std::string& name) {
        const element type = session_.as_read(builder_.type_of(value));
        return type == builder_.type_of(value)
                   ? value
                   : builder_.model().add(op::convert{type}, view<output_ref>(&value, 1), (name + "/f32").c_str());
    }
    /// What a graph gives as an output.
    value given_as(const value_description& output, const scope& names) {
        const part_of_file part(builder_, "output", output.name, output.byte);
        const value* found = names.find(output.name);
        if (found == nullptr) {
            builder_.wrong({"is given by no node, initializer or input"});
        }
        value result = here(*found);
        check_type(output, result);
        return result;
    }
    output_ref result_of(const value_description& output, const scope& names) {
        const value given = given_as(output, names);
        if (given.sequence) {
            const part_of_file part(builder_, "output", output.name, output.byte);
            builder_.wrong({"is a sequence, which is not supported"});
        }
        return plain_of(given);
    }

    /// An output of the network in the type that the file declares, where it was read in a wider one.
    output_ref as_declared(const value_description& output, output_ref given) {
        const element type = element_of(output.type);
        const bool is_wider = session_.as_read(type) != type && builder_.type_of(given) == session_.as_read(type);
        const std::string name = std::string(output.name) + "/Convert";
        return is_wider ? builder_.model().add(op::convert{type}, view<output_ref>(&given, 1), name.c_str()) : given;
    }

    graph read_model(const graph_description& from) {
        session_.widens = detail::has_scales_of_16_bits(from, builder_);
        scope names;
        names.imported = &session_.model.imported;
        builder_.model().set_name(text(shown(from.name)));
        read_initializers(from, names);
        for (const value_description& input : from.inputs) {
            read_input(input, names);
        }
        read_nodes(from.nodes, names);
        check_between(from, names);
        builder_.begin({});
        for (const value_description& output : from.outputs) {
            const std::string name(output.name);
            const output_ref source = as_declared(output, result_of(output, names));
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
