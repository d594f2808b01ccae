// SPDX-License-Identifier: Apache-2.0
// Inputs joined along an axis, and parted again.
#pragma once

#include <lpt/op/movement/port_values.hpp>

namespace lpt::inline LPT_ABI::op {

/// The inputs one after another along `axis`.
///
/// Inputs: at least one, equal in all sizes but that of `axis`. `axis` in `[-rank, rank)`. Source: OpenVINO operation
/// set, Concat-1.
struct concat {
    static constexpr auto number = kind::concat;
    static constexpr text_view name = "Concat";
    static constexpr versions opsets{0};
    static constexpr ports inputs{1, ports::any};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits =
        trait::movement | trait::precision_preserved | trait::quantizable | trait::data_on_all_ports;

    std::int64_t axis = 0;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("axis", self.axis);
    }
    static constexpr void infer(const concat& self, inference& facts);
    friend constexpr bool operator==(const concat&, const concat&) = default;
};

/// Equal parts along an axis.
///
/// Inputs: x, axis (scalar in `[-rank, rank)`). `num_splits` >= 1 must divide the size of the axis. Source: OpenVINO
/// operation set, Split-1.
struct split {
    static constexpr auto number = kind::split;
    static constexpr text_view name = "Split";
    static constexpr versions opsets{1};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, ports::any};
    static constexpr trait traits =
        trait::movement | trait::precision_preserved | trait::reads_values | trait::quantizable;

    std::int64_t num_splits = 0;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("num_splits", self.num_splits);
    }
    static constexpr void infer(const split& self, inference& facts);
    friend constexpr bool operator==(const split&, const split&) = default;
};

/// Parts of given lengths along an axis.
///
/// Inputs: x, axis (scalar in `[-rank, rank)`), lengths (one an output; at most one is -1 and takes what the others
/// leave). Source: OpenVINO operation set, VariadicSplit-1.
struct variadic_split {
    static constexpr auto number = kind::variadic_split;
    static constexpr text_view name = "VariadicSplit";
    static constexpr versions opsets{1};
    static constexpr ports inputs{3, 3};
    static constexpr ports outputs{1, ports::any};
    static constexpr trait traits =
        trait::movement | trait::precision_preserved | trait::reads_values | trait::quantizable;

    static constexpr void infer(const variadic_split& self, inference& facts);
    friend constexpr bool operator==(const variadic_split&, const variadic_split&) = default;
};

namespace detail {

constexpr void add_part(dimension& sum, dimension part) {
    const bool known = sum != dynamic_dimension && part != dynamic_dimension;
    sum = !known ? dynamic_dimension : sum > most_elements ? sum : sum + part;  // too much stays too much
}

constexpr void infer_concat(inference& facts, std::int64_t axis_value) {
    element type = dynamic;
    shape merged = shape::of_dynamic_rank();
    dimension sum = 0;
    for (std::size_t port = 0; port < facts.inputs(); ++port) {
        const element one = facts.type(port);
        if (type != dynamic && one != dynamic && type != one) {
            facts.wrong({"inputs must have one element type, not ", lpt::name(type), " and ", lpt::name(one)});
        }
        type = one == dynamic ? type : one;
        shape part = facts.dimensions(port);
        if (part.rank_is_dynamic()) {
            sum = dynamic_dimension;
            continue;
        }
        const std::size_t axis = checked_axis(facts, axis_value, part.rank());
        add_part(sum, part[axis]);
        part[axis] = dynamic_dimension;
        const shape before = merged;
        if (!merge_shape(merged, part)) {
            facts.wrong(
                {"input ", port, " of shape ", facts.dimensions(port), " does not fit the others of shape ", before});
        }
    }
    if (merged.rank_is_static()) {
        merged[checked_axis(facts, axis_value, merged.rank())] = sum;
    }
    facts.output(type, merged);
}

constexpr void infer_split(inference& facts, std::int64_t parts) {
    facts.require("num_splits", parts, 1, most_outputs);
    shape part = facts.dimensions(0);
    const std::int64_t axis_value = scalar_value(facts, 1);
    if (part.rank_is_static() && axis_value == unknown_value) {
        part = same_rank(part);
    } else if (part.rank_is_static()) {
        dimension& size = part[checked_axis(facts, axis_value, part.rank())];
        if (size != dynamic_dimension && size % parts != 0) {
            facts.wrong({"an axis of size ", size, " cannot be split into ", parts, " equal parts"});
        }
        size = size == dynamic_dimension ? size : size / parts;
    }
    for (std::int64_t i = 0; i < parts; ++i) {
        facts.output(facts.type(0), part);
    }
}

/// Replaces a length of -1 by what the others leave of `size`, as far as that is known, and checks the sum.
constexpr void complete_lengths(const inference& facts, integers& lengths, dimension size) {
    checked sum = 0;
    std::size_t rest = lengths.size();
    bool known = true;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        if (lengths[i] == -1) {
            if (rest != lengths.size()) {
                facts.wrong({"more than one length is -1"});
            }
            rest = i;
        } else if (lengths[i] == unknown_value) {
            known = false;
        } else if (lengths[i] < 0) {
            facts.wrong({"a length cannot be ", lengths[i]});
        } else {
            sum = sum + lengths[i];
        }
    }
    const bool has_rest = rest != lengths.size();
    if (!sum.fits()) {
        facts.wrong({"the sum of the lengths leaves 64 bits"});
    }
    if (size != dynamic_dimension && (has_rest || !known ? sum.value() > size : sum.value() != size)) {
        facts.wrong({"the lengths add up to ", sum.value(), ", the axis has size ", size});
    }
    if (has_rest) {
        lengths[rest] = known && size != dynamic_dimension ? size - sum.value() : unknown_value;
    }
}

constexpr void infer_variadic_split(inference& facts) {
    integers lengths;
    if (!counted_values(facts, 2, lengths, most_outputs)) {
        facts.wrong({"the number of lengths, and with it the number of outputs, is not known"});
    }
    const std::int64_t axis_value = scalar_value(facts, 1);
    shape part = facts.dimensions(0);
    const bool placed = part.rank_is_static() && axis_value != unknown_value;
    const std::size_t axis = placed ? checked_axis(facts, axis_value, part.rank()) : 0;
    complete_lengths(facts, lengths, placed ? part[axis] : dynamic_dimension);
    part = placed ? part : same_rank(part);
    for (const std::int64_t length : lengths) {
        if (placed) {
            part[axis] = known_or_dynamic(length);
        }
        facts.output(facts.type(0), part);
    }
}

}  // namespace detail

constexpr void concat::infer(const concat& self, inference& facts) { detail::infer_concat(facts, self.axis); }
constexpr void split::infer(const split& self, inference& facts) { detail::infer_split(facts, self.num_splits); }
constexpr void variadic_split::infer(const variadic_split&, inference& facts) { detail::infer_variadic_split(facts); }

}  // namespace lpt::inline LPT_ABI::op
