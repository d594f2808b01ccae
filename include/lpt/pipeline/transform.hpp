// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/pipeline/low_precision.hpp>
#include <lpt/pipeline/report.hpp>

namespace lpt {

/// Runs a pipeline on a graph and gives every refusal, in the order in which they were made.
///
/// `target` holds the restrictions of the target, none by default; `options` what the user sets. The graph should have
/// gone through `prepare`. Raises an error for a graph with a cycle and for rules that do not come to an end.
template <class Pipeline = default_pipeline>
constexpr seq<refusal> run_pipeline(graph& model, const restriction_table& target = {},
                                    const transformation_options& options = {}) {
    attribute::tables attributes;
    rewrite changes(model, attributes, options, target);
    Pipeline::run(changes);
    return changes.refusals();
}

/// Runs a pipeline on a graph and reports what became of each operation. Parameters and errors: see `run_pipeline`.
template <class Pipeline = default_pipeline>
constexpr report transform(graph& model, const restriction_table& target = {},
                           const transformation_options& options = {}) {
    const seq<listed_operation> original = list_operations(model);
    const seq<refusal> refusals = run_pipeline<Pipeline>(model, target, options);
    return make_report(original, model, refusals, handled_operations<Pipeline>());
}

}  // namespace lpt
