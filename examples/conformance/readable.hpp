// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "json.hpp"

#include <ostream>

/// Graphs of cases for human eyes: a line a node.
namespace lpt::conformance {

namespace detail {

inline void print_list(std::ostream& out, const json& list, std::size_t most) {
    out << '{';
    for (std::size_t i = 0; i < list.size() && i < most; ++i) {
        out << (i == 0 ? "" : ", ") << list[i].dump();
    }
    out << (list.size() > most ? ", …" : "") << '}';
}

inline void print_attributes(std::ostream& out, const json& attributes, const std::string& where) {
    for (const auto& [name, text] : attributes.items()) {
        out << "\n        " << where << ' ' << name;
        if (!text.get_ref<const std::string&>().empty()) {
            out << " = " << text.get<std::string>();
        }
    }
}

inline void print_node(std::ostream& out, const json& node, std::size_t number) {
    out << "  %" << number << " = " << node.at("op").get<std::string>() << '-' << node.at("version").dump();
    if (const json* name = find(node, "name")) {
        out << " '" << name->get<std::string>() << '\'';
    }
    out << '(';
    if (const json* inputs = find(node, "in")) {
        for (std::size_t i = 0; i < inputs->size(); ++i) {
            const json& input = (*inputs)[i];
            out << (i == 0 ? "%" : ", %") << input.at(0).dump();
            if (input.at(1) != 0) {
                out << '.' << input[1].dump();
            }
        }
    }
    out << ')';
    for (const json& output : node.at("out")) {
        out << "  " << output.at("type").get<std::string>() << output.at("shape").dump();
    }
    if (const json* values = find(node, "value")) {
        out << "  ";
        print_list(out, *values, 12);
    }
    if (const json* attrs = find(node, "attrs")) {
        out << "  " << attrs->dump();
    }
    if (const json* control = find(node, "control")) {
        out << "  after " << control->dump();
    }
    if (const json* attributes = find(node, "attributes")) {
        print_attributes(out, *attributes, "node");
    }
    if (const json* inputs = find(node, "in_attributes")) {
        for (std::size_t i = 0; i < inputs->size(); ++i) {
            print_attributes(out, (*inputs)[i], "input " + std::to_string(i));
        }
    }
    for (std::size_t i = 0; i < node["out"].size(); ++i) {
        if (const json* attributes = find(node["out"][i], "attributes")) {
            print_attributes(out, *attributes, "output " + std::to_string(i));
        }
    }
    out << '\n';
}

}  // namespace detail

inline void print_graph(std::ostream& out, const json& nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        detail::print_node(out, nodes[i], i);
    }
}

/// What a case sets, beside its graphs.
inline void print_settings(std::ostream& out, const json& conformance_case) {
    for (const auto& [key, value] : conformance_case.items()) {
        if (key != "before" && key != "after" && key != "suite" && key != "oracle" && key != "case") {
            out << "  " << key << ": " << value.dump() << '\n';
        }
    }
}

}  // namespace lpt::conformance
