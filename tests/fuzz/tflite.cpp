// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/target.hpp"
#include "tests/fuzz/way.hpp"

#include <lpt/check/model.hpp>
#include <lpt/import/tflite.hpp>
#include <lpt/kernel/dispatch.hpp>
#include <lpt/specified/network.hpp>

#include <cstring>
#include <vector>

namespace lpt::fuzz {

namespace {

/// Whatever is in a file, the checker raises nothing, and says each violation in a line.
void check_violations(const lpt::tflite::model& model) {
    for (const check::violation& each : check::violations_of(model)) {
        check_message(error(each.in_words()));
    }
}

/// True where the shapes that a file says leave little to compute.
bool is_small(const lpt::tflite::model& model) {
    constexpr double most_elements = 1 << 12;
    double elements = 0;
    for (const lpt::tflite::subgraph& net : model.subgraphs) {
        for (const lpt::tflite::tensor_info& each : net.tensors) {
            elements += static_cast<double>(each.dimensions.elements());
        }
    }
    return elements <= most_elements;
}

/// Runs a network twice in the arithmetic that its operations carry: variables change from run to run. Sizes that a run computes come from
/// inputs of small numbers.
void run_specified(const lpt::tflite::model& model) {
    allow_errors([&] {
        specified::network net(model, &kernel::table_for(kernel::best_isa()), {},
                               std::size_t{8} << 20);  // larger ones time out under sanitizers
        for (std::size_t i = 0; i < net.inputs(); ++i) {
            const specified::value& input = net.input(i);
            const std::vector<std::byte> ones(byte_size(input.type, input.dimensions.elements()), std::byte{1});
            net.set_input(i, view<std::byte>(ones.data(), ones.size()));
        }
        net.run();
        net.run();
    });
}

}  // namespace

void tflite(std::string_view content) {
    // The reader wants words of 8 bytes aligned, as they are in a mapped file.
    std::vector<std::uint64_t> aligned(content.size() / sizeof(std::uint64_t) + 1);
    std::memcpy(aligned.data(), content.empty() ? "" : content.data(), content.size());
    const view<std::byte> bytes(reinterpret_cast<const std::byte*>(aligned.data()), content.size());
    lpt::tflite::model model;
    graph imported;
    bool done = false;
    allow_errors([&] {
        model = lpt::tflite::read_model(bytes, "net.tflite");
        done = true;
    });
    if (!done) {
        return;
    }
    check_violations(model);
    done = false;
    allow_errors([&] {
        imported = lpt::tflite::make_graph(model);
        done = true;
    });
    // The importer refuses less or more than specified arithmetic does, but knows how much there is to compute.
    if (is_small(model) && (!done || is_small(imported))) {
        run_specified(model);
    }
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
