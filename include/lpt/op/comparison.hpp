// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/binary.hpp>
#include <lpt/op/sizes.hpp>

namespace lpt::inline LPT_ABI::op {

namespace detail {

/// Raises an error unless the input can be boolean.
constexpr void require_boolean(const inference& facts, std::size_t port) {
    if (facts.type(port) != boolean && facts.type(port) != dynamic) {
        facts.wrong({"input ", port, " must be boolean, not ", lpt::name(facts.type(port))});
    }
}

/// What all comparisons of two tensors have in common.
struct binary_comparison {
    static constexpr versions opsets{1};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};

    op::auto_broadcast auto_broadcast = op::auto_broadcast::numpy;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("auto_broadcast", self.auto_broadcast);
    }
    static constexpr void infer(const binary_comparison& self, inference& facts) {
        static_cast<void>(infer_common_type(facts, 0, 1));
        facts.output(boolean, infer_broadcast(facts, self.auto_broadcast, 0, 1));
    }
    friend constexpr bool operator==(const binary_comparison&, const binary_comparison&) = default;
};

/// What all logical operations on two boolean tensors have in common.
struct binary_logical : binary_comparison {
    static constexpr void infer(const binary_logical& self, inference& facts) {
        require_boolean(facts, 0);
        require_boolean(facts, 1);
        facts.output(boolean, infer_broadcast(facts, self.auto_broadcast, 0, 1));
    }
    friend constexpr bool operator==(const binary_logical&, const binary_logical&) = default;
};

}  // namespace detail

/// y = a == b; the inputs have one element type and shapes that broadcast, y is boolean.
struct equal : detail::binary_comparison {
    static constexpr auto number = kind::equal;
    static constexpr text_view name = "Equal";
    static constexpr trait traits = trait::elementwise_binary | trait::commutative;
};

/// y = a != b; the inputs have one element type and shapes that broadcast, y is boolean.
struct not_equal : detail::binary_comparison {
    static constexpr auto number = kind::not_equal;
    static constexpr text_view name = "NotEqual";
    static constexpr trait traits = trait::elementwise_binary | trait::commutative;
};

/// y = a > b; the inputs have one element type and shapes that broadcast, y is boolean.
struct greater : detail::binary_comparison {
    static constexpr auto number = kind::greater;
    static constexpr text_view name = "Greater";
    static constexpr trait traits = trait::elementwise_binary;
};

/// y = a >= b; the inputs have one element type and shapes that broadcast, y is boolean.
struct greater_equal : detail::binary_comparison {
    static constexpr auto number = kind::greater_equal;
    static constexpr text_view name = "GreaterEqual";
    static constexpr trait traits = trait::elementwise_binary;
};

/// y = a < b; the inputs have one element type and shapes that broadcast, y is boolean.
struct less : detail::binary_comparison {
    static constexpr auto number = kind::less;
    static constexpr text_view name = "Less";
    static constexpr trait traits = trait::elementwise_binary;
};

/// y = a <= b; the inputs have one element type and shapes that broadcast, y is boolean.
struct less_equal : detail::binary_comparison {
    static constexpr auto number = kind::less_equal;
    static constexpr text_view name = "LessEqual";
    static constexpr trait traits = trait::elementwise_binary;
};

/// y = a and b; boolean tensors whose shapes broadcast.
struct logical_and : detail::binary_logical {
    static constexpr auto number = kind::logical_and;
    static constexpr text_view name = "LogicalAnd";
    static constexpr trait traits = trait::elementwise_binary | trait::commutative;
};

/// y = a or b; boolean tensors whose shapes broadcast.
struct logical_or : detail::binary_logical {
    static constexpr auto number = kind::logical_or;
    static constexpr text_view name = "LogicalOr";
    static constexpr trait traits = trait::elementwise_binary | trait::commutative;
};

