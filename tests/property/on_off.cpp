// SPDX-License-Identifier: Apache-2.0
#include "tests/property/on_off.hpp"

#include <lpt/graph/print.hpp>
#include <lpt/op/all.hpp>
#include <lpt/target/cpu_x86.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

using namespace lpt;
using namespace lpt::support;

namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    const char* words = std::getenv(name);
    return words == nullptr ? otherwise : std::strtoull(words, nullptr, 10);
}

/// What became of all networks in one mode.
struct tally {
    std::uint64_t equal = 0;
    std::uint64_t within_bound = 0;
    std::uint64_t known_error = 0;
    std::uint64_t failed = 0;
    std::uint64_t met[static_cast<std::size_t>(difference::count)] = {};
    std::uint64_t transformed = 0;  // networks with an operation on 8-bit integers
    std::map<std::string, transformed_kind> kinds;

    void count(const on_off_result& result) {
        ++(result.how == outcome::equal          ? equal
           : result.how == outcome::within_bound ? within_bound
           : result.how == outcome::known_error  ? known_error
                                                 : failed);
        for (std::size_t i = 0; i < std::size(met); ++i) {
            met[i] += result.met[i] ? 1 : 0;
        }
    }
    void count_kinds(const on_off_result& result) {
        bool any = false;
        for (const transformed_kind& each : result.kinds) {
            transformed_kind& all = kinds[each.name];
            all.before += each.before;
            all.in_8_bits += each.in_8_bits;
            any = any || (each.in_8_bits != 0 && each.name != "FakeQuantize");
        }
        transformed += any ? 1 : 0;
    }
    void print_kinds() const {
        std::printf("networks with an operation on 8-bit integers: %llu; operations, and those in 8 bits:\n",
                    print_of(transformed));
        for (const auto& [name, each] : kinds) {
            if (each.in_8_bits != 0) {
                std::printf("  %s %llu, %llu\n", name.c_str(), print_of(each.before), print_of(each.in_8_bits));
            }
        }
    }
    /// The share of a kind that computes on 8-bit integers, in percent.
    double share(const char* kind) const {
        const auto found = kinds.find(kind);
        return found == kinds.end() || found->second.before == 0
                   ? 0
                   : 100.0 * static_cast<double>(found->second.in_8_bits) / static_cast<double>(found->second.before);
    }
    std::uint64_t checked() const { return equal + within_bound + known_error + failed; }
    /// Half of the networks and a share of each of these kinds are transformed; the shares of a thousand networks are twice as large on average.
    void check_shares() const {
        if (checked() < 200) {
            return;  // too few for shares
        }
        CHECK(transformed * 2 >= checked());
        constexpr struct {
            const char* kind;
            double percent;
        } least[] = {{"FakeQuantize", 15}, {"Convolution", 3}, {"GroupConvolution", 8}, {"MatMul", 7},
                     {"Multiply", 6},      {"Add", 2},         {"Concat", 12},          {"Relu", 6},
                     {"MaxPool", 6},       {"AvgPool", 2},     {"ReadValue", 1},        {"Assign", 1},
                     {"in bodies", 2}};
        for (const auto& [kind, percent] : least) {
            CAPTURE(std::string(kind));
            CHECK(share(kind) >= percent);
        }
    }
    void print(const char* mode) const {
        std::printf("%s: equal %llu, within the bound of what differs by design %llu, known errors %llu, failed %llu\n",
                    mode, print_of(equal), print_of(within_bound), print_of(known_error), print_of(failed));
        for (const difference_entry& each : all_differences) {
            if (met[static_cast<std::size_t>(each.what)] != 0) {
                std::printf("  %s: %llu\n", std::string(each.name).c_str(),
                            print_of(met[static_cast<std::size_t>(each.what)]));
            }
        }
    }
    static unsigned long long print_of(std::uint64_t number) { return number; }
};

void explain(const random_network& network, const random_setting& setting, std::uint64_t seed,
             const std::string& what) {
    std::printf("seed %llu, target %s: %s\n", static_cast<unsigned long long>(seed), std::string(setting.name).c_str(),
                what.c_str());
    const random_network small = shrink(network, setting, seed);
    std::printf("%s\n%s\n", check_on_off(small, setting, seed).what.c_str(), to_text(small.model).c_str());
}

/// Checks LPT_RANDOM_NETWORKS networks (500), the first with seed LPT_RANDOM_SEED (1). Shrinks the first LPT_RANDOM_SHRINK (3) failures.
tally check_networks(const char* mode, bool follow_upstream_errors) {
    const std::uint64_t first = from_environment("LPT_RANDOM_SEED", 1);
    const std::uint64_t count = from_environment("LPT_RANDOM_NETWORKS", 500);
    const std::uint64_t shrunk = from_environment("LPT_RANDOM_SHRINK", 3);
    tally all;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const random_network network = make_random_network(seed, steps_of(seed));
        random_setting setting = make_random_setting(seed);
        setting.where.options.follow_upstream_errors = follow_upstream_errors;
        const on_off_result result = check_on_off(network, setting, seed);
        all.count(result);
        all.count_kinds(result);
        if (result.how == outcome::failed && all.failed <= shrunk) {
            explain(network, setting, seed, result.what);
        } else if (result.how == outcome::failed) {
            std::printf("seed %llu, target %s: %s\n", static_cast<unsigned long long>(seed),
                        std::string(setting.name).c_str(), result.what.c_str());
        }
    }
    all.print(mode);
    all.print_kinds();
    return all;
}

}  // namespace

TEST_CASE("with the right answers, transformation on and off give equal results on random networks") {
    const tally all = check_networks("right answers", false);
    CHECK(all.failed == 0);
    CHECK(all.known_error == 0);
    all.check_shares();
}

TEST_CASE("with upstream's answers they do so but for what depends on listed errors of upstream") {
    const tally all = check_networks("upstream's answers", true);
    CHECK(all.failed == 0);
    CHECK(all.known_error * 2 < all.checked());
    all.check_shares();
}

TEST_CASE("what can be computed in 8 bits is, and a network that stays as it is does not count as transformed") {
    for (const bool quantized : {true, false}) {
        random_network network;
        graph& model = network.model;
        const shape data{2, 4};
        network.input_shapes = {data};
        const auto number = [&](double value) { return output_ref(model.constant(make_scalar(f32, value))); };
        output_ref at = model.parameter(f32, data, "in");
        if (quantized) {
            at = model.add(op::fake_quantize{256}, {at, number(0), number(2.55), number(0), number(2.55)});
        }
        const output_ref weights = model.add(op::convert{f32}, {model.constant(make_tensor(i8, {3, 4}, {7}))});
        model.result(model.add(op::mat_mul{false, true}, {at, model.add(op::multiply{}, {weights, number(0.5)})}));
        for (const bool follow : {true, false}) {
            random_setting setting{"cpu_x86", cpu_x86};
            setting.where.options.follow_upstream_errors = follow;
            tally all;
            const on_off_result result = check_on_off(network, setting, 1);
            all.count_kinds(result);
            CHECK(result.how != outcome::failed);
            CHECK(all.transformed == (quantized ? 1 : 0));
            CHECK(all.share("MatMul") == (quantized ? 100 : 0));
        }
    }
}
