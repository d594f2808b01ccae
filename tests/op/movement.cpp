// SPDX-License-Identifier: Apache-2.0
#include "infer.hpp"

#include <lpt/op/movement.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::test;

namespace {

constexpr std::int64_t open = op::unknown_value;

static_assert(infer_shape(op::concat{1}, 0, of({1, 2, 3}), of({1, 4, 3})) == shape{1, 6, 3});
static_assert(infer_shape(op::reshape{true}, 1, of({2, 3, 4}), indices({0, -1})) == shape{2, 12});
static_assert(infer_shape(op::transpose{}, 1, of({1, 2, 3}), indices({2, 0, 1})) == shape{3, 1, 2});
static_assert(infer_shape(op::gather{1}, 8, of({2, 5, 7}), of({2, 3}, i32), index(1)) == shape{2, 3, 7});
static_assert(infer_shape(op::slice{}, 8, of({10}), indices({8}), indices({2}), indices({-3})) == shape{2});
static_assert(op::has(op::pad::traits, op::trait::precision_preserved) &&
              op::has(op::pad::traits, op::trait::reads_values));
static_assert(!op::has(op::gather_nd::traits, op::trait::precision_preserved));
static_assert(op::has(op::depth_to_space::traits, op::trait::relaxable));
static_assert(survives_reading(op::strided_slice{{1, 0}, {0, 1}, {0, 0}, {1, 0}, {0, 0}}, 1));
static_assert(survives_reading(op::depth_to_space{2, op::depth_space_mode::depth_first}, 0));
static_assert(survives_reading(op::interpolate{.pads_begin = {1, 2}, .cube_coeff = -0.5}, 4));

// A slice of a vector of `size` elements.
shape sliced(dimension size, std::int64_t start, std::int64_t stop, std::int64_t step) {
    return infer_shape(op::slice{}, 8, of({size}), indices({start}), indices({stop}), indices({step}));
}

}  // namespace

TEST_CASE("Concat: sizes along the axis add up, the others are merged") {
    CHECK(infer_shape(op::concat{-1}, 0, of({2, 3}), of({unknown, 5})) == shape{2, 8});
    CHECK(infer_shape(op::concat{0}, 0, of({2, 3}), of({unknown, 3})) == shape{unknown, 3});
    CHECK(infer_shape(op::concat{0}, 0, of({2, 3}), unknown_rank()) == shape{unknown, 3});
    CHECK(infer_shape(op::concat{0}, 0, unknown_rank(), unknown_rank()).rank_is_dynamic());
    CHECK(infer(op::concat{0}, 0, of({2}, dynamic), of({2}, u8))[0].type == u8);
    CHECK_FALSE(infer_error(op::concat{0}, 0, of({2, 3}), of({2, 4})).empty());
    CHECK_FALSE(infer_error(op::concat{2}, 0, of({2, 3}), of({2, 3})).empty());
    CHECK_FALSE(infer_error(op::concat{0}, 0, of({2, 3}, u8), of({2, 3}, f32)).empty());
}

TEST_CASE("Split: equal parts of an axis that they divide") {
    const auto parts = infer(op::split{3}, 1, of({2, 6}), index(-1));
    REQUIRE(parts.size() == 3);
    CHECK(parts[2].dimensions == shape{2, 2});
    CHECK(infer_shape(op::split{3}, 1, of({unknown, unknown}), index(1)) == shape{unknown, unknown});
    CHECK(infer_shape(op::split{2}, 1, of({2, 6}), of({}, i64)) == shape{unknown, unknown});
    CHECK_FALSE(infer_error(op::split{4}, 1, of({2, 6}), index(1)).empty());
    CHECK_FALSE(infer_error(op::split{0}, 1, of({2, 6}), index(1)).empty());
    CHECK_FALSE(infer_error(op::split{2}, 1, of({2, 6}), index(2)).empty());
}

