// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/lanes.hpp>
#include <lpt/base/view.hpp>

/// Fast loops over the ranges of a FakeQuantize at run time; what they say is what the plain loops of `precision.hpp` and `usable_maps.hpp` say.
namespace lpt::inline LPT_ABI::detail {

/// How many ranges from the first on, in fours, are for sure of the kind that the loop of `precision_details_of` has seen: they
/// begin at 0, or else lie around it in the ratio of a signed type's bounds, within 0.1 %.
[[gnu::noinline]] inline std::size_t count_plain_ranges(const float* lows, const float* highs, std::size_t count,
                                                        bool around_zero, float ratio) {
    std::size_t done = 0;
    for (; done + lane_count <= count; done += lane_count) {
        const float_lanes low = load_lanes(lows + done);
        const float_lanes high = load_lanes(highs + done);
        mask_lanes plain = (low == 0.0f) & (high >= 1e-6f);
        if (around_zero) {
            const float_lanes error = low - high * ratio;
            const float_lanes limit = high * 0.001f;
            plain = (low <= -1e-6f) & (high > 0.0f) & (error < limit) & (-error < limit);
        }
        if (!holds(plain)) {
            break;
        }
    }
    return done;
}

/// True for at least four ranges that are all surely usable: equal bounds, or such that no scale or zero point is near a limit.
[[gnu::noinline]] inline bool are_plainly_usable(view<float> lows, view<float> highs) {
    const std::size_t count = lows.size();
    if (count < lane_count) {
        return false;
    }
    mask_lanes usable = ~mask_lanes{};
    for (std::size_t i = 0; i < count; i += lane_count) {
        const std::size_t at = i + lane_count <= count ? i : count - lane_count;  // the last four may overlap
        const float_lanes low = load_lanes(lows.data() + at);
        const float_lanes high = load_lanes(highs.data() + at);
        const float_lanes distance = high - low;
        usable &= (low == high) | (distance >= 1e-10f) | (distance <= -1e-10f);
        usable &= (low <= 1e15f) & (low >= -1e15f) & (high <= 1e15f) & (high >= -1e15f);
    }
    return holds(usable);
}

}  // namespace lpt::inline LPT_ABI::detail
