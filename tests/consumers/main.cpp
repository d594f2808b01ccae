// SPDX-License-Identifier: Apache-2.0
// What each consumer compiles: a graph is made, transformed and reported on, with nothing but lpt.hpp.
#include <lpt/base/version.hpp>
#include <lpt/lpt.hpp>

#include <cstdio>

namespace {

lpt::node_id quantized(lpt::graph& model, lpt::node_id data) {
    const auto number = [&](double value) { return model.constant(lpt::make_scalar(lpt::f32, value)); };
    return model.add(lpt::op::fake_quantize{.levels = 256}, {data, number(0), number(25.5), number(0), number(25.5)});
}

}  // namespace

int main() {
    lpt::graph model;
    model.result(model.add(lpt::op::relu{}, {quantized(model, model.parameter(lpt::f32, {1, 3, 8, 8}))}));
    lpt::prepare(model);
    const lpt::report report = lpt::transform(model, lpt::cpu_x86);
    constexpr lpt::version_number version = lpt::library_version;
    std::printf("lpt %d.%d.%d: %zu operations on integers\n", version.major_part, version.minor_part,
                version.patch_part, report.int8_operations());
    return report.int8_operations() == 0 ? 1 : 0;
}
