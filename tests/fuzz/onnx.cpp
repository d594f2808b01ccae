// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/fuzz/way.hpp"

#include <lpt/import/onnx.hpp>

namespace lpt::fuzz {

void onnx(std::string_view content) {
    const memory_file file(content);
    graph imported;
    bool done = false;
    allow_errors([&] {
        imported = import_onnx(file.path());
        done = true;
    });
    if (!done) {
        return;
    }
    check_graph(imported, "import");
    imported.set_folding_budget({.bytes = 1 << 26, .steps = 1 << 26});
    if (is_small(imported)) {
        run_network(imported, {});
    }
    if (transform_network(imported, "cpu_x86") && is_small(imported)) {
        run_network(imported, {});
    }
}

}  // namespace lpt::fuzz
