// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/reference/activation.hpp>

#include <utility>
#include <vector>

namespace lpt::inline LPT_ABI::reference {

namespace detail {

/// Turns a matrix of n rows into its inverse, by elimination in its place with the greatest number of each column.
inline void invert(double* matrix, std::size_t n) {
    std::vector<std::size_t> exchanged(n);
    for (std::size_t column = 0; column < n; ++column) {
        std::size_t best = column;
        for (std::size_t row = column + 1; row < n; ++row) {
            const bool is_greater =
                math::absolute(matrix[row * n + column]) > math::absolute(matrix[best * n + column]);
            best = is_greater ? row : best;
        }
        exchanged[column] = best;
        for (std::size_t i = 0; best != column && i < n; ++i) {
            std::swap(matrix[best * n + i], matrix[column * n + i]);
        }
        const double pivot = matrix[column * n + column];
        matrix[column * n + column] = 1;
        for (std::size_t i = 0; i < n; ++i) {
            matrix[column * n + i] /= pivot;
        }
        for (std::size_t row = 0; row < n; ++row) {
            const double factor = row == column ? 0 : std::exchange(matrix[row * n + column], 0.0);
            for (std::size_t i = 0; row != column && i < n; ++i) {
                matrix[row * n + i] -= factor * matrix[column * n + i];
            }
        }
    }
    for (std::size_t column = n; column-- > 0;) {
        for (std::size_t row = 0; exchanged[column] != column && row < n; ++row) {
            std::swap(matrix[row * n + exchanged[column]], matrix[row * n + column]);
        }
    }
}

template <class Real>
tensor inverse(const call& node) {
    const shape& data = node.dimensions(0);
    const auto n = static_cast<std::size_t>(data[data.rank() - 1]);
    const bool is_adjoint = node.as<op::inverse>().adjoint;
    const operand<Real> x(node.input(0));
    outcome<Real> result(node.output());
    std::vector<double> matrix(n * n);
    for (std::size_t at = 0; at < result.elements(); at += n * n) {
        for (std::size_t i = 0; i < n * n; ++i) {
            matrix[i] = static_cast<double>(x[at + i]);
        }
        invert(matrix.data(), n);
        for (std::size_t i = 0; i < n * n; ++i) {
            result[at + i] = static_cast<Real>(matrix[is_adjoint ? i % n * n + i / n : i]);
        }
    }
    return result.finish();
}

}  // namespace detail

/// Inverse, computed in double and rounded once.
[[gnu::cold]] inline bool evaluate_linear_algebra(const call& node, seq<tensor>& outputs) {
    outputs.push_back(
        detail::with_real(node.output().type, [&](auto zero) { return detail::inverse<decltype(zero)>(node); }));
    return true;
}

}  // namespace lpt::inline LPT_ABI::reference
