// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/tflite/model.hpp>

#include <cmath>

/// What quantization says about tensors, and constants made of it.
namespace lpt::inline LPT_ABI::tflite {

/// Raises an error unless a tensor's quantization is one that integers can be turned into real numbers by.
inline void check_quantization(const tensor_info& info, const place& where) {
    const quantization& q = info.quantized;
    if (!q.is_present()) {
        if (!q.zero_points.empty() && is_integral(element_of(info.type))) {
            wrong(where, "has ", q.zero_points.size(), " zero points and no scale, expected as many scales");
        }
        return;
    }
    if (q.zero_points.size() != q.scales.size() && !q.zero_points.empty()) {
        wrong(where, "has ", q.scales.size(), " scales and ", q.zero_points.size(), " zero points");
    }
    for (const float scale : q.scales) {
        if (!std::isfinite(scale) || scale <= 0) {
            wrong(where, "scale ", static_cast<double>(scale), " is no positive number");
        }
    }
    if (q.scales.size() > 1) {
        const auto rank = static_cast<std::int64_t>(info.dimensions.rank());
        if (q.axis < 0 || q.axis >= rank) {
            wrong(where, "its quantized axis is ", q.axis, ", expected 0 to ", rank - 1);
        }
        if (info.dimensions[static_cast<std::size_t>(q.axis)] != static_cast<dimension>(q.scales.size())) {
            wrong(where, "has ", q.scales.size(), " scales, but its axis ", q.axis, " has the size ",
                  info.dimensions[static_cast<std::size_t>(q.axis)]);
        }
    }
    const element_facts& limits = facts(element_of(info.type));
    for (const std::int64_t each : q.zero_points) {
        if (is_integral(element_of(info.type)) &&
            (static_cast<double>(each) < limits.lowest || static_cast<double>(each) > limits.highest)) {
            wrong(where, "zero point ", each, " lies outside of ", name(info.type));
        }
    }
}

/// True for integers that stand for real numbers.
inline bool is_quantized(const tensor_info& info) {
    return info.quantized.is_present() && is_integral(element_of(info.type));
}

/// True for operators that compute on real numbers, so that short integers without a scale mean nothing to them.
constexpr bool computes_on_reals(builtin code) {
    switch (code) {
        case builtin::abs:
        case builtin::add:
        case builtin::atan2:
        case builtin::batch_matmul:
        case builtin::bidirectional_sequence_lstm:
        case builtin::bidirectional_sequence_rnn:
        case builtin::conv_2d:
        case builtin::conv_3d:
        case builtin::conv_3d_transpose:
        case builtin::cos:
        case builtin::depthwise_conv_2d:
        case builtin::dequantize:
        case builtin::div:
        case builtin::elu:
        case builtin::exp:
        case builtin::fully_connected:
        case builtin::gelu:
        case builtin::hard_swish:
        case builtin::l2_normalization:
        case builtin::l2_pool_2d:
        case builtin::leaky_relu:
        case builtin::local_response_normalization:
        case builtin::log:
        case builtin::log_softmax:
        case builtin::logistic:
        case builtin::lstm:
        case builtin::mean:
        case builtin::mul:
        case builtin::prelu:
        case builtin::quantize:
        case builtin::relu:
        case builtin::relu6:
        case builtin::relu_0_to_1:
        case builtin::relu_n1_to_1:
        case builtin::rnn:
        case builtin::rsqrt:
        case builtin::sin:
        case builtin::softmax:
        case builtin::sqrt:
        case builtin::squared_difference:
        case builtin::sub:
        case builtin::sum:
        case builtin::svdf:
        case builtin::tanh:
        case builtin::transpose_conv:
        case builtin::unidirectional_sequence_lstm:
        case builtin::unidirectional_sequence_rnn: return true;
        default: return false;
    }
}

/// True for integers of so few bits that an operator's arithmetic gives them a meaning by a scale alone. Those of 16 bits
/// may be plain integers, which some operators add and multiply.
constexpr bool needs_scale(builtin code, tensor_type type) {
    const bool is_plain_arithmetic = code == builtin::add || code == builtin::mul || code == builtin::sub;
    switch (type) {
        case tensor_type::int4:
        case tensor_type::int8:
        case tensor_type::uint8: return computes_on_reals(code);
        case tensor_type::int16: return computes_on_reals(code) && !is_plain_arithmetic;
        default: return false;
    }
}

/// True for weights of 8 bits beside real data. Hybrid kernels take the bytes of such weights for signed numbers, whatever their type is, and
/// leave their zero points out.
inline bool is_hybrid(const tensor_info& data, const tensor_info& weights) {
    return is_real(element_of(data.type)) && is_quantized(weights) && bit_width(element_of(weights.type)) == 8;
}
/// Bytes as signed numbers.
inline tensor signed_bytes(const tensor& value) {
    if (value.type() == i8) {
        return value;
    }
    return {i8, value.dimensions(), bytes(seq<std::byte>(view<std::byte>(value.data(), value.elements())))};
}

inline double scale_of(const tensor_info& info, std::size_t index = 0) {
    return static_cast<double>(info.quantized.scales[index]);
}
inline double zero_point_of(const tensor_info& info, std::size_t index = 0) {
    return index < info.quantized.zero_points.size() ? static_cast<double>(info.quantized.zero_points[index]) : 0.0;
}

/// True if two tensors' integers stand for the same numbers.
inline bool same_quantization(const tensor_info& left, const tensor_info& right) {
    const auto zeros = [](const tensor_info& each) {
        std::vector<std::int64_t> result = each.quantized.zero_points;
        result.resize(each.quantized.scales.size(), 0);
        return result;
    };
    return left.type == right.type && left.quantized.scales == right.quantized.scales && zeros(left) == zeros(right) &&
           (left.quantized.scales.size() < 2 || left.quantized.axis == right.quantized.axis);
}

/// One number for each index of an axis, or of it and the next one together, or one for all, in a shape that broadcasts to `whole`.
inline tensor along_axis(const std::vector<double>& values, std::size_t axis, const shape& whole) {
    const auto count = static_cast<dimension>(values.size());
    if (count == 1) {
        return make_tensor(f32, {}, {values.data(), values.size()});
    }
    shape dimensions = shape::of_ones(whole.rank());
    dimensions[axis] = count;
    if (whole[axis] != count && axis + 1 < whole.rank()) {
        dimensions[axis] = whole[axis];
        dimensions[axis + 1] = whole[axis + 1];
    }
    return make_tensor(f32, dimensions, {values.data(), values.size()});
}

}  // namespace lpt::inline LPT_ABI::tflite
