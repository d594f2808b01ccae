// SPDX-License-Identifier: Apache-2.0
// Reductions and normalizations over any axes.
#pragma once

#include <lpt/plan/planner.hpp>

#include <utility>

namespace lpt::inline LPT_ABI::plan {

namespace detail {

/// Which axes of a tensor an operation works along; false where they are not known.
using axis_set = std::vector<bool>;

inline bool axes_of_input(const graph& model, const node& each, axis_set& result) {
    const tensor* axes = each.inputs() > 1 ? model.constant_value(each.input(1)) : nullptr;
    const std::size_t rank = model.shape(each.input(0)).rank();
    result.assign(rank, false);
    for (std::size_t i = 0; axes != nullptr && i < axes->elements() && rank != 0; ++i) {
        const std::int64_t axis = normalized_axis(axes->integer(i), rank);
        if (axis < 0) {
            return false;
        }
        result[static_cast<std::size_t>(axis)] = true;
    }
    return axes != nullptr;
}

/// The axes of MVN: an input from version 6 on; before, an attribute, or what `across_channels` says.
inline bool axes_of_mvn(const graph& model, const node& each, axis_set& result) {
    if (each.version() >= 6) {
        return axes_of_input(model, each, result);
    }
    const auto& self = each.as<op::mvn>();
    const std::size_t rank = model.shape(each.input(0)).rank();
    result.assign(rank, false);
    for (const std::int64_t axis : self.reduction_axes) {
        result[static_cast<std::size_t>(normalized_axis(axis, rank))] = true;
    }
    for (std::size_t axis = self.across_channels ? 1 : 2; self.reduction_axes.empty() && axis < rank; ++axis) {
        result[axis] = true;
    }
    return true;
}

/// Those axes of a dense tensor that are in a set, or that are not; neighbours are one. False for more than kernels take.
inline bool listed_axes(const shape& dimensions, const axis_set& set, bool inside, kernel::axis_list& result) {
    const std::vector<std::int64_t> strides = strides_of(dimensions, layout::plain);
    for (std::size_t axis = 0; axis < dimensions.rank(); ++axis) {
        if (set[axis] != inside || dimensions[axis] == 1) {
            continue;
        }
        const std::int64_t size = dimensions[axis];
        if (result.count != 0 && result.strides[result.count - 1] == size * strides[axis]) {
            result.sizes[result.count - 1] *= size;
            result.strides[result.count - 1] = strides[axis];
        } else if (result.count == kernel::axis_list::most) {
            return false;
        } else {
            result.sizes[result.count] = size;
            result.strides[result.count] = strides[axis];
            ++result.count;
        }
    }
    return true;
}

inline bool reduction_of(op::kind kind, kernel::reduction_kind& result) {
    switch (kind) {
        case op::kind::reduce_sum: result = kernel::reduction_kind::sum; return true;
        case op::kind::reduce_mean: result = kernel::reduction_kind::mean; return true;
        case op::kind::reduce_max: result = kernel::reduction_kind::maximum; return true;
        case op::kind::reduce_min: result = kernel::reduction_kind::minimum; return true;
        case op::kind::reduce_prod: result = kernel::reduction_kind::product; return true;
        case op::kind::reduce_l1: result = kernel::reduction_kind::l1; return true;
        case op::kind::reduce_l2: result = kernel::reduction_kind::l2; return true;
        default: return false;
    }
}

/// How MVN or NormalizeL2 normalizes; false for other operations, and for an epsilon that single precision cannot tell from squares that
/// it loses.
inline bool normalization_of(const node& each, kernel::normalization_problem& result) {
    constexpr double least_epsilon = 1e-30;
    double epsilon = 0;
    if (each.is<op::mvn>()) {
        const auto& self = each.as<op::mvn>();
        const bool outside = each.version() >= 6 && self.eps_mode == op::mvn_eps_mode::outside_sqrt;
        epsilon = self.eps;
        result.kind = !self.normalize_variance ? kernel::normalization_kind::mean
                      : outside                ? kernel::normalization_kind::mean_and_shifted_deviation
                                               : kernel::normalization_kind::mean_and_deviation;
    } else if (each.is<op::normalize_l2>()) {
        const auto& self = each.as<op::normalize_l2>();
        epsilon = self.eps;
        result.kind = self.eps_mode == op::normalize_eps_mode::add ? kernel::normalization_kind::length
                                                                   : kernel::normalization_kind::limited_length;
    } else {
        return false;
    }
    result.epsilon = static_cast<float>(epsilon);
    return result.kind == kernel::normalization_kind::mean || epsilon >= least_epsilon;
}

}  // namespace detail

/// Reductions but those of truth values.
inline bool planner::make_reduction(node_id id) {
    const node& each = model()[id];
    kernel::reduction_problem problem;
    detail::axis_set axes;
    if (!detail::reduction_of(each.kind(), problem.kind) || !detail::maps_f32(model(), each) ||
        !detail::axes_of_input(model(), each, axes)) {
        return false;
    }
    const shape& data = model().shape(each.input(0));
    if (!detail::listed_axes(data, axes, false, problem.kept) ||
        !detail::listed_axes(data, axes, true, problem.reduced)) {
        return false;
    }
    const tensor_id from = make_f32(tensor_of(each.input(0), layout::plain));
    const tensor_id to = add_tensor(f32, each.shape(), layout::plain);
    define(id, to);
    add_kernel({id}, problem, {from, to});
    return true;
}

/// The group that scales and shifts the elements of a normalization's only axis, if nobody else reads the normalization; null: there is none.
inline const group* planner::affine_behind(node_id id, const kernel::normalization_problem& problem) const {
    const output_ref output(id, 0);
    const shape& dimensions = model()[id].shape();
    const bool one_axis = problem.reduced.count == 1 && dimensions.rank() != 0 && problem.reduced.strides[0] == 1 &&
                          problem.reduced.sizes[0] == dimensions[dimensions.rank() - 1];
    if (!one_axis || model().use_count(output) != 1) {
        return nullptr;
    }
    const node_id user = model().uses(output)[0].node;
    const int number = grouping_.of_node[index_of(user)];
    if (number < 0) {
        return nullptr;
    }
    const group& made = grouping_.groups[static_cast<std::size_t>(number)];
    const chain& behind = made.functions;
    const auto fits = [&](const spread& numbers) {
        return numbers.is_one() || (numbers.varies_only_along(dimensions.rank() - 1) &&
                                    static_cast<std::int64_t>(numbers.values.size()) == problem.reduced.sizes[0]);
    };
    const bool is_affine = made.form == group_form::one_operand && made.operands[0].base == output &&
                           behind.type == f32 && behind.dimensions == dimensions && behind.functions.size() == 1 &&
                           behind.functions[0].what == chain_function::form::affine;
    return is_affine && fits(behind.functions[0].scale) && fits(behind.functions[0].shift) ? &made : nullptr;
}
/// The numbers along the innermost axis as a constant.
inline tensor_id planner::numbers_along(const spread& numbers, std::int64_t length) {
    tensor_builder result(f32, shape{static_cast<dimension>(length)});
    for (std::size_t i = 0; i < result.elements(); ++i) {
        result.real(i, numbers.values[numbers.is_one() ? 0 : i]);
    }
    return add_constant(result.finish());
}

/// MVN and NormalizeL2, with a scale and a shift of each element behind them.
inline bool planner::make_normalization(node_id id) {
    const node& each = model()[id];
    kernel::normalization_problem problem;
    detail::axis_set axes;
    if (!detail::normalization_of(each, problem) || !detail::maps_f32(model(), each) ||
        !(each.is<op::mvn>() ? detail::axes_of_mvn(model(), each, axes) : detail::axes_of_input(model(), each, axes)) ||
        !detail::listed_axes(each.shape(), axes, false, problem.kept) ||
        !detail::listed_axes(each.shape(), axes, true, problem.reduced)) {
        return false;
    }
    const tensor_id from = make_f32(tensor_of(each.input(0), layout::plain));
    const tensor_id to = add_tensor(f32, each.shape(), layout::plain);
    const group* const behind = affine_behind(id, problem);
    if (behind == nullptr) {
        define(id, to);
        add_kernel({id}, problem, {from, to, tensor_id::none, tensor_id::none}, f32, true);
        return true;
    }
    std::vector<node_id> nodes{id};
    for (const node_id member : behind->functions.nodes) {
        is_joined_[index_of(member)] = true;
        nodes.push_back(member);
    }
    const chain_function& affine = behind->functions.functions[0];
    const tensor_id scale = numbers_along(affine.scale, problem.reduced.sizes[0]);
    const tensor_id shift = numbers_along(affine.shift, problem.reduced.sizes[0]);
    define(behind->functions.tail, to);
    add_kernel(std::move(nodes), problem, {from, to, scale, shift}, f32, true);
    return true;
}

}  // namespace lpt::inline LPT_ABI::plan
