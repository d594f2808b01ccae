// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/traits.hpp>
#include <lpt/transformation/coverage.hpp>
#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/fake_quantize/compose.hpp>

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

// ---- what is looked for

/// A tensor from anywhere. The same number twice means the same tensor.
template <int Number>
struct any {};

/// The output of a Constant. The same number twice means the same output.
template <int Number>
struct literal {};

/// An operation on inputs: as many as it has here. Below the first one of a rule it matches only where it has one reader,
/// unless it stands in `many_readers`. The two inputs of a commutative operation match in either order. In a
/// replacement: a new operation, with the attributes that the operation type has by itself.
template <class Op, class... In>
struct expression {};

/// An expression that other operations may read as well; it stays for them.
template <class Expression>
struct many_readers {};

/// Something of one of these element types.
template <class In, element... Types>
struct of_type {};

/// An expression with a number, under which `like`, `made` and conditions find its node.
template <int Label, class Expression>
struct labelled {};

// ---- what takes its place

/// The value of an operation on constants, computed when the rule is applied.
template <class Op, class... In>
struct computed {};

/// An operation with the attributes, version and element types of the node with this label, on other inputs.
template <int Label, class... In>
struct like {};

/// An operation whose attributes a function makes of what was found: `made<&attributes_of_pad, any<0>, literal<1>>` with
/// `constexpr op::reshape attributes_of_pad(const match&)`.
template <auto Make, class... In>
struct made {};

/// What a rule found.
class match {
    const graph* model_;
    node_id root_;
    output_ref captured_[16]{};
    node_id nodes_[16]{};

public:
    static constexpr int most = 16;  // numbers of captures and of labels are below this

    constexpr match(const graph& network, node_id root) : model_(&network), root_(root) {
        for (node_id& each : nodes_) {
            each = node_id::none;
        }
    }

    constexpr const graph& model() const { return *model_; }
    /// The operation that is replaced.
    constexpr node_id root() const { return root_; }
    /// The output that `any<number>` or `literal<number>` stands for.
    constexpr output_ref operator[](int number) const { return captured_[number]; }
    constexpr element type(int number) const { return model_->type(captured_[number]); }
    constexpr const shape& dimensions(int number) const { return model_->shape(captured_[number]); }
    /// The values of `literal<number>`.
    constexpr const tensor& constant(int number) const { return *model_->constant_value(captured_[number]); }
    /// The node with this label, and its attributes.
    constexpr node_id labelled_node(int label) const { return nodes_[label]; }
    template <class Op>
    constexpr const Op& as(int label) const {
        return (*model_)[nodes_[label]].as<Op>();
    }

    /// Keeps what a number stands for; false if it stands for something else already.
    constexpr bool capture(int number, output_ref source) {
        if (captured_[number]) {
            return captured_[number] == source;
        }
        captured_[number] = source;
        return true;
    }
    constexpr void label(int number, node_id id) { nodes_[number] = id; }
};

// ---- conditions

/// Conditions of a rule, all of which must hold. A condition is a type with a `name` and `static constexpr bool holds(const match&)`;
/// the first one that does not hold is the reason that the report gives.
template <class... Conditions>
struct when {};

/// The constant has one element.
template <int Number>
struct has_one_element {
    static constexpr text_view name = "HasOneElement";
    static constexpr bool holds(const match& found) { return found.constant(Number).elements() == 1; }
};
/// Both have the same element type.
template <int Left, int Right>
struct have_same_type {
    static constexpr text_view name = "HaveSameType";
    static constexpr bool holds(const match& found) { return found.type(Left) == found.type(Right); }
};
/// Both have the same shape, without dynamic dimensions.
template <int Left, int Right>
struct have_same_shape {
    static constexpr text_view name = "HaveSameShape";
    static constexpr bool holds(const match& found) {
        return found.dimensions(Left).is_static() && found.dimensions(Left) == found.dimensions(Right);
    }
};

/// The published name of a rule, as a template argument.
template <std::size_t Size>
struct rule_name {
    char characters[Size]{};
    consteval rule_name(const char (&name)[Size]) {
        for (std::size_t i = 0; i < Size; ++i) {
            characters[i] = name[i];
        }
    }
    constexpr text_view view() const { return {characters, Size - 1}; }
};

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

template <class E>
struct operation_type {
    using type = void;
};
template <class Op, class... In>
struct operation_type<expression<Op, In...>> {
    using type = Op;
};
template <class E>
struct operation_type<many_readers<E>> : operation_type<E> {};
template <class E, element... Types>
struct operation_type<of_type<E, Types...>> : operation_type<E> {};
template <int Label, class E>
struct operation_type<labelled<Label, E>> : operation_type<E> {};

template <int Label, class Op>
struct labelled_operation {};
/// The operations with labels in an expression, as a list.
template <class E>
struct labelled_operations {
    using type = type_list<>;
};
template <class Op, class... In>
struct labelled_operations<expression<Op, In...>> {
    using type = joined<type_list<>, typename labelled_operations<In>::type...>;
};
template <class E>
struct labelled_operations<many_readers<E>> : labelled_operations<E> {};
template <class E, element... Types>
struct labelled_operations<of_type<E, Types...>> : labelled_operations<E> {};
template <int Label, class E>
struct labelled_operations<labelled<Label, E>> {
    using type = joined<type_list<labelled_operation<Label, typename operation_type<E>::type>>,
                        typename labelled_operations<E>::type>;
};

template <int Label>
struct has_label {
    template <int Other, class Op>
    constexpr auto operator()(hana::basic_type<labelled_operation<Other, Op>>) const {
        return hana::bool_c < Label == Other > ;
    }
};
template <class Found>
struct operation_of_label {
    using type = void;
};
template <int Label, class Op>
struct operation_of_label<labelled_operation<Label, Op>> {
    using type = Op;
};
/// The operation with a label; void where there is none.
template <int Label, class E>
using operation_with_label = typename operation_of_label<
    member_at<decltype(hana::filter(typename labelled_operations<E>::type{}, has_label<Label>{})), 0, void>>::type;

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
    static constexpr output_ref make(auto& r, const match& found) {
        const seq<output_ref, 4> inputs{expression_traits<From, In>::make(r, found)...};
        const node_id id = r.model.add(Op{}, inputs);
        r.register_new_node(id);
        return id;
    }
};

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
    static constexpr output_ref make(auto& r, const match& found) {
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
    static constexpr output_ref make(auto& r, const match& found) {
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
    static constexpr output_ref make(auto& r, const match& found) {
        const seq<output_ref, 4> inputs{expression_traits<From, In>::make(r, found)...};
        const node_id id = r.model.add(Make(found), inputs);
        r.register_new_node(id);
        return id;
    }
};

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
[[gnu::cold]] constexpr bool put_in_place(auto& r, node_id root, output_ref made, text_view name) {
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

    [[gnu::cold]] static constexpr bool transform(auto& r, node_id id) {
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
