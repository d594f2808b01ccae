// SPDX-License-Identifier: Apache-2.0
// lpt 0.1.0, extend.hpp: Operations, rules and passes of one's own; graphs compared, as text and as drawings; optimizations. Needs lpt/lpt.hpp.
// Generated from include/lpt by .ci/single_include; changes belong there.
#pragma once

#if !(__cplusplus >= 202002L || (defined(_MSVC_LANG) && _MSVC_LANG >= 202002L))
#error "lpt needs C++20: -std=c++20"
#else

#include <boost/hana/accessors.hpp>
#include <boost/hana/concept/struct.hpp>
#include <boost/hana/pair.hpp>
#include <boost/hana/string.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <lpt/lpt.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"

// ======== lpt/export/dot.hpp
#ifndef LPT_HOLDS_EXPORT_DOT_HPP
#define LPT_HOLDS_EXPORT_DOT_HPP
// Pictures of graphs, for graphviz.

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
#endif

// ======== lpt/graph/print.hpp
#ifndef LPT_HOLDS_GRAPH_PRINT_HPP
#define LPT_HOLDS_GRAPH_PRINT_HPP
namespace lpt::inline LPT_ABI {

namespace detail {

template <class Values>
constexpr void append_list(text& out, const Values& values) {
    out.append('[');
    for (std::size_t i = 0; i < values.size(); ++i) {
        out.append(i == 0 ? text_view() : text_view(", ")).append(values[i]);
    }
    out.append(']');
}

/// A tensor as its type, shape and first values.
constexpr void append_tensor(text& out, const tensor& value) {
    constexpr std::size_t most = 8;
    out.append(name(value.type())).append(to_text(value.dimensions())).append('{');
    for (std::size_t i = 0; i < value.elements() && i < most; ++i) {
        out.append(i == 0 ? text_view() : text_view(", "));
        if (is_real(value.type())) {
            out.append(value.real(i));
        } else {
            out.append(value.integer(i));
        }
    }
    out.append(value.elements() > most ? text_view(", …}") : text_view("}"));
}

constexpr void append_value(text& out, const op::attribute_value& value) {
    using form = op::attribute_value::form;
    switch (value.holds) {
        case form::none: return;
        case form::boolean: out.append(value.integer != 0); return;
        case form::integer: out.append(value.integer); return;
        case form::real: out.append(value.real); return;
        case form::word:
        case form::element_type: out.append(value.word); return;
        case form::integers: append_list(out, value.integers); return;
        case form::reals: append_list(out, value.reals); return;
        case form::words: append_list(out, value.words); return;
        case form::dimensions: out.append(to_text(value.dimensions)); return;
        case form::constant: append_tensor(out, value.constant); return;
    }
}

constexpr void append_output(text& out, output_ref output) {
    out.append('%').append(static_cast<std::int32_t>(output.node));
    if (output.port != 0) {
        out.append('.').append(output.port);
    }
}

constexpr void append_attributes(text& out, const node& each, text_view separator) {
    for (const op::named_value& value : op::fields_of(each.attributes()).read(each.attributes(), each.version())) {
        out.append(separator).append(value.name).append('=');
        append_value(out, value.value);
    }
}

constexpr void append_marks(text& out, const node& each) {
    struct word {
        mark one;
        text_view name;
    };
    const word words[] = {{mark::disabled_constant_folding, "disabled_constant_folding"},
                          {mark::dequantization_node, "dequantization_node"},
                          {mark::keep_const_precision, "keep_const_precision"},
                          {mark::disable_cleanup, "disable_cleanup"},
                          {mark::bias, "bias"},
                          {mark::may_round_data, "may_round_data"}};
    for (const word& each_word : words) {
        if (each.has(each_word.one)) {
            out.append(" #").append(each_word.name);
        }
    }
}

constexpr void append_node(text& out, const graph& model, node_id id) {
    const node& each = model[id];
    out.append('%').append(static_cast<std::int32_t>(id)).append(" = ").append(each.operation());
    out.append('-').append(each.version());
    if (!each.name().empty()) {
        out.append(" '").append(each.name()).append('\'');
    }
    out.append('(');
    for (std::size_t port = 0; port < each.inputs(); ++port) {
        out.append(port == 0 ? text_view() : text_view(", "));
        append_output(out, each.input(port));
    }
    out.append(") ->");
    for (std::size_t port = 0; port < each.outputs(); ++port) {
        out.append(' ').append(name(each.type(port))).append(to_text(each.shape(port)));
    }
    append_attributes(out, each, " ");
    out.append(each.relaxed() ? text_view(" relaxed") : text_view());
    append_marks(out, each);
    for (const node_id on : each.control_dependencies()) {
        out.append(" after %").append(static_cast<std::int32_t>(on));
    }
    out.append('\n');
}

}  // namespace detail

/// A graph as text: a line for each node that its ends reach, in topological order; graphs inside nodes follow their node,
/// between lines with braces.
constexpr text to_text(const graph& model) {
    text out;
    for (const node_id id : topological_order(model)) {
        detail::append_node(out, model, id);
        for (std::size_t which = 0; which < model[id].bodies().size(); ++which) {
            out.append("{\n").append(to_text(model[id].bodies()[which])).append("}\n");
        }
    }
    return out;
}

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/graph/compare.hpp
#ifndef LPT_HOLDS_GRAPH_COMPARE_HPP
#define LPT_HOLDS_GRAPH_COMPARE_HPP
namespace lpt::inline LPT_ABI {

/// What has to be equal for two graphs to be equal.
struct comparison {
    double relative = 0;     // floating point numbers may differ by this much of the larger one,
    double absolute = 0;     // or by this much
    bool values = true;      // values of Constants
    bool names = false;      // names of all nodes
    bool marks = true;       // marks, and whether nodes are relaxed
};

namespace detail {

constexpr bool nearly_equal(double left, double right, const comparison& rules) {
    if (left == right || (math::is_nan(left) && math::is_nan(right))) {
        return true;
    }
    if (!math::is_finite(left) || !math::is_finite(right)) {
        return false;
    }
    const double size = math::maximum(math::absolute(left), math::absolute(right));
    return math::absolute(left - right) <= math::maximum(rules.absolute, rules.relative * size);
}

constexpr bool same_tensors(const tensor& left, const tensor& right, const comparison& rules) {
    if (left.type() != right.type() || !(left.dimensions() == right.dimensions())) {
        return false;
    }
    if (!rules.values || left.shares_bytes_with(right)) {
        return true;
    }
    for (std::size_t i = 0; i < left.elements(); ++i) {
        const bool same = is_real(left.type()) ? nearly_equal(left.real(i), right.real(i), rules)
                                               : left.integer(i) == right.integer(i);
        if (!same) {
            return false;
        }
    }
    return true;
}

constexpr bool same_attribute_values(const op::attribute_value& left, const op::attribute_value& right,
                                     const comparison& rules) {
    if (left.holds != right.holds || left.integer != right.integer || !(left.word == right.word) ||
        !(left.integers == right.integers) || !(left.words == right.words) || !(left.dimensions == right.dimensions) ||
        !nearly_equal(left.real, right.real, rules) || left.reals.size() != right.reals.size()) {
        return false;
    }
    for (std::size_t i = 0; i < left.reals.size(); ++i) {
        if (!nearly_equal(left.reals[i], right.reals[i], rules)) {
            return false;
        }
    }
    return same_tensors(left.constant, right.constant, rules);
}

/// One comparison of two graphs: which nodes are paired so far.
class graph_comparison {
    struct pair_of_nodes {
        node_id left;
        node_id right;
    };

    const graph& left_;
    const graph& right_;
    const comparison& rules_;
    seq<node_id> right_of_;
    seq<node_id> left_of_;
    seq<pair_of_nodes> waiting_;
    seq<pair_of_nodes> paired_;
    std::size_t with_dependencies_ = 0;  // the first so many of `paired_` have had their dependencies paired
    text difference_;

    template <class... Parts>
    [[gnu::cold]] constexpr bool differ(node_id left, node_id right, const Parts&... parts) {
        difference_ = join({label(left_, left), " and ", label(right_, right), ": ", parts...});
        return false;
    }

    /// Pairs two nodes; Constants may be shared or copied at will.
    constexpr bool pair(node_id left, node_id right) {
        if (left_[left].is<op::constant>() && right_[right].is<op::constant>()) {
            return right_of_[index_of(left)] == right || push(left, right);
        }
        const node_id known_right = right_of_[index_of(left)];
        const node_id known_left = left_of_[index_of(right)];
        if (known_right == right && known_left == left) {
            return true;
        }
        if (known_right != node_id::none || known_left != node_id::none) {
            return differ(left, right, "one is paired with another node already: it is shared in one graph only");
        }
        return push(left, right);
    }
    constexpr bool push(node_id left, node_id right) {
        right_of_[index_of(left)] = right;
        left_of_[index_of(right)] = left;
        waiting_.push_back({left, right});
        return true;
    }

    constexpr bool same_outputs(node_id left, node_id right) {
        const node& a = left_[left];
        const node& b = right_[right];
        if (a.outputs() != b.outputs()) {
            return differ(left, right, a.outputs(), " and ", b.outputs(), " outputs");
        }
        for (std::size_t port = 0; port < a.outputs(); ++port) {
            if (a.type(port) != b.type(port) || !(a.shape(port) == b.shape(port))) {
                return differ(left, right, "output ", port, " is ", name(a.type(port)), to_text(a.shape(port)), " and ",
                              name(b.type(port)), to_text(b.shape(port)));
            }
        }
        return true;
    }
    constexpr bool same_attributes(node_id left, node_id right) {
        const node& a = left_[left];
        const node& b = right_[right];
        if (a.attributes() == b.attributes()) {
            return true;
        }
        const seq<op::named_value> x = op::fields_of(a.attributes()).read(a.attributes(), a.version());
        const seq<op::named_value> y = op::fields_of(b.attributes()).read(b.attributes(), b.version());
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (!same_attribute_values(x[i].value, y[i].value, rules_)) {
                text values;
                append_value(values, x[i].value);
                values.append(" and ");
                append_value(values, y[i].value);
                return differ(left, right, "attribute ", x[i].name, " is ", values);
            }
        }
        return true;
    }
    constexpr bool same_marks(node_id left, node_id right) {
        const node& a = left_[left];
        const node& b = right_[right];
        if (rules_.names && !(a.name() == b.name())) {
            return differ(left, right, "the names differ");
        }
        if (rules_.marks && (a.marks() != b.marks() || a.relaxed() != b.relaxed())) {
            return differ(left, right,
                          a.relaxed() != b.relaxed() ? text_view("one is relaxed") : text_view("the marks differ"));
        }
        return true;
    }
    constexpr bool same_bodies(node_id left, node_id right);

    constexpr bool compare_nodes(node_id left, node_id right) {
        const node& a = left_[left];
        const node& b = right_[right];
        if (a.kind() != b.kind() || a.version() != b.version()) {
            return differ(left, right, "different operations or versions (", a.version(), " and ", b.version(), ")");
        }
        if (a.inputs() != b.inputs()) {
            return differ(left, right, a.inputs(), " and ", b.inputs(), " inputs");
        }
        if (!same_outputs(left, right) || !same_attributes(left, right) || !same_marks(left, right) ||
            !same_bodies(left, right)) {
            return false;
        }
        for (std::size_t port = 0; port < a.inputs(); ++port) {
            if (a.input(port).port != b.input(port).port) {
                return differ(left, right, "input ", port, " comes from output ", a.input(port).port, " and ",
                              b.input(port).port);
            }
        }
        for (std::size_t port = a.inputs(); port-- > 0;) {
            if (!pair(a.input(port).node, b.input(port).node)) {
                return false;
            }
        }
        return true;
    }

    constexpr bool compare_ends(view<node_id> left, view<node_id> right, text_view what) {
        if (left.size() != right.size()) {
            difference_ = join({left.size(), " and ", right.size(), " ", what});
            return false;
        }
        for (std::size_t i = left.size(); i-- > 0;) {
            if (!pair(left[i], right[i])) {
                return false;
            }
        }
        return true;
    }

    /// Pairs the nodes that paired ones depend on and that nothing paired reads, in their order.
    constexpr bool pair_dependencies() {
        for (; with_dependencies_ < paired_.size(); ++with_dependencies_) {
            const pair_of_nodes each = paired_[with_dependencies_];
            const seq<node_id>& there = right_[each.right].control_dependencies();
            std::size_t next = 0;
            for (const node_id on : left_[each.left].control_dependencies()) {
                while (next < there.size() && left_of_[index_of(there[next])] != node_id::none) {
                    ++next;
                }
                if (right_of_[index_of(on)] == node_id::none && next < there.size() && !pair(on, there[next])) {
                    return false;
                }
            }
        }
        return true;
    }

    constexpr bool compare_control() {
        for (const pair_of_nodes& each : paired_) {
            const seq<node_id>& a = left_[each.left].control_dependencies();
            const seq<node_id>& b = right_[each.right].control_dependencies();
            bool same = a.size() == b.size();
            for (std::size_t i = 0; same && i < a.size(); ++i) {
                same = b.contains(right_of_[index_of(a[i])]);
            }
            if (!same) {
                return differ(each.left, each.right, "they depend on different nodes");
            }
        }
        return true;
    }

public:
    constexpr graph_comparison(const graph& left, const graph& right, const comparison& rules)
        : left_(left),
          right_(right),
          rules_(rules),
          right_of_(left.id_bound(), node_id::none),
          left_of_(right.id_bound(), node_id::none) {}

    constexpr text run() {
        bool same = compare_ends(left_.results(), right_.results(), "results") &&
                    compare_ends(left_.sinks(), right_.sinks(), "sinks") &&
                    compare_ends(left_.parameters(), right_.parameters(), "parameters");
        while (same && !waiting_.empty()) {
            const pair_of_nodes next = waiting_.back();
            waiting_.pop_back();
            paired_.push_back(next);
            same = compare_nodes(next.left, next.right) && (!waiting_.empty() || pair_dependencies());
        }
        if (same) {
            compare_control();
        }
        return lpt::move(difference_);
    }
};

}  // namespace detail

/// The first difference between two graphs in words; empty when they are equal.
///
/// Parameters, results and sinks are paired by their places; what they read, and what they depend on without reading it, is paired upwards. Paired nodes have the same
/// operation and version, attributes, inputs, output types and shapes; shared nodes are shared in both graphs, only
/// Constants may be copied at will. Numbers of nodes and nodes that no end reaches do not matter.
constexpr text difference(const graph& left, const graph& right, const comparison& rules = {}) {
    return detail::graph_comparison(left, right, rules).run();
}

namespace detail {

constexpr bool graph_comparison::same_bodies(node_id left, node_id right) {
    const body_list& a = left_[left].bodies();
    const body_list& b = right_[right].bodies();
    if (a.size() != b.size()) {
        return differ(left, right, a.size(), " and ", b.size(), " graphs inside");
    }
    for (std::size_t which = 0; which < a.size(); ++which) {
        const text inside = difference(a[which], b[which], rules_);
        if (!inside.empty()) {
            return differ(left, right, "graph ", which, " inside: ", inside);
        }
    }
    return true;
}

}  // namespace detail

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/op/hana_struct.hpp
#ifndef LPT_HOLDS_OP_HANA_STRUCT_HPP
#define LPT_HOLDS_OP_HANA_STRUCT_HPP
/// Operations as Hana's Structs: `hana::for_each`, `hana::keys`, `hana::at_key` … work on their attributes, which have
/// their published names as keys, `hana::string_c<'a', 'x', 'i', 's'>`. Apart from `lpt/lpt.hpp`, because few programs
/// ask for it.
namespace lpt::inline LPT_ABI::op {

/// The types that attributes of operations have. A user's operation with others says so in a specialization of `attribute_types_of`.
template <class... Types>
struct attribute_types {
    using hana_tag = list_tag<attribute_types>;
};

/// Which types the attributes of the operation `Op` may have: those of all published operations.
template <class Op>
struct attribute_types_of {
    using type =
        attribute_types<bool, std::int64_t, double, text, element, shape, tensor, seq<std::int64_t, 4>, seq<double>,
                        seq<text>, auto_broadcast, auto_pad, box_encoding, broadcast_mode,
                        coordinate_transformation_mode, depth_space_mode, element_reduction, gelu_approximation,
                        grid_sample_mode, grid_sample_padding, interpolate_mode, lstm_weights_format, mvn_eps_mode,
                        nearest_mode, normalize_eps_mode, one_hot_negative_indices, pad_mode, recurrent_direction,
                        roi_aligned_mode, roi_pooling, round_mode, rounding_type, scatter_reduction,
                        shape_calculation_mode, top_k_mode, top_k_sort>;
};

namespace detail {

/// `Op::fields` names an operation's attributes one by one; this counts them, and looks at number `wanted`.
template <class... Types>
struct field_visitor {
    int wanted = -1;
    int count = 0;
    text_view name{};
    int type = -1;

