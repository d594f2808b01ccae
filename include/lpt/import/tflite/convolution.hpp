// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/tflite/activation.hpp>

/// Convolutions and matrix products.
namespace lpt::inline LPT_ABI::tflite {

/// Strides, dilations and padding of a window over rows and columns.
struct window {
    integers strides;
    integers dilations;
    integers pads_begin;
    integers pads_end;
    op::auto_pad rule = op::auto_pad::explicit_pads;
};

inline integers size_options(const network& net, text_view rows, text_view columns) {
    const integers result{net.op().integer(rows), net.op().integer(columns)};
    for (const std::int64_t each : result) {
        if (each < 1) {
            net.wrong("options ", rows, " and ", columns, " are ", result[0], " and ", result[1],
                      ", expected 1 or more");
        }
    }
    return result;
}

/// The window of an operator on channels-first data. Known sizes get their padding in numbers, which all rules understand.
inline window window_of(network& net, const shape& data, const integers& kernel, const integers& dilations) {
    window result;
    result.strides = size_options(net, "stride_h", "stride_w");
    result.dilations = dilations;
    const bool same = net.op().padding() == padding::same;
    result.rule = same ? op::auto_pad::same_upper : op::auto_pad::valid;
    if (!data.is_static() || data.rank() != 4) {
        return result;
    }
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const op::window_axis one =
            op::padded_window({kernel[axis], result.strides[axis], dilations[axis]}, result.rule, data[axis + 2]);
        result.pads_begin.push_back(one.pad_begin);
        result.pads_end.push_back(one.pad_end);
    }
    result.rule = op::auto_pad::explicit_pads;
    return result;
}

/// Weights as real numbers in another order of axes and with another shape. Their scales lie along `file_axis` in the file, and along
/// `scale_axis` of the result, or along it and the next one, where these are groups and the channels of a group.
inline output_ref weights_input(network& net, std::size_t port, std::int64_t file_axis, const integers& order,
                                const shape& dimensions, std::size_t scale_axis) {
    const tensor_info& info = net.input_info(port);
    if (!info.is_constant()) {
        const output_ref source = net.make().add(op::transpose{}, {net.real_input(port), net.make().indices(order)});
        return net.make().add(op::reshape{}, {source, net.make().indices(dimensions.dimensions())});
    }
    const tensor& stored_in_file = net.constant_input(port, "weights");
    const bool hybrid = is_hybrid(net.input_info(0), info) && net.op().code != builtin::transpose_conv;
    const tensor value(transposed(hybrid ? signed_bytes(stored_in_file) : stored_in_file, order), dimensions);
    const output_ref stored = net.make().constant(value);
    if (!is_quantized(info)) {
        return value.type() == f32 ? stored : net.make().add_node(op::convert{f32}, {stored});
    }
    if (info.quantized.scales.size() > 1 && info.quantized.axis != file_axis) {
        net.wrong("its weights are quantized along axis ", info.quantized.axis, ", expected ", file_axis);
    }
    std::vector<double> scales;
    std::vector<double> zero_points;
    for (std::size_t i = 0; i < info.quantized.scales.size(); ++i) {
        scales.push_back(scale_of(info, i));
        zero_points.push_back(hybrid ? 0 : zero_point_of(info, i));
    }
    if (scales.size() == 1) {
        return dequantized(net.make(), stored, scales, zero_points, 0);
    }
    return dequantized(net.make(), stored, scales, zero_points, scale_axis);
}

