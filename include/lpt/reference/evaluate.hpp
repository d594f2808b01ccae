// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/reference/activation.hpp>
#include <lpt/reference/adaptive_pooling.hpp>
#include <lpt/reference/attention.hpp>
#include <lpt/reference/bitwise.hpp>
#include <lpt/reference/control_flow.hpp>
#include <lpt/reference/convolution.hpp>
#include <lpt/reference/deformable_convolution.hpp>
#include <lpt/reference/detection.hpp>
#include <lpt/reference/fake_convert.hpp>
#include <lpt/reference/fully_connected.hpp>
#include <lpt/reference/grid_sample.hpp>
#include <lpt/reference/indexing.hpp>
#include <lpt/reference/interpolate.hpp>
#include <lpt/reference/limits.hpp>
#include <lpt/reference/linear_algebra.hpp>
#include <lpt/reference/movement.hpp>
#include <lpt/reference/naming.hpp>
#include <lpt/reference/normalization.hpp>
#include <lpt/reference/pooling.hpp>
#include <lpt/reference/recurrent.hpp>
#include <lpt/reference/scatter.hpp>
#include <lpt/reference/signal.hpp>

#include <type_traits>
#include <utility>
#include <vector>

namespace lpt::inline LPT_ABI::reference {

/// Whether an operation can be evaluated: all of the library can, and those of users that have a function for it.
constexpr bool can_evaluate(const op::attributes& what) {
    return what.number() > op::kind::none && (!op::is_of_user(what.number()) || lpt::can_evaluate(what));
}

/// The values of the variables of a network between two runs.
class state {
    struct variable {
        text name;
        tensor value;
    };
    std::vector<variable> variables_;

public:
    /// Null while nothing has written the variable.
    const tensor* find(text_view name) const {
        for (const variable& each : variables_) {
            if (each.name == name) {
                return &each.value;
            }
        }
        return nullptr;
    }
    void write(text_view name, tensor value) {
        for (variable& each : variables_) {
            if (each.name == name) {
                each.value = std::move(value);
                return;
            }
        }
        variables_.push_back({text(name), std::move(value)});
    }
    /// All variables start anew.
    void clear() { variables_.clear(); }
};

namespace detail {

/// The type in which tensors of `type` are held while a network is evaluated in `Number`: in double all real types of 16 bits and more are f64.
template <class Number>
constexpr element held_type(element type) {
    const bool widens = std::is_same_v<Number, double> && is_real(type) && bit_width(type) >= 16;
    return widens ? f64 : type;
}
template <class Number>
tensor held(const tensor& value) {
    return evaluation::convert_tensor(value, held_type<Number>(value.type()));
}

/// Evaluates an operation on inputs of the types in which it computes.
inline bool evaluate_any(const call& node, seq<tensor>& outputs) {
    if (!op::is_of_user(node.kind()) && evaluation::give_empty(node, outputs)) {
        return true;
    }
    switch (node.kind()) {
        case op::kind::convolution:
        case op::kind::group_convolution:
        case op::kind::convolution_backprop_data:
        case op::kind::group_convolution_backprop_data: return evaluate_convolution(node, outputs);
        case op::kind::max_pool:
        case op::kind::avg_pool: return evaluate_pooling(node, outputs);
        case op::kind::adaptive_max_pool:
        case op::kind::adaptive_avg_pool: return evaluate_adaptive_pooling(node, outputs);
        case op::kind::bitwise_and:
        case op::kind::bitwise_or:
        case op::kind::bitwise_xor:
        case op::kind::bitwise_left_shift:
        case op::kind::bitwise_right_shift:
        case op::kind::bitwise_not: return evaluate_bitwise(node, outputs);
        case op::kind::interpolate: return evaluate_interpolate(node, outputs);
        case op::kind::gather_nd:
        case op::kind::reverse_sequence:
        case op::kind::roll:
        case op::kind::gather_elements: return evaluate_rare_movement(node, outputs);
        case op::kind::grid_sample: return evaluate_grid_sample(node, outputs);
        case op::kind::top_k:
        case op::kind::cum_sum:
        case op::kind::one_hot:
        case op::kind::non_zero: return evaluate_indexing(node, outputs);
        case op::kind::fully_connected_compressed: return evaluate_fully_connected(node, outputs);
        case op::kind::deformable_convolution: return evaluate_deformable_convolution(node, outputs);
        case op::kind::scatter_nd_update:
        case op::kind::scatter_update:
        case op::kind::scatter_elements_update: return evaluate_scatter(node, outputs);
        case op::kind::non_max_suppression:
        case op::kind::roi_align: return evaluate_detection(node, outputs);
        case op::kind::dft:
        case op::kind::idft:
        case op::kind::rdft:
        case op::kind::irdft: return evaluate_signal(node, outputs);
        case op::kind::inverse: return evaluate_linear_algebra(node, outputs);
        case op::kind::scaled_dot_product_attention: return evaluate_attention(node, outputs);
        case op::kind::lstm_cell:
        case op::kind::gru_cell:
        case op::kind::lstm_sequence:
        case op::kind::gru_sequence: return evaluate_recurrent(node, outputs);
        case op::kind::fake_convert: return evaluate_fake_convert(node, outputs);
        default: break;
    }
    if (lpt::can_evaluate(node.what)) {
        return evaluation::evaluate_known(node, outputs);
    }
    return evaluate_activation(node, outputs) || evaluate_normalization(node, outputs);
}

/// True where inputs and weights are small integers: their products are summed in double, which is exact.
inline bool sums_integers(const node& each, const seq<tensor>& inputs) {
    switch (each.kind()) {
        case op::kind::convolution:
        case op::kind::group_convolution:
        case op::kind::convolution_backprop_data:
        case op::kind::group_convolution_backprop_data:
        case op::kind::mat_mul: break;
        default: return false;
    }
    return is_real(each.type()) && is_integral(inputs[0].type()) && is_integral(inputs[1].type());
}

/// The inputs of a node in the types in which it computes.
template <class Number>
seq<tensor> computed_inputs(const node& each, view<tensor> inputs) {
    seq<tensor> result(inputs);
    const relaxation* own = each.own_types();
    for (std::size_t port = 0; port < result.size(); ++port) {
        if (own != nullptr && port < own->input_types.size() && own->input_types[port] != dynamic) {
            result[port] = evaluation::convert_tensor(result[port], held_type<Number>(own->input_types[port]));
        }
    }
    if (sums_integers(each, seq<tensor>(inputs))) {
        result[0] = evaluation::convert_tensor(inputs[0], f64);
        result[1] = evaluation::convert_tensor(inputs[1], f64);
    }
    return result;
}

[[noreturn, gnu::cold]] inline void cannot_evaluate(const node& each, text_view why) {
    fail({each.operation(), " '", each.name(), "' of version ", each.version(), " cannot be evaluated: ", why});
}

}  // namespace detail

template <class Number>
std::vector<tensor> evaluate(const graph& model, view<tensor> inputs, state& variables, const limits& most = {});

/// The outputs of one node for these inputs.
///
/// `Number` float: values are held in the element types of their tensors, and a node computes in the number type of its inputs
/// (`lpt::evaluation`). `Number` double: real values of 16 bits and more are held and computed in double throughout, whatever their type.
/// Shapes follow from the inputs, not from what was inferred for the node. A type-relaxed node computes in its input types and
/// converts to its output types; a FakeQuantize with an integral type of its own rounds, halves to even; products of integers are summed exactly.
/// `inputs`: one tensor a port, of the port's type (or, in double, f64). Parameter and ReadValue give their input. `variables`: those of
/// ReadValue and Assign inside the bodies of the node. Raises an error that names the node for wrong inputs, values without a result, and
/// what is beyond the limits.
template <class Number>
seq<tensor> evaluate_node(const graph& model, node_id id, view<tensor> inputs, state& variables,
                          const limits& most = {}) {
    const node& each = model[id];
    if (each.is<op::constant>()) {
        return {detail::held<Number>(each.as<op::constant>().value)};
    }
    if (!can_evaluate(each.attributes())) {
        detail::cannot_evaluate(each, "it is no operation of the library");
    }
    if (inputs.size() != each.inputs() && !each.is<op::parameter>()) {
        detail::cannot_evaluate(each, join({"it has ", each.inputs(), " inputs, not ", inputs.size()}));
    }
    seq<tensor> outputs;
    if (each.is<op::parameter>() || each.is<op::result>() || each.is<op::read_value>() || each.is<op::assign>()) {
        if (inputs.empty()) {
            detail::cannot_evaluate(each, "it has no value");
        }
        outputs.push_back(inputs[0]);
    } else if (runs_bodies(each.kind())) {
        const auto run_body = [&](std::size_t which, const std::vector<tensor>& parameters) {
            return evaluate<Number>(each.bodies()[which], view<tensor>(parameters.data(), parameters.size()), variables,
                                    most);
        };
        outputs = evaluate_control_flow(each, inputs, run_body, most);
    } else {
        const seq<tensor> computed = detail::computed_inputs<Number>(each, inputs);
        if (each.is<op::convert>() || each.is<op::convert_like>()) {
            outputs.push_back(evaluation::convert_tensor(computed[0], detail::held_type<Number>(each.type())));
            return outputs;
        }
        seq<op::output_facts, 2> facts;
        if (!evaluation::infer_outputs(each.attributes(), each.version(), computed, facts, each.name()) &&
            !each.is<op::non_zero>() && !each.is<op::non_max_suppression>()) {
            detail::cannot_evaluate(each, "its output shape does not follow from its inputs");
        }
        detail::check_memory(each, facts, most);
        if (each.is<op::fake_quantize>() && is_integral(each.type())) {
            outputs.push_back(evaluation::evaluate_fake_quantize(computed, each.as<op::fake_quantize>(),
                                                                 facts[0].dimensions, each.type(), true));
            return outputs;
        }
        const auto evaluate_it = [&] {
            return detail::evaluate_any({each.attributes(), each.version(), computed, facts}, outputs);
        };
        if (!lpt::detail::naming_errors_of(each, evaluate_it)) {
            detail::cannot_evaluate(each, "these values have no result");
        }
    }
    for (std::size_t port = 0; port < outputs.size(); ++port) {
        const element type = each.type(port) == dynamic ? outputs[port].type() : each.type(port);
        outputs[port] = evaluation::convert_tensor(outputs[port], detail::held_type<Number>(type));
    }
    return outputs;
}
/// The same with variables that begin anew.
template <class Number>
seq<tensor> evaluate_node(const graph& model, node_id id, view<tensor> inputs) {
    state variables;
    return evaluate_node<Number>(model, id, inputs, variables);
}

namespace detail {

/// One run of a network.
template <class Number>
class run {
    const graph& model_;
    view<tensor> inputs_;
    state& state_;
    limits limits_;
    std::vector<seq<tensor>> values_;  // by node
    std::vector<std::size_t> readers_left_;  // by node: a tensor is let go after its last reader
    std::vector<std::pair<text, tensor>> writes_;  // seen by the next run

