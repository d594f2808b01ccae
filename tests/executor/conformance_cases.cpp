// SPDX-License-Identifier: Apache-2.0
// The networks of the conformance cases, before and after their transformations, as tests/executor/random_networks.cpp runs random ones.
//
// LPT_CASE_STRIDE=n (2): only every n-th case; 1: all. LPT_CASE=suite/number: only this one. LPT_CASE_ELEMENTS=n (300000): networks with a
// larger value are left out, which are one case in thirty and take most of the time; 0: none is left out.
#include "tests/executor/check.hpp"
#include "tests/proof/inputs.hpp"

#include "examples/conformance/case_runner.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

using namespace lpt;
using namespace lpt::testing;
using conformance::json;

namespace {

/// Inputs of these shapes.
std::vector<tensor> inputs_for(const graph& model, const std::vector<shape>& shapes, unsigned seed) {
    std::minstd_rand random(seed);
    std::vector<tensor> inputs;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const node_id parameter = model.parameters()[i];
        const std::optional<tensor> target = proof::target_values(model, parameter, shapes);
        inputs.push_back(target ? *target : proof::random_values(model[parameter].type(), shapes[i], random));
    }
    return inputs;
}

/// Inputs for two runs of the network of a case, or for one where what a first run leaves in variables no longer fits. Says what is wrong
/// where the reference has no value for it.
std::string make_runs(const graph& model, unsigned seed, std::vector<std::vector<tensor>>& runs) {
    const std::optional<std::vector<shape>> shapes = proof::concrete_shapes(model);
    if (!shapes) {
        return "no input shapes fit the network";
    }
    reference::state variables;
    for (const unsigned run : {0u, 1u}) {
        const std::vector<tensor> inputs = inputs_for(model, *shapes, seed + run);
        try {
            reference::evaluate<float>(model, view<tensor>(inputs.data(), inputs.size()), variables);
        } catch (const error& wrong) {
            return run == 0 ? std::string("the network has no value: ") + wrong.message().c_str() : std::string();
        }
        runs.push_back(inputs);
    }
    return {};
}

/// The elements of a network's largest value, where shapes are known.
std::uint64_t largest_value(const graph& model) {
    std::uint64_t result = 0;
    for (const node_id id : topological_order(model)) {
        for (std::size_t port = 0; port < model[id].outputs(); ++port) {
            const shape& dimensions = model[id].shape(port);
            result = std::max<std::uint64_t>(result, dimensions.is_dynamic() ? 0 : dimensions.elements());
        }
    }
    return result;
}

/// The network of a case after its transformations.
graph transformed(const json& described, graph model) {
    attribute::tables attributes;
    conformance::transform_as_case(described, model, attributes);
    return model;
}

/// Calls `work` for the cases that the environment asks for.
void for_each_case(const std::function<void(const json&, unsigned)>& work) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(LPT_TEST_UNPACKED_DIR "/conformance")) {
        files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    const char* only = std::getenv("LPT_CASE");
    const std::uint64_t every = only != nullptr ? 1 : from_environment("LPT_CASE_STRIDE", 2);
    unsigned number = 0;
    for (const std::filesystem::path& file : files) {
        std::ifstream in(file);
        for (std::string line; std::getline(in, line);) {
            if (number++ % every != 0 || (only != nullptr && line.find(only) == std::string::npos)) {
                continue;
            }
            const json described = json::parse(line);
            if (only == nullptr || described.at("case") == only) {
                work(described, number);
            }
        }
    }
}

}  // namespace

TEST_CASE("Conformance cases: every step gives what the reference gives, on every instruction set and with threads") {
    check_counts counts;
    const std::uint64_t largest_wanted = from_environment("LPT_CASE_ELEMENTS", 300000);
    std::size_t left_out = 0;
    for_each_case([&](const json& described, unsigned number) {
        const graph model = conformance::graph_reader::read(described.at("before"));
        if (largest_wanted != 0 && largest_value(model) > largest_wanted) {
            ++left_out;
            return;
        }
        const std::string name = described.at("case").get<std::string>();
        std::vector<std::vector<tensor>> runs;
        if (const std::string why = make_runs(model, number, runs); !why.empty()) {
            ++counts.refused;
            MESSAGE(name, " is not run: ", why);
            return;
        }
        for (const auto& network :
             {runnable{name, model, runs}, runnable{name + ", transformed", transformed(described, model), runs}}) {
            if (const std::string how = check_network(network, number, counts); !how.empty()) {
                FAIL_CHECK(how);
            }
        }
    });
    counts.print("conformance cases");
    std::printf("  cases left out because they are large: %zu\n", left_out);
    CHECK(counts.networks > 0);
    if (counts.networks < 50) {
        return;  // too few to say what networks do on the average
    }
    CHECK(counts.refused * 50 <= counts.networks);
    CHECK(counts.steps.on_kernels > counts.networks);
    CHECK(counts.steps.integer_steps > counts.networks / 4);
    CHECK(counts.steps.unseen_runs * 20 <= counts.networks);
}
