// SPDX-License-Identifier: Apache-2.0
// What became of each operation of a network, and why it stayed in floating point where it did.
#pragma once

#include <lpt/base/compiled.hpp>
#include <lpt/pipeline/role.hpp>

namespace lpt::inline LPT_ABI {

/// One operation of the original network and what it became.
struct report_row {
    text name;                     // of an operation inside another one: "<name of that>/<of the body>/<its own>"
    op::kind kind = op::kind::none;
    text_view operation;           // published name of its type
    node_id node = node_id::none;  // of the transformed graph; none if nothing there has its name
    body_path body;                // where the node is; empty: in the network itself
    role what = role::none;        // it computes, quantizes, dequantizes, moves; none if it is gone
    element precision = dynamic;   // the type in which it computes (computing_type); dynamic if it is gone
    seq<element, 2> inputs;        // element types
    seq<element, 2> outputs;
    explanation why;               // it stayed in floating point: which transformation refused it, and why
    text reason;                   // the same as a sentence; empty where it has low precision, and for quantizations
    text_view remedy;              // what would have to change; empty where nothing has to
};

/// What became of each operation of a network.
struct report {
    seq<report_row> operations;
    seq<refusal> refusals;  // all of the run, in order; the nodes that they name may have been replaced since

    /// How many operations do arithmetic on 8-bit integers: convolutions, matrix products, recurrent cells and others; neither
    /// quantizations nor what only moves values.
    constexpr std::size_t int8_operations() const {
        std::size_t count = 0;
        for (const report_row& each : operations) {
            count += each.what == role::arithmetic && is_8_bit_integer(each.precision) ? 1u : 0u;
        }
        return count;
    }

    /// How many operations make low precision data.
    constexpr std::size_t quantizations() const {
        std::size_t count = 0;
        for (const report_row& each : operations) {
            count += each.what == role::quantization ? 1u : 0u;
        }
        return count;
    }

    /// How many operations of a kind compute in 8 bits, or move such values.
    constexpr std::size_t count_of_bytes(op::kind kind) const {
        std::size_t count = 0;
        for (const report_row& each : operations) {
            count += each.kind == kind && is_8_bit_integer(each.precision) ? 1u : 0u;
        }
        return count;
    }
};

namespace detail {

/// Nodes by name; names are compared through their hashes first.
class name_index {
    struct entry {
        std::uint64_t hash = 0;
        node_id node = node_id::none;
    };
    seq<entry> slots_;
    const graph& model_;

    static constexpr std::uint64_t hash_of(text_view name) {
        std::uint64_t hash = 1469598103934665603u;
        for (const char each : name) {
            hash = (hash ^ static_cast<unsigned char>(each)) * 1099511628211u;
        }
        return hash;
    }

public:
    constexpr name_index(const graph& model, view<node_id> order) : model_(model) {
        std::size_t room = 16;
        while (room < model.size() * 2) {
            room *= 2;
        }
        slots_.resize(room);
        for (const node_id id : order) {
            if (model[id].name().empty()) {
                continue;
            }
            const std::uint64_t hash = hash_of(model[id].name());
            std::size_t at = hash & (room - 1);
            while (slots_[at].node != node_id::none) {
                at = (at + 1) & (room - 1);
            }
            slots_[at] = {hash, id};
        }
    }
    /// The node of this name; one of this kind first.
    constexpr node_id find(text_view name, op::kind kind) const {
        const std::uint64_t hash = hash_of(name);
        node_id found = node_id::none;
        for (std::size_t at = hash & (slots_.size() - 1); slots_[at].node != node_id::none;
             at = (at + 1) & (slots_.size() - 1)) {
            const node_id id = slots_[at].node;
            if (slots_[at].hash == hash && model_[id].name() == name) {
                if (model_[id].kind() == kind) {
                    return id;
                }
                found = found == node_id::none ? id : found;
            }
        }
        return found;
    }
};

/// Where an operation is now: a node of its name, with "_original" behind where its name moved to the dequantization.
constexpr node_id find_now(const name_index& names, const graph& after, node_id id, const node& original) {
    const auto fits = [&](node_id now) { return now != node_id::none && after[now].kind() == original.kind(); };
    if (original.name().empty()) {
        return after.contains(id) && fits(id) ? id : node_id::none;
    }
    node_id now = names.find(join({original.name(), "_original"}), original.kind());
    now = fits(now) ? now : names.find(original.name(), original.kind());
    return fits(now) ? now : node_id::none;
}

/// Makes the rows of a graph and those of the graphs inside its nodes.
class report_maker {
    const explanation_source& source_;
    seq<report_row>& rows_;

