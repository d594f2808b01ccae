// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/restriction/checks.hpp>
#include <lpt/restriction/lists.hpp>

/// Tables of restrictions: equality, text, and what is made of two: `a | b`, `intersect(a, b)`, `without<op::add>(a)`.
namespace lpt::inline LPT_ABI {

// ---- equality

constexpr bool operator==(const precision_row& left, const precision_row& right) {
    return left.operation == right.operation && left.version == right.version && left.accepted == right.accepted &&
           left.rule == right.rule;
}
constexpr bool operator==(const granularity_row& left, const granularity_row& right) {
    return left.operation == right.operation && left.version == right.version && left.ports == right.ports &&
           left.value == right.value;
}

namespace detail {
template <class Row>
constexpr std::size_t count_of(const seq<Row>& rows, const Row& wanted) {
    std::size_t count = 0;
    for (const Row& each : rows) {
        count += each == wanted ? 1u : 0u;
    }
    return count;
}
template <class Row>
constexpr bool same_rows(const seq<Row>& left, const seq<Row>& right) {
    if (left.size() != right.size()) {
        return false;
    }
    for (const Row& each : left) {
        if (count_of(left, each) != count_of(right, each)) {
            return false;
        }
    }
    return true;
}
}  // namespace detail

/// True if both have the same rows, in whatever order; for restrictions that are types, too.
constexpr bool operator==(const restriction_table& left, const restriction_table& right) {
    return detail::same_rows(left.precisions, right.precisions) &&
           detail::same_rows(left.granularities, right.granularities);
}

// ---- text

namespace detail {

constexpr text subject(op::kind operation, int version, view<const op::user_row*> known) {
    text result = op::name(operation);
    for (const op::user_row* each : known) {
        if (each->number == operation) {
            result = each->name;
        }
    }
    if (version != any_version) {
        result.append(" version ").append(version);
    }
    return result;
}
constexpr text listed(view<std::int32_t> ports) {
    text result = ports.size() == 1 ? ", port " : ", ports ";
    for (std::size_t i = 0; i < ports.size(); ++i) {
        result.append(i == 0 ? "" : i + 1 == ports.size() ? " and " : ", ").append(ports[i]);
    }
    return result;
}
constexpr text listed(view<element> types) {
    text result;
    for (std::size_t i = 0; i < types.size(); ++i) {
        result.append(i == 0 ? "" : i + 1 == types.size() ? " or " : ", ").append(name(types[i]));
    }
    return result;
}
constexpr text in_words(const precision_row& row, view<const op::user_row*> known) {
    text result = subject(row.operation, row.version, known);
    if (row.rule != nullptr) {
        return result.append(": a function says for each node\n");
    }
    if (!row.accepted.ports.empty()) {
        result.append(listed(row.accepted.ports));
    }
    if (row.accepted.types.empty()) {
        return result.append(": not quantized\n");
    }
    result.append(": ").append(listed(row.accepted.types));
    return result.append(row.accepted.ports.size() > 1 ? ", the same on all\n" : "\n");
}
constexpr text in_words(const granularity_row& row, view<const op::user_row*> known) {
    text result = subject(row.operation, row.version, known);
    if (row.ports.empty()) {
        result.append(", all ports");
    } else {
        result.append(listed(row.ports));
    }
    return result.append(row.value == attribute::granularity::per_tensor ? ": per tensor\n" : ": per channel\n");
}

}  // namespace detail

/// A line for each row: `Convolution, port 0: u8`. `known`: rows of operation types of users, which are shown by name.
constexpr text to_text(const restriction_table& table, view<const op::user_row*> known = {}) {
    text result;
    for (const precision_row& row : table.precisions) {
        result.append(detail::in_words(row, known));
    }
    for (const granularity_row& row : table.granularities) {
        result.append(detail::in_words(row, known));
    }
    return result;
}

// ---- tables made of others

namespace detail {

template <class Row>
constexpr bool is_about_same(const seq<Row>& rows, const Row& wanted) {
    for (const Row& each : rows) {
        if (each.operation == wanted.operation && versions_meet(each.version, wanted.version)) {
            return true;
        }
    }
    return false;
}
template <class Row>
constexpr seq<Row> overridden(const seq<Row>& old, const seq<Row>& with) {
    seq<Row> result;
    for (const Row& each : old) {
        if (!is_about_same(with, each)) {
            result.push_back(each);
        }
    }
    for (const Row& each : with) {
        result.push_back(each);
    }
    return result;
}
template <class Row>
constexpr seq<Row> rows_besides(const seq<Row>& rows, op::kind operation) {
    seq<Row> result;
    for (const Row& each : rows) {
        if (each.operation != operation) {
            result.push_back(each);
        }
    }
    return result;
}

/// True if two groups of ports share one.
constexpr bool share_port(const port_types& one, const port_types& other) {
    for (const std::int32_t port : one.ports) {
        if (other.ports.contains(port)) {
            return true;
        }
    }
    return false;
}
constexpr void add_new(seq<std::int32_t, 8>& ports, view<std::int32_t> more) {
    for (const std::int32_t port : more) {
        if (!ports.contains(port)) {
            ports.push_back(port);
        }
    }
}
/// The ports of `groups` in sets without common members: ports that have to have one type.
constexpr seq<port_types> united_ports(view<port_types> groups) {
    seq<port_types> result;
    for (const port_types& each : groups) {
        port_types* united = nullptr;
        for (std::size_t i = 0; i < result.size();) {
            if (!share_port(result[i], each)) {
                ++i;
            } else if (united == nullptr) {
                united = &result[i++];
            } else {
                add_new(united->ports, result[i].ports);
                result.erase(i);
            }
        }
        if (united != nullptr) {
            add_new(united->ports, each.ports);
        } else {
            result.push_back({each.ports, {}});
        }
    }
    return result;
}
constexpr void keep_common(seq<element, 8>& types, const seq<element, 8>& others) {
    for (std::size_t i = 0; i < types.size();) {
        if (others.contains(types[i])) {
            ++i;
        } else {
            types.erase(i);
        }
    }
}
/// What both of two lists of groups accept; best first as in the first list. Without groups: nothing may be quantized.
constexpr seq<port_types> common_groups(const seq<port_types>& one, const seq<port_types>& other) {
    if (one.empty() || other.empty()) {
        return {};
    }
    seq<port_types> all = one;
    for (const port_types& each : other) {
        all.push_back(each);
    }
    seq<port_types> result = united_ports(all);
    for (port_types& united : result) {
        bool first = true;
        for (const port_types& each : all) {
            if (!share_port(each, united)) {
                continue;
            }
            if (first) {
                united.types = each.types;
                first = false;
            }
            keep_common(united.types, each.types);
        }
    }
    return result;
}

/// What the rows of an operation say about one version; `any_version`: those that are about all.
struct version_rows {
    seq<port_types> groups;
    bool restricted = false;
    bool by_rule = false;
};
constexpr version_rows rows_about(const seq<precision_row>& rows, op::kind operation, int version) {
    version_rows result;
    for (const precision_row& each : rows) {
        if (each.operation != operation || (each.version != version && each.version != any_version)) {
            continue;
        }
        result.restricted = true;
        result.by_rule = result.by_rule || each.rule != nullptr;
        if (!each.accepted.ports.empty()) {
            result.groups.push_back(each.accepted);
        }
    }
    return result;
}
/// The operations that rows of two tables are about.
template <class Row>
constexpr seq<op::kind> operations_in(const seq<Row>& one, const seq<Row>& other) {
    seq<op::kind> result;
    for (const seq<Row>* rows : {&one, &other}) {
        for (const Row& each : *rows) {
            if (!result.contains(each.operation)) {
                result.push_back(each.operation);
            }
        }
    }
    return result;
}
/// The versions for which the rows of an operation in two tables are intersected.
template <class Row>
constexpr seq<int, 8> versions_in(const seq<Row>& one, const seq<Row>& other, op::kind operation) {
    seq<int, 8> result;
    for (const seq<Row>* rows : {&one, &other}) {
        for (const Row& each : *rows) {
            if (each.operation == operation && !result.contains(each.version)) {
                result.push_back(each.version);
            }
        }
    }
    if (result.size() < 2 || !result.contains(any_version)) {
        return result;
    }
    if (op::is_of_user(operation)) {
        fail(
            {"intersection of restrictions of an operation of the user: one is about all versions, another about one"});
    }
    const op::versions& all = op::row_of(operation).opsets;
    return seq<int, 8>(view<int>(all.values, static_cast<std::size_t>(all.count)));
}

/// `both`: what answers for each node where one of the tables has a function; null: such tables raise an error.
constexpr void intersect_precisions(restriction_table& result, const restriction_table& one,
                                    const restriction_table& other, op::kind operation, precision_rule both) {
    for (const int version : versions_in(one.precisions, other.precisions, operation)) {
        const version_rows first = rows_about(one.precisions, operation, version);
        const version_rows second = rows_about(other.precisions, operation, version);
        if (first.by_rule || second.by_rule) {
            if (both == nullptr) {
                fail({"intersection of restrictions of ", op::name(operation),
                      ": one of them is a function of the node, and tables cannot hold one that asks both"});
            }
            result.precisions.push_back({operation, version, {}, both});
            continue;
        }
        seq<port_types> groups = first.restricted ? first.groups : second.groups;
        if (first.restricted && second.restricted) {
            groups = common_groups(first.groups, second.groups);
        }
        if (groups.empty()) {
            result.precisions.push_back({operation, version, {}, nullptr});
        }
        for (const port_types& each : groups) {
            result.precisions.push_back({operation, version, each, nullptr});
        }
    }
}

/// Per tensor on the ports where one of the tables asks for it.
constexpr void intersect_granularities(restriction_table& result, const restriction_table& one,
                                       const restriction_table& other, op::kind operation) {
    for (const int version : versions_in(one.granularities, other.granularities, operation)) {
        granularity_row united{operation, version, {}};
        bool asked = false;
        bool on_all_ports = false;
        for (const seq<granularity_row>* rows : {&one.granularities, &other.granularities}) {
            for (const granularity_row& each : *rows) {
                if (each.operation != operation || (each.version != version && each.version != any_version) ||
                    each.value != attribute::granularity::per_tensor) {
                    continue;
                }
                asked = true;
                on_all_ports = on_all_ports || each.ports.empty();
                add_new(united.ports, each.ports);
            }
        }
        if (on_all_ports) {
            united.ports.clear();
        }
        if (asked) {
            result.granularities.push_back(united);
        }
    }
}

constexpr restriction_table intersect(const restriction_table& one, const restriction_table& other,
                                      precision_rule both) {
    restriction_table result;
    for (const op::kind each : operations_in(one.precisions, other.precisions)) {
        intersect_precisions(result, one, other, each, both);
    }
    for (const op::kind each : operations_in(one.granularities, other.granularities)) {
        intersect_granularities(result, one, other, each);
    }
    return result;
}

}  // namespace detail

/// The rows of `with`, and those of `old` that are about other operations or versions, or about the other of precisions and
/// granularity.
constexpr restriction_table operator|(const restriction_table& old, const restriction_table& with) {
    return {detail::overridden(old.precisions, with.precisions),
            detail::overridden(old.granularities, with.granularities)};
}

/// What both tables accept: on each port the types that both have, in the order of `one`; none means that the port must not be
/// quantized. Per tensor where one of them asks for it. Where only one restricts an operation it holds.
///
/// Ports that are a group in one table have one type in the result. Raises an error where both are about an operation and one of
/// them is a function of the node (restrictions that are types do not).
constexpr restriction_table intersect(const restriction_table& one, const restriction_table& other) {
    return detail::intersect(one, other, nullptr);
}

/// The table without all rows of these operations.
template <class... Ops>
constexpr restriction_table without(const restriction_table& table) {
    restriction_table result = table;
    ((result.precisions = detail::rows_besides(result.precisions, Ops::number)), ...);
    ((result.granularities = detail::rows_besides(result.granularities, Ops::number)), ...);
    return result;
}

}  // namespace lpt::inline LPT_ABI
