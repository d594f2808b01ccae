// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/memory_errors.hpp>
#include <lpt/graph/body_budget.hpp>
#include <lpt/pipeline/dispatch.hpp>

namespace lpt::inline LPT_ABI {

namespace detail {

/// How many changes a rewrite may make before it counts as endless: so many for each node, and some for small graphs.
inline constexpr std::size_t changes_per_node = 64;
inline constexpr std::size_t changes_at_least = 4096;

/// One rewrite of one graph.
class drive_run {
    rewrite& rewrite_;
    dispatch_view table_;
    seq<node_id> waiting_;  // the next node is the last one
    std::size_t changes_left_;
    seq<text_view, 8> latest_;
    bool may_skip_;

    /// Nodes that a transformation registered are visited next, before the remaining ones, in the order of registration.
    constexpr void take_registered() {
        if (!rewrite_.has_registered()) {
            return;
        }
        const seq<node_id> registered = rewrite_.take_registered();
        for (std::size_t i = registered.size(); i-- > 0;) {
            waiting_.push_back(registered[i]);
        }
    }

    [[gnu::cold]] constexpr void count_change(text_view name) {
        --changes_left_;
        if (changes_left_ < 64 && !latest_.contains(name)) {
            latest_.push_back(name);
        }
        if (changes_left_ != 0) {
            return;
        }
        text names;
        for (const text_view each : latest_) {
            names.append(names.empty() ? text_view() : text_view(", ")).append(each);
        }
        fail({"the rewrite does not come to an end; still changing: ", names});
    }

    constexpr text where_of(text_view transformation, node_id id) const {
        const bool is_there = rewrite_.model.contains(id);
        return is_there ? join({transformation, " at '", rewrite_.model[id].name(), "'"}) : text(transformation);
    }

    constexpr void visit(node_id id) {
        const op::kind kind = rewrite_.model[id].kind();
        const std::size_t bucket = dispatch_bucket(kind);
        for (std::int16_t i = table_.first[bucket]; i < table_.first[bucket + 1]; ++i) {
            const dispatch_row& row = table_.rows[static_cast<std::size_t>(i)];
            if (row.root != kind || !row.matches(rewrite_.model, id)) {
                continue;
            }
            if (may_skip_) {
                if (const reason why = rewrite_.skip_reason(row.name, id); why != reason::none) {
                    rewrite_.refused(id, row.name, refuse(why));
                    continue;
                }
            }
            const bool changed = detail::naming_memory([&] { return row.transform(rewrite_, id); },
                                                       [&] { return where_of(row.name, id); });
            take_registered();
            rewrite_.model.collect();
            if (changed) {
                count_change(row.name);
            }
            if (changed || !rewrite_.model.contains(id) || rewrite_.model[id].kind() != kind) {
                return;
            }
        }
    }

public:
    constexpr drive_run(rewrite& changes, dispatch_view table)
        : rewrite_(changes),
          table_(table),
          changes_left_(changes.model.size() * changes_per_node + changes_at_least),
          may_skip_(changes.may_skip()) {
        const std::size_t of_constants = dispatch_bucket(op::kind::constant);
        const bool visits_constants = table.first[of_constants] != table.first[of_constants + 1];
        const seq<node_id>& order = visits_constants ? changes.order() : changes.operations();
        waiting_.resize(order.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            waiting_[order.size() - 1 - i] = order[i];
        }
    }
    /// A run that was interrupted: what was still waiting then, the next node last.
    constexpr drive_run(rewrite& changes, dispatch_view table, seq<node_id> waiting, std::size_t changes_left)
        : rewrite_(changes),
          table_(table),
          waiting_(lpt::move(waiting)),
          changes_left_(changes_left),
          may_skip_(changes.may_skip()) {}
    constexpr const seq<node_id>& waiting() const { return waiting_; }
    constexpr std::size_t changes_left() const { return changes_left_; }

    constexpr void run();
    /// Visits at most so many nodes; gives how many of these were not needed.
    constexpr std::size_t run(std::size_t visits);
};

}  // namespace detail

/// Runs the transformations of a table over a graph as one rewrite.
///
/// All nodes are visited in topological order. At each one the candidates of its operation are tried in order until one
/// reports a change. Nodes that a transformation registers as new are visited next, in the order of registration, also when
/// it reported no change; then the later candidates still get the current node first. A node registered twice is visited
/// twice, one that left the graph is skipped. Graphs inside a node are rewritten when the node is visited, before the
/// node itself. Time is linear in the number of nodes and changes.
/// Raises an error if the graph has a cycle, and one that names the transformations if they change the graph for ever.
constexpr void drive(rewrite& changes, dispatch_view table) { detail::drive_run(changes, table).run(); }

namespace detail {

constexpr void drive_bodies(rewrite& changes, dispatch_view table, node_id id) {
    for (std::size_t which = 0; which < changes.model[id].bodies().size(); ++which) {
        with_budget_of_network(changes.model, id, which, [&](graph& body) {
            rewrite inner(body, changes.attributes.body(id, which), changes.options, changes.restrictions);
            drive(inner, table);
            changes.take_refusals_of_body(id, which, inner);
        });
    }
}

constexpr void drive_run::run() { run(static_cast<std::size_t>(-1)); }
constexpr std::size_t drive_run::run(std::size_t visits) {
    for (; !waiting_.empty() && visits != 0; --visits) {
        const node_id id = waiting_.back();
        waiting_.pop_back();
        if (!rewrite_.model.contains(id)) {
            continue;
        }
        if (!rewrite_.model.is_plain() && rewrite_.model[id].bodies().size() != 0) {
            drive_bodies(rewrite_, table_, id);
        }
        visit(id);
    }
    return visits;
}

}  // namespace detail

}  // namespace lpt::inline LPT_ABI