    template <class Value>
    constexpr void operator()(text_view field_name, const Value&, in_versions = {}) {
        if (count++ == wanted) {
            name = field_name;
            int position = 0;
            ((__is_same(Types, Value) ? void(type = position) : void(), ++position), ...);
        }
    }
};

/// Where attribute number `wanted` lies, if it has the type `Value`.
template <class Value>
struct field_finder {
    int wanted;
    Value* found = nullptr;

    template <class Any>
    constexpr void operator()(text_view, Any& value, in_versions = {}) {
        if (wanted-- == 0) {
            if constexpr (__is_same(Any, Value)) {
                found = &value;
            }
        }
    }
};

template <class Op>
concept names_attributes = requires(Op& object, field_visitor<>& visit) { Op::fields(object, visit); };

template <class Op, class... Types>
consteval field_visitor<Types...> visit_field(int wanted, attribute_types<Types...>) {
    const Op object{};
    field_visitor<Types...> visit{wanted};
    Op::fields(object, visit);
    return visit;
}
template <class Op>
consteval auto field_number(int wanted) {
    return visit_field<Op>(wanted, typename attribute_types_of<Op>::type{});
}

/// The function that gives attribute number `Number` of an operation.
template <class Op, int Number>
struct attribute_accessor {
    static constexpr int type = field_number<Op>(Number).type;
    static_assert(type >= 0, "an attribute's type is not in attribute_types_of<Op>");
    using value_type = lpt::detail::member_at<typename attribute_types_of<Op>::type, type, void>;

    constexpr value_type& operator()(Op& object) const { return find<value_type>(object); }
    constexpr const value_type& operator()(const Op& object) const { return find<const value_type>(object); }

private:
    template <class Value, class Object>
    static constexpr Value& find(Object& object) {
        field_finder<Value> visit{Number};
        Op::fields(object, visit);
        return *visit.found;
    }
};

template <class Op, int Number, std::size_t... Places>
constexpr auto attribute_key(std::index_sequence<Places...>) {
    constexpr text_view name = field_number<Op>(Number).name;
    return hana::string_c<name[Places]...>;
}
template <class Op, int Number>
constexpr auto attribute_member() {
    constexpr std::size_t length = field_number<Op>(Number).name.size();
    return hana::make_pair(attribute_key<Op, Number>(std::make_index_sequence<length>{}),
                           attribute_accessor<Op, Number>{});
}
template <class Op, int... Numbers>
constexpr auto attribute_members(std::integer_sequence<int, Numbers...>) {
    return hana::make_basic_tuple(attribute_member<Op, Numbers>()...);
}

}  // namespace detail

}  // namespace lpt::inline LPT_ABI::op

namespace boost::hana {

template <class Op>
struct accessors_impl<Op, when<lpt::op::detail::names_attributes<Op>>> {
    static constexpr auto apply() {
        constexpr int count = lpt::op::detail::field_number<Op>(-1).count;
        return lpt::op::detail::attribute_members<Op>(std::make_integer_sequence<int, count>{});
    }
};

}  // namespace boost::hana
#endif

// ======== lpt/rule/expressions.hpp
#ifndef LPT_HOLDS_RULE_EXPRESSIONS_HPP
#define LPT_HOLDS_RULE_EXPRESSIONS_HPP
/// What rules are made of: what is looked for, what takes its place, conditions.
namespace lpt::inline LPT_ABI {

// ---- what is looked for

/// A tensor from anywhere. The same number twice means the same tensor.
template <int Number>
struct any {};

/// The output of a Constant. The same number twice means the same output.
template <int Number>
struct literal {};

/// An operation on inputs: as many as it has here. Below the first one of a rule it matches only where it has one reader,
/// unless it stands in `many_readers`. The two inputs of a commutative operation match in either order. In a
/// replacement: a new operation, with the attributes that the operation type has by itself.
template <class Op, class... In>
struct expression {};

/// An expression that other operations may read as well; it stays for them.
template <class Expression>
struct many_readers {};

/// Something of one of these element types.
template <class In, element... Types>
struct of_type {};

/// An expression with a number, under which `like`, `made` and conditions find its node.
template <int Label, class Expression>
struct labelled {};

// ---- what takes its place

/// The value of an operation on constants, computed when the rule is applied.
template <class Op, class... In>
struct computed {};

/// An operation with the attributes, version and element types of the node with this label, on other inputs.
template <int Label, class... In>
struct like {};

/// An operation whose attributes a function makes of what was found: `made<&attributes_of_pad, any<0>, literal<1>>` with
/// `constexpr op::reshape attributes_of_pad(const match&)`.
template <auto Make, class... In>
struct made {};

/// What a rule found.
class match {
    const graph* model_;
    node_id root_;
    output_ref captured_[16]{};
    node_id nodes_[16]{};

public:
    static constexpr int most = 16;  // numbers of captures and of labels are below this

    constexpr match(const graph& network, node_id root) : model_(&network), root_(root) {
        for (node_id& each : nodes_) {
            each = node_id::none;
        }
    }

    constexpr const graph& model() const { return *model_; }
    /// The operation that is replaced.
    constexpr node_id root() const { return root_; }
    /// The output that `any<number>` or `literal<number>` stands for.
    constexpr output_ref operator[](int number) const { return captured_[number]; }
    constexpr element type(int number) const { return model_->type(captured_[number]); }
    constexpr const shape& dimensions(int number) const { return model_->shape(captured_[number]); }
    /// The values of `literal<number>`.
    constexpr const tensor& constant(int number) const { return *model_->constant_value(captured_[number]); }
    /// The node with this label, and its attributes.
    constexpr node_id labelled_node(int label) const { return nodes_[label]; }
    template <class Op>
    constexpr const Op& as(int label) const {
        return (*model_)[nodes_[label]].as<Op>();
    }

    /// Keeps what a number stands for; false if it stands for something else already.
    constexpr bool capture(int number, output_ref source) {
        if (captured_[number]) {
            return captured_[number] == source;
        }
        captured_[number] = source;
        return true;
    }
    constexpr void label(int number, node_id id) { nodes_[number] = id; }
};

// ---- conditions

/// Conditions of a rule, all of which must hold. A condition is a type with a `name` and `static constexpr bool holds(const match&)`;
/// the first one that does not hold is the reason that the report gives.
template <class... Conditions>
struct when {};

/// The constant has one element.
template <int Number>
struct has_one_element {
    static constexpr text_view name = "HasOneElement";
    static constexpr bool holds(const match& found) { return found.constant(Number).elements() == 1; }
};
/// Both have the same element type.
template <int Left, int Right>
struct have_same_type {
    static constexpr text_view name = "HaveSameType";
    static constexpr bool holds(const match& found) { return found.type(Left) == found.type(Right); }
};
/// Both have the same shape, without dynamic dimensions.
template <int Left, int Right>
struct have_same_shape {
    static constexpr text_view name = "HaveSameShape";
    static constexpr bool holds(const match& found) {
        return found.dimensions(Left).is_static() && found.dimensions(Left) == found.dimensions(Right);
    }
};

/// The published name of a rule, as a template argument.
template <std::size_t Size>
struct rule_name {
    char characters[Size]{};
    consteval rule_name(const char (&name)[Size]) {
        for (std::size_t i = 0; i < Size; ++i) {
            characters[i] = name[i];
        }
    }
    constexpr text_view view() const { return {characters, Size - 1}; }
};

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/rule/facts.hpp
#ifndef LPT_HOLDS_RULE_FACTS_HPP
#define LPT_HOLDS_RULE_FACTS_HPP
/// What is known of an expression when its rule is compiled, and the mistakes that it shows.
namespace lpt::inline LPT_ABI {

namespace mistake {
// The operation does not take so many inputs.
template <op::kind Operation, int Count>
struct operation_does_not_take_this_number_of_inputs;
// The inputs of the operation must have one element type, and those written here never have.
template <op::kind Operation>
struct inputs_have_no_element_type_in_common;
// What is looked for must be an operation on inputs, not a capture alone.
template <rule_name Name>
struct rule_does_not_begin_with_an_operation;
// The replacement uses a capture or a label that what is looked for does not have.
template <rule_name Name, int Number>
struct replacement_uses_a_number_that_the_rule_does_not_find;
// Captures and labels are numbered from 0 to 15.
template <rule_name Name, int Number>
struct number_is_not_below_sixteen;
// The replacement never has the element type of what it replaces.
template <rule_name Name>
struct replacement_has_another_element_type;
// `computed` needs constants: literals, or what is computed from them.
template <op::kind Operation>
struct computed_operation_has_an_input_that_is_not_constant;
// The attributes that this operation type has by itself mean nothing; use `like` or `made`.
template <op::kind Operation>
struct replacement_does_not_say_the_attributes_of;
// Rewriting would never end.
template <rule_name Name>
struct rule_matches_its_own_result;
}  // namespace mistake
namespace detail {

enum class rule_mistake {
    none,
    input_count,
    no_common_type,
    no_operation,
    unknown_number,
    large_number,
    other_type,
    not_constant,
    no_attributes,
    own_result,
};
struct rule_finding {
    rule_mistake what = rule_mistake::none;
    int number = -1;
    op::kind operation = op::kind::none;
};

inline constexpr unsigned all_types = ~0u;
constexpr unsigned type_bit(element type) { return 1u << static_cast<unsigned>(type); }

/// Looks at the attributes that an operation type has by itself: sequences and shapes that are empty say nothing.
struct empty_attribute_finder {
    bool found = false;
    constexpr void look(bool) {}
    constexpr void look(std::int64_t) {}
    constexpr void look(double) {}
    constexpr void look(element type) { found = found || type == dynamic; }
    constexpr void look(const text& value) { found = found || value.empty(); }
    constexpr void look(const shape&) { found = true; }
    constexpr void look(const tensor&) { found = true; }
    template <class Value, std::size_t Inline>
    constexpr void look(const seq<Value, Inline>& value) {
        found = found || value.empty();
    }
    template <class Value>
        requires is_enumeration<Value>
    constexpr void look(Value) {}
    template <class Value>
    constexpr void operator()(text_view, const Value& value, op::in_versions = {}) {
        look(value);
    }
};
template <class Op>
constexpr bool has_useful_attributes() {
    empty_attribute_finder finder;
    if constexpr (requires(const Op& values) { Op::fields(values, finder); }) {
        const Op values{};
        Op::fields(values, finder);
    }
    return !finder.found;
}

/// What is known about an expression when the rule is compiled. `From` is what the rule looks for.
struct expression_facts {
    rule_finding mistake;
    unsigned types = all_types;  // element types that it may have
    bool constant = false;
    seq<int, 8> captures;
    seq<int, 8> labels;

    constexpr void note(rule_mistake what, int number, op::kind operation) {
        if (mistake.what == rule_mistake::none) {
            mistake = {what, number, operation};
        }
    }
    constexpr void take(const expression_facts& input) {
        if (mistake.what == rule_mistake::none) {
            mistake = input.mistake;
        }
        captures.append(input.captures);
        labels.append(input.labels);
    }
};

/// The element types of an operation's output, given those of its inputs; notes inputs that never agree.
template <class Op>
constexpr unsigned types_of_output(expression_facts& facts, view<unsigned> inputs) {
    if constexpr (__is_base_of(op::detail::binary_logical, Op)) {
        for (const unsigned each : inputs) {
            if ((each & type_bit(boolean)) == 0) {
                facts.note(rule_mistake::no_common_type, 0, Op::number);
            }
        }
        return type_bit(boolean);
    } else {
        constexpr bool is_comparison = __is_base_of(op::detail::binary_comparison, Op);
        unsigned common = all_types;
        if constexpr (op::has(Op::traits, op::trait::elementwise_binary)) {
            for (std::size_t port = 0; port < inputs.size() && port < 2; ++port) {
                common &= inputs[port];
            }
            if (common == 0) {
                facts.note(rule_mistake::no_common_type, 0, Op::number);
            }
            return is_comparison ? type_bit(boolean) : common;
        } else if constexpr (op::has(Op::traits, op::trait::movement)) {
            return inputs.empty() ? all_types : inputs[0];
        } else {
            return all_types;
        }
    }
}

}  // namespace detail

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/rule/pattern.hpp
#ifndef LPT_HOLDS_RULE_PATTERN_HPP
#define LPT_HOLDS_RULE_PATTERN_HPP
/// How each expression that is looked for is matched.
namespace lpt::inline LPT_ABI {

namespace detail {

template <class From, class E>
struct expression_traits;

template <class From, class Op, class... In>
constexpr expression_facts facts_of_operation() {
    expression_facts facts;
    constexpr int count = sizeof...(In);
    if (count < Op::inputs.least || count > Op::inputs.most) {
        facts.note(rule_mistake::input_count, count, Op::number);
    }
    facts.constant = true;
    seq<unsigned, 4> types;
    const auto take = [&](const expression_facts& input) {
        facts.take(input);
        facts.constant = facts.constant && input.constant;
        types.push_back(input.types);
    };
    (take(expression_traits<From, In>::facts()), ...);
    facts.types = types_of_output<Op>(facts, types);
    return facts;
}

// Each kind of expression: facts, a description for comparing, what it matches, what it makes. `next` goes on matching, so
// that a choice which turns out wrong later is taken back.

struct expression_kind {
    static constexpr bool is_operation = false;
};

template <class From, int Number>
struct expression_traits<From, any<Number>> : expression_kind {
    static constexpr expression_facts facts() {
        expression_facts result;
        result.captures.push_back(Number);
        return result;
    }
    static constexpr void describe(pattern_parts& parts) {
        parts.push_back({});
        parts.back().capture = Number;
    }
    template <class Next>
    static constexpr bool matches(match& found, output_ref source, const Next& next) {
        const match before = found;
        if (found.capture(Number, source) && next()) {
            return true;
        }
        found = before;
        return false;
    }
    static constexpr output_ref make(rewrite&, const match& found) { return found[Number]; }
};

template <class From, int Number>
struct expression_traits<From, literal<Number>> : expression_traits<From, any<Number>> {
    static constexpr expression_facts facts() {
        expression_facts result = expression_traits<From, any<Number>>::facts();
        result.constant = true;
        return result;
    }
    static constexpr void describe(pattern_parts& parts) {
        expression_traits<From, any<Number>>::describe(parts);
        parts.back().what = pattern_part::role::constant;
    }
    template <class Next>
    static constexpr bool matches(match& found, output_ref source, const Next& next) {
        return found.model().constant_value(source) != nullptr &&
               expression_traits<From, any<Number>>::matches(found, source, next);
    }
};

/// Matches the inputs of a node from number `Port` on.
template <class From, std::size_t Port, class... In>
struct match_inputs {
    template <class Next>
    static constexpr bool run(match&, view<output_ref>, const Next& next) {
        return next();
    }
};
template <class From, std::size_t Port, class First, class... Rest>
struct match_inputs<From, Port, First, Rest...> {
    template <class Next>
    static constexpr bool run(match& found, view<output_ref> sources, const Next& next) {
        return expression_traits<From, First>::matches(
            found, sources[Port], [&] { return match_inputs<From, Port + 1, Rest...>::run(found, sources, next); });
    }
};

template <class From, class Op, class... In>
struct expression_traits<From, expression<Op, In...>> : expression_kind {
    static constexpr bool is_operation = true;
    static constexpr bool either_order = sizeof...(In) == 2 && op::has(Op::traits, op::trait::commutative);

