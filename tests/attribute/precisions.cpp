// SPDX-License-Identifier: Apache-2.0
#include <lpt/attribute/precisions.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using attribute::precisions;

namespace {

constexpr precisions merged(precisions into, const precisions& from) {
    merge(into, from);
    return into;
}
static_assert(merged({{u8, i8}}, {{i8}}) == precisions{{i8}});

}  // namespace

TEST_CASE("Merging keeps the common types in the order of the first list") {
    CHECK(merged({{u8, i8, u16}}, {{u16, i8}}) == precisions{{i8, u16}});
    CHECK(merged({{i8, u8}}, {{u8, i8}}) == precisions{{i8, u8}});
}

TEST_CASE("Lists without a common type, or with an empty one, merge to an empty list") {
    CHECK(merged({{u8}}, {{i8}}) == precisions{});
    CHECK(merged({{u8}}, {}) == precisions{});
    CHECK(merged({}, {{u8}}) == precisions{});
}
