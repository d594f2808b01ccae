// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/pattern.hpp>
#include <lpt/transformation/rewrite.hpp>

namespace lpt::inline LPT_ABI {

/// What rules say of nodes that they do not rewrite, unless they say it their own way.
template <class Rule>
struct rule_defaults {
    /// False for nodes that the rule passes over without a word.
    static constexpr bool is_about(const rewrite&, node_id) { return true; }
    /// Reports why a node stays as it was; false.
    static constexpr bool refused(rewrite& r, node_id id, const verdict& why) { return r.refused(id, Rule::name, why); }
};

/// A rule whose conditions are asked before its rewrite; where one refuses, the report keeps the refusal and the node stays as it was.
///
/// `Rule` has a name, a pattern, `can_transform(r, id)`, and `apply(r, id)`, the rewrite: true if it changed the graph. Where the rewrite needs
/// what the conditions find, `Found` is the type of it, and `Rule` has `find(r, id, found)`, which gives the verdict, and `apply(r, id, found)`.
template <class Rule, class Found = void>
struct guarded : rule_defaults<Rule> {
    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        Found found{};
        return Rule::find(r, id, found);
    }
    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        if (!Rule::is_about(r, id)) {
            return false;
        }
        Found found{};
        const verdict answer = Rule::find(r, id, found);
        return answer ? Rule::apply(r, id, found) : Rule::refused(r, id, answer);
    }
};
template <class Rule>
struct guarded<Rule, void> : rule_defaults<Rule> {
    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        if (!Rule::is_about(r, id)) {
            return false;
        }
        const verdict answer = Rule::can_transform(r, id);
        return answer ? Rule::apply(r, id) : Rule::refused(r, id, answer);
    }
};

}  // namespace lpt::inline LPT_ABI
