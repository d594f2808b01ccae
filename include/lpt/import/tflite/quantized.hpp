// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/fold.hpp>
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

/// The value of an operation on constants, which is not part of any network.
inline tensor computed(op::attributes what, std::initializer_list<tensor> inputs) {
    graph model;
    seq<output_ref, 5> sources;
    for (const tensor& each : inputs) {
        sources.push_back(model.constant(each));
    }
    const node_id id = model.add(std::move(what), {sources.data(), sources.size()});
    seq<output_ref> values;
    if (!fold(model, id, values)) {
        fail({model[id].operation(), " of constants cannot be computed"});
    }
    return *model.constant_value(values[0]);
}

/// True if a Transpose leaves all elements where they are, because it moves only axes of size 1.
inline bool keeps_places(const shape& dimensions, const integers& order) {
    std::int64_t last = -1;
    for (const std::int64_t axis : order) {
        if (dimensions[static_cast<std::size_t>(axis)] != 1) {
            if (axis < last) {
                return false;
            }
            last = axis;
        }
    }
    return true;
}
/// Bytes [outputs, rows, columns, inputs] as [outputs, inputs, rows, columns].
inline tensor with_inputs_first(const tensor& weights, const shape& dimensions) {
    const auto outputs = static_cast<std::size_t>(dimensions[0]);
    const auto inputs = static_cast<std::size_t>(dimensions[1]);
    const auto pixels = static_cast<std::size_t>(dimensions[2] * dimensions[3]);
    seq<std::byte> result;
    result.resize_for_overwrite(weights.elements());
    const std::byte* from = weights.data();
    std::byte* to = result.data();
    for (std::size_t output = 0; output < outputs; ++output, to += inputs * pixels) {
        for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
            for (std::size_t input = 0; input < inputs; ++input) {
                to[input * pixels + pixel] = *from++;
            }
        }
    }
    return {weights.type(), dimensions, bytes(std::move(result))};
}
/// A constant with its axes in another order: a window on the file still where that moves nothing.
inline tensor transposed(const tensor& value, const integers& order) {
    shape dimensions;
    for (const std::int64_t axis : order) {
        dimensions.push_back(value.dimensions()[static_cast<std::size_t>(axis)]);
    }
    if (keeps_places(value.dimensions(), order)) {
        return {value, dimensions};
    }
    if (bit_width(value.type()) == 8 && order == integers{0, 3, 1, 2}) {
        return with_inputs_first(value, dimensions);
    }
    return computed(op::transpose{}, {value, make_indices(order)});
}

}  // namespace lpt::inline LPT_ABI::tflite
