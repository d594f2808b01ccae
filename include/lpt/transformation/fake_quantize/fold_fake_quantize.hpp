// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/fold/fake_quantize.hpp>
#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/quantization_details.hpp>

/// The value of a FakeQuantize whose output does not depend on what the network is given.
namespace lpt::inline LPT_ABI {

/// True if the lower and the upper bound of the output are equal in every channel: then the output is that bound, whatever comes in.
constexpr bool has_equal_output_bounds(const graph& model, node_id fake_quantize) {
    if (!has_constant_ranges(model, fake_quantize, 3)) {
        return false;
    }
    const tensor& low = *model.constant_value(model[fake_quantize].input(3));
    const tensor& high = *model.constant_value(model[fake_quantize].input(4));
    if (low.elements() == 1 && high.elements() == 1) {
        return static_cast<float>(low.real(0)) == static_cast<float>(high.real(0));
    }
    const quantization_details details = details_of(model, fake_quantize);
    return details.lows == details.highs;
}

namespace detail {

/// The data of a FakeQuantize becomes a Constant if it can be folded.
constexpr void fold_data(graph& model, node_id fake_quantize) {
    const output_ref data = try_fold(model, model[fake_quantize].input(0).node);
    if (is_constant(model, data)) {
        model.set_input(fake_quantize, 0, data);
    }
}

/// An output bound seen with the shape of the data.
///
/// Integral types wrap around: that is what the conversion does in engines whose results have to be met.
constexpr tensor spread_bound(const tensor& bound, const shape& dimensions, element type) {
    const tensor values = broadcast_values(bound, dimensions);
    if (!is_integral(type)) {
        return evaluation::convert_tensor(values, type);
    }
    tensor_builder result(type, dimensions);
    for (std::size_t i = 0; i < result.elements(); ++i) {
        result.integer(i, values.integer(i));
    }
    return result.finish();
}

}  // namespace detail

/// The values of a FakeQuantize as a tensor of element type `type`; no tensor where they depend on the input or on ranges that are
/// not constant, where the input's shape is not known, or where the folding budget does not allow one of that size.
///
/// Equal output bounds give that bound. Constant data is quantized in float (f64: double) and, if `rounded`, rounded, halves to even.
[[gnu::noinline]] constexpr tensor fold_fake_quantize(graph& model, node_id fake_quantize, element type, bool rounded) {
    const node& each = model[fake_quantize];
    const shape& data_shape = model.shape(each.input(0));
    if (has_equal_output_bounds(model, fake_quantize)) {
        const tensor& bound = *model.constant_value(each.input(3));
        if (data_shape.is_static() && broadcasts_to(bound.dimensions().trimmed_left(data_shape.rank()), data_shape) &&
            detail::can_afford_constant(model, data_shape, type)) {
            return detail::spread_bound(bound, data_shape, type);
        }
    }
    const tensor* data = model.constant_value(each.input(0));
    if (data == nullptr || !has_constant_ranges(model, fake_quantize)) {
        return {};
    }
    seq<tensor> inputs;
    inputs.reserve(5);
    for (std::size_t port = 0; port < 5; ++port) {
        inputs.push_back(*model.constant_value(each.input(port)));
    }
    return evaluation::fake_quantize_late(lpt::move(inputs), each.as<op::fake_quantize>(), each.shape(), type, rounded);
}

/// Lets readers of an output read the value of the FakeQuantize above it, not rounded, where that is known.
constexpr void replace_by_value(graph& model, output_ref source, node_id fake_quantize) {
    if (const tensor value = fold_fake_quantize(model, fake_quantize, model[fake_quantize].type(), false)) {
        model.replace_uses(source, model.constant(value));
    }
}

/// A Broadcast of the output bound to the shape of the data at run time, for equal output bounds and a shape that is only
/// known then; `none` for other FakeQuantize operations.
constexpr node_id broadcast_output_bound(graph& model, node_id fake_quantize, element type) {
    if (model.shape(model[fake_quantize].input(0)).is_static() || !has_equal_output_bounds(model, fake_quantize)) {
        return node_id::none;
    }
    const output_ref data = model[fake_quantize].input(0);
    const output_ref bound = fold_convert(model, model[fake_quantize].input(3), type);
    const node_id target = model.add(op::shape_of{}, {data}, {}, 0);
    const node_id axes = model.constant(make_scalar(u8, 0));
    return model.add(op::broadcast{}, {bound, target, axes}, {}, 1);
}

}  // namespace lpt::inline LPT_ABI
