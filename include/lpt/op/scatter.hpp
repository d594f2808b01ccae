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

}  // namespace lpt::inline LPT_ABI::op
