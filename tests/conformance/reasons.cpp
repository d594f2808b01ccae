// SPDX-License-Identifier: Apache-2.0
// Nothing that could be quantized stays in floating point without a reason: on all random pipelines, for all targets.
#include "examples/conformance/case_runner.hpp"

#include <lpt/lpt.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace {

using namespace lpt;
using conformance::graph_reader;
using conformance::json;

bool is_a_reason(reason why) {
    return why != reason::none && why != reason::nothing_to_do && why != reason::pattern_does_not_match;
}
/// The first operation in floating point whose reason is missing; empty if there is none.
std::string first_unexplained(const report& all) {
    for (const report_row& each : all.operations) {
        const bool real = is_real(each.precision) && !is_low_precision(each.precision);
        if (real && each.what != role::quantization && (!is_a_reason(each.why.why.why) || each.reason.empty())) {
            return std::string(each.name.c_str()) + " " + std::string(each.operation.data(), each.operation.size());
        }
    }
    return {};
}
std::string first_unexplained(const json& conformance_case, const restriction_table* target) {
    graph model = graph_reader::read(conformance_case.at("before"));
    transformation_options options;
    conformance::detail::read_options(conformance_case, options);
    options.follow_upstream_errors = target == nullptr;  // both answers have their reasons
    return first_unexplained(transform(
        model, target != nullptr ? *target : conformance::detail::read_restrictions(conformance_case), options));
}

}  // namespace

TEST_CASE("Every operation of the random pipelines that stays in floating point has a reason") {
    const restriction_table targets[] = {cpu_x86, cpu_x86_amx, cpu_arm, gpu};
    std::size_t number = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(LPT_TEST_UNPACKED_DIR) + "/conformance")) {
        const std::string name = entry.path().filename().string();
        if (name.rfind("pipeline_random_", 0) != 0 || entry.path().extension() != ".jsonl") {
            continue;
        }
        std::ifstream file(entry.path());
        for (std::string line; std::getline(file, line); ++number) {
            const json conformance_case = json::parse(line);
            CAPTURE(conformance_case.at("case").get<std::string>());
            CHECK(first_unexplained(conformance_case, nullptr).empty());
            CHECK(first_unexplained(conformance_case, &targets[number % 4]).empty());
        }
    }
    CHECK(number > 500);
}
