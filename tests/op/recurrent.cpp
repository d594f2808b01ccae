// SPDX-License-Identifier: Apache-2.0
#include "inferred.hpp"

#include <lpt/op/recurrent.hpp>

using namespace lpt;
using namespace lpt::test;

namespace {

template <class Op>
constexpr Op with_hidden(std::int64_t size) {
    Op result;
    result.hidden_size = size;
    return result;
}
template <class Op>
constexpr Op in_direction(op::recurrent_direction direction) {
    Op result = with_hidden<Op>(3);
    result.direction = direction;
    return result;
}
constexpr op::gru_cell reset_after() {
    op::gru_cell result = with_hidden<op::gru_cell>(3);
    result.linear_before_reset = true;
    return result;
}

constexpr auto bidirectional = op::recurrent_direction::bidirectional;

}  // namespace

static_assert(inferred(with_hidden<op::gru_cell>(3), of(f32, {2, 5}), of(f32, {2, 3}), of(f32, {9, 5}),
                       of(f32, {9, 3})) == "f32[2,3]");
static_assert(attribute_names<op::lstm_cell>(4) == "hidden_size activations activations_alpha activations_beta clip");
static_assert(attribute_names<op::lstm_cell>(0) ==
              "hidden_size activations activations_alpha activations_beta clip input_forget weights_format");
static_assert(attribute_names<op::gru_sequence>(5) ==
              "direction linear_before_reset hidden_size activations activations_alpha activations_beta clip");
static_assert(!(reset_after() == with_hidden<op::gru_cell>(3)));
static_assert(!(with_hidden<op::lstm_cell>(2) == with_hidden<op::lstm_cell>(3)));

TEST_CASE("recurrent attributes are read from words with lists") {
    const auto sequence = read<op::lstm_sequence>(
        5, {word("direction", "reverse"), word("hidden_size", "128"), word("activations", "sigmoid, tanh, relu"),
            word("activations_alpha", ""), word("activations_beta", "0.5,1"), word("clip", "2")});
    CHECK(sequence.direction == op::recurrent_direction::reverse);
    CHECK(sequence.hidden_size == 128);
    CHECK((sequence.activations == seq<text>{"sigmoid", "tanh", "relu"}));
    CHECK(sequence.activations_alpha.empty());
    CHECK((sequence.activations_beta == seq<double>{0.5, 1}));
    CHECK(sequence.clip == 2);
}

TEST_CASE("recurrent attributes survive being written and read") {
    auto cell = with_hidden<op::lstm_cell>(4);
    cell.activations = {"relu", "tanh", "elu"};
    cell.activations_alpha = {0.5, 1};
    cell.clip = 3;
    CHECK(survives_reading(cell, 4));
    cell.weights_format = op::lstm_weights_format::iofc;
    CHECK(survives_reading(cell, 0));
    CHECK(survives_reading(in_direction<op::lstm_sequence>(bidirectional), 5));
    CHECK(survives_reading(in_direction<op::gru_sequence>(bidirectional), 5));
    CHECK(survives_reading(reset_after(), 3));
}

TEST_CASE("the functions of recurrent operations are sigmoid and tanh unless others are given") {
    CHECK((op::lstm_cell{}.activations == seq<text>{"sigmoid", "tanh", "tanh"}));
    CHECK((op::gru_sequence{}.activations == seq<text>{"sigmoid", "tanh"}));
}

TEST_CASE("gates of an LSTM lie in the order of the attribute only in version 0") {
    const auto cell = read<op::lstm_cell>(0, {word("weights_format", "iofc"), word("input_forget", "true")});
    CHECK(cell.gate_order(0) == op::lstm_weights_format::iofc);
    CHECK(cell.gate_order(4) == op::lstm_weights_format::fico);
    CHECK(cell.input_forget);
}

TEST_CASE("LSTMCell gives hidden and cell state") {
    const auto cell = with_hidden<op::lstm_cell>(3);
    const input state = of(f32, {-1, 3});
    CHECK(inferred(cell, of(f32, {2, 5}), state, state, of(f32, {12, 5}), of(f32, {12, 3}), of(f32, {12})) ==
          "f32[2,3] f32[2,3]");
    CHECK(inferred(cell, 0, of(f32, {2, 5}), state, state, of(f32, {12, 5}), of(f32, {12, 3}), of(f32, {12}),
                   of(f32, {9})) == "f32[2,3] f32[2,3]");
    CHECK(inferred(cell, anything(), anything(), of(f16, {4, 3}), anything(), anything(), anything()) ==
          "f16[4,3] f16[4,3]");
}

