// SPDX-License-Identifier: Apache-2.0
#include "tests/optimization/networks.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

output_ref multiply(graph& model, output_ref a, output_ref b) { return model.add(op::multiply{}, {a, b}); }

/// x, a gate and 0.5 multiplied in one of three orders.
void finish(graph& model, output_ref data, output_ref gate, int order, double half) {
    const output_ref factor = scalar_of(model, half);
    const output_ref whole = order == 0   ? multiply(model, gate, multiply(model, data, factor))
                             : order == 1 ? multiply(model, data, multiply(model, factor, gate))
                                          : multiply(model, factor, multiply(model, gate, data));
    model.result(whole, "activated");
}
graph erf_network(int order, bool divides, double half = 0.5) {
    graph model;
    const output_ref data = model.parameter(f32, {2, 50}, "x");
    const output_ref inside = divides ? model.add(op::divide{}, {data, scalar_of(model, 1.4142135623730951)})
                                      : multiply(model, scalar_of(model, 0.70710678118654757), data);
    const output_ref gate = model.add(op::add{}, {scalar_of(model, 1), model.add(op::erf{}, {inside})});
    finish(model, data, gate, order, half);
    return model;
}
graph tanh_network(int order, bool by_power) {
    graph model;
    const output_ref data = model.parameter(f32, {2, 50}, "x");
    const output_ref cube = by_power ? model.add(op::power{}, {data, scalar_of(model, 3)})
                                     : multiply(model, multiply(model, data, data), data);
    const output_ref sum = model.add(op::add{}, {data, multiply(model, scalar_of(model, 0.044715), cube)});
    const output_ref inside = multiply(model, sum, scalar_of(model, 0.79788456080286541));
    const output_ref gate = model.add(op::add{}, {model.add(op::tanh{}, {inside}), scalar_of(model, 1)});
    finish(model, data, gate, order, 0.5);
    return model;
}

}  // namespace

TEST_CASE("Gelu by erf is found in any order of its factors") {
    for (const int order : {0, 1, 2}) {
        for (const bool divides : {false, true}) {
            const graph model = erf_network(order, divides);
            CHECK(optimized_operations_of(model) == kinds{op::kind::gelu});
            CHECK(change_of_results(model) < 2e-6);
        }
    }
}

TEST_CASE("Gelu by tanh is found in any order of its factors") {
    for (const int order : {0, 1, 2}) {
        for (const bool by_power : {false, true}) {
            graph model = tanh_network(order, by_power);
            CHECK(optimized_operations_of(model) == kinds{op::kind::gelu});
            CHECK(change_of_results(model) < 2e-6);
            optimize(model);
            const node_id made = model.producer(model.results()[0], 0);
            CHECK(model[made].as<op::gelu>().approximation_mode == op::gelu_approximation::tanh);
        }
    }
}

TEST_CASE("What is nearly Gelu stays") {
    const graph another_factor = erf_network(0, false, 0.51);
    CHECK(optimized_operations_of(another_factor) == operations_of(another_factor));
    graph read_inside = erf_network(0, false);
    for (const node_id id : topological_order(read_inside)) {
        if (read_inside[id].is<op::erf>()) {
            read_inside.result(id, "erf");
        }
    }
    CHECK(optimized_operations_of(read_inside) == operations_of(read_inside));
}
