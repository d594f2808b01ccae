// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/plan/planner.hpp>

#include <utility>

namespace lpt::inline LPT_ABI::plan {

namespace detail {

/// A tensor as an attention sees it: sizes and strides of its axes.
struct strided_view {
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> strides;

    explicit strided_view(const shape& dimensions) : strides(strides_of(dimensions, layout::plain)) {
        for (std::size_t axis = 0; axis < dimensions.rank(); ++axis) {
            sizes.push_back(dimensions[axis]);
        }
    }
    /// The same with its axes in another order.
    strided_view(const shape& dimensions, const std::vector<std::size_t>& order) : strided_view(dimensions) {
        const strided_view whole(dimensions);
        for (std::size_t axis = 0; axis < order.size(); ++axis) {
            sizes[axis] = whole.sizes[order[axis]];
            strides[axis] = whole.strides[order[axis]];
        }
    }
    /// The stride of the axis that is `distance` from the end; 0 where the tensor repeats along it.
    std::int64_t from_back(std::size_t distance) const {
        const bool repeats = sizes.size() < distance || sizes[sizes.size() - distance] == 1;
        return repeats ? 0 : strides[sizes.size() - distance];
    }
    /// Those of the `axes` axes in front of the last two.
    void leading(std::int64_t axes, std::int64_t* result) const {
        for (std::int64_t axis = 0; axis < axes; ++axis) {
            result[axis] = from_back(static_cast<std::size_t>(axes - axis) + 2);
        }
    }
};

/// Sizes, scale and mask of an attention that the kernel takes.
inline bool attention_of(const graph& model, const node& each, kernel::attention_problem& result) {
    const shape& output = each.shape();
    if (each.type() != f32 || each.own_types() != nullptr || each.inputs() > 5 || !has_elements(output) ||
        output.rank() > 2 + static_cast<std::size_t>(kernel::attention_problem::most_axes)) {
        return false;
    }
    for (std::size_t port = 0; port < each.inputs(); ++port) {
        if (!has_elements(model.shape(each.input(port)))) {
            return false;
        }
    }
    const shape& query = model.shape(each.input(0));
    const shape& value = model.shape(each.input(2));
    result.queries = query[query.rank() - 2];
    result.depth = query[query.rank() - 1];
    result.keys = value[value.rank() - 2];
    result.width = value[value.rank() - 1];
    result.causal = each.as<op::scaled_dot_product_attention>().causal;
    const tensor* scale = each.inputs() > 4 ? model.constant_value(each.input(4)) : nullptr;
    if (each.inputs() > 4 && scale == nullptr) {
        return false;
    }
    result.scale =
        static_cast<float>(scale != nullptr ? scale->real(0) : 1 / math::sqrt(static_cast<double>(result.depth)));
    result.head_axes = static_cast<std::int64_t>(output.rank()) - 2;
    for (std::int64_t axis = 0; axis < result.head_axes; ++axis) {
        result.heads[axis] = output[static_cast<std::size_t>(axis)];
    }
    strided_view(output).leading(result.head_axes, result.output_strides);
    result.output_row_stride = result.width;
    if (each.inputs() < 4) {
        return true;
    }
    const strided_view mask(model.shape(each.input(3)));
    const element type = model.type(each.input(3));
    result.mask_use = type == boolean ? kernel::attention_mask::choose : kernel::attention_mask::add;
    mask.leading(result.head_axes, result.mask_strides);
    result.mask_row_stride = mask.from_back(2);
    result.mask_column_stride = mask.from_back(1);
    return type == boolean || type == f32;
}

}  // namespace detail

/// What an attention reads for one of its matrices: bytes in front of a dequantization with one scale (products of bytes are exact in single
/// precision), and what Transposes read of which nobody else takes notice.
inline attention_input planner::input_of_attention(node_id id, std::size_t port) {
    const output_ref input = model()[id].input(port);
    attention_input result;
    result.from = input;
    const quantized_source& dequantized = sources_.of(input);
    bool is_only_reader = true;
    if (dequantized.has_one_zero_point()) {
        result.scale = dequantized.scale.one();
        result.zero_point = dequantized.zero_point();
        result.from = dequantized.base;
        for (output_ref at = input; !(at == dequantized.base);) {
            is_only_reader = is_only_reader && model().use_count(at) == 1;
            at = model()[at.node].input(static_cast<std::size_t>(detail::dequantization_port(model(), at.node)));
        }
    }
    const std::size_t rank = model().shape(result.from).rank();
    std::vector<std::size_t> order(rank);
    for (std::size_t axis = 0; axis < rank; ++axis) {
        order[axis] = axis;
    }
    result.order = order;
    std::vector<node_id> passed;
    for (output_ref at = result.from; is_only_reader && model().use_count(at) == 1;) {
        const node& each = model()[at.node];
        const tensor* axes = each.is<op::transpose>() ? model().constant_value(each.input(1)) : nullptr;
        if (axes == nullptr || model().constant_value(at) != nullptr) {
            break;
        }
        for (std::size_t& axis : order) {
            axis = axes->elements() == 0 ? rank - 1 - axis : static_cast<std::size_t>(axes->integer(axis));
        }
        passed.push_back(at.node);
        at = each.input(0);
        if (order[rank - 1] == rank - 1) {  // rows are dense
            result.from = at;
            result.order = order;
            result.joined = passed;
        }
    }
    return result;
}

/// Transposes that attentions take with what they read.
inline void planner::join_to_attentions(const seq<node_id>& order) {
    is_joined_.assign(model().id_bound(), false);
    for (const node_id id : order) {
        kernel::attention_problem problem;
        if (!model()[id].is<op::scaled_dot_product_attention>() ||
            !detail::attention_of(model(), model()[id], problem)) {
            continue;
        }
        for (std::size_t port = 0; port < 3; ++port) {
            for (const node_id joined : input_of_attention(id, port).joined) {
                is_joined_[index_of(joined)] = true;
            }
        }
    }
}

/// ScaledDotProductAttention.
inline bool planner::make_attention(node_id id) {
    const node& each = model()[id];
    kernel::attention_problem problem;
    if (!each.is<op::scaled_dot_product_attention>() || !detail::attention_of(model(), each, problem)) {
        return false;
    }
    std::vector<node_id> nodes{id};
    std::vector<tensor_id> operands;
    double scales[3];
    kernel::attention_matrix* const matrices[3] = {&problem.queries_at, &problem.keys_at, &problem.values_at};
    for (std::size_t port = 0; port < 3; ++port) {
        const attention_input from = input_of_attention(id, port);
        const detail::strided_view seen(model().shape(from.from), from.order);
        operands.push_back(tensor_of(from.from, layout::plain));
        scales[port] = from.scale;
        matrices[port]->type = kind_of(model().type(from.from));
        matrices[port]->zero_point = from.zero_point;
        matrices[port]->row_stride = seen.from_back(2);
        seen.leading(problem.head_axes, matrices[port]->strides);
        nodes.insert(nodes.end(), from.joined.begin(), from.joined.end());
    }
    problem.scale = static_cast<float>(static_cast<double>(problem.scale) * scales[0] * scales[1]);
    problem.value_scale = static_cast<float>(scales[2]);
    operands.push_back(each.inputs() > 3 ? tensor_of(each.input(3), layout::plain) : tensor_id::none);
    const auto scratch = static_cast<dimension>(kernel::attention_scratch_bytes(problem) * options_.threads);
    operands.push_back(add_tensor(f32, each.shape(), layout::plain));
    define(id, operands.back());
    operands.push_back(add_tensor(u8, shape{scratch}, layout::plain));
    add_kernel(std::move(nodes), problem, std::move(operands));
    return true;
}

}  // namespace lpt::inline LPT_ABI::plan
