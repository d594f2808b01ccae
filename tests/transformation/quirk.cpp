// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/quirk.hpp>

#include "main/dequantized.hpp"
#include <lpt/transformation/main/pad.hpp>
#include <lpt/transformation/main/space_to_batch.hpp>

#include <doctest/doctest.h>

using namespace lpt;
using lpt::testing::dequantized;
using lpt::testing::single;

namespace {

constexpr quirk quirk_at(std::size_t i) { return static_cast<quirk>(i); }
constexpr auto quirk_count = static_cast<std::size_t>(quirk::count);

constexpr bool rows_are_in_order() {
    bool result = sizeof(detail::quirk_rows) / sizeof(detail::quirk_rows[0]) == quirk_count;
    for (std::size_t i = 0; i < quirk_count; ++i) {
        result = result && detail::quirk_rows[i].which == quirk_at(i);
    }
    return result;
}
static_assert(rows_are_in_order());

dequantized spread_over_margin() {
    dequantized net({1, 3, 4, 4}, single(0.5, 4));
    net.add(op::space_to_batch{}, {net.indices({1, 1, 2, 2}), net.indices({0, 0, 1, 0}), net.indices({0, 0, 1, 0})});
    return net;
}
dequantized padded_with_fraction() {
    dequantized net({1, 3, 4, 4}, single(0.5));
    net.add(op::pad{op::pad_mode::constant}, {net.indices({0, 0, 1, 0}), net.indices({0, 0, 0, 0}), net.number(2.5)});
    return net;
}

}  // namespace

TEST_CASE("a set has the quirks that were put into it, and no other") {
    constexpr quirk_set both = quirk::lost_name | quirk::clamped_scale;
    for (std::size_t i = 0; i < quirk_count; ++i) {
        CHECK(both.contains(quirk_at(i)) == (quirk_at(i) == quirk::lost_name || quirk_at(i) == quirk::clamped_scale));
        CHECK(quirk_set(quirk_at(i)).contains(quirk_at(i)));
        CHECK_FALSE(quirk_set().contains(quirk_at(i)));
    }
}

TEST_CASE("no quirk is followed unless one is asked for, or all are") {
    const transformation_options right;
    transformation_options all;
    all.follow_upstream_errors = true;
    transformation_options one;
    one.followed_quirks = quirk::needless_copy;
    for (std::size_t i = 0; i < quirk_count; ++i) {
        CHECK_FALSE(right.follows(quirk_at(i)));
        CHECK(all.follows(quirk_at(i)));
        CHECK(one.follows(quirk_at(i)) == (quirk_at(i) == quirk::needless_copy));
    }
}

TEST_CASE("one quirk is followed where another is not") {
    dequantized margin = spread_over_margin();
    dequantized fraction = padded_with_fraction();
    margin.options.followed_quirks = quirk::space_to_batch_margin;
    fraction.options.followed_quirks = quirk::space_to_batch_margin;
    CHECK(margin.run<space_to_batch_transformation>());
    CHECK(margin.difference() == 2);
    CHECK_FALSE(fraction.run<pad_transformation>());
    CHECK(fraction.why() == reason::unsupported_padding);
}
