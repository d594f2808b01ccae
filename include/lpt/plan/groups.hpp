// SPDX-License-Identifier: Apache-2.0
// Which operations of a graph one step computes together.
#pragma once

#include <lpt/graph/traverse.hpp>
#include <lpt/plan/extend.hpp>

#include <utility>

namespace lpt::inline LPT_ABI::plan {

/// The kind of kernel that a group begins with.
enum class group_form : unsigned char { convolution, product, pool, one_operand, two_operands };

/// Operations that one step computes: the first, and those that only read each other.
struct group {
    group_form form = group_form::one_operand;
    node_id anchor = node_id::none;
    quantized_source operands[2];
    chain functions;
};

/// What an attention reads for one of its matrices: a tensor, the order that it sees its axes in, and scale and zero point of bytes.
struct attention_input {
    output_ref from;
    double scale = 1;
    std::int32_t zero_point = 0;
    std::vector<std::size_t> order;  // of its axes; one that heads are repeated along is left out
    std::int64_t times = 1;  // heads of queries that read the same head
    std::vector<node_id> joined;  // what gives that order, or repeats heads
};

namespace detail {

inline bool is_convolution(op::kind kind) {
    return kind == op::kind::convolution || kind == op::kind::group_convolution ||
           kind == op::kind::convolution_backprop_data || kind == op::kind::group_convolution_backprop_data;
}
inline bool is_transposed_convolution(op::kind kind) {
    return kind == op::kind::convolution_backprop_data || kind == op::kind::group_convolution_backprop_data;
}
inline bool is_grouped_convolution(op::kind kind) {
    return kind == op::kind::group_convolution || kind == op::kind::group_convolution_backprop_data;
}

inline bool has_kernel_type(const graph& model, output_ref output) {
    return model.type(output) == f32 || is_byte(model.type(output));
}

/// A tensor with elements, all sizes known.
inline bool has_elements(const shape& dimensions) { return dimensions.is_static() && dimensions.elements() != 0; }

/// An operation that takes one tensor with elements, of f32 or of bytes that it computes with as f32, and gives one of f32.
inline bool maps_f32(const graph& model, const node& each) {
    if (each.inputs() == 0 || each.outputs() != 1 || each.type() != f32 || !has_elements(each.shape()) ||
        !has_elements(model.shape(each.input(0)))) {
        return false;
    }
    const relaxation* own = each.own_types();
    const element given = model.type(each.input(0));
    const bool is_typed = own != nullptr && !own->input_types.empty() && own->input_types[0] != dynamic;
    return is_typed ? own->input_types[0] == f32 && has_kernel_type(model, each.input(0)) : given == f32;
}

inline chain chain_at(const graph& model, node_id anchor, int axis) {
    chain result;
    result.dimensions = model[anchor].shape();
    result.axis = axis;
    result.nodes.push_back(anchor);
    result.tail = anchor;
    return result;
}

/// A convolution that the kernels take: one to three spatial axes.
inline bool begin_convolution(quantized_sources& sources, node_id id, group& result) {
    const graph& model = sources.model();
    const node& each = model[id];
    if (!is_convolution(each.kind()) || each.type() != f32 || !has_elements(each.shape()) ||
        !has_elements(model.shape(each.input(0))) || !has_elements(model.shape(each.input(1))) ||
        each.shape().rank() < 3 || each.shape().rank() > 5) {
        return false;
    }
    const bool is_known = model.constant_value(each.input(1)) != nullptr;
    if (!is_known && !(has_kernel_type(model, each.input(0)) && has_kernel_type(model, each.input(1)))) {
        return false;
    }
    result.operands[0] = sources.of(each.input(0));
    result.form = group_form::convolution;
    result.functions = chain_at(model, id, 1);
    result.functions.channels_last = true;
    return has_kernel_type(model, result.operands[0].base);
}

inline bool begin_product(quantized_sources& sources, node_id id, group& result) {
    const graph& model = sources.model();
    const node& each = model[id];
    if (!each.is<op::mat_mul>() || each.type() != f32 || !has_elements(each.shape())) {
        return false;
    }
    for (std::size_t port = 0; port < 2; ++port) {
        result.operands[port] = sources.of(each.input(port));
        if (!has_kernel_type(model, result.operands[port].base) || !has_elements(model.shape(each.input(port)))) {
            return false;
        }
    }
    const bool columns = model.shape(each.input(1)).rank() > 1;
    result.form = group_form::product;
    result.functions = chain_at(model, id, columns ? static_cast<int>(each.shape().rank()) - 1 : chain::no_axis);
    return true;
}

/// True for a reduction of all axes but the first two.
inline bool reduces_pixels(const graph& model, const node& each) {
    const tensor* axes = model.constant_value(each.input(1));
    const std::size_t rank = model.shape(each.input(0)).rank();
    if (axes == nullptr || rank < 3 || rank > 5) {
        return false;
    }
    std::vector<bool> reduced(rank, false);
    for (std::size_t i = 0; i < axes->elements(); ++i) {
        const std::int64_t axis = normalized_axis(axes->integer(i), rank);
        if (axis < 0) {
            return false;
        }
        reduced[static_cast<std::size_t>(axis)] = true;
    }
    for (std::size_t axis = 0; axis < rank; ++axis) {
        if (reduced[axis] != (axis > 1)) {
            return false;
        }
    }
    return true;
}

/// True for a window whose bytes kernels sum in 32 bits; larger ones are the reference's.
inline bool has_kernel_window(const graph& model, const node& each) {
    constexpr std::int64_t most_taps = std::int64_t{1} << 23;  // * 255 is below 2^31
    checked taps = 1;
    if (each.is<op::max_pool>() || each.is<op::avg_pool>()) {
        const integers& kernel =
            each.is<op::max_pool>() ? each.as<op::max_pool>().kernel : each.as<op::avg_pool>().kernel;
        for (const std::int64_t size : kernel) {
            taps = taps * size;
        }
        return taps.is_within(1, most_taps);
    }
    const shape& data = model.shape(each.input(0));
    for (std::size_t axis = 2; axis < data.rank(); ++axis) {
        taps = taps * data[axis];
    }
    return model.type(each.input(0)) == f32 || taps.is_within(1, most_taps);
}

inline bool begin_pool(const graph& model, node_id id, group& result) {
    const node& each = model[id];
    const bool windows = each.is<op::max_pool>() || each.is<op::avg_pool>();
    const bool reduction = each.is<op::reduce_mean>() || each.is<op::reduce_max>();
    if ((!windows && !reduction) || !has_elements(each.shape()) || !has_elements(model.shape(each.input(0))) ||
        (each.outputs() > 1 && model.use_count(output_ref(id, 1)) != 0) ||
        (reduction && !reduces_pixels(model, each))) {
        return false;
    }
    quantized_source& from = result.operands[0];
    from = plain_source(model, each.input(0));
    const element type = model.type(from.base);
    if (!has_kernel_type(model, from.base) || (each.type() != f32 && each.type() != type) ||
        model.shape(from.base).rank() > 5) {
        return false;
    }
    if (!has_kernel_window(model, each)) {
        return false;
    }
    result.form = group_form::pool;
    result.functions = chain_at(model, id, 1);
    if (is_byte(each.type())) {
        result.functions.store(each.type(), facts(each.type()).lowest, facts(each.type()).highest);
    }
    return true;
}

/// Arithmetic on two tensors that must both be read.
inline bool begin_two_operands(quantized_sources& sources, node_id id, group& result) {
    const graph& model = sources.model();
    const node& each = model[id];
    switch (each.kind()) {
        case op::kind::add:
        case op::kind::subtract:
        case op::kind::multiply:
        case op::kind::divide:
        case op::kind::maximum:
        case op::kind::minimum:
        case op::kind::squared_difference: break;
        default: return false;
    }
    if (each.type() != f32 || !has_elements(each.shape())) {
        return false;
    }
    for (std::size_t port = 0; port < 2; ++port) {
        result.operands[port] = sources.of(each.input(port));
        if (!has_kernel_type(model, result.operands[port].base)) {
            return false;
        }
    }
    result.form = group_form::two_operands;
    result.functions = chain_at(model, id, chain::any_axis);
    return true;
}

/// A function of one tensor, perhaps with known numbers.
inline bool begin_one_operand(quantized_sources& sources, node_id id, group& result) {
    const graph& model = sources.model();
    const node& each = model[id];
    if (each.outputs() != 1 || !has_elements(each.shape())) {
        return false;
    }
    for (int port = 0; port < static_cast<int>(each.inputs()) && port < 2; ++port) {
        const quantized_source& from = sources.of(each.input(static_cast<std::size_t>(port)));
        if (!has_kernel_type(model, from.base) || !(model.shape(from.base) == each.shape()) ||
            model.constant_value(from.base) != nullptr) {
            continue;
        }
        result.form = group_form::one_operand;
        result.operands[0] = plain_source(model, from.base);
        result.functions = chain();
        result.functions.dimensions = each.shape();
        result.functions.dequantize(from);
        if (extend(result.functions, sources, id, port)) {
            return true;
        }
    }
    return false;
}

inline bool begin(quantized_sources& sources, node_id id, group& result) {
    result.anchor = id;
    return begin_convolution(sources, id, result) || begin_product(sources, id, result) ||
           begin_pool(sources.model(), id, result) || begin_one_operand(sources, id, result) ||
           begin_two_operands(sources, id, result);
}

/// Where a function of two tensors gives real numbers, operands with a zero point are dequantized before it: what is 0 is read as 0.
inline void show_zeros(quantized_sources& sources, group& made) {
    if (made.form != group_form::two_operands || made.functions.type != f32) {
        return;
    }
    const node& each = sources.model()[made.anchor];
    for (std::size_t port = 0; port < 2; ++port) {
        if (made.operands[port].has_one_zero_point() && made.operands[port].zero_point() != 0) {
            made.operands[port] = plain_source(sources.model(), each.input(port));
        }
    }
}

inline int turn_of(op::kind kind) {
    return is_convolution(kind) || kind == op::kind::mat_mul          ? 0
           : kind == op::kind::max_pool || kind == op::kind::avg_pool ? 1
                                                                      : 2;
}

}  // namespace detail

/// The groups of a graph, and the group of each node by its number (-1: none).
struct grouping {
    std::vector<group> groups;
    std::vector<int> of_node;
};

/// Finds the groups. Those that begin with a convolution or matrix product choose first, then pooling, then the others, each in
/// topological order. Dequantizations belong to no group: their readers take the low precision tensor where they can.
inline grouping find_groups(quantized_sources& sources, const seq<node_id>& order) {
    const graph& model = sources.model();
    grouping result;
    result.of_node.assign(model.id_bound(), -1);
    for (int turn = 0; turn < 3; ++turn) {
        for (const node_id id : order) {
            const node& each = model[id];
            if (detail::turn_of(each.kind()) != turn || result.of_node[index_of(id)] >= 0 || each.outputs() == 0 ||
                each.is<op::constant>() || each.is<op::result>() || sources.is_dequantization(id)) {
                continue;
            }
            group made;
            if (!detail::begin(sources, id, made)) {
                continue;
            }
            const auto is_taken = [&](node_id user) { return result.of_node[index_of(user)] >= 0; };
            follow(made.functions, sources, is_taken);
            if (made.form == group_form::convolution || made.form == group_form::product) {
                requantize(made.functions, sources, is_taken);
            }
            detail::show_zeros(sources, made);
            for (const node_id member : made.functions.nodes) {
                result.of_node[index_of(member)] = static_cast<int>(result.groups.size());
            }
            result.groups.push_back(std::move(made));
        }
    }
    return result;
}

}  // namespace lpt::inline LPT_ABI::plan
