// SPDX-License-Identifier: Apache-2.0
// LSTM and GRU cells, and sequences of their steps.
#pragma once

#include <lpt/kernel/digits.hpp>
#include <lpt/kernel/gemm.hpp>
#include <lpt/kernel/unary.hpp>

namespace lpt::inline LPT_ABI::kernel {

/// The products with all inputs come first, as one matrix product. A step then is a product of the states with the recurrent weights and
/// one pass over its sums. Vectors run along the hidden units; what lies behind the last one belongs to the sequence, and is not read.
template <class Isa>
struct kernel_of<Isa, recurrent_problem> {
    using simd = lanes<Isa>;
    using functions = unary<Isa>;
    using floats = typename simd::floats;
    static constexpr std::int64_t width = simd::width;

    /// Digits of the states of some sequences: a row of bytes and of sums for each digit, and a scale for both.
    struct state_digits {
        float* sums;
        float* scales;
        std::uint8_t* bytes;
    };

    /// The scratch memory of a call.
    struct memory {
        float* inputs;  // [batch][time][directions][gates * hidden]
        float* gates;  // these of [directions][batch]
        float* state;
        float* cell;
        float* reset;
        state_digits digits;  // where states are split

        explicit memory(const recurrent_problem& p) noexcept {
            const std::int64_t sequences = p.batch * p.directions;
            inputs = static_cast<float*>(p.scratch.data);
            gates = inputs + whole_vectors(p.batch * p.time * p.directions * gates_of(p.kind) * p.hidden + 16);
            state = gates + sequences * gate_row(p);
            cell = state + sequences * whole_vectors(p.hidden);
            reset = cell + sequences * whole_vectors(p.hidden);
            digits = {};
            if (!p.splits_states) return;
            digits.sums = reset + sequences * whole_vectors(p.hidden);
            digits.scales = digits.sums + 2 * sequences * gate_row(p);
            digits.bytes = reinterpret_cast<std::uint8_t*>(digits.scales + whole_vectors(sequences));
        }
    };

    /// Sequences [begin, end) of one direction.
    struct share_of_work {
        std::int64_t direction;
        std::int64_t begin;
        std::int64_t end;
    };

    /// A function with its numbers, and the limit of its argument.
    struct limited_function {
        gate_function is;
        float alpha;
        float beta;
        float limit;
    };
    static limited_function gate_of(const recurrent_problem& p) noexcept {
        return {p.gate, p.gate_alpha, p.gate_beta, p.limit};
    }
    static limited_function candidate_of(const recurrent_problem& p) noexcept {
        return {p.candidate, p.candidate_alpha, p.candidate_beta, p.limit};
    }
    static limited_function output_of(const recurrent_problem& p) noexcept {
        return {p.output, p.output_alpha, p.output_beta, __builtin_inff()};
    }

    [[gnu::always_inline]] static floats value_of(const limited_function& f, floats v) noexcept {
        if (f.limit != __builtin_inff())
            v = simd::at_most(simd::at_least(v, simd::broadcast(-f.limit)), simd::broadcast(f.limit));
        switch (f.is) {
            case gate_function::sigmoid: return functions::sigmoid(v);
            case gate_function::tanh: return functions::tanh(v);
            case gate_function::relu: return simd::at_least(v, simd::broadcast(0.0f));
            case gate_function::hard_sigmoid: break;
        }
        const floats line = simd::fma(v, simd::broadcast(f.alpha), simd::broadcast(f.beta));
        return simd::at_most(simd::at_least(line, simd::broadcast(0.0f)), simd::broadcast(1.0f));
    }

    [[gnu::always_inline]] static floats sum_at(const float* a, const float* b, std::int64_t i) noexcept {
        return simd::add(simd::load(a + i), simd::load(b + i));
    }

