// SPDX-License-Identifier: Apache-2.0
// What the shapes and values of inputs and variables say about the shapes inside a network.
#pragma once

#include <lpt/plan/folding.hpp>

#include <utility>
#include <vector>

namespace lpt::inline LPT_ABI::plan {

/// What is known of an input of a network when it is planned.
struct known_input {
    element type = dynamic;
    lpt::shape dimensions;
    tensor value;  // only if the plan may depend on it
};

/// A variable of a network that was written, and the shape that it has.
struct known_variable {
    text name;
    element type = dynamic;
    lpt::shape dimensions;
};

namespace detail {

// ---- shapes

inline void give_inputs(graph& model, const std::vector<known_input>& inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const node_id id = model.parameters()[i];
        model.set_attributes(id, op::parameter{inputs[i].type, inputs[i].dimensions});
        if (inputs[i].value) {
            model.replace_uses(id, model.constant(inputs[i].value, model[id].name()));
        }
    }
}

/// A ReadValue takes the shape of its variable, before it was written that of its initial value.
inline void give_variable(graph& model, node_id id, const std::vector<known_variable>& variables) {
    const node& each = model[id];
    op::read_value self = each.as<op::read_value>();
    for (const known_variable& known : variables) {
        if (!(known.name == self.variable_id)) {
            continue;
        }
        self.variable_type = known.type;
        self.variable_shape = known.dimensions;
        if (each.version() >= 6) {
            model.truncate_inputs(id, 0);
            model.set_attributes(id, self);
        } else if (!(each.shape() == known.dimensions)) {
            model.replace(id, model.add(self, view<output_ref>(), each.name(), 6));
        }
        return;
    }
    if (each.version() < 6 || each.shape().is_static()) {
        return;
    }
    if (each.inputs() == 0) {
        fail({each.operation(), " '", each.name(), "': variable '", self.variable_id,
              "' has neither a value nor a static shape to begin with"});
    }
    self.variable_type = model.type(each.input(0));
    self.variable_shape = model.shape(each.input(0));
    model.set_attributes(id, self);
}

// ---- shapes of what bodies give

/// The shapes of a body's results for these shapes of its parameters; dynamic ranks where they do not fit: the run says why.
inline std::vector<shape> result_shapes(graph body, const std::vector<shape>& parameters) {
    std::vector<shape> result;
    try {
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const node_id id = body.parameters()[i];
            op::parameter self = body[id].as<op::parameter>();
            merge_shape(self.dimensions, parameters[i]);
            body.set_attributes(id, self);
        }
        infer_all(body);
        for (const node_id id : body.results()) {
            result.push_back(body[id].shape());
        }
    } catch (const error&) {
        result.assign(body.results().size(), shape::of_dynamic_rank());
    }
    return result;
}

/// The shapes that come to the parameters of a body; dynamic ranks for those that nothing is known of.
inline std::vector<shape> parameter_shapes(const graph& model, const node& each, std::size_t which) {
    const reference::detail::port_maps maps = reference::detail::port_maps_of(each, which);
    std::vector<shape> result(each.bodies()[which].parameters().size(), shape::of_dynamic_rank());
    for (const op::body_input& entry : *maps.inputs) {
        shape dimensions = model.shape(each.input(static_cast<std::size_t>(entry.port)));
        if (entry.holds == op::body_input::form::sliced) {
            const std::int64_t axis = normalized_axis(entry.slice.axis, dimensions.rank());
            if (axis >= 0) {
                dimensions[static_cast<std::size_t>(axis)] = entry.slice.part_size;
            }
        }
        result[static_cast<std::size_t>(entry.parameter)] = dimensions;
    }
    return result;
}

/// True if what is fed back keeps the shape with which it begins.
inline bool keeps_shapes(const reference::detail::port_maps& maps, const std::vector<shape>& parameters,
                         const std::vector<shape>& results) {
    for (const op::body_input& entry : *maps.inputs) {
        if (entry.holds == op::body_input::form::merged && !(parameters[static_cast<std::size_t>(entry.parameter)] ==
                                                             results[static_cast<std::size_t>(entry.result)])) {
            return false;
        }
    }
    return true;
}

inline bool is_constant_true(const graph& model, output_ref source) {
    const tensor* value = model.constant_value(source);
    return value != nullptr && value->elements() == 1 && value->real(0) != 0;
}

