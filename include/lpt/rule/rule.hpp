// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/rule/check.hpp>
#include <lpt/transformation/dequantization.hpp>

/// Rules in a declarative form: what is looked for, and what takes its place, as expression types.
///
///     struct merge_multiplies
///         : rule<"MergeMultiplies",
///                expression<op::multiply, expression<op::multiply, any<0>, literal<1>>, literal<2>>,
///                expression<op::multiply, any<0>, computed<op::multiply, literal<1>, literal<2>>>> {};
///
/// A rule is a transformation like any other: it goes into a pipeline with `with_main`, `before` and the like.
/// Mistakes (wrong numbers of inputs, unknown captures, element types that never meet, a rule that matches its own
/// result) do not compile, with a sentence of namespace `mistake` as the message.
namespace lpt::inline LPT_ABI {

namespace detail {

/// The pattern of a rule, for dispatch.
template <class From>
struct rule_pattern;
template <class From>
    requires(!is_same<typename operation_type<From>::type, void>)
struct rule_pattern<From> {
    static constexpr int root_count = 1;
    static constexpr op::kind roots[1] = {operation_type<From>::type::number};
    static constexpr void describe(pattern_parts& parts) { expression_traits<From, From>::describe(parts); }
    static constexpr bool matches(const graph& model, node_id id) {
        match found(model, id);
        return expression_traits<From, From>::matches_node(found, id, [] { return true; });
    }
};

template <class Condition>
constexpr bool check_condition(const match& found, text_view& broken) {
    if (Condition::holds(found)) {
        return true;
    }
    broken = Condition::name;
    return false;
}
template <class... Conditions>
constexpr text_view first_broken(const match& found, when<Conditions...>) {
    text_view broken;
    static_cast<void>((check_condition<Conditions>(found, broken) && ...));
    return broken;
}

/// Puts what a rule made in the place of the node that it found, unless types, shapes or names do not allow it.
[[gnu::cold]] constexpr bool put_in_place(rewrite& r, node_id root, output_ref made, text_view name) {
    if (r.model.type(made) != r.model[root].type()) {
        return r.refused(root, name, {reason::types_do_not_match, -1, r.model.type(made)});
    }
    if (r.model.shape(made) != r.model[root].shape()) {
        return r.refused(root, name, refuse(reason::shapes_do_not_match));
    }
    if (r.model[made.node].name().empty() && r.model.use_count(made.node) == 0 && !r.model.is_root(made.node)) {
        replace_and_name(r, root, made.node);
        return true;
    }
    if (!can_hand_name_on(r.model, root, made)) {
        return r.refused(root, name, refuse(reason::name_has_no_place));
    }
    if (feeds_result(r.model, root)) {
        r.model.rename(made.node, r.model[root].name());
    }
    r.model.replace_uses(root, made);
    return true;
}

}  // namespace detail

/// A transformation that puts `To` in the place of `From` where all conditions hold.
///
/// `Name` is its published name. The replacement must have the element type and shape of what it replaces: where that
/// shows only at run time, the node stays, with a reason. New operations are visited next. The node keeps its name.
template <rule_name Name, class From, class To, class When = when<>>
struct rule : detail::checked_rule<Name, detail::found_in_rule<From, To, !__is_same(When, when<>)>.what,
                                   detail::found_in_rule<From, To, !__is_same(When, when<>)>.number,
                                   detail::found_in_rule<From, To, !__is_same(When, when<>)>.operation> {
    static constexpr rule_name published = Name;
    static constexpr text_view name = published.view();
    using pattern = detail::rule_pattern<From>;
    /// True if it changes whatever its pattern matches: what comes later with a narrower pattern is never reached.
    static constexpr bool unconditional = __is_same(When, when<>);
    static constexpr void describe_result(pattern_parts& parts) {
        detail::expression_traits<From, To>::describe(parts);
    }

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        match found(r.model, id);
        bool changed = false;
        bool matched = false;
        // The first way to match for which the conditions hold; if there is none, the first condition that was broken is the reason.
        text_view broken;
        detail::expression_traits<From, From>::matches_node(found, id, [&] {
            matched = true;
            const text_view here = detail::first_broken(found, When{});
            broken = broken.empty() ? here : broken;
            changed = here.empty();
            return changed;
        });
        if (!changed) {
            return matched && r.refused(id, name, {.why = reason::condition_does_not_hold, .condition = broken});
        }
        return detail::put_in_place(r, id, detail::expression_traits<From, To>::make(r, found), name);
    }
};

}  // namespace lpt::inline LPT_ABI