    /// `inputs`: W x + b of the step; `sums`: R h; both gate after gate.
    static void lstm(const recurrent_problem& p, const float* inputs, const float* sums, float* state,
                     float* cell) noexcept {
        const limited_function gate = gate_of(p);
        const limited_function candidate = candidate_of(p);
        const limited_function output = output_of(p);
        const std::int64_t f = p.gates[0] * p.hidden;
        const std::int64_t i = p.gates[1] * p.hidden;
        const std::int64_t c = p.gates[2] * p.hidden;
        const std::int64_t o = p.gates[3] * p.hidden;
        for (std::int64_t j = 0; j < p.hidden; j += width) {
            const floats open = value_of(gate, sum_at(inputs, sums, i + j));
            const floats keep = p.couples_forget ? simd::subtract(simd::broadcast(1.0f), open)
                                                 : value_of(gate, sum_at(inputs, sums, f + j));
            const floats added = simd::multiply(open, value_of(candidate, sum_at(inputs, sums, c + j)));
            const floats now = simd::fma(keep, simd::load(cell + j), added);
            const floats give = value_of(gate, sum_at(inputs, sums, o + j));
            simd::store(cell + j, now);
            simd::store(state + j, simd::multiply(give, value_of(output, now)));
        }
    }

    /// r * h, which the product with the candidate's weights reads.
    static void reset_state(const recurrent_problem& p, const float* inputs, const float* sums, const float* state,
                            float* reset) noexcept {
        for (std::int64_t j = 0; j < p.hidden; j += width) {
            const floats open = value_of(gate_of(p), sum_at(inputs, sums, p.hidden + j));
            simd::store(reset + j, simd::multiply(open, simd::load(state + j)));
        }
    }

    static void gru(const recurrent_problem& p, const float* hidden_bias, const float* inputs, const float* sums,
                    float* state) noexcept {
        const std::int64_t last = 2 * p.hidden;
        for (std::int64_t j = 0; j < p.hidden; j += width) {
            floats candidate;
            if (p.kind == recurrent_kind::gru) {
                candidate = sum_at(inputs, sums, last + j);
            } else {
                floats sum = simd::load(sums + last + j);
                if (hidden_bias != nullptr) sum = simd::add(sum, load_part<Isa>(hidden_bias + j, p.hidden - j));
                const floats open = value_of(gate_of(p), sum_at(inputs, sums, p.hidden + j));
                candidate = simd::fma(open, sum, simd::load(inputs + last + j));
            }
            candidate = value_of(candidate_of(p), candidate);
            const floats keep = value_of(gate_of(p), sum_at(inputs, sums, j));
            const floats added = simd::multiply(simd::subtract(simd::broadcast(1.0f), keep), candidate);
            simd::store(state + j, simd::fma(keep, simd::load(state + j), added));
        }
    }

    /// W x + b of all steps.
    static void multiply_inputs(const recurrent_problem& p, float* to, const parallel_for& parallel) noexcept {
        gemm_problem product;
        product.m = p.batch * p.time;
        product.n = p.directions * gates_of(p.kind) * p.hidden;
        product.k = p.inputs;
        product.a = p.input;
        product.a_type = p.input_type;
        product.a_row_stride = p.input_rows.step(p.inputs);
        product.a_zero_point = p.input_zero_point;
        product.packed_b = p.packed_input;
        product.c = to;
        product.c_row_stride = product.n;
        product.finish.scale = p.input_scale;
        product.finish.bias = p.input_bias;
        product.finish.output_type = element_kind::f32;
        gemm<Isa>::run(product, parallel);
    }

    /// One sequence in its share of the work.
    struct sequence {
        std::int64_t number;  // among all of all directions, as states lie
        float* gates;
        float* state;
        float* cell;
        float* reset;
        state_digits digits;

        sequence(const recurrent_problem& p, const memory& m, std::int64_t direction, std::int64_t which) noexcept
            : number(which * p.directions + direction) {
            const std::int64_t row = direction * p.batch + which;
            gates = m.gates + row * gate_row(p);
            state = m.state + row * whole_vectors(p.hidden);
            cell = m.cell + row * whole_vectors(p.hidden);
            reset = m.reset + row * whole_vectors(p.hidden);
            digits = {};
            if (!p.splits_states) return;
            digits.sums = m.digits.sums + 2 * row * gate_row(p);
            digits.scales = m.digits.scales + row;
            digits.bytes = m.digits.bytes + 2 * row * digit_row(p);
        }
    };

