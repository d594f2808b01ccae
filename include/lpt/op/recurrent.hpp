// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/gate_function.hpp>
#include <lpt/op/sizes.hpp>

namespace lpt::inline LPT_ABI::op {

/// The direction in which a recurrent operation walks along time; `bidirectional` does both, with weights for each.
enum class recurrent_direction { forward, reverse, bidirectional };
inline constexpr text_view recurrent_direction_words[] = {"forward", "reverse", "bidirectional"};
constexpr view<text_view> words_of(recurrent_direction) { return recurrent_direction_words; }

/// The order of the gates in the weights of an LSTM: forget, input, candidate, output.
enum class lstm_weights_format { fico, icof, ifco, ifoc, iofc };
inline constexpr text_view lstm_weights_format_words[] = {"fico", "icof", "ifco", "ifoc", "iofc"};
constexpr view<text_view> words_of(lstm_weights_format) { return lstm_weights_format_words; }

namespace detail {

/// What all recurrent operations have in common.
struct recurrent_attributes {
    std::int64_t hidden_size = 0;
    seq<text> activations{};
    seq<double> activations_alpha{};
    seq<double> activations_beta{};
    double clip = 0;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("hidden_size", self.hidden_size);
        visit("activations", self.activations);
        visit("activations_alpha", self.activations_alpha);
        visit("activations_beta", self.activations_beta);
        visit("clip", self.clip);
    }
    friend constexpr bool operator==(const recurrent_attributes&, const recurrent_attributes&) = default;
};

/// The sizes that the inputs of a recurrent operation share; each agreement fills in what is not known yet.
struct recurrent_sizes {
    dimension batch = dynamic_dimension;
    dimension time = dynamic_dimension;
    dimension directions = 1;
    dimension features = dynamic_dimension;
    dimension hidden = dynamic_dimension;
    dimension gates = dynamic_dimension;       // rows of the weights: number of gates times hidden
    dimension bias_gates = dynamic_dimension;  // the same of the bias, which can have one part more
};

/// The sizes that the attributes give; raises an error where they make no sense.
constexpr recurrent_sizes infer_recurrent_sizes(const recurrent_attributes& self, const inference& facts,
                                                std::int64_t gates, std::int64_t bias_parts, std::size_t functions) {
    facts.require("hidden_size", self.hidden_size, 1, most_step);
    if (self.clip < 0) {
        facts.wrong({"clip must not be negative, but is ", self.clip});
    }
    if (self.activations.size() < functions) {
        facts.wrong({"needs ", functions, " activations, not ", self.activations.size()});
    }
    for (const text& word : self.activations) {
        if (find_gate_function(word) == nullptr) {
            facts.wrong({"activation '", word, "' is not known"});
        }
    }
    recurrent_sizes sizes;
    sizes.hidden = self.hidden_size;
    sizes.gates = gates * self.hidden_size;
    sizes.bias_gates = bias_parts * self.hidden_size;
    return sizes;
}

/// The element type that data and states share; weights may be stored in another.
constexpr element infer_recurrent_type(const inference& facts, std::size_t count) {
    element type = facts.type(0);
    for (std::size_t port = 1; port < count; ++port) {
        const element other = facts.type(port);
        if (type != other && type != dynamic && other != dynamic) {
            facts.wrong(
                {"data and states must have one element type, not ", lpt::name(type), " and ", lpt::name(other)});
        }
        type = type == dynamic ? other : type;
    }
    return type;
}

/// Shapes of a cell: data, `states` states, weights, recurrent weights and perhaps bias, in this order.
constexpr void infer_cell(const inference& facts, recurrent_sizes& sizes, std::size_t states) {
    require_sizes(facts, 0, "data", {&sizes.batch, &sizes.features});
    for (std::size_t port = 1; port <= states; ++port) {
        require_sizes(facts, port, "state", {&sizes.batch, &sizes.hidden});
    }
    require_sizes(facts, states + 1, "weights", {&sizes.gates, &sizes.features});
    require_sizes(facts, states + 2, "recurrent weights", {&sizes.gates, &sizes.hidden});
    if (facts.inputs() > states + 3) {
        require_sizes(facts, states + 3, "bias", {&sizes.bias_gates});
    }
}

/// Shapes of a sequence: data, `states` states, sequence lengths, weights, recurrent weights and bias, in this order.
constexpr void infer_sequence(const inference& facts, recurrent_sizes& sizes, std::size_t states) {
    require_sizes(facts, 0, "data", {&sizes.batch, &sizes.time, &sizes.features});
    for (std::size_t port = 1; port <= states; ++port) {
        require_sizes(facts, port, "state", {&sizes.batch, &sizes.directions, &sizes.hidden});
    }
    require_sizes(facts, states + 1, "sequence lengths", {&sizes.batch});
    require_sizes(facts, states + 2, "weights", {&sizes.directions, &sizes.gates, &sizes.features});
    require_sizes(facts, states + 3, "recurrent weights", {&sizes.directions, &sizes.gates, &sizes.hidden});
    require_sizes(facts, states + 4, "bias", {&sizes.directions, &sizes.bias_gates});
}

}  // namespace detail

