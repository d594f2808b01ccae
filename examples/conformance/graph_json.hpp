// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "json.hpp"

#include <lpt/base/memory_errors.hpp>
#include <lpt/graph/infer.hpp>
#include <lpt/graph/traverse.hpp>
#include <lpt/op/fields.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Graphs in the form of the cases, both ways.
namespace lpt::conformance {

inline std::string string_of(text_view words) { return {words.data(), words.size()}; }

// ---- reading

inline shape read_shape(const json& dimensions) {
    if (dimensions.is_null()) {
        return shape::of_dynamic_rank();
    }
    shape result;
    for (const json& size : dimensions.get_ref<const json::array_t&>()) {
        result.push_back(integer_of<dimension>(size));
    }
    return result;
}

inline element read_element(const json& word) {
    const std::string& type = word.get_ref<const std::string&>();
    const element result = parse_element(type.c_str());
    if (result == dynamic && type != "dynamic") {
        fail({"there is no element type '", type.c_str(), "'"});
    }
    return result;
}

inline bool all_of_form(const json& list, bool (json::*is)() const) {
    return std::all_of(list.begin(), list.end(), [is](const json& each) { return (each.*is)(); });
}

inline op::attribute_value read_list(const json& list) {
    using form = op::attribute_value::form;
    op::attribute_value result;
    if (list.empty() || all_of_form(list, &json::is_number_integer)) {
        result.holds = form::integers;
        for (const json& each : list) {
            result.integers.push_back(each.get<std::int64_t>());
        }
    } else if (all_of_form(list, &json::is_number)) {
        result.holds = form::reals;
        for (const json& each : list) {
            result.reals.push_back(each.get<double>());
        }
    } else {
        result.holds = form::words;
        for (const json& each : list) {
            result.words.push_back(each.get_ref<const std::string&>().c_str());
        }
    }
    return result;
}

inline op::attribute_value read_attribute(const json& value) {
    using form = op::attribute_value::form;
    switch (value.type()) {
        case json::value_t::boolean: return op::to_value(value.get<bool>());
        case json::value_t::number_integer:
        case json::value_t::number_unsigned: return op::to_value(value.get<std::int64_t>());
        case json::value_t::number_float: return op::to_value(value.get<double>());
        case json::value_t::string: return op::to_value(text(value.get_ref<const std::string&>().c_str()));
        case json::value_t::array: return read_list(value);
        case json::value_t::null: return {.holds = form::dimensions, .dimensions = shape::of_dynamic_rank()};
        default: fail({"an attribute cannot be ", value.dump().c_str()});
    }
}

inline tensor read_constant(const json& described) {
    const json& output = described.at("out").at(0);
    tensor_builder values = lpt::detail::naming_memory(
        [&] { return tensor_builder(read_element(output.at("type")), read_shape(output.at("shape"))); },
        [] { return text("a Constant"); });
    const json& list = described.at("value");
    const std::size_t count = values.elements();
    if (list.size() != count && (list.size() != 1 || count == 0)) {
        fail({"a Constant of ", count, " elements has ", list.size(), " values"});
    }
    for (std::size_t i = 0; i < count; ++i) {
        const json& value = list[list.size() == 1 ? 0 : i];
        if (value.is_number_integer()) {
            values.integer(i, value.get<std::int64_t>());
        } else {
            values.real(i, number_of(value));
        }
    }
    return values.finish();
}

/// What a node is called in messages.
inline std::string label_of(const json& described) {
    return described.at("op").get<std::string>() + "-" + described.at("version").dump();
}

/// Reads graphs of cases. A node whose output type is not what its inputs imply becomes type-relaxed.
class graph_reader {
    graph model_;
    std::vector<node_id> nodes_;

    static op::attributes attributes_of(const json& described, op::kind kind, int version) {
        if (kind == op::kind::constant) {
            return op::constant{read_constant(described)};
        }
        if (kind == op::kind::parameter) {
            const json& output = described.at("out").at(0);
            return op::parameter{read_element(output.at("type")), read_shape(output.at("shape"))};
        }
        seq<op::named_value> values;
        if (const json* list = find(described, "attrs")) {
            for (const auto& [name, value] : list->items()) {
                values.push_back({text(name.c_str()), read_attribute(value)});
            }
        }
        return op::fields_of(kind).make(values, version, label_of(described).c_str());
    }

    /// A node that stands before this one.
    node_id node_at(const json& place) const {
        const auto index = integer_of<std::size_t>(place);
        if (index >= nodes_.size() || nodes_[index] == node_id::none) {
            fail({"reads or waits for node ", place.dump().c_str(), ", which does not stand before it"});
        }
        return nodes_[index];
    }
    seq<output_ref> inputs_of(const json& described) const {
        seq<output_ref> result;
        if (const json* list = find(described, "in")) {
            for (const json& each : *list) {
                const node_id from = node_at(each.at(0));
                const auto port = integer_of<std::size_t>(each.at(1));
                if (port >= model_[from].outputs()) {
                    fail({"reads output ", port, " of a node that has ", model_[from].outputs()});
                }
                result.push_back({from, static_cast<std::int32_t>(port)});
            }
        }
        return result;
    }

