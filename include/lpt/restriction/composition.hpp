// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/restriction/intersection.hpp>

/// Restrictions that are computed, and restrictions made of others: `a | b`, `intersect(a, b)`, `without<op::add>(a)`; as types.
/// Tables are made in restriction/table_algebra.hpp.
namespace lpt::inline LPT_ABI {

namespace mistake {
// A row of a computed table has this in the place of an operation.
template <op::kind Number>
struct restriction_names_no_operation;
// Name the user's operation types behind the function: computed_restrictions<function, my_op>.
template <op::kind Number>
struct computed_restrictions_do_not_know_operation_type_of_user;
// Rows of one table allow and exclude the same, or one of several is a function of the node.
template <class Op>
struct restrictions_of_operation_contradict_each_other;
}  // namespace mistake

namespace detail {

template <class... Ops>
struct known_operations {
    static constexpr const op::user_row* rows[] = {&op::user_row_of<Ops>::value...};
    static constexpr view<const op::user_row*> all() { return {rows, sizeof...(Ops)}; }
};
template <>
struct known_operations<> {
    static constexpr view<const op::user_row*> all() { return {}; }
};

template <auto Make, class... Ops>
consteval table_finding find_in_computed() {
    return find_in_table(Make(), known_operations<Ops...>::all(), true);
}
template <auto Make, class... Ops>
inline constexpr table_finding found_in_computed = find_in_computed<Make, Ops...>();

template <op::kind Number, class Op>
struct named_by_number {
    using type = Op;
};
template <class Types, class... Ops>
struct known_types;
template <class... Types, class... Ops>
struct known_types<op::list<Types...>, Ops...> : named_by_number<Types::number, Types>...,
                                                 named_by_number<Ops::number, Ops>... {};
/// Finds the base with a number. Only a table with a mistake costs the search.
template <op::kind Number, class Op>
constexpr named_by_number<Number, Op> find_named(const named_by_number<Number, Op>*);

template <op::kind Number, class... Ops>
using type_of_number = typename decltype(find_named<Number>(static_cast<known_types<op::all, Ops...>*>(nullptr)))::type;

/// What a mistake in a table is raised as.
template <restriction_mistake What, op::kind Number, int Port, element Type, class... Ops>
struct checked_table : checked<type_of_number<Number, Ops...>, What, Port, Type> {};
template <op::kind Number, int P, element E, class... Ops>
struct checked_table<restriction_mistake::none, Number, P, E, Ops...> {};
template <op::kind Number, int P, element E, class... Ops>
struct checked_table<restriction_mistake::no_operation, Number, P, E, Ops...>
    : mistake::restriction_names_no_operation<Number> {};
template <op::kind Number, int P, element E, class... Ops>
struct checked_table<restriction_mistake::unknown_operation, Number, P, E, Ops...>
    : mistake::computed_restrictions_do_not_know_operation_type_of_user<Number> {};
template <op::kind Number, int P, element E, class... Ops>
struct checked_table<restriction_mistake::repeated, Number, P, E, Ops...>
    : mistake::restrictions_of_operation_contradict_each_other<type_of_number<Number, Ops...>> {};

}  // namespace detail

/// The restrictions that a constexpr function (or a lambda) `Make` gives as a `restriction_table`, as a type without data.
///
/// A mistake in the table does not compile, with the same sentence as one in `restrictions`. `Ops`: operation types of users
/// that the table is about.
template <auto Make, class... Ops>
struct computed_restrictions : detail::checked_table<detail::found_in_computed<Make, Ops...>.found.what,
                                                     detail::found_in_computed<Make, Ops...>.operation,
                                                     detail::found_in_computed<Make, Ops...>.found.port,
                                                     detail::found_in_computed<Make, Ops...>.found.type, Ops...> {
    constexpr restriction_table table() const { return Make(); }
    constexpr operator restriction_table() const { return table(); }
};

namespace detail {

/// The answer where one of two restrictions is a function of the node.
template <class One, class Other>
constexpr seq<port_types> accepted_by_both(const graph& model, node_id id) {
    seq<port_types> one;
    seq<port_types> other;
    const bool restricted = One{}.table().precisions_of(model, id, one);
    const bool also = Other{}.table().precisions_of(model, id, other);
    if (restricted && also) {
        return common_groups(one, other);
    }
    return restricted ? one : other;
}

template <class Old, class New>
constexpr restriction_table compose(overriding, Old, New) {
    return Old{}.table() | New{}.table();
}
template <class One, class Other>
constexpr restriction_table compose(intersecting, One, Other) {
    return intersect(One{}.table(), Other{}.table(), &accepted_by_both<One, Other>);
}
template <class... Ops, class Old>
constexpr restriction_table compose(leaving_out<Ops...>, Old) {
    return without<Ops...>(Old{}.table());
}

template <class Type>
inline constexpr bool is_restrictions = false;
template <class... All>
inline constexpr bool is_restrictions<restrictions<All...>> = true;
template <auto Make, class... Ops>
inline constexpr bool is_restrictions<computed_restrictions<Make, Ops...>> = true;
template <class How, class... Parts>
inline constexpr bool is_restrictions<composed_restrictions<How, Parts...>> = true;

}  // namespace detail

/// Restrictions as a type without data, be they listed, computed or composed.
template <class Type>
concept restrictions_type = detail::is_restrictions<Type>;

/// What operators make of restrictions of which one is no list.
template <class How, class... Parts>
struct composed_restrictions {
    constexpr restriction_table table() const { return detail::compose(How{}, Parts{}...); }
    constexpr operator restriction_table() const { return table(); }
};

/// `with`, and what `old` says about other operations, or about the other of precisions and granularity.
template <restrictions_type Old, restrictions_type New>
constexpr auto operator|(Old, New) {
    return detail::overridden_restrictions<Old, New>{};
}
/// What both accept; see `intersect` of tables. Two lists without functions of the node give a list.
template <restrictions_type One, restrictions_type Other>
constexpr auto intersect(One, Other) {
    return detail::intersected_restrictions<One, Other>{};
}
/// The restrictions without those of some operations.
template <class... Ops, restrictions_type Old>
constexpr auto without(Old) {
    return detail::remaining_restrictions<Old, Ops...>{};
}

}  // namespace lpt::inline LPT_ABI
