// SPDX-License-Identifier: Apache-2.0
// Pictures of graphs, for graphviz.
#pragma once

#include <lpt/pipeline/report.hpp>

namespace lpt::inline LPT_ABI {

namespace detail {

/// The colour of an operation that computes in a type: 8-bit integers, other low precision, real numbers, what says sizes or conditions.
constexpr text_view dot_colour_of(element type) {
    return is_8_bit_integer(type)   ? "#8fd19e"
           : is_low_precision(type) ? "#d3ecb0"
           : is_real(type)          ? "#f6c9a0"
                                    : "#e4e4e4";
}

/// Text between quotation marks: names are any bytes, pictures are UTF-8 of one line.
constexpr void append_quoted(text& result, text_view name) {
    for (const char each : name) {
        const auto code = static_cast<unsigned char>(each);
        if (each == '"' || each == '\\') {
            result.append('\\').append(each);
        } else {
            result.append(code < 0x20 || code >= 0x7f ? '?' : each);
        }
    }
}

class dot_writer {
    text result_ =
        "digraph network {\n"
        "    node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\", fontsize=11, margin=\"0.12,0.05\"];\n"
        "    edge [fontname=\"Helvetica\", fontsize=9, color=\"#606060\"];\n";
    seq<text_view> reasons_;  // by node of the outermost graph; empty: none is known
    int clusters_ = 0;

    constexpr void append_id(text_view path, node_id id) {
        result_.append('"').append(path).append('n').append(index_of(id)).append('"');
    }
    constexpr void append_node(const graph& model, node_id id, text_view path) {
        const node& each = model[id];
        const bool end = each.is<op::parameter>() || each.is<op::result>();
        result_.append("    ");
        append_id(path, id);
        result_.append(" [label=\"").append(op::name(each.attributes())).append("\\n");
        append_quoted(result_, each.name());
        for (std::size_t port = 0; port < each.inputs(); ++port) {
            const tensor* value = model.constant_value(each.input(port));
            if (value != nullptr && value->elements() > 1) {
                result_.append("\\n").append(port).append(": ").append(name(value->type()));
                append_to(result_, value->dimensions());
            }
        }
        const element type = end ? each.type() : computing_type(model, each);
        result_.append("\", fillcolor=\"").append(dot_colour_of(type)).append('"');
        if (end) {
            result_.append(", shape=ellipse");
        }
        if (path.empty() && index_of(id) < reasons_.size() && !reasons_[index_of(id)].empty()) {
            result_.append(", tooltip=\"");
            append_quoted(result_, reasons_[index_of(id)]);
            result_.append('"');
        }
        result_.append("];\n");
    }
    constexpr void append_edges(const graph& model, node_id id, text_view path) {
        const node& each = model[id];
        for (std::size_t port = 0; port < each.inputs(); ++port) {
            const output_ref from = each.input(port);
            if (model[from.node].is<op::constant>()) {
                continue;
            }
            result_.append("    ");
            append_id(path, from.node);
            result_.append(" -> ");
            append_id(path, id);
            result_.append(" [label=\"").append(name(model.type(from)));
            append_to(result_, model.shape(from));
            result_.append(is_8_bit_integer(model.type(from)) ? "\", color=\"#2f8f4e\", penwidth=2];\n" : "\"];\n");
        }
    }
    constexpr void append_bodies(const graph& model, node_id id, text_view path) {
        const node& each = model[id];
        for (std::size_t body = 0; body < each.bodies().size(); ++body) {
            const text below = join({path, index_of(id), "_", body, "_"});
            result_.append("    subgraph cluster_")
                .append(clusters_++)
                .append(" {\n    label=\"body ")
                .append(body)
                .append(" of ");
            append_quoted(result_, each.name());
            result_.append("\";\n");
            append_graph(each.bodies()[body], below);
            result_.append("    }\n");
        }
    }
    constexpr void append_graph(const graph& model, text_view path) {
        for (std::size_t i = 0; i < model.id_bound(); ++i) {
            const node_id id = id_at(i);
            if (!model.contains(id) || model[id].is<op::constant>()) {
                continue;
            }
            append_node(model, id, path);
            append_edges(model, id, path);
            append_bodies(model, id, path);
        }
    }

public:
    /// The first reason that a report gives for each node.
    constexpr void read_reasons(const graph& model, const report& told) {
        reasons_.resize(model.id_bound());
        for (const report_row& row : told.operations) {
            if (row.body.empty() && index_of(row.node) < reasons_.size() && reasons_[index_of(row.node)].empty()) {
                reasons_[index_of(row.node)] = row.reason;
            }
        }
    }
    constexpr text write(const graph& model) {
        append_graph(model, "");
        return result_.append("}\n");
    }
};

}  // namespace detail

/// A graph in graphviz's language, to be drawn by `dot -Tsvg`.
///
/// One box an operation: its type, its name, and its constants of more than one element as `port: type shape`; coloured by the type in
/// which it computes: 8-bit integers green, real numbers orange, sizes and conditions grey. Edges say type and shape, those
/// of 8-bit data are green. Bodies are frames.
/// Names are any bytes: what is no printable ASCII becomes `?`.
constexpr text write_dot(const graph& model) { return detail::dot_writer().write(model); }
/// The same of a transformed graph, with the reason of what stayed in real numbers as the tooltip of its box.
constexpr text write_dot(const graph& model, const report& told) {
    detail::dot_writer writer;
    writer.read_reasons(model, told);
    return writer.write(model);
}

}  // namespace lpt::inline LPT_ABI
