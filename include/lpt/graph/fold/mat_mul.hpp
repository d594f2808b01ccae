// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/traits.hpp>
#include <lpt/graph/fold/elementwise.hpp>

namespace lpt::inline LPT_ABI::evaluation {

namespace detail {

inline constexpr std::size_t tile_columns = 8;
inline constexpr std::size_t tile_rows = 4;

/// A matrix inside a tensor: element (i, j) is at `data[i * row_step + j * column_step]`.
template <class Number>
struct matrix {
    const Number* data = nullptr;
    std::size_t row_step = 0;
    std::size_t column_step = 0;
};

/// `Rows` rows times `tile_columns` columns; the sums stay in registers. Each sum is made in the order of `depth`.
template <std::size_t Rows, class Number>
constexpr void multiply_tile(matrix<Number> a, const Number* b, std::size_t b_step, std::size_t depth,
                             Number (&sums)[Rows][tile_columns]) {
    for (std::size_t k = 0; k < depth; ++k) {
        for (std::size_t row = 0; row < Rows; ++row) {
            const Number left = a.data[row * a.row_step + k * a.column_step];
            for (std::size_t column = 0; column < tile_columns; ++column) {
                sums[row][column] = plus(sums[row][column], times(left, b[k * b_step + column]));
            }
        }
    }
}

template <std::size_t Rows, class Number>
constexpr void multiply_rows(matrix<Number> a, const Number* b, std::size_t b_step, std::size_t depth, Number* to,
                             std::size_t to_step, std::size_t columns) {
    Number sums[Rows][tile_columns] = {};
    multiply_tile<Rows>(a, b, b_step, depth, sums);
    for (std::size_t row = 0; row < Rows; ++row) {
        for (std::size_t column = 0; column < columns; ++column) {
            to[row * to_step + column] = sums[row][column];
        }
    }
}

}  // namespace detail

/// c[i, j] = sum over k of a[i, k] * b[k, j], with c in row-major order; each sum in the order of k.
template <class Number>
constexpr void multiply_matrices(detail::matrix<Number> a, detail::matrix<Number> b, Number* c, std::size_t rows,
                                 std::size_t columns, std::size_t depth) {
    using detail::tile_columns;
    using detail::tile_rows;
    if (rows == 0) {
        return;
    }
    if (depth == 0) {  // operands without elements have no memory
        for (std::size_t i = 0; i < rows * columns; ++i) {
            c[i] = Number(0);
        }
        return;
    }
    seq<Number> panel;
    for (std::size_t column = 0; column < columns; column += tile_columns) {
        const std::size_t width = math::minimum(tile_columns, columns - column);
        const Number* right = b.data + column * b.column_step;
        std::size_t right_step = b.row_step;
        if (width != tile_columns || b.column_step != 1) {  // columns that do not lie side by side are brought together
            panel.resize(depth * tile_columns);
            for (std::size_t j = 0; j < width; ++j) {
                for (std::size_t k = 0; k < depth; ++k) {
                    panel[k * tile_columns + j] = right[k * b.row_step + j * b.column_step];
                }
            }
            right = panel.data();
            right_step = tile_columns;
        }
        std::size_t row = 0;
        const auto next = [&](auto count) {
            constexpr std::size_t height = decltype(count)::value;
            detail::multiply_rows<height>({a.data + row * a.row_step, a.row_step, a.column_step}, right, right_step,
                                          depth, c + row * columns + column, columns, width);
            row += height;
        };
        while (row + tile_rows <= rows) {
            next(constant_value<std::size_t{tile_rows}>{});
        }
        while (row < rows) {
            next(constant_value<std::size_t{1}>{});
        }
    }
}

namespace detail {

/// The last two axes of an operand of MatMul, after its transposition, and the axes before them.
struct matrix_axes {
    shape outer;
    std::size_t rows = 1;
    std::size_t columns = 1;
    bool transposed = false;

    constexpr matrix_axes(const shape& operand, bool transpose, bool is_left) {
        const shape matrix = op::detail::matrix_operand(operand, transpose, is_left);
        const std::size_t rank = matrix.rank();
        outer = matrix;
        outer.erase(rank - 1);
        outer.erase(rank - 2);
        rows = static_cast<std::size_t>(matrix[rank - 2]);
        columns = static_cast<std::size_t>(matrix[rank - 1]);
        transposed = transpose && operand.rank() > 1;
    }
    template <class Number>
    constexpr matrix<Number> at(const Number* data, std::size_t index) const {
        return {data + index * rows * columns, transposed ? 1 : columns, transposed ? rows : 1};
    }
};

template <class Number>
constexpr tensor mat_mul(const call& node) {
    const auto& self = node.as<op::mat_mul>();
    const matrix_axes left(node.dimensions(0), self.transpose_a, true);
    const matrix_axes right(node.dimensions(1), self.transpose_b, false);
    operand<Number> a(node.input(0));
    operand<Number> b(node.input(1));
    outcome<Number> result(node.output());
    shape outer;
    broadcast_shapes(left.outer, right.outer, outer);
    const broadcast_walk<2> walk(outer, {&left.outer, &right.outer});
    walk.for_each_row([&](const broadcast_walk<2>::row& row) {
        for (std::size_t i = 0; i < row.length; ++i) {
            multiply_matrices(
                left.at(a.data(), row.at[0] + i * row.step[0]), right.at(b.data(), row.at[1] + i * row.step[1]),
                result.data() + (row.output + i) * left.rows * right.columns, left.rows, right.columns, left.columns);
        }
    });
    return result.finish();
}

}  // namespace detail

/// MatMul in the number type of its output.
[[gnu::noinline, gnu::cold]] constexpr bool evaluate_mat_mul(const call& node, seq<tensor>& outputs) {
    outputs.push_back(
        with_number(node.output().type, [&](auto zero) { return detail::mat_mul<decltype(zero)>(node); }));
    return true;
}

}  // namespace lpt::inline LPT_ABI::evaluation
