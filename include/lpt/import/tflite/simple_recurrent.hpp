// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/tflite/control_flow.hpp>
#include <lpt/import/tflite/recurrent.hpp>

/// Recurrent operators without gates: h' = f(W * x + R * h + b).
namespace lpt::inline LPT_ABI::tflite {

/// What such an operator reads: weights [units, inputs] and [units, units], a bias [units], a state [batch, units].
struct simple_unit {
    output_ref of_data;
    output_ref of_state;
    output_ref bias;
    output_ref state;
};
inline simple_unit simple_unit_at(network& net, std::size_t first) {
    return {net.folded_input(first), net.folded_input(first + 1), net.folded_input(first + 2),
            state_input(net, first + 3)};
}

/// W * x + b, of one step or of all.
inline output_ref products_of_data(model_builder& make, const simple_unit& unit, output_ref data) {
    return make.add(op::add{}, {make.add(op::mat_mul{false, true}, {data, unit.of_data}), unit.bias});
}

/// h' of all steps, with the axes of the data, and the last one.
struct simple_outcome {
    output_ref all;
    output_ref last;
};

/// A unit as a loop over `time_axis` of data with three axes.
inline simple_outcome run_simple_unit(network& net, const simple_unit& unit, output_ref data, std::size_t time_axis,
                                      bool is_reverse) {
    model_builder& make = net.make();
    const output_ref products = products_of_data(make, unit, data);
    model_builder body(make.file());
    body.begin(make.current());
    op::tensor_iterator what;
    seq<output_ref> inputs;
    const auto axis = static_cast<std::int64_t>(time_axis);
    const op::body_slice steps = is_reverse ? op::body_slice{axis, -1, -1, 1, 0} : op::body_slice{axis};
    const auto parameter = [&](output_ref outside, const shape& dimensions, op::body_input::form holds) {
        op::body_input input = body_input(inputs.size(), inputs.size());
        input.holds = holds;
        input.slice = holds == op::body_input::form::sliced ? steps : op::body_slice{};
        input.result = holds == op::body_input::form::merged ? 0 : -1;
        what.input_map.push_back(input);
        inputs.push_back(outside);
        return body.model().parameter(make.type_of(outside), dimensions);
    };
    shape step = make.shape_of(products);
    step[time_axis] = 1;
    const output_ref now = parameter(products, step, op::body_input::form::sliced);
    const output_ref before = parameter(unit.state, make.shape_of(unit.state), op::body_input::form::merged);
    const tensor* known = make.value_of(unit.of_state);
    const output_ref weights =
        known != nullptr ? body.constant(*known)
                         : parameter(unit.of_state, make.shape_of(unit.of_state), op::body_input::form::invariant);
    const output_ref sum = body.add(op::add{}, {body.add(op::squeeze{}, {now, body.indices({axis})}, 0),
                                                body.add(op::mat_mul{false, true}, {before, weights})});
    const output_ref after = function_of(net, body, sum);
    const output_ref row = body.add(op::unsqueeze{}, {after, body.indices({axis})});
    op::declared_output all{body.type_of(row), body.shape_of(row)};
    all.dimensions[time_axis] = make.shape_of(products)[time_axis];
    op::body_output rows = body_output(1, 1);
    rows.holds = op::body_output::form::concatenated;
    rows.slice = steps;
    what.output_map = {body_output(0, 0), rows};
    what.declared_outputs = {{body.type_of(after), body.shape_of(after)}, all};
    body.model().result(after);
    body.model().result(row);
    const node_id made = make.add_node(what, inputs);
    make.model().add_body(made, body.take());
    return {output_ref(made, 1), made};
}

/// Inputs: data [batch, inputs], weights, weights of the state, bias, state.
inline void make_rnn(network& net) {
    const simple_unit unit = simple_unit_at(net, 1);
    const output_ref of_state = net.make().add(op::mat_mul{false, true}, {unit.state, unit.of_state});
    const output_ref sum = net.make().add(op::add{}, {products_of_data(net.make(), unit, net.real_input(0)), of_state});
    const output_ref result = function_of(net, net.make(), sum);
    keep(net, 4, result);
    net.give(result);
}

/// The same for all steps of a sequence.
inline void make_unidirectional_sequence_rnn(network& net) {
    const std::size_t time = time_axis_of(net);
    const simple_outcome made = run_simple_unit(net, simple_unit_at(net, 1), net.real_input(0), time, false);
    keep(net, 4, made.last);
    net.give(made.all);
}

/// Outputs of both directions, one behind the other along the last axis, or each for itself.
inline void give_directions(network& net, output_ref forward, output_ref backward) {
    if (net.op().flag("merge_outputs")) {
        net.give(net.make().add(op::concat{2}, {forward, backward}));
    } else {
        net.give(forward);
        net.give(backward, axes::as_in_file, 1);
    }
}
inline void require_no_auxiliary_inputs(network& net, std::size_t first, std::size_t last) {
    for (std::size_t port = first; port <= last; ++port) {
        if (net.has_input(port)) {
            net.wrong("auxiliary inputs (input ", port, ") are not supported");
        }
    }
}

/// Inputs: data; weights, weights of the state, bias, state of either direction.
inline void make_bidirectional_sequence_rnn(network& net) {
    require_no_auxiliary_inputs(net, 9, 11);
    const std::size_t time = time_axis_of(net);
    const output_ref data = net.real_input(0);
    const simple_outcome forward = run_simple_unit(net, simple_unit_at(net, 1), data, time, false);
    const simple_outcome backward = run_simple_unit(net, simple_unit_at(net, 5), data, time, true);
    keep(net, 4, forward.last);
    keep(net, 8, backward.last);
    give_directions(net, forward.all, backward.all);
}

/// Inputs: data; of either direction weights of the gates, of the recurrence, peepholes, biases, projection and its bias; states.
inline void make_bidirectional_sequence_lstm(network& net) {
    require_no_auxiliary_inputs(net, 39, 47);
    const output_ref data = net.real_input(0);
    const lstm_loop::outcome forward = run_lstm(net, {1, 35, 36}, data, time_axis_of(net), false);
    const lstm_loop::outcome backward = run_lstm(net, {18, 37, 38}, data, time_axis_of(net), true);
    give_directions(net, forward.all, backward.all);
}

/// The same inputs as UNIDIRECTIONAL_SEQUENCE_LSTM, data of one step.
inline void make_lstm(network& net) {
    if (net.op().integer("kernel_type") != 0) {
        net.wrong("the BASIC kernel is not supported, only FULL");
    }
    if (net.input_info(0).dimensions.rank() != 2) {
        net.wrong("data of shape ", net.input_info(0).dimensions, ", expected 2 axes");
    }
    const output_ref data = net.make().add(op::unsqueeze{}, {net.real_input(0), net.make().indices({1})});
    const lstm_loop::outcome made = run_lstm(net, {1, 18, 19, 20}, data, 1, false);
    net.give(net.make().add(op::squeeze{}, {made.all, net.make().indices({1})}, 0));
}

}  // namespace lpt::inline LPT_ABI::tflite
