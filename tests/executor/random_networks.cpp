// SPDX-License-Identifier: Apache-2.0
// Random networks as they are and transformed, in bodies, with states over several runs and with shapes that inputs or values decide,
// run by plan and kernels on every instruction set, with one to four threads, against the reference.
//
// LPT_RANDOM_NETWORKS=n (1000): how many networks, two to four of each seed. LPT_RANDOM_SEED=s (1): the first seed. LPT_RANDOM_PRINT=1: prints networks that fail.
#include "tests/executor/check.hpp"

#include <lpt/graph/print.hpp>
#include <lpt/lpt.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <utility>

using namespace lpt;
using namespace lpt::testing;

namespace {

/// Three images for each that the network was made for, if its batch is open.
bool has_open_batch(const support::random_network& network) {
    for (const node_id id : network.model.parameters()) {
        const shape& dimensions = network.model[id].shape();
        if (dimensions.rank_is_dynamic() || dimensions.rank() == 0 || dimensions.is_static(0)) {
            return false;
        }
    }
    return true;
}

class checker {
    check_counts& counts_;
    std::uint64_t turn_ = 0;

public:
    explicit checker(check_counts& counts) : counts_(counts) {}

    /// Leaves runs out whose sizes a layer refuses.
    void check_possible(runnable network) {
        for (std::size_t i = network.runs.size(); i-- > 0;) {
            try {
                reference::evaluate<float>(network.model, view<tensor>(network.runs[i].data(), network.runs[i].size()));
            } catch (const error&) {
                network.runs.erase(network.runs.begin() + static_cast<std::ptrdiff_t>(i));
                ++counts_.refused;
            }
        }
        if (!network.runs.empty()) {
            check(network);
        }
    }
    void check(const runnable& network) {
        if (const std::string how = check_network(network, turn_++, counts_); !how.empty()) {
            FAIL_CHECK(how);
            if (from_environment("LPT_RANDOM_PRINT", 0) != 0) {
                std::printf("%s\n", to_text(network.model).c_str());
            }
        }
    }
    /// The networks of one seed.
    void check_seed(std::uint64_t seed) {
        const support::random_network plain = support::make_random_network(seed, support::steps_of(seed));
        const std::vector<tensor> inputs = support::make_random_inputs(plain, seed);
        support::random_numbers random(seed);
        std::vector<std::vector<tensor>> runs;
        for (int how = 0; how < 4; ++how) {
            runs.push_back(varied(inputs, how, random));
        }
        graph transformed = plain.model;
        support::random_setting setting = support::make_random_setting(seed);
        prepare(transformed, setting.where.options);
        transform(transformed, setting.where);
        const std::string name = "seed " + std::to_string(seed);
        for (const bool is_transformed : {false, true}) {
            const graph& model = is_transformed ? transformed : plain.model;
            std::vector<std::vector<tensor>> all = runs;
            if (has_open_batch(plain)) {
                std::vector<tensor> more;
                for (const tensor& each : inputs) {
                    more.push_back(repeated(each, 3));
                }
                all.push_back(more);
            }
            check_possible({name + (is_transformed ? ", transformed" : ", as it is"), model, all});
        }
        check_within(name, plain, transformed, inputs, seed);
    }
    /// The network inside another one.
    void check_within(const std::string& name, const support::random_network& plain, const graph& transformed,
                      const std::vector<tensor>& inputs, std::uint64_t seed) {
        if (can_be_body(plain.model) && can_be_body(transformed)) {
            for (const bool is_transformed : {false, true}) {
                const graph& model = is_transformed ? transformed : plain.model;
                runnable outer = seed % 3 == 0 ? chosen(model, is_transformed ? plain.model : transformed, inputs)
                                               : iterated(model, inputs, seed % 3 == 1);
                outer.name = name + (is_transformed ? ", transformed" : "") + ", in a body";
                check(outer);
            }
        } else if (has_open_batch(plain)) {
            for (const bool is_transformed : {false, true}) {
                runnable outer = sliced_by_value(is_transformed ? transformed : plain.model, inputs);
                outer.name = name + (is_transformed ? ", transformed" : "") + ", behind a slice";
                check_possible(outer);
            }
        }
    }
};

}  // namespace

TEST_CASE("Random networks: every step gives what the reference gives, on every instruction set and with threads") {
    const std::uint64_t first = from_environment("LPT_RANDOM_SEED", 1);
    const std::uint64_t networks = from_environment("LPT_RANDOM_NETWORKS", 1000);
    check_counts counts;
    checker all(counts);
    for (std::uint64_t seed = first; counts.networks < networks && seed < first + networks; ++seed) {
        try {
            all.check_seed(seed);
        } catch (const error& raised) {
            FAIL_CHECK("seed ", seed, ": ", raised.message().c_str());
        }
    }
    counts.print("random networks");
    if (networks < 100) {
        return;  // too few to say what networks do on the average
    }
    CHECK(counts.steps.on_kernels > counts.networks);
    CHECK(counts.steps.integer_steps > counts.networks / 10);
    CHECK(counts.steps.without_bound * 5 < counts.steps.elements);
    CHECK(counts.steps.unseen_runs * 20 <= counts.networks);
    for (const auto& [set, steps] : counts.steps_by_set) {
        CAPTURE(set);
        CHECK(steps > counts.networks);
    }
}