/// `source` plus the bias, which lies along axis `axis` of four, or along the last of two.
inline output_ref biased(network& net, output_ref source, std::size_t port, std::size_t weights_port,
                         std::size_t axis) {
    if (!net.has_input(port)) {
        return source;
    }
    const tensor_info& info = net.input_info(port);
    const std::size_t rank = net.make().shape_of(source).rank();
    shape dimensions = shape::of_ones(rank);
    dimensions[axis] = dynamic_dimension;
    if (!info.is_constant()) {
        const output_ref bias =
            net.make().add(op::reshape{}, {net.real_input(port), net.make().indices(dimensions.dimensions())});
        return net.make().add(op::add{}, {source, bias});
    }
    const tensor& value = net.constant_input(port, "bias");
    const dimension channels = net.make().shape_of(source)[axis];
    const auto count = static_cast<dimension>(value.elements());
    if (count != channels && channels != dynamic_dimension) {
        net.wrong("its bias (input ", port, ") has ", count, " values, expected one for each of ", channels,
                  " outputs");
    }
    dimensions[axis] = count;
    seq<double> reals = reals_of(value);
    // Integers have the scale that their tensor says, which may be another one than that of the sums; without any, they are sums.
    const bool is_integer = is_integral(value.type());
    if (is_integer && !is_quantized(info) &&
        !(is_quantized(net.input_info(0)) && is_quantized(net.input_info(weights_port)))) {
        net.wrong("its bias has the type ", name(info.type), " and no scale");
    }
    const auto check_scales_of = [&](const tensor_info& each, text_view role) {
        const std::size_t scales = each.quantized.scales.size();
        if (scales > 1 && scales != reals.size()) {
            net.wrong("its ", role, " has ", scales, " scales, expected 1 or one for each of the bias's ", reals.size(),
                      " values");
        }
    };
    if (is_integer && is_quantized(info)) {
        check_scales_of(info, "bias");
    } else if (is_integer) {
        if (const std::size_t scales = net.input_info(0).quantized.scales.size(); scales != 1) {
            net.wrong("its data have ", scales, " scales, expected 1, which that of the bias follows from");
        }
        check_scales_of(net.input_info(weights_port), "weights");
    }
    for (std::size_t i = 0; is_integer && i < reals.size(); ++i) {
        const auto at = [&](const tensor_info& each) { return each.quantized.scales.size() > 1 ? i : 0; };
        const auto scale = [&](const tensor_info& each) { return scale_of(each, at(each)); };
        reals[i] = is_quantized(info) ? (reals[i] - zero_point_of(info, at(info))) * scale(info)
                                      : reals[i] * scale_of(net.input_info(0)) * scale(net.input_info(weights_port));
    }
    return net.make().add(op::add{},
                          {source, net.make().constant(make_tensor(f32, dimensions, {reals.data(), reals.size()}))});
}

/// The data of a window without padding: where they wait for a margin that is smaller than the window, the data inside, and the margin.
struct windowed_data {
    output_ref data;
    pending_margin margin;
};
inline windowed_data windowed_input(network& net, const integers& extent) {
    const pending_margin* const margin = net.margin_of(net.input(0));
    bool fits = margin != nullptr && net.op().padding() == padding::valid;
    for (std::size_t axis = 0; axis < 2 && fits; ++axis) {
        fits = margin->begin[axis] < extent[axis] && margin->end[axis] < extent[axis];
    }
    if (!fits) {
        return {net.real_input(0, axes::channels_first), {}};
    }
    const pending_margin taken = *margin;
    return {net.real(taken.source, axes::channels_first), taken};
}
/// A window of the operator on such data.
inline window window_of(network& net, const windowed_data& on, const integers& kernel, const integers& dilations) {
    window result = window_of(net, net.make().shape_of(on.data), kernel, dilations);
    if (on.margin.source >= 0) {
        result.pads_begin = on.margin.begin;
        result.pads_end = on.margin.end;
        result.rule = op::auto_pad::explicit_pads;
    }
    return result;
}
/// What a kernel spans; anything for numbers that make no sense, which are refused elsewhere.
inline integers extent_of(const integers& kernel, const integers& dilations) {
    integers result;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const checked extent = (checked(kernel[axis]) - checked(1)) * checked(dilations[axis]) + checked(1);
        result.push_back(extent.fits() ? extent.value() : 0);
    }
    return result;
}

inline const shape& weights_shape(network& net, std::size_t port, std::size_t rank) {
    const shape& result = net.input_info(port).dimensions;
    if (result.rank() != rank) {
        net.wrong("its weights have the shape ", result, ", expected ", rank, " axes");
    }
    return result;
}

template <class Operation>
Operation convolution_of(const window& from) {
    Operation result;
    result.strides = from.strides;
    result.dilations = from.dilations;
    result.pads_begin = from.pads_begin;
    result.pads_end = from.pads_end;
    result.auto_pad = from.rule;
    return result;
}

inline void make_conv_2d(network& net) {
    const shape weights = weights_shape(net, 1, 4);  // outputs, rows, columns, inputs
    const integers kernel{weights[1], weights[2]};
    const integers dilations = size_options(net, "dilation_h_factor", "dilation_w_factor");
    const windowed_data from = windowed_input(net, extent_of(kernel, dilations));
    const output_ref data = from.data;
    const shape dimensions = net.make().shape_of(data);
    const window over = window_of(net, from, kernel, dilations);
    const std::int64_t channels = dimensions.rank() == 4 ? dimensions[1] : dynamic_dimension;
    const bool has_groups = channels != dynamic_dimension && weights[3] > 0 && channels > weights[3] &&
                            channels % weights[3] == 0 && weights[0] % (channels / weights[3]) == 0;
    output_ref result;
    if (has_groups) {
        const std::int64_t groups = channels / weights[3];
        const shape grouped{groups, weights[0] / groups, weights[3], weights[1], weights[2]};
        result = net.make().add(convolution_of<op::group_convolution>(over),
                                {data, weights_input(net, 1, 0, {0, 3, 1, 2}, grouped, 0)});
    } else {
        const shape plain{weights[0], weights[3], weights[1], weights[2]};
        result = net.make().add(convolution_of<op::convolution>(over),
                                {data, weights_input(net, 1, 0, {0, 3, 1, 2}, plain, 0)});
    }
    net.give(activated(net, biased(net, result, 2, 1, 1)), axes::channels_first);
}

