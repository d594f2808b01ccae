// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/helpers.hpp"

using namespace lpt;
using lpt::test::check_first;
using lpt::test::counting;
using lpt::test::f32_of;

TEST_CASE("MaxPool takes the greatest value; padding never wins") {
    op::max_pool pool;
    pool.kernel = {2};
    pool.strides = {2};
    pool.pads_begin = {1};
    pool.pads_end = {0};
    check_first(pool, {f32_of({1, 1, 5}, {-3, -1, -4, -1, -5})}, {1, 1, 3}, {-3, -1, -1}, 1);
    check_first(pool, {make_tensor(i8, {1, 1, 5}, {-3, -1, -4, -1, -5})}, {1, 1, 3}, {-3, -1, -1}, 1);
}

TEST_CASE("MaxPool tells the places, counted over the axes from `axis` on") {
    op::max_pool pool;
    pool.kernel = {2};
    pool.strides = {1};
    pool.axis = 2;
    const tensor x = f32_of({1, 2, 3}, {1, 5, 2, 7, 3, 7});
    const seq<tensor> inside = lpt::test::run(pool, {x}, 8);
    lpt::test::check_values(inside[0], {1, 2, 2}, {5, 5, 7, 7});
    lpt::test::check_values(inside[1], {1, 2, 2}, {1, 1, 0, 2});
    CHECK(inside[1].type() == i64);
    pool.axis = 0;
    lpt::test::check_values(lpt::test::run(pool, {x}, 8)[1], {1, 2, 2}, {1, 1, 3, 5});
}

TEST_CASE("dilations of MaxPool exist from version 8 on") {
    op::max_pool pool;
    pool.kernel = {2};
    pool.strides = {1};
    pool.dilations = {2};
    const tensor x = f32_of({1, 1, 4}, {4, 3, 2, 1});
    check_first(pool, {x}, {1, 1, 2}, {4, 3}, 8);
    check_first(pool, {x}, {1, 1, 3}, {4, 3, 2}, 1);
}

TEST_CASE("AvgPool counts the padding unless it is excluded, and never what lies beyond it") {
    op::avg_pool pool;
    pool.kernel = {3};
    pool.strides = {2};
    pool.pads_begin = {1};
    pool.pads_end = {0};
    pool.rounding_type = op::rounding_type::ceil;
    const tensor x = f32_of({1, 1, 4}, {1, 2, 3, 5});
    check_first(pool, {x}, {1, 1, 2}, {1, 10.0 / 3}, 1);
    const tensor longer = f32_of({1, 1, 5}, {1, 2, 3, 5, 7});
    pool.pads_begin = {0};
    pool.strides = {3};
    check_first(pool, {longer}, {1, 1, 2}, {2, 6}, 1);
    pool.pads_begin = {1};
    pool.strides = {2};
    pool.exclude_pad = true;
    check_first(pool, {x}, {1, 1, 2}, {1.5, 10.0 / 3}, 1);
}

TEST_CASE("AvgPool of integers rounds halves to even") {
    op::avg_pool pool;
    pool.kernel = {2};
    pool.strides = {2};
    check_first(pool, {make_tensor(u8, {1, 1, 4}, {1, 2, 2, 3})}, {1, 1, 2}, {2, 2}, 1);
}

TEST_CASE("pooling over two and three axes") {
    op::avg_pool pool;
    pool.kernel = {2, 2};
    pool.strides = {1, 1};
    check_first(pool, {counting({1, 1, 2, 3})}, {1, 1, 1, 2}, {2, 3}, 1);
    pool.kernel = {2, 2, 2};
    pool.strides = {1, 1, 1};
    check_first(pool, {counting({1, 1, 2, 2, 2})}, {1, 1, 1, 1, 1}, {3.5}, 1);
}
