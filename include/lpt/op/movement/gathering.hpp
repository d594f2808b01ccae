// SPDX-License-Identifier: Apache-2.0
// Slices of the input, chosen by indices.
#pragma once

#include <lpt/op/movement/port_values.hpp>

namespace lpt::inline LPT_ABI::op {

/// Slices of the input along an axis, chosen by indices.
///
/// y[b…, o…, i…, r…] = x[b…, o…, indices[b…, i…], r…]
/// Inputs: x, indices, axis (scalar). `batch_dims` leading axes (from version 7 on, negative counts from the back of
/// indices) are common to x and indices; `batch_dims` <= axis. Source: OpenVINO operation set, Gather-1, -7, -8.
struct gather {
    static constexpr auto number = kind::gather;
    static constexpr text_view name = "Gather";
    static constexpr versions opsets{1, 7, 8};
    static constexpr ports inputs{3, 3};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits =
        trait::movement | trait::precision_preserved | trait::reads_values | trait::quantizable;

    std::int64_t batch_dims = 0;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("batch_dims", self.batch_dims, in_versions{7});
    }
    static constexpr void infer(const gather& self, inference& facts);
    friend constexpr bool operator==(const gather&, const gather&) = default;
};

/// Slices of the input, each chosen by a tuple of indices.
///
/// Inputs: x, indices `[b…, i…, K]` with K <= rank of x - `batch_dims`. Output: `[b…, i…, the rest of x's axes]`;
/// version 5 joins several batch axes into one. Source: OpenVINO operation set, GatherND-5, -8.
struct gather_nd {
    static constexpr auto number = kind::gather_nd;
    static constexpr text_view name = "GatherND";
    static constexpr versions opsets{5, 8};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::movement;

    std::int64_t batch_dims = 0;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("batch_dims", self.batch_dims);
    }
    static constexpr void infer(const gather_nd& self, inference& facts);
    friend constexpr bool operator==(const gather_nd&, const gather_nd&) = default;
};

/// Elements of the input, each chosen along an axis by an index of its own.
///
/// y[…, i, …] = x[…, indices[…, i, …], …]. Inputs: x, indices (integers; negative ones count from the end), whose shapes have as many axes and
/// differ along `axis` in [-rank, rank) only. y has the shape of the indices. Source: OpenVINO operation set, GatherElements-6.
struct gather_elements {
    static constexpr auto number = kind::gather_elements;
    static constexpr text_view name = "GatherElements";
    static constexpr versions opsets{6};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::movement;

    std::int64_t axis = 0;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("axis", self.axis);
    }
    static constexpr void infer(const gather_elements& self, inference& facts);
    friend constexpr bool operator==(const gather_elements&, const gather_elements&) = default;
};

