// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/pipeline/low_precision.hpp>

namespace lpt {

/// What a run of a pipeline leaves beside the graph: every refusal, in the order in which they were made. The nodes that
/// they name may have been replaced since.
struct transformation_record {
    seq<refusal> refusals;
};

/// Runs a pipeline on a graph.
///
/// `target` holds the restrictions of the target, none by default; `options` what the user sets. The graph should have
/// gone through `prepare`. Raises an error for a graph with a cycle and for rules that do not come to an end.
template <class Pipeline = default_pipeline>
constexpr transformation_record transform(graph& model, const restriction_table& target = {},
                                          const transformation_options& options = {}) {
    attribute::tables attributes;
    rewrite changes(model, attributes, options, target);
    Pipeline::run(changes);
    return {changes.refusals()};
}

}  // namespace lpt
