// SPDX-License-Identifier: Apache-2.0
#include "tests/executor/check.hpp"

#include <doctest/doctest.h>

using namespace lpt;
using namespace lpt::testing;

namespace {

constexpr std::int64_t batch = 3;
constexpr std::int64_t times = 4;
constexpr std::int64_t inputs = 5;
constexpr std::int64_t hidden = 6;

/// Numbers of f32 in [-size, size] that repeat late.
tensor numbers(const shape& dimensions, double size, double phase) {
    tensor_builder result(f32, dimensions);
    for (std::size_t i = 0; i < result.elements(); ++i) {
        const double turn = 0.618033988749895 * static_cast<double>(i + 1) + phase;
        result.real(i, size * (2 * (turn - math::floor(turn)) - 1));
    }
    return result.finish();
}

/// A graph around one recurrent operation, and what it is run with.
struct cell_network {
    runnable network{"", graph(), {{}}};
    seq<output_ref> operands;

    graph& model() { return network.model; }
    void parameter(const char* name, const tensor& value) {
        operands.push_back(model().parameter(value.type(), value.dimensions(), name));
        network.runs[0].push_back(value);
    }
    void constant(const tensor& value) { operands.push_back(model().constant(value)); }

    /// Runs the operation; how many steps were on its kernel, and how many on the reference.
    template <class Op>
    run_counts check(const char* name, const Op& what, std::size_t outputs, int version = 0) {
        network.name = name;
        const node_id id = version == 0 ? model().add(what, operands) : model().add(what, operands, {}, version);
        for (std::size_t port = 0; port < outputs; ++port) {
            model().result(output_ref(id, static_cast<std::int32_t>(port)));
        }
        check_counts counts;
        for (std::uint64_t turn = 0; turn < 4; ++turn) {
            CHECK(check_network(network, turn, counts) == "");
        }
        return counts.steps;
    }
};

void add_weights(cell_network& to, const shape& front, std::int64_t gates, std::int64_t bias_gates) {
    const auto with = [&](std::initializer_list<std::int64_t> rest) {
        shape result = front;
        for (const std::int64_t each : rest) {
            result.push_back(each);
        }
        return result;
    };
    to.constant(numbers(with({gates * hidden, inputs}), 0.7, 0.1));
    to.constant(numbers(with({gates * hidden, hidden}), 0.6, 0.2));
    to.constant(numbers(with({bias_gates * hidden}), 0.5, 0.3));
}

cell_network sequence_network(std::int64_t directions, std::size_t states, std::int64_t gates, std::int64_t bias_gates,
                              element lengths) {
    cell_network result;
    result.parameter("x", numbers(shape{batch, times, inputs}, 2, 0));
    for (std::size_t i = 0; i < states; ++i) {
        result.parameter(i == 0 ? "h" : "c", numbers(shape{batch, directions, hidden}, 1, 0.4));
    }
    result.parameter("lengths", make_integer_tensor(lengths, {batch}, {4, 2, 0}));
    add_weights(result, shape{directions}, gates, bias_gates);
    return result;
}

/// Weights of bytes: rows with a scale and a zero point each.
output_ref dequantized(graph& model, output_ref bytes, std::int64_t rows, double scale, std::int64_t zero_point) {
    seq<std::int64_t> zero_points;
    tensor_builder scales(f32, shape{rows, 1});
    for (std::int64_t row = 0; row < rows; ++row) {
        zero_points.push_back(zero_point + row % 3);
        scales.real(static_cast<std::size_t>(row), scale * (1 + 0.1 * static_cast<double>(row)));
    }
    const element type = model.type(bytes);
    const output_ref shift = model.constant(make_integer_tensor(type, shape{rows, 1}, zero_points));
    const output_ref shifted = model.add_relaxed(op::subtract{}, {bytes, shift}, {{f32, f32}, {f32}});
    model.set_mark(shifted.node, mark::disabled_constant_folding);  // as the transformations leave it
    return model.add(op::multiply{}, {shifted, model.constant(scales.finish())});
}

/// The same operation of bytes: its data come as u8 or are real, its weights are u8 or i8.
cell_network sequence_network_of_bytes(std::int64_t directions, std::size_t states, std::int64_t gates,
                                       std::int64_t bias_gates, element weights, bool data_are_bytes = true) {
    cell_network result = sequence_network(directions, states, gates, bias_gates, i64);
    const auto codes = [&](element type, const shape& dimensions, double phase) {
        const tensor from = numbers(dimensions, 1, phase);
        tensor_builder made(type, dimensions);
        for (std::size_t i = 0; i < made.elements(); ++i) {
            made.real(i, math::round_half_even(127 * from.real(i)) + (type == u8 ? 128 : 0));
        }
        return made.finish();
    };
    graph model;
    seq<output_ref> operands;
    for (std::size_t i = 0; i < result.network.runs[0].size(); ++i) {
        const tensor& given = result.network.runs[0][i];
        const element type = i == 0 && data_are_bytes ? u8 : given.type();
        operands.push_back(model.parameter(type, given.dimensions(), i == 0 ? "x" : "other"));
    }
    if (data_are_bytes) {
        result.network.runs[0][0] = codes(u8, shape{batch, times, inputs}, 0.3);
        const output_ref zero_point = model.constant(make_scalar(u8, 120));
        const output_ref shifted = model.add_relaxed(op::subtract{}, {operands[0], zero_point}, {{f32, f32}, {f32}});
        operands[0] = model.add(op::multiply{}, {shifted, model.constant(make_scalar(f32, 0.02))});
    }
    const std::int64_t rows = gates * hidden;
    for (const std::int64_t columns : {inputs, hidden}) {
        const output_ref bytes = model.constant(codes(weights, shape{directions, rows, columns}, 0.1));
        operands.push_back(dequantized(model, bytes, rows, 0.003, weights == u8 ? 127 : -1));
    }
    operands.push_back(model.constant(numbers(shape{directions, bias_gates * hidden}, 0.5, 0.3)));
    result.network.model = std::move(model);
    result.operands = std::move(operands);
    return result;
}

cell_network cell_network_of(std::size_t states, std::int64_t gates, std::int64_t bias_gates) {
    cell_network result;
    result.parameter("x", numbers(shape{batch, inputs}, 2, 0));
    for (std::size_t i = 0; i < states; ++i) {
        result.parameter(i == 0 ? "h" : "c", numbers(shape{batch, hidden}, 1, 0.4));
    }
    add_weights(result, shape{}, gates, bias_gates);
    return result;
}

void check_on_kernel(run_counts counts) {
    CHECK(counts.kernels["recurrent"] > 0);
    CHECK(counts.on_reference == 0);
    CHECK(counts.without_bound == 0);
}

const op::recurrent_direction directions[] = {op::recurrent_direction::forward, op::recurrent_direction::reverse,
                                              op::recurrent_direction::bidirectional};

}  // namespace

