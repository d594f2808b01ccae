// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/lstm_loop.hpp>
#include <lpt/import/tflite/activation.hpp>
#include <lpt/import/tflite/state.hpp>

/// Operators that keep a state in variable tensors.
namespace lpt::inline LPT_ABI::tflite {

/// The state that a variable tensor holds.
inline output_ref state_input(network& net, std::size_t port) {
    if (!net.input_info(port).is_variable) {
        net.wrong("its state (input ", port, ") is no variable tensor");
    }
    return net.real_input(port);
}
/// Keeps a state for the next run, without rounding it.
inline void keep(network& net, std::size_t port, output_ref value) {
    net.set(net.input(port), value, axes::as_in_file, true);
}
inline output_ref reshaped(network& net, output_ref source, const integers& sizes) {
    return net.make().add(op::reshape{}, {source, net.make().indices(sizes)});
}

/// A convolution over time in two factors: each filter gives one number a step, of which the last ones are weighted and added up.
///
/// Inputs: data [B, I], feature weights [F, I], time weights [F, M], bias [F / rank], state [B, F * M].
inline void make_svdf(network& net) {
    const shape time = net.input_info(2).dimensions;
    const std::int64_t rank = net.op().integer("rank");
    if (time.rank() != 2 || rank < 1 || time[0] % rank != 0) {
        net.wrong("time weights of shape ", time, " do not fit rank ", rank);
    }
    const std::int64_t filters = time[0];
    const std::int64_t memory = time[1];
    const output_ref state = state_input(net, 4);
    const output_ref before = reshaped(net, state, {-1, filters, memory});
    const output_ref now = net.make().add(op::mat_mul{false, true}, {net.real_input(0), net.real_input(1)});
    const output_ref kept = net.make().add(op::slice{}, {before, net.make().indices({1}), net.make().indices({memory}),
                                                         net.make().indices({1}), net.make().indices({2})});
    const output_ref after = net.make().add(op::concat{2}, {kept, reshaped(net, now, {-1, filters, 1})});
    keep(net, 4, reshaped(net, after, net.input_info(4).dimensions.dimensions()));
    const output_ref weighted = net.make().add(op::multiply{}, {after, net.real_input(2)});
    const output_ref by_filter = net.make().add(op::reduce_sum{}, {weighted, net.make().indices({2})});
    output_ref result = net.make().add(op::reduce_sum{},
                                       {reshaped(net, by_filter, {-1, filters / rank, rank}), net.make().indices({2})});
    if (net.has_input(3)) {
        result = net.make().add(op::add{}, {result, net.real_input(3)});
    }
    // On integers the operator has no activation but the range of its output, whatever the file says.
    net.give(is_quantized(net.output_info()) ? result : activated(net, result));
}

/// Weights or biases of the four gates, put together in the order of LSTMSequence: forget, input, candidate, output.
inline output_ref gates(network& net, std::size_t first, const integers& sizes) {
    seq<output_ref, 5> parts;
    for (const std::size_t port : {first + 1, first, first + 2, first + 3}) {
        parts.push_back(net.has_input(port) ? net.folded_input(port) : output_ref());
    }
    for (const output_ref& each : parts) {
        if (!each) {
            net.wrong("has no weights or bias for one of its gates");
        }
    }
    return reshaped(net, net.make().add(op::concat{0}, parts), sizes);
}

/// True for an LSTM that is more than LSTMSequence: with peepholes, projection, normalized or coupled gates, or clipped.
inline bool is_more_than_sequence(const network& net) {
    for (const std::size_t port : {9u, 10u, 11u, 16u, 17u, 20u, 21u, 22u, 23u}) {
        if (net.has_input(port)) {
            return true;
        }
    }
    return !net.has_input(1) || net.op().real("cell_clip") > 0 || net.op().activation() != activation::tanh;
}

/// Where an LSTM has its inputs: the weights of its gates and what follows them, its states, and factors of normalized gates, if it can have any.
struct lstm_ports {
    std::size_t first;
    std::size_t output_state;
    std::size_t cell_state;
    std::size_t factors = 0;
};

/// An LSTM as a loop. Gates in the order input, forget, candidate, output; peepholes without the candidate.
inline lstm_loop::outcome run_lstm(network& net, const lstm_ports& ports, output_ref data, std::size_t time_axis,
                                   bool is_reverse) {
    lstm_loop loop(net.make());
    const auto value = [&](std::size_t port) { return net.has_input(port) ? net.folded_input(port) : output_ref(); };
    const std::size_t first = ports.first;
    const std::size_t peepholes[4] = {first + 8, first + 9, 0, first + 10};
    for (std::size_t i = 0; i < 4; ++i) {
        loop.gates[i] = {value(first + i), value(first + 4 + i), value(first + 11 + i),
                         peepholes[i] == 0 ? output_ref() : value(peepholes[i]),
                         ports.factors == 0 ? output_ref() : value(ports.factors + i)};
        if ((!loop.gates[i].input && i != 0) || !loop.gates[i].input != !loop.gates[i].hidden) {
            net.wrong("has no weights for one of its gates");
        }
    }
    switch (net.op().activation()) {
        case activation::tanh: break;
        case activation::relu: loop.functions[1] = loop.functions[2] = {op::relu{}}; break;
        case activation::relu6: loop.functions[1] = loop.functions[2] = {op::clamp{{}, 0, 6}}; break;
        default: net.wrong("activations other than TANH, RELU and RELU6 are not supported");
    }
    loop.projection = value(first + 15);
    loop.projection_bias = value(first + 16);
    loop.cell_clip = net.op().real("cell_clip");
    loop.projection_clip = net.op().real("proj_clip");
    loop.time_axis = static_cast<std::int64_t>(time_axis);
    loop.is_reverse = is_reverse;
    const output_ref output_state = state_input(net, ports.output_state);
    const lstm_loop::outcome made = loop.run(data, output_state, state_input(net, ports.cell_state));
    keep(net, ports.output_state, made.hidden);
    keep(net, ports.cell_state, made.cell);
    return made;
}

/// The axis of time of an operator's data.
inline std::size_t time_axis_of(const network& net) {
    if (net.input_info(0).dimensions.rank() != 3) {
        net.wrong("data of shape ", net.input_info(0).dimensions, ", expected 3 axes");
    }
    return net.op().flag("time_major") ? 0 : 1;
}

/// Inputs: data; weights of the gates (1 to 4), of the recurrence (5 to 8), peepholes (9 to 11), biases (12 to 15), projection and its bias (16,
/// 17), states (18, 19), factors of normalized gates (20 to 23).
inline void make_unidirectional_sequence_lstm(network& net) {
    if (net.op().flag("diagonal_recurrent_tensors")) {
        net.wrong("diagonal recurrent weights are not supported");
    }
    if (is_more_than_sequence(net)) {
        return net.give(run_lstm(net, {1, 18, 19, 20}, net.real_input(0), time_axis_of(net), false).all);
    }
    const shape weights = net.input_info(1).dimensions;
    const shape data_shape = net.input_info(0).dimensions;
    if (weights.rank() != 2 || data_shape.rank() != 3) {
        net.wrong("data of shape ", data_shape, " and weights of shape ", weights, ", expected 3 and 2 axes");
    }
    const bool time_first = net.op().flag("time_major");
    const output_ref swap = net.make().indices({1, 0, 2});
    output_ref data = net.real_input(0);
    data = time_first ? net.make().add(op::transpose{}, {data, swap}) : data;
    const std::int64_t hidden = weights[0];
    const dimension batch = data_shape[time_first ? 1 : 0];
    const dimension time = data_shape[time_first ? 0 : 1];
    const output_ref output_state = state_input(net, 18);
    const output_ref cell_state = state_input(net, 19);
    op::lstm_sequence what;
    what.hidden_size = hidden;
    const output_ref lengths =
        net.make().add(op::broadcast{}, {net.make().integer(time, i32), net.make().indices({batch})}, 3);
    const node_id made = net.make().add_node(
        what, {data, reshaped(net, output_state, {-1, 1, hidden}), reshaped(net, cell_state, {-1, 1, hidden}), lengths,
               gates(net, 1, {1, 4 * hidden, weights[1]}), gates(net, 5, {1, 4 * hidden, hidden}),
               gates(net, 12, {1, 4 * hidden})});
    keep(net, 18, reshaped(net, output_ref(made, 1), {-1, hidden}));
    keep(net, 19, reshaped(net, output_ref(made, 2), {-1, hidden}));
    const output_ref result = net.make().add(op::squeeze{}, {output_ref(made, 0), net.make().indices({1})});
    net.give(time_first ? net.make().add(op::transpose{}, {result, swap}) : result);
}

}  // namespace lpt::inline LPT_ABI::tflite
