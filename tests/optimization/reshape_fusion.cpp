// SPDX-License-Identifier: Apache-2.0
#include "tests/optimization/networks.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

output_ref reshape(graph& model, output_ref data, std::initializer_list<std::int64_t> sizes) {
    return model.add(op::reshape{}, {data, indices(model, sizes)});
}
graph shuffled(std::initializer_list<std::int64_t> parts, std::initializer_list<std::int64_t> order) {
    graph model;
    const output_ref data = model.parameter(f32, {2, 12, 3, 5}, "x");
    const output_ref exchanged = model.add(op::transpose{}, {reshape(model, data, parts), indices(model, order)});
    model.result(reshape(model, exchanged, {2, 12, 3, 5}), "shuffled");
    return model;
}

}  // namespace

TEST_CASE("Changes of shape in a row become one Reshape, or none") {
    graph model;
    const output_ref data = model.add(op::relu{}, {model.parameter(f32, {2, 1, 12}, "x")});
    const output_ref flat = model.add(op::squeeze{}, {data, indices(model, {1})});
    model.result(reshape(model, model.add(op::unsqueeze{}, {flat, indices(model, {0})}), {6, 4}), "one");
    model.result(model.add(op::abs{}, {reshape(model, reshape(model, data, {24}), {2, 1, 12})}), "none");
    CHECK(optimized_operations_of(model) == kinds{op::kind::relu, op::kind::abs, op::kind::reshape});
    CHECK(change_of_results(model) == 0);
}

TEST_CASE("Groups of channels that are exchanged with what is in a group are a ShuffleChannels") {
    const graph model = shuffled({2, 3, 4, 3, 5}, {0, 2, 1, 3, 4});
    CHECK(optimized_operations_of(model) == kinds{op::kind::shuffle_channels});
    CHECK(change_of_results(model) == 0);
}

TEST_CASE("Another order or another division is no ShuffleChannels") {
    const graph other_order = shuffled({2, 3, 4, 3, 5}, {0, 2, 1, 4, 3});
    CHECK(optimized_operations_of(other_order) == operations_of(other_order));
    const graph other_parts = shuffled({2, 3, 2, 6, 5}, {0, 2, 1, 3, 4});
    CHECK(optimized_operations_of(other_parts) == operations_of(other_parts));
}
