// SPDX-License-Identifier: Apache-2.0
#include "tests/optimization/compressed.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr dimension inner = 512;
constexpr dimension columns = 520;

/// x * weights, which are dequantized: by scale, and by zero points where there are any.
struct product {
    element type = u4;
    shape codes;
    shape scale;
    bool has_zero_points = false;
    bool transposed = true;
    dimension used = inner;  // of the rows of weights

    graph made() const {
        graph model;
        const output_ref x = model.parameter(f32, shape{3, used}, "x");
        const integers matrix = transposed ? integers{columns, inner} : integers{inner, columns};
        output_ref weights = dequantized_weights(model, type, codes, scale, has_zero_points, matrix);
        if (used != inner) {
            weights = model.add(op::slice{}, {weights, indices(model, {0}), indices(model, {used}), indices(model, {1}),
                                              indices(model, {transposed ? 1 : 0})});
        }
        op::mat_mul self;
        self.transpose_b = transposed;
        model.result(model.add(self, {x, weights}, "product"));
        prepare(model);
        return model;
    }
};

void check_compression(const product& each) {
    const graph model = each.made();
    CHECK(optimized_operations_of(model) == kinds{op::kind::fully_connected_compressed});
    CHECK(change_of_results(model) < 1e-5);
}
bool stays(const product& each) {
    const kinds made = optimized_operations_of(each.made());
    return made.back() == op::kind::mat_mul;
}

}  // namespace

TEST_CASE(
    "Products with weights of 4 and 8 bits become FullyConnectedCompressed, with scales of columns or of blocks") {
    for (const element type : {u4, i4, u8, i8}) {
        for (const bool has_zero_points : {false, true}) {
            CAPTURE(name(type).data());
            check_compression({type, {columns, inner}, {columns, 1}, has_zero_points});
            check_compression({type, {columns, 4, inner / 4}, {columns, 4, 1}, has_zero_points});
        }
    }
}

TEST_CASE("FullyConnectedCompressed may round its data where the product may") {
    for (const bool rounds : {false, true}) {
        graph model = product{u4, {columns, inner}, {columns, 1}}.made();
        for (const node_id id : topological_order(model)) {
            if (rounds && model[id].is<op::mat_mul>()) {
                model.set_mark(id, mark::may_round_data);
            }
        }
        optimize(model);
        const node_id made = model[model.results()[0]].input(0).node;
        REQUIRE(model[made].is<op::fully_connected_compressed>());
        CHECK(model[made].has(mark::may_round_data) == rounds);
    }
}

TEST_CASE("Weights that lie in rows are brought into columns") {
    check_compression({i8, {inner, columns}, {1, columns}, true, false});
    check_compression({u4, {inner, columns}, {columns}, false, false});
    check_compression({i4, {8, inner / 8, columns}, {8, 1, columns}, true, false});
}

TEST_CASE("One scale is that of all columns") { check_compression({u8, {columns, inner}, {}, true}); }

TEST_CASE("The end of the last block may be cut off") {
    check_compression({u4, {columns, 4, inner / 4}, {columns, 4, 1}, true, true, inner - 5});
}

TEST_CASE("Weights with scales inside of blocks, or whose last block is left out, stay") {
    CHECK(stays({u8, {columns, inner}, {1, inner}}));
    CHECK(stays({u4, {columns, 4, inner / 4}, {columns, 4, 1}, true, true, inner / 2}));
}

TEST_CASE("Small weights stay: a cache holds them as real numbers") {
    graph model;
    const output_ref x = model.parameter(f32, shape{3, 64}, "x");
    const output_ref weights = model.add(op::convert{f32}, {model.constant(codes_of(i8, {64, 64}))});
    const output_ref scaled = model.add(op::multiply{}, {weights, model.constant(scales_of({64, 1}))});
    model.result(model.add(op::mat_mul{false, true}, {x, scaled}));
    prepare(model);
    CHECK(optimized_operations_of(model).back() == op::kind::mat_mul);
}
