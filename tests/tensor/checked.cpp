// SPDX-License-Identifier: Apache-2.0
#include <lpt/tensor/shape.hpp>

#include <doctest/doctest.h>

using namespace lpt;

namespace {

constexpr std::int64_t most = INT64_MAX;
constexpr std::int64_t least = INT64_MIN;

static_assert((checked(most) - 1).value() == most - 1);
static_assert(!(checked(most) + 1).fits());
static_assert(!(checked(least) - 1).fits());
static_assert((checked(std::int64_t{1} << 31) * (std::int64_t{1} << 31)).value() == std::int64_t{1} << 62);
static_assert(!(checked(std::int64_t{1} << 32) * (std::int64_t{1} << 31)).fits());
static_assert(!(checked(least) * -1).fits());

}  // namespace

TEST_CASE("a number that left 64 bits once does not fit any more, wherever it comes back to") {
    CHECK_FALSE((checked(most) + 1 - 1).fits());
    CHECK_FALSE(((checked(most) * 2) * 0).fits());
    CHECK_FALSE((checked(1) + (checked(most) + 1)).fits());
    CHECK_FALSE((checked(most) * 2).is_within(least, most));
    CHECK(checked(7).is_within(7, 7));
    CHECK_FALSE(checked(7).is_within(8, 9));
}

TEST_CASE("a shape is possible up to 2^47 elements, axes of size 0 left out") {
    CHECK(shape{most_elements}.is_possible());
    CHECK_FALSE(shape{most_elements + 1}.is_possible());
    CHECK(shape{0, most_elements}.is_possible());
    CHECK_FALSE(shape{0, most_elements, 2}.is_possible());
    CHECK_FALSE(shape{std::int64_t{1} << 32, std::int64_t{1} << 32}.is_possible());
    CHECK(shape{dynamic_dimension, most_elements}.is_possible());
    CHECK_FALSE(shape{-2}.is_possible());
    CHECK(shape::of_dynamic_rank().is_possible());
}

TEST_CASE("a shape is possible up to 64 axes") {
    CHECK(shape::of_ones(most_axes).is_possible());
    CHECK_FALSE(shape::of_ones(most_axes + 1).is_possible());
}

TEST_CASE("elements that 64 bits cannot count are an error, not a small number") {
    const shape large{std::int64_t{1} << 32, std::int64_t{1} << 32};
    CHECK_THROWS_WITH_AS(static_cast<void>(large.elements()),
                         "a tensor of shape [4294967296,4294967296] has more elements than can be counted", error);
}
