// SPDX-License-Identifier: Apache-2.0
// What became of each operation of a network, and why it stayed in floating point where it did.
#pragma once

#include <lpt/pipeline/pipeline.hpp>

namespace lpt {

namespace detail {

/// The sentence of a reason without the port and values that it is about.
template <int Once = 0>
constexpr text_view sentence_of(reason why) {
    switch (why) {
        case reason::none: return "";
        case reason::skipped_by_callback: return "a callback keeps the transformation away";
        case reason::disabled_by_user: return "the transformation is disabled";
        case reason::no_dequantization:
            return "its data is not quantized: there is no dequantization with constants above it";
        case reason::not_low_precision: return "the data above the dequantization is not of a low precision type";
        case reason::dynamic_rank: return "the number of axes is not known";
        case reason::dynamic_channel: return "the number of channels is not known";
        case reason::not_per_tensor: return "one scale and one zero point for the whole tensor are needed";
        case reason::not_per_tensor_or_per_channel:
            return "scale or zero point is neither one for the tensor nor one a channel";
        case reason::varies_over_axis: return "scale or zero point varies over an axis that the operation mixes";
        case reason::has_zero_point: return "it cannot take data with a zero point";
        case reason::zero_point_does_not_fit: return "a zero point lies outside the range of the type";
        case reason::zero_point_type_mismatch: return "zero point and data have different types";
        case reason::negative_scale: return "a scale is negative";
        case reason::zero_or_denormal_scale: return "a scale is zero or too small";
        case reason::infinite_constant: return "a rewritten constant would be infinite";
        case reason::shapes_do_not_match: return "shapes do not match";
        case reason::axes_not_constant: return "the axes are not constant";
        case reason::unsupported_mode: return "it has a mode that low precision arithmetic cannot follow";
        case reason::unsupported_padding: return "it has a padding that low precision arithmetic cannot follow";
        case reason::unsupported_levels: return "no low precision type has this number of levels";
        case reason::weights_not_quantized: return "the weights are not quantized";
        case reason::weights_not_constant: return "the weights are not constant";
        case reason::weights_not_low_precision: return "the weights are not of a low precision type";
        case reason::weights_vary_over_axis:
            return "the scales of the weights vary over another axis than the output channels";
        case reason::ranges_not_constant: return "the ranges are not constant";
        case reason::constant_path: return "it is computed from constants only";
        case reason::no_precision_left: return "its readers have no low precision type in common";
        case reason::no_precisions_attribute: return "no reader asks for a low precision type";
        case reason::too_few_levels: return "alignment with other branches would leave two levels or fewer";
        case reason::precision_not_chosen: return "no low precision type was chosen";
        case reason::types_do_not_match: return "element types do not match";
        case reason::disabled_by_mark: return "it is marked to be left alone";
        case reason::shared_producer: return "its producer has other readers";
        case reason::restricted_by_target: return "the target takes no low precision type there";
        case reason::not_quantized_by_restriction: return "it was marked as an operation that cannot be quantized";
        case reason::nothing_to_do: return "there is nothing to do";
        case reason::dynamic_axis: return "the size of an axis is not known";
        case reason::name_has_no_place:
            return "it feeds an output of the network, and its producer cannot take its name";
        case reason::state_not_zero_at_first:
            return "it does not follow a ReadValue of its variable that begins with zeros";
        case reason::shared_state: return "other operations read or write its variable";
        case reason::condition_does_not_hold: return "a condition of the rule does not hold";
    }
    return "";
}

}  // namespace detail

/// A verdict as a sentence, with the port, type, axis and value that it is about.
template <int Once = 0>
constexpr text text_of(const verdict& answer) {
    text result(detail::sentence_of(answer.why));
    if (answer.port >= 0) {
        result.append(", input ").append(answer.port);
    }
    if (answer.type != dynamic) {
        result.append(", type ").append(name(answer.type));
    }
    if (answer.axis >= 0) {
        result.append(", axis ").append(answer.axis);
    }
    if (answer.value != 0) {
        result.append(", value ").append(answer.value);
    }
    if (!answer.condition.empty()) {
        result.append(", condition ").append(answer.condition);
    }
    return result;
}

/// A refusal as a sentence; names the transformation that a callback keeps away or that is disabled.
template <int Once = 0>
constexpr text text_of(const refusal& refused) {
    switch (refused.why.why) {
        case reason::skipped_by_callback: return join("a callback keeps ", refused.transformation, " away");
        case reason::disabled_by_user: return join(refused.transformation, " is disabled");
        default: return text_of(refused.why);
    }
}

/// An operation of the network as it was before the transformations.
struct listed_operation {
    node_id node = node_id::none;
    op::kind kind = op::kind::none;
    text name;
    text_view operation;  // published name of its type
};

/// The operations of a network but for its Parameters, Constants and Results, in topological order.
template <int Once = 0>
constexpr seq<listed_operation> list_operations(const graph& model) {
    seq<listed_operation> result;
    for (const node_id id : topological_order(model)) {
        const node& each = model[id];
        if (!each.is<op::parameter>() && !each.is<op::constant>() && !each.is<op::result>()) {
            result.push_back({id, each.kind(), each.name(), each.operation()});
        }
    }
    return result;
}

/// One operation of the original network and what it became.
struct report_row {
    text name;
    op::kind kind = op::kind::none;
    text_view operation;           // published name of its type
    node_id node = node_id::none;  // of the transformed graph; none if nothing there has its name
    element precision = dynamic;   // the type in which it computes; dynamic if it is gone
    seq<element, 2> inputs;        // element types
    seq<element, 2> outputs;
    text reason;                   // why it stayed in floating point, where a transformation said so
};

/// What became of each operation of a network.
struct report {
    seq<report_row> operations;
    seq<refusal> refusals;  // all of the run, in order; the nodes that they name may have been replaced since