    static constexpr expression_facts facts() {
        expression_facts result = facts_of_operation<From, Op, In...>();
        result.constant = false;
        return result;
    }
    static constexpr void describe(pattern_parts& parts) {
        const std::size_t place = parts.size();
        parts.push_back({});
        parts[place].what = pattern_part::role::operation;
        parts[place].operation = Op::number;
        parts[place].inputs = sizeof...(In);
        parts[place].sole_reader = place != 0;
        parts[place].either_order = either_order;
        (expression_traits<From, In>::describe(parts), ...);
    }
    template <class Next>
    static constexpr bool matches_node(match& found, output_ref source, const Next& next) {
        const node& each = found.model()[source.node];
        if (!each.is<Op>() || source.port != 0 || each.inputs() != sizeof...(In) || each.own_types() != nullptr) {
            return false;
        }
        seq<output_ref, 4> sources;
        for (std::size_t port = 0; port < each.inputs(); ++port) {
            sources.push_back(each.input(port));
        }
        if (match_inputs<From, 0, In...>::run(found, sources, next)) {
            return true;
        }
        if constexpr (either_order) {
            const output_ref swapped[2] = {sources[1], sources[0]};
            return match_inputs<From, 0, In...>::run(found, swapped, next);
        } else {
            return false;
        }
    }
    template <class Next>
    static constexpr bool matches(match& found, output_ref source, const Next& next) {
        return found.model().use_count(source.node) == 1 && matches_node(found, source, next);
    }
    static constexpr output_ref make(rewrite& r, const match& found) {
        const seq<output_ref, 4> inputs{expression_traits<From, In>::make(r, found)...};
        const node_id id = r.model.add(Op{}, inputs);
        r.register_new_node(id);
        return id;
    }
};

}  // namespace detail

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/rule/conditions.hpp
#ifndef LPT_HOLDS_RULE_CONDITIONS_HPP
#define LPT_HOLDS_RULE_CONDITIONS_HPP
/// Expressions with a condition or a label around them: what they add to the way in which the expression itself is matched.
namespace lpt::inline LPT_ABI::detail {

template <class From, class E>
struct expression_traits<From, many_readers<E>> : expression_traits<From, E> {
    static constexpr void describe(pattern_parts& parts) {
        const std::size_t place = parts.size();
        expression_traits<From, E>::describe(parts);
        parts[place].sole_reader = false;
    }
    template <class Next>
    static constexpr bool matches(match& found, output_ref source, const Next& next) {
        return expression_traits<From, E>::matches_node(found, source, next);
    }
};

template <class From, class E, element... Types>
struct expression_traits<From, of_type<E, Types...>> : expression_traits<From, E> {
    static constexpr unsigned mask = (0u | ... | type_bit(Types));

    static constexpr expression_facts facts() {
        expression_facts result = expression_traits<From, E>::facts();
        result.types &= mask;
        return result;
    }
    static constexpr void describe(pattern_parts& parts) {
        const std::size_t place = parts.size();
        expression_traits<From, E>::describe(parts);
        parts[place].types &= mask;
    }
    template <class Next>
    static constexpr bool matches(match& found, output_ref source, const Next& next) {
        return (type_bit(found.model().type(source)) & mask) != 0 &&
               expression_traits<From, E>::matches(found, source, next);
    }
    template <class Next>
    static constexpr bool matches_node(match& found, output_ref source, const Next& next) {
        return (type_bit(found.model().type(source)) & mask) != 0 &&
               expression_traits<From, E>::matches_node(found, source, next);
    }
};

template <class From, int Label, class E>
struct expression_traits<From, labelled<Label, E>> : expression_traits<From, E> {
    static constexpr expression_facts facts() {
        expression_facts result = expression_traits<From, E>::facts();
        result.labels.push_back(Label);
        return result;
    }
    template <class Next>
    static constexpr bool matches(match& found, output_ref source, const Next& next) {
        found.label(Label, source.node);
        return expression_traits<From, E>::matches(found, source, next);
    }
    template <class Next>
    static constexpr bool matches_node(match& found, output_ref source, const Next& next) {
        found.label(Label, source.node);
        return expression_traits<From, E>::matches_node(found, source, next);
    }
};

}  // namespace lpt::inline LPT_ABI::detail
#endif

// ======== lpt/rule/labels.hpp
#ifndef LPT_HOLDS_RULE_LABELS_HPP
#define LPT_HOLDS_RULE_LABELS_HPP
/// Which operations of an expression have labels.
namespace lpt::inline LPT_ABI::detail {

template <class E>
struct operation_type {
    using type = void;
};
template <class Op, class... In>
struct operation_type<expression<Op, In...>> {
    using type = Op;
};
template <class E>
struct operation_type<many_readers<E>> : operation_type<E> {};
template <class E, element... Types>
struct operation_type<of_type<E, Types...>> : operation_type<E> {};
template <int Label, class E>
struct operation_type<labelled<Label, E>> : operation_type<E> {};

template <int Label, class Op>
struct labelled_operation {};
/// The operations with labels in an expression, as a list.
template <class E>
struct labelled_operations {
    using type = type_list<>;
};
template <class Op, class... In>
struct labelled_operations<expression<Op, In...>> {
    using type = joined<type_list<>, typename labelled_operations<In>::type...>;
};
template <class E>
struct labelled_operations<many_readers<E>> : labelled_operations<E> {};
template <class E, element... Types>
struct labelled_operations<of_type<E, Types...>> : labelled_operations<E> {};
template <int Label, class E>
struct labelled_operations<labelled<Label, E>> {
    using type = joined<type_list<labelled_operation<Label, typename operation_type<E>::type>>,
                        typename labelled_operations<E>::type>;
};

template <int Label>
struct has_label {
    template <int Other, class Op>
    constexpr auto operator()(hana::basic_type<labelled_operation<Other, Op>>) const {
        return hana::bool_c < Label == Other > ;
    }
};
template <class Found>
struct operation_of_label {
    using type = void;
};
template <int Label, class Op>
struct operation_of_label<labelled_operation<Label, Op>> {
    using type = Op;
};
/// The operation with a label; void where there is none.
template <int Label, class E>
using operation_with_label = typename operation_of_label<
    member_at<decltype(hana::filter(typename labelled_operations<E>::type{}, has_label<Label>{})), 0, void>>::type;

}  // namespace lpt::inline LPT_ABI::detail
#endif

// ======== lpt/rule/replacement.hpp
#ifndef LPT_HOLDS_RULE_REPLACEMENT_HPP
#define LPT_HOLDS_RULE_REPLACEMENT_HPP
/// How each expression that takes the place is made.
namespace lpt::inline LPT_ABI {

namespace detail {

template <class From, class Op, class... In>
struct expression_traits<From, computed<Op, In...>> : expression_kind {
    static constexpr expression_facts facts() {
        expression_facts result = facts_of_operation<From, Op, In...>();
        if (!result.constant) {
            result.note(rule_mistake::not_constant, 0, Op::number);
        }
        return result;
    }
    static constexpr void describe(pattern_parts& parts) {
        parts.push_back({});
        parts.back().what = pattern_part::role::constant;
    }
    static constexpr output_ref make(rewrite& r, const match& found) {
        const seq<output_ref, 4> inputs{expression_traits<From, In>::make(r, found)...};
        return fold_operation(r.model, Op{}, inputs);
    }
};

template <class From, int Label, class... In>
struct expression_traits<From, like<Label, In...>> : expression_kind {
    using operation = operation_with_label<Label, From>;

    static constexpr expression_facts facts() {
        if constexpr (is_same<operation, void>) {
            expression_facts result;
            result.labels.push_back(Label);
            return result;
        } else {
            expression_facts result = facts_of_operation<From, operation, In...>();
            result.constant = false;
            result.labels.push_back(Label);
            return result;
        }
    }
    static constexpr void describe(pattern_parts& parts) {
        if constexpr (!is_same<operation, void>) {
            expression_traits<From, expression<operation, In...>>::describe(parts);
        }
    }
    static constexpr output_ref make(rewrite& r, const match& found) {
        const seq<output_ref, 4> inputs{expression_traits<From, In>::make(r, found)...};
        const node_id id = r.model.clone(found.labelled_node(Label), inputs);
        r.register_new_node(id);
        return id;
    }
};

template <class Function>
struct result_of;
template <class Op>
struct result_of<Op (*)(const match&)> {
    using type = Op;
};

template <class From, auto Make, class... In>
struct expression_traits<From, made<Make, In...>> : expression_kind {
    using operation = typename result_of<decltype(Make)>::type;