    /// Weights of states: `columns` columns, their scales where they are bytes.
    struct state_weights {
        const unsigned char* packed;
        const float* scale;
        std::int64_t columns;
    };

    /// Products of `rows` states, those of sequence `first` and of the ones that follow.
    static void multiply_states(const recurrent_problem& p, const sequence& first, const float* states,
                                std::int64_t rows, const state_weights& weights, float* to,
                                const parallel_for& parallel) noexcept {
        if (p.splits_states) return multiply_digits(p, first.digits, states, rows, weights, to, parallel);
        gemm_problem product;
        product.m = rows;
        product.n = weights.columns;
        product.k = p.hidden;
        product.a = states;
        product.a_type = element_kind::f32;
        product.a_row_stride = whole_vectors(p.hidden);
        product.packed_b = weights.packed;
        product.c = to;
        product.c_row_stride = gate_row(p);
        product.finish.output_type = element_kind::f32;
        product.finish.bias_all = -0.0f;  // sums stay as they are
        gemm<Isa>::run(product, parallel);
    }
    static void multiply_digits(const recurrent_problem& p, const state_digits& rows_of_digits, const float* states,
                                std::int64_t rows, const state_weights& weights, float* to,
                                const parallel_for& parallel) noexcept {
        const auto bytes_of_digit = [&](std::int64_t row) { return rows_of_digits.bytes + row * digit_row(p); };
        const auto sums_of_digit = [&](std::int64_t row) { return rows_of_digits.sums + row * gate_row(p); };
        for (std::int64_t row = 0; row < rows; ++row)
            rows_of_digits.scales[row] = digits<Isa>::split(states + row * whole_vectors(p.hidden), p.hidden,
                                                            bytes_of_digit(2 * row), bytes_of_digit(2 * row + 1));
        gemm_problem product;
        product.m = 2 * rows;
        product.n = weights.columns;
        product.k = p.hidden;
        product.a = rows_of_digits.bytes;
        product.a_type = element_kind::u8;
        product.a_zero_point = digits<Isa>::zero_point;
        product.a_row_stride = digit_row(p);
        product.packed_b = weights.packed;
        product.c = rows_of_digits.sums;
        product.c_row_stride = gate_row(p);
        product.finish.scale = weights.scale;
        product.finish.output_type = element_kind::f32;
        gemm<Isa>::run(product, parallel);
        for (std::int64_t row = 0; row < rows; ++row)
            digits<Isa>::join(sums_of_digit(2 * row), sums_of_digit(2 * row + 1), rows_of_digits.scales[row],
                              weights.columns, to + row * gate_row(p));
    }

    static std::int64_t length_of(const recurrent_problem& p, std::int64_t sequence) noexcept {
        if (p.lengths == nullptr) return p.time;
        const unsigned char* const at = static_cast<const unsigned char*>(p.lengths) + sequence * p.length_bytes;
        std::int64_t length = 0;
        if (p.length_bytes == 4) {
            std::int32_t narrow;
            std::memcpy(&narrow, at, sizeof narrow);
            length = narrow;
        } else {
            std::memcpy(&length, at, sizeof length);
        }
        return length < 0 ? 0 : length < p.time ? length : p.time;
    }

    /// Where the state of a step goes.
    static float* every_row(const recurrent_problem& p, std::int64_t number, std::int64_t time) noexcept {
        return p.every + p.every_rows.begin(number * p.time + time, p.hidden);
    }
    static void copy(float* to, const float* from, std::int64_t count) noexcept {
        std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
    }

