// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/rule/replacement.hpp>

/// Rules that cannot be meant do not compile.
namespace lpt::inline LPT_ABI {

namespace detail {

/// The first operation of a replacement whose own attributes say nothing, -1 if there is none.
template <class E>
struct attributeless {
    static constexpr op::kind operation = op::kind::none;
};
template <class... Each>
constexpr op::kind first_attributeless() {
    op::kind result = op::kind::none;
    ((result = result == op::kind::none ? attributeless<Each>::operation : result), ...);
    return result;
}
template <class Op, class... In>
struct attributeless<expression<Op, In...>> {
    static constexpr op::kind operation = has_useful_attributes<Op>() ? first_attributeless<In...>() : Op::number;
};
template <class Op, class... In>
struct attributeless<computed<Op, In...>> : attributeless<expression<Op, In...>> {};
template <int Label, class... In>
struct attributeless<like<Label, In...>> {
    static constexpr op::kind operation = first_attributeless<In...>();
};
template <auto Make, class... In>
struct attributeless<made<Make, In...>> {
    static constexpr op::kind operation = first_attributeless<In...>();
};
template <class E, element... Types>
struct attributeless<of_type<E, Types...>> : attributeless<E> {};

template <class From, class E>
constexpr pattern_parts parts_of() {
    pattern_parts parts;
    expression_traits<From, E>::describe(parts);
    return parts;
}

/// Notes numbers that are too large, or that what is looked for does not have.
constexpr void check_numbers(expression_facts& facts, view<int> used, const seq<int, 8>& found) {
    for (const int each : used) {
        if (each < 0 || each >= match::most) {
            facts.note(rule_mistake::large_number, each, op::kind::none);
        } else if (!found.contains(each)) {
            facts.note(rule_mistake::unknown_number, each, op::kind::none);
        }
    }
}

template <class From, class To, bool Conditional>
consteval rule_finding find_rule_mistake() {
    if constexpr (!expression_traits<From, From>::is_operation) {
        return {rule_mistake::no_operation};
    } else {
        expression_facts from = expression_traits<From, From>::facts();
        check_numbers(from, from.captures, from.captures);
        check_numbers(from, from.labels, from.labels);
        expression_facts to = expression_traits<From, To>::facts();
        check_numbers(to, to.captures, from.captures);
        check_numbers(to, to.labels, from.labels);
        for (const rule_finding& each : {from.mistake, to.mistake}) {
            if (each.what != rule_mistake::none) {
                return each;
            }
        }
        if (attributeless<To>::operation != op::kind::none) {
            return {rule_mistake::no_attributes, 0, attributeless<To>::operation};
        }
        if ((from.types & to.types) == 0) {
            return {rule_mistake::other_type};
        }
        if (!Conditional && covers(parts_of<From, From>(), parts_of<From, To>())) {
            return {rule_mistake::own_result};
        }
        return {};
    }
}

template <rule_name Name, rule_mistake, int Number, op::kind Operation>
struct checked_rule {};
template <rule_name Name, int N, op::kind O>
struct checked_rule<Name, rule_mistake::input_count, N, O>
    : mistake::operation_does_not_take_this_number_of_inputs<O, N> {};
template <rule_name Name, int N, op::kind O>
struct checked_rule<Name, rule_mistake::no_common_type, N, O> : mistake::inputs_have_no_element_type_in_common<O> {};
template <rule_name Name, int N, op::kind O>
struct checked_rule<Name, rule_mistake::no_operation, N, O> : mistake::rule_does_not_begin_with_an_operation<Name> {};
template <rule_name Name, int N, op::kind O>
struct checked_rule<Name, rule_mistake::unknown_number, N, O>
    : mistake::replacement_uses_a_number_that_the_rule_does_not_find<Name, N> {};
template <rule_name Name, int N, op::kind O>
struct checked_rule<Name, rule_mistake::large_number, N, O> : mistake::number_is_not_below_sixteen<Name, N> {};
template <rule_name Name, int N, op::kind O>
struct checked_rule<Name, rule_mistake::other_type, N, O> : mistake::replacement_has_another_element_type<Name> {};
template <rule_name Name, int N, op::kind O>
struct checked_rule<Name, rule_mistake::not_constant, N, O>
    : mistake::computed_operation_has_an_input_that_is_not_constant<O> {};
template <rule_name Name, int N, op::kind O>
struct checked_rule<Name, rule_mistake::no_attributes, N, O> : mistake::replacement_does_not_say_the_attributes_of<O> {
};
template <rule_name Name, int N, op::kind O>
struct checked_rule<Name, rule_mistake::own_result, N, O> : mistake::rule_matches_its_own_result<Name> {};

template <class From, class To, bool Conditional>
inline constexpr rule_finding found_in_rule = find_rule_mistake<From, To, Conditional>();

}  // namespace detail

}  // namespace lpt::inline LPT_ABI
