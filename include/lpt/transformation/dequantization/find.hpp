// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/constant/facts.hpp>
#include <lpt/transformation/rewrite.hpp>

/// A dequantization is the chain  data -> [Convert] -> [Subtract zero_point] -> [Multiply scale]:
/// real value = scale * (quantized value - zero_point).
namespace lpt::inline LPT_ABI {

/// The parts of one dequantization; parts that are absent are `none`.
struct dequantization {
    output_ref data;                              // what is dequantized
    node_id convert = node_id::none;
    node_id subtract = node_id::none;
    node_id zero_point_convert = node_id::none;   // Convert between the zero point constant and the Subtract
    node_id zero_point = node_id::none;           // Constant
    node_id multiply = node_id::none;
    node_id scale = node_id::none;                // Constant
    std::size_t channel_axis = 1;
    int port = 0;  // of the operation that reads it

    /// True if there is neither Subtract nor Multiply; a lone Convert dequantizes nothing.
    constexpr bool empty() const { return subtract == node_id::none && multiply == node_id::none; }
    constexpr bool has_convert() const { return convert != node_id::none; }
    constexpr bool has_subtract() const { return subtract != node_id::none; }
    constexpr bool has_multiply() const { return multiply != node_id::none; }
    /// The last node of the chain; `none` if it has no node.
    constexpr node_id last() const { return has_multiply() ? multiply : has_subtract() ? subtract : convert; }
};

namespace detail {

/// The inputs of an elementwise operation with a constant; no outputs where there is none.
struct operands_with_constant {
    std::size_t port = 0;  // of the constant: 1, where both are constant
    output_ref constant;
    output_ref data;

