// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/model.hpp>

namespace lpt::inline LPT_ABI::op {

namespace detail {

/// The shape of an elementwise operation on inputs `left` and `right`; raises an error where there is none.
constexpr shape infer_broadcast(const inference& facts, auto_broadcast rule, std::size_t left, std::size_t right) {
    const shape& a = facts.dimensions(left);
    const shape& b = facts.dimensions(right);
    shape result;
    if (rule == auto_broadcast::none) {
        result = a;
        if (!merge_shape(result, b)) {
            facts.wrong({"inputs must have one shape, not ", a, " and ", b});
        }
    } else if (!broadcast_shapes(a, b, result)) {
        facts.wrong({"shapes ", a, " and ", b, " do not broadcast to each other"});
    }
    return result;
}

/// The element type that inputs `left` and `right` share; raises an error if they differ.
constexpr element infer_common_type(const inference& facts, std::size_t left, std::size_t right) {
    const element a = facts.type(left);
    const element b = facts.type(right);
    if (a != b && a != dynamic && b != dynamic) {
        facts.wrong({"inputs must have one element type, not ", lpt::name(a), " and ", lpt::name(b)});
    }
    return a == dynamic ? b : a;
}

/// What all arithmetic operations on two tensors have in common.
struct binary_arithmetic {
    static constexpr versions opsets{1};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};

    op::auto_broadcast auto_broadcast = op::auto_broadcast::numpy;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("auto_broadcast", self.auto_broadcast);
    }
    static constexpr void infer(const binary_arithmetic& self, inference& facts) {
        facts.output(infer_common_type(facts, 0, 1), infer_broadcast(facts, self.auto_broadcast, 0, 1));
    }
    friend constexpr bool operator==(const binary_arithmetic&, const binary_arithmetic&) = default;
};

}  // namespace detail

/// y = a + b
struct add : detail::binary_arithmetic {
    static constexpr auto number = kind::add;
    static constexpr text_view name = "Add";
    static constexpr trait traits =
        trait::elementwise_binary | trait::commutative | trait::relaxable | trait::quantizable | data_on(0, 1);
};

/// y = a - b
struct subtract : detail::binary_arithmetic {
    static constexpr auto number = kind::subtract;
    static constexpr text_view name = "Subtract";
    static constexpr trait traits = trait::elementwise_binary | trait::relaxable | trait::quantizable | data_on(0, 1);
};

/// y = a * b
struct multiply : detail::binary_arithmetic {
    static constexpr auto number = kind::multiply;
    static constexpr text_view name = "Multiply";
    static constexpr trait traits =
        trait::elementwise_binary | trait::commutative | trait::relaxable | trait::quantizable | data_on(0, 1);
};

/// y = a / b; integers towards zero, or downwards with `m_pythondiv`
struct divide : detail::binary_arithmetic {
    static constexpr auto number = kind::divide;
    static constexpr text_view name = "Divide";
    static constexpr trait traits = trait::elementwise_binary;

    bool m_pythondiv = true;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        binary_arithmetic::fields(self, visit);
        visit("m_pythondiv", self.m_pythondiv);
    }
    friend constexpr bool operator==(const divide&, const divide&) = default;
};

/// y = a ^ b
struct power : detail::binary_arithmetic {
    static constexpr auto number = kind::power;
    static constexpr text_view name = "Power";
    static constexpr trait traits = trait::elementwise_binary;
};

/// y = max(a, b)
struct maximum : detail::binary_arithmetic {
    static constexpr auto number = kind::maximum;
    static constexpr text_view name = "Maximum";
    static constexpr trait traits = trait::elementwise_binary | trait::commutative;
};

/// y = min(a, b)
struct minimum : detail::binary_arithmetic {
    static constexpr auto number = kind::minimum;
    static constexpr text_view name = "Minimum";
    static constexpr trait traits = trait::elementwise_binary | trait::commutative;
};

/// y = (a - b)^2
struct squared_difference : detail::binary_arithmetic {
    static constexpr auto number = kind::squared_difference;
    static constexpr text_view name = "SquaredDifference";
    static constexpr versions opsets{0};
    static constexpr trait traits = trait::elementwise_binary | trait::commutative;
};

/// y = a - truncate(a / b) * b
struct mod : detail::binary_arithmetic {
    static constexpr auto number = kind::mod;
    static constexpr text_view name = "Mod";
    static constexpr trait traits = trait::elementwise_binary;
};

/// y = a - floor(a / b) * b
struct floor_mod : detail::binary_arithmetic {
    static constexpr auto number = kind::floor_mod;
    static constexpr text_view name = "FloorMod";
    static constexpr trait traits = trait::elementwise_binary;
};

}  // namespace lpt::inline LPT_ABI::op
