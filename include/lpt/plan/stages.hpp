// SPDX-License-Identifier: Apache-2.0
// Networks whose shapes are known piece by piece: a plan for what is known, and the network that is left.
#pragma once

#include <lpt/plan/plan.hpp>

#include <utility>

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

/// A plan for all operations whose shapes are known, and what is left for when it was run.
struct stage {
    network net;
    bool complete = true;  // then the outputs of `net` are those of the network, and there is nothing else
    /// What is left: its inputs are those of this stage, then the outputs of `net`, then the outputs of the deferred steps, in order.
    graph rest;
    std::vector<bool> needs_value;  // by input of `rest`: shapes depend on its values
    graph whole;  // the network of this stage with all nodes of the deferred steps
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

// ---- what is known, what is left

inline bool has_known_outputs(const node& each) {
    for (std::size_t port = 0; port < each.outputs(); ++port) {
        if (each.type(port) == dynamic || each.shape(port).is_dynamic()) {
            return false;
        }
    }
    return true;
}

/// True for inputs whose values say what shape an operation gives.
inline bool is_shape_port(const node& each, std::size_t port) {
    switch (each.kind()) {
        case op::kind::range: return true;
        case op::kind::convolution_backprop_data:
        case op::kind::group_convolution_backprop_data:
        case op::kind::gather: return port == 2;
        case op::kind::one_hot: return port == 1;
        case op::kind::pad: return port == 1 || port == 2;
        default: return port != 0 && op::has(op::row_of(each.attributes()).traits, op::trait::reads_values);
    }
}

/// Divides a network into a stage that can be planned and the rest.
class stage_maker {
    graph model_;
    const plan_options& options_;
    kept_order known_order_;
    const seq<node_id>& order_;
    std::vector<node_id> deferred_;  // evaluated at the end of the stage
    std::vector<output_ref> shape_values_;  // what shapes depend on
    std::vector<bool> computed_;  // by node: computed in this stage
    std::vector<output_ref> cuts_;  // what this stage gives to the rest

    /// The first operations with unknown outputs: each waits for the values of its shape ports, or is deferred.
    bool find_unknown() {
        std::vector<bool> known(model_.id_bound(), false);
        bool complete = true;
        for (const node_id id : order_) {
            const node& each = model_[id];
            bool inputs_known = true;
            for (std::size_t port = 0; port < each.inputs(); ++port) {
                inputs_known = inputs_known && known[index_of(model_.producer(id, port))];
            }
            known[index_of(id)] = inputs_known && has_known_outputs(each);
            complete = complete && known[index_of(id)];
            if (!inputs_known || known[index_of(id)]) {
                continue;
            }
            bool waits = false;
            for (std::size_t port = 0; port < each.inputs(); ++port) {
                if (is_shape_port(each, port) && model_.constant_value(each.input(port)) == nullptr) {
                    shape_values_.push_back(each.input(port));
                    waits = true;
                }
            }
            if (!waits) {
                deferred_.push_back(id);
            }
        }
        return complete;
    }
    void compute(output_ref source) {
        seq<node_id> waiting{source.node};
        while (!waiting.empty()) {
            const node_id id = waiting.back();
            waiting.pop_back();
            const node& each = model_[id];
            if (computed_[index_of(id)] || each.is<op::constant>() || each.is<op::parameter>()) {
                continue;
            }
            computed_[index_of(id)] = true;
            for (std::size_t port = 0; port < each.inputs(); ++port) {
                waiting.push_back(model_.producer(id, port));
            }
        }
    }
    void find_cuts() {
        computed_.assign(model_.id_bound(), false);
        for (const output_ref source : shape_values_) {
            compute(source);
        }
        for (const node_id id : deferred_) {
            for (std::size_t port = 0; port < model_[id].inputs(); ++port) {
                compute(model_[id].input(port));
            }
        }
        for (const node_id id : order_) {
            for (std::size_t port = 0; computed_[index_of(id)] && port < model_[id].outputs(); ++port) {
                const output_ref output(id, static_cast<std::int32_t>(port));
                bool read_later = false;
                for (const input_ref user : model_.uses(output)) {
                    read_later = read_later || !computed_[index_of(user.node)];
                }
                if (read_later) {
                    cuts_.push_back(output);
                }
            }
        }
    }

