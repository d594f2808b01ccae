// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>

#include <string>
#include <vector>

/// The way that a network goes after it was read.
namespace lpt::fuzz {

/// A finding, where the graph that `maker` gave is not in order.
void check_graph(const graph& model, const char* maker);

/// True for networks whose known shapes promise a run of well below a second; what is not known yet is the library's affair.
bool is_small(const graph& model);

/// Prepares, transforms and optimizes a network for a target, and checks what each gives. False where it was refused.
bool transform_network(graph& model, const std::string& target);

/// Compiles a network that `is_small` and runs it twice, on random inputs or on the first samples of `files`; outputs must have the types and
/// shapes that were announced.
void run_network(const graph& model, const std::string& isa, const std::vector<std::string>& files = {});

}  // namespace lpt::fuzz
