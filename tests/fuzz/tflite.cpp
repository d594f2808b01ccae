// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/target.hpp"
#include "tests/fuzz/way.hpp"

#include <lpt/import/tflite.hpp>

#include <cstring>
#include <vector>

namespace lpt::fuzz {

void tflite(std::string_view content) {
    // The reader wants words of 8 bytes aligned, as they are in a mapped file.
    std::vector<std::uint64_t> aligned(content.size() / sizeof(std::uint64_t) + 1);
    std::memcpy(aligned.data(), content.empty() ? "" : content.data(), content.size());
    const view<std::byte> bytes(reinterpret_cast<const std::byte*>(aligned.data()), content.size());
    graph imported;
    bool done = false;
    allow_errors([&] {
        imported = lpt::tflite::make_graph(lpt::tflite::read_model(bytes, "net.tflite"));
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
