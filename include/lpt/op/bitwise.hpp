// SPDX-License-Identifier: Apache-2.0
// Functions of the bits of whole numbers.
#pragma once

#include <lpt/op/binary.hpp>

namespace lpt::inline LPT_ABI::op {

namespace detail {

/// What all functions of the bits of two tensors have in common; of booleans the one bit counts.
struct binary_of_bits : binary_arithmetic {
    static constexpr versions opsets{13};

    static constexpr void infer(const binary_of_bits& self, inference& facts) {
        facts.require_integers_or_booleans(0);
        facts.require_integers_or_booleans(1);
        binary_arithmetic::infer(self, facts);
    }
    friend constexpr bool operator==(const binary_of_bits&, const binary_of_bits&) = default;
};

/// What both shifts have in common.
struct shift_of_bits : binary_arithmetic {
    static constexpr versions opsets{15};

    static constexpr void infer(const shift_of_bits& self, inference& facts) {
        facts.require_integers(0);
        facts.require_integers(1);
        binary_arithmetic::infer(self, facts);
    }
    friend constexpr bool operator==(const shift_of_bits&, const shift_of_bits&) = default;
};

}  // namespace detail

/// Bits that are set in both; integers or booleans of one type, whose shapes broadcast. Source: OpenVINO operation set, BitwiseAnd-13.
struct bitwise_and : detail::binary_of_bits {
    static constexpr auto number = kind::bitwise_and;
    static constexpr text_view name = "BitwiseAnd";
    static constexpr trait traits = trait::elementwise_binary | trait::commutative;
};

/// Bits that are set in either; integers or booleans of one type, whose shapes broadcast. Source: OpenVINO operation set, BitwiseOr-13.
struct bitwise_or : detail::binary_of_bits {
    static constexpr auto number = kind::bitwise_or;
    static constexpr text_view name = "BitwiseOr";
    static constexpr trait traits = trait::elementwise_binary | trait::commutative;
};

/// Bits that differ; integers or booleans of one type, whose shapes broadcast. Source: OpenVINO operation set, BitwiseXor-13.
struct bitwise_xor : detail::binary_of_bits {
    static constexpr auto number = kind::bitwise_xor;
    static constexpr text_view name = "BitwiseXor";
    static constexpr trait traits = trait::elementwise_binary | trait::commutative;
};

/// y = a * 2^b, as far as its bits have room in the type; all are gone where b is negative or not less than their number.
///
/// Integers of one type, whose shapes broadcast. Source: OpenVINO operation set, BitwiseLeftShift-15.
struct bitwise_left_shift : detail::shift_of_bits {
    static constexpr auto number = kind::bitwise_left_shift;
    static constexpr text_view name = "BitwiseLeftShift";
    static constexpr trait traits = trait::elementwise_binary;
};

/// y = floor(a / 2^b); nothing but the sign is left where b is negative or not less than the number of bits.
///
/// Integers of one type, whose shapes broadcast. Source: OpenVINO operation set, BitwiseRightShift-15.
struct bitwise_right_shift : detail::shift_of_bits {
    static constexpr auto number = kind::bitwise_right_shift;
    static constexpr text_view name = "BitwiseRightShift";
    static constexpr trait traits = trait::elementwise_binary;
};

/// All bits the other way round; integers or booleans. Source: OpenVINO operation set, BitwiseNot-13.
struct bitwise_not {
    static constexpr auto number = kind::bitwise_not;
    static constexpr text_view name = "BitwiseNot";
    static constexpr versions opsets{13};
    static constexpr ports inputs{1, 1};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::elementwise_unary;

    static constexpr void infer(const bitwise_not&, inference& facts) {
        facts.require_integers_or_booleans(0);
        facts.output(facts.type(0), facts.dimensions(0));
    }
    friend constexpr bool operator==(const bitwise_not&, const bitwise_not&) = default;
};

}  // namespace lpt::inline LPT_ABI::op
