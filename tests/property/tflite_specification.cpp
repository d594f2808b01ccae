// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_network.hpp"

#include <lpt/check/graph.hpp>
#include <lpt/pipeline/prepare.hpp>
#include <lpt/pipeline/transform.hpp>
#include <lpt/target/cpu_x86.hpp>
#include <lpt/target/tflite.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace lpt;
using namespace lpt::support;

namespace {

/// What the operations on codes of a network break, once it was transformed for a target.
check::graph_findings findings(std::uint64_t seed, const target& where) {
    random_network network = make_random_network(seed, steps_of(seed));
    prepare(network.model, where.options);
    run_pipeline(network.model, where.restrictions, where.options);
    return check::hold_against_specification(network.model, check::reading::on_codes);
}

}  // namespace

TEST_CASE("what the target tflite makes of random networks conforms to the specification") {
    std::size_t checked = 0;
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        CAPTURE(seed);
        const check::graph_findings found = findings(seed, tflite_specification);
        for (const check::violation& each : found.violations)
            FAIL_CHECK(std::string(each.in_words().c_str()));
        checked += found.checked;
    }
    CHECK(checked >= 300);
}

TEST_CASE("what a target of another hardware makes of them does not") {
    std::size_t violations = 0;
    for (std::uint64_t seed = 1; seed <= 50; ++seed)
        violations += findings(seed, cpu_x86).violations.size();
    CHECK(violations >= 25);
}