    static constexpr expression_facts facts() {
        expression_facts result = facts_of_operation<From, operation, In...>();
        result.constant = false;
        return result;
    }
    static constexpr void describe(pattern_parts& parts) {
        expression_traits<From, expression<operation, In...>>::describe(parts);
    }
    static constexpr output_ref make(rewrite& r, const match& found) {
        const seq<output_ref, 4> inputs{expression_traits<From, In>::make(r, found)...};
        const node_id id = r.model.add(Make(found), inputs);
        r.register_new_node(id);
        return id;
    }
};

}  // namespace detail

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/rule/check.hpp
#ifndef LPT_HOLDS_RULE_CHECK_HPP
#define LPT_HOLDS_RULE_CHECK_HPP
/// Rules that cannot be meant do not compile.
namespace lpt::inline LPT_ABI {

namespace detail {

/// The first operation of a replacement whose own attributes say nothing, -1 if there is none.
template <class E>
struct attributeless {
    static constexpr op::kind operation = op::kind::none;
};
template <class... Each>
constexpr op::kind first_attributeless() {
    op::kind result = op::kind::none;
    ((result = result == op::kind::none ? attributeless<Each>::operation : result), ...);
    return result;
}
template <class Op, class... In>
struct attributeless<expression<Op, In...>> {
    static constexpr op::kind operation = has_useful_attributes<Op>() ? first_attributeless<In...>() : Op::number;
};
template <class Op, class... In>
struct attributeless<computed<Op, In...>> : attributeless<expression<Op, In...>> {};
template <int Label, class... In>
struct attributeless<like<Label, In...>> {
    static constexpr op::kind operation = first_attributeless<In...>();
};
template <auto Make, class... In>
struct attributeless<made<Make, In...>> {
    static constexpr op::kind operation = first_attributeless<In...>();
};
template <class E, element... Types>
struct attributeless<of_type<E, Types...>> : attributeless<E> {};

template <class From, class E>
constexpr pattern_parts parts_of() {
    pattern_parts parts;
    expression_traits<From, E>::describe(parts);
    return parts;
}

/// Notes numbers that are too large, or that what is looked for does not have.
constexpr void check_numbers(expression_facts& facts, view<int> used, const seq<int, 8>& found) {
    for (const int each : used) {
        if (each < 0 || each >= match::most) {
            facts.note(rule_mistake::large_number, each, op::kind::none);
        } else if (!found.contains(each)) {
            facts.note(rule_mistake::unknown_number, each, op::kind::none);
        }
    }
}

template <class From, class To, bool Conditional>
consteval rule_finding find_rule_mistake() {
    if constexpr (!expression_traits<From, From>::is_operation) {
        return {rule_mistake::no_operation};
    } else {
        expression_facts from = expression_traits<From, From>::facts();
        check_numbers(from, from.captures, from.captures);
        check_numbers(from, from.labels, from.labels);
        expression_facts to = expression_traits<From, To>::facts();
        check_numbers(to, to.captures, from.captures);
        check_numbers(to, to.labels, from.labels);
        for (const rule_finding& each : {from.mistake, to.mistake}) {
            if (each.what != rule_mistake::none) {
                return each;
            }
        }
        if (attributeless<To>::operation != op::kind::none) {
            return {rule_mistake::no_attributes, 0, attributeless<To>::operation};
        }
        if ((from.types & to.types) == 0) {
            return {rule_mistake::other_type};
        }
        if (!Conditional && covers(parts_of<From, From>(), parts_of<From, To>())) {
            return {rule_mistake::own_result};
        }
        return {};
    }
}

template <rule_name Name, rule_mistake, int Number, op::kind Operation>
struct checked_rule {};
template <rule_name Name, int N, op::kind O>
struct checked_rule<Name, rule_mistake::input_count, N, O>
    : mistake::operation_does_not_take_this_number_of_inputs<O, N> {};
template <rule_name Name, int N, op::kind O>
struct checked_rule<Name, rule_mistake::no_common_type, N, O> : mistake::inputs_have_no_element_type_in_common<O> {};
template <rule_name Name, int N, op::kind O>
struct checked_rule<Name, rule_mistake::no_operation, N, O> : mistake::rule_does_not_begin_with_an_operation<Name> {};
template <rule_name Name, int N, op::kind O>
struct checked_rule<Name, rule_mistake::unknown_number, N, O>
    : mistake::replacement_uses_a_number_that_the_rule_does_not_find<Name, N> {};
template <rule_name Name, int N, op::kind O>
struct checked_rule<Name, rule_mistake::large_number, N, O> : mistake::number_is_not_below_sixteen<Name, N> {};
template <rule_name Name, int N, op::kind O>
struct checked_rule<Name, rule_mistake::other_type, N, O> : mistake::replacement_has_another_element_type<Name> {};
template <rule_name Name, int N, op::kind O>
struct checked_rule<Name, rule_mistake::not_constant, N, O>
    : mistake::computed_operation_has_an_input_that_is_not_constant<O> {};
template <rule_name Name, int N, op::kind O>
struct checked_rule<Name, rule_mistake::no_attributes, N, O> : mistake::replacement_does_not_say_the_attributes_of<O> {
};
template <rule_name Name, int N, op::kind O>
struct checked_rule<Name, rule_mistake::own_result, N, O> : mistake::rule_matches_its_own_result<Name> {};

template <class From, class To, bool Conditional>
inline constexpr rule_finding found_in_rule = find_rule_mistake<From, To, Conditional>();

}  // namespace detail

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/rule/rule.hpp
#ifndef LPT_HOLDS_RULE_RULE_HPP
#define LPT_HOLDS_RULE_RULE_HPP
/// Rules in a declarative form: what is looked for, and what takes its place, as expression types.
///
///     struct merge_multiplies
///         : rule<"MergeMultiplies",
///                expression<op::multiply, expression<op::multiply, any<0>, literal<1>>, literal<2>>,
///                expression<op::multiply, any<0>, computed<op::multiply, literal<1>, literal<2>>>> {};
///
/// A rule is a transformation like any other: it goes into a pipeline with `with_main`, `before` and the like.
/// Mistakes (wrong numbers of inputs, unknown captures, element types that never meet, a rule that matches its own
/// result) do not compile, with a sentence of namespace `mistake` as the message.
namespace lpt::inline LPT_ABI {

namespace detail {

/// The pattern of a rule, for dispatch.
template <class From>
struct rule_pattern;
template <class From>
    requires(!is_same<typename operation_type<From>::type, void>)
struct rule_pattern<From> {
    static constexpr int root_count = 1;
    static constexpr op::kind roots[1] = {operation_type<From>::type::number};
    static constexpr void describe(pattern_parts& parts) { expression_traits<From, From>::describe(parts); }
    static constexpr bool matches(const graph& model, node_id id) {
        match found(model, id);
        return expression_traits<From, From>::matches_node(found, id, [] { return true; });
    }
};

template <class Condition>
constexpr bool check_condition(const match& found, text_view& broken) {
    if (Condition::holds(found)) {
        return true;
    }
    broken = Condition::name;
    return false;
}
template <class... Conditions>
constexpr text_view first_broken(const match& found, when<Conditions...>) {
    text_view broken;
    static_cast<void>((check_condition<Conditions>(found, broken) && ...));
    return broken;
}

/// Puts what a rule made in the place of the node that it found, unless types, shapes or names do not allow it.
[[gnu::cold]] constexpr bool put_in_place(rewrite& r, node_id root, output_ref made, text_view name) {
    if (r.model.type(made) != r.model[root].type()) {
        return r.refused(root, name, {reason::types_do_not_match, -1, r.model.type(made)});
    }
    if (r.model.shape(made) != r.model[root].shape()) {
        return r.refused(root, name, refuse(reason::shapes_do_not_match));
    }
    if (r.model[made.node].name().empty() && r.model.use_count(made.node) == 0 && !r.model.is_root(made.node)) {
        replace_and_name(r, root, made.node);
        return true;
    }
    if (!can_hand_name_on(r.model, root, made)) {
        return r.refused(root, name, refuse(reason::name_has_no_place));
    }
    if (feeds_result(r.model, root)) {
        r.model.rename(made.node, r.model[root].name());
    }
    r.model.replace_uses(root, made);
    return true;
}

}  // namespace detail

/// A transformation that puts `To` in the place of `From` where all conditions hold.
///
/// `Name` is its published name. The replacement must have the element type and shape of what it replaces: where that
/// shows only at run time, the node stays, with a reason. New operations are visited next. The node keeps its name.
template <rule_name Name, class From, class To, class When = when<>>
struct rule : detail::checked_rule<Name, detail::found_in_rule<From, To, !__is_same(When, when<>)>.what,
                                   detail::found_in_rule<From, To, !__is_same(When, when<>)>.number,
                                   detail::found_in_rule<From, To, !__is_same(When, when<>)>.operation> {
    static constexpr rule_name published = Name;
    static constexpr text_view name = published.view();
    using pattern = detail::rule_pattern<From>;
    /// True if it changes whatever its pattern matches: what comes later with a narrower pattern is never reached.
    static constexpr bool unconditional = __is_same(When, when<>);
    static constexpr void describe_result(pattern_parts& parts) {
        detail::expression_traits<From, To>::describe(parts);
    }

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        match found(r.model, id);
        bool changed = false;
        bool matched = false;
        // The first way to match for which the conditions hold; if there is none, the first condition that was broken is the reason.
        text_view broken;
        detail::expression_traits<From, From>::matches_node(found, id, [&] {
            matched = true;
            const text_view here = detail::first_broken(found, When{});
            broken = broken.empty() ? here : broken;
            changed = here.empty();
            return changed;
        });
        if (!changed) {
            return matched && r.refused(id, name, {.why = reason::condition_does_not_hold, .condition = broken});
        }
        return detail::put_in_place(r, id, detail::expression_traits<From, To>::make(r, found), name);
    }
};

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/rule/pieces.hpp
#ifndef LPT_HOLDS_RULE_PIECES_HPP
#define LPT_HOLDS_RULE_PIECES_HPP
/// More pieces for rules: alternatives in what is looked for, constants in what takes its place.
namespace lpt::inline LPT_ABI {

/// Any one of these expressions, tried in their order; not for the first operation of a rule. A number that not all of them have may be
/// absent from the match (`found[number]` is then false), and a replacement cannot use it.
template <class... Expressions>
struct either {};

/// In a replacement: a Constant with the value that a function makes of what was found; `constexpr tensor value_of(const match&)`.
template <auto Make>
struct made_constant {};

namespace detail {

template <class From, class First, class... Rest>
struct expression_traits<From, either<First, Rest...>> : expression_kind {
    static constexpr expression_facts facts() {
        expression_facts result = expression_traits<From, First>::facts();
        const auto join_with = [&](const expression_facts& other) {
            result.note(other.mistake.what, other.mistake.number, other.mistake.operation);
            result.types |= other.types;
            result.constant = result.constant && other.constant;
            keep_common(result.captures, other.captures);
            keep_common(result.labels, other.labels);
        };
        (join_with(expression_traits<From, Rest>::facts()), ...);
        return result;
    }
    static constexpr void describe(pattern_parts& parts) {
        parts.push_back({pattern_part::role::one_of, op::kind::none, 1 + static_cast<int>(sizeof...(Rest))});
        expression_traits<From, First>::describe(parts);
        (expression_traits<From, Rest>::describe(parts), ...);
    }
    template <class Next>
    static constexpr bool matches(match& found, output_ref source, const Next& next) {
        const match before = found;
        const auto tried = [&](bool matched) {
            found = matched ? found : before;
            return matched;
        };
        return tried(expression_traits<From, First>::matches(found, source, next)) ||
               (tried(expression_traits<From, Rest>::matches(found, source, next)) || ...);
    }

private:
    static constexpr void keep_common(seq<int, 8>& numbers, const seq<int, 8>& others) {
        seq<int, 8> common;
        for (const int each : numbers) {
            if (others.contains(each)) {
                common.push_back(each);
            }
        }
        numbers = common;
    }
};

template <class From, auto Make>
struct expression_traits<From, made_constant<Make>> : expression_kind {
    static constexpr expression_facts facts() {
        expression_facts result;
        result.constant = true;
        return result;
    }
    static constexpr void describe(pattern_parts& parts) {
        parts.push_back({});
        parts.back().what = pattern_part::role::constant;
    }
    static constexpr output_ref make(rewrite& r, const match& found) { return r.model.constant(Make(found)); }
};

}  // namespace detail

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/optimization/numbers.hpp
#ifndef LPT_HOLDS_OPTIMIZATION_NUMBERS_HPP
#define LPT_HOLDS_OPTIMIZATION_NUMBERS_HPP
/// Conditions on the constants of rules that recognise a function by its numbers.
namespace lpt::inline LPT_ABI {

namespace number {
struct zero {
    static constexpr double value = 0;
};
struct one {
    static constexpr double value = 1;
};
struct two {
    static constexpr double value = 2;
};
struct three {
    static constexpr double value = 3;
};
struct six {
    static constexpr double value = 6;
};
struct half {
    static constexpr double value = 0.5;
};
struct minus_half {
    static constexpr double value = -0.5;
};
struct sixth {
    static constexpr double value = 1.0 / 6;
};
struct root_of_two {
    static constexpr double value = 1.4142135623730951;
};
struct root_of_half {
    static constexpr double value = 0.70710678118654757;
};
/// sqrt(2 / pi)
struct tanh_scale {
    static constexpr double value = 0.79788456080286541;
};
/// Of the cube in the approximation of Gelu by tanh.
struct tanh_cubic {
    static constexpr double value = 0.044715;
};
}  // namespace number

namespace detail {
/// How far a number may lie from the one that a constant of this type was rounded from, as a share of it.
constexpr double rounding_of(element type) { return type == f16 ? 1e-3 : type == bf16 ? 8e-3 : 2e-6; }

constexpr bool is_number(const tensor& constant, double wanted) {
    return constant.elements() == 1 && is_real(constant.type()) &&
           math::absolute(constant.real(0) - wanted) <= rounding_of(constant.type()) * math::absolute(wanted);
}
}  // namespace detail

/// The constant, where the rule found one under this number, is one number: `Value::value`, but for the rounding to its type.
template <int Number, class Value>
struct is_number {
    static constexpr text_view name = "IsNumber";
    static constexpr bool holds(const match& found) {
        return !found[Number] || detail::is_number(found.constant(Number), Value::value);
    }
};

/// The tensor is f32: the kernels have these functions for nothing else.
template <int Number>
struct is_f32 {
    static constexpr text_view name = "IsF32";
    static constexpr bool holds(const match& found) { return found.type(Number) == f32; }
};

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/optimization/attention_fusion.hpp
#ifndef LPT_HOLDS_OPTIMIZATION_ATTENTION_FUSION_HPP
#define LPT_HOLDS_OPTIMIZATION_ATTENTION_FUSION_HPP
namespace lpt::inline LPT_ABI {

namespace fusion {

/// The products of queries and keys, scaled.
using products = labelled<0, expression<op::mat_mul, any<0>, any<1>>>;
using scores =
    either<expression<op::multiply, products, literal<4>>, expression<op::divide, products, literal<5>>, products>;
template <class Scores>
using weighted_values = labelled<2, expression<op::mat_mul, labelled<1, expression<op::softmax, Scores>>, any<2>>>;
using masked_attention = weighted_values<expression<op::add, scores, any<3>>>;
using plain_attention = weighted_values<scores>;

/// One factor for all scores.
struct scales_by_one_number {
    static constexpr text_view name = "ScalesByOneNumber";
    static constexpr bool holds(const match& found) {
        return (!found[4] || found.constant(4).elements() == 1) &&
               (!found[5] || (found.constant(5).elements() == 1 && found.constant(5).real(0) != 0));
    }
};
/// Softmax goes over the keys; a mask does not enlarge the scores; queries, keys and values have the same number of axes.
struct attends_over_keys {
    static constexpr text_view name = "AttendsOverKeys";
    static constexpr bool holds(const match& found) {
        const shape& all = found.model()[found.labelled_node(0)].shape();
        const node& softmax = found.model()[found.labelled_node(1)];
        const std::size_t rank = all.rank();
        return all.is_static() && rank > 2 && softmax.shape() == all && found.dimensions(0).rank() == rank &&
               found.dimensions(1).rank() == rank && found.dimensions(2).rank() == rank &&
               normalized_axis(softmax.as<op::softmax>().axis, rank) == static_cast<std::int64_t>(rank) - 1;
    }
};
/// Whether the second factor of the scores has its places last but one, as attention takes them.
template <bool Expected>
struct has_keys_in_rows {
    static constexpr text_view name = "HasKeysInRows";
    static constexpr bool holds(const match& found) {
        const op::mat_mul& first = found.as<op::mat_mul>(0);
        const op::mat_mul& second = found.as<op::mat_mul>(2);
        return !first.transpose_a && first.transpose_b == Expected && !second.transpose_a && !second.transpose_b;
    }
};

constexpr op::scaled_dot_product_attention attention(const match&) { return {}; }
constexpr tensor scale_of(const match& found) {
    const double scale = found[4] ? found.constant(4).real(0) : found[5] ? 1 / found.constant(5).real(0) : 1.0;
    return make_scalar(found.type(0), scale);
}
constexpr tensor nothing_masked(const match& found) { return make_scalar(found.type(0), 0); }
/// All axes where they are, but for the last two, which are exchanged.
constexpr tensor rows_as_columns(const match& found) {
    integers order;
    const std::size_t rank = found.dimensions(1).rank();
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const std::size_t from = axis + 2 < rank ? axis : axis + 2 == rank ? rank - 1 : rank - 2;
        order.push_back(static_cast<std::int64_t>(from));
    }
    return make_indices(order);
}

using keys_in_rows = any<1>;
using keys_in_columns = expression<op::transpose, any<1>, made_constant<&rows_as_columns>>;
template <class Keys, class Mask>
using attention_of = made<&attention, any<0>, Keys, any<2>, Mask, made_constant<&scale_of>>;
template <bool Expected>
using attention_conditions = when<is_f32<0>, has_keys_in_rows<Expected>, attends_over_keys, scales_by_one_number>;

}  // namespace fusion

/// softmax(scale * Q * transposed(K) + mask) * V becomes ScaledDotProductAttention, with a mask or without, keys in rows or in columns.
///
/// Only where all of it is computed in f32: products of quantized tensors stay. Results differ by the rounding of the intermediate
/// values.
struct masked_attention_fusion
    : rule<"MaskedAttentionFusion", fusion::masked_attention, fusion::attention_of<fusion::keys_in_rows, any<3>>,
           fusion::attention_conditions<true>> {};
struct masked_attention_fusion_of_columns
    : rule<"MaskedAttentionFusionOfColumns", fusion::masked_attention,
           fusion::attention_of<fusion::keys_in_columns, any<3>>, fusion::attention_conditions<false>> {};
struct attention_fusion : rule<"AttentionFusion", fusion::plain_attention,
                               fusion::attention_of<fusion::keys_in_rows, made_constant<&fusion::nothing_masked>>,
                               fusion::attention_conditions<true>> {};
struct attention_fusion_of_columns
    : rule<"AttentionFusionOfColumns", fusion::plain_attention,
           fusion::attention_of<fusion::keys_in_columns, made_constant<&fusion::nothing_masked>>,
           fusion::attention_conditions<false>> {};

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/optimization/common_subexpressions.hpp
#ifndef LPT_HOLDS_OPTIMIZATION_COMMON_SUBEXPRESSIONS_HPP
#define LPT_HOLDS_OPTIMIZATION_COMMON_SUBEXPRESSIONS_HPP
namespace lpt::inline LPT_ABI {

/// Operations that compute the same from the same become one, which all their readers read.
///
/// The same: operation, version, attributes, element types, and inputs, where Constants of a few numbers count by their values. What a
/// Result reads stays, because it has a name outside; so do operations with states or bodies. Results keep their bits.
struct common_subexpressions {
    static constexpr text_view name = "CommonSubexpressions";

    [[gnu::cold]] static constexpr void run(rewrite& r) {
        const seq<node_id> order = r.operations();
        seq<std::int32_t> place;  // in the order, by number of the node
        place.resize(r.model.id_bound(), -1);
        for (std::size_t i = 0; i < order.size(); ++i) {
            run_on_bodies<common_subexpressions>(r, order[i]);
            place[index_of(order[i])] = static_cast<std::int32_t>(i);
        }
        for (const node_id id : order) {
            const node_id earlier = find_earlier(r.model, id, place);
            if (earlier == node_id::none) {
                continue;
            }
            for (std::size_t port = 0; port < r.model[id].outputs(); ++port) {
                const auto number = static_cast<std::int32_t>(port);
                r.model.replace_uses(output_ref(id, number), output_ref(earlier, number));
            }
            place[index_of(id)] = -1;
        }
        r.model.collect();
    }

private:
    static constexpr std::size_t most_readers =
        64;  // that are compared: what more operations read is seldom read alike
    static constexpr std::size_t most_values = 64;  // of a Constant

    static constexpr bool may_be_shared(const graph& model, node_id id) {
        const node& each = model[id];
        switch (each.kind()) {
            case op::kind::parameter:
            case op::kind::result:
            case op::kind::read_value:
            case op::kind::assign: return false;
            default: return each.inputs() != 0 && each.bodies().size() == 0 && !feeds_result(model, id);
        }
    }
    static constexpr bool same_input(const graph& model, output_ref left, output_ref right) {
        if (left == right) {
            return true;
        }
        const tensor* a = model.constant_value(left);
        const tensor* b = model.constant_value(right);
        if (is_null(a) || is_null(b) || a->type() != b->type() || a->dimensions() != b->dimensions() ||
            a->elements() > most_values) {
            return false;
        }
        for (std::size_t i = 0; i < a->elements(); ++i) {
            const bool same = is_real(a->type())
                                  ? a->real(i) == b->real(i) && math::sign_bit(a->real(i)) == math::sign_bit(b->real(i))
                                  : a->integer(i) == b->integer(i);
            if (!same) {
                return false;
            }
        }
        return true;
    }
    static constexpr bool same_types(const node& left, const node& right) {
        const relaxation* a = left.own_types();
        const relaxation* b = right.own_types();
        return is_null(a) || is_null(b) ? is_null(a) && is_null(b) : *a == *b;
    }
    static constexpr bool compute_the_same(const graph& model, node_id left, node_id right) {
        const node& a = model[left];
        const node& b = model[right];
        if (a.kind() != b.kind() || a.version() != b.version() || a.inputs() != b.inputs() ||
            a.outputs() != b.outputs() || !(a.attributes() == b.attributes()) || !same_types(a, b) ||
            a.has(mark::may_round_data) != b.has(mark::may_round_data)) {
            return false;
        }
        for (std::size_t port = 0; port < a.inputs(); ++port) {
            if (!same_input(model, a.input(port), b.input(port))) {
                return false;
            }
        }
        return true;
    }
    /// The input that tells most: not a Constant, which many may read.
    static constexpr output_ref data_of(const graph& model, node_id id) {
        const node& each = model[id];
        for (std::size_t port = 0; port < each.inputs(); ++port) {
            if (is_null(model.constant_value(each.input(port)))) {
                return each.input(port);
            }
        }
        return {};
    }
    /// An operation in front of this one that computes the same; `none` if there is none.
    static constexpr node_id find_earlier(const graph& model, node_id id, const seq<std::int32_t>& place) {
        if (!may_be_shared(model, id)) {
            return node_id::none;
        }
        const output_ref data = data_of(model, id);
        if (!data || model.use_count(data) < 2 || model.use_count(data) > most_readers) {
            return node_id::none;
        }
        for (input_ref user = model.first_use(data); user.node != node_id::none; user = model.next_use(user)) {
            const std::int32_t where = place[index_of(user.node)];
            if (user.node != id && where >= 0 && where < place[index_of(id)] && model[user.node].bodies().size() == 0 &&
                compute_the_same(model, user.node, id)) {
                return user.node;
            }
        }
        return node_id::none;
    }
};

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/optimization/compressed_weights.hpp
#ifndef LPT_HOLDS_OPTIMIZATION_COMPRESSED_WEIGHTS_HPP
#define LPT_HOLDS_OPTIMIZATION_COMPRESSED_WEIGHTS_HPP
// Constant weights of 4 or 8 bits and their dequantization, as operations read them.

namespace lpt::inline LPT_ABI {

namespace fusion {

/// Fewer weights are better kept as f32: a core's second cache holds 1 MiB of them.
inline constexpr std::size_t least_compressed = 262144;

constexpr bool is_byte(element type) { return type == u8 || type == i8; }
constexpr bool has_few_bits(element type) { return type == u4 || type == i4 || is_byte(type); }

/// True if inputs `first` to 4 of a FakeQuantize are constants of one element.
constexpr bool has_one_range(const graph& model, node_id fake_quantize, std::size_t first = 1) {
    return has_constant_ranges(model, fake_quantize, first) && for_all(first, 5, [&](std::size_t port) {
               return model.constant_value(model[fake_quantize].input(port))->elements() == 1;
           });
}

/// Weights of few bits with their dequantization: scale * (codes - zero_point), and the axes in which that is said.
struct compressed_weights {
    tensor codes;
    tensor scale;
    tensor zero_point;  // none: 0
    output_ref centred;  // codes - zero_point, in the graph
    std::size_t column_axis = 0;
    std::size_t block_axis = 0;  // the axis inside of blocks where there is one block
    std::size_t inner_axis = 0;

