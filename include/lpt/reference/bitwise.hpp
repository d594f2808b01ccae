// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/reference/activation.hpp>

namespace lpt::inline LPT_ABI::reference {

namespace detail {

/// A function of the bits of two tensors, as 64-bit integers; of the result the type keeps the lowest bits.
template <class Function>
constexpr tensor of_bits(const call& node, Function function) {
    operand<std::int64_t> a(node.input(0));
    operand<std::int64_t> b(node.input(1));
    outcome<std::int64_t> result(node.output());
    const evaluation::broadcast_walk<2> walk(node.output().dimensions, {&node.dimensions(0), &node.dimensions(1)});
    walk.for_each_row([&](const evaluation::broadcast_walk<2>::row& row) {
        for (std::size_t i = 0; i < row.length; ++i) {
            result[row.output + i] = function(a[row.at[0] + i * row.step[0]], b[row.at[1] + i * row.step[1]]);
        }
    });
    return result.finish();
}

constexpr std::int64_t shifted_left(std::int64_t value, std::int64_t count, int width) {
    return count < 0 || count >= width ? 0 : static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << count);
}
/// `value` is what 64 bits hold, those of an unsigned type seen as signed.
constexpr std::int64_t shifted_right(std::int64_t value, std::int64_t count, element type) {
    if (count < 0 || count >= bit_width(type)) {
        return is_signed(type) && value < 0 ? -1 : 0;
    }
    return is_signed(type) ? value >> count : static_cast<std::int64_t>(static_cast<std::uint64_t>(value) >> count);
}

constexpr tensor bitwise_not(const call& node) {
    const bool is_truth = node.input(0).type() == boolean;
    return evaluation::map_elements<std::int64_t, std::int64_t>(
        node, [is_truth](std::int64_t x) -> std::int64_t { return is_truth ? x == 0 : ~x; });
}

}  // namespace detail

/// Functions of bits; integers of all types are computed in 64 bits.
[[gnu::cold]] inline bool evaluate_bitwise(const call& node, seq<tensor>& outputs) {
    const element type = node.input(0).type();
    const auto give = [&](auto function) {
        outputs.push_back(detail::of_bits(node, function));
        return true;
    };
    switch (node.kind()) {
        case op::kind::bitwise_and: return give([](std::int64_t a, std::int64_t b) { return a & b; });
        case op::kind::bitwise_or: return give([](std::int64_t a, std::int64_t b) { return a | b; });
        case op::kind::bitwise_xor: return give([](std::int64_t a, std::int64_t b) { return a ^ b; });
        case op::kind::bitwise_left_shift:
            return give([type](std::int64_t a, std::int64_t b) { return detail::shifted_left(a, b, bit_width(type)); });
        case op::kind::bitwise_right_shift:
            return give([type](std::int64_t a, std::int64_t b) { return detail::shifted_right(a, b, type); });
        case op::kind::bitwise_not: outputs.push_back(detail::bitwise_not(node)); return true;
        default: return false;
    }
}

}  // namespace lpt::inline LPT_ABI::reference
