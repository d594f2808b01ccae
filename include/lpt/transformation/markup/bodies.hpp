// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/body_budget.hpp>
#include <lpt/transformation/rewrite.hpp>

namespace lpt::inline LPT_ABI {

namespace detail {
template <class Step>
[[gnu::noinline]] constexpr void run_on_each_body(rewrite& r, node_id id) {
    for (std::size_t which = 0; which < r.model[id].bodies().size(); ++which) {
        with_budget_of_network(r.model, id, which, [&](graph& body) {
            rewrite inside(body, r.attributes.body(id, which), r.options, r.restrictions);
            Step::run(inside);
            r.take_refusals_of_body(id, which, inside);
        });
    }
}
}  // namespace detail

/// Runs a whole-graph step on the graphs inside a node, with the same options and restrictions, and their attribute tables.
template <class Step>
[[gnu::always_inline]] constexpr void run_on_bodies(rewrite& r, node_id id) {
    if (!r.model.is_plain() && r.model[id].bodies().size() != 0) {  // nearly no network has one
        detail::run_on_each_body<Step>(r, id);
    }
}

/// A step that visits all operations from which it is not kept away, in order, and those of the graphs inside of nodes first.
///
/// `Step` has a name and `visit(r, id)`; it may have `needed(r)`: false if a pipeline may leave the step out. With `NeedsInputs` it leaves out
/// operations without inputs, and what it leaves out with the graphs inside.
template <class Step, bool NeedsInputs = false>
struct step_over_operations {
    [[gnu::cold]] static constexpr void run(rewrite& r) {
        for (const node_id id : r.operations()) {
            if (NeedsInputs && (r.model[id].inputs() == 0 || r.skips(Step::name, id))) {
                continue;
            }
            run_on_bodies<Step>(r, id);
            if (NeedsInputs || !r.skips(Step::name, id)) {
                Step::visit(r, id);
            }
        }
    }
};

/// True if a graph, or one inside its nodes, has an operation in a version (or in any).
constexpr bool has_operation(const graph& model, op::kind operation, int version) {
    for (std::size_t i = 0; i < model.id_bound(); ++i) {
        if (!model.contains(id_at(i))) {
            continue;
        }
        const node& each = model[id_at(i)];
        if (each.kind() == operation && (version == any_version || each.version() == version)) {
            return true;
        }
        for (std::size_t which = 0; !model.is_plain() && which < each.bodies().size(); ++which) {
            if (has_operation(each.bodies()[which], operation, version)) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace lpt::inline LPT_ABI