TEST_CASE("LSTM sequences run on their kernel, in all directions and with lengths that come when they run") {
    for (const op::recurrent_direction direction : directions) {
        op::lstm_sequence what;
        what.hidden_size = hidden;
        what.direction = direction;
        const std::int64_t count = direction == op::recurrent_direction::bidirectional ? 2 : 1;
        check_on_kernel(sequence_network(count, 2, 4, 4, i64).check("lstm", what, 3));
        what.activations = {"hardsigmoid", "relu", "sigmoid"};
        what.activations_alpha = {0.3};
        what.clip = 0.7;
        check_on_kernel(sequence_network(count, 2, 4, 4, i32).check("lstm with other functions", what, 3));
    }
}

TEST_CASE("GRU sequences run on their kernel, in all directions, with the reset before and after the product") {
    for (const op::recurrent_direction direction : directions) {
        for (const bool linear : {false, true}) {
            op::gru_sequence what;
            what.hidden_size = hidden;
            what.direction = direction;
            what.linear_before_reset = linear;
            const std::int64_t count = direction == op::recurrent_direction::bidirectional ? 2 : 1;
            check_on_kernel(sequence_network(count, 1, 3, linear ? 4 : 3, i64).check("gru", what, 2));
        }
    }
}

TEST_CASE("Sequences of bytes compute what their dequantizations say, within 16 bits of their states") {
    for (const op::recurrent_direction direction : directions) {
        const std::int64_t count = direction == op::recurrent_direction::bidirectional ? 2 : 1;
        for (const element weights : {i8, u8}) {
            op::lstm_sequence lstm;
            lstm.hidden_size = hidden;
            lstm.direction = direction;
            check_on_kernel(sequence_network_of_bytes(count, 2, 4, 4, weights).check("lstm of bytes", lstm, 3));
            op::gru_sequence gru;
            gru.hidden_size = hidden;
            gru.direction = direction;
            check_on_kernel(sequence_network_of_bytes(count, 1, 3, 3, weights).check("gru of bytes", gru, 2));
            check_on_kernel(
                sequence_network_of_bytes(count, 1, 3, 3, weights, false).check("gru of real data", gru, 2));
            gru.linear_before_reset = true;
            check_on_kernel(sequence_network_of_bytes(count, 1, 3, 4, weights).check("gru of bytes", gru, 2));
        }
    }
}

TEST_CASE("Cells run on the kernel of sequences, whatever the order of their gates") {
    op::lstm_cell lstm;
    lstm.hidden_size = hidden;
    check_on_kernel(cell_network_of(2, 4, 4).check("lstm cell", lstm, 2, 4));
    lstm.weights_format = op::lstm_weights_format::iofc;
    lstm.input_forget = true;
    check_on_kernel(cell_network_of(2, 4, 4).check("lstm cell with coupled gates", lstm, 2));
    for (const bool linear : {false, true}) {
        op::gru_cell gru;
        gru.hidden_size = hidden;
        gru.linear_before_reset = linear;
        check_on_kernel(cell_network_of(1, 3, linear ? 4 : 3).check("gru cell", gru, 1));
    }
}

TEST_CASE("Cells with peephole weights, or weights that come when they run, stay with the reference") {
    op::lstm_cell what;
    what.hidden_size = hidden;
    cell_network peephole = cell_network_of(2, 4, 4);
    peephole.constant(numbers(shape{3 * hidden}, 1, 0));
    run_counts counts = peephole.check("lstm cell with peepholes", what, 2);
    CHECK(counts.kernels["recurrent"] == 0);
    CHECK(counts.on_reference > 0);
    cell_network computed = cell_network_of(2, 4, 4);
    computed.operands.pop_back();
    computed.parameter("b", numbers(shape{4 * hidden}, 1, 0));
    counts = computed.check("lstm cell with a computed bias", what, 2);
    CHECK(counts.kernels["recurrent"] == 0);
}