TEST_CASE("VariadicSplit: a length of -1 takes what the others leave") {
    const auto parts = infer(op::variadic_split{}, 1, of({2, 6}), index(1), indices({1, -1, 2}));
    REQUIRE(parts.size() == 3);
    CHECK(parts[0].dimensions == shape{2, 1});
    CHECK(parts[1].dimensions == shape{2, 3});
    CHECK(infer(op::variadic_split{}, 1, of({2, 6}), index(1), partly({open, -1}))[1].dimensions == shape{2, unknown});
    CHECK(infer(op::variadic_split{}, 1, unknown_rank(), index(1), of({4}, i64)).size() == 4);
    CHECK_FALSE(infer_error(op::variadic_split{}, 1, of({2, 6}), index(1), indices({1, 2})).empty());
    CHECK_FALSE(infer_error(op::variadic_split{}, 1, of({2, 6}), index(1), indices({-1, -1})).empty());
    CHECK_FALSE(infer_error(op::variadic_split{}, 1, of({2, 6}), index(1), indices({7, -1})).empty());
    CHECK_FALSE(infer_error(op::variadic_split{}, 1, of({2, 6}), index(1), of({unknown}, i64)).empty());
}

TEST_CASE("StridedSlice: begins, ends and strides of the leading axes") {
    const op::strided_slice plain;
    CHECK(infer_shape(plain, 1, of({10, 8, 3}), indices({1, -4}), indices({9, -1})) == shape{8, 3, 3});
    CHECK(infer_shape(plain, 1, of({10}), indices({8}), indices({1}), indices({-3})) == shape{3});
    CHECK(infer_shape(plain, 1, of({10}), indices({0}), indices({100}), indices({4})) == shape{3});
    CHECK(infer_shape(plain, 1, of({10}), indices({5}), indices({5})) == shape{0});
}

TEST_CASE("StridedSlice: masks") {
    const op::strided_slice whole{.begin_mask = {1, 0}, .end_mask = {1, 1}};
    CHECK(infer_shape(whole, 1, of({10, 8}), indices({5, 2}), indices({6, 3})) == shape{10, 6});
    const op::strided_slice backwards{.begin_mask = {1}, .end_mask = {1}};
    CHECK(infer_shape(backwards, 1, of({10}), indices({0}), indices({0}), indices({-1})) == shape{10});
    const op::strided_slice last{.shrink_axis_mask = {0, 1}, .ellipsis_mask = {1, 0}};
    CHECK(infer_shape(last, 1, of({2, 3, 4}), indices({0, -1}), indices({0, 0})) == shape{2, 3});
    const op::strided_slice widened{.new_axis_mask = {0, 0, 1}, .ellipsis_mask = {0, 1, 0}};
    CHECK(infer_shape(widened, 1, of({2, 3, 4}), indices({1, 0, 0}), indices({2, 0, 0})) == shape{1, 3, 4, 1});
    CHECK_FALSE(infer_error(op::strided_slice{.ellipsis_mask = {1, 1}}, 1, of({2, 3}), indices({0, 0}), indices({0, 0}))
                    .empty());
}

TEST_CASE("StridedSlice: what is not known stays dynamic") {
    const op::strided_slice plain;
    CHECK(infer_shape(plain, 1, of({unknown, 3}), indices({0}), indices({2})) == shape{unknown, 3});
    CHECK(infer_shape(plain, 1, of({10, 3}), of({1}, i64), indices({2})) == shape{unknown, 3});
    CHECK(infer_shape(plain, 1, of({10, 3}), of({unknown}, i64), of({unknown}, i64)) == shape{unknown, unknown});
    CHECK(infer_shape(plain, 1, unknown_rank(), indices({0}), indices({2})).rank_is_dynamic());
    CHECK_FALSE(infer_error(plain, 1, of({10}), indices({0, 0}), indices({2, 2})).empty());
    CHECK_FALSE(infer_error(plain, 1, of({10}), indices({0}), indices({2}), indices({0})).empty());
    CHECK_FALSE(infer_error(plain, 1, of({10}), indices({0}), indices({2, 2})).empty());
    CHECK_FALSE(
        infer_error(op::strided_slice{.shrink_axis_mask = {1}}, 1, of({3}), indices({3}), indices({4})).empty());
}

