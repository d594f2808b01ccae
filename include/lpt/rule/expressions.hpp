// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>

/// What rules are made of: what is looked for, what takes its place, conditions.
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

}  // namespace lpt::inline LPT_ABI
