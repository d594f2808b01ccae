// SPDX-License-Identifier: Apache-2.0
// LSTM and GRU cells and sequences with known weights.
#pragma once

#include <lpt/plan/planner.hpp>

#include <utility>

namespace lpt::inline LPT_ABI::plan {

namespace detail {

/// The functions of the gates; false where the kernel does not know one.
inline bool set_gate_functions(const op::detail::recurrent_attributes& self, kernel::recurrent_problem& problem) {
    using form = op::gate_form;
    const std::size_t count = problem.kind == kernel::recurrent_kind::lstm ? 3 : 2;
    for (std::size_t i = 0; i < count; ++i) {
        if (op::find_gate_function(self.activations[i]) == nullptr) {
            return false;
        }
        const reference::detail::gate_function from = reference::detail::gate_function_at(self, i, self.clip);
        if (from.is != form::sigmoid && from.is != form::tanh && from.is != form::relu &&
            from.is != form::hard_sigmoid) {
            return false;
        }
        const kernel::gate_function is = from.is == form::sigmoid ? kernel::gate_function::sigmoid
                                         : from.is == form::tanh  ? kernel::gate_function::tanh
                                         : from.is == form::relu  ? kernel::gate_function::relu
                                                                  : kernel::gate_function::hard_sigmoid;
        const auto alpha = static_cast<float>(from.alpha);
        const auto beta = static_cast<float>(from.beta);
        (i == 0 ? problem.gate : i == 1 ? problem.candidate : problem.output) = is;
        (i == 0 ? problem.gate_alpha : i == 1 ? problem.candidate_alpha : problem.output_alpha) = alpha;
        (i == 0 ? problem.gate_beta : i == 1 ? problem.candidate_beta : problem.output_beta) = beta;
    }
    if (self.clip > 0) {
        problem.limit = static_cast<float>(self.clip);
    }
    return true;
}

/// Some numbers of each row of a matrix, as a tensor of f32.
inline tensor columns_of(const tensor& rows, std::size_t row, std::size_t first, std::size_t count) {
    const std::size_t all = rows.elements() / row;
    tensor_builder result(f32, shape{static_cast<dimension>(all * count)});
    for (std::size_t i = 0; i < all * count; ++i) {
        result.real(i, rows.real(i / count * row + first + i % count));
    }
    return result.finish();
}

}  // namespace detail

/// A constant of packed matrices, one for each direction: from row `first` on, `n` rows of the `rows` of each are its columns.
inline tensor_id planner::pack_matrices(const recurrent_weights& weights, std::int64_t directions, std::int64_t rows,
                                        std::int64_t first, std::int64_t n, std::int64_t& distance) {
    const tensor values = weights.are_bytes() ? weights.values : as_f32(weights.values);
    kernel::gemm_weights packing;
    packing.type = kind_of(values.type());
    packing.n = n;
    packing.k = values.dimensions()[values.dimensions().rank() - 1];
    packing.k_stride = 1;
    packing.n_stride = packing.k;
    packing.zero_point_count = weights.zero_points.empty() ? 0 : n;
    const std::size_t size = kernels().packed_gemm_bytes(packing.type, packing.k, n);
    distance = static_cast<std::int64_t>((size + 63) / 64 * 64);
    std::string form = "recurrent";
    for (const std::int64_t number : {static_cast<std::int64_t>(packing.type), directions, rows, first, n}) {
        form += " " + std::to_string(number);
    }
    for (const std::int32_t zero_point : weights.zero_points) {
        form += " " + std::to_string(zero_point);
    }
    const auto packed = packed_weights().find_or_pack(
        weights.values, form, static_cast<std::size_t>(distance * directions), [&](std::byte* to) {
            for (std::int64_t d = 0; d < directions; ++d) {
                const std::int64_t row = d * rows + first;
                packing.data = values.data() + byte_size(values.type(), static_cast<std::size_t>(row * packing.k));
                packing.zero_points = weights.zero_points.empty() ? nullptr : weights.zero_points.data() + row;
                kernels().pack_gemm(packing, to + d * distance, options_.parallel);
            }
        });
    return add_constant(detail::tensor_of_packed(packed));
}

namespace detail {

/// What rows of bytes stand for, as f32.
inline tensor dequantized(const recurrent_weights& from) {
    tensor_builder result(f32, from.values.dimensions());
    const std::size_t row_size = from.values.elements() / from.scales.size();
    for (std::size_t i = 0; i < result.elements(); ++i) {
        const std::size_t row = i / row_size;
        const double zero_point = from.zero_points.empty() ? 0 : from.zero_points[row];
        result.real(i, (from.values.real(i) - zero_point) * static_cast<double>(from.scales[row]));
    }
    return result.finish();
}

}  // namespace detail

/// The weights of a recurrent operation at a port; no values where they are not known.
inline recurrent_weights planner::recurrent_weights_of(const node& each, std::size_t port) {
    if (const tensor* known = model().constant_value(each.input(port))) {
        return {*known, {}, {}};
    }
    const recurrent_weights bytes = bytes_of_weights(model(), each.input(port));
    if (!bytes.are_bytes() || multiplies_bytes(model(), each, port)) {
        return bytes;
    }
    return {detail::dequantized(bytes), {}, {}};
}

/// The number of steps of each sequence: no tensor where all sequences have all steps.
inline tensor_id planner::sequence_lengths(output_ref given, std::int64_t time) {
    const tensor* known = model().constant_value(given);
    bool all = known != nullptr;
    for (std::size_t i = 0; all && i < known->elements(); ++i) {
        all = known->integer(i) >= time;
    }
    return all ? tensor_id::none : tensor_of(given, layout::plain);
}

namespace detail {

/// The sizes, directions and functions of a recurrent operation; false where the kernel does not know a function.
inline bool recurrent_problem_of(const graph& model, const node& each, const recurrent_form& form,
                                 kernel::recurrent_problem& problem) {
    problem.kind = form.kind;
    if (!set_gate_functions(*form.attributes, problem)) {
        return false;
    }
    const shape& data = model.shape(each.input(0));
    problem.batch = data[0];
    problem.time = form.is_sequence ? data[1] : 1;
    problem.inputs = data[form.is_sequence ? 2 : 1];
    problem.directions = form.direction == op::recurrent_direction::bidirectional ? 2 : 1;
    problem.reverse = form.direction == op::recurrent_direction::reverse;
    problem.hidden = form.attributes->hidden_size;
    if (form.kind == kernel::recurrent_kind::lstm) {
        const auto order = each.is<op::lstm_cell>() ? each.as<op::lstm_cell>().gate_order(each.version())
                                                    : op::lstm_weights_format::fico;
        const char letters[] = {'f', 'i', 'c', 'o'};
        for (std::size_t i = 0; i < 4; ++i) {
            problem.gates[i] = static_cast<std::int64_t>(reference::detail::gate_place(order, letters[i]));
        }
        problem.couples_forget =
            each.is<op::lstm_cell>() && each.version() < 4 && each.as<op::lstm_cell>().input_forget;
    }
    return true;
}

/// True where data, states and results are f32 and have elements.
inline bool has_real_elements(const graph& model, const node& each, std::size_t states) {
    if (each.type() != f32 || !has_elements(each.shape())) {
        return false;
    }
    for (std::size_t port = 0; port <= states; ++port) {
        if (model.type(each.input(port)) != f32 || !has_elements(model.shape(each.input(port)))) {
            return false;
        }
    }
    return true;
}

/// `numbers` times `factor`, as f32.
inline tensor scaled(const std::vector<float>& numbers, double factor) {
    tensor_builder result(f32, shape{static_cast<dimension>(numbers.size())});
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        result.real(i, static_cast<double>(numbers[i]) * factor);
    }
    return result.finish();
}

}  // namespace detail