    void count_readers(const seq<node_id>& order) {
        for (const node_id id : order) {
            for (std::size_t port = 0; port < model_[id].inputs(); ++port) {
                ++readers_left_[index_of(model_.producer(id, port))];
            }
        }
    }
    void let_inputs_go(const node& each) {
        for (std::size_t port = 0; port < each.inputs(); ++port) {
            const std::size_t producer = index_of(each.input(port).node);
            if (--readers_left_[producer] == 0) {
                values_[producer] = {};
            }
        }
    }
    tensor parameter_value(node_id id) const {
        const node& each = model_[id];
        for (std::size_t i = 0; i < inputs_.size(); ++i) {
            if (model_.parameters()[i] != id) {
                continue;
            }
            const tensor& given = inputs_[i];
            shape merged = each.as<op::parameter>().dimensions;
            const element type = each.as<op::parameter>().element_type;
            const bool fits = given.type() == type || given.type() == held_type<Number>(type) || type == dynamic;
            if (!fits || !merge_shape(merged, given.dimensions())) {
                fail({"input ", i, " '", each.name(), "' must be ", name(type), each.as<op::parameter>().dimensions,
                      ", not ", name(given.type()), given.dimensions()});
            }
            return held<Number>(given);
        }
        fail({"input '", each.name(), "' has no value"});
    }
    tensor variable_value(const node& each, const seq<tensor>& initial) const {
        const auto& self = each.as<op::read_value>();
        if (const tensor* known = state_.find(self.variable_id)) {
            return held<Number>(*known);
        }
        if (!initial.empty()) {
            return initial[0];
        }
        if (self.variable_type == dynamic || self.variable_shape.is_dynamic()) {
            cannot_evaluate(each, "its variable has neither a value nor a static shape to begin with");
        }
        const element type = held_type<Number>(self.variable_type);
        const op::output_facts facts{type, self.variable_shape};
        check_memory(each, view<op::output_facts>(&facts, 1), limits_);
        return make_scalar_filled(type, self.variable_shape);
    }
    static tensor make_scalar_filled(element type, const shape& dimensions) {
        return tensor_builder(type, dimensions).finish();
    }
    seq<tensor> values_of(node_id id) {
        const node& each = model_[id];
        seq<tensor> inputs;
        for (std::size_t port = 0; port < each.inputs(); ++port) {
            const output_ref source = each.input(port);
            inputs.push_back(values_[index_of(source.node)][static_cast<std::size_t>(source.port)]);
        }
        let_inputs_go(each);
        if (each.is<op::parameter>()) {
            return {parameter_value(id)};
        }
        if (each.is<op::read_value>()) {
            return {variable_value(each, inputs)};
        }
        if (each.is<op::assign>()) {
            writes_.emplace_back(each.as<op::assign>().variable_id, inputs[0]);
        }
        return evaluate_node<Number>(model_, id, inputs, state_, limits_);
    }

public:
    run(const graph& model, view<tensor> inputs, state& variables, const limits& most)
        : model_(model),
          inputs_(inputs),
          state_(variables),
          limits_(most),
          values_(model.id_bound()),
          readers_left_(model.id_bound(), 0) {}