/// How many iterations a node runs, as far as that is known; -1 if it is not.
inline std::int64_t known_iterations(const graph& model, const node& each) {
    const reference::detail::port_maps maps = reference::detail::port_maps_of(each, 0);
    if (each.is<op::loop>()) {
        const graph& body = each.bodies()[0];
        const tensor* trips = model.constant_value(each.input(0));
        const bool goes_on =
            is_constant_true(model, each.input(1)) &&
            (maps.execution_condition < 0 ||
             is_constant_true(body, body[body.results()[static_cast<std::size_t>(maps.execution_condition)]].input(0)));
        return goes_on && trips != nullptr && trips->elements() == 1 ? trips->integer(0) : -1;
    }
    for (const op::body_input& entry : *maps.inputs) {
        const shape& data = model.shape(each.input(static_cast<std::size_t>(entry.port)));
        const std::int64_t axis = normalized_axis(entry.slice.axis, data.rank());
        reference::detail::slice_parts parts;
        if (entry.holds == op::body_input::form::sliced && axis >= 0 &&
            data.is_static(static_cast<std::size_t>(axis)) &&
            reference::detail::parts_of(entry.slice, data[static_cast<std::size_t>(axis)], parts)) {
            return parts.count;
        }
    }
    return -1;
}

inline void declare(seq<op::declared_output>& outputs, const op::body_output& entry, shape dimensions,
                    std::int64_t iterations) {
    if (entry.holds == op::body_output::form::concatenated) {
        const std::int64_t axis = normalized_axis(entry.slice.axis, dimensions.rank());
        if (axis < 0) {
            return;
        }
        const checked size = checked(iterations) * entry.slice.part_size;
        dimensions[static_cast<std::size_t>(axis)] =
            iterations >= 0 && size.is_within(0, most_elements) ? size.value() : dynamic_dimension;  // the run says why
    }
    shape merged = outputs[static_cast<std::size_t>(entry.port)].dimensions;
    if (merge_shape(merged, dimensions)) {
        outputs[static_cast<std::size_t>(entry.port)].dimensions = merged;
    }
}

/// Inference does not look into bodies: what they give is declared. Where that is not known, the bodies say it for the shapes
/// that come to them.
inline void declare_outputs(graph& model, node_id id) {
    const node& each = model[id];
    reference::check_bodies(each);
    bool known = true;
    for (std::size_t port = 0; port < each.outputs(); ++port) {
        known = known && each.shape(port).is_static();
    }
    if (known) {
        return;
    }
    if (each.is<op::if_else>()) {
        op::if_else self = each.as<op::if_else>();
        const tensor* condition = model.constant_value(each.input(0));
        const std::vector<shape> taken = result_shapes(each.bodies()[0], parameter_shapes(model, each, 0));
        const std::vector<shape> other = result_shapes(each.bodies()[1], parameter_shapes(model, each, 1));
        for (const op::body_output& entry : self.then_outputs) {
            const shape& one = taken[static_cast<std::size_t>(entry.result)];
            for (const op::body_output& otherwise : self.else_outputs) {
                const shape& two = other[static_cast<std::size_t>(otherwise.result)];
                if (otherwise.port == entry.port && condition == nullptr && one == two) {
                    declare(self.declared_outputs, entry, one, 1);
                } else if (otherwise.port == entry.port && condition != nullptr && condition->elements() == 1) {
                    declare(self.declared_outputs, entry, condition->real(0) != 0 ? one : two, 1);
                }
            }
        }
        model.set_attributes(id, self);
        return;
    }
    const reference::detail::port_maps maps = reference::detail::port_maps_of(each, 0);
    const std::vector<shape> parameters = parameter_shapes(model, each, 0);
    const std::vector<shape> results = result_shapes(each.bodies()[0], parameters);
    if (!keeps_shapes(maps, parameters, results)) {
        return;
    }
    const std::int64_t iterations = known_iterations(model, each);
    const auto declare_all = [&](auto self) {
        for (const op::body_output& entry : self.output_map) {
            declare(self.declared_outputs, entry, results[static_cast<std::size_t>(entry.result)], iterations);
        }
        model.set_attributes(id, self);
    };
    if (each.is<op::loop>()) {
        declare_all(each.as<op::loop>());
    } else {
        declare_all(each.as<op::tensor_iterator>());
    }
}

/// Infers all shapes anew and folds what becomes known on the way, in one pass.
inline void settle(graph& model, const std::vector<known_variable>& variables, kept_order& order) {
    for (const node_id id : order.of(model)) {
        if (model[id].is<op::constant>() || model[id].is<op::parameter>()) {
            continue;
        }
        model.infer(id);
        if (model[id].is<op::read_value>()) {
            give_variable(model, id, variables);
            continue;
        }
        if (reference::runs_bodies(model[id].kind())) {
            declare_outputs(model, id);
            continue;
        }
        seq<output_ref> values;
        if (model[id].is<op::shape_of>() && fold(model, id, values)) {
            model.replace_uses(id, values[0]);
        } else {
            fold_with_reference(model, id);
        }
    }
    model.collect();
}

}  // namespace detail

}  // namespace lpt::inline LPT_ABI::plan
