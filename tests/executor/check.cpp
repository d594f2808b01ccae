// SPDX-License-Identifier: Apache-2.0
#include "tests/executor/check.hpp"

#include "tests/executor/bounds.hpp"
#include "tests/support/instruction_sets.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace lpt::testing {

namespace {

constexpr int most_threads = 4;

/// Pools for all networks: to begin a thread takes longer than most of them.
kernel::parallel_for on_threads(int count) {
    static thread_pool two(2);
    static thread_pool three(3);
    static thread_pool four(4);
    return count == 2   ? two.parallel()
           : count == 3 ? three.parallel()
           : count == 4 ? four.parallel()
                        : kernel::parallel_for{};
}

/// Outputs of the first run against what the network itself allows, transformed or not, before anything was folded or fused.
std::string check_outputs(const graph& model, const std::vector<tensor>& inputs, const std::vector<tensor>& results,
                          check_counts& counts) {
    std::map<std::size_t, tensor> given;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        given[index_of(model.parameters()[i])] = inputs[i];
    }
    for (const node_id id : topological_order(model)) {
        const node& each = model[id];
        if (each.is<op::read_value>() && each.inputs() == 0) {
            given[index_of(id)] = tensor_builder(each.type(), each.shape()).finish();
        }
    }
    step_bounds all(model, [&](output_ref of) -> const tensor* {
        const auto found = given.find(index_of(of.node));
        return found != given.end() ? &found->second : nullptr;
    });
    for (std::size_t k = 0; k < results.size(); ++k) {
        const bounds allowed = all.of(model[model.results()[k]].input(0));
        for (std::size_t i = 0; i < results[k].elements(); ++i) {
            const double low = allowed.low.real(i);
            const double high = allowed.high.real(i);
            const double value = results[k].real(i);
            ++counts.outputs;
            counts.outputs_without_bound += allowed.is_open(i) ? 1 : 0;
            if (!allowed.allow(i, value)) {
                char words[160];
                std::snprintf(words, sizeof words, "output %zu, element %zu is %.9g, the network allows %.9g to %.9g",
                              k, i, value, low, high);
                return words;
            }
        }
    }
    return {};
}

std::string run_all(const runnable& network, std::uint64_t turn, check_counts& counts) {
    observer scalar(network.model, kernel::isa::scalar, counts.steps);
    std::vector<std::vector<tensor>> expected;
    for (const std::vector<tensor>& inputs : network.runs) {
        expected.push_back(scalar.run(inputs));
        if (!scalar.failure().empty()) {
            return "run " + std::to_string(expected.size()) + ": " + scalar.failure();
        }
    }
    bool is_f32 = true;
    for (const node_id id : topological_order(network.model)) {
        for (std::size_t port = 0; port < network.model[id].outputs(); ++port) {
            is_f32 = is_f32 && (network.model[id].type(port) == f32 || is_integral(network.model[id].type(port)));
        }
        is_f32 = is_f32 && !reference::runs_bodies(network.model[id].kind());
    }
    if (is_f32) {  // other types round more than the bounds say
        if (const std::string how = check_outputs(network.model, network.runs[0], expected[0], counts); !how.empty()) {
            return how;
        }
    }
    for (const kernel::isa set : support::available_instruction_sets()) {
        const int threads = 1 + static_cast<int>((turn + static_cast<std::uint64_t>(set)) % most_threads);
        compile_options options;
        options.instruction_set = set;
        options.parallel = on_threads(threads);
        executable net = compile(network.model, options);
        for (std::size_t i = 0; i < network.runs.size(); ++i) {
            const std::string how = difference_of_runs(expected[i], net.run(network.runs[i]));
            counts.steps_by_set[kernel::name_of(set)] += net.records().size();
            ++counts.runs_by_threads[threads];
            if (!how.empty()) {
                return std::string(kernel::name_of(set)) + ", " + std::to_string(threads) + " threads, run " +
                       std::to_string(i) + ": " + how;
            }
        }
    }
    return {};
}

/// On another instruction set, step by step, where only the outputs said that it is wrong.
std::string smallest_step(const runnable& network, check_counts& counts) {
    for (const kernel::isa set : support::available_instruction_sets()) {
        observer other(network.model, set, counts.steps);
        for (const std::vector<tensor>& inputs : network.runs) {
            other.run(inputs);
        }
        if (!other.failure().empty()) {
            return std::string(kernel::name_of(set)) + ": " + other.failure();
        }
    }
    return "no step of it alone";
}

}  // namespace

std::string check_network(const runnable& network, std::uint64_t turn, check_counts& counts) {
    ++counts.networks;
    std::string how;
    try {
        how = run_all(network, turn, counts);
        if (!how.empty() && how.rfind("run ", 0) != 0) {
            how += "; " + smallest_step(network, counts);
        }
    } catch (const error& raised) {
        how = std::string("error: ") + raised.message().c_str();
    }
    counts.failed += how.empty() ? 0 : 1;
    return how.empty() ? how : network.name + ": " + how;
}

void check_counts::print(const char* what) const {
    std::printf("%s: %zu networks, %zu failed; %zu runs refused\n", what, networks, failed, refused);
    std::printf("  steps held against the reference: %zu on kernels (%zu on integers), %zu by the reference itself;",
                steps.on_kernels, steps.integer_steps, steps.on_reference);
    for (const auto& [kernel, count] : steps.kernels) {
        std::printf(" %s %zu", kernel.c_str(), count);
    }
    std::printf("\n  elements of kernels: %zu, %zu bit for bit, %zu without a bound; runs not seen: %zu\n",
                steps.elements, steps.same_bits, steps.without_bound, steps.unseen_runs);
    std::printf("  outputs: %zu, %zu without a bound\n  steps of all runs:", outputs, outputs_without_bound);
    for (const auto& [set, count] : steps_by_set) {
        std::printf(" %s %zu", set.c_str(), count);
    }
    std::printf("; runs by threads:");
    for (const auto& [threads, count] : runs_by_threads) {
        std::printf(" %d: %zu", threads, count);
    }
    std::printf("\n");
}

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    const char* words = std::getenv(name);
    return words == nullptr ? otherwise : std::strtoull(words, nullptr, 10);
}

}  // namespace lpt::testing
