// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/folding_budget.hpp>

#include <CLI/CLI.hpp>

/// What a program's user lets folding of constants make and do.
struct folding_options {
    std::uint64_t limit = lpt::folding_budget{}.bytes >> 20;  // MiB
    std::uint64_t steps = lpt::folding_budget{}.steps;

    /// Adds `--folding-limit` and `--folding-steps`.
    void add_to(CLI::App& app) {
        app.add_option("--folding-limit", limit, "MiB that folding of constants may make")
            ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 30))
            ->capture_default_str();
        app.add_option("--folding-steps", steps, "elements that folding of constants may read and write")
            ->capture_default_str();
    }
    lpt::folding_budget budget() const { return {limit << 20, steps}; }
};