    constexpr explicit operator bool() const { return static_cast<bool>(scale); }
    constexpr dimension columns() const { return codes.dimensions()[column_axis]; }
    constexpr dimension block() const { return codes.dimensions()[inner_axis]; }
    constexpr dimension blocks() const { return block_axis == inner_axis ? 1 : codes.dimensions()[block_axis]; }
    /// The axes of columns, blocks and elements of a block, as MatMul's second operand has them with `transpose_b` or without.
    constexpr void set_axes(bool transposed) {
        const std::size_t rank = codes.dimensions().rank();
        column_axis = transposed ? 0 : rank - 1;
        inner_axis = transposed ? rank - 1 : rank - 2;
        block_axis = rank == 2 ? inner_axis : inner_axis - 1;
    }
    /// One number for each block of each column, [columns, blocks], of numbers that broadcast to the codes; no tensor where numbers differ
    /// inside of blocks.
    constexpr tensor by_block(const tensor& numbers) const {
        const shape& own = numbers.dimensions();
        const std::size_t rank = codes.dimensions().rank();
        std::size_t strides[3] = {};
        std::size_t stride = 1;
        if (own.rank() > rank) {
            return {};
        }
        for (std::size_t axis = rank; axis-- > rank - own.rank();) {
            const dimension size = own[axis + own.rank() - rank];
            if (size != 1 && (size != codes.dimensions()[axis] || axis == inner_axis)) {
                return {};
            }
            strides[axis] = size == 1 ? 0 : stride;
            stride *= static_cast<std::size_t>(size);
        }
        const auto in_column = static_cast<std::size_t>(blocks());
        tensor_builder result(f32, shape{columns(), blocks()});
        for (std::size_t i = 0; i < result.elements(); ++i) {
            result.real(i, numbers.real(i / in_column * strides[column_axis] + i % in_column * strides[block_axis]));
        }
        return result.finish();
    }
    /// The codes as [columns, blocks, elements of a block].
    constexpr tensor by_column() const {
        const shape dimensions{columns(), blocks(), block()};
        if (column_axis == 0) {
            return tensor(codes, dimensions);
        }
        integers order;
        order.push_back(static_cast<std::int64_t>(column_axis));
        for (std::size_t axis = 0; axis < column_axis; ++axis) {
            order.push_back(static_cast<std::int64_t>(axis));
        }
        return tensor(evaluate_values(op::transpose{}, seq<tensor>{codes, make_indices(order)}), dimensions);
    }
};

/// The number that a Constant has, or a Convert of one.
constexpr tensor known_numbers(const graph& model, output_ref from) {
    const output_ref source = model[from.node].is<op::convert>() ? model[from.node].input(0) : from;
    const tensor* constant = model.constant_value(source);
    return is_null(constant) ? tensor() : *constant;
}

/// True for the dequantization of bytes.
constexpr bool dequantizes_bytes(const rewrite& r, output_ref from) {
    const dequantization found = find_dequantization_at(r.model, from, r.options.default_precisions);
    return !found.empty() && is_byte(r.model.type(found.data));
}

/// True for a Slice that takes the first elements.
constexpr bool takes_first(const graph& model, const node& slice) {
    const tensor* start = model.constant_value(slice.input(1));
    const tensor* step = slice.inputs() > 3 ? model.constant_value(slice.input(3)) : nullptr;
    if (is_null(start) || (slice.inputs() > 3 && is_null(step))) {
        return false;
    }
    for (std::size_t i = 0; i < start->elements(); ++i) {
        if (start->integer(i) != 0 || (!is_null(step) && step->integer(i) != 1)) {
            return false;
        }
    }
    return true;
}

/// Where the dequantization of weights ends, above a Convert, a Slice that drops the end of the last block, and a Reshape that joins blocks.
constexpr output_ref end_of_dequantization(const graph& model, output_ref weights) {
    if (model[weights.node].is<op::convert>() && is_real(model.type(model[weights.node].input(0)))) {
        weights = model[weights.node].input(0);
    }
    if (model[weights.node].is<op::slice>() && takes_first(model, model[weights.node])) {
        weights = model[weights.node].input(0);
    }
    return model[weights.node].is<op::reshape>() ? model[weights.node].input(0) : weights;
}

/// The weights that an operand dequantizes, rows that are `transposed` columns or columns; empty where it does something else.
constexpr compressed_weights find_compressed_weights(const graph& model, output_ref operand, bool transposed) {
    compressed_weights result;
    const node& multiply = model[end_of_dequantization(model, operand).node];
    if (!multiply.is<op::multiply>()) {
        return {};
    }
    const tensor right = known_numbers(model, multiply.input(1));
    const tensor scale = right ? right : known_numbers(model, multiply.input(0));
    output_ref data = multiply.input(right ? 0 : 1);
    result.centred = data;
    tensor zero_point;
    if (model[data.node].is<op::subtract>()) {
        zero_point = known_numbers(model, model[data.node].input(1));
        data = zero_point ? model[data.node].input(0) : data;
    }
    const node& convert = model[data.node];
    const tensor* codes = convert.is<op::convert>() ? model.constant_value(convert.input(0)) : nullptr;
    if (!scale || is_null(codes) || !has_few_bits(codes->type()) || codes->elements() == 0 ||
        !(multiply.shape() == codes->dimensions())) {
        return {};
    }
    const std::size_t rank = codes->dimensions().rank();
    if (rank != 2 && rank != 3) {
        return {};
    }
    result.codes = *codes;
    result.set_axes(transposed);
    result.scale = result.by_block(scale);
    result.zero_point = zero_point ? result.by_block(zero_point) : tensor();
    return zero_point && !result.zero_point ? compressed_weights() : result;
}

}  // namespace fusion

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/optimization/concat_fusion.hpp
#ifndef LPT_HOLDS_OPTIMIZATION_CONCAT_FUSION_HPP
#define LPT_HOLDS_OPTIMIZATION_CONCAT_FUSION_HPP
namespace lpt::inline LPT_ABI {

/// A Concat of what other Concats along the same axis give, and nobody else reads, takes their inputs itself: elements are copied once.
struct concat_fusion {
    static constexpr text_view name = "ConcatFusion";
    using pattern = lpt::pattern<op::concat>;

    static constexpr bool transform(rewrite& r, node_id id) {
        seq<output_ref, 8> inputs;
        bool changes = false;
        for (std::size_t port = 0; port < r.model[id].inputs(); ++port) {
            const output_ref source = r.model[id].input(port);
            if (!is_part_of(r.model, id, source)) {
                inputs.push_back(source);
                continue;
            }
            changes = true;
            for (std::size_t inner = 0; inner < r.model[source.node].inputs(); ++inner) {
                inputs.push_back(r.model[source.node].input(inner));
            }
        }
        if (changes) {
            replace_and_name(r, id, r.model.clone(id, inputs));
        }
        return changes;
    }

private:
    static constexpr std::int64_t axis_of(const graph& model, node_id id) {
        const shape& dimensions = model[id].shape();
        return dimensions.rank_is_static() ? normalized_axis(model[id].as<op::concat>().axis, dimensions.rank()) : -1;
    }
    static constexpr bool is_part_of(const graph& model, node_id outer, output_ref source) {
        const node& inner = model[source.node];
        return inner.is<op::concat>() && inner.type() == model.type(inner.input(0)) && axis_of(model, outer) >= 0 &&
               axis_of(model, outer) == axis_of(model, source.node) && model.uses(source).size() == 1;
    }
};

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/optimization/convert_precision.hpp
#ifndef LPT_HOLDS_OPTIMIZATION_CONVERT_PRECISION_HPP
#define LPT_HOLDS_OPTIMIZATION_CONVERT_PRECISION_HPP
namespace lpt::inline LPT_ABI {

/// Operations on f16 and bf16 compute in f32, as kernels do; a Convert stands where a value of 16 bits is asked for.
///
/// Inputs, outputs and variables of the network and of bodies keep their types, and so does what operations of the user see. Results
/// differ by the rounding to 16 bits, and by overflows of f16, that intermediate values no longer have.
struct convert_precision {
    static constexpr text_view name = "ConvertPrecision";

    [[gnu::cold]] static constexpr void run(rewrite& r) {
        const seq<node_id> order = r.operations();
        for (const node_id id : order) {
            run_on_bodies<convert_precision>(r, id);
        }
        if (!has_halves(r.model, order)) {
            return;
        }
        convert_precision work(r.model);
        for (const node_id id : order) {
            work.convert(id);
        }
        for (const node_id id : order) {
            work.bound(id);
        }
        r.model.collect();
    }

private:
    graph& model_;
    seq<std::size_t> first_;  // by node: where its outputs begin in the lists
    seq<output_ref> singles_;  // by output of 16 bits: the same in f32, where there is one
    seq<output_ref> halves_;  // by output of 16 bits: the same, made of that in f32

    explicit constexpr convert_precision(graph& model) : model_(model) {
        std::size_t outputs = 0;
        for (std::size_t i = 0; i < model.id_bound(); ++i) {
            first_.push_back(outputs);
            outputs += model.contains(id_at(i)) ? model[id_at(i)].outputs() : 0;
        }
        singles_.resize(outputs);
        halves_.resize(outputs);
    }

    static constexpr bool is_half(element type) { return type == f16 || type == bf16; }
    static constexpr element widened(element type) { return is_half(type) ? f32 : type; }
    static constexpr bool has_half_output(const node& each) {
        for (std::size_t port = 0; port < each.outputs(); ++port) {
            if (is_half(each.type(port))) {
                return true;
            }
        }
        return false;
    }
    static constexpr bool has_halves(const graph& model, const seq<node_id>& order) {
        for (const node_id id : order) {
            if (has_half_output(model[id])) {
                return true;
            }
        }
        return false;
    }
    /// Operations whose types somebody outside knows.
    static constexpr bool is_boundary(const node& each) {
        switch (each.kind()) {
            case op::kind::parameter:
            case op::kind::result:
            case op::kind::read_value:
            case op::kind::assign: return true;
            default: return is_of_user(each.kind()) || each.bodies().size() != 0;
        }
    }

    constexpr std::size_t place_of(output_ref output) const {
        return first_[index_of(output.node)] + static_cast<std::size_t>(output.port);
    }
    /// `output` in another type, named after what it is in the network.
    constexpr output_ref converted(output_ref output, output_ref named, element type) {
        const text made_name = join({model_[named.node].name(), "/", lpt::name(type)});
        return model_.add(op::convert{type}, view<output_ref>(&output, 1), made_name);
    }
    /// An output as operations that compute in f32 read it.
    constexpr output_ref single(output_ref output) {
        if (index_of(output.node) >= first_.size() || !is_half(model_.type(output))) {
            return output;
        }
        const std::size_t place = place_of(output);
        if (!singles_[place]) {
            const tensor* value = model_.constant_value(output);
            singles_[place] = !is_null(value) ? model_.constant(evaluation::convert_late(*value, f32))
                                              : converted(output, output, f32);
        }
        return singles_[place];
    }
    /// An output that is computed in f32, as its readers outside know it.
    constexpr output_ref half(output_ref output) {
        const std::size_t place = place_of(output);
        if (!halves_[place]) {
            halves_[place] = converted(singles_[place], output, model_.type(output));
            model_.set_tensor_names(halves_[place],
                                    model_[output.node].tensor_names(static_cast<std::size_t>(output.port)));
        }
        return halves_[place];
    }

    /// The same operation on inputs in f32.
    constexpr node_id widened(node_id id, view<output_ref> inputs) {
        const text own_name = model_[id].name();
        const op::attributes what = widened(model_[id]);
        const int version = model_[id].version();
        node_id result = node_id::none;
        if (is_null(model_[id].own_types())) {
            result = model_.add(what, inputs, own_name, version);
            if (model_[id].relaxed()) {
                model_.relax(result);
            }
        } else {
            relaxation types = *model_[id].own_types();
            for (element& type : types.input_types) {
                type = widened(type);
            }
            for (element& type : types.output_types) {
                type = widened(type);
            }
            result = model_.add_relaxed(what, inputs, lpt::move(types), own_name, version);
        }
        model_.set_mark(result, model_[id].marks());
        return result;
    }
    static constexpr op::attributes widened(const node& each) {
        if (each.is<op::convert>()) {
            return op::convert{widened(each.as<op::convert>().destination_type)};
        }
        if (each.is<op::range>()) {
            return op::range{widened(each.as<op::range>().output_type)};
        }
        return each.attributes();
    }

    constexpr void convert(node_id id) {
        if (is_boundary(model_[id]) || model_[id].is<op::constant>()) {
            return;
        }
        bool has_half = has_half_output(model_[id]);
        seq<output_ref> inputs;
        for (std::size_t port = 0; port < model_[id].inputs(); ++port) {
            has_half = has_half || is_half(model_.type(model_[id].input(port)));
            inputs.push_back(model_[id].input(port));
        }
        if (!has_half) {
            return;
        }
        for (output_ref& each : inputs) {
            each = single(each);
        }
        const node_id made = widened(id, inputs);
        for (std::size_t port = 0; port < model_[id].outputs(); ++port) {
            const output_ref before(id, static_cast<std::int32_t>(port));
            const output_ref after(made, static_cast<std::int32_t>(port));
            if (is_half(model_.type(before))) {
                singles_[place_of(before)] = after;
            } else {
                model_.set_tensor_names(after, model_[id].tensor_names(port));
                model_.replace_uses(before, after);
            }
        }
    }
    /// Gives an operation whose types are known outside the values of 16 bits that it reads.
    constexpr void bound(node_id id) {
        if (!is_boundary(model_[id])) {
            return;
        }
        for (std::size_t port = 0; port < model_[id].inputs(); ++port) {
            const output_ref source = model_[id].input(port);
            if (index_of(source.node) >= first_.size() || !is_half(model_.type(source)) ||
                is_boundary(model_[source.node]) || model_[source.node].is<op::constant>()) {
                continue;
            }
            if (model_[id].is<op::result>() && model_[id].name().empty()) {
                model_.rename(id, model_[source.node].name());
            }
            model_.set_input(id, port, half(source));
        }
    }
};

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/optimization/convolution_cropping.hpp
#ifndef LPT_HOLDS_OPTIMIZATION_CONVOLUTION_CROPPING_HPP
#define LPT_HOLDS_OPTIMIZATION_CONVOLUTION_CROPPING_HPP
namespace lpt::inline LPT_ABI {

namespace fusion {

/// Positions from `begin` to before `end` on each spatial axis.
struct spatial_region {
    integers begin;
    integers end;

    /// Grows until it holds the other one, too.
    constexpr void include(const spatial_region& other) {
        for (std::size_t axis = 0; axis < other.begin.size(); ++axis) {
            begin[axis] = math::minimum(begin[axis], other.begin[axis]);
            end[axis] = math::maximum(end[axis], other.end[axis]);
        }
    }
    constexpr bool is_all_of(const shape& dimensions) const {
        for (std::size_t axis = 0; axis < begin.size(); ++axis) {
            if (begin[axis] != 0 || end[axis] != dimensions[axis + 2]) {
                return false;
            }
        }
        return true;
    }
};

/// A Slice that takes elements of constant places, in their order: where it begins and ends on each axis that it names.
struct constant_slice {
    integers axes;
    integers start;
    integers stop;
    integers step;

