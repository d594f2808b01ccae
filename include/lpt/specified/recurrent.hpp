// SPDX-License-Identifier: Apache-2.0
// Operations with a state: SVDF, and UNIDIRECTIONAL_SEQUENCE_LSTM with gates of 16 bits.
#pragma once

#include <lpt/specified/fixed_point.hpp>
#include <lpt/specified/product.hpp>

namespace lpt::inline LPT_ABI::specified {

namespace detail {

constexpr std::int32_t within_16(std::int64_t value) {
    return value < -32768 ? -32768 : value > 32767 ? 32767 : static_cast<std::int32_t>(value);
}

/// The scale of a tensor whose zero point is 0. Products of scales are single precision here.
inline float symmetric_scale(const operation& op, const tflite::tensor_info& tensor) {
    const quantized of = op.quantization_of(tensor);
    if (of.zero_point != 0) op.wrong("tensor '", tensor.name, "' has the zero point ", of.zero_point, ", expected 0");
    return of.scale;
}

inline void expect_shape(const operation& op, const tflite::tensor_info& tensor, const shape& wanted) {
    if (!(tensor.dimensions == wanted))
        op.wrong("tensor '", tensor.name, "' has the shape ", tensor.dimensions, ", expected ", wanted);
}

inline void expect_variable(const operation& op, const tflite::tensor_info& tensor) {
    if (!tensor.is_variable) op.wrong("tensor '", tensor.name, "' must be a variable");
}

}  // namespace detail

/// SVDF: each filter's product with the input, T(sum((q_i - z_i) w), M(s_i s_w / s_state)) in 16 bits, joins its memory, whose oldest entry goes; then the
/// product of memory and weights of time, summed over the filters of a unit with the bias: T(sum, M(s_state s_time / s_o)) + z_o.
/// Inputs: data [batch, in], weights [filters, in], weights of time [filters, memory] (int16), bias [units] (int32, may be absent), state
/// [batch, filters * memory] (int16, a variable).
template <class Arithmetic>
step make_svdf(const operation& op) {
    op.expect_codes(2);
    op.expect_type(op.input(2), i16);
    detail::expect_bias(op, 3);
    op.expect_type(op.input(4), i16);
    detail::expect_variable(op, op.input(4));
    const std::int64_t rank = op.positive_option("rank");
    const shape& weights = op.input(1).dimensions;
    if (weights.rank() != 2 || op.input(0).dimensions.rank() != 2 || op.input(2).dimensions.rank() != 2 ||
        weights[0] % rank != 0)
        op.wrong("weights of shape ", weights, " and rank ", rank);
    const std::int64_t filters = weights[0], depth = weights[1], memory = op.input(2).dimensions[1];
    const std::int64_t batch = op.input(0).dimensions[0], units = filters / rank;
    detail::expect_shape(op, op.input(0), shape{batch, depth});
    if (memory == 0) op.wrong("a memory of no entries");
    detail::expect_shape(op, op.input(2), shape{filters, memory});
    detail::expect_shape(op, op.input(4), shape{batch, filters * memory});
    const quantized from = op.in(0), to = op.out();
    const float of_state = detail::symmetric_scale(op, op.input(4));
    const arithmetic::multiplier feature =
        Arithmetic::of(static_cast<double>(from.scale * detail::symmetric_scale(op, op.input(1)) / of_state));
    const arithmetic::multiplier time =
        Arithmetic::of(static_cast<double>(of_state * detail::symmetric_scale(op, op.input(2)) / to.scale));
    const code_range range = op.info().activation() == tflite::activation::relu ? code_range() : op.activated();
    return [=](const operands& run) {
        const std::int8_t* codes = run.in(0).template as<std::int8_t>();
        const std::int8_t* weight = run.in(1).template as<std::int8_t>();
        const std::int16_t* of_time = run.in(2).template as<std::int16_t>();
        const std::vector<std::int64_t> bias = detail::bias_of(run, 3, units);
        std::int16_t* state = run.state(4).template to<std::int16_t>();
        value& output = run.out();
        output.reshape(shape{batch, units});
        std::int8_t* result = output.to<std::int8_t>();
        for (std::int64_t b = 0; b < batch; ++b) {
            std::vector<std::int64_t> sums = bias;
            for (std::int64_t f = 0; f < filters; ++f) {
                std::int64_t sum = 0;
                for (std::int64_t k = 0; k < depth; ++k)
                    sum += (codes[b * depth + k] - from.zero_point) * weight[f * depth + k];
                std::int16_t* mine = state + (b * filters + f) * memory;
                std::memmove(mine, mine + 1, static_cast<std::size_t>(memory - 1) * sizeof *mine);
                mine[memory - 1] =
                    static_cast<std::int16_t>(detail::within_16(Arithmetic::scale(detail::wrapped(sum), feature)));
                for (std::int64_t m = 0; m < memory; ++m)
                    sums[static_cast<std::size_t>(f / rank)] += std::int64_t{of_time[f * memory + m]} * mine[m];
            }
            for (const std::int64_t sum : sums)
                *result++ = static_cast<std::int8_t>(
                    range.clamp(std::int64_t{Arithmetic::scale(detail::wrapped(sum), time)} + to.zero_point));
        }
    };
}

namespace detail {

/// The places of an LSTM's inputs.
struct lstm_input {
    enum : std::size_t {
        data = 0,
        weights = 1,  // of the input, forget, cell and output gate
        recurrent_weights = 5,
        peephole_weights = 9,  // of the input, forget and output gate
        bias = 12,
        projection = 16,
        projection_bias = 17,
        output_state = 18,
        cell_state = 19,
        layer_norm = 20,
    };
};

/// One gate: what its sums are scaled by.
struct lstm_gate {
    bool is_present = false;
    arithmetic::multiplier of_input, of_state, of_peephole;
    bool has_peephole = false;
};

/// tanh of a number with `integer_bits` of 16 bits.
inline std::int32_t tanh_16(std::int32_t raw, int integer_bits) {
    switch (integer_bits) {
        case 0: return arithmetic::tanh(arithmetic::fixed<0, 16>{raw}).raw;
        case 1: return arithmetic::tanh(arithmetic::fixed<1, 16>{raw}).raw;
        case 2: return arithmetic::tanh(arithmetic::fixed<2, 16>{raw}).raw;
        case 3: return arithmetic::tanh(arithmetic::fixed<3, 16>{raw}).raw;
        case 4: return arithmetic::tanh(arithmetic::fixed<4, 16>{raw}).raw;
        case 5: return arithmetic::tanh(arithmetic::fixed<5, 16>{raw}).raw;
        default: return arithmetic::tanh(arithmetic::fixed<6, 16>{raw}).raw;
    }
}

/// An LSTM cell with int8 data and weights, int16 gates and cell state.
template <class Arithmetic>
struct lstm_cell {
    std::int64_t batch = 0, inputs = 0, cells = 0, outputs = 0;
    quantized data, state;
    quantized hidden;
    lstm_gate gates[4];  // input, forget, cell, output
    int cell_shift = 0;  // the cell state's scale is 2^cell_shift
    std::int32_t cell_clip = 0, projection_clip = 0;
    bool projects = false;
    arithmetic::multiplier of_hidden, of_projection;

