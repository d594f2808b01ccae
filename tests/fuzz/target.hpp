// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/error.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

/// What is fuzzed: a target takes the content of a file, whatever it is, and returns. Whatever it raises is a finding, and so are crashes,
/// sanitizers' reports, and runs without end.
namespace lpt::fuzz {

/// A promise of the library that it broke for some file.
class finding : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

/// A network (see network_text.hpp): imported, prepared, transformed, compiled and run.
void openvino_ir(std::string_view content);
/// A conformance case: its graph read, its pipeline run, the result compiled and run.
void cases_json(std::string_view content);
/// A .npy file: read, written again, and given to a network.
void npy(std::string_view content);
/// A network (see network_text.hpp): written by lpt_embed as a graph, and as a plan.
void embed(std::string_view content);

/// An ONNX model: imported, transformed, compiled and run.
void onnx(std::string_view content);
/// A TFLite file: imported, transformed, compiled and run.
void tflite(std::string_view content);

/// What errors promise: one line with words in it.
inline void check_message(const error& raised) {
    const std::string_view message = raised.what();
    bool readable = message.find(' ') != std::string_view::npos && message.size() < 10000;
    for (const char each : message) {
        readable = readable && static_cast<unsigned char>(each) >= ' ';
    }
    if (!readable) {
        throw finding("an error whose message is not one readable line: " + std::string(message.substr(0, 200)));
    }
}

/// Runs `action`, which may raise errors of the library.
template <class Action>
void allow_errors(const Action& action) {
    try {
        action();
    } catch (const error& raised) {
        check_message(raised);
    }
}

}  // namespace lpt::fuzz
