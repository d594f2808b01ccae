// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>

namespace lpt {

namespace detail {

inline constexpr int deepest_value = 32;

constexpr bool values_of(const graph& model, output_ref source, integers& result, int depth);

constexpr bool shape_values(const shape& dimensions, integers& result) {
    if (dimensions.rank_is_dynamic()) {
        return false;
    }
    for (const dimension size : dimensions) {
        result.push_back(size == dynamic_dimension ? op::unknown_value : size);
    }
    return true;
}

constexpr bool concatenated_values(const graph& model, const node& concat, integers& result, int depth) {
    for (std::size_t port = 0; port < concat.inputs(); ++port) {
        integers part;
        if (!values_of(model, concat.input(port), part, depth)) {
            return false;
        }
        result.append(part);
    }
    return true;
}

constexpr bool gathered_values(const graph& model, const node& gather, integers& result, int depth) {
    integers from;
    integers places;
    if (!values_of(model, gather.input(0), from, depth) || !values_of(model, gather.input(1), places, depth) ||
        model.shape(gather.input(0)).rank() != 1) {
        return false;
    }
    for (const std::int64_t place : places) {
        const std::int64_t axis = place == op::unknown_value ? -1 : normalized_axis(place, from.size());
        result.push_back(axis < 0 ? op::unknown_value : from[static_cast<std::size_t>(axis)]);
    }
    return true;
}

constexpr std::int64_t combine(op::kind operation, std::int64_t left, std::int64_t right) {
    if (left == op::unknown_value || right == op::unknown_value) {
        return op::unknown_value;
    }
    switch (operation) {
        case op::kind::add: return left + right;
        case op::kind::subtract: return left - right;
        case op::kind::multiply: return left * right;
        case op::kind::divide: return right == 0 ? op::unknown_value : left / right;
        case op::kind::maximum: return left > right ? left : right;
        case op::kind::minimum: return left < right ? left : right;
        default: return op::unknown_value;
    }
}

constexpr bool combined_values(const graph& model, const node& operation, integers& result, int depth) {
    integers left;
    integers right;
    if (!is_integral(operation.type()) || !values_of(model, operation.input(0), left, depth) ||
        !values_of(model, operation.input(1), right, depth) || left.empty() || right.empty()) {
        return false;
    }
    const std::size_t count = left.size() > right.size() ? left.size() : right.size();
    if ((left.size() != count && left.size() != 1) || (right.size() != count && right.size() != 1)) {
        return false;
    }
    for (std::size_t i = 0; i < count; ++i) {
        result.push_back(combine(operation.kind(), left[left.size() == 1 ? 0 : i], right[right.size() == 1 ? 0 : i]));
    }
    return true;
}

constexpr bool values_of(const graph& model, output_ref source, integers& result, int depth) {
    if (depth == 0) {
        return false;
    }
    const node& producer = model[source.node];
    switch (producer.kind()) {
        case op::kind::constant:
            if (producer.as<op::constant>().value.elements() > 4096) {
                return false;
            }
            result = integers_of(producer.as<op::constant>().value);
            return true;
        case op::kind::shape_of: return shape_values(model.shape(producer.input(0)), result);
        case op::kind::convert:
        case op::kind::reshape:
        case op::kind::squeeze:
        case op::kind::unsqueeze: return values_of(model, producer.input(0), result, depth - 1);
        case op::kind::concat: return concatenated_values(model, producer, result, depth - 1);
        case op::kind::gather: return gathered_values(model, producer, result, depth - 1);
        case op::kind::add:
        case op::kind::subtract:
        case op::kind::multiply:
        case op::kind::divide:
        case op::kind::maximum:
        case op::kind::minimum: return combined_values(model, producer, result, depth - 1);
        default: return false;
    }
}

}  // namespace detail

/// The integers that an output is known to give, some perhaps `op::unknown_value`; false if not even their number is
/// known. Follows constants, ShapeOf and the arithmetic that shape computations are made of.
constexpr bool known_values(const graph& model, output_ref source, integers& result) {
    return detail::values_of(model, source, result, detail::deepest_value);
}

constexpr void graph::infer(node_id id) {
    node& each = at(id);
    const op::row& facts = op::row_of(each.kind());
    seq<op::input_facts, 4> inputs;
    seq<integers, 0> values;
    inputs.reserve(each.inputs());
    values.resize(op::has(facts.traits, op::trait::reads_values) ? each.inputs() : 0);
    for (std::size_t port = 0; port < each.inputs(); ++port) {
        const output_ref source = each.input(port);
        op::input_facts input{type(source), &shape(source), constant_value(source), nullptr};
        if (each.relaxation_ && port < each.relaxation_->input_types.size() &&
            each.relaxation_->input_types[port] != dynamic) {
            input.type = each.relaxation_->input_types[port];
        }
        if (!values.empty() && input.constant == nullptr && known_values(*this, source, values[port])) {
            input.values = &values[port];
        }
        inputs.push_back(input);
    }
    op::inference inference(facts.name, each.name_, each.version_, inputs);
    facts.infer(each.attributes_, inference);
    each.outputs_.resize(inference.outputs().size());
    for (std::size_t port = 0; port < inference.outputs().size(); ++port) {
        node::output_slot& output = each.outputs_[port];
        output.type = inference.outputs()[port].type;
        output.dimensions = inference.outputs()[port].dimensions;
        if (each.relaxation_ && port < each.relaxation_->output_types.size() &&
            each.relaxation_->output_types[port] != dynamic) {
            output.type = each.relaxation_->output_types[port];
        }
    }
}

}  // namespace lpt
