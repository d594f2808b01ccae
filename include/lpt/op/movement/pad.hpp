// SPDX-License-Identifier: Apache-2.0
// The input with a margin.
#pragma once

#include <lpt/op/movement/port_values.hpp>

namespace lpt::inline LPT_ABI::op {

/// Where the values of the padding come from.
enum class pad_mode { constant, edge, reflect, symmetric };
inline constexpr text_view pad_mode_words[] = {"constant", "edge", "reflect", "symmetric"};
constexpr view<text_view> words_of(pad_mode) { return pad_mode_words; }

/// The input with a margin.
///
/// Inputs: x, pads_begin, pads_end (one value an axis; negative values crop), optional value (scalar, mode constant).
/// `reflect` needs margins < size, `symmetric` margins <= size. Source: OpenVINO operation set, Pad-1, -12.
struct pad {
    static constexpr auto number = kind::pad;
    static constexpr text_view name = "Pad";
    static constexpr versions opsets{1, 12};
    static constexpr ports inputs{3, 4};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits =
        trait::movement | trait::precision_preserved | trait::reads_values | trait::quantizable;

    op::pad_mode pad_mode = op::pad_mode::constant;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("pad_mode", self.pad_mode);
    }
    static constexpr void infer(const pad& self, inference& facts);
    friend constexpr bool operator==(const pad&, const pad&) = default;
};

namespace detail {

/// Raises an error where the margin of an axis does not go with the mode.
constexpr void check_margin(const inference& facts, pad_mode mode, std::int64_t margin, dimension size) {
    // A margin that is not known is the least integer, hence negative.
    if (size == dynamic_dimension || mode == pad_mode::constant || margin <= 0) {
        return;
    }
    const bool fits = mode == pad_mode::reflect     ? margin < size
                      : mode == pad_mode::symmetric ? margin <= size
                                                    : size > 0;
    if (!fits) {
        facts.wrong({"a margin of ", margin, " is too large for an axis of size ", size, " with pad_mode ",
                     words_of(mode)[static_cast<std::size_t>(mode)]});
    }
}

constexpr shape infer_pad(const inference& facts, pad_mode mode) {
    const shape& data = facts.dimensions(0);
    integers begin;
    integers end;
    const bool has_begin = counted_values(facts, 1, begin);
    const bool has_end = counted_values(facts, 2, end);
    if (has_begin && has_end && begin.size() != end.size()) {
        facts.wrong({"there are ", begin.size(), " margins at the beginnings and ", end.size(), " at the ends"});
    }
    if (data.rank_is_dynamic()) {
        return data;
    }
    const std::size_t rank = data.rank();
    if (has_begin) {
        check_one_an_axis(facts, 1, begin.size(), rank);
    }
    if (has_end) {
        check_one_an_axis(facts, 2, end.size(), rank);
    }
    begin.resize(rank, unknown_value);
    end.resize(rank, unknown_value);
    shape result = data;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        check_margin(facts, mode, begin[axis], result[axis]);
        check_margin(facts, mode, end[axis], result[axis]);
        result[axis] = with_margins(facts, result[axis], begin[axis], end[axis], 1);
    }
    return result;
}

}  // namespace detail

constexpr void pad::infer(const pad& self, inference& facts) {
    facts.output(facts.type(0), detail::infer_pad(facts, self.pad_mode));
}

}  // namespace lpt::inline LPT_ABI::op
