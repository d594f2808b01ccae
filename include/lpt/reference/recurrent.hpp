// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/reference/gate_function.hpp>

namespace lpt::inline LPT_ABI::reference {

namespace detail {

/// The weights of one direction: W `[gates, input]`, R `[gates, hidden]`, both row-major, and what is added.
template <class Real>
struct recurrent_weights {
    const Real* input = nullptr;
    const Real* hidden = nullptr;
    const Real* bias = nullptr;      // null: none
    const Real* peephole = nullptr;  // null: none
    std::size_t inputs = 0;
    std::size_t size = 0;  // hidden
};

/// to[i] += sum over k of matrix[i, k] * vector[k]; four sums at a time keep the processor busy, each in the order of k.
template <class Real>
constexpr void add_product(const Real* matrix, const Real* vector, std::size_t rows, std::size_t columns, Real* to) {
    std::size_t row = 0;
    for (; row + 4 <= rows; row += 4) {
        const Real* from = matrix + row * columns;
        Real sums[4] = {};
        for (std::size_t k = 0; k < columns; ++k) {
            for (std::size_t i = 0; i < 4; ++i) {
                sums[i] += from[i * columns + k] * vector[k];
            }
        }
        for (std::size_t i = 0; i < 4; ++i) {
            to[row + i] += sums[i];
        }
    }
    for (; row < rows; ++row) {
        Real sum = 0;
        for (std::size_t k = 0; k < columns; ++k) {
            sum += matrix[row * columns + k] * vector[k];
        }
        to[row] += sum;
    }
}

/// Where the gates f, i, c, o lie in the weights.
constexpr std::size_t gate_place(op::lstm_weights_format order, char gate) {
    const text_view letters = op::words_of(order)[static_cast<std::size_t>(order)];
    for (std::size_t i = 0; i < 4; ++i) {
        if (letters[i] == gate) {
            return i;
        }
    }
    return 0;
}

/// One step of an LSTM for one sample; `h` and `c` are replaced.
template <class Real>
struct lstm_step {
    recurrent_weights<Real> weights;
    gate_function gate;
    gate_function candidate;
    gate_function output;
    op::lstm_weights_format order = op::lstm_weights_format::fico;
    bool input_forget = false;

    constexpr double peephole(std::size_t which, std::size_t i, double c) const {
        return weights.peephole == nullptr ? 0 : static_cast<double>(weights.peephole[which * weights.size + i]) * c;
    }
    constexpr void operator()(const Real* x, Real* h, Real* c) const {
        const std::size_t size = weights.size;
        seq<Real> sums(4 * size, Real(0));
        for (std::size_t i = 0; weights.bias != nullptr && i < sums.size(); ++i) {
            sums[i] = weights.bias[i];
        }
        add_product(weights.input, x, 4 * size, weights.inputs, sums.data());
        add_product(weights.hidden, h, 4 * size, size, sums.data());
        const auto at = [&](char letter, std::size_t i) {
            return static_cast<double>(sums[gate_place(order, letter) * size + i]);
        };
        for (std::size_t i = 0; i < size; ++i) {
            const double before = static_cast<double>(c[i]);
            const double open = gate(at('i', i) + peephole(0, i, before));
            const double keep = input_forget ? 1 - open : gate(at('f', i) + peephole(2, i, before));
            const double now = keep * before + open * candidate(at('c', i));
            const double give = gate(at('o', i) + peephole(1, i, now));
            gate_function unclipped = output;
            unclipped.clip = 0;
            c[i] = static_cast<Real>(now);
            h[i] = static_cast<Real>(give * unclipped(now));
        }
    }
};

/// One step of a GRU for one sample; `h` is replaced.
template <class Real>
struct gru_step {
    recurrent_weights<Real> weights;
    gate_function gate;
    gate_function candidate;
    bool linear_before_reset = false;

