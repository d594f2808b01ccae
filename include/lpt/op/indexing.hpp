// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/row.hpp>

namespace lpt::inline LPT_ABI::op {

namespace detail {

/// Raises an error where an attribute that names the type of indices or sizes is neither i32 nor i64.
constexpr void require_index_type(const inference& facts, text_view attribute, element type) {
    if (type != i32 && type != i64) {
        facts.wrong({attribute, " must be i32 or i64, not ", lpt::name(type)});
    }
}

constexpr void require_single_number(const inference& facts, std::size_t port) {
    const shape& dimensions = facts.dimensions(port);
    if (dimensions.is_static() && dimensions.elements() != 1) {
        facts.wrong({"input ", port, " must be a single number, not a tensor of shape ", dimensions});
    }
}
/// The one integer that is known to arrive at a port; `unknown_value` if it is not known.
constexpr std::int64_t infer_single_value(const inference& facts, std::size_t port) {
    require_single_number(facts, port);
    integers values;
    return facts.values(port, values) && values.size() == 1 ? values[0] : unknown_value;
}

}  // namespace detail

/// y = the sizes of x along its axes; shape [rank].
///
/// `output_type` is i32 or i64; version 0 has no such attribute and gives i64.
struct shape_of {
    static constexpr auto number = kind::shape_of;
    static constexpr text_view name = "ShapeOf";
    static constexpr versions opsets{0, 3};
    static constexpr ports inputs{1, 1};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::none;

    element output_type = i64;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("output_type", self.output_type, in_versions{3});
    }
    static constexpr void infer(const shape_of& self, inference& facts) {
        detail::require_index_type(facts, "output_type", self.output_type);
        const shape& data = facts.dimensions(0);
        const dimension rank = data.rank_is_static() ? static_cast<dimension>(data.rank()) : dynamic_dimension;
        facts.output(facts.version() < 3 ? i64 : self.output_type, shape{rank});
    }
    friend constexpr bool operator==(const shape_of&, const shape_of&) = default;
};

/// y[i] = start + i * step, of max(0, ceil((stop - start) / step)) values.
///
/// Inputs: start, stop, step: single numbers; step is not 0. Version 0: they have one element type, which is also that of
/// y. From version 4 on y has `output_type`, and the inputs are rounded towards zero first if that is an integer type.
struct range {
    static constexpr auto number = kind::range;
    static constexpr text_view name = "Range";
    static constexpr versions opsets{0, 4};
    static constexpr ports inputs{3, 3};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::reads_values;

    element output_type = dynamic;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("output_type", self.output_type, in_versions{4});
    }
    static constexpr void infer(const range& self, inference& facts) {
        element type = self.output_type;
        if (facts.version() < 4) {
            type = dynamic;
            for (std::size_t port = 0; port < 3; ++port) {
                if (type != dynamic && facts.type(port) != dynamic && facts.type(port) != type) {
                    facts.wrong({"inputs must have one element type, not ", lpt::name(type), " and ",
                                 lpt::name(facts.type(port))});
                }
                type = type == dynamic ? facts.type(port) : type;
            }
        }
        facts.output(type, shape{length(facts, type)});
    }
    friend constexpr bool operator==(const range&, const range&) = default;

private:
    static constexpr bool known(const inference& facts, std::size_t port, double& value) {
        if (const tensor* constant = facts.constant(port); constant != nullptr && constant->elements() == 1) {
            value = constant->real(0);
            return true;
        }
        const std::int64_t whole = is_real(facts.type(port)) ? unknown_value : detail::infer_single_value(facts, port);
        value = static_cast<double>(whole);
        return whole != unknown_value;
    }
    static constexpr dimension length(const inference& facts, element type) {
        double values[3]{};
        bool all = true;
        for (std::size_t port = 0; port < 3; ++port) {
            const shape& dimensions = facts.dimensions(port);
            if (dimensions.is_static() && dimensions.elements() != 1) {
                facts.wrong({"input ", port, " must be a single number, not a tensor of shape ", dimensions});
            }
            const bool one = known(facts, port, values[port]);
            if (one && is_integral(type)) {
                values[port] = math::truncate(values[port]);
            }
            if (one && port == 2 && values[2] == 0) {
                facts.wrong({"step must not be 0"});
            }
            all = all && one;
        }
        if (!all) {
            return dynamic_dimension;
        }
        const double count = math::ceil((values[1] - values[0]) / values[2]);
        if (math::is_nan(count) || count > 9e15) {
            facts.wrong({"start ", values[0], ", stop ", values[1], " and step ", values[2],
                         " do not give a finite number of values"});
        }
        return count > 0 ? static_cast<dimension>(count) : 0;
    }
};