TEST_CASE("Slice: places count from the back and are clamped") {
    CHECK(sliced(10, 2, 8, 3) == shape{2});
    CHECK(sliced(10, -3, INT64_MAX, 1) == shape{3});
    CHECK(sliced(10, -1, INT64_MIN, -1) == shape{10});
    CHECK(sliced(10, 5, 5, 1) == shape{0});
    CHECK(sliced(10, 20, 0, -4) == shape{3});
    CHECK(sliced(unknown, 0, 5, 1) == shape{unknown});
}

TEST_CASE("Slice: only the axes that are named") {
    const op::slice slice;
    CHECK(infer_shape(slice, 8, of({4, 5, 6}), indices({1}), indices({3}), indices({1}), indices({-1})) ==
          shape{4, 5, 2});
    CHECK(infer_shape(slice, 8, of({4, 5}), indices({1}), indices({3}), indices({1}), of({1}, i64)) ==
          shape::of_rank(2));
    CHECK(infer_shape(slice, 8, of({4, 5}), partly({open}), indices({3}), indices({1})) == shape{unknown, 5});
    CHECK_FALSE(infer_error(slice, 8, of({4}), indices({1}), indices({3}), indices({0})).empty());
    CHECK_FALSE(infer_error(slice, 8, of({4}), indices({1}), indices({3, 4}), indices({1})).empty());
    CHECK_FALSE(infer_error(slice, 8, of({4}), indices({1}), indices({3}), indices({1}), indices({1})).empty());
    CHECK_FALSE(
        infer_error(slice, 8, of({4}), indices({1, 1}), indices({3, 3}), indices({1, 1}), indices({0, -1})).empty());
}

TEST_CASE("Gather: indices take the place of the axis") {
    CHECK(infer_shape(op::gather{}, 8, of({4, 5, 6}), of({2, 3}, i64), index(1)) == shape{4, 2, 3, 6});
    CHECK(infer_shape(op::gather{}, 1, of({4, 5, 6}), of({}, i64), index(-1)) == shape{4, 5});
    CHECK(infer_shape(op::gather{-1}, 8, of({4, 5, 6}), of({unknown, 3}, i64), index(2)) == shape{4, 5, 3});
    CHECK(infer_shape(op::gather{}, 8, of({4, 5}), of({3}, i64), of({}, i64)) == shape::of_rank(2));
    CHECK(infer_shape(op::gather{}, 8, of({4, 5}), unknown_rank(i64), index(0)).rank_is_dynamic());
    CHECK_FALSE(infer_error(op::gather{}, 8, of({4, 5}), of({3}, i64), index(2)).empty());
    CHECK_FALSE(infer_error(op::gather{}, 8, of({4, 5}), of({3}, f32), index(0)).empty());
    CHECK_FALSE(infer_error(op::gather{1}, 8, of({4, 5}), of({3, 2}, i64), index(1)).empty());
    CHECK_FALSE(infer_error(op::gather{1}, 8, of({4, 5}), of({4, 2}, i64), index(0)).empty());
}

TEST_CASE("GatherND: each tuple of indices chooses a slice") {
    CHECK(infer_shape(op::gather_nd{}, 8, of({4, 5, 6}), of({7, 2}, i32)) == shape{7, 6});
    CHECK(infer_shape(op::gather_nd{2}, 8, of({4, 5, 6}), of({4, 5, 3, 1}, i32)) == shape{4, 5, 3});
    CHECK(infer_shape(op::gather_nd{2}, 5, of({4, 5, 6}), of({4, 5, 3, 1}, i32)) == shape{20, 3});
    CHECK(infer_shape(op::gather_nd{}, 8, of({4, 5}), of({7, unknown}, i32)).rank_is_dynamic());
    CHECK_FALSE(infer_error(op::gather_nd{}, 8, of({4, 5}), of({7, 3}, i32)).empty());
    CHECK_FALSE(infer_error(op::gather_nd{1}, 8, of({4, 5}), of({3, 1}, i32)).empty());
}

