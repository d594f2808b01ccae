// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization_constants.hpp>
#include <lpt/transformation/guarded.hpp>

namespace lpt::inline LPT_ABI {

/// A rule about an operation and the dequantization on its input 0. Where the conditions hold the operation gets a dequantization of its own, and
/// `Rule::apply(r, operation, found)` rewrites both; it gives whether it changed the graph.
///
/// `Rule` has a name and a pattern, and may say the others its own way.
template <class Rule, rule_condition... Conditions>
struct dequantized_rule : rule_defaults<Rule> {
    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        return first_refusal<Conditions...>(r, id, find_dequantization(r, id));
    }
    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        if (!Rule::is_about(r, id)) {
            return false;
        }
        if (const verdict why = Rule::can_transform(r, id); !why) {
            return Rule::refused(r, id, why);
        }
        dequantization found = find_dequantization(r, id);
        const bool is_own = r.model[id].inputs() == 1 && is_unshared(r.model, found);  // as nearly all are
        const node_id operation = is_own ? id : unshare(r, id);
        if (!is_own) {
            found = normalize_dequantization(r, find_dequantization(r, operation));
        }
        return Rule::apply(r, operation, found);
    }
};

/// An operation of one output that works on quantized data as on real data: its dequantization moves behind it, where the conditions hold.
///
///     f(s (q - z))  =  s' (f(q) - z')
template <class Rule, rule_condition... Conditions>
struct movement : dequantized_rule<Rule, Conditions...> {
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id operation, const dequantization& found) {
        move_dequantization_after(r, operation, Rule::moved(r, operation, found), Rule::updates_type(r, operation));
        return true;
    }

    /// `s'` or `z'` of `s` or `z`, with `operation` still where it was.
    static constexpr node_id constant_behind(rewrite&, node_id, node_id constant) { return constant; }
    /// The dequantization as it stands behind the operation.
    static constexpr dequantization moved(rewrite& r, node_id operation, const dequantization& found) {
        return with_constants(r, found, operation, Rule::constant_behind);
    }
    /// False where a type-relaxed operation gives real numbers.
    static constexpr bool updates_type(const rewrite&, node_id) { return true; }
};

/// What most movements ask: constants per tensor or per channel of data whose rank is known.
constexpr verdict can_move_behind(const rewrite& r, node_id id, const dequantization& found) {
    return first_refusal<base_precondition, is_dequantized>(r, id, found);
}

}  // namespace lpt::inline LPT_ABI
