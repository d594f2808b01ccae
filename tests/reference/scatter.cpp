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
                         "ScatterNDUpdate 'tested': index 2 is outside an axis of size 2", lpt::error);
}

TEST_CASE("ScatterUpdate replaces slices along an axis") {
    const tensor x = counting({2, 3});
    check_first(op::scatter_update{},
                {x, make_integer_tensor(i64, {2}, {2, 0}), f32_of({2, 2}, {10, 11, 12, 13}), make_scalar(i64, 1)},
                {2, 3}, {11, 1, 10, 13, 4, 12});
    check_first(op::scatter_update{},
                {x, make_integer_tensor(i32, {}, {-1}), f32_of({3}, {7, 8, 9}), make_scalar(i64, 0)}, {2, 3},
                {0, 1, 2, 7, 8, 9});
    CHECK_THROWS_WITH_AS(lpt::test::run(op::scatter_update{}, {x, make_integer_tensor(i64, {}, {2}),
                                                               f32_of({3}, {7, 8, 9}), make_scalar(i64, 0)}),
                         "ScatterUpdate 'tested': index 2 is outside an axis of size 2", lpt::error);
}

TEST_CASE("ScatterElementsUpdate combines updates with what is there, or without it") {
    using enum op::element_reduction;
    const tensor x = f32_of({1, 3}, {2, 3, 4});
    const tensor places = make_integer_tensor(i64, {1, 3}, {0, -3, 2});
    const auto check = [&](op::element_reduction how, bool with_old, view<double> expected) {
        check_first(op::scatter_elements_update{how, with_old},
                    {x, places, f32_of({1, 3}, {5, -1, 2}), make_scalar(i64, 1)}, {1, 3}, expected);
    };
    check(none, true, {-1, 3, 2});
    check(sum, true, {6, 3, 6});
    check(sum, false, {4, 3, 2});
    check(prod, true, {-10, 3, 8});
    check(prod, false, {-5, 3, 2});
    check(min, true, {-1, 3, 2});
    check(min, false, {-1, 3, 2});
    check(max, true, {5, 3, 4});
    check(max, false, {5, 3, 2});
    check(mean, true, {2, 3, 3});
    check(mean, false, {2, 3, 2});
}

TEST_CASE("ScatterElementsUpdate rounds means of integers towards zero, and joins booleans") {
    using enum op::element_reduction;
    const tensor x = make_integer_tensor(i32, {2}, {-2, 7});
    const tensor places = make_integer_tensor(i64, {2}, {0, 1});
    const tensor updates = make_integer_tensor(i32, {2}, {-1, 8});
    const tensor axis = make_scalar(i64, 0);
    CHECK(integers_of(lpt::test::run(op::scatter_elements_update{mean}, {x, places, updates, axis})[0]) ==
          integers{-1, 7});
    const tensor truths = make_integer_tensor(boolean, {2}, {1, 1});
    const tensor added = make_integer_tensor(boolean, {2}, {1, 0});
    CHECK(integers_of(lpt::test::run(op::scatter_elements_update{sum}, {truths, places, added, axis})[0]) ==
          integers{1, 1});
    CHECK(integers_of(lpt::test::run(op::scatter_elements_update{prod}, {truths, places, added, axis})[0]) ==
          integers{1, 0});
}

TEST_CASE("ScatterElementsUpdate refuses indices outside their axis, and takes fewer places along the others") {
    const tensor axis = make_scalar(i64, 0);
    check_first(op::scatter_elements_update{},
                {counting({2, 3}), make_integer_tensor(i64, {1, 2}, {1, 0}), f32_of({1, 2}, {8, 9}), axis}, {2, 3},
                {0, 9, 2, 8, 4, 5});
    CHECK_THROWS_WITH_AS(lpt::test::run(op::scatter_elements_update{},
                                        {counting({2}), make_integer_tensor(i64, {1}, {2}), f32_of({1}, {8}), axis}),
                         "ScatterElementsUpdate 'tested': index 2 is outside an axis of size 2", lpt::error);
}