TEST_CASE("Reshape: copied and inferred sizes") {
    const op::reshape plain;
    const op::reshape copying{true};
    CHECK(infer_shape(plain, 1, of({2, 6}), indices({3, -1})) == shape{3, 4});
    CHECK(infer_shape(copying, 1, of({unknown, 3, 4}), indices({0, -1})) == shape{unknown, 12});
    CHECK(infer_shape(copying, 1, of({unknown, 3, 4}), indices({0, 4, 3})) == shape{unknown, 4, 3});
    CHECK(infer_shape(plain, 1, of({unknown, 3}), indices({-1, 6})) == shape{unknown, 6});
    CHECK(infer_shape(plain, 1, of({0, 3}), indices({0, 7})) == shape{0, 7});
    CHECK(infer_shape(plain, 1, of({1}), indices({})) == shape{});
}

TEST_CASE("Reshape: partly known patterns") {
    const op::reshape plain;
    CHECK(infer_shape(plain, 1, of({2, 6}), partly({open, 4})) == shape{3, 4});
    CHECK(infer_shape(plain, 1, of({unknown, 6}), partly({open, 3, 2})) == shape{unknown, 3, 2});
    CHECK(infer_shape(plain, 1, of({2, 6}), partly({open, -1, 2})) == shape{unknown, unknown, 2});
    CHECK(infer_shape(plain, 1, of({2, 6}), of({3}, i64)) == shape::of_rank(3));
    CHECK(infer_shape(plain, 1, of({2, 6}), of({unknown}, i64)).rank_is_dynamic());
    CHECK(infer_shape(plain, 1, unknown_rank(), indices({2, -1})) == shape{2, unknown});
}

TEST_CASE("Reshape: the number of elements must stay") {
    CHECK(infer_error(op::reshape{}, 1, of({2, 6}), indices({5, 2})).view() ==
          "Reshape 'node': an input of shape [2,6] cannot get the shape [5,2]");
    CHECK_FALSE(infer_error(op::reshape{}, 1, of({2, 6}), indices({5, -1})).empty());
    CHECK_FALSE(infer_error(op::reshape{}, 1, of({2, 6}), indices({-1, -1})).empty());
    CHECK_FALSE(infer_error(op::reshape{}, 1, of({2, 6}), indices({-2, 6})).empty());
    CHECK_FALSE(infer_error(op::reshape{}, 1, of({2, 6}), indices({0, -1})).empty());
    CHECK_FALSE(infer_error(op::reshape{true}, 1, of({2}), indices({2, 0})).empty());
}

TEST_CASE("Movements: what says sizes and axes has an integer type, known or not") {
    const input half{.type = f16, .dimensions = {2}, .constant = make_tensor(f16, {2}, {0, 1})};
    const input later = of({2}, f32);
    CHECK(infer_error(op::reshape{}, 1, of({2, 6}), half).view() ==
          "Reshape 'node': input 1 must be of an integer type, not f16");
    for (const input& real : {half, later}) {
        CHECK_FALSE(infer_error(op::reshape{}, 1, of({2, 6}), real).empty());
        CHECK_FALSE(infer_error(op::squeeze{}, 1, of({1, 1}), real).empty());
        CHECK_FALSE(infer_error(op::transpose{}, 1, of({2, 6}), real).empty());
        CHECK_FALSE(infer_error(op::tile{}, 1, of({2, 6}), real).empty());
        CHECK_FALSE(infer_error(op::broadcast{}, 3, of({1, 1}), real).empty());
        CHECK_FALSE(infer_error(op::pad{}, 12, of({2, 6}), real, indices({0, 1})).empty());
    }
}

TEST_CASE("Squeeze: axes of size 1 go") {
    CHECK(infer_shape(op::squeeze{}, 0, of({1, 3, 1, 2})) == shape{3, 2});
    CHECK(infer_shape(op::squeeze{}, 0, of({1, 3, 1, 2}), indices({-2})) == shape{1, 3, 2});
    CHECK(infer_shape(op::squeeze{}, 0, of({unknown, 3}), indices({0})) == shape{3});
    CHECK(infer_shape(op::squeeze{}, 0, of({1, 3}), of({1}, i64)) == shape::of_rank(1));
    CHECK(infer_shape(op::squeeze{}, 0, of({unknown, 3})).rank_is_dynamic());
    CHECK(infer_shape(op::squeeze{true}, 15, of({1, 3}), indices({0, 1})) == shape{3});
    CHECK(infer_shape(op::squeeze{true}, 15, of({unknown, 3}), indices({0})).rank_is_dynamic());
    CHECK_FALSE(infer_error(op::squeeze{}, 0, of({1, 3}), indices({1})).empty());
    CHECK_FALSE(infer_error(op::squeeze{}, 15, of({1, 3}), indices({1})).empty());
    CHECK_FALSE(infer_error(op::squeeze{}, 0, of({1, 3}), indices({2})).empty());
}

