// SPDX-License-Identifier: Apache-2.0
#include <lpt/lpt.hpp>

std::size_t operations_of_other_version();

int main() {
    lpt::graph model;
    model.result(model.add(lpt::op::relu{}, {model.parameter(lpt::f32, {1, 8})}));
    lpt::prepare(model);
    const lpt::report report = lpt::transform(model, lpt::cpu_x86);
    return lpt::library_version.patch_part != 999 && report.operations.size() == operations_of_other_version() ? 0 : 1;
}
