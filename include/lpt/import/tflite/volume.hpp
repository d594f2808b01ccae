// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/tflite/pooling.hpp>

/// Windows over volumes, and norms of windows.
namespace lpt::inline LPT_ABI::tflite {

/// Options of an operator on depth, rows and columns.
inline integers volume_options(const network& net, text_view front, text_view back) {
    integers result;
    for (const text_view axis : {text_view("d"), text_view("h"), text_view("w")}) {
        const text name = join({front, axis, back});
        const std::int64_t value = net.op().integer(name.view());
        if (value < 1) {
            net.wrong("option ", name, " is ", value, ", expected 1 or more");
        }
        result.push_back(value);
    }
    return result;
}

/// Data [batch, depth, rows, columns, channels], weights [depth, rows, columns, inputs, outputs], may be bias; of real numbers.
inline void make_conv_3d(network& net) {
    model_builder& make = net.make();
    const shape weights = weights_shape(net, 1, 5);
    if (net.input_info(0).dimensions.rank() != 5) {
        net.wrong("its data have the shape ", net.input_info(0).dimensions, ", expected 5 axes");
    }
    const output_ref data = make.add(op::transpose{}, {net.real_input(0), make.indices({0, 4, 1, 2, 3})});
    const output_ref kernel = make.add(op::transpose{}, {net.real_input(1), make.indices({4, 3, 0, 1, 2})});
    op::convolution what;
    what.strides = volume_options(net, "stride_", "");
    what.dilations = volume_options(net, "dilation_", "_factor");
    what.auto_pad = net.op().padding() == padding::same ? op::auto_pad::same_upper : op::auto_pad::valid;
    const output_ref result = activated(net, biased(net, make.add(what, {data, kernel}), 2, 1, 1));
    net.give(make.add(op::transpose{}, {result, make.indices({0, 2, 3, 4, 1})}));
}

/// Inputs: the output's shape, weights [depth, rows, columns, outputs, inputs], data, may be bias; of real numbers.
inline void make_conv_3d_transpose(network& net) {
    model_builder& make = net.make();
    const shape weights = weights_shape(net, 1, 5);
    if (net.input_info(2).dimensions.rank() != 5) {
        net.wrong("its data have the shape ", net.input_info(2).dimensions, ", expected 5 axes");
    }
    const output_ref data = make.add(op::transpose{}, {net.real_input(2), make.indices({0, 4, 1, 2, 3})});
    const output_ref kernel = make.add(op::transpose{}, {net.real_input(1), make.indices({4, 3, 0, 1, 2})});
    op::convolution_backprop_data what;
    what.strides = volume_options(net, "stride_", "");
    what.dilations = volume_options(net, "dilation_", "_factor");
    pad_transposed(net, what, {weights[0], weights[1], weights[2]}, make.shape_of(data));
    const output_ref result = activated(net, biased(net, make.add(what, {data, kernel}), 3, 1, 1));
    net.give(make.add(op::transpose{}, {result, make.indices({0, 2, 3, 4, 1})}));
}

/// The root of the mean of squares in each window.
inline void make_l2_pool_2d(network& net) {
    const output_ref data = net.real_input(0, axes::channels_first);
    const output_ref squares = net.make().add(op::multiply{}, {data, data});
    auto what = pool_of<op::avg_pool>(net, {squares, {}});
    what.exclude_pad = true;
    const output_ref means = net.make().add(what, {squares}, 1);
    net.give(activated(net, net.make().add(op::sqrt{}, {means})), axes::channels_first);
}

}  // namespace lpt::inline LPT_ABI::tflite
