// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/traverse.hpp>
#include <lpt/op/fields.hpp>

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
