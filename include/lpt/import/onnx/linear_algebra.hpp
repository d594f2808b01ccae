// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/operation.hpp>

namespace lpt::inline LPT_ABI::onnx {

/// Determinants of matrices, the last two axes: rows are eliminated, each time with the one that begins with the largest number.
inline void read_determinant(operation& n) {
    constexpr dimension most_rows = 32;
    const output_ref x = n.in(0);
    const auto axes = static_cast<std::int64_t>(n.rank(x));
    const dimension size = axes < 2 ? dynamic_dimension : n.shape(x)[n.rank(x) - 1];
    if (size < 1 || size > most_rows || n.shape(x)[n.rank(x) - 2] != size) {
        n.wrong({"needs square matrices of at most ", most_rows, " rows, not ", n.shape(x)});
    }
    const auto parts = [&](output_ref from, std::int64_t begin, std::int64_t end) {
        return n.slice(from, 2, begin, end);
    };
    const auto rows_at = [&](output_ref from, output_ref places) {
        op::gather what;
        what.batch_dims = 1;
        return n.make(what, {from, places, n.integer_constant(1)}, 8);
    };
    const auto number = [&](double value) { return n.builder().real(value, f64); };
    output_ref rest = n.reshape(n.convert(x, f64), {-1, size, size});
    output_ref result = number(1);
    for (dimension left = size; left > 0; --left) {
        op::top_k what;
        what.axis = 1;
        what.index_element_type = i64;
        const output_ref column = n.make(op::abs{}, {n.squeeze(parts(rest, 0, 1), {2})});
        const output_ref place(n.make_node(what, {column, n.integer_constant(1)}), 1);
        const output_ref row = rows_at(rest, place);
        const output_ref first = parts(row, 0, 1);
        // The row moves to the top over `place` others, each of which turns the sign.
        const output_ref odd = n.make(op::floor_mod{}, {n.unsqueeze(place, {2}), n.integer_constant(2)});
        const output_ref sign =
            n.make(op::select{}, {n.make(op::equal{}, {odd, n.integer_constant(0)}), number(1), number(-1)});
        result = n.make(op::multiply{}, {result, n.make(op::multiply{}, {first, sign})});
        if (left == 1) {
            break;
        }
        const output_ref counted = n.unsqueeze(n.counted(n.indices({left - 1})), {0});
        const output_ref behind = n.convert(n.make(op::greater_equal{}, {counted, place}), i64);
        const output_ref others = rows_at(rest, n.make(op::add{}, {counted, behind}));
        const output_ref divisor = n.make(op::select{}, {n.make(op::equal{}, {first, number(0)}), number(1), first});
        const output_ref factor = n.make(op::divide{}, {parts(others, 0, 1), divisor});
        rest = n.make(op::subtract{}, {parts(others, 1, left), n.make(op::multiply{}, {factor, parts(row, 1, left)})});
    }
    result = n.convert(result, n.type(x));
    if (axes == 2) {
        return n.out(n.reshape(result, view<std::int64_t>()));
    }
    n.out(n.make(op::reshape{}, {result, n.slice(n.shape_of(x), 0, 0, axes - 2)}));
}

inline constexpr operator_entry linear_algebra_operators[] = {
    {"", "Det", read_determinant},
};

}  // namespace lpt::inline LPT_ABI::onnx
