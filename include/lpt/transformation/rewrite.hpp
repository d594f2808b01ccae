// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/tables.hpp>
#include <lpt/base/null.hpp>
#include <lpt/graph/traverse.hpp>
#include <lpt/restriction/restriction.hpp>
#include <lpt/transformation/options.hpp>
#include <lpt/transformation/verdict.hpp>

namespace lpt::inline LPT_ABI {

/// A graph inside a node: which node, and which of its bodies.
struct body_step {
    node_id node = node_id::none;
    std::int32_t which = 0;
    friend constexpr bool operator==(const body_step&, const body_step&) = default;
};
/// The way from a network to a graph inside its nodes, from outside to inside; empty: the network itself.
using body_path = seq<body_step>;

/// What a refusal was about, as it was when it was made: later rewrites may change it.
struct refusal_facts {
    element input_type = dynamic;  // of what the port reads
    shape input_shape;
    element constant_type = dynamic;  // of the constant that it is about
    shape constant_shape;
    text_view other_operation;  // type of the other operation that it is about, or the one that the port reads
    text other_name;

    constexpr refusal_facts() = default;
    /// What an input of a node (`port` -1: none) and another node (perhaps `none`) are like now.
    constexpr refusal_facts(const graph& model, node_id id, int port, node_id about) {
        const auto place = static_cast<std::size_t>(port);
        if (port >= 0 && model.contains(id) && place < model[id].inputs()) {
            const output_ref source = model[id].input(place);
            input_type = model.type(source);
            input_shape = model.shape(source);
            set_other(model, source.node);
        }
        if (about != node_id::none && model.contains(about)) {
            set_other(model, about);
            if (model[about].is<op::constant>()) {
                constant_type = model[about].type();
                constant_shape = model[about].shape();
            }
        }
    }

private:
    constexpr void set_other(const graph& model, node_id id) {
        other_operation = model[id].operation();
        other_name = model[id].name();
    }
};

/// A refusal as the report keeps it.
struct refusal {
    node_id node = node_id::none;
    text_view transformation;
    verdict why;
    body_path body;  // where the node is
    shared<refusal_facts> facts;  // absent where the verdict names neither port nor constant nor operation
};

/// Everything that a transformation works on: the graph, the attributes of its nodes, the user's options and the
/// target's restrictions; and what it tells the driver: new nodes to visit, refusals.
class rewrite {
    seq<node_id> registered_;
    seq<refusal> refusals_;
    seq<node_id> order_;
    seq<node_id> operations_;  // the same without Constants
    std::uint64_t order_edits_ = 0;  // of the graph when the order was found
    bool has_order_ = false;

public:
    graph& model;
    attribute::tables& attributes;
    const transformation_options& options;
    const restriction_table& restrictions;

    constexpr rewrite(graph& network, attribute::tables& tables, const transformation_options& settings,
                      const restriction_table& target)
        : model(network), attributes(tables), options(settings), restrictions(target) {}

    /// The nodes in topological order, found anew only after a change of the graph. The reference ends with the next call.
    constexpr const seq<node_id>& order() {
        if (!has_order_ || order_edits_ != model.edits()) {
            detail::depth_first_walk walk(model);
            order_ = lpt::move(walk.order);
            operations_ = lpt::move(walk.operations);
            order_edits_ = model.edits();
            has_order_ = true;
        }
        return order_;
    }
    /// The same without Constants, which are half of all nodes and which few rules are about.
    constexpr const seq<node_id>& operations() {
        order();
        return operations_;
    }

    /// The node is visited next, before the remaining ones, in the order of registration.
    constexpr void register_new_node(node_id id) { registered_.push_back(id); }
    constexpr bool has_registered() const { return !registered_.empty(); }
    constexpr seq<node_id> take_registered() {
        seq<node_id> result = lpt::move(registered_);
        registered_ = {};
        return result;
    }
    /// Keeps a refusal for the report; gives false, as a transformation that refuses does.
    constexpr bool refused(node_id id, text_view transformation, const verdict& why) {
        if (refusals_.empty()) {
            refusals_.reserve(model.size() / 8 * 5);  // as many as there are mostly
        }
        refusals_.resize(refusals_.size() + 1);
        refusals_.back().node = id;
        refusals_.back().transformation = transformation;
        refusals_.back().why = why;
        if (why.why != reason::nothing_to_do && (why.port >= 0 || why.about != node_id::none)) {
            refusals_.back().facts = shared<refusal_facts>(refusal_facts(model, id, why.port, why.about));
        }
        return false;
    }
    /// Keeps the refusals of a rewrite of body `which` of node `id`.
    constexpr void take_refusals_of_body(node_id id, std::size_t which, rewrite& inner) {
        for (refusal& each : inner.refusals_) {
            each.body.insert(0, {id, static_cast<std::int32_t>(which)});
            refusals_.push_back(lpt::move(each));
        }
        inner.refusals_ = {};
    }
    constexpr const seq<refusal>& refusals() const { return refusals_; }
    constexpr seq<refusal> take_refusals() { return lpt::move(refusals_); }

    /// Why the transformation keeps away from this node: it is switched off, or a callback says so; `none` if it does not.
    constexpr reason skip_reason(text_view transformation, node_id id) const {
        if (options.disabled.contains(transformation)) {
            return reason::disabled_by_user;
        }
        for (const transformation_callback& each : options.callbacks) {
            if (each.transformation == transformation &&
                (is_null(each.skip_in) ? each.skip(model, id, each.context) : each.skip_in(*this, id))) {
                return reason::skipped_by_callback;
            }
        }
        return reason::none;
    }
    [[gnu::always_inline]] constexpr bool skips(text_view transformation, node_id id) const {
        return may_skip() && skip_reason(transformation, id) != reason::none;
    }
    /// False if no transformation keeps away from any node.
    constexpr bool may_skip() const { return !options.disabled.empty() || !options.callbacks.empty(); }
    /// True if a quirk of upstream is followed.
    constexpr bool follows(quirk which) const { return options.follows(which); }
    /// The type in which operations on quantized data are computed: f32, as sums of products of 8-bit integers are no f16 numbers. The
    /// dequantization precision where `quirk::overflowing_range` is followed, and for scaling.
    constexpr element computed_type() const {
        return follows(quirk::overflowing_range) || options.scaling_mode ? options.dequantization_precision : f32;
    }
};

/// The attributes of one type that a rewrite has.
template <class Attribute>
constexpr attribute::table<Attribute> attributes_of(const rewrite& r) {
    return r.attributes.of<Attribute>();
}

}  // namespace lpt::inline LPT_ABI