    /// Fills everything in for a Slice whose input has these dimensions; false where a place is unknown, an axis runs backwards or nothing
    /// is taken.
    constexpr bool read(const graph& model, node_id id, const shape& dimensions) {
        integers* const values[] = {&start, &stop, &step, &axes};
        for (std::size_t port = 1; port < model[id].inputs(); ++port) {
            const tensor* const constant = model.constant_value(model[id].input(port));
            if (is_null(constant)) {
                return false;
            }
            *values[port - 1] = integers_of(*constant);
        }
        for (std::size_t axis = axes.size(); axis < start.size(); ++axis) {
            axes.push_back(static_cast<std::int64_t>(axis));
        }
        for (std::size_t i = 0; i < axes.size(); ++i) {
            axes[i] = normalized_axis(axes[i], dimensions.rank());
            if (!clamp(i, dimensions[static_cast<std::size_t>(axes[i])])) {
                return false;
            }
        }
        return true;
    }
    constexpr spatial_region region(const shape& dimensions) const {
        spatial_region result;
        for (std::size_t axis = 2; axis < dimensions.rank(); ++axis) {
            result.begin.push_back(0);
            result.end.push_back(dimensions[axis]);
        }
        for (std::size_t i = 0; i < axes.size(); ++i) {
            if (axes[i] >= 2) {
                result.begin[static_cast<std::size_t>(axes[i]) - 2] = start[i];
                result.end[static_cast<std::size_t>(axes[i]) - 2] = stop[i];
            }
        }
        return result;
    }

private:
    /// Makes the places of one axis absolute, and `stop` the one behind the last element.
    constexpr bool clamp(std::size_t i, dimension size) {
        const dimension count = op::detail::sliced_size(size, {start[i], stop[i], step[i], false, false});
        if (step[i] <= 0 || count <= 0) {
            return false;
        }
        start[i] = op::detail::clamped_place(start[i], size, 0, size);
        stop[i] = start[i] + (count - 1) * step[i] + 1;
        return true;
    }
};

/// True for an operation that computes a position of its output from the same position of `data` and from constants that are the same at
/// all positions.
constexpr bool is_position_wise(const graph& model, node_id id, output_ref data) {
    const op::trait traits = op::row_of(model[id].attributes()).traits;
    if (!op::has(traits, op::trait::elementwise_unary) && !op::has(traits, op::trait::elementwise_binary) &&
        !model[id].is<op::fake_quantize>()) {
        return false;
    }
    const std::size_t rank = model.shape(data).rank();
    for (std::size_t port = 0; port < model[id].inputs(); ++port) {
        if (model[id].input(port) == data) {
            continue;
        }
        const shape& dimensions = model.shape(model[id].input(port));
        if (!is_constant(model, model[id].input(port)) || dimensions.rank() > rank) {
            return false;
        }
        for (std::size_t axis = dimensions.rank(); axis-- > 0 && rank + axis >= dimensions.rank() + 2;) {
            if (dimensions[axis] != 1) {
                return false;
            }
        }
    }
    return true;
}

/// The operations behind a node, up to Slices, each of which is the only reader of the one before.
constexpr seq<node_id> position_wise_operations_behind(const graph& model, node_id id) {
    seq<node_id> result;
    output_ref data(id);
    while (model.use_count(data) == 1 && is_position_wise(model, model.first_use(data).node, data)) {
        result.push_back(model.first_use(data).node);
        data = output_ref(result.back());
    }
    return result;
}

/// The part that Slices read of a tensor that nothing else reads; false where something else reads it, or the whole of it.
constexpr bool read_region(const graph& model, output_ref data, spatial_region& region) {
    const shape& dimensions = model.shape(data);
    for (input_ref user = model.first_use(data); user.node != node_id::none; user = model.next_use(user)) {
        constant_slice places;
        if (!model[user.node].is<op::slice>() || user.port != 0 || !places.read(model, user.node, dimensions)) {
            return false;
        }
        if (region.begin.empty()) {
            region = places.region(dimensions);
        }
        region.include(places.region(dimensions));
    }
    return !region.begin.empty() && !region.is_all_of(dimensions);
}

/// The part of its input that a convolution needs for a region of its output, and the padding that is left of its own; false where a
/// position needs nothing but padding.
template <class Convolution>
constexpr bool crop_window(const graph& model, node_id id, const spatial_region& region, Convolution& self,
                           spatial_region& needed) {
    const shape& data = model.shape(model[id].input(0));
    const shape& weights = model.shape(model[id].input(1));
    const std::size_t axes = region.begin.size();
    const op::detail::window_attributes window{self.strides, self.dilations, self.pads_begin, self.pads_end,
                                               self.auto_pad};
    integers pads_begin;
    integers pads_end;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const dimension size = data[axis + 2];
        const op::window_axis along =
            op::padded_window(window.axis(axis, weights[weights.rank() - axes + axis]), self.auto_pad, size);
        const std::int64_t first = region.begin[axis] * along.stride - along.pad_begin;
        const std::int64_t behind = (region.end[axis] - 1) * along.stride - along.pad_begin + along.extent();
        if (first >= size || behind <= 0) {
            return false;
        }
        pads_begin.push_back(math::maximum<std::int64_t>(-first, 0));
        pads_end.push_back(math::maximum<std::int64_t>(behind - size, 0));
        needed.begin.push_back(math::maximum<std::int64_t>(first, 0));
        needed.end.push_back(math::minimum(behind, size));
    }
    self.pads_begin = lpt::move(pads_begin);
    self.pads_end = lpt::move(pads_end);
    self.auto_pad = op::auto_pad::explicit_pads;
    return true;
}

/// A Slice of the spatial axes; the tensor itself where all of it is taken.
constexpr output_ref crop(rewrite& r, output_ref data, const spatial_region& region) {
    if (region.is_all_of(r.model.shape(data))) {
        return data;
    }
    const integers step(region.begin.size(), 1);
    integers axes;
    for (std::size_t axis = 0; axis < region.begin.size(); ++axis) {
        axes.push_back(static_cast<std::int64_t>(axis + 2));
    }
    const auto constant = [&](const integers& values) { return output_ref(r.model.constant(make_indices(values))); };
    return r.model.add(op::slice{},
                       {data, constant(region.begin), constant(region.end), constant(step), constant(axes)});
}

/// Lets a Slice of the whole tensor, which had these dimensions, take the same elements of a region of it; it goes away where these are all.
constexpr void slice_region(rewrite& r, node_id id, const shape& whole, const spatial_region& region) {
    constant_slice places;
    places.read(r.model, id, whole);
    for (std::size_t i = 0; i < places.axes.size(); ++i) {
        if (places.axes[i] >= 2) {
            const std::int64_t begin = region.begin[static_cast<std::size_t>(places.axes[i]) - 2];
            places.start[i] -= begin;
            places.stop[i] -= begin;
        }
    }
    r.model.set_constant(id, 1, make_indices(places.start));
    r.model.set_constant(id, 2, make_indices(places.stop));
    r.model.infer(id);
    const output_ref data = r.model[id].input(0);
    if (r.model.shape(id) == r.model.shape(data) && !feeds_result(r.model, id)) {
        r.model.replace_uses(output_ref(id), data);
    }
}

template <class Convolution>
constexpr bool crop_convolution(rewrite& r, node_id id) {
    graph& model = r.model;
    if (!model.shape(id).is_static() || !model.shape(model[id].input(0)).is_static() ||
        !model.shape(model[id].input(1)).is_static()) {
        return false;
    }
    const seq<node_id> behind = position_wise_operations_behind(model, id);
    const node_id last = behind.empty() ? id : behind.back();
    const shape whole = model.shape(last);
    spatial_region region;
    spatial_region needed;
    Convolution self = model[id].as<Convolution>();
    if (!read_region(model, last, region) || !crop_window(model, id, region, self, needed)) {
        return false;
    }
    const output_ref data = crop(r, model[id].input(0), needed);
    model.set_input(id, 0, data);
    model.set_attributes(id, lpt::move(self));
    for (const node_id each : behind) {
        model.infer(each);
    }
    for (const input_ref user : model.uses(last)) {
        slice_region(r, user.node, whole, region);
    }
    return true;
}

}  // namespace fusion

/// A Convolution of whose output Slices read a part of the positions, and nothing else reads any, computes only the part that holds these:
/// its input is sliced instead.
///
/// Operations between them that compute each position for itself may be passed. A part without elements is left alone.
struct convolution_cropping {
    static constexpr text_view name = "ConvolutionCropping";
    using pattern = lpt::pattern<op::convolution>;

    static constexpr bool transform(rewrite& r, node_id id) { return fusion::crop_convolution<op::convolution>(r, id); }
};

/// The same with a GroupConvolution.
struct group_convolution_cropping {
    static constexpr text_view name = "GroupConvolutionCropping";
    using pattern = lpt::pattern<op::group_convolution>;

