// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/rule/rule.hpp>

/// More pieces for rules: alternatives in what is looked for, constants in what takes its place.
namespace lpt::inline LPT_ABI {

/// Any one of these expressions, tried in their order; not for the first operation of a rule. A number that not all of them have may be
/// absent from the match (`found[number]` is then false), and a replacement cannot use it.
template <class... Expressions>
struct either {};

/// In a replacement: a Constant with the value that a function makes of what was found; `constexpr tensor value_of(const match&)`.
template <auto Make>
struct made_constant {};

namespace detail {

template <class From, class First, class... Rest>
struct expression_traits<From, either<First, Rest...>> : expression_kind {
    static constexpr expression_facts facts() {
        expression_facts result = expression_traits<From, First>::facts();
        const auto join_with = [&](const expression_facts& other) {
            result.note(other.mistake.what, other.mistake.number, other.mistake.operation);
            result.types |= other.types;
            result.constant = result.constant && other.constant;
            keep_common(result.captures, other.captures);
            keep_common(result.labels, other.labels);
        };
        (join_with(expression_traits<From, Rest>::facts()), ...);
        return result;
    }
    static constexpr void describe(pattern_parts& parts) {
        parts.push_back({pattern_part::role::one_of, op::kind::none, 1 + static_cast<int>(sizeof...(Rest))});
        expression_traits<From, First>::describe(parts);
        (expression_traits<From, Rest>::describe(parts), ...);
    }
    template <class Next>
    static constexpr bool matches(match& found, output_ref source, const Next& next) {
        const match before = found;
        const auto tried = [&](bool matched) {
            found = matched ? found : before;
            return matched;
        };
        return tried(expression_traits<From, First>::matches(found, source, next)) ||
               (tried(expression_traits<From, Rest>::matches(found, source, next)) || ...);
    }

private:
    static constexpr void keep_common(seq<int, 8>& numbers, const seq<int, 8>& others) {
        seq<int, 8> common;
        for (const int each : numbers) {
            if (others.contains(each)) {
                common.push_back(each);
            }
        }
        numbers = common;
    }
};

template <class From, auto Make>
struct expression_traits<From, made_constant<Make>> : expression_kind {
    static constexpr expression_facts facts() {
        expression_facts result;
        result.constant = true;
        return result;
    }
    static constexpr void describe(pattern_parts& parts) {
        parts.push_back({});
        parts.back().what = pattern_part::role::constant;
    }
    static constexpr output_ref make(rewrite& r, const match& found) { return r.model.constant(Make(found)); }
};

}  // namespace detail

}  // namespace lpt::inline LPT_ABI
