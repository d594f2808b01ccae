// SPDX-License-Identifier: Apache-2.0
// Uses something of each part of the installed library that has to be found, linked or both.
#include <lpt/import.hpp>
#include <lpt/lpt.hpp>
#include <lpt/runtime.hpp>

#include <pugixml.hpp>

#include <cstdio>
#include <vector>

static_assert(lpt::library_version.major_part >= 0);

/// True if the reader says what it misses.
bool names_missing_file() {
    try {
        lpt::import("no_such_network.xml");
    } catch (const lpt::error& wrong) {
        return wrong.message().view().starts_with("no_such_network.xml");
    }
    return false;
}
bool runs_relu() {
    lpt::graph model;
    model.result(model.add(lpt::op::relu{}, {model.parameter(lpt::f32, {2})}));
    const std::vector<lpt::tensor> outputs = lpt::compile(model).run({lpt::make_tensor(lpt::f32, {2}, {-1.0, 2.0})});
    return outputs[0].real(0) == 0 && outputs[0].real(1) == 2;
}

int main() {
    pugi::xml_document document;
    if (!document.load_string("<net/>") || !names_missing_file() || !runs_relu()) {
        return 1;
    }
    for (int i = 0; i < lpt::kernel::isa_count; ++i) {
        const auto set = static_cast<lpt::kernel::isa>(i);
        if (lpt::kernel::is_available(set)) {
            std::printf("%s %p\n", lpt::kernel::name_of(set), static_cast<const void*>(&lpt::kernel::table_for(set)));
        }
    }
    return 0;
}