TEST_CASE("LSTMCell refuses inputs of wrong sizes") {
    const auto cell = with_hidden<op::lstm_cell>(3);
    const input data = of(f32, {2, 5});
    const input state = of(f32, {2, 3});
    const input weights = of(f32, {12, 5});
    const input recurrent = of(f32, {12, 3});
    LPT_CHECK_WRONG(inferred(cell, data, of(f32, {2, 4}), state, weights, recurrent, of(f32, {12})),
                    "state (input 1) must have shape [2,3], not [2,4]");
    LPT_CHECK_WRONG(inferred(cell, data, state, of(f32, {3, 3}), weights, recurrent, of(f32, {12})),
                    "state (input 2) must have shape [2,3], not [3,3]");
    LPT_CHECK_WRONG(inferred(cell, data, state, state, of(f32, {9, 5}), recurrent, of(f32, {12})),
                    "weights (input 3) must have shape [12,5], not [9,5]");
    LPT_CHECK_WRONG(inferred(cell, data, state, state, weights, of(f32, {12, 5}), of(f32, {12})),
                    "recurrent weights (input 4) must have shape [12,3]");
    LPT_CHECK_WRONG(inferred(cell, data, state, state, weights, recurrent, of(f32, {16})),
                    "bias (input 5) must have shape [12], not [16]");
    LPT_CHECK_WRONG(inferred(cell, 0, data, state, state, weights, recurrent, of(f32, {12}), of(f32, {12})),
                    "peephole weights (input 6) must have shape [9], not [12]");
}

TEST_CASE("GRUCell has a longer bias when it resets after its linear part") {
    const input data = of(f32, {2, 5});
    const input state = of(f32, {2, 3});
    CHECK(inferred(reset_after(), data, state, of(f32, {9, 5}), of(f32, {9, 3}), of(f32, {12})) == "f32[2,3]");
    LPT_CHECK_WRONG(inferred(reset_after(), data, state, of(f32, {9, 5}), of(f32, {9, 3}), of(f32, {9})),
                    "bias (input 4) must have shape [12], not [9]");
}

TEST_CASE("weights may be stored in another type than data and states, which share theirs") {
    const auto cell = with_hidden<op::gru_cell>(3);
    CHECK(inferred(cell, of(f32, {2, 5}), of(f32, {2, 3}), of(i8, {9, 5}), of(i8, {9, 3})) == "f32[2,3]");
    LPT_CHECK_WRONG(inferred(cell, of(f32, {2, 5}), of(f16, {2, 3}), of(f32, {9, 5}), of(f32, {9, 3})),
                    "data and states must have one element type, not f32 and f16");
}

TEST_CASE("LSTMSequence gives all hidden states and the last ones, for each direction") {
    CHECK(inferred(in_direction<op::lstm_sequence>(op::recurrent_direction::reverse), of(f32, {2, 7, 5}),
                   of(f32, {2, 1, 3}), of(f32, {2, 1, 3}), of(i64, {2}), of(f32, {1, 12, 5}), of(f32, {1, 12, 3}),
                   of(f32, {1, 12})) == "f32[2,1,7,3] f32[2,1,3] f32[2,1,3]");
    CHECK(inferred(in_direction<op::lstm_sequence>(bidirectional), of(f32, {-1, -1, 5}), of(f32, {-1, 2, 3}),
                   of(f32, {-1, 2, 3}), of(i64, {4}), of(f32, {2, 12, 5}), of(f32, {2, 12, 3}),
                   of(f32, {2, 12})) == "f32[4,2,?,3] f32[4,2,3] f32[4,2,3]");
}

TEST_CASE("LSTMSequence refuses weights for another number of directions") {
    LPT_CHECK_WRONG(inferred(in_direction<op::lstm_sequence>(bidirectional), of(f32, {2, 7, 5}), of(f32, {2, 2, 3}),
                             of(f32, {2, 2, 3}), of(i64, {2}), of(f32, {1, 12, 5}), of(f32, {2, 12, 3}),
                             of(f32, {2, 12})),
                    "weights (input 4) must have shape [2,12,5], not [1,12,5]");
}

TEST_CASE("GRUSequence gives all hidden states and the last one") {
    const auto sequence = in_direction<op::gru_sequence>(op::recurrent_direction::forward);
    CHECK(inferred(sequence, of(f32, {1, 2, 16}), of(f32, {1, 1, 3}), of(i32, {1}), of(f32, {1, 9, 16}),
                   of(f32, {1, 9, 3}), of(f32, {1, 9})) == "f32[1,1,2,3] f32[1,1,3]");
    LPT_CHECK_WRONG(inferred(sequence, of(f32, {1, 2, 16}), of(f32, {1, 1, 3}), of(i32, {2}), of(f32, {1, 9, 16}),
                             of(f32, {1, 9, 3}), of(f32, {1, 9})),
                    "sequence lengths (input 2) must have shape [1], not [2]");
}

TEST_CASE("recurrent operations refuse attributes that make no sense") {
    const input data = of(f32, {2, 5});
    const input state = of(f32, {2, 3});
    auto cell = with_hidden<op::gru_cell>(0);
    LPT_CHECK_WRONG(inferred(cell, data, state, anything(), anything()), "hidden_size must be at least 1, not 0");
    cell.hidden_size = 3;
    cell.clip = -1;
    LPT_CHECK_WRONG(inferred(cell, data, state, anything(), anything()), "clip must not be negative");
    cell.clip = 0;
    cell.activations = {"sigmoid"};
    LPT_CHECK_WRONG(inferred(cell, data, state, anything(), anything()), "needs 2 activations, not 1");
    cell.activations = {"sigmoid", "step"};
    LPT_CHECK_WRONG(inferred(cell, data, state, anything(), anything()), "activation 'step' is not known");
}
