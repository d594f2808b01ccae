// SPDX-License-Identifier: Apache-2.0
// The same elements in the same order, with other axes.
#pragma once

#include <lpt/op/movement/port_values.hpp>

namespace lpt::inline LPT_ABI::op {

/// The same elements with another shape.
///
/// Inputs: x, shape; one size may be -1 and follows from the others; with `special_zero` a size of 0 copies that of x.
/// Raises an error when the number of elements changes, unless every size is given and some are copied: what executes
/// the operation has to compare the numbers of elements then. Source: OpenVINO operation set, Reshape-1.
struct reshape {
    static constexpr auto number = kind::reshape;
    static constexpr text_view name = "Reshape";
    static constexpr versions opsets{1};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits =
        trait::movement | trait::precision_preserved | trait::reads_values | trait::quantizable;

    bool special_zero = false;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("special_zero", self.special_zero);
    }
    static constexpr void infer(const reshape& self, inference& facts);
    friend constexpr bool operator==(const reshape&, const reshape&) = default;
};

/// Without some axes of size 1, all of them when no axes are given.
///
/// Inputs: x, optional axes in `[-rank, rank)`. An axis of another size is an error, or with `allow_axis_skip`
/// (version 15 on) stays; the output rank is then only known when the sizes are. Source: OpenVINO operation set,
/// Squeeze-1, -15.
struct squeeze {
    static constexpr auto number = kind::squeeze;
    static constexpr text_view name = "Squeeze";
    static constexpr versions opsets{0, 15};
    static constexpr ports inputs{1, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits =
        trait::movement | trait::precision_preserved | trait::reads_values | trait::quantizable;

    bool allow_axis_skip = false;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("allow_axis_skip", self.allow_axis_skip, in_versions{15});
    }
    static constexpr void infer(const squeeze& self, inference& facts);
    friend constexpr bool operator==(const squeeze&, const squeeze&) = default;
};

/// With axes of size 1 inserted.
///
/// Inputs: x, axes in `[-output rank, output rank)`, places in the output. Source: OpenVINO operation set, Unsqueeze-1.
struct unsqueeze {
    static constexpr auto number = kind::unsqueeze;
    static constexpr text_view name = "Unsqueeze";
    static constexpr versions opsets{0};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits =
        trait::movement | trait::precision_preserved | trait::reads_values | trait::quantizable;

    static constexpr void infer(const unsqueeze& self, inference& facts);
    friend constexpr bool operator==(const unsqueeze&, const unsqueeze&) = default;
};

