// SPDX-License-Identifier: Apache-2.0
// What arrives at the ports that say how to move.
#pragma once

#include <lpt/op/row.hpp>

namespace lpt::inline LPT_ABI::op {

namespace detail {

/// `axis` counted from the front; raises an error if the input has no such axis.
constexpr std::size_t checked_axis(const inference& facts, std::int64_t axis, std::size_t rank) {
    const std::int64_t result = normalized_axis(axis, rank);
    if (result < 0) {
        facts.wrong({"axis ", axis, " is outside the ", rank, " axes of the input"});
    }
    return static_cast<std::size_t>(result);
}

/// The one integer that arrives at `port`; `unknown_value` if it is not known.
constexpr std::int64_t scalar_value(const inference& facts, std::size_t port) {
    integers values;
    if (!facts.values(port, values)) {
        return unknown_value;
    }
    if (values.size() != 1) {
        facts.wrong({"input ", port, " must be one value, not ", values.size()});
    }
    return values[0];
}

/// How many values arrive at `port`, from the values or from the shape; false if that is not known.
constexpr bool value_count(const inference& facts, std::size_t port, std::size_t& count) {
    integers values;
    if (facts.values(port, values)) {
        count = values.size();
        return true;
    }
    if (port >= facts.inputs() || !facts.dimensions(port).is_static()) {
        return false;
    }
    count = facts.dimensions(port).elements();
    return true;
}

/// The values of `port`, all unknown if only their number is known; false if not even that is known. Raises an error where there are
/// more than `most`, which are those of axes unless the caller says otherwise.
constexpr bool counted_values(const inference& facts, std::size_t port, integers& result,
                              std::size_t most = most_axes) {
    const bool known = facts.values(port, result);
    std::size_t count = result.size();
    if (!known && !value_count(facts, port, count)) {
        return false;
    }
    if (count > most) {
        facts.wrong({"input ", port, " has ", count, " values, more than ", most});
    }
    result.resize(count, unknown_value);
    return true;
}

constexpr dimension known_or_dynamic(std::int64_t value) { return value == unknown_value ? dynamic_dimension : value; }

/// A shape that is only known to have as many axes as `like`.
constexpr shape same_rank(const shape& like) {
    return like.rank_is_static() ? shape::of_rank(like.rank()) : shape::of_dynamic_rank();
}

/// The axes that `port` names, counted from the front; false if not all are known.
constexpr bool known_axes(const inference& facts, std::size_t port, std::size_t rank, integers& result) {
    if (!facts.known_values(port, result)) {
        return false;
    }
    for (std::int64_t& axis : result) {
        axis = static_cast<std::int64_t>(checked_axis(facts, axis, rank));
    }
    return true;
}

/// Of axes; some may be `unknown_value`.
constexpr bool has_duplicates(const integers& values) {
    if (values.size() > most_axes) {
        return true;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (std::size_t j = i + 1; j < values.size(); ++j) {
            if (values[i] == values[j] && values[i] != unknown_value) {
                return true;
            }
        }
    }
    return false;
}

/// Raises an error unless `port` has one value for each axis of an input of `rank` axes.
constexpr void check_one_an_axis(const inference& facts, std::size_t port, std::size_t count, std::size_t rank) {
    if (count != rank) {
        facts.wrong({"input ", port, " has ", count, " values for the ", rank, " axes of the input"});
    }
}

constexpr dimension multiplied(const inference& facts, dimension size, std::int64_t factor) {
    if (size == dynamic_dimension || factor == unknown_value) {
        return dynamic_dimension;
    }
    const checked product = checked(size) * factor;
    if (!product.fits()) {
        facts.wrong({"an axis of size ", size, " times ", factor, " leaves 64 bits"});
    }
    return product.value();
}

/// `size` / `divisor`; raises an error unless it is whole.
constexpr dimension divided(const inference& facts, dimension size, std::int64_t divisor, text_view what) {
    if (size == dynamic_dimension || divisor == unknown_value) {
        return dynamic_dimension;
    }
    if (size % divisor != 0) {
        facts.wrong({what, " ", size, " is not a multiple of ", divisor});
    }
    return size / divisor;
}

/// `size` + `sign` * (`begin` + `end`); raises an error where that is negative.
constexpr dimension with_margins(const inference& facts, dimension size, std::int64_t begin, std::int64_t end,
                                 int sign) {
    if (size == dynamic_dimension || begin == unknown_value || end == unknown_value) {
        return dynamic_dimension;
    }
    facts.require("a margin", begin, -most_elements, most_elements);
    facts.require("a margin", end, -most_elements, most_elements);
    const checked result = checked(size) + (checked(begin) + end) * sign;
    if (!result.fits()) {
        facts.wrong({"an axis of size ", size, " with margins of ", begin, " and ", end, " leaves 64 bits"});
    }
    if (result.value() < 0) {
        facts.wrong({"nothing is left of an axis of size ", size, " with ", begin, " and ", end, " taken away"});
    }
    return result.value();
}

}  // namespace detail

}  // namespace lpt::inline LPT_ABI::op
