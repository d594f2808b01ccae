// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>

namespace lpt::inline LPT_ABI {

namespace detail {

/// How far up and how widely known values are searched, and how many there may be: real shape computations stay far below.
inline constexpr int deepest_value = 32;
inline constexpr int most_value_steps = 1024;
inline constexpr std::size_t most_values = 4096;

struct value_search {
    int depth = deepest_value;
    int* steps;  // left, for the whole search

    constexpr value_search below() const { return {depth - 1, steps}; }
};

constexpr bool values_of(const graph& model, output_ref source, integers& result, value_search search);

constexpr bool shape_values(const shape& dimensions, integers& result) {
    if (dimensions.rank_is_dynamic()) {
        return false;
    }
    for (const dimension size : dimensions) {
        result.push_back(size == dynamic_dimension ? op::unknown_value : size);
    }
    return true;
}

constexpr bool concatenated_values(const graph& model, const node& concat, integers& result, value_search search) {
    for (std::size_t port = 0; port < concat.inputs(); ++port) {
        integers part;
        if (!values_of(model, concat.input(port), part, search) || result.size() + part.size() > most_values) {
            return false;
        }
        result.append(part);
    }
    return true;
}

constexpr bool gathered_values(const graph& model, const node& gather, integers& result, value_search search) {
    integers from;
    integers places;
    if (!values_of(model, gather.input(0), from, search) || !values_of(model, gather.input(1), places, search) ||
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
    const auto a = static_cast<std::uint64_t>(left);  // wraps around, as integers of networks do
    const auto b = static_cast<std::uint64_t>(right);
    switch (operation) {
        case op::kind::add: return static_cast<std::int64_t>(a + b);
        case op::kind::subtract: return static_cast<std::int64_t>(a - b);
        case op::kind::multiply: return static_cast<std::int64_t>(a * b);
        case op::kind::divide:
            // -1 apart, because the quotient of the least integer by it does not fit
            return right == 0 ? op::unknown_value : right == -1 ? static_cast<std::int64_t>(0 - a) : left / right;
        case op::kind::maximum: return left > right ? left : right;
        case op::kind::minimum: return left < right ? left : right;
        default: return op::unknown_value;
    }
}

constexpr bool combined_values(const graph& model, const node& operation, integers& result, value_search search) {
    integers left;
    integers right;
    if (!is_integral(operation.type()) || !values_of(model, operation.input(0), left, search) ||
        !values_of(model, operation.input(1), right, search) || left.empty() || right.empty()) {
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

constexpr bool values_of(const graph& model, output_ref source, integers& result, value_search search) {
    if (search.depth == 0 || --*search.steps < 0) {
        return false;
    }
    const node& producer = model[source.node];
    switch (producer.kind()) {
        case op::kind::constant:
            if (producer.as<op::constant>().value.elements() > most_values) {
                return false;
            }
            result = op::known_integers_of(producer.as<op::constant>().value);
            return true;
        case op::kind::shape_of: return shape_values(model.shape(producer.input(0)), result);
        case op::kind::convert:
        case op::kind::reshape:
        case op::kind::squeeze:
        case op::kind::unsqueeze: return values_of(model, producer.input(0), result, search.below());
        case op::kind::concat: return concatenated_values(model, producer, result, search.below());
        case op::kind::gather: return gathered_values(model, producer, result, search.below());
        case op::kind::add:
        case op::kind::subtract:
        case op::kind::multiply:
        case op::kind::divide:
        case op::kind::maximum:
        case op::kind::minimum: return combined_values(model, producer, result, search.below());
        default: return false;
    }
}

}  // namespace detail

/// The integers that an output is known to give, some perhaps `op::unknown_value`; false if not even their number is
/// known. Follows constants, ShapeOf and the arithmetic that shape computations are made of.
constexpr bool known_values(const graph& model, output_ref source, integers& result) {
    int steps = detail::most_value_steps;
    return detail::values_of(model, source, result, {detail::deepest_value, &steps});
}

namespace detail {

/// The inference of a node from its inputs as they are now. It looks into itself, so it stays where it was made.
class node_inference {
    seq<op::input_facts, 5> inputs_;
    seq<integers, 0> values_;

    static constexpr view<op::input_facts> read(const graph& model, const node& each, bool reads_values,
                                                seq<op::input_facts, 5>& inputs, seq<integers, 0>& values) {
        const relaxation* own = each.own_types();
        inputs.resize(each.inputs());
        if (reads_values) {
            values.resize(each.inputs());
        }
        for (std::size_t port = 0; port < each.inputs(); ++port) {
            const output_ref source = each.input(port);
            const node& producer = model[source.node];
            const auto output = static_cast<std::size_t>(source.port);
            op::input_facts& input = inputs[port];
            input.type = producer.type(output);
            input.dimensions = &producer.shape(output);
            input.constant = producer.is<op::constant>() ? &producer.as<op::constant>().value : nullptr;
            if (own != nullptr && port < own->input_types.size() && own->input_types[port] != dynamic) {
                input.type = own->input_types[port];
            }
            if (reads_values && input.constant == nullptr && known_values(model, source, values[port])) {
                input.values = &values[port];
            }
        }
        return inputs;
    }

public:
    op::inference done;

    constexpr node_inference(const graph& model, const node& each, const op::row& facts)
        : done(facts.name, each.name(), each.version(),
               read(model, each, op::has(facts.traits, op::trait::reads_values), inputs_, values_)) {
        facts.infer(each.attributes(), done);
        const relaxation* own = each.own_types();
        for (std::size_t port = 0; own != nullptr && port < done.outputs().size(); ++port) {
            if (port < own->output_types.size() && own->output_types[port] != dynamic) {
                done.outputs()[port].type = own->output_types[port];
            }
        }
    }
    node_inference(const node_inference&) = delete;
    node_inference& operator=(const node_inference&) = delete;
};

}  // namespace detail

/// The types and shapes that inference gives the outputs of a node, from its inputs as they are now.
constexpr seq<op::output_facts, 2> inferred_outputs(const graph& model, node_id id) {
    const node& each = model[id];
    return detail::node_inference(model, each, op::row_of(each.attributes())).done.take_outputs();
}

namespace detail {

/// True if a tensor of shape `part` broadcasts to one of shape `whole` without changing it.
constexpr bool broadcasts_into(const shape& part, const shape& whole) {
    if (part.rank_is_dynamic() || whole.rank_is_dynamic() || part.rank() > whole.rank()) {
        return false;
    }
    const dimension* against = whole.begin() + (whole.rank() - part.rank());
    for (const dimension size : part) {
        if (size != 1 && size != *against) {
            return false;
        }
        ++against;
    }
    return true;
}

/// How many inputs an operation has whose outputs `graph::infer_at_once` knows; 0 for others.
constexpr std::size_t inputs_known_at_once(const op::attributes& what) {
    bool known = false;
    switch (what.number()) {
        case op::kind::convert:
        case op::kind::relu: return 1;
        case op::kind::fake_quantize: {
            const std::int64_t levels = what.as<op::fake_quantize>().levels;
            return levels < 2 || levels > op::fake_quantize::most_levels ? 0 : 5;
        }
        case op::kind::add: known = what.as<op::add>().auto_broadcast == op::auto_broadcast::numpy; break;
        case op::kind::subtract: known = what.as<op::subtract>().auto_broadcast == op::auto_broadcast::numpy; break;
        case op::kind::multiply: known = what.as<op::multiply>().auto_broadcast == op::auto_broadcast::numpy; break;
        default: break;
    }
    return known ? 2 : 0;
}

}  // namespace detail

/// What inference gives a Convert or Relu, and arithmetic and FakeQuantize with constants that broadcast to the data: rules make little
/// else, and this takes a fifth of the time. False for all others.
constexpr bool graph::infer_at_once(node& each) {
    const std::size_t inputs = detail::inputs_known_at_once(each.attributes_);
    if (inputs == 0 || inputs != each.inputs_.size()) {
        return false;
    }
    const relaxation* own = each.own_types();
    const node::input_slot* const slots = each.inputs_.data();
    const auto type_of = [&](std::size_t port) {
        const bool has_own = own != nullptr && port < own->input_types.size() && own->input_types[port] != dynamic;
        return has_own ? own->input_types[port] : type(slots[port].source);
    };
    element given = each.is<op::convert>() ? each.as<op::convert>().destination_type : type_of(0);
    const lpt::shape& data = shape(slots[0].source);
    if (inputs == 2 && (given == dynamic || type_of(1) != given)) {
        return false;
    }
    for (std::size_t port = 1; port < inputs; ++port) {
        if (!detail::broadcasts_into(shape(slots[port].source), data)) {
            return false;
        }
    }
    if (own != nullptr && !own->output_types.empty() && own->output_types[0] != dynamic) {
        given = own->output_types[0];
    }
    if (each.outputs_.size() != 1) {
        each.outputs_.resize(1);
    }
    node::output_slot& output = each.outputs_[0];
    output.type = given;
    output.dimensions = data;  // which another node has: `may_have_open_shapes_` knows of it
    return true;
}

constexpr void graph::infer(node_id id) {
    needs_verification_ = true;  // of those below, if this changes what they read; of this one, if it fails
    node& each = nodes_[id];
    if (infer_at_once(each)) {
        return;
    }
    detail::node_inference inference(*this, each, op::row_of(each.attributes()));
    seq<op::output_facts, 2>& outputs = inference.done.outputs();
    if (each.outputs_.size() != outputs.size()) {
        each.outputs_.resize(outputs.size());
    }
    for (std::size_t port = 0; port < outputs.size(); ++port) {
        may_have_open_shapes_ = may_have_open_shapes_ || outputs[port].dimensions.is_dynamic();
        each.outputs_[port].type = outputs[port].type;
        each.outputs_[port].dimensions = lpt::move(outputs[port].dimensions);
    }
}

}  // namespace lpt::inline LPT_ABI
