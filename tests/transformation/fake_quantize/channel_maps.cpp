// SPDX-License-Identifier: Apache-2.0
#include <lpt/transformation/fake_quantize/channel_maps.hpp>

#include <doctest/doctest.h>

using namespace lpt;

namespace {

std::uint32_t code(float value) { return __builtin_bit_cast(std::uint32_t, value); }

/// The maps of channels with ranges of all sorts, from the first one on.
template <class Real>
channel_maps maps_of(std::size_t first, std::size_t count, bool has_zero_point, bool limits_scales) {
    constexpr float lows[] = {0.0f, -1.28f, -1.0f, 0.1f, 2.0f, 0.0f, -1e34f, 1.0f};
    constexpr float highs[] = {2.55f, 1.27f, 1.0f, 0.7f, 2.0f, 1e-35f, 1e35f, -1.0f};
    quantization_details details{256, {}, {}};
    for (std::size_t i = first; i < first + count; ++i) {
        details.lows.push_back(lows[i * 5 % 8]);
        details.highs.push_back(highs[i * 5 % 8]);
    }
    const data_precision precision{i8, -128, 127, has_zero_point};
    const bool exact = is_same<Real, double>;
    channel_maps result;
    detail::set_maps<Real>(result, details, shape{static_cast<dimension>(count)}, precision,
                           {-128, 127, limits_scales, exact});
    return result;
}
template <class Real>
void compare_with_single_channels(std::size_t count, bool has_zero_point, bool limits_scales) {
    CAPTURE(count);
    const channel_maps all = maps_of<Real>(0, count, has_zero_point, limits_scales);
    CHECK(static_cast<bool>(all.zero_points) == has_zero_point);
    bool fit = true;
    for (std::size_t i = 0; i < count; ++i) {
        const channel_maps one = maps_of<Real>(i, 1, has_zero_point, limits_scales);
        CHECK(all.scales.real(i) == one.scales.real(0));
        if (has_zero_point) {
            CHECK(all.zero_points.real(i) == (one.zero_points ? one.zero_points.real(0) : 0));
        }
        fit = fit && one.zero_points_fit;
    }
    CHECK(all.zero_points_fit == fit);
    CHECK_FALSE(all.are_identities);
}

}  // namespace

TEST_CASE("the maps of four channels are those of each alone, bit for bit") {
    constexpr float endless = __builtin_inff();
    const float bounds[] = {0.0f,    -0.0f,  2.55f, -1.28f, 1.27f, 1.0f,    -1.0f,   1e-30f,
                            -1e-33f, 1e-45f, 3e38f, -3e38f, 1e-7f, endless, -endless};
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
    constexpr float endless = __builtin_inff();
    const detail::map_maker<float, float> rule{0.0f, 255.0f, true, false};
    for (const float scale : {0.0f, -0.0f, 1e-45f, 1e-33f, 1e-32f, 1.1e-32f, 1.0f, 0.9e32f, 1e32f, 1.1e32f, endless}) {
        for (const float each : {scale, -scale}) {
            const bool beyond =
                detail::holds_for_any(detail::are_beyond_limits(detail::float_lanes{1.0f, -1.0f, each, 2.0f}));
            const bool at_limit = __builtin_fabsf(each) == 1e-32f || __builtin_fabsf(each) == 1e32f;
            CHECK(beyond == (at_limit || code(rule.limited(each)) != code(each)));
        }
    }
    CHECK(detail::holds_for_any(detail::are_beyond_limits(detail::float_lanes{__builtin_nanf(""), 1.0f, 1.0f, 1.0f})));
}

TEST_CASE("the maps of many channels are those of each alone, in float and in double, with zero points and without") {
    for (const bool has_zero_point : {false, true}) {
        for (const bool limits_scales : {false, true}) {
            for (const std::size_t count : {2u, 3u, 4u, 5u, 8u, 37u}) {
                compare_with_single_channels<float>(count, has_zero_point, limits_scales);
                compare_with_single_channels<double>(count, has_zero_point, limits_scales);
            }
        }
    }
}
