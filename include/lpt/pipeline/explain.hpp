// SPDX-License-Identifier: Apache-2.0
// Finds out why an operation of a transformed network computes in floating point.
#pragma once

#include <lpt/pipeline/explained_graph.hpp>
#include <lpt/pipeline/pipeline.hpp>
#include <lpt/pipeline/reasons.hpp>
#include <lpt/pipeline/refusals.hpp>
#include <lpt/restriction/operations.hpp>
#include <lpt/transformation/dequantization.hpp>

namespace lpt::inline LPT_ABI {

/// Why an operation is in floating point.
struct explanation {
    text_view transformation;     // that refused it; empty where none did
    verdict why;                  // `about`: a node of the transformed graph, or none
    shared<refusal_facts> facts;
};

/// An explanation as a sentence, with the values that it is about; names the transformation that a callback keeps away or that is
/// disabled.
constexpr text text_of(const explanation& what) {
    switch (what.why.why) {
        case reason::skipped_by_callback: return join({"a callback keeps ", what.transformation, " away"});
        case reason::disabled_by_user: return join({what.transformation, " is disabled"});
        default: return text_of(what.why, what.facts ? &*what.facts : nullptr);
    }
}
/// A refusal as a sentence.
constexpr text text_of(const refusal& refused) {
    return text_of(explanation{refused.transformation, refused.why, refused.facts});
}

namespace detail {

/// The transformations that would bring a node to low precision, in order of priority.
constexpr seq<dispatch_row, 2> candidates_of(const explanation_source& source, op::kind kind) {
    seq<dispatch_row, 2> result;
    const std::size_t bucket = dispatch_bucket(kind);
    for (std::int16_t i = source.main.first[bucket]; i < source.main.first[bucket + 1]; ++i) {
        const dispatch_row& row = source.main.rows[static_cast<std::size_t>(i)];
        // FakeQuantizeTransformation takes operations into a FakeQuantize; it does not quantize it.
        if (row.root == kind && row.name != text_view("FakeQuantizeTransformation")) {
            result.push_back(row);
        }
    }
    return result;
}

/// True for a FakeQuantize that was quantized and became one FakeQuantize again.
constexpr bool is_fused_back(const explained_graph& now, node_id id) {
    if (!now.after[id].is<op::fake_quantize>() || !now.source.options.update_precisions) {
        return false;
    }
    const seq<dispatch_row, 2> candidates = candidates_of(now.source, op::kind::fake_quantize);
    for (const dispatch_row& each : candidates) {
        if (now.refusals.find(now.before[index_of(id)], id, each.name) != nullptr) {
            return false;
        }
    }
    return !candidates.empty();
}

/// Why a data input is not quantized; yes if it is.
constexpr verdict input_is_quantized(const explained_graph& now, node_id id, std::size_t port) {
    const graph& model = now.after;
    if (!carries_data(model[id].kind(), static_cast<int>(port)) ||
        quantized_type(model, model[id].input(port)) != dynamic || is_fused_back(now, model.producer(id, port))) {
        return yes;
    }
    const dequantization found = find_dequantization(model, id, all_low_precisions, port);
    if (found.empty()) {
        return refuse(reason::no_dequantization, static_cast<int>(port));
    }
    return is_low_precision(model, found) ? yes
                                          : verdict{.why = reason::not_low_precision,
                                                    .port = static_cast<int>(port),
                                                    .type = model.type(found.data),
                                                    .about = found.data.node};
}

/// Why the data of a node is not quantized; yes if all of it is. An input without dequantization tells more than one whose
/// dequantization has real data, and that more than a constant operand.
constexpr verdict data_is_quantized(const explained_graph& now, node_id id) {
    const graph& model = now.after;
    verdict result = yes;
    int rank = 0;
    for (std::size_t port = 0; port < model[id].inputs(); ++port) {
        const verdict why = input_is_quantized(now, id, port);
        const bool is_operand = model[model.producer(id, port)].is<op::constant>();
        const int own = why ? 0 : is_operand ? 1 : why.why == reason::not_low_precision ? 2 : 3;
        if (own > rank) {
            result = why;
            rank = own;
        }
    }
    return result;
}

/// True if a pattern takes a node with this number of inputs.
constexpr bool takes_number_of_inputs(const pattern_view& pattern, std::size_t count) {
    std::size_t least = 0;
    for (const input_rule& each : pattern.inputs) {
        least += each.optional ? 0u : 1u;
    }
    return pattern.inputs.empty() || (count >= least && count <= pattern.inputs.size());
}

/// True for operations whose input 1 has weights.
constexpr bool has_weights(op::kind operation) {
    return operation == op::kind::convolution || operation == op::kind::group_convolution ||
           operation == op::kind::convolution_backprop_data;
}

/// Why a pattern does not match a node: the first input that is not as it should be.
constexpr verdict mismatch_of(const explained_graph& now, node_id id, const pattern_view& pattern) {
    const graph& model = now.after;
    const node& root = model[id];
    for (std::size_t port = 0; port < root.inputs() && port < pattern.inputs.size(); ++port) {
        const input_rule& rule = pattern.inputs[port];
        const bool asks_for_scale = is_one_of(rule.producers, op::kind::multiply);
        if (rule.matches(model, root.input(port)) ||
            (asks_for_scale && is_fused_back(now, model.producer(id, port)))) {  // there was a Multiply then
            continue;
        }
        const bool asks_for_constant = rule.producers.size() == 1 && rule.producers[0] == op::kind::constant;
        const bool reads_weights = port == 1 && has_weights(pattern.root);
        const reason why = asks_for_constant                 ? reason::input_not_constant
                           : asks_for_scale && reads_weights ? reason::weights_not_quantized
                           : asks_for_scale                  ? reason::no_dequantization
                                                             : reason::pattern_does_not_match;
        return refuse_because_of(why, static_cast<int>(port), model.producer(id, port));
    }
    return takes_number_of_inputs(pattern, root.inputs())
               ? yes
               : refuse_value(reason::other_number_of_inputs, -1, static_cast<double>(root.inputs()));
}

/// Why none of a transformation's patterns matches a node; the reason of the one that comes nearest.
constexpr verdict mismatch_of(const explained_graph& now, node_id id, const dispatch_row& row) {
    if (row.matches(now.after, id)) {
        return yes;
    }
    verdict result = row.patterns.empty() ? refuse(reason::pattern_does_not_match) : yes;
    int farthest = -2;
    for (const pattern_view& each : row.patterns) {
        const verdict why = each.root == row.root ? mismatch_of(now, id, each) : yes;
        const int reached = why.why == reason::other_number_of_inputs ? -1 : why.port;
        if (!why && reached > farthest) {
            result = why;
            farthest = reached;
        }
    }
    return result;
}

/// True for the Convert, Subtract and Multiply that make real numbers of low precision data.
constexpr bool dequantizes(const graph& model, const seq<bool, 8>& unscaled, node_id id) {
    const node& each = model[id];
    if (each.is<op::convert>()) {
        return is_low_precision(model.type(each.input(0))) && is_real(each.type());
    }
    if (!each.is<op::subtract>() && !each.is<op::multiply>()) {
        return false;
    }
    for (std::size_t port = 0; port < 2; ++port) {
        const output_ref data = each.input(port);
        const bool other_is_constant =
            model[each.input(1 - port).node].is<op::constant>() || is_converted_constant(model, each.input(1 - port));
        if (!other_is_constant) {
            continue;
        }
        if (is_low_precision(model.type(data)) || unscaled[index_of(data.node)]) {
            return true;
        }
    }
    return false;
}

/// The types of a recurrent operation's data and state are low precision below dequantizations that later steps leave alone.
constexpr bool is_left_to_engine(const graph& model, node_id id) {
    for (const std::size_t port : {std::size_t{0}, std::size_t{1}}) {
        const dequantization found = find_dequantization(model, id, all_low_precisions, port);
        if (found.empty() || !is_low_precision(model, found) || !model[found.last()].has(mark::disable_cleanup)) {
            return false;
        }
    }
    return true;
}

/// The operation that reads a node first; `none` if nothing does.
constexpr node_id first_reader(const graph& model, node_id id) {
    return model[id].outputs() == 0 ? node_id::none : model.first_use({id, 0}).node;
}

/// An explanation that no refusal gives.
constexpr explanation found_out(text_view transformation, const verdict& why) { return {transformation, why, {}}; }

/// An input that is quantized now but came from an operation, in between, that is gone: there was no dequantization right above
/// the node when it was visited.
constexpr explanation explain_by_original(const explained_graph& graph_now, node_id now, text_view transformation) {
    const graph& original = graph_now.original;
    const node_id id = graph_now.before[index_of(now)];
    for (std::size_t port = 0; id != node_id::none && port < original[id].inputs(); ++port) {
        const node& producer = original[original.producer(id, port)];
        const bool may_quantize = producer.is<op::fake_quantize>() || producer.is<op::multiply>() ||
                                  producer.is<op::convert>() || producer.is<op::constant>();
        if (carries_data(original[id].kind(), static_cast<int>(port)) && !may_quantize) {
            const verdict why = refuse(reason::no_dequantization, static_cast<int>(port));
            return {transformation, why, shared<refusal_facts>(refusal_facts(original, id, why.port, node_id::none))};
        }
    }
    return found_out(transformation, refuse(reason::quantized_too_late));
}

/// Why an operation that a transformation is about stayed in floating point although none refused it.
constexpr explanation explain_without_refusal(const explained_graph& graph_now, node_id now,
                                              view<dispatch_row> candidates) {
    const graph& after = graph_now.after;
    const dispatch_row& first = candidates.front();
    if (!graph_now.source.options.update_precisions) {
        return found_out({}, refuse(reason::precisions_not_updated));
    }
    if (is_fused_back(graph_now, now)) {
        return found_out({}, refuse_because_of(reason::fused_back, -1, first_reader(after, now)));
    }
    const bool recurrent = after[now].is<op::lstm_sequence>() || after[now].is<op::gru_sequence>();
    if (recurrent && is_left_to_engine(after, now)) {
        return found_out({}, refuse(reason::left_to_engine));
    }
    verdict why = yes;
    for (const dispatch_row& each : candidates) {
        why = mismatch_of(graph_now, now, each);
        if (why) {
            break;  // it matches now
        }
    }
    if (!why) {
        why = mismatch_of(graph_now, now, first);
    } else if (const verdict data = data_is_quantized(graph_now, now); !data) {
        why = data;
    }
    return why ? explain_by_original(graph_now, now, first.name) : found_out(first.name, why);
}

/// True if a data input of a node reads values that still lack their scale.
constexpr bool reads_unscaled(const graph& model, const seq<bool, 8>& unscaled, node_id id) {
    for (std::size_t port = 0; port < model[id].inputs(); ++port) {
        if (carries_data(model[id].kind(), static_cast<int>(port)) && unscaled[index_of(model.producer(id, port))]) {
            return true;
        }
    }
    return false;
}

/// The reason is about what an input comes from: that is found in the transformed graph.
constexpr void name_producer(const explained_graph& graph_now, node_id now, explanation& what) {
    const bool is_about_producer = what.why.why == reason::no_dequantization ||
                                   what.why.why == reason::input_not_constant ||
                                   what.why.why == reason::weights_not_quantized;
    if (!is_about_producer) {
        return;
    }
    if (const verdict data = data_is_quantized(graph_now, now); what.why.port < 0 && !data) {
        what.why = data;
    }
    if (what.why.port >= 0 && !what.facts) {
        what.facts = shared<refusal_facts>(refusal_facts(graph_now.after, now, what.why.port, node_id::none));
    }
}

}  // namespace detail

/// Why an operation of a transformed graph computes in floating point.
///
/// The refusal of the first transformation that is about operations of its type; without one, what its inputs look like now.
constexpr explanation explain(const explained_graph& graph_now, node_id now) {
    const graph& after = graph_now.after;
    const op::kind kind = after[now].kind();
    if (detail::dequantizes(after, graph_now.unscaled, now)) {
        return detail::found_out({}, refuse(reason::part_of_dequantization));
    }
    const seq<dispatch_row, 2> candidates = detail::candidates_of(graph_now.source, kind);
    if (candidates.empty()) {
        return detail::found_out({},
                                 refuse(is_quantizable(kind) && kind != op::kind::convert && kind != op::kind::subtract
                                            ? reason::not_in_pipeline
                                            : reason::operation_not_handled));
    }
    if (!after[now].is<op::fake_quantize>() && detail::reads_unscaled(after, graph_now.unscaled, now)) {
        return detail::found_out({}, refuse(reason::before_scale));
    }
    explanation result;
    for (const dispatch_row& row : candidates) {
        if (const refusal* found = graph_now.refusals.find(graph_now.before[index_of(now)], now, row.name);
            found != nullptr) {
            result = {found->transformation, found->why, found->facts};
            break;
        }
    }
    if (result.why) {
        result = detail::explain_without_refusal(graph_now, now, candidates);
    }
    detail::name_producer(graph_now, now, result);
    if (result.why.why == reason::constant_path) {
        result.why.about = detail::first_reader(after, now);
    }
    if (result.why.about != node_id::none && !result.facts) {
        result.facts = shared<refusal_facts>(refusal_facts(after, now, result.why.port, result.why.about));
    }
    return result;
}

}  // namespace lpt::inline LPT_ABI