    explicit lstm_cell(const operation& op) {
        using at = lstm_input;
        for (std::size_t i = at::layer_norm; i < op.inputs(); ++i) {
            if (op.has_input(i)) op.wrong("layer normalization is not known in 8 bits");
        }
        if (op.info().activation() != tflite::activation::tanh)
            op.wrong("an activation other than TANH is not known here");
        op.expect_codes(1);
        op.expect_type(op.input(at::output_state), i8);
        op.expect_type(op.input(at::cell_state), i16);
        expect_variable(op, op.input(at::output_state));
        expect_variable(op, op.input(at::cell_state));
        data = op.in(at::data);
        state = op.in(at::output_state);
        const shape& of_data = op.input(at::data).dimensions;
        const shape& of_state = op.input(at::output_state).dimensions;
        const shape& of_cell = op.input(at::cell_state).dimensions;
        if (of_data.rank() < 2 || of_data.rank() > 3 || of_state.rank() != 2 || of_cell.rank() != 2)
            op.wrong("shapes ", of_data, ", ", of_state, ", ", of_cell, " of data and states");
        batch = of_state[0];
        inputs = of_data[of_data.rank() - 1];
        outputs = of_state[1];
        cells = of_cell[1];
        const auto cell_scale = static_cast<double>(symmetric_scale(op, op.input(at::cell_state)));
        const double root = std::frexp(cell_scale, &cell_shift);
        --cell_shift;
        if (root != 0.5 || cell_shift < -15 || cell_shift > -9)
            op.wrong("the cell state's scale must be a power of two from 2^-15 to 2^-9");
        for (std::size_t gate = 0; gate < 4; ++gate)
            prepare_gate(op, gate);
        if (gates[0].is_present != op.has_input(at::recurrent_weights))
            op.wrong("an input gate with only one kind of weights");
        prepare_output(op);
        const double clip = op.has_option("cell_clip") ? op.real_option("cell_clip") : 0;
        cell_clip = clip > 0 ? within_16(Arithmetic::round_half_away(std::floor(clip / cell_scale))) : 0;
        const double of_projections = op.has_option("proj_clip") ? op.real_option("proj_clip") : 0;
        projection_clip =
            of_projections > 0
                ? code_range().clamp(static_cast<std::int64_t>(of_projections / static_cast<double>(state.scale)))
                : 0;
    }