/// One step of a long short-term memory.
///
/// i, f, o = s0(W * x + R * h + b), c~ = s1(W * x + R * h + b), c' = f * c + i * c~, h' = o * s2(c'), with the functions
/// `activations` (sigmoid, tanh, tanh) and their parameters `activations_alpha`, `activations_beta`; what goes into a
/// function is clipped to [-clip, clip] unless clip is 0.
/// Inputs: x [batch, input], h and c [batch, hidden], W [4 * hidden, input], R [4 * hidden, hidden], b [4 * hidden]; in
/// version 0 perhaps peephole weights [3 * hidden]. Outputs: h', c' [batch, hidden]. The gates lie in the order
/// f, i, c, o; version 0 has `weights_format` for others, and `input_forget` couples i = 1 - f.
struct lstm_cell : detail::recurrent_attributes {
    static constexpr auto number = kind::lstm_cell;
    static constexpr text_view name = "LSTMCell";
    static constexpr versions opsets{0, 4};
    static constexpr ports inputs{5, 7};
    static constexpr ports outputs{2, 2};
    static constexpr trait traits = trait::none;

    bool input_forget = false;
    lstm_weights_format weights_format = lstm_weights_format::ifco;

    /// The order in which the gates lie in the weights.
    constexpr lstm_weights_format gate_order(int version) const {
        return version < 4 ? weights_format : lstm_weights_format::fico;
    }

    constexpr lstm_cell() { activations = {"sigmoid", "tanh", "tanh"}; }

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        recurrent_attributes::fields(self, visit);
        visit("input_forget", self.input_forget, in_versions{0, 0});
        visit("weights_format", self.weights_format, in_versions{0, 0});
    }
    static constexpr void infer(const lstm_cell& self, inference& facts) {
        detail::recurrent_sizes sizes = detail::infer_recurrent_sizes(self, facts, 4, 4, 3);
        detail::infer_cell(facts, sizes, 2);
        if (facts.inputs() == 7) {
            dimension peepholes = 3 * self.hidden_size;
            detail::require_sizes(facts, 6, "peephole weights", {&peepholes});
        }
        const element type = detail::infer_recurrent_type(facts, 3);
        facts.output(type, shape{sizes.batch, sizes.hidden});
        facts.output(type, shape{sizes.batch, sizes.hidden});
    }
    friend constexpr bool operator==(const lstm_cell&, const lstm_cell&) = default;
};

/// One step of a gated recurrent unit.
///
/// z, r = s0(W * x + R * h + b), h~ = s1(W * x + R * (r * h) + b), or with `linear_before_reset`
/// h~ = s1(W * x + b + r * (R * h + b')); h' = (1 - z) * h~ + z * h. Functions and clip as in `lstm_cell`.
/// Inputs: x [batch, input], h [batch, hidden], W [3 * hidden, input], R [3 * hidden, hidden], b [3 * hidden], with
/// `linear_before_reset` [4 * hidden]. Output: h' [batch, hidden]. The gates lie in the order z, r, h.
struct gru_cell : detail::recurrent_attributes {
    static constexpr auto number = kind::gru_cell;
    static constexpr text_view name = "GRUCell";
    static constexpr versions opsets{3};
    static constexpr ports inputs{4, 5};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::none;

    bool linear_before_reset = false;

