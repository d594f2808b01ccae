// SPDX-License-Identifier: Apache-2.0
// What tests that build small graphs have in common.
#pragma once

#include <lpt/graph/graph.hpp>

namespace lpt::test {

constexpr node_id scalar(graph& model, double value, element type = f32) {
    return model.constant(make_scalar(type, value));
}
/// What the first Result reads.
constexpr node_id output(const graph& model) { return model.producer(model.results()[0], 0); }

}  // namespace lpt::test
