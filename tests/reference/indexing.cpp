// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/helpers.hpp"

#include <limits>

using namespace lpt;
using lpt::test::check_first;
using lpt::test::check_values;
using lpt::test::counting;
using lpt::test::f32_of;

TEST_CASE("TopK takes the greatest or least values, sorted by value or index; of equal values the first") {
    const tensor x = f32_of({1, 5}, {3, 9, 1, 9, 5});
    const tensor k = make_scalar(i64, 3);
    op::top_k by_value;
    by_value.axis = 1;
    by_value.sort = op::top_k_sort::value;
    const seq<tensor> greatest = lpt::test::run(by_value, {x, k});
    check_values(greatest[0], {1, 3}, {9, 9, 5});
    check_values(greatest[1], {1, 3}, {1, 3, 4});
    op::top_k by_index = by_value;
    by_index.sort = op::top_k_sort::index;
    by_index.mode = op::top_k_mode::min;
    const seq<tensor> least = lpt::test::run(by_index, {x, k});
    check_values(least[0], {1, 3}, {3, 1, 5});
    check_values(least[1], {1, 3}, {0, 2, 4});
}

TEST_CASE("TopK of several puts NaN behind all numbers") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    op::top_k what;
    what.axis = 1;
    const seq<tensor> found = lpt::test::run(what, {f32_of({1, 5}, {nan, 2, nan, 9, 5}), make_scalar(i64, 5)});
    check_values(found[1], {1, 5}, {3, 4, 1, 0, 2});
    what.mode = op::top_k_mode::min;
    const seq<tensor> least = lpt::test::run(what, {f32_of({1, 5}, {nan, 2, nan, 9, 5}), make_scalar(i64, 3)});
    check_values(least[0], {1, 3}, {2, 5, 9});
}

TEST_CASE("TopK of one along any axis takes the first of equal values") {
    const tensor x = f32_of({2, 3, 2}, {1, 7, 5, 7, 5, 2, -1, 4, -3, 4, -1, 4});
    op::top_k one;
    one.axis = 1;
    const seq<tensor> greatest = lpt::test::run(one, {x, make_scalar(i64, 1)});
    check_values(greatest[0], {2, 1, 2}, {5, 7, -1, 4});
    check_values(greatest[1], {2, 1, 2}, {1, 0, 0, 0});
    one.mode = op::top_k_mode::min;
    one.axis = 2;
    const seq<tensor> least = lpt::test::run(one, {x, make_scalar(i64, 1)});
    check_values(least[0], {2, 3, 1}, {1, 5, 2, -1, -3, -1});
    check_values(least[1], {2, 3, 1}, {0, 0, 1, 0, 0, 0});
}

TEST_CASE("CumSum runs forwards and backwards, with its own element or without") {
    const tensor x = f32_of({2, 3}, {1, 2, 3, 4, 5, 6});
    const tensor axis = make_scalar(i64, 1);
    op::cum_sum exclusive;
    exclusive.exclusive = true;
    op::cum_sum reverse;
    reverse.reverse = true;
    check_first(op::cum_sum{}, {x, axis}, {2, 3}, {1, 3, 6, 4, 9, 15});
    check_first(op::cum_sum{}, {x}, {2, 3}, {1, 2, 3, 5, 7, 9});
    check_first(exclusive, {x, axis}, {2, 3}, {0, 1, 3, 0, 4, 9});
    check_first(reverse, {x, axis}, {2, 3}, {6, 5, 3, 15, 11, 6});
}

TEST_CASE("OneHot leaves indices outside its depth off; negative ones may count from the end") {
    const tensor indices = make_indices({1, -1, 5});
    const tensor depth = make_scalar(i64, 3);
    const tensor on = make_scalar(f32, 7);
    const tensor off = make_scalar(f32, 0);
    op::one_hot ignoring;
    op::one_hot wrapping;
    wrapping.negative_indices_mode = op::one_hot_negative_indices::normalize;
    check_first(ignoring, {indices, depth, on, off}, {3, 3}, {0, 7, 0, 0, 0, 0, 0, 0, 0}, 1);
    check_first(wrapping, {indices, depth, on, off}, {3, 3}, {0, 7, 0, 0, 0, 7, 0, 0, 0}, 16);
}

TEST_CASE("NonZero gives the places axis by axis") {
    check_first(op::non_zero{}, {f32_of({2, 2}, {0, 3, 4, 0})}, {2, 2}, {0, 1, 1, 0});
}

TEST_CASE("GatherND takes slices by tuples of indices, with negative indices and batches") {
    const tensor x = counting({2, 2, 2});
    op::gather_nd batched;
    batched.batch_dims = 1;
    check_first(op::gather_nd{}, {x, make_integer_tensor(i64, {2, 2}, {1, -1, 0, 0})}, {2, 2}, {6, 7, 0, 1});
    check_first(batched, {x, make_integer_tensor(i64, {2, 1}, {1, 0})}, {2, 2}, {2, 3, 4, 5});
    CHECK_THROWS_WITH_AS(lpt::test::run(op::gather_nd{}, {x, make_integer_tensor(i64, {1, 1}, {2})}),
                         "GatherND 'tested': index 2 is outside an axis of size 2", lpt::error);
}

TEST_CASE("ReverseSequence reverses the first elements of each sequence") {
    op::reverse_sequence reverse;
    reverse.batch_axis = 0;
    reverse.seq_axis = 1;
    check_first(reverse, {counting({2, 3}), make_indices({2, 3})}, {2, 3}, {1, 0, 2, 5, 4, 3});
}

TEST_CASE("Range and ShapeOf") {
    const tensor start = make_scalar(f32, 1);
    check_first(op::range{f32}, {start, make_scalar(f32, 2), make_scalar(f32, 0.25)}, {4}, {1, 1.25, 1.5, 1.75}, 4);
    check_first(op::shape_of{}, {counting({2, 3})}, {2}, {2, 3});
}
