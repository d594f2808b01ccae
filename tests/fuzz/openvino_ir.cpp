// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/network_text.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/fuzz/way.hpp"

namespace lpt::fuzz {

void openvino_ir(std::string_view content) {
    const network_text network = read_network_text(content);
    const std::optional<graph> imported = import_network(network);
    if (!imported) {
        return;
    }
    if (is_small(*imported)) {
        run_network(*imported, network.isa);
    }
    graph model = *imported;
    if (transform_network(model, network.target) && is_small(model)) {
        run_network(model, network.isa);
    }
}

}  // namespace lpt::fuzz
