// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/fold.hpp>
#include <lpt/import/model_builder.hpp>
#include <lpt/tensor/tensor.hpp>

/// Orders of axes.
namespace lpt::inline LPT_ABI::tflite {

/// The order of a tensor's axes in the graph: that of the file, or, of four axes, with the channels, which are last in a file, behind the batch,
/// where convolutions have them.
enum class axes { as_in_file, channels_first };
constexpr axes other(axes order) { return order == axes::as_in_file ? axes::channels_first : axes::as_in_file; }

/// One number for each of four axes, in an order.
inline integers in_order(const integers& by_axis, axes order) {
    if (order == axes::as_in_file) {
        return by_axis;
    }
    return {by_axis[0], by_axis[3], by_axis[1], by_axis[2]};
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
/// Four axes in the other order. Where it changes nothing in memory it is a Reshape, which costs nothing either.
inline output_ref reordered(model_builder& make, output_ref source, axes to) {
    const integers order = to == axes::channels_first ? integers{0, 3, 1, 2} : integers{0, 2, 3, 1};
    if (const tensor* value = make.value_of(source)) {
        return make.constant(transposed(*value, order));
    }
    const shape& from = make.shape_of(source);
    if (from.is_static()) {
        shape result;
        for (const std::int64_t axis : order) {
            result.push_back(from[static_cast<std::size_t>(axis)]);
        }
        const std::size_t channels = to == axes::channels_first ? 3 : 1;
        const std::int64_t pixels = to == axes::channels_first ? from[1] * from[2] : from[2] * from[3];
        if (pixels == 1 || from[channels] == 1) {
            return make.add(op::reshape{}, {source, make.indices(result.dimensions())});
        }
    }
    return make.add(op::transpose{}, {source, make.indices(order)});
}

}  // namespace lpt::inline LPT_ABI::tflite