namespace detail {

/// What is left of two element counts that must be equal, after sizes that stand on both sides are taken away.
struct element_balance {
    checked before = 1;  // product of the known sizes of the input
    checked after = 1;  // product of the known sizes of the output
    std::size_t open_before = 0;  // sizes of the input that are not known
    std::size_t open_after = 0;  // sizes of the output that are not known
    std::size_t open_axis = 0;  // the last of them
};

constexpr void weigh(checked& product, std::size_t& open, dimension size) {
    if (size == dynamic_dimension) {
        ++open;
    } else {
        product = product * size;
    }
}

/// `copied` are the axes whose size is, known or not, the same before and after.
constexpr element_balance balance(const shape& before, const shape& after, const seq<bool, 8>& copied) {
    element_balance result;
    for (std::size_t axis = 0; axis < after.rank(); ++axis) {
        if (copied[axis]) {
            continue;
        }
        weigh(result.after, result.open_after, after[axis]);
        result.open_axis = after[axis] == dynamic_dimension ? axis : result.open_axis;
    }
    result.open_before = before.rank_is_dynamic() ? 1 : 0;
    for (std::size_t axis = 0; axis < before.rank(); ++axis) {
        if (axis >= copied.size() || !copied[axis]) {
            weigh(result.before, result.open_before, before[axis]);
        }
    }
    return result;
}

/// The sizes that `pattern` asks for, with -1 and unknown values as dynamic; `copied` says which were copied from the
/// input.
constexpr shape read_pattern(const inference& facts, const integers& pattern, bool special_zero, seq<bool, 8>& copied) {
    const shape& data = facts.dimensions(0);
    shape result;
    bool inferred = false;
    for (std::size_t axis = 0; axis < pattern.size(); ++axis) {
        const std::int64_t value = pattern[axis];
        const bool copies = value == 0 && special_zero;
        if (value < -1 && value != unknown_value) {
            facts.wrong({"asks for a size of ", value});
        }
        if (value == -1 && inferred) {
            facts.wrong({"asks for more than one size of -1"});
        }
        inferred = inferred || value == -1;
        if (copies && data.rank_is_static() && axis >= data.rank()) {
            facts.wrong({"copies axis ", axis, ", which an input of shape ", data, " does not have"});
        }
        copied.push_back(copies);
        result.push_back(copies ? (data.rank_is_static() ? data[axis] : dynamic_dimension)
                                : (value == -1 ? dynamic_dimension : known_or_dynamic(value)));
    }
    return result;
}

constexpr shape infer_reshape(const inference& facts, bool special_zero) {
    const shape& data = facts.dimensions(0);
    integers pattern;
    if (!counted_values(facts, 1, pattern)) {
        return shape::of_dynamic_rank();
    }
    seq<bool, 8> copied;
    shape result = read_pattern(facts, pattern, special_zero, copied);
    const element_balance sides = balance(data, result, copied);
    if (sides.open_before != 0) {
        return result;
    }
    const std::int64_t before = sides.before.value();
    const std::int64_t after = sides.after.value();
    const bool counts = sides.before.fits() && sides.after.fits();
    const bool divides = after != 0 ? before % after == 0 : before == 0;
    // A pattern that copies sizes and leaves none open is taken at its word, as the published inference does.
    const bool is_checked = sides.open_after != 0 || !copied.contains(true);
    if (!counts || (is_checked && (sides.open_after == 0 ? before != after : !divides))) {
        facts.wrong({"an input of shape ", data, " cannot get the shape ", result});
    }
    const bool is_certain = after != 0 && (before != 0 || pattern[sides.open_axis] == -1);
    if (sides.open_after == 1 && is_certain) {
        result[sides.open_axis] = before / after;
    } else if (sides.open_after == 1 && after == 0 && pattern[sides.open_axis] == -1) {
        result[sides.open_axis] = 0;
    }
    return result;
}

/// Without all axes of size 1.
constexpr shape squeezed_everywhere(const shape& data) {
    if (data.is_dynamic()) {
        return shape::of_dynamic_rank();
    }
    shape result;
    for (const dimension size : data) {
        if (size != 1) {
            result.push_back(size);
        }
    }
    return result;
}

constexpr shape infer_squeeze(const inference& facts, bool allow_axis_skip) {
    const shape& data = facts.dimensions(0);
    std::size_t count = 0;
    const bool counted = value_count(facts, 1, count);
    if (facts.inputs() < 2 || (counted && count == 0)) {
        return squeezed_everywhere(data);
    }
    integers axes;
    if (data.rank_is_dynamic()) {
        return data;
    }
    if (!known_axes(facts, 1, data.rank(), axes)) {
        const bool one = counted && count == 1 && !allow_axis_skip && data.rank() != 0;
        return one ? shape::of_rank(data.rank() - 1) : shape::of_dynamic_rank();
    }
    shape result;
    for (std::size_t axis = 0; axis < data.rank(); ++axis) {
        const bool named = axes.contains(static_cast<std::int64_t>(axis));
        if (named && allow_axis_skip && data[axis] == dynamic_dimension) {
            return shape::of_dynamic_rank();
        }
        if (named && !allow_axis_skip && data[axis] != 1 && data[axis] != dynamic_dimension) {
            facts.wrong({"axis ", axis, " of shape ", data, " has not size 1"});
        }
        if (!named || (data[axis] != 1 && allow_axis_skip)) {
            result.push_back(data[axis]);
        }
    }
    return result;
}

constexpr shape infer_unsqueeze(const inference& facts) {
    const shape& data = facts.dimensions(0);
    std::size_t count = 0;
    if (data.rank_is_dynamic() || !value_count(facts, 1, count)) {
        return shape::of_dynamic_rank();
    }
    const std::size_t rank = data.rank() + count;
    integers axes;
    if (!known_axes(facts, 1, rank, axes)) {
        return shape::of_rank(rank);
    }
    if (has_duplicates(axes)) {
        facts.wrong({"an axis is named twice"});
    }
    shape result;
    std::size_t from = 0;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        result.push_back(axes.contains(static_cast<std::int64_t>(axis)) ? 1 : data[from++]);
    }
    return result;
}

}  // namespace detail

constexpr void reshape::infer(const reshape& self, inference& facts) {
    facts.output(facts.type(0), detail::infer_reshape(facts, self.special_zero));
}
constexpr void squeeze::infer(const squeeze& self, inference& facts) {
    facts.output(facts.type(0), detail::infer_squeeze(facts, self.allow_axis_skip && facts.version() >= 15));
}
constexpr void unsqueeze::infer(const unsqueeze&, inference& facts) {
    facts.output(facts.type(0), detail::infer_unsqueeze(facts));
}

}  // namespace lpt::inline LPT_ABI::op
