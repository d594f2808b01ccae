// SPDX-License-Identifier: Apache-2.0
// Networks in the arithmetic that their file specifies, for lpt_run.
#pragma once

#include <lpt/check/model.hpp>
#include <lpt/import/tflite/read_model.hpp>
#include <lpt/kernel/dispatch.hpp>
#include <lpt/plan/steps.hpp>
#include <lpt/runtime/thread_pool.hpp>
#include <lpt/specified/network.hpp>

#include <cstdio>
#include <vector>

namespace lpt::run {

/// A line for each rule of the 8-bit specification that the network breaks.
inline void print_warnings(const tflite::model& model) {
    for (const check::violation& each : check::violations_of(model)) {
        std::fprintf(stderr, "lpt_run: warning: %s\n", each.in_words().c_str());
    }
}

inline std::vector<plan::port> ports_of(const specified::network& net, const std::vector<std::int64_t>& tensors) {
    std::vector<plan::port> result;
    for (const std::int64_t each : tensors) {
        plan::port port;
        port.name = net.subgraph().tensors[static_cast<std::size_t>(each)].name;
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
