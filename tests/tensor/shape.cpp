// SPDX-License-Identifier: Apache-2.0
#include <lpt/tensor/shape.hpp>

#include <doctest/doctest.h>

namespace {

using namespace lpt;

constexpr dimension any = dynamic_dimension;

constexpr shape broadcast(const shape& left, const shape& right) {
    shape result;
    return broadcast_shapes(left, right, result) ? result : shape{-7};
}
static_assert(broadcast({2, 1, 3}, {4, 1}) == shape{2, 4, 3});
static_assert(broadcast({}, {5}) == shape{5} && broadcast({any}, {1}) == shape{any} &&
              broadcast({any}, {3}) == shape{3});
static_assert(broadcast({2}, {3}) == shape{-7} && broadcast(shape::of_dynamic_rank(), {3}).rank_is_dynamic());
static_assert(to_text(shape{1, any, 3}) == "[1,?,3]" && to_text(shape{}) == "[]" &&
              to_text(shape::of_dynamic_rank()) == "?");
static_assert(shape{2, 3}.elements() == 6 && shape{}.elements() == 1 && shape{0, 4}.elements() == 0);
static_assert(normalized_axis(-1, 3) == 2 && normalized_axis(3, 3) == -1 && normalized_axis(-4, 3) == -1);
static_assert(shape{3, 4}.padded_left(4) == shape{1, 1, 3, 4} && shape{3}.padded_left(0) == shape{3});
static_assert(shape{1, 1, 3, 1}.trimmed_left(2) == shape{3, 1} && shape{1, 2, 3}.trimmed_left(1) == shape{2, 3} &&
              shape{1, 1}.trimmed_left(0) == shape{} && shape{3}.trimmed_left(2) == shape{3} &&
              shape::of_dynamic_rank().trimmed_left(0).rank_is_dynamic());

}  // namespace

TEST_CASE("shapes that must agree are merged axis by axis") {
    shape into{any, 3};
    CHECK(merge_shape(into, {2, any}));
    CHECK(into == shape{2, 3});
    CHECK_FALSE(merge_shape(into, {2, 4}));
    shape unknown = shape::of_dynamic_rank();
    CHECK(merge_shape(unknown, {5}));
    CHECK(unknown == shape{5});
    CHECK(merge_shape(unknown, shape::of_dynamic_rank()));
    CHECK_FALSE(merge_shape(unknown, {5, 5}));
}

TEST_CASE("a shape of dynamic rank is not a scalar, and is not static") {
    CHECK_FALSE(shape::of_dynamic_rank() == shape{});
    CHECK(shape::of_dynamic_rank().is_dynamic());
    CHECK(shape{}.is_static());
    CHECK_FALSE(shape{any}.is_static());
    CHECK(shape::of_rank(2) == shape{any, any});
}

TEST_CASE("the text of a shape with too many sizes has the first ones") {
    const text words = to_text(shape::of_rank(100000));
    CHECK(words.size() < 300);
    CHECK(text_view(words).ends_with("?,... 100000 sizes]"));
    CHECK(to_text(shape::of_rank(most_axes)).size() == 2 * most_axes + 1);
}
