// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>

/// How attributes travel along the graph: what the markup steps have in common.
namespace lpt::inline LPT_ABI {

/// True if the node was marked as one that gives the precision that it gets.
constexpr bool is_precision_preserved(const rewrite& r, node_id id) {
    const attribute::precision_preserved* found = attributes_of<attribute::precision_preserved>(r).find_node(id);
    return found != nullptr && found->value;
}

/// True if an input port was marked as one that must not be quantized.
constexpr bool has_port_without_precisions(const rewrite& r, node_id id) {
    const auto precisions = attributes_of<attribute::precisions>(r);
    return for_any(0, r.model[id].inputs(), [&](std::size_t port) {
        const attribute::precisions* found = precisions.find_input(id, port);
        return found != nullptr && found->types.empty();
    });
}

/// Marks all input ports that nothing was said about as ones that must not be quantized.
constexpr void forbid_precisions(rewrite& r, node_id id) {
    attribute::table<attribute::precisions> precisions = attributes_of<attribute::precisions>(r);
    for (std::size_t port = 0; port < r.model[id].inputs(); ++port) {
        if (!precisions.has(attribute::place::on_input(id, port))) {
            precisions.set_input(id, port, {});
        }
    }
}

/// The output that decides about the precision of an input: what the input is connected to, or the FakeQuantize above a
/// quantization (FakeQuantize, Convert) to one of the `precisions` and dequantization in between.
constexpr output_ref quantized_source(const rewrite& r, node_id id, std::size_t port, view<element> precisions) {
    const graph& model = r.model;
    const output_ref source = model[id].input(port);
    if (!may_be_dequantized(model, source)) {
        return source;
    }
    const dequantization found = find_dequantization(model, id, precisions, port);
    const bool is_pair = !found.empty() && model[found.data.node].is<op::convert>();
    const output_ref above = is_pair ? model[found.data.node].input(0) : source;
    return model[above.node].is<op::fake_quantize>() ? above : source;
}

/// The place of the attribute `A` of an output: the output port, or else its node; a place without node if there is none.
template <class A>
constexpr attribute::place place_of_attribute(const rewrite& r, output_ref source) {
    const attribute::table<A> all = attributes_of<A>(r);
    for (const attribute::place where : {attribute::place::on_output(source), attribute::place::on_node(source.node)}) {
        if (all.has(where)) {
            return where;
        }
    }
    return {};
}
constexpr bool exists(attribute::place where) { return where.node != node_id::none; }

/// Gives a precision preserved node the merged attribute of everything it reads; from then on all of them share one value.
/// False if the node is not precision preserved or nothing above has the attribute.
template <class A>
[[gnu::cold]] constexpr bool propagate_through_precision_preserved(rewrite& r, node_id id) {
    if (!is_precision_preserved(r, id)) {
        return false;
    }
    seq<attribute::place, 4> sources;
    for (std::size_t port = 0; port < r.model[id].inputs(); ++port) {
        const output_ref above = quantized_source(r, id, port, r.options.default_precisions);
        const attribute::place source = place_of_attribute<A>(r, above);
        if (exists(source)) {
            sources.push_back(source);
        }
    }
    if (sources.empty()) {
        return false;
    }
    attribute::table<A> all = attributes_of<A>(r);
    const attribute::place mine = attribute::place::on_node(id);
    all.share(mine, sources.front());
    for (std::size_t i = 1; i < sources.size(); ++i) {
        all.merge(mine, sources[i]);
    }
    for (std::size_t i = 1; i < sources.size(); ++i) {
        all.join(mine, sources[i]);
    }
    return true;
}

/// Joins the lists of precisions of the input ports of a node with those of what they read, and remembers the port at which one came to
/// its end, for the report. Ports that share a list are one decision. Nothing happens if an input port must not be quantized.
[[gnu::cold]] constexpr void propagate_to_input(rewrite& r, node_id id) {
    if (has_port_without_precisions(r, id)) {
        return;
    }
    attribute::table<attribute::precisions> all = attributes_of<attribute::precisions>(r);
    for (std::size_t port = 0; port < r.model[id].inputs(); ++port) {
        const output_ref above = quantized_source(r, id, port, r.options.default_precisions);
        const attribute::place source = place_of_attribute<attribute::precisions>(r, above);
        const attribute::place mine = attribute::place::on_input(id, port);
        if (exists(source) && !all.has(mine)) {
            all.share(mine, source);
        } else if (exists(source) && !all.same_class(mine, source)) {
            all.merge(mine, source);
            all.join(mine, source);
            attribute::precisions& value = *all.find(mine);
            if (value.types.empty() && value.last_reader == node_id::none) {
                value.last_reader = mine.node;
                value.last_port = mine.port;
            }
        }
    }
}

/// For a node that ends a region of one precision: tells the sources of its inputs that somebody needs their attribute `A`,
/// by setting it to true. Stops at the first port that does not ask for it: for which `asks(port)` is false.
template <class A, class Answer>
[[gnu::cold]] constexpr void update_shared_precision_preserved(rewrite& r, node_id id, const Answer& asks) {
    const node& each = r.model[id];
    if (each.is<op::fake_quantize>() || is_precision_preserved(r, id) || has_port_without_precisions(r, id)) {
        return;
    }
    attribute::table<A> all = attributes_of<A>(r);
    for (std::size_t port = 0; port < each.inputs() && asks(port); ++port) {
        const bool may_be = may_be_dequantized(r.model, each.input(port));
        const dequantization found = may_be ? find_dequantization(r, id, port) : dequantization{};
        const output_ref source = found.empty() ? each.input(port) : found.data;
        attribute::place where = attribute::place::on_node(source.node);
        if (!all.has(where)) {
            where = attribute::place::on_output(source);
        }
        if (all.has(where)) {
            all.find(where)->value = true;
        }
    }
}

}  // namespace lpt::inline LPT_ABI
