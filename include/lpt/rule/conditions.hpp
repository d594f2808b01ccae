// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/rule/pattern.hpp>

/// Expressions with a condition or a label around them: what they add to the way in which the expression itself is matched.
namespace lpt::inline LPT_ABI::detail {

template <class From, class E>
struct expression_traits<From, many_readers<E>> : expression_traits<From, E> {
    static constexpr void describe(pattern_parts& parts) {
        const std::size_t place = parts.size();
        expression_traits<From, E>::describe(parts);
        parts[place].sole_reader = false;
    }
    template <class Next>
    static constexpr bool matches(match& found, output_ref source, const Next& next) {
        return expression_traits<From, E>::matches_node(found, source, next);
    }
};

template <class From, class E, element... Types>
struct expression_traits<From, of_type<E, Types...>> : expression_traits<From, E> {
    static constexpr unsigned mask = (0u | ... | type_bit(Types));

    static constexpr expression_facts facts() {
        expression_facts result = expression_traits<From, E>::facts();
        result.types &= mask;
        return result;
    }
    static constexpr void describe(pattern_parts& parts) {
        const std::size_t place = parts.size();
        expression_traits<From, E>::describe(parts);
        parts[place].types &= mask;
    }
    template <class Next>
    static constexpr bool matches(match& found, output_ref source, const Next& next) {
        return (type_bit(found.model().type(source)) & mask) != 0 &&
               expression_traits<From, E>::matches(found, source, next);
    }
    template <class Next>
    static constexpr bool matches_node(match& found, output_ref source, const Next& next) {
        return (type_bit(found.model().type(source)) & mask) != 0 &&
               expression_traits<From, E>::matches_node(found, source, next);
    }
};

template <class From, int Label, class E>
struct expression_traits<From, labelled<Label, E>> : expression_traits<From, E> {
    static constexpr expression_facts facts() {
        expression_facts result = expression_traits<From, E>::facts();
        result.labels.push_back(Label);
        return result;
    }
    template <class Next>
    static constexpr bool matches(match& found, output_ref source, const Next& next) {
        found.label(Label, source.node);
        return expression_traits<From, E>::matches(found, source, next);
    }
    template <class Next>
    static constexpr bool matches_node(match& found, output_ref source, const Next& next) {
        found.label(Label, source.node);
        return expression_traits<From, E>::matches_node(found, source, next);
    }
};

}  // namespace lpt::inline LPT_ABI::detail