TEST_CASE("Unsqueeze: axes are places in the output") {
    CHECK(infer_shape(op::unsqueeze{}, 0, of({3, 4}), indices({0, -1})) == shape{1, 3, 4, 1});
    CHECK(infer_shape(op::unsqueeze{}, 0, of({}), index(0)) == shape{1});
    CHECK(infer_shape(op::unsqueeze{}, 0, of({3, 4}), of({1}, i64)) == shape::of_rank(3));
    CHECK(infer_shape(op::unsqueeze{}, 0, unknown_rank(), indices({0})).rank_is_dynamic());
    CHECK_FALSE(infer_error(op::unsqueeze{}, 0, of({3}), indices({2})).empty());
    CHECK_FALSE(infer_error(op::unsqueeze{}, 0, of({3}), indices({0, -3})).empty());
}

TEST_CASE("Transpose: the order is a permutation, reversal when empty") {
    CHECK(infer_shape(op::transpose{}, 1, of({2, 3, 4}), indices({})) == shape{4, 3, 2});
    CHECK(infer_shape(op::transpose{}, 1, of({2, unknown}), indices({1, 0})) == shape{unknown, 2});
    CHECK(infer_shape(op::transpose{}, 1, of({2, 3}), of({2}, i64)) == shape::of_rank(2));
    CHECK(infer_shape(op::transpose{}, 1, unknown_rank(), indices({1, 0})) == shape::of_rank(2));
    CHECK_FALSE(infer_error(op::transpose{}, 1, of({2, 3}), indices({0, 0})).empty());
    CHECK_FALSE(infer_error(op::transpose{}, 1, of({2, 3}), indices({0, 2})).empty());
    CHECK_FALSE(infer_error(op::transpose{}, 1, of({2, 3}), indices({0})).empty());
}

TEST_CASE("DepthToSpace and SpaceToDepth undo each other") {
    CHECK(infer_shape(op::depth_to_space{2}, 0, of({1, 8, 3, 5})) == shape{1, 2, 6, 10});
    CHECK(infer_shape(op::space_to_depth{2}, 0, of({1, 2, 6, 10})) == shape{1, 8, 3, 5});
    CHECK(infer_shape(op::depth_to_space{2}, 0, of({1, 8, 3, 5, 7})) == shape{1, 1, 6, 10, 14});
    CHECK(infer_shape(op::depth_to_space{2}, 0, of({1, unknown, 3, unknown})) == shape{1, unknown, 6, unknown});
    CHECK_FALSE(infer_error(op::depth_to_space{2}, 0, of({1, 6, 3, 5})).empty());
    CHECK_FALSE(infer_error(op::space_to_depth{2}, 0, of({1, 6, 3, 4})).empty());
    CHECK_FALSE(infer_error(op::depth_to_space{0}, 0, of({1, 6, 3, 4})).empty());
    CHECK_FALSE(infer_error(op::depth_to_space{2}, 0, of({1, 8})).empty());
}

