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
