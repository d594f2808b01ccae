// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/tables.hpp>
#include <lpt/graph/traverse.hpp>
#include <lpt/restriction/restriction.hpp>
#include <lpt/transformation/options.hpp>
#include <lpt/transformation/verdict.hpp>

namespace lpt {

/// A refusal as the report keeps it.
struct refusal {
    node_id node = node_id::none;
    text_view transformation;
    verdict why;
};

/// Everything that a transformation works on: the graph, the attributes of its nodes, the user's options and the
/// target's restrictions; and what it tells the driver: new nodes to visit, refusals.
///
/// The library's transformations take it as `auto& r`: a compiler then reads them, and compiles those that a pipeline runs.
class rewrite {
    seq<node_id> registered_;
    seq<refusal> refusals_;
    seq<node_id> order_;
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

    /// The nodes in topological order; found anew only where the graph was changed since the last call. The reference
    /// ends with the next call.
    constexpr const seq<node_id>& order() {
        if (!has_order_ || order_edits_ != model.edits()) {
            order_ = topological_order(model);
            order_edits_ = model.edits();
            has_order_ = true;
        }
        return order_;
    }

    /// The node is visited next, before the remaining ones, in the order of registration.
    constexpr void register_new_node(node_id id) { registered_.push_back(id); }
    constexpr seq<node_id> take_registered() {
        seq<node_id> result = std::move(registered_);
        registered_ = {};
        return result;
    }
    /// Keeps a refusal for the report; gives false, as a transformation that refuses does.
    constexpr bool refused(node_id id, text_view transformation, const verdict& why) {
        refusals_.push_back({id, transformation, why});
        return false;
    }
    constexpr const seq<refusal>& refusals() const { return refusals_; }

    /// Why the transformation keeps away from this node: it is switched off, or a callback says so; `none` if it does not.
    constexpr reason skip_reason(text_view transformation, node_id id) const {
        if (options.disabled.empty() && options.callbacks.empty()) {
            return reason::none;
        }
        if (options.disabled.contains(transformation)) {
            return reason::disabled_by_user;
        }
        for (const transformation_callback& each : options.callbacks) {
            if (each.transformation == transformation &&
                (each.skip_in != nullptr ? each.skip_in(*this, id) : each.skip(model, id, each.context))) {
                return reason::skipped_by_callback;
            }
        }
        return reason::none;
    }
    constexpr bool skips(text_view transformation, node_id id) const {
        return skip_reason(transformation, id) != reason::none;
    }
    /// True if `type` is one of the default precisions.
    constexpr bool is_default_precision(element type) const { return options.default_precisions.contains(type); }
};

/// The attributes of one type that a rewrite has.
template <class Attribute>
constexpr attribute::table<Attribute> attributes_of(const rewrite& r) {
    return r.attributes.of<Attribute>();
}

}  // namespace lpt
