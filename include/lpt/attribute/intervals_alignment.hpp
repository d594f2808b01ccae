// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/attribute/aligned_interval.hpp>
#include <lpt/attribute/precisions.hpp>

namespace lpt::inline LPT_ABI::attribute {

/// What the FakeQuantize operations that meet in a Concat (or the like) need to know of each other to use one scale
/// and zero point. Lives on FakeQuantize nodes and nodes that preserve precision.
struct intervals_alignment {
    static constexpr text_view name = "IntervalsAlignment";

    interval combined;                    // from the least lower to the greatest upper bound of the group
    interval shortest;                    // the shortest interval of a member
    std::size_t least_levels = 0;         // how many integers the shortest interval keeps; 0: unknown
    seq<element, 8> preferred_types;      // each type that a member prefers, once, in the order of `element`

    /// What each place has for itself.
    struct own_data {
        std::size_t levels = 0;           // levels of the FakeQuantize, 0 where members with different levels meet
    };

    friend constexpr bool operator==(const intervals_alignment&, const intervals_alignment&) = default;
};

/// Adds a type to an ordered set.
constexpr void insert_type(seq<element, 8>& types, element type) {
    std::size_t at = 0;
    while (at < types.size() && types[at] < type) {
        ++at;
    }
    if (at == types.size() || types[at] != type) {
        types.insert(at, type);
    }
}

/// The union of both groups. `own` is the data of the place that absorbs the other one.
constexpr void merge(intervals_alignment& into, const intervals_alignment& from, intervals_alignment::own_data& own,
                     const intervals_alignment::own_data& from_own) {
    if (own.levels != from_own.levels) {
        own.levels = 0;
        into.least_levels = 0;
    }
    into.combined.low = math::minimum(into.combined.low, from.combined.low);
    into.combined.high = math::maximum(into.combined.high, from.combined.high);
    for (const element type : from.preferred_types) {
        insert_type(into.preferred_types, type);
    }
    const float length = math::absolute(into.shortest.high - into.shortest.low);
    const float other = math::absolute(from.shortest.high - from.shortest.low);
    if (length > other) {
        into.shortest = from.shortest;
        if (own.levels != 0) {
            const interval integers{0.0f, static_cast<float>(own.levels - 1)};
            into.least_levels = align(integers, into.combined, into.shortest).levels;
        }
    }
}

/// `levels: 256, combined: { -1.28, 2.55 }, min: { 0, 2.55 }, minLevels: 256, preferablePrecisions: {u8, i8}`
constexpr text to_text(const intervals_alignment& value, const intervals_alignment::own_data& own) {
    const auto bounds = [](interval each) {
        return join({"{ ", static_cast<double>(each.low), ", ", static_cast<double>(each.high), " }"});
    };
    return join({"levels: ", own.levels, ", combined: ", bounds(value.combined), ", min: ", bounds(value.shortest),
                 ", minLevels: ", value.least_levels, ", preferablePrecisions: {", list_of(value.preferred_types),
                 "}"});
}

}  // namespace lpt::inline LPT_ABI::attribute
