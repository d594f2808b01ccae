// SPDX-License-Identifier: Apache-2.0
#include "infer.hpp"

#include <lpt/op/fully_connected.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::test;

namespace {

using compressed = op::fully_connected_compressed;

static_assert(infer_shape(compressed{}, 0, of({3, 64}), of({5, 2, 32}, u4), of({5, 2})) == shape{3, 5});

}  // namespace

TEST_CASE("FullyConnectedCompressed: each column of weights becomes one of the last axis") {
    CHECK(infer_shape(compressed{}, 0, of({64}), of({5, 2, 32}, i8), of({5, 2}), of({5, 2})) == shape{5});
    CHECK(infer_shape(compressed{}, 0, of({2, unknown, 60}), of({5, 2, 32}, i4), of({5, 2})) == shape{2, unknown, 5});
    CHECK(infer_shape(compressed{}, 0, of({2, unknown}), of({5, 2, 32}, u8), of({5, 2})) == shape{2, 5});
    CHECK(infer_shape(compressed{}, 0, unknown_rank(), of({5, 2, 32}, u4), of({5, 2})).rank_is_dynamic());
}

TEST_CASE("FullyConnectedCompressed: blocks must fit rows, and scales and zero points blocks") {
    CHECK_FALSE(infer_error(compressed{}, 0, of({3, 65}), of({5, 2, 32}, u4), of({5, 2})).empty());
    CHECK_FALSE(infer_error(compressed{}, 0, of({3, 32}), of({5, 2, 32}, u4), of({5, 2})).empty());
    CHECK_FALSE(infer_error(compressed{}, 0, of({3, 64}), of({5, 2, 32}, u4), of({5, 1})).empty());
    CHECK_FALSE(infer_error(compressed{}, 0, of({3, 64}), of({5, 2, 32}, u4), of({5, 2}), of({4, 2})).empty());
    CHECK_FALSE(infer_error(compressed{}, 0, of({3, 64}), of({5, 64}, u4), of({5, 2})).empty());
    CHECK_FALSE(infer_error(compressed{}, 0, of({}), of({5, 2, 32}, u4), of({5, 2})).empty());
    CHECK_FALSE(infer_error(compressed{}, 0, of({3, 0}), of({5, 1, 0}, u4), of({5, 1})).empty());
}

TEST_CASE("FullyConnectedCompressed: data is real, weights have 4 or 8 bits") {
    CHECK_FALSE(infer_error(compressed{}, 0, of({3, 64}, i32), of({5, 2, 32}, u4), of({5, 2})).empty());
    CHECK_FALSE(infer_error(compressed{}, 0, of({3, 64}), of({5, 2, 32}, i16), of({5, 2})).empty());
    CHECK_FALSE(infer_error(compressed{}, 0, of({3, 64}), of({5, 2, 32}, f32), of({5, 2})).empty());
}
