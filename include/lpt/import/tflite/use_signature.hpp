// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/tflite/model.hpp>

#include <algorithm>

/// The functions of a file, by name.
namespace lpt::inline LPT_ABI::tflite {

namespace detail {

/// The tensors of a signature's inputs or outputs, in its order; raises an error for those that are none of the subgraph's, or named twice.
inline std::vector<std::int64_t> tensors_of(const std::vector<signature::port>& ports,
                                            const std::vector<std::int64_t>& all, const place& where,
                                            const signature& chosen, text_view role) {
    std::vector<std::int64_t> result;
    for (const signature::port& each : ports) {
        if (std::find(all.begin(), all.end(), each.tensor) == all.end()) {
            wrong(where, in_words(chosen), ": ", role, " '", each.name, "' is tensor ", each.tensor,
                  ", expected one that the subgraph has among its ", role, "s");
        }
        if (role == text_view("input") && std::find(result.begin(), result.end(), each.tensor) != result.end()) {
            wrong(where, in_words(chosen), ": ", role, " '", each.name, "' is tensor ", each.tensor,
                  ", as another one is; expected a tensor of its own");
        }
        result.push_back(each.tensor);
    }
    return result;
}

inline std::vector<text> names_of(const std::vector<signature::port>& ports) {
    std::vector<text> result;
    for (const signature::port& each : ports) {
        result.push_back(each.name);
    }
    return result;
}

}  // namespace detail

/// Makes a signature the network of a file: its subgraph is run, with inputs and outputs in its order and by its names. Inputs of the
/// subgraph that it does not name stand behind them, and outputs that it does not name are left out.
/// Raises an error that names the file's signatures where `key` is none of them, and one where it names tensors that are no inputs or outputs.
inline void use_signature(model& file, text_view key) {
    const auto found = std::find_if(file.signatures.begin(), file.signatures.end(),
                                    [&](const signature& each) { return each.key.view() == key; });
    if (found == file.signatures.end()) {
        text known;
        for (const signature& each : file.signatures) {
            known.append(known.empty() ? text_view("'") : text_view(", '")).append(each.key).append("'");
        }
        wrong(place{file.file}, "has no signature '", key, "'",
              known.empty() ? text_view(", nor any other") : text_view("; its signatures are "), known);
    }
    const signature& chosen = *found;
    const place where{file.file, chosen.subgraph};
    file.network = static_cast<std::size_t>(chosen.subgraph);
    subgraph& net = file.subgraphs[file.network];
    std::vector<std::int64_t> inputs = detail::tensors_of(chosen.inputs, net.inputs, where, chosen, "input");
    for (const std::int64_t each : net.inputs) {
        if (std::find(inputs.begin(), inputs.end(), each) == inputs.end()) {
            inputs.push_back(each);
        }
    }
    net.outputs = detail::tensors_of(chosen.outputs, net.outputs, where, chosen, "output");
    net.inputs = std::move(inputs);
    net.input_names = detail::names_of(chosen.inputs);
    net.output_names = detail::names_of(chosen.outputs);
}

}  // namespace lpt::inline LPT_ABI::tflite
