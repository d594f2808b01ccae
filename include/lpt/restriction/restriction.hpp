// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/quantization_granularity.hpp>
#include <lpt/graph/graph.hpp>
#include <lpt/restriction/port_types.hpp>

/// What a target's low precision operations accept: as plain rows, and as types that are checked when they are compiled.
namespace lpt::inline LPT_ABI {

/// The types that one node accepts: for targets whose answer depends on more than the operation.
using precision_rule = seq<port_types> (*)(const graph&, node_id);

/// The types that an operation accepts on a group of ports. All rows of an operation together are its restriction.
struct precision_row {
    op::kind operation = op::kind::none;
    int version = any_version;
    port_types accepted;  // without ports: no port of the operation may be quantized
    precision_rule rule =
        nullptr;  // if there is one it is asked instead of `accepted`; no answer: no port may be quantized
};

/// The granularity that an operation asks for on some ports.
struct granularity_row {
    op::kind operation = op::kind::none;
    int version = any_version;
    seq<std::int32_t, 8> ports;  // none: all ports
    attribute::granularity value = attribute::granularity::per_tensor;
};

/// Everything that a target restricts, as data.
struct restriction_table {
    seq<precision_row> precisions;
    seq<granularity_row> granularities;

    /// The port groups that hold for a node; false if nothing restricts it. An empty result with `true` means that no
    /// port may be quantized.
    constexpr bool precisions_of(const graph& model, node_id id, seq<port_types>& result) const {
        bool restricted = false;
        for (const precision_row& row : precisions) {
            if (!is_about(row.operation, row.version, model[id])) {
                continue;
            }
            restricted = true;
            if (row.rule != nullptr) {
                const seq<port_types> answer = row.rule(model, id);
                for (const port_types& each : answer) {
                    check_port_types(op::row_of(model[id].attributes()), row.version, each);
                }
                result.append(answer);
            } else if (!row.accepted.ports.empty()) {
                result.push_back(row.accepted);
            }
        }
        return restricted;
    }
    /// The types that an operation of any version accepts on a port, whatever the node; null if nothing restricts it.
    constexpr const port_types* precisions_on(op::kind operation, std::int32_t port) const {
        for (const precision_row& row : precisions) {
            if (row.operation == operation && row.accepted.ports.contains(port)) {
                return &row.accepted;
            }
        }
        return nullptr;
    }
    /// True if a row says that no port of the operation may be quantized.
    constexpr bool excludes(op::kind operation) const {
        for (const precision_row& row : precisions) {
            if (row.operation == operation && row.rule == nullptr && row.accepted.ports.empty()) {
                return true;
            }
        }
        return false;
    }
    /// True if there is a row for the operation.
    constexpr bool restricts(op::kind operation) const {
        for (const precision_row& row : precisions) {
            if (row.operation == operation) {
                return true;
            }
        }
        return false;
    }

