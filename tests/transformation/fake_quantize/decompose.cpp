// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/fake_quantize/decompose.hpp>

#include <doctest/doctest.h>

using namespace lpt;

namespace {

std::uint32_t code(float value) { return __builtin_bit_cast(std::uint32_t, value); }

}  // namespace

TEST_CASE("the maps of four channels are those of each alone, bit for bit") {
    constexpr float infinite = __builtin_inff();
    const float bounds[] = {0.0f,    -0.0f,  2.55f, -1.28f, 1.27f, 1.0f,     -1.0f,    1e-30f,
                            -1e-33f, 1e-45f, 3e38f, -3e38f, 1e-7f, infinite, -infinite};
    const detail::map_maker<float, float> rule{-128.0f, 127.0f, true, false};
    for (const float low : bounds) {
        for (const float high : bounds) {
            detail::map_maker<float, float> one = rule;
            detail::map_maker<detail::float_lanes, float> four{rule.least, rule.greatest, true, false};
            const detail::float_lanes some_lows{low, 1.0f, low, 0.0f};
            const detail::float_lanes some_highs{high, 1.0f, high, 0.0f};
            const float scale = one.scale_of(low, high);
            const detail::float_lanes scales = four.scale_of(some_lows, some_highs);
            const float shift = one.zero_point_of(low, high);
            const detail::float_lanes shifts = four.zero_point_of(some_lows, some_highs);
            CHECK((code(scales[0]) == code(scale) || (scale != scale && scales[0] != scales[0])));
            CHECK((code(shifts[2]) == code(shift) || (shift != shift && shifts[2] != shifts[2])));
            CHECK(detail::holds_for_any(four.changes) == one.changes);
            CHECK(detail::holds_for_any(four.shifts) == one.shifts);
            CHECK(detail::holds_for_any(four.outside) == one.outside);
        }
    }
}

TEST_CASE("magnitudes compared as integers are those that a limit changes, and the least and greatest themselves") {
    constexpr float infinite = __builtin_inff();
    const detail::map_maker<float, float> rule{0.0f, 255.0f, true, false};
    for (const float scale : {0.0f, -0.0f, 1e-45f, 1e-33f, 1e-32f, 1.1e-32f, 1.0f, 0.9e32f, 1e32f, 1.1e32f, infinite}) {
        for (const float each : {scale, -scale}) {
            const bool beyond =
                detail::holds_for_any(detail::are_beyond_limits(detail::float_lanes{1.0f, -1.0f, each, 2.0f}));
            const bool at_limit = __builtin_fabsf(each) == 1e-32f || __builtin_fabsf(each) == 1e32f;
            CHECK(beyond == (at_limit || code(rule.limited(each)) != code(each)));
        }
    }
    CHECK(detail::holds_for_any(detail::are_beyond_limits(detail::float_lanes{__builtin_nanf(""), 1.0f, 1.0f, 1.0f})));
}
