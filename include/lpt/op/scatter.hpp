// SPDX-License-Identifier: Apache-2.0
// Slices of a tensor replaced at places that another tensor gives.
#pragma once

#include <lpt/op/movement/gathering.hpp>

namespace lpt::inline LPT_ABI::op {

/// How ScatterNDUpdate puts an update to the element that is there; `none` replaces it.
enum class scatter_reduction { none, sum, sub, prod, min, max };
inline constexpr text_view scatter_reduction_words[] = {"none", "sum", "sub", "prod", "min", "max"};
constexpr view<text_view> words_of(scatter_reduction) { return scatter_reduction_words; }

/// Slices of the data replaced, each at a tuple of indices; the last one counts where several have the same place.
///
/// y = x, y[indices[i…], …] = updates[i…, …]. Inputs: x, indices `[i…, K]` with K <= rank of x, updates `[i…, the rest of x's axes]`.
/// `reduction` (from version 15 on): y[place] + update, - update, * update, or the less or greater of the two, one after the other.
/// Negative indices count from the end. Raises an error where shapes or types do not fit.
/// Source: OpenVINO operation set, ScatterNDUpdate-3, -15.
struct scatter_nd_update {
    static constexpr auto number = kind::scatter_nd_update;
    static constexpr text_view name = "ScatterNDUpdate";
    static constexpr versions opsets{3, 15};
    static constexpr ports inputs{3, 3};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::none;

    scatter_reduction reduction = scatter_reduction::none;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("reduction", self.reduction, in_versions{15});
    }
    static constexpr void infer(const scatter_nd_update&, inference& facts) {
        const element data = facts.type(0);
        const element updates = facts.type(2);
        facts.require_integers(1);
        if (data != updates && data != dynamic && updates != dynamic) {
            facts.wrong(
                {"data and updates must have one element type, not ", lpt::name(data), " and ", lpt::name(updates)});
        }
        require_shapes(facts);
        facts.output(data == dynamic ? updates : data, facts.dimensions(0));
    }
    friend constexpr bool operator==(const scatter_nd_update&, const scatter_nd_update&) = default;

private:
    static constexpr void require_shapes(const inference& facts) {
        const shape& data = facts.dimensions(0);
        const shape& indices = facts.dimensions(1);
        if (indices.rank_is_dynamic()) {
            return;
        }
        if (indices.rank() == 0) {
            facts.wrong({"indices must have an axis for their tuples"});
        }
        const dimension tuple = indices[indices.rank() - 1];
        if (data.rank_is_dynamic() || tuple == dynamic_dimension) {
            return;
        }
        if (tuple > static_cast<dimension>(data.rank())) {
            facts.wrong({"indices of shape ", indices, " name more axes than data of shape ", data, " has"});
        }
        shape wanted;
        for (std::size_t axis = 0; axis + 1 < indices.rank(); ++axis) {
            wanted.push_back(indices[axis]);
        }
        for (auto axis = static_cast<std::size_t>(tuple); axis < data.rank(); ++axis) {
            wanted.push_back(data[axis]);
        }
        shape merged = wanted;
        if (!merge_shape(merged, facts.dimensions(2))) {
            facts.wrong({"updates must have shape ", wanted, ", not ", facts.dimensions(2)});
        }
    }
};

namespace detail {

/// The element type that data (input 0) and updates (input 2) share.
constexpr element infer_updated_type(const inference& facts) {
    const element data = facts.type(0);
    const element updates = facts.type(2);
    if (data != updates && data != dynamic && updates != dynamic) {
        facts.wrong(
            {"data and updates must have one element type, not ", lpt::name(data), " and ", lpt::name(updates)});
    }
    return data == dynamic ? updates : data;
}

/// Raises an error where the axis that input 3 gives is known and the data has none such; `unknown_value` where it is not known.
constexpr std::int64_t infer_updated_axis(const inference& facts) {
    facts.require_integers(3);
    const std::int64_t axis = scalar_value(facts, 3);
    const shape& data = facts.dimensions(0);
    return axis == unknown_value || data.rank_is_dynamic()
               ? unknown_value
               : static_cast<std::int64_t>(checked_axis(facts, axis, data.rank()));
}

}  // namespace detail