inline void make_depthwise_conv_2d(network& net) {
    const shape weights = weights_shape(net, 1, 4);  // 1, rows, columns, outputs
    const integers kernel{weights[1], weights[2]};
    const integers dilations = size_options(net, "dilation_h_factor", "dilation_w_factor");
    const windowed_data from = windowed_input(net, extent_of(kernel, dilations));
    const output_ref data = from.data;
    const shape dimensions = net.make().shape_of(data);
    if (dimensions.rank() != 4 || dimensions[1] < 1 || weights[0] != 1 || weights[3] % dimensions[1] != 0) {
        net.wrong("weights of shape ", weights, " do not fit data of shape ", net.input_info(0).dimensions);
    }
    const std::int64_t channels = dimensions[1];
    const window over = window_of(net, from, kernel, dilations);
    const shape grouped{channels, weights[3] / channels, 1, weights[1], weights[2]};
    const output_ref result = net.make().add(convolution_of<op::group_convolution>(over),
                                             {data, weights_input(net, 1, 3, {3, 0, 1, 2}, grouped, 0)});
    net.give(activated(net, biased(net, result, 2, 1, 1)), axes::channels_first);
}

/// What is cut from the result of a transposed convolution, or put behind it, so that it has the shape that input 0 says.
inline void pad_transposed(network& net, op::convolution_backprop_data& what, const integers& kernel,
                           const shape& data) {
    const integers output = net.integers_input(0, "output's shape");
    if (output.size() != kernel.size() + 2 || data.rank() != kernel.size() + 2) {
        net.wrong("its output and its data must have ", kernel.size() + 2, " axes, not ", output.size(), " and ",
                  data.rank());
    }
    for (std::size_t axis = 0; axis < kernel.size(); ++axis) {
        if (!data.is_static(axis + 2)) {
            net.wrong("its data must have known sizes, not ", data);
        }
        const std::int64_t extent = (kernel[axis] - 1) * what.dilations[axis] + 1;
        const std::int64_t whole = (data[axis + 2] - 1) * what.strides[axis] + extent;
        const std::int64_t cut = whole - output[axis + 1];
        what.pads_begin.push_back(cut > 0 ? cut / 2 : 0);
        what.pads_end.push_back(cut > 0 ? cut - cut / 2 : 0);
        what.output_padding.push_back(cut < 0 ? -cut : 0);
    }
}

/// Inputs: the output's shape, weights, data, may be bias.
inline void make_transpose_conv(network& net) {
    const shape weights = weights_shape(net, 1, 4);  // outputs, rows, columns, inputs
    const output_ref data = net.real_input(2, axes::channels_first);
    op::convolution_backprop_data what;
    what.strides = size_options(net, "stride_h", "stride_w");
    what.dilations = {1, 1};
    pad_transposed(net, what, {weights[1], weights[2]}, net.make().shape_of(data));
    const output_ref result = net.make().add(
        what, {data, weights_input(net, 1, 0, {3, 0, 1, 2}, {weights[3], weights[0], weights[1], weights[2]}, 1)});
    net.give(activated(net, biased(net, result, 3, 1, 1)), axes::channels_first);
}

inline void make_fully_connected(network& net) {
    if (net.op().integer("weights_format") != 0) {
        net.wrong("shuffled weights are not supported");
    }
    const shape weights = weights_shape(net, 1, 2);  // outputs, inputs
    output_ref data = net.real_input(0);
    const shape dimensions = net.make().shape_of(data);
    const bool keeps = net.op().flag("keep_num_dims");
    const bool fits =
        dimensions.rank_is_static() && dimensions.rank() >= 2 && dimensions[dimensions.rank() - 1] == weights[1];
    if (!(fits && (keeps || dimensions.rank() == 2))) {
        data = net.make().add(op::reshape{}, {data, net.make().indices({-1, weights[1]})});
    }
    output_ref result = net.make().add(op::mat_mul{false, true}, {data, weights_input(net, 1, 0, {0, 1}, weights, 0)});
    result = activated(net, biased(net, result, 2, 1, net.make().shape_of(result).rank() - 1));
    if (keeps && !fits) {
        integers shape_of_result = dimensions.dimensions();
        shape_of_result[shape_of_result.size() - 1] = weights[0];
        result = net.make().add(op::reshape{}, {result, net.make().indices(shape_of_result)});
    }
    net.give(result);
}

inline void make_batch_matmul(network& net) {
    net.give(net.make().add(op::mat_mul{net.op().flag("adj_x"), net.op().flag("adj_y")},
                            {net.real_input(0), net.real_input(1)}));
}

}  // namespace lpt::inline LPT_ABI::tflite
