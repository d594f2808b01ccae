// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/composed/simple_recurrent.hpp>
#include <lpt/import/lstm_loop.hpp>
#include <lpt/import/onnx/dequantized_weights.hpp>
#include <lpt/import/onnx/scales.hpp>

/// Recurrent networks.
namespace lpt::inline LPT_ABI::onnx {

/// What the three operators have in common, in the order of axes of the library's operations: batch first.
struct recurrent_inputs {
    output_ref data;
    output_ref lengths;
    output_ref hidden;
    std::int64_t directions = 1;
    bool batch_first = false;
};

inline recurrent_inputs read_recurrent_inputs(operation& n, std::int64_t hidden_size) {
    recurrent_inputs result;
    result.batch_first = n.flag("layout");
    result.data = result.batch_first ? n.in(0) : n.transpose(n.in(0), {1, 0, 2});
    result.directions = n.words("direction", "forward") == "bidirectional" ? 2 : 1;
    const output_ref batch = n.size_along(result.data, 0);
    if (n.has(4)) {
        result.lengths = n.in(4);
    } else {
        result.lengths = n.broadcast(n.size_along(result.data, 1), batch);
    }
    if (n.has(5)) {
        result.hidden = result.batch_first ? n.in(5) : n.transpose(n.in(5), {1, 0, 2});
    } else {
        const output_ref sizes = n.concat({batch, n.indices({result.directions, hidden_size})}, 0);
        result.hidden = n.broadcast(n.like(result.data, 0), sizes);
    }
    return result;
}

inline op::recurrent_direction direction_of(operation& n) {
    const std::string_view word = n.words("direction", "forward");
    for (std::size_t i = 0; i < std::size(op::recurrent_direction_words); ++i) {
        if (op::recurrent_direction_words[i] == shown(word)) {
            return static_cast<op::recurrent_direction>(i);
        }
    }
    n.wrong({"direction '", shown(word), "' is not known"});
}

/// The size of the hidden state: that of the recurrent weights where no attribute says it.
inline std::int64_t hidden_size_of(operation& n) {
    constexpr std::int64_t most = 1 << 24;
    const std::int64_t given = n.integer("hidden_size", 0);
    const std::int64_t size = given == 0 ? n.static_size_of(n.in(2), 2) : given;
    if (size < 1 || size > most) {
        n.wrong({"hidden_size must be 1 to ", most, ", not ", size});
    }
    return size;
}

/// The function that a name stands for; case does not matter.
inline const op::gate_function_word& gate_function_word_of(operation& n, std::string_view name) {
    std::string small(name);
    for (char& each : small) {
        each = each >= 'A' && each <= 'Z' ? static_cast<char>(each - 'A' + 'a') : each;
    }
    const op::gate_function_word* const found = op::find_gate_function(small.c_str());
    if (found == nullptr) {
        n.wrong({"activation '", shown(name), "' is not known"});
    }
    return *found;
}

/// Fills the attributes that all have; `count` functions a direction, which must be the same for both.
template <class Recurrent>
void read_recurrent_attributes(operation& n, Recurrent& to, std::size_t count) {
    to.hidden_size = hidden_size_of(n);
    to.direction = direction_of(n);
    to.clip = n.real("clip", 0);
    const attribute* found = n.node().find("activations");
    if (found == nullptr) {
        return;
    }
    const std::vector<std::string_view>& names = found->many_words;
    if (names.size() < count) {
        n.wrong({"needs ", count, " activations, not ", names.size()});
    }
    to.activations.clear();
    const std::vector<float> alphas = n.reals("activation_alpha");
    const std::vector<float> betas = n.reals("activation_beta");
    std::size_t alpha = 0;
    std::size_t beta = 0;
    // Only functions that have parameters take one of the list.
    const auto next = [](const std::vector<float>& given, std::size_t& place, bool takes, double otherwise) {
        return takes && place < given.size() ? static_cast<double>(given[place++]) : otherwise;
    };
    for (std::size_t i = 0; i < names.size(); ++i) {
        const op::gate_function_word& word = gate_function_word_of(n, names[i]);
        const double first = next(alphas, alpha, word.parameters > 0, word.alpha);
        const double second = next(betas, beta, word.parameters > 1, word.beta);
        if (i < count) {
            to.activations.push_back(text(word.word));
            to.activations_alpha.push_back(first);
            to.activations_beta.push_back(second);
        } else if (i < 2 * count &&
                   (to.activations[i - count] != word.word || to.activations_alpha[i - count] != first ||
                    to.activations_beta[i - count] != second)) {
            n.wrong({"has other activations for the second direction, which is not supported"});
        }
    }
}

/// Parts of `size` along axis 1, in another order.
inline output_ref gates(operation& n, output_ref from, std::int64_t size, std::initializer_list<std::int64_t> order) {
    seq<output_ref> parts;
    for (const std::int64_t gate : order) {
        parts.push_back(n.slice(from, 1, gate * size, (gate + 1) * size));
    }
    return n.concat(parts, 1);
}

/// The sum of the biases of data and state, zero where there are none.
inline output_ref summed_bias(operation& n, std::int64_t directions, std::int64_t rows) {
    if (!n.has(3)) {
        return n.broadcast(n.like(n.in(0), 0), n.indices({directions, rows}));
    }
    return n.make(op::add{}, {n.slice(n.in(3), 1, 0, rows), n.slice(n.in(3), 1, rows, 2 * rows)});
}

/// All hidden states and the last ones, in the order of axes that the file wants.
inline void out_states(operation& n, const recurrent_inputs& from, output_ref all, output_ref last) {
    n.out(0, from.batch_first ? n.transpose(all, {0, 2, 1, 3}) : n.transpose(all, {2, 1, 0, 3}));
    n.out(1, from.batch_first ? last : n.transpose(last, {1, 0, 2}));
}

/// The function that stands at a place of an operation's activations.
inline lstm_loop::function gate_function(operation& n, const op::lstm_sequence& from, std::size_t place) {
    const text& word = from.activations[place];
    if (word == "sigmoid") {
        return {op::sigmoid{}};
    }
    if (word == "tanh") {
        return {op::tanh{}};
    }
    if (word == "relu") {
        return {op::relu{}};
    }
    if (word == "hardsigmoid") {
        const auto parameter = [place](const seq<double>& all, double otherwise) {
            return place < all.size() ? all[place] : otherwise;
        };
        return {op::clamp{{}, 0, 1}, parameter(from.activations_alpha, 0.2), parameter(from.activations_beta, 0.5)};
    }
    n.wrong({"activation '", word, "' must be sigmoid, tanh, relu or hardsigmoid"});
}

/// True unless an input is left out or known to be zeros.
inline bool has_other_than_zeros(operation& n, std::size_t port) {
    if (!n.has(port)) {
        return false;
    }
    const tensor* known = n.known(n.in(port));
    for (std::size_t i = 0; known != nullptr && i < known->elements(); ++i) {
        if (known->real(i) != 0) {
            return true;
        }
    }
    return known == nullptr;
}

/// An LSTM that is more than LSTMSequence: one loop a direction. Outputs like those of LSTMSequence.
inline lstm_loop::outcome read_lstm_loop(operation& n, const op::lstm_sequence& what, const recurrent_inputs& from,
                                         output_ref cell, output_ref of_data, output_ref of_state) {
    const std::int64_t size = what.hidden_size;
    const output_ref bias = summed_bias(n, from.directions, 4 * size);
    seq<output_ref> parts[3];
    for (std::int64_t direction = 0; direction < from.directions; ++direction) {
        lstm_loop loop(n.builder());
        const auto rows = [&](output_ref all, std::int64_t gate) {
            return n.squeeze(n.slice(n.slice(all, 0, direction, direction + 1), 1, gate * size, (gate + 1) * size),
                             {0});
        };
        // Gates lie as input, output, forget, candidate in the file, peepholes as input, output, forget.
        constexpr std::int64_t places[4] = {0, 2, 3, 1};
        for (std::size_t i = 0; i < 4; ++i) {
            if (i == 1 && n.flag("input_forget")) {
                continue;  // coupled to the input gate
            }
            loop.gates[i] = {rows(of_data, places[i]), rows(of_state, places[i]), rows(bias, places[i]), {}, {}};
            loop.gates[i].peephole = n.has(7) && i != 2 ? rows(n.in(7), places[i]) : output_ref();
        }
        for (std::size_t i = 0; i < 3; ++i) {
            loop.functions[i] = gate_function(n, what, i);
        }
        loop.clip = what.clip;
        loop.is_reverse = what.direction == op::recurrent_direction::reverse || direction == 1;
        loop.lengths = n.has(4) ? n.in(4) : output_ref();
        const auto state = [&](output_ref all) { return n.squeeze(n.slice(all, 1, direction, direction + 1), {1}); };
        const lstm_loop::outcome made = loop.run(from.data, state(from.hidden), state(cell));
        parts[0].push_back(n.unsqueeze(made.all, {1}));
        parts[1].push_back(n.unsqueeze(made.hidden, {1}));
        parts[2].push_back(n.unsqueeze(made.cell, {1}));
    }
    return {n.concat(parts[0], 1), n.concat(parts[1], 1), n.concat(parts[2], 1)};
}

/// Gates lie as input, output, forget, candidate in the file; as forget, input, candidate, output in the operation. Where they are
/// dequantized, their integers are put in order, so that the dequantization stands right above the operation.
inline output_ref lstm_gates(operation& n, output_ref from, std::int64_t size) {
    const auto ordered = [&](output_ref rows) { return gates(n, rows, size, {2, 0, 3, 1}); };
    const lpt::shape all = n.shape(from);
    const output_ref made = with_sources_moved(n, from, [&](output_ref each) -> output_ref {
        const lpt::shape& own = n.shape(each);
        if (!own.is_static() || !all.rank_is_static() || all.rank() < 2 ||
            (own.rank() != all.rank() && own.elements() != 1)) {
            return {};
        }
        return own.elements() == 1 || own[1] == 1 ? each : ordered(each);
    });
    return made ? made : ordered(from);
}

/// `of_data`, `of_state`: the weights [directions, 4 * size, …] of the data and of the hidden state.
inline void read_lstm_of(operation& n, output_ref of_data, output_ref of_state) {
    op::lstm_sequence what;
    read_recurrent_attributes(n, what, 3);
    const std::int64_t size = what.hidden_size;
    const recurrent_inputs from = read_recurrent_inputs(n, size);
    output_ref cell = from.hidden;
    if (n.has(6)) {
        cell = from.batch_first ? n.in(6) : n.transpose(n.in(6), {1, 0, 2});
    } else if (n.has(5)) {
        cell = n.broadcast(n.like(from.hidden, 0), n.shape_of(from.hidden));
    }
    const auto out_cell = [&](output_ref last) { n.out(2, from.batch_first ? last : n.transpose(last, {1, 0, 2})); };
    if (n.flag("input_forget") || has_other_than_zeros(n, 7)) {
        const lstm_loop::outcome made = read_lstm_loop(n, what, from, cell, of_data, of_state);
        out_states(n, from, made.all, made.hidden);
        return out_cell(made.cell);
    }
    const output_ref bias = summed_bias(n, from.directions, 4 * size);
    const node_id made = n.make_node(what, {from.data, from.hidden, cell, from.lengths, lstm_gates(n, of_data, size),
                                            lstm_gates(n, of_state, size), lstm_gates(n, bias, size)});
    out_states(n, from, made, output_ref(made, 1));
    out_cell(output_ref(made, 2));
}
inline void read_lstm(operation& n) { read_lstm_of(n, n.in(1), n.in(2)); }

/// Weights in bytes, [directions, …, 4 * size], that inputs `scale` and the next one dequantize, for a direction or for each of its columns:
/// as real numbers, in the order of axes that LSTM has.
inline output_ref dequantized_rows(operation& n, std::size_t weights, std::size_t scale) {
    check_scale(n, scale, scale_use::dequantizes);
    const element type = n.type(n.in(0));
    const auto by_rows = [&](output_ref numbers) {
        return n.rank(numbers) < 2 ? n.reshape(numbers, {-1, 1, 1}) : n.unsqueeze(numbers, {2});
    };
    output_ref result = n.convert(n.transpose(n.in(weights), {0, 2, 1}), type);
    if (n.has(scale + 1)) {
        result = n.make(op::subtract{}, {result, n.convert(by_rows(n.in(scale + 1)), type)});
    }
    return n.make(op::multiply{}, {result, by_rows(n.in(scale))});
}
/// LSTM with weights in bytes. Data are not quantized, which is nearer to the network that was quantized.
inline void read_dynamic_quantize_lstm(operation& n) {
    if (n.integer("hidden_size", 0) == 0) {
        n.wrong({"needs the attribute 'hidden_size'"});
    }
    read_lstm_of(n, dequantized_rows(n, 1, 8), dequantized_rows(n, 2, 10));
}

inline void read_gru(operation& n) {
    op::gru_sequence what;
    read_recurrent_attributes(n, what, 2);
    what.linear_before_reset = n.flag("linear_before_reset");
    const std::int64_t size = what.hidden_size;
    const recurrent_inputs from = read_recurrent_inputs(n, size);
    output_ref bias = summed_bias(n, from.directions, 3 * size);
    if (what.linear_before_reset) {
        const output_ref zeros = n.broadcast(n.like(bias, 0), n.indices({from.directions, size}));
        const output_ref of_data = n.has(3) ? n.slice(n.in(3), 1, 2 * size, 3 * size) : zeros;
        const output_ref of_state = n.has(3) ? n.slice(n.in(3), 1, 5 * size, 6 * size) : zeros;
        bias = n.concat({n.slice(bias, 1, 0, 2 * size), of_data, of_state}, 1);
    }
    const node_id made = n.make_node(what, {from.data, from.hidden, from.lengths, n.in(1), n.in(2), bias});
    out_states(n, from, made, output_ref(made, 1));
}

inline void read_simple_recurrent(operation& n) {
    op::gru_sequence what;
    what.activations = {"tanh"};
    read_recurrent_attributes(n, what, 1);
    const recurrent_inputs from = read_recurrent_inputs(n, what.hidden_size);
    const output_ref bias = summed_bias(n, from.directions, what.hidden_size);
    const node_id made =
        composed::simple_recurrent(n, what, {from.data, from.hidden, from.lengths, n.in(1), n.in(2), bias});
    out_states(n, from, made, output_ref(made, 1));
}

inline constexpr operator_entry recurrent_operators[] = {
    {"", "LSTM", read_lstm},
    {"", "GRU", read_gru},
    {"", "RNN", read_simple_recurrent},
    {"com.microsoft", "DynamicQuantizeLSTM", read_dynamic_quantize_lstm},
};

}  // namespace lpt::inline LPT_ABI::onnx
