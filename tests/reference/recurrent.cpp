// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/helpers.hpp"

using namespace lpt;
using lpt::test::check_values;
using lpt::test::f32_of;

namespace {

constexpr double open = 1000;    // a bias that opens a gate completely
constexpr double shut = -1000;

tensor zeros(const shape& dimensions) { return make_tensor(f32, dimensions, {0}); }

op::lstm_cell lstm_cell() {
    op::lstm_cell cell;
    cell.hidden_size = 1;
    return cell;
}
/// One step with one hidden value, weights 0, h = 0 and c = 2.
seq<tensor> lstm_step(const op::lstm_cell& cell, view<double> bias, int version = 4) {
    const tensor inputs[] = {f32_of({1, 1}, {1}), zeros({1, 1}), f32_of({1, 1}, {2}),
                             zeros({4, 1}),       zeros({4, 1}), f32_of({4}, bias)};
    return lpt::test::run(cell, inputs, version);
}
tensor gru_step(bool linear_before_reset, view<double> recurrent, view<double> bias) {
    op::gru_cell cell;
    cell.hidden_size = 1;
    cell.linear_before_reset = linear_before_reset;
    const tensor inputs[] = {f32_of({1, 1}, {1}), f32_of({1, 1}, {2}), zeros({3, 1}), f32_of({3, 1}, recurrent),
                             f32_of({static_cast<dimension>(bias.size())}, bias)};
    return lpt::test::run(cell, inputs)[0];
}
/// An LSTM that adds up its input: all gates open, no squashing.
op::lstm_sequence adder(op::recurrent_direction direction) {
    op::lstm_sequence sequence;
    sequence.hidden_size = 1;
    sequence.activations = {"sigmoid", "relu", "relu"};
    sequence.direction = direction;
    return sequence;
}
seq<tensor> add_up(op::recurrent_direction direction, dimension directions, view<std::int64_t> lengths) {
    const auto batches = static_cast<dimension>(lengths.size());
    seq<double> x;
    seq<double> weights;
    seq<double> bias;
    for (dimension i = 0; i < batches; ++i) {
        x.append({1, 2, 4});
    }
    for (dimension i = 0; i < directions; ++i) {
        weights.append({0, 0, 1, 0});
        bias.append({open, open, 0, open});
    }
    const shape state{batches, directions, 1};
    const tensor inputs[] = {f32_of({batches, 3, 1}, x),
                             zeros(state),
                             zeros(state),
                             make_integer_tensor(i32, {batches}, lengths),
                             f32_of({directions, 4, 1}, weights),
                             zeros({directions, 4, 1}),
                             f32_of({directions, 4}, bias)};
    return lpt::test::run(adder(direction), inputs);
}

}  // namespace

TEST_CASE("an LSTM forgets, takes in and gives out as its gates say") {
    const seq<tensor> half = lstm_step(lstm_cell(), {0, 0, 0, 0});
    check_values(half[1], {1, 1}, {1});
    check_values(half[0], {1, 1}, {0.3807970780});
    check_values(lstm_step(lstm_cell(), {open, shut, 1, open})[0], {1, 1}, {0.9640275801});
    const seq<tensor> fresh = lstm_step(lstm_cell(), {shut, open, 1, open});
    check_values(fresh[1], {1, 1}, {0.7615941560});
    check_values(fresh[0], {1, 1}, {0.6420149920});
}

TEST_CASE("the first LSTM cell has its gates in the order of weights_format and can couple input and forget gate") {
    op::lstm_cell cell = lstm_cell();
    cell.weights_format = op::lstm_weights_format::ifco;
    check_values(lstm_step(cell, {open, shut, 1, open}, 0)[1], {1, 1}, {0.7615941560});
    cell.input_forget = true;
    check_values(lstm_step(cell, {open, open, 1, open}, 0)[1], {1, 1}, {0.7615941560});
}

TEST_CASE("clip limits what goes into the functions of gates and candidate") {
    op::lstm_cell cell = lstm_cell();
    cell.clip = 1;
    check_values(lstm_step(cell, {0, 0, 5, 0})[1], {1, 1}, {1 + 0.7615941560 / 2});
}

TEST_CASE("a GRU resets before or after its recurrent product") {
    check_values(gru_step(false, {0, 0, 0}, {0, 0, 0}), {1, 1}, {1});
    check_values(gru_step(false, {0, 0, 1}, {shut, 0, 0}), {1, 1}, {0.7615941560});
    check_values(gru_step(true, {0, 0, 0}, {shut, open, 0, 0.5}), {1, 1}, {0.4621171573});
    check_values(gru_step(true, {0, 0, 0}, {shut, shut, 0, 0.5}), {1, 1}, {0});
}

TEST_CASE("a sequence runs forwards, backwards or both ways, each as long as it is") {
    const seq<tensor> forward = add_up(op::recurrent_direction::forward, 1, {3, 2});
    check_values(forward[0], {2, 1, 3, 1}, {1, 3, 7, 1, 3, 0});
    check_values(forward[1], {2, 1, 1}, {7, 3});
    check_values(forward[2], {2, 1, 1}, {7, 3});
    const seq<tensor> reverse = add_up(op::recurrent_direction::reverse, 1, {3, 2});
    check_values(reverse[0], {2, 1, 3, 1}, {7, 6, 4, 3, 2, 0});
    check_values(reverse[1], {2, 1, 1}, {7, 3});
    const seq<tensor> both = add_up(op::recurrent_direction::bidirectional, 2, {3});
    check_values(both[0], {1, 2, 3, 1}, {1, 3, 7, 7, 6, 4});
}

TEST_CASE("a GRU sequence takes the steps of a cell") {
    op::gru_sequence sequence;
    sequence.hidden_size = 1;
    const tensor inputs[] = {f32_of({1, 2, 1}, {1, 2}),    zeros({1, 1, 1}), make_integer_tensor(i32, {1}, {2}),
                             f32_of({1, 3, 1}, {0, 0, 1}), zeros({1, 3, 1}), f32_of({1, 3}, {shut, 0, 0})};
    const seq<tensor> result = lpt::test::run(sequence, inputs);
    check_values(result[0], {1, 1, 2, 1}, {0.7615941560, 0.9640275801});
    check_values(result[1], {1, 1, 1}, {0.9640275801});
}

TEST_CASE("an unknown activation is an error") {
    op::lstm_cell cell = lstm_cell();
    cell.activations[0] = "softsign";
    CHECK_THROWS_WITH_AS(lstm_step(cell, {0, 0, 0, 0}),
                         "LSTMCell 'tested': activation 'softsign' must be sigmoid, tanh, relu or hardsigmoid",
                         lpt::error);
}
