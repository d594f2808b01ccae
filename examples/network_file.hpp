// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>

#include <string>

/// `lpt::import`, compiled once for all programs.
lpt::graph read_network_file(const std::string& path, bool external_data_anywhere = false,
                             const std::string& signature = {});
/// Whether the content of a file says that it is a TFLite model. Raises an error for files that cannot be read.
bool is_tflite_file(const std::string& path);
/// What a file is by its content, as `an ONNX model`; empty where it is none that is read here. Raises an error for files that cannot be read.
std::string kind_of_file(const std::string& path);
