// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/helpers.hpp"

using namespace lpt;
using lpt::test::check_first;
using lpt::test::f32_of;

namespace {

// Two columns of two blocks: (1, 2), (3, 4) and (5, 6), (7, 0).
const tensor weights = make_tensor(u4, {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 0});
const tensor scale = f32_of({2, 2}, {1, 10, 2, 0.5});

}  // namespace

TEST_CASE("a product with compressed weights multiplies the sum of each block by its scale") {
    check_first(op::fully_connected_compressed{}, {f32_of({1, 4}, {1, 1, 1, 1}), weights, scale}, {1, 2},
                {3 + 70, 22 + 3.5});
}

TEST_CASE("zero points of blocks are subtracted from their weights") {
    const tensor zeros = f32_of({2, 2}, {1, 3, 5, 0});
    check_first(op::fully_connected_compressed{}, {f32_of({2, 4}, {1, 1, 1, 1, 0, 2, 0, 1}), weights, scale, zeros},
                {2, 2}, {1 + 10, 2 + 3.5, 2 + 10, 4 + 0});
}

TEST_CASE("what is behind the end of a row in its last block means nothing") {
    check_first(op::fully_connected_compressed{}, {f32_of({3}, {1, 1, 1}), weights, scale}, {2}, {3 + 30, 22 + 3.5});
}