TEST_CASE("BatchToSpace and SpaceToBatch undo each other") {
    const input block = indices({1, 2, 3});
    CHECK(infer_shape(op::batch_to_space{}, 1, of({12, 4, 5}), block, indices({0, 1, 0}), indices({0, 0, 2})) ==
          shape{2, 7, 13});
    CHECK(infer_shape(op::space_to_batch{}, 1, of({2, 7, 13}), block, indices({0, 1, 0}), indices({0, 0, 2})) ==
          shape{12, 4, 5});
    CHECK(infer_shape(op::batch_to_space{}, 1, of({12, 4}), partly({1, open}), indices({0, 0}), indices({0, 0})) ==
          shape{unknown, unknown});
    CHECK(infer_shape(op::space_to_batch{}, 1, unknown_rank(), block, block, block).rank_is_dynamic());
    CHECK_FALSE(
        infer_error(op::batch_to_space{}, 1, of({5, 4}), indices({1, 2}), indices({0, 0}), indices({0, 0})).empty());
    CHECK_FALSE(
        infer_error(op::batch_to_space{}, 1, of({4, 1}), indices({1, 2}), indices({0, 3}), indices({0, 0})).empty());
    CHECK_FALSE(
        infer_error(op::space_to_batch{}, 1, of({5, 5}), indices({1, 2}), indices({0, 0}), indices({0, 0})).empty());
    CHECK_FALSE(
        infer_error(op::space_to_batch{}, 1, of({5, 5}), indices({1}), indices({0, 0}), indices({0, 0})).empty());
    CHECK_FALSE(
        infer_error(op::space_to_batch{}, 1, of({5, 5}), indices({1, 0}), indices({0, 0}), indices({0, 0})).empty());
}

TEST_CASE("ShuffleChannels: the group divides the axis") {
    CHECK(infer_shape(op::shuffle_channels{-2, 2}, 0, of({1, 6, 3})) == shape{1, 6, 3});
    CHECK(infer_shape(op::shuffle_channels{}, 0, unknown_rank()).rank_is_dynamic());
    CHECK_FALSE(infer_error(op::shuffle_channels{1, 4}, 0, of({1, 6, 3})).empty());
    CHECK_FALSE(infer_error(op::shuffle_channels{3, 1}, 0, of({1, 6, 3})).empty());
    CHECK_FALSE(infer_error(op::shuffle_channels{1, 0}, 0, of({1, 6, 3})).empty());
}

TEST_CASE("Broadcast: modes") {
    using mode = op::broadcast_mode;
    CHECK(infer_shape(op::broadcast{}, 3, of({3, 1}), indices({2, 3, 4})) == shape{2, 3, 4});
    CHECK(infer_shape(op::broadcast{}, 3, of({3, 5}), partly({2, open, open})) == shape{2, 3, 5});
    CHECK(infer_shape(op::broadcast{}, 3, of({3, 5}), of({unknown}, i64)).rank_is_dynamic());
    CHECK(infer_shape(op::broadcast{mode::bidirectional}, 3, of({3, 5}), indices({2, 1, 1})) == shape{2, 3, 5});
    CHECK(infer_shape(op::broadcast{mode::explicit_axes}, 3, of({3}), indices({3, 4}), indices({0})) == shape{3, 4});
    CHECK(infer_shape(op::broadcast{mode::none}, 1, of({3}), indices({3, 4}), indices({0})) == shape{3, 4});
    CHECK_FALSE(infer_error(op::broadcast{}, 3, of({3, 5}), indices({3, 4})).empty());
    CHECK_FALSE(infer_error(op::broadcast{}, 3, of({3, 5}), indices({5})).empty());
    CHECK_FALSE(infer_error(op::broadcast{mode::explicit_axes}, 3, of({3}), indices({3, 4}), indices({1})).empty());
    CHECK_FALSE(infer_error(op::broadcast{mode::explicit_axes}, 3, of({3}), indices({3, 4})).empty());
}

TEST_CASE("Tile: the shorter of shape and repeats is extended by ones") {
    CHECK(infer_shape(op::tile{}, 0, of({2, 3}), indices({4})) == shape{2, 12});
    CHECK(infer_shape(op::tile{}, 0, of({3}), indices({2, 2})) == shape{2, 6});
    CHECK(infer_shape(op::tile{}, 0, of({3, unknown}), partly({open, 2})) == shape{unknown, unknown});
    CHECK(infer_shape(op::tile{}, 0, unknown_rank(), indices({2})).rank_is_dynamic());
}