    /// The output types that inputs of these types imply; nothing where the operation does not take them.
    std::optional<seq<element>> natural_types(const op::attributes& what, int version, view<output_ref> inputs) const {
        const op::ports taken = op::row_of(what.number()).inputs;
        if (static_cast<int>(inputs.size()) < taken.least || static_cast<int>(inputs.size()) > taken.most) {
            return std::nullopt;
        }
        seq<shape> shapes;
        seq<integers> values(inputs.size(), integers{});
        seq<op::input_facts> facts;
        for (std::size_t port = 0; port < inputs.size(); ++port) {
            op::input_facts input{model_.type(inputs[port]), &model_.shape(inputs[port]),
                                  model_.constant_value(inputs[port]), nullptr};
            if (known_values(model_, inputs[port], values[port])) {
                input.values = &values[port];
            }
            facts.push_back(input);
        }
        op::inference inference(op::name(what.number()), "", version, facts);
        try {
            op::row_of(what.number()).infer(what, inference);
        } catch (const error&) {
            return std::nullopt;
        }
        seq<element> result;
        for (const op::output_facts& output : inference.outputs()) {
            result.push_back(output.type);
        }
        return result;
    }

    static bool is_integer_data(element type) { return is_integral(type) && bit_width(type) <= 32; }

    /// True for ports that carry data, not axes, shapes or the like.
    static bool carries_data(op::kind kind, std::size_t port) {
        switch (kind) {
            case op::kind::add:
            case op::kind::subtract:
            case op::kind::multiply:
            case op::kind::divide:
            case op::kind::concat:
            case op::kind::mat_mul:
            case op::kind::convolution:
            case op::kind::group_convolution:
            case op::kind::fake_quantize:
            case op::kind::prelu: return true;
            case op::kind::convolution_backprop_data: return port < 2;
            default: return port == 0;
        }
    }

    /// The types of a relaxed node: low precision data is taken as the floating point type that the node has elsewhere.
    relaxation types_of(op::kind kind, view<output_ref> inputs, view<element> wanted) const {
        element real = dynamic;
        for (const element type : wanted) {
            real = real == dynamic && is_real(type) ? type : real;
        }
        for (const output_ref input : inputs) {
            real = real == dynamic && is_real(model_.type(input)) ? model_.type(input) : real;
        }
        relaxation result;
        for (std::size_t port = 0; port < inputs.size(); ++port) {
            const element type = model_.type(inputs[port]);
            const bool data = carries_data(kind, port) && (is_integer_data(type) || is_real(type));
            result.input_types.push_back(data ? (real == dynamic ? f32 : real) : dynamic);
        }
        result.output_types = seq<element, 2>(wanted);
        return result;
    }

    static void check_shape(const json& described, const graph& model, node_id id) {
        const json& outputs = described.at("out");
        if (outputs.size() > model[id].outputs()) {
            fail({label_of(described).c_str(), " has ", model[id].outputs(), " outputs, the case says ",
                  outputs.size()});
        }
        for (std::size_t port = 0; port < outputs.size(); ++port) {
            const json* wanted = find(outputs[port], "shape");
            shape merged = model[id].shape(port);
            if (wanted != nullptr && !merge_shape(merged, read_shape(*wanted))) {
                fail({label_of(described).c_str(), " has the shape ", model[id].shape(port), ", the case says ",
                      wanted->dump().c_str()});
            }
        }
    }

    void set_marks(const json& described, node_id id) {
        if (const json* attributes = find(described, "attributes")) {
            for (const auto& [name, value] : attributes->items()) {
                if (name != "DISABLED_CONSTANT_FOLDING") {
                    fail({"run-time attribute '", name.c_str(), "' cannot be given"});
                }
                model_.set_mark(id, mark::disabled_constant_folding);
            }
        }
    }

