// SPDX-License-Identifier: Apache-2.0
#include "examples/conformance/case_runner.hpp"

#include "tests/fuzz/target.hpp"
#include "tests/fuzz/way.hpp"

namespace lpt::fuzz {

namespace {

using conformance::json;

void run_case(const json& conformance_case) {
    graph model = conformance::graph_reader::read(conformance_case.at("before"));
    model.set_folding_budget({.bytes = 1 << 26, .steps = 1 << 26});
    check_graph(model, "reading a case");
    attribute::tables attributes;
    conformance::transform_as_case(conformance_case, model, attributes);
    check_graph(model, "the pipeline of a case");
    static_cast<void>(conformance::write_graph(model, conformance::order_of_case(model)));
    if (is_small(model)) {
        run_network(model, {});
    }
}

}  // namespace

void cases_json(std::string_view content) {
    const json conformance_case = json::parse(content, nullptr, false);
    if (conformance_case.is_discarded()) {
        return;
    }
    try {
        allow_errors([&] { run_case(conformance_case); });
    } catch (const json::exception&) {
        // Members that a case lacks, or that have another type: the reader of JSON says which.
    }
}

}  // namespace lpt::fuzz
