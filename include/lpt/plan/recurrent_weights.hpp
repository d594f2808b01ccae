// SPDX-License-Identifier: Apache-2.0
// Weights of recurrent operations: bytes with a scale for each row, where the network has them, or real numbers.
#pragma once

#include <lpt/plan/source.hpp>

#include <cstdint>
#include <vector>

namespace lpt::inline LPT_ABI::plan {

/// Where the inputs of a recurrent operation are.
struct recurrent_ports {
    std::size_t weights = 0;  // port of W; R and b follow; 0: the operation is not recurrent
    bool is_sequence = false;
};

inline recurrent_ports recurrent_ports_of(op::kind kind) {
    switch (kind) {
        case op::kind::lstm_cell: return {3, false};
        case op::kind::gru_cell: return {2, false};
        case op::kind::lstm_sequence: return {4, true};
        case op::kind::gru_sequence: return {3, true};
        default: return {};
    }
}

/// Rows of weights, W or R: scale * (value - zero_point), with one of each for every row. `zero_points`: none where all are 0; `scales`:
/// none of real numbers.
struct recurrent_weights {
    tensor values;
    std::vector<float> scales;
    std::vector<std::int32_t> zero_points;

    bool are_bytes() const { return !scales.empty(); }
};

namespace detail {

/// The numbers of each row of a tensor, all axes but the last together being rows; false if they vary inside of rows.
inline bool numbers_of_rows(const spread& numbers, const shape& dimensions, std::vector<double>& result) {
    const std::size_t rank = dimensions.rank();
    const std::vector<std::int64_t> strides = numbers.strides(rank);
    if (strides[rank - 1] != 0) {
        return false;
    }
    result.assign(dimensions.elements() / static_cast<std::size_t>(dimensions[rank - 1]), 0);
    for (std::size_t row = 0; row < result.size(); ++row) {
        std::int64_t at = 0;
        std::size_t rest = row;
        for (std::size_t axis = rank - 1; axis-- > 0;) {
            const auto size = static_cast<std::size_t>(dimensions[axis]);
            at += static_cast<std::int64_t>(rest % size) * strides[axis];
            rest /= size;
        }
        result[row] = numbers.values[static_cast<std::size_t>(at)];
    }
    return true;
}

}  // namespace detail

/// Constant bytes that an input dequantizes, one scale and zero point a row; no values where it does something else.
inline recurrent_weights bytes_of_weights(const graph& model, output_ref input) {
    const quantized_source source = source_of(model, input);
    const tensor* values = model.constant_value(source.base);
    if (values == nullptr || !is_byte(values->type()) || values->dimensions().rank() < 2 || values->elements() == 0) {
        return {};
    }
    std::vector<double> scales;
    std::vector<double> shifts;
    if (!detail::numbers_of_rows(source.scale, values->dimensions(), scales) ||
        !detail::numbers_of_rows(source.shift, values->dimensions(), shifts)) {
        return {};
    }
    recurrent_weights result;
    bool symmetric = true;
    for (std::size_t row = 0; row < scales.size(); ++row) {
        std::int32_t zero_point = 0;
        if (shifts[row] != 0 && !detail::zero_point_of(values->type(), scales[row], shifts[row], zero_point)) {
            return {};
        }
        result.scales.push_back(static_cast<float>(scales[row]));
        result.zero_points.push_back(zero_point);
        symmetric = symmetric && zero_point == 0;
    }
    if (symmetric) {
        result.zero_points.clear();
    }
    result.values = *values;
    return result;
}

/// True if a recurrent operation multiplies the bytes of this port, W or R.
inline bool multiplies_bytes(const graph& model, const node& each, std::size_t port) {
    const std::size_t weights = recurrent_ports_of(each.kind()).weights;
    return weights != 0 && (port == weights || port == weights + 1) &&
           bytes_of_weights(model, each.input(port)).are_bytes();
}

}  // namespace lpt::inline LPT_ABI::plan