    /// All steps of a share of the sequences.
    static void walk(const recurrent_problem& p, const memory& m, const share_of_work& work,
                     const parallel_for& parallel) noexcept {
        const std::int64_t d = work.direction;
        const std::int64_t rows = work.end - work.begin;
        const std::int64_t h = p.hidden;
        const sequence first(p, m, d, work.begin);
        std::int64_t longest = 0;
        for (std::int64_t b = work.begin; b < work.end; ++b) {
            const sequence each(p, m, d, b);
            copy(each.state, p.first_hidden + each.number * h, h);
            if (p.kind == recurrent_kind::lstm) copy(each.cell, p.first_cell + each.number * h, h);
            const std::int64_t length = length_of(p, b);
            longest = length > longest ? length : longest;
            for (std::int64_t time = length; time < p.time && p.every != nullptr; ++time)
                std::memset(every_row(p, each.number, time), 0, static_cast<std::size_t>(h) * sizeof(float));
        }
        const bool apart = p.kind == recurrent_kind::gru;
        const float* const scale = p.splits_states ? p.hidden_scale + d * gates_of(p.kind) * h : nullptr;
        const state_weights together{p.packed_hidden + d * p.packed_hidden_bytes, scale,
                                     (apart ? 2 : gates_of(p.kind)) * h};
        const bool backwards = d == 1 || p.reverse;
        const auto inputs_of = [&](std::int64_t b, std::int64_t step) {
            const std::int64_t time = backwards ? length_of(p, b) - 1 - step : step;
            return m.inputs + ((b * p.time + time) * p.directions + d) * gates_of(p.kind) * h;
        };
        for (std::int64_t step = 0; step < longest; ++step) {
            multiply_states(p, first, first.state, rows, together, first.gates, parallel);
            if (apart) {
                for (std::int64_t b = work.begin; b < work.end; ++b) {
                    const sequence each(p, m, d, b);
                    if (step < length_of(p, b))
                        reset_state(p, inputs_of(b, step), each.gates, each.state, each.reset);
                    else
                        copy(each.reset, each.state, h);  // not used, but numbers
                }
                const state_weights candidate{p.packed_candidate + d * p.packed_candidate_bytes,
                                              p.splits_states ? scale + 2 * h : nullptr, h};
                multiply_states(p, first, first.reset, rows, candidate, first.gates + 2 * h, parallel);
            }
            for (std::int64_t b = work.begin; b < work.end; ++b) {
                if (step >= length_of(p, b)) continue;
                const sequence each(p, m, d, b);
                const float* const inputs = inputs_of(b, step);
                if (p.kind == recurrent_kind::lstm)
                    lstm(p, inputs, each.gates, each.state, each.cell);
                else
                    gru(p, p.hidden_bias == nullptr ? nullptr : p.hidden_bias + d * h, inputs, each.gates, each.state);
                const std::int64_t time = backwards ? length_of(p, b) - 1 - step : step;
                if (p.every != nullptr) copy(every_row(p, each.number, time), each.state, h);
            }
        }
        for (std::int64_t b = work.begin; b < work.end; ++b) {
            const sequence each(p, m, d, b);
            if (p.last_hidden != nullptr) copy(p.last_hidden + each.number * h, each.state, h);
            if (p.last_cell != nullptr) copy(p.last_cell + each.number * h, each.cell, h);
        }
    }

    /// Threads take sequences as a whole, or, where there are fewer than threads, share the products of each step.
    static void run(const recurrent_problem& p, const parallel_for& parallel) noexcept {
        const memory m(p);
        multiply_inputs(p, m.inputs, parallel);
        const std::int64_t sequences = p.batch * p.directions;
        if (sequences < parallel.threads || parallel.threads == 1 || steps_of(p) * sequences < least_steps) {
            for (std::int64_t d = 0; d < p.directions; ++d)
                walk(p, m, {d, 0, p.batch}, parallel);
            return;
        }
        split<Isa>(parallel, sequences, 1, [&](std::int64_t begin, std::int64_t end, int) {
            while (begin < end) {
                const std::int64_t d = begin / p.batch;
                const std::int64_t past = end < (d + 1) * p.batch ? end : (d + 1) * p.batch;
                walk(p, m, {d, begin - d * p.batch, past - d * p.batch}, {});
                begin = past;
            }
        });
    }

private:
    static constexpr std::int64_t least_steps =
        8192;  // multiply instructions: a few microseconds, as a round of threads

    /// Multiply instructions of a sequence.
    static std::int64_t steps_of(const recurrent_problem& p) noexcept {
        return p.time * gates_of(p.kind) * p.hidden * p.hidden / width;
    }
};

}  // namespace lpt::inline LPT_ABI::kernel
