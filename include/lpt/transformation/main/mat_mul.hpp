// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/fake_quantize/decompose.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

namespace detail {

/// The axis that a MatMul sums over, in an operand of a known rank.
constexpr std::size_t summed_axis(std::size_t rank, bool is_second, bool transposed) {
    if (rank < 2) {
        return 0;
    }
    return is_second != transposed ? rank - 2 : rank - 1;
}

/// True if a constant of this shape has, in one operand of a MatMul, several values along the axis that is summed, or along
/// any axis of an operand that has one axis only.
constexpr bool varies_over_summed_axis(const shape& constant, const shape& operand, bool is_second, bool transposed) {
    if (constant.elements() == 1) {
        return false;
    }
    if (operand.rank_is_dynamic() || operand.rank() < 2) {
        return true;
    }
    const shape aligned = constant.padded_left(operand.rank());
    return aligned[summed_axis(operand.rank(), is_second, transposed)] != 1;
}

/// `summed_axis` of an operand of this shape; 0 where it has fewer than two axes or their number is not known.
constexpr std::size_t summed_axis_of(const shape& operand, bool is_second, bool transposed) {
    return operand.rank_is_dynamic() || operand.rank() < 2 ? 0 : summed_axis(operand.rank(), is_second, transposed);
}

/// The scale of an operand for the product: a scalar where it has (equal) values along the axis that is summed.
constexpr tensor without_summed_axis(const tensor& scale, const shape& operand, bool is_second, bool transposed) {
    if (varies_over_summed_axis(scale.dimensions(), operand, is_second, transposed)) {
        return to_scalar(scale);
    }
    return scale;
}

/// A constant with its last two axes exchanged, if `transposed`; without axes it stays as it is.
constexpr tensor transposed_constant(auto& r, const tensor& values, bool transposed) {
    const std::size_t rank = values.dimensions().rank();
    if (!transposed || values.elements() == 1) {
        return values;
    }
    if (rank < 2) {
        return tensor(values, shape{values.dimensions()[0], 1});
    }
    if (values.dimensions()[rank - 2] == 1 || values.dimensions()[rank - 1] == 1) {  // the values stay where they are
        shape exchanged = values.dimensions();
        swap_values(exchanged[rank - 2], exchanged[rank - 1]);
        return tensor(values, exchanged);
    }
    integers order;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        order.push_back(static_cast<std::int64_t>(axis + 2 < rank ? axis : 2 * rank - 3 - axis));
    }
    const output_ref folded =
        fold_operation(r.model, op::transpose{}, {r.model.constant(values), r.model.constant(make_indices(order))});
    return constant_of(r.model, folded.node);
}

/// The sum of `count` signed bytes, or unsigned ones.
///
/// Eight at a time in the bytes of a word: zero points of large weights are folded with this.
template <int Once = 0>
constexpr std::int64_t sum_of_bytes(const std::byte* data, std::size_t count, bool is_signed) {
    constexpr std::uint64_t every_second = 0x00FF00FF00FF00FFu;
    constexpr std::uint64_t add_lanes = 0x0001000100010001u;
    constexpr std::size_t words_of_block = 16;  // few enough for sums below 2^16
    const std::uint64_t to_unsigned = is_signed ? 0x8080808080808080u : 0;
    std::uint64_t sum = 0;
    std::size_t done = 0;
    for (; count - done >= 8 * words_of_block; done += 8 * words_of_block) {
        std::uint64_t lanes = 0;
        for (std::size_t i = 0; i < words_of_block; ++i) {
            const std::uint64_t eight = lpt::detail::load<std::uint64_t>(data + done + 8 * i) ^ to_unsigned;
            lanes += (eight & every_second) + (eight >> 8 & every_second);
        }
        sum += lanes * add_lanes >> 48;
    }
    for (; done < count; ++done) {
        sum += (static_cast<std::uint64_t>(data[done]) ^ to_unsigned) & 0xFFu;
    }
    return static_cast<std::int64_t>(sum) - (is_signed ? 128 * static_cast<std::int64_t>(count) : 0);
}

/// The sum of one column of a matrix of bytes, of one row if `transposed`.
template <int Once = 0>
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
template <int Once = 0>
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
template <int Once = 0>
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

/// A Multiply that reads a converted Constant on input 1, which is where a scale stands, gets the converted values instead. With
/// `quirk::weights_taken_for_scale` also where the scale stands on input 0: then the weights are real numbers, and the MatMul stays.
constexpr void fold_converted_scale(auto& r, node_id multiply) {
    const output_ref source = r.model[multiply].input(1);
    if (is_converted_constant(r.model, source) && is_real(r.model.type(source)) &&
        (!is_constant(r.model, r.model[multiply].input(0)) || r.follows(quirk::weights_taken_for_scale))) {
        r.model.set_input(multiply, 1, try_fold(r.model, source.node));
    }
}

}  // namespace detail