    static constexpr bool is_about(op::kind operation, int version, const node& each) {
        return each.kind() == operation && (version == any_version || version == each.version());
    }
};

// ---- restrictions as types

namespace detail {
template <int... Numbers>
struct port_set {};
}  // namespace detail

/// Several input ports that share one decision: `on<ports<0, 1>, u8>`.
template <int... Numbers>
inline constexpr detail::port_set<Numbers...> ports{};

/// The element types accepted on a port, or on a group of ports, best first. Without types: must not be quantized.
template <auto Where, element... Types>
struct on {};

/// One version of an operation, where a restriction means only that: `precisions<in_version<op::max_pool, 1>, on<0, u8>>`.
template <class Op, int Version>
struct in_version {};

namespace mistake {
// No transformation brings this operation to low precision, so a restriction of it would never have an effect.
template <class Op>
struct no_transformation_handles_operation;
// The operation was not defined in this operation set.
template <class Op, int Version>
struct operation_has_no_such_version;
// The operation has fewer input ports than the restriction says.
template <class Op, int Port>
struct operation_has_no_such_input_port;
// Two parts of one restriction are about the same port.
template <class Op, int Port>
struct input_port_is_restricted_twice;
// The port carries no data, or the arithmetic of the operation cannot take a tensor of this type.
template <class Op, int Port, element Type>
struct input_port_cannot_take_element_type;
// A list of ports is empty, so what stands beside it would never have an effect.
template <class Op>
struct restriction_names_no_input_port;
// One list of accepted types has this type twice; the first decides.
template <class Op, int Port, element Type>
struct input_port_accepts_element_type_twice;
// The port carries axes, shapes, bounds or the like: no scale or zero point belongs to it.
template <class Op, int Port>
struct input_port_has_no_granularity;
// A list of restrictions has `precisions`, `precisions_by_node` and `per_tensor` for members.
template <class Member>
struct restrictions_have_member_that_is_no_restriction;
// Two restrictions of the same kind are about one operation; put them into one.
template <class Op>
struct operation_is_restricted_twice;
}  // namespace mistake

namespace detail {

template <class Op>
struct operation_of {
    using type = Op;
    static constexpr int version = any_version;
};
template <class Op, int Version>
struct operation_of<in_version<Op, Version>> {
    using type = Op;
    static constexpr int version = Version;
};

constexpr seq<std::int32_t, 8> numbers_of(int port) { return {port}; }
template <int... Numbers>
constexpr seq<std::int32_t, 8> numbers_of(port_set<Numbers...>) {
    return {Numbers...};
}
template <class On>
struct group_of;
template <auto Where, element... Types>
struct group_of<on<Where, Types...>> {
    static constexpr port_types value{numbers_of(Where), {Types...}};
};

template <class Op>
consteval const op::row& row_of_type() {
    if constexpr (op::is_of_user(Op::number)) {
        return op::user_row_of<Op>::value;
    } else {
        return op::row_of(Op::number);
    }
}
template <class Op, class... On>
consteval restriction_finding find_in_precisions() {
    using operation = operation_of<Op>;
    return find_restriction_mistake(row_of_type<typename operation::type>(), operation::version,
                                    {group_of<On>::value...});
}
template <class Op, int... Ports>
consteval restriction_finding find_in_ports() {
    using operation = operation_of<Op>;
    return find_granularity_mistake(row_of_type<typename operation::type>(), operation::version, {Ports...});
}

// Raising: the base class that a mistake leads to is a template that is never defined.
template <class Op, restriction_mistake, int Port, element Type>
struct checked {};
template <class Op, int P, element E>
struct checked<Op, restriction_mistake::no_transformation, P, E> : mistake::no_transformation_handles_operation<Op> {};
template <class Op, int P, element E>
struct checked<Op, restriction_mistake::no_version, P, E> : mistake::operation_has_no_such_version<Op, P> {};
template <class Op, int P, element E>
struct checked<Op, restriction_mistake::no_port, P, E> : mistake::operation_has_no_such_input_port<Op, P> {};
template <class Op, int P, element E>
struct checked<Op, restriction_mistake::port_twice, P, E> : mistake::input_port_is_restricted_twice<Op, P> {};
template <class Op, int P, element E>
struct checked<Op, restriction_mistake::type, P, E> : mistake::input_port_cannot_take_element_type<Op, P, E> {};
template <class Op, int P, element E>
struct checked<Op, restriction_mistake::names_no_port, P, E> : mistake::restriction_names_no_input_port<Op> {};
template <class Op, int P, element E>
struct checked<Op, restriction_mistake::type_twice, P, E> : mistake::input_port_accepts_element_type_twice<Op, P, E> {};
template <class Op, int P, element E>
struct checked<Op, restriction_mistake::no_granularity, P, E> : mistake::input_port_has_no_granularity<Op, P> {};

template <class Op, class... On>
inline constexpr restriction_finding found_in_precisions = find_in_precisions<Op, On...>();
template <class Op, int... Ports>
inline constexpr restriction_finding found_in_ports = find_in_ports<Op, Ports...>();

}  // namespace detail

/// The element types that operation `Op` accepts, an `on<port, types…>` for each restricted port or group of ports;
/// without any: no port of it may be quantized. A mistake does not compile, with a sentence of namespace `mistake` as the message.
template <class Op, class... On>
struct precisions
    : detail::checked<typename detail::operation_of<Op>::type, detail::found_in_precisions<Op, On...>.what,
                      detail::found_in_precisions<Op, On...>.port, detail::found_in_precisions<Op, On...>.type> {
    static constexpr void write(restriction_table& table) {
        using what = detail::operation_of<Op>;
        if constexpr (sizeof...(On) == 0) {
            table.precisions.push_back({what::type::number, what::version, {}, nullptr});
        } else {
            (table.precisions.push_back({what::type::number, what::version, detail::group_of<On>::value, nullptr}),
             ...);
        }
    }
};

/// The element types that operation `Op` accepts, as a function of the node.
template <class Op, precision_rule Rule>
struct precisions_by_node
    : detail::checked<typename detail::operation_of<Op>::type, detail::found_in_precisions<Op>.what,
                      detail::found_in_precisions<Op>.port, dynamic> {
    static constexpr void write(restriction_table& table) {
        using what = detail::operation_of<Op>;
        table.precisions.push_back({what::type::number, what::version, {}, Rule});
    }
};

/// The input ports on which operation `Op` needs one scale and zero point for the whole tensor; without any: on all ports.
template <class Op, int... Ports>
struct per_tensor : detail::checked<typename detail::operation_of<Op>::type, detail::found_in_ports<Op, Ports...>.what,
                                    detail::found_in_ports<Op, Ports...>.port, dynamic> {
    static constexpr void write(restriction_table& table) {
        using what = detail::operation_of<Op>;
        table.granularities.push_back(
            {what::type::number, what::version, {Ports...}, attribute::granularity::per_tensor});
    }
};

namespace detail {

// What a restriction is about, found without looking into it: a mistake in it is then reported once.
template <class Member>
struct no_restriction {
    static constexpr op::kind number = op::kind::none;
};
template <class Restriction>
struct subject_of : operation_of<no_restriction<Restriction>> {
    static constexpr restriction_finding found{restriction_mistake::no_restriction};
    static constexpr bool about_granularity = false;
};
template <class Op, class... On>
struct subject_of<precisions<Op, On...>> : operation_of<Op> {
    static constexpr restriction_finding found = found_in_precisions<Op, On...>;
    static constexpr bool about_granularity = false;
};
template <class Op, precision_rule Rule>
struct subject_of<precisions_by_node<Op, Rule>> : operation_of<Op> {
    static constexpr restriction_finding found = found_in_precisions<Op>;
    static constexpr bool about_granularity = false;
};
template <class Op, int... Ports>
struct subject_of<per_tensor<Op, Ports...>> : operation_of<Op> {
    static constexpr restriction_finding found = found_in_ports<Op, Ports...>;
    static constexpr bool about_granularity = true;
};

struct restriction_subject {
    op::kind operation;
    int version;
    bool about_granularity;
};

/// The place of the first subject that stands earlier too; -1 if there is none.
constexpr int find_repeated_subject(view<restriction_subject> subjects) {
    for (std::size_t i = 0; i < subjects.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const bool same_version = subjects[i].version == subjects[j].version ||
                                      subjects[i].version == any_version || subjects[j].version == any_version;
            if (subjects[i].operation == subjects[j].operation && same_version &&
                subjects[i].about_granularity == subjects[j].about_granularity) {
                return static_cast<int>(i);
            }
        }
    }
    return -1;
}
template <class... Restrictions>
consteval int find_repeated() {
    return find_repeated_subject({{subject_of<Restrictions>::type::number, subject_of<Restrictions>::version,
                                   subject_of<Restrictions>::about_granularity}...});
}

/// The operation that number `Place` of a list is about; an empty list has no mistake.
template <int Place, class... Restrictions>
using operation_at = member_at<type_list<typename subject_of<Restrictions>::type...>, Place, void>;

template <class Member, int P, element E>
struct checked<no_restriction<Member>, restriction_mistake::no_restriction, P, E>
    : mistake::restrictions_have_member_that_is_no_restriction<Member> {};
template <class Op, int P, element E>
struct checked<Op, restriction_mistake::repeated, P, E> : mistake::operation_is_restricted_twice<Op> {};

struct list_finding {
    restriction_finding found;
    int place = 0;
};
/// The first mistake of a list. Found here rather than by inheriting from the restrictions, which would put four more
/// lines into each message.
template <class... Restrictions>
consteval list_finding find_in_list() {
    const restriction_finding all[] = {restriction_finding{}, subject_of<Restrictions>::found...};
    for (int i = 0; i < static_cast<int>(sizeof...(Restrictions)); ++i) {
        if (all[i + 1].what != restriction_mistake::none) {
            return {all[i + 1], i};
        }
    }
    const int repeated = find_repeated<Restrictions...>();
    if (repeated >= 0) {
        return {{restriction_mistake::repeated}, repeated};
    }
    return {};
}
template <class... Restrictions>
inline constexpr list_finding found_in_list = find_in_list<Restrictions...>();

}  // namespace detail

/// All restrictions of a target, as a type without data and a Hana sequence; converts to the rows that the transformations read.
template <class... Restrictions>
struct restrictions
    : detail::checked<detail::operation_at<detail::found_in_list<Restrictions...>.place, Restrictions...>,
                      detail::found_in_list<Restrictions...>.found.what,
                      detail::found_in_list<Restrictions...>.found.port,
                      detail::found_in_list<Restrictions...>.found.type> {
    using hana_tag = list_tag<restrictions>;
    constexpr restriction_table table() const {
        restriction_table result;
        (Restrictions::write(result), ...);
        return result;
    }
    constexpr operator restriction_table() const { return table(); }
};

}  // namespace lpt::inline LPT_ABI
