// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/helpers.hpp"

using namespace lpt;
using lpt::test::check_first;
using lpt::test::f32_of;

namespace {

// Scores 0 and ln 3 (scale 1): weights 1/4 and 3/4 for both queries.
const tensor query = f32_of({1, 2, 1}, {1, 1});
const tensor key = f32_of({1, 2, 1}, {0, 1.0986122887});
const tensor attended = f32_of({1, 2, 2}, {0, 4, 8, 12});
using attention = op::scaled_dot_product_attention;

}  // namespace

TEST_CASE("attention weighs values by the softmax of scaled scores") {
    check_first(attention{}, {query, key, attended}, {1, 2, 2}, {6, 10, 6, 10});
    const tensor none = f32_of({1, 1}, {0});
    check_first(attention{}, {query, key, attended, none, make_scalar(f32, 0)}, {1, 2, 2}, {4, 8, 4, 8});
}

TEST_CASE("a causal query sees no later key") {
    check_first(attention{true}, {query, key, attended}, {1, 2, 2}, {0, 4, 6, 10});
}

TEST_CASE("a mask is added, or chooses; a row in which nothing is left becomes zero") {
    check_first(attention{}, {query, key, attended, f32_of({2, 2}, {1.0986122887, 0, 0, 0})}, {1, 2, 2}, {4, 8, 6, 10});
    check_first(attention{}, {query, key, attended, make_tensor(boolean, {2, 2}, {1, 0, 0, 0})}, {1, 2, 2},
                {0, 4, 0, 0});
}

TEST_CASE("a sink takes a share of each row") {
    const tensor mask = f32_of({1, 1}, {0});
    const tensor scale = make_scalar(f32, 1);
    check_first(attention{}, {query, key, attended, mask, scale, f32_of({1, 2, 1}, {1.3862943611, -1000})}, {1, 2, 2},
                {3, 5, 6, 10});
}

TEST_CASE("leading axes broadcast") {
    const tensor two = f32_of({2, 1, 1}, {1, 0});
    check_first(attention{}, {two, key, attended}, {2, 1, 2}, {6, 10, 4, 8});
}