namespace detail {

/// The shape of indices that name an element of data each; sizes of the other axes follow from the data.
constexpr shape infer_indices_of_elements(const inference& facts, std::int64_t axis_value) {
    const shape& data = facts.dimensions(0);
    shape indices = facts.dimensions(1);
    facts.require_integers(1);
    if (data.rank_is_dynamic()) {
        return indices;
    }
    const std::size_t axis = checked_axis(facts, axis_value, data.rank());
    if (indices.rank_is_dynamic()) {
        indices = shape::of_rank(data.rank());
    }
    bool fits = indices.rank() == data.rank();
    for (std::size_t i = 0; fits && i < data.rank(); ++i) {
        fits = i == axis || merge_dimension(indices[i], data[i]);
    }
    if (!fits) {
        facts.wrong({"indices of shape ", facts.dimensions(1), " do not fit data of shape ", data,
                     ", from which they may differ along axis ", axis_value, " only"});
    }
    return indices;
}

/// The number of leading axes that data and indices have in common; the rank of indices is known.
constexpr std::size_t checked_batch(const inference& facts, std::int64_t batch_dims) {
    const auto rank = static_cast<std::int64_t>(facts.dimensions(1).rank());
    const std::int64_t batch = batch_dims < 0 ? batch_dims + rank : batch_dims;
    if (batch < 0 || batch > rank) {
        facts.wrong({"batch_dims ", batch_dims, " does not fit indices of shape ", facts.dimensions(1)});
    }
    return static_cast<std::size_t>(batch);
}

/// The axes that data and indices have in common, merged.
constexpr shape merged_batch(const inference& facts, std::size_t batch) {
    shape result;
    for (std::size_t i = 0; i < batch; ++i) {
        dimension size = facts.dimensions(0)[i];
        if (!merge_dimension(size, facts.dimensions(1)[i])) {
            facts.wrong({"data of shape ", facts.dimensions(0), " and indices of shape ", facts.dimensions(1),
                         " differ in their first ", batch, " axes"});
        }
        result.push_back(size);
    }
    return result;
}

constexpr shape infer_gather(const inference& facts, std::int64_t batch_dims) {
    const shape& data = facts.dimensions(0);
    const shape& indices = facts.dimensions(1);
    facts.require_integers(1);
    const std::int64_t axis_value = scalar_value(facts, 2);
    if (data.rank_is_static() && axis_value != unknown_value) {
        checked_axis(facts, axis_value, data.rank());
    }
    if (data.rank_is_dynamic() || indices.rank_is_dynamic()) {
        return shape::of_dynamic_rank();
    }
    const std::size_t batch = checked_batch(facts, facts.version() >= 7 ? batch_dims : 0);
    if (data.rank() == 0 || batch >= data.rank()) {
        facts.wrong({"data of shape ", data, " has no axis to gather along after ", batch, " batch axes"});
    }
    if (axis_value == unknown_value) {
        return shape::of_rank(data.rank() + indices.rank() - 1 - batch);
    }
    const std::size_t axis = checked_axis(facts, axis_value, data.rank());
    if (batch > axis) {
        facts.wrong({"batch_dims ", batch_dims, " is greater than axis ", axis_value});
    }
    shape result = merged_batch(facts, batch);
    for (std::size_t i = batch; i < axis; ++i) {
        result.push_back(data[i]);
    }
    for (std::size_t i = batch; i < indices.rank(); ++i) {
        result.push_back(indices[i]);
    }
    for (std::size_t i = axis + 1; i < data.rank(); ++i) {
        result.push_back(data[i]);
    }
    return result;
}

/// The batch axes of version 5, of which several become one.
constexpr shape joined_batch(const shape& batch) {
    if (batch.rank() < 2) {
        return batch;
    }
    return {batch.is_static() ? static_cast<dimension>(batch.elements()) : dynamic_dimension};
}

constexpr shape infer_gather_nd(const inference& facts, std::int64_t batch_dims) {
    const shape& data = facts.dimensions(0);
    const shape& indices = facts.dimensions(1);
    facts.require_integers(1);
    if (data.rank_is_dynamic() || indices.rank_is_dynamic()) {
        return shape::of_dynamic_rank();
    }
    if (batch_dims < 0 || static_cast<std::size_t>(batch_dims) >= indices.rank() ||
        static_cast<std::size_t>(batch_dims) >= data.rank()) {
        facts.wrong(
            {"batch_dims ", batch_dims, " does not fit data of shape ", data, " and indices of shape ", indices});
    }
    const auto batch = static_cast<std::size_t>(batch_dims);
    const dimension tuple = indices[indices.rank() - 1];
    const shape common = merged_batch(facts, batch);
    if (tuple == dynamic_dimension) {
        return shape::of_dynamic_rank();
    }
    if (batch + static_cast<std::size_t>(tuple) > data.rank()) {
        facts.wrong(
            {"indices of shape ", to_text(indices), " name more axes than data of shape ", to_text(data), " has"});
    }
    shape result = facts.version() < 8 ? joined_batch(common) : common;
    for (std::size_t i = batch; i + 1 < indices.rank(); ++i) {
        result.push_back(indices[i]);
    }
    for (std::size_t i = batch + static_cast<std::size_t>(tuple); i < data.rank(); ++i) {
        result.push_back(data[i]);
    }
    return result;
}

}  // namespace detail

constexpr void gather::infer(const gather& self, inference& facts) {
    facts.output(facts.type(0), detail::infer_gather(facts, self.batch_dims));
}
constexpr void gather_nd::infer(const gather_nd& self, inference& facts) {
    facts.output(facts.type(0), detail::infer_gather_nd(facts, self.batch_dims));
}
constexpr void gather_elements::infer(const gather_elements& self, inference& facts) {
    facts.output(facts.type(0), detail::infer_indices_of_elements(facts, self.axis));
}

}  // namespace lpt::inline LPT_ABI::op
