// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization/questions.hpp>

namespace lpt::inline LPT_ABI {

/// Where the dequantization of a two-input operation goes.
enum class full_path : int {
    constant = -1,  // one branch is constant: neither
    first = 0,  // input 0 stays in floating point, input 1 has low precision
    second = 1,  // input 1 stays in floating point, input 0 has low precision
};

namespace detail {

/// The operations that engines join with an elementwise operation behind them.
constexpr bool joins_with_eltwise(const graph& model, node_id id) {
    return model[id].is<op::convolution>() || model[id].is<op::group_convolution>() || model[id].is<op::mat_mul>();
}

/// The operation whose values arrive at the FakeQuantize of a branch; a bias and a dequantization above it are passed over
/// where a convolution or MatMul lies behind them.
constexpr node_id parent_of_branch(const graph& model, node_id data) {
    node_id parent = data;
    while (model[parent].is<op::fake_quantize>()) {
        parent = model.producer(parent, 0);
    }
    if (!model[parent].has(mark::bias)) {
        return parent;
    }
    if (const node_id above = model.producer(parent, 0); joins_with_eltwise(model, above)) {
        return above;
    }
    const dequantization found = find_dequantization(model, parent, view<element>());
    return !found.empty() && joins_with_eltwise(model, found.data.node) ? found.data.node : parent;
}

/// True if a tensor has size 1 along all axes from the third on (the last, if it has fewer).
constexpr bool is_broadcast(const shape& dimensions) {
    const std::size_t first = dimensions.rank() < 3 ? (dimensions.rank() == 2 ? 1 : 0) : 2;
    return dimensions.rank_is_static() && varies_only_where(dimensions, [=](std::size_t axis) { return axis < first; });
}

/// True if anything from the data of a branch up to its parent (both included) is read by others too.
constexpr bool has_other_consumers(const graph& model, node_id data, node_id parent) {
    const auto shared = [&](node_id each) { return model[each].outputs() != 1 || model.use_count({each, 0}) != 1; };
    node_id each = data;
    while (each != parent && !shared(each)) {
        each = model.producer(each, 0);
    }
    return shared(each);
}

/// The branch that has to stay in floating point for the sake of what lies above both branches.
constexpr full_path choose_by_parents(const graph& model, node_id first, node_id second) {
    const node_id parents[2] = {parent_of_branch(model, first), parent_of_branch(model, second)};
    const bool joins[2] = {joins_with_eltwise(model, parents[0]), joins_with_eltwise(model, parents[1])};
    if (joins[0] == joins[1]) {
        if (is_broadcast(model[parents[0]].shape())) {
            return full_path::first;
        }
        if (is_broadcast(model[parents[1]].shape())) {
            return full_path::second;
        }
    }
    const bool others[2] = {has_other_consumers(model, first, parents[0]),
                            has_other_consumers(model, second, parents[1])};
    if (others[0] != others[1]) {
        return others[0] ? full_path::second : full_path::first;
    }
    return joins[1] && !joins[0] ? full_path::second : full_path::first;
}

}  // namespace detail

/// Chooses the branch that stays in floating point, so that the other one can have low precision.
///
/// The first rule that decides: a constant branch (neither); the one branch that has no low precision; without
/// `update_precisions` the one that has no dequantization; the one that comes from a FakeQuantize; of two the FakeQuantize with one
/// consumer; a branch that is broadcast; a branch without other consumers; the one that a convolution or MatMul computes; input 0.
///
/// `first` and `second` are the dequantizations on its inputs.
[[gnu::noinline]] constexpr full_path choose_full_path(const rewrite& r, const dequantization& first,
                                                       const dequantization& second) {
    const graph& model = r.model;
    if (is_constant(model, first.data) || is_constant(model, second.data)) {
        return full_path::constant;
    }
    const bool first_low = !first.empty() && is_low_precision(model, first);
    const bool second_low = !second.empty() && is_low_precision(model, second);
    if (first_low != second_low) {
        return first_low ? full_path::second : full_path::first;
    }
    if (!r.options.update_precisions) {
        return !first.empty() && second.empty() ? full_path::second : full_path::first;
    }
    const bool first_quantizes = model[first.data.node].is<op::fake_quantize>();
    const bool second_quantizes = model[second.data.node].is<op::fake_quantize>();
    if (first_quantizes != second_quantizes) {
        return first_quantizes ? full_path::first : full_path::second;
    }
    const bool first_is_read_once = model.use_count({first.data.node, 0}) == 1;
    const bool second_is_read_once = model.use_count({second.data.node, 0}) == 1;
    if (first_quantizes && first_is_read_once != second_is_read_once) {
        return first_is_read_once ? full_path::first : full_path::second;
    }
    return detail::choose_by_parents(model, first.data.node, second.data.node);
}

}  // namespace lpt::inline LPT_ABI
