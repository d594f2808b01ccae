// SPDX-License-Identifier: Apache-2.0
// Constant weights of 4 or 8 bits and their dequantization, as operations read them.
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/pattern.hpp>
#include <lpt/transformation/quantization_details.hpp>

namespace lpt::inline LPT_ABI {

namespace fusion {

/// Fewer weights are better kept as f32: a core's second cache holds 1 MiB of them.
inline constexpr std::size_t least_compressed = 262144;

constexpr bool is_byte(element type) { return type == u8 || type == i8; }
constexpr bool has_few_bits(element type) { return type == u4 || type == i4 || is_byte(type); }

/// True if inputs `first` to 4 of a FakeQuantize are constants of one element.
constexpr bool has_one_range(const graph& model, node_id fake_quantize, std::size_t first = 1) {
    return has_constant_ranges(model, fake_quantize, first) && for_all(first, 5, [&](std::size_t port) {
               return model.constant_value(model[fake_quantize].input(port))->elements() == 1;
           });
}

/// Weights of few bits with their dequantization: scale * (codes - zero_point), and the axes in which that is said.
struct compressed_weights {
    tensor codes;
    tensor scale;
    tensor zero_point;  // none: 0
    output_ref centred;  // codes - zero_point, in the graph
    std::size_t column_axis = 0;
    std::size_t block_axis = 0;  // the axis inside of blocks where there is one block
    std::size_t inner_axis = 0;

    constexpr explicit operator bool() const { return static_cast<bool>(scale); }
    constexpr dimension columns() const { return codes.dimensions()[column_axis]; }
    constexpr dimension block() const { return codes.dimensions()[inner_axis]; }
    constexpr dimension blocks() const { return block_axis == inner_axis ? 1 : codes.dimensions()[block_axis]; }
    /// The axes of columns, blocks and elements of a block, as MatMul's second operand has them with `transpose_b` or without.
    constexpr void set_axes(bool transposed) {
        const std::size_t rank = codes.dimensions().rank();
        column_axis = transposed ? 0 : rank - 1;
        inner_axis = transposed ? rank - 1 : rank - 2;
        block_axis = rank == 2 ? inner_axis : inner_axis - 1;
    }
    /// One number for each block of each column, [columns, blocks], of numbers that broadcast to the codes; no tensor where numbers differ
    /// inside of blocks.
    constexpr tensor by_block(const tensor& numbers) const {
        const shape& own = numbers.dimensions();
        const std::size_t rank = codes.dimensions().rank();
        std::size_t strides[3] = {};
        std::size_t stride = 1;
        if (own.rank() > rank) {
            return {};
        }
        for (std::size_t axis = rank; axis-- > rank - own.rank();) {
            const dimension size = own[axis + own.rank() - rank];
            if (size != 1 && (size != codes.dimensions()[axis] || axis == inner_axis)) {
                return {};
            }
            strides[axis] = size == 1 ? 0 : stride;
            stride *= static_cast<std::size_t>(size);
        }
        const auto in_column = static_cast<std::size_t>(blocks());
        tensor_builder result(f32, shape{columns(), blocks()});
        for (std::size_t i = 0; i < result.elements(); ++i) {
            result.real(i, numbers.real(i / in_column * strides[column_axis] + i % in_column * strides[block_axis]));
        }
        return result.finish();
    }
    /// The codes as [columns, blocks, elements of a block].
    constexpr tensor by_column() const {
        const shape dimensions{columns(), blocks(), block()};
        if (column_axis == 0) {
            return tensor(codes, dimensions);
        }
        integers order;
        order.push_back(static_cast<std::int64_t>(column_axis));
        for (std::size_t axis = 0; axis < column_axis; ++axis) {
            order.push_back(static_cast<std::int64_t>(axis));
        }
        return tensor(evaluate_values(op::transpose{}, seq<tensor>{codes, make_indices(order)}), dimensions);
    }
};

/// The number that a Constant has, or a Convert of one.
constexpr tensor known_numbers(const graph& model, output_ref from) {
    const output_ref source = model[from.node].is<op::convert>() ? model[from.node].input(0) : from;
    const tensor* constant = model.constant_value(source);
    return is_null(constant) ? tensor() : *constant;
}

/// True for the dequantization of bytes.
constexpr bool dequantizes_bytes(const rewrite& r, output_ref from) {
    const dequantization found = find_dequantization_at(r.model, from, r.options.default_precisions);
    return !found.empty() && is_byte(r.model.type(found.data));
}

/// True for a Slice that takes the first elements.
constexpr bool takes_first(const graph& model, const node& slice) {
    const tensor* start = model.constant_value(slice.input(1));
    const tensor* step = slice.inputs() > 3 ? model.constant_value(slice.input(3)) : nullptr;
    if (is_null(start) || (slice.inputs() > 3 && is_null(step))) {
        return false;
    }
    for (std::size_t i = 0; i < start->elements(); ++i) {
        if (start->integer(i) != 0 || (!is_null(step) && step->integer(i) != 1)) {
            return false;
        }
    }
    return true;
}

/// Where the dequantization of weights ends, above a Convert, a Slice that drops the end of the last block, and a Reshape that joins blocks.
constexpr output_ref end_of_dequantization(const graph& model, output_ref weights) {
    if (model[weights.node].is<op::convert>() && is_real(model.type(model[weights.node].input(0)))) {
        weights = model[weights.node].input(0);
    }
    if (model[weights.node].is<op::slice>() && takes_first(model, model[weights.node])) {
        weights = model[weights.node].input(0);
    }
    return model[weights.node].is<op::reshape>() ? model[weights.node].input(0) : weights;
}

/// The weights that an operand dequantizes, rows that are `transposed` columns or columns; empty where it does something else.
constexpr compressed_weights find_compressed_weights(const graph& model, output_ref operand, bool transposed) {
    compressed_weights result;
    const node& multiply = model[end_of_dequantization(model, operand).node];
    if (!multiply.is<op::multiply>()) {
        return {};
    }
    const tensor right = known_numbers(model, multiply.input(1));
    const tensor scale = right ? right : known_numbers(model, multiply.input(0));
    output_ref data = multiply.input(right ? 0 : 1);
    result.centred = data;
    tensor zero_point;
    if (model[data.node].is<op::subtract>()) {
        zero_point = known_numbers(model, model[data.node].input(1));
        data = zero_point ? model[data.node].input(0) : data;
    }
    const node& convert = model[data.node];
    const tensor* codes = convert.is<op::convert>() ? model.constant_value(convert.input(0)) : nullptr;
    if (!scale || is_null(codes) || !has_few_bits(codes->type()) || codes->elements() == 0 ||
        !(multiply.shape() == codes->dimensions())) {
        return {};
    }
    const std::size_t rank = codes->dimensions().rank();
    if (rank != 2 && rank != 3) {
        return {};
    }
    result.codes = *codes;
    result.set_axes(transposed);
    result.scale = result.by_block(scale);
    result.zero_point = zero_point ? result.by_block(zero_point) : tensor();
    return zero_point && !result.zero_point ? compressed_weights() : result;
}

}  // namespace fusion

}  // namespace lpt::inline LPT_ABI
