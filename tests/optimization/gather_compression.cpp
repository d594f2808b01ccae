// SPDX-License-Identifier: Apache-2.0
#include "tests/optimization/compressed.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr dimension words = 700;
constexpr dimension width = 384;

struct embedding {
    element type = u4;
    shape codes;
    shape scale;
    bool has_zero_points = false;

    graph made() const {
        graph model;
        const output_ref places = model.parameter(i64, shape{2, 3}, "places");
        const output_ref table = dequantized_weights(model, type, codes, scale, has_zero_points, {words, width});
        const output_ref axis = model.constant(make_scalar(i64, 0));
        model.result(model.add(op::gather{}, {table, places, axis}, "embedding"));
        prepare(model);
        return model;
    }
};

bool gathers_codes(const graph& model) {
    graph optimized = model;
    optimize(optimized);
    for (const node_id id : topological_order(optimized)) {
        if (optimized[id].is<op::gather>() && optimized.type(optimized[id].input(0)) == f32 &&
            optimized.shape(optimized[id].input(0)).elements() >= 262144) {
            return false;
        }
    }
    return support::difference_of<float>(
               model, optimized, {make_integer_tensor(i64, {2, 3}, integers{0, 5, words - 1, -1, 1, 0})}) == 0.0;
}

}  // namespace

TEST_CASE("An embedding of 4 or 8 bits stays one, with scales of rows or of blocks") {
    for (const element type : {u4, i4, u8, i8}) {
        for (const bool has_zero_points : {false, true}) {
            CAPTURE(name(type).data());
            CHECK(gathers_codes(embedding{type, {words, width}, {words, 1}, has_zero_points}.made()));
            CHECK(gathers_codes(embedding{type, {words, 6, width / 6}, {words, 6, 1}, has_zero_points}.made()));
        }
    }
}

TEST_CASE("An embedding with scales of columns is computed before") {
    CHECK_FALSE(gathers_codes(embedding{u8, {words, width}, {1, width}}.made()));
}