TEST_CASE("Pad: margins, and what the mode allows") {
    const op::pad reflect{op::pad_mode::reflect};
    const op::pad symmetric{op::pad_mode::symmetric};
    CHECK(infer_shape(op::pad{}, 1, of({2, 3}), indices({1, 0}), indices({0, 4})) == shape{3, 7});
    CHECK(infer_shape(op::pad{}, 12, of({2, 3}), indices({0, -1}), indices({0, -1})) == shape{2, 1});
    CHECK(infer_shape(op::pad{}, 12, of({unknown, 3}), partly({0, open}), indices({0, 1})) == shape{unknown, unknown});
    CHECK(infer_shape(reflect, 1, of({3}), indices({2}), indices({2})) == shape{7});
    CHECK(infer_shape(symmetric, 1, of({3}), indices({3}), indices({0})) == shape{6});
    CHECK_FALSE(infer_error(reflect, 1, of({3}), indices({3}), indices({0})).empty());
    CHECK_FALSE(infer_error(symmetric, 1, of({3}), indices({0}), indices({4})).empty());
    CHECK_FALSE(infer_error(op::pad{}, 12, of({3}), indices({-2}), indices({-2})).empty());
    CHECK_FALSE(infer_error(op::pad{}, 1, of({3}), indices({0, 0}), indices({0, 0})).empty());
}

TEST_CASE("Interpolate: sizes or scales of some axes") {
    const op::interpolate sizes;
    const op::interpolate scales{.shape_calculation_mode = op::shape_calculation_mode::scales};
    const input half{.type = f32, .dimensions = {2}, .constant = make_tensor(f32, {2}, view<double>({0.5, 1.0 / 3}))};
    const input axes = indices({2, 3});
    const input data = of({1, 4, 7, 9});
    CHECK(infer_shape(op::interpolate{.axes = {2, 3}}, 0, data, indices({10, 12})) == shape{1, 4, 10, 12});
    CHECK(infer_shape(sizes, 4, data, indices({10, 12}), half, axes) == shape{1, 4, 10, 12});
    CHECK(infer_shape(scales, 4, data, indices({10, 12}), half, axes) == shape{1, 4, 3, 3});
    CHECK(infer_shape(scales, 11, data, half, axes) == shape{1, 4, 3, 3});
    CHECK(infer_shape(sizes, 11, data, indices({1, 4, 2, 2})) == shape{1, 4, 2, 2});
    const op::interpolate padded{
        .shape_calculation_mode = op::shape_calculation_mode::scales, .pads_begin = {0, 1}, .pads_end = {0, 0, 1, 0}};
    CHECK(infer_shape(padded, 4, data, indices({1, 1}), half, axes) == shape{1, 5, 4, 3});
    CHECK(infer_shape(sizes, 4, data, partly({open, 12}), half, axes) == shape{1, 4, unknown, 12});
    CHECK(infer_shape(scales, 4, data, indices({1, 1}), of({2}), axes) == shape{1, 4, unknown, unknown});
    CHECK(infer_shape(sizes, 4, data, indices({1, 1}), half, of({2}, i64)) == shape::of_rank(4));
    CHECK_FALSE(infer_error(sizes, 4, data, indices({1}), half, axes).empty());
    CHECK_FALSE(infer_error(sizes, 4, data, indices({1, 0}), half, axes).empty());
    CHECK_FALSE(infer_error(sizes, 4, data, indices({1, 1})).empty());
    CHECK_FALSE(infer_error(op::interpolate{}, 0, data, indices({1, 1})).empty());
}

TEST_CASE("ReverseSequence: one length a batch element") {
    CHECK(infer_shape(op::reverse_sequence{0, 1}, 0, of({unknown, 5}), of({3}, i32)) == shape{3, 5});
    CHECK(infer_shape(op::reverse_sequence{}, 0, unknown_rank(), of({3}, i32)).rank_is_dynamic());
    CHECK_FALSE(infer_error(op::reverse_sequence{0, 1}, 0, of({2, 5}), of({3}, i32)).empty());
    CHECK_FALSE(infer_error(op::reverse_sequence{0, 2}, 0, of({2, 5}), of({2}, i32)).empty());
    CHECK_FALSE(infer_error(op::reverse_sequence{0, 1}, 0, of({2, 5}), of({2, 1}, i32)).empty());
}
