// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/operation.hpp>

/// Weights that a file dequantizes: what is done to them is done to their integers, so that these are found.
namespace lpt::inline LPT_ABI::onnx {

/// Converts, Subtracts and Multiplies as they stand above `from`, with `moved(output)` in place of each output that they begin with, which must move
/// elements so that they broadcast as before; nothing where that gives nothing for one of them, or more than `levels` stand in a row.
template <class Moved>
output_ref with_sources_moved(operation& n, output_ref from, const Moved& moved, int levels = 4) {
    const graph& model = n.builder().model();
    const node_id id = from.node;
    if (!model[id].is<op::convert>() && !model[id].is<op::subtract>() && !model[id].is<op::multiply>()) {
        return moved(from);
    }
    seq<output_ref, 5> inputs;
    for (std::size_t port = 0; port < model[id].inputs(); ++port) {
        const output_ref input =
            levels == 0 ? output_ref() : with_sources_moved(n, model[id].input(port), moved, levels - 1);
        if (!input) {
            return {};
        }
        inputs.push_back(input);
    }
    const auto attributes = model[id].attributes();
    return n.builder().add_node(attributes, inputs);
}

}  // namespace lpt::inline LPT_ABI::onnx
