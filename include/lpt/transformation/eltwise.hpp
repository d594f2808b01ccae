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

/// Both branches can be found, and at least one has a dequantization with per-tensor or per-channel constants.
///
/// `branches` are the dequantizations on both inputs.
[[gnu::noinline]] constexpr verdict eltwise_precondition(const auto& r, node_id id, view<dequantization> branches) {
    if (const verdict base = base_precondition_of(r, id, branches[0]); !base) {
        return base;
    }
    if (r.model[id].inputs() != 2) {
        return refuse_value(reason::other_number_of_inputs, -1, static_cast<double>(r.model[id].inputs()));
    }
    bool any_quantized = false;
    bool any_fits = false;
    node_id unfit = node_id::none;
    for (std::size_t port = 0; port < 2; ++port) {
        const dequantization& found = branches[port];
        if (!found.data) {
            return refuse(reason::no_dequantization, static_cast<int>(port));
        }
        any_quantized = any_quantized || !found.empty();
        unfit = unfit == node_id::none ? constant_of_many(r.model, found) : unfit;
        any_fits =
            any_fits || (!found.empty() &&
                         (!found.has_multiply() ||
                          is_per_channel_constant(r.model, found.multiply, found.scale, found.channel_axis)) &&
                         (!found.has_subtract() ||
                          is_per_channel_constant(r.model, found.subtract, found.zero_point, found.channel_axis)));
    }
    if (!any_quantized) {
        return refuse(reason::no_dequantization);
    }
    return any_fits ? yes : refuse_because_of(reason::not_per_tensor_or_per_channel, -1, unfit);
}

namespace detail {

/// The operations that engines join with an elementwise operation behind them.
constexpr bool joins_with_eltwise(const graph& model, node_id id) {
    return model[id].is<op::convolution>() || model[id].is<op::group_convolution>() || model[id].is<op::mat_mul>();
}

/// The operation whose values arrive at the FakeQuantize of a branch; a bias and a dequantization above it are passed over
/// where a convolution or MatMul lies behind them.
template <int Once = 0>
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
    if (dimensions.rank_is_dynamic()) {
        return false;
    }
    const std::size_t rank = dimensions.rank();
    for (std::size_t axis = rank < 3 ? (rank == 2 ? 1 : 0) : 2; axis < rank; ++axis) {
        if (dimensions[axis] != 1) {
            return false;
        }
    }
    return true;
}

/// True if anything from the data of a branch up to its parent (both included) is read by others too.
constexpr bool has_other_consumers(const auto& model, node_id data, node_id parent) {
    const auto shared = [&](node_id each) { return model[each].outputs() != 1 || model.use_count({each, 0}) != 1; };
    for (node_id each = data; each != parent; each = model.producer(each, 0)) {
        if (shared(each)) {
            return true;
        }
    }
    return shared(parent);
}

/// The branch that has to stay in floating point for the sake of what lies above both branches.
constexpr full_path choose_by_parents(const auto& model, node_id first, node_id second) {
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
[[gnu::noinline]] constexpr full_path choose_full_path(const auto& r, const dequantization& first,
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
        if (!first.empty() && second.empty()) {
            return full_path::second;
        }
        if (first.empty() || !second.empty()) {
            return full_path::first;
        }
    }
    const bool first_quantizes = model[first.data.node].is<op::fake_quantize>();
    const bool second_quantizes = model[second.data.node].is<op::fake_quantize>();
    if (first_quantizes != second_quantizes) {
        return first_quantizes ? full_path::first : full_path::second;
    }
    if (first_quantizes) {
        const std::size_t first_users = model.use_count({first.data.node, 0});
        const std::size_t second_users = model.use_count({second.data.node, 0});
        if (first_users == 1 && second_users > 1) {
            return full_path::first;
        }
        if (first_users > 1 && second_users == 1) {
            return full_path::second;
        }
    }
    return detail::choose_by_parents(model, first.data.node, second.data.node);
}

/// Where one branch is constant and the other a Multiply by a constant: which input the Multiply is, and which of its
/// inputs is not the constant. -1: it is not like this.
struct constant_branch {
    int multiply = -1;
    int data = -1;
};

/// `branches` are the dequantizations on both inputs.
constexpr constant_branch find_constant_branch(const auto& r, node_id id, view<dequantization> branches) {
    const graph& model = r.model;
    for (const int multiply : {1, 0}) {
        const auto other = static_cast<std::size_t>(1 - multiply);
        const node_id parent = model.producer(id, static_cast<std::size_t>(multiply));
        const dequantization& found = branches[other];
        const output_ref data = found.empty() ? model[id].input(other) : found.data;
        if (!is_constant(model, data) || !model[parent].is<op::multiply>()) {
            continue;
        }
        for (const int scale : {1, 0}) {
            if (is_constant(model, model[parent].input(static_cast<std::size_t>(scale)))) {
                return {multiply, 1 - scale};
            }
        }
        return {};
    }
    return {};
}

/// Zero point and scale of a dequantization as Constants of the dequantization precision; 0 and 1 where there is none.
struct dequantization_values {
    output_ref zero_point;
    output_ref scale;
};

constexpr dequantization_values values_of(auto& r, const dequantization& found) {
    graph& model = r.model;
    const element type = r.computed_type();
    const auto constant = [&](node_id id, double otherwise) -> output_ref {
        return id == node_id::none ? output_ref(model.constant(make_scalar(type, otherwise)))
                                   : fold_convert(model, id, type);
    };
    return {constant(found.zero_point, 0), constant(found.scale, 1)};
}

/// The data of a branch that stays in floating point: converted, but without zero point and scale.
constexpr output_ref floating_point_data(const dequantization& found) {
    return found.has_convert() ? output_ref(found.convert) : found.data;
}

}  // namespace lpt::inline LPT_ABI
