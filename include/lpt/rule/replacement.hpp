// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/constant/folded.hpp>
#include <lpt/rule/conditions.hpp>
#include <lpt/rule/labels.hpp>
#include <lpt/transformation/fake_quantize/compose.hpp>

/// How each expression that takes the place is made.
namespace lpt::inline LPT_ABI {

namespace detail {

template <class From, class Op, class... In>
struct expression_traits<From, computed<Op, In...>> : expression_kind {
    static constexpr expression_facts facts() {
        expression_facts result = facts_of_operation<From, Op, In...>();
        if (!result.constant) {
            result.note(rule_mistake::not_constant, 0, Op::number);
        }
        return result;
    }
    static constexpr void describe(pattern_parts& parts) {
        parts.push_back({});
        parts.back().what = pattern_part::role::constant;
    }
    static constexpr output_ref make(rewrite& r, const match& found) {
        const seq<output_ref, 4> inputs{expression_traits<From, In>::make(r, found)...};
        return fold_operation(r.model, Op{}, inputs);
    }
};

template <class From, int Label, class... In>
struct expression_traits<From, like<Label, In...>> : expression_kind {
    using operation = operation_with_label<Label, From>;

    static constexpr expression_facts facts() {
        if constexpr (is_same<operation, void>) {
            expression_facts result;
            result.labels.push_back(Label);
            return result;
        } else {
            expression_facts result = facts_of_operation<From, operation, In...>();
            result.constant = false;
            result.labels.push_back(Label);
            return result;
        }
    }
    static constexpr void describe(pattern_parts& parts) {
        if constexpr (!is_same<operation, void>) {
            expression_traits<From, expression<operation, In...>>::describe(parts);
        }
    }
    static constexpr output_ref make(rewrite& r, const match& found) {
        const seq<output_ref, 4> inputs{expression_traits<From, In>::make(r, found)...};
        const node_id id = r.model.clone(found.labelled_node(Label), inputs);
        r.register_new_node(id);
        return id;
    }
};

template <class Function>
struct result_of;
template <class Op>
struct result_of<Op (*)(const match&)> {
    using type = Op;
};

template <class From, auto Make, class... In>
struct expression_traits<From, made<Make, In...>> : expression_kind {
    using operation = typename result_of<decltype(Make)>::type;

    static constexpr expression_facts facts() {
        expression_facts result = facts_of_operation<From, operation, In...>();
        result.constant = false;
        return result;
    }
    static constexpr void describe(pattern_parts& parts) {
        expression_traits<From, expression<operation, In...>>::describe(parts);
    }
    static constexpr output_ref make(rewrite& r, const match& found) {
        const seq<output_ref, 4> inputs{expression_traits<From, In>::make(r, found)...};
        const node_id id = r.model.add(Make(found), inputs);
        r.register_new_node(id);
        return id;
    }
};

}  // namespace detail

}  // namespace lpt::inline LPT_ABI
