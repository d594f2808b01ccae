// SPDX-License-Identifier: Apache-2.0
// The network of the compile-time benchmarks: BLOCKS times FakeQuantize on data and weights, Convolution, Add, Relu; 15 nodes a block.
#pragma once

#include <lpt/pipeline/compile_time.hpp>
#include <lpt/target/cpu_x86.hpp>

namespace bench {

using namespace lpt;

constexpr output_ref quantized(graph& model, output_ref data, double low, double high) {
    const output_ref bounds[] = {model.constant(make_scalar(f32, low)), model.constant(make_scalar(f32, high)),
                                 model.constant(make_scalar(f32, low)), model.constant(make_scalar(f32, high))};
    return model.add(op::fake_quantize{256}, {data, bounds[0], bounds[1], bounds[2], bounds[3]});
}

constexpr graph make_network(int blocks) {
    graph model;
    output_ref data = model.parameter(f32, {1, 2, 8, 8}, "data");
    for (int i = 0; i < blocks; ++i) {
        const output_ref weights = model.constant(make_tensor(f32, {2, 2, 1, 1}, {1, -2, 3, 4}));
        data = model.add(op::convolution{{1, 1}, {1, 1}, {0, 0}, {0, 0}},
                         {quantized(model, data, 0, 2.55), quantized(model, weights, -12.8, 12.7)}, "convolution");
        data = model.add(op::add{}, {data, model.constant(make_tensor(f32, {1, 2, 1, 1}, {1, 2}))});
        data = model.add(op::relu{}, {data});
    }
    model.result(data);
    return model;
}

}  // namespace bench
