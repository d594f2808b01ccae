// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/executor/networks.hpp"
#include "tests/executor/observer.hpp"

#include <lpt/kernel/isa.hpp>

#include <map>
#include <string>

namespace lpt::testing {

/// What was run by all checks of a program.
struct check_counts {
    run_counts steps;  // of the scalar kernels, which are held against the reference
    std::map<std::string, std::size_t> steps_by_set;  // of all runs
    std::map<int, std::size_t> runs_by_threads;
    std::size_t networks = 0;
    std::size_t refused = 0;
    std::size_t outputs = 0;  // elements held against the whole network's bounds
    std::size_t outputs_without_bound = 0;
    std::size_t failed = 0;

    void print(const char* what) const;
};

/// Runs a network on the scalar kernels, each step held against the reference (observer) and the outputs of the first run against the bounds of the
/// whole network, and on all other instruction sets and with one to four threads, which must give the same bits. `turn` chooses how many threads
/// an instruction set gets. Says what is wrong, with the smallest step that is; empty if nothing.
std::string check_network(const runnable& network, std::uint64_t turn, check_counts& counts);

/// A setting from the environment.
std::uint64_t from_environment(const char* name, std::uint64_t otherwise);

}  // namespace lpt::testing