/// Slices of the data along an axis replaced, each at an index; the last one counts where several have the same.
///
/// y = x, y[a…, indices[i…], b…] = updates[a…, i…, b…]. Inputs: x, indices (integers; negative ones count from the end), updates
/// `[axes of x before the axis, i…, axes of x behind it]`, axis (one integer in [-rank, rank)). Source: OpenVINO operation set, ScatterUpdate-3.
struct scatter_update {
    static constexpr auto number = kind::scatter_update;
    static constexpr text_view name = "ScatterUpdate";
    static constexpr versions opsets{3};
    static constexpr ports inputs{4, 4};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::reads_values;

    static constexpr void infer(const scatter_update&, inference& facts) {
        facts.require_integers(1);
        const element type = detail::infer_updated_type(facts);
        const shape& data = facts.dimensions(0);
        const shape& indices = facts.dimensions(1);
        const std::int64_t axis = detail::infer_updated_axis(facts);
        if (axis != unknown_value && indices.rank_is_static()) {
            shape wanted;
            for (std::size_t i = 0; i < data.rank(); ++i) {
                if (static_cast<std::int64_t>(i) != axis) {
                    wanted.push_back(data[i]);
                    continue;
                }
                for (const dimension size : indices) {
                    wanted.push_back(size);
                }
            }
            shape merged = wanted;
            if (!merge_shape(merged, facts.dimensions(2))) {
                facts.wrong({"updates must have shape ", wanted, ", not ", facts.dimensions(2)});
            }
        }
        facts.output(type, data);
    }
    friend constexpr bool operator==(const scatter_update&, const scatter_update&) = default;
};

/// How ScatterElementsUpdate puts updates to the element that is there; `none` replaces it.
enum class element_reduction { none, sum, prod, min, max, mean };
inline constexpr text_view element_reduction_words[] = {"none", "sum", "prod", "min", "max", "mean"};
constexpr view<text_view> words_of(element_reduction) { return element_reduction_words; }

/// Elements of the data updated, each at an index of its own along an axis.
///
/// y = x, y[…, indices[…, i, …], …] = updates[…, i, …]. Inputs: x, indices (integers; negative ones count from the end) and updates of one shape,
/// of as many axes as x and along no other axis larger, axis (one integer in [-rank, rank)). `reduction` (from version 12 on): sum, product, least, greatest or mean of
/// all updates of an element and, with `use_init_val`, of what is there; means of integers are rounded towards zero. Booleans are added by `or`, multiplied by `and`
/// and have no mean. Source: OpenVINO operation set, ScatterElementsUpdate-3, -12.
struct scatter_elements_update {
    static constexpr auto number = kind::scatter_elements_update;
    static constexpr text_view name = "ScatterElementsUpdate";
    static constexpr versions opsets{3, 12};
    static constexpr ports inputs{4, 4};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::reads_values;

    element_reduction reduction = element_reduction::none;
    bool use_init_val = true;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("reduction", self.reduction, in_versions{12});
        visit("use_init_val", self.use_init_val, in_versions{12});
    }
    static constexpr void infer(const scatter_elements_update& self, inference& facts) {
        facts.require_integers(1);
        const element type = detail::infer_updated_type(facts);
        if (type == boolean && self.reduction == element_reduction::mean) {
            facts.wrong({"boolean values have no mean"});
        }
        const std::int64_t axis = detail::infer_updated_axis(facts);
        const shape& data = facts.dimensions(0);
        shape indices = facts.dimensions(1);
        if (!merge_shape(indices, facts.dimensions(2))) {
            facts.wrong(
                {"indices and updates must have one shape, not ", facts.dimensions(1), " and ", facts.dimensions(2)});
        }
        if (data.rank_is_static() && indices.rank_is_static()) {
            bool fits = indices.rank() == data.rank();
            for (std::size_t i = 0; fits && axis != unknown_value && i < data.rank(); ++i) {
                fits = static_cast<std::int64_t>(i) == axis || indices[i] == dynamic_dimension ||
                       data[i] == dynamic_dimension || indices[i] <= data[i];
            }
            if (!fits) {
                facts.wrong({"indices of shape ", indices, " do not fit data of shape ", data});
            }
        }
        facts.output(type, data);
    }
    friend constexpr bool operator==(const scatter_elements_update&, const scatter_elements_update&) = default;
};

}  // namespace lpt::inline LPT_ABI::op
