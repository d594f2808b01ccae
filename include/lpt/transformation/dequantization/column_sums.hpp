// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization/values.hpp>

/// Sums of the columns of a matrix of bytes: what a zero point of the other operand adds to a product of matrices.
namespace lpt::inline LPT_ABI::detail {

/// The sum of one column of a matrix of bytes, of one row if `transposed`.
constexpr std::int64_t sum_of_column(const tensor& matrix, std::size_t column, bool transposed) {
    const bool is_i8 = matrix.type() == i8;
    const auto rows = static_cast<std::size_t>(matrix.dimensions()[transposed ? 1 : 0]);
    if (transposed) {
        return sum_of_bytes(matrix.data() + column * rows, rows, is_i8);
    }
    const auto columns = static_cast<std::size_t>(matrix.dimensions()[1]);
    std::int64_t sum = 0;
    for (std::size_t row = 0; row < rows; ++row) {
        sum += sum_of_bytes(matrix.data() + row * columns + column, 1, is_i8);
    }
    return sum;
}

/// The sum of each column of a matrix of bytes, of each row if `transposed`.
constexpr seq<std::int64_t> sums_of_columns(const tensor& matrix, bool transposed) {
    const bool is_i8 = matrix.type() == i8;
    const auto rows = static_cast<std::size_t>(matrix.dimensions()[transposed ? 1 : 0]);
    const auto columns = static_cast<std::size_t>(matrix.dimensions()[transposed ? 0 : 1]);
    seq<std::int64_t> sums;
    sums.resize(columns);
    if (transposed) {
        for (std::size_t column = 0; column < columns; ++column) {
            sums[column] = sum_of_column(matrix, column, true);
        }
        return sums;
    }
    std::int64_t* to = sums.data();
    for (std::size_t row = 0; row < rows; ++row) {
        const std::byte* from = matrix.data() + row * columns;
        for (std::size_t column = 0; column < columns; ++column) {
            const auto code = static_cast<std::uint8_t>(from[column]);
            to[column] += is_i8 ? static_cast<std::int8_t>(code) : code;
        }
    }
    return sums;
}

/// The term of a zero point that is the same everywhere: it times the sums of the columns of b, rounded once. It has `rank` axes, or
/// none where all are equal.
///
/// Of many weights it is computed when somebody reads it, if two columns show already that not all are equal.
constexpr tensor uniform_zero_point_term(const tensor& weights, bool transposed, double zero_point, element type,
                                         std::size_t rank) {
    shape dimensions = shape::of_ones(rank);
    dimensions[rank - 1] = weights.dimensions()[transposed ? 0 : 1];
    const auto compute = [=] {
        const seq<std::int64_t> sums = sums_of_columns(weights, transposed);
        tensor_builder term(type, dimensions);
        for (std::size_t column = 0; column < sums.size(); ++column) {
            term.real(column, zero_point * static_cast<double>(sums[column]));
        }
        return term.finish();
    };
    const auto value_of = [&](std::size_t column) {
        return convert_value(type, zero_point * static_cast<double>(sum_of_column(weights, column, transposed)));
    };
    const dimension columns = dimensions[rank - 1];
    if (!lpt::is_constant_evaluated() && weights.elements() >= evaluation::late_from && columns > 1) {
        const late_facts facts{math::absolute(zero_point) * 256 * static_cast<double>(weights.elements()) /
                                   static_cast<double>(columns),
                               value_of(0), value_of(1)};
        if (facts.first != facts.second) {
            return evaluation::late_tensor(type, dimensions, view<tensor>(&weights, 1), compute, facts);
        }
    }
    return to_scalar(compute());
}

}  // namespace lpt::inline LPT_ABI::detail
