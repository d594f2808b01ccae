// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>

/// What MatMul asks of its operands, and what a zero point of the first adds to the product.
namespace lpt::inline LPT_ABI::detail {

/// One of the two operands of a MatMul, whose last two axes may be exchanged: `[.., rows, summed]` x `[.., summed, columns]`.
struct matrix_operand {
    int port;
    bool transposed;

    /// The axis that is summed; 0 where there are fewer than two axes or their number is not known.
    constexpr std::size_t summed_axis(const shape& dimensions) const {
        const bool has_two = dimensions.rank_is_static() && dimensions.rank() >= 2;
        return has_two ? dimensions.rank() - ((port == 1) != transposed ? 2 : 1) : 0;
    }
    /// True if a constant of this shape has several elements, equal or not, along the summed axis, or any of an operand that has one axis only.
    constexpr bool extends_over_summed_axis(const shape& constant, const shape& dimensions) const {
        return constant.elements() != 1 && (dimensions.rank_is_dynamic() || dimensions.rank() < 2 ||
                                            constant.padded_left(dimensions.rank())[summed_axis(dimensions)] != 1);
    }
    /// Refuses a scale with different values along the summed axis.
    constexpr verdict scale_is_uniform_over_summed_axis(const graph& model, const dequantization& found) const {
        const shape& dimensions = model[found.multiply].shape();
        return is_scalar_like(model, found.scale) || !extends_over_summed_axis(model[found.scale].shape(), dimensions)
                   ? yes
                   : refuse_axis(reason::varies_over_axis, port, summed_axis(dimensions), found.scale);
    }
    /// The scale of the operand as it stands at the product: transposed where the operand is. It has one value along the summed axis.
    constexpr tensor transposed_with_operand(const tensor& scale) const {
        const std::size_t rank = scale.dimensions().rank();
        if (!transposed || scale.elements() == 1) {
            return scale;
        }
        shape exchanged = scale.dimensions();
        if (rank < 2) {
            exchanged = shape{scale.dimensions()[0], 1};
        } else {
            swap_values(exchanged[rank - 2], exchanged[rank - 1]);
        }
        return tensor(scale, exchanged);
    }
};

/// A Multiply that reads a converted Constant on input 1, which is where a scale stands, gets the converted values instead. With
/// `quirk::weights_taken_for_scale` also where the scale stands on input 0: then the weights are real numbers, and the MatMul stays.
constexpr void fold_converted_scale(rewrite& r, node_id multiply) {
    const output_ref source = r.model[multiply].input(1);
    if (is_converted_constant(r.model, source) && is_real(r.model.type(source)) &&
        (!is_constant(r.model, r.model[multiply].input(0)) || r.follows(quirk::weights_taken_for_scale))) {
        r.model.set_input(multiply, 1, try_fold(r.model, source.node));
    }
}

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

/// The term of a uniform zero point: it times the sums of the columns of b, rounded once; `rank` axes, or none where all are equal.
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
