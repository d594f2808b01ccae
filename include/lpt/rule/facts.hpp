// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/traits.hpp>
#include <lpt/rule/expressions.hpp>
#include <lpt/transformation/coverage.hpp>

/// What is known of an expression when its rule is compiled, and the mistakes that it shows.
namespace lpt::inline LPT_ABI {

namespace mistake {
// The operation does not take so many inputs.
template <op::kind Operation, int Count>
struct operation_does_not_take_this_number_of_inputs;
// The inputs of the operation must have one element type, and those written here never have.
template <op::kind Operation>
struct inputs_have_no_element_type_in_common;
// What is looked for must be an operation on inputs, not a capture alone.
template <rule_name Name>
struct rule_does_not_begin_with_an_operation;
// The replacement uses a capture or a label that what is looked for does not have.
template <rule_name Name, int Number>
struct replacement_uses_a_number_that_the_rule_does_not_find;
// Captures and labels are numbered from 0 to 15.
template <rule_name Name, int Number>
struct number_is_not_below_sixteen;
// The replacement never has the element type of what it replaces.
template <rule_name Name>
struct replacement_has_another_element_type;
// `computed` needs constants: literals, or what is computed from them.
template <op::kind Operation>
struct computed_operation_has_an_input_that_is_not_constant;
// The attributes that this operation type has by itself mean nothing; use `like` or `made`.
template <op::kind Operation>
struct replacement_does_not_say_the_attributes_of;
// Rewriting would never end.
template <rule_name Name>
struct rule_matches_its_own_result;
}  // namespace mistake
namespace detail {

enum class rule_mistake {
    none,
    input_count,
    no_common_type,
    no_operation,
    unknown_number,
    large_number,
    other_type,
    not_constant,
    no_attributes,
    own_result,
};
struct rule_finding {
    rule_mistake what = rule_mistake::none;
    int number = -1;
    op::kind operation = op::kind::none;
};

inline constexpr unsigned all_types = ~0u;
constexpr unsigned type_bit(element type) { return 1u << static_cast<unsigned>(type); }

/// Looks at the attributes that an operation type has by itself: sequences and shapes that are empty say nothing.
struct empty_attribute_finder {
    bool found = false;
    constexpr void look(bool) {}
    constexpr void look(std::int64_t) {}
    constexpr void look(double) {}
    constexpr void look(element type) { found = found || type == dynamic; }
    constexpr void look(const text& value) { found = found || value.empty(); }
    constexpr void look(const shape&) { found = true; }
    constexpr void look(const tensor&) { found = true; }
    template <class Value, std::size_t Inline>
    constexpr void look(const seq<Value, Inline>& value) {
        found = found || value.empty();
    }
    template <class Value>
        requires is_enumeration<Value>
    constexpr void look(Value) {}
    template <class Value>
    constexpr void operator()(text_view, const Value& value, op::in_versions = {}) {
        look(value);
    }
};
template <class Op>
constexpr bool has_useful_attributes() {
    empty_attribute_finder finder;
    if constexpr (requires(const Op& values) { Op::fields(values, finder); }) {
        const Op values{};
        Op::fields(values, finder);
    }
    return !finder.found;
}

/// What is known about an expression when the rule is compiled. `From` is what the rule looks for.
struct expression_facts {
    rule_finding mistake;
    unsigned types = all_types;  // element types that it may have
    bool constant = false;
    seq<int, 8> captures;
    seq<int, 8> labels;

    constexpr void note(rule_mistake what, int number, op::kind operation) {
        if (mistake.what == rule_mistake::none) {
            mistake = {what, number, operation};
        }
    }
    constexpr void take(const expression_facts& input) {
        if (mistake.what == rule_mistake::none) {
            mistake = input.mistake;
        }
        captures.append(input.captures);
        labels.append(input.labels);
    }
};

/// The element types of an operation's output, given those of its inputs; notes inputs that never agree.
template <class Op>
constexpr unsigned types_of_output(expression_facts& facts, view<unsigned> inputs) {
    if constexpr (__is_base_of(op::detail::binary_logical, Op)) {
        for (const unsigned each : inputs) {
            if ((each & type_bit(boolean)) == 0) {
                facts.note(rule_mistake::no_common_type, 0, Op::number);
            }
        }
        return type_bit(boolean);
    } else {
        constexpr bool is_comparison = __is_base_of(op::detail::binary_comparison, Op);
        unsigned common = all_types;
        if constexpr (op::has(Op::traits, op::trait::elementwise_binary)) {
            for (std::size_t port = 0; port < inputs.size() && port < 2; ++port) {
                common &= inputs[port];
            }
            if (common == 0) {
                facts.note(rule_mistake::no_common_type, 0, Op::number);
            }
            return is_comparison ? type_bit(boolean) : common;
        } else if constexpr (op::has(Op::traits, op::trait::movement)) {
            return inputs.empty() ? all_types : inputs[0];
        } else {
            return all_types;
        }
    }
}

}  // namespace detail

}  // namespace lpt::inline LPT_ABI
