// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/kernel/rows/element_kind.hpp>
#include <lpt/kernel/rows/fields.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// Which cell. The gates of a GRU lie in its weights as they are listed, those of an LSTM where `recurrent_problem::gates` says.
///   lstm: i, f, o = gate(…), c~ = candidate(…), c' = fma(f, c, i * c~), h' = o * output(c');
///   gru:  z, r = gate(…), h~ = candidate((W x + b) + R (r * h)), h' = fma(z, h, (1 - z) * h~);
///   gru_linear: the same with h~ = candidate(fma(r, R h + b', W x + b)).
/// Each `…` is (W x + b) + R h, where R h is a sum as in `gemm_problem`.
enum class recurrent_kind : std::uint8_t { lstm, gru, gru_linear };

/// How many gates a cell has.
constexpr std::int64_t gates_of(recurrent_kind kind) noexcept { return kind == recurrent_kind::lstm ? 4 : 3; }

/// A function of a gate: sigmoid and tanh as in `unary_function`; relu: max(v, 0); hard_sigmoid: min(max(fma(v, alpha, beta), 0), 1).
enum class gate_function : std::uint8_t { sigmoid, tanh, relu, hard_sigmoid };

/// A cell that walks along time, or one step of it (time 1). With G gates, D directions and H = `hidden`:
///   gate, candidate, output: functions, with their numbers; arguments are limited to [-limit, limit] first, but for that of output.
///   input: x[batch][time][inputs], u8, i8 or f32, where `input_rows` says, equally far apart; u8 and i8 mean (x - input_zero_point).
///   packed_input: W[inputs, D * G * H] of `pack_gemm`, bytes where x are; W x + b = fma(float(sum), scale, bias) with `input_scale` and
///     `input_bias` of D * G * H elements, or null: 1 and 0.
///   packed_hidden: R[H, N] of f32 for each direction, `packed_hidden_bytes` apart; N = G * H, but for `gru` 2 * H (z and r), and
///     packed_candidate has R[H, H] of its candidate, `packed_candidate_bytes` apart.
///   splits_states: R are bytes, with `hidden_scale` of D * G * H elements; states are then numbers of 16 bits in the products with
///     them, split into `digits` with a scale for each sequence and step, and R h = scale * fma(256, high, low) of both sums in f32. All sums
///     with a state that is not finite are NaN.
///   hidden_bias: b'[D][H] of `gru_linear`, or null: 0.
///   first_hidden, first_cell: [batch][D][H]. lengths: steps of each batch, integers of `length_bytes` (4 or 8), taken into [0, time];
///     null: all of them.
///   every: [batch][D][time][H], rows of H where `every_rows` says, zero behind a sequence's length, or null; last_hidden,
///     last_cell: [batch][D][H], each may be null.
///   cells, their output function, gates (where f, i, c, o lie in the weights) and couples_forget (f = 1 - i) are those of an LSTM alone.
/// Direction 0 walks backwards, from the last step of the sequence, if `reverse`; direction 1 always does.
/// `scratch`: `recurrent_scratch_bytes(problem)` bytes. Outputs overlap nothing.
struct recurrent_problem {
    recurrent_kind kind = recurrent_kind::lstm;
    std::int64_t batch = 1;
    std::int64_t time = 1;
    std::int64_t directions = 1;
    std::int64_t inputs = 1;
    std::int64_t hidden = 1;
    bool reverse = false;
    bool couples_forget = false;
    bool splits_states = false;
    std::int64_t gates[4] = {0, 1, 2, 3};
    gate_function gate = gate_function::sigmoid;
    float gate_alpha = 0;
    float gate_beta = 0;
    gate_function candidate = gate_function::tanh;
    float candidate_alpha = 0;
    float candidate_beta = 0;
    gate_function output = gate_function::tanh;
    float output_alpha = 0;
    float output_beta = 0;
    float limit = __builtin_inff();
    element_kind input_type = element_kind::f32;
    std::int32_t input_zero_point = 0;
    std::int64_t packed_hidden_bytes = 0;
    std::int64_t packed_candidate_bytes = 0;
    std::int64_t length_bytes = 8;
    const void* input = nullptr;
    const unsigned char* packed_input = nullptr;
    const float* input_scale = nullptr;
    const float* input_bias = nullptr;
    const unsigned char* packed_hidden = nullptr;
    const unsigned char* packed_candidate = nullptr;
    const float* hidden_scale = nullptr;
    const float* hidden_bias = nullptr;
    const float* first_hidden = nullptr;
    const float* first_cell = nullptr;
    const void* lengths = nullptr;
    float* every = nullptr;
    float* last_hidden = nullptr;
    float* last_cell = nullptr;
    scratch_memory scratch = {};
    row_layout input_rows = {};
    row_layout every_rows = {};

