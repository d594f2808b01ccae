// SPDX-License-Identifier: Apache-2.0
#include "tests/optimization/networks.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

output_ref quantize(graph& model, output_ref data, double high) {
    return model.add(op::fake_quantize{256},
                     {data, scalar_of(model, 0), scalar_of(model, high), scalar_of(model, 0), scalar_of(model, high)});
}

}  // namespace

TEST_CASE("What computes the same from the same is computed once") {
    graph model;
    const output_ref data = model.parameter(f32, {2, 8}, "x");
    const output_ref first = model.add(op::relu{}, {quantize(model, data, 4)});
    const output_ref second = model.add(op::relu{}, {quantize(model, data, 4)});
    model.result(model.add(op::subtract{}, {first, second}), "difference");
    CHECK(optimized_operations_of(model) == kinds{op::kind::fake_quantize, op::kind::relu, op::kind::subtract});
    CHECK(change_of_results(model) == 0);
}

TEST_CASE("Other numbers, attributes or inputs are something else") {
    graph model;
    const output_ref data = model.parameter(f32, {2, 8}, "x");
    const output_ref sum = model.add(op::add{}, {quantize(model, data, 4), quantize(model, data, 3)});
    const output_ref low = model.add(op::clamp{{}, 0, 1}, {data});
    const output_ref high = model.add(op::clamp{{}, 0, 2}, {data});
    const output_ref clamped = model.add(op::add{}, {low, high});
    model.result(model.add(op::multiply{}, {sum, clamped}), "product");
    CHECK(optimized_operations_of(model) == operations_of(model));
}

TEST_CASE("A product that may round its data is another than one that may not") {
    graph model;
    const output_ref data = model.parameter(f32, {2, 8}, "x");
    const output_ref weights = model.parameter(f32, {8, 3}, "w");
    const node_id exact = model.add(op::mat_mul{}, {data, weights});
    const node_id rounding = model.add(op::mat_mul{}, {data, weights});
    model.set_mark(rounding, mark::may_round_data);
    model.result(model.add(op::subtract{}, {exact, rounding}), "difference");
    CHECK(optimized_operations_of(model) == operations_of(model));
}

TEST_CASE("What a Result reads keeps its name") {
    graph model;
    const output_ref data = model.parameter(f32, {2, 8}, "x");
    model.result(model.add(op::relu{}, {data}, "one"));
    model.result(model.add(op::relu{}, {data}, "two"));
    graph optimized = model;
    optimize(optimized);
    CHECK(operations_of(optimized) == operations_of(model));
    CHECK(optimized[optimized.producer(optimized.results()[1], 0)].name() == text("two"));
}
