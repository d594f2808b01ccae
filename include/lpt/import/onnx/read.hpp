// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/attributes.hpp>
#include <lpt/import/onnx/most_inputs.hpp>
#include <lpt/import/onnx/quantized.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

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

inline output_ref graph_reader::real_operand_of(const value& from) {
    if (!from.quantized || from.quantized->is_rounded || builder_.value_of(from.quantized->real) != nullptr) {
        return real_of(from);
    }
    quantized_tensor& mine = *from.quantized;
    if (!mine.second_operand) {
        mine.second_operand = detail::quantized_and_back(builder_, mine);
    }
    return mine.second_operand;
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

/// Raises an error for a node with more or less inputs than its operator has in any version.
inline void check_inputs(const node_description& node, const model_builder& to) {
    std::size_t count = node.inputs.size();
    while (count > 0 && node.inputs[count - 1].empty()) {
        --count;  // left out
    }
    const std::optional<std::size_t> most = most_inputs(node.domain, node.type);
    if (most && count > *most) {
        to.wrong({shown(node.type), " has ", count, " inputs, expected at most ", *most});
    }
    const std::size_t least = least_inputs(node.domain, node.type);
    if (node.inputs.size() < least) {
        to.wrong({shown(node.type), " has ", node.inputs.size(), " inputs, expected at least ", least});
    }
}

/// Raises an error for an attribute that the operator does not have in a version. Names that begin with `__` are nobody's, as in ONNX Runtime.
inline void check_attributes(const node_description& node, std::int64_t version, const model_builder& to) {
    const std::optional<std::string_view> listed = attributes_of(node.domain, node.type);
    for (const attribute& each : node.attributes) {
        if (!listed || each.name.starts_with("__") || has_attribute(*listed, each.name, version)) {
            continue;
        }
        to.wrong({"has the attribute '", shown(each.name), "', which ", shown(node.type), " of version ", version,
                  " does not have; it has ", attributes_in_words(*listed, version).c_str()});
    }
}

/// What messages call a node: its name, that of what it gives, or its place in the list.
inline std::string shown_name(const node_description& node, std::size_t number) {
    if (!node.name.empty()) {
        return std::string(node.name);
    }
    for (const std::string_view output : node.outputs) {
        if (!output.empty()) {
            return std::string(output);
        }
    }
    return "number " + std::to_string(number);
}

/// The nodes of a list that give what others of it read.
inline std::unordered_map<std::string_view, std::size_t> producers_of(const std::vector<node_description>& nodes) {
    std::unordered_map<std::string_view, std::size_t> producers;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (const std::string_view output : nodes[i].outputs) {
            if (!output.empty()) {  // left out, as empty inputs are
                producers.emplace(output, i);
            }
        }
    }
    return producers;
}

/// Calls `visit` with the names that the bodies of a node, and those inside of them, take from around the node.
inline void visit_names_from_outside(const node_description& node, const std::function<void(std::string_view)>& visit,
                                     int depth = 0) {
    for (const attribute& each : node.attributes) {
        if (!each.graph || depth == graph_reader::deepest) {
            continue;
        }
        const graph_description body = read_graph(each.graph.open());
        std::set<std::string_view> own;
        for (const value_description& input : body.inputs) {
            own.insert(input.name);
        }
        for (const auto& initializer : body.initializers) {
            own.insert(initializer.first);
        }
        for (const node_description& inner : body.nodes) {
            own.insert(inner.outputs.begin(), inner.outputs.end());
        }
        const auto visit_foreign = [&](std::string_view name) {
            if (!own.contains(name)) {
                visit(name);
            }
        };
        for (const node_description& inner : body.nodes) {
            std::for_each(inner.inputs.begin(), inner.inputs.end(), visit_foreign);
            visit_names_from_outside(inner, visit_foreign, depth + 1);
        }
        for (const value_description& output : body.outputs) {
            visit_foreign(output.name);
        }
    }
}

