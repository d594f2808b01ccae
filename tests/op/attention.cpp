// SPDX-License-Identifier: Apache-2.0
#include "inferred.hpp"

#include <lpt/op/attention.hpp>

using namespace lpt;
using namespace lpt::test;

using attention = op::scaled_dot_product_attention;

static_assert(inferred(attention{}, of(f32, {1, 8, 10, 64}), of(f32, {1, 8, 20, 64}), of(f32, {1, 8, 20, 32})) ==
              "f32[1,8,10,32]");
static_assert(attribute_names<attention>(13) == "causal");
static_assert(survives_reading(attention{.causal = true}, 13));

TEST_CASE("attention broadcasts leading axes and keeps what is unknown") {
    CHECK(inferred(attention{}, of(f32, {-1, 8, -1, 64}), of(f32, {1, 1, 20, -1}), of(f32, {-1, 1, -1, 64})) ==
          "f32[?,8,?,64]");
    CHECK(inferred(attention{}, anything(), of(f32, {2, 20, 64}), of(f32, {2, 20, 64})) == "f32?");
}

TEST_CASE("attention takes boolean and real masks that broadcast to the scores, and a single scale") {
    const input query = of(f32, {2, 8, 10, 64});
    const input key = of(f32, {2, 8, 20, 64});
    CHECK(inferred(attention{}, query, key, key, of(boolean, {10, 20})) == "f32[2,8,10,64]");
    CHECK(inferred(attention{}, query, key, key, of(f32, {2, 1, 1, 20}), of(f32, {})) == "f32[2,8,10,64]");
    LPT_CHECK_WRONG(inferred(attention{}, query, key, key, of(boolean, {20, 10})),
                    "mask of shape [20,10] does not broadcast");
    LPT_CHECK_WRONG(inferred(attention{}, query, key, key, of(boolean, {3, 1, 1, 10, 20})),
                    "does not broadcast to [2,8,10,20]");
    LPT_CHECK_WRONG(inferred(attention{}, query, key, key, of(i32, {10, 20})), "a mask must be boolean");
    LPT_CHECK_WRONG(inferred(attention{}, query, key, key, of(f32, {}), of(f32, {3})), "scale must be a single number");
}

TEST_CASE("attention refuses inputs that do not fit each other") {
    const input query = of(f32, {2, 10, 64});
    const input key = of(f32, {2, 20, 64});
    LPT_CHECK_WRONG(inferred(attention{}, query, of(f32, {2, 20, 63}), key), "must have the same last size");
    LPT_CHECK_WRONG(inferred(attention{}, query, key, of(f32, {2, 21, 64})), "must have the same last size but one");
    LPT_CHECK_WRONG(inferred(attention{}, query, of(f32, {3, 20, 64}), key), "leading axes of query, key and value");
    LPT_CHECK_WRONG(inferred(attention{}, of(f32, {64}), key, key), "input 0 must have at least two axes");
    LPT_CHECK_WRONG(inferred(attention{}, query, key, of(f16, {2, 20, 64})), "not f32 and f16");
}
