// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/rule/facts.hpp>
#include <lpt/transformation/rewrite.hpp>

/// How each expression that is looked for is matched.
namespace lpt::inline LPT_ABI {

namespace detail {

template <class From, class E>
struct expression_traits;

template <class From, class Op, class... In>
constexpr expression_facts facts_of_operation() {
    expression_facts facts;
    constexpr int count = sizeof...(In);
    if (count < Op::inputs.least || count > Op::inputs.most) {
        facts.note(rule_mistake::input_count, count, Op::number);
    }
    facts.constant = true;
    seq<unsigned, 4> types;
    const auto take = [&](const expression_facts& input) {
        facts.take(input);
        facts.constant = facts.constant && input.constant;
        types.push_back(input.types);
    };
    (take(expression_traits<From, In>::facts()), ...);
    facts.types = types_of_output<Op>(facts, types);
    return facts;
}

// Each kind of expression: facts, a description for comparing, what it matches, what it makes. `next` goes on matching, so
// that a choice which turns out wrong later is taken back.

struct expression_kind {
    static constexpr bool is_operation = false;
};

template <class From, int Number>
struct expression_traits<From, any<Number>> : expression_kind {
    static constexpr expression_facts facts() {
        expression_facts result;
        result.captures.push_back(Number);
        return result;
    }
    static constexpr void describe(pattern_parts& parts) {
        parts.push_back({});
        parts.back().capture = Number;
    }
    template <class Next>
    static constexpr bool matches(match& found, output_ref source, const Next& next) {
        const match before = found;
        if (found.capture(Number, source) && next()) {
            return true;
        }
        found = before;
        return false;
    }
    static constexpr output_ref make(rewrite&, const match& found) { return found[Number]; }
};

template <class From, int Number>
struct expression_traits<From, literal<Number>> : expression_traits<From, any<Number>> {
    static constexpr expression_facts facts() {
        expression_facts result = expression_traits<From, any<Number>>::facts();
        result.constant = true;
        return result;
    }
    static constexpr void describe(pattern_parts& parts) {
        expression_traits<From, any<Number>>::describe(parts);
        parts.back().what = pattern_part::role::constant;
    }
    template <class Next>
    static constexpr bool matches(match& found, output_ref source, const Next& next) {
        return found.model().constant_value(source) != nullptr &&
               expression_traits<From, any<Number>>::matches(found, source, next);
    }
};

/// Matches the inputs of a node from number `Port` on.
template <class From, std::size_t Port, class... In>
struct match_inputs {
    template <class Next>
    static constexpr bool run(match&, view<output_ref>, const Next& next) {
        return next();
    }
};
template <class From, std::size_t Port, class First, class... Rest>
struct match_inputs<From, Port, First, Rest...> {
    template <class Next>
    static constexpr bool run(match& found, view<output_ref> sources, const Next& next) {
        return expression_traits<From, First>::matches(
            found, sources[Port], [&] { return match_inputs<From, Port + 1, Rest...>::run(found, sources, next); });
    }
};

template <class From, class Op, class... In>
struct expression_traits<From, expression<Op, In...>> : expression_kind {
    static constexpr bool is_operation = true;
    static constexpr bool either_order = sizeof...(In) == 2 && op::has(Op::traits, op::trait::commutative);

    static constexpr expression_facts facts() {
        expression_facts result = facts_of_operation<From, Op, In...>();
        result.constant = false;
        return result;
    }
    static constexpr void describe(pattern_parts& parts) {
        const std::size_t place = parts.size();
        parts.push_back({});
        parts[place].what = pattern_part::role::operation;
        parts[place].operation = Op::number;
        parts[place].inputs = sizeof...(In);
        parts[place].sole_reader = place != 0;
        parts[place].either_order = either_order;
        (expression_traits<From, In>::describe(parts), ...);
    }
    template <class Next>
    static constexpr bool matches_node(match& found, output_ref source, const Next& next) {
        const node& each = found.model()[source.node];
        if (!each.is<Op>() || source.port != 0 || each.inputs() != sizeof...(In) || each.own_types() != nullptr) {
            return false;
        }
        seq<output_ref, 4> sources;
        for (std::size_t port = 0; port < each.inputs(); ++port) {
            sources.push_back(each.input(port));
        }
        if (match_inputs<From, 0, In...>::run(found, sources, next)) {
            return true;
        }
        if constexpr (either_order) {
            const output_ref swapped[2] = {sources[1], sources[0]};
            return match_inputs<From, 0, In...>::run(found, swapped, next);
        } else {
            return false;
        }
    }
    template <class Next>
    static constexpr bool matches(match& found, output_ref source, const Next& next) {
        return found.model().use_count(source.node) == 1 && matches_node(found, source, next);
    }
    static constexpr output_ref make(rewrite& r, const match& found) {
        const seq<output_ref, 4> inputs{expression_traits<From, In>::make(r, found)...};
        const node_id id = r.model.add(Op{}, inputs);
        r.register_new_node(id);
        return id;
    }
};

}  // namespace detail

}  // namespace lpt::inline LPT_ABI