/// Which values TopK takes.
enum class top_k_mode { max, min };
inline constexpr text_view top_k_mode_words[] = {"max", "min"};
constexpr view<text_view> words_of(top_k_mode) { return top_k_mode_words; }

/// The order in which TopK gives what it takes.
enum class top_k_sort { none, index, value };
inline constexpr text_view top_k_sort_words[] = {"none", "index", "value"};
constexpr view<text_view> words_of(top_k_sort) { return top_k_sort_words; }

/// The `k` greatest or least values along an axis, and their indices on it.
///
/// Inputs: x, k (a single integer, 1 … the size along `axis`). `axis` is in [-rank, rank). Outputs: values (type of x),
/// indices (`index_element_type`, i32 or i64), both with size k along the axis. `stable` (from version 11 on): equal
/// values keep their order.
struct top_k {
    static constexpr auto number = kind::top_k;
    static constexpr text_view name = "TopK";
    static constexpr versions opsets{1, 3, 11};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{2, 2};
    static constexpr trait traits = trait::reads_values;

    std::int64_t axis = 0;
    top_k_mode mode = top_k_mode::max;
    top_k_sort sort = top_k_sort::none;
    element index_element_type = i32;
    bool stable = false;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("axis", self.axis);
        visit("mode", self.mode);
        visit("sort", self.sort);
        visit("index_element_type", self.index_element_type);
        visit("stable", self.stable, in_versions{11});
    }
    static constexpr void infer(const top_k& self, inference& facts) {
        detail::require_index_type(facts, "index_element_type", self.index_element_type);
        facts.require_integers(1);
        const std::int64_t count = detail::infer_single_value(facts, 1);
        if (count != unknown_value && count < 0) {
            facts.wrong({"k must not be negative, but is ", count});
        }
        shape dimensions = facts.dimensions(0);
        if (dimensions.rank_is_static()) {
            const std::int64_t place = normalized_axis(self.axis, dimensions.rank());
            if (place < 0) {
                facts.wrong({"axis ", self.axis, " is outside the rank of data of shape ", dimensions});
            }
            dimension& size = dimensions[static_cast<std::size_t>(place)];
            if (count != unknown_value && size != dynamic_dimension && count > size) {
                facts.wrong({"k is ", count, ", but axis ", self.axis, " of the data has only size ", size});
            }
            size = count == unknown_value ? dynamic_dimension : count;
        }
        facts.output(facts.type(0), dimensions);
        facts.output(self.index_element_type, dimensions);
    }
    friend constexpr bool operator==(const top_k&, const top_k&) = default;
};

/// y[i] = the sum of x[0 … i] along an axis; `exclusive`: of x[0 … i - 1]; `reverse`: from the end.
///
/// Inputs: x, and perhaps axis (a single integer in [-rank, rank), 0 if absent).
struct cum_sum {
    static constexpr auto number = kind::cum_sum;
    static constexpr text_view name = "CumSum";
    static constexpr versions opsets{0};
    static constexpr ports inputs{1, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::none;

    bool exclusive = false;
    bool reverse = false;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("exclusive", self.exclusive);
        visit("reverse", self.reverse);
    }
    static constexpr void infer(const cum_sum&, inference& facts) {
        const shape& data = facts.dimensions(0);
        if (facts.inputs() > 1 && facts.dimensions(1).is_static() && facts.dimensions(1).elements() != 1) {
            facts.wrong({"axis must be a single number, not a tensor of shape ", facts.dimensions(1)});
        }
        if (facts.inputs() > 1) {
            facts.require_integers(1);
        } else if (data.rank_is_static() && data.rank() == 0) {
            facts.wrong({"data without axes has no axis to sum along"});
        }
        const tensor* axis = facts.constant(1);
        if (axis != nullptr && data.rank_is_static() && normalized_axis(axis->integer(0), data.rank()) < 0) {
            facts.wrong({"axis ", axis->integer(0), " is outside the rank of data of shape ", data});
        }
        facts.output(facts.type(0), data);
    }
    friend constexpr bool operator==(const cum_sum&, const cum_sum&) = default;
};

