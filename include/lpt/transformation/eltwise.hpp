// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>

/// What Add and Multiply of two branches have in common: one branch keeps its dequantization, the other one gives it up.
namespace lpt::inline LPT_ABI {

/// Where the dequantization of a two-input operation goes.
enum class full_path : int {
    constant = -1,  // one branch is constant: neither
    first = 0,  // input 0 stays in floating point, input 1 has low precision
    second = 1,  // input 1 stays in floating point, input 0 has low precision
};
/// The branch that stays in floating point: input 0 if `is_first`.
constexpr full_path full_branch(bool is_first) { return is_first ? full_path::first : full_path::second; }

namespace detail {

/// The operations that engines join with an elementwise operation behind them.
constexpr bool joins_with_eltwise(const graph& model, node_id id) {
    return model[id].is<op::convolution>() || model[id].is<op::group_convolution>() || model[id].is<op::mat_mul>();
}

/// The operation whose values arrive at the FakeQuantize of a branch, past bias and dequantization of a convolution or MatMul.
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
    const bool others[2] = {has_other_consumers(model, first, parents[0]),
                            has_other_consumers(model, second, parents[1])};
    return joins[0] == joins[1] && is_broadcast(model[parents[0]].shape())   ? full_path::first
           : joins[0] == joins[1] && is_broadcast(model[parents[1]].shape()) ? full_path::second
           : others[0] != others[1]                                          ? full_branch(!others[0])
                                                                             : full_branch(joins[0] || !joins[1]);
}

}  // namespace detail

/// Chooses the branch that stays in floating point, so that the other one can have low precision.
///
/// The first rule that decides: a constant branch (neither); the one branch that has no low precision; without `update_precisions` the one that has no
/// dequantization, input 0 if that holds for both or none (nothing further is asked); the one that comes from a FakeQuantize; of two the FakeQuantize
/// with one consumer; a branch that is broadcast, where both or neither come from a convolution or MatMul; a branch without other consumers; the one
/// that a convolution or MatMul computes; input 0. `first` and `second` are the dequantizations on the operation's inputs.
[[gnu::noinline]] constexpr full_path choose_full_path(const rewrite& r, const dequantization& first,
                                                       const dequantization& second) {
    const graph& model = r.model;
    const bool low[2] = {!first.empty() && is_low_precision(model, first),
                         !second.empty() && is_low_precision(model, second)};
    const bool quantizes[2] = {model[first.data.node].is<op::fake_quantize>(),
                               model[second.data.node].is<op::fake_quantize>()};
    const bool read_once[2] = {model.use_count({first.data.node, 0}) == 1, model.use_count({second.data.node, 0}) == 1};
    return is_constant(model, first.data) || is_constant(model, second.data) ? full_path::constant
           : low[0] != low[1]                                                ? full_branch(!low[0])
           : !r.options.update_precisions ? full_branch(first.empty() || !second.empty())
           : quantizes[0] != quantizes[1] ? full_branch(quantizes[0])
           : quantizes[0] && read_once[0] != read_once[1]
               ? full_branch(read_once[0])
               : detail::choose_by_parents(model, first.data.node, second.data.node);
}

/// The dequantizations on both inputs of an operation.
constexpr void find_branches(const rewrite& r, node_id id, dequantization (&branches)[2]) {
    branches[0] = find_dequantization(r, id, 0);
    branches[1] = find_dequantization(r, id, 1);
}

/// Both branches can be found, and at least one has a dequantization with per-tensor or per-channel constants; that of input 0 has them if it exists.
///
/// `branches` are the dequantizations on both inputs.
[[gnu::noinline]] constexpr verdict eltwise_precondition(const rewrite& r, node_id id, view<dequantization> branches) {
    const verdict base = base_precondition(r, id, branches[0]);
    const std::size_t inputs = r.model[id].inputs();
    const verdict are_there = !base ? base
                              : inputs != 2
                                  ? refuse_value(reason::other_number_of_inputs, -1, static_cast<double>(inputs))
                              : !branches[0].data ? refuse(reason::no_dequantization, branches[0].port)
                              : !branches[1].data ? refuse(reason::no_dequantization, branches[1].port)
                              : branches[0].empty() && branches[1].empty() ? refuse(reason::no_dequantization)
                                                                           : yes;
    if (!are_there) {
        return are_there;
    }
    node_id unfit = node_id::none;
    for (const dequantization& found : branches) {
        if (!found.empty() && is_per_channel(r.model, found, found.channel_axis)) {
            return yes;
        }
        unfit = unfit == node_id::none ? constant_of_many(r.model, found) : unfit;
    }
    return refuse_because_of(reason::not_per_tensor_or_per_channel, -1, unfit);
}

/// Where one branch of an operation is constant and the other a Multiply by a constant, and the refusal where it is not like this.
struct constant_branch {
    verdict why;
    std::size_t port = 0;  // of the constant branch
    output_ref operand;  // its Constant, dequantized
    node_id multiply = node_id::none;  // the other branch
    output_ref data;  // what it multiplies
    output_ref scale;  // by what
};

/// Finds the constant branch and folds its dequantization; `branches` are the dequantizations on both inputs.
constexpr constant_branch fold_constant_branch(rewrite& r, node_id id, view<dequantization> branches) {
    graph& model = r.model;
    constant_branch result;
    for (const std::size_t port : {std::size_t{0}, std::size_t{1}}) {
        const node_id multiply = model.producer(id, 1 - port);
        const output_ref data = branches[port].empty() ? model[id].input(port) : branches[port].data;
        if (!is_constant(model, data) || !model[multiply].is<op::multiply>()) {
            continue;
        }
        if (const auto operands = detail::operands_of(model, multiply)) {
            result = {yes, port, {}, multiply, operands.data, operands.constant};
        }
        break;
    }
    if (result.multiply == node_id::none) {
        fold_dequantization(r, id, 0);
        fold_dequantization(r, id, 1);
        result.why = refuse(reason::nothing_to_do);
        return result;
    }
    fold_dequantization(r, id, result.port);
    result.operand = model[id].input(result.port);
    if (!is_constant(model, result.operand)) {
        result.why = refuse_type(reason::types_do_not_match, static_cast<int>(result.port), model.type(result.operand));
    }
    return result;
}

/// The linear function scale * (x - zero_point), as values of one type.
struct affine {
    constant zero_point;
    constant scale;
};
/// What a dequantization does, in the type of computations; zero point 0 and scale 1 where it has none.
constexpr affine affine_of(const rewrite& r, const dequantization& found) {
    const auto value_of = [&](node_id id, double otherwise) -> constant {
        if (id == node_id::none) {
            return make_scalar(r.computed_type(), otherwise);
        }
        return constant(r.model, id).as(r.computed_type());
    };
    return {value_of(found.zero_point, 0), value_of(found.scale, 1)};
}
/// Appends Convert, Subtract and Multiply, as far as they do something to the data, but always the Multiply.
constexpr output_ref append_affine(rewrite& r, output_ref data, const affine& what) {
    graph& model = r.model;
    if (model.type(data) != r.computed_type()) {
        data = model.add(op::convert{r.computed_type()}, {data});
    }
    if (!is_zero(what.zero_point)) {
        data = model.add(op::subtract{}, {data, what.zero_point.in(model)});
    }
    return model.add(op::multiply{}, {data, what.scale.in(model)});
}

}  // namespace lpt::inline LPT_ABI