    void prepare_gate(const operation& op, std::size_t gate) {
        using at = lstm_input;
        constexpr float gate_scale = 1.0F / 4096;  // 3 integer bits
        lstm_gate& mine = gates[gate];
        if (gate == 0 && !op.has_input(at::weights)) return;
        mine.is_present = true;
        const tflite::tensor_info& weights = op.input(at::weights + gate);
        const tflite::tensor_info& recurrent = op.input(at::recurrent_weights + gate);
        op.expect_type(weights, i8);
        op.expect_type(recurrent, i8);
        expect_shape(op, weights, shape{cells, inputs});
        expect_shape(op, recurrent, shape{cells, outputs});
        expect_bias(op, at::bias + gate);
        mine.of_input = Arithmetic::of(static_cast<double>(symmetric_scale(op, weights) * data.scale / gate_scale));
        mine.of_state = Arithmetic::of(static_cast<double>(symmetric_scale(op, recurrent) * state.scale / gate_scale));
        if (gate == 2 || !op.has_input(peephole_of(gate))) return;
        mine.has_peephole = true;
        const tflite::tensor_info& peephole = op.input(peephole_of(gate));
        op.expect_type(peephole, i16);
        expect_shape(op, peephole, shape{cells});
        mine.of_peephole =
            Arithmetic::of(static_cast<double>(std::ldexp(symmetric_scale(op, peephole), cell_shift) / gate_scale));
    }

    static std::size_t peephole_of(std::size_t gate) { return lstm_input::peephole_weights + (gate == 3 ? 2 : gate); }

    void prepare_output(const operation& op) {
        using at = lstm_input;
        projects = op.has_input(at::projection);
        hidden = op.info().intermediates.size() > 4 ? op.quantization_of(op.intermediate(4)) : state;
        of_hidden = Arithmetic::of(
            static_cast<double>(static_cast<float>(std::ldexp(1.0, -30) / static_cast<double>(hidden.scale))));
        if (!projects) {
            if (cells != outputs) op.wrong(cells, " cells and ", outputs, " outputs without a projection");
            return;
        }
        const tflite::tensor_info& weights = op.input(at::projection);
        op.expect_type(weights, i8);
        expect_shape(op, weights, shape{outputs, cells});
        expect_bias(op, at::projection_bias);
        of_projection = Arithmetic::of(static_cast<double>(symmetric_scale(op, weights) * hidden.scale / state.scale));
    }

