// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>

namespace lpt::inline LPT_ABI::reference {

/// What an evaluation may take before it is given up with an error that names the operation.
struct limits {
    std::uint64_t bytes = std::uint64_t{1}
                          << 32;  // of one node's outputs, and 32 for each place along one of their axes
    std::int64_t iterations = std::int64_t{1} << 20;  // of a loop, unless a sliced input has more parts
};

namespace detail {

/// Raises an error where the outputs of a node take more memory than the limits allow.
inline void check_memory(const node& each, view<op::output_facts> outputs, const limits& most) {
    double bytes = 0;
    for (const op::output_facts& output : outputs) {
        if (output.dimensions.is_dynamic() || output.dimensions.dimensions().contains(0)) {
            continue;
        }
        bytes += static_cast<double>(byte_size(output.type, output.dimensions.elements()));
        for (const dimension size : output.dimensions) {
            bytes += 32.0 * static_cast<double>(size);
        }
    }
    if (bytes > static_cast<double>(most.bytes)) {
        fail({each.operation(), " '", each.name(), "' cannot be evaluated: output 0 has the type ",
              name(outputs[0].type), " and the shape ", outputs[0].dimensions, ", and its outputs take more than ",
              static_cast<std::int64_t>(most.bytes), " bytes"});
    }
}

}  // namespace detail

}  // namespace lpt::inline LPT_ABI::reference
