// SPDX-License-Identifier: Apache-2.0
#include "examples/embed/executor.hpp"
#include "examples/embed/header.hpp"
#include "tests/fuzz/network_text.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/fuzz/way.hpp"

#include <lpt/graph/compare.hpp>
#include <lpt/graph/freeze.hpp>

namespace lpt::fuzz {

namespace {

/// The words of a header make the graph again that they were made of.
void check_words(const graph& model) {
    const seq<word> words = freeze(model);
    const text difference = lpt::difference(model, thaw(words));
    if (!difference.empty()) {
        throw finding(std::string("a frozen graph thaws to another one: ") + difference.c_str());
    }
}

void write_headers(const graph& model, const std::string& isa) {
    allow_errors([&] {
        check_words(model);
        static_cast<void>(lpt::embed::header_of(model, "network", "model.xml"));
    });
    allow_errors([&] {
        const kernel::isa set = isa.empty() ? kernel::best_isa() : kernel::isa_named(isa.c_str());
        static_cast<void>(lpt::embed::executor_header_of(model, "network", "model.xml", set));
    });
}

}  // namespace

void embed(std::string_view content) {
    const network_text network = read_network_text(content);
    std::optional<graph> model = import_network(network);
    if (!model) {
        return;
    }
    if (is_small(*model)) {
        write_headers(*model, network.isa);
    }
    if (transform_network(*model, network.target) && is_small(*model)) {
        write_headers(*model, network.isa);
    }
}

}  // namespace lpt::fuzz
