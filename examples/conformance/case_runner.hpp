// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph_json.hpp"

#include <lpt/restriction/restriction.hpp>
#include <lpt/transformation/rewrite.hpp>

/// Runs the pipeline of a case. The bodies are in case_runner.cpp: they hold all transformations, which is much to compile.
namespace lpt::conformance {

namespace detail {

/// The restrictions that a case sets.
restriction_table read_restrictions(const json& conformance_case);
/// The options that a case sets, its callbacks point at `options`; and upstream's errors are followed.
void read_options(const json& conformance_case, transformation_options& options);

}  // namespace detail

/// Runs the pipeline of a case on the graph of `changes`.
void run_pipeline_of_case(const json& conformance_case, rewrite& changes);

/// Runs the pipeline of a case on a graph, with the case's options and restrictions; `attributes` are what markup leaves.
void transform_as_case(const json& conformance_case, graph& model, attribute::tables& attributes);

/// Builds the graph of a case, runs its pipeline and gives the resulting graph in the form of the cases.
json run_case(const json& conformance_case);

}  // namespace lpt::conformance