/// A node of a function, or of a body in it, with the attributes that the caller gives it, and without the inputs that the caller leaves out.
inline node_description as_called(const node_description& node, const scope& called, const scope& names) {
    node_description result = node;
    std::erase_if(result.attributes, [&](attribute& each) {
        if (each.reference.empty()) {
            return false;
        }
        const attribute* given = called.caller->find(each.reference);
        for (const attribute& otherwise : called.function->defaults) {
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
    for (std::string_view& input : result.inputs) {
        if (called.leaves_out(input) && names.find(input) == nullptr) {
            input = {};
        }
    }
    return result;
}

}  // namespace detail

inline void graph_reader::read_nodes(const std::vector<node_description>& nodes, scope& names) {
    const auto producers = detail::producers_of(nodes);
    const auto begin = [&](const node_description& node) {
        const auto number = static_cast<std::size_t>(&node - nodes.data());
        builder_.begin({names.prefix + detail::shown_name(node, number), std::string(node.type), node.byte});
    };
    const auto sources = [&](std::size_t number, auto&& visit) {
        const auto visit_name = [&](std::string_view name) {
            if (const auto found = producers.find(name); found != producers.end()) {
                visit(found->second);
            }
        };
        std::for_each(nodes[number].inputs.begin(), nodes[number].inputs.end(), visit_name);
        if (nodes[number].has_bodies()) {
            begin(nodes[number]);
            std::vector<std::string_view> outside;
            reading(builder_, [&] {
                detail::visit_names_from_outside(nodes[number],
                                                 [&](std::string_view name) { outside.push_back(name); });
            });
            std::for_each(outside.begin(), outside.end(), visit_name);
        }
    };
    const auto circle = [&](std::size_t number) {
        begin(nodes[number]);
        builder_.wrong({"what it gives leads round in a circle to what it reads"});
    };
    const source_node around = builder_.current();
    const std::vector<std::size_t> order = order_by_sources(nodes.size(), sources, circle);
    builder_.begin(around);
    for (const std::size_t number : order) {
        read_node(nodes[number], number, names);
    }
}

inline void graph_reader::read_node(const node_description& written, std::size_t number, scope& names) {
    const scope* called = names.function_around();
    const std::optional<node_description> adapted =
        called == nullptr ? std::nullopt : std::optional(detail::as_called(written, *called, names));
    const node_description& node = adapted ? *adapted : written;
    const source_node around = builder_.current();
    const std::string name = detail::shown_name(node, number);
    builder_.begin({names.prefix + name, std::string(node.type), node.byte});
    if (--session_.nodes_left < 0) {
        builder_.wrong({"functions and bodies make more nodes of the model than its size allows"});
    }
    const auto function = session_.model.functions.find({node.domain, node.type, node.overload});
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
    detail::check_attributes(node, version, builder_);
    operation one(*this, names, node, version);
    if (entry->keeps_values) {
        one.kept_ = detail::common_quantization(one);
    }
    const std::size_t before = builder_.model().id_bound();
    lpt::detail::naming_memory([&] { entry->read(one); }, [&] { return text(name.c_str()); });
    count_made(before);
    builder_.finish();
    builder_.begin(around);
}

inline void graph_reader::call(const function_description& function, const node_description& caller, scope& names) {
    scope inner;
    inner.imported = &function.imported;
    inner.caller = &caller;
    inner.function = &function;
    inner.prefix = builder_.current().name + "/";
    inner.enter(names, builder_);
    std::size_t given = caller.inputs.size();
    while (given > 0 && caller.inputs[given - 1].empty()) {
        --given;  // left out
    }
    if (given > function.inputs.size()) {
        builder_.wrong({"gives ", given, " inputs to the function '", shown(function.name), "', which has ",
                        function.inputs.size()});
    }
    for (std::size_t i = 0; i < function.inputs.size() && i < caller.inputs.size(); ++i) {
        if (caller.inputs[i].empty()) {
            continue;
        }
        const value* found = names.find(caller.inputs[i]);
        if (found == nullptr) {
            builder_.wrong(
                {"input ", i, " is '", shown(caller.inputs[i]), "', which no node, initializer or input gives"});
        }
        inner.values[function.inputs[i]] = *found;
    }
    read_nodes(function.nodes, inner);
    for (std::size_t i = 0; i < caller.outputs.size(); ++i) {
        if (caller.outputs[i].empty()) {
            continue;
        }
        const value* found = i < function.outputs.size() ? inner.find(function.outputs[i]) : nullptr;
        if (found == nullptr) {
            builder_.wrong({"the function '", shown(function.name), "' gives no output ", i});
        }
        if (!names.values.emplace(caller.outputs[i], *found).second) {
            builder_.wrong({"gives '", shown(caller.outputs[i]), "', which was given before"});
        }
    }
}

}  // namespace lpt::inline LPT_ABI::onnx
