// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/set.hpp>
#include <lpt/transformation/markup/bodies.hpp>
#include <lpt/transformation/markup/propagation.hpp>

namespace lpt::inline LPT_ABI {

/// Marks operations that low precision cannot reach, operations that preserve the precision, and the ports whose
/// precisions the target restricts. Raises an error for a restriction of an operation that no transformation handles.
struct markup_precisions {
    static constexpr text_view name = "MarkupPrecisions";
    using writes = attribute::set<attribute::precisions, attribute::precision_preserved>;

    static constexpr bool needed(const rewrite& r) { return !r.restrictions.precisions.empty(); }

    [[gnu::cold]] static constexpr void run(rewrite& r) {
        check(r.restrictions);
        detail::operation_set restricted;
        for (const precision_row& row : r.restrictions.precisions) {
            restricted.add(row.operation);
        }
        for (const node_id id : r.operations()) {
            if (r.model[id].inputs() == 0 || r.skips(name, id)) {
                continue;
            }
            run_on_bodies<markup_precisions>(r, id);
            mark_up(r, id, restricted);
        }
    }

private:
    static constexpr void check(const restriction_table& restrictions) {
        for (const precision_row& row : restrictions.precisions) {
            if (!op::is_of_user(row.operation) && !is_quantizable(row.operation) && row.operation != op::kind::result) {
                fail({"the precisions of ", op::name(row.operation),
                      " are restricted, but no transformation handles it"});
            }
        }
    }
    /// `restricted`: the library's operations that the target says something of.
    static constexpr void mark_up(rewrite& r, node_id id, const detail::operation_set& restricted) {
        const op::kind operation = r.model[id].kind();
        const op::row& facts = op::row_of(r.model[id].attributes());
        const bool supported = is_quantizable(facts) || operation == op::kind::result;
        if (!supported || !base_precondition(r, id)) {
            return restrict(r, id, {port_types{{0}, {}}});
        }
        if (op::is_of_user(operation)) {
            return mark_up_of_user(r, id, *r.model[id].attributes().facts_of_user());
        }
        if (preserves_precision(facts) && !has_port_without_precisions(r, id) &&
            !attributes_of<attribute::precision_preserved>(r).has(attribute::place::on_node(id))) {
            attributes_of<attribute::precision_preserved>(r).set_node(id, {true});
        }
        if (restricted.contains(operation)) {
            restrict_by_target(r, id);
        }
    }
    /// What the target says: the groups of its rows, which need no copy, or what its functions say of the node.
    static constexpr void restrict_by_target(rewrite& r, node_id id) {
        bool is_restricted = false;
        bool has_groups = false;
        for (const precision_row& row : r.restrictions.precisions) {
            if (!restriction_table::is_about(row.operation, row.version, r.model[id])) {
                continue;
            }
            if (row.rule != nullptr) {
                seq<port_types> groups;
                if (r.restrictions.precisions_of(r.model, id, groups)) {
                    restrict(r, id, groups);
                }
                return;
            }
            is_restricted = true;
            has_groups = has_groups || !row.accepted.ports.empty();
        }
        if (!is_restricted) {
            return;
        }
        if (!has_groups) {
            return restrict(r, id, {});
        }
        for (const precision_row& row : r.restrictions.precisions) {
            if (restriction_table::is_about(row.operation, row.version, r.model[id]) && !row.accepted.ports.empty() &&
                !restrict_group(r, id, row.accepted)) {
                return;
            }
        }
    }
    /// Here restrictions come first: an operation that may not be quantized hands no precision on.
    static constexpr void mark_up_of_user(rewrite& r, node_id id, const op::user_row& facts) {
        seq<port_types> groups;
        if (!r.restrictions.precisions_of(r.model, id, groups)) {
            groups = declared_types(facts);
        }
        restrict(r, id, groups);
        if (preserves_precision(facts) && !has_port_without_precisions(r, id)) {
            attributes_of<attribute::precision_preserved>(r).set_node(id, {true});
        }
    }
    /// What a user's operation type takes where the target does not restrict it further.
    static constexpr seq<port_types> declared_types(const op::user_row& facts) {
        seq<port_types> result;
        const op::low_precision& declared = facts.low_precision;
        for (int i = 0; i < declared.ports.count; ++i) {
            port_types& added = result.push_back({{declared.ports.values[i]}, {}});
            for (int type = 0; type < declared.types.count; ++type) {
                added.types.push_back(declared.types.values[type]);
            }
        }
        return result;
    }
    /// Gives each group of ports one shared list; stops at a port that must not be quantized. No group: no port may be quantized.
    static constexpr void restrict(rewrite& r, node_id id, view<port_types> groups) {
        if (groups.empty()) {
            return forbid_precisions(r, id);
        }
        for (const port_types& group : groups) {
            if (!restrict_group(r, id, group)) {
                return;
            }
        }
    }
    static constexpr bool restrict_group(rewrite& r, node_id id, const port_types& group) {
        auto precisions = attributes_of<attribute::precisions>(r);
        attribute::place first;
        for (const std::int32_t number : group.ports) {
            const auto port = static_cast<std::size_t>(number);
            if (port >= r.model[id].inputs()) {
                continue;  // an optional input that this node does not have
            }
            const attribute::precisions* found = precisions.find_input(id, port);
            if (found != nullptr && found->types.empty()) {
                return false;
            }
            const attribute::place mine = attribute::place::on_input(id, port);
            if (exists(first)) {
                precisions.share(mine, first);
            } else {
                precisions.set(mine, {seq<element, 8>(group.types)});
                first = mine;
            }
        }
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
