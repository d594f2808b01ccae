// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>

#include <optional>
#include <string>
#include <string_view>

/// Networks in one readable file: OpenVINO IR whose constants have their numbers in an attribute `values`, repeated as often as the shape asks
/// for, in place of a file of weights. `<net>` may have the attributes `target` and `isa`, named as on the command lines.
namespace lpt::fuzz {

struct network_text {
    std::string xml;
    std::string weights;
    std::string target;
    std::string isa;  // empty: the best
};

/// Makes the weights, and gives each constant with `values` the `offset` and `size` that it lacks. What is not XML stays as it is.
network_text read_network_text(std::string_view content);

/// Imports it and checks that the graph is in order; nothing, where it was refused with an error in good form.
std::optional<graph> import_network(const network_text& network);

}  // namespace lpt::fuzz
