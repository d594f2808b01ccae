// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/model_builder.hpp>
#include <lpt/import/tflite/model.hpp>

#include <map>
#include <string>

#include <string>

/// What a network and its subgraphs share while graphs are made of them.
namespace lpt::inline LPT_ABI::tflite {

/// A variable of a network.
struct variable {
    output_ref initial;  // its value before the first run; zeros if none
    output_ref now;  // what operators read from here on
    node_id reader = node_id::none;
    bool is_written = false;
};

/// How many operators may still be made: subgraphs are read again for each operator that runs them, so that memory stays bounded by the file's size.
struct operator_budget {
    static constexpr std::size_t most_times = 8;

    std::size_t left = 0;

    explicit operator_budget(const model& file) {
        for (const subgraph& each : file.subgraphs) {
            left += most_times * each.operators.size();
        }
    }
};

/// What messages call an operator.
inline std::string described(std::int64_t op, std::int64_t subgraph, const std::string& type) {
    return "operator " + std::to_string(op) + " of subgraph " + std::to_string(subgraph) + ", " + type;
}

/// What tensors stand for that have no elements in a graph.
struct other_values {
    std::map<std::int64_t, std::string> handles;  // the names of variables
    std::map<std::int64_t, output_ref>
        spectra;  // complex numbers, whose real and imaginary parts lie along an axis behind the others
};

/// Zeros around the pixels of a tensor that nobody has read yet: a convolution that reads them next has padding of its own.
struct pending_margin {
    std::int64_t source = -1;  // the tensor inside; none: nothing is pending
    integers begin;  // rows, columns
    integers end;
};

}  // namespace lpt::inline LPT_ABI::tflite