    /// Wraps around in 32 bits, as what becomes of it does.
    static std::int64_t dot(const std::int8_t* codes, std::int32_t zero_point, const std::int8_t* weights,
                            std::int64_t count) {
        std::uint32_t sum = 0;
        for (std::int64_t k = 0; k < count; ++k)
            sum += static_cast<std::uint32_t>((codes[k] - zero_point) * weights[k]);
        return static_cast<std::int32_t>(sum);
    }

    /// One sample of a batch, and its states.
    struct sample {
        std::int64_t number;
        const std::int8_t* input;
        std::int8_t* output;
        std::int16_t* cell;
    };

    /// The peephole's part in the sum of a cell. Where a projection makes outputs fewer than cells, the reference walks through all samples in
    /// steps of outputs: of one sample the first cells alone have a peephole.
    std::int32_t through_peephole(const operands& run, std::size_t gate, const sample& of, std::int64_t cell) const {
        const std::int64_t place = of.number * cells + cell;
        if (place >= batch * outputs) return 0;
        const std::int32_t product =
            run.in(peephole_of(gate)).template as<std::int16_t>()[place % outputs] * of.cell[cell];
        return Arithmetic::scale(product, gates[gate].of_peephole);
    }

    /// The sums of a gate for one sample, with 3 integer bits; each part is scaled and saturated by itself.
    std::vector<std::int32_t> sums_of(const operands& run, std::size_t gate, const sample& of) const {
        using at = lstm_input;
        const lstm_gate& mine = gates[gate];
        const std::int8_t* weights = run.in(at::weights + gate).template as<std::int8_t>();
        const std::int8_t* recurrent_weights = run.in(at::recurrent_weights + gate).template as<std::int8_t>();
        const std::vector<std::int64_t> bias = bias_of(run, at::bias + gate, cells);
        std::vector<std::int32_t> sums(static_cast<std::size_t>(cells));
        for (std::int64_t c = 0; c < cells; ++c) {
            const std::int64_t of_input =
                bias[static_cast<std::size_t>(c)] + dot(of.input, data.zero_point, weights + c * inputs, inputs);
            const std::int64_t of_state = dot(of.output, state.zero_point, recurrent_weights + c * outputs, outputs);
            std::int32_t sum = within_16(Arithmetic::scale(wrapped(of_input), mine.of_input));
            sum = within_16(std::int64_t{Arithmetic::scale(wrapped(of_state), mine.of_state)} + sum);
            if (mine.has_peephole) sum = within_16(std::int64_t{through_peephole(run, gate, of, c)} + sum);
            sums[static_cast<std::size_t>(c)] = sum;
        }
        return sums;
    }

    std::vector<std::int32_t> opened(const operands& run, std::size_t gate, const sample& of) const {
        std::vector<std::int32_t> result = sums_of(run, gate, of);
        for (std::int32_t& each : result)
            each = gate == 2 ? tanh_16(each, 3) : arithmetic::logistic(arithmetic::fixed<3, 16>{each}).raw;
        return result;
    }