    static constexpr bool transform(rewrite& r, node_id id) {
        return fusion::crop_convolution<op::group_convolution>(r, id);
    }
};

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/optimization/fully_connected_compression.hpp
#ifndef LPT_HOLDS_OPTIMIZATION_FULLY_CONNECTED_COMPRESSION_HPP
#define LPT_HOLDS_OPTIMIZATION_FULLY_CONNECTED_COMPRESSION_HPP
namespace lpt::inline LPT_ABI {

/// The product of real numbers with constant weights of 4 or 8 bits becomes FullyConnectedCompressed, which reads these bits: scale and zero point
/// are of a column, or of a block of it.
///
/// For matrices that a core's second cache would not hold as f32: to read them bounds the time of few rows, and they take 4 to 8 times the memory.
/// Products of quantized data with weights of one scale a column stay: both factors are integers. Results differ by the rounding of intermediate values.
struct fully_connected_compression {
    static constexpr text_view name = "FullyConnectedCompression";
    using pattern = lpt::pattern<op::mat_mul>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        graph& model = r.model;
        const op::mat_mul self = model[id].as<op::mat_mul>();
        const output_ref x = model[id].input(0);
        const shape& matrix = model.shape(model[id].input(1));
        if (self.transpose_a || model.type(x) != f32 || model.type(id) != f32 || matrix.rank() != 2 ||
            !matrix.is_static() || matrix.elements() < fusion::least_compressed) {
            return false;
        }
        const fusion::compressed_weights weights =
            fusion::find_compressed_weights(model, model[id].input(1), self.transpose_b);
        const dimension columns = matrix[self.transpose_b ? 0 : 1];
        const dimension inner = matrix[self.transpose_b ? 1 : 0];
        if (!weights || weights.columns() != columns || weights.blocks() != (inner - 1) / weights.block() + 1 ||
            (weights.blocks() == 1 && fusion::dequantizes_bytes(r, x))) {
            return false;
        }
        seq<output_ref> inputs{x, model.constant(weights.by_column()), model.constant(weights.scale)};
        if (weights.zero_point) {
            inputs.push_back(model.constant(weights.zero_point));
        }
        const node_id made = model.add(op::fully_connected_compressed{}, inputs);
        model.set_mark(made, model[id].marks() & mark::may_round_data);
        replace_and_name(r, id, made);
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/optimization/gather_compression.hpp
#ifndef LPT_HOLDS_OPTIMIZATION_GATHER_COMPRESSION_HPP
#define LPT_HOLDS_OPTIMIZATION_GATHER_COMPRESSION_HPP
namespace lpt::inline LPT_ABI {

/// Gather of rows of constant weights of 4 or 8 bits gathers these bits, and dequantizes what it found: an embedding of few bits stays one.
///
/// y = (gather(codes, i) - gather(zero_point, i)) * gather(scale, i), where each row, or each block of it, has its scale and zero point. Results
/// keep their bits.
struct gather_compression {
    static constexpr text_view name = "GatherCompression";
    using pattern = lpt::pattern<op::gather>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        graph& model = r.model;
        const shape& table = model.shape(model[id].input(0));
        const tensor* axis = model.constant_value(model[id].input(2));
        const shape& places = model.shape(model[id].input(1));
        if (model.type(id) != f32 || table.rank() != 2 || !table.is_static() || places.rank_is_dynamic() ||
            table.elements() < fusion::least_compressed || is_null(axis) || axis->integer(0) != 0 ||
            model[id].as<op::gather>().batch_dims != 0) {
            return false;
        }
        const fusion::compressed_weights weights = fusion::find_compressed_weights(model, model[id].input(0), true);
        if (!weights || weights.columns() != table[0] || weights.blocks() * weights.block() != table[1]) {
            return false;
        }
        const auto gathered = [&](tensor rows) {
            return output_ref(
                model.clone(id, {model.constant(lpt::move(rows)), model[id].input(1), model[id].input(2)}));
        };
        const auto numbers = [&](const tensor& by_block) {
            return gathered(tensor(by_block, shape{weights.columns(), weights.blocks(), 1}));
        };
        output_ref real = model.add(op::convert{f32}, {gathered(weights.by_column())});
        if (weights.zero_point) {
            real = model.add(op::subtract{}, {real, numbers(weights.zero_point)});
        }
        real = model.add(op::multiply{}, {real, numbers(weights.scale)});
        integers sizes(places.rank(), 0);  // as they are
        sizes.push_back(table[1]);
        replace_and_name(r, id, model.add(op::reshape{true}, {real, model.constant(make_indices(sizes))}));
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/optimization/gelu_fusion.hpp
#ifndef LPT_HOLDS_OPTIMIZATION_GELU_FUSION_HPP
#define LPT_HOLDS_OPTIMIZATION_GELU_FUSION_HPP
namespace lpt::inline LPT_ABI {

namespace fusion {

/// erf(x / sqrt(2)) + 1
using gelu_erf_gate = expression<op::add,
                                 expression<op::erf, either<expression<op::multiply, any<0>, literal<1>>,
                                                            expression<op::divide, any<0>, literal<2>>>>,
                                 literal<3>>;
using gelu_erf_numbers = when<is_f32<0>, is_number<1, number::root_of_half>, is_number<2, number::root_of_two>,
                              is_number<3, number::one>, is_number<4, number::half>>;

/// tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)) + 1
using cube = either<expression<op::power, any<0>, literal<5>>,
                    expression<op::multiply, expression<op::multiply, any<0>, any<0>>, any<0>>>;
using gelu_tanh_gate = expression<
    op::add,
    expression<
        op::tanh,
        expression<op::multiply, expression<op::add, any<0>, expression<op::multiply, cube, literal<1>>>, literal<2>>>,
    literal<3>>;
using gelu_tanh_numbers = when<is_f32<0>, is_number<1, number::tanh_cubic>, is_number<2, number::tanh_scale>,
                               is_number<3, number::one>, is_number<4, number::half>, is_number<5, number::three>>;

constexpr op::gelu gelu_by_erf(const match&) { return {{}, op::gelu_approximation::erf}; }
constexpr op::gelu gelu_by_tanh(const match&) { return {{}, op::gelu_approximation::tanh}; }

/// The three ways to multiply x, a gate and 0.5.
template <class Gate>
using half_of_x_first = expression<op::multiply, expression<op::multiply, any<0>, literal<4>>, Gate>;
template <class Gate>
using half_of_gate_first = expression<op::multiply, any<0>, expression<op::multiply, Gate, literal<4>>>;
template <class Gate>
using half_last = expression<op::multiply, expression<op::multiply, any<0>, Gate>, literal<4>>;

}  // namespace fusion

/// x * 0.5 * (1 + erf(x / sqrt(2))), multiplied in any order, becomes Gelu.
///
/// Results differ by the rounding of the intermediate values, which Gelu does not have.
struct gelu_fusion_half_of_x : rule<"GeluFusionHalfOfX", fusion::half_of_x_first<fusion::gelu_erf_gate>,
                                    made<&fusion::gelu_by_erf, any<0>>, fusion::gelu_erf_numbers> {};
struct gelu_fusion_half_of_gate : rule<"GeluFusionHalfOfGate", fusion::half_of_gate_first<fusion::gelu_erf_gate>,
                                       made<&fusion::gelu_by_erf, any<0>>, fusion::gelu_erf_numbers> {};
struct gelu_fusion_half_last : rule<"GeluFusionHalfLast", fusion::half_last<fusion::gelu_erf_gate>,
                                    made<&fusion::gelu_by_erf, any<0>>, fusion::gelu_erf_numbers> {};

/// x * 0.5 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))), multiplied in any order, becomes Gelu by tanh.
struct gelu_tanh_fusion_half_of_x : rule<"GeluTanhFusionHalfOfX", fusion::half_of_x_first<fusion::gelu_tanh_gate>,
                                         made<&fusion::gelu_by_tanh, any<0>>, fusion::gelu_tanh_numbers> {};
struct gelu_tanh_fusion_half_of_gate
    : rule<"GeluTanhFusionHalfOfGate", fusion::half_of_gate_first<fusion::gelu_tanh_gate>,
           made<&fusion::gelu_by_tanh, any<0>>, fusion::gelu_tanh_numbers> {};
struct gelu_tanh_fusion_half_last : rule<"GeluTanhFusionHalfLast", fusion::half_last<fusion::gelu_tanh_gate>,
                                         made<&fusion::gelu_by_tanh, any<0>>, fusion::gelu_tanh_numbers> {};

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/optimization/group_normalization_decomposition.hpp
#ifndef LPT_HOLDS_OPTIMIZATION_GROUP_NORMALIZATION_DECOMPOSITION_HPP
#define LPT_HOLDS_OPTIMIZATION_GROUP_NORMALIZATION_DECOMPOSITION_HPP
namespace lpt::inline LPT_ABI {

/// GroupNormalization becomes the MVN of its groups, for which there is a kernel, and a scale and a shift for each channel:
/// y = reshape(MVN(reshape(x, [batch, groups, rest]))) * scale + bias.
///
/// Results differ by the rounding of the intermediate values.
struct group_normalization_decomposition {
    static constexpr text_view name = "GroupNormalizationDecomposition";
    using pattern = lpt::pattern<op::group_normalization>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        graph& model = r.model;
        const output_ref x = model[id].input(0);
        if (!model.shape(id).is_static() || model.type(x) != f32 || model.shape(id).elements() == 0) {
            return false;
        }
        const op::group_normalization self = model[id].as<op::group_normalization>();
        op::mvn normalization;
        normalization.eps = self.epsilon;
        const output_ref groups = reshaped(model, x, {0, self.num_groups, -1});
        const output_ref normal =
            model.add(lpt::move(normalization), {groups, model.constant(make_indices(integers{2}))});
        integers sizes;
        integers of_channels;
        for (std::size_t axis = 0; axis < model.shape(id).rank(); ++axis) {
            sizes.push_back(model.shape(id)[axis]);
            of_channels.push_back(axis == 1 ? -1 : 1);
        }
        const output_ref scale = reshaped(model, model[id].input(1), of_channels);
        const output_ref scaled = model.add(op::multiply{}, {reshaped(model, normal, sizes), scale});
        const output_ref bias = reshaped(model, model[id].input(2), of_channels);
        replace_and_name(r, id, model.add(op::add{}, {scaled, bias}));
        return true;
    }

private:
    /// A tensor with other sizes: 0 keeps that of the axis, -1 is what is left.
    static constexpr output_ref reshaped(graph& model, output_ref data, const integers& sizes) {
        return try_fold(model, model.add(op::reshape{true}, {data, model.constant(make_indices(sizes))}));
    }
};

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/optimization/mvn_fusion.hpp
#ifndef LPT_HOLDS_OPTIMIZATION_MVN_FUSION_HPP
#define LPT_HOLDS_OPTIMIZATION_MVN_FUSION_HPP
namespace lpt::inline LPT_ABI {

namespace fusion {

using mean = many_readers<labelled<0, expression<op::reduce_mean, any<0>, literal<1>>>>;
using centered = many_readers<expression<op::subtract, any<0>, mean>>;
/// The mean of the squares of what is left without the mean, and a small number.
using shifted_variance = expression<op::add,
                                    labelled<1, expression<op::reduce_mean,
                                                           either<expression<op::power, centered, literal<4>>,
                                                                  expression<op::multiply, centered, centered>,
                                                                  expression<op::squared_difference, any<0>, mean>>,
                                                           literal<2>>>,
                                    literal<3>>;
using deviation = either<expression<op::sqrt, shifted_variance>, expression<op::power, shifted_variance, literal<5>>>;
using inverse_deviation = either<expression<op::power, shifted_variance, literal<6>>,
                                 expression<op::divide, literal<7>, expression<op::sqrt, shifted_variance>>>;

/// Both means are taken along the same axes, which stay with size 1.
struct means_agree {
    static constexpr text_view name = "MeansAgree";
    static constexpr bool holds(const match& found) {
        const tensor& first = found.constant(1);
        const tensor& second = found.constant(2);
        if (!found.as<op::reduce_mean>(0).keep_dims || !found.as<op::reduce_mean>(1).keep_dims ||
            first.elements() != second.elements() || first.elements() == 0) {
            return false;
        }
        for (std::size_t i = 0; i < first.elements(); ++i) {
            if (first.integer(i) != second.integer(i)) {
                return false;
            }
        }
        return true;
    }
};
struct has_positive_epsilon {
    static constexpr text_view name = "HasPositiveEpsilon";
    static constexpr bool holds(const match& found) {
        return found.constant(3).elements() == 1 && found.constant(3).real(0) > 0;
    }
};
using mvn_numbers = when<is_f32<0>, means_agree, has_positive_epsilon, is_number<4, number::two>,
                         is_number<5, number::half>, is_number<6, number::minus_half>, is_number<7, number::one>>;

constexpr op::mvn mvn_of(const match& found) {
    op::mvn result;
    result.eps = found.constant(3).real(0);
    return result;
}
constexpr tensor axes_of_means(const match& found) {
    const tensor& axes = found.constant(1);
    tensor_builder result(i64, shape{static_cast<dimension>(axes.elements())});
    for (std::size_t i = 0; i < axes.elements(); ++i) {
        result.integer(i, axes.integer(i));
    }
    return result.finish();
}

}  // namespace fusion

/// (x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon) becomes MVN; a scale and a shift behind it stay what they are.
///
/// Results differ by the rounding of the intermediate values.
struct mvn_fusion : rule<"MVNFusion", expression<op::divide, fusion::centered, fusion::deviation>,
                         made<&fusion::mvn_of, any<0>, made_constant<&fusion::axes_of_means>>, fusion::mvn_numbers> {};
/// The same as a product with the inverse of the root.
struct mvn_fusion_by_product
    : rule<"MVNFusionByProduct", expression<op::multiply, fusion::centered, fusion::inverse_deviation>,
           made<&fusion::mvn_of, any<0>, made_constant<&fusion::axes_of_means>>, fusion::mvn_numbers> {};

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/optimization/product_quantization.hpp
#ifndef LPT_HOLDS_OPTIMIZATION_PRODUCT_QUANTIZATION_HPP
#define LPT_HOLDS_OPTIMIZATION_PRODUCT_QUANTIZATION_HPP
namespace lpt::inline LPT_ABI {

namespace fusion {

/// A FakeQuantize with so many levels as bytes have values, one constant output range for all, that gives real numbers.
constexpr bool quantizes_to_bytes(const graph& model, node_id id) {
    const node& each = model[id];
    if (!each.is<op::fake_quantize>() || each.type() != f32 || each.as<op::fake_quantize>().levels != 256 ||
        !has_constant_ranges(model, id) || !has_one_range(model, id, 3)) {
        return false;
    }
    const quantization_details details = details_of(model, id);
    return details.lows[0] < details.highs[0];
}

/// u8 or i8 where the output range suits it, else u8 with a zero point.
constexpr data_precision byte_precision_of(const quantization_details& details) {
    const element preferred = precision_details_of(details).preferred;
    data_precision result = range_of_type(is_byte(preferred) ? preferred : u8, details.levels);
    result.has_zero_point = !is_byte(preferred);
    return result;
}

/// A zero point counts as whole if it is so to 1/1000 of a step: bounds are floats.
constexpr double furthest_from_whole = 1e-3;

constexpr bool has_whole_zero_point(const graph& model, node_id id, const data_precision& precision) {
    const channel_maps maps = channel_maps_of(model, id, details_of(model, id), precision, true);
    if (!maps.zero_points) {
        return true;
    }
    const double zero_point = maps.zero_points.real(0);
    return maps.zero_points_fit && math::absolute(zero_point - math::round_half_even(zero_point)) < furthest_from_whole;
}

/// Lets a FakeQuantize give bytes, with their dequantization behind it; a zero point becomes the whole number that it stands for.
constexpr void give_bytes(rewrite& r, node_id id, const data_precision& precision) {
    graph& model = r.model;
    const fake_quantize_parts parts = decompose_fake_quantize(r, id, precision);
    const node_id shifted = parts ? model[parts.dequantize].input(0).node : node_id::none;
    if (shifted != node_id::none && model[shifted].is<op::subtract>()) {
        const double zero_point = model.constant_value(model[shifted].input(1))->real(0);
        model.set_constant(shifted, 1, make_scalar(f32, math::round_half_even(zero_point)));
    }
}

/// True for a FakeQuantize that can give bytes, as `byte_precision_of` says.
constexpr bool can_give_bytes(const graph& model, node_id id) {
    return quantizes_to_bytes(model, id) && has_whole_zero_point(model, id, byte_precision_of(details_of(model, id)));
}

}  // namespace fusion

/// A FakeQuantize that finds a level for each value of the bytes that it reads becomes their dequantization.
///
/// Its input range is that of the type, to 1/1000 of a step, and its zero point whole.
struct quantization_of_bytes {
    static constexpr text_view name = "QuantizationOfBytes";
    using pattern = lpt::pattern<op::fake_quantize>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        graph& model = r.model;
        const output_ref data = model[id].input(0);
        const element type = model.type(data);
        if (!fusion::is_byte(type) || !fusion::quantizes_to_bytes(model, id) || feeds_result(model, id)) {
            return false;
        }
        data_precision precision = range_of_type(type, 256);
        precision.has_zero_point = true;
        const auto is_near = [&](std::size_t port, float bound) {
            const tensor& given = *model.constant_value(model[id].input(port));
            return given.elements() == 1 &&
                   math::absolute(given.real(0) - static_cast<double>(bound)) < fusion::furthest_from_whole;
        };
        if (!is_near(1, precision.low) || !is_near(2, precision.high) ||
            !fusion::has_whole_zero_point(model, id, precision)) {
            return false;
        }
        fusion::give_bytes(r, id, precision);
        model.replace_uses(output_ref(id), data);
        return true;
    }
};

/// Lets the product of two quantized tensors compute with their bytes, whatever their zero points are.
///
/// Both come from FakeQuantize operations that only such products read, or one of them from bytes already. Each FakeQuantize then gives
/// bytes, with a dequantization behind it, which the step of the product takes as it is. The transformations of OpenVINO leave such a
/// product in floats where its second operand has a zero point; this is for what they leave.
struct product_quantization {
    static constexpr text_view name = "ProductQuantization";
    using pattern = lpt::pattern<op::mat_mul>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        const output_ref a = r.model[id].input(0);
        const output_ref b = r.model[id].input(1);
        const bool quantizes_a = fusion::can_give_bytes(r.model, a.node);
        const bool quantizes_b = fusion::can_give_bytes(r.model, b.node);
        if (!(quantizes_a && (quantizes_b || has_bytes(r, b))) && !(quantizes_b && has_bytes(r, a))) {
            return false;
        }
        // Last, because each of many products that share their weights would look through all the others.
        if ((quantizes_a && !only_products_read(r.model, a)) || (quantizes_b && !only_products_read(r.model, b))) {
            return false;
        }
        if (quantizes_a) {
            fusion::give_bytes(r, a.node, fusion::byte_precision_of(details_of(r.model, a.node)));
        }
        if (quantizes_b && !(a == b)) {
            fusion::give_bytes(r, b.node, fusion::byte_precision_of(details_of(r.model, b.node)));
        }
        return true;
    }

private:
    static constexpr bool only_products_read(const graph& model, output_ref from) {
        for (input_ref user = model.first_use(from); user.node != node_id::none; user = model.next_use(user)) {
            if (!model[user.node].is<op::mat_mul>()) {
                return false;
            }
        }
        return true;
    }
    /// True for a dequantization of bytes by one scale and zero point.
    static constexpr bool has_bytes(const rewrite& r, output_ref from) {
        const dequantization found = find_dequantization_at(r.model, from, r.options.default_precisions);
        const auto is_one = [&](node_id constant) {
            return constant == node_id::none || constant_of(r.model, constant).elements() == 1;
        };
        return !found.empty() && fusion::is_byte(r.model.type(found.data)) && !is_constant(r.model, found.data) &&
               is_one(found.zero_point) && is_one(found.scale);
    }
};

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/optimization/product_scaling.hpp
#ifndef LPT_HOLDS_OPTIMIZATION_PRODUCT_SCALING_HPP
#define LPT_HOLDS_OPTIMIZATION_PRODUCT_SCALING_HPP
namespace lpt::inline LPT_ABI {

/// The scales of columns of weights move behind the product with quantized data, which then has two integer factors:
/// x * (scale * (codes - zero_point)) = (x * (codes - zero_point)) * scale.
///
/// For weights of 4 bits, and bytes with zero points, which the transformations leave. A FakeQuantize above gives bytes then.
/// Results differ by the rounding of the scaled weights.
struct product_scaling {
    static constexpr text_view name = "ProductScaling";
    using pattern = lpt::pattern<op::mat_mul>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        graph& model = r.model;
        const op::mat_mul self = model[id].as<op::mat_mul>();
        const output_ref given = model[id].input(0);
        const bool quantizes = fusion::can_give_bytes(model, given.node);
        const shape& matrix = model.shape(model[id].input(1));
        if (model.type(given) != f32 || model.type(id) != f32 || matrix.rank() != 2 ||
            !(quantizes || fusion::dequantizes_bytes(r, given))) {
            return false;
        }
        const fusion::compressed_weights weights =
            fusion::find_compressed_weights(model, model[id].input(1), self.transpose_b);
        if (!weights || !(model.shape(weights.centred) == matrix) || model.type(weights.centred) != f32) {
            return false;
        }
        if (quantizes) {
            fusion::give_bytes(r, given.node, fusion::byte_precision_of(details_of(model, given.node)));
        }
        rewriting product(r, id);  // the node stays, so that a report counts it
        model.set_input(id, 1, weights.centred);
        const output_ref scale = model.constant(tensor(weights.scale, shape{weights.columns()}));
        return product.then(model.add(op::multiply{}, {id, scale})).finish();
    }
};

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/optimization/quantization_before_movement.hpp
#ifndef LPT_HOLDS_OPTIMIZATION_QUANTIZATION_BEFORE_MOVEMENT_HPP
#define LPT_HOLDS_OPTIMIZATION_QUANTIZATION_BEFORE_MOVEMENT_HPP
namespace lpt::inline LPT_ABI {

namespace fusion {

/// True for an operation that gives all elements of its data once, each as it is.
constexpr bool only_moves(const node& each) {
    return each.is<op::transpose>() || each.is<op::reshape>() || each.is<op::squeeze>() || each.is<op::unsqueeze>();
}

/// True for a FakeQuantize that makes bytes of real numbers, with one constant range for all.
constexpr bool makes_bytes(const graph& model, node_id id) {
    return is_byte(model.type(output_ref(id))) && is_real(model.type(model[id].input(0))) && has_one_range(model, id);
}

/// Bounds without axes fit data of any rank.
constexpr void take_axes_off_bounds(graph& model, node_id id) {
    for (std::size_t port = 1; port < model[id].inputs(); ++port) {
        const tensor bound = *model.constant_value(model[id].input(port));
        if (bound.dimensions().rank() != 0) {
            model.set_constant(id, port, tensor(bound, shape{}));
        }
    }
}

}  // namespace fusion

/// A FakeQuantize that makes bytes behind a movement, which nothing else reads, becomes one in front of it: a quarter is moved, and a
/// product in front of both quantizes its sums itself.
struct quantization_before_movement {
    static constexpr text_view name = "QuantizationBeforeMovement";
    using pattern = lpt::pattern<op::fake_quantize>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        graph& model = r.model;
        if (!fusion::makes_bytes(model, id) || feeds_result(model, id)) {
            return false;
        }
        bool changed = false;
        while (fusion::only_moves(model[model[id].input(0).node]) && model.use_count(model[id].input(0)) == 1) {
            const output_ref moved = model[id].input(0);
            if (!changed) {
                fusion::take_axes_off_bounds(model, id);
                changed = true;
            }
            const output_ref data = model[moved.node].input(0);
            model.replace_uses(output_ref(id), moved);
            model.set_input(moved.node, 0, output_ref(id));
            model.set_input(id, 0, data);
            model.infer(id);
            model.infer(moved.node);
        }
        return changed;
    }
};

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/optimization/reshape_fusion.hpp
#ifndef LPT_HOLDS_OPTIMIZATION_RESHAPE_FUSION_HPP
#define LPT_HOLDS_OPTIMIZATION_RESHAPE_FUSION_HPP
namespace lpt::inline LPT_ABI {

namespace fusion {

struct gives_a_known_shape {
    static constexpr text_view name = "GivesAKnownShape";
    static constexpr bool holds(const match& found) { return found.model()[found.root()].shape().is_static(); }
};
struct keeps_the_shape {
    static constexpr text_view name = "KeepsTheShape";
    static constexpr bool holds(const match& found) {
        return found.dimensions(0).is_static() && found.model()[found.root()].shape() == found.dimensions(0);
    }
};
constexpr tensor sizes_of_result(const match& found) {
    const shape& dimensions = found.model()[found.root()].shape();
    return make_indices(view<std::int64_t>(dimensions.dimensions().data(), dimensions.rank()));
}
/// The same elements in the same order, in another shape.
using seen_otherwise =
    either<many_readers<expression<op::reshape, any<0>, any<1>>>, many_readers<expression<op::squeeze, any<0>, any<1>>>,
           many_readers<expression<op::squeeze, any<0>>>, many_readers<expression<op::unsqueeze, any<0>, any<1>>>>;

}  // namespace fusion

/// A Reshape to the shape that its input has goes away.
struct reshape_elimination
    : rule<"ReshapeElimination", expression<op::reshape, any<0>, any<1>>, any<0>, when<fusion::keeps_the_shape>> {};

/// A Reshape behind a Reshape, Squeeze or Unsqueeze reads what that one reads.
struct reshape_fusion : rule<"ReshapeFusion", expression<op::reshape, fusion::seen_otherwise, any<2>>,
                             expression<op::reshape, any<0>, made_constant<&fusion::sizes_of_result>>,
                             when<fusion::gives_a_known_shape>> {};

namespace fusion {

/// The axis of which the middle shape has the groups, and the order exchanges them with what is in a group; -1 if there is none.
constexpr std::int64_t shuffled_axis(const match& found) {
    const shape& data = found.dimensions(0);
    const shape& parts = found.model()[found.labelled_node(0)].shape();
    if (!data.is_static() || !parts.is_static() || parts.rank() != data.rank() + 1 ||
        found.constant(2).elements() != parts.rank()) {
        return -1;
    }
    std::size_t axis = 0;
    while (axis < data.rank() && parts[axis] == data[axis] &&
           found.constant(2).integer(axis) == static_cast<std::int64_t>(axis)) {
        ++axis;
    }
    if (axis == data.rank() || parts[axis] * parts[axis + 1] != data[axis]) {
        return -1;
    }
    for (std::size_t i = 0; i < parts.rank(); ++i) {
        const std::size_t from = i == axis ? axis + 1 : i == axis + 1 ? axis : i;
        if (found.constant(2).integer(i) != static_cast<std::int64_t>(from) ||
            (i > axis + 1 && parts[i] != data[i - 1])) {
            return -1;
        }
    }
    return static_cast<std::int64_t>(axis);
}
struct exchanges_groups {
    static constexpr text_view name = "ExchangesGroups";
    static constexpr bool holds(const match& found) { return shuffled_axis(found) >= 0; }
};
constexpr op::shuffle_channels shuffle_of(const match& found) {
    op::shuffle_channels result;
    result.axis = shuffled_axis(found);
    result.group = found.model()[found.labelled_node(0)].shape()[static_cast<std::size_t>(result.axis)];
    return result;
}

}  // namespace fusion

/// An axis that a Reshape divides into groups, a Transpose exchanges with what is in a group, and a Reshape joins again:
/// ShuffleChannels. As one operation it runs in either layout.
struct shuffle_channels_fusion
    : rule<"ShuffleChannelsFusion",
           expression<op::reshape,
                      expression<op::transpose, labelled<0, expression<op::reshape, any<0>, any<1>>>, literal<2>>,
                      any<3>>,
           made<&fusion::shuffle_of, any<0>>, when<fusion::exchanges_groups>> {};

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/optimization/swish_fusion.hpp
#ifndef LPT_HOLDS_OPTIMIZATION_SWISH_FUSION_HPP
#define LPT_HOLDS_OPTIMIZATION_SWISH_FUSION_HPP
namespace lpt::inline LPT_ABI {

/// x * sigmoid(x) becomes Swish.
struct swish_fusion : rule<"SwishFusion", expression<op::multiply, any<0>, expression<op::sigmoid, any<0>>>,
                           expression<op::swish, any<0>>, when<is_f32<0>>> {};

/// x * sigmoid(beta * x) becomes Swish with beta.
struct swish_fusion_with_beta
    : rule<"SwishFusionWithBeta",
           expression<op::multiply, any<0>, expression<op::sigmoid, expression<op::multiply, any<0>, literal<1>>>>,
           expression<op::swish, any<0>, literal<1>>, when<is_f32<0>, has_one_element<1>>> {};

namespace fusion {

/// min(max(x + 3, 0), 6)
using ramp_to_six = labelled<0, expression<op::clamp, expression<op::add, any<0>, literal<1>>>>;

struct clamps_from_zero_to_six {
    static constexpr text_view name = "ClampsFromZeroToSix";
    static constexpr bool holds(const match& found) {
        const node_id clamp = found.labelled_node(0);
        return clamp == node_id::none || !found.model()[clamp].is<op::clamp>() ||
               (found.as<op::clamp>(0).min == 0 && found.as<op::clamp>(0).max == 6);
    }
};
using hswish_numbers = when<is_f32<0>, clamps_from_zero_to_six, is_number<1, number::three>, is_number<2, number::six>,
                            is_number<3, number::sixth>, is_number<4, number::half>>;

}  // namespace fusion

/// x * min(max(x + 3, 0), 6) / 6 becomes HSwish: the division last, by 6 or by its inverse, or at the ramp, which may be a HardSigmoid.
struct hswish_fusion_division_last
    : rule<"HSwishFusionDivisionLast",
           expression<op::divide, expression<op::multiply, any<0>, fusion::ramp_to_six>, literal<2>>,
           expression<op::hswish, any<0>>, fusion::hswish_numbers> {};
struct hswish_fusion_product_last
    : rule<"HSwishFusionProductLast",
           expression<op::multiply, expression<op::multiply, any<0>, fusion::ramp_to_six>, literal<3>>,
           expression<op::hswish, any<0>>, fusion::hswish_numbers> {};
struct hswish_fusion
    : rule<"HSwishFusion",
           expression<
               op::multiply, any<0>,
               either<expression<op::divide, fusion::ramp_to_six, literal<2>>,
                      expression<op::multiply, fusion::ramp_to_six, literal<3>>,
                      expression<op::hard_sigmoid, any<0>, literal<3>, literal<4>>, expression<op::hsigmoid, any<0>>>>,
           expression<op::hswish, any<0>>, fusion::hswish_numbers> {};

/// x * tanh(log(1 + exp(x))) becomes Mish.
struct mish_fusion
    : rule<"MishFusion",
           expression<
               op::multiply, any<0>,
               expression<op::tanh,
                          either<expression<op::soft_plus, any<0>>,
                                 expression<op::log, expression<op::add, expression<op::exp, any<0>>, literal<1>>>>>>,
           expression<op::mish, any<0>>, when<is_f32<0>, is_number<1, number::one>>> {};

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/optimization/transpose_fusion.hpp
#ifndef LPT_HOLDS_OPTIMIZATION_TRANSPOSE_FUSION_HPP
#define LPT_HOLDS_OPTIMIZATION_TRANSPOSE_FUSION_HPP
namespace lpt::inline LPT_ABI {

namespace fusion {

/// The order of axes that a constant stands for; none stands for all axes reversed.
constexpr integers order_of(const tensor& constant, std::size_t rank) {
    integers result = integers_of(constant);
    for (std::size_t axis = rank; result.size() < rank && axis-- > 0;) {
        result.push_back(static_cast<std::int64_t>(axis));
    }
    return result;
}
/// Transposed by literal 1, then by literal 2.
constexpr integers order_of_both(const match& found) {
    const std::size_t rank = found.dimensions(0).rank();
    const integers first = order_of(found.constant(1), rank);
    integers result;
    for (const std::int64_t axis : order_of(found.constant(2), rank)) {
        result.push_back(first[static_cast<std::size_t>(axis)]);
    }
    return result;
}
constexpr bool is_identity(const integers& order) {
    for (std::size_t axis = 0; axis < order.size(); ++axis) {
        if (order[axis] != static_cast<std::int64_t>(axis)) {
            return false;
        }
    }
    return true;
}
constexpr tensor indices_of_both(const match& found) { return make_indices(order_of_both(found)); }

struct has_known_rank {
    static constexpr text_view name = "HasKnownRank";
    static constexpr bool holds(const match& found) { return found.dimensions(0).rank_is_static(); }
};
struct cancel_each_other {
    static constexpr text_view name = "CancelEachOther";
    static constexpr bool holds(const match& found) { return is_identity(order_of_both(found)); }
};
struct keeps_the_order {
    static constexpr text_view name = "KeepsTheOrder";
    static constexpr bool holds(const match& found) {
        return is_identity(order_of(found.constant(1), found.dimensions(0).rank()));
    }
};
using two_transposes =
    expression<op::transpose, many_readers<expression<op::transpose, any<0>, literal<1>>>, literal<2>>;

}  // namespace fusion

/// A Transpose that leaves all axes where they are goes away.
struct transpose_elimination : rule<"TransposeElimination", expression<op::transpose, any<0>, literal<1>>, any<0>,
                                    when<fusion::has_known_rank, fusion::keeps_the_order>> {};

/// Two Transposes in a row that undo each other go away.
struct transpose_cancellation : rule<"TransposeCancellation", fusion::two_transposes, any<0>,
                                     when<fusion::has_known_rank, fusion::cancel_each_other>> {};

/// Two Transposes in a row become one. The first one stays for its other readers.
struct transpose_fusion
    : rule<"TransposeFusion", fusion::two_transposes,
           expression<op::transpose, any<0>, made_constant<&fusion::indices_of_both>>, when<fusion::has_known_rank>> {};

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/optimization/optimize.hpp
#ifndef LPT_HOLDS_OPTIMIZATION_OPTIMIZE_HPP
#define LPT_HOLDS_OPTIMIZATION_OPTIMIZE_HPP
namespace lpt::inline LPT_ABI {

/// Compositions that are published functions, and the shuffled channels of groups.
using function_fusions =
    stage<shuffle_channels_fusion, gelu_fusion_half_of_x, gelu_fusion_half_of_gate, gelu_fusion_half_last,
          gelu_tanh_fusion_half_of_x, gelu_tanh_fusion_half_of_gate, gelu_tanh_fusion_half_last,
          hswish_fusion_division_last, hswish_fusion_product_last, hswish_fusion, swish_fusion, swish_fusion_with_beta,
          mish_fusion, mvn_fusion, mvn_fusion_by_product>;

/// Compositions that are published operations, and movements and results of elements that are not needed, in the order of priority at a
/// node.
using default_optimizations = detail::joined<
    stage<transpose_elimination, transpose_cancellation, transpose_fusion, reshape_elimination, reshape_fusion,
          concat_fusion, convolution_cropping, group_convolution_cropping, group_normalization_decomposition>,
    function_fusions,
    stage<masked_attention_fusion, masked_attention_fusion_of_columns, attention_fusion, attention_fusion_of_columns,
          quantization_of_bytes, product_quantization, product_scaling, fully_connected_compression,
          gather_compression>>;

/// Movements once more, when it is known what gives bytes.
using optimizations_of_movements = stage<transpose_elimination, transpose_cancellation, transpose_fusion,
                                         reshape_elimination, reshape_fusion, quantization_before_movement>;

namespace detail {
/// Runs `work`; restores the graph if that raises an error.
template <class Work>
constexpr seq<refusal> rewrite_or_restore(graph& model, const transformation_options& options, const Work& work) {
    if (model.needs_verification()) {
        verify(model);
    }
    graph_backup backup(model);
    attribute::tables attributes;
    const restriction_table target;
    rewrite changes(model, attributes, options, target);
    work(changes);
    backup.keep_changes();
    return changes.take_refusals();
}
}  // namespace detail

/// Makes the published functions of their compositions, before the transformations: these would merge a factor at the end of a composition,
/// as the 0.5 of Gelu, into the FakeQuantize behind it, and nothing would find the function any more; and a dequantization with a number for each
/// channel moves through ShuffleChannels, but not through the Reshapes that it is written with.
///
/// Belongs between `prepare` and the transformations, for networks that are going to be run; `optimize` does it, too, for those that are not
/// transformed. Results differ by the rounding of intermediate values that are no longer made. Gives the refusals of the rules; raises an
/// error for a graph that `verify` does not accept; the graph is then as it was.
[[gnu::noinline]] constexpr seq<refusal> fuse_functions(graph& model, const transformation_options& options = {}) {
    return detail::rewrite_or_restore(
        model, options, [](rewrite& changes) { detail::run_as_one_rewrite(changes, function_fusions{}); });
}

/// Makes a network cheaper to run without changing what it computes: what computes the same is computed once, compositions become the
/// operations that they are, and numbers of 16 bits are computed in f32, for which there are kernels.
///
/// Belongs between the transformations, which find quantized data in the network as it is written, and `compile`. `Rules` is a stage of
/// transformations, as pipelines have them, `LastRules` one that runs behind them. Results differ by the rounding of intermediate values
/// that are no longer made; movements and shared operations keep their bits. Gives the refusals of the rules; raises an error for a graph
/// that `verify` does not accept, and what rules of the user raise; the graph is then as it was.
template <class Rules = default_optimizations, class LastRules = optimizations_of_movements>
constexpr seq<refusal> optimize(graph& model, const transformation_options& options = {}) {
    return detail::rewrite_or_restore(model, options, [&](rewrite& changes) {
        convert_precision::run(changes);
        common_subexpressions::run(changes);
        detail::run_as_one_rewrite(changes, Rules{});
        detail::run_as_one_rewrite(changes, LastRules{});
        detail::infer_open_shapes(model);
    });
}

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/pipeline/pass.hpp
#ifndef LPT_HOLDS_PIPELINE_PASS_HPP
#define LPT_HOLDS_PIPELINE_PASS_HPP
namespace lpt::inline LPT_ABI {

/// A transformation or a step over the whole graph, as data. Either `run` is set, or `rows`.
struct pass_row {
    text_view name;                    // published name
    void (*run)(rewrite&) = nullptr;   // a step over the whole graph
    view<dispatch_row> rows{};         // a transformation that visits nodes
};

namespace detail {
template <class Pass>
[[gnu::cold]] constexpr void run_pass(rewrite& changes) {
    Pass::run(changes);
}
}  // namespace detail

/// The row of a transformation type.
template <class Pass>
constexpr pass_row make_pass() {
    if constexpr (requires(rewrite& changes) { Pass::run(changes); }) {
        return {Pass::name, &detail::run_pass<Pass>, {}};
    } else {
        return {Pass::name, nullptr, rows_of<Pass>};
    }
}

}  // namespace lpt::inline LPT_ABI
#endif

// ======== lpt/pipeline/registry.hpp
#ifndef LPT_HOLDS_PIPELINE_REGISTRY_HPP
#define LPT_HOLDS_PIPELINE_REGISTRY_HPP
// Those that are not in the default pipeline.

namespace lpt::inline LPT_ABI {

/// A whole pipeline as one step.
template <class Pipeline>
struct low_precision_by {
    static constexpr text_view name = "LowPrecision";
    static constexpr void run(rewrite& r) { Pipeline::run(r); }
};
using low_precision = low_precision_by<default_pipeline>;

/// Every transformation and every step of the library, as a list: all of the default pipeline, and those outside of it.
using all_transformations =
    detail::joined<stage<low_precision>,
                   stage<convert_quantize_dequantize, convert_subtract_constant, fq_stripping_transformation,
                         keep_const_precision, kv_cache_concat, mark_dequantization,
                         move_fake_convert_up_through_kv_cache_concat, weights_dequantize_to_fake_quantize>,
                   decltype(default_pipeline::replace<fake_convert_decomposition_for_real_types,
                                                      fake_convert_decomposition_transformation>::members()),
                   stage<convert_transformation, multiply_transformation, subtract_transformation>>;

namespace detail {
template <std::size_t Count>
struct pass_table {
    pass_row rows[Count];
    constexpr const pass_row* begin() const { return rows; }
    constexpr const pass_row* end() const { return rows + Count; }
    constexpr std::size_t size() const { return Count; }
};
struct make_pass_table {
    template <class... Passes>
    constexpr auto operator()(hana::basic_type<Passes>...) const {
        return pass_table<sizeof...(Passes)>{{make_pass<Passes>()...}};
    }
};
}  // namespace detail

/// A list of transformations as data, for programs that choose them by their published names. It holds the code of all of them, so it is
/// made only where a program asks for it.
template <class List>
inline constexpr auto pass_rows = hana::unpack(List{}, detail::make_pass_table{});

/// The pass of a list with a published name; null where there is none.
template <class List = all_transformations>
constexpr const pass_row* find_pass(text_view name) {
    for (const pass_row& each : pass_rows<List>) {
        if (each.name == name) {
            return &each;
        }
    }
    return nullptr;
}

}  // namespace lpt::inline LPT_ABI
#endif

#pragma GCC diagnostic pop
#endif
