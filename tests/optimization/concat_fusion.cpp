// SPDX-License-Identifier: Apache-2.0
#include "tests/optimization/networks.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

/// Concat(y, Concat(x, Abs(x)), y), the inner one along `axis`; `read_twice` gives it one more reader.
graph nested(std::int64_t axis, bool read_twice) {
    graph model;
    const output_ref x = model.parameter(f32, {2, 3, 4, 4}, "x");
    const output_ref inner = model.add(op::concat{.axis = axis}, {x, model.add(op::abs{}, {x})});
    const output_ref y = model.parameter(f32, axis == 2 ? shape{2, 3, 8, 4} : shape{2, 3, 4, 4}, "y");
    model.result(model.add(op::concat{.axis = 1}, {y, inner, y}), "joined");
    if (read_twice) {
        model.result(model.add(op::negative{}, {inner}), "other");
    }
    return model;
}
std::size_t concats_of(const graph& model) {
    std::size_t result = 0;
    for (const op::kind each : optimized_operations_of(model)) {
        result += each == op::kind::concat ? 1 : 0;
    }
    return result;
}

}  // namespace

TEST_CASE("Concats along one axis, one behind the other, become one") {
    for (const std::int64_t axis : {1, -3}) {
        const graph model = nested(axis, false);
        CHECK(concats_of(model) == 1);
        CHECK(change_of_results(model) == 0);
    }
}

TEST_CASE("A Concat that others read, and one along another axis, stays") {
    CHECK(concats_of(nested(1, true)) == 2);
    CHECK(concats_of(nested(2, false)) == 2);
}
