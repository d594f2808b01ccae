// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace lpt::fuzz {

/// Operators, those of another domain with it in front; names of attributes; words that attributes have.
const std::vector<std::string>& onnx_operators();
const std::vector<std::string>& onnx_attributes();
const std::vector<std::string>& onnx_words();

}  // namespace lpt::fuzz
