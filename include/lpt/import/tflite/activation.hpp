// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/tflite/network.hpp>

namespace lpt::inline LPT_ABI::tflite {

/// True if quantizing to an output's range already does what a clamp to [low, high] would.
inline bool is_within(const tensor_info& output, double low, double high) {
    if (!is_quantized(output) || output.quantized.scales.size() != 1) {
        return false;
    }
    const element_facts& limits = facts(element_of(output.type));
    const double scale = scale_of(output);
    const double zero = zero_point_of(output);
    return zero + std::round(low / scale) <= limits.lowest && zero + std::round(high / scale) >= limits.highest;
}

/// True for operators whose kernels fuse activations as limits of their outputs: TANH, which is none, changes nothing in TensorFlow Lite.
constexpr bool fuses_only_limits(builtin code) {
    switch (code) {
        case builtin::add:
        case builtin::average_pool_2d:
        case builtin::conv_2d:
        case builtin::conv_3d:
        case builtin::conv_3d_transpose:
        case builtin::depthwise_conv_2d:
        case builtin::div:
        case builtin::l2_pool_2d:
        case builtin::max_pool_2d:
        case builtin::mul:
        case builtin::sub:
        case builtin::transpose_conv: return true;
        default: return false;
    }
}

/// The activation of an operator as a function in a graph or in a body of it.
inline output_ref function_of(const network& net, model_builder& make, output_ref source) {
    switch (net.op().activation()) {
        case activation::none: return source;
        case activation::relu: return make.add(op::relu{}, {source});
        case activation::relu6: return make.add(op::clamp{{}, 0, 6}, {source});
        case activation::relu_n1_to_1: return make.add(op::clamp{{}, -1, 1}, {source});
        case activation::tanh: return make.add(op::tanh{}, {source});
        case activation::sign_bit: net.wrong("activation SIGN_BIT is not supported");
    }
    return source;
}

/// The activation that an operator has built in, as its kernels compute it.
inline output_ref activated(network& net, output_ref source) {
    const auto changes_nothing = [&] {
        switch (net.op().activation()) {
            case activation::relu: return is_within(net.output_info(), 0, math::infinity);
            case activation::relu6: return is_within(net.output_info(), 0, 6);
            case activation::relu_n1_to_1: return is_within(net.output_info(), -1, 1);
            case activation::tanh: return fuses_only_limits(net.op().code);
            default: return false;
        }
    };
    return changes_nothing() ? source : function_of(net, net.make(), source);
}

}  // namespace lpt::inline LPT_ABI::tflite