    constexpr explicit operator bool() const { return static_cast<bool>(constant); }
};
/// `through_convert`: the constant may be converted to real numbers.
constexpr operands_with_constant operands_of(const graph& model, node_id id, bool through_convert = false) {
    for (const std::size_t port : {std::size_t{1}, std::size_t{0}}) {
        const output_ref source = model[id].input(port);
        if (is_constant(model, source) ||
            (through_convert && is_converted_constant(model, source) && is_real(model.type(source)))) {
            return {port, source, model[id].input(1 - port)};
        }
    }
    return {};
}

/// True if an elementwise operation gives the shape of an operand: the others do not broadcast it to a larger one.
constexpr bool keeps_data_shape(const graph& model, node_id id, output_ref operand) {
    const shape& data = model.shape(operand);
    const shape& result = model[id].shape();
    if (data.rank_is_dynamic() || result.rank_is_dynamic() || data.rank() != result.rank()) {
        return data.rank_is_dynamic() && result.rank_is_dynamic();
    }
    const dimension* theirs = result.begin();
    for (const dimension mine : data) {
        if (mine != *theirs++ && mine != dynamic_dimension) {
            return false;
        }
    }
    return true;
}

constexpr std::size_t channel_axis_of(const graph& model, output_ref data) {
    const shape& dimensions = model.shape(data);
    const std::size_t rank = dimensions.rank_is_static() ? dimensions.rank() : 0;
    return rank == 1 ? 0 : rank != 0 && model[data.node].is<op::mat_mul>() ? rank - 1 : 1;
}

/// Makes a Subtract of a zero point, perhaps a converted one, part of a dequantization.
constexpr void take_subtract(const graph& model, node_id subtract, dequantization& result) {
    const node_id constant = model.producer(subtract, 1);
    const bool is_converted = model[constant].is<op::convert>();
    result.subtract = subtract;
    result.zero_point_convert = is_converted ? constant : node_id::none;
    result.zero_point = is_converted ? model.producer(constant, 0) : constant;
}

}  // namespace detail

/// The dequantization whose last operation produces `source`; empty where there is none.
///
/// A Convert belongs to it only if its input has one of the `default_precisions`, or is i4, u4, f16 or f32. A Multiply
/// needs a Constant of a floating point type on an input, a Subtract one of a floating point type or a converted one on
/// input 1 (a Subtract of integers belongs to the operation that reads it); constants must not broadcast the data.
[[gnu::noinline]] constexpr dequantization find_dequantization_at(const graph& model, output_ref source,
                                                                  view<element> default_precisions) {
    dequantization result;
    output_ref data = source;
    const node* last = &model[data.node];
    if (last->is<op::multiply>()) {
        const detail::operands_with_constant operands = detail::operands_of(model, data.node);
        if (!operands || !detail::keeps_data_shape(model, data.node, operands.data) ||
            !is_real(model.type(operands.constant))) {
            return {};
        }
        result.multiply = data.node;
        result.scale = operands.constant.node;
        data = operands.data;
        last = &model[data.node];
    }
    // A constant from which the data is subtracted is no zero point.
    if (last->is<op::subtract>() && detail::operands_of(model, data.node, true).port == 1 &&
        is_real(model.type(last->input(1))) && detail::keeps_data_shape(model, data.node, last->input(0))) {
        detail::take_subtract(model, data.node, result);
        data = last->input(0);
        last = &model[data.node];
    }
    if (last->is<op::convert>()) {
        const element from = model.type(last->input(0));
        if (from == i4 || from == u4 || from == f32 || from == f16 || default_precisions.contains(from)) {
            result.convert = data.node;
            data = last->input(0);
        }
    }
    result.data = data;
    result.channel_axis = detail::channel_axis_of(model, data);
    return result;
}
/// The dequantization above an input port; empty where there is none or the node has no such port.
constexpr dequantization find_dequantization(const graph& model, node_id id, view<element> default_precisions,
                                             std::size_t port = 0) {
    const bool exists = port < model[id].inputs();
    dequantization result =
        exists ? find_dequantization_at(model, model[id].input(port), default_precisions) : dequantization{};
    result.port = static_cast<int>(port);
    return result;
}
constexpr dequantization find_dequantization(const rewrite& r, node_id id, std::size_t port = 0) {
    return find_dequantization(r.model, id, r.options.default_precisions, port);
}

/// False if the dequantization above an output is empty for sure: quicker than to look for it.
constexpr bool may_be_dequantized(const graph& model, output_ref source) {
    return model[source.node].is<op::multiply>() || model[source.node].is<op::subtract>();
}

/// A dequantization below an output, found by following its only consumers; empty where there is none.
///
/// Convert (from i8 or u8, or to f32) -> Subtract -> Multiply, each optional and with one consumer; constants must not broadcast the data.
[[gnu::noinline]] constexpr dequantization find_dequantization_below(const graph& model, output_ref source,
                                                                     bool convert_is_mandatory = false) {
    dequantization result;
    result.data = source;
    node_id at = model.first_use(source).node;
    if (at == node_id::none) {
        return {};
    }
    const auto step_down = [&] {
        at = only_reader(model, at);
        return at != node_id::none;
    };
    if (model[at].is<op::convert>()) {
        const element from = model.type(model[at].input(0));
        result.convert = at;
        if ((from != i8 && from != u8 && model[at].type() != f32) || !step_down()) {
            return {};
        }
    } else if (convert_is_mandatory) {
        return {};
    }
    if (model[at].is<op::subtract>()) {
        if (detail::operands_of(model, at, true).port != 1 ||
            !detail::keeps_data_shape(model, at, model[at].input(0))) {
            return {};
        }
        detail::take_subtract(model, at, result);
        if (!step_down()) {
            return {};
        }
    }
    if (model[at].is<op::multiply>()) {
        const detail::operands_with_constant operands = detail::operands_of(model, at);
        if (!operands || !detail::keeps_data_shape(model, at, operands.data)) {
            return {};
        }
        result.multiply = at;
        result.scale = operands.constant.node;
    } else if (!result.has_subtract()) {
        return {};
    }
    result.channel_axis = detail::channel_axis_of(model, source);
    return result;
}

}  // namespace lpt::inline LPT_ABI
