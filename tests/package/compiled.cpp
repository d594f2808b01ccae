// SPDX-License-Identifier: Apache-2.0
// Transforms a network with what the compiled library holds.
#include <lpt/lpt.hpp>

#include <cstdio>

int main() {
    lpt::graph model;
    const lpt::node_id input = model.parameter(lpt::f32, {1, 3, 8, 8});
    const lpt::node_id quantized = model.add(
        lpt::op::fake_quantize{.levels = 256},
        {input, model.constant(lpt::make_scalar(lpt::f32, 0)), model.constant(lpt::make_scalar(lpt::f32, 25.5)),
         model.constant(lpt::make_scalar(lpt::f32, 0)), model.constant(lpt::make_scalar(lpt::f32, 25.5))});
    model.result(model.add(lpt::op::relu{}, {quantized}));
    lpt::prepare(model);
    const lpt::report all = lpt::transform(model, lpt::cpu_x86);
    std::printf("%s", lpt::to_text(all).c_str());
    return all.int8_operations() == 0 ? 1 : 0;
}
