// SPDX-License-Identifier: Apache-2.0
#include "tests/property/on_off.hpp"

#include <lpt/graph/print.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
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

    void count(const on_off_result& result) {
        ++(result.how == outcome::equal          ? equal
           : result.how == outcome::within_bound ? within_bound
           : result.how == outcome::known_error  ? known_error
                                                 : failed);
        for (std::size_t i = 0; i < std::size(met); ++i) {
            met[i] += result.met[i] ? 1 : 0;
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

/// Checks LPT_RANDOM_NETWORKS networks (200), the first with seed LPT_RANDOM_SEED (1). Shrinks the first LPT_RANDOM_SHRINK (3) failures.
std::uint64_t check_networks(const char* mode, bool follow_upstream_errors) {
    const std::uint64_t first = from_environment("LPT_RANDOM_SEED", 1);
    const std::uint64_t count = from_environment("LPT_RANDOM_NETWORKS", 200);
    const std::uint64_t shrunk = from_environment("LPT_RANDOM_SHRINK", 3);
    tally all;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const random_network network = make_random_network(seed, steps_of(seed));
        random_setting setting = make_random_setting(seed);
        setting.where.options.follow_upstream_errors = follow_upstream_errors;
        const on_off_result result = check_on_off(network, setting, seed);
        all.count(result);
        if (result.how == outcome::failed && all.failed <= shrunk) {
            explain(network, setting, seed, result.what);
        } else if (result.how == outcome::failed) {
            std::printf("seed %llu, target %s: %s\n", static_cast<unsigned long long>(seed),
                        std::string(setting.name).c_str(), result.what.c_str());
        }
    }
    all.print(mode);
    return all.failed;
}

}  // namespace

TEST_CASE("with the right answers, transformation on and off give equal results on random networks") {
    CHECK(check_networks("right answers", false) == 0);
}

TEST_CASE("with upstream's answers they do so where no listed error of upstream is met") {
    CHECK(check_networks("upstream's answers", true) == 0);
}