    /// A step for each deferred operation behind the others; `first` is the output of `net` that is the first one's first input.
    void add_deferred_steps(network& net, std::size_t first) const {
        for (const node_id id : deferred_) {
            const node& each = model_[id];
            deferred_step work;
            work.node = id;
            if (!reference::runs_bodies(each.kind())) {
                require_kernel(options_, each);
            }
            for (std::size_t port = 0; port < each.inputs(); ++port) {
                work.inputs.push_back(net.outputs[first++].tensor);
            }
            step made;
            made.nodes = {id};
            made.precision = reference_type(model_, each);
            made.kernel = reference::runs_bodies(each.kind())
                              ? std::string("bodies")
                              : std::string("reference") + suffix_of(is_byte(made.precision) ? made.precision : f32);
            made.reads = work.inputs;
            made.work = std::move(work);
            net.steps.push_back(std::move(made));
        }
        net.outputs.resize(cuts_.size());
    }
    network plan_known() const {
        graph known = model_;
        for (const node_id id : seq<node_id>(known.results())) {
            known.remove(id);
        }
        for (const node_id id : seq<node_id>(known.sinks())) {
            known.replace_uses(id, known[id].input(0));
            known.remove(id);
        }
        for (const output_ref each : cuts_) {
            known.result(each);
        }
        for (const node_id id : deferred_) {
            for (std::size_t port = 0; port < model_[id].inputs(); ++port) {
                known.result(model_[id].input(port));
            }
        }
        known.collect();
        network net = planner(std::move(known), options_).plan();
        add_deferred_steps(net, cuts_.size());
        return net;
    }
    void take_rest(stage& result) const {
        graph& rest = result.rest;
        rest = model_;
        const auto replace = [&](output_ref output) {
            const node& each = model_[output.node];
            rest.replace_uses(output, rest.parameter(model_.type(output), model_.shape(output), each.name()));
        };
        for (const output_ref each : cuts_) {
            replace(each);
        }
        for (const node_id id : deferred_) {
            for (std::size_t port = 0; port < model_[id].outputs(); ++port) {
                replace(output_ref(id, static_cast<std::int32_t>(port)));
            }
        }
        result.needs_value.assign(rest.parameters().size(), false);
        const std::size_t before = model_.parameters().size();
        for (const output_ref value : shape_values_) {
            for (std::size_t i = 0; i < before; ++i) {
                if (model_.parameters()[i] == value.node) {
                    result.needs_value[i] = true;
                }
            }
            for (std::size_t i = 0; i < cuts_.size(); ++i) {
                if (cuts_[i] == value) {
                    result.needs_value[before + i] = true;
                }
            }
        }
        rest.collect();
    }

public:
    stage_maker(graph model, const plan_options& options, kept_order known_order)
        : model_(std::move(model)),
          options_(options),
          known_order_(std::move(known_order)),
          order_(known_order_.of(model_)) {}

    stage make() {
        stage result;
        result.complete = find_unknown();
        if (result.complete) {
            result.net = planner(std::move(model_), options_).plan(std::move(known_order_));
            return result;
        }
        find_cuts();
        result.net = plan_known();
        take_rest(result);
        result.whole = std::move(model_);
        return result;
    }
};

}  // namespace detail

/// Plans what is known of a network for these inputs; the rest is for when the stage was run.
///
/// `inputs`: one a Parameter, of static shapes, with the values of those that `needs_value` of the stage before names; `variables`: those that
/// were written. Operations whose output shapes depend on values (Reshape to a computed shape, Slice with computed bounds, Range …)
/// wait for these values and are then planned like others; operations that say their shapes only when they are evaluated (NonZero, loops
/// whose outputs grow) are the last steps of the stage. Raises an error that names the node for shapes that an operation cannot take.
inline stage make_stage(graph model, const std::vector<known_input>& inputs,
                        const std::vector<known_variable>& variables, const plan_options& options) {
    detail::give_inputs(model, inputs);
    kept_order order;
    detail::settle(model, variables, order);
    return detail::stage_maker(std::move(model), options, std::move(order)).make();
}

}  // namespace lpt::inline LPT_ABI::plan