    void add(const json& described, std::size_t place) {
        const std::string& op = described.at("op").get_ref<const std::string&>();
        const op::kind kind = op::parse_kind(op.c_str());
        if (kind == op::kind::none) {
            fail({"there is no operation ", op.c_str()});
        }
        const int version = integer_of<int>(described.at("version"));
        if (!op::row_of(kind).opsets.contains(version)) {
            fail({"there is no operation ", label_of(described).c_str()});
        }
        const json* name = find(described, "name");
        const std::string words = name != nullptr ? name->get<std::string>() : std::string();
        const seq<output_ref> inputs = inputs_of(described);
        op::attributes what = attributes_of(described, kind, version);
        seq<element> wanted;
        for (const json& output : described.at("out")) {
            wanted.push_back(read_element(output.at("type")));
        }
        const std::optional<seq<element>> natural = natural_types(what, version, inputs);
        const bool plain = kind == op::kind::result || (natural.has_value() && *natural == wanted);
        const node_id id =
            plain ? model_.add(std::move(what), inputs, words.c_str(), version)
                  : model_.add_relaxed(std::move(what), inputs, types_of(kind, inputs, wanted), words.c_str(), version);
        nodes_[place] = id;
        check_shape(described, model_, id);
        set_marks(described, id);
        if (const json* control = find(described, "control")) {
            for (const json& on : *control) {
                model_.add_control_dependency(id, node_at(on));
            }
        }
    }

    void add_node(const json& nodes, std::size_t place) {
        try {
            add(nodes[place], place);
        } catch (const error& wrong) {
            fail({"node ", place, " (", label_of(nodes[place]).c_str(), ") of `before`: ", wrong.message()});
        }
    }

public:
    /// Nodes stand in the order in which they are made, so Assign nodes in that of the network's sinks; a pass visits the last of
    /// these first.
    static graph read(const json& described) {
        graph_reader reader;
        reader.nodes_.assign(described.size(), node_id::none);
        for (std::size_t i = 0; i < described.size(); ++i) {
            reader.add_node(described, i);
        }
        reader.model_.collect();  // what nothing reads is no reader either
        return std::move(reader.model_);
    }
};

// ---- writing

inline json write_shape(const shape& dimensions) {
    if (dimensions.rank_is_dynamic()) {
        return nullptr;
    }
    json result = json::array();
    for (const dimension size : dimensions) {
        result.push_back(size);
    }
    return result;
}

inline json write_attribute(const op::attribute_value& value) {
    using form = op::attribute_value::form;
    json result;
    switch (value.holds) {
        case form::none:
        case form::constant: break;
        case form::boolean: return value.integer != 0;
        case form::integer: return value.integer;
        case form::real: return json_of_real(value.real);
        case form::word:
        case form::element_type: return string_of(value.word);
        case form::dimensions: return write_shape(value.dimensions);
        case form::integers:
            result = json::array();
            for (const std::int64_t each : value.integers) {
                result.push_back(each);
            }
            break;
        case form::reals:
            result = json::array();
            for (const double each : value.reals) {
                result.push_back(json_of_real(each));
            }
            break;
        case form::words:
            result = json::array();
            for (const text& each : value.words) {
                result.push_back(string_of(each));
            }
            break;
    }
    return result;
}

inline json write_values(const tensor& value) {
    json result = json::array();
    const bool real = is_real(value.type());
    for (std::size_t i = 0; i < value.elements(); ++i) {
        result.push_back(real ? json_of_real(value.real(i)) : json(value.integer(i)));
    }
    return result;
}

/// The nodes in the order of the cases: parameters, the order in which a pass visits them, results.
inline seq<node_id> order_of_case(const graph& model) {
    seq<node_id> result;
    result.append(model.parameters());
    for (const node_id id : topological_order(model)) {
        if (!model[id].is<op::parameter>() && !model[id].is<op::result>()) {
            result.push_back(id);
        }
    }
    result.append(model.results());
    return result;
}

/// A graph in the form of the cases, without run-time attributes. `order` is the order of its nodes.
inline json write_graph(const graph& model, view<node_id> order) {
    std::vector<std::size_t> place(model.id_bound());
    json result = json::array();
    for (const node_id id : order) {
        const node& each = model[id];
        place[index_of(id)] = result.size();
        json described = {{"op", string_of(each.operation())}, {"version", each.version()}};
        if (!each.name().empty()) {
            described["name"] = string_of(each.name());
        }
        for (std::size_t port = 0; port < each.inputs(); ++port) {
            described["in"].push_back({place[index_of(each.input(port).node)], each.input(port).port});
        }
        described["out"] = json::array();
        for (std::size_t port = 0; port < each.outputs(); ++port) {
            described["out"].push_back(
                {{"type", string_of(name(each.type(port)))}, {"shape", write_shape(each.shape(port))}});
        }
        if (each.is<op::constant>()) {
            described["value"] = write_values(each.as<op::constant>().value);
        } else if (!each.is<op::parameter>()) {
            for (const op::named_value& value : op::fields_of(each.kind()).read(each.attributes(), each.version())) {
                described["attrs"][string_of(value.name)] = write_attribute(value.value);
            }
        }
        for (const node_id on : each.control_dependencies()) {
            described["control"].push_back(place[index_of(on)]);
        }
        result.push_back(std::move(described));
    }
    return result;
}

}  // namespace lpt::conformance