/// y = either a or b, not both; boolean tensors whose shapes broadcast.
struct logical_xor : detail::binary_logical {
    static constexpr auto number = kind::logical_xor;
    static constexpr text_view name = "LogicalXor";
    static constexpr trait traits = trait::elementwise_binary | trait::commutative;
};

/// y = not x; a boolean tensor of any shape.
struct logical_not {
    static constexpr auto number = kind::logical_not;
    static constexpr text_view name = "LogicalNot";
    static constexpr versions opsets{1};
    static constexpr ports inputs{1, 1};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::elementwise_unary;

    static constexpr void infer(const logical_not&, inference& facts) {
        detail::require_boolean(facts, 0);
        facts.output(boolean, facts.dimensions(0));
    }
    friend constexpr bool operator==(const logical_not&, const logical_not&) = default;
};

/// Takes each element from one of two tensors: y = condition ? a : b.
///
/// Inputs: condition (boolean), a, b (one element type). With `numpy` the three shapes broadcast to each other, with
/// `none` they are equal, with `pdpd` y has the shape of a and the others broadcast to it.
struct select {
    static constexpr auto number = kind::select;
    static constexpr text_view name = "Select";
    static constexpr versions opsets{1};
    static constexpr ports inputs{3, 3};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::none;

    op::auto_broadcast auto_broadcast = op::auto_broadcast::numpy;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("auto_broadcast", self.auto_broadcast);
    }
    static constexpr void infer(const select& self, inference& facts) {
        detail::require_boolean(facts, 0);
        shape dimensions = detail::infer_broadcast(facts, self.auto_broadcast, 1, 2);
        const shape& condition = facts.dimensions(0);
        shape merged = dimensions;
        const bool fits = self.auto_broadcast == op::auto_broadcast::none
                              ? merge_shape(merged, condition)
                              : broadcast_shapes(dimensions, condition, merged);
        if (!fits) {
            facts.wrong(
                {"a condition of shape ", to_text(condition), " does not fit values of shape ", to_text(dimensions)});
        }
        facts.output(detail::infer_common_type(facts, 1, 2),
                     self.auto_broadcast == op::auto_broadcast::pdpd ? facts.dimensions(1) : merged);
    }
    friend constexpr bool operator==(const select&, const select&) = default;
};

namespace detail {

/// What all questions about each element of one real tensor have in common: y is boolean, of the shape of x.
struct question_of_reals {
    static constexpr versions opsets{10};
    static constexpr ports inputs{1, 1};
    static constexpr ports outputs{1, 1};

    static constexpr void infer(const question_of_reals&, inference& facts) {
        require_real(facts, 0);
        facts.output(boolean, facts.dimensions(0));
    }
    friend constexpr bool operator==(const question_of_reals&, const question_of_reals&) = default;
};

}  // namespace detail

/// y = whether x is not a number; x of a floating point type. Source: OpenVINO operation set, IsNaN-10.
struct is_nan : detail::question_of_reals {
    static constexpr auto number = kind::is_nan;
    static constexpr text_view name = "IsNaN";
    static constexpr trait traits = trait::elementwise_unary;
};

/// y = whether x is infinite, of the signs that `detect_negative` and `detect_positive` ask for; x of a floating point type.
///
/// Source: OpenVINO operation set, IsInf-10.
struct is_inf : detail::question_of_reals {
    static constexpr auto number = kind::is_inf;
    static constexpr text_view name = "IsInf";
    static constexpr trait traits = trait::elementwise_unary;

    bool detect_negative = true;
    bool detect_positive = true;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("detect_negative", self.detect_negative);
        visit("detect_positive", self.detect_positive);
    }
    friend constexpr bool operator==(const is_inf&, const is_inf&) = default;
};

/// y = whether x is neither infinite nor not a number; x of a floating point type. Source: OpenVINO operation set, IsFinite-10.
struct is_finite : detail::question_of_reals {
    static constexpr auto number = kind::is_finite;
    static constexpr text_view name = "IsFinite";
    static constexpr trait traits = trait::elementwise_unary;
};

}  // namespace lpt::inline LPT_ABI::op