/// What OneHot does with negative indices.
enum class one_hot_negative_indices { ignore_negative, normalize };
inline constexpr text_view one_hot_negative_indices_words[] = {"ignore_negative", "normalize"};
constexpr view<text_view> words_of(one_hot_negative_indices) { return one_hot_negative_indices_words; }

/// A new axis of size depth with on_value at each index and off_value elsewhere.
///
/// Inputs: indices (integers), depth (a single integer >= 0), on_value, off_value (single numbers of one element type,
/// that of y). `axis` is the place of the new axis, in [-rank - 1, rank]. Negative indices (from version 16 on) give only
/// off_value, or count from the end with `normalize`.
struct one_hot {
    static constexpr auto number = kind::one_hot;
    static constexpr text_view name = "OneHot";
    static constexpr versions opsets{1, 16};
    static constexpr ports inputs{4, 4};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::reads_values;

    std::int64_t axis = -1;
    one_hot_negative_indices negative_indices_mode = one_hot_negative_indices::ignore_negative;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("axis", self.axis);
        visit("negative_indices_mode", self.negative_indices_mode, in_versions{16});
    }
    static constexpr void infer(const one_hot& self, inference& facts) {
        for (std::size_t port = 0; port < 2; ++port) {
            facts.require_integers(port);
        }
        const element on = facts.type(2);
        const element off = facts.type(3);
        if (on != off && on != dynamic && off != dynamic) {
            facts.wrong(
                {"on_value and off_value must have one element type, not ", lpt::name(on), " and ", lpt::name(off)});
        }
        detail::require_single_number(facts, 2);
        detail::require_single_number(facts, 3);
        const std::int64_t depth = detail::infer_single_value(facts, 1);
        if (depth != unknown_value && depth < 0) {
            facts.wrong({"depth must not be negative, but is ", depth});
        }
        shape dimensions = facts.dimensions(0);
        if (dimensions.rank_is_static()) {
            const std::int64_t place = normalized_axis(self.axis, dimensions.rank() + 1);
            if (place < 0) {
                facts.wrong(
                    {"there is no place ", self.axis, " for a new axis in indices of shape ", to_text(dimensions)});
            }
            dimensions.insert(static_cast<std::size_t>(place), depth == unknown_value ? dynamic_dimension : depth);
        }
        facts.output(on == dynamic ? off : on, lpt::move(dimensions));
    }
    friend constexpr bool operator==(const one_hot&, const one_hot&) = default;
};

/// The places of the elements that are not zero: y[axis, i] is the index along `axis` of the i-th of them, in row-major order.
///
/// y has shape [rank, count] and type `output_type`, i32 or i64; the count is known only at run time.
struct non_zero {
    static constexpr auto number = kind::non_zero;
    static constexpr text_view name = "NonZero";
    static constexpr versions opsets{3};
    static constexpr ports inputs{1, 1};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::none;

    element output_type = i64;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("output_type", self.output_type);
    }
    static constexpr void infer(const non_zero& self, inference& facts) {
        detail::require_index_type(facts, "output_type", self.output_type);
        const shape& data = facts.dimensions(0);
        if (data.rank_is_dynamic()) {
            facts.output(self.output_type, shape::of_rank(2));
            return;
        }
        const bool empty = data.dimensions().contains(0);
        facts.output(self.output_type, shape{static_cast<dimension>(data.rank()), empty ? 0 : dynamic_dimension});
    }
    friend constexpr bool operator==(const non_zero&, const non_zero&) = default;
};

}  // namespace lpt::inline LPT_ABI::op
