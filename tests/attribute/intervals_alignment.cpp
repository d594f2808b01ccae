// SPDX-License-Identifier: Apache-2.0
#include <lpt/attribute/intervals_alignment.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::attribute;

namespace {

// FakeQuantizes of 256 levels.
constexpr intervals_alignment of(float low, float high, element preferred) {
    intervals_alignment result{{low, high}, {low, high}, 256, {}};
    insert_type(result.preferred_types, preferred);
    return result;
}
constexpr intervals_alignment merged(intervals_alignment into, const intervals_alignment& from) {
    intervals_alignment::own_data own{256};
    merge(into, from, own, {256});
    return into;
}
static_assert(merged(of(0, 2.55f, u8), of(-1.28f, 1.27f, i8)).combined == interval{-1.28f, 2.55f});

}  // namespace

TEST_CASE("Merging covers both intervals and keeps the shortest one") {
    const intervals_alignment result = merged(of(-2.56f, 2.54f, i8), of(0, 1.275f, u8));
    CHECK(result.combined == interval{-2.56f, 2.54f});
    CHECK(result.shortest == interval{0, 1.275f});
    CHECK(result.least_levels == 65);
    CHECK(result.preferred_types == seq<element, 8>{u8, i8});
}

TEST_CASE("The least number of levels is found anew only when a shorter interval comes in") {
    CHECK(merged(of(0, 1.275f, u8), of(-2.56f, 2.54f, i8)).least_levels == 256);
    CHECK(merged(of(0, 2.55f, u8), of(0, 2.55f, u8)).least_levels == 256);
}

TEST_CASE("Members with different level counts leave both counts unknown") {
    intervals_alignment into = of(0, 2, u8);
    intervals_alignment::own_data own{256};
    merge(into, of(0, 1, u8), own, {16});
    CHECK(own.levels == 0);
    CHECK(into.least_levels == 0);
    CHECK(into.shortest == interval{0, 1});
}

TEST_CASE("Preferred types are an ordered set") {
    seq<element, 8> types;
    for (const element type : {i8, u8, i8, u8}) {
        insert_type(types, type);
    }
    CHECK(types == seq<element, 8>{u8, i8});
}