    constexpr void operator()(const Real* x, Real* h, Real*) const {
        const std::size_t size = weights.size;
        seq<Real> from_input(3 * size, Real(0));
        seq<Real> from_hidden(3 * size, Real(0));
        seq<Real> reset(size, Real(0));
        for (std::size_t i = 0; weights.bias != nullptr && i < 3 * size; ++i) {
            from_input[i] = weights.bias[i];
        }
        for (std::size_t i = 0; linear_before_reset && weights.bias != nullptr && i < size; ++i) {
            from_hidden[2 * size + i] = weights.bias[3 * size + i];
        }
        add_product(weights.input, x, 3 * size, weights.inputs, from_input.data());
        add_product(weights.hidden, h, (linear_before_reset ? 3 : 2) * size, size, from_hidden.data());
        const auto sum = [&](std::size_t i) {
            return static_cast<double>(from_input[i]) + static_cast<double>(from_hidden[i]);
        };
        for (std::size_t i = 0; i < size; ++i) {
            const double open = gate(sum(size + i));
            if (linear_before_reset) {
                from_hidden[2 * size + i] = static_cast<Real>(open * static_cast<double>(from_hidden[2 * size + i]));
            } else {
                reset[i] = static_cast<Real>(open * static_cast<double>(h[i]));
            }
        }
        if (!linear_before_reset) {
            add_product(weights.hidden + 2 * size * size, reset.data(), size, size, from_hidden.data() + 2 * size);
        }
        for (std::size_t i = 0; i < size; ++i) {
            const double keep = gate(sum(i));
            h[i] = static_cast<Real>((1 - keep) * candidate(sum(2 * size + i)) + keep * static_cast<double>(h[i]));
        }
    }
};

/// The first ports of a recurrent operation's weights, recurrent weights and bias.
template <class Real>
struct recurrent_operands {
    operand<Real> input;
    operand<Real> hidden;
    operand<Real> bias;
    std::size_t gates;  // rows of the weights
    std::size_t bias_size;
    std::size_t inputs;
    std::size_t size;

    constexpr recurrent_operands(const call& node, std::size_t first)
        : input(node.input(first)),
          hidden(node.input(first + 1)),
          bias(node.has(first + 2) ? node.input(first + 2) : node.input(first)),
          gates(from_back(node.dimensions(first), 2)),
          bias_size(node.has(first + 2) ? from_back(node.dimensions(first + 2), 1) : 0),
          inputs(from_back(node.dimensions(first), 1)),
          size(from_back(node.dimensions(first + 1), 1)) {}

