// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/plan/planner.hpp>

#include <array>
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
    /// Some of its axes, or all, in another order.
    strided_view(const shape& dimensions, const std::vector<std::size_t>& order) {
        const strided_view whole(dimensions);
        for (const std::size_t axis : order) {
            sizes.push_back(whole.sizes[axis]);
            strides.push_back(whole.strides[axis]);
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

/// A Broadcast of [..., heads, 1, rows, columns] along the axis of size 1, and the Reshape to [..., heads * times, rows, columns] behind it: language
/// models repeat heads of keys and values so for the heads of queries that share them.
struct repeated_heads {
    std::int64_t times = 1;  // 1: there is nothing of that kind
    node_id reshape = node_id::none;
    node_id broadcast = node_id::none;
    output_ref heads;  // in front of both

    repeated_heads(const graph& model, output_ref output) {
        const node& last = model[output.node];
        if (!last.is<op::reshape>() || !model[last.input(0).node].is<op::broadcast>()) {
            return;
        }
        const output_ref wide = last.input(0);
        const output_ref from = model[wide.node].input(0);
        const op::broadcast_mode mode = model[wide.node].as<op::broadcast>().mode;
        const bool aligns_at_right = mode == op::broadcast_mode::numpy || mode == op::broadcast_mode::bidirectional;
        const bool converts = model.type(from) != model.type(wide) || model.type(wide) != last.type();
        const std::size_t rank = last.shape().rank();
        if (!aligns_at_right || converts || model.use_count(output) != 1 || model.use_count(wide) != 1 || rank < 3 ||
            model.shape(wide).rank() != rank + 1) {
            return;
        }
        const std::size_t new_axis = rank - 2;
        shape narrow = model.shape(wide);
        narrow[new_axis] = 1;
        shape merged = narrow;
        merged.erase(new_axis);
        merged[new_axis - 1] *= model.shape(wide)[new_axis];
        if (!(narrow == model.shape(from)) || !(merged == last.shape())) {
            return;
        }
        times = model.shape(wide)[new_axis];
        reshape = output.node;
        broadcast = wide.node;
        heads = from;
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

/// Splits the axis of heads into [heads / times, times]; keys and values do not move along the second. With one query a head the second becomes the
/// rows, one product for all of them, where enough heads are left for the threads. Not where it is causal: row r would see key r.
inline void share_heads(kernel::attention_problem& problem, std::int64_t times, int threads) {
    const std::int64_t last = problem.head_axes - 1;
    const auto split = [&](std::int64_t* strides) {
        strides[last + 1] = strides[last];
        strides[last] *= times;
    };
    problem.heads[last] /= times;
    split(problem.queries_at.strides);
    split(problem.output_strides);
    split(problem.mask_strides);
    std::int64_t tasks = 1;
    for (std::int64_t axis = 0; axis <= last; ++axis) {
        tasks *= problem.heads[axis];
    }
    if (problem.queries == 1 && !problem.causal && tasks >= threads) {
        problem.queries = times;
        problem.queries_at.row_stride = problem.queries_at.strides[last + 1];
        problem.output_row_stride = problem.output_strides[last + 1];
        problem.mask_row_stride = problem.mask_strides[last + 1];
        return;
    }
    problem.heads[last + 1] = times;
    problem.keys_at.strides[last + 1] = 0;
    problem.values_at.strides[last + 1] = 0;
    ++problem.head_axes;
}

}  // namespace detail

/// What an attention reads for one of its matrices. It passes, where nobody else reads them: a dequantization with one scale (products of bytes are
/// exact in single precision), then either what repeats heads, or Transposes.
inline attention_input planner::input_of_attention(node_id id, std::size_t port, bool may_share) {
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
    const detail::repeated_heads repeated(model(), result.from);
    if (may_share && is_only_reader && repeated.times > 1) {
        result.from = repeated.heads;
        result.times = repeated.times;
        result.order[rank - 2] = rank - 1;  // all but the axis that is repeated
        result.order[rank - 1] = rank;
        result.joined = {repeated.reshape, repeated.broadcast};
        return result;
    }
    std::vector<node_id> passed;
    for (output_ref at = result.from; is_only_reader && model().use_count(at) == 1;) {
        const node& each = model()[at.node];
        const tensor* axes = each.is<op::transpose>() ? model().constant_value(each.input(1)) : nullptr;
        if (axes == nullptr || each.type() != model().type(each.input(0))) {
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

/// Queries, keys and values of an attention. The kernel has one set of axes for the heads of keys and values, so both are repeated as often, or are read
/// behind what repeats them.
inline std::array<attention_input, 3> planner::inputs_of_attention(node_id id) {
    const bool has_room = model()[id].shape().rank() < 2 + kernel::attention_problem::most_axes;
    const auto read = [&](bool may_share) {
        return std::array{input_of_attention(id, 0, false), input_of_attention(id, 1, may_share),
                          input_of_attention(id, 2, may_share)};
    };
    const std::array<attention_input, 3> result = read(has_room);
    return result[1].times == result[2].times ? result : read(false);
}

/// What attentions take with what they read.
inline void planner::join_to_attentions(const seq<node_id>& order) {
    is_joined_.assign(model().id_bound(), false);
    for (const node_id id : order) {
        kernel::attention_problem problem;
        if (!model()[id].is<op::scaled_dot_product_attention>() ||
            !detail::attention_of(model(), model()[id], problem)) {
            continue;
        }
        for (const attention_input& each : inputs_of_attention(id)) {
            for (const node_id joined : each.joined) {
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
    const std::array<attention_input, 3> inputs = inputs_of_attention(id);
    for (std::size_t port = 0; port < 3; ++port) {
        const attention_input& from = inputs[port];
        const detail::strided_view seen(model().shape(from.from), from.order);
        operands.push_back(tensor_of(from.from, layout::plain));
        scales[port] = from.scale;
        matrices[port]->type = kind_of(model().type(from.from));
        matrices[port]->zero_point = from.zero_point;
        matrices[port]->row_stride = seen.from_back(2);
        seen.leading(problem.head_axes, matrices[port]->strides);
        nodes.insert(nodes.end(), from.joined.begin(), from.joined.end());
    }
    if (inputs[1].times > 1) {
        detail::share_heads(problem, inputs[1].times, options_.threads);
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