    std::vector<tensor> results() {
        if (inputs_.size() != model_.parameters().size()) {
            fail({"the network has ", model_.parameters().size(), " inputs, not ", inputs_.size()});
        }
        const seq<node_id> order = topological_order(model_);
        count_readers(order);
        for (const node_id id : order) {
            values_[index_of(id)] = values_of(id);
        }
        std::vector<tensor> outputs;
        for (const node_id id : model_.results()) {
            outputs.push_back(values_[index_of(id)][0]);
        }
        for (auto& [name, value] : writes_) {
            state_.write(name, std::move(value));
        }
        return outputs;
    }
};

}  // namespace detail

/// Runs a network and gives its outputs in the order of its results.
///
/// `inputs`: one tensor a parameter, in order, of its type and a shape that fits; `variables`: what ReadValue gives and, at the end of the run,
/// takes from Assign. For `Number` see `evaluate_node`; with double real outputs are f64. Tensors are let go after their last reader. Raises an
/// error that names the input or node.
template <class Number>
std::vector<tensor> evaluate(const graph& model, view<tensor> inputs, state& variables, const limits& most) {
    return detail::run<Number>(model, inputs, variables, most).results();
}
/// The same with variables that begin anew.
template <class Number>
std::vector<tensor> evaluate(const graph& model, view<tensor> inputs) {
    state variables;
    return evaluate<Number>(model, inputs, variables);
}

}  // namespace lpt::inline LPT_ABI::reference