    static constexpr const char* name = "recurrent";
    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit visit) {
        visit("kind", self.kind);
        visit("batch", self.batch);
        visit("time", self.time);
        visit("directions", self.directions);
        visit("inputs", self.inputs);
        visit("hidden", self.hidden);
        visit("reverse", self.reverse);
        visit("couples_forget", self.couples_forget);
        visit("splits_states", self.splits_states);
        visit("gates", self.gates);
        visit("gate", self.gate);
        visit("gate_alpha", self.gate_alpha);
        visit("gate_beta", self.gate_beta);
        visit("candidate", self.candidate);
        visit("candidate_alpha", self.candidate_alpha);
        visit("candidate_beta", self.candidate_beta);
        visit("output", self.output);
        visit("output_alpha", self.output_alpha);
        visit("output_beta", self.output_beta);
        visit("limit", self.limit);
        visit("input_type", self.input_type);
        visit("input_zero_point", self.input_zero_point);
        visit("packed_hidden_bytes", self.packed_hidden_bytes);
        visit("packed_candidate_bytes", self.packed_candidate_bytes);
        visit("length_bytes", self.length_bytes);
        visit("input", self.input);
        visit("packed_input", self.packed_input);
        visit("input_scale", self.input_scale);
        visit("input_bias", self.input_bias);
        visit("packed_hidden", self.packed_hidden);
        visit("packed_candidate", self.packed_candidate);
        visit("hidden_scale", self.hidden_scale);
        visit("hidden_bias", self.hidden_bias);
        visit("first_hidden", self.first_hidden);
        visit("first_cell", self.first_cell);
        visit("lengths", self.lengths);
        visit("every", self.every);
        visit("last_hidden", self.last_hidden);
        visit("last_cell", self.last_cell);
        visit("scratch", self.scratch);
        visit("input_rows", self.input_rows);
        visit("every_rows", self.every_rows);
    }
    template <class Self, class Visit>
    static constexpr void spaced(Self& self, Visit visit) {
        visit(self.input, self.input_rows, self.inputs, self.batch * self.time);
        visit(self.every, self.every_rows, self.hidden, 1);
    }
};

/// Floats of a row that whole vectors of any instruction set cover.
constexpr std::int64_t whole_vectors(std::int64_t floats) noexcept { return (floats + 15) / 16 * 16; }

/// Floats of a row of sums of all gates, with room behind it for a vector that begins in its last gate.
constexpr std::int64_t gate_row(const recurrent_problem& p) noexcept {
    return whole_vectors(gates_of(p.kind) * p.hidden) + 16;
}

/// Bytes of a row of digits of a state.
constexpr std::int64_t digit_row(const recurrent_problem& p) noexcept { return (p.hidden + 63) / 64 * 64; }

/// Scratch memory of a recurrent cell: the products with all inputs, and of each sequence gates, state, cell and reset state; of states
/// that are split, the sums and bytes of both digits, and a scale.
constexpr std::size_t recurrent_scratch_bytes(const recurrent_problem& p) noexcept {
    const std::int64_t inputs = p.batch * p.time * p.directions * gates_of(p.kind) * p.hidden + 16;
    const std::int64_t sequences = p.batch * p.directions;
    const std::int64_t sequence = 4 * (gate_row(p) + 3 * whole_vectors(p.hidden));
    const std::int64_t digits = 4 * whole_vectors(sequences) + sequences * 2 * (4 * gate_row(p) + digit_row(p));
    return static_cast<std::size_t>(4 * whole_vectors(inputs) + sequences * sequence + (p.splits_states ? digits : 0));
}

}  // namespace lpt::inline LPT_ABI::kernel
