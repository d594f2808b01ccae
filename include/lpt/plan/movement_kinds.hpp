// SPDX-License-Identifier: Apache-2.0
// Operations that move elements, and the layouts in which they can.
#pragma once

#include <lpt/plan/groups.hpp>
#include <lpt/plan/steps.hpp>

#include <algorithm>

namespace lpt::inline LPT_ABI::plan::detail {

/// Elements of which whole tensors change their layout in one step.
inline bool may_change_layout(element type) { return bit_width(type) == 8 || bit_width(type) == 32; }

/// True for a Transpose whose output has, in the one layout, the bytes that its input has in the other, `from`.
inline bool moves_channels(const graph& model, const node& each, layout from) {
    const tensor* order = each.is<op::transpose>() ? model.constant_value(each.input(1)) : nullptr;
    if (order == nullptr || !each.shape().is_static() || !may_change_layout(each.type())) {
        return false;
    }
    const std::size_t rank = each.shape().rank();
    if (rank < 3 || order->elements() != rank) {
        return false;
    }
    const std::vector<std::size_t> last = memory_order(rank, layout::channels_last);
    for (std::size_t i = 0; i < rank; ++i) {
        const std::size_t at = from == layout::channels_last ? i : last[i];
        const std::size_t axis = from == layout::channels_last ? last[i] : i;
        if (order->integer(at) != static_cast<std::int64_t>(axis)) {
            return false;
        }
    }
    return true;
}

/// An operation that only says which element goes where.
inline bool moves_elements(op::kind kind) {
    switch (kind) {
        case op::kind::split:
        case op::kind::variadic_split:
        case op::kind::strided_slice:
        case op::kind::slice:
        case op::kind::gather:
        case op::kind::transpose:
        case op::kind::depth_to_space:
        case op::kind::space_to_depth:
        case op::kind::batch_to_space:
        case op::kind::space_to_batch:
        case op::kind::shuffle_channels:
        case op::kind::broadcast:
        case op::kind::tile:
        case op::kind::pad:
        case op::kind::reverse_sequence:
        case op::kind::roll:
        case op::kind::gather_elements:
        case op::kind::interpolate: return true;
        default: return false;
    }
}

inline bool has_constant_parameters(const graph& model, const node& each) {
    for (std::size_t port = 1; port < each.inputs(); ++port) {
        if (model.constant_value(each.input(port)) == nullptr) {
            return false;
        }
    }
    return true;
}

inline bool have_one_type(const graph& model, const node& each) {
    for (std::size_t port = 0; port < each.inputs(); ++port) {
        if (model.type(each.input(port)) != each.type()) {
            return false;
        }
    }
    return true;
}

/// Whether nothing but Results read a node: outputs of a network are planes.
inline bool is_only_a_result(const graph& model, node_id id) {
    const auto uses = model.uses(id);
    return !uses.empty() && std::all_of(uses.begin(), uses.end(),
                                        [&](const input_ref& user) { return model[user.node].is<op::result>(); });
}

inline bool is_weighted_interpolate(const node& each) {
    return each.is<op::interpolate>() && each.as<op::interpolate>().mode != op::interpolate_mode::nearest;
}

/// True for an Interpolate that writes planes itself, whichever layout it reads.
inline bool gives_planes(const graph& model, node_id id) {
    return is_weighted_interpolate(model[id]) && is_only_a_result(model, id);
}

/// True for an operation that moves or mixes elements between the same axes, in either layout.
inline bool keeps_axes(const graph& model, const node& each) {
    if (each.inputs() == 0 || each.outputs() == 0 || !may_change_layout(each.type())) {
        return false;
    }
    const shape& data = model.shape(each.input(0));
    for (std::size_t port = 0; port < each.outputs(); ++port) {
        if (data.rank() < 3 || each.shape(port).rank() != data.rank() || !each.shape(port).is_static()) {
            return false;
        }
    }
    switch (each.kind()) {
        case op::kind::concat: return have_one_type(model, each);
        case op::kind::transpose:
        case op::kind::gather:
        case op::kind::gather_elements: return false;
        // Pixels whose channels lie side by side are lines. No step changes the layout of wide indices.
        case op::kind::top_k:
            return model.type(each.input(0)) == f32 && normalized_axis(each.as<op::top_k>().axis, data.rank()) == 1 &&
                   (each.shape()[1] == 1 || each.as<op::top_k>().index_element_type != i64);
        default:
            return moves_elements(each.kind()) && has_constant_parameters(model, each) &&
                   (!is_weighted_interpolate(each) || maps_f32(model, each));
    }
}

}  // namespace lpt::inline LPT_ABI::plan::detail
