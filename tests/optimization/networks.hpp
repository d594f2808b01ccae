// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/verify.hpp>
#include <lpt/optimization/optimize.hpp>

#include "tests/support/tensor_difference.hpp"

#include <vector>

/// What the optimizations make of small networks.
namespace lpt::testing {

using kinds = std::vector<op::kind>;

inline output_ref scalar_of(graph& model, double value) { return model.constant(make_scalar(f32, value)); }

inline output_ref indices(graph& model, std::initializer_list<std::int64_t> values) {
    return model.constant(make_indices(view<std::int64_t>(values.begin(), values.size())));
}

/// The operations of a network but for inputs, outputs and constants, in topological order.
inline kinds operations_of(const graph& model) {
    kinds result;
    for (const node_id id : topological_order(model)) {
        const node& each = model[id];
        if (!each.is<op::parameter>() && !each.is<op::result>() && !each.is<op::constant>()) {
            result.push_back(each.kind());
        }
    }
    return result;
}
inline kinds optimized_operations_of(graph model) {
    optimize(model);
    verify(model);
    return operations_of(model);
}

/// Numbers between -4 and 4 for each input of a network.
inline std::vector<tensor> inputs_of(const graph& model) {
    std::vector<tensor> result;
    std::uint32_t state = 1;
    for (const node_id id : model.parameters()) {
        tensor_builder values(model[id].type(), model[id].shape());
        for (std::size_t i = 0; i < values.elements(); ++i) {
            state = state * 1664525u + 1013904223u;
            values.real(i, static_cast<double>(state >> 16) / 8192.0 - 4.0);
        }
        result.push_back(values.finish());
    }
    return result;
}

/// How far the results of the optimized network lie from those of the network as it was.
inline support::tensor_difference change_of_results(const graph& model) {
    graph optimized = model;
    optimize(optimized);
    return support::difference_of<float>(model, optimized, inputs_of(model));
}

}  // namespace lpt::testing
