// SPDX-License-Identifier: Apache-2.0
// The report of a run in the arithmetic that a file specifies: a row for each of its operators.
#pragma once

#include "rows.hpp"

#include <lpt/import/tflite/model.hpp>
#include <lpt/runtime/platform.hpp>
#include <lpt/specified/network.hpp>

#include <algorithm>
#include <chrono>

namespace lpt::run {

/// The operation of a graph in whose class summaries count an operator.
constexpr op::kind kind_of(tflite::builtin code) {
    switch (code) {
        case tflite::builtin::conv_2d: return op::kind::convolution;
        case tflite::builtin::depthwise_conv_2d: return op::kind::group_convolution;
        case tflite::builtin::transpose_conv: return op::kind::convolution_backprop_data;
        case tflite::builtin::fully_connected:
        case tflite::builtin::batch_matmul: return op::kind::mat_mul;
        case tflite::builtin::svdf:
        case tflite::builtin::unidirectional_sequence_lstm: return op::kind::lstm_sequence;
        default: return op::kind::none;
    }
}

constexpr role role_of(tflite::builtin code) {
    switch (code) {
        case tflite::builtin::quantize: return role::quantization;
        case tflite::builtin::dequantize: return role::dequantization;
        case tflite::builtin::reshape:
        case tflite::builtin::squeeze:
        case tflite::builtin::expand_dims:
        case tflite::builtin::transpose:
        case tflite::builtin::concatenation:
        case tflite::builtin::pack:
        case tflite::builtin::unpack:
        case tflite::builtin::split:
        case tflite::builtin::split_v:
        case tflite::builtin::slice:
        case tflite::builtin::strided_slice:
        case tflite::builtin::pad:
        case tflite::builtin::padv2:
        case tflite::builtin::mirror_pad:
        case tflite::builtin::space_to_batch_nd:
        case tflite::builtin::batch_to_space_nd:
        case tflite::builtin::space_to_depth:
        case tflite::builtin::depth_to_space:
        case tflite::builtin::reverse_v2:
        case tflite::builtin::tile:
        case tflite::builtin::broadcast_to:
        case tflite::builtin::fill:
        case tflite::builtin::shape:
        case tflite::builtin::gather:
        case tflite::builtin::gather_nd:
        case tflite::builtin::embedding_lookup:
        case tflite::builtin::scatter_nd:
        case tflite::builtin::dynamic_update_slice:
        case tflite::builtin::resize_nearest_neighbor:
        case tflite::builtin::read_variable:
        case tflite::builtin::assign_variable: return role::movement;
        case tflite::builtin::var_handle:
        case tflite::builtin::call_once: return role::none;  // done when the network is made
        default: return role::arithmetic;
    }
}

/// The types of an operator's tensors, by role in its table; those that are absent are left out.
inline std::vector<std::string> type_names_of(const tflite::subgraph& net, const std::vector<std::int64_t>& tensors) {
    std::vector<std::string> result;
    for (const std::int64_t each : tensors) {
        if (each < 0) continue;
        const tflite::tensor_type type = net.tensors[static_cast<std::size_t>(each)].type;
        const element known = tflite::element_of(type);
        result.push_back(string_of(known == dynamic ? tflite::name(type) : name(known)));
    }
    return result;
}

/// The tensor whose type an operator computes in: of what quantizes its first input, of what dequantizes its first output, of others the first
/// real or the first quantized one among those that it reads and that are no constants, or else its first output. Null where there is none.
inline const tflite::tensor_info* computed_tensor(const tflite::subgraph& net, const tflite::operator_info& each,
                                                  role what) {
    const tflite::tensor_info* quantized = nullptr;
    const auto tensor = [&](std::int64_t index) {
        return index < 0 ? nullptr : &net.tensors[static_cast<std::size_t>(index)];
    };
    const tflite::tensor_info* const output = each.outputs.empty() ? nullptr : tensor(each.outputs[0]);
    if (what == role::quantization || what == role::dequantization) {
        return what == role::dequantization || each.inputs.empty() ? output : tensor(each.inputs[0]);
    }
    for (const std::int64_t index : each.inputs) {
        const tflite::tensor_info* const input = tensor(index);
        if (input == nullptr || input->is_constant()) continue;
        if (is_real(tflite::element_of(input->type))) return input;
        if (quantized == nullptr && input->quantized.is_present()) quantized = input;
    }
    return quantized == nullptr ? output : quantized;
}

/// `i8` becomes `_I8`, `f32` becomes `_FP32`, as in the names of kernels.
inline std::string suffix_of(const std::string& type) {
    if (type == "f32") return "_FP32";
    std::string result = "_" + type;
    std::transform(result.begin(), result.end(), result.begin(),
                   [](char each) { return each >= 'a' && each <= 'z' ? static_cast<char>(each - 'a' + 'A') : each; });
    return result;
}

inline row row_of(const tflite::subgraph& net, std::size_t index) {
    const tflite::operator_info& each = net.operators[index];
    row made;
    made.type = string_of(each.name());
    made.kind = kind_of(each.code);
    made.what = role_of(each.code);
    made.inputs = type_names_of(net, each.inputs);
    made.outputs = type_names_of(net, each.outputs);
    const bool gives = !each.outputs.empty() && each.outputs[0] >= 0;
    made.name = gives ? net.tensors[static_cast<std::size_t>(each.outputs[0])].name.c_str()
                      : "operator " + std::to_string(index);
    if (made.what == role::none) {
        return made;
    }
    made.status = "EXECUTED";
    made.step = made.name;
    if (const tflite::tensor_info* const computed = computed_tensor(net, each, made.what)) {
        const element type = tflite::element_of(computed->type);
        made.precision = string_of(name(type));
        made.on_codes = is_integral(type) && computed->quantized.is_present();
        if (made.what == role::arithmetic && is_real(type)) {
            made.reason = made.reason_in_general = "its data is real in the file";
        }
    }
    made.execution_type = "specified" + suffix_of(made.precision);
    return made;
}

/// Which inputs have sizes that the file leaves open, which specified arithmetic takes as the file has them; empty where there are none.
inline std::string words_of_fixed_sizes(const tflite::subgraph& net) {
    std::string result;
    for (std::size_t i = 0; i < net.inputs.size(); ++i) {
        const tflite::tensor_info& input = net.tensors[static_cast<std::size_t>(net.inputs[i])];
        if (input.signature.rank_is_dynamic() || !input.signature.is_dynamic()) continue;
        result += (result.empty() ? "open sizes of inputs are taken as the file has them: " : ", ") +
                  std::string(join({"'", net.input_name(i), "' is ", input.dimensions}).c_str());
    }
    return result.empty() ? result : result + "; --arithmetic transformed takes others";
}

/// A row for each operator, in the order of the file; an operator has no name, so it has that of the tensor that it gives.
inline std::vector<row> specified_rows(const tflite::subgraph& net) {
    std::vector<row> result;
    for (std::size_t i = 0; i < net.operators.size(); ++i) {
        result.push_back(row_of(net, i));
    }
    return result;
}

/// Runs all operators that run, one by one, and gives `add` of each what `clock` has gone on.
template <class Clock, class Add>
void run_by_operators(specified::network& net, std::vector<row>& rows, const Clock& clock, const Add& add) {
    double before = clock();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].status != "EXECUTED") continue;
        net.run_step(i);
        const double now = clock();
        add(rows[i], now - before);
        before = now;
    }
}

