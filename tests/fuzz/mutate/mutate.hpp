// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Mutators that know what a file is made of. Each gives a file that is a little different, or an empty one where the content is not of its
/// form and bytes have to be changed instead. The same seed makes the same change.
namespace lpt::fuzz {

/// Networks as XML: numbers, words, types, ports, edges, layers.
std::string mutate_network(std::string_view content, unsigned seed);
/// A network with attributes, layers or all of another one.
std::string cross_networks(std::string_view content, std::string_view other, unsigned seed);

/// JSON: numbers, words, elements of lists, members of objects.
std::string mutate_json(std::string_view content, unsigned seed);
std::string cross_json(std::string_view content, std::string_view other, unsigned seed);

/// .npy: the header's words and its length, and the number of bytes behind it.
std::string mutate_npy(std::string_view content, unsigned seed);
std::string cross_npy(std::string_view content, std::string_view other, unsigned seed);

/// TFLite: edges, operators, types, dimensions, quantization, options and constants; numbers anywhere; words of another file.
std::string mutate_tflite(std::string_view content, unsigned seed);
std::string cross_tflite(std::string_view content, std::string_view other, unsigned seed);

/// ONNX: edges, operators, types, dimensions, attributes and constants; any fields left out, doubled and exchanged; and parts of another
/// model.
std::string mutate_onnx(std::string_view content, unsigned seed);
std::string cross_onnx(std::string_view content, std::string_view other, unsigned seed);

}  // namespace lpt::fuzz
