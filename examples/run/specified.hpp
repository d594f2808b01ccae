// SPDX-License-Identifier: Apache-2.0
// Networks in the arithmetic that their file specifies, for lpt_run.
#pragma once

#include <lpt/check/model.hpp>
#include <lpt/import/tflite/read_model.hpp>
#include <lpt/import/tflite/use_signature.hpp>
#include <lpt/kernel/dispatch.hpp>
#include <lpt/plan/steps.hpp>
#include <lpt/runtime/thread_pool.hpp>
#include <lpt/specified/network.hpp>

#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace lpt::run {

/// Whether a file says that it is a TFLite model.
inline bool is_tflite(const std::string& path) {
    char begin[8] = {};
    std::ifstream file(path, std::ios::binary);
    return file.read(begin, sizeof begin) && std::string_view(begin + 4, 4) == "TFL3";
}

/// What is in a TFLite file, with the signature that is its network; none: its first subgraph.
inline tflite::model read_tflite(const std::string& path, const std::string& signature) {
    tflite::model result = tflite::read_model(path);
    if (!signature.empty()) {
        tflite::use_signature(result, signature.c_str());
    }
    return result;
}

/// Whether a file is a TFLite model whose operations compute on int8 throughout, in an arithmetic that is specified: what they read, but for
/// constants, and write is int8 or the handle of a variable. QUANTIZE and DEQUANTIZE may have another type on one side.
inline bool is_all_int8(const std::string& path, const std::string& signature) {
    if (!is_tflite(path)) {
        return false;
    }
    const tflite::model model = read_tflite(path, signature);
    const tflite::subgraph& net = model.subgraphs[model.network];
    const auto is_int8 = [&](const std::vector<std::int64_t>& tensors) {
        for (const std::int64_t each : tensors) {
            if (each < 0) continue;
            const tflite::tensor_info& tensor = net.tensors[static_cast<std::size_t>(each)];
            const bool is_handle = tensor.type == tflite::tensor_type::resource;
            if (!tensor.is_constant() && !is_handle && tensor.type != tflite::tensor_type::int8) return false;
        }
        return true;
    };
    for (const tflite::operator_info& each : net.operators) {
        const bool converts = each.code == tflite::builtin::quantize || each.code == tflite::builtin::dequantize;
        const bool takes = is_int8(each.inputs);
        const bool gives = is_int8(each.outputs);
        if (converts ? !takes && !gives : !takes || !gives) return false;
    }
    try {
        specified::network(model, nullptr);
    } catch (const error&) {  // an operator that has none, or that breaks the specification beyond meaning
        return false;
    }
    return !net.operators.empty();
}

/// Whether anything in a model stands for real numbers by a scale.
inline bool is_quantized(const tflite::model& model) {
    for (const tflite::subgraph& net : model.subgraphs) {
        for (const tflite::tensor_info& each : net.tensors) {
            if (!each.quantized.scales.empty()) return true;
        }
    }
    return false;
}

/// A line for each of the first violations of the 8-bit specification. Belongs behind a run: an error is the only line of one that fails.
inline void print_warnings(const tflite::model& model) {
    constexpr std::size_t most = 10;
    if (!is_quantized(model)) return;
    const auto found = check::violations_of(model);
    for (std::size_t i = 0; i < found.size() && i < most; ++i) {
        std::fprintf(stderr, "lpt_run: warning: %s\n", found[i].in_words().c_str());
    }
    if (found.size() > most) {
        std::fprintf(stderr, "lpt_run: warning: %zu more of them, which lpt_check lists\n", found.size() - most);
    }
}

/// The inputs or the outputs of a network.
inline std::vector<plan::port> ports_of(const specified::network& net, bool of_inputs) {
    std::vector<plan::port> result;
    const std::vector<std::int64_t>& tensors = of_inputs ? net.subgraph().inputs : net.subgraph().outputs;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const std::int64_t each = tensors[i];
        plan::port port;
        port.name = of_inputs ? net.subgraph().input_name(i) : net.subgraph().output_name(i);
        port.type = net.tensor(static_cast<std::size_t>(each)).type;
        port.dimensions = net.tensor(static_cast<std::size_t>(each)).dimensions;
        result.push_back(port);
    }
    return result;
}

/// Runs one sample; gives the outputs as tensors of their own.
inline std::vector<tensor> run_sample(specified::network& net, const std::vector<tensor>& inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        net.set_input(i, view<std::byte>(inputs[i].data(), inputs[i].size_in_bytes()));
    }
    net.run();
    std::vector<tensor> result;
    for (std::size_t k = 0; k < net.outputs(); ++k) {
        const specified::value& output = net.output(k);
        tensor_builder copy(output.type, output.dimensions);
        if (output.elements() != 0) {
            std::memcpy(copy.data(), output.data(), byte_size(output.type, output.dimensions.elements()));
        }
        result.push_back(copy.finish());
    }
    return result;
}

}  // namespace lpt::run
