// SPDX-License-Identifier: Apache-2.0
#include <lpt/lpt.hpp>

static_assert(lpt::library_version.patch_part == 999);

std::size_t operations_of_other_version() {
    lpt::graph model;
    model.result(model.add(lpt::op::relu{}, {model.parameter(lpt::f32, {1, 8})}));
    lpt::prepare(model);
    return lpt::transform(model, lpt::cpu_x86).operations.size();
}