    /// How many operations compute in 8 bits.
    constexpr std::size_t int8_operations() const {
        std::size_t count = 0;
        for (const report_row& each : operations) {
            count += each.precision == u8 || each.precision == i8 ? 1u : 0u;
        }
        return count;
    }

    /// How many operations of a kind compute in 8 bits.
    constexpr std::size_t count_of_bytes(op::kind kind) const {
        std::size_t count = 0;
        for (const report_row& each : operations) {
            count += each.kind == kind && (each.precision == u8 || each.precision == i8) ? 1u : 0u;
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
    constexpr explicit name_index(const graph& model) : model_(model) {
        std::size_t room = 16;
        while (room < model.size() * 2) {
            room *= 2;
        }
        slots_.resize(room);
        for (const node_id id : topological_order(model)) {
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

/// The type in which a node computes: that of its low precision data, else of its output.
template <int Once = 0>
constexpr element computing_type(const graph& model, const node& each) {
    if (each.inputs() != 0) {
        const element data = model.type(each.input(0));
        if (is_integral(data) && bit_width(data) == 8) {
            return data;
        }
    }
    return each.outputs() != 0 ? each.type() : dynamic;
}

template <class... Transformations>
constexpr void append_roots(seq<op::kind>& to, stage<Transformations...>) {
    (to.append(roots_of<Transformations>()), ...);
}

/// The last refusal of each node that has a reason worth telling.
class refusals_by_node {
    seq<std::int32_t> last_;
    view<refusal> all_;

    constexpr std::int32_t last_of(node_id id) const {
        return id == node_id::none || index_of(id) >= last_.size() ? -1 : last_[index_of(id)];
    }

public:
    constexpr refusals_by_node(const graph& model, view<refusal> all) : last_(model.id_bound(), -1), all_(all) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            const reason why = all[i].why.why;
            if (why != reason::none && why != reason::nothing_to_do && index_of(all[i].node) < last_.size()) {
                last_[index_of(all[i].node)] = static_cast<std::int32_t>(i);
            }
        }
    }
    /// The reason that was given last for a node under its number before or its number now; empty if there is none.
    constexpr text reason_of(node_id before, node_id now) const {
        const std::int32_t latest = math::maximum(last_of(before), last_of(now));
        text result;
        if (latest >= 0) {
            result = text_of(all_[static_cast<std::size_t>(latest)]);
        }
        return result;
    }
};

/// Why an operation that no transformation refused is in floating point.
template <int Once = 0>
constexpr text reason_without_refusal(op::kind kind, view<op::kind> handled) {
    for (const op::kind each : handled) {
        if (each == kind) {
            return text_of(refuse(reason::no_dequantization));
        }
    }
    return "no transformation brings operations of this type into low precision";
}

}  // namespace detail

/// The operation types that the main transformations of a pipeline begin at.
template <class Pipeline>
constexpr seq<op::kind> handled_operations() {
    seq<op::kind> result;
    detail::append_roots(result, typename Pipeline::main{});
    return result;
}

/// Compares a transformed graph with the operations that it had before.
///
/// `original`: `list_operations` of the graph before; `refusals`: those of the run; `handled`: `handled_operations` of the pipeline, none if
/// none ran: then there are no reasons. An operation is found by its name, or by its name with
/// `_original` behind, which rules give to an operation whose name moves to the dequantization behind it.
template <int Once = 0>
constexpr report make_report(view<listed_operation> original, const graph& model, view<refusal> refusals,
                             view<op::kind> handled) {
    const detail::name_index names(model);
    const detail::refusals_by_node reasons(model, refusals);
    report result;
    result.refusals = seq<refusal>(refusals);
    for (const listed_operation& each : original) {
        report_row row;
        row.name = each.name;
        row.kind = each.kind;
        row.operation = each.operation;
        node_id now = names.find(join(each.name, "_original"), each.kind);
        if (now == node_id::none || model[now].kind() != each.kind) {
            now = names.find(each.name, each.kind);
        }
        if (now == node_id::none && model.contains(each.node) && each.name.empty()) {
            now = each.node;
        }
        if (now != node_id::none && model[now].kind() == each.kind) {
            const node& found = model[now];
            row.node = now;
            row.precision = detail::computing_type(model, found);
            for (std::size_t port = 0; port < found.inputs(); ++port) {
                row.inputs.push_back(model.type(found.input(port)));
            }
            for (std::size_t port = 0; port < found.outputs(); ++port) {
                row.outputs.push_back(found.type(port));
            }
            if (is_real(row.precision) && !handled.empty()) {
                row.reason = reasons.reason_of(each.node, now);
                if (row.reason.empty()) {
                    row.reason = detail::reason_without_refusal(each.kind, handled);
                }
            }
        }
        result.operations.push_back(std::move(row));
    }
    return result;
}

/// A line per operation: name, type, the element type that it computes in and, if that is a real one, why.
template <int Once = 0>
constexpr text to_text(const report& all) {
    text result;
    for (const report_row& each : all.operations) {
        result.append(each.name).append("  ").append(each.operation).append("  ");
        result.append(each.precision == dynamic ? text_view("gone") : name(each.precision));
        if (!each.reason.empty()) {
            result.append("  ").append(each.reason);
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

}  // namespace lpt