    constexpr report_row row_of(const explained_graph& graph_now, const node& original, node_id now) const {
        const graph& after = graph_now.after;
        report_row row;
        row.kind = original.kind();
        row.operation = original.operation();
        if (now == node_id::none) {
            return row;
        }
        const node& found = after[now];
        row.node = now;
        row.what = dequantizes(after, graph_now.unscaled, now) ? role::dequantization : role_of(after, found);
        row.precision = computing_type(after, found);
        for (std::size_t port = 0; port < found.inputs(); ++port) {
            row.inputs.push_back(after.type(found.input(port)));
        }
        for (std::size_t port = 0; port < found.outputs(); ++port) {
            row.outputs.push_back(found.type(port));
        }
        if (is_real(row.precision) && !is_low_precision(row.precision) && row.what != role::quantization &&
            !source_.main.first.empty()) {
            row.why = explain(graph_now, now);
            row.reason = text_of(row.why);
            row.remedy = words_of(row.why.why.why).remedy;
        }
        return row;
    }
    constexpr void add_bodies(const explained_graph& graph_now, const node& before, const node& after, const text& name,
                              const body_path& body) {
        for (std::size_t which = 0; which < before.bodies().size() && which < after.bodies().size(); ++which) {
            body_path inside = body;
            inside.back().which = static_cast<std::int32_t>(which);
            add(before.bodies()[which], after.bodies()[which],
                join({name, "/", op::body_name(before.kind(), which), "/"}), inside,
                graph_now.refusals.inside(inside.back(), inside.size()));
        }
    }

public:
    constexpr report_maker(const explanation_source& source, seq<report_row>& rows) : source_(source), rows_(rows) {}

    constexpr void add(const graph& before, const graph& after, const text& prefix, const body_path& body,
                       refusal_numbers refusals) {
        const seq<node_id> order = topological_order(after);
        const name_index names(after, order);
        explained_graph graph_now(source_, before, after, order, lpt::move(refusals), body.size());
        seq<node_id> operations;
        seq<node_id> places;
        for (const node_id id : topological_order(before)) {
            if (before[id].is<op::parameter>() || before[id].is<op::constant>() || before[id].is<op::result>()) {
                continue;
            }
            operations.push_back(id);
            places.push_back(find_now(names, after, id, before[id]));
            if (places.back() != node_id::none) {
                graph_now.before[index_of(places.back())] = id;
            }
        }
        for (std::size_t i = 0; i < operations.size(); ++i) {
            const node& original = before[operations[i]];
            report_row row = row_of(graph_now, original, places[i]);
            row.name = join({prefix, original.name()});
            row.body = body;
            const text name = row.name;
            rows_.push_back(lpt::move(row));
            if (places[i] != node_id::none) {
                body_path inside = body;
                inside.push_back({places[i], 0});
                add_bodies(graph_now, original, after[places[i]], name, inside);
            }
        }
    }
};

}  // namespace detail

/// Compares a transformed graph with the graph that it was before: a row for each operation but Parameters, Constants and
/// Results, in topological order; operations inside TensorIterator, Loop and If stand behind these, named with a path (`loop/body/add`).
///
/// `refusals`: those of the run; `main`: the main transformations of the pipeline (`main_transformations`), none if none ran: then
/// there are no reasons. An operation is found by
/// its name, or by its name with `_original` behind, which rules give to an operation whose name moves to the dequantization
/// behind it.
template <compiled = once>
[[gnu::noinline]] constexpr report make_report(const graph& before, const graph& after, view<refusal> refusals,
                                               dispatch_view main, const transformation_options& options = {}) {
    report result;
    result.refusals = seq<refusal>(refusals);
    const explanation_source source{result.refusals, main, options};
    detail::refusal_numbers all;
    for (std::size_t i = 0; i < refusals.size(); ++i) {
        all.push_back(static_cast<std::int32_t>(i));
    }
    detail::report_maker(source, result.operations).add(before, after, {}, {}, lpt::move(all));
    return result;
}

/// A line per operation: name, type, the element type that it computes in, the type that it gives if it quantizes, and, if it computes in a
/// real one otherwise, who refused it, why, and what would have to change.
template <compiled = once>
[[gnu::noinline]] constexpr text to_text(const report& all) {
    text result;
    for (const report_row& each : all.operations) {
        result.append(each.name).append("  ").append(each.operation).append("  ");
        result.append(each.precision == dynamic ? text_view("gone") : name(each.precision));
        if (each.what == role::quantization) {
            result.append(", quantization to ").append(name(each.outputs[0]));
        }
        if (!each.reason.empty()) {
            result.append("  ").append(each.reason);
            if (!each.why.transformation.empty()) {
                result.append(" (").append(each.why.transformation).append(')');
            }
        }
        if (!each.remedy.empty()) {
            result.append("; to change it: ").append(each.remedy);
        }
        result.append('\n');
    }
    return result;
}

/// Writes `to_text` to any output stream.
template <class Stream>
Stream& operator<<(Stream& out, const report& all) {
    out << to_text(all).c_str();
    return out;
}

#ifdef LPT_COMPILED
LPT_COMPILED template report make_report<>(const graph&, const graph&, view<refusal>, dispatch_view,
                                           const transformation_options&);
LPT_COMPILED template text to_text<>(const report&);
#endif

}  // namespace lpt::inline LPT_ABI
