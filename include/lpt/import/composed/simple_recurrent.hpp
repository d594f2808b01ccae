// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/composer.hpp>

namespace lpt::inline LPT_ABI::composed {

/// What a recurrent unit without gates reads: data [batch, time, input], a first state [batch, directions, hidden], lengths [batch], weights
/// [directions, hidden, input] and [directions, hidden, hidden], a bias [directions, hidden].
struct simple_recurrent_inputs {
    output_ref data;
    output_ref state;
    output_ref lengths;
    output_ref of_data;
    output_ref of_state;
    output_ref bias;
};

/// h' = f(W * x + R * h + b): a gated unit whose gates are always open, 1 / (1 + exp(100)) being too small to count. Where values are clipped, gates
/// are piecewise linear, so that the limits open and close them, too.
///
/// `what` has the one function f, with its parameters, and all else that the operations have in common. Gives a GRUSequence.
inline node_id simple_recurrent(composer& n, op::gru_sequence what, const simple_recurrent_inputs& from) {
    if (what.activations.size() != 1) {
        n.wrong({"needs one activation, not ", what.activations.size()});
    }
    const bool is_clipped = what.clip > 0;
    const auto behind = [](double of_gates, const seq<double>& given) {
        seq<double> result;
        if (given.size() != 0) {
            result.push_back(of_gates);
            result.push_back(given[0]);
        }
        return result;
    };
    text function = what.activations[0];
    what.activations_alpha = behind(0.2, what.activations_alpha);
    what.activations_beta = behind(0.5, what.activations_beta);
    what.activations = {};
    what.activations.push_back(is_clipped ? text("hardsigmoid") : text("sigmoid"));
    what.activations.push_back(std::move(function));
    if (is_clipped) {
        const auto set_first = [](seq<double>& of, double value) {
            if (of.size() == 0) {
                of.push_back(value);
            }
            of[0] = value;
        };
        set_first(what.activations_alpha, math::minimum(1 / math::minimum(what.clip, 100.0), 1e30));
        set_first(what.activations_beta, 0.5);
    }
    const std::int64_t directions = what.direction == op::recurrent_direction::bidirectional ? 2 : 1;
    const auto with_gates = [&](output_ref rows) {
        const output_ref none = n.broadcast(
            n.like(rows, 0), n.concat({n.indices({directions, 2 * what.hidden_size}), n.size_along(rows, 2)}, 0));
        return n.concat({none, rows}, 1);
    };
    const output_ref gate = n.indices({directions, what.hidden_size});
    const output_ref bias =
        n.concat({n.broadcast(n.like(from.bias, -100), gate), n.broadcast(n.like(from.bias, 100), gate), from.bias}, 1);
    return n.make_node(
        what, {from.data, from.state, from.lengths, with_gates(from.of_data), with_gates(from.of_state), bias});
}

}  // namespace lpt::inline LPT_ABI::composed
