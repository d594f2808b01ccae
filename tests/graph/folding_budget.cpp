// SPDX-License-Identifier: Apache-2.0
#include <lpt/graph/fold.hpp>

#include <doctest/doctest.h>

using namespace lpt;

namespace {

/// The nodes of `kind` that are left after folding a network with this budget.
int left_after_folding(graph model, op::kind kind, const folding_budget& budget) {
    model.set_folding_budget(budget);
    constant_folding(model);
    int count = 0;
    for (const node_id id : topological_order(model)) {
        count += model[id].kind() == kind ? 1 : 0;
    }
    return count;
}
graph of_broadcast(dimension length, int times = 1) {
    graph model;
    const node_id one = model.constant(make_scalar(u8, 7));
    for (int i = 0; i < times; ++i) {
        model.add(op::result{}, {model.add(op::broadcast{}, {one, model.constant(make_indices({length}))})});
    }
    return model;
}

constexpr dimension one_length = 8192;
constexpr std::uint64_t bytes_of_one = one_length + 16 * one_length;

}  // namespace

TEST_CASE("a constant is folded up to the last byte of the budget, and not beyond") {
    CHECK(left_after_folding(of_broadcast(one_length), op::kind::broadcast, {bytes_of_one, 1 << 20}) == 0);
    CHECK(left_after_folding(of_broadcast(one_length), op::kind::broadcast, {bytes_of_one - 1, 1 << 20}) == 1);
}

TEST_CASE("what several constants take is added up") {
    CHECK(left_after_folding(of_broadcast(one_length, 3), op::kind::broadcast, {2 * bytes_of_one, 1 << 20}) == 1);
}

TEST_CASE("constants of less than 4096 elements are folded without a budget") {
    CHECK(left_after_folding(of_broadcast(4000), op::kind::broadcast, {0, 0}) == 0);
}

TEST_CASE("the usual budget refuses what a few bytes ask for, at once") {
    CHECK(left_after_folding(of_broadcast(std::int64_t{1} << 40), op::kind::broadcast, {}) == 1);
}

TEST_CASE("what takes the place of a constant as large as itself needs no budget") {
    graph model;
    const tensor weights = make_tensor(u8, shape{64, 128}, {3});
    const node_id turned = model.add(op::transpose{}, {model.constant(weights), model.constant(make_indices({1, 0}))});
    model.add(op::result{}, {turned});
    CHECK(left_after_folding(model, op::kind::transpose, {0, 0}) == 0);
}

TEST_CASE("matrix products are charged for each product") {
    graph model;
    const node_id a = model.constant(make_tensor(f32, shape{64, 128}, {1}));
    const node_id b = model.constant(make_tensor(f32, shape{128, 64}, {1}));
    model.add(op::result{}, {model.add(op::mat_mul{}, {a, b})});
    const std::uint64_t products = 64 * 64 * 128;
    CHECK(left_after_folding(model, op::kind::mat_mul, {0, products}) == 0);
    CHECK(left_after_folding(model, op::kind::mat_mul, {0, products - 1}) == 1);
}

TEST_CASE("a copy of a network has the budget that is left") {
    graph model = of_broadcast(one_length);
    model.set_folding_budget({bytes_of_one + 5, 1 << 20});
    constant_folding(model);
    CHECK(graph(model).folding().bytes == 5);
}

TEST_CASE("sums of constants that would grow beyond the budget are not computed for rules either") {
    graph model;
    model.set_folding_budget({1 << 20, 1 << 20});
    const output_ref column = model.constant(make_tensor(i32, shape{1024, 1}, {1}));
    const output_ref row = model.constant(make_tensor(i32, shape{1, 1024}, {1}));
    CHECK_FALSE(evaluate_constants(model, op::add{}, {column, row}));
    model.set_folding_budget({std::uint64_t{1} << 22, 1 << 20});
    CHECK(evaluate_constants(model, op::add{}, {column, row}));
}
