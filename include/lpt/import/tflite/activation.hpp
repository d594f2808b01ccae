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

/// The activation that an operator has built in.
inline output_ref activated(network& net, output_ref source) {
    const auto clamped = [&](double low, double high) {
        if (is_within(net.output_info(), low, high)) {
            return source;
        }
        return high == math::infinity ? net.make().add(op::relu{}, {source})
                                      : net.make().add(op::clamp{{}, low, high}, {source});
    };
    switch (net.op().activation()) {
        case activation::none: return source;
        case activation::relu: return clamped(0, math::infinity);
        case activation::relu6: return clamped(0, 6);
        case activation::relu_n1_to_1: return clamped(-1, 1);
        case activation::tanh: return net.make().add(op::tanh{}, {source});
        case activation::sign_bit: net.wrong("activation SIGN_BIT is not supported");
    }
    return source;
}

}  // namespace lpt::inline LPT_ABI::tflite