    constexpr gru_cell() { activations = {"sigmoid", "tanh"}; }

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        recurrent_attributes::fields(self, visit);
        visit("linear_before_reset", self.linear_before_reset);
    }
    static constexpr void infer(const gru_cell& self, inference& facts) {
        detail::recurrent_sizes sizes =
            detail::infer_recurrent_sizes(self, facts, 3, self.linear_before_reset ? 4 : 3, 2);
        detail::infer_cell(facts, sizes, 1);
        facts.output(detail::infer_recurrent_type(facts, 2), shape{sizes.batch, sizes.hidden});
    }
    friend constexpr bool operator==(const gru_cell&, const gru_cell&) = default;
};

/// A long short-term memory that walks along time.
///
/// Inputs: x [batch, time, input], h and c [batch, directions, hidden], sequence lengths [batch] (integers),
/// W [directions, 4 * hidden, input], R [directions, 4 * hidden, hidden], b [directions, 4 * hidden].
/// Outputs: all h [batch, directions, time, hidden], last h and c [batch, directions, hidden]. `direction` bidirectional
/// means 2 directions, else 1. Each step is that of `lstm_cell`.
struct lstm_sequence : detail::recurrent_attributes {
    static constexpr auto number = kind::lstm_sequence;
    static constexpr text_view name = "LSTMSequence";
    static constexpr versions opsets{5};
    static constexpr ports inputs{7, 7};
    static constexpr ports outputs{3, 3};
    static constexpr trait traits = trait::quantizable | trait::byte_factors | data_on(0, 1, 4, 5);

    recurrent_direction direction = recurrent_direction::forward;

    constexpr lstm_sequence() { activations = {"sigmoid", "tanh", "tanh"}; }

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("direction", self.direction);
        recurrent_attributes::fields(self, visit);
    }
    static constexpr void infer(const lstm_sequence& self, inference& facts) {
        detail::recurrent_sizes sizes = detail::infer_recurrent_sizes(self, facts, 4, 4, 3);
        sizes.directions = self.direction == recurrent_direction::bidirectional ? 2 : 1;
        detail::infer_sequence(facts, sizes, 2);
        const element type = detail::infer_recurrent_type(facts, 3);
        facts.output(type, shape{sizes.batch, sizes.directions, sizes.time, sizes.hidden});
        facts.output(type, shape{sizes.batch, sizes.directions, sizes.hidden});
        facts.output(type, shape{sizes.batch, sizes.directions, sizes.hidden});
    }
    friend constexpr bool operator==(const lstm_sequence&, const lstm_sequence&) = default;
};

/// A gated recurrent unit that walks along time.
///
/// Inputs: x [batch, time, input], h [batch, directions, hidden], sequence lengths [batch] (integers),
/// W [directions, 3 * hidden, input], R [directions, 3 * hidden, hidden], b [directions, 3 * hidden], with
/// `linear_before_reset` [directions, 4 * hidden]. Outputs: all h [batch, directions, time, hidden], last h
/// [batch, directions, hidden]. `direction` bidirectional means 2 directions, else 1. Each step is that of `gru_cell`.
struct gru_sequence : detail::recurrent_attributes {
    static constexpr auto number = kind::gru_sequence;
    static constexpr text_view name = "GRUSequence";
    static constexpr versions opsets{5};
    static constexpr ports inputs{6, 6};
    static constexpr ports outputs{2, 2};
    static constexpr trait traits = trait::quantizable | trait::byte_factors | data_on(0, 1, 3, 4);

    recurrent_direction direction = recurrent_direction::forward;
    bool linear_before_reset = false;

    constexpr gru_sequence() { activations = {"sigmoid", "tanh"}; }

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("direction", self.direction);
        visit("linear_before_reset", self.linear_before_reset);
        recurrent_attributes::fields(self, visit);
    }
    static constexpr void infer(const gru_sequence& self, inference& facts) {
        detail::recurrent_sizes sizes =
            detail::infer_recurrent_sizes(self, facts, 3, self.linear_before_reset ? 4 : 3, 2);
        sizes.directions = self.direction == recurrent_direction::bidirectional ? 2 : 1;
        detail::infer_sequence(facts, sizes, 1);
        const element type = detail::infer_recurrent_type(facts, 2);
        facts.output(type, shape{sizes.batch, sizes.directions, sizes.time, sizes.hidden});
        facts.output(type, shape{sizes.batch, sizes.directions, sizes.hidden});
    }
    friend constexpr bool operator==(const gru_sequence&, const gru_sequence&) = default;
};

}  // namespace lpt::inline LPT_ABI::op
