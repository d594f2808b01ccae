// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/fold/mat_mul.hpp>

namespace lpt::inline LPT_ABI::reference {

namespace detail {

/// The weights as numbers, [columns][inner].
template <class Number>
constexpr seq<Number> expanded_weights(const evaluation::call& node, std::size_t inner) {
    const tensor& codes = node.input(1);
    const auto columns = static_cast<std::size_t>(codes.dimensions()[0]);
    const auto blocks = static_cast<std::size_t>(codes.dimensions()[1]);
    const auto block = static_cast<std::size_t>(codes.dimensions()[2]);
    seq<Number> result(columns * inner, Number(0));
    for (std::size_t n = 0; n < columns; ++n) {
        for (std::size_t k = 0; k < inner; ++k) {
            const std::size_t at = n * blocks + k / block;
            const double zero = node.has(3) ? node.input(3).real(at) : 0;
            const double code = codes.real(at * block + k % block);
            result[n * inner + k] = static_cast<Number>((code - zero) * node.input(2).real(at));
        }
    }
    return result;
}

template <class Number>
constexpr tensor fully_connected_compressed(const evaluation::call& node) {
    const shape& data = node.dimensions(0);
    const auto inner = static_cast<std::size_t>(data[data.rank() - 1]);
    const seq<Number> weights = expanded_weights<Number>(node, inner);
    const evaluation::operand<Number> x(node.input(0));
    evaluation::outcome<Number> result(node.output());
    using matrix = evaluation::detail::matrix<Number>;
    evaluation::multiply_matrices(matrix{x.data(), inner, 1}, matrix{weights.data(), 1, inner}, result.data(),
                                  node.input(0).elements() / inner, weights.size() / inner, inner);
    return result.finish();
}

}  // namespace detail

/// FullyConnectedCompressed in the number type of its output.
[[gnu::noinline, gnu::cold]] constexpr bool evaluate_fully_connected(const evaluation::call& node,
                                                                     seq<tensor>& outputs) {
    outputs.push_back(evaluation::with_number(
        node.output().type, [&](auto zero) { return detail::fully_connected_compressed<decltype(zero)>(node); }));
    return true;
}

}  // namespace lpt::inline LPT_ABI::reference