/// LSTMCell, GRUCell, LSTMSequence and GRUSequence of f32, with known weights and without peepholes. Weights that `multiplies_bytes` tells are multiplied as they are.
inline bool planner::make_recurrent(node_id id) {
    const node& each = model()[id];
    const recurrent_form form = recurrent_form_of(each);
    if (!form.is_recurrent()) {
        return false;
    }
    const bool is_lstm = form.kind == kernel::recurrent_kind::lstm;
    const std::size_t states = is_lstm ? 2 : 1;
    const std::size_t weights = form.weights;
    const bool has_bias = each.inputs() > weights + 2;
    kernel::recurrent_problem problem;
    if (!is_plain_recurrent(model(), each, form) || !detail::has_real_elements(model(), each, states) ||
        !detail::recurrent_problem_of(model(), each, form, problem)) {
        return false;
    }
    const recurrent_weights of_data = recurrent_weights_of(each, weights);
    const recurrent_weights of_state = recurrent_weights_of(each, weights + 1);
    if (!of_data.values || !of_state.values) {
        return false;
    }
    tensor_id lengths = tensor_id::none;
    if (form.is_sequence) {
        const output_ref given = each.input(states + 1);
        const element type = model().type(given);
        if (type != i32 && type != i64) {
            return false;
        }
        problem.length_bytes = type == i32 ? 4 : 8;
        lengths = sequence_lengths(given, problem.time);
    }
    const std::int64_t rows = kernel::gates_of(form.kind) * problem.hidden;
    const bool apart = form.kind == kernel::recurrent_kind::gru;
    std::int64_t unused = 0;
    std::vector<tensor_id> operands;
    tensor_id input_scale = tensor_id::none;
    element precision = f32;
    if (of_data.are_bytes()) {
        const quantized_source& data = sources_.of(each.input(0));
        precision = model().type(data.base);
        problem.input_type = kind_of(precision);
        problem.input_zero_point = data.zero_point();
        operands.push_back(tensor_of(data.base, layout::plain));
        input_scale = add_constant(detail::scaled(of_data.scales, data.scale.one()));
    } else {
        operands.push_back(tensor_of(each.input(0), layout::plain));
    }
    operands.push_back(pack_matrices(of_data, 1, 0, 0, problem.directions * rows, unused));
    operands.push_back(input_scale);
    tensor_id bias = tensor_id::none;
    tensor_id hidden_bias = tensor_id::none;
    if (has_bias) {
        const tensor given = *model().constant_value(each.input(weights + 2));
        const auto row = static_cast<std::size_t>(given.dimensions()[given.dimensions().rank() - 1]);
        const auto gates = static_cast<std::size_t>(rows);
        bias = add_constant(detail::columns_of(given, row, 0, gates));
        if (form.kind == kernel::recurrent_kind::gru_linear) {
            hidden_bias = add_constant(detail::columns_of(given, row, gates, row - gates));
        }
    }
    operands.push_back(bias);
    operands.push_back(pack_matrices(of_state, problem.directions, rows, 0, apart ? 2 * problem.hidden : rows,
                                     problem.packed_hidden_bytes));
    operands.push_back(apart ? pack_matrices(of_state, problem.directions, rows, 2 * problem.hidden, problem.hidden,
                                             problem.packed_candidate_bytes)
                             : tensor_id::none);
    problem.splits_states = of_state.are_bytes();
    operands.push_back(of_state.are_bytes() ? add_constant(detail::scaled(of_state.scales, 1)) : tensor_id::none);
    operands.push_back(hidden_bias);
    operands.push_back(tensor_of(each.input(1), layout::plain));
    operands.push_back(is_lstm ? tensor_of(each.input(2), layout::plain) : tensor_id::none);
    operands.push_back(lengths);
    std::vector<tensor_id> outputs;
    add_outputs(id, outputs);
    if (!form.is_sequence) {
        operands.push_back(tensor_id::none);
    }
    operands.insert(operands.end(), outputs.begin(), outputs.end());
    if (!is_lstm) {
        operands.push_back(tensor_id::none);
    }
    operands.push_back(
        add_tensor(u8, shape{static_cast<dimension>(kernel::recurrent_scratch_bytes(problem))}, layout::plain));
    add_kernel({id}, problem, std::move(operands), precision);
    return true;
}

}  // namespace lpt::inline LPT_ABI::plan
