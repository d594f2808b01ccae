// SPDX-License-Identifier: Apache-2.0
#include "tests/optimization/networks.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

output_ref transpose(graph& model, output_ref data, std::initializer_list<std::int64_t> order) {
    return model.add(op::transpose{}, {data, indices(model, order)});
}

}  // namespace

TEST_CASE("Transposes in a row become one, with the same result") {
    graph model;
    const output_ref data = model.parameter(f32, {2, 3, 4, 5}, "x");
    model.result(transpose(model, transpose(model, data, {0, 2, 3, 1}), {0, 3, 1, 2}), "none");
    model.result(transpose(model, transpose(model, model.add(op::relu{}, {data}), {0, 2, 3, 1}), {3, 1, 0, 2}), "one");
    const kinds made = optimized_operations_of(model);
    // An input of the network cannot take the name of an output: one operation stays there.
    CHECK(made == kinds{op::kind::relu, op::kind::transpose, op::kind::transpose});
    CHECK(change_of_results(model) == 0);
}

TEST_CASE("Transposes that undo each other go away, and one that changes nothing") {
    graph model;
    const output_ref data = model.add(op::relu{}, {model.parameter(f32, {2, 3, 4, 5}, "x")});
    const output_ref back = transpose(model, transpose(model, data, {0, 2, 3, 1}), {0, 3, 1, 2});
    model.result(model.add(op::abs{}, {transpose(model, back, {0, 1, 2, 3})}), "same");
    CHECK(optimized_operations_of(model) == kinds{op::kind::relu, op::kind::abs});
    CHECK(change_of_results(model) == 0);
}

TEST_CASE("An order without numbers reverses the axes") {
    graph model;
    const output_ref data = model.add(op::relu{}, {model.parameter(f32, {2, 3, 4}, "x")});
    const output_ref reversed = model.add(op::transpose{}, {data, model.constant(make_integer_tensor(i64, {0}, {}))});
    model.result(model.add(op::abs{}, {transpose(model, reversed, {2, 1, 0})}), "same");
    CHECK(optimized_operations_of(model) == kinds{op::kind::relu, op::kind::abs});
    CHECK(change_of_results(model) == 0);
}

TEST_CASE("The first Transpose stays for its other readers") {
    graph model;
    const output_ref data = model.add(op::relu{}, {model.parameter(f32, {2, 3, 4, 5}, "x")});
    const output_ref first = transpose(model, data, {0, 2, 3, 1});
    model.result(model.add(op::abs{}, {first}), "first");
    model.result(transpose(model, first, {0, 2, 1, 3}), "second");
    graph optimized = model;
    optimize(optimized);
    const node_id second = optimized.producer(optimized.results()[1], 0);
    CHECK(optimized[optimized.producer(second, 0)].is<op::relu>());
    CHECK(change_of_results(model) == 0);
}