/// Moves the scales of both operands behind a MatMul, which then works on 8-bit integers.
///
/// before: y = (scale_a * (a - zero_point_a)) x (scale_b * b)
/// after:  y = scale_a * scale_b * (a x b - zero_point_a x b)
/// Scales must not vary over the axis that is summed; b has no zero point, and is constant where a has one. The term of the
/// zero point is folded, its zero point is not rounded. The product of scales is f32.
struct mat_mul_transformation {
    static constexpr text_view name = "MatMulTransformation";
    using pattern = lpt::pattern<op::mat_mul, from<op::multiply>, from<op::multiply, op::fake_quantize>>;

    [[gnu::cold]] static constexpr verdict can_transform(const auto& r, node_id id) {
        if (const verdict spatial = spatial_precondition(r, id); !spatial) {
            return spatial;
        }
        const graph& model = r.model;
        const dequantization first = find_dequantization(r, id, 0);
        if (first.empty() || !first.has_multiply()) {
            return refuse(reason::no_dequantization, 0);
        }
        if (r.options.update_precisions && !is_low_precision(model, first)) {
            return refuse_type(reason::not_low_precision, 0, model.type(first.data));
        }
        const op::mat_mul& product = model[id].as<op::mat_mul>();
        if (!is_scalar_like(model, first.scale) &&
            detail::varies_over_summed_axis(model[first.scale].shape(), model[first.multiply].shape(), false,
                                            product.transpose_a)) {
            return refuse_axis(reason::varies_over_axis, 0,
                               detail::summed_axis_of(model[first.multiply].shape(), false, product.transpose_a),
                               first.scale);
        }
        if (const verdict second = second_operand_verdict(r, id); !second) {
            return second;
        }
        if (first.has_subtract() && !is_constant_path(model, model.producer(id, 1))) {
            return refuse_zero_point(model, first);
        }
        return yes;
    }
    [[gnu::cold]] static constexpr bool transform(auto& r, node_id id) {
        graph& model = r.model;
        if (model[model.producer(id, 1)].is<op::multiply>()) {
            detail::fold_converted_scale(r, model.producer(id, 1));
        }
        if (const verdict why = can_transform(r, id); !why) {
            return r.refused(id, name, why);
        }
        const node_id product = id;  // makes constants of its own, so it leaves what others read as it is
        if (const node_id second = model.producer(product, 1); model[second].is<op::fake_quantize>()) {
            decompose_weights(r, second, false);
        }
        const dequantization first = normalize_dequantization(r, find_dequantization(r, product, 0));
        const dequantization second = normalize_dequantization(r, find_dequantization(r, product, 1));
        const element computed = r.computed_type();
        const output_ref weights = second.empty() ? model[product].input(1) : second.data;
        output_ref term;
        if (first.has_subtract()) {
            term = zero_point_term(r, product, first, weights);
            if (!r.follows(quirk::overflowing_range) && is_infinite(model, term)) {
                return r.refused(product, name, refuse(reason::infinite_constant, 0));
            }
        }
        const tensor scale = product_of_scales(r, product, first, second);
        const seq<input_ref, 4> readers = model.uses({product, 0});
        renew_relaxed(r, product, {first.data, weights}, {{computed, computed}, {computed}});
        output_ref last = product;
        if (first.has_subtract()) {
            last = model.add(op::subtract{}, {product, term},
                             join({model[product].name(), "/DequantizationSubtract"}).view());
        }
        const node_id multiply = model.add_relaxed(op::multiply{}, {last, model.constant(scale)},
                                                   {{computed, computed}, {model[first.multiply].type()}},
                                                   join({model[product].name(), "/DequantizationMultiply"}).view());
        insert_dequantization(r, readers, multiply, product);
        update_output_name(r, multiply, product);
        return true;
    }

private:
    /// True for a Constant with a value that its type, f16 perhaps, does not hold.
    static constexpr bool is_infinite(const graph& model, output_ref constant) {
        const tensor* values = model.constant_value(constant);
        return values != nullptr && !is_finite(*values);
    }