/// The time that a clock itself takes to be read.
template <class Clock>
double time_of_reading(const Clock& clock) {
    constexpr int times = 64;
    double least = 0;
    for (int i = 0; i < times; ++i) {
        const double before = clock();
        const double taken = clock() - before;
        least = i == 0 ? taken : std::min(least, taken);
    }
    return least;
}

/// Gives each row the time of its operator, an average over so many runs. The clocks have runs of their own: to read that of the processors takes as
/// long as a small operator, and is taken off.
inline void time_operators(specified::network& net, std::vector<row>& rows, int runs) {
    const auto real_us = [] {
        const std::chrono::duration<double, std::micro> now = std::chrono::steady_clock::now().time_since_epoch();
        return now.count();
    };
    const auto processor_us = [] { return runtime::processor_seconds() * 1e6; };
    const double reading = time_of_reading(processor_us);
    for (int run = 0; run < runs; ++run) {
        run_by_operators(net, rows, real_us, [&](row& to, double time) { to.real_us += time / runs; });
        run_by_operators(net, rows, processor_us,
                         [&](row& to, double time) { to.cpu_us += std::max(time - reading, 0.0) / runs; });
    }
    for (row& each : rows) {
        each.own_us = each.real_us;
    }
}

/// Whether a run may do several operators in one step: DEQUANTIZE, PRELU and QUANTIZE in a row.
inline bool may_join_operators(const tflite::subgraph& net) {
    const auto maker_of_data = [&](const tflite::operator_info& reader, tflite::builtin code) {
        return std::find_if(net.operators.begin(), net.operators.end(), [&](const tflite::operator_info& each) {
            return each.code == code && !each.outputs.empty() && !reader.inputs.empty() &&
                   each.outputs[0] == reader.inputs[0];
        });
    };
    return std::any_of(net.operators.begin(), net.operators.end(), [&](const tflite::operator_info& each) {
        if (each.code != tflite::builtin::quantize) return false;
        const auto between = maker_of_data(each, tflite::builtin::prelu);
        return between != net.operators.end() &&
               maker_of_data(*between, tflite::builtin::dequantize) != net.operators.end();
    });
}

}  // namespace lpt::run
