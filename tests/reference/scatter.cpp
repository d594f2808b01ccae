// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/helpers.hpp"

using namespace lpt;
using lpt::test::check_first;
using lpt::test::counting;
using lpt::test::f32_of;

TEST_CASE("ScatterNDUpdate replaces slices; the last one counts, and negative indices count from the end") {
    const tensor places = make_integer_tensor(i64, {3, 1}, {0, -1, 0});
    check_first(op::scatter_nd_update{}, {counting({3, 2}), places, f32_of({3, 2}, {10, 11, 12, 13, 14, 15})}, {3, 2},
                {14, 15, 2, 3, 12, 13});
    const tensor elements = make_integer_tensor(i64, {2, 2}, {0, 1, 2, 0});
    check_first(op::scatter_nd_update{}, {counting({3, 2}), elements, f32_of({2}, {8, 9})}, {3, 2}, {0, 8, 2, 3, 9, 5});
}

TEST_CASE("ScatterNDUpdate combines updates with what is there, one after the other") {
    using enum op::scatter_reduction;
    const tensor x = f32_of({3}, {2, 3, 4});
    const tensor places = make_integer_tensor(i64, {3, 1}, {0, 0, 2});
    const tensor updates = f32_of({3}, {5, -1, 2});
    check_first(op::scatter_nd_update{sum}, {x, places, updates}, {3}, {6, 3, 6});
    check_first(op::scatter_nd_update{sub}, {x, places, updates}, {3}, {-2, 3, 2});
    check_first(op::scatter_nd_update{prod}, {x, places, updates}, {3}, {-10, 3, 8});
    check_first(op::scatter_nd_update{min}, {x, places, updates}, {3}, {-1, 3, 2});
    check_first(op::scatter_nd_update{max}, {x, places, updates}, {3}, {5, 3, 4});
}

TEST_CASE("ScatterNDUpdate on integers wraps around, and refuses places outside its data") {
    const tensor bytes = make_tensor(u8, {2}, {250, 1});
    const tensor place = make_integer_tensor(i32, {1, 1}, {0});
    const tensor ten = make_tensor(u8, {1}, {10});
    CHECK(lpt::test::run(op::scatter_nd_update{op::scatter_reduction::sum}, {bytes, place, ten})[0].integer(0) == 4);
    const tensor outside = make_integer_tensor(i64, {1, 1}, {2});
    CHECK_THROWS_WITH_AS(lpt::test::run(op::scatter_nd_update{}, {bytes, outside, ten}),
                         "ScatterNDUpdate: index 2 is outside an axis of size 2", lpt::error);
}