    /// One sample at one time: changes the states.
    void advance(const operands& run, const sample& of) const {
        std::int16_t* const cell = of.cell;
        std::int8_t* const output = of.output;
        const bool has_input_gate = gates[0].is_present;
        std::vector<std::int32_t> open;
        if (has_input_gate) open = opened(run, 0, of);
        const std::vector<std::int32_t> kept = opened(run, 1, of);
        const std::vector<std::int32_t> candidate = opened(run, 2, of);
        for (std::size_t c = 0; c < kept.size(); ++c) {
            const std::int32_t old = static_cast<std::int16_t>(Arithmetic::divide_by_power(kept[c] * cell[c], 15));
            const std::int32_t share = has_input_gate ? open[c] : 32767 - kept[c];
            const auto added =
                static_cast<std::int16_t>(Arithmetic::divide_by_power(share * candidate[c], 30 + cell_shift));
            std::int32_t next = within_16(old + added);
            if (cell_clip > 0) next = std::min(std::max(next, -cell_clip), cell_clip);
            cell[c] = static_cast<std::int16_t>(next);
        }
        const std::vector<std::int32_t> shown = opened(run, 3, of);
        std::vector<std::int8_t> codes(kept.size());
        for (std::size_t c = 0; c < codes.size(); ++c) {
            const std::int32_t product = shown[c] * tanh_16(cell[c], 15 + cell_shift);
            codes[c] = static_cast<std::int8_t>(
                code_range().clamp(std::int64_t{Arithmetic::scale(product, of_hidden)} + hidden.zero_point));
        }
        if (!projects) {
            std::copy(codes.begin(), codes.end(), output);
            return;
        }
        const std::vector<std::int64_t> bias = bias_of(run, lstm_input::projection_bias, outputs);
        const std::int8_t* weights = run.in(lstm_input::projection).template as<std::int8_t>();
        for (std::int64_t k = 0; k < outputs; ++k) {
            const std::int64_t sum =
                bias[static_cast<std::size_t>(k)] + dot(codes.data(), hidden.zero_point, weights + k * cells, cells);
            std::int32_t code =
                code_range().clamp(std::int64_t{Arithmetic::scale(wrapped(sum), of_projection)} + state.zero_point);
            if (projection_clip > 0) code = std::min(std::max(code, -projection_clip), projection_clip);
            output[k] = static_cast<std::int8_t>(code);
        }
    }
};

}  // namespace detail

/// UNIDIRECTIONAL_SEQUENCE_LSTM: sums of each gate scaled to 16 bits with 3 integer bits, sigmoid and tanh in 16-bit fixed point, the cell state in 16 bits
/// with a power of two as scale; peepholes, a projection, clipping, a coupled input gate (no weights of the input gate).
template <class Arithmetic>
step make_lstm(const operation& op) {
    const detail::lstm_cell<Arithmetic> cell(op);
    const bool time_is_first = op.has_option("time_major") && op.option("time_major") != 0;
    const shape of_data = op.input(0).dimensions;
    const bool has_batches = of_data.rank() == 3;
    const std::int64_t batch = !has_batches ? of_data[0] : of_data[time_is_first ? 1 : 0];
    detail::expect_shape(op, op.input(detail::lstm_input::output_state), shape{batch, cell.outputs});
    detail::expect_shape(op, op.input(detail::lstm_input::cell_state), shape{batch, cell.cells});
    return [=](const operands& run) {
        const std::int64_t times = has_batches ? of_data[time_is_first ? 0 : 1] : 1;
        if (!(run.in(0).dimensions == of_data)) fail({"data of shape ", run.in(0).dimensions, ", expected ", of_data});
        shape wanted = of_data;
        wanted[wanted.rank() - 1] = cell.outputs;
        value& output = run.out();
        output.reshape(wanted);
        std::int8_t* states = run.state(detail::lstm_input::output_state).template to<std::int8_t>();
        std::int16_t* cells = run.state(detail::lstm_input::cell_state).template to<std::int16_t>();
        const std::int8_t* codes = run.in(0).template as<std::int8_t>();
        for (std::int64_t b = 0; b < batch; ++b) {
            for (std::int64_t t = 0; t < times; ++t) {
                const std::int64_t sample = time_is_first ? t * batch + b : b * times + t;
                std::int8_t* state = states + b * cell.outputs;
                cell.advance(run, {b, codes + sample * cell.inputs, state, cells + b * cell.cells});
                std::copy(state, state + cell.outputs, output.to<std::int8_t>() + sample * cell.outputs);
            }
        }
    };
}

}  // namespace lpt::inline LPT_ABI::specified