    static constexpr verdict second_operand_verdict(const auto& r, node_id id) {
        const graph& model = r.model;
        const bool transposed = model[id].as<op::mat_mul>().transpose_b;
        const output_ref source = model[id].input(1);
        if (model[source.node].is<op::fake_quantize>()) {
            return fake_quantized_verdict(r, source.node, transposed);
        }
        const dequantization found = find_dequantization(r, id, 1);
        if (found.empty() || !found.has_multiply()) {
            return refuse(reason::no_dequantization, 1);
        }
        if (r.options.update_precisions && !is_low_precision(model, found)) {
            return refuse_type(reason::not_low_precision, 1, model.type(found.data));
        }
        if (found.has_subtract() &&
            !is_negligible_zero_point(r, constant_of(model, found.zero_point), model.type(found.data))) {
            return refuse_zero_point(model, found, 1);
        }
        return !is_scalar_like(model, found.scale) &&
                       detail::varies_over_summed_axis(model[found.scale].shape(), model[found.multiply].shape(), true,
                                                       transposed)
                   ? refuse_axis(reason::varies_over_axis, 1,
                                 detail::summed_axis_of(model[found.multiply].shape(), true, transposed), found.scale)
                   : yes;
    }
    static constexpr verdict fake_quantized_verdict(const auto& r, node_id fake_quantize, bool transposed) {
        const graph& model = r.model;
        if (!has_constant_ranges(model, fake_quantize)) {
            return refuse_because_of(reason::ranges_not_constant, 1, fake_quantize);
        }
        const data_precision precision = weights_precision_of(r, fake_quantize);
        if (!precision) {
            return refuse_levels(model, fake_quantize, reason::precision_not_chosen, 1);
        }
        if (precision.has_zero_point) {
            return refuse_because_of(reason::has_zero_point, 1, fake_quantize);
        }
        return detail::varies_over_summed_axis(output_range_shape(model, fake_quantize), model[fake_quantize].shape(),
                                               true, transposed)
                   ? refuse_axis(reason::varies_over_axis, 1,
                                 detail::summed_axis_of(model[fake_quantize].shape(), true, transposed), fake_quantize)
                   : yes;
    }

    /// zero_point_a x b, with the zero point repeated over the axis that is summed.
    static constexpr output_ref zero_point_term(auto& r, node_id product, const dequantization& found,
                                                output_ref weights) {
        graph& model = r.model;
        const op::mat_mul& attributes = model[product].as<op::mat_mul>();
        const tensor& zero_point = constant_of(model, found.zero_point);
        const std::size_t rank = model[found.subtract].shape().rank();
        shape dimensions =
            is_scalar_like(zero_point) ? shape::of_ones(rank) : zero_point.dimensions().padded_left(rank);
        const shape& second = model.shape(weights);
        dimensions[detail::summed_axis(rank, false, attributes.transpose_a)] =
            second[detail::summed_axis(second.rank(), true, attributes.transpose_b)];
        const element computed = r.computed_type();
        const tensor* values = model.constant_value(weights);
        if (values != nullptr && (values->type() == i8 || values->type() == u8) && second.rank() == 2 && rank >= 2 &&
            is_scalar_like(zero_point)) {
            return model.constant(detail::uniform_zero_point_term(
                *values, attributes.transpose_b, convert_value(computed, zero_point.real(0)), computed, rank));
        }
        const tensor repeated = broadcast_values(to_scalar(zero_point), dimensions);
        const output_ref left = fold_convert(model, model.constant(repeated), computed);
        const output_ref term =
            fold_operation(model, model[product].attributes(), {left, fold_convert(model, weights, computed)},
                           model[product].version());
        return is_constant(model, term) ? output_ref(model.constant(to_scalar(constant_of(model, term.node)))) : term;
    }

    /// scale_a * scale_b, each turned the way that its operand is, in the shape of the product.
    static constexpr tensor product_of_scales(auto& r, node_id product, const dequantization& first,
                                              const dequantization& second) {
        graph& model = r.model;
        const op::mat_mul& attributes = model[product].as<op::mat_mul>();
        tensor second_scale = make_scalar(f32, 1);
        if (second.has_multiply()) {
            second_scale = constant_of(model, second.scale);
        }
        const tensor first_scale = detail::without_summed_axis(
            constant_of(model, first.scale), model[first.multiply].shape(), false, attributes.transpose_a);
        const tensor left = detail::transposed_constant(r, first_scale, attributes.transpose_a);
        tensor right = to_scalar(detail::transposed_constant(r, second_scale, attributes.transpose_b));
        if (right.dimensions().rank() != 0) {
            right = tensor(right, right.dimensions().padded_left(model.shape(model[product].input(0)).rank()));
        }
        if (!left.waits() && !right.waits()) {
            if (const tensor few = evaluation::combine_few_floats(op::kind::multiply, left, right)) {
                return to_scalar(few);
            }
        }
        const output_ref folded = fold_operation(
            model, op::multiply{},
            {fold_convert(model, model.constant(left), f32), fold_convert(model, model.constant(right), f32)});
        return to_scalar(constant_of(model, folded.node));
    }
};

}  // namespace lpt::inline LPT_ABI
