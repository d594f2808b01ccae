// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>

/// Patterns are expression types: `pattern<op::mat_mul, from<op::multiply>, from<op::multiply, op::fake_quantize>>`
/// describes a MatMul whose first input is a Multiply and whose second is a Multiply or FakeQuantize. A node matches
/// with as many inputs as the pattern names, or with any number if it names none.
namespace lpt::inline LPT_ABI {

/// What a pattern asks of one input, as data: for saying why a pattern does not match.
struct input_rule {
    bool (*matches)(const graph&, output_ref) = nullptr;
    view<op::kind> producers{};  // operations that it may come from; none: others decide
    bool optional = false;
};
/// A pattern as data.
struct pattern_view {
    op::kind root = op::kind::none;
    view<input_rule> inputs{};  // none: any number
};
/// One node of a pattern as data, so that patterns can be compared: a pattern is written as its root, then its inputs in order.
struct pattern_part {
    enum class role : unsigned char { anything, constant, operation, one_of };

    role what = role::anything;
    op::kind operation = op::kind::none;
    int inputs = -1;  // how many parts follow as its inputs, or as alternatives; -1: whatever inputs it has
    int capture = -1;  // number under which a rule knows it
    unsigned types = ~0u;  // element types that it may have, a bit for each
    bool optional = false;  // the input need not be there
    bool sole_reader = false;  // matches only a node that has one reader
    bool either_order = false;  // matches with its two inputs exchanged, too
};
using pattern_parts = seq<pattern_part>;

/// An input from anywhere.
struct anything {
    static constexpr view<op::kind> producers{};
    static constexpr bool is_optional = false;
    static constexpr void describe(pattern_parts& parts) { parts.push_back({}); }
    static constexpr bool matches(const graph&, output_ref) { return true; }
};

/// An input that one of these operations produces.
template <class... Ops>
struct from {
    static constexpr op::kind producers[] = {Ops::number...};
    static constexpr bool is_optional = false;
    static constexpr void describe(pattern_parts& parts) {
        parts.push_back({pattern_part::role::one_of, op::kind::none, sizeof...(Ops)});
        (parts.push_back({pattern_part::role::operation, Ops::number}), ...);
    }
    static constexpr bool matches(const graph& model, output_ref source) {
        return (model[source.node].is<Ops>() || ...);
    }
};
using from_constant = from<op::constant>;

/// An input that need not be there; if it is, it matches `In`.
template <class In>
struct optional_input : In {
    static constexpr bool is_optional = true;
    static constexpr void describe(pattern_parts& parts) {
        const std::size_t place = parts.size();
        In::describe(parts);
        parts[place].optional = true;
    }
};

namespace detail {
template <class... In>
struct input_rules {
    static constexpr input_rule values[sizeof...(In)] = {{&In::matches, In::producers, In::is_optional}...};
    static constexpr view<input_rule> all() { return {values, sizeof...(In)}; }
};
template <>
struct input_rules<> {
    static constexpr view<input_rule> all() { return {}; }
};
}  // namespace detail

template <class Root, class... In>
struct pattern {
    static constexpr int root_count = 1;
    static constexpr op::kind roots[1] = {Root::number};
    static constexpr pattern_view views[1] = {{Root::number, detail::input_rules<In...>::all()}};
    static constexpr void describe(pattern_parts& parts) {
        parts.push_back(
            {pattern_part::role::operation, Root::number, sizeof...(In) == 0 ? -1 : static_cast<int>(sizeof...(In))});
        (In::describe(parts), ...);
    }
    static constexpr bool matches(const graph& model, node_id id) {
        const node& root = model[id];
        if constexpr (sizeof...(In) == 0) {
            return root.is<Root>();
        } else {
            constexpr std::size_t least = (std::size_t{0} + ... + (In::is_optional ? 0u : 1u));
            if (!root.is<Root>() || root.inputs() < least || root.inputs() > sizeof...(In)) {
                return false;
            }
            std::size_t port = 0;
            return ((port >= root.inputs() || In::matches(model, root.input(port++))) && ...);
        }
    }
};

/// A node that any of the patterns describes.
template <class... Patterns>
struct any_of {
    static constexpr int root_count = sizeof...(Patterns);
    static constexpr op::kind roots[sizeof...(Patterns)] = {Patterns::roots[0]...};
    static constexpr pattern_view views[sizeof...(Patterns)] = {Patterns::views[0]...};
    static constexpr void describe(pattern_parts& parts) {
        parts.push_back({pattern_part::role::one_of, op::kind::none, sizeof...(Patterns)});
        (Patterns::describe(parts), ...);
    }
    static constexpr bool matches(const graph& model, node_id id) { return (Patterns::matches(model, id) || ...); }
};

}  // namespace lpt::inline LPT_ABI