    constexpr recurrent_weights<Real> direction(std::size_t which) const {
        return {input.data() + which * gates * inputs,
                hidden.data() + which * gates * size,
                bias_size == 0 ? nullptr : bias.data() + which * bias_size,
                nullptr,
                inputs,
                size};
    }

private:
    static constexpr std::size_t from_back(const shape& dimensions, std::size_t place) {
        return static_cast<std::size_t>(dimensions[dimensions.rank() - place]);
    }
};

/// Walks along time: data `[batch, time, input]`, states `[batch, directions, hidden]`. `step_of(direction)` gives the step of a direction.
/// What lies beyond a sequence's length stays zero in the outputs.
template <class Real, class StepOf>
constexpr void walk_sequence(const call& node, op::recurrent_direction direction, std::size_t states, StepOf step_of,
                             seq<tensor>& outputs) {
    const shape& all = node.output().dimensions;  // [batch, directions, time, hidden]
    const auto batches = static_cast<std::size_t>(all[0]);
    const auto directions = static_cast<std::size_t>(all[1]);
    const auto times = static_cast<std::size_t>(all[2]);
    const auto size = static_cast<std::size_t>(all[3]);
    const auto inputs = static_cast<std::size_t>(node.dimensions(0)[2]);
    operand<Real> x(node.input(0));
    operand<Real> first_h(node.input(1));
    operand<Real> first_c(node.input(states));  // the same as h where there is one state
    const integers lengths = node.integers_at(states + 1);
    outcome<Real> every(node.output(0));
    outcome<Real> last_h(node.output(1));
    outcome<Real> last_c(node.output(states));
    for (std::size_t i = 0; i < every.elements(); ++i) {
        every[i] = 0;
    }
    seq<Real> h(size, Real(0));
    seq<Real> c(size, Real(0));
    for (std::size_t lane = 0; lane < batches * directions; ++lane) {
        const std::size_t batch = lane / directions;
        const std::size_t which = lane % directions;
        const bool reverse = direction == op::recurrent_direction::reverse || which == 1;
        const auto step = step_of(which);
        for (std::size_t i = 0; i < size; ++i) {
            h[i] = first_h[lane * size + i];
            c[i] = first_c[lane * size + i];
        }
        const auto length = static_cast<std::size_t>(
            math::minimum(math::maximum<std::int64_t>(lengths[batch], 0), static_cast<std::int64_t>(times)));
        for (std::size_t t = 0; t < length; ++t) {
            const std::size_t time = reverse ? length - 1 - t : t;
            step(x.data() + (batch * times + time) * inputs, h.data(), c.data());
            for (std::size_t i = 0; i < size; ++i) {
                every[(lane * times + time) * size + i] = h[i];
            }
        }
        for (std::size_t i = 0; i < size; ++i) {
            last_h[lane * size + i] = h[i];
            last_c[lane * size + i] = c[i];
        }
    }
    outputs.push_back(every.finish());
    outputs.push_back(last_h.finish());
    if (states == 2) {
        outputs.push_back(last_c.finish());
    }
}

/// One step for each sample of a cell.
template <class Real, class Step>
constexpr void walk_cell(const call& node, std::size_t states, const Step& step, seq<tensor>& outputs) {
    const auto batches = static_cast<std::size_t>(node.dimensions(0)[0]);
    const auto inputs = static_cast<std::size_t>(node.dimensions(0)[1]);
    const auto size = static_cast<std::size_t>(node.output().dimensions[1]);
    operand<Real> x(node.input(0));
    operand<Real> first_h(node.input(1));
    operand<Real> first_c(node.input(states));
    outcome<Real> h(node.output(0));
    outcome<Real> c(node.output(states - 1));
    for (std::size_t i = 0; i < batches * size; ++i) {
        h[i] = first_h[i];
        c[i] = first_c[i];
    }
    for (std::size_t batch = 0; batch < batches; ++batch) {
        step(x.data() + batch * inputs, h.data() + batch * size, c.data() + batch * size);
    }
    outputs.push_back(h.finish());
    if (states == 2) {
        outputs.push_back(c.finish());
    }
}

template <class Real, class Op>
constexpr lstm_step<Real> lstm_step_of(const Op& self, const recurrent_weights<Real>& weights) {
    lstm_step<Real> step;
    step.weights = weights;
    step.gate = gate_function_at(self, 0, self.clip);
    step.candidate = gate_function_at(self, 1, self.clip);
    step.output = gate_function_at(self, 2, self.clip);
    return step;
}
template <class Real, class Op>
constexpr gru_step<Real> gru_step_of(const Op& self, const recurrent_weights<Real>& weights) {
    gru_step<Real> step;
    step.weights = weights;
    step.gate = gate_function_at(self, 0, self.clip);
    step.candidate = gate_function_at(self, 1, self.clip);
    step.linear_before_reset = self.linear_before_reset;
    return step;
}

template <class Real>
constexpr bool recurrent(const call& node, seq<tensor>& outputs) {
    switch (node.kind()) {
        case op::kind::lstm_cell: {
            const auto& self = node.as<op::lstm_cell>();
            const recurrent_operands<Real> weights(node, 3);
            const operand<Real> peephole(node.input(node.has(6) ? 6 : 0));
            lstm_step<Real> step = lstm_step_of(self, weights.direction(0));
            step.order = self.gate_order(node.version);
            step.input_forget = node.version < 4 && self.input_forget;
            step.weights.peephole = node.has(6) ? peephole.data() : nullptr;
            walk_cell<Real>(node, 2, step, outputs);
            return true;
        }
        case op::kind::gru_cell: {
            const recurrent_operands<Real> weights(node, 2);
            walk_cell<Real>(node, 1, gru_step_of(node.as<op::gru_cell>(), weights.direction(0)), outputs);
            return true;
        }
        case op::kind::lstm_sequence: {
            const auto& self = node.as<op::lstm_sequence>();
            const recurrent_operands<Real> weights(node, 4);
            walk_sequence<Real>(
                node, self.direction, 2,
                [&](std::size_t which) { return lstm_step_of(self, weights.direction(which)); }, outputs);
            return true;
        }
        case op::kind::gru_sequence: {
            const auto& self = node.as<op::gru_sequence>();
            const recurrent_operands<Real> weights(node, 3);
            walk_sequence<Real>(
                node, self.direction, 1, [&](std::size_t which) { return gru_step_of(self, weights.direction(which)); },
                outputs);
            return true;
        }
        default: return false;
    }
}

}  // namespace detail

/// LSTMCell, GRUCell, LSTMSequence and GRUSequence. Sums of products in the number type of the data, in the order bias, input, state; functions in
/// double. Peephole weights lie in the order i, o, f.
[[gnu::cold]] inline bool evaluate_recurrent(const call& node, seq<tensor>& outputs) {
    return detail::with_real(node.output().type,
                             [&](auto zero) { return detail::recurrent<decltype(zero)>(node, outputs); });
}

}  // namespace lpt::inline LPT_ABI::reference
