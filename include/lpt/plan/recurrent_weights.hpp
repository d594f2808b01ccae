// SPDX-License-Identifier: Apache-2.0
// Weights of recurrent operations: bytes with a scale for each row, where the network has them, or real numbers.
#pragma once

#include <lpt/kernel/rows.hpp>
#include <lpt/plan/source.hpp>

#include <cstdint>
#include <vector>

namespace lpt::inline LPT_ABI::plan {

/// What a recurrent operation is, and where its inputs are.
struct recurrent_form {
    const op::detail::recurrent_attributes* attributes = nullptr;  // null: the operation is not recurrent
    kernel::recurrent_kind kind = kernel::recurrent_kind::lstm;
    std::size_t weights = 0;  // port of W; R and b follow
    bool is_sequence = false;
    op::recurrent_direction direction = op::recurrent_direction::forward;

    bool is_recurrent() const { return attributes != nullptr; }
    /// True for the port of W or R.
    bool has_weights(std::size_t port) const { return is_recurrent() && (port == weights || port == weights + 1); }
};

namespace detail {

inline kernel::recurrent_kind gru_kind(bool linear_before_reset) {
    return linear_before_reset ? kernel::recurrent_kind::gru_linear : kernel::recurrent_kind::gru;
}

}  // namespace detail

inline recurrent_form recurrent_form_of(const node& each) {
    constexpr auto lstm = kernel::recurrent_kind::lstm;
    switch (each.kind()) {
        case op::kind::lstm_cell: return {&each.as<op::lstm_cell>(), lstm, 3};
        case op::kind::gru_cell: {
            const auto& self = each.as<op::gru_cell>();
            return {&self, detail::gru_kind(self.linear_before_reset), 2};
        }
        case op::kind::lstm_sequence: {
            const auto& self = each.as<op::lstm_sequence>();
            return {&self, lstm, 4, true, self.direction};
        }
        case op::kind::gru_sequence: {
            const auto& self = each.as<op::gru_sequence>();
            return {&self, detail::gru_kind(self.linear_before_reset), 3, true, self.direction};
        }
        default: return {};
    }
}

/// True for an operation without peepholes and types of its own, whose bias is known.
inline bool is_plain_recurrent(const graph& model, const node& each, const recurrent_form& form) {
    const std::size_t bias = form.weights + 2;
    return each.own_types() == nullptr && each.inputs() <= bias + 1 &&
           (each.inputs() <= bias || model.constant_value(each.input(bias)) != nullptr);
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

/// Sums of so many products of bytes less their zero points, of magnitudes to 255 each, fit into 32 bits.
inline constexpr dimension most_inner = 32768;

/// Constant bytes that an input dequantizes, one scale and zero point a row of at most `most_inner`; no values where it does something
/// else.
inline recurrent_weights bytes_of_weights(const graph& model, output_ref input) {
    const quantized_source source = source_of(model, input);
    const tensor* values = model.constant_value(source.base);
    if (values == nullptr || !is_byte(values->type()) || values->dimensions().rank() < 2 || values->elements() == 0 ||
        values->dimensions()[values->dimensions().rank() - 1] > most_inner) {
        return {};
    }
    std::vector<double> scales;
    std::vector<double> shifts;
    if (!detail::numbers_of_rows(source.scale, values->dimensions(), scales) ||
        !detail::numbers_of_rows(source.shift, values->dimensions(), shifts)) {
        return {};
    }
    recurrent_weights result;
    for (std::size_t row = 0; row < scales.size(); ++row) {
        std::int32_t zero_point = 0;
        if (shifts[row] != 0 && !detail::zero_point_of(values->type(), scales[row], shifts[row], zero_point)) {
            return {};
        }
        result.scales.push_back(static_cast<float>(scales[row]));
        result.zero_points.push_back(zero_point);
    }
    drop_zeros(result.zero_points);
    result.values = *values;
    return result;
}

/// The operation that begins what may be a dequantization of Constant bytes above an output; none where there is no such Constant.
inline node_id first_of_dequantization(const graph& model, output_ref output) {
    for (std::size_t i = 0; i < longest_dequantization; ++i) {
        const node& each = model[output.node];
        if (!each.is<op::convert>() && !each.is<op::multiply>() && !each.is<op::subtract>()) {
            return node_id::none;
        }
        const tensor* values = model.constant_value(each.input(0));
        if (values != nullptr) {
            return is_byte(values->type()) ? output.node : node_id::none;
        }
        output = each.input(0);
    }
    return node_id::none;
}

/// True if the gates keep hidden states that were in [-1, 1] there: then 16 bits say of each what matters. Real data have no such
/// range, and are not split.
inline bool has_bounded_states(const recurrent_form& form) {
    const seq<text>& functions = form.attributes->activations;
    const text& last = functions[form.kind == kernel::recurrent_kind::lstm ? 2 : 1];
    return functions[0] == "sigmoid" && (last == "tanh" || last == "sigmoid");
}

/// True if the kernel of a recurrent operation without peepholes multiplies the bytes of this port: R where states are bounded, W where data
/// are bytes. Both weights and the bias must be known.
inline bool multiplies_bytes(const graph& model, const node& each, std::size_t port) {
    const recurrent_form form = recurrent_form_of(each);
    const bool is_state = port == form.weights + 1;
    if (!form.has_weights(port) || !is_plain_recurrent(model, each, form) || (is_state && !has_bounded_states(form))) {
        return false;
    }
    const output_ref other = each.input(is_state ? form.weights : form.weights + 1);
    const bool is_other_known = model.constant_value(other) != nullptr || bytes_of_weights(model, other).are_bytes();
    return is_other_known && (is_state || source_of(model, each.input(0)).has_one_zero_point()) &&
           bytes_of_weights(model, each.input(port)).are_bytes();
}

}  // namespace lpt::inline LPT_ABI::plan
