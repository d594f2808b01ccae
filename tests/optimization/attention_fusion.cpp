// SPDX-License-Identifier: Apache-2.0
#include "tests/optimization/networks.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

struct attention {
    bool masked = true;
    bool keys_in_rows = true;
    bool divides = false;
    std::int64_t axis = -1;
    shape mask_shape{1, 1, 1, 7};

    graph network() const {
        graph model;
        const output_ref query = model.parameter(f32, {1, 2, 5, 8}, "query");
        const output_ref key = model.parameter(f32, keys_in_rows ? shape{1, 2, 7, 8} : shape{1, 2, 8, 7}, "key");
        const output_ref value = model.parameter(f32, {1, 2, 7, 6}, "value");
        output_ref scores = model.add(op::mat_mul{false, keys_in_rows}, {query, key});
        scores = divides ? model.add(op::divide{}, {scores, scalar_of(model, 2.5)})
                         : model.add(op::multiply{}, {scalar_of(model, 0.3), scores});
        if (masked) {
            scores = model.add(op::add{}, {scores, model.parameter(f32, mask_shape, "mask")});
        }
        const output_ref weights = model.add(op::softmax{axis}, {scores}, "weights", 8);
        model.result(model.add(op::mat_mul{}, {weights, value}), "attended");
        return model;
    }
};

}  // namespace

TEST_CASE("Attention is found with and without a mask, a product or a quotient as scale") {
    for (const bool masked : {false, true}) {
        for (const bool divides : {false, true}) {
            const graph model = attention{masked, true, divides}.network();
            CHECK(optimized_operations_of(model) == kinds{op::kind::scaled_dot_product_attention});
            CHECK(change_of_results(model) < 1e-5);
        }
    }
}

TEST_CASE("Keys in columns are transposed") {
    for (const bool masked : {false, true}) {
        const graph model = attention{masked, false}.network();
        CHECK(optimized_operations_of(model) == kinds{op::kind::transpose, op::kind::scaled_dot_product_attention});
        CHECK(change_of_results(model) < 1e-5);
    }
}

TEST_CASE("A Softmax over queries is no attention, nor is a mask that enlarges the scores") {
    const graph over_queries = attention{.axis = 2}.network();
    CHECK(optimized_operations_of(over_queries) == operations_of(over_queries));
    const graph enlarged = attention{.mask_shape = {3, 1, 1, 7}}.network();
    CHECK(optimized_operations_of(enlarged) == operations_of(enlarged));
}
