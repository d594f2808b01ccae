// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/restriction/restriction.hpp>

/// Restrictions as data are looked at before anything is done with them: the same mistakes as in restrictions that are types.
namespace lpt::inline LPT_ABI {

namespace detail {

struct table_finding {
    restriction_finding found;
    op::kind operation = op::kind::none;
};

constexpr bool versions_meet(int one, int other) { return one == other || one == any_version || other == any_version; }

constexpr restriction_finding find_in_row(const op::row& operation, int version, const port_types& accepted,
                                          bool about_granularity) {
    if (about_granularity) {
        return find_granularity_mistake(operation, version, accepted.ports);
    }
    const bool excludes = accepted.ports.empty() && accepted.types.empty();
    return find_restriction_mistake(operation, version, view<port_types>(&accepted, excludes ? 0 : 1));
}

/// The first mistake within one row. `known`: the user's operation types; `all_known`: others are a mistake.
constexpr restriction_finding find_in_row(op::kind operation, int version, const port_types& accepted,
                                          bool about_granularity, view<const op::user_row*> known, bool all_known) {
    if (static_cast<int>(operation) < 0 || operation == op::kind::count) {
        return {restriction_mistake::no_operation};
    }
    if (!op::is_of_user(operation)) {
        return find_in_row(op::row_of(operation), version, accepted, about_granularity);
    }
    for (const op::user_row* each : known) {
        if (each->number == operation) {
            return find_in_row(*each, version, accepted, about_granularity);
        }
    }
    return {all_known ? restriction_mistake::unknown_operation : restriction_mistake::none};
}

/// What is wrong with two rows of one operation: a port that both are about, or that one allows what the other excludes.
constexpr restriction_finding find_contradiction(const precision_row& row, const precision_row& other) {
    if (row.operation != other.operation || !versions_meet(row.version, other.version)) {
        return {};
    }
    if (row.accepted.ports.empty() || other.accepted.ports.empty()) {  // nothing at all, or what a function says
        return {restriction_mistake::repeated};
    }
    for (const std::int32_t port : row.accepted.ports) {
        if (other.accepted.ports.contains(port)) {
            return {restriction_mistake::port_twice, port};
        }
    }
    return {};
}
/// The same about granularities, which may be repeated but not different.
constexpr restriction_finding find_contradiction(const granularity_row& row, const granularity_row& other) {
    if (row.operation != other.operation || !versions_meet(row.version, other.version) || row.value == other.value) {
        return {};
    }
    if (row.ports.empty() || other.ports.empty()) {
        return {restriction_mistake::repeated};
    }
    for (const std::int32_t port : row.ports) {
        if (other.ports.contains(port)) {
            return {restriction_mistake::port_twice, port};
        }
    }
    return {};
}

/// The first mistake in a table.
constexpr table_finding find_in_table(const restriction_table& table, view<const op::user_row*> known = {},
                                      bool all_known = false) {
    for (std::size_t i = 0; i < table.precisions.size(); ++i) {
        const precision_row& row = table.precisions[i];
        restriction_finding found = find_in_row(row.operation, row.version, row.accepted, false, known, all_known);
        for (std::size_t j = 0; j < i && found.what == restriction_mistake::none; ++j) {
            found = find_contradiction(row, table.precisions[j]);
        }
        if (found.what != restriction_mistake::none) {
            return {found, row.operation};
        }
    }
    for (std::size_t i = 0; i < table.granularities.size(); ++i) {
        const granularity_row& row = table.granularities[i];
        restriction_finding found = find_in_row(row.operation, row.version, {row.ports, {}}, true, known, all_known);
        for (std::size_t j = 0; j < i && found.what == restriction_mistake::none; ++j) {
            found = find_contradiction(row, table.granularities[j]);
        }
        if (found.what != restriction_mistake::none) {
            return {found, row.operation};
        }
    }
    return {};
}

}  // namespace detail

/// Raises an error for restrictions that cannot be meant: an operation that no transformation handles, a version or port that it
/// does not have, a type that the port cannot take, a port or type that is named twice, a granularity of a port without data, rows
/// that contradict each other.
constexpr void check_restrictions(const restriction_table& restrictions) {
    const detail::table_finding first = detail::find_in_table(restrictions);
    if (first.found.what == detail::restriction_mistake::none) {
        return;
    }
    const bool in_table = static_cast<int>(first.operation) >= 0 && first.operation < op::kind::count;
    detail::raise(first.found,
                  first.found.what == detail::restriction_mistake::no_operation ? text_view()
                                                                                : op::name(first.operation),
                  in_table ? op::row_of(first.operation).inputs.most : 0);
}

}  // namespace lpt::inline LPT_ABI
